//! The documents a query may return, as a set and as bits for quick tests.

use crate::Filter;
use omoide_index::{Doc, Index};
use roaring::RoaringBitmap;

/// See the module.
#[derive(Debug)]
pub struct Allowed {
    /// The set.
    pub set: RoaringBitmap,
    bits: Vec<u64>,
}

impl Allowed {
    /// What passes `filter`; without one, every live document.
    pub fn new(index: &Index, filter: Option<&Filter>) -> Self {
        let set = filter.map_or_else(|| index.ids.live.clone(), |filter| filter.documents(index));
        let mut bits = vec![0; index.ids.len().div_ceil(64)];
        for doc in &set {
            bits[doc as usize / 64] |= 1 << (doc % 64);
        }
        Self { set, bits }
    }

    /// Whether `doc` is in the set.
    pub fn contains(&self, doc: Doc) -> bool {
        self.bits[doc as usize / 64] >> (doc % 64) & 1 == 1
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.set.len() as usize
    }

    /// Whether none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}
