//! Finding the rows nearest to a point: a walk along the links, down the levels and then outwards from the best.

use super::{Hnsw, Near, Space};
use crate::dot::prefetch;
use std::cell::RefCell;
use std::collections::BinaryHeap;

/// How many near rows an insertion chooses its links from.
const BEAM_INSERT: usize = 96;
/// If at most one in so many new rows passes, the search looks behind those that do not.
const FEW_PASS: usize = 3;

/// The best rows so far, best first, each with whether its links were followed.
#[derive(Default)]
struct Beam {
    near: Vec<(Near, bool)>,
    width: usize,
}

impl Beam {
    fn start(&mut self, width: usize, first: Near) {
        self.width = width;
        self.near.clear();
        self.near.push((first, false));
    }

    /// Insert a row; returns its position if it is among the best.
    fn insert(&mut self, near: Near) -> Option<usize> {
        let full = self.near.len() == self.width;
        if full && self.near.last().is_some_and(|last| near <= last.0) {
            return None;
        }
        if full {
            self.near.pop();
        }
        let place = self.near.partition_point(|each| each.0 > near);
        self.near.insert(place, (near, false));
        Some(place)
    }
}

/// Buffers of a search; each thread keeps them between searches.
#[derive(Default)]
struct Notes {
    seen: Vec<u64>,
    touched: Vec<u32>,
    beam: Beam,
    around: Vec<u32>,
    /// Rows that do not pass and whose links are followed instead.
    between: Vec<u32>,
}

impl Notes {
    fn clear(&mut self, rows: usize) {
        for &word in &self.touched {
            self.seen[word as usize] = 0;
        }
        self.touched.clear();
        if self.seen.len() * 64 < rows {
            self.seen.resize(rows.div_ceil(64), 0);
        }
    }

    /// Mark a row as seen; returns whether it was new.
    fn see(&mut self, row: u32) -> bool {
        let (word, bit) = (row as usize / 64, 1 << (row % 64));
        let before = self.seen[word];
        if before == 0 {
            self.touched.push(word as u32);
        }
        self.seen[word] = before | bit;
        before & bit == 0
    }
}

thread_local! {
    static NOTES: RefCell<Notes> = RefCell::default();
}

impl Hnsw {
    /// About `width` rows nearest to the point, best first; `to` gives their similarity to it.
    pub fn nearest(&self, space: &impl Space, to: impl Fn(u32) -> f32, width: usize) -> Vec<Near> {
        NOTES.with_borrow_mut(|notes| {
            let Some(first) = self.descend(&to, 1) else {
                return Vec::new();
            };
            self.walk(notes, space, &to, (0, width), first);
            notes.beam.near.iter().map(|near| near.0).collect()
        })
    }

    /// About `width` rows that pass, nearest to the point, best first. `None` if more than `patience` rows were measured or
    /// looked behind: then few rows near the point pass.
    pub fn nearest_of(
        &self,
        space: &impl Space,
        to: impl Fn(u32) -> f32,
        passes: impl Fn(u32) -> bool,
        width: usize,
        patience: usize,
    ) -> Option<Vec<Near>> {
        NOTES.with_borrow_mut(|notes| {
            let Some(first) = self.descend(&to, 1) else {
                return Some(Vec::new());
            };
            notes.clear(self.rows());
            notes.see(first.row);
            let mut found = Passing::new(width);
            let mut waiting = BinaryHeap::from([first]);
            found.offer(first, &passes);
            let mut met = 0;
            while let Some(nearest) = waiting.pop() {
                if found.worst().is_some_and(|worst| nearest < worst) {
                    break;
                }
                self.look_behind(notes, space, nearest.row, &passes);
                met += notes.around.len() + notes.between.len();
                if met > patience {
                    return None;
                }
                for &row in &notes.around {
                    let near = Near {
                        score: to(row),
                        row,
                    };
                    if found.worst().is_none_or(|worst| near > worst) {
                        waiting.push(near);
                        found.offer(near, &passes);
                    }
                }
            }
            Some(found.into_sorted())
        })
    }

    /// From the entry down to `level`, always to the nearest row; `None` if the graph is empty.
    pub(super) fn descend(&self, to: &impl Fn(u32) -> f32, level: u32) -> Option<Near> {
        if self.is_empty() {
            return None;
        }
        let mut near = Near {
            score: to(self.entry),
            row: self.entry,
        };
        for level in (level..=self.top()).rev() {
            loop {
                let links = self.links(near.row, level);
                let best = links
                    .map(|row| Near {
                        score: to(row),
                        row,
                    })
                    .max();
                match best.filter(|best| *best > near) {
                    Some(best) => near = best,
                    None => break,
                }
            }
        }
        Some(near)
    }

    pub(super) fn beam_at(
        &self,
        space: &impl Space,
        to: &impl Fn(u32) -> f32,
        level: u32,
        first: Near,
    ) -> Vec<Near> {
        NOTES.with_borrow_mut(|notes| {
            self.walk(notes, space, to, (level, BEAM_INSERT), first);
            notes.beam.near.iter().map(|near| near.0).collect()
        })
    }

    /// Follow the links of the best row whose links were not followed yet, until there is none among the best `width`.
    fn walk(
        &self,
        notes: &mut Notes,
        space: &impl Space,
        to: &impl Fn(u32) -> f32,
        (level, width): (u32, usize),
        first: Near,
    ) {
        notes.clear(self.rows());
        notes.see(first.row);
        notes.beam.start(width, first);
        let mut next = 0;
        while next < notes.beam.near.len() {
            let (near, done) = &mut notes.beam.near[next];
            if std::mem::replace(done, true) {
                next += 1;
                continue;
            }
            let row = near.row;
            self.look_around(notes, space, row, level);
            for &row in &notes.around {
                let near = Near {
                    score: to(row),
                    row,
                };
                if let Some(place) = notes.beam.insert(near) {
                    next = next.min(place);
                }
            }
        }
    }

    /// The rows linked from `row` that are new, prefetching their values.
    fn look_around(&self, notes: &mut Notes, space: &impl Space, row: u32, level: u32) {
        let mut around = std::mem::take(&mut notes.around);
        around.clear();
        around.extend(self.links(row, level).filter(|&other| notes.see(other)));
        around.iter().for_each(|&other| space.prefetch(other));
        notes.around = around;
    }

    /// The same on the lowest level; but if few of these rows pass, each that does not is replaced by the passing rows that it
    /// links to. If there are none it stays itself, since passing rows may lie further on.
    fn look_behind(
        &self,
        notes: &mut Notes,
        space: &impl Space,
        row: u32,
        passes: &impl Fn(u32) -> bool,
    ) {
        let mut around = std::mem::take(&mut notes.around);
        let mut between = std::mem::take(&mut notes.between);
        between.clear();
        around.clear();
        around.extend(self.links(row, 0).filter(|&other| notes.see(other)));
        let passing = around.iter().filter(|&&other| passes(other)).count();
        if around.len() >= FEW_PASS * (passing + 1) {
            between.extend(around.extract_if(.., |other| !passes(*other)));
        }
        between
            .iter()
            .for_each(|&row| prefetch(self.places(row, 0)));
        for &row in &between {
            let mut behind = self.links(row, 0).filter(|&other| passes(other)).peekable();
            around.extend(behind.peek().is_none().then_some(row));
            around.extend(behind.filter(|&other| notes.see(other)));
        }
        around.iter().for_each(|&other| space.prefetch(other));
        (notes.around, notes.between) = (around, between);
    }
}

/// The best `width` rows that pass.
struct Passing {
    width: usize,
    found: BinaryHeap<std::cmp::Reverse<Near>>,
}

impl Passing {
    fn new(width: usize) -> Self {
        Self {
            width,
            found: BinaryHeap::with_capacity(width + 1),
        }
    }

    /// The worst of them, once there are `width`.
    fn worst(&self) -> Option<Near> {
        let full = self.found.len() == self.width;
        self.found.peek().filter(|_| full).map(|worst| worst.0)
    }

    fn offer(&mut self, near: Near, passes: &impl Fn(u32) -> bool) {
        if passes(near.row) {
            self.found.push(std::cmp::Reverse(near));
            if self.found.len() > self.width {
                self.found.pop();
            }
        }
    }

    fn into_sorted(self) -> Vec<Near> {
        let sorted = self.found.into_sorted_vec();
        sorted.into_iter().map(|near| near.0).collect()
    }
}
