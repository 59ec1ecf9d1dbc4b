//! Runs work without the interpreter's lock and turns errors and panics into exceptions.

use crate::error::{EngineError, raise};
use omoide_index::IndexError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Work on texts up to so many bytes takes less time than handing the interpreter to another thread and getting it back.
const SHORT_BYTES: usize = 512;

/// Run `work` on a text; a long text releases the interpreter.
pub fn aside<T: Send>(py: Python<'_>, text: &str, work: impl FnOnce() -> T + Send) -> T {
    aside_unless(py, text.len() <= SHORT_BYTES, work)
}

/// Run `work`, releasing the interpreter unless the work is short.
pub fn aside_unless<T: Send>(py: Python<'_>, is_short: bool, work: impl FnOnce() -> T + Send) -> T {
    if is_short { work() } else { py.detach(work) }
}

/// Run `work` with the interpreter released.
pub fn detach<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, IndexError> + Send,
) -> PyResult<T> {
    Ok(py.detach(|| caught(work))?)
}

/// Why work failed.
pub enum Fault {
    Refused(IndexError),
    /// It panicked, which may leave a half-applied batch behind its lock; the caller rebuilds from the store on `EngineError`.
    Broke(String),
}

/// Run `work`; a panic becomes a fault.
pub fn caught<T>(work: impl FnOnce() -> Result<T, IndexError>) -> Result<T, Fault> {
    let panicked = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => return result.map_err(Fault::Refused),
        Err(panicked) => panicked,
    };
    let what = panicked.downcast_ref::<&str>().map(ToString::to_string);
    let what = what.or_else(|| panicked.downcast_ref::<String>().cloned());
    Err(Fault::Broke(what.unwrap_or_default()))
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused(error) => raise(&error),
            Fault::Broke(what) => EngineError::new_err(format!("the engine broke: {what}")),
        }
    }
}
