//! Which documents have a number in a range, and in what order?
//!
//! A column is two arrays sorted by value, and a small tree of the values added since.
//! Invariant: until the next renumbering, columns may still hold dead documents, which a search excludes by the set of live
//! ones.

use crate::column::Column;
use crate::docset::DocSet;
use crate::ids::Renumbering;
use crate::snapshot::{Reader, Writer};
use crate::{Doc, IndexError};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// The tree is merged into the arrays when it is larger than this and than a share of them.
const MAX_RECENT: usize = 4_096;
const RECENT_SHARE: usize = 8;

/// One column: (value, document) pairs.
#[derive(Debug, Default)]
pub struct Values {
    sorted: Column<i64>,
    docs: Column<Doc>,
    recent: BTreeSet<(i64, Doc)>,
}

impl Values {
    /// All pairs, ascending.
    pub fn ascending(&self) -> impl Iterator<Item = (i64, Doc)> {
        let sorted = (0..self.docs.len()).map(|at| self.pair(at));
        merged(sorted, self.recent.iter().copied(), |a, b| a < b)
    }

    /// All pairs, descending.
    pub fn descending(&self) -> impl Iterator<Item = (i64, Doc)> {
        let sorted = (0..self.docs.len()).rev().map(|at| self.pair(at));
        merged(sorted, self.recent.iter().rev().copied(), |a, b| a > b)
    }

    fn insert(&mut self, value: i64, doc: Doc) {
        self.recent.insert((value, doc));
        if self.recent.len() > MAX_RECENT.max(self.docs.len() / RECENT_SHARE) {
            let all: Vec<(i64, Doc)> = self.ascending().collect();
            *self = Self::sorted(all.into_iter());
        }
    }

    fn sorted(pairs: impl Iterator<Item = (i64, Doc)>) -> Self {
        let (values, docs): (Vec<i64>, Vec<Doc>) = pairs.unzip();
        Self {
            sorted: values.into(),
            docs: docs.into(),
            recent: BTreeSet::new(),
        }
    }

    fn pair(&self, at: usize) -> (i64, Doc) {
        (self.sorted.get(at), self.docs.get(at))
    }

    /// The range of sorted values in [start, end).
    fn range(&self, start: Option<i64>, end: Option<i64>) -> Range<usize> {
        let values = self.sorted.slice(0..self.sorted.len());
        let place = |bound: i64| values.partition_point(|&value| value < bound);
        let from = start.map_or(0, place);
        from..end.map_or(values.len(), place).max(from)
    }

    fn within(&self, start: Option<i64>, end: Option<i64>) -> DocSet {
        let mut set = DocSet::default();
        for &doc in self.docs.slice(self.range(start, end)) {
            set.insert(doc);
        }
        let from = (start.unwrap_or(i64::MIN), Doc::MIN);
        let recent = self.recent.range(from..);
        let inside = recent.take_while(|pair| end.is_none_or(|end| pair.0 < end));
        inside.for_each(|pair| set.insert(pair.1));
        set
    }

    fn renumbered(&self, to: &Renumbering) -> Self {
        Self::sorted(
            self.ascending()
                .filter_map(|(value, doc)| Some((value, to.of(doc)?))),
        )
    }

    fn bytes(&self) -> usize {
        self.sorted.bytes() + self.docs.bytes() + self.recent.len() * 24
    }
}

/// Merges two sorted sequences.
fn merged<T: Copy>(
    left: impl Iterator<Item = T>,
    right: impl Iterator<Item = T>,
    before: impl Fn(&T, &T) -> bool,
) -> impl Iterator<Item = T> {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    std::iter::from_fn(move || match (left.peek(), right.peek()) {
        (Some(a), Some(b)) if before(b, a) => right.next(),
        (None, _) => right.next(),
        _ => left.next(),
    })
}

/// Number columns by name.
#[derive(Debug, Default)]
pub struct Numbers {
    columns: FxHashMap<Box<str>, Values>,
}

impl Numbers {
    /// A column; `None` if no document has had a value in it.
    pub fn column(&self, name: &str) -> Option<&Values> {
        self.columns.get(name)
    }

    /// Documents with a value in [start, end); `None` means unbounded.
    pub fn within(&self, name: &str, start: Option<i64>, end: Option<i64>) -> DocSet {
        let column = self.columns.get(name);
        column.map_or_else(DocSet::default, |column| column.within(start, end))
    }

    /// Add a new document's values.
    pub fn insert(&mut self, doc: Doc, values: &[(String, i64)]) {
        for (name, value) in values {
            if !self.columns.contains_key(name.as_str()) {
                self.columns.insert(name.as_str().into(), Values::default());
            }
            if let Some(column) = self.columns.get_mut(name.as_str()) {
                column.insert(*value, doc);
            }
        }
    }

    pub(crate) fn renumbered(&self, to: &Renumbering) -> Self {
        let columns = self.columns.iter();
        Self {
            columns: columns
                .map(|(name, values)| (name.clone(), values.renumbered(to)))
                .collect(),
        }
    }

    /// Call only after a renumbering, when everything is sorted.
    pub(crate) fn write(&self, out: &mut Writer) -> Result<(), IndexError> {
        let mut names: Vec<&str> = self.columns.keys().map(AsRef::as_ref).collect();
        names.sort_unstable();
        for (number, name) in names.iter().enumerate() {
            out.column(
                &format!("numbers{number}.values"),
                &self.columns[*name].sorted,
            )?;
            out.column(&format!("numbers{number}.docs"), &self.columns[*name].docs)?;
        }
        out.value("numbers", &names)
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let mut columns = FxHashMap::default();
        for (number, name) in from
            .value::<Vec<String>>("numbers")?
            .into_iter()
            .enumerate()
        {
            let values = Values {
                sorted: from.column(&format!("numbers{number}.values"))?,
                docs: from.column(&format!("numbers{number}.docs"))?,
                recent: BTreeSet::new(),
            };
            columns.insert(name.into(), values);
        }
        Ok(Self { columns })
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.columns.values().map(Values::bytes).sum()
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

    #[test]
    fn sorted_and_recent_values_are_merged_in_order() {
        let mut numbers = Numbers::default();
        let value = |doc: Doc| i64::from(doc) * 7_919 % 1_000;
        let count = MAX_RECENT as Doc * 2 + 3;
        (0..count).for_each(|doc| numbers.insert(doc, &[("at".into(), value(doc))]));
        let column = numbers.column("at").unwrap();
        assert!(!column.docs.is_empty() && !column.recent.is_empty());
        let mut wanted: Vec<(i64, Doc)> = (0..count).map(|doc| (value(doc), doc)).collect();
        wanted.sort_unstable();
        assert_eq!(column.ascending().collect::<Vec<_>>(), wanted);
        wanted.reverse();
        assert_eq!(column.descending().collect::<Vec<_>>(), wanted);
        let inside = (0..count).filter(|&doc| (100..200).contains(&value(doc)));
        assert_eq!(column.within(Some(100), Some(200)).len(), inside.count());
    }
}
