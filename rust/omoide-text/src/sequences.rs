//! Which sequences of letters does a text contain, in scripts that separate words?
//!
//! Useful for: comparing spellings: a word and its misspelling share most of them. Not useful for: Han, kana and Hangul,
//! whose [`crate::grams()`] do the same.
//! Invariant: a sequence depends on the letters of one word only, never on what surrounds the word.

use crate::Script;
use compact_str::CompactString;
use std::ops::Range;

/// Letters in a sequence.
const LENGTH: usize = 3;
/// Placed before and after a word, so that its beginning and end differ from its middle. Never a letter.
const BORDER: char = '\u{1}';

/// A few letters in a row, and their byte range in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The letters; the border stands for what is outside the word.
    pub letters: CompactString,
    /// The byte range, without borders.
    pub bytes: Range<usize>,
}

/// The sequences of three letters in each word of `folded`, counting the borders as letters: as many as the word has letters.
///
/// ```
/// let found = omoide_text::sequences("tea 茶");
/// let shown: Vec<String> = found.iter().map(|each| each.letters.replace('\u{1}', "_")).collect();
/// assert_eq!(shown, ["_te", "tea", "ea_"]);
/// ```
pub fn sequences(folded: &str) -> Vec<Sequence> {
    let mut found = Vec::with_capacity(folded.len());
    let mut word: Vec<usize> = Vec::new();
    for (at, c) in folded.char_indices() {
        if is_letter(c, !word.is_empty()) {
            word.push(at);
        } else if !word.is_empty() {
            cut(folded, &word, at, &mut found);
            word.clear();
        }
    }
    cut(folded, &word, folded.len(), &mut found);
    found
}

/// Whether `c` belongs to a word; a combining mark does inside one.
fn is_letter(c: char, in_word: bool) -> bool {
    match Script::of(c) {
        None => in_word,
        Some(script) => script != Script::Space && !script.has_grams(),
    }
}

/// Append the sequences of a word, given by the positions of its letters and the byte `end` after it.
fn cut(folded: &str, word: &[usize], end: usize, found: &mut Vec<Sequence>) {
    for first in 0..word.len() {
        let start = word[first.max(1) - 1];
        let bytes = start..word.get(first + LENGTH - 1).copied().unwrap_or(end);
        let mut letters = CompactString::default();
        if first == 0 {
            letters.push(BORDER);
        }
        letters.push_str(&folded[bytes.clone()]);
        if first + 1 == word.len() {
            letters.push(BORDER);
        }
        found.push(Sequence { letters, bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_as_many_sequences_as_letters() {
        let rows: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("猫、カピバラ 서울 !", &[]),
            ("a", &["_a_"]),
            ("to", &["_to", "to_"]),
            ("tea茶", &["_te", "tea", "ea_"]),
            (
                "iphone15",
                &["_ip", "iph", "pho", "hon", "one", "ne1", "e15", "15_"],
            ),
            ("e\u{301}t", &["_e\u{301}", "e\u{301}t", "\u{301}t_"]),
            ("да нет", &["_да", "да_", "_не", "нет", "ет_"]),
        ];
        for (text, expected) in rows {
            let found = sequences(text);
            let shown = found.iter().map(|each| each.letters.replace(BORDER, "_"));
            assert_eq!(shown.collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn sequences_have_the_byte_ranges_of_their_letters() {
        let text = "お茶 café 9";
        for each in sequences(text) {
            assert_eq!(&text[each.bytes.clone()], each.letters.replace(BORDER, ""));
        }
    }
}
