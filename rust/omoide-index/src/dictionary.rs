//! A map from strings to numbers.
//!
//! An open-addressing hash table beside the bytes of all strings: three arrays, so that a snapshot is opened without being
//! read. Short strings are in their slots, so that one memory access finds their number.
//! Numbers are given in the order of insertion, from 0, and are never reused.

use crate::IndexError;
use crate::column::Column;
use crate::prefetch::prefetch;
use crate::snapshot::{Reader, Writer};
use bytemuck::{Pod, Zeroable};
use std::slice::from_ref;
use xxhash_rust::xxh3::xxh3_64;

/// The table is doubled when more than this share of its slots (in eighths) is taken.
const MAX_LOAD_EIGHTHS: usize = 5;
const MIN_SLOTS: usize = 16;
/// Shorter strings (in bytes) are their own keys, with their length in the top byte.
const LONG_FROM: usize = 8;
/// The top byte of a longer string's key; the rest is a hash.
const IS_LONG: u64 = 0xff << 56;
/// A multiplier for hashing: odd, with irregular bits.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// A slot of the table.
#[derive(Debug, Default, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Slot {
    key: u64,
    /// The string's number plus one; 0 if the slot is free.
    number_plus_one: u32,
    padding: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Dictionary {
    /// A power of two of slots.
    slots: Column<Slot>,
    /// Where each string ends in `bytes`.
    ends: Column<u32>,
    bytes: Column<u8>,
}

impl Dictionary {
    /// The number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of a string; `None` if it is unknown.
    pub fn number(&self, string: &str) -> Option<u32> {
        self.find(key(string.as_bytes()), string)
    }

    /// The numbers of several strings, with prefetching: the slots of a large table are far apart in memory.
    pub fn numbers<'s>(
        &self,
        strings: impl Iterator<Item = &'s str> + Clone,
    ) -> impl Iterator<Item = Option<u32>> {
        let keys: Vec<u64> = strings.clone().map(|each| key(each.as_bytes())).collect();
        self.prefetch_slots(&keys);
        let both = strings.zip(keys);
        both.map(|(string, key)| self.find(key, string))
    }

    /// The number of a string; adds it if it is new.
    pub fn insert(&mut self, string: &str) -> u32 {
        self.insert_keyed(string, key(string.as_bytes()))
    }

    /// The numbers of strings; adds those that are new.
    pub fn insert_all(&mut self, strings: &[impl AsRef<str>]) -> Vec<u32> {
        let strings = strings.iter().map(AsRef::as_ref);
        let keys: Vec<u64> = strings.clone().map(|each| key(each.as_bytes())).collect();
        self.prefetch_slots(&keys);
        let both = strings.zip(keys);
        both.map(|(string, key)| self.insert_keyed(string, key))
            .collect()
    }

    /// Prefetch all slots that are about to be looked up, so that the memory accesses overlap.
    fn prefetch_slots(&self, keys: &[u64]) {
        let table = self.table();
        if table.is_empty() {
            return;
        }
        for &key in keys {
            prefetch(from_ref(&table[home_slot(table, key)]));
        }
        for &key in keys.iter().filter(|&&key| is_long(key)) {
            let slot = table[home_slot(table, key)];
            if slot.key == key && slot.number_plus_one > 0 {
                prefetch(self.string_bytes(slot.number_plus_one - 1));
            }
        }
    }

    #[inline]
    fn insert_keyed(&mut self, string: &str, key: u64) -> u32 {
        let known = self.find(key, string);
        known.unwrap_or_else(|| self.insert_new(string, key))
    }

    fn insert_new(&mut self, string: &str, key: u64) -> u32 {
        if self.len() * 8 >= self.slots.len() * MAX_LOAD_EIGHTHS {
            self.grow();
        }
        let number = self.len() as u32;
        self.bytes.extend(string.as_bytes());
        self.ends.push(self.bytes.len() as u32);
        let free = probe(self.table(), key, |_| false);
        self.slots.set(free, slot(key, number + 1));
        number
    }

    /// The string with this number.
    pub fn string(&self, number: u32) -> &str {
        std::str::from_utf8(self.string_bytes(number)).unwrap_or_default()
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.slots.bytes() + self.ends.bytes() + self.bytes.bytes()
    }

    pub(crate) fn write(&self, name: &str, out: &mut Writer) -> Result<(), IndexError> {
        out.column(&format!("{name}.slots"), &self.slots)?;
        out.column(&format!("{name}.ends"), &self.ends)?;
        out.column(&format!("{name}.bytes"), &self.bytes)
    }

    pub(crate) fn read(name: &str, from: &Reader) -> Result<Self, IndexError> {
        Ok(Self {
            slots: from.column(&format!("{name}.slots"))?,
            ends: from.column(&format!("{name}.ends"))?,
            bytes: from.column(&format!("{name}.bytes"))?,
        })
    }

    fn string_bytes(&self, number: u32) -> &[u8] {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get(before));
        self.bytes.slice(start as usize..self.ends.get(at) as usize)
    }

    /// The number of a string, given with its key.
    #[inline]
    fn find(&self, key: u64, string: &str) -> Option<u32> {
        let table = self.table();
        if table.is_empty() {
            return None;
        }
        let holds = |number: u32| self.string_bytes(number) == string.as_bytes();
        let is_it =
            |slot: &Slot| slot.key == key && (!is_long(key) || holds(slot.number_plus_one - 1));
        table[probe(table, key, is_it)]
            .number_plus_one
            .checked_sub(1)
    }

    /// All slots. They are contiguous, since the table is only ever replaced as a whole.
    #[inline]
    fn table(&self) -> &[Slot] {
        self.slots.slice(0..self.slots.len())
    }

    fn grow(&mut self) {
        let mut slots = vec![Slot::default(); (self.slots.len() * 2).max(MIN_SLOTS)];
        for slot in self.slots.iter().filter(|slot| slot.number_plus_one > 0) {
            let free = probe(&slots, slot.key, |_| false);
            slots[free] = slot;
        }
        self.slots = Column::from(slots);
    }
}

/// Where the search for a key begins, in a table that is not empty.
fn home_slot(table: &[Slot], key: u64) -> usize {
    fold_multiply(key) as usize & (table.len() - 1)
}

/// The first slot from there on that is free or the one looked for.
#[inline]
fn probe(table: &[Slot], key: u64, is_it: impl Fn(&Slot) -> bool) -> usize {
    let mut at = home_slot(table, key);
    while table[at].number_plus_one > 0 && !is_it(&table[at]) {
        at = (at + 1) & (table.len() - 1);
    }
    at
}

fn slot(key: u64, number_plus_one: u32) -> Slot {
    Slot {
        key,
        number_plus_one,
        padding: 0,
    }
}

/// A key that is unique for a short string and nearly unique for a long one.
fn key(string: &[u8]) -> u64 {
    let (len, byte) = (string.len(), |at: usize| u64::from(string[at]) << (at * 8));
    let letters = match string {
        [] => 0,
        [_, _, _, _, ..] if len >= LONG_FROM => return xxh3_64(string) | IS_LONG,
        [a, b, c, d, ..] => {
            let last = [len - 4, len - 3, len - 2, len - 1].map(|at| string[at]);
            let first = u32::from_le_bytes([*a, *b, *c, *d]);
            u64::from(first) | u64::from(u32::from_le_bytes(last)) << ((len - 4) * 8)
        }
        _ => byte(0) | byte(len / 2) | byte(len - 1),
    };
    letters | (len as u64) << 56
}

fn is_long(key: u64) -> bool {
    key >= IS_LONG
}

/// Folds both halves of a product together, so that every bit of a key affects the lowest ones.
fn fold_multiply(key: u64) -> u64 {
    let product = u128::from(key ^ MIX) * u128::from(MIX);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_keeps_its_number_while_the_table_grows() {
        let mut dictionary = Dictionary::default();
        let common = "語".repeat(3);
        let string = |n: usize| format!("{}{n}", &common[..n % 4 * 3]);
        let strings: Vec<String> = (0..5_000).map(string).collect();
        for (number, string) in strings.iter().enumerate() {
            assert_eq!(dictionary.number(string), None);
            assert_eq!(dictionary.insert(string), number as u32);
        }
        for (number, string) in strings.iter().enumerate() {
            assert_eq!(dictionary.insert(string), number as u32);
            assert_eq!(dictionary.string(number as u32), string);
        }
        let some = ["語語語7", "新", "語語語4999", "新", "a", "a\0", "aa"];
        assert_eq!(
            dictionary.insert_all(&some),
            [7, 5_000, 4_999, 5_000, 5_001, 5_002, 5_003]
        );
        assert_eq!(dictionary.insert(""), 5_004);
        assert_eq!(
            (dictionary.number(""), dictionary.len()),
            (Some(5_004), 5_005)
        );
    }
}
