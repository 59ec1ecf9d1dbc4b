//! How removed rows leave the graph: a pass over all rows, in pieces, that removes the links to doomed ones.

use super::link::chosen;
use super::{HIGHEST_LEVEL, Hnsw, NO_ROW, Near, Space, most_links};
use crate::docset::DocSet;
use rustc_hash::FxHashSet;

/// How many near rows a swept row chooses its links from.
const BEAM_SWEEP: usize = 64;
/// A swept row left with fewer links searches for new ones from the top.
const FEW_LINKS: usize = 4;

/// The new links of a row on a level, computed without changing anything.
#[derive(Debug)]
pub struct Relinked {
    row: u32,
    level: u32,
    links: Vec<u32>,
}

/// A pass over all rows that removes the links to doomed ones.
#[derive(Debug)]
pub(super) struct Sweep {
    doomed: DocSet,
    next: u32,
}

impl Hnsw {
    /// Begin a sweep that removes the links to `doomed`, unless one is running.
    pub fn begin_sweep(&mut self, doomed: DocSet) {
        if self.sweep.is_none() {
            self.sweep = Some(Sweep { doomed, next: 0 });
        }
    }

    /// How many rows the running sweep will free.
    pub fn doomed(&self) -> usize {
        self.sweep.as_ref().map_or(0, |sweep| sweep.doomed.len())
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
            .filter(|&row| self.is_linked(row) && !self.is_doomed(row))
            .flat_map(|row| self.cleaned(space, row))
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
        let Some(Sweep { doomed, .. }) = self.sweep.take() else {
            return Vec::new();
        };
        let freed: Vec<u32> = doomed.iter().filter(|&row| self.is_linked(row)).collect();
        for &row in &freed {
            for level in 0..=self.level(row) {
                self.set(row, level, &[]);
            }
            self.linked.remove(row);
            self.linked_count -= 1;
        }
        if doomed.contains(self.entry) {
            self.entry = self.highest();
        }
        freed
    }

    /// The row with the most levels, the first of several.
    fn highest(&self) -> u32 {
        let above = self
            .upper_at
            .keys()
            .copied()
            .filter(|&row| self.is_linked(row));
        let highest = above.min_by_key(|&row| (HIGHEST_LEVEL - self.level(row), row));
        highest
            .or_else(|| self.linked.iter().next())
            .unwrap_or(NO_ROW)
    }

    /// New links for the levels of a row that link to doomed rows: to the rows behind those instead.
    fn cleaned(&self, space: &impl Space, row: u32) -> Vec<Relinked> {
        let levels = (0..=self.level(row)).filter(|&level| {
            let mut links = self.links(row, level);
            links.any(|other| self.is_doomed(other))
        });
        levels
            .map(|level| Relinked {
                row,
                level,
                links: self.around_doomed(space, row, level),
            })
            .collect()
    }

    fn around_doomed(&self, space: &impl Space, row: u32, level: u32) -> Vec<u32> {
        let mut others: FxHashSet<u32> = FxHashSet::default();
        for other in self.links(row, level) {
            if self.is_doomed(other) {
                others.extend(self.links(other, level));
            } else {
                others.insert(other);
            }
        }
        others.retain(|&other| other != row && !self.is_doomed(other));
        let to = |other: u32| space.between(row, other);
        let mut near: Vec<Near> = others
            .into_iter()
            .map(|row| Near {
                score: to(row),
                row,
            })
            .collect();
        if near.len() < FEW_LINKS
            && let Some(first) = self.descend(&to, level + 1)
        {
            let known: FxHashSet<u32> = near.iter().map(|near| near.row).collect();
            let found = self.beam_at(space, &to, level.min(self.top()), first);
            near.extend(found.into_iter().filter(|near| {
                near.row != row && !known.contains(&near.row) && !self.is_doomed(near.row)
            }));
        }
        near.sort_unstable_by(|a, b| b.cmp(a));
        near.truncate(BEAM_SWEEP);
        chosen(space, row, near, most_links(level))
    }

    pub(super) fn is_doomed(&self, row: u32) -> bool {
        self.sweep
            .as_ref()
            .is_some_and(|sweep| sweep.doomed.contains(row))
    }
}
