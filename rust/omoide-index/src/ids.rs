//! Which dense id does a key have now?
//!
//! Invariant: a key has at most one live id; no id is given twice between two renumberings.

use crate::column::Column;
use crate::docset::DocSet;
use crate::prefetch::prefetch;
use crate::sample::Sample;
use crate::snapshot::{Reader, Writer};
use crate::{Doc, IndexError};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Ordering;
use std::slice::from_ref;

/// Stands for no id.
pub const NO_DOC: Doc = Doc::MAX;

/// Keys and dense ids, both ways.
#[derive(Debug, Default)]
pub struct Ids {
    by_key: FxHashMap<u64, Doc>,
    keys: Column<u64>,
    /// The live documents (not nodes).
    pub live: DocSet,
    documents: usize,
    sample: Sample,
}

/// The new id of each live id when dead ones are dropped; the order stays the same.
#[derive(Debug)]
pub struct Renumbering {
    new_ids: Vec<Doc>,
    /// How many ids stay.
    pub len: usize,
}

impl Renumbering {
    /// The new id, if the old one is alive.
    pub fn of(&self, doc: Doc) -> Option<Doc> {
        self.new_ids
            .get(doc as usize)
            .copied()
            .filter(|&place| place != NO_DOC)
    }

    /// (old, new) of all ids that stay, ascending.
    pub fn pairs(&self) -> impl Iterator<Item = (Doc, Doc)> {
        let new_ids = self.new_ids.iter().enumerate();
        new_ids.filter_map(|(old, &new)| (new != NO_DOC).then_some((old as Doc, new)))
    }
}

/// What a snapshot stores of ids.
pub(crate) struct KeptIds {
    keys: Vec<u64>,
    live: DocSet,
}

impl KeptIds {
    pub(crate) fn write(self, out: &mut Writer) -> Result<(), IndexError> {
        out.slice("ids.keys", &self.keys)?;
        out.slice("ids.live", self.live.words())
    }
}

impl Ids {
    /// Give `key`, which must not be live, a new id.
    pub fn insert(&mut self, key: u64, is_document: bool) -> Doc {
        let doc = self.reserve(key);
        self.activate(key, doc, is_document);
        doc
    }

    /// Reserve a new id for `key`, which is not live under it yet.
    pub fn reserve(&mut self, key: u64) -> Doc {
        self.keys.push(key);
        self.keys.len() as Doc - 1
    }

    /// Make the id reserved for `key` live; the key must have no other live id.
    pub fn activate(&mut self, key: u64, doc: Doc, is_document: bool) {
        self.by_key.insert(key, doc);
        if is_document {
            self.live.insert(doc);
            self.documents += 1;
            self.sample.insert(key);
        }
    }

    /// Remove `key`; returns the id it had.
    pub fn remove(&mut self, key: u64) -> Option<Doc> {
        let doc = self.by_key.remove(&key)?;
        self.documents -= usize::from(self.live.contains(doc));
        self.live.remove(doc);
        self.sample.remove(key);
        if self.sample.is_depleted() {
            self.sample = self.live.iter().map(|doc| self.key(doc)).collect();
        }
        Some(doc)
    }

    /// A sample of the documents; see [`Sample`].
    pub fn sample(&self) -> impl Iterator<Item = Doc> {
        self.sample.keys().filter_map(|key| self.doc(key))
    }

    /// The live id of `key`.
    pub fn doc(&self, key: u64) -> Option<Doc> {
        self.by_key.get(&key).copied()
    }

    /// The key of an id, live or not.
    #[inline]
    pub fn key(&self, doc: Doc) -> u64 {
        self.keys.get(doc as usize)
    }

    /// Prefetch the keys of several ids.
    pub fn prefetch_keys(&self, docs: impl Iterator<Item = Doc>) {
        docs.for_each(|doc| prefetch(from_ref(self.keys.at(doc as usize))));
    }

    /// How many ids were given: the size of dense arrays.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether no id was given yet.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// How many keys are live, documents and nodes.
    pub fn count(&self) -> usize {
        self.by_key.len()
    }

    /// How many documents are live.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Orders best first; equal scores by key, the larger first.
    #[inline]
    pub fn compare(&self, a: (Doc, f32), b: (Doc, f32)) -> Ordering {
        let by_key = || self.key(b.0).cmp(&self.key(a.0));
        b.1.total_cmp(&a.1).then_with(by_key)
    }

    /// The `count` highest scores in the order of [`Self::compare`].
    pub fn best(&self, mut scored: Vec<(Doc, f32)>, count: usize) -> Vec<(Doc, f32)> {
        let order = |a: &(Doc, f32), b: &(Doc, f32)| self.compare(*a, *b);
        if count < scored.len() {
            scored.select_nth_unstable_by(count, order);
            scored.truncate(count);
        }
        scored.sort_unstable_by(order);
        scored
    }

    /// The renumbering that would drop the dead ids.
    pub fn renumbering(&self) -> Renumbering {
        let mut new_ids = vec![NO_DOC; self.len()];
        for &alive in self.by_key.values() {
            new_ids[alive as usize] = 0;
        }
        let alive = new_ids.iter_mut().filter(|new| **new != NO_DOC);
        for (new, place) in (0..).zip(alive) {
            *place = new;
        }
        Renumbering {
            new_ids,
            len: self.by_key.len(),
        }
    }

    pub(crate) fn renumbered(&self, to: &Renumbering) -> Self {
        let kept = self.kept(to);
        Self::of(Column::from(kept.keys), kept.live)
    }

    /// The ids that stay, under their new numbers.
    pub(crate) fn kept(&self, to: &Renumbering) -> KeptIds {
        let documents = to.pairs().filter(|&(old, _)| self.live.contains(old));
        KeptIds {
            keys: to.pairs().map(|(old, _)| self.key(old)).collect(),
            live: documents.map(|(_, new)| new).collect(),
        }
    }

    fn of(keys: Column<u64>, live: DocSet) -> Self {
        let mut by_key = FxHashMap::with_capacity_and_hasher(keys.len(), FxBuildHasher);
        by_key.extend(keys.iter().zip(0..));
        Self {
            by_key,
            documents: live.len(),
            sample: live.iter().map(|doc| keys.get(doc as usize)).collect(),
            keys,
            live,
        }
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let live = from.column::<u64>("ids.live")?;
        Ok(Self::of(
            from.column("ids.keys")?,
            DocSet::from_words(live.iter().collect()),
        ))
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.keys.bytes() + self.by_key.capacity() * 17 + self.live.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_after_removals_is_that_of_a_fresh_build() {
        let (mut ids, mut fresh) = (Ids::default(), Ids::default());
        for key in 0..2_000 {
            ids.insert(key, true);
        }
        for key in 0..1_900 {
            ids.remove(key);
        }
        for key in 1_900..2_000 {
            fresh.insert(key, true);
        }
        let keys = |ids: &Ids| -> Vec<u64> { ids.sample().map(|doc| ids.key(doc)).collect() };
        assert_eq!(keys(&ids).len(), 100);
        assert_eq!(keys(&ids), keys(&fresh));
    }
}
