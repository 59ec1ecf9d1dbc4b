//! What does the index make of the words into which an analyser cut a line of Japanese?
//!
//! Useful for: lines cut by a Python library, which is asked about each word once. Not useful for: cutting.
//! Invariant: the words cover the line in order; offsets count code points.

use crate::{Token, has_cjk};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Words in the cache; texts repeat their words.
const MAX_CACHED: usize = 200_000;

/// A word with its parts: their terms and readings, with positions inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// Terms as written.
    pub tokens: Vec<Token>,
    /// Readings of those with Han characters, in katakana.
    pub readings: Vec<Token>,
}

/// A cache of words, by the analyser's number for each.
#[derive(Debug, Default)]
pub struct JapaneseWords {
    cache: RwLock<Cache>,
    /// That of words without Han characters and kana, which get their terms elsewhere. Numbers and Latin words are seldom met
    /// again, and would fill the cache.
    without_terms: Arc<Unit>,
}

#[derive(Debug, Default)]
struct Cache {
    units: FxHashMap<u64, WordsOfNumber>,
    count: usize,
}

/// Words with the same number. Nearly always there is one, but all words unknown to the dictionary share a number.
#[derive(Debug)]
struct WordsOfNumber {
    first: (String, Arc<Unit>),
    others: FxHashMap<String, Arc<Unit>>,
}

/// One word of a line.
#[derive(Clone, Debug)]
struct LineWord {
    number: u64,
    start: usize,
    bytes: Range<usize>,
    unit: Option<Arc<Unit>>,
}

/// A line and its words.
#[derive(Clone, Debug)]
pub struct JapaneseLine {
    text: String,
    words: Vec<LineWord>,
}

impl JapaneseWords {
    /// A line from its words, given as (number, first code point) with ascending positions.
    pub fn line(&self, text: &str, words: &[(u64, usize)]) -> JapaneseLine {
        let cache = self.cache.read();
        let mut bytes = text.char_indices().map(|(byte, _)| byte);
        let (mut byte, mut passed) = (bytes.next().unwrap_or(text.len()), 0);
        let mut byte_at = |start: usize| {
            while passed < start {
                (byte, passed) = (bytes.next().unwrap_or(text.len()), passed + 1);
            }
            byte
        };
        let mut line_words: Vec<LineWord> = Vec::with_capacity(words.len());
        for &(number, start) in words {
            let from = byte_at(start);
            if let Some(before) = line_words.last_mut() {
                before.bytes.end = from;
            }
            line_words.push(LineWord {
                number,
                start,
                bytes: from..text.len(),
                unit: None,
            });
        }
        for word in &mut line_words {
            let surface = &text[word.bytes.clone()];
            word.unit = if has_cjk(surface) {
                cache.unit(word.number, surface)
            } else {
                Some(Arc::clone(&self.without_terms))
            };
        }
        JapaneseLine {
            text: text.to_owned(),
            words: line_words,
        }
    }

    /// The same line with its unknown words added to the cache; `units` are in their order.
    #[must_use]
    pub fn learned(
        &self,
        line: &JapaneseLine,
        units: impl IntoIterator<Item = Unit>,
    ) -> JapaneseLine {
        let mut line = line.clone();
        let mut cache = self.cache.write();
        let unknown = line.words.iter_mut().filter(|word| word.unit.is_none());
        for (word, unit) in unknown.zip(units) {
            let unit = Arc::new(unit);
            cache.learn(word.number, &line.text[word.bytes.clone()], &unit);
            word.unit = Some(unit);
        }
        line
    }
}

impl Cache {
    fn unit(&self, number: u64, surface: &str) -> Option<Arc<Unit>> {
        let known = self.units.get(&number)?;
        if known.first.0 == surface {
            return Some(Arc::clone(&known.first.1));
        }
        known.others.get(surface).map(Arc::clone)
    }

    fn learn(&mut self, number: u64, surface: &str, unit: &Arc<Unit>) {
        if self.count >= MAX_CACHED {
            *self = Self::default();
        }
        self.count += 1;
        let word = (surface.to_owned(), Arc::clone(unit));
        if let Some(known) = self.units.get_mut(&number) {
            known.others.insert(word.0, word.1);
        } else {
            let known = WordsOfNumber {
                first: word,
                others: FxHashMap::default(),
            };
            self.units.insert(number, known);
        }
    }
}

impl JapaneseLine {
    /// The indices of its unknown words.
    pub fn unknown(&self) -> Vec<usize> {
        let words = self.words.iter().enumerate();
        let unknown = words.filter(|(_, word)| word.unit.is_none());
        unknown.map(|(which, _)| which).collect()
    }

    /// (first code point, word) of the known words, in order.
    pub fn units(&self) -> impl Iterator<Item = (usize, &Unit)> {
        let words = self.words.iter();
        words.filter_map(|word| Some((word.start, word.unit.as_deref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(term: &str) -> Unit {
        Unit {
            tokens: vec![Token::new(term, 0, 1, false)],
            readings: Vec::new(),
        }
    }

    fn terms(line: &JapaneseLine) -> Vec<(usize, &str)> {
        let units = line.units();
        units
            .map(|(start, unit)| (start, unit.tokens[0].term.as_str()))
            .collect()
    }

    #[test]
    fn a_word_is_learned_once_and_another_word_of_its_number_separately() {
        let words = JapaneseWords::default();
        let line = words.line("猫は𠮷", &[(1, 0), (2, 1), (9, 2)]);
        assert_eq!(line.unknown(), [0, 1, 2]);
        let line = words.learned(&line, ["猫", "ハ", "吉"].map(unit));
        assert_eq!(terms(&line), [(0, "猫"), (1, "ハ"), (2, "吉")]);

        let line = words.line("𠮷は鯱", &[(9, 0), (2, 1), (9, 2)]);
        assert_eq!(line.unknown(), [2]);
        let line = words.learned(&line, [unit("鯱")]);
        assert_eq!(terms(&line), [(0, "吉"), (1, "ハ"), (2, "鯱")]);
        assert!(words.line("鯱猫", &[(9, 0), (1, 1)]).unknown().is_empty());
        assert!(words.line("", &[]).unknown().is_empty());
    }

    #[test]
    fn words_without_han_characters_and_kana_are_known_to_have_no_terms() {
        let words = JapaneseWords::default();
        let line = words.line("v2のAPI", &[(9, 0), (9, 1), (2, 2), (9, 3)]);
        assert_eq!(line.unknown(), [2]);
        let line = words.learned(&line, [unit("ノ")]);
        let tokens = line.units().map(|(_, unit)| unit.tokens.len());
        assert_eq!(tokens.collect::<Vec<_>>(), [0, 0, 1, 0]);
    }
}
