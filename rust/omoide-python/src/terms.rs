//! The terms of a text on their way from Python: joined in one string, since a text has many.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// See the module.
#[derive(Default)]
pub struct Terms {
    joined: String,
    ends: Vec<usize>,
}

impl Terms {
    /// The terms in order, repeats included.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts
            .zip(&self.ends)
            .map(|(&start, &end)| &self.joined[start..end])
    }
}

impl FromPyObject<'_, '_> for Terms {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "terms are a sequence of strings, not one string",
            ));
        }
        let mut terms = Self::default();
        for term in object.try_iter()? {
            terms.joined.push_str(term?.cast::<PyString>()?.to_str()?);
            terms.ends.push(terms.joined.len());
        }
        Ok(terms)
    }
}
