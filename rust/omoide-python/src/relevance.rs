//! How surely hits are about a query, for Python.

use omoide_search as search;
use pyo3::prelude::*;

/// The model's evidence, or what a hit tells of it: a tuple.
pub struct Evidence(search::Evidence);

impl FromPyObject<'_, '_> for Evidence {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let (coverage, usual_coverage, cosine, usual_cosine, graph) = object.extract()?;
        Ok(Self(search::Evidence {
            coverage,
            usual_coverage,
            cosine,
            usual_cosine,
            graph,
        }))
    }
}

/// The constants, by their names.
pub struct Curve(search::Curve);

impl FromPyObject<'_, '_> for Curve {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let constant = |name| object.getattr(name)?.extract();
        Ok(Self(search::Curve {
            by_chance: constant("by_chance")?,
            one_in: constant("one_in")?,
            company: constant("company")?,
            beside: constant("beside")?,
            beside_best: constant("beside_best")?,
            steepness: constant("steepness")?,
            with_meaning: constant("with_meaning")?,
            enough: constant("enough")?,
            half_spelling: constant("half_spelling")?,
            spelling_share: constant("spelling_share")?,
            share_steepness: constant("share_steepness")?,
        }))
    }
}

/// Of ranked hits, best first, in their order.
#[pyfunction]
pub fn relevance(ranked: Vec<Evidence>, searched: usize, curve: Curve) -> Vec<f64> {
    let ranked: Vec<search::Evidence> = ranked.into_iter().map(|each| each.0).collect();
    search::relevance(&ranked, searched, &curve.0)
}
