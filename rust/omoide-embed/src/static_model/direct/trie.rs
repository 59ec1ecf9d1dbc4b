//! Which keys does a text begin with? A double array of bytes (Aoe 1989), in which a step is one look-up.

use std::ops::Range;

/// The node where a walk begins.
pub const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;
const PARENT_OF_ROOT: u32 = u32::MAX - 1;
const BLOCK: usize = 256;
/// How far back room is looked for before a block is added.
const WINDOW: usize = 16 * BLOCK;

/// The child by `byte` is at `base ^ byte` and names its parent.
#[derive(Clone, Copy)]
struct Unit {
    base: u32,
    parent: u32,
    token: u32,
}

const FREE: Unit = Unit {
    base: 0,
    parent: NONE,
    token: NONE,
};

/// A map from keys to tokens.
pub struct Trie {
    units: Vec<Unit>,
    /// All units before it are taken.
    first_free: usize,
}

type Key = (Vec<u8>, u32);

impl Trie {
    /// A trie of these keys; of equal keys the last one counts.
    pub fn new(mut keys: Vec<Key>) -> Self {
        keys.reverse();
        keys.sort_by(|one, other| one.0.cmp(&other.0));
        keys.dedup_by(|one, other| one.0 == other.0);
        let mut units = vec![FREE; BLOCK];
        units[ROOT as usize].parent = PARENT_OF_ROOT;
        let mut trie = Self {
            units,
            first_free: 1,
        };
        trie.build(&keys);
        trie.units.shrink_to_fit();
        trie
    }

    /// The child of a node by `byte`.
    pub fn step(&self, node: u32, byte: u8) -> Option<u32> {
        let at = self.units[node as usize].base ^ u32::from(byte);
        (self.units[at as usize].parent == node).then_some(at)
    }

    /// The node reached by all the bytes.
    pub fn walk(&self, bytes: &[u8]) -> Option<u32> {
        bytes
            .iter()
            .try_fold(ROOT, |node, &byte| self.step(node, byte))
    }

    /// (length, token) of each key that the bytes begin with, the shortest first, beginning at `node`.
    pub fn prefixes<'a>(
        &'a self,
        mut node: u32,
        bytes: &'a [u8],
    ) -> impl Iterator<Item = (usize, u32)> + 'a {
        let nodes = bytes.iter().map_while(move |&byte| {
            node = self.step(node, byte)?;
            Some(self.units[node as usize].token)
        });
        (1..).zip(nodes).filter(|&(_, token)| token != NONE)
    }

    fn build(&mut self, keys: &[Key]) {
        let mut stack: Vec<(u32, Range<usize>, usize)> = vec![(ROOT, 0..keys.len(), 0)];
        while let Some((node, mut range, depth)) = stack.pop() {
            if keys
                .get(range.start)
                .is_some_and(|key| key.0.len() == depth)
            {
                self.units[node as usize].token = keys[range.start].1;
                range.start += 1;
            }
            let mut start = range.start;
            let children: Vec<(u8, Range<usize>)> = keys[range]
                .chunk_by(|one, other| one.0[depth] == other.0[depth])
                .map(|alike| {
                    start += alike.len();
                    (alike[0].0[depth], start - alike.len()..start)
                })
                .collect();
            if children.is_empty() {
                continue;
            }
            let base = self.find_base(&children);
            self.units[node as usize].base = base;
            for (byte, range) in children {
                let child = base ^ u32::from(byte);
                self.units[child as usize].parent = node;
                stack.push((child, range, depth + 1));
            }
        }
    }

    /// A base at which the places of all these children are free.
    fn find_base(&mut self, children: &[(u8, Range<usize>)]) -> u32 {
        let size = self.units.len();
        self.first_free = self.first_free.max(size.saturating_sub(WINDOW));
        while self.first_free < size && !self.is_free(self.first_free) {
            self.first_free += 1;
        }
        let base_for = |at: usize| at ^ usize::from(children[0].0);
        let fits = |&base: &usize| {
            let mut places = children.iter().map(|child| base ^ usize::from(child.0));
            places.all(|at| self.is_free(at))
        };
        let found = (self.first_free..size).map(base_for).find(fits);
        if found.is_none() {
            self.units.resize(size + BLOCK, FREE);
        }
        found.unwrap_or(size) as u32
    }

    fn is_free(&self, at: usize) -> bool {
        self.units[at].parent == NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_keys_that_a_text_begins_with_are_found(
            keys in prop::collection::vec("[abお茶🍵]{1,4}", 0..60),
            text in "[abcお茶🍵]{0,9}",
        ) {
            let numbered = (0..).zip(&keys).map(|(number, key)| (key.clone().into_bytes(), number));
            let trie = Trie::new(numbered.collect());
            let found: Vec<_> = trie.prefixes(ROOT, text.as_bytes()).collect();
            let expected: Vec<_> = (1..=text.len())
                .filter_map(|length| Some((length, keys.iter().rposition(|key| Some(key.as_str()) == text.get(..length))? as u32)))
                .collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn many_keys_are_all_there_and_no_others() {
        let keys: Vec<String> = (0..30_000_u32)
            .map(|number| format!("{number:x}茶{}", number % 7))
            .collect();
        let trie = Trie::new(
            (0..)
                .zip(&keys)
                .map(|(number, key)| (key.clone().into_bytes(), number))
                .collect(),
        );
        for (number, key) in (0..).zip(&keys) {
            assert_eq!(
                trie.prefixes(ROOT, key.as_bytes()).last(),
                Some((key.len(), number))
            );
        }
        assert_eq!(trie.prefixes(ROOT, "1茶9".as_bytes()).count(), 0);
    }
}
