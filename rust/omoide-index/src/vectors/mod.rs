//! Which documents have the vectors nearest to a query?
//!
//! A document may have several vectors, one for each passage, and is as near as its nearest one. The index of that passage can
//! be asked for.
//!
//! All vectors are rows of one f16 array. Small collections, and documents that pass a narrow filter, are scanned exactly;
//! large collections also have a graph over the rows (hnsw), which is used when many documents pass. A few rows are added to
//! the graph with each write, so that no write takes long; rows not linked yet are scanned. Rows of removed documents stay in the
//! graph for searches to pass through, until a sweep (also in small pieces) has removed the links to them; then they are
//! reused.
//!
//! To save memory there can be codes (codes.rs) beside the rows: graph and scan then use codes, and the rows, which after a
//! snapshot stay on the disk until touched, are read only for the best of what was found.
//!
//! This module adds and removes vectors; nearest.rs finds them, saved.rs saves and renumbers them.
//! Invariant: a row is free, not linked yet, linked, or linked and dead.

mod nearest;
mod saved;

use crate::codes::{Codes, Encoded};
use crate::column::Column;
use crate::cores::parallel_map;
use crate::docset::DocSet;
use crate::dot::dot_rows;
use crate::hnsw::{Hnsw, Plan, Relinked, Space};
use crate::ids::NO_DOC;
use crate::prefetch::prefetch;
use crate::{Doc, IndexError};
use half::f16;
use std::collections::VecDeque;

pub use nearest::Passing;

/// From so many vectors on there is a graph; scanning fewer takes about half a millisecond.
pub const GRAPH_FROM: usize = 8_192;
/// How many rows are linked for each new one: more than one, so that the first graph catches up.
pub const LINKS_PER_VECTOR: usize = 4;
/// Rows swept in one piece, which takes about as long as a search.
const ROWS_PER_SWEEP_PIECE: u32 = 16;
/// A sweep begins when more rows are dead than this, and more than one for so many live ones.
const MAX_DEAD: usize = 1_024;
const DEAD_SHARE: usize = 3;
/// Rows that one core encodes at a time, and how many such pieces are encoded before they are stored.
const ENCODED_PER_PIECE: usize = 1_024;
const PIECES_ENCODED_PER_ROUND: usize = 32;
const NO_ROW: u32 = u32::MAX;

/// Vectors by document.
#[derive(Debug)]
pub struct Vectors {
    dimensions: usize,
    /// The first row of each document.
    first_rows: Column<u32>,
    /// The next row of the same document, by row.
    next_rows: Column<u32>,
    /// Documents by row.
    docs: Column<Doc>,
    /// The values of each row, as the bits of f16.
    data: Column<u16>,
    free: Vec<u32>,
    /// Free rows are not used again, as their values may still be read.
    keeps_free_rows: bool,
    unlinked: VecDeque<u32>,
    dead: DocSet,
    dead_count: usize,
    graph: Hnsw,
    codes: Option<Codes>,
}

/// The rows as the graph compares them: by codes if there are any, else by values.
struct Rows<'a>(&'a Vectors);

impl Space for Rows<'_> {
    fn between(&self, left: u32, right: u32) -> f32 {
        match &self.0.codes {
            Some(codes) => codes.between(left, right),
            None => dot_rows(self.0.values(left), self.0.values(right)),
        }
    }

    fn prefetch(&self, row: u32) {
        match &self.0.codes {
            Some(codes) => prefetch(codes.row(row)),
            None => prefetch(self.0.values(row)),
        }
    }
}

impl Vectors {
    /// Without any vectors.
    pub fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            first_rows: Column::default(),
            next_rows: Column::default(),
            docs: Column::default(),
            data: Column::default(),
            free: Vec::new(),
            keeps_free_rows: false,
            unlinked: VecDeque::new(),
            dead: DocSet::default(),
            dead_count: 0,
            graph: Hnsw::default(),
            codes: None,
        }
    }

    /// Whether there are codes beside the rows.
    pub fn has_codes(&self) -> bool {
        self.codes.is_some()
    }

    /// Make codes beside the rows, or drop them.
    pub fn keep_codes(&mut self, wanted: bool) {
        if wanted == self.has_codes() {
            return;
        }
        self.codes = wanted.then(|| self.encoded_rows());
    }

    fn encoded_rows(&self) -> Codes {
        let mut codes = Codes::new(self.dimensions);
        let rows: Vec<u32> = (0..self.docs.len() as u32).collect();
        let pieces: Vec<&[u32]> = rows.chunks(ENCODED_PER_PIECE).collect();
        for pieces in pieces.chunks(PIECES_ENCODED_PER_ROUND) {
            let of_piece = |at: usize| pieces[at].iter().map(|&row| self.encode_row(row));
            let encoded = parallel_map(pieces.len(), |at| of_piece(at).collect::<Vec<_>>());
            for (&row, encoded) in pieces
                .iter()
                .copied()
                .flatten()
                .zip(encoded.iter().flatten())
            {
                codes.set(row, encoded);
            }
        }
        codes
    }

    fn encode_row(&self, row: u32) -> Encoded {
        Encoded::of(&self.to_f32s(row))
    }

    fn to_f32s(&self, row: u32) -> Vec<f32> {
        let values = self.values(row).iter();
        values.map(|&bits| f16::from_bits(bits).to_f32()).collect()
    }

    /// The length of every vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.docs.len() - self.free.len() - self.dead_count - self.graph.removed_by_sweep()
    }

    /// Whether there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many vectors are in the graph, including those of removed documents until they are swept.
    pub fn in_graph(&self) -> usize {
        self.graph.len()
    }

    /// Returns an error for a vector of another length.
    pub fn check(&self, vector: &[f32]) -> Result<(), IndexError> {
        if vector.len() == self.dimensions {
            return Ok(());
        }
        Err(IndexError::Dimensions {
            expected: self.dimensions,
            found: vector.len(),
        })
    }

    /// Add the vectors of a new document, one for each passage in order; each is normalised. They can be found at once; see
    /// [`Self::plan`] for the graph.
    pub fn insert(&mut self, doc: Doc, vectors: Vec<Vec<f32>>) -> Result<(), IndexError> {
        vectors.iter().try_for_each(|vector| self.check(vector))?;
        self.first_rows.grow(doc as usize + 1, NO_ROW);
        // Each row points to the one added before it, so the last passage is added first.
        for vector in vectors.into_iter().rev() {
            self.prepend(doc, vector);
        }
        Ok(())
    }

    fn prepend(&mut self, doc: Doc, mut vector: Vec<f32>) {
        normalise(&mut vector);
        let row = self.free_row();
        let start = row as usize * self.dimensions;
        let slots = self.data.slice_mut(start..start + self.dimensions);
        for (slot, value) in slots.iter_mut().zip(&vector) {
            *slot = f16::from_f32(*value).to_bits();
        }
        let encoded = self.has_codes().then(|| self.encode_row(row));
        if let (Some(codes), Some(encoded)) = (&mut self.codes, encoded) {
            codes.set(row, &encoded);
        }
        self.docs.set(row as usize, doc);
        self.next_rows
            .set(row as usize, self.first_rows.get(doc as usize));
        self.first_rows.set(doc as usize, row);
        self.unlinked.push_back(row);
    }

    /// Remove the vectors of a document, if it has any.
    pub fn remove(&mut self, doc: Doc) {
        let rows: Vec<u32> = self.rows_of(doc).collect();
        for row in rows {
            self.remove_row(row);
        }
        if (doc as usize) < self.first_rows.len() {
            self.first_rows.set(doc as usize, NO_ROW);
        }
    }

    fn remove_row(&mut self, row: u32) {
        self.docs.set(row as usize, NO_DOC);
        if self.graph.is_linked(row) {
            self.dead.insert(row);
            self.dead_count += 1;
        } else {
            self.unlinked.retain(|&each| each != row);
            self.free.push(row);
        }
        self.sweep_if_needed();
    }

    fn sweep_if_needed(&mut self) {
        if self.dead_count > MAX_DEAD.max(self.len() / DEAD_SHARE) {
            self.begin_sweep();
        }
    }

    /// The next rows to be linked, at most `most`.
    pub fn next_unlinked(&self, most: usize) -> Vec<u32> {
        let is_needed = !self.graph.is_empty() || self.len() >= GRAPH_FROM;
        let next = self.unlinked.iter().take(if is_needed { most } else { 0 });
        next.copied().collect()
    }

    /// Plan the links of the row at an index of `rows`, assuming those before it are linked; changes nothing. Pass the plans in
    /// order to [`Self::link`], before documents are added or removed.
    pub fn plan(&self, rows: &[u32], at: usize) -> Plan {
        self.graph.plan(rows[at], &rows[..at], &Rows(self))
    }

    /// Carry out the plan of the first row of [`Self::next_unlinked`].
    pub fn link(&mut self, plan: Plan) {
        self.unlinked.pop_front();
        let mut graph = std::mem::take(&mut self.graph);
        graph.link(plan, &Rows(self));
        self.graph = graph;
    }

    /// Whether a document has a vector.
    pub fn has(&self, doc: Doc) -> bool {
        self.rows_of(doc).next().is_some()
    }

    /// Whether the rows of removed vectors keep their values from now on.
    pub(crate) fn keep_free_rows(&mut self, kept: bool) {
        self.keeps_free_rows = kept;
    }

    fn free_row(&mut self) -> u32 {
        let free = self.free.pop_if(|_| !self.keeps_free_rows);
        free.unwrap_or_else(|| {
            self.docs.push(NO_DOC);
            self.next_rows.push(NO_ROW);
            self.data.grow(self.docs.len() * self.dimensions, 0);
            self.docs.len() as u32 - 1
        })
    }

    /// The rows of a document in the order of its passages.
    fn rows_of(&self, doc: Doc) -> impl Iterator<Item = u32> {
        let is_row = |row: u32| (row != NO_ROW).then_some(row);
        let known = (doc as usize) < self.first_rows.len();
        let first = known
            .then(|| self.first_rows.get(doc as usize))
            .and_then(is_row);
        std::iter::successors(first, move |&row| is_row(self.next_rows.get(row as usize)))
    }

    fn values(&self, row: u32) -> &[u16] {
        let start = row as usize * self.dimensions;
        self.data.slice(start..start + self.dimensions)
    }

    /// Begin to sweep out removed rows, unless a sweep is running; returns whether one is running now.
    pub fn begin_sweep(&mut self) -> bool {
        if self.dead_count > 0 && !self.graph.is_sweeping() {
            self.graph.begin_sweep(std::mem::take(&mut self.dead));
            self.dead_count = 0;
        }
        self.graph.is_sweeping()
    }

    /// Whether a sweep is running.
    pub fn is_sweeping(&self) -> bool {
        self.graph.is_sweeping()
    }

    /// Plan what the sweep will change in the `piece`-th next piece of rows; changes nothing. Pass all pieces in order to
    /// [`Self::sweep`], before vectors are linked and before documents are added or removed.
    pub fn plan_sweep(&self, piece: usize) -> Vec<Relinked> {
        self.graph
            .plan_sweep(&Rows(self), ROWS_PER_SWEEP_PIECE, piece as u32)
    }

    /// Continue the sweep with these pieces.
    pub fn sweep(&mut self, pieces: Vec<Vec<Relinked>>) {
        let rows = ROWS_PER_SWEEP_PIECE * pieces.len() as u32;
        let freed = self.graph.sweep(rows, pieces.into_iter().flatten());
        self.free.extend(freed);
        // Rows removed during this sweep wait for the next one.
        self.sweep_if_needed();
    }

    /// Resident bytes, approximately: (vectors, graph).
    pub fn bytes(&self) -> (usize, usize) {
        let rows = self.first_rows.bytes() + self.next_rows.bytes() + self.docs.bytes();
        let codes = self.codes.as_ref().map_or(0, Codes::bytes);
        (self.data.bytes() + rows + codes, self.graph.bytes())
    }
}

/// Scale to unit length. A vector without a direction becomes the zero vector, which is near to nothing: a vector of zeros, and
/// one with values that are not numbers or too large for its length to be computed.
pub fn normalise(vector: &mut [f32]) {
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if !norm.is_finite() || norm == 0.0 {
        vector.fill(0.0);
        return;
    }
    for value in vector {
        *value /= norm;
    }
}

#[cfg(test)]
mod tests;
