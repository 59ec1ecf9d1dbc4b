//! Which documents have the highest scores of those offered so far?
//!
//! Invariant: the order of the offers is no matter; equal scores stand by key, the larger first.

use omoide_index::Doc;
use omoide_index::ids::Ids;

/// What bounds are raised by against the rounding of what they bound.
pub const CAUTION: f64 = 1.000_001;

/// The best so far.
pub struct Top<'a> {
    ids: &'a Ids,
    count: usize,
    /// The best, and what was offered since they were last told from the rest.
    offered: Vec<(Doc, f32)>,
    threshold: f64,
}

impl<'a> Top<'a> {
    /// None yet of the `count` best, at least one.
    pub fn new(ids: &'a Ids, count: usize) -> Self {
        Self {
            ids,
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

    pub fn offer(&mut self, doc: Doc, score: f32) {
        if f64::from(score) < self.threshold {
            return;
        }
        self.offered.push((doc, score));
        // Telling the best from as many again costs little for each.
        if self.offered.len() > 2 * self.count {
            self.settle();
        }
    }

    pub fn into_sorted(self) -> Vec<(Doc, f32)> {
        self.ids.best(self.offered, self.count)
    }

    /// Keep the best alone.
    fn settle(&mut self) {
        if self.offered.len() > self.count {
            let worst = self.count - 1;
            let order = |a: &(Doc, f32), b: &(Doc, f32)| self.ids.compare(*a, *b);
            self.offered.select_nth_unstable_by(worst, order);
            self.offered.truncate(self.count);
            self.threshold = f64::from(self.offered[worst].1) / CAUTION;
        }
    }
}
