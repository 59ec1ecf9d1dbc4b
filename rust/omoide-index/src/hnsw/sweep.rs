//! How removed rows leave the graph: a pass over all rows, in pieces, that removes the links to them.

use super::link::select_neighbours;
use super::{Hnsw, MAX_LEVEL, NO_ROW, ScoredRow, Space, max_links};
use crate::docset::DocSet;
use rustc_hash::FxHashSet;

/// How many near rows a swept row chooses its links from.
const MAX_SWEEP_CANDIDATES: usize = 64;
/// A swept row left with fewer links searches for new ones from the top.
const MIN_LINKS_AFTER_SWEEP: usize = 4;

/// The new links of a row on a level, computed without changing anything.
#[derive(Debug)]
pub struct Relinked {
    row: u32,
    level: u32,
    links: Vec<u32>,
}

/// A pass over all rows that removes the links to removed rows.
#[derive(Debug)]
pub(super) struct Sweep {
    removed: DocSet,
    next: u32,
}

impl Hnsw {
    /// Begin a sweep that removes the links to the rows `removed`, all of them linked. None may be running.
    pub fn begin_sweep(&mut self, removed: DocSet) {
        self.sweep = Some(Sweep { removed, next: 0 });
    }

    /// How many rows the running sweep will free.
    pub fn removed_by_sweep(&self) -> usize {
        self.sweep.as_ref().map_or(0, |sweep| sweep.removed.len())
    }

    /// Whether a sweep is running.
    pub fn is_sweeping(&self) -> bool {
        self.sweep.is_some()
    }

    /// Plan what the sweep will change in the `piece`-th next piece of `rows` rows. Pass all pieces in order to [`Self::sweep`]
    /// before rows are linked.
    pub fn plan_sweep(&self, space: &impl Space, rows: u32, piece: u32) -> Vec<Relinked> {
        let Some(sweep) = &self.sweep else {
            return Vec::new();
        };
        let from = sweep.next + rows * piece;
        let to = (from + rows).min(self.rows() as u32);
        (from..to)
            .filter(|&row| self.is_linked(row) && !self.is_being_removed(row))
            .flat_map(|row| self.relinked(space, row))
            .collect()
    }

    /// Carry out the plans for the next `rows` rows; returns the rows freed, once the sweep is complete.
    pub fn sweep(&mut self, rows: u32, planned: impl Iterator<Item = Relinked>) -> Vec<u32> {
        for Relinked { row, level, links } in planned {
            self.set(row, level, &links);
        }
        let end = self.rows() as u32;
        if let Some(sweep) = &mut self.sweep {
            sweep.next = (sweep.next + rows).min(end);
            if sweep.next < end {
                return Vec::new();
            }
        }
        self.finish_sweep()
    }

    fn finish_sweep(&mut self) -> Vec<u32> {
        let Some(Sweep { removed, .. }) = self.sweep.take() else {
            return Vec::new();
        };
        let freed: Vec<u32> = removed.iter().collect();
        for &row in &freed {
            for level in 0..=self.level(row) {
                self.set(row, level, &[]);
            }
            self.linked.remove(row);
            self.linked_count -= 1;
        }
        if removed.contains(self.entry) {
            self.entry = self.highest_row();
        }
        freed
    }

    /// The row with the most levels, the first of several.
    fn highest_row(&self) -> u32 {
        let above = self
            .upper_at
            .keys()
            .copied()
            .filter(|&row| self.is_linked(row));
        let highest = above.min_by_key(|&row| (MAX_LEVEL - self.level(row), row));
        highest
            .or_else(|| self.linked.iter().next())
            .unwrap_or(NO_ROW)
    }

    /// New links for the levels of a row that link to removed rows: to the neighbours of those instead.
    fn relinked(&self, space: &impl Space, row: u32) -> Vec<Relinked> {
        let levels = (0..=self.level(row)).filter(|&level| {
            let mut links = self.links(row, level);
            links.any(|other| self.is_being_removed(other))
        });
        levels
            .map(|level| Relinked {
                row,
                level,
                links: self.links_around_removed(space, row, level),
            })
            .collect()
    }

    fn links_around_removed(&self, space: &impl Space, row: u32, level: u32) -> Vec<u32> {
        let mut others: FxHashSet<u32> = FxHashSet::default();
        for other in self.links(row, level) {
            if self.is_being_removed(other) {
                others.extend(self.links(other, level));
            } else {
                others.insert(other);
            }
        }
        others.retain(|&other| other != row && !self.is_being_removed(other));
        let to = |other: u32| space.between(row, other);
        let mut near: Vec<ScoredRow> = others
            .into_iter()
            .map(|row| ScoredRow {
                score: to(row),
                row,
            })
            .collect();
        if near.len() < MIN_LINKS_AFTER_SWEEP && !self.is_empty() {
            let first = self.descend(space, &to, level + 1);
            let known: FxHashSet<u32> = near.iter().map(|near| near.row).collect();
            let found = self.link_candidates(space, &to, level.min(self.top()), &first);
            near.extend(found.into_iter().filter(|near| {
                near.row != row && !known.contains(&near.row) && !self.is_being_removed(near.row)
            }));
        }
        near.sort_unstable_by(|a, b| b.cmp(a));
        near.truncate(MAX_SWEEP_CANDIDATES);
        select_neighbours(space, row, near, max_links(level))
    }

    pub(super) fn is_being_removed(&self, row: u32) -> bool {
        self.sweep
            .as_ref()
            .is_some_and(|sweep| sweep.removed.contains(row))
    }
}
