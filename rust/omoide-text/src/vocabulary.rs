//! A cache: which term is each word found by?
//!
//! Useful for: stems, which a Python library makes, once for each word. Not useful for: Chinese and Japanese.
//! Invariant: safe to use from any thread; words dropped from the cache are asked for again.

use compact_str::CompactString;
use parking_lot::{RwLock, RwLockReadGuard};
use rustc_hash::{FxHashMap, FxHashSet};

/// Words in the cache; texts repeat their words.
const MAX_CACHED: usize = 65_536;

/// A term, and whether it is a function word.
pub type Term = (CompactString, bool);

/// Terms by word, locked for reading.
pub type KnownTerms<'a> = RwLockReadGuard<'a, FxHashMap<CompactString, Term>>;

/// A cache of the words met so far.
#[derive(Debug)]
pub struct Vocabulary {
    function_words: FxHashSet<CompactString>,
    /// Those that can end a phrasal verb which is also written as one word: "log in", "set up".
    particles: FxHashSet<CompactString>,
    terms: RwLock<FxHashMap<CompactString, Term>>,
}

impl Vocabulary {
    /// An empty cache.
    pub fn new(
        function_words: impl IntoIterator<Item = String>,
        particles: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            function_words: function_words.into_iter().map(Into::into).collect(),
            particles: particles.into_iter().map(Into::into).collect(),
            terms: RwLock::default(),
        }
    }

    /// The terms of the words known so far; `learn` waits until this lock is released.
    pub fn known(&self) -> KnownTerms<'_> {
        self.terms.read()
    }

    /// Add the terms of words.
    pub fn learn(&self, learned: impl IntoIterator<Item = (CompactString, Term)>) {
        let mut terms = self.terms.write();
        if terms.len() >= MAX_CACHED {
            terms.clear();
        }
        terms.extend(learned);
    }

    /// Whether two words may also be written as one: not "a way", "the red" or "favor it".
    pub fn may_be_one(&self, first: &str, second: &str) -> bool {
        !self.function_words.contains(first)
            && (!self.function_words.contains(second) || self.particles.contains(second))
    }
}
