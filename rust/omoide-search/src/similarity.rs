//! How similar is a document to a query: by vectors, or by spelling if there are none?
//!
//! All documents are searched by spelling only if words are not searched, or find less than a page. Otherwise the hits by words
//! are compared, and documents spelled like those words of the query that no document contains (`missing_words`).
//!
//! Invariant: documents are ranked, and single documents judged, by the same measure.

use crate::bm25::char_weights;
use crate::missing_words::missing_words;
use crate::spelling::SpellingVector;
use crate::{Allowed, Query, Spelling, Usual};
use omoide_index::{Doc, Index};
use rustc_hash::FxHashSet;

/// So many more hits by words than wanted are compared: on six labelled sets in three languages, as they are and with typing
/// errors, the first ten are then the same as if every document was compared.
pub const EXTRA_COMPARED: usize = 10;
/// Documents spelled like missing words are looked for by at most so many sequences: those of eight or ten words. A long message
/// in another language has hundreds.
const MAX_MISSING_SEQUENCES: usize = 64;

/// What a query is compared by.
pub enum Similarity<'a> {
    /// A normalised vector.
    Vector(&'a [f32]),
    /// Sequences of letters.
    Spelling(SpellingVector<'a>),
    /// Nothing.
    Nothing,
}

impl<'a> Similarity<'a> {
    /// By the query's vector, otherwise by its spelling.
    pub fn of(query: &'a Query, index: &'a Index) -> Self {
        if let Some(vector) = &query.vector {
            return Self::Vector(vector);
        }
        let spelling = query.spelling.as_ref();
        let vector = spelling.and_then(|spelling| spelling_vector(spelling, query, index));
        vector.map_or(Self::Nothing, Self::Spelling)
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
            Self::Vector(vector) => {
                nearest_by_vector(index, vector, allowed, query.candidates, found)
            }
            Self::Spelling(vector) => nearest_by_spelling(index, query, vector, allowed, found),
            Self::Nothing => Vec::new(),
        }
    }

    /// The cosine of a document, if its score in the ranking is that.
    pub fn cosine_of_score(&self, score: f32) -> Option<f32> {
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
            Self::Spelling(vector) => vector.cosine(doc),
            Self::Nothing => None,
        }
    }

    /// Mean and spread of the cosines that these texts have to the query's vector, and how many of them have a vector.
    pub fn usual_cosine(&self, index: &Index, texts: &[Doc]) -> Option<(Usual, usize)> {
        let Self::Vector(vector) = self else {
            return None;
        };
        let cosines = index.vectors.cosines(vector, texts).into_iter();
        let cosines: Vec<f32> = cosines.map(|hit| hit.1).collect();
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
fn nearest_by_vector(
    index: &Index,
    vector: &[f32],
    allowed: &Allowed,
    count: usize,
    found: &[(Doc, f32)],
) -> Vec<(Doc, f32)> {
    let (vectors, ids) = (&index.vectors, &index.ids);
    let mut nearest = vectors.nearest(vector, count, allowed.passing(), ids);
    let known: FxHashSet<Doc> = nearest.iter().map(|hit| hit.0).collect();
    let others = found.iter().map(|hit| hit.0);
    let others: Vec<Doc> = others.filter(|doc| !known.contains(doc)).collect();
    nearest.extend(vectors.cosines(vector, &others));
    let count = nearest.len();
    ids.best(nearest, count)
}

fn spelling_vector<'a>(
    spelling: &Spelling,
    query: &Query,
    index: &'a Index,
) -> Option<SpellingVector<'a>> {
    let weights = if spelling.evenly {
        Vec::new()
    } else {
        char_weights(query, index)
    };
    SpellingVector::of(spelling, index, &weights)
}

/// The documents nearest in spelling; see the module.
fn nearest_by_spelling(
    index: &Index,
    query: &Query,
    vector: &SpellingVector<'_>,
    allowed: &Allowed,
    found: &[(Doc, f32)],
) -> Vec<(Doc, f32)> {
    let nearest = |to: &SpellingVector<'_>| to.nearest(allowed, &index.ids, query.candidates);
    if found.len() < query.limit {
        return nearest(vector);
    }
    let by_missing_words =
        missing_words(query, index, allowed).and_then(|part| spelling_vector(&part, query, index));
    let by_missing_words =
        by_missing_words.map(|part| nearest(&part.weightiest(MAX_MISSING_SEQUENCES)));
    let by_missing_words = by_missing_words.unwrap_or_default();
    let by_words = found
        .iter()
        .take(query.limit.saturating_add(EXTRA_COMPARED));
    let mut candidates: Vec<Doc> = by_words.chain(&by_missing_words).map(|hit| hit.0).collect();
    candidates.sort_unstable();
    candidates.dedup();
    vector.prefetch(&candidates);
    let compared = candidates
        .into_iter()
        .filter_map(|doc| Some((doc, vector.cosine(doc)?)));
    index.ids.best(compared.collect(), query.candidates)
}
