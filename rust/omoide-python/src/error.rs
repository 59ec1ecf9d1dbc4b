//! Maps the errors of the Rust crates to Python exceptions.

use omoide_index::IndexError;
use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};

create_exception!(
    _engine,
    EngineError,
    PyException,
    "A call that the engine refused or could not finish."
);
create_exception!(
    _engine,
    SnapshotError,
    EngineError,
    "A snapshot that cannot be used: rebuild from the store."
);

/// The Python exception for an index error.
pub fn raise(error: &IndexError) -> PyErr {
    match error {
        IndexError::Snapshot(_) => SnapshotError::new_err(error.to_string()),
        IndexError::Dimensions { .. } | IndexError::Io(_) => {
            EngineError::new_err(error.to_string())
        }
    }
}
