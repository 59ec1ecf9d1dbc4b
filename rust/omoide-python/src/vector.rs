//! A vector as Python passes it: the bytes of its 32-bit floats, little-endian.
//!
//! The stable ABI offers no array of floats that can be read without converting each number; bytes can be read at once.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

const BYTES: usize = size_of::<f32>();

/// See the module.
pub struct Vector(pub Vec<f32>);

impl FromPyObject<'_, '_> for Vector {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let bytes: &[u8] = object.extract()?;
        let (numbers, rest) = bytes.as_chunks::<BYTES>();
        if !rest.is_empty() {
            return Err(PyValueError::new_err(format!(
                "a vector is 32-bit floats: {} bytes are not a multiple of {BYTES}",
                bytes.len()
            )));
        }
        Ok(Self(
            numbers.iter().copied().map(f32::from_le_bytes).collect(),
        ))
    }
}

impl<'py> IntoPyObject<'py> for Vector {
    type Target = PyBytes;
    type Output = Bound<'py, PyBytes>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        let bytes: Vec<u8> = self
            .0
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        Ok(PyBytes::new(py, &bytes))
    }
}
