//! Sets of documents, described.

use omoide_index::Index;
use roaring::RoaringBitmap;

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
    /// The live documents it describes.
    pub fn documents(&self, index: &Index) -> RoaringBitmap {
        match self {
            Self::OneOf(name, values) => union(
                values
                    .iter()
                    .map(|value| index.attributes.equal(name, value)),
            ),
            Self::HasAttribute(name) => index.attributes.present(name),
            Self::Within(column, start, end) => index.numbers.within(column, *start, *end),
            Self::HasNumber(column) => index.numbers.within(column, None, None),
            Self::Keys(keys) => {
                keys.iter()
                    .filter_map(|&key| index.ids.doc(key))
                    .collect::<RoaringBitmap>()
                    & &index.ids.live
            }
            Self::All(filters) => all(filters, index),
            Self::Any(filters) => union(filters.iter().map(|filter| filter.documents(index))),
            Self::Not(filter) => &index.ids.live - filter.documents(index),
        }
    }
}

fn union(sets: impl Iterator<Item = RoaringBitmap>) -> RoaringBitmap {
    sets.reduce(|left, right| left | right).unwrap_or_default()
}

fn all(filters: &[Filter], index: &Index) -> RoaringBitmap {
    let sets = filters.iter().map(|filter| filter.documents(index));
    sets.reduce(|left, right| left & right)
        .unwrap_or_else(|| index.ids.live.clone())
}
