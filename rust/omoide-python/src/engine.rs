//! The Python handle on an index: one writer at a time, many readers.

use crate::detach::detach;
use crate::input::{Document, Edge, Node};
use crate::output::{Hits, Neighbour, Saved, Stats};
use crate::query::{Filter, Query, Visibility};
use crate::vector::Vector;
use omoide_index::mentions::{MENTIONS, StoredText};
use omoide_index::shared::{Batch, Shared};
use omoide_index::{Index, IndexError, NewDocument};
use omoide_search as search;
use omoide_text::Wordings;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// See the module.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Engine {
    index: Shared,
    /// Whether loading converted the vectors to the other storage, so that the snapshot is not what would be saved now.
    #[pyo3(get)]
    converted: bool,
    /// Whether documents and queries without a vector are compared by their spelling.
    lexical: bool,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (*, dimensions = 1024, lexical = true, codes = false))]
    fn new(dimensions: usize, lexical: bool, codes: bool) -> Self {
        let mut index = Index::new(dimensions);
        index.vectors.keep_codes(codes);
        Self {
            index: Shared::new(index),
            converted: false,
            lexical,
        }
    }

    #[staticmethod]
    #[pyo3(signature = (path, identity, *, lexical = true, codes = false))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        identity: String,
        lexical: bool,
        codes: bool,
    ) -> PyResult<Self> {
        let (index, converted) = detach(py, || {
            let mut index = Index::load(&path, &identity)?;
            let converted = index.vectors.has_codes() != codes;
            index.vectors.keep_codes(codes);
            Ok((index, converted))
        })?;
        Ok(Self {
            index: Shared::new(index),
            converted,
            lexical,
        })
    }

    #[pyo3(signature = (path, identity, *, most_missing = None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        identity: String,
        most_missing: Option<u64>,
    ) -> PyResult<Saved> {
        let saved = detach(py, || match most_missing {
            None => self.index.save(&path, &identity),
            Some(most) => self.index.save_unless_saved(&path, &identity, most),
        })?;
        Ok(Saved {
            applied: saved.applied,
            vectors: saved.vectors,
            bytes: saved.bytes,
        })
    }

    #[getter]
    fn applied(&self, py: Python<'_>) -> PyResult<u64> {
        self.read_briefly(py, |index| index.applied)
    }

    #[getter]
    fn vectors(&self, py: Python<'_>) -> PyResult<usize> {
        self.read_briefly(py, |index| index.vectors.len())
    }

    fn texts_by_writing(&self, py: Python<'_>) -> PyResult<(u32, u32, u32, u32)> {
        self.read_briefly(py, |index| index.postings.texts_by_kind().into())
    }

    #[getter]
    fn dead(&self, py: Python<'_>) -> PyResult<usize> {
        detach(py, || Ok(self.index.read().dead()))
    }

    fn stands_at(&self, py: Python<'_>, applied: u64, history: &str) -> PyResult<bool> {
        self.read_briefly(py, |index| {
            index.applied == applied && index.history == history
        })
    }

    #[getter]
    fn history(&self, py: Python<'_>) -> PyResult<String> {
        detach(py, || Ok(self.index.read().history.clone()))
    }

    #[pyo3(signature = (applied, *, documents = Vec::new(), nodes = Vec::new(), edges = Vec::new(),
        removed = Vec::new(), removed_edges = Vec::new(), history = String::new()))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of one batch")]
    fn apply(
        &self,
        py: Python<'_>,
        applied: u64,
        documents: Vec<Py<Document>>,
        nodes: Vec<Py<Node>>,
        edges: Vec<Py<Edge>>,
        removed: Vec<u64>,
        removed_edges: Vec<u64>,
        history: String,
    ) -> PyResult<()> {
        detach(py, || {
            self.index.apply(Batch {
                applied,
                history,
                documents: documents
                    .iter()
                    .map(|each| self.prepared(each.get()))
                    .collect(),
                nodes: nodes
                    .iter()
                    .map(Py::get)
                    .map(|node| (node.key, node.names.as_slice(), node.homes.as_slice()))
                    .collect(),
                edges: edges
                    .iter()
                    .map(Py::get)
                    .map(|edge| (edge.key, edge.source, &edge.new))
                    .collect(),
                removed,
                removed_edges,
            })
        })
    }

    fn put_vectors(&self, py: Python<'_>, vectors: Vec<(u64, Vec<Vector>)>) -> PyResult<()> {
        let floats = |passages: Vec<Vector>| passages.into_iter().map(|vector| vector.0).collect();
        let vectors = vectors
            .into_iter()
            .map(|(key, passages)| (key, floats(passages)));
        detach(py, || self.index.put_vectors(vectors.collect()))
    }

    fn waiting(&self, py: Python<'_>, most: usize) -> PyResult<Vec<u64>> {
        detach(py, || {
            let index = self.index.read();
            Ok(index.waiting.iter().copied().take(most).collect())
        })
    }

    fn read_again(
        &self,
        py: Python<'_>,
        applied: u64,
        texts: Vec<(u64, String, i64)>,
    ) -> PyResult<()> {
        detach(py, || {
            let texts = texts.iter().map(|(key, text, at)| StoredText {
                key: *key,
                text,
                at: *at,
            });
            self.index.read_again(applied, &texts.collect::<Vec<_>>());
            Ok(())
        })
    }

    fn nodes_named(&self, py: Python<'_>, name: &str) -> PyResult<Vec<u64>> {
        detach(py, || {
            Ok(self.index.read().names.nodes_named(name).to_vec())
        })
    }

    fn without_vectors(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        detach(py, || {
            if self.lexical {
                return Ok(Vec::new());
            }
            Ok(self.index.read().without_vectors())
        })
    }

    #[getter]
    fn dimensions(&self, py: Python<'_>) -> PyResult<usize> {
        detach(py, || Ok(self.index.read().vectors.dimensions()))
    }

    fn search(&self, py: Python<'_>, query: &Query) -> PyResult<Hits> {
        detach(py, || self.run_query(query)).map(Hits::new)
    }

    #[pyo3(signature = (start, *, depth, types = None, limit = 200, filter = None, visibility = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of one walk")]
    fn neighbours(
        &self,
        py: Python<'_>,
        start: u64,
        depth: usize,
        types: Option<Vec<String>>,
        limit: usize,
        filter: Option<PyRef<'_, Filter>>,
        visibility: Option<PyRef<'_, Visibility>>,
    ) -> PyResult<Vec<Neighbour>> {
        let filter = filter.map(|filter| Arc::clone(&filter.0));
        let visibility = visibility.map(|visibility| visibility.0.clone());
        let walk = search::BreadthFirst {
            depth,
            types,
            limit,
        };
        detach(py, || {
            let index = self.index.read();
            let allowed = search::Allowed::new(&index, filter.as_deref());
            let allowed = allowed.restricted_to(visibility.as_ref());
            let reached = search::breadth_first(&index, &allowed, &[start], &walk);
            Ok(reached
                .into_iter()
                .map(|neighbour| Neighbour::from(&(neighbour, 0.0)))
                .collect())
        })
    }

    fn stats(&self, py: Python<'_>) -> PyResult<Stats> {
        detach(py, || Ok(stats_of(&self.index.read())))
    }
}

/// The hits of a query, and its terms as the user wrote them.
pub type SearchResult = (search::Hits, Wordings);

impl Engine {
    /// For small reads that every search makes: releases the interpreter only if it would have to wait for the lock.
    fn read_briefly<T: Send>(
        &self,
        py: Python<'_>,
        read: impl Fn(&Index) -> T + Sync,
    ) -> PyResult<T> {
        if let Some(index) = self.index.try_read() {
            return Ok(read(&index));
        }
        detach(py, || Ok(read(&self.index.read())))
    }

    /// Answer a query; needs no interpreter.
    pub fn run_query(&self, query: &Query) -> Result<SearchResult, IndexError> {
        let index = self.index.read();
        let checked = self.checked_query(&query.inner, &index)?;
        let found = search::search(&index, &checked);
        let wordings = query.written.of(&found.terms);
        Ok((found, wordings))
    }

    /// Cuts a document into grams and sequences, before any lock is taken.
    fn prepared<'a>(&self, document: &'a Document) -> NewDocument<'a> {
        let is_spelled = self.lexical && document.vectors.is_empty();
        let sequences = is_spelled.then(|| omoide_text::sequences(&document.folded).into_iter());
        NewDocument {
            key: document.key,
            kind: omoide_text::Writing::of(&document.folded) as u8,
            fields: [
                document.words.iter().collect(),
                omoide_text::grams(&document.folded).collect(),
                document.readings.iter().collect(),
            ],
            attributes: &document.attributes,
            numbers: &document.numbers,
            edges: &document.edges,
            turn: document.turn.as_ref(),
            sequences: sequences.map(|all| all.map(|each| each.letters.into_string()).collect()),
            vectors: document.vectors.clone(),
            text: &document.folded,
            names: &document.names,
            thread_names: &document.thread_names,
            stored_at: document.stored_at,
        }
    }

    /// Checks the query's vector; drops its spelling if it has no vector and this index does not compare spellings.
    fn checked_query<'a>(
        &self,
        query: &'a search::Query,
        index: &Index,
    ) -> Result<Cow<'a, search::Query>, IndexError> {
        let mut query = Cow::Borrowed(query);
        if let Some(vector) = &query.vector {
            index.vectors.check(vector)?;
        } else if !self.lexical && query.spelling.is_some() {
            query.to_mut().spelling = None;
        }
        Ok(query)
    }
}

fn stats_of(index: &Index) -> Stats {
    let documents = index.ids.documents();
    let (vectors, links) = index.vectors.bytes();
    let bytes = [
        ("ids", index.ids.bytes()),
        ("postings", index.postings.bytes()),
        ("spellings", index.spellings.bytes()),
        ("vectors", vectors),
        ("vector links", links),
        ("attributes", index.attributes.bytes()),
        ("numbers", index.numbers.bytes()),
        ("graph", index.graph.bytes()),
        ("names", index.names.bytes()),
        ("turns", index.turns.bytes()),
    ];
    let edges = index.graph.iter();
    let mentions = edges.filter(|edge| index.graph.kind(edge) == MENTIONS);
    Stats {
        documents,
        nodes: index.ids.count() - documents,
        edges: index.graph.iter().count(),
        mentions: mentions.count(),
        waiting: index.waiting.len(),
        terms: index.postings.terms(),
        postings: index.postings.pairs(),
        bytes: bytes.map(|(part, bytes)| (part.to_owned(), bytes)).to_vec(),
    }
}
