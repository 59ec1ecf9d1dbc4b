//! What comes out: hits, neighbours and statistics, as frozen values for Python.

use crate::engine::Found;
use crate::relevance::Curve;
use compact_str::CompactString;
use omoide_search as search;
use omoide_text::Wordings;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rustc_hash::FxHashMap;

type Path = Vec<(u64, String, bool)>;

fn path(steps: &[search::Step]) -> Path {
    steps
        .iter()
        .map(|step| (step.key, step.kind.clone(), step.forward))
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

/// Makes what is told of some hits of an answer, which share most of their terms.
struct Maker<'py, 'found> {
    py: Python<'py>,
    usual_cosine: Bound<'py, PyAny>,
    terms: Strings<'py, 'found>,
    wordings: &'found Wordings,
    words: Strings<'py, 'found>,
    /// Terms and words of hits that have the same.
    matched: FxHashMap<&'found [usize], [Bound<'py, PyTuple>; 2]>,
}

type Tuple<'py> = PyResult<Bound<'py, PyTuple>>;

impl<'py, 'found> Maker<'py, 'found> {
    fn of(py: Python<'py>, hits: &'found Hits) -> PyResult<Self> {
        Ok(Self {
            py,
            usual_cosine: hits.usual_cosine().into_pyobject(py)?,
            terms: Strings::of(&hits.found.terms),
            wordings: &hits.wordings,
            words: Strings::of(&hits.wordings.texts),
            matched: FxHashMap::default(),
        })
    }

    fn hit(&mut self, hit: &'found search::Hit) -> PyResult<Hit> {
        let [terms, words] = self.matched(&hit.terms)?;
        Ok(Hit {
            key: hit.key,
            score: hit.score,
            evidence: self.evidence(hit)?.unbind(),
            cosine: hit.cosine,
            passage: hit.passage,
            arms: self.arms(hit)?.unbind(),
            terms: terms.unbind(),
            words: words.unbind(),
            path: path(&hit.path),
        })
    }

    /// What of a hit is told beside its memory, relevance and score.
    fn why(&mut self, hit: &'found search::Hit) -> Tuple<'py> {
        let (arms, [terms, words]) = (self.arms(hit)?, self.matched(&hit.terms)?);
        let path = (!hit.path.is_empty()).then(|| path(&hit.path));
        (arms, terms, words, path, hit.passage, self.evidence(hit)?).into_pyobject(self.py)
    }

    fn matched(&mut self, terms: &'found [usize]) -> PyResult<[Bound<'py, PyTuple>; 2]> {
        if let Some(known) = self.matched.get(terms) {
            return Ok(known.clone());
        }
        let words = self.wordings.of(terms);
        let made = [
            self.terms.tuple(self.py, terms)?,
            self.words.tuple(self.py, &words)?,
        ];
        self.matched.insert(terms, made.clone());
        Ok(made)
    }

    fn evidence(&self, hit: &search::Hit) -> Tuple<'py> {
        let usual = hit.usual_coverage;
        let evidence = (
            hit.coverage,
            (usual.mean, usual.spread),
            hit.cosine.unwrap_or_default(),
            &self.usual_cosine,
            hit.graph.is_some(),
        );
        evidence.into_pyobject(self.py)
    }

    fn arms(&self, hit: &search::Hit) -> Tuple<'py> {
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
        PyTuple::new(self.py, arms)
    }
}

/// Texts, each made a string of Python's once.
struct Strings<'py, 'found> {
    texts: &'found [CompactString],
    made: Vec<Option<Bound<'py, PyString>>>,
}

impl<'py, 'found> Strings<'py, 'found> {
    fn of(texts: &'found [CompactString]) -> Self {
        Self {
            texts,
            made: vec![None; texts.len()],
        }
    }

    /// Those at some places.
    fn tuple(&mut self, py: Python<'py>, places: &[usize]) -> Tuple<'py> {
        let one = |&at: &usize| {
            let made = &mut self.made[at];
            made.get_or_insert_with(|| PyString::new(py, &self.texts[at]))
                .clone()
        };
        PyTuple::new(py, places.iter().map(one))
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

impl From<&(search::Neighbour, f32)> for Neighbour {
    fn from((met, cosine): &(search::Neighbour, f32)) -> Self {
        Self {
            key: met.key,
            origin: met.origin,
            depth: met.depth,
            path: path(&met.path),
            cosine: *cosine,
            weight: met.weight,
            created_at: met.created_at,
        }
    }
}

/// The answer to one query. Of what it has found, only what is asked for is made anything of for Python.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Hits {
    found: search::Hits,
    wordings: Wordings,
}

#[pymethods]
impl Hits {
    #[getter]
    fn hits(&self, py: Python<'_>) -> PyResult<Vec<Hit>> {
        let mut maker = Maker::of(py, self)?;
        let hits = self.found.hits.iter();
        hits.map(|hit| maker.hit(hit)).collect()
    }

    #[getter]
    fn neighbours(&self) -> Vec<Neighbour> {
        self.found.neighbours.iter().map(Neighbour::from).collect()
    }

    #[getter]
    fn allowed(&self) -> usize {
        self.found.allowed
    }

    #[getter]
    fn named(&self) -> &[u64] {
        &self.found.named
    }

    #[getter]
    fn applied(&self) -> u64 {
        self.found.applied
    }

    #[getter]
    fn keys(&self) -> Vec<u64> {
        self.found.hits.iter().map(|hit| hit.key).collect()
    }

    #[getter]
    fn beside(&self) -> Vec<u64> {
        beside(&self.found)
    }

    /// (place, memory, relevance, score, dates, alike) of each hit, in their order, that has a memory; the last two are empty.
    fn candidates<'py>(
        &self,
        py: Python<'py>,
        memories: Vec<Bound<'py, PyAny>>,
        curve: &Curve,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let none = PyTuple::empty(py);
        let relevance = self.relevance(curve);
        let hits = self.found.hits.iter().zip(relevance).zip(memories);
        hits.enumerate()
            .filter(|(_, (_, memory))| !memory.is_none())
            .map(|(place, ((hit, share), memory))| {
                (place, memory, share, hit.score, &none, &none).into_pyobject(py)
            })
            .collect()
    }

    /// Of the hits at those places: arms, terms, words, path (None: it has none), passage and evidence, as a `Hit` has them.
    fn explained<'py>(
        &self,
        py: Python<'py>,
        places: Vec<usize>,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let mut maker = Maker::of(py, self)?;
        places
            .into_iter()
            .map(|place| maker.why(&self.found.hits[place]))
            .collect()
    }
}

impl Hits {
    pub fn new((found, wordings): Found) -> Self {
        Self { found, wordings }
    }

    fn usual_cosine(&self) -> UsualOfSome {
        let usual = self.found.usual_cosine;
        usual.map(|(usual, of)| (usual.mean, usual.spread, of))
    }

    fn relevance(&self, curve: &Curve) -> Vec<f64> {
        let usual = self.usual_cosine();
        let known = self.found.hits.iter().map(|hit| evidence(hit, usual));
        search::relevance(&known.collect::<Vec<_>>(), self.found.allowed, &curve.0)
    }
}

/// What is told of beside the hits, each once: what they were reached by, neighbours, what the query names.
fn beside(found: &search::Hits) -> Vec<u64> {
    let hits = found.hits.iter();
    let hits = hits.flat_map(|hit| hit.path.iter().map(|step| step.key));
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
