//! Conditions that describe sets of documents.

use omoide_index::Index;
use omoide_index::docset::DocSet;
use std::sync::Arc;

/// A description of a set of documents. Its parts may be shared with other filters.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// The attribute has one of the values.
    OneOf(String, Vec<String>),
    /// The attribute has any value.
    HasAttribute(String),
    /// The column's value lies in [start, end); `None` is open.
    Within(String, Option<i64>, Option<i64>),
    /// The column has any value.
    HasNumber(String),
    /// The document's key is one of these.
    Keys(Vec<u64>),
    /// All of them hold.
    All(Vec<Arc<Filter>>),
    /// At least one of them holds.
    Any(Vec<Arc<Filter>>),
    /// The filter does not hold.
    Not(Arc<Filter>),
}

impl Filter {
    /// The documents that pass; dead ones may be among them.
    pub fn documents(&self, index: &Index) -> DocSet {
        match self {
            Self::OneOf(name, values) => index.attributes.one_of(name, values),
            Self::HasAttribute(name) => index.attributes.present(name),
            Self::Within(column, start, end) => index.numbers.within(column, *start, *end),
            Self::HasNumber(column) => index.numbers.within(column, None, None),
            Self::Keys(keys) => keys.iter().filter_map(|&key| index.ids.doc(key)).collect(),
            Self::All(filters) => match filters.split_first() {
                Some((first, others)) => narrowed(first.documents(index), others, index),
                None => index.ids.live.clone(),
            },
            Self::Any(filters) => {
                let mut set = DocSet::default();
                let each = filters.iter().map(|filter| filter.documents(index));
                each.for_each(|docs| set.unite(&docs));
                set
            }
            Self::Not(filter) => {
                let mut rest = index.ids.live.clone();
                rest.subtract(&filter.documents(index));
                rest
            }
        }
    }
}

/// The part of a set that passes all filters. A negated filter is subtracted directly, without building its complement.
fn narrowed(mut set: DocSet, filters: &[Arc<Filter>], index: &Index) -> DocSet {
    for filter in filters {
        if set.is_empty() {
            break;
        }
        match &**filter {
            Filter::Not(out) => set.subtract(&out.documents(index)),
            kept => set.intersect(&kept.documents(index)),
        }
    }
    set
}
