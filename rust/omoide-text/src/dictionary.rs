//! The words of jieba's dictionary that a text can contain, loaded when the first text needs them.
//!
//! Useful for: a fast first question, which would otherwise wait for all 348,322 words. Not useful for: anything but
//! [`crate::Chinese`].
//! Invariant: a text is cut as with the whole dictionary. A word can occur in a text only if its first character does, and is
//! weighed by its share of the frequencies of all words; [`PLACEHOLDER`] stands in for the frequencies of words not loaded yet.

use crate::characters::Characters;
use jieba_rs::{Jieba, Token};
use std::fmt;

/// "word frequency" in each line, in the order of code points.
const WORDS: &str = include_str!("chinese_words.txt");
/// The sum of the frequencies.
const SUM: usize = 60_118_815;
/// A word that no text is cut into, since it consists neither of Han characters nor of letters.
const PLACEHOLDER: &str = "\u{F0000}";

/// Jieba, with the words that begin with certain characters.
pub(crate) struct Dictionary {
    jieba: Jieba,
    /// The characters whose words were loaded.
    loaded: Characters,
    /// The sum of the frequencies of the other words.
    frequency_not_loaded: usize,
}

impl Dictionary {
    pub(crate) fn new() -> Self {
        Self {
            jieba: Jieba::empty(),
            loaded: Characters::default(),
            frequency_not_loaded: SUM,
        }
    }

    /// Whether every word that the text can contain was loaded.
    pub(crate) fn covers(&self, text: &str) -> bool {
        text.chars().all(|first| self.loaded.contains(first))
    }

    /// Load the words that the text can contain.
    pub(crate) fn load_for(&mut self, text: &str) {
        for first in text.chars() {
            if self.loaded.insert(first) {
                self.load(first);
            }
        }
        self.jieba
            .add_word(PLACEHOLDER, Some(self.frequency_not_loaded), None);
    }

    /// Add a word of the user's, which is never split.
    pub(crate) fn add(&mut self, word: &str) {
        self.load_for(word);
        self.jieba.add_word(word, None, None);
    }

    /// The words of a text that is covered.
    pub(crate) fn cut<'a>(&self, text: &'a str) -> Vec<Token<'a>> {
        debug_assert!(self.covers(text));
        self.jieba.cut_for_search(text, true)
    }

    /// Whether a word of a text that is covered is in the dictionary, rather than guessed from its characters.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.jieba.has_word(word)
    }

    fn load(&mut self, first: char) {
        for (word, frequency) in words_from(first) {
            self.jieba.add_word(word, Some(frequency), None);
            self.frequency_not_loaded -= frequency;
        }
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary")
            .field("frequency_not_loaded", &self.frequency_not_loaded)
            .finish_non_exhaustive()
    }
}

/// (word, frequency) of the words that begin with a character.
fn words_from(first: char) -> impl Iterator<Item = (&'static str, usize)> {
    let lines = &WORDS[first_line(|begins| begins >= first)..first_line(|begins| begins > first)];
    lines.lines().map(|line| {
        let (word, frequency) = line.split_once(' ').expect("two fields a line");
        (word, frequency.parse().expect("a number"))
    })
}

/// The byte of the first line whose first character passes; all lines after it must pass too.
fn first_line(passes: impl Fn(char) -> bool) -> usize {
    let is_end = |byte: &u8| *byte == b'\n';
    let (mut from, mut to) = (0, WORDS.len());
    while from < to {
        let (before, after) = WORDS.as_bytes()[from..to].split_at((to - from) / 2);
        let line = from + before.iter().rposition(is_end).map_or(0, |at| at + 1);
        if WORDS[line..].starts_with(&passes) {
            to = line;
        } else {
            from += before.len() + after.iter().position(is_end).expect("every line ends") + 1;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Dictionary {
        let mut whole = Dictionary::new();
        whole.load_for(WORDS);
        whole
    }

    #[test]
    fn the_words_are_sorted_and_their_frequencies_have_the_sum() {
        let words: Vec<&str> = WORDS
            .lines()
            .map(|line| line.split(' ').next().unwrap())
            .collect();
        assert!(words.is_sorted_by(|one, other| one < other));
        assert_eq!(whole().frequency_not_loaded, 0);
    }

    #[test]
    fn words_are_found_by_their_first_character() {
        for (first, known) in [('1', "1号店"), ('龟', "龟"), ('一', "一"), ('龠', "龠")] {
            assert!(words_from(first).any(|(word, _)| word == known));
            assert!(words_from(first).all(|(word, _)| word.starts_with(first)));
        }
        assert_eq!(words_from('あ').count(), 0);
    }

    #[test]
    fn a_text_is_cut_as_with_the_whole_dictionary() {
        let texts = [
            "我们昨天在北京的清华大学喝抹茶拿铁,讨论了南京市长江大桥",
            "他来到了网易杭研大厦,工信处女干事每月经过下属科室",
            "iPhone 15和T恤都买了:1号店打折50%",
            "龟甲兽骨文字𠮷野家",
            "",
        ];
        let users = ["抹茶拿铁", "长江大", "来到", "𠮷野家"];
        let mut whole = whole();
        for word in users {
            whole.add(word);
        }
        for text in texts {
            let mut little = Dictionary::new();
            for word in users {
                little.add(word);
            }
            little.load_for(text);
            whole.load_for(text); // with characters that begin no word
            assert!(little.frequency_not_loaded > 0);
            assert_eq!(little.cut(text), whole.cut(text), "{text}");
        }
    }
}
