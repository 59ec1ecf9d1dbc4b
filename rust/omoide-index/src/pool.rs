//! An arena for the open postings of many lists.
//!
//! One array for all: each list has a stretch of it with a capacity of 2, 4, 8, ... postings, and moves to a larger one when it is
//! full. Appending to lists in random order then touches a few huge pages, whereas separate allocations would be scattered.
//!
//! Useful for: very many short lists that grow. Not useful for: lists without a bound.
//! Invariant: a list's capacity follows from its number of postings; free stretches are kept by capacity.

use crate::Doc;

/// A document and how often it contains the term.
pub type Posting = (Doc, u32);

/// The smallest capacity.
const MIN_CAPACITY: u32 = 2;
/// How many capacities there are: up to 128 postings.
const SIZE_CLASSES: usize = 7;

/// See the module.
#[derive(Debug, Default)]
pub struct Pool {
    postings: Vec<Posting>,
    free: [Vec<u32>; SIZE_CLASSES],
}

/// The capacity of a list with `count` postings.
fn capacity(count: u32) -> u32 {
    count.next_power_of_two().max(MIN_CAPACITY)
}

/// Whether a list of `count` postings (at least one) has no room for another.
fn is_full(count: u32) -> bool {
    count >= MIN_CAPACITY && count.is_power_of_two()
}

/// The index of a capacity among all of them.
fn size_class(capacity: u32) -> usize {
    (capacity / MIN_CAPACITY).trailing_zeros() as usize
}

impl Pool {
    /// Append to the list of `count` postings that begins at `start` (ignored if there are none); returns where it begins now.
    #[inline]
    pub fn push(&mut self, start: u32, count: u32, posting: Posting) -> u32 {
        let mut start = start;
        if count == 0 {
            start = self.allocate(MIN_CAPACITY);
        } else if is_full(count) {
            let new_start = self.allocate(2 * count);
            let range = start as usize..(start + count) as usize;
            self.postings.copy_within(range, new_start as usize);
            self.free(start, count);
            start = new_start;
        }
        self.postings[(start + count) as usize] = posting;
        start
    }

    /// The postings of a list.
    pub fn get(&self, start: u32, count: u32) -> &[Posting] {
        &self.postings[start as usize..(start + count) as usize]
    }

    /// The last posting of a list, if there is one.
    pub fn last(&self, start: u32, count: u32) -> &[Posting] {
        let range = self.get(start, count);
        &range[range.len().saturating_sub(1)..]
    }

    /// Free the stretch of a list of `count` postings, at least one.
    pub fn free(&mut self, start: u32, count: u32) {
        self.free[size_class(capacity(count))].push(start);
    }

    fn allocate(&mut self, capacity: u32) -> u32 {
        self.free[size_class(capacity)].pop().unwrap_or_else(|| {
            let start = self.postings.len();
            self.postings.resize(start + capacity as usize, (0, 0));
            start as u32
        })
    }

    /// Resident bytes.
    pub fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(Vec::capacity).sum();
        self.postings.capacity() * size_of::<Posting>() + free * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_grow_side_by_side_keep_their_postings() {
        let mut pool = Pool::default();
        let mut lists = [(0, 0); 50];
        for round in 0..128 {
            for (number, (start, count)) in lists.iter_mut().enumerate().skip(round as usize % 3) {
                *start = pool.push(*start, *count, (number as u32, *count));
                *count += 1;
            }
        }
        for (number, (start, count)) in lists.into_iter().enumerate() {
            let wanted: Vec<Posting> = (0..count).map(|at| (number as u32, at)).collect();
            assert_eq!(pool.get(start, count), wanted);
            assert_eq!(pool.last(start, count), &wanted[wanted.len() - 1..]);
        }
    }

    #[test]
    fn freed_stretches_are_used_again() {
        let mut pool = Pool::default();
        let mut sizes = Vec::new();
        for _ in 0..9 {
            let start = (0..128).fold(0, |start, count| pool.push(start, count, (count, 1)));
            pool.free(start, 128);
            sizes.push(pool.bytes());
        }
        assert_eq!(sizes[1..], vec![sizes[0]; 8]);
    }
}
