//! Where in a query are its words?
//!
//! Useful for: finding what a word in another writing is a variant of, in queries of any length. Not useful for: weights of words;
//! see bm25.rs.

use crate::bm25::is_character;
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
    /// Several words read as one (wi-fi: wifi), by term.
    compounds: FxHashMap<&'q str, &'q Word>,
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
            compounds: FxHashMap::default(),
        };
        for word in &query.alternatives {
            if places.holds_several(word) {
                places.compounds.entry(&word.term).or_insert(word);
            }
        }
        for word in query.words.iter().filter(|word| word.term.is_ascii()) {
            if !places.written(word).is_ascii() {
                places.loanwords.entry(&word.term).or_insert(word);
            }
        }
        places
    }

    /// Whether no word of the query has another writing, reading or synonym.
    pub(crate) fn has_no_variants(&self) -> bool {
        self.loanwords.is_empty()
            && self.readings.is_empty()
            && self.synonyms.is_empty()
            && self.compounds.is_empty()
    }

    /// The word of the query that has this reading.
    pub(crate) fn of_reading(&self, term: &str) -> Option<&'q Word> {
        self.readings.get(term).copied()
    }

    /// The word of the query that has this synonym.
    pub(crate) fn of_synonym(&self, term: &str) -> Option<&'q Word> {
        self.synonyms.get(term).copied()
    }

    /// The word of the query that has this synonym, if it means exactly the same.
    pub(crate) fn of_equivalent(&self, term: &str) -> Option<&'q Word> {
        self.of_synonym(term).filter(|word| word.weight >= 1.0)
    }

    /// The word of the query that is this term, written in other characters.
    pub(crate) fn of_loanword(&self, term: &str) -> Option<&'q Word> {
        self.loanwords.get(term).copied()
    }

    /// The place of several words of the query that are this term if read as one.
    pub(crate) fn of_compound(&self, term: &str) -> Option<&'q Word> {
        self.compounds.get(term).copied()
    }

    /// Whether at least two words of the query lie within a place, and none fills it.
    fn holds_several(&self, place: &Word) -> bool {
        let first = self.words.partition_point(|word| word.start < place.start);
        let begin = self.words[first..].iter();
        let begin = begin.take_while(|word| word.start < place.end);
        let asked = begin.filter(|word| word.weight > 0.0);
        let (mut count, mut fills) = (0, false);
        for word in asked.filter(|word| word.end <= place.end) {
            count += 1;
            fills |= word.start == place.start && word.end == place.end;
        }
        count >= 2 && !fills
    }

    /// The single character that a word is, or that means exactly the same as its term (茶: tea).
    pub(crate) fn character(&self, word: &'q Word) -> Option<&'q str> {
        let is_equivalent = || self.of_equivalent(&word.term).is_some();
        let written = [word.term.as_str(), self.written(word)];
        let [term, character] = written.map(|text| Some(text).filter(|text| is_character(text)));
        term.or_else(|| character.filter(|_| is_equivalent()))
    }

    /// All terms within the place of a word: every substring of the text there, and the terms of words.
    pub(crate) fn texts_at(&self, place: &Word) -> impl Iterator<Item = &'q str> {
        let (start, end) = (place.start, place.end.min(self.bytes.len() - 1));
        let pieces =
            (start..end).flat_map(move |from| (from + 1..=end).map(move |to| self.slice(from, to)));
        let first = self.words.partition_point(|word| word.start < start);
        let begin = self.words[first..].iter();
        let begin = begin.take_while(move |word| word.start <= place.end);
        let inside = begin.filter(move |word| word.end <= place.end);
        pieces.chain(inside.map(|word| word.term.as_str()))
    }

    fn written(&self, word: &Word) -> &'q str {
        self.slice(word.start, word.end.max(word.start))
    }

    fn slice(&self, start: usize, end: usize) -> &'q str {
        let byte = |at: usize| self.bytes[at.min(self.bytes.len() - 1)];
        &self.folded[byte(start)..byte(end)]
    }
}

/// The words by term; of equal terms the first.
fn by_term(words: &[Word]) -> FxHashMap<&str, &Word> {
    let words = words.iter().rev();
    words.map(|word| (word.term.as_str(), word)).collect()
}

/// How far the longest words reach.
pub(crate) struct LongestWords {
    /// By code point: the end of the longest word that begins there...
    from_start: Vec<usize>,
    /// ...and of the longest that begins earlier.
    from_earlier: Vec<usize>,
}

impl LongestWords {
    pub(crate) fn of(words: &[&Word]) -> Self {
        let starts = words.iter().map(|word| word.start + 1).max().unwrap_or(0);
        let mut from_start = vec![0; starts];
        for word in words {
            from_start[word.start] = from_start[word.start].max(word.end);
        }
        let mut farthest = 0;
        let from_earlier = from_start.iter().map(|&end| {
            let from_earlier = farthest;
            farthest = farthest.max(end);
            from_earlier
        });
        let mut from_earlier: Vec<usize> = from_earlier.collect();
        from_earlier.push(farthest);
        Self {
            from_start,
            from_earlier,
        }
    }

    /// Whether a word lies within a longer one of them.
    pub(crate) fn is_inside_longer(&self, word: &Word) -> bool {
        let from_earlier = self.from_earlier[word.start.min(self.from_start.len())];
        from_earlier >= word.end
            || self
                .from_start
                .get(word.start)
                .is_some_and(|&end| end > word.end)
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
            except_kind: None,
        }
    }

    #[test]
    fn texts_at_a_place_are_its_substrings_and_its_words() {
        let query = Query {
            folded: "猫ハシル".to_owned(),
            words: vec![word("走る", 1, 4), word("猫", 0, 1), word("端", 1, 3)],
            readings: vec![word("ハシ", 1, 3), word("ハシル", 1, 4)],
            ..Query::default()
        };
        let places = Places::of(&query);
        let place = places.of_reading("ハシ").unwrap();
        let texts: BTreeSet<&str> = places.texts_at(place).collect();
        assert_eq!(texts, BTreeSet::from(["ハ", "シ", "ハシ", "端"]));
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
    fn places_beyond_the_text_are_clamped() {
        let query = Query {
            folded: "猫".to_owned(),
            readings: vec![word("ネコ", 0, 9), word("コ", 5, 9)],
            ..Query::default()
        };
        let places = Places::of(&query);
        let texts = |term| places.texts_at(places.of_reading(term).unwrap()).count();
        assert_eq!((texts("ネコ"), texts("コ")), (1, 0));
    }

    #[test]
    fn words_inside_a_longer_one_are_recognised() {
        let whole = [word("", 2, 5), word("", 2, 4), word("", 4, 7)];
        let longest = LongestWords::of(&whole.iter().collect::<Vec<_>>());
        for start in 0..10 {
            for end in start + 1..10 {
                let inside = |whole: &Word| {
                    whole.start <= start
                        && end <= whole.end
                        && (whole.start, whole.end) != (start, end)
                };
                let part = whole.iter().any(inside);
                assert_eq!(
                    longest.is_inside_longer(&word("", start, end)),
                    part,
                    "{start} to {end}"
                );
            }
        }
        assert!(!LongestWords::of(&[]).is_inside_longer(&word("", 0, 1)));
    }
}
