//! How are several rankings fused into one?
//!
//! By a weighted sum of scores, each divided by the best score of its ranking: a hit far ahead of the second in one ranking
//! stays ahead, which reciprocal ranks (Cormack, Clarke and Buettcher 2009) lose. On every labelled set where one ranking is
//! stronger than the other, the sum is nearer to the stronger or above it (Bruch, Gai and Ingber 2023 found the same).

use omoide_index::Doc;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A ranking's weight and the ranking, best first; scores are at least 0.
pub type Weighted<'a> = (f32, &'a [(Doc, f32)]);

/// Fused scores of all ranked documents, best first; ties by `key`, larger first.
pub fn fuse(rankings: &[Weighted<'_>], key: impl Fn(Doc) -> u64) -> Vec<(Doc, f32)> {
    let most = rankings.iter().map(|ranking| ranking.1.len()).sum();
    let mut scores: FxHashMap<Doc, f32> = FxHashMap::with_capacity_and_hasher(most, FxBuildHasher);
    for &(weight, ranking) in rankings {
        let best = ranking.first().map_or(0.0, |hit| hit.1);
        for &(doc, score) in ranking.iter().filter(|_| best > 0.0) {
            *scores.entry(doc).or_default() += weight * score / best;
        }
    }
    let mut fused: Vec<(Doc, f32)> = scores.into_iter().collect();
    fused.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| key(b.0).cmp(&key(a.0))));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_weighted_by_ranking_and_summed() {
        let (words, vectors) = ([(1, 9.0), (2, 6.0)], [(2, 0.9), (3, 0.45)]);
        let fused = fuse(&[(1.0, &words), (0.5, &vectors)], u64::from);
        let expected = [(2, 2.0 / 3.0 + 0.5), (1, 1.0), (3, 0.25)];
        for ((doc, score), (wanted, value)) in fused.iter().zip(expected) {
            assert_eq!(*doc, wanted);
            assert!((score - value).abs() < 1e-6);
        }
    }

    #[test]
    fn ties_go_to_the_larger_key() {
        let (left, right) = ([(1, 1.0)], [(2, 1.0)]);
        let fused = fuse(&[(1.0, &left), (1.0, &right)], u64::from);
        assert_eq!(fused.iter().map(|hit| hit.0).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn a_ranking_without_scores_says_nothing() {
        let (nothing, words) = ([(1, 0.0)], [(2, 3.0)]);
        let fused = fuse(&[(1.0, &nothing), (1.0, &words)], u64::from);
        assert_eq!(fused, [(2, 1.0)]);
    }
}
