//! Which documents have the highest scores of those offered so far?
//!
//! Invariant: the order of the offers is no matter; equal scores stand by key, the larger first.

use omoide_index::Doc;
use std::cmp::Ordering;

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
    /// The best, and what was offered since they were last told from the rest.
    offered: Vec<Candidate>,
    threshold: f64,
}

impl Top {
    /// None yet of the `count` best, at least one.
    pub fn new(count: usize) -> Self {
        Self {
            count,
            offered: Vec::new(),
            threshold: 0.0,
        }
    }

    /// A document below it is not among the best; one level with it may be, by its key.
    pub fn threshold(&mut self) -> f64 {
        self.settle();
        self.threshold
    }

    pub fn offer(&mut self, candidate: Candidate) {
        if f64::from(candidate.score) < self.threshold {
            return;
        }
        self.offered.push(candidate);
        // Telling the best from as many again costs little for each.
        if self.offered.len() > 2 * self.count {
            self.settle();
        }
    }

    pub fn into_sorted(mut self) -> Vec<(Doc, f32)> {
        self.settle();
        self.offered.sort_unstable_by(|a, b| b.cmp(a));
        let sorted = self.offered.into_iter();
        sorted.map(|each| (each.doc, each.score)).collect()
    }

    /// Keep the best alone.
    fn settle(&mut self) {
        if self.offered.len() > self.count {
            let worst = self.count - 1;
            self.offered.select_nth_unstable_by(worst, |a, b| b.cmp(a));
            self.offered.truncate(self.count);
            self.threshold = f64::from(self.offered[worst].score) / CAUTION;
        }
    }
}
