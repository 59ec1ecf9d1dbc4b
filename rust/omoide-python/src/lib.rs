//! The native module `omoide._engine`: handles and conversions, nothing else.
use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _engine {}
