//! Character grams and the built-in embedder, for Python.
//!
//! Invariant: pure functions of their arguments; strings with lone surrogates raise `UnicodeEncodeError`.

use crate::vector::Vector;
use omoide_embed::{Lexical, VERSION};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Character uni- and bigrams of every Han, kana and Hangul run of folded `text`.
#[pyfunction]
pub fn grams<'text>(py: Python<'_>, text: &'text str) -> Vec<&'text str> {
    py.detach(|| omoide_text::grams(text).collect())
}

/// The built-in embedder, which needs no model.
#[pyclass(frozen, module = "omoide._engine")]
pub struct LexicalEmbedder {
    lexical: Lexical,
}

#[pymethods]
impl LexicalEmbedder {
    #[new]
    #[pyo3(signature = (dimensions = 1024))]
    fn new(dimensions: usize) -> PyResult<Self> {
        if dimensions == 0 {
            return Err(PyValueError::new_err("dimensions must be at least 1"));
        }
        Ok(Self {
            lexical: Lexical::new(dimensions),
        })
    }

    #[getter]
    #[expect(clippy::unused_self, reason = "Python reads it from an instance")]
    fn version(&self) -> u32 {
        VERSION
    }

    #[getter]
    fn dimensions(&self) -> usize {
        self.lexical.dimensions()
    }

    /// One L2-normalised vector per text.
    fn embed(&self, py: Python<'_>, folded: Vec<String>) -> Vec<Vector> {
        let vector = |text: &String| Vector(self.lexical.embed(text));
        py.detach(|| folded.iter().map(vector).collect())
    }
}
