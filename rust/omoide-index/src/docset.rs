//! A set of documents, one bit for each.
//!
//! Useful for: filters and the set of live documents: and, or, not and counting work on whole words, and a million documents
//! take 125 kB. Not useful for: many small sets (see attributes.rs).

use crate::Doc;

const BITS: usize = 64;

/// See the module.
#[derive(Debug, Default, Clone)]
pub struct DocSet {
    words: Vec<u64>,
}

impl DocSet {
    /// The set with these bits.
    pub fn from_words(words: Vec<u64>) -> Self {
        Self { words }
    }

    /// The bits, 64 documents in a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Add a document.
    pub fn insert(&mut self, doc: Doc) {
        let word = doc as usize / BITS;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= bit(doc);
    }

    /// Remove a document.
    pub fn remove(&mut self, doc: Doc) {
        if let Some(word) = self.words.get_mut(doc as usize / BITS) {
            *word &= !bit(doc);
        }
    }

    /// Whether a document is in the set.
    pub fn contains(&self, doc: Doc) -> bool {
        self.words
            .get(doc as usize / BITS)
            .is_some_and(|word| word & bit(doc) != 0)
    }

    /// Whether any document of [first, last] is in the set.
    pub fn any_within(&self, first: Doc, last: Doc) -> bool {
        let (from, to) = (first as usize / BITS, last as usize / BITS);
        let (low, high) = (u64::MAX << (first % 64), u64::MAX >> (63 - last % 64));
        let word = |at: usize| self.words.get(at).copied().unwrap_or(0);
        if from == to {
            return word(from) & low & high != 0;
        }
        let between = (from + 1).min(self.words.len())..to.min(self.words.len());
        word(from) & low != 0
            || word(to) & high != 0
            || self.words[between].iter().any(|&word| word != 0)
    }

    /// Which of the 64 documents from `first` on are in the set, a bit each, the lowest for the first.
    pub fn bits_from(&self, first: Doc) -> u64 {
        let (at, skipped) = (first as usize / BITS, first % BITS as u32);
        let word = |at: usize| self.words.get(at).copied().unwrap_or(0);
        // Shifted in two steps, since a shift by 64 is not allowed.
        word(at) >> skipped | word(at + 1) << 1 << (BITS as u32 - 1 - skipped)
    }

    /// How many documents are in the set.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// All documents in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Doc> {
        let words = self.words.iter().enumerate().filter(|word| *word.1 != 0);
        words.flat_map(|(at, &word)| bits(word).map(move |bit| (at * BITS) as Doc + bit))
    }

    /// Add all documents of `other`.
    pub fn unite(&mut self, other: &Self) {
        let common = self.words.len().min(other.words.len());
        let (both, more) = other.words.split_at(common);
        for (word, other) in self.words.iter_mut().zip(both) {
            *word |= other;
        }
        self.words.extend_from_slice(more);
    }

    /// Remove all documents that are not in `other`.
    pub fn intersect(&mut self, other: &Self) {
        self.words.truncate(other.words.len());
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Remove all documents of `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// Resident bytes.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 8
    }
}

impl FromIterator<Doc> for DocSet {
    fn from_iter<I: IntoIterator<Item = Doc>>(docs: I) -> Self {
        let mut set = Self::default();
        docs.into_iter().for_each(|doc| set.insert(doc));
        set
    }
}

/// The positions of the bits that are set, ascending.
pub fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(place)
    })
}

fn bit(doc: Doc) -> u64 {
    1 << (doc % BITS as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(docs: &[Doc]) -> DocSet {
        docs.iter().copied().collect()
    }

    fn docs(set: &DocSet) -> Vec<Doc> {
        set.iter().collect()
    }

    #[test]
    fn sets_are_combined_whatever_their_lengths() {
        let (few, many) = (set(&[1, 63, 64]), set(&[1, 64, 200]));
        let combined = |combine: fn(&mut DocSet, &DocSet), left: &DocSet, right: &DocSet| {
            let mut left = left.clone();
            combine(&mut left, right);
            docs(&left)
        };
        assert_eq!(combined(DocSet::unite, &few, &many), [1, 63, 64, 200]);
        assert_eq!(combined(DocSet::intersect, &few, &many), [1, 64]);
        assert_eq!(combined(DocSet::intersect, &many, &few), [1, 64]);
        assert_eq!(combined(DocSet::subtract, &few, &many), [63]);
        assert_eq!(combined(DocSet::subtract, &many, &few), [200]);
        assert_eq!(
            (many.len(), many.contains(200), many.contains(9_999)),
            (3, true, false)
        );
    }

    #[test]
    fn any_within_answers_for_any_range() {
        let set = set(&[5, 130, 700]);
        for (first, last, any) in [
            (0, 4, false),
            (5, 5, true),
            (6, 129, false),
            (6, 130, true),
            (131, 699, false),
            (64, 10_000, true),
            (701, 10_000, false),
            (20_000, 30_000, false),
        ] {
            assert_eq!(set.any_within(first, last), any, "{first}..={last}");
        }
    }

    #[test]
    fn bits_from_returns_the_next_64_documents() {
        let set = set(&[0, 5, 63, 64, 130, 193, 700]);
        for first in (0..800).chain([u32::MAX - 100]) {
            let bits = bits(set.bits_from(first)).map(|bit| first + bit);
            let inside = docs(&set)
                .into_iter()
                .filter(|doc| (first..first + 64).contains(doc));
            assert!(bits.eq(inside), "{first}");
        }
    }
}
