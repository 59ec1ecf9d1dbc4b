//! Which documents have a number in a range, and in what order?
//!
//! A column is two arrays sorted by value, and a small tree of the values added since.
//! Invariant: until the next renumbering, columns may still hold dead documents, which a search excludes by the set of live
//! ones.

use crate::column::Column;
use crate::docset::DocSet;
use crate::ids::Renumbering;
use crate::snapshot::{Reader, Writer};
use crate::steps::{Steps, at_once, one_step};
use crate::{Doc, IndexError};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::{Bound, Range};

/// The tree is merged into the arrays when it is larger than this and than a share of them.
const MAX_RECENT: usize = 4_096;
const RECENT_SHARE: usize = 8;
/// Pairs that are read in one step when a column is rewritten.
const PAIRS_PER_STEP: usize = 64;

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
        self.ascending_after(None)
    }

    /// The pairs behind a given one, or all.
    fn ascending_after(&self, last: Option<(i64, Doc)>) -> impl Iterator<Item = (i64, Doc)> {
        let from = last.map_or(0, |last| self.place_after(last));
        let sorted = (from..self.docs.len()).map(|at| self.pair(at));
        let from = last.map_or(Bound::Unbounded, Bound::Excluded);
        let recent = self.recent.range((from, Bound::Unbounded));
        merged(sorted, recent.copied(), |a, b| a < b)
    }

    /// How many of the sorted pairs are not behind `last`.
    fn place_after(&self, last: (i64, Doc)) -> usize {
        let values = self.sorted.slice(0..self.sorted.len());
        let first = values.partition_point(|&value| value < last.0);
        let same = values[first..].partition_point(|&value| value == last.0);
        let docs = self.docs.slice(first..first + same);
        first + docs.partition_point(|&doc| doc <= last.1)
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

    /// The pairs of the documents of `to`, under their new ids.
    fn rewritten(steps: Steps<'_, Self>, to: &Renumbering) -> Self {
        let (mut kept, mut last) = (Vec::new(), None);
        steps(&mut |column| {
            let mut read = 0;
            for (value, doc) in column.ascending_after(last).take(PAIRS_PER_STEP) {
                kept.extend(to.of(doc).map(|doc| (value, doc)));
                last = Some((value, doc));
                read += 1;
            }
            read == PAIRS_PER_STEP
        });
        Self::sorted(kept.into_iter())
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
                .map(|(name, values)| (name.clone(), Values::rewritten(&at_once(values), to)))
                .collect(),
        }
    }

    /// Write the values of the documents of `to`, column by column, without columns that have none.
    pub(crate) fn write(
        steps: Steps<'_, Self>,
        to: &Renumbering,
        out: &mut Writer,
    ) -> Result<(), IndexError> {
        let names = |numbers: &Self| numbers.columns.keys().cloned().collect::<BTreeSet<_>>();
        let mut written = Vec::new();
        for name in one_step(steps, names) {
            let of_column = |step: &mut dyn FnMut(&Values) -> bool| {
                steps(&mut |numbers| step(&numbers.columns[&name]));
            };
            let column = Values::rewritten(&of_column, to);
            if !column.docs.is_empty() {
                let number = written.len();
                out.column(&format!("numbers{number}.values"), &column.sorted)?;
                out.column(&format!("numbers{number}.docs"), &column.docs)?;
                written.push(name);
            }
        }
        out.value("numbers", &written)
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
