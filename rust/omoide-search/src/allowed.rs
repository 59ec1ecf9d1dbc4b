//! The documents a query may return: those that are live and pass its filter.

use crate::Filter;
use crate::visibility::{Visibility, VisibleGraph};
use omoide_index::docset::DocSet;
use omoide_index::vectors::Passing;
use omoide_index::{Doc, Index};
use std::borrow::Cow;

/// See the module.
#[derive(Debug)]
pub struct Allowed<'a> {
    set: Cow<'a, DocSet>,
    count: usize,
    /// The part of the graph that may be walked beside the documents; `None`: all of it.
    visible: Option<VisibleGraph<'a>>,
}

impl<'a> Allowed<'a> {
    /// The live documents that pass `filter`; without one, all of them.
    pub fn new(index: &'a Index, filter: Option<&Filter>) -> Self {
        let Some(filter) = filter else {
            return Self {
                set: Cow::Borrowed(&index.ids.live),
                count: index.ids.documents(),
                visible: None,
            };
        };
        let mut set = filter.documents(index);
        set.intersect(&index.ids.live);
        Self {
            count: set.len(),
            set: Cow::Owned(set),
            visible: None,
        }
    }

    /// The same set for a caller who sees only a part of the graph.
    #[must_use]
    pub fn restricted_to(mut self, visibility: Option<&'a Visibility>) -> Self {
        self.visible = visibility.map(VisibleGraph::of);
        self
    }

    /// The part of the graph that may be walked beside the documents; `None`: all of it.
    pub(crate) fn visible(&self) -> Option<&VisibleGraph<'a>> {
        self.visible.as_ref()
    }

    /// Whether `doc` is in the set.
    pub fn contains(&self, doc: Doc) -> bool {
        self.set.contains(doc)
    }

    /// Whether any document of [first, last] is in the set.
    pub fn any_within(&self, first: Doc, last: Doc) -> bool {
        self.set.any_within(first, last)
    }

    /// Which of the 64 documents from `first` on are in the set, a bit each, the lowest for the first.
    pub fn bits_from(&self, first: Doc) -> u64 {
        self.set.bits_from(first)
    }

    /// All documents in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Doc> {
        self.set.iter()
    }

    /// How many documents are in the set.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The set in the form that a search among vectors takes.
    pub fn passing(&self) -> Passing<'_> {
        Passing {
            docs: &self.set,
            count: self.count,
        }
    }
}
