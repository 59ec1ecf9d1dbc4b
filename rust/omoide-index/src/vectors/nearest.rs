//! Which documents are nearest to a query: by the graph over the rows if that measures fewer of them, else by a scan.
//!
//! With codes beside the rows, both use codes; the best are then measured again by their rows.

use super::{Rows, Vectors};
use crate::Doc;
use crate::codes::Encoded;
use crate::docset::DocSet;
use crate::dot::{dot, dot_rows};
use crate::hnsw::{ScoredRow, Space};
use crate::ids::{Ids, NO_DOC};
use crate::prefetch::prefetch;

/// How many near rows a search of the graph keeps at least.
const MIN_BEAM_WIDTH: usize = 128;
/// For each row that it has to keep, a search of the graph takes as long as a scan of so many: measured with rows that are not
/// in the processor's cache, 100,000 of 384 numbers.
const SCAN_COST_PER_KEPT_ROW: usize = 6;
/// A search of the graph gives up after as many rows as the passing ones divided by this: then few rows near the query pass.
const PATIENCE_SHARE: usize = 2;
/// A scan by codes measures so many times the wanted hits again by their rows.
const RESCORED_PER_HIT: usize = 8;
/// How often the graph is asked again for more.
const MAX_WIDENINGS: usize = 4;
/// If all but one in so many pass, the graph is searched without a filter, and what does not pass is dropped afterwards.
const NEARLY_ALL: usize = 20;
/// How many rows ahead a scan prefetches.
const PREFETCH_DISTANCE: usize = 8;

/// A normalised query, and its code if rows have codes.
struct EncodedQuery<'a> {
    vector: &'a [f32],
    code: Option<Encoded>,
}

/// The documents a search may return.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    /// The documents.
    pub docs: &'a DocSet,
    /// How many there are.
    pub count: usize,
}

impl Vectors {
    /// Cosine of a normalised query and the nearest of a document's vectors.
    pub fn cosine(&self, query: &[f32], doc: Doc) -> Option<f32> {
        let cosines = self.rows_of(doc).map(|row| dot(query, self.values(row)));
        cosines.max_by(f32::total_cmp)
    }

    /// The cosines of several documents, in their order; those without a vector are left out.
    pub fn cosines(&self, query: &[f32], docs: &[Doc]) -> Vec<(Doc, f32)> {
        let similarity = |row: u32| dot(query, self.values(row));
        self.nearest_rows(docs, similarity, |row| prefetch(self.values(row)))
    }

    /// The similarity of each document's nearest row, prefetching rows with `prefetch_row`.
    fn nearest_rows(
        &self,
        docs: &[Doc],
        similarity: impl Fn(u32) -> f32,
        prefetch_row: impl Fn(u32),
    ) -> Vec<(Doc, f32)> {
        let mut scored = Vec::with_capacity(docs.len());
        for (at, &doc) in docs.iter().enumerate() {
            let ahead = docs.get(at + PREFETCH_DISTANCE);
            if let Some(row) = ahead.and_then(|&next| self.rows_of(next).next()) {
                prefetch_row(row);
            }
            let nearest = self.rows_of(doc).map(&similarity).max_by(f32::total_cmp);
            scored.extend(nearest.map(|similarity| (doc, similarity)));
        }
        scored
    }

    /// Cosine of the first vectors of two documents.
    pub fn between(&self, left: Doc, right: Doc) -> Option<f32> {
        let [left, right] = [left, right].map(|doc| self.rows_of(doc).next());
        Some(dot_rows(self.values(left?), self.values(right?)))
    }

    /// Which of a document's vectors, counted from 0, is nearest to a normalised query; the first of equals.
    pub fn passage(&self, query: &[f32], doc: Doc) -> Option<usize> {
        let cosines = self.rows_of(doc).map(|row| dot(query, self.values(row)));
        let nearest = cosines
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        Some(nearest?.0)
    }

    /// The one of a document's vectors that is nearest to a normalised query.
    pub fn nearest_vector(&self, query: &[f32], doc: Doc) -> Option<Vec<f32>> {
        let row = self.rows_of(doc).nth(self.passage(query, doc)?)?;
        Some(self.to_f32s(row))
    }

    /// The `count` passing documents nearest to a normalised query, best first, ties by larger key.
    pub fn nearest(
        &self,
        query: &[f32],
        count: usize,
        passing: Passing<'_>,
        ids: &Ids,
    ) -> Vec<(Doc, f32)> {
        let count = count.min(passing.count);
        let passing_rows = self.passing_rows(passing, ids);
        let width = self.beam_width(passing_rows).max(count + count / 4);
        let query = EncodedQuery {
            vector: query,
            code: self.codes.as_ref().map(|_| Encoded::of(query)),
        };
        // Several rows found may belong to one document: then more are asked for.
        let wider = (0..MAX_WIDENINGS).map(|step| width << step);
        let found = wider
            .take_while(|&width| self.prefers_graph(passing_rows, width))
            .map_while(|width| self.by_graph(&query, width, passing.docs, passing_rows))
            .find(|found| found.len() >= count);
        let found = found.unwrap_or_else(|| self.by_scan(&query, passing.docs, count, ids));
        ids.best(found, count)
    }

    /// How many rows the passing documents have, if they have as many each as all documents.
    fn passing_rows(&self, passing: Passing<'_>, ids: &Ids) -> usize {
        passing.count * self.len() / ids.documents().max(1)
    }

    /// How many near rows a search of the graph keeps. If few rows pass, it goes further for each that it keeps, and fewer are
    /// enough.
    fn beam_width(&self, passing_rows: usize) -> usize {
        let share = passing_rows as f32 / self.len().max(1) as f32;
        (MIN_BEAM_WIDTH as f32 * share.clamp(0.5, 1.0)) as usize
    }

    /// Whether the graph measures fewer rows than a scan, if the share of the rows it meets that pass is that of all.
    fn prefers_graph(&self, passing_rows: usize, width: usize) -> bool {
        let scan_cost = width * SCAN_COST_PER_KEPT_ROW * self.len().max(1);
        let linked = self.docs.len() - self.free.len() - self.unlinked.len();
        linked > self.unlinked.len() && passing_rows * passing_rows > scan_cost
    }

    /// All passing documents (with codes only the best of them, of equal ones those with larger keys) with their exact cosines.
    fn by_scan(
        &self,
        query: &EncodedQuery<'_>,
        docs: &DocSet,
        count: usize,
        ids: &Ids,
    ) -> Vec<(Doc, f32)> {
        let docs: Vec<Doc> = docs.iter().collect();
        let similarity = |row: u32| self.approximate_similarity(query, row);
        let mut scored = self.nearest_rows(&docs, similarity, |row| Rows(self).prefetch(row));
        let kept = count * RESCORED_PER_HIT;
        if self.codes.is_none() || scored.len() <= kept {
            return self.rescored(query, scored);
        }
        scored.select_nth_unstable_by(kept, |a, b| ids.compare(*a, *b));
        scored.truncate(kept);
        self.rescored(query, scored)
    }

    /// The similarity by codes, or exactly if there are none.
    fn approximate_similarity(&self, query: &EncodedQuery<'_>, row: u32) -> f32 {
        match (&self.codes, &query.code) {
            (Some(codes), Some(code)) => codes.to(code, row),
            _ => dot(query.vector, self.values(row)),
        }
    }

    /// Replaces similarities by codes with exact ones.
    fn rescored(&self, query: &EncodedQuery<'_>, scored: Vec<(Doc, f32)>) -> Vec<(Doc, f32)> {
        if self.codes.is_none() {
            return scored;
        }
        let docs: Vec<Doc> = scored.iter().map(|hit| hit.0).collect();
        self.cosines(query.vector, &docs)
    }

    /// `None` if the graph met too few rows that pass: the caller then scans.
    fn by_graph(
        &self,
        query: &EncodedQuery<'_>,
        width: usize,
        docs: &DocSet,
        passing_rows: usize,
    ) -> Option<Vec<(Doc, f32)>> {
        let to = |row: u32| self.approximate_similarity(query, row);
        let passes = |row: u32| {
            let doc = self.docs.get(row as usize);
            doc != NO_DOC && docs.contains(doc)
        };
        let rows = Rows(self);
        let near = if passing_rows * NEARLY_ALL >= self.graph.len() * (NEARLY_ALL - 1) {
            self.graph.nearest(&rows, to, width)
        } else {
            let patience = passing_rows / PATIENCE_SHARE;
            self.graph
                .nearest_passing(&rows, to, passes, width, patience)?
        };
        let unlinked = self.unlinked.iter().copied().map(|row| ScoredRow {
            score: to(row),
            row,
        });
        let reachable = near
            .into_iter()
            .chain(unlinked)
            .filter(|near| passes(near.row));
        let scored = reachable.map(|near| (self.docs.get(near.row as usize), near.score));
        Some(self.rescored(query, best_row_of_each(scored.collect())))
    }
}

/// Each document once, with the similarity of its nearest row.
fn best_row_of_each(mut rows: Vec<(Doc, f32)>) -> Vec<(Doc, f32)> {
    rows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    rows.dedup_by_key(|row| row.0);
    rows
}
