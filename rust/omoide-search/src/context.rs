//! How well does a turn of a conversation match, read together with the turns around it?
//!
//! "Where did you see it?" "At the lake." A short turn says half of what it means, so the words of the turns beside it count as
//! if they were in it, at a smaller weight. A turn that matches nothing itself is not found because of its neighbours alone,
//! and turns that the filter excludes lend no words. Only the best matches and the turns around them are read in context.
//!
//! With vectors that know meaning, a turn's score is the mean of its own cosine and that of its whole window.

use crate::Allowed;
use crate::bm25::Terms;
use omoide_index::{Doc, Index};
use rustc_hash::{FxHashMap, FxHashSet};

/// Weights of the words in a turn so many turns away. On two labelled sets of long chats, English and Japanese, this raises
/// recall@10 by .10 and .20; a third neighbour adds nothing.
const WEIGHTS: [f32; 3] = [1.0, 0.5, 0.25];
/// At least so many of the best matches are read in context. Thirty already find all that reading every turn would.
pub const RERANK_DEPTH: usize = 40;

/// A turn and the turns around it with their weights; the turn itself comes first.
pub type Window = Vec<(Doc, f32)>;

/// The window of a turn: itself and the allowed turns around it.
pub fn window(index: &Index, allowed: &Allowed, doc: Doc) -> Window {
    window_around(index, allowed, doc).unwrap_or_else(|| vec![(doc, WEIGHTS[0])])
}

/// The window of a turn; `None` if it stands alone.
fn window_around(index: &Index, allowed: &Allowed, doc: Doc) -> Option<Window> {
    let around = index.turns.around(index.ids.key(doc), WEIGHTS.len() - 1);
    if around.is_empty() {
        return None;
    }
    let near = around.into_iter();
    let near = near.filter_map(|(key, far)| Some((index.ids.doc(key)?, WEIGHTS[far])));
    let near = near.filter(|turn| allowed.contains(turn.0));
    let window: Window = [(doc, WEIGHTS[0])].into_iter().chain(near).collect();
    (window.len() > 1).then_some(window)
}

/// The total weight of a full window, in which the turn itself has weight 1.
pub fn full_window_weight() -> f32 {
    WEIGHTS[0] + 2.0 * WEIGHTS[1..].iter().sum::<f32>()
}

/// Mean and mean square of the weight of the nearest turn with a word, if each turn has the word with probability `part`;
/// `alone`: for a text that is no turn.
pub fn expected_weight(part: f32, alone: bool) -> (f32, f32) {
    let (mut mean, mut square, mut absent) = (0.0, 0.0, 1.0);
    for (far, weight) in WEIGHTS.into_iter().enumerate() {
        let without = if far == 0 {
            1.0 - part
        } else {
            (1.0 - part).powi(2)
        };
        let met = absent * (1.0 - without);
        mean += weight * met;
        square += weight * weight * met;
        absent *= without;
        if alone {
            break;
        }
    }
    (mean, square)
}

/// The ranking, with its best turns and those around them scored in context.
pub fn in_context(
    index: &Index,
    terms: &Terms<'_>,
    allowed: &Allowed,
    mut ranking: Vec<(Doc, f32)>,
    limit: usize,
) -> Vec<(Doc, f32)> {
    let windows = windows(
        index,
        allowed,
        &ranking[..ranking.len().min(limit.max(RERANK_DEPTH))],
    );
    if windows.is_empty() {
        return ranking;
    }
    ranking.retain(|hit| !windows.contains_key(&hit.0));
    let windows: Vec<Window> = windows.into_values().collect();
    ranking.extend(terms.scores_in_windows(&windows));
    let count = ranking.len();
    index.ids.best(ranking, count)
}

/// The ranking by vectors, with each turn scored in context.
pub fn vectors_in_context(
    index: &Index,
    vector: &[f32],
    allowed: &Allowed,
    ranking: &[(Doc, f32)],
) -> Vec<(Doc, f32)> {
    let together = |&(doc, cosine): &(Doc, f32)| {
        let window = window(index, allowed, doc);
        let around = if window.len() > 1 {
            cosine_of_all(index, vector, &window)
        } else {
            None
        };
        (doc, around.map_or(cosine, |all| f32::midpoint(cosine, all)))
    };
    let scored = ranking.iter().map(together).collect();
    index.ids.best(scored, ranking.len())
}

/// Cosine of the query and the weighted sum of a window's vectors.
fn cosine_of_all(index: &Index, vector: &[f32], window: &[(Doc, f32)]) -> Option<f32> {
    let vectors = &index.vectors;
    let along = window
        .iter()
        .filter_map(|&(doc, weight)| Some(weight * vectors.cosine(vector, doc)?));
    let squared = window.iter().flat_map(|&(one, weight)| {
        let with =
            move |&(other, share): &(Doc, f32)| Some(weight * share * vectors.between(one, other)?);
        window.iter().filter_map(with)
    });
    let length = squared.sum::<f32>().sqrt();
    (length > 0.0).then(|| along.sum::<f32>() / length)
}

/// The windows of these hits and of the turns around them, without those that stand alone.
fn windows(index: &Index, allowed: &Allowed, hits: &[(Doc, f32)]) -> FxHashMap<Doc, Window> {
    let around = |doc: Doc| window_around(index, allowed, doc);
    let near = hits.iter().filter_map(|hit| around(hit.0)).flatten();
    let near: FxHashSet<Doc> = near.map(|(doc, _)| doc).collect();
    let near = near.into_iter();
    near.filter_map(|doc| Some((doc, around(doc)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_weights_are_those_of_the_nearest_turn_with_the_word() {
        for (part, alone, wanted) in [
            (0.5, true, (0.5, 0.5)),
            (0.5, false, (0.710_937_5, 0.599_609_4)),
            (0.0, false, (0.0, 0.0)),
            (1.0, false, (1.0, 1.0)),
        ] {
            let (mean, square) = expected_weight(part, alone);
            assert!((mean - wanted.0).abs() < 1e-6, "{part} {alone}: {mean}");
            assert!((square - wanted.1).abs() < 1e-6, "{part} {alone}: {square}");
        }
    }
}
