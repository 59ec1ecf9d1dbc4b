//! Which of these terms does one document contain, and how often?
//!
//! Useful for: a few documents and many terms: each document's terms are read once. Not useful for: finding documents.
//! Invariant: the answer is that of looking the document up in every term's list.

use crate::kernels::{self, BLOOM_WORDS, bloom_word};
use omoide_index::docset::bits;
use omoide_index::postings::{Field, Run};
use omoide_index::{Doc, FIELD_COUNT};

/// Terms of some fields; a term's position is its index in the sequence given to [`Self::of`].
#[derive(Debug, Default)]
pub struct TermMatcher<'a> {
    fields: Vec<(&'a Field, FieldTerms)>,
}

/// Terms of one field that are looked for.
#[derive(Debug)]
struct FieldTerms {
    /// (number, position), ascending.
    terms: Vec<(u32, usize)>,
    bloom: BloomFilter,
}

/// A Bloom filter with one hash: rules out nearly all numbers that are not in the set by one bit.
#[derive(Debug)]
struct BloomFilter([u32; BLOOM_WORDS]);

impl BloomFilter {
    fn insert(&mut self, number: u32) {
        self.0[bloom_word(number)] |= 1 << (number % u32::BITS);
    }

    /// Which numbers of a run may be in the set, a bit each; computed without branches, which would be unpredictable.
    #[inline]
    fn may_contain(&self, run: &Run<'_>) -> u64 {
        let all = kernels::may_contain(&self.0, run.padded());
        u64::from(all) & !(u64::MAX << run.numbers().len())
    }
}

impl Default for BloomFilter {
    fn default() -> Self {
        Self([0; BLOOM_WORDS])
    }
}

impl FieldTerms {
    fn with_capacity(most: usize) -> Self {
        Self {
            terms: Vec::with_capacity(most),
            bloom: BloomFilter::default(),
        }
    }

    fn insert(&mut self, number: u32, position: usize) {
        self.terms.push((number, position));
        self.bloom.insert(number);
    }
}

impl<'a> TermMatcher<'a> {
    /// Looks for these terms, given by field and number.
    pub fn of(terms: impl Iterator<Item = (&'a Field, u32)>) -> Self {
        let most = terms.size_hint().0;
        let mut fields: Vec<(&Field, FieldTerms)> = Vec::with_capacity(FIELD_COUNT);
        for (position, (field, number)) in terms.enumerate() {
            let known = fields.iter().position(|known| std::ptr::eq(known.0, field));
            let at = known.unwrap_or_else(|| {
                fields.push((field, FieldTerms::with_capacity(most)));
                fields.len() - 1
            });
            fields[at].1.insert(number, position);
        }
        let lists = fields.iter_mut().map(|field| &mut field.1.terms);
        lists.for_each(|terms| terms.sort_unstable());
        Self { fields }
    }

    /// Prefetch what is read of some documents, all at once: they lie far apart in memory.
    pub fn prefetch(&self, docs: &[Doc]) {
        for (field, _) in &self.fields {
            field.prefetch(docs);
        }
    }

    /// Call `take` with the position and count of each of the terms that a document contains, in no particular order.
    pub fn for_each_match(&self, doc: Doc, mut take: impl FnMut(usize, u32)) {
        for (field, field_terms) in &self.fields {
            // The document's numbers and the terms are both ascending, so one pass over both is enough.
            let mut ahead = field_terms.terms.iter().peekable();
            for run in field.terms_of(doc) {
                let numbers = run.numbers();
                for at in bits(field_terms.bloom.may_contain(&run)) {
                    let number = numbers[at as usize];
                    while ahead.next_if(|term| term.0 < number).is_some() {}
                    while let Some(&(_, position)) = ahead.next_if(|term| term.0 == number) {
                        take(position, run.count(at as usize));
                    }
                }
            }
        }
    }

    /// The same as a list.
    pub fn matches(&self, doc: Doc) -> Vec<(usize, u32)> {
        let terms = self
            .fields
            .iter()
            .map(|(_, field_terms)| field_terms.terms.len());
        let mut found = Vec::with_capacity(terms.sum());
        self.for_each_match(doc, |position, count| found.push((position, count)));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use omoide_index::{Index, NewDocument};

    #[test]
    fn a_document_matches_the_terms_whose_lists_contain_it() {
        let texts = [
            "抹茶 京都",
            "京都 tea",
            "tea tea 记忆",
            "",
            "记忆 京都 抹茶",
        ];
        let mut index = Index::new(1);
        for (key, text) in texts.into_iter().enumerate() {
            let document = NewDocument {
                key: key as u64,
                fields: [text.split_whitespace().collect(), vec![text], vec![]],
                ..NewDocument::default()
            };
            index.put_document(document).expect("no vector, no refusal");
        }
        index.remove(1);
        let [words, whole, _] = &index.postings.fields;
        let asked = [
            (words, "tea"),
            (words, "抹茶"),
            (words, "tea"),
            (whole, "抹茶 京都"),
        ];
        let postings =
            asked.map(|(field, term)| field.posting_list(term).expect("some text holds it"));
        let fields = asked.iter().zip(&postings);
        let matcher = TermMatcher::of(fields.map(|((field, _), posting)| (*field, posting.number)));
        for key in [0, 2, 3, 4] {
            let doc = index.ids.doc(key).expect("it lives");
            let mut found = matcher.matches(doc);
            found.sort_unstable();
            let counts = postings.iter().map(|posting| posting.blocks.count(doc));
            let listed = counts.enumerate().filter(|listed| listed.1 > 0);
            assert_eq!(found, listed.collect::<Vec<_>>(), "{key}");
        }
    }
}
