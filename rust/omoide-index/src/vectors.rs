//! Which documents have the vectors nearest to a query?
//!
//! A document may have several vectors, one a passage; it is as near as the nearest of them. Which passage that is can
//! be asked for.
//!
//! All vectors stand in one f16 array of rows. Small collections, and what passes a narrow filter, are scanned exactly;
//! large collections also have a graph over the rows (hnsw.rs), asked when much passes. Rows come into the graph a few
//! at each write, so that no write pauses: those that wait are scanned. Rows of removed documents stay in the graph as
//! places to pass through until a sweep, also in small pieces, has taken the links to them away; then they are used again.
//!
//! Where memory is dear there are codes (codes.rs) beside the rows: graph and scan go by them, and the rows, which a
//! snapshot leaves on the disk until they are touched, are only read for the best of what was found.
//!
//! Invariant: a row is free, waiting, linked, or linked and dead.

use crate::codes::{Codes, Encoded};
use crate::column::Column;
use crate::cores::on_every_core;
use crate::docset::DocSet;
use crate::dot::{dot, dot_rows, prefetch};
use crate::hnsw::{Hnsw, Near, Plan, Relinked, Space};
use crate::ids::{Ids, NO_DOC, Renumbering};
use crate::snapshot::{Reader, Writer};
use crate::{Doc, IndexError};
use bytemuck::Pod;
use half::f16;
use std::collections::VecDeque;

/// From so many vectors on there is a graph; an exact scan of fewer takes about half a millisecond.
pub const GRAPH_FROM: usize = 8_192;
/// How many waiting rows are linked for each that comes: more than one, so that the first graph catches up.
pub const LINKS_A_VECTOR: usize = 4;
/// How many rows are swept in one piece: about as long as a search takes.
const SWEPT_A_PIECE: u32 = 16;
/// A sweep begins when more rows are dead than this, and more than one in so many of the live.
const DEAD_MOST: usize = 1_024;
const DEAD_SHARE: usize = 3;
/// Free rows are left out where ids are given anew when they are more than one in so many of the live.
const FREE_SHARE: usize = 4;
/// How many near rows a search of the graph keeps, at least, and beside the wanted ones.
const BEAM_SEARCH: usize = 128;
/// A search of the graph takes as long for each row around the query, of which those that pass are kept, as a scan for so
/// many: measured where the rows are far from the processor, as 100,000 of 384 numbers are.
const MEASURED_A_KEPT: usize = 6;
/// A search of the graph gives up where it met one row for so many that pass: few pass where the query lies.
const PATIENCE_SHARE: usize = 2;
/// With codes a scan measures so many times the wanted again by their rows.
const MEASURED_AGAIN: usize = 8;
/// How often more of the graph is asked for.
const WIDENINGS: usize = 4;
/// The graph is asked without a filter where all but one in so many pass; what does not is left out of what it found.
const NEARLY_ALL: usize = 20;
/// How far ahead of the row it measures a scan has rows brought near.
const AHEAD: usize = 8;
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

/// A normalised query, and its code where rows have codes.
struct Asked<'a> {
    vector: &'a [f32],
    code: Option<Encoded>,
}

/// The documents a search may return.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    /// Which.
    pub docs: &'a DocSet,
    /// How many.
    pub count: usize,
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

    /// Cosine of a normalised query and the nearest of a document's vectors.
    pub fn cosine(&self, query: &[f32], doc: Doc) -> Option<f32> {
        let cosines = self.rows_of(doc).map(|row| dot(query, self.values(row)));
        cosines.max_by(f32::total_cmp)
    }

    /// The same of several documents, in their order; those without a vector are left out.
    pub fn cosines(&self, query: &[f32], docs: &[Doc]) -> Vec<(Doc, f32)> {
        let near = |row: u32| dot(query, self.values(row));
        self.each_nearest(docs, near, |row| prefetch(self.values(row)))
    }

    /// How near the nearest row of each document is; rows are brought near before.
    fn each_nearest(
        &self,
        docs: &[Doc],
        near: impl Fn(u32) -> f32,
        bring: impl Fn(u32),
    ) -> Vec<(Doc, f32)> {
        let mut scored = Vec::with_capacity(docs.len());
        for (at, &doc) in docs.iter().enumerate() {
            let ahead = docs.get(at + AHEAD);
            if let Some(row) = ahead.and_then(|&next| self.rows_of(next).next()) {
                bring(row);
            }
            let nearest = self.rows_of(doc).map(&near).max_by(f32::total_cmp);
            scored.extend(nearest.map(|near| (doc, near)));
        }
        scored
    }

    /// Cosine of the first vectors of two documents.
    pub fn between(&self, left: Doc, right: Doc) -> Option<f32> {
        let [left, right] = [left, right].map(|doc| self.rows_of(doc).next());
        Some(dot_rows(self.values(left?), self.values(right?)))
    }

    /// Whether a document has a vector.
    pub fn has(&self, doc: Doc) -> bool {
        self.rows_of(doc).next().is_some()
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
    pub fn nearest_of(&self, query: &[f32], doc: Doc) -> Option<Vec<f32>> {
        let row = self.rows_of(doc).nth(self.passage(query, doc)?)?;
        Some(self.widened(row))
    }

    /// The `count` passing documents nearest to a normalised query, best first, ties by larger key.
    pub fn nearest(
        &self,
        query: &[f32],
        count: usize,
        passing: Passing<'_>,
        ids: &Ids,
    ) -> Vec<(Doc, f32)> {
        let wanted = count.min(passing.count);
        let width = self.beam(passing).max(count + count / 4);
        let asked = Asked {
            vector: query,
            code: self.codes.as_ref().map(|_| Encoded::of(query)),
        };
        // Several rows found may be of one document: then more are asked for.
        let wider = (0..WIDENINGS).map(|step| width << step);
        let found = wider
            .take_while(|&width| self.prefers_graph(passing, width))
            .map_while(|width| self.by_graph(&asked, width, passing))
            .find(|found| found.len() >= wanted);
        let found = found.unwrap_or_else(|| self.by_scan(&asked, passing.docs, count));
        ids.best(found, count)
    }

    /// How many near rows a search of the graph keeps. Where few pass it goes further for each it keeps, and needs fewer.
    fn beam(&self, passing: Passing<'_>) -> usize {
        let share = passing.count as f32 / self.len().max(1) as f32;
        (BEAM_SEARCH as f32 * share.clamp(0.5, 1.0)) as usize
    }

    /// Whether the graph measures fewer rows than a scan: it passes `count / len` of what it meets.
    fn prefers_graph(&self, passing: Passing<'_>, width: usize) -> bool {
        let measured = width * MEASURED_A_KEPT * self.len().max(1);
        let linked = self.docs.len() - self.free.len() - self.waiting.len();
        linked > self.waiting.len() && passing.count * passing.count > measured
    }

    /// All that pass, or with codes the best of them, each as near as it is.
    fn by_scan(&self, asked: &Asked<'_>, docs: &DocSet, count: usize) -> Vec<(Doc, f32)> {
        let docs: Vec<Doc> = docs.iter().collect();
        let near = |row: u32| self.about(asked, row);
        let mut scored = self.each_nearest(&docs, near, |row| Rows(self).prefetch(row));
        let kept = count * MEASURED_AGAIN;
        if self.codes.is_none() || scored.len() <= kept {
            return self.exactly(asked, scored);
        }
        scored.select_nth_unstable_by(kept, |a, b| b.1.total_cmp(&a.1));
        scored.truncate(kept);
        self.exactly(asked, scored)
    }

    /// As near as codes tell, or exactly where there are none.
    fn about(&self, asked: &Asked<'_>, row: u32) -> f32 {
        match (&self.codes, &asked.code) {
            (Some(codes), Some(code)) => codes.to(code, row),
            _ => dot(asked.vector, self.values(row)),
        }
    }

    /// What was told by codes, told by the rows.
    fn exactly(&self, asked: &Asked<'_>, scored: Vec<(Doc, f32)>) -> Vec<(Doc, f32)> {
        if self.codes.is_none() {
            return scored;
        }
        let docs: Vec<Doc> = scored.iter().map(|near| near.0).collect();
        self.cosines(asked.vector, &docs)
    }

    /// `None` where the graph met too few that pass: the caller then scans.
    fn by_graph(
        &self,
        asked: &Asked<'_>,
        width: usize,
        passing: Passing<'_>,
    ) -> Option<Vec<(Doc, f32)>> {
        let to = |row: u32| self.about(asked, row);
        let passes = |row: u32| {
            let doc = self.docs.get(row as usize);
            doc != NO_DOC && passing.docs.contains(doc)
        };
        let space = Rows(self);
        let near = if passing.count * NEARLY_ALL >= self.graph.len() * (NEARLY_ALL - 1) {
            self.graph.nearest(&space, to, width)
        } else {
            let patience = passing.count / PATIENCE_SHARE;
            self.graph.nearest_of(&space, to, passes, width, patience)?
        };
        let waiting = self.waiting.iter().copied().map(|row| Near {
            score: to(row),
            row,
        });
        let reachable = near
            .into_iter()
            .chain(waiting)
            .filter(|near| passes(near.row));
        let scored = reachable.map(|near| (self.docs.get(near.row as usize), near.score));
        Some(self.exactly(asked, nearest_passages(scored.collect())))
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

    /// Everything under the new numbers of documents and without free rows, where leaving those out gives back much memory.
    pub(crate) fn packed_if_worth_it(&self, to: &Renumbering) -> Option<Self> {
        let is_worth_it = self.free.len() * FREE_SHARE > self.len();
        is_worth_it.then(|| self.packed(to))
    }

    /// The same rows under the new numbers of their documents.
    pub(crate) fn renumber(&mut self, to: &Renumbering) {
        (self.rows, self.docs) = self.renumbered_docs(to);
    }

    fn renumbered_docs(&self, to: &Renumbering) -> (Column<u32>, Column<Doc>) {
        let mut rows = vec![NO_ROW; to.len];
        let mut docs = vec![NO_DOC; self.docs.len()];
        for (old, new) in to.kept() {
            for row in self.rows_of(old) {
                docs[row as usize] = new;
            }
            rows[new as usize] = self.rows_of(old).next().unwrap_or(NO_ROW);
        }
        (rows.into(), docs.into())
    }

    /// All but free rows.
    pub(crate) fn write(&self, to: &Renumbering, out: &mut Writer) -> Result<(), IndexError> {
        let packing = Packing::of(self);
        let frame = self.frame(to, &packing);
        out.column("vectors.rows", &frame.rows)?;
        out.column("vectors.docs", &frame.docs)?;
        out.column("vectors.next", &frame.next)?;
        out.pieces("vectors.data", packing.pieces(&self.data, self.dimensions))?;
        if let Some(codes) = &self.codes {
            let (values, scales) = codes.parts();
            out.pieces("vectors.codes", packing.pieces(values, self.dimensions))?;
            out.pieces("vectors.scales", packing.pieces(scales, 1))?;
        }
        frame.graph.write(out)
    }

    /// The same without free rows, which nothing links to.
    fn packed(&self, to: &Renumbering) -> Self {
        let packing = Packing::of(self);
        let codes = self.codes.as_ref().map(|codes| {
            let (values, scales) = codes.parts();
            let values = packing.column(values, self.dimensions);
            Codes::from_parts(self.dimensions, values, packing.column(scales, 1))
        });
        Self {
            data: packing.column(&self.data, self.dimensions),
            codes,
            ..self.frame(to, &packing)
        }
    }

    /// Everything of the rows that stay but their values.
    fn frame(&self, to: &Renumbering, packing: &Packing) -> Self {
        let kept = packing.kept.iter().map(|&row| row as usize);
        let (rows, docs) = self.renumbered_docs(to);
        let docs = kept.clone().map(|row| docs.get(row));
        let next = kept.map(|row| packing.place(self.next.get(row)));
        let rows = rows.iter().map(|row| packing.place(row));
        let mut frame = Self {
            rows: rows.collect::<Vec<_>>().into(),
            docs: docs.collect::<Vec<_>>().into(),
            next: next.collect::<Vec<_>>().into(),
            graph: self.graph.renumbered(&packing.places),
            ..Self::new(self.dimensions)
        };
        frame.sort_rows();
        frame
    }

    pub(crate) fn read(dimensions: usize, from: &Reader) -> Result<Self, IndexError> {
        let mut new = Self {
            rows: from.column("vectors.rows")?,
            docs: from.column("vectors.docs")?,
            next: from.column("vectors.next")?,
            data: from.column("vectors.data")?,
            graph: Hnsw::read(from)?,
            ..Self::new(dimensions)
        };
        new.sort_rows();
        if from.has("vectors.codes") {
            let (values, scales) = (
                from.column("vectors.codes")?,
                from.column("vectors.scales")?,
            );
            new.codes = Some(Codes::from_parts(dimensions, values, scales));
        }
        Ok(new)
    }

    /// Tell of each row whether it is free, waiting, linked, or linked and dead.
    fn sort_rows(&mut self) {
        for row in 0..self.docs.len() as u32 {
            let has_doc = self.docs.get(row as usize) != NO_DOC;
            match (has_doc, self.graph.is_linked(row)) {
                (true, true) => {}
                (true, false) => self.waiting.push_back(row),
                (false, true) => self.dead.insert(row),
                (false, false) => self.free.push(row),
            }
        }
        self.dead_count = self.dead.len();
    }

    /// Resident bytes, about: (vectors, graph).
    pub fn bytes(&self) -> (usize, usize) {
        let rows = self.rows.bytes() + self.next.bytes() + self.docs.bytes();
        let codes = self.codes.as_ref().map_or(0, Codes::bytes);
        (self.data.bytes() + rows + codes, self.graph.bytes())
    }
}

/// Which rows stay where free ones are left out, and where they go.
struct Packing {
    kept: Vec<u32>,
    places: Vec<u32>,
}

impl Packing {
    fn of(vectors: &Vectors) -> Self {
        let free: DocSet = vectors.free.iter().copied().collect();
        let rows = 0..vectors.docs.len() as u32;
        let kept: Vec<u32> = rows.filter(|&row| !free.contains(row)).collect();
        let mut places = vec![NO_ROW; vectors.docs.len()];
        for (place, &row) in kept.iter().enumerate() {
            places[row as usize] = place as u32;
        }
        Self { kept, places }
    }

    /// The new number of a row, `NO_ROW` of none.
    fn place(&self, row: u32) -> u32 {
        self.places.get(row as usize).copied().unwrap_or(NO_ROW)
    }

    /// What a column holds of the rows that stay, `width` values each.
    fn pieces<'a, T: Pod>(
        &'a self,
        column: &'a Column<T>,
        width: usize,
    ) -> impl Iterator<Item = &'a [T]> {
        let runs = self.kept.chunk_by(|row, next| row + 1 == *next);
        runs.flat_map(move |run| {
            let first = run[0] as usize;
            column.pieces(first * width..(first + run.len()) * width)
        })
    }

    fn column<T: Pod>(&self, column: &Column<T>, width: usize) -> Column<T> {
        let mut values = Vec::with_capacity(self.kept.len() * width);
        self.pieces(column, width)
            .for_each(|piece| values.extend_from_slice(piece));
        values.into()
    }
}

/// Each document once, as near as the nearest of its rows.
fn nearest_passages(mut rows: Vec<(Doc, f32)>) -> Vec<(Doc, f32)> {
    rows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    rows.dedup_by_key(|row| row.0);
    rows
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
mod tests {
    use super::*;

    fn vector(seed: u32, dimensions: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
        let next = |state: &mut u32| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (*state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let mut values: Vec<f32> = (0..dimensions).map(|_| next(&mut state)).collect();
        normalise(&mut values);
        values
    }

    /// Documents under keys equal to their ids.
    struct Filled {
        vectors: Vectors,
        ids: Ids,
        live: DocSet,
    }

    impl Filled {
        fn new(dimensions: usize, docs: Doc) -> Self {
            let mut filled = Self {
                vectors: Vectors::new(dimensions),
                ids: Ids::default(),
                live: DocSet::default(),
            };
            (0..docs).for_each(|doc| filled.add(doc));
            filled
        }

        fn add(&mut self, seed: u32) {
            self.put(seed, vec![vector(seed, self.vectors.dimensions)]);
        }

        fn put(&mut self, key: u32, vectors: Vec<Vec<f32>>) {
            let doc = self.ids.insert(u64::from(key), true);
            self.live.insert(doc);
            let links = vectors.len() * LINKS_A_VECTOR;
            self.vectors.insert(doc, vectors).unwrap();
            for _ in 0..links {
                if let [row] = self.vectors.due(1)[..] {
                    self.vectors.link(self.vectors.plan(&[row], 0));
                }
                self.sweep();
            }
        }

        fn sweep(&mut self) {
            if self.vectors.is_sweeping() {
                self.vectors.sweep(vec![self.vectors.plan_sweep(0)]);
            }
        }

        fn remove(&mut self, doc: Doc) {
            self.ids.remove(u64::from(doc));
            self.live.remove(doc);
            self.vectors.remove(doc);
            self.sweep();
        }

        fn nearest(&self, query: &[f32], docs: &DocSet) -> Vec<(Doc, f32)> {
            let passing = Passing {
                docs,
                count: docs.len(),
            };
            self.vectors.nearest(query, 10, passing, &self.ids)
        }

        fn exactly(&self, query: &[f32], docs: &DocSet) -> Vec<(Doc, f32)> {
            let scored = docs
                .iter()
                .filter_map(|doc| Some((doc, self.vectors.cosine(query, doc)?)));
            self.ids.best(scored.collect(), 10)
        }

        /// Share of the ten nearest that are found, over forty queries.
        fn recall(&self, docs: &DocSet) -> f32 {
            let found = |seed: u32| {
                let query = vector(1_000_000 + seed, self.vectors.dimensions);
                let exact = self.exactly(&query, docs);
                let near = self.nearest(&query, docs);
                near.iter().filter(|hit| exact.contains(hit)).count()
            };
            (0..40).map(found).sum::<usize>() as f32 / 400.0
        }
    }

    #[test]
    fn a_scan_finds_exactly_the_nearest_of_the_allowed() {
        let mut filled = Filled::new(16, 200);
        filled.remove(7);
        let query = vector(7, 16);
        let allowed: DocSet = (0..200).filter(|doc| doc % 3 == 1).collect();
        let mut expected: Vec<(Doc, f32)> = allowed
            .iter()
            .filter_map(|doc| Some((doc, filled.vectors.cosine(&query, doc)?)))
            .collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        expected.truncate(10);
        assert_eq!(filled.nearest(&query, &allowed), expected);
        assert!(filled.vectors.cosine(&query, 7).is_none());
    }

    #[test]
    fn the_graph_finds_nearly_what_a_scan_finds() {
        let filled = Filled::new(24, GRAPH_FROM as Doc + 4_000);
        assert_eq!(filled.vectors.in_graph(), filled.vectors.len());
        let all = filled.live.clone();
        let most: DocSet = all.iter().filter(|doc| doc % 10 > 0).collect();
        let few: DocSet = (0..20).collect();
        for docs in [&all, &most, &few] {
            let recall = filled.recall(docs);
            assert!(recall >= 0.97, "{} documents: {recall}", docs.len());
        }
        assert!((filled.recall(&few) - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn whatever_share_passes_and_wherever_it_lies_nearly_all_is_found() {
        let filled = Filled::new(24, GRAPH_FROM as Doc + 4_000);
        let sides: Vec<f32> = (0..24).map(|at| f32::from(u8::from(at == 0))).collect();
        let is_ahead = |doc: &Doc| filled.vectors.cosine(&sides, *doc) > Some(0.25);
        let ahead: DocSet = filled.live.iter().filter(is_ahead).collect();
        let shares = [2, 3, 4, 6, 10, 30].map(|share| -> DocSet {
            let docs = filled.live.iter();
            docs.filter(|doc| doc % share == 0).collect()
        });
        for docs in shares.iter().chain([&ahead]) {
            let recall = filled.recall(docs);
            assert!(recall >= 0.97, "{} documents: {recall}", docs.len());
        }
    }

    #[test]
    fn by_codes_nearly_the_same_is_found() {
        let mut filled = Filled::new(48, 0);
        filled.vectors.keep_codes(true);
        (0..GRAPH_FROM as Doc + 4_000).for_each(|seed| filled.add(seed));
        let tenth: DocSet = filled.live.iter().filter(|doc| doc % 10 == 0).collect();
        for docs in [&filled.live, &tenth] {
            let recall = filled.recall(docs);
            assert!(recall >= 0.97, "{} documents: {recall}", docs.len());
        }
        filled.vectors.keep_codes(false);
        assert!(filled.recall(&filled.live) >= 0.97);
    }

    #[test]
    fn while_the_first_graph_catches_up_everything_is_found() {
        let filled = Filled::new(8, GRAPH_FROM as Doc + 400);
        let linked = filled.vectors.in_graph();
        assert!(linked > 0 && linked < filled.vectors.len(), "{linked}");
        assert!((filled.recall(&filled.live) - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn after_a_churn_as_much_is_found_and_rows_are_used_again() {
        let mut filled = Filled::new(16, GRAPH_FROM as Doc + 3_000);
        for doc in 0..GRAPH_FROM as Doc {
            filled.remove(doc);
            filled.add(100_000 + doc);
        }
        let rows = filled.vectors.docs.len();
        assert_eq!(filled.vectors.len(), GRAPH_FROM + 3_000);
        assert!(rows < (GRAPH_FROM + 3_000) * 3 / 2, "{rows} rows");
        let recall = filled.recall(&filled.live.clone());
        assert!(recall >= 0.97, "{recall}");
    }

    #[test]
    fn without_free_rows_the_same_is_found() {
        let mut filled = Filled::new(16, GRAPH_FROM as Doc + 3_000);
        (0..9_000).for_each(|doc| filled.remove(doc * 10_007 % (GRAPH_FROM as Doc + 3_000)));
        let to = filled.ids.renumbering();
        let packed = filled.vectors.packed(&to);
        assert!(packed.docs.len() < filled.vectors.docs.len());
        let query = vector(77, 16);
        for (old, new) in to.kept() {
            let (before, after) = (
                filled.vectors.cosine(&query, old),
                packed.cosine(&query, new),
            );
            assert_eq!(before, after);
        }
        assert_eq!(packed.graph.len(), filled.vectors.graph.len());
    }

    #[test]
    fn a_document_is_as_near_as_the_nearest_of_its_passages() {
        let mut filled = Filled::new(3, 0);
        let axis = |at: usize| (0..3).map(|each| f32::from(u8::from(each == at))).collect();
        filled.put(0, vec![axis(0), axis(1)]);
        filled.put(1, vec![vec![1.0, 1.0, 1.0]]);
        filled.put(2, Vec::new());
        for (at, nearest, passage) in [(0, 0, Some(0)), (1, 0, Some(1)), (2, 1, Some(0))] {
            let query: Vec<f32> = axis(at);
            let found = filled.nearest(&query, &filled.live);
            assert_eq!((found.len(), found[0].0), (2, nearest));
            assert_eq!(filled.vectors.passage(&query, nearest), passage);
        }
        assert_eq!(filled.vectors.passage(&axis(0), 2), None);
        filled.remove(0);
        filled.put(3, vec![axis(2); 2]);
        assert_eq!(filled.vectors.len(), 3);
        assert_eq!(filled.vectors.cosine(&axis(0), 0), None);
    }

    #[test]
    fn the_graph_counts_documents_not_passages() {
        let mut filled = Filled::new(24, 0);
        for doc in 0..(GRAPH_FROM / 4) as Doc + 1_000 {
            let passages = (0..4).map(|passage| vector(doc * 4 + passage, 24));
            filled.put(doc, passages.collect());
        }
        assert!(filled.vectors.in_graph() > GRAPH_FROM);
        let recall = filled.recall(&filled.live);
        assert!(recall >= 0.97, "{recall}");
    }

    #[test]
    fn a_vector_without_a_direction_is_near_to_nothing() {
        for strange in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 0.0] {
            let mut filled = Filled::new(2, 0);
            filled.put(0, vec![vec![strange, 0.0]]);
            filled.put(1, vec![vec![-1.0, 0.1]]);
            assert_eq!(filled.nearest(&[1.0, 0.0], &filled.live)[0], (0, 0.0));
        }
    }

    #[test]
    fn a_vector_of_another_length_is_refused() {
        let error = Vectors::new(4).insert(0, vec![vec![1.0; 3]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the vector has 3 dimensions, the index 4"
        );
    }
}
