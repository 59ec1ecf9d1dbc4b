//! How are rankings made one?
//!
//! Weighted reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): a document's score is the sum over rankings of
//! weight / (k + rank), ranks from 1.

use omoide_index::Doc;
use rustc_hash::FxHashMap;

/// The customary constant.
pub const RRF_K: f32 = 60.0;

/// Fused scores of every ranked document, best first; ties by the key `key` gives, larger first.
pub fn fuse(rankings: &[(f32, &[(Doc, f32)])], key: impl Fn(Doc) -> u64) -> Vec<(Doc, f32)> {
    let mut scores: FxHashMap<Doc, f32> = FxHashMap::default();
    for (weight, ranking) in rankings {
        for (place, (doc, _)) in ranking.iter().enumerate() {
            *scores.entry(*doc).or_default() += weight / (RRF_K + place as f32 + 1.0);
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
    fn reciprocal_ranks_are_weighted_and_summed() {
        let (words, vectors) = ([(1, 9.0), (2, 8.0)], [(2, 0.9), (3, 0.8)]);
        let fused = fuse(&[(1.0, &words), (0.3, &vectors)], u64::from);
        let expected = [
            (2, 1.0 / 62.0 + 0.3 / 61.0),
            (1, 1.0 / 61.0),
            (3, 0.3 / 62.0),
        ];
        for ((doc, score), (wanted, value)) in fused.iter().zip(expected) {
            assert_eq!(*doc, wanted);
            assert!((score - value).abs() < 1e-7);
        }
    }

    #[test]
    fn ties_go_to_the_larger_key() {
        let (left, right) = ([(1, 1.0)], [(2, 1.0)]);
        let fused = fuse(&[(1.0, &left), (1.0, &right)], u64::from);
        assert_eq!(fused.iter().map(|hit| hit.0).collect::<Vec<_>>(), [2, 1]);
    }
}
