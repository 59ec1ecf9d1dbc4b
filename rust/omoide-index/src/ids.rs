//! Which dense id does a key have now?
//!
//! Invariant: a key has at most one live id; an id is never given twice between two rebuilds.

use crate::Doc;
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Keys and dense ids, both ways.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Ids {
    by_key: FxHashMap<u64, Doc>,
    keys: Vec<u64>,
    /// Documents (not nodes) that are there.
    pub live: RoaringBitmap,
}

impl Ids {
    /// A new id for `key`; the key must not be live.
    pub fn insert(&mut self, key: u64, is_document: bool) -> Doc {
        let doc = self.keys.len() as Doc;
        self.keys.push(key);
        self.by_key.insert(key, doc);
        if is_document {
            self.live.insert(doc);
        }
        doc
    }

    /// Forget `key`; returns the id it had.
    pub fn remove(&mut self, key: u64) -> Option<Doc> {
        let doc = self.by_key.remove(&key)?;
        self.live.remove(doc);
        Some(doc)
    }

    /// The live id of `key`.
    pub fn doc(&self, key: u64) -> Option<Doc> {
        self.by_key.get(&key).copied()
    }

    /// The key of an id, live or not.
    pub fn key(&self, doc: Doc) -> u64 {
        self.keys[doc as usize]
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

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * 8 + self.by_key.capacity() * 13
    }
}
