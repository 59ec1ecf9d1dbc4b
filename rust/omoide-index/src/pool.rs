//! Storage for the open ends of many lists.
//!
//! One array for all: each list has a stretch of it with room for 2, 4, 8, ... entries, and moves to another when it is full.
//! Appending to lists in random order then touches a few huge pages, whereas separate allocations would be scattered.
//!
//! Useful for: very many short lists that grow. Not useful for: lists without a bound.
//! Invariant: a list's room follows from its number of entries; free stretches are kept by their room.

use crate::Doc;

/// A document and how often it holds the term.
pub type Entry = (Doc, u32);

/// The smallest room.
const LEAST: u32 = 2;
/// How many sizes of room there are: up to 128 entries.
const ROOMS: usize = 7;

/// See the module.
#[derive(Debug, Default)]
pub struct Pool {
    entries: Vec<Entry>,
    free: [Vec<u32>; ROOMS],
}

/// The room of a list with `count` entries.
fn room(count: u32) -> u32 {
    count.next_power_of_two().max(LEAST)
}

/// Whether a list of `count` entries (at least one) has no room for another.
fn is_full(count: u32) -> bool {
    count >= LEAST && count.is_power_of_two()
}

/// The index of a room among all sizes.
fn rank(room: u32) -> usize {
    (room / LEAST).trailing_zeros() as usize
}

impl Pool {
    /// Append to the list of `count` entries that begins at `start` (ignored if there are none); returns where it begins now.
    #[inline]
    pub fn push(&mut self, start: u32, count: u32, entry: Entry) -> u32 {
        let mut start = start;
        if count == 0 {
            start = self.take(LEAST);
        } else if is_full(count) {
            let wider = self.take(2 * count);
            let held = start as usize..(start + count) as usize;
            self.entries.copy_within(held, wider as usize);
            self.free(start, count);
            start = wider;
        }
        self.entries[(start + count) as usize] = entry;
        start
    }

    /// The entries of a list.
    pub fn get(&self, start: u32, count: u32) -> &[Entry] {
        &self.entries[start as usize..(start + count) as usize]
    }

    /// The last entry of a list, if there is one.
    pub fn last(&self, start: u32, count: u32) -> &[Entry] {
        let held = self.get(start, count);
        &held[held.len().saturating_sub(1)..]
    }

    /// Free the stretch of a list of `count` entries, at least one.
    pub fn free(&mut self, start: u32, count: u32) {
        self.free[rank(room(count))].push(start);
    }

    fn take(&mut self, room: u32) -> u32 {
        self.free[rank(room)].pop().unwrap_or_else(|| {
            let start = self.entries.len();
            self.entries.resize(start + room as usize, (0, 0));
            start as u32
        })
    }

    /// Resident bytes.
    pub fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(Vec::capacity).sum();
        self.entries.capacity() * size_of::<Entry>() + free * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_grow_side_by_side_keep_what_they_hold() {
        let mut pool = Pool::default();
        let mut lists = [(0, 0); 50];
        for round in 0..128 {
            for (number, (start, count)) in lists.iter_mut().enumerate().skip(round as usize % 3) {
                *start = pool.push(*start, *count, (number as u32, *count));
                *count += 1;
            }
        }
        for (number, (start, count)) in lists.into_iter().enumerate() {
            let wanted: Vec<Entry> = (0..count).map(|at| (number as u32, at)).collect();
            assert_eq!(pool.get(start, count), wanted);
            assert_eq!(pool.last(start, count), &wanted[wanted.len() - 1..]);
        }
    }

    #[test]
    fn what_is_given_back_is_used_again() {
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
