//! Which number has a string?
//!
//! An open-addressing table over one run of bytes: three arrays, so that a snapshot is opened without being read.
//! Numbers are given in the order of insertion, from 0, and are never taken back.

use crate::IndexError;
use crate::column::Column;
use crate::dot::prefetch;
use crate::snapshot::{Reader, Writer};
use xxhash_rust::xxh3::xxh3_64;

/// The table is doubled when more than this share (in eighths) of its places is taken.
const FULL_EIGHTHS: usize = 5;
const SMALLEST: usize = 16;

/// See the module.
#[derive(Debug, Default)]
pub struct Dictionary {
    /// A power of two of places: 0, or the upper half of the hash above the number plus one.
    slots: Column<u64>,
    /// Where each string ends in `bytes`.
    ends: Column<u32>,
    bytes: Column<u8>,
}

impl Dictionary {
    /// How many strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of a string that is in.
    pub fn number(&self, string: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.find(hash(string), string).ok()
    }

    /// The number of a string, put in if it is new.
    pub fn insert(&mut self, string: &str) -> u32 {
        self.insert_hashed(string, hash(string))
    }

    /// The numbers of strings, those put in that are new.
    pub fn insert_all(&mut self, strings: &[impl AsRef<str>]) -> Vec<u32> {
        let strings = strings.iter().map(AsRef::as_ref);
        let hashes: Vec<u32> = strings.clone().map(hash).collect();
        self.bring_near(&hashes);
        let both = strings.zip(hashes);
        both.map(|(string, hash)| self.insert_hashed(string, hash))
            .collect()
    }

    /// Have what is about to be looked up brought near all at once, not one after another: a large table lies far away.
    fn bring_near(&self, hashes: &[u32]) {
        let Some(mask) = self.slots.len().checked_sub(1) else {
            return;
        };
        let place = |hash: &u32| *hash as usize & mask;
        for place in hashes.iter().map(place) {
            prefetch(self.slots.slice(place..place + 1));
        }
        for slot in hashes.iter().map(|hash| self.slots.get(place(hash))) {
            if slot != 0 {
                prefetch(self.string_bytes(slot as u32 - 1));
            }
        }
    }

    fn insert_hashed(&mut self, string: &str, hash: u32) -> u32 {
        if self.len() * 8 >= self.slots.len() * FULL_EIGHTHS {
            self.double();
        }
        match self.find(hash, string) {
            Ok(number) => number,
            Err(free) => {
                let number = self.len() as u32;
                self.bytes.extend(string.as_bytes());
                self.ends.push(self.bytes.len() as u32);
                self.slots.set(free, slot(hash, number));
                number
            }
        }
    }

    /// The string with a number.
    pub fn string(&self, number: u32) -> &str {
        std::str::from_utf8(self.string_bytes(number)).unwrap_or_default()
    }

    /// Resident bytes, about.
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

    /// Its number, or the free place where it belongs.
    fn find(&self, hash: u32, string: &str) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots.get(place);
            if slot == 0 {
                return Err(place);
            }
            let number = slot as u32 - 1;
            if (slot >> 32) as u32 == hash && self.string_bytes(number) == string.as_bytes() {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
    }

    fn double(&mut self) {
        let mut slots = vec![0; (self.slots.len() * 2).max(SMALLEST)];
        let mask = slots.len() - 1;
        for slot in self.slots.iter().filter(|&slot| slot != 0) {
            let mut place = (slot >> 32) as usize & mask;
            while slots[place] != 0 {
                place = (place + 1) & mask;
            }
            slots[place] = slot;
        }
        self.slots = Column::from(slots);
    }
}

fn hash(string: &str) -> u32 {
    xxh3_64(string.as_bytes()) as u32
}

fn slot(hash: u32, number: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_keeps_its_number_while_the_table_grows() {
        let mut dictionary = Dictionary::default();
        let strings: Vec<String> = (0..5_000).map(|n| format!("語{n}")).collect();
        for (number, string) in strings.iter().enumerate() {
            assert_eq!(dictionary.number(string), None);
            assert_eq!(dictionary.insert(string), number as u32);
        }
        for (number, string) in strings.iter().enumerate() {
            assert_eq!(dictionary.insert(string), number as u32);
            assert_eq!(dictionary.string(number as u32), string);
        }
        let some = ["語7", "新", "語4999", "新"];
        assert_eq!(dictionary.insert_all(&some), [7, 5_000, 4_999, 5_000]);
        assert_eq!(dictionary.insert(""), 5_001);
        assert_eq!(
            (dictionary.number(""), dictionary.len()),
            (Some(5_001), 5_002)
        );
    }
}
