//! Pseudo relevance feedback (Rocchio 1971): the vector of a question is moved towards what its words have found.
//!
//! The vector of a long message represents everything in it. The few texts that its words find best show what of that the store
//! knows, and texts like them belong to the answer too. The less of a question those words cover, the more it is moved; a
//! question that they cover completely stays as it is.
//! Useful for: searching by vectors. Not useful for: how certain it is that a hit is relevant, which is judged by the question
//! alone.
//! Invariant: only allowed documents are passed in, so that no others influence the order.

use omoide_index::vectors::normalise;
use omoide_index::{Doc, Index};

/// How far it is moved if words cover nothing. With all-MiniLM-L6-v2, three labelled sets find up to .011 more among the first
/// five, and none less; of nine other models, .25 begins to hurt the one that is far stronger than the words.
const MAX_SHARE: f32 = 0.15;

/// The normalised vector moved towards the mean of `top_hits`; `covered` is the share of the question that words cover.
pub fn with_feedback(
    index: &Index,
    vector: &[f32],
    top_hits: &[(Doc, f32)],
    covered: f32,
) -> Vec<f32> {
    let share = MAX_SHARE * (1.0 - covered);
    if share <= 0.0 {
        return vector.to_vec();
    }
    let mut mean = vec![0.0; vector.len()];
    for &(doc, _) in top_hits {
        let values = index.vectors.nearest_vector(vector, doc);
        for (sum, value) in mean.iter_mut().zip(values.into_iter().flatten()) {
            *sum += value;
        }
    }
    normalise(&mut mean);
    let both = vector.iter().zip(mean);
    let mut moved: Vec<f32> = both.map(|(own, mean)| own + share * mean).collect();
    normalise(&mut moved);
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use omoide_index::NewDocument;

    fn index() -> Index {
        let mut index = Index::new(2);
        let of_two_passages = vec![vec![0.6, -0.8], vec![0.0, 1.0]];
        for (key, vectors) in [(1, vec![vec![0.0, 2.0]]), (2, of_two_passages), (3, vec![])] {
            let document = NewDocument {
                key,
                vectors,
                ..NewDocument::default()
            };
            index.put_document(document).expect("of the right length");
        }
        index
    }

    #[test]
    fn the_vector_moves_the_more_the_less_of_the_question_is_covered() {
        let index = index();
        let top_hits = |keys: &[u64]| -> Vec<(Doc, f32)> {
            let docs = keys.iter().map(|&key| index.ids.doc(key));
            docs.map(|doc| (doc.expect("it lives"), 1.0)).collect()
        };
        for (keys, covered, height) in [
            (&[1][..], 0.0, MAX_SHARE),
            (&[1], 0.5, MAX_SHARE / 2.0),
            (&[1], 1.0, 0.0),
            (&[1], 1.5, 0.0),
            (&[3], 0.0, 0.0),
            (&[], 0.0, 0.0),
        ] {
            let moved = with_feedback(&index, &[1.0, 0.0], &top_hits(keys), covered);
            let case = format!("{keys:?} {covered}");
            assert!((moved[1] / moved[0] - height).abs() < 1e-3, "{case}");
            assert!((moved[0].hypot(moved[1]) - 1.0).abs() < 1e-6, "{case}");
        }
    }

    #[test]
    fn of_a_long_text_the_nearest_passage_counts() {
        let index = index();
        let doc = index.ids.doc(2).expect("it lives");
        assert!(with_feedback(&index, &[1.0, 0.0], &[(doc, 1.0)], 0.0)[1] < 0.0);
        assert!(with_feedback(&index, &[-1.0, 0.0], &[(doc, 1.0)], 0.0)[1] > 0.0);
    }
}
