//! Which character grams does a text contain?
//!
//! Useful for: finding any one or two adjacent characters of Chinese, Japanese or Korean, however a dictionary cuts them. Not
//! useful for: scripts with spaces, whose words are better terms.
//! Invariant: each gram is a slice of the input, and every pair of adjacent gram characters is included.

use crate::Script;
use std::str::CharIndices;

/// Uni- and bigrams of each maximal run of Han, kana and Hangul (a run may mix the three), in the order of their last
/// character, the bigram first. Allocates nothing.
///
/// ```
/// let found: Vec<&str> = omoide_text::grams("aの猫!").collect();
/// assert_eq!(found, ["の", "の猫", "猫"]);
/// ```
pub fn grams(folded: &str) -> impl Iterator<Item = &str> {
    Grams {
        text: folded,
        chars: folded.char_indices(),
        before: None,
        single: None,
    }
}

struct Grams<'a> {
    text: &'a str,
    chars: CharIndices<'a>,
    /// Where the previous gram character begins, if it is adjacent.
    before: Option<usize>,
    /// The character whose bigram was just returned.
    single: Option<&'a str>,
}

impl<'a> Iterator for Grams<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if let Some(single) = self.single.take() {
            return Some(single);
        }
        loop {
            let (at, c) = self.chars.next()?;
            if !has_grams(c) {
                self.before = None;
                continue;
            }
            let end = at + c.len_utf8();
            let single = &self.text[at..end];
            return Some(match self.before.replace(at) {
                Some(before) => {
                    self.single = Some(single);
                    &self.text[before..end]
                }
                None => single,
            });
        }
    }
}

fn has_grams(c: char) -> bool {
    match c {
        '\0'..='\u{10ff}' => false,
        // The ranges that most text is made of, without a search.
        '\u{4e00}'..='\u{9fff}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' => true,
        _ => Script::of_block(c).is_some_and(Script::has_grams),
    }
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
