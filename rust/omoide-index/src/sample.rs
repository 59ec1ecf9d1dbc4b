//! Which few documents stand for all?
//!
//! Those whose keys, stirred, are the smallest: a choice as good as drawing lots, and the same for the same documents in
//! whatever order they came and went.
//! Useful for: what is usual in a store. Not useful for: anything that asks for a certain document.
//! Invariant: what is kept are the smallest of all.

use std::collections::BTreeSet;

/// How many stand for all. A mean over them is off by a tenth of the spread.
pub const SIZE: usize = 128;
/// More are kept, so that few removals make another choice necessary.
const KEPT: usize = 2 * SIZE;

/// The keys that stirring makes smallest.
#[derive(Debug)]
pub struct Sample {
    smallest: BTreeSet<(u64, u64)>,
    /// What is stirred to more is not kept.
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
    /// A document has come.
    pub fn insert(&mut self, key: u64) {
        let place = stirred(key);
        if place > self.bound {
            return;
        }
        self.smallest.insert((place, key));
        if self.smallest.len() > KEPT {
            self.smallest.pop_last();
            self.bound = self.smallest.last().map_or(u64::MAX, |last| last.0);
        }
    }

    /// A document has gone.
    pub fn remove(&mut self, key: u64) {
        self.smallest.remove(&(stirred(key), key));
    }

    /// Whether so many have gone that others must be chosen.
    pub fn is_thin(&self) -> bool {
        self.bound < u64::MAX && self.smallest.len() < SIZE
    }

    /// At most [`SIZE`] keys.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.smallest.iter().take(SIZE).map(|&(_, key)| key)
    }
}

/// Whether the lot falls on a key, where about [`SIZE`] of so many are wanted.
pub fn is_drawn(key: u64, of: usize) -> bool {
    stirred(key) / SIZE as u64 <= u64::MAX / of.max(SIZE) as u64
}

/// A key with its bits mixed (the end of splitmix64, Steele, Lea and Flood 2014): one to one.
pub(crate) fn stirred(key: u64) -> u64 {
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
    fn all_of_a_few_stand_for_themselves() {
        let mut found = keys(&(0..100).collect());
        found.sort_unstable();
        assert_eq!(found, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn about_so_many_are_drawn_and_all_of_a_few() {
        let drawn = |of: u64| (0..of).filter(|&key| is_drawn(key, of as usize)).count();
        assert_eq!(drawn(100), 100);
        assert!(drawn(100_000).abs_diff(SIZE) < SIZE / 3);
    }

    #[test]
    fn the_order_of_coming_is_no_matter() {
        let (up, down): (Sample, Sample) = ((0..5_000).collect(), (0..5_000).rev().collect());
        assert_eq!(keys(&up), keys(&down));
        assert_eq!(keys(&up).len(), SIZE);
    }

    #[test]
    fn those_that_went_leave_the_same_as_if_they_had_never_come() {
        let mut sample: Sample = (0..5_000).collect();
        let (mut gone, mut renewed) = (0, 0);
        while gone < 4_990 {
            sample.remove(gone);
            gone += 1;
            if sample.is_thin() {
                sample = (gone..5_000).collect();
                renewed += 1;
            }
            if gone % 500 == 0 {
                assert_eq!(keys(&sample), keys(&(gone..5_000).collect()), "{gone}");
            }
        }
        assert!(renewed > 0);
    }
}
