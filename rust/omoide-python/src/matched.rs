//! The terms that hits match. They are mostly just looked for in texts, which takes no strings of Python's.

use compact_str::CompactString;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyIterator, PyTuple};
use std::sync::Arc;

/// Some of an answer's terms: a sequence of strings, made when it is looked into; equal to a tuple of the same.
#[pyclass(frozen, sequence, module = "omoide._engine")]
pub struct Matched {
    all: Arc<[CompactString]>,
    places: Vec<usize>,
    told: PyOnceLock<Py<PyTuple>>,
}

impl Matched {
    pub fn of(all: &Arc<[CompactString]>, places: &[usize]) -> Self {
        Self {
            all: Arc::clone(all),
            places: places.to_vec(),
            told: PyOnceLock::new(),
        }
    }

    pub fn texts(&self) -> Vec<&str> {
        self.places.iter().map(|&at| &*self.all[at]).collect()
    }

    fn told<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyTuple>> {
        let made = || PyTuple::new(py, self.texts()).map(Bound::unbind);
        Ok(self.told.get_or_try_init(py, made)?.bind(py))
    }
}

#[pymethods]
impl Matched {
    #[new]
    fn new(terms: Vec<String>) -> Self {
        let places = (0..terms.len()).collect();
        Self {
            all: terms.into_iter().map(CompactString::from).collect(),
            places,
            told: PyOnceLock::new(),
        }
    }

    fn __len__(&self) -> usize {
        self.places.len()
    }

    fn __getitem__<'py>(&self, which: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.told(which.py())?.as_any().get_item(which)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.told(py)?.try_iter()
    }

    fn count(&self, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        let told = self.told(value.py())?.as_any();
        told.call_method1("count", (value,))?.extract()
    }

    #[pyo3(signature = (value, start = 0, stop = isize::MAX))]
    fn index(&self, value: &Bound<'_, PyAny>, start: isize, stop: isize) -> PyResult<usize> {
        let told = self.told(value.py())?.as_any();
        told.call_method1("index", (value, start, stop))?.extract()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let told = self.told(other.py())?;
        if let Ok(other) = other.cast::<Self>() {
            return told.eq(other.get().told(other.py())?);
        }
        told.eq(other)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.told(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.told(py)?.repr()?.to_string())
    }

    /// What copies are made of.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        (slf.get_type(), (slf.get().told(py)?,)).into_pyobject(py)
    }
}
