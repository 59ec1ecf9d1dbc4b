//! How a new row comes into the graph: what it is linked to, and what is linked back to it.
//!
//! Its links are planned by reading alone, so that several rows may be planned at once while others search.

use super::{CHOSEN, Hnsw, Near, Space, most_links};

/// New links, worked out by reading alone.
#[derive(Debug)]
pub struct Plan {
    row: u32,
    /// Those of the row, by level.
    own: Vec<Vec<u32>>,
    back: Vec<Back>,
}

/// The links of a row that gets one back.
#[derive(Debug)]
struct Back {
    row: u32,
    level: u32,
    /// What they were, and what they are to be if they still are; `None` while the row is not linked itself.
    change: Option<(Vec<u32>, Vec<u32>)>,
}

impl Hnsw {
    /// The links a new row would have, and those of others that change with it. `mates` are rows that will be linked
    /// before it.
    pub fn plan(&self, row: u32, mates: &[u32], space: &impl Space) -> Plan {
        let to = |other: u32| space.between(row, other);
        let level = self.level_for(row);
        let mut plan = Plan {
            row,
            own: vec![Vec::new(); level as usize + 1],
            back: Vec::new(),
        };
        let mut near = self.descend(&to, level + 1);
        for level in (0..=level).rev() {
            let beam = near.filter(|_| level <= self.top());
            let mut found =
                beam.map_or_else(Vec::new, |near| self.beam_at(space, &to, level, near));
            near = found.first().copied().or(near);
            found.retain(|near| near.row != row && !self.is_doomed(near.row));
            let mates = mates.iter().filter(|&&mate| self.level_for(mate) >= level);
            found.extend(mates.map(|&row| Near {
                score: to(row),
                row,
            }));
            found.sort_unstable_by(|a, b| b.cmp(a));
            let chosen = chosen(space, found.into_iter(), CHOSEN);
            let back = chosen
                .iter()
                .map(|&other| self.back(space, other, level, row));
            plan.back.extend(back);
            plan.own[level as usize] = chosen;
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

    /// Make the links of a plan. Since it was made, only plans may have been carried out, those of its mates among
    /// them, and sweeps have gone on.
    pub fn link(&mut self, plan: Plan, space: &impl Space) {
        let row = plan.row;
        self.make_room(row);
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

    /// The links of `row` when `new` is one of them.
    fn with_link(&self, space: &impl Space, row: u32, level: u32, new: u32) -> Vec<u32> {
        let mut links: Vec<u32> = self
            .links(row, level)
            .filter(|&other| other != new)
            .collect();
        links.push(new);
        if links.len() <= most_links(level) {
            return links;
        }
        let mut near: Vec<Near> = links
            .into_iter()
            .map(|other| Near {
                score: space.between(row, other),
                row: other,
            })
            .collect();
        near.sort_unstable_by(|a, b| b.cmp(a));
        chosen(space, near.into_iter(), most_links(level))
    }
}

/// Of candidates, best first: those nearer to the row than to any chosen before, so that links point in different
/// directions.
pub(super) fn chosen(
    space: &impl Space,
    candidates: impl Iterator<Item = Near>,
    most: usize,
) -> Vec<u32> {
    let mut chosen: Vec<u32> = Vec::with_capacity(most);
    for near in candidates {
        if chosen.len() == most {
            break;
        }
        let is_own_way = |&other: &u32| space.between(near.row, other) < near.score;
        if chosen.iter().all(is_own_way) {
            chosen.push(near.row);
        }
    }
    chosen
}
