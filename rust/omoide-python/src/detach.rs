//! Runs work without the interpreter's lock and turns errors and panics into exceptions.

use crate::error::{EngineError, raise};
use omoide_index::IndexError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Work on texts up to so many bytes takes less time than handing the interpreter to another thread and getting it back.
const SHORT_BYTES: usize = 512;

/// Light work, which looks at each character a few times, takes some ten microseconds for so many bytes.
const SHORT_FOR_LIGHT_WORK_BYTES: usize = 1 << 14;

/// Whether light work on texts of so many bytes together is short.
pub fn is_short_for_light_work(bytes: usize) -> bool {
    bytes <= SHORT_FOR_LIGHT_WORK_BYTES
}

/// Run light `work` on a text; a very long text releases the interpreter.
pub fn detach_if_very_long<T: Send>(
    py: Python<'_>,
    text: &str,
    work: impl FnOnce() -> T + Send,
) -> T {
    detach_unless(py, is_short_for_light_work(text.len()), work)
}

/// Run `work` on a text; a long text releases the interpreter.
pub fn detach_if_long<T: Send>(py: Python<'_>, text: &str, work: impl FnOnce() -> T + Send) -> T {
    detach_unless(py, text.len() <= SHORT_BYTES, work)
}

/// Run `work`, releasing the interpreter unless the work is short.
pub fn detach_unless<T: Send>(
    py: Python<'_>,
    is_short: bool,
    work: impl FnOnce() -> T + Send,
) -> T {
    if is_short { work() } else { py.detach(work) }
}

/// Run `work` with the interpreter released.
pub fn detach<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, IndexError> + Send,
) -> PyResult<T> {
    Ok(py.detach(|| catching_panics(work))?)
}

/// Why work failed.
pub enum Failure {
    Error(IndexError),
    /// It panicked, which may leave a half-applied batch behind its lock. As long as its changes do not count as applied, the next
    /// search applies them again.
    Panic(String),
}

/// Run `work`; a panic becomes a failure.
pub fn catching_panics<T>(work: impl FnOnce() -> Result<T, IndexError>) -> Result<T, Failure> {
    let payload = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => return result.map_err(Failure::Error),
        Err(payload) => payload,
    };
    let message = payload.downcast_ref::<&str>().map(ToString::to_string);
    let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
    Err(Failure::Panic(message.unwrap_or_default()))
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Error(error) => raise(&error),
            Failure::Panic(message) => EngineError::new_err(format!("the engine broke: {message}")),
        }
    }
}
