//! Which documents have the highest scores of those offered so far?
//!
//! Invariant: the order of the offers is no matter; equal scores stand by key, the larger first.

use omoide_index::Doc;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What bounds are raised by against the rounding of what they bound.
pub const CAUTION: f64 = 1.000_001;

/// A document and its score; the greater one comes first.
#[derive(PartialEq)]
pub struct Candidate {
    pub score: f32,
    pub key: u64,
    pub doc: Doc,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(self.key.cmp(&other.key))
    }
}

/// The best so far.
pub struct Top {
    count: usize,
    best: BinaryHeap<Reverse<Candidate>>,
}

impl Top {
    /// None yet of the `count` best.
    pub fn new(count: usize) -> Self {
        Self {
            count,
            best: BinaryHeap::new(),
        }
    }

    /// A document below it is not among the best; one level with it may be, by its key.
    pub fn threshold(&self) -> f64 {
        let full = self.best.len() == self.count;
        let worst = self.best.peek().filter(|_| full);
        worst.map_or(0.0, |worst| f64::from(worst.0.score) / CAUTION)
    }

    pub fn offer(&mut self, candidate: Candidate) {
        if self.best.len() < self.count {
            self.best.push(Reverse(candidate));
        } else if let Some(mut worst) = self.best.peek_mut()
            && candidate > worst.0
        {
            *worst = Reverse(candidate);
        }
    }

    pub fn into_sorted(self) -> Vec<(Doc, f32)> {
        let sorted = self.best.into_sorted_vec();
        sorted
            .into_iter()
            .map(|each| (each.0.doc, each.0.score))
            .collect()
    }
}
