//! Which documents have the highest scores of those offered so far?
//!
//! Invariant: the order of the offers does not matter; equal scores are ordered by key, the larger first.

use omoide_index::Doc;
use omoide_index::ids::Ids;
use std::cmp::Reverse;

/// Factor by which bounds are raised, to be safe from rounding.
pub const ROUNDING_MARGIN: f64 = 1.000_001;

/// At most twice so much room is allocated in advance.
const MAX_PREALLOCATED: usize = 256;

/// The best so far, and what was offered since the others were last dropped.
pub struct TopK<'a> {
    ids: &'a Ids,
    count: usize,
    best: Vec<Candidate>,
    /// How many there were when the others were last dropped.
    len_after_prune: usize,
    threshold: f64,
}

/// A document with its score.
#[derive(Clone, Copy)]
struct Candidate {
    /// Score above, key below, as one number (larger is better) that can be compared without a branch.
    sort_key: u128,
    score: f32,
    doc: Doc,
}

impl Candidate {
    fn new(doc: Doc, score: f32, key: u64) -> Self {
        let sort_key = u128::from(sortable_bits(score)) << u64::BITS | u128::from(key);
        Self {
            sort_key,
            score,
            doc,
        }
    }
}

/// An integer in the order of scores, as [`f32::total_cmp`] has it.
fn sortable_bits(score: f32) -> u32 {
    let bits = score.to_bits();
    let is_negative = (bits as i32 >> 31) as u32;
    bits ^ (is_negative | 1 << 31)
}

impl<'a> TopK<'a> {
    /// Collects the `count` best (at least one).
    pub fn new(ids: &'a Ids, count: usize) -> Self {
        Self {
            ids,
            count,
            best: Vec::with_capacity(count.min(MAX_PREALLOCATED) * 2),
            len_after_prune: 0,
            threshold: 0.0,
        }
    }

    /// A document that scores less is not among the best; one with the same score may be, by its key.
    pub fn threshold(&mut self) -> f64 {
        self.prune();
        self.threshold
    }

    /// Prefetch what is read of documents that will be offered.
    pub fn prefetch(&self, docs: impl Iterator<Item = Doc>) {
        self.ids.prefetch_keys(docs);
    }

    /// Take a document, which must not be offered twice.
    pub fn offer(&mut self, doc: Doc, score: f32) {
        if f64::from(score) < self.threshold {
            return;
        }
        if self.best.len() >= self.count.saturating_mul(2) {
            self.prune();
        }
        let candidate = Candidate::new(doc, score, self.ids.key(doc));
        self.best.push(candidate);
    }

    /// The best, in order.
    pub fn into_sorted(mut self) -> Vec<(Doc, f32)> {
        self.prune();
        self.best
            .sort_unstable_by_key(|candidate| Reverse(candidate.sort_key));
        let best = self.best.into_iter();
        best.map(|best| (best.doc, best.score)).collect()
    }

    /// Drop all but the best: doing so for many at once is faster than finding the worst at each offer.
    fn prune(&mut self) {
        if self.best.len() < self.count || self.best.len() == self.len_after_prune {
            return;
        }
        let by_sort_key = |candidate: &Candidate| Reverse(candidate.sort_key);
        let (_, worst, _) = self
            .best
            .select_nth_unstable_by_key(self.count - 1, by_sort_key);
        self.threshold = f64::from(worst.score) / ROUNDING_MARGIN;
        self.best.truncate(self.count);
        self.len_after_prune = self.count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sortable_bits_are_in_the_order_of_scores() {
        let mut scores = [0.0, -0.0, 1.0, -1.0, 0.5, f32::MIN_POSITIVE, f32::MAX, -3.5];
        scores.sort_by(f32::total_cmp);
        assert!(scores.is_sorted_by_key(|&score| sortable_bits(score)));
    }

    #[test]
    fn the_best_are_the_same_however_often_the_threshold_is_read() {
        let mut ids = Ids::default();
        (0..200).for_each(|key| _ = ids.insert(key, true));
        let scored = (0..200).map(|doc: Doc| (doc, (doc * 37 % 23) as f32));
        for count in [1, 7, 40, 250] {
            let wanted = ids.best(scored.clone().collect(), count);
            for step in [1, 3, 300] {
                let mut top = TopK::new(&ids, count);
                for (at, (doc, score)) in scored.clone().enumerate() {
                    top.offer(doc, score);
                    if at % step == 0 {
                        assert!(top.threshold() <= f64::from(wanted[wanted.len() - 1].1));
                    }
                }
                assert_eq!(top.into_sorted(), wanted, "{count} {step}");
            }
        }
    }
}
