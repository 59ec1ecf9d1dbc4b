//! What comes out: hits, neighbours and statistics, as frozen values for Python.

use crate::relevance::Curve;
use omoide_search as search;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rustc_hash::FxHashMap;
use std::iter::once;

type Path = Vec<(u64, String, bool)>;

fn path(steps: Vec<search::Step>) -> Path {
    steps
        .into_iter()
        .map(|step| (step.key, step.kind, step.forward))
        .collect()
}

/// Mean, standard deviation, of how many.
type UsualOfSome = Option<(f32, f32, usize)>;

/// A found document, explained. Tuples are made once, as they are passed on.
#[pyclass(frozen, get_all, module = "omoide._engine")]
pub struct Hit {
    key: u64,
    score: f32,
    evidence: Py<PyTuple>,
    cosine: Option<f32>,
    passage: Option<usize>,
    arms: Py<PyTuple>,
    terms: Py<PyTuple>,
    words: Py<PyTuple>,
    path: Path,
}

/// Makes the hits of one answer, which share most of their terms.
struct Maker<'py> {
    py: Python<'py>,
    usual_cosine: Bound<'py, PyAny>,
    strings: FxHashMap<String, Bound<'py, PyString>>,
}

impl Maker<'_> {
    fn hit(&mut self, hit: search::Hit, words: Vec<String>) -> PyResult<Py<Hit>> {
        let made = Hit {
            key: hit.key,
            score: hit.score,
            evidence: self.evidence(&hit)?,
            cosine: hit.cosine,
            passage: hit.passage,
            arms: self.arms(&hit)?,
            terms: self.strings(hit.terms)?,
            words: self.strings(words)?,
            path: path(hit.path),
        };
        Py::new(self.py, made)
    }

    fn evidence(&self, hit: &search::Hit) -> PyResult<Py<PyTuple>> {
        let usual = hit.usual_coverage;
        let evidence = (
            hit.coverage,
            (usual.mean, usual.spread),
            hit.cosine.unwrap_or_default(),
            &self.usual_cosine,
            hit.graph.is_some(),
        );
        Ok(evidence.into_pyobject(self.py)?.unbind())
    }

    fn arms(&self, hit: &search::Hit) -> PyResult<Py<PyTuple>> {
        let names = [
            (intern!(self.py, "words"), hit.words),
            (intern!(self.py, "vectors"), hit.vectors),
            (intern!(self.py, "graph"), hit.graph),
        ];
        let ranked = names.into_iter().filter_map(|(name, place)| {
            let (rank, score) = place?;
            Some((name, rank, score).into_pyobject(self.py))
        });
        let arms = ranked.collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(self.py, arms)?.unbind())
    }

    fn strings(&mut self, texts: Vec<String>) -> PyResult<Py<PyTuple>> {
        let one = |text: String| {
            let known = self.strings.entry(text);
            known
                .or_insert_with_key(|text| PyString::new(self.py, text))
                .clone()
        };
        Ok(PyTuple::new(self.py, texts.into_iter().map(one))?.unbind())
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
#[pyclass(frozen, module = "omoide._engine")]
#[expect(clippy::struct_field_names, reason = "the name callers know")]
pub struct Hits {
    #[pyo3(get)]
    hits: Vec<Py<Hit>>,
    #[pyo3(get)]
    neighbours: Vec<Neighbour>,
    #[pyo3(get)]
    allowed: usize,
    #[pyo3(get)]
    named: Vec<u64>,
    #[pyo3(get)]
    applied: u64,
    #[pyo3(get)]
    keys: Vec<u64>,
    evidence: Vec<search::Evidence>,
}

#[pymethods]
impl Hits {
    /// Of the hits, in their order.
    fn relevance(&self, curve: Curve) -> Vec<f64> {
        search::relevance(&self.evidence, self.allowed, &curve.into())
    }
}

impl Hits {
    /// The same for Python; `words` are the terms of each hit as they were written.
    pub fn new(py: Python<'_>, found: search::Hits, words: Vec<Vec<String>>) -> PyResult<Self> {
        let usual_cosine: UsualOfSome = found
            .usual_cosine
            .map(|(usual, of)| (usual.mean, usual.spread, of));
        let mut maker = Maker {
            py,
            usual_cosine: usual_cosine.into_pyobject(py)?,
            strings: FxHashMap::default(),
        };
        let keys = keys(&found);
        let known = found.hits.iter().map(|hit| evidence(hit, usual_cosine));
        let evidence = known.collect();
        let hits = found.hits.into_iter().zip(words);
        let hits = hits.map(|(hit, words)| maker.hit(hit, words));
        Ok(Self {
            hits: hits.collect::<PyResult<_>>()?,
            neighbours: found.neighbours.into_iter().map(Neighbour::from).collect(),
            allowed: found.allowed,
            named: found.named,
            applied: found.applied,
            keys,
            evidence,
        })
    }
}

/// Everything that is told of, each once: hits, what they were reached by, neighbours, what the query names.
fn keys(found: &search::Hits) -> Vec<u64> {
    let hits = found.hits.iter();
    let hits = hits.flat_map(|hit| once(hit.key).chain(hit.path.iter().map(|step| step.key)));
    let met = found.neighbours.iter();
    let met = met.flat_map(|(each, _)| {
        let steps = each.path.iter().map(|step| step.key);
        [each.key, each.origin].into_iter().chain(steps)
    });
    let mut keys: Vec<u64> = hits.chain(met).chain(found.named.iter().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn evidence(hit: &search::Hit, usual_cosine: UsualOfSome) -> search::Evidence {
    let usual = hit.usual_coverage;
    search::Evidence {
        coverage: hit.coverage.into(),
        usual_coverage: (usual.mean.into(), usual.spread.into()),
        cosine: hit.cosine.unwrap_or_default().into(),
        usual_cosine: usual_cosine.map(|(mean, spread, of)| (mean.into(), spread.into(), of)),
        graph: hit.graph.is_some(),
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
