//! Which words of a text are also written, or called, otherwise?
//!
//! Useful for: Chinese words that differ between places (伺服器, 服务器), and names and everyday words in katakana or Han characters
//! (ギットハブ, 谷歌, 病院).
//! Not useful for: forms of characters, which are folded, and words of one script between spaces; see `Vocabulary`.
//! Invariant: a word is found only whole: as a word of the Chinese dictionary, as several of a Japanese one, or as a run of katakana.

use crate::Token;
use crate::collocations::Collocations;
use crate::script::{is_hiragana, is_katakana};
use compact_str::CompactString;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The index term of each word that has another than its own.
#[derive(Debug, Default)]
pub struct Spellings {
    /// Those of words that count in Chinese texts.
    chinese: FxHashMap<CompactString, CompactString>,
    /// Those of words that count in Japanese texts.
    japanese: FxHashMap<CompactString, CompactString>,
    /// The characters that Japanese words in Han characters and in hiragana begin with, and the length of the longest of these.
    first: FxHashSet<char>,
    longest: usize,
    /// The katakana that Japanese words with others behind them begin with (ネット of ネット料金), and the most characters behind.
    mixed: FxHashMap<CompactString, usize>,
    /// The terms of everyday words in English that texts in other languages have for theirs.
    translated: FxHashSet<CompactString>,
    /// English terms of several words.
    collocations: Arc<Collocations>,
}

impl Spellings {
    /// Pairs of a word (katakana, and what begins with hiragana, as written, other words folded) and the term of those that mean the
    /// same: those that count in Japanese and those that count in Chinese texts.
    pub fn new(
        japanese: impl IntoIterator<Item = (String, String)>,
        chinese: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut spellings = Self::default();
        let chinese = chinese.into_iter();
        spellings.chinese = chinese
            .map(|(word, term)| (word.into(), term.into()))
            .collect();
        for (word, term) in japanese {
            let first = word.chars().next();
            if let Some(first) = first.filter(|&c| !c.is_ascii() && !is_katakana(c)) {
                spellings.first.insert(first);
                spellings.longest = spellings.longest.max(word.chars().count());
            }
            let katakana = word.chars().take_while(|&c| is_katakana(c)).count();
            let behind = word.chars().count() - katakana;
            if katakana > 0 && behind > 0 {
                let run: CompactString = word.chars().take(katakana).collect();
                let most = spellings.mixed.entry(run).or_default();
                *most = behind.max(*most);
            }
            spellings.japanese.insert(word.into(), term.into());
        }
        spellings
    }

    /// Also with the terms of everyday words in English that some of these words have: not those of names, which texts in any language
    /// write in Latin letters, too.
    #[must_use]
    pub fn with_translated(mut self, terms: impl IntoIterator<Item = String>) -> Self {
        self.translated = terms.into_iter().map(CompactString::from).collect();
        self
    }

    /// Also with terms of several English words, as the terms of these words: what others that mean the same are found by.
    #[must_use]
    pub fn with_collocations(
        mut self,
        collocations: impl IntoIterator<Item = (Vec<String>, String)>,
    ) -> Self {
        self.collocations = Arc::new(Collocations::new(collocations));
        self
    }

    pub(crate) fn collocations(&self) -> &Arc<Collocations> {
        &self.collocations
    }

    /// Whether a term is one of these.
    pub(crate) fn is_translated(&self, term: &str) -> bool {
        self.translated.contains(term)
    }

    /// Take out the Chinese words of a text that are here, and return them with their terms.
    pub(crate) fn taken_from(&self, words: &mut Vec<Token>) -> Vec<Token> {
        let mut found = Vec::new();
        words.retain(|word| {
            let token = token(&self.chinese, &word.term, word.start, word.end);
            let is_other = token.is_none();
            found.extend(token);
            is_other
        });
        found
    }

    /// Wherever a folded text, which begins at code point `start`, has the characters of a word in Han characters: the word may be
    /// one, or parts of others.
    pub(crate) fn of_han(&self, folded: &str, start: usize) -> Vec<Token> {
        self.beginning_with(|c| !is_hiragana(c), folded, start)
    }

    /// The same for words that begin with hiragana (さつまいも, ほうれん草), which are found as they are written.
    pub(crate) fn of_hiragana(&self, plain: &str, start: usize) -> Vec<Token> {
        self.beginning_with(is_hiragana, plain, start)
    }

    fn beginning_with(
        &self,
        is_beginning: impl Fn(char) -> bool,
        text: &str,
        start: usize,
    ) -> Vec<Token> {
        let mut found = Vec::new();
        for (at, (byte, c)) in text.char_indices().enumerate() {
            if !is_beginning(c) || !self.first.contains(&c) {
                continue;
            }
            let ends = text[byte..].char_indices().skip(1).map(|(end, _)| end);
            let ends = ends.chain([text.len() - byte]).take(self.longest);
            let from = start + at;
            found.extend(ends.enumerate().filter_map(|(more, end)| {
                token(
                    &self.japanese,
                    &text[byte..byte + end],
                    from,
                    from + 1 + more,
                )
            }));
        }
        found
    }

    /// Each run of katakana that with others behind it may be one of the words (ネット料金): the longest of these. `plain` and `folded`
    /// are the same text.
    pub(crate) fn of_katakana_and_others(&self, plain: &str, folded: &str) -> Vec<Token> {
        let mut found = Vec::new();
        let mut run: Option<(usize, usize)> = None;
        let mut folded_from = folded.chars();
        for (at, (byte, c)) in plain.char_indices().enumerate() {
            if is_katakana(c) {
                run.get_or_insert((byte, at));
            } else if let Some((first, start)) = run.take() {
                let most = self.mixed.get(&plain[first..byte]).copied().unwrap_or(0);
                let behind = folded_from.clone().take(most);
                let mut word = plain[first..byte].to_owned();
                let longer = behind.enumerate().filter_map(|(more, c)| {
                    word.push(c);
                    token(&self.japanese, &word, start, at + more + 1)
                });
                found.extend(longer.last());
            }
            folded_from.next();
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
                    .then(|| token(&self.japanese, &format!("{word}语"), start, at + 1));
                let word = || token(&self.japanese, word, start, at);
                found.extend(language.flatten().or_else(word));
            }
        }
        found
    }
}

/// A word of a text as the term of those that mean the same.
fn token(
    terms: &FxHashMap<CompactString, CompactString>,
    word: &str,
    start: usize,
    end: usize,
) -> Option<Token> {
    let term = terms.get(word)?;
    Some(Token::new(term.clone(), start, end, false))
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
        let spellings = Spellings::new(pairs.map(|(word, term)| (word.into(), term.into())), []);
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
    fn words_in_hiragana_are_found_as_written() {
        let pairs = [
            ("さつま芋", "sweetpotato"),
            ("いとこ", "cousin"),
            ("イカ", "squid"),
        ];
        let spellings = Spellings::new(pairs.map(|(word, term)| (word.into(), term.into())), []);
        let found = spellings.of_hiragana("いとことさつま芋、イトコ、サツマ芋、いか", 10);
        let found: Vec<_> = found
            .iter()
            .map(|token| (token.term.as_str(), token.start, token.end))
            .collect();
        assert_eq!(found, [("cousin", 10, 13), ("sweetpotato", 14, 18)]);
        assert!(spellings.of_han("いとことさつま芋", 0).is_empty());
    }

    #[test]
    fn a_word_counts_only_in_texts_of_its_language() {
        let of = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            let pairs = pairs.iter().copied();
            pairs
                .map(|(word, term)| (word.into(), term.into()))
                .collect()
        };
        let japanese = of(&[("手纸", "letter"), ("娘", "daughter")]);
        let spellings = Spellings::new(japanese, of(&[("信", "letter"), ("娘", "mother")]));
        let word = |term: &str| Token::new(term, 0, 1, false);
        let mut words = ["手纸", "信", "娘"].map(word).to_vec();
        let found = spellings.taken_from(&mut words).into_iter();
        let found: Vec<_> = found.map(|token| token.term).collect();
        assert_eq!(found, ["letter", "mother"]);
        assert_eq!(words, [word("手纸")]);
        let found = spellings.of_han("手纸と信と娘", 0).into_iter();
        let found: Vec<_> = found.map(|token| token.term).collect();
        assert_eq!(found, ["letter", "daughter"]);
    }

    #[test]
    fn a_run_of_katakana_is_found_with_what_is_behind_it() {
        let pairs = [
            ("ネット料金", "internetbill"),
            ("ネット料", "fee"),
            ("ネット", "net"),
            ("タイ语", "thai"),
        ];
        let spellings = Spellings::new(pairs.map(|(word, term)| (word.into(), term.into())), []);
        let rows = [
            ("家のネット料金と", &[("internetbill", 2, 7)][..]),
            ("ネット料", &[("fee", 0, 4)]),
            ("ねっと料金、サネット料金、ネットの料金", &[]),
            ("ネット", &[]),
        ];
        for (text, expected) in rows {
            let found = spellings.of_katakana_and_others(text, &text.replace('の', "ノ"));
            let found = found.iter();
            let found: Vec<_> = found
                .map(|token| (token.term.as_str(), token.start, token.end))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
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
        let spellings = Spellings::new(pairs.map(|(word, term)| (word.into(), term.into())), []);
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
