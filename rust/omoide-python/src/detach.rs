//! The one door between Python and work: releases the interpreter, runs, turns errors and panics into exceptions.

use crate::error::{EngineError, raise};
use omoide_index::IndexError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Texts of so many bytes are worked on before another thread could have taken the interpreter and given it back.
pub const SHORT_BYTES: usize = 512;

/// Run `work` on a text without the interpreter, unless the text is short.
pub fn aside<T: Send>(py: Python<'_>, text: &str, work: impl FnOnce() -> T + Send) -> T {
    aside_unless(py, text.len() <= SHORT_BYTES, work)
}

/// Run `work` without the interpreter, unless it is short.
pub fn aside_unless<T: Send>(py: Python<'_>, is_short: bool, work: impl FnOnce() -> T + Send) -> T {
    if is_short { work() } else { py.detach(work) }
}

/// Run `work` without the interpreter.
pub fn detach<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, IndexError> + Send,
) -> PyResult<T> {
    // A panic may leave a half-applied batch behind its lock; the caller rebuilds from the store on EngineError.
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(result) => result.map_err(|error| raise(&error)),
        Err(panic) => {
            let what = panic.downcast_ref::<&str>().map(ToString::to_string);
            let what = what
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            Err(EngineError::new_err(format!("the engine broke: {what}")))
        }
    }
}
