//! How well does a turn of a conversation match, read together with the turns around it?
//!
//! "Where did you see it?" "At the lake." A short turn says half of what it means: the words of the turns beside it count
//! as if they stood in it, at a smaller weight. A turn that matches nothing itself is not found by its neighbours alone, and
//! what is not allowed to be found lends no words. Only the best matches and what stands around them are read so.

use crate::Allowed;
use crate::bm25::Terms;
use omoide_index::{Doc, Index};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a word counts in a turn so many turns away. On two labelled sets of long chats, English and Japanese, it raises
/// recall@10 by .10 and .20; a third neighbour adds nothing.
const WEIGHTS: [f32; 3] = [1.0, 0.5, 0.25];
/// Matches whose surroundings are read, at least. Thirty already find all that reading every turn would.
const DEEP_ENOUGH: usize = 40;

/// A turn with what it and those around it count; the turn itself first.
pub type Window = Vec<(Doc, f32)>;

/// A turn and the allowed turns around it.
pub fn window(index: &Index, allowed: &Allowed, doc: Doc) -> Window {
    let around = index
        .turns
        .around(index.ids.key(doc), WEIGHTS.len() - 1)
        .into_iter();
    let near = around.filter_map(|(key, far)| Some((index.ids.doc(key)?, WEIGHTS[far])));
    [(doc, WEIGHTS[0])]
        .into_iter()
        .chain(near.filter(|turn| allowed.contains(turn.0)))
        .collect()
}

/// What a whole window counts, where its turn alone counts 1.
pub fn whole() -> f32 {
    WEIGHTS[0] + 2.0 * WEIGHTS[1..].iter().sum::<f32>()
}

/// The ranking with its best turns, and those around them, scored together with their surroundings.
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
        &ranking[..ranking.len().min(limit.max(DEEP_ENOUGH))],
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

/// The windows of those hits, and of the turns in them, that do not stand alone.
fn windows(index: &Index, allowed: &Allowed, hits: &[(Doc, f32)]) -> FxHashMap<Doc, Window> {
    let near: FxHashSet<Doc> = hits
        .iter()
        .flat_map(|hit| window(index, allowed, hit.0))
        .map(|(doc, _)| doc)
        .collect();
    near.into_iter()
        .map(|doc| (doc, window(index, allowed, doc)))
        .filter(|(_, window)| window.len() > 1)
        .collect()
}
