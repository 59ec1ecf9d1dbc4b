//! How a new row is added to the graph: its links, and the links back to it.
//!
//! Links are planned without changing anything, so that several rows can be planned in parallel while others search.

use super::{Hnsw, MAX_LINKS, ScoredRow, Space, max_links};
use crate::sample::mix64;
use std::cmp::Ordering;

/// At most one in so many links leads to a row at the same point.
const DUPLICATE_SHARE: usize = 4;

/// The links of a new row, computed without changing anything.
#[derive(Debug)]
pub struct Plan {
    row: u32,
    /// The row's own links, by level.
    own: Vec<Vec<u32>>,
    back: Vec<Back>,
}

/// The links of a row that is linked back to the new one.
#[derive(Debug)]
struct Back {
    row: u32,
    level: u32,
    /// Its links before, and its new ones if they are still the same; `None` while the row itself is not linked yet.
    change: Option<(Vec<u32>, Vec<u32>)>,
}

impl Hnsw {
    /// Plan the links of a new row, and the links of other rows that change. `batch` are rows that will be linked before it.
    pub fn plan(&self, row: u32, batch: &[u32], space: &impl Space) -> Plan {
        let to = |other: u32| space.between(row, other);
        let level = self.level_for(row);
        let mut plan = Plan {
            row,
            own: vec![Vec::new(); level as usize + 1],
            back: Vec::new(),
        };
        let mut near = self.descend(space, &to, level + 1);
        for level in (0..=level).rev() {
            let mut found = Vec::new();
            if !near.is_empty() && level <= self.top() {
                found = self.link_candidates(space, &to, level, &near);
                near.clone_from(&found);
            }
            found.retain(|near| near.row != row && !self.is_being_removed(near.row));
            let batch = batch
                .iter()
                .filter(|&&batch_row| self.level_for(batch_row) >= level);
            found.extend(batch.map(|&row| ScoredRow {
                score: to(row),
                row,
            }));
            let selected = select_neighbours(space, row, found, MAX_LINKS);
            let back = selected
                .iter()
                .map(|&other| self.back(space, other, level, row));
            plan.back.extend(back);
            plan.own[level as usize] = selected;
        }
        plan
    }

    fn back(&self, space: &impl Space, row: u32, level: u32, new: u32) -> Back {
        let change = self.is_linked(row).then(|| {
            let before = self.links(row, level).collect();
            (before, self.with_link(space, row, level, new))
        });
        Back { row, level, change }
    }

    /// Carry out a plan. Since it was made, only other plans (those of its batch among them) and steps of sweeps may have been
    /// carried out.
    pub fn link(&mut self, plan: Plan, space: &impl Space) {
        let row = plan.row;
        self.reserve(row);
        for (level, links) in plan.own.iter().enumerate() {
            self.set(row, level as u32, links);
        }
        for Back {
            row: other,
            level,
            change,
        } in plan.back
        {
            let as_planned =
                change.filter(|(before, _)| self.links(other, level).eq(before.iter().copied()));
            let links = as_planned.map_or_else(
                || self.with_link(space, other, level, row),
                |change| change.1,
            );
            self.set(other, level, &links);
        }
        self.mark_linked(row);
        if self.is_empty() || self.level(row) > self.top() {
            self.entry = row;
        }
    }

    /// The links of `row` after adding `new`, to which it has none yet.
    fn with_link(&self, space: &impl Space, row: u32, level: u32, new: u32) -> Vec<u32> {
        let mut links: Vec<u32> = self.links(row, level).collect();
        links.push(new);
        if links.len() <= max_links(level) {
            return links;
        }
        let near = links.into_iter().map(|other| ScoredRow {
            score: space.between(row, other),
            row: other,
        });
        select_neighbours(space, row, near.collect(), max_links(level))
    }
}

/// The links that a row gets among candidates, the nearest first: those nearer to it than to any chosen before, so that links
/// point in different directions.
///
/// A candidate at the same point as the row is as near to everything as the row itself, and would exclude all others: memories
/// with the same text would only be linked to each other, and a search that reached one could not leave. They therefore get
/// only a part of the links and exclude no others. They are chosen by hash, since otherwise all would link to the same few.
pub(super) fn select_neighbours(
    space: &impl Space,
    row: u32,
    mut candidates: Vec<ScoredRow>,
    most: usize,
) -> Vec<u32> {
    let tie_break = |near: &ScoredRow| mix64(u64::from(row ^ near.row));
    candidates.sort_unstable_by(|a, b| {
        let by_tie_break = || tie_break(a).cmp(&tie_break(b));
        b.score.total_cmp(&a.score).then_with(by_tie_break)
    });
    let mut selected: Vec<ScoredRow> = Vec::with_capacity(most);
    for near in candidates {
        if selected.len() == most {
            break;
        }
        let mut duplicates = 0;
        let is_diverse = selected.iter().all(|other| {
            match space.between(near.row, other.row).total_cmp(&near.score) {
                Ordering::Less => true,
                Ordering::Equal if near.score < other.score => true,
                Ordering::Equal => {
                    duplicates += 1;
                    duplicates < most / DUPLICATE_SHARE
                }
                Ordering::Greater => false,
            }
        });
        if is_diverse {
            selected.push(near);
        }
    }
    selected.into_iter().map(|near| near.row).collect()
}
