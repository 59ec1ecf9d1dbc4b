//! Which documents have the vectors nearest to a query?
//!
//! A document may have several vectors, one a passage; it is as near as the nearest of them. Which passage that is can
//! be asked for.
//!
//! All vectors stand in one f16 array of rows. Small collections, and what passes a narrow filter, are scanned exactly;
//! large collections also have a graph over the rows (hnsw), asked when much passes. Rows come into the graph a few
//! at each write, so that no write pauses: those that wait are scanned. Rows of removed documents stay in the graph as
//! places to pass through until a sweep, also in small pieces, has taken the links to them away; then they are used again.
//!
//! Where memory is dear there are codes (codes.rs) beside the rows: graph and scan go by them, and the rows, which a
//! snapshot leaves on the disk until they are touched, are only read for the best of what was found.
//!
//! Here is how they come and go; nearest.rs finds them, saved.rs brings them to the disk and under new numbers.
//! Invariant: a row is free, waiting, linked, or linked and dead.

mod nearest;
mod saved;

use crate::codes::{Codes, Encoded};
use crate::column::Column;
use crate::cores::on_every_core;
use crate::docset::DocSet;
use crate::dot::{dot_rows, prefetch};
use crate::hnsw::{Hnsw, Plan, Relinked, Space};
use crate::ids::NO_DOC;
use crate::{Doc, IndexError};
use half::f16;
use std::collections::VecDeque;

pub use nearest::Passing;

/// From so many vectors on there is a graph; an exact scan of fewer takes about half a millisecond.
pub const GRAPH_FROM: usize = 8_192;
/// How many waiting rows are linked for each that comes: more than one, so that the first graph catches up.
pub const LINKS_A_VECTOR: usize = 4;
/// How many rows are swept in one piece: about as long as a search takes.
const SWEPT_A_PIECE: u32 = 16;
/// A sweep begins when more rows are dead than this, and more than one in so many of the live.
const DEAD_MOST: usize = 1_024;
const DEAD_SHARE: usize = 3;
/// Rows that one core gives their codes to at a time, and how many such pieces are held until they are kept.
const ENCODED_A_PIECE: usize = 1_024;
const ENCODED_TOGETHER: usize = 32;
const NO_ROW: u32 = u32::MAX;

/// Vectors by document.
#[derive(Debug)]
pub struct Vectors {
    dimensions: usize,
    /// The first row of each document.
    rows: Column<u32>,
    /// The next row of the same document, by row.
    next: Column<u32>,
    /// Documents by row.
    docs: Column<Doc>,
    data: Column<u16>,
    free: Vec<u32>,
    waiting: VecDeque<u32>,
    dead: DocSet,
    dead_count: usize,
    graph: Hnsw,
    codes: Option<Codes>,
}

/// The values of all rows, or the codes of them.
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
    /// None yet.
    pub fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            rows: Column::default(),
            next: Column::default(),
            docs: Column::default(),
            data: Column::default(),
            free: Vec::new(),
            waiting: VecDeque::new(),
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

    /// Keep codes beside the rows, or no longer.
    pub fn keep_codes(&mut self, wanted: bool) {
        if wanted == self.has_codes() {
            return;
        }
        self.codes = wanted.then(|| self.encoded());
    }

    fn encoded(&self) -> Codes {
        let mut codes = Codes::new(self.dimensions);
        let rows: Vec<u32> = (0..self.docs.len() as u32).collect();
        let pieces: Vec<&[u32]> = rows.chunks(ENCODED_A_PIECE).collect();
        for pieces in pieces.chunks(ENCODED_TOGETHER) {
            let of_piece = |at: usize| pieces[at].iter().map(|&row| self.encoded_row(row));
            let encoded = on_every_core(pieces.len(), |at| of_piece(at).collect::<Vec<_>>());
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

    fn encoded_row(&self, row: u32) -> Encoded {
        Encoded::of(&self.widened(row))
    }

    fn widened(&self, row: u32) -> Vec<f32> {
        let values = self.values(row).iter();
        values.map(|&bits| f16::from_bits(bits).to_f32()).collect()
    }

    /// The length of every vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.docs.len() - self.free.len() - self.dead_count - self.graph.doomed()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many vectors the graph holds, those of removed documents included until they are swept.
    pub fn in_graph(&self) -> usize {
        self.graph.len()
    }

    /// Refuse a vector of another length.
    pub fn check(&self, vector: &[f32]) -> Result<(), IndexError> {
        if vector.len() == self.dimensions {
            return Ok(());
        }
        Err(IndexError::Dimensions {
            expected: self.dimensions,
            found: vector.len(),
        })
    }

    /// Keep the vectors of a new document, one a passage in their order, each normalised. They are found at once; see
    /// [`Self::plan`] for the graph.
    pub fn insert(&mut self, doc: Doc, vectors: Vec<Vec<f32>>) -> Result<(), IndexError> {
        vectors.iter().try_for_each(|vector| self.check(vector))?;
        self.rows.grow(doc as usize + 1, NO_ROW);
        // Each row points at the one kept before it: the last passage goes first.
        for vector in vectors.into_iter().rev() {
            self.prepend(doc, vector);
        }
        Ok(())
    }

    fn prepend(&mut self, doc: Doc, mut vector: Vec<f32>) {
        normalise(&mut vector);
        let row = self.free_row();
        let start = row as usize * self.dimensions;
        let places = self.data.slice_mut(start..start + self.dimensions);
        for (place, value) in places.iter_mut().zip(&vector) {
            *place = f16::from_f32(*value).to_bits();
        }
        let encoded = self.has_codes().then(|| self.encoded_row(row));
        if let (Some(codes), Some(encoded)) = (&mut self.codes, encoded) {
            codes.set(row, &encoded);
        }
        self.docs.set(row as usize, doc);
        self.next.set(row as usize, self.rows.get(doc as usize));
        self.rows.set(doc as usize, row);
        self.waiting.push_back(row);
    }

    /// Forget the vectors of a document, if it has any.
    pub fn remove(&mut self, doc: Doc) {
        let rows: Vec<u32> = self.rows_of(doc).collect();
        for row in rows {
            self.remove_row(row);
        }
        if (doc as usize) < self.rows.len() {
            self.rows.set(doc as usize, NO_ROW);
        }
    }

    fn remove_row(&mut self, row: u32) {
        self.docs.set(row as usize, NO_DOC);
        if self.graph.is_linked(row) {
            self.dead.insert(row);
            self.dead_count += 1;
        } else {
            self.waiting.retain(|&each| each != row);
            self.free.push(row);
        }
        self.sweep_if_worth_it();
    }

    fn sweep_if_worth_it(&mut self) {
        if self.dead_count > DEAD_MOST.max(self.len() / DEAD_SHARE) {
            self.begin_sweep();
        }
    }

    /// The next rows to be linked, at most `most` of them.
    pub fn due(&self, most: usize) -> Vec<u32> {
        let wanted = !self.graph.is_empty() || self.len() >= GRAPH_FROM;
        let due = self.waiting.iter().take(if wanted { most } else { 0 });
        due.copied().collect()
    }

    /// How the row at a place of those due is linked, the others before it; reads only. Hand the plans to
    /// [`Self::link`] in their order, before documents come or go.
    pub fn plan(&self, due: &[u32], at: usize) -> Plan {
        self.graph.plan(due[at], &due[..at], &Rows(self))
    }

    /// Link the row of a plan, the first of those waiting.
    pub fn link(&mut self, plan: Plan) {
        self.waiting.pop_front();
        let mut graph = std::mem::take(&mut self.graph);
        graph.link(plan, &Rows(self));
        self.graph = graph;
    }

    /// Whether a document has a vector.
    pub fn has(&self, doc: Doc) -> bool {
        self.rows_of(doc).next().is_some()
    }

    fn free_row(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.docs.push(NO_DOC);
            self.next.push(NO_ROW);
            self.data.grow(self.docs.len() * self.dimensions, 0);
            self.docs.len() as u32 - 1
        })
    }

    /// The rows of a document in the order of its passages.
    fn rows_of(&self, doc: Doc) -> impl Iterator<Item = u32> {
        let is_row = |row: u32| (row != NO_ROW).then_some(row);
        let known = (doc as usize) < self.rows.len();
        let first = known.then(|| self.rows.get(doc as usize)).and_then(is_row);
        std::iter::successors(first, move |&row| is_row(self.next.get(row as usize)))
    }

    fn values(&self, row: u32) -> &[u16] {
        let start = row as usize * self.dimensions;
        self.data.slice(start..start + self.dimensions)
    }

    /// Begin to sweep out what was removed, unless that is under way; whether anything is left to sweep.
    pub fn begin_sweep(&mut self) -> bool {
        if self.dead_count > 0 && !self.graph.is_sweeping() {
            self.graph.begin_sweep(std::mem::take(&mut self.dead));
            self.dead_count = 0;
        }
        self.graph.is_sweeping()
    }

    /// Whether a sweep is under way.
    pub fn is_sweeping(&self) -> bool {
        self.graph.is_sweeping()
    }

    /// What the sweep will change in a piece of rows, so many pieces from where it stands; reads only. Hand all pieces in
    /// their order to [`Self::sweep`], before vectors are linked and before documents come or go.
    pub fn plan_sweep(&self, piece: usize) -> Vec<Relinked> {
        self.graph
            .plan_sweep(&Rows(self), SWEPT_A_PIECE, piece as u32)
    }

    /// Go on with the sweep by these pieces.
    pub fn sweep(&mut self, pieces: Vec<Vec<Relinked>>) {
        let rows = SWEPT_A_PIECE * pieces.len() as u32;
        let freed = self.graph.sweep(rows, pieces.into_iter().flatten());
        self.free.extend(freed);
        // What was removed while this sweep was on waits for the next one.
        self.sweep_if_worth_it();
    }

    /// Resident bytes, about: (vectors, graph).
    pub fn bytes(&self) -> (usize, usize) {
        let rows = self.rows.bytes() + self.next.bytes() + self.docs.bytes();
        let codes = self.codes.as_ref().map_or(0, Codes::bytes);
        (self.data.bytes() + rows + codes, self.graph.bytes())
    }
}

/// Scale to unit length. What has no direction becomes the zero vector, which is near to nothing: a vector of zeros, and
/// one that holds something that is not a number or is too large to be measured.
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
