//! Which rows lie nearest to a point, without looking at all of them?
//!
//! Hierarchical navigable small worlds (Malkov and Yashunin 2018): every row is linked to near rows in different directions, a
//! sixteenth of the rows again on a level above, and so on; a search walks down the levels towards the point.
//! This module stores the links; link.rs adds rows, sweep.rs removes them, search.rs searches.
//!
//! Useful for: any similarity that is larger for nearer rows, given as a [`Space`]. Not useful for: storing the rows themselves
//! (vectors), or knowing which of them may be returned (the caller says so at each search).
//! Invariant: links lead to rows that were linked at some time; after a sweep, none leads to a row that was being removed
//! when the sweep began.

mod link;
mod search;
mod sweep;

use crate::IndexError;
use crate::column::Column;
use crate::docset::DocSet;
use crate::snapshot::{Reader, Writer};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use sweep::Sweep;

pub use link::Plan;
pub use sweep::Relinked;

/// Links that a row chooses itself, and the most it has on upper levels.
const MAX_LINKS: usize = 16;
/// The most links that a row has on the lowest level.
const MAX_LOWEST_LINKS: usize = 32;
const MAX_LEVEL: u32 = 8;
const NO_ROW: u32 = u32::MAX;

/// How similar rows are.
pub trait Space {
    /// Similarity of two rows, larger is nearer.
    fn between(&self, left: u32, right: u32) -> f32;
    /// Prefetch a row's values.
    fn prefetch(&self, row: u32);
}

/// A row and its similarity to the point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredRow {
    /// Similarity, larger is nearer.
    pub score: f32,
    /// The row.
    pub row: u32,
}

impl Eq for ScoredRow {}

impl PartialOrd for ScoredRow {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ScoredRow {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(other.row.cmp(&self.row))
    }
}

/// See the module.
#[derive(Debug)]
pub struct Hnsw {
    /// [`MAX_LOWEST_LINKS`] links for each row, filled up with `NO_ROW`.
    lowest: Column<u32>,
    /// [`MAX_LINKS`] links for each upper level of a row.
    upper: Column<u32>,
    /// Where a row's upper levels begin.
    upper_at: FxHashMap<u32, u32>,
    levels: Column<u8>,
    linked: DocSet,
    linked_count: usize,
    entry: u32,
    sweep: Option<Sweep>,
}

impl Default for Hnsw {
    fn default() -> Self {
        Self {
            lowest: Column::default(),
            upper: Column::default(),
            upper_at: FxHashMap::default(),
            levels: Column::default(),
            linked: DocSet::default(),
            linked_count: 0,
            entry: NO_ROW,
            sweep: None,
        }
    }
}

impl Hnsw {
    /// Whether a row is part of the graph.
    pub fn is_linked(&self, row: u32) -> bool {
        self.linked.contains(row)
    }

    /// How many rows are linked.
    pub fn len(&self) -> usize {
        self.linked_count
    }

    /// Whether no row is linked.
    pub fn is_empty(&self) -> bool {
        self.entry == NO_ROW
    }

    fn rows(&self) -> usize {
        self.lowest.len() / MAX_LOWEST_LINKS
    }

    /// The level of the entry.
    fn top(&self) -> u32 {
        self.level(self.entry)
    }

    /// The highest level of a row, also of one for which no memory is reserved yet.
    fn level_for(&self, row: u32) -> u32 {
        let known = (row as usize) < self.rows();
        if known {
            self.level(row)
        } else {
            level_of(row)
        }
    }

    /// The highest level of a row with reserved memory.
    fn level(&self, row: u32) -> u32 {
        u32::from(self.levels.get(row as usize))
    }

    fn links(&self, row: u32, level: u32) -> impl Iterator<Item = u32> {
        let slots = self.link_slots(row, level);
        slots.iter().copied().take_while(|&other| other != NO_ROW)
    }

    fn link_slots(&self, row: u32, level: u32) -> &[u32] {
        if level == 0 {
            let start = row as usize * MAX_LOWEST_LINKS;
            return self.lowest.slice(start..start + MAX_LOWEST_LINKS);
        }
        let start = self.upper_at[&row] as usize + (level as usize - 1) * MAX_LINKS;
        self.upper.slice(start..start + MAX_LINKS)
    }

    fn set(&mut self, row: u32, level: u32, links: &[u32]) {
        let slots = if level == 0 {
            let start = row as usize * MAX_LOWEST_LINKS;
            self.lowest.slice_mut(start..start + MAX_LOWEST_LINKS)
        } else {
            let start = self.upper_at[&row] as usize + (level as usize - 1) * MAX_LINKS;
            self.upper.slice_mut(start..start + MAX_LINKS)
        };
        slots[..links.len()].copy_from_slice(links);
        slots[links.len()..].fill(NO_ROW);
    }

    fn reserve(&mut self, row: u32) {
        for row in self.rows() as u32..=row {
            self.lowest.extend(&[NO_ROW; MAX_LOWEST_LINKS]);
            self.reserve_levels(row, level_of(row));
        }
    }

    fn reserve_levels(&mut self, row: u32, levels: u32) {
        self.levels.push(levels as u8);
        if levels > 0 {
            self.upper_at.insert(row, self.upper.len() as u32);
            (0..levels).for_each(|_| self.upper.extend(&[NO_ROW; MAX_LINKS]));
        }
    }

    fn mark_linked(&mut self, row: u32) {
        self.linked_count += 1;
        self.linked.insert(row);
    }

    /// The same graph with other numbers of rows; rows that get none must not be linked.
    pub(crate) fn renumbered(&self, new_rows: &[u32]) -> Self {
        let mut new = Self::default();
        let kept = (0..self.rows() as u32).filter(|&row| new_rows[row as usize] != NO_ROW);
        for old in kept {
            let row = new_rows[old as usize];
            new.lowest.extend(&[NO_ROW; MAX_LOWEST_LINKS]);
            new.reserve_levels(row, self.level(old));
            for level in 0..=self.level(old) {
                let links = self.links(old, level).map(|other| new_rows[other as usize]);
                new.set(row, level, &links.collect::<Vec<_>>());
            }
            if self.is_linked(old) {
                new.mark_linked(row);
            }
        }
        new.entry = new_rows.get(self.entry as usize).copied().unwrap_or(NO_ROW);
        new
    }

    /// A copy of the links, without a sweep that is running.
    pub(crate) fn copied(&self) -> Self {
        Self {
            lowest: self.lowest.copied(),
            upper: self.upper.copied(),
            upper_at: self.upper_at.clone(),
            levels: self.levels.copied(),
            linked: self.linked.clone(),
            linked_count: self.linked_count,
            entry: self.entry,
            sweep: None,
        }
    }

    pub(crate) fn write(&self, out: &mut Writer) -> Result<(), IndexError> {
        let mut upper_at: Vec<(u32, u32)> = self.upper_at.iter().map(|(&k, &v)| (k, v)).collect();
        upper_at.sort_unstable();
        out.column("graph.lowest", &self.lowest)?;
        out.column("graph.upper", &self.upper)?;
        out.column("graph.levels", &self.levels)?;
        out.slice("graph.linked", self.linked.words())?;
        out.value("graph.rest", &(self.entry, upper_at))
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let (entry, upper_at): (u32, Vec<(u32, u32)>) = from.value("graph.rest")?;
        let linked = DocSet::from_words(from.column::<u64>("graph.linked")?.iter().collect());
        Ok(Self {
            lowest: from.column("graph.lowest")?,
            upper: from.column("graph.upper")?,
            levels: from.column("graph.levels")?,
            upper_at: upper_at.into_iter().collect(),
            linked_count: linked.len(),
            linked,
            entry,
            sweep: None,
        })
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.lowest.bytes() + self.upper.bytes() + self.upper_at.capacity() * 9
    }
}

fn max_links(level: u32) -> usize {
    if level == 0 {
        MAX_LOWEST_LINKS
    } else {
        MAX_LINKS
    }
}

/// A sixteenth of the rows of each level are also on the one above; which ones depends only on the row's number.
fn level_of(row: u32) -> u32 {
    let mixed = (u64::from(row) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 32)).trailing_zeros() / 4).min(MAX_LEVEL)
}

#[cfg(test)]
mod tests;
