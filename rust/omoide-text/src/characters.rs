//! A set of characters, one bit each, so that the bits for the characters of one text are near one another.
//!
//! Useful for: sets that are looked up for each character of a text. Not useful for: sets of a few characters, for which a
//! `match` is enough.
//! Invariant: it takes as many bits as its last character needs.

/// A set of characters.
#[derive(Debug, Default)]
pub(crate) struct Characters {
    bits: Vec<u64>,
}

impl Characters {
    pub(crate) fn contains(&self, c: char) -> bool {
        let (word, bit) = word_and_bit(c);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Add a character; returns whether it was new.
    pub(crate) fn insert(&mut self, c: char) -> bool {
        let is_new = !self.contains(c);
        let (word, bit) = word_and_bit(c);
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
        is_new
    }
}

/// The word of the set that holds a character's bit, and the bit.
fn word_and_bit(c: char) -> (usize, u64) {
    (c as usize / 64, 1 << (c as usize % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_characters_are_contained() {
        let mut set = Characters::default();
        assert!(!set.contains('茶'));
        for c in ['\0', '?', '@', '茶', '\u{10ffff}'] {
            assert!(set.insert(c) && !set.insert(c) && set.contains(c), "{c:?}");
        }
        assert!(
            ['>', 'A', '茷', '\u{10fffe}']
                .iter()
                .all(|&c| !set.contains(c))
        );
    }
}
