//! How near is a document to a query: by vectors, or where there are none by spelling?
//!
//! Invariant: the same measure ranks documents and tells what a single one has.

use crate::bm25::char_weights;
use crate::spelling::Spelled;
use crate::{Allowed, Query};
use omoide_index::{Doc, Index};
use rustc_hash::FxHashSet;

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
    /// Of a query: its vector, else its spelling.
    pub fn of(query: &'a Query, index: &'a Index) -> Self {
        if let Some(vector) = &query.vector {
            return Self::Vector(vector);
        }
        let spelled = query.spelling.as_ref().and_then(|spelling| {
            let evenly = spelling.evenly;
            let weights = if evenly {
                Vec::new()
            } else {
                char_weights(query, index)
            };
            Spelled::of(spelling, index, &weights)
        });
        spelled.map_or(Self::Nothing, Self::Spelling)
    }

    /// The nearest of `allowed`, best first; `found` are documents that other arms have found.
    pub fn nearest(
        &self,
        index: &Index,
        allowed: &Allowed,
        count: usize,
        found: &[(Doc, f32)],
    ) -> Vec<(Doc, f32)> {
        match self {
            Self::Vector(vector) => near(index, vector, allowed, count, found),
            Self::Spelling(spelled) => spelled.nearest(allowed, &index.ids, count),
            Self::Nothing => Vec::new(),
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

    /// Which of a document's passages is nearest.
    pub fn passage(&self, index: &Index, doc: Doc) -> Option<usize> {
        match self {
            Self::Vector(vector) => index.vectors.passage(vector, doc),
            Self::Spelling(_) | Self::Nothing => None,
        }
    }
}

/// The documents nearest to a vector: what the index of vectors finds, and what the words have found. A good match by
/// words may mean the same without being among the nearest; large collections have a graph over their vectors, and it
/// misses some.
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
    let others = found
        .iter()
        .map(|hit| hit.0)
        .filter(|doc| !known.contains(doc));
    near.extend(others.filter_map(|doc| Some((doc, vectors.cosine(vector, doc)?))));
    let count = near.len();
    ids.best(near, count)
}
