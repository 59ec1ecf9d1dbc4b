//! What comes out: hits, neighbours and statistics, as frozen values for Python.

use omoide_search as search;
use pyo3::prelude::*;

type Path = Vec<(u64, String, bool)>;

fn path(steps: Vec<search::Step>) -> Path {
    steps
        .into_iter()
        .map(|step| (step.key, step.kind, step.forward))
        .collect()
}

fn pair(usual: search::Usual) -> (f32, f32) {
    (usual.mean, usual.spread)
}

/// A found document, explained.
#[pyclass(frozen, get_all, module = "omoide._engine")]
pub struct Hit {
    key: u64,
    score: f32,
    coverage: f32,
    usual_coverage: (f32, f32),
    cosine: Option<f32>,
    passage: Option<usize>,
    words_rank: Option<usize>,
    words_score: Option<f32>,
    vectors_rank: Option<usize>,
    vectors_score: Option<f32>,
    graph_rank: Option<usize>,
    graph_score: Option<f32>,
    terms: Vec<String>,
    words: Vec<String>,
    path: Path,
}

impl Hit {
    fn new(py: Python<'_>, hit: search::Hit, words: Vec<String>) -> PyResult<Py<Self>> {
        let hit = Self {
            key: hit.key,
            score: hit.score,
            coverage: hit.coverage,
            usual_coverage: pair(hit.usual_coverage),
            cosine: hit.cosine,
            passage: hit.passage,
            words_rank: hit.words.map(|arm| arm.0),
            words_score: hit.words.map(|arm| arm.1),
            vectors_rank: hit.vectors.map(|arm| arm.0),
            vectors_score: hit.vectors.map(|arm| arm.1),
            graph_rank: hit.graph.map(|arm| arm.0),
            graph_score: hit.graph.map(|arm| arm.1),
            terms: hit.terms,
            words,
            path: path(hit.path),
        };
        Py::new(py, hit)
    }
}

/// Something met on a breadth-first walk.
#[pyclass(frozen, get_all, skip_from_py_object, module = "omoide._engine")]
#[derive(Clone)]
pub struct Neighbour {
    key: u64,
    origin: u64,
    depth: usize,
    path: Path,
    cosine: f32,
    weight: f32,
    created_at: i64,
}

impl From<(search::Neighbour, f32)> for Neighbour {
    fn from((met, cosine): (search::Neighbour, f32)) -> Self {
        Self {
            key: met.key,
            origin: met.origin,
            depth: met.depth,
            path: path(met.path),
            cosine,
            weight: met.weight,
            created_at: met.created_at,
        }
    }
}

/// The answer to one query.
#[pyclass(frozen, get_all, module = "omoide._engine")]
#[expect(clippy::struct_field_names, reason = "the name callers know")]
pub struct Hits {
    hits: Vec<Py<Hit>>,
    neighbours: Vec<Neighbour>,
    allowed: usize,
    usual_cosine: Option<(f32, f32, usize)>,
    named: Vec<u64>,
    applied: u64,
}

impl Hits {
    /// The same for Python, each hit made once; `words` are its terms as they were written.
    pub fn new(py: Python<'_>, found: search::Hits, words: Vec<Vec<String>>) -> PyResult<Self> {
        let hits = found.hits.into_iter().zip(words);
        let hits = hits.map(|(hit, words)| Hit::new(py, hit, words));
        Ok(Self {
            hits: hits.collect::<PyResult<_>>()?,
            neighbours: found.neighbours.into_iter().map(Neighbour::from).collect(),
            allowed: found.allowed,
            usual_cosine: found
                .usual_cosine
                .map(|(usual, of)| (usual.mean, usual.spread, of)),
            named: found.named,
            applied: found.applied,
        })
    }
}

/// Counts and resident bytes by part.
#[pyclass(frozen, get_all, module = "omoide._engine")]
pub struct Stats {
    pub documents: usize,
    pub nodes: usize,
    pub edges: usize,
    pub mentions: usize,
    pub waiting: usize,
    pub terms: usize,
    pub postings: usize,
    pub vectors_in_graph: usize,
    pub bytes: Vec<(String, usize)>,
}
