//! What does the length of a text take from its scores?
//!
//! Invariant: what a term scores in a text depends on its count and the text's [`Measure`] alone.

use crate::KIND_COUNT;
use crate::blocks::ByKind;
use bytemuck::{Pod, Zeroable};

/// How soon repeats of a term stop counting.
pub const K1: f32 = 1.2;
/// How much longer documents are held back.
pub const B: f32 = 0.75;
/// What a text without terms adds under the fraction.
pub const BARE: f32 = K1 * (1.0 - B);

/// What the lengths of texts add under the fraction of BM25, by kind of text.
#[derive(Debug, Clone, Copy)]
pub struct Norms {
    /// What each term of a text adds.
    a_term: ByKind,
}

impl Norms {
    /// Where texts of each kind have these lengths on the average.
    pub fn of(mean_lengths: &ByKind) -> Self {
        Self {
            a_term: mean_lengths.map(|mean| K1 * B / mean),
        }
    }

    /// What each term of a text adds.
    pub fn a_term(&self) -> &ByKind {
        &self.a_term
    }

    /// The fraction: which share of a term's rarity a text scores that holds it so often.
    #[inline]
    pub fn share(&self, count: u32, measure: Measure) -> f32 {
        let under = BARE + self.a_term[measure.kind()] * measure.length() as f32;
        count as f32 / (count as f32 + under)
    }
}

/// How many terms a document has in a field and of which kind it is: all that its scores there depend on beside counts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Measure(u32);

impl Measure {
    /// Of a document of `length` terms.
    pub fn new(length: usize, kind: usize) -> Self {
        Self((length * KIND_COUNT + kind) as u32)
    }

    /// How many terms.
    #[inline]
    pub fn length(self) -> u32 {
        self.0 / KIND_COUNT as u32
    }

    /// Which kind of text.
    #[inline]
    pub fn kind(self) -> usize {
        self.0 as usize % KIND_COUNT
    }

    /// Its place among all measures: shorter texts first.
    pub fn place(self) -> usize {
        self.0 as usize
    }
}
