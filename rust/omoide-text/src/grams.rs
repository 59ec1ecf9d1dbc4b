//! Which character grams does a text hold?
//!
//! Useful for: finding any one or two neighbouring characters of Chinese, Japanese or Korean, whatever a dictionary
//! makes of them. Not useful for: scripts with spaces, whose words are better terms.
//! Invariant: each gram is a slice of the input, and no two neighbouring gram characters are lost.

use crate::Script;

/// Uni- and bigrams of each maximal run of Han, kana and Hangul (a run may mix the three), by the position of their
/// last character, the bigram first. Allocates nothing.
///
/// ```
/// let found: Vec<&str> = omoide_text::grams("aの猫!").collect();
/// assert_eq!(found, ["の", "の猫", "猫"]);
/// ```
pub fn grams(folded: &str) -> impl Iterator<Item = &str> {
    let mut before: Option<usize> = None;
    folded.char_indices().flat_map(move |(at, c)| {
        let end = at + c.len_utf8();
        let here = has_grams(c).then_some(at);
        let pair = before.filter(|_| here.is_some());
        before = here;
        [pair, here]
            .into_iter()
            .flatten()
            .map(move |start| &folded[start..end])
    })
}

fn has_grams(c: char) -> bool {
    !c.is_ascii() && Script::of_block(c).is_some_and(Script::has_grams)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grams_are_single_characters_and_neighbours_within_a_run() {
        let rows: [(&str, &[&str]); 7] = [
            ("", &[]),
            ("hello 42 Привет ไทย", &[]),
            ("记忆", &["记", "记忆", "忆"]),
            ("サーバ", &["サ", "サー", "ー", "ーバ", "バ"]),
            ("人々が", &["人", "人々", "々", "々が", "が"]),
            ("앱 로그", &["앱", "로", "로그", "그"]),
            ("a猫、犬𠮷", &["猫", "犬", "犬𠮷", "𠮷"]),
        ];
        for (text, expected) in rows {
            assert_eq!(grams(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
