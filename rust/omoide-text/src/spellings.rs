//! Which words of a text are also written, or called, otherwise?
//!
//! Useful for: Chinese words that differ between places (伺服器, 服务器), and names and everyday words in katakana or Han characters
//! (ギットハブ, 谷歌, 病院).
//! Not useful for: forms of characters, which are folded, and words of one script between spaces; see `Vocabulary`.
//! Invariant: a word is found only whole: as a word of the Chinese dictionary, as several of a Japanese one, or as a run of katakana.

use crate::Token;
use compact_str::CompactString;
use rustc_hash::{FxHashMap, FxHashSet};

/// The index term of each word that has another than its own.
#[derive(Debug, Default)]
pub struct Spellings {
    terms: FxHashMap<CompactString, CompactString>,
    /// The characters that words in Han characters begin with, and the length of the longest of these.
    first: FxHashSet<char>,
    longest: usize,
}

impl Spellings {
    /// Pairs of a word (katakana as written, Han characters folded) and the term of those that mean the same.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut spellings = Self::default();
        for (word, term) in pairs {
            let first = word.chars().next();
            if let Some(han) = first.filter(|&c| !c.is_ascii() && !is_katakana(c)) {
                spellings.first.insert(han);
                spellings.longest = spellings.longest.max(word.chars().count());
            }
            spellings.terms.insert(word.into(), term.into());
        }
        spellings
    }

    /// Take out the Chinese words of a text that are here, and return them with their terms.
    pub(crate) fn taken_from(&self, words: &mut Vec<Token>) -> Vec<Token> {
        let mut found = Vec::new();
        words.retain(|word| {
            let token = self.token(&word.term, word.start, word.end);
            let is_other = token.is_none();
            found.extend(token);
            is_other
        });
        found
    }

    /// A word of a text as the term of those that mean the same.
    fn token(&self, word: &str, start: usize, end: usize) -> Option<Token> {
        let term = self.terms.get(word)?;
        Some(Token::new(term.clone(), start, end, false))
    }

    /// Wherever a folded text, which begins at code point `start`, has the characters of a word in Han characters: the word may be
    /// one, or parts of others.
    pub(crate) fn of_han(&self, folded: &str, start: usize) -> Vec<Token> {
        let mut found = Vec::new();
        for (at, (byte, c)) in folded.char_indices().enumerate() {
            if !self.first.contains(&c) {
                continue;
            }
            let ends = folded[byte..].char_indices().skip(1).map(|(end, _)| end);
            let ends = ends.chain([folded.len() - byte]).take(self.longest);
            let from = start + at;
            found.extend(ends.enumerate().filter_map(|(more, end)| {
                self.token(&folded[byte..byte + end], from, from + 1 + more)
            }));
        }
        found
    }

    /// Each run of katakana that is one of the words, or with 語 behind it (the name of a language); hiragana ends a run, so the text must not
    /// be folded to one kind of kana.
    pub(crate) fn of_katakana(&self, plain: &str) -> Vec<Token> {
        let mut found = Vec::new();
        let mut run: Option<(usize, usize)> = None;
        let ends = plain.char_indices().chain([(plain.len(), '\0')]);
        for (at, (byte, c)) in ends.enumerate() {
            if is_katakana(c) {
                run.get_or_insert((byte, at));
            } else if let Some((first, start)) = run.take() {
                let word = &plain[first..byte];
                let language = matches!(c, '語' | '语')
                    .then(|| self.token(&format!("{word}语"), start, at + 1));
                found.extend(language.flatten().or_else(|| self.token(word, start, at)));
            }
        }
        found
    }
}

fn is_katakana(c: char) -> bool {
    matches!(c, 'ァ'..='ヺ' | 'ー')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_a_word_are_found_wherever_they_are() {
        let pairs = [
            ("东京", "tokyo"),
            ("日本", "japan"),
            ("日本语", "japanes"),
            ("デル", "dell"),
        ];
        let spellings = Spellings::new(pairs.map(|(word, term)| (word.into(), term.into())));
        let found = |text| -> Vec<(String, usize, usize)> {
            let found = spellings.of_han(text, 10).into_iter();
            found
                .map(|token| (token.term.into(), token.start, token.end))
                .collect()
        };
        let expected = [("japan", 12, 14), ("japanes", 12, 15), ("tokyo", 16, 18)];
        let expected = expected.map(|(term, start, end)| (term.to_owned(), start, end));
        assert_eq!(found("デル日本语ノ东京"), expected);
        assert!(found("").is_empty() && found("日").is_empty());
    }

    #[test]
    fn a_run_of_katakana_is_found_only_whole() {
        let pairs = [
            ("スラック", "slack"),
            ("デル", "dell"),
            ("谷歌", "googl"),
            ("タイ", "thailand"),
            ("タイ语", "thai"),
        ];
        let spellings = Spellings::new(pairs.map(|(word, term)| (word.into(), term.into())));
        let rows = [
            ("昨日スラックで", &[("slack", 2, 6)][..]),
            ("デルとスラック", &[("dell", 0, 2), ("slack", 3, 7)]),
            ("モデルのスラックス、谷歌", &[]),
            ("タイでタイ語を習う", &[("thailand", 0, 2), ("thai", 3, 6)]),
            ("スラック語", &[("slack", 0, 4)]),
            ("dell slack", &[]),
            ("", &[]),
        ];
        for (text, expected) in rows {
            let found = spellings.of_katakana(text);
            let found = found.iter();
            let found: Vec<_> = found
                .map(|token| (token.term.as_str(), token.start, token.end))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
