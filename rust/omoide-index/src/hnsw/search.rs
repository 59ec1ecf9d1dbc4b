//! Finding the rows nearest to a point: a walk along the links, down the levels and then outwards from the best.

use super::{Hnsw, ScoredRow, Space};
use crate::prefetch::prefetch;
use std::cell::RefCell;
use std::collections::BinaryHeap;

/// How many near rows are followed down the upper levels. With one, a search among topics that are far apart may end in the wrong
/// one: of a thousand memories each of a dozen topics, one question in sixteen found none of the nearest. Eight measure a
/// twentieth more rows.
const UPPER_BEAM_WIDTH: usize = 8;
/// How many near rows an insertion chooses its links from.
const INSERT_BEAM_WIDTH: usize = 96;
/// If at most one in so many new rows passes, the search also follows the links of those that do not.
const FEW_PASS_RATIO: usize = 3;

/// The best rows so far, best first, each with whether its links were followed.
#[derive(Default)]
struct Beam {
    near: Vec<(ScoredRow, bool)>,
    width: usize,
}

impl Beam {
    fn start(&mut self, width: usize) {
        self.width = width;
        self.near.clear();
    }

    fn rows(&self) -> Vec<ScoredRow> {
        self.near.iter().map(|near| near.0).collect()
    }

    /// Insert a row; returns its position if it is among the best.
    fn insert(&mut self, near: ScoredRow) -> Option<usize> {
        let full = self.near.len() == self.width;
        if full && self.near.last().is_some_and(|last| near <= last.0) {
            return None;
        }
        if full {
            self.near.pop();
        }
        let position = self.near.partition_point(|each| each.0 > near);
        self.near.insert(position, (near, false));
        Some(position)
    }
}

/// Buffers of a search; each thread keeps them between searches.
#[derive(Default)]
struct SearchBuffers {
    seen: Vec<u64>,
    touched: Vec<u32>,
    beam: Beam,
    neighbours: Vec<u32>,
    /// Rows that do not pass and whose links are followed instead.
    skipped: Vec<u32>,
}

impl SearchBuffers {
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
    fn mark_seen(&mut self, row: u32) -> bool {
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
    static BUFFERS: RefCell<SearchBuffers> = RefCell::default();
}

impl Hnsw {
    /// About `width` rows nearest to the point, best first; `to` gives their similarity to it.
    pub fn nearest(
        &self,
        space: &impl Space,
        to: impl Fn(u32) -> f32,
        width: usize,
    ) -> Vec<ScoredRow> {
        let first = self.descend(space, &to, 1);
        self.search_level(space, &to, (0, width), &first)
    }

    /// About `width` rows that pass, nearest to the point, best first. `None` if more than `patience` rows were measured or
    /// skipped: then few rows near the point pass.
    pub fn nearest_passing(
        &self,
        space: &impl Space,
        to: impl Fn(u32) -> f32,
        passes: impl Fn(u32) -> bool,
        width: usize,
        patience: usize,
    ) -> Option<Vec<ScoredRow>> {
        let first = self.descend(space, &to, 1);
        BUFFERS.with_borrow_mut(|buffers| {
            buffers.clear(self.rows());
            let mut found = Passing::new(width);
            for &near in &first {
                buffers.mark_seen(near.row);
                found.offer(near, &passes);
            }
            let mut waiting = BinaryHeap::from(first);
            let mut visited = 0;
            while let Some(nearest) = waiting.pop() {
                if found.worst().is_some_and(|worst| nearest < worst) {
                    break;
                }
                self.visit_passing_neighbours(buffers, space, nearest.row, &passes);
                visited += buffers.neighbours.len() + buffers.skipped.len();
                if visited > patience {
                    return None;
                }
                for &row in &buffers.neighbours {
                    let near = ScoredRow {
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

    /// From the entry down to `level`: the nearest rows found there, best first; none if the graph is empty.
    pub(super) fn descend(
        &self,
        space: &impl Space,
        to: &impl Fn(u32) -> f32,
        level: u32,
    ) -> Vec<ScoredRow> {
        if self.is_empty() {
            return Vec::new();
        }
        let entry = ScoredRow {
            score: to(self.entry),
            row: self.entry,
        };
        (level..=self.top()).rev().fold(vec![entry], |near, level| {
            self.search_level(space, to, (level, UPPER_BEAM_WIDTH), &near)
        })
    }

    /// The nearest rows for the links of a new one.
    pub(super) fn link_candidates(
        &self,
        space: &impl Space,
        to: &impl Fn(u32) -> f32,
        level: u32,
        first: &[ScoredRow],
    ) -> Vec<ScoredRow> {
        self.search_level(space, to, (level, INSERT_BEAM_WIDTH), first)
    }

    /// About `width` rows of a level nearest to the point, best first, beginning at `first`.
    fn search_level(
        &self,
        space: &impl Space,
        to: &impl Fn(u32) -> f32,
        (level, width): (u32, usize),
        first: &[ScoredRow],
    ) -> Vec<ScoredRow> {
        BUFFERS.with_borrow_mut(|buffers| {
            buffers.clear(self.rows());
            buffers.beam.start(width);
            for &near in first {
                buffers.mark_seen(near.row);
                buffers.beam.insert(near);
            }
            self.walk(buffers, space, to, level);
            buffers.beam.rows()
        })
    }

    /// Follow the links of the best row whose links were not followed yet, until there is none in the beam.
    fn walk(
        &self,
        buffers: &mut SearchBuffers,
        space: &impl Space,
        to: &impl Fn(u32) -> f32,
        level: u32,
    ) {
        let mut next = 0;
        while next < buffers.beam.near.len() {
            let (near, done) = &mut buffers.beam.near[next];
            if std::mem::replace(done, true) {
                next += 1;
                continue;
            }
            let row = near.row;
            self.visit_neighbours(buffers, space, row, level);
            for &row in &buffers.neighbours {
                let near = ScoredRow {
                    score: to(row),
                    row,
                };
                if let Some(position) = buffers.beam.insert(near) {
                    next = next.min(position);
                }
            }
        }
    }

    /// The rows linked from `row` that are new, prefetching their values.
    fn visit_neighbours(
        &self,
        buffers: &mut SearchBuffers,
        space: &impl Space,
        row: u32,
        level: u32,
    ) {
        let mut neighbours = std::mem::take(&mut buffers.neighbours);
        neighbours.clear();
        neighbours.extend(
            self.links(row, level)
                .filter(|&other| buffers.mark_seen(other)),
        );
        neighbours.iter().for_each(|&other| space.prefetch(other));
        buffers.neighbours = neighbours;
    }

    /// The same on the lowest level; but if few of these rows pass, each that does not is replaced by the passing rows that it
    /// links to. If there are none it stays itself, since passing rows may lie further on.
    fn visit_passing_neighbours(
        &self,
        buffers: &mut SearchBuffers,
        space: &impl Space,
        row: u32,
        passes: &impl Fn(u32) -> bool,
    ) {
        let mut neighbours = std::mem::take(&mut buffers.neighbours);
        let mut skipped = std::mem::take(&mut buffers.skipped);
        skipped.clear();
        neighbours.clear();
        neighbours.extend(self.links(row, 0).filter(|&other| buffers.mark_seen(other)));
        let passing = neighbours.iter().filter(|&&other| passes(other)).count();
        if neighbours.len() >= FEW_PASS_RATIO * (passing + 1) {
            skipped.extend(neighbours.extract_if(.., |other| !passes(*other)));
        }
        skipped
            .iter()
            .for_each(|&row| prefetch(self.link_slots(row, 0)));
        for &row in &skipped {
            let mut passing = self.links(row, 0).filter(|&other| passes(other)).peekable();
            neighbours.extend(passing.peek().is_none().then_some(row));
            neighbours.extend(passing.filter(|&other| buffers.mark_seen(other)));
        }
        neighbours.iter().for_each(|&other| space.prefetch(other));
        (buffers.neighbours, buffers.skipped) = (neighbours, skipped);
    }
}

/// The best `width` rows that pass.
struct Passing {
    width: usize,
    found: BinaryHeap<std::cmp::Reverse<ScoredRow>>,
}

impl Passing {
    fn new(width: usize) -> Self {
        Self {
            width,
            found: BinaryHeap::with_capacity(width + 1),
        }
    }

    /// The worst of them, once there are `width`.
    fn worst(&self) -> Option<ScoredRow> {
        let full = self.found.len() == self.width;
        self.found.peek().filter(|_| full).map(|worst| worst.0)
    }

    fn offer(&mut self, near: ScoredRow, passes: &impl Fn(u32) -> bool) {
        if passes(near.row) {
            self.found.push(std::cmp::Reverse(near));
            if self.found.len() > self.width {
                self.found.pop();
            }
        }
    }

    fn into_sorted(self) -> Vec<ScoredRow> {
        let sorted = self.found.into_sorted_vec();
        sorted.into_iter().map(|near| near.0).collect()
    }
}
