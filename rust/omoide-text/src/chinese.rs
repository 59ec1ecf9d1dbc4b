//! Which Chinese words does a text contain? By jieba's dictionary: long words, the shorter ones inside them, numbers.
//!
//! Useful for: Simplified text (fold first). Not useful for: Japanese, which shares the characters but not the words.
//! Invariant: every word holds a Han or kana character; offsets count code points.

use crate::Script;
use crate::dictionary::Dictionary;
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// A word: the text, code points `start..end`, and whether it is a function word.
pub type ChineseWord<'a> = (&'a str, usize, usize, bool);

/// Words of so many characters that are not in the dictionary may be several.
const SHORTEST_DOUBTFUL: usize = 3;
/// Pairs of these are parts of a number, not words.
const NUMERALS: &str = "〇零一二两三四五六七八九十百千万亿";

/// A dictionary with the user's words added.
#[derive(Debug)]
pub struct Chinese {
    /// Made when the first text comes.
    dictionary: OnceLock<RwLock<Dictionary>>,
    user_words: Vec<String>,
    function_words: FxHashSet<String>,
}

impl Chinese {
    /// `user_words` are never split.
    pub fn new(
        function_words: impl IntoIterator<Item = String>,
        user_words: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            dictionary: OnceLock::new(),
            user_words: user_words.into_iter().collect(),
            function_words: function_words.into_iter().collect(),
        }
    }

    /// The words of Simplified text; a long word comes after the shorter ones inside it. Inside a long word that is not in the
    /// dictionary, each pair of characters is one, too: it may be a name with what stands beside it (见小明).
    pub fn words<'a>(&self, simplified: &'a str) -> Vec<ChineseWord<'a>> {
        let dictionary = self.dictionary_for(simplified);
        let mut words = Vec::new();
        for token in dictionary.cut(simplified) {
            let (word, start, end) = (token.word, token.start, token.end);
            if !word.chars().any(Script::is_han_or_kana) {
                continue;
            }
            if end - start >= SHORTEST_DOUBTFUL && !dictionary.knows(word) {
                // The pairs that the dictionary has were cut already.
                let unknown = pairs(word, start).filter(|pair| !dictionary.knows(pair.0));
                words.extend(unknown);
            }
            words.push((word, start, end, self.function_words.contains(word)));
        }
        words
    }

    fn dictionary_for(&self, text: &str) -> RwLockReadGuard<'_, Dictionary> {
        let known = self.dictionary.get_or_init(|| self.with_user_words());
        let dictionary = known.read();
        if dictionary.covers(text) {
            return dictionary;
        }
        drop(dictionary);
        let mut dictionary = known.write();
        dictionary.load_for(text);
        RwLockWriteGuard::downgrade(dictionary)
    }

    fn with_user_words(&self) -> RwLock<Dictionary> {
        let mut dictionary = Dictionary::new();
        for word in &self.user_words {
            dictionary.add(word);
        }
        RwLock::new(dictionary)
    }
}

/// The pairs of neighbouring characters of a word that begins at code point `start`, but for parts of numbers.
fn pairs(word: &str, start: usize) -> impl Iterator<Item = ChineseWord<'_>> {
    let seconds = word.char_indices().skip(1);
    let places = word.char_indices().zip(seconds).zip(start..);
    places.filter_map(|(((from, first), (at, second)), start)| {
        let is_number = NUMERALS.contains(first) && NUMERALS.contains(second);
        let pair = &word[from..at + second.len_utf8()];
        (!is_number).then_some((pair, start, start + 2, false))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_and_those_inside_them_are_found_with_positions() {
        let chinese = Chinese::new(["的".to_owned()], ["抹茶拿铁".to_owned()]);
        let found = chinese.words("ab清华大学的抹茶拿铁!");
        let rows = [
            ("清华", 2, 4, false),
            ("华大", 3, 5, false),
            ("大学", 4, 6, false),
            ("清华大学", 2, 6, false),
            ("的", 6, 7, true),
            ("抹茶拿铁", 7, 11, false),
        ];
        for row in rows {
            assert!(found.contains(&row), "{row:?} in {found:?}");
        }
        assert!(found.iter().all(|word| word.0 != "ab" && word.0 != "!"));
    }

    #[test]
    fn names_are_found_that_the_dictionary_lacks_and_joins_with_other_characters() {
        let chinese = Chinese::new(["的".to_owned()], ["李雷雷".to_owned()]);
        let words = |text| -> Vec<(&str, usize, usize)> {
            let words = chinese.words(text).into_iter();
            let words = words.inspect(|word| assert!(!word.3, "{word:?}"));
            words.map(|word| (word.0, word.1, word.2)).collect()
        };
        let cut = [
            ("今天", 0, 2),
            ("见小", 2, 4),
            ("小明", 3, 5),
            ("见小明", 2, 5),
        ];
        assert_eq!(words("今天见小明"), cut);
        let names = [("陈七", 2, 4), ("七丰", 3, 5), ("陈七丰", 2, 5)];
        assert_eq!(words("告诉陈七丰")[1..], names);
        assert_eq!(words("七丰"), [("七丰", 0, 2)]);
        assert_eq!(words("李雷雷"), [("李雷雷", 0, 3)]);
        assert_eq!(words("二零二四年"), [("二零二", 0, 3), ("四年", 3, 5)]);
    }
}
