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
    pub(crate) fn has(&self, c: char) -> bool {
        let (word, bit) = place(c);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Add a character; returns whether it was new.
    pub(crate) fn put(&mut self, c: char) -> bool {
        let is_new = !self.has(c);
        let (word, bit) = place(c);
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
        is_new
    }
}

/// The word of the set that holds a character's bit, and the bit.
fn place(c: char) -> (usize, u64) {
    (c as usize / 64, 1 << (c as usize % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_there_is_there() {
        let mut set = Characters::default();
        assert!(!set.has('茶'));
        for c in ['\0', '?', '@', '茶', '\u{10ffff}'] {
            assert!(set.put(c) && !set.put(c) && set.has(c), "{c:?}");
        }
        assert!(['>', 'A', '茷', '\u{10fffe}'].iter().all(|&c| !set.has(c)));
    }
}
