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

    /// The words of Simplified text; a long word comes after the shorter ones inside it.
    pub fn words<'a>(&self, simplified: &'a str) -> Vec<ChineseWord<'a>> {
        self.dictionary_for(simplified)
            .cut(simplified)
            .into_iter()
            .filter(|token| token.word.chars().any(Script::is_han_or_kana))
            .map(|token| {
                let function = self.function_words.contains(token.word);
                (token.word, token.start, token.end, function)
            })
            .collect()
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
}
