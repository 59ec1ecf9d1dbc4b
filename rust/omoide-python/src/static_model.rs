//! Static models (one vector a token), for Python.

use crate::error::EngineError;
use crate::vector::Vector;
use omoide_embed::{Scratch, StaticError, StaticModel};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A static model in a folder.
#[pyclass(frozen, module = "omoide._engine")]
pub struct StaticEmbedder {
    model: StaticModel,
}

#[pymethods]
impl StaticEmbedder {
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let model = py.detach(|| StaticModel::load(&folder)).map_err(raise)?;
        Ok(Self { model })
    }

    #[getter]
    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    #[getter]
    fn max_tokens(&self) -> Option<usize> {
        self.model.max_tokens()
    }

    fn embed(&self, py: Python<'_>, texts: Vec<String>) -> PyResult<Vec<Vector>> {
        let mut scratch = Scratch::default();
        let vector = |text: &String| self.model.embed(text, &mut scratch).map(Vector);
        py.detach(|| texts.iter().map(vector).collect::<Result<_, _>>())
            .map_err(raise)
    }
}

fn raise(error: StaticError) -> PyErr {
    EngineError::new_err(error.to_string())
}
