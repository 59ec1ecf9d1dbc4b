//! What does a term score in a document?
//!
//! Scores are integers, in steps so fine that all terms of a query together reach at most half of what an `i32` holds: sums are
//! the same in any order, and their bounds need no margin.

use omoide_index::blocks::ByKind;
use omoide_index::postings::{FieldNorm, Norms};

/// The most that all terms of a query together score, in steps.
const MAX_TOTAL: f32 = (1 << 30) as f32;

/// The scale between scores and whole steps: how many steps a score of 1 has.
#[derive(Debug, Clone, Copy)]
pub struct ScoreScale(f32);

impl ScoreScale {
    /// The scale for scores up to `most`. It is a power of two, so that conversion only drops fractions of a step.
    pub fn for_max(most: f32) -> Self {
        Self((MAX_TOTAL / most.max(1.0)).log2().floor().exp2())
    }

    /// A score in whole steps.
    pub fn quantize(self, score: f64) -> i32 {
        (score * f64::from(self.0)) as i32
    }

    /// The score of so many steps.
    pub fn score(self, steps: i32) -> f32 {
        steps as f32 / self.0
    }
}

/// How one term scores.
#[derive(Debug, Clone, Copy)]
pub struct Scoring {
    pub norms: Norms,
    /// In steps.
    pub weighted_idf: ByKind,
}

impl Scoring {
    /// The scoring of a term with this rarity.
    pub fn new(norms: Norms, weighted_idf: ByKind, scale: ScoreScale) -> Self {
        let weighted_idf = weighted_idf.map(|idf| idf * scale.0);
        Self {
            norms,
            weighted_idf,
        }
    }

    /// The score of a document that contains the term `count` times.
    pub fn score(&self, count: u32, field_norm: FieldNorm) -> i32 {
        (self.weighted_idf[field_norm.kind()] * self.norms.tf_factor(count, field_norm)) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_terms_together_fit_and_lose_nothing_significant() {
        for most in [0.0, 0.3, 1.0, 7.5, 40.0, 3_000.0, 1e6] {
            let scale = ScoreScale::for_max(most);
            assert!(
                scale.quantize(f64::from(most.max(1.0))) <= 1 << 30,
                "{most}"
            );
            let score = most / 3.0;
            let round_trip = scale.score(scale.quantize(f64::from(score)));
            assert!(
                score >= round_trip && score - round_trip <= most.max(1.0) * 1e-8 + 1e-9,
                "{most}: {score} {round_trip}"
            );
        }
    }
}
