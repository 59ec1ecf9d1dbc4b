//! The documents a query may return: what passes its filter and lives.

use crate::Filter;
use omoide_index::docset::DocSet;
use omoide_index::vectors::Passing;
use omoide_index::{Doc, Index};
use std::borrow::Cow;

/// See the module.
#[derive(Debug)]
pub struct Allowed<'a> {
    set: Cow<'a, DocSet>,
    count: usize,
}

impl<'a> Allowed<'a> {
    /// What passes `filter`; without one, every live document.
    pub fn new(index: &'a Index, filter: Option<&Filter>) -> Self {
        let Some(filter) = filter else {
            return Self {
                set: Cow::Borrowed(&index.ids.live),
                count: index.ids.documents(),
            };
        };
        let mut set = filter.documents(index);
        set.intersect(&index.ids.live);
        Self {
            count: set.len(),
            set: Cow::Owned(set),
        }
    }

    /// Whether `doc` is in the set.
    pub fn contains(&self, doc: Doc) -> bool {
        self.set.contains(doc)
    }

    /// Whether any of [first, last] is.
    pub fn any_within(&self, first: Doc, last: Doc) -> bool {
        self.set.any_within(first, last)
    }

    /// Which of the 64 documents from `first` on are in the set, a bit each, the lowest for the first.
    pub fn bits_from(&self, first: Doc) -> u64 {
        self.set.bits_from(first)
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Doc> {
        self.set.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// As a search among vectors takes it.
    pub fn passing(&self) -> Passing<'_> {
        Passing {
            docs: &self.set,
            count: self.count,
        }
    }
}
