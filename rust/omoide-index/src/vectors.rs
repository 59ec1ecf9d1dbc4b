//! Which documents have the vectors nearest to a query?
//!
//! A document may have several vectors, one a passage; it is as near as the nearest of them. Which passage that is can
//! be asked for.
//!
//! All vectors stand in one f16 column, scanned exactly while that is quick: for small collections and for narrow
//! filters. Large collections also have an HNSW graph (usearch), asked when most documents pass.

use crate::dot::{dot, dot_rows};
use crate::{Doc, IndexError};
use half::f16;
use roaring::RoaringBitmap;
use std::thread::available_parallelism;
use usearch::{Index as Hnsw, IndexOptions, MetricKind, ScalarKind, VectorType};

/// From so many vectors on there is an HNSW graph; an exact scan of fewer takes about a millisecond.
pub const HNSW_FROM: usize = 8_192;
/// The graph is asked when at least one in so many vectors passes the filter; below, an exact scan is faster.
const HNSW_SHARE: usize = 6;
/// Capacity is reserved ahead in steps of this many.
const RESERVE: usize = 16_384;
const NO_ROW: u32 = u32::MAX;
const CONNECTIVITY: usize = 16;
const EXPANSION_ADD: usize = 96;
const EXPANSION_SEARCH: usize = 192;

/// How often more of the graph is asked for when several of what it found are of one document.
const WIDENINGS: usize = 4;

/// Vectors by document.
pub struct Vectors {
    dimensions: usize,
    /// The first row of each document.
    rows: Vec<u32>,
    /// The next row of the same document, by row.
    next: Vec<u32>,
    docs: Vec<Doc>,
    free: Vec<u32>,
    data: Vec<u16>,
    hnsw: Option<Hnsw>,
}

/// What of the vectors a snapshot keeps.
pub(crate) struct Parts {
    pub rows: Vec<u32>,
    pub next: Vec<u32>,
    pub docs: Vec<Doc>,
    pub free: Vec<u32>,
    pub data: Vec<u16>,
    pub hnsw: Option<Vec<u8>>,
}

impl Vectors {
    /// None yet.
    pub fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            rows: Vec::new(),
            next: Vec::new(),
            docs: Vec::new(),
            free: Vec::new(),
            data: Vec::new(),
            hnsw: None,
        }
    }

    /// The length of every vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.docs.len() - self.free.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many vectors the HNSW graph holds.
    pub fn in_graph(&self) -> usize {
        self.hnsw.as_ref().map_or(0, Hnsw::size)
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

    /// Keep the vectors of a new document, one a passage in their order, each normalised.
    pub fn insert(&mut self, doc: Doc, vectors: Vec<Vec<f32>>) -> Result<(), IndexError> {
        vectors.iter().try_for_each(|vector| self.check(vector))?;
        if self.rows.len() <= doc as usize {
            self.rows.resize(doc as usize + 1, NO_ROW);
        }
        // Each row points at the one kept before it: the last passage goes first.
        vectors
            .into_iter()
            .rev()
            .try_for_each(|vector| self.prepend(doc, vector))
    }

    fn prepend(&mut self, doc: Doc, mut vector: Vec<f32>) -> Result<(), IndexError> {
        normalise(&mut vector);
        let row = self.free_row();
        let start = row as usize * self.dimensions;
        for (place, value) in self.data[start..start + self.dimensions]
            .iter_mut()
            .zip(&vector)
        {
            *place = f16::from_f32(*value).to_bits();
        }
        self.docs[row as usize] = doc;
        self.next[row as usize] = std::mem::replace(&mut self.rows[doc as usize], row);
        self.add_to_graph(row, &vector)
    }

    /// Forget the vectors of a document, if it has any.
    pub fn remove(&mut self, doc: Doc) {
        let rows: Vec<usize> = self.rows_of(doc).collect();
        for row in rows {
            self.docs[row] = NO_ROW;
            self.free.push(row as u32);
            if let Some(hnsw) = &self.hnsw {
                // A key that is not there is no matter; the column, not the graph, decides what is live.
                let _ = hnsw.remove(row as u64);
            }
        }
        if let Some(first) = self.rows.get_mut(doc as usize) {
            *first = NO_ROW;
        }
    }

    /// Cosine of a normalised query and the nearest of a document's vectors.
    pub fn cosine(&self, query: &[f32], doc: Doc) -> Option<f32> {
        let cosines = self.rows_of(doc).map(|row| dot(query, self.values(row)));
        cosines.max_by(f32::total_cmp)
    }

    /// Which of a document's vectors, counted from 0, is nearest to a normalised query; the first of equals.
    pub fn passage(&self, query: &[f32], doc: Doc) -> Option<usize> {
        let cosines = self.rows_of(doc).map(|row| dot(query, self.values(row)));
        let nearest = cosines
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        Some(nearest?.0)
    }

    /// The `count` documents of `allowed` nearest to a normalised query, best first, ties by larger id.
    pub fn nearest(&self, query: &[f32], count: usize, allowed: &RoaringBitmap) -> Vec<(Doc, f32)> {
        let found = match &self.hnsw {
            Some(hnsw) if allowed.len() as usize * HNSW_SHARE >= self.len() => {
                self.by_graph(hnsw, query, count, allowed)
            }
            _ => None,
        };
        found.unwrap_or_else(|| self.by_scan(query, count, allowed))
    }

    fn by_scan(&self, query: &[f32], count: usize, allowed: &RoaringBitmap) -> Vec<(Doc, f32)> {
        let scored = allowed
            .iter()
            .filter_map(|doc| Some((doc, self.cosine(query, doc)?)));
        best(scored.collect(), count)
    }

    /// `None` where the graph found fewer documents than there are: the caller then scans.
    fn by_graph(
        &self,
        hnsw: &Hnsw,
        query: &[f32],
        count: usize,
        allowed: &RoaringBitmap,
    ) -> Option<Vec<(Doc, f32)>> {
        let wanted = count.min(allowed.len() as usize);
        let deeper = (0..WIDENINGS).map(|step| count << step);
        for asked in deeper {
            let found = self.near_rows(hnsw, query, asked, allowed)?;
            if found.len() >= wanted {
                return Some(best(found, count));
            }
            if asked >= self.len() {
                break;
            }
        }
        None
    }

    /// The documents of the `count` nearest rows, each once, in no order.
    fn near_rows(
        &self,
        hnsw: &Hnsw,
        query: &[f32],
        count: usize,
        allowed: &RoaringBitmap,
    ) -> Option<Vec<(Doc, f32)>> {
        let passes = |row: u64| allowed.contains(self.docs[row as usize]);
        let matches = if allowed.len() as usize >= self.len() {
            hnsw.search(query, count)
        } else {
            hnsw.filtered_search(query, count, passes)
        };
        let keys = matches.ok()?.keys;
        let mut docs: Vec<Doc> = keys
            .into_iter()
            .filter(|&row| passes(row))
            .map(|row| self.docs[row as usize])
            .collect();
        docs.sort_unstable();
        docs.dedup();
        let cosine = |doc| Some((doc, self.cosine(query, doc)?));
        Some(docs.into_iter().filter_map(cosine).collect())
    }

    fn free_row(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.docs.push(NO_ROW);
            self.next.push(NO_ROW);
            self.data.resize(self.docs.len() * self.dimensions, 0);
            self.docs.len() as u32 - 1
        })
    }

    /// The rows of a document in the order of its passages.
    fn rows_of(&self, doc: Doc) -> impl Iterator<Item = usize> + '_ {
        let is_row = |row: u32| (row != NO_ROW).then_some(row as usize);
        let first = self.rows.get(doc as usize).copied().and_then(is_row);
        std::iter::successors(first, move |&row| is_row(self.next[row]))
    }

    fn values(&self, row: usize) -> &[u16] {
        &self.data[row * self.dimensions..(row + 1) * self.dimensions]
    }

    fn add_to_graph(&mut self, row: u32, vector: &[f32]) -> Result<(), IndexError> {
        match &self.hnsw {
            Some(hnsw) => add(hnsw, row, vector),
            None if self.len() >= HNSW_FROM => self.build_graph(),
            None => Ok(()),
        }
    }

    /// All rows at once, on every core: the one pause of a growing collection.
    fn build_graph(&mut self) -> Result<(), IndexError> {
        let hnsw = empty_graph(self.dimensions)?;
        reserve(&hnsw, self.len() + RESERVE)?;
        let rows: Vec<usize> = (0..self.docs.len())
            .filter(|&row| self.docs[row] != NO_ROW)
            .collect();
        let share = rows
            .len()
            .div_ceil(available_parallelism().map_or(1, usize::from));
        let this = &*self;
        let add_all = |rows: &[usize]| {
            rows.iter()
                .try_for_each(|&row| add(&hnsw, row as u32, &this.widened(row)))
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = rows
                .chunks(share.max(1))
                .map(|part| scope.spawn(move || add_all(part)))
                .collect();
            let done = workers
                .into_iter()
                .map(|worker| worker.join().map_err(|_| refused("a worker broke")));
            done.collect::<Result<Vec<_>, _>>()?
                .into_iter()
                .collect::<Result<(), _>>()
        })?;
        self.hnsw = Some(hnsw);
        Ok(())
    }

    fn widened(&self, row: usize) -> Vec<f32> {
        self.values(row)
            .iter()
            .map(|&bits| f16::from_bits(bits).to_f32())
            .collect()
    }

    /// Which row is whose: (first rows by document, next rows, documents by row, free rows).
    pub(crate) fn rows(&self) -> (&[u32], &[u32], &[Doc], &[u32]) {
        (&self.rows, &self.next, &self.docs, &self.free)
    }

    /// The bits of all values, row after row.
    pub(crate) fn values_of_all(&self) -> &[u16] {
        &self.data
    }

    /// The HNSW graph as bytes, if there is one.
    pub(crate) fn graph_bytes(&self) -> Result<Option<Vec<u8>>, IndexError> {
        self.hnsw.as_ref().map(serialised).transpose()
    }

    pub(crate) fn from_parts(dimensions: usize, parts: Parts) -> Result<Self, IndexError> {
        let hnsw = parts
            .hnsw
            .map(|bytes| restored(dimensions, &bytes))
            .transpose()?;
        let Parts {
            rows,
            next,
            docs,
            free,
            data,
            ..
        } = Parts {
            hnsw: None,
            ..parts
        };
        Ok(Self {
            dimensions,
            rows,
            next,
            docs,
            free,
            data,
            hnsw,
        })
    }

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        let column = self.data.capacity() * 2
            + (self.rows.capacity() + self.next.capacity() + self.docs.capacity()) * 4;
        column + self.hnsw.as_ref().map_or(0, Hnsw::memory_usage)
    }
}

/// Scale to unit length; the zero vector stays.
pub fn normalise(vector: &mut [f32]) {
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if norm > 0.0 {
        for value in vector {
            *value /= norm;
        }
    }
}

/// The `count` highest scores, best first, ties by larger id.
pub fn best(mut scored: Vec<(Doc, f32)>, count: usize) -> Vec<(Doc, f32)> {
    let order = |a: &(Doc, f32), b: &(Doc, f32)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
    if count < scored.len() {
        scored.select_nth_unstable_by(count, order);
        scored.truncate(count);
    }
    scored.sort_unstable_by(order);
    scored
}

fn empty_graph(dimensions: usize) -> Result<Hnsw, IndexError> {
    let options = IndexOptions {
        dimensions,
        metric: MetricKind::Cos,
        quantization: ScalarKind::F16,
        connectivity: CONNECTIVITY,
        expansion_add: EXPANSION_ADD,
        expansion_search: EXPANSION_SEARCH,
        multi: false,
    };
    let mut hnsw = Hnsw::new(&options).map_err(refused)?;
    use_own_kernel(&mut hnsw)?;
    reserve(&hnsw, RESERVE)?;
    Ok(hnsw)
}

/// Distances by our own kernel: the library's fast ones cost minutes of compiling, its plain ones are 10 times slower.
fn use_own_kernel(hnsw: &mut Hnsw) -> Result<(), IndexError> {
    let dimensions = hnsw.dimensions();
    let distance = move |left: *const usearch::f16, right: *const usearch::f16| {
        // SAFETY: usearch hands over pointers to two of its vectors, each of `dimensions` f16 values.
        let (left, right) = unsafe {
            (
                std::slice::from_raw_parts(left.cast::<u16>(), dimensions),
                std::slice::from_raw_parts(right.cast::<u16>(), dimensions),
            )
        };
        1.0 - dot_rows(left, right)
    };
    <usearch::f16 as VectorType>::change_metric(hnsw, Box::new(distance)).map_err(refused)
}

fn add(hnsw: &Hnsw, row: u32, vector: &[f32]) -> Result<(), IndexError> {
    if hnsw.size() + 1 >= hnsw.capacity() {
        reserve(hnsw, hnsw.capacity() + RESERVE)?;
    }
    hnsw.add(u64::from(row), vector).map_err(refused)
}

/// usearch needs a context for every thread that may search, and room before it is needed.
fn reserve(hnsw: &Hnsw, capacity: usize) -> Result<(), IndexError> {
    let threads = available_parallelism().map_or(1, usize::from).max(64);
    hnsw.reserve_capacity_and_threads(capacity, threads)
        .map_err(refused)
}

fn serialised(hnsw: &Hnsw) -> Result<Vec<u8>, IndexError> {
    let mut bytes = vec![0; hnsw.serialized_length()];
    hnsw.save_to_buffer(&mut bytes).map_err(refused)?;
    Ok(bytes)
}

fn restored(dimensions: usize, bytes: &[u8]) -> Result<Hnsw, IndexError> {
    let mut hnsw = empty_graph(dimensions)?;
    hnsw.load_from_buffer(bytes).map_err(refused)?;
    // Loading puts the library's own distance back.
    use_own_kernel(&mut hnsw)?;
    hnsw.change_expansion_add(EXPANSION_ADD);
    hnsw.change_expansion_search(EXPANSION_SEARCH);
    reserve(&hnsw, hnsw.size() + RESERVE)?;
    Ok(hnsw)
}

fn refused(error: impl std::fmt::Display) -> IndexError {
    IndexError::VectorGraph(error.to_string())
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

    #[test]
    fn a_scan_finds_exactly_the_nearest_of_the_allowed() {
        let mut vectors = Vectors::new(16);
        for doc in 0..200 {
            vectors.insert(doc, vec![vector(doc, 16)]).unwrap();
        }
        vectors.remove(7);
        let query = vector(7, 16);
        let allowed: RoaringBitmap = (0..200).filter(|doc| doc % 3 == 1).collect();
        let found = vectors.nearest(&query, 5, &allowed);
        let mut expected: Vec<(Doc, f32)> = allowed
            .iter()
            .filter_map(|doc| Some((doc, vectors.cosine(&query, doc)?)))
            .collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        expected.truncate(5);
        assert_eq!(found, expected);
        assert!(vectors.cosine(&query, 7).is_none());
    }

    #[test]
    fn the_graph_finds_nearly_what_a_scan_finds() {
        let mut vectors = Vectors::new(24);
        for doc in 0..HNSW_FROM as Doc + 500 {
            vectors.insert(doc, vec![vector(doc, 24)]).unwrap();
        }
        assert_eq!(vectors.in_graph(), vectors.len());
        let all: RoaringBitmap = (0..vectors.len() as Doc).collect();
        let half: RoaringBitmap = all.iter().filter(|doc| doc % 2 == 0).collect();
        for allowed in [&all, &half] {
            let found: usize = (0..40)
                .map(|seed| {
                    let query = vector(1_000_000 + seed, 24);
                    let exact: Vec<Doc> = vectors
                        .by_scan(&query, 10, allowed)
                        .iter()
                        .map(|hit| hit.0)
                        .collect();
                    vectors
                        .nearest(&query, 10, allowed)
                        .iter()
                        .filter(|hit| exact.contains(&hit.0))
                        .count()
                })
                .sum();
            assert!(found >= 390, "recall {found}/400");
        }
        let few: RoaringBitmap = (0..20).collect();
        assert_eq!(
            vectors.nearest(&vector(3, 24), 10, &few),
            vectors.by_scan(&vector(3, 24), 10, &few)
        );
    }

    #[test]
    fn a_document_is_as_near_as_the_nearest_of_its_passages() {
        let mut vectors = Vectors::new(3);
        let axis = |at: usize| (0..3).map(|each| f32::from(u8::from(each == at))).collect();
        vectors.insert(0, vec![axis(0), axis(1)]).unwrap();
        vectors.insert(1, vec![vec![1.0, 1.0, 1.0]]).unwrap();
        vectors.insert(2, Vec::new()).unwrap();
        let all: RoaringBitmap = (0..3).collect();
        for (at, nearest, passage) in [(0, 0, Some(0)), (1, 0, Some(1)), (2, 1, Some(0))] {
            let query: Vec<f32> = axis(at);
            assert_eq!(vectors.nearest(&query, 3, &all).len(), 2);
            assert_eq!(vectors.nearest(&query, 1, &all)[0].0, nearest);
            assert_eq!(vectors.passage(&query, nearest), passage);
        }
        assert_eq!(vectors.passage(&axis(0), 2), None);
        vectors.remove(0);
        vectors.insert(3, vec![axis(2); 2]).unwrap();
        assert_eq!(vectors.len(), 3);
        assert_eq!(vectors.cosine(&axis(0), 0), None);
    }

    #[test]
    fn the_graph_counts_documents_not_passages() {
        let mut vectors = Vectors::new(24);
        for doc in 0..(HNSW_FROM / 4) as Doc + 100 {
            let passages = (0..4).map(|passage| vector(doc * 4 + passage, 24));
            vectors.insert(doc, passages.collect()).unwrap();
        }
        assert!(vectors.in_graph() > HNSW_FROM);
        let all: RoaringBitmap = (0..vectors.docs.len() as Doc).collect();
        let found: usize = (0..40)
            .map(|seed| {
                let query = vector(1_000_000 + seed, 24);
                let near = vectors.nearest(&query, 10, &all);
                assert_eq!(near.len(), 10);
                let exact = vectors.by_scan(&query, 10, &all);
                near.iter().filter(|hit| exact.contains(hit)).count()
            })
            .sum();
        assert!(found >= 390, "recall {found}/400");
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
