//! How certain is it that hits are about a query? For Python.

use omoide_search as search;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The evidence of a hit, passed as a tuple.
pub struct Evidence(search::Evidence);

impl FromPyObject<'_, '_> for Evidence {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let (coverage, usual_coverage, cosine, usual_cosine, graph, rarity) = object.extract()?;
        Ok(Self(search::Evidence {
            coverage,
            usual_coverage,
            cosine,
            usual_cosine,
            graph,
            rarity,
        }))
    }
}

/// The constants of the relevance curve, read from the attributes of a Python object.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Curve(pub search::Curve);

#[pymethods]
impl Curve {
    #[new]
    fn new(constants: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = constants.py();
        let constant = |name: &Bound<'_, PyString>| constants.getattr(name)?.extract();
        Ok(Self(search::Curve {
            by_chance: constant(intern!(py, "by_chance"))?,
            one_in: constant(intern!(py, "one_in"))?,
            company: constant(intern!(py, "company"))?,
            beside: constant(intern!(py, "beside"))?,
            beside_best: constant(intern!(py, "beside_best"))?,
            steepness: constant(intern!(py, "steepness"))?,
            with_meaning: constant(intern!(py, "with_meaning"))?,
            enough: constant(intern!(py, "enough"))?,
            half_spelling: constant(intern!(py, "half_spelling"))?,
            spelling_share: constant(intern!(py, "spelling_share"))?,
            share_steepness: constant(intern!(py, "share_steepness"))?,
        }))
    }
}

/// The relevance of ranked hits, which are given best first; in the same order.
#[pyfunction]
pub fn relevance(ranked: Vec<Evidence>, searched: usize, curve: &Curve) -> Vec<f64> {
    let ranked: Vec<search::Evidence> = ranked.into_iter().map(|each| each.0).collect();
    search::relevance(&ranked, searched, &curve.0)
}
