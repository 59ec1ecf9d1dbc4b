//! Which documents have a number in a range, and in what order do they stand?

use crate::Doc;
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One column: (value, document), ascending.
pub type Column = BTreeSet<(i64, Doc)>;

/// Sorted number columns.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Numbers {
    columns: FxHashMap<Box<str>, Column>,
    forward: FxHashMap<Doc, Vec<(String, i64)>>,
}

impl Numbers {
    /// A column, if any document has had a value in it.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.get(name)
    }

    /// Documents with a value in [start, end); `None` is open.
    pub fn within(&self, name: &str, start: Option<i64>, end: Option<i64>) -> RoaringBitmap {
        let Some(column) = self.columns.get(name) else {
            return RoaringBitmap::new();
        };
        let from = (start.unwrap_or(i64::MIN), Doc::MIN);
        match end {
            Some(end) if (end, Doc::MIN) <= from => RoaringBitmap::new(),
            Some(end) => column
                .range(from..(end, Doc::MIN))
                .map(|&(_, doc)| doc)
                .collect(),
            None => column.range(from..).map(|&(_, doc)| doc).collect(),
        }
    }

    /// Add a new document's values.
    pub fn insert(&mut self, doc: Doc, values: &[(String, i64)]) {
        for (name, value) in values {
            self.columns
                .entry(name.as_str().into())
                .or_default()
                .insert((*value, doc));
        }
        self.forward.insert(doc, values.to_vec());
    }

    /// Take a document out.
    pub fn remove(&mut self, doc: Doc) {
        for (name, value) in self.forward.remove(&doc).unwrap_or_default() {
            if let Some(column) = self.columns.get_mut(name.as_str()) {
                column.remove(&(value, doc));
            }
        }
    }

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        self.columns.values().map(|column| column.len() * 64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_half_open() {
        let mut numbers = Numbers::default();
        for (doc, value) in [(0, -5), (1, 0), (2, 7), (3, 7)] {
            numbers.insert(doc, &[("at".into(), value)]);
        }
        let within = |start, end| numbers.within("at", start, end).iter().collect::<Vec<_>>();
        assert_eq!(within(None, None), [0, 1, 2, 3]);
        assert_eq!(within(Some(0), Some(7)), [1]);
        assert_eq!(within(Some(7), None), [2, 3]);
        assert_eq!(within(None, Some(0)), [0]);
        assert_eq!(within(Some(7), Some(7)), [] as [Doc; 0]);
        assert_eq!(within(Some(8), Some(0)), [] as [Doc; 0]);
        assert_eq!(numbers.within("other", None, None).len(), 0);
    }
}
