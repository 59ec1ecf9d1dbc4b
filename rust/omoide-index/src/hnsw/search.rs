//! What lies nearest to a point: a walk over the links, down the levels and then from the best to what is around it.

use super::{Hnsw, Near, Space};
use crate::dot::prefetch;
use std::cell::RefCell;
use std::collections::BinaryHeap;

/// How many near rows an insertion chooses among.
const BEAM_INSERT: usize = 96;
/// Where no more than one in so many new rows passes, the others are looked behind.
const FEW_PASS: usize = 3;

/// The best so far, best first, and which of them were looked around from.
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

    /// Where it now stands, if it is among the best.
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

/// What one search notes down; kept by each thread from search to search.
#[derive(Default)]
struct Notes {
    seen: Vec<u64>,
    touched: Vec<u32>,
    beam: Beam,
    around: Vec<u32>,
    /// Rows that were looked behind.
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

    /// Whether the row is seen for the first time.
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
    /// About `width` rows nearest to the point that `to` measures from, best first.
    pub fn nearest(&self, space: &impl Space, to: impl Fn(u32) -> f32, width: usize) -> Vec<Near> {
        NOTES.with_borrow_mut(|notes| {
            let Some(first) = self.descend(&to, 1) else {
                return Vec::new();
            };
            self.walk(notes, space, &to, (0, width), first);
            notes.beam.near.iter().map(|near| near.0).collect()
        })
    }

    /// About `width` rows that pass, nearest to the point, best first. `None` when more than `patience` rows were
    /// measured or looked behind: few pass where the point lies.
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

    /// From the entry down to `level`, always to the nearest; `None` where nothing is linked.
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

    /// Look around from the best that was not looked around from, until there is none among the best `width`.
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

    /// The rows linked from `row` that are seen for the first time, on their way to the processor.
    fn look_around(&self, notes: &mut Notes, space: &impl Space, row: u32, level: u32) {
        let mut around = std::mem::take(&mut notes.around);
        around.clear();
        around.extend(self.links(row, level).filter(|&other| notes.see(other)));
        around.iter().for_each(|&other| space.prefetch(other));
        notes.around = around;
    }

    /// The same on the lowest level, but where few of those rows pass, the ones that do not are looked behind: in their
    /// place comes what passes there, or where nothing does they come themselves, for there may be more farther on.
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

/// The best `width` that pass.
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

    /// The worst of them once there are `width`.
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
