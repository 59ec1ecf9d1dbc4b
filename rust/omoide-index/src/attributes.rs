//! Which documents have an attribute, or one value of it?

use crate::Doc;
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Serialize, Deserialize)]
struct Attribute {
    values: FxHashMap<Box<str>, RoaringBitmap>,
    present: RoaringBitmap,
}

/// (name, value) pairs to sets of documents.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Attributes {
    names: FxHashMap<Box<str>, Attribute>,
    forward: FxHashMap<Doc, Vec<(String, String)>>,
}

impl Attributes {
    /// Documents with that value.
    pub fn equal(&self, name: &str, value: &str) -> RoaringBitmap {
        let found = self
            .names
            .get(name)
            .and_then(|attribute| attribute.values.get(value));
        found.cloned().unwrap_or_default()
    }

    /// Documents with any value.
    pub fn present(&self, name: &str) -> RoaringBitmap {
        self.names
            .get(name)
            .map(|attribute| attribute.present.clone())
            .unwrap_or_default()
    }

    /// Add a new document's pairs.
    pub fn insert(&mut self, doc: Doc, pairs: &[(String, String)]) {
        for (name, value) in pairs {
            let attribute = self.names.entry(name.as_str().into()).or_default();
            attribute
                .values
                .entry(value.as_str().into())
                .or_default()
                .insert(doc);
            attribute.present.insert(doc);
        }
        self.forward.insert(doc, pairs.to_vec());
    }

    /// Take a document out.
    pub fn remove(&mut self, doc: Doc) {
        for (name, value) in self.forward.remove(&doc).unwrap_or_default() {
            let Some(attribute) = self.names.get_mut(name.as_str()) else {
                continue;
            };
            attribute.present.remove(doc);
            if let Some(docs) = attribute.values.get_mut(value.as_str()) {
                docs.remove(doc);
                if docs.is_empty() {
                    attribute.values.remove(value.as_str());
                }
            }
        }
    }

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        let sets: usize = self
            .names
            .values()
            .flat_map(|attribute| attribute.values.iter())
            .map(|(value, docs)| value.len() + 24 + docs.serialized_size())
            .sum();
        let forward: usize = self
            .forward
            .values()
            .flatten()
            .map(|(name, value)| name.len() + value.len() + 48)
            .sum();
        sets + forward
    }
}
