//! Which documents have the highest scores of those offered so far?
//!
//! Invariant: the order of the offers is no matter; equal scores stand by key, the larger first.

use omoide_index::Doc;
use omoide_index::ids::Ids;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What bounds are raised by against the rounding of what they bound.
pub const CAUTION: f64 = 1.000_001;

/// The best so far.
pub struct Top<'a> {
    ids: &'a Ids,
    count: usize,
    /// The worst of them on top.
    best: BinaryHeap<Reverse<Offered>>,
    threshold: f64,
}

/// A document with its score, the greater the better it is.
struct Offered {
    score: f32,
    key: u64,
    doc: Doc,
}

impl Ord for Offered {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_key = || self.key.cmp(&other.key);
        self.score.total_cmp(&other.score).then_with(by_key)
    }
}

impl PartialOrd for Offered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Offered {}

impl<'a> Top<'a> {
    /// None yet of the `count` best, at least one.
    pub fn new(ids: &'a Ids, count: usize) -> Self {
        Self {
            ids,
            count,
            best: BinaryHeap::new(),
            threshold: 0.0,
        }
    }

    /// A document below it is not among the best; one level with it may be, by its key.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Have what is read of documents that will be offered brought near.
    pub fn bring_near(&self, docs: impl Iterator<Item = Doc>) {
        self.ids.bring_near(docs);
    }

    pub fn offer(&mut self, doc: Doc, score: f32) {
        if f64::from(score) < self.threshold {
            return;
        }
        let key = self.ids.key(doc);
        let offered = Reverse(Offered { score, key, doc });
        if self.best.len() < self.count {
            self.best.push(offered);
        } else if let Some(mut worst) = self.best.peek_mut()
            && offered < *worst
        {
            *worst = offered;
        }
        self.renew();
    }

    pub fn into_sorted(self) -> Vec<(Doc, f32)> {
        let best = self.best.into_sorted_vec().into_iter();
        best.map(|Reverse(best)| (best.doc, best.score)).collect()
    }

    fn renew(&mut self) {
        if let Some(Reverse(worst)) = self.best.peek()
            && self.best.len() == self.count
        {
            self.threshold = f64::from(worst.score) / CAUTION;
        }
    }
}
