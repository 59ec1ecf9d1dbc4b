//! Which term is a word found by, as far as has been told?
//!
//! Useful for: stems, which a library for Python makes, once for each word. Not useful for: Chinese and Japanese.
//! Invariant: safe from any thread; what has been forgotten is asked for again.

use compact_str::CompactString;
use parking_lot::{RwLock, RwLockReadGuard};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many words are remembered; texts repeat theirs.
const REMEMBERED: usize = 65_536;

/// A term, and whether it says too little to ask for.
pub type Term = (CompactString, bool);

/// Terms by their words.
pub type KnownTerms<'a> = RwLockReadGuard<'a, FxHashMap<CompactString, Term>>;

/// The words met so far.
#[derive(Debug)]
pub struct Vocabulary {
    function_words: FxHashSet<CompactString>,
    /// Those of them that end a verb which is also written as one: "log in", "set up".
    particles: FxHashSet<CompactString>,
    terms: RwLock<FxHashMap<CompactString, Term>>,
}

impl Vocabulary {
    /// Nothing has been met.
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

    /// The terms of words, as far as they have been told; nothing is learned while they are looked into.
    pub fn known(&self) -> KnownTerms<'_> {
        self.terms.read()
    }

    /// Remember the terms of words.
    pub fn learn(&self, told: impl IntoIterator<Item = (CompactString, Term)>) {
        let mut terms = self.terms.write();
        if terms.len() >= REMEMBERED {
            terms.clear();
        }
        terms.extend(told);
    }

    /// Whether two words may also be written as one: not "a way", "the red" or "favor it".
    pub fn may_be_one(&self, first: &str, second: &str) -> bool {
        !self.function_words.contains(first)
            && (!self.function_words.contains(second) || self.particles.contains(second))
    }
}
