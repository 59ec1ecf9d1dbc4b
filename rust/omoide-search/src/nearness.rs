//! How near is a document to a query: by vectors, or by spelling if there are none?
//!
//! All documents are searched by spelling only if words are not searched, or find less than a page. Otherwise the hits by words
//! are compared, and documents spelled like those words of the query that no document holds (unfound.rs).
//!
//! Invariant: documents are ranked, and single documents judged, by the same measure.

use crate::bm25::char_weights;
use crate::spelling::Spelled;
use crate::unfound::unfound;
use crate::{Allowed, Query, Spelling, Usual};
use omoide_index::{Doc, Index};
use rustc_hash::FxHashSet;

/// So many more hits by words than wanted are compared: on six labelled sets in three languages, as they are and with typing
/// errors, the first ten are then the same as if every document was compared.
pub const BEYOND: usize = 10;

/// What a query is compared by.
pub enum Nearness<'a> {
    /// A normalised vector.
    Vector(&'a [f32]),
    /// Sequences of letters.
    Spelling(Spelled<'a>),
    /// Nothing.
    Nothing,
}

impl<'a> Nearness<'a> {
    /// The nearness to a query: by its vector, otherwise by its spelling.
    pub fn of(query: &'a Query, index: &'a Index) -> Self {
        if let Some(vector) = &query.vector {
            return Self::Vector(vector);
        }
        let spelling = query.spelling.as_ref();
        let spelled = spelling.and_then(|spelling| spelled(spelling, query, index));
        spelled.map_or(Self::Nothing, Self::Spelling)
    }

    /// The nearest of `allowed`, best first; `found` are the documents found by words, best first.
    pub fn nearest(
        &self,
        index: &Index,
        query: &Query,
        allowed: &Allowed,
        found: &[(Doc, f32)],
    ) -> Vec<(Doc, f32)> {
        match self {
            Self::Vector(vector) => near(index, vector, allowed, query.candidates, found),
            Self::Spelling(spelled) => spelled_alike(index, query, spelled, allowed, found),
            Self::Nothing => Vec::new(),
        }
    }

    /// The cosine of a document, if its score in the ranking is that.
    pub fn of_ranked(&self, score: f32) -> Option<f32> {
        match self {
            // Rankings by vectors score turns in context.
            Self::Vector(_) | Self::Nothing => None,
            Self::Spelling(_) => Some(score),
        }
    }

    /// Cosine of the query and a document, if both can be compared.
    pub fn cosine(&self, index: &Index, doc: Doc) -> Option<f32> {
        match self {
            Self::Vector(vector) => index.vectors.cosine(vector, doc),
            Self::Spelling(spelled) => spelled.cosine(doc),
            Self::Nothing => None,
        }
    }

    /// Mean and spread of the cosines that these texts have to the query's vector, and how many of them have a vector.
    pub fn usual_cosine(&self, index: &Index, texts: &[Doc]) -> Option<(Usual, usize)> {
        let Self::Vector(vector) = self else {
            return None;
        };
        let cosines = index.vectors.cosines(vector, texts).into_iter();
        let cosines: Vec<f32> = cosines.map(|near| near.1).collect();
        Some((Usual::of(&cosines)?, cosines.len()))
    }

    /// The index of the document's nearest passage.
    pub fn passage(&self, index: &Index, doc: Doc) -> Option<usize> {
        match self {
            Self::Vector(vector) => index.vectors.passage(vector, doc),
            Self::Spelling(_) | Self::Nothing => None,
        }
    }
}

/// The documents nearest to a vector: those that the vector index finds, and those found by words. A good match by words may
/// mean the same without being among the nearest, and the graph over the vectors of large collections misses some.
fn near(
    index: &Index,
    vector: &[f32],
    allowed: &Allowed,
    count: usize,
    found: &[(Doc, f32)],
) -> Vec<(Doc, f32)> {
    let (vectors, ids) = (&index.vectors, &index.ids);
    let mut near = vectors.nearest(vector, count, allowed.passing(), ids);
    let known: FxHashSet<Doc> = near.iter().map(|hit| hit.0).collect();
    let others = found.iter().map(|hit| hit.0);
    let others: Vec<Doc> = others.filter(|doc| !known.contains(doc)).collect();
    near.extend(vectors.cosines(vector, &others));
    let count = near.len();
    ids.best(near, count)
}

fn spelled<'a>(spelling: &Spelling, query: &Query, index: &'a Index) -> Option<Spelled<'a>> {
    let weights = if spelling.evenly {
        Vec::new()
    } else {
        char_weights(query, index)
    };
    Spelled::of(spelling, index, &weights)
}

/// The documents nearest in spelling; see the module.
fn spelled_alike(
    index: &Index,
    query: &Query,
    whole: &Spelled<'_>,
    allowed: &Allowed,
    found: &[(Doc, f32)],
) -> Vec<(Doc, f32)> {
    let nearest = |to: &Spelled<'_>| to.nearest(allowed, &index.ids, query.candidates);
    if query.word_weight <= 0.0 || found.len() < query.limit {
        return nearest(whole);
    }
    let hidden = unfound(query, index, allowed).and_then(|part| spelled(&part, query, index));
    let hidden = hidden.as_ref().map(nearest).unwrap_or_default();
    let by_words = found.iter().take(query.limit + BEYOND);
    let mut candidates: Vec<Doc> = by_words.chain(&hidden).map(|hit| hit.0).collect();
    candidates.sort_unstable();
    candidates.dedup();
    whole.prefetch(&candidates);
    let compared = candidates
        .into_iter()
        .filter_map(|doc| Some((doc, whole.cosine(doc)?)));
    index.ids.best(compared.collect(), query.candidates)
}
