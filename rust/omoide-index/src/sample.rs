//! A few documents that represent all.
//!
//! They are those whose keys have the smallest hashes: as good as a random choice, and the same for the same documents in
//! whatever order they were added and removed.
//! Useful for: what is usual in a store. Not useful for: questions about certain documents.
//! Invariant: the keys kept are those with the smallest hashes of all.

use std::collections::BTreeSet;

/// The size of the sample. A mean over it is off by a tenth of the spread.
pub const SIZE: usize = 128;
/// More keys are kept, so that a few removals do not require a new choice.
const MAX_KEPT: usize = 2 * SIZE;

/// The keys with the smallest hashes.
#[derive(Debug)]
pub struct Sample {
    smallest: BTreeSet<(u64, u64)>,
    /// Keys with larger hashes are not kept.
    bound: u64,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            smallest: BTreeSet::new(),
            bound: u64::MAX,
        }
    }
}

impl FromIterator<u64> for Sample {
    fn from_iter<I: IntoIterator<Item = u64>>(keys: I) -> Self {
        let mut sample = Self::default();
        keys.into_iter().for_each(|key| sample.insert(key));
        sample
    }
}

impl Sample {
    /// Add a document.
    pub fn insert(&mut self, key: u64) {
        let hash = mix64(key);
        if hash > self.bound {
            return;
        }
        self.smallest.insert((hash, key));
        if self.smallest.len() > MAX_KEPT {
            self.smallest.pop_last();
            self.bound = self.smallest.last().map_or(u64::MAX, |last| last.0);
        }
    }

    /// Remove a document.
    pub fn remove(&mut self, key: u64) {
        self.smallest.remove(&(mix64(key), key));
    }

    /// Whether so many were removed that the sample has to be chosen again.
    pub fn is_depleted(&self) -> bool {
        self.bound < u64::MAX && self.smallest.len() < SIZE
    }

    /// At most [`SIZE`] keys.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.smallest.iter().take(SIZE).map(|&(_, key)| key)
    }
}

/// Whether a key is in a random sample of about [`SIZE`] out of `of`.
pub fn is_sampled(key: u64, of: usize) -> bool {
    mix64(key) / SIZE as u64 <= u64::MAX / of.max(SIZE) as u64
}

/// A hash of a key that maps no two keys to one (the end of splitmix64, Steele, Lea and Flood 2014).
pub(crate) fn mix64(key: u64) -> u64 {
    let first = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let second = (first ^ (first >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    second ^ (second >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(sample: &Sample) -> Vec<u64> {
        sample.keys().collect()
    }

    #[test]
    fn a_small_set_is_sampled_whole() {
        let mut found = keys(&(0..100).collect());
        found.sort_unstable();
        assert_eq!(found, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn about_so_many_are_sampled_and_small_sets_whole() {
        let sampled = |of: u64| (0..of).filter(|&key| is_sampled(key, of as usize)).count();
        assert_eq!(sampled(100), 100);
        assert!(sampled(100_000).abs_diff(SIZE) < SIZE / 3);
    }

    #[test]
    fn the_order_of_insertion_does_not_matter() {
        let (up, down): (Sample, Sample) = ((0..5_000).collect(), (0..5_000).rev().collect());
        assert_eq!(keys(&up), keys(&down));
        assert_eq!(keys(&up).len(), SIZE);
    }

    #[test]
    fn removals_leave_the_sample_of_the_remaining_keys() {
        let mut sample: Sample = (0..5_000).collect();
        let (mut removed, mut renewed) = (0, 0);
        while removed < 4_990 {
            sample.remove(removed);
            removed += 1;
            if sample.is_depleted() {
                sample = (removed..5_000).collect();
                renewed += 1;
            }
            if removed % 500 == 0 {
                assert_eq!(
                    keys(&sample),
                    keys(&(removed..5_000).collect()),
                    "{removed}"
                );
            }
        }
        assert!(renewed > 0);
    }
}
