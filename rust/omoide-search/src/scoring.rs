//! What does a term score in a document?
//!
//! Scores are integers, in steps so fine that all terms of a query together reach at most half of what an `i32` holds: sums are
//! the same in any order, and their bounds need no margin.

use omoide_index::blocks::ByKind;
use omoide_index::postings::{FieldNorm, Norms};

/// The most that all terms of a query together score, in steps.
const MOST: f32 = (1 << 30) as f32;

/// How many steps a score of 1 has.
#[derive(Debug, Clone, Copy)]
pub struct Steps(f32);

impl Steps {
    /// Steps for scores up to `most`. They are a power of two, so that conversion only drops fractions of a step.
    pub fn up_to(most: f32) -> Self {
        Self((MOST / most.max(1.0)).log2().floor().exp2())
    }

    /// A score in whole steps.
    pub fn of(self, score: f64) -> i32 {
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
    pub rarity: ByKind,
}

impl Scoring {
    /// The scoring of a term with this rarity.
    pub fn new(norms: Norms, rarity: ByKind, steps: Steps) -> Self {
        let rarity = rarity.map(|rarity| rarity * steps.0);
        Self { norms, rarity }
    }

    /// The score of a document that holds the term `count` times.
    pub fn score(&self, count: u32, field_norm: FieldNorm) -> i32 {
        (self.rarity[field_norm.kind()] * self.norms.tf_factor(count, field_norm)) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_terms_together_fit_and_lose_nothing_that_counts() {
        for most in [0.0, 0.3, 1.0, 7.5, 40.0, 3_000.0, 1e6] {
            let steps = Steps::up_to(most);
            assert!(steps.of(f64::from(most.max(1.0))) <= 1 << 30, "{most}");
            let score = most / 3.0;
            let back = steps.score(steps.of(f64::from(score)));
            assert!(
                score >= back && score - back <= most.max(1.0) * 1e-8 + 1e-9,
                "{most}: {score} {back}"
            );
        }
    }
}
