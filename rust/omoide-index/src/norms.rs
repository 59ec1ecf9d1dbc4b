//! How does the length of a text affect its scores?
//!
//! As in Lucene's BM25 (Robertson and Zaragoza 2009, without the constant factor k1 + 1), with the mean length of texts of the same
//! kind.
//!
//! Invariant: the score of a term in a text depends only on its count and the text's [`FieldNorm`].

use crate::KIND_COUNT;
use crate::blocks::ByKind;
use bytemuck::{Pod, Zeroable};

/// BM25's k1: how soon repeats of a term stop counting.
pub const K1: f32 = 1.2;
/// BM25's b: how much longer documents are penalised.
pub const B: f32 = 0.75;
/// What a text without terms adds to the denominator.
pub const EMPTY_TEXT_NORM: f32 = K1 * (1.0 - B);

/// What the length of a text adds to the denominator of BM25, by kind of text.
#[derive(Debug, Clone, Copy)]
pub struct Norms {
    /// What each term of a text adds.
    per_term: ByKind,
}

impl Norms {
    /// For these mean lengths of the texts of each kind.
    pub fn of(mean_lengths: &ByKind) -> Self {
        Self {
            per_term: mean_lengths.map(|mean| K1 * B / mean),
        }
    }

    /// What each term of a text adds.
    pub fn per_term(&self) -> &ByKind {
        &self.per_term
    }

    /// BM25's count / (count + norm): the share of a term's inverse document frequency that a text scores for so many occurrences.
    #[inline]
    pub fn tf_factor(&self, count: u32, field_norm: FieldNorm) -> f32 {
        let norm = EMPTY_TEXT_NORM + self.per_term[field_norm.kind()] * field_norm.length() as f32;
        count as f32 / (count as f32 + norm)
    }
}

/// A document's number of terms in a field and its kind: all that its scores there depend on, apart from counts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct FieldNorm(u32);

impl FieldNorm {
    /// The norm of a document with `length` terms.
    pub fn new(length: usize, kind: usize) -> Self {
        Self((length * KIND_COUNT + kind) as u32)
    }

    /// The number of terms.
    #[inline]
    pub fn length(self) -> u32 {
        self.0 / KIND_COUNT as u32
    }

    /// The kind of text.
    #[inline]
    pub fn kind(self) -> usize {
        self.0 as usize % KIND_COUNT
    }
}
