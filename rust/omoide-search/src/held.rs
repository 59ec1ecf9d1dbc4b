//! Which of these terms does one document hold, and how often?
//!
//! Useful for: a few documents and many terms: each document's terms are read once. Not useful for: finding documents.
//! Invariant: the answer is that of looking the document up in every term's list.

use crate::lanes::{self, MARKS, word};
use omoide_index::docset::bits;
use omoide_index::postings::{Field, Run};
use omoide_index::{Doc, FIELD_COUNT};

/// Terms of some fields; a term's place is its index in the sequence given to [`Self::of`].
#[derive(Debug, Default)]
pub struct Held<'a> {
    fields: Vec<(&'a Field, Sought)>,
}

/// Terms of one field that are looked for.
#[derive(Debug)]
struct Sought {
    /// (number, place), ascending.
    terms: Vec<(u32, usize)>,
    marks: Marks,
}

/// A Bloom filter with one hash: rules out nearly all numbers that are not in the set by one bit.
#[derive(Debug)]
struct Marks([u32; MARKS]);

impl Marks {
    fn put(&mut self, number: u32) {
        self.0[word(number)] |= 1 << (number % u32::BITS);
    }

    /// Which numbers of a run may be in the set, a bit each; computed without branches, which would be unpredictable.
    #[inline]
    fn among(&self, run: &Run<'_>) -> u64 {
        let all = lanes::marked(&self.0, run.padded());
        u64::from(all) & !(u64::MAX << run.numbers().len())
    }
}

impl Default for Marks {
    fn default() -> Self {
        Self([0; MARKS])
    }
}

impl Sought {
    fn of_up_to(most: usize) -> Self {
        Self {
            terms: Vec::with_capacity(most),
            marks: Marks::default(),
        }
    }

    fn put(&mut self, number: u32, place: usize) {
        self.terms.push((number, place));
        self.marks.put(number);
    }
}

impl<'a> Held<'a> {
    /// Looks for these terms, given by field and number.
    pub fn of(terms: impl Iterator<Item = (&'a Field, u32)>) -> Self {
        let most = terms.size_hint().0;
        let mut fields: Vec<(&Field, Sought)> = Vec::with_capacity(FIELD_COUNT);
        for (place, (field, number)) in terms.enumerate() {
            let known = fields.iter().position(|known| std::ptr::eq(known.0, field));
            let at = known.unwrap_or_else(|| {
                fields.push((field, Sought::of_up_to(most)));
                fields.len() - 1
            });
            fields[at].1.put(number, place);
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

    /// Call `take` with the place and count of each of the terms that a document holds, in no particular order.
    pub fn each(&self, doc: Doc, mut take: impl FnMut(usize, u32)) {
        for (field, sought) in &self.fields {
            // The document's numbers and the terms are both ascending, so one pass over both is enough.
            let mut ahead = sought.terms.iter().peekable();
            for run in field.terms_of(doc) {
                let numbers = run.numbers();
                for at in bits(sought.marks.among(&run)) {
                    let number = numbers[at as usize];
                    while ahead.next_if(|term| term.0 < number).is_some() {}
                    while let Some(&(_, place)) = ahead.next_if(|term| term.0 == number) {
                        take(place, run.count(at as usize));
                    }
                }
            }
        }
    }

    /// The same as a list.
    pub fn by(&self, doc: Doc) -> Vec<(usize, u32)> {
        let terms = self.fields.iter().map(|(_, sought)| sought.terms.len());
        let mut found = Vec::with_capacity(terms.sum());
        self.each(doc, |place, count| found.push((place, count)));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use omoide_index::{Index, NewDocument};

    #[test]
    fn a_document_holds_the_terms_in_whose_lists_it_stands() {
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
        let held = Held::of(fields.map(|((field, _), posting)| (*field, posting.number)));
        for key in [0, 2, 3, 4] {
            let doc = index.ids.doc(key).expect("it lives");
            let mut found = held.by(doc);
            found.sort_unstable();
            let counts = postings.iter().map(|posting| posting.blocks.count(doc));
            let listed = counts.enumerate().filter(|listed| listed.1 > 0);
            assert_eq!(found, listed.collect::<Vec<_>>(), "{key}");
        }
    }
}
