//! Which terms does a document hold, and how often?
//!
//! Useful for: taking a document out of the statistics of its terms, and reading the terms of hits. Not useful for: finding
//! documents by their terms (blocks.rs).

use crate::column::Column;
use crate::dot::prefetch;
use crate::snapshot::{Reader, Writer};
use crate::{Doc, IndexError};

/// The terms of each document and how often it holds them: numbers ascending, as gaps in bytes of seven bits, the lowest
/// bit of each telling whether a count above 1 follows.
#[derive(Debug, Default)]
pub(crate) struct Forward {
    ends: Column<u64>,
    data: Column<u8>,
}

impl Forward {
    /// The terms of the next document, ascending by number.
    pub(crate) fn push(&mut self, doc: Doc, counted: &[(u32, u32)]) {
        let end = self.data.len() as u64;
        self.ends.grow(doc as usize, end);
        let mut before = 0;
        for &(term, count) in counted {
            push_varint((term - before) << 1 | u32::from(count > 1), &mut self.data);
            if count > 1 {
                push_varint(count, &mut self.data);
            }
            before = term;
        }
        self.ends.push(self.data.len() as u64);
    }

    /// In the order of their numbers.
    pub(crate) fn counted(&self, doc: Doc) -> impl Iterator<Item = (u32, u32)> {
        let mut bytes = self.of(doc as usize);
        let mut term = 0;
        std::iter::from_fn(move || {
            let gap = varint(&mut bytes)?;
            term += gap >> 1;
            let count = if gap & 1 == 0 { 1 } else { varint(&mut bytes)? };
            Some((term, count))
        })
    }

    /// The same without the counts.
    pub(crate) fn terms(&self, doc: Doc) -> impl Iterator<Item = u32> {
        self.counted(doc).map(|entry| entry.0)
    }

    /// Have the terms of documents brought near all at once, not one after another.
    pub(crate) fn bring_near(&self, docs: &[Doc]) {
        let places = docs.iter().map(|&doc| doc as usize);
        let known = places.filter(|&at| at < self.ends.len());
        let ends = known.clone().map(|at| self.ends.slice(at..at + 1));
        ends.for_each(prefetch);
        known.for_each(|at| prefetch(self.of(at)));
    }

    fn of(&self, at: usize) -> &[u8] {
        if at >= self.ends.len() {
            return &[];
        }
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get(before));
        self.data.slice(start as usize..self.ends.get(at) as usize)
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

fn push_varint(mut value: u32, into: &mut Column<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// Take a value from the front of some bytes; `None` where there are none. How many bytes of four it takes is reckoned:
/// no processor could foretell a branch for each.
#[inline]
fn varint(bytes: &mut &[u8]) -> Option<u32> {
    let Some((&four, _)) = bytes.split_first_chunk() else {
        return long_varint(bytes);
    };
    let word = u32::from_le_bytes(four);
    let lasts = !word & 0x8080_8080;
    if lasts == 0 {
        return long_varint(bytes);
    }
    let bits = lasts.trailing_zeros() + 1;
    *bytes = &bytes[bits as usize / 8..];
    let taken = word & u32::MAX >> (u32::BITS - bits);
    let sevens = (0..4).map(|at| taken >> at & 0x7f << (7 * at));
    Some(sevens.fold(0, std::ops::BitOr::bitor))
}

/// The same of any length, and near the end of the bytes.
fn long_varint(bytes: &mut &[u8]) -> Option<u32> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_length_come_back() {
        let values: Vec<u32> = (0..32).flat_map(|bit| [(1 << bit) - 1, 1 << bit]).collect();
        for some in values.windows(3).chain([&[u32::MAX, 0, 5][..]]) {
            let mut bytes = Column::default();
            some.iter()
                .for_each(|&value| push_varint(value, &mut bytes));
            let mut rest = bytes.slice(0..bytes.len());
            let found: Vec<u32> = std::iter::from_fn(|| varint(&mut rest)).collect();
            assert_eq!(found, some);
        }
    }
}
