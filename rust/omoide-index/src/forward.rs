//! The forward index: which terms does a document contain, and how often?
//!
//! Useful for: removing a document from the statistics of its terms, and reading the terms of hits. Not useful for: finding
//! documents by their terms (blocks.rs).

use crate::column::Column;
use crate::packing::{LANES, bytes, get, pack, unpack_ascending, width};
use crate::prefetch::prefetch;
use crate::snapshot::{Reader, Writer};
use crate::{Doc, IndexError};

/// Terms in a run: enough to keep the cost for each small, and few enough that one rare term widens few others.
pub const RUN: usize = 32;
/// Bytes of a run's header: the number of terms, and the bits of gaps and counts.
const HEADER_BYTES: usize = 3;

/// The terms of each document with their counts, in runs of up to [`RUN`] ascending numbers: first the gaps, then the counts
/// less one, each in as few bits as the largest needs.
#[derive(Debug, Default)]
pub(crate) struct ForwardIndex {
    ends: Column<u64>,
    data: Column<u8>,
}

/// Some terms of a document.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    numbers: [u32; RUN],
    len: usize,
    counts: &'a [u8],
    count_width: u8,
}

impl Run<'_> {
    /// The terms' numbers, ascending.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers[..self.len]
    }

    /// The same with the padding, whose values are arbitrary: for kernels that process whole lanes.
    #[inline]
    pub fn padded(&self) -> &[u32; RUN] {
        &self.numbers
    }

    /// How often the document contains the term at an index.
    pub fn count(&self, at: usize) -> u32 {
        get(self.counts, self.count_width, at) + 1
    }
}

/// The runs of one document.
struct Runs<'a> {
    /// The bytes from the next run on, to the end of all documents.
    bytes: &'a [u8],
    /// How many of them belong to this document.
    left: usize,
    /// The number before the next run.
    before: u32,
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    #[inline]
    fn next(&mut self) -> Option<Run<'a>> {
        if self.left == 0 {
            return None;
        }
        let (&[len, gap_width, count_width], gaps) = self.bytes.split_first_chunk()?;
        let len = usize::from(len).min(RUN);
        let mut numbers = [0; RUN];
        let whole = len.next_multiple_of(LANES);
        unpack_ascending(gaps, gap_width, self.before, &mut numbers[..whole]);
        let counts = &gaps[bytes(len, gap_width)..];
        let rest = &counts[bytes(len, count_width)..];
        self.left = self.left.saturating_sub(self.bytes.len() - rest.len());
        self.bytes = rest;
        self.before = numbers[len.saturating_sub(1)];
        Some(Run {
            numbers,
            len,
            counts,
            count_width,
        })
    }
}

impl ForwardIndex {
    /// Add the next document's terms as (number, count), ascending by number.
    pub(crate) fn push(&mut self, doc: Doc, postings: &[(u32, u32)]) {
        let end = self.data.len() as u64;
        self.ends.grow(doc as usize, end);
        let (mut before, mut data) = (BEFORE_FIRST, Vec::new());
        for run in postings.chunks(RUN) {
            push_run(run, before, &mut data);
            before = run[run.len() - 1].0;
        }
        self.data.extend(&data);
        self.ends.push(self.data.len() as u64);
    }

    /// A document's terms, ascending by number, in runs.
    #[inline]
    pub(crate) fn runs(&self, doc: Doc) -> impl Iterator<Item = Run<'_>> {
        let (start, end) = self.byte_range(doc as usize);
        Runs {
            bytes: self.data.rest(start),
            left: end - start,
            before: BEFORE_FIRST,
        }
    }

    /// (number, count) of a document's terms, ascending by number.
    pub(crate) fn postings<'a>(&'a self, doc: Doc) -> impl Iterator<Item = (u32, u32)> {
        let postings = |run: Run<'a>| {
            let numbers = run.numbers.into_iter().take(run.len).enumerate();
            numbers.map(move |(at, term)| (term, get(run.counts, run.count_width, at) + 1))
        };
        self.runs(doc).flat_map(postings)
    }

    /// The numbers alone.
    pub(crate) fn terms(&self, doc: Doc) -> impl Iterator<Item = u32> {
        self.runs(doc)
            .flat_map(|run| run.numbers.into_iter().take(run.len))
    }

    /// Prefetch the terms of several documents, so that the memory accesses overlap.
    pub(crate) fn prefetch(&self, docs: &[Doc]) {
        let places = docs.iter().map(|&doc| doc as usize);
        let known = places.filter(|&at| at < self.ends.len());
        let ends = known.clone().map(|at| self.ends.slice(at..at + 1));
        ends.for_each(prefetch);
        for at in known {
            let (start, end) = self.byte_range(at);
            prefetch(self.data.slice(start..end));
        }
    }

    /// The range of a document's runs in `data`.
    fn byte_range(&self, at: usize) -> (usize, usize) {
        if at >= self.ends.len() {
            return (0, 0);
        }
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get(before));
        (start as usize, self.ends.get(at) as usize)
    }

    pub(crate) fn write(&self, name: &str, out: &mut Writer) -> Result<(), IndexError> {
        out.column(&format!("{name}.ends"), &self.ends)?;
        out.column(name, &self.data)
    }

    pub(crate) fn read(name: &str, from: &Reader) -> Result<Self, IndexError> {
        Ok(Self {
            ends: from.column(&format!("{name}.ends"))?,
            data: from.column(name)?,
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.ends.bytes() + self.data.bytes()
    }
}

/// Stands for the number before the first: gaps are counted from the previous number plus one.
const BEFORE_FIRST: u32 = u32::MAX;

fn push_run(run: &[(u32, u32)], mut before: u32, into: &mut Vec<u8>) {
    let mut gaps = [0; RUN];
    for (gap, &(term, _)) in gaps.iter_mut().zip(run) {
        *gap = term.wrapping_sub(before).wrapping_sub(1);
        before = term;
    }
    let gaps = gaps.into_iter().take(run.len());
    let counts = run.iter().map(|entry| entry.1 - 1);
    let gap_width = width(gaps.clone().max().unwrap_or(0));
    let count_width = width(counts.clone().max().unwrap_or(0));
    let header: [u8; HEADER_BYTES] = [run.len() as u8, gap_width, count_width];
    into.extend_from_slice(&header);
    pack(gaps, gap_width, into);
    pack(counts, count_width, into);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_every_size_and_number_are_read_back() {
        let mut forward = ForwardIndex::default();
        let of = |doc: Doc| -> Vec<(u32, u32)> {
            let term = |n: u32| (n * n * (1 << (doc % 12)), 1 + n % (1 + doc % 5) * 1_000);
            (0..doc * 3).map(term).collect()
        };
        for doc in (0..40).filter(|doc| doc % 7 > 0) {
            forward.push(doc, &of(doc));
        }
        forward.push(40, &[(0, 1), (u32::MAX, u32::MAX)]);
        for doc in 0..40 {
            let wanted = if doc % 7 > 0 { of(doc) } else { Vec::new() };
            let found: Vec<(u32, u32)> = forward.postings(doc).collect();
            assert_eq!(found, wanted, "{doc}");
            assert!(
                forward
                    .terms(doc)
                    .eq(wanted.into_iter().map(|entry| entry.0))
            );
        }
        let last: Vec<(u32, u32)> = forward.postings(40).collect();
        assert_eq!(last, [(0, 1), (u32::MAX, u32::MAX)]);
        assert_eq!(forward.postings(41).count(), 0);
    }
}
