//! Where do the words of a query stand?
//!
//! Useful for: finding what a word in another writing stands for, in queries of any length. Not useful for: weights of words;
//! see bm25.rs.

use crate::query::{Query, Word};
use rustc_hash::FxHashMap;

/// The words of a query by position, and the text they are in.
pub(crate) struct Places<'q> {
    folded: &'q str,
    /// The byte at which each code point begins, and the end of the text.
    bytes: Vec<usize>,
    /// In the order in which they begin.
    words: Vec<&'q Word>,
    /// Words written in other characters than their term, by term; of equal terms the first, as in the two below.
    loanwords: FxHashMap<&'q str, &'q Word>,
    readings: FxHashMap<&'q str, &'q Word>,
    synonyms: FxHashMap<&'q str, &'q Word>,
}

impl<'q> Places<'q> {
    pub(crate) fn of(query: &'q Query) -> Self {
        let folded = query.folded.as_str();
        let begins = folded.char_indices().map(|(byte, _)| byte);
        let mut words: Vec<&Word> = query.words.iter().collect();
        words.sort_by_key(|word| word.start);
        let mut places = Self {
            folded,
            bytes: begins.chain([folded.len()]).collect(),
            words,
            loanwords: FxHashMap::default(),
            readings: by_term(&query.readings),
            synonyms: by_term(&query.synonyms),
        };
        for word in query.words.iter().filter(|word| word.term.is_ascii()) {
            if !places.written(word).is_ascii() {
                places.loanwords.entry(&word.term).or_insert(word);
            }
        }
        places
    }

    /// The word of the query that has this reading.
    pub(crate) fn of_reading(&self, term: &str) -> Option<&'q Word> {
        self.readings.get(term).copied()
    }

    /// The word of the query that has this synonym.
    pub(crate) fn of_synonym(&self, term: &str) -> Option<&'q Word> {
        self.synonyms.get(term).copied()
    }

    /// The word of the query that is this term, written in other characters.
    pub(crate) fn of_loanword(&self, term: &str) -> Option<&'q Word> {
        self.loanwords.get(term).copied()
    }

    /// All terms that may be asked for within the place of a word: every part of the text there, and the terms of words.
    pub(crate) fn said_at(&self, place: &Word) -> impl Iterator<Item = &'q str> {
        let (start, end) = (place.start, place.end.min(self.bytes.len() - 1));
        let pieces = (start..end)
            .flat_map(move |from| (from + 1..=end).map(move |to| self.between(from, to)));
        let first = self.words.partition_point(|word| word.start < start);
        let begin = self.words[first..].iter();
        let begin = begin.take_while(move |word| word.start <= place.end);
        let inside = begin.filter(move |word| word.end <= place.end);
        pieces.chain(inside.map(|word| word.term.as_str()))
    }

    fn written(&self, word: &Word) -> &'q str {
        self.between(word.start, word.end.max(word.start))
    }

    fn between(&self, start: usize, end: usize) -> &'q str {
        let byte = |at: usize| self.bytes[at.min(self.bytes.len() - 1)];
        &self.folded[byte(start)..byte(end)]
    }
}

/// The words by term; of equal terms the first.
fn by_term(words: &[Word]) -> FxHashMap<&str, &Word> {
    let words = words.iter().rev();
    words.map(|word| (word.term.as_str(), word)).collect()
}

/// How far words reach, by where they begin.
pub(crate) struct Reach {
    /// The end of the longest word that begins there...
    here: Vec<usize>,
    /// ...and of the longest that begins before.
    before: Vec<usize>,
}

impl Reach {
    pub(crate) fn of(words: &[&Word]) -> Self {
        let starts = words.iter().map(|word| word.start + 1).max().unwrap_or(0);
        let mut here = vec![0; starts];
        for word in words {
            here[word.start] = here[word.start].max(word.end);
        }
        let mut far = 0;
        let before = here.iter().map(|&end| {
            let before = far;
            far = far.max(end);
            before
        });
        let mut before: Vec<usize> = before.collect();
        before.push(far);
        Self { here, before }
    }

    /// Whether a word lies within a longer one of them.
    pub(crate) fn is_over(&self, word: &Word) -> bool {
        let before = self.before[word.start.min(self.here.len())];
        before >= word.end || self.here.get(word.start).is_some_and(|&end| end > word.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn word(term: &str, start: usize, end: usize) -> Word {
        Word {
            term: term.into(),
            weight: 1.0,
            start,
            end,
        }
    }

    #[test]
    fn what_is_said_at_a_place_is_its_pieces_and_its_words() {
        let query = Query {
            folded: "猫ハシル".to_owned(),
            words: vec![word("走る", 1, 4), word("猫", 0, 1), word("端", 1, 3)],
            readings: vec![word("ハシ", 1, 3), word("ハシル", 1, 4)],
            ..Query::default()
        };
        let places = Places::of(&query);
        let place = places.of_reading("ハシ").unwrap();
        let said: BTreeSet<&str> = places.said_at(place).collect();
        assert_eq!(said, BTreeSet::from(["ハ", "シ", "ハシ", "端"]));
        assert!(places.of_reading("シル").is_none());
    }

    #[test]
    fn a_loanword_is_a_term_in_other_letters_than_it_is_written_in() {
        let query = Query {
            folded: "serverノサーバ".to_owned(),
            words: vec![word("server", 0, 6), word("server", 7, 10)],
            ..Query::default()
        };
        let places = Places::of(&query);
        assert_eq!(places.of_loanword("server").map(|word| word.start), Some(7));
        let ascii = Query {
            folded: "server".to_owned(),
            words: vec![word("server", 0, 6)],
            ..Query::default()
        };
        assert!(Places::of(&ascii).of_loanword("server").is_none());
    }

    #[test]
    fn places_beyond_the_text_end_with_it() {
        let query = Query {
            folded: "猫".to_owned(),
            readings: vec![word("ネコ", 0, 9), word("コ", 5, 9)],
            ..Query::default()
        };
        let places = Places::of(&query);
        let said = |term| places.said_at(places.of_reading(term).unwrap()).count();
        assert_eq!((said("ネコ"), said("コ")), (1, 0));
    }

    #[test]
    fn reach_knows_words_that_stand_in_a_part_of_another() {
        let whole = [word("", 2, 5), word("", 2, 4), word("", 4, 7)];
        let reach = Reach::of(&whole.iter().collect::<Vec<_>>());
        for start in 0..10 {
            for end in start + 1..10 {
                let inside = |whole: &Word| {
                    whole.start <= start
                        && end <= whole.end
                        && (whole.start, whole.end) != (start, end)
                };
                let part = whole.iter().any(inside);
                assert_eq!(
                    reach.is_over(&word("", start, end)),
                    part,
                    "{start} to {end}"
                );
            }
        }
        assert!(!Reach::of(&[]).is_over(&word("", 0, 1)));
    }
}
