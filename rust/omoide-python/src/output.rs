//! What searches return: hits, neighbours and statistics, as immutable values for Python.

use crate::engine::SearchResult;
use crate::relevance::Curve;
use compact_str::CompactString;
use omoide_search as search;
use omoide_text::Wordings;
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple, PyType};
use rustc_hash::FxHashMap;

type Path = Vec<(u64, String, bool)>;

fn path(steps: &[search::Step]) -> Path {
    steps
        .iter()
        .map(|step| (step.key, step.kind.clone(), step.forward))
        .collect()
}

/// Mean, standard deviation, of how many.
type UsualCosine = Option<(f64, f64, usize)>;

/// Rank and score.
type Ranked = Option<(usize, f32)>;

/// The arms under their Python names, each with its rank and score of a hit.
fn arms(py: Python<'_>, hit: [Ranked; 3]) -> [(&Bound<'_, PyString>, Ranked); 3] {
    let [words, vectors, graph] = hit;
    [
        (intern!(py, "words"), words),
        (intern!(py, "vectors"), vectors),
        (intern!(py, "graph"), graph),
    ]
}

/// The measures of a hit. Few callers ask for them, so Python objects are made only on request.
#[pyclass(frozen, eq, skip_from_py_object, module = "omoide._engine")]
#[derive(Clone, PartialEq)]
pub struct Measured {
    arms: [Ranked; 3],
    evidence: search::Evidence,
}

/// The evidence as Python passes it: coverage, usual coverage, cosine, usual cosine, whether the graph walk reached the hit, and
/// the rarity of its terms.
type EvidenceTuple = (f64, (f64, f64), f64, UsualCosine, bool, f64);

#[pymethods]
impl Measured {
    /// From the values that the getters return.
    #[new]
    fn new(arms: Vec<(String, usize, f32)>, evidence: EvidenceTuple) -> Self {
        let of = |wanted: &str| {
            let arm = arms.iter().find(|(name, ..)| name == wanted)?;
            Some((arm.1, arm.2))
        };
        let (coverage, usual_coverage, cosine, usual_cosine, graph, rarity) = evidence;
        Self {
            arms: ["words", "vectors", "graph"].map(of),
            evidence: search::Evidence {
                coverage,
                usual_coverage,
                cosine,
                usual_cosine,
                graph,
                rarity,
            },
        }
    }

    #[getter]
    fn arms<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        let arms = arms(py, self.arms).into_iter();
        let ranked = arms.filter_map(|(name, position)| {
            let (rank, score) = position?;
            Some((name, rank, score).into_pyobject(py))
        });
        PyTuple::new(py, ranked.collect::<PyResult<Vec<_>>>()?)
    }

    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        let known = &self.evidence;
        let evidence: EvidenceTuple = (
            known.coverage,
            known.usual_coverage,
            known.cosine,
            known.usual_cosine,
            known.graph,
            known.rarity,
        );
        evidence.into_pyobject(py)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.arms(py)?, self.evidence(py)?)
            .into_pyobject(py)?
            .hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (arms, evidence) = (self.arms(py)?.repr()?, self.evidence(py)?.repr()?);
        Ok(format!("Measured({arms}, {evidence})"))
    }

    /// For `copy` and `pickle`.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Tuple<'py> {
        let (py, known) = (slf.py(), slf.get());
        let parts = (known.arms(py)?, known.evidence(py)?);
        (slf.get_type(), parts).into_pyobject(py)
    }
}

impl Measured {
    fn of(hit: &search::Hit, usual_cosine: UsualCosine) -> Self {
        Self {
            arms: [hit.words, hit.vectors, hit.graph],
            evidence: evidence(hit, usual_cosine),
        }
    }
}

/// A found document, explained. Its tuples are made once and shared.
#[pyclass(frozen, get_all, module = "omoide._engine")]
pub struct Hit {
    key: u64,
    score: f32,
    measured: Measured,
    cosine: Option<f32>,
    passage: Option<usize>,
    terms: Py<PyTuple>,
    words: Py<PyTuple>,
    path: Path,
}

/// The Python named tuples that hits are converted to.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Shapes {
    hit: Py<PyType>,
    why: Py<PyType>,
    /// `tuple.__new__`, which makes such a named tuple of a plain tuple of the right length without running Python code.
    make: Py<PyAny>,
}

#[pymethods]
impl Shapes {
    #[new]
    #[pyo3(signature = (*, hit, why))]
    fn new(py: Python<'_>, hit: Py<PyType>, why: Py<PyType>) -> PyResult<Self> {
        let make = py.get_type::<PyTuple>().getattr("__new__")?.unbind();
        Ok(Self { hit, why, make })
    }
}

impl Shapes {
    fn new_tuple<'py>(
        &self,
        shape: &Py<PyType>,
        fields: Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.make.bind(fields.py()).call1((shape, fields))
    }
}

/// (index, memory, relevance, score, dates, alike): a hit on its way into a response.
type Candidate<'py> = (
    usize,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
);

/// A hit that has a path, or was found by one of its passages: its index among those explained, the path and the passage.
type Unfinished = (usize, Path, Option<usize>);

/// Hits as named tuples, and those that are unfinished.
type Explained<'py> = (Vec<Bound<'py, PyAny>>, Vec<Unfinished>);

/// Converts hits of one response; most share their terms, so the Python objects are cached.
struct HitConverter<'py, 'found> {
    py: Python<'py>,
    usual_cosine: UsualCosine,
    /// The names of the arms that ranked a hit, by whether words, vectors and graph did.
    arms: FxHashMap<[bool; 3], Bound<'py, PyTuple>>,
    terms: Strings<'py, 'found>,
    wordings: &'found Wordings,
    words: Strings<'py, 'found>,
    /// Tuples of terms and words, by the indices of the terms.
    matched_tuples: FxHashMap<&'found [usize], [Bound<'py, PyTuple>; 2]>,
}

type Tuple<'py> = PyResult<Bound<'py, PyTuple>>;

impl<'py, 'found> HitConverter<'py, 'found> {
    fn of(py: Python<'py>, hits: &'found Hits) -> Self {
        Self {
            py,
            usual_cosine: hits.usual_cosine(),
            arms: FxHashMap::default(),
            terms: Strings::of(&hits.found.terms),
            wordings: &hits.wordings,
            words: Strings::of(&hits.wordings.texts),
            matched_tuples: FxHashMap::default(),
        }
    }

    fn hit(&mut self, hit: &'found search::Hit) -> PyResult<Hit> {
        let [terms, words] = self.matched_tuples(&hit.terms)?;
        Ok(Hit {
            key: hit.key,
            score: hit.score,
            measured: Measured::of(hit, self.usual_cosine),
            cosine: hit.cosine,
            passage: hit.passage,
            terms: terms.unbind(),
            words: words.unbind(),
            path: path(&hit.path),
        })
    }

    /// A hit as a named tuple, without its path and passage.
    fn named_tuple(
        &mut self,
        hit: &'found search::Hit,
        (_, memory, relevance, score, dates, alike): Candidate<'py>,
        shapes: &Shapes,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [terms, words] = self.matched_tuples(&hit.terms)?;
        let path = PyTuple::empty(self.py);
        let measured = Measured::of(hit, self.usual_cosine);
        let ranked_by = self.ranked_by(hit)?;
        let why = (
            ranked_by,
            terms,
            words,
            path,
            dates,
            None::<usize>,
            measured,
        );
        let why = shapes.new_tuple(&shapes.why, why.into_pyobject(self.py)?)?;
        let hit = (memory, relevance, score, why, alike, None::<usize>);
        shapes.new_tuple(&shapes.hit, hit.into_pyobject(self.py)?)
    }

    fn matched_tuples(&mut self, terms: &'found [usize]) -> PyResult<[Bound<'py, PyTuple>; 2]> {
        if let Some(known) = self.matched_tuples.get(terms) {
            return Ok(known.clone());
        }
        let words = self.wordings.of(terms);
        let made = [
            self.terms.tuple(self.py, terms)?,
            self.words.tuple(self.py, &words)?,
        ];
        self.matched_tuples.insert(terms, made.clone());
        Ok(made)
    }

    fn ranked_by(&mut self, hit: &search::Hit) -> Tuple<'py> {
        let hit = [hit.words, hit.vectors, hit.graph];
        let which = hit.map(|position| position.is_some());
        if let Some(known) = self.arms.get(&which) {
            return Ok(known.clone());
        }
        let arms = arms(self.py, hit).into_iter();
        let names = arms.filter_map(|(name, position)| position.is_some().then_some(name));
        let made = PyTuple::new(self.py, names.collect::<Vec<_>>())?;
        self.arms.insert(which, made.clone());
        Ok(made)
    }
}

/// Texts, each converted to a Python string at most once.
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

    /// A tuple of the texts at some indices.
    fn tuple(&mut self, py: Python<'py>, indices: &[usize]) -> Tuple<'py> {
        let string_at = |&at: &usize| {
            let made = &mut self.made[at];
            made.get_or_insert_with(|| PyString::new(py, &self.texts[at]))
                .clone()
        };
        PyTuple::new(py, indices.iter().map(string_at))
    }
}

/// A place reached by a breadth-first walk.
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

/// The response to one query. Python objects are made only for what is asked for.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Hits {
    found: search::Hits,
    wordings: Wordings,
}

#[pymethods]
impl Hits {
    #[getter]
    fn hits(&self, py: Python<'_>) -> PyResult<Vec<Hit>> {
        let mut converter = HitConverter::of(py, self);
        let hits = self.found.hits.iter();
        hits.map(|hit| converter.hit(hit)).collect()
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

    /// (index, memory, relevance, score, dates, alike) of each hit that has a memory, in order; the last two are empty.
    fn candidates<'py>(
        &self,
        memories: &Bound<'py, PyList>,
        curve: &Curve,
    ) -> PyResult<Vec<Candidate<'py>>> {
        self.iter_candidates(memories, curve).collect()
    }

    /// The hits of these candidates, in order, and those that still need a path or a passage.
    fn explained<'py>(
        &self,
        py: Python<'py>,
        candidates: Vec<Candidate<'py>>,
        shapes: &Shapes,
    ) -> PyResult<Explained<'py>> {
        self.named_tuples(py, candidates.into_iter().map(Ok), shapes)
    }

    /// The same for the first `limit` of all candidates.
    fn first<'py>(
        &self,
        limit: usize,
        memories: &Bound<'py, PyList>,
        curve: &Curve,
        shapes: &Shapes,
    ) -> PyResult<Explained<'py>> {
        let first = self.iter_candidates(memories, curve).take(limit);
        self.named_tuples(memories.py(), first, shapes)
    }
}

impl Hits {
    pub fn new((found, wordings): SearchResult) -> Self {
        Self { found, wordings }
    }

    fn usual_cosine(&self) -> UsualCosine {
        let usual = self.found.usual_cosine;
        usual.map(|(usual, of)| (usual.mean.into(), usual.spread.into(), of))
    }

    fn iter_candidates<'a, 'py>(
        &'a self,
        memories: &'a Bound<'py, PyList>,
        curve: &Curve,
    ) -> impl Iterator<Item = PyResult<Candidate<'py>>> + 'a {
        let py = memories.py();
        let none = PyTuple::empty(py).into_any();
        let hits = self.found.hits.iter().zip(self.relevance(curve));
        let each = hits.zip(memories).enumerate();
        let kept = each.filter(|(_, (_, memory))| !memory.is_none());
        kept.map(move |(position, ((hit, share), memory))| {
            let (share, score) = (
                share.into_bound_py_any(py)?,
                hit.score.into_bound_py_any(py)?,
            );
            Ok((position, memory, share, score, none.clone(), none.clone()))
        })
    }

    fn named_tuples<'py>(
        &self,
        py: Python<'py>,
        candidates: impl Iterator<Item = PyResult<Candidate<'py>>>,
        shapes: &Shapes,
    ) -> PyResult<Explained<'py>> {
        let mut converter = HitConverter::of(py, self);
        let mut unfinished = Vec::new();
        let hits = candidates.enumerate().map(|(at, candidate)| {
            let candidate = candidate?;
            let hit = &self.found.hits[candidate.0];
            if !hit.path.is_empty() || hit.passage.is_some() {
                unfinished.push((at, path(&hit.path), hit.passage));
            }
            converter.named_tuple(hit, candidate, shapes)
        });
        let hits = hits.collect::<PyResult<_>>()?;
        Ok((hits, unfinished))
    }

    fn relevance(&self, curve: &Curve) -> Vec<f64> {
        let usual = self.usual_cosine();
        let known = self.found.hits.iter().map(|hit| evidence(hit, usual));
        search::relevance(&known.collect::<Vec<_>>(), self.found.allowed, &curve.0)
    }
}

/// Keys needed to explain the answer beside the hits, each once: steps of paths, neighbours, nodes named in the query.
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

fn evidence(hit: &search::Hit, usual_cosine: UsualCosine) -> search::Evidence {
    let usual = hit.usual_coverage;
    search::Evidence {
        coverage: hit.coverage.into(),
        usual_coverage: (usual.mean.into(), usual.spread.into()),
        cosine: hit.cosine.unwrap_or_default().into(),
        usual_cosine,
        graph: hit.graph.is_some(),
        rarity: hit.rarity.into(),
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
    pub bytes: Vec<(String, usize)>,
}

/// What the current snapshot of a folder holds.
#[pyclass(frozen, get_all, module = "omoide._engine")]
pub struct Saved {
    pub applied: u64,
    pub vectors: u64,
    pub bytes: u64,
}
