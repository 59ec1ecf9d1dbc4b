//! Which documents hold a term, how often, and how long are they?
//!
//! Invariant: the live statistics (document frequency, total length) are exactly those of a fresh build; lists may
//! still hold dead documents, which readers skip by the set of live ones.

use crate::{Doc, FIELD_COUNT, KIND_COUNT};
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A list is swept once fewer than half of its documents are live.
const SWEEP_FROM: usize = 32;

/// Where one term stands: documents ascending, and how often in each.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Posting {
    /// Documents, ascending, some perhaps dead.
    pub docs: Vec<Doc>,
    /// Occurrences, beside `docs`.
    pub counts: Vec<u32>,
    /// How many of `docs` are live.
    pub live: u32,
    /// The same by kind of text.
    pub live_by_kind: [u32; KIND_COUNT],
}

impl Posting {
    /// Occurrences in `doc`, 0 if none.
    pub fn count(&self, doc: Doc) -> u32 {
        self.docs
            .binary_search(&doc)
            .map_or(0, |at| self.counts[at])
    }

    fn sweep(&mut self, live: &RoaringBitmap) {
        let kept: Vec<usize> = (0..self.docs.len())
            .filter(|&at| live.contains(self.docs[at]))
            .collect();
        self.counts = kept.iter().map(|&at| self.counts[at]).collect();
        self.docs = kept.iter().map(|&at| self.docs[at]).collect();
    }
}

/// One text field of all documents.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Field {
    dictionary: FxHashMap<Box<str>, u32>,
    lists: Vec<Posting>,
    /// Terms of each document, for exact removal.
    forward: Vec<Box<[u32]>>,
    lengths: Vec<u32>,
    /// Totals by kind of text.
    pub totals: [Totals; KIND_COUNT],
}

/// Live documents with at least one term, and their terms, repeats included.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// How many documents.
    pub documents: u32,
    /// How many terms.
    pub length: u64,
}

impl Totals {
    /// Terms a document; 1 when there is none.
    pub fn mean_length(self) -> f32 {
        if self.documents == 0 {
            return 1.0;
        }
        (self.length as f64 / f64::from(self.documents)) as f32
    }
}

impl Field {
    /// The list of a term, if any live document has it.
    pub fn posting(&self, term: &str) -> Option<&Posting> {
        let list = &self.lists[*self.dictionary.get(term)? as usize];
        (list.live > 0).then_some(list)
    }

    /// How many terms a document has here.
    pub fn length(&self, doc: Doc) -> u32 {
        self.lengths.get(doc as usize).copied().unwrap_or(0)
    }

    /// Over all kinds of text.
    pub fn total(&self) -> Totals {
        Totals {
            documents: self.totals.iter().map(|totals| totals.documents).sum(),
            length: self.totals.iter().map(|totals| totals.length).sum(),
        }
    }

    fn insert(&mut self, doc: Doc, kind: u8, terms: &[&str]) {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for term in terms {
            *counts.entry(self.term(term)).or_default() += 1;
        }
        for (&term, &count) in &counts {
            let list = &mut self.lists[term as usize];
            list.docs.push(doc);
            list.counts.push(count);
            list.live += 1;
            list.live_by_kind[usize::from(kind)] += 1;
        }
        self.forward.resize_with(doc as usize + 1, Box::default);
        self.forward[doc as usize] = counts.into_keys().collect();
        self.lengths.resize(doc as usize + 1, 0);
        self.lengths[doc as usize] = terms.len() as u32;
        let totals = &mut self.totals[usize::from(kind)];
        totals.documents += u32::from(!terms.is_empty());
        totals.length += terms.len() as u64;
    }

    fn term(&mut self, term: &str) -> u32 {
        if let Some(&known) = self.dictionary.get(term) {
            return known;
        }
        let new = self.lists.len() as u32;
        self.lists.push(Posting::default());
        self.dictionary.insert(term.into(), new);
        new
    }

    fn remove(&mut self, doc: Doc, kind: u8, live: &RoaringBitmap) {
        let Some(terms) = self.forward.get_mut(doc as usize).map(std::mem::take) else {
            return;
        };
        for &term in &terms {
            let list = &mut self.lists[term as usize];
            list.live -= 1;
            list.live_by_kind[usize::from(kind)] -= 1;
            if list.docs.len() >= SWEEP_FROM && (list.live as usize) * 2 < list.docs.len() {
                list.sweep(live);
            }
        }
        let length = std::mem::take(&mut self.lengths[doc as usize]);
        let totals = &mut self.totals[usize::from(kind)];
        totals.documents -= u32::from(length > 0);
        totals.length -= u64::from(length);
    }

    fn bytes(&self) -> usize {
        let lists: usize = self
            .lists
            .iter()
            .map(|list| list.docs.capacity() * 8 + 72)
            .sum();
        let terms: usize = self.dictionary.keys().map(|term| term.len() + 24).sum();
        let forward: usize = self.forward.iter().map(|terms| terms.len() * 4 + 16).sum();
        lists + terms + forward + self.lengths.capacity() * 4
    }
}

/// The text of all documents, field by field.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Postings {
    /// The fields, in their fixed order.
    pub fields: [Field; FIELD_COUNT],
    kinds: Vec<u8>,
}

impl Postings {
    /// What kind of text a document is.
    pub fn kind(&self, doc: Doc) -> usize {
        self.kinds.get(doc as usize).copied().map_or(0, usize::from)
    }

    /// Add the terms of a new document. Ids must come in ascending order.
    pub fn insert(&mut self, doc: Doc, kind: u8, fields: &[Vec<&str>; FIELD_COUNT]) {
        self.kinds.resize(doc as usize + 1, 0);
        self.kinds[doc as usize] = kind;
        for (field, terms) in self.fields.iter_mut().zip(fields) {
            field.insert(doc, kind, terms);
        }
    }

    /// Take a document out of the statistics; `live` no longer holds it.
    pub fn remove(&mut self, doc: Doc, live: &RoaringBitmap) {
        let kind = self.kind(doc) as u8;
        for field in &mut self.fields {
            field.remove(doc, kind, live);
        }
    }

    /// Distinct terms with a live document, over all fields.
    pub fn terms(&self) -> usize {
        self.lists().filter(|list| list.live > 0).count()
    }

    /// Live (term, document) pairs, over all fields.
    pub fn pairs(&self) -> usize {
        self.lists().map(|list| list.live as usize).sum()
    }

    fn lists(&self) -> impl Iterator<Item = &Posting> {
        self.fields.iter().flat_map(|field| &field.lists)
    }

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        self.fields.iter().map(Field::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(docs: &[Doc]) -> RoaringBitmap {
        docs.iter().copied().collect()
    }

    #[test]
    fn removal_leaves_statistics_as_if_the_document_had_never_been() {
        let mut postings = Postings::default();
        postings.insert(
            0,
            0,
            &[vec!["抹茶", "京都", "抹茶"], vec!["抹"], vec!["マッチャ"]],
        );
        postings.insert(1, 0, &[vec!["抹茶"], vec![], vec![]]);
        postings.remove(0, &live(&[1]));
        let words = &postings.fields[0];
        assert_eq!(words.posting("抹茶").map(|list| list.live), Some(1));
        assert!(words.posting("京都").is_none());
        let one = Totals {
            documents: 1,
            length: 1,
        };
        assert_eq!((words.total(), words.totals[0]), (one, one));
        assert_eq!(postings.fields[1].total(), Totals::default());
        assert_eq!((postings.terms(), postings.pairs()), (1, 1));
    }

    #[test]
    fn a_list_of_mostly_dead_documents_is_swept() {
        let mut postings = Postings::default();
        for doc in 0..64 {
            postings.insert(doc, 0, &[vec!["記憶"], vec![], vec![]]);
        }
        for doc in 0..40 {
            postings.remove(doc, &(doc + 1..64).collect());
        }
        let list = postings.fields[0]
            .posting("記憶")
            .expect("24 documents are live");
        assert_eq!(list.live, 24);
        assert!(list.docs.len() < 64);
        assert_eq!(list.docs.len(), list.counts.len());
        assert_eq!(list.count(63), 1);
    }
}
