//! Sets of documents, described.

use omoide_index::Index;
use omoide_index::docset::DocSet;

/// A description of a set of documents.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// The attribute has one of the values.
    OneOf(String, Vec<String>),
    /// The attribute has any value.
    HasAttribute(String),
    /// The column's value lies in [start, end); `None` is open.
    Within(String, Option<i64>, Option<i64>),
    /// The column has a value.
    HasNumber(String),
    /// Exactly these keys.
    Keys(Vec<u64>),
    /// Every one holds.
    All(Vec<Filter>),
    /// At least one holds.
    Any(Vec<Filter>),
    /// It does not hold.
    Not(Box<Filter>),
}

impl Filter {
    /// The documents it describes; dead ones may be among them.
    pub fn documents(&self, index: &Index) -> DocSet {
        match self {
            Self::OneOf(name, values) => index.attributes.one_of(name, values),
            Self::HasAttribute(name) => index.attributes.present(name),
            Self::Within(column, start, end) => index.numbers.within(column, *start, *end),
            Self::HasNumber(column) => index.numbers.within(column, None, None),
            Self::Keys(keys) => keys.iter().filter_map(|&key| index.ids.doc(key)).collect(),
            Self::All(filters) => combined(filters, index, DocSet::intersect)
                .unwrap_or_else(|| index.ids.live.clone()),
            Self::Any(filters) => combined(filters, index, DocSet::unite).unwrap_or_default(),
            Self::Not(filter) => {
                let mut rest = index.ids.live.clone();
                rest.subtract(&filter.documents(index));
                rest
            }
        }
    }
}

/// `None` of no filters.
fn combined(
    filters: &[Filter],
    index: &Index,
    combine: fn(&mut DocSet, &DocSet),
) -> Option<DocSet> {
    let (first, others) = filters.split_first()?;
    let mut set = first.documents(index);
    for other in others {
        combine(&mut set, &other.documents(index));
    }
    Some(set)
}
