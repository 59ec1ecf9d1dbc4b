//! The native module `omoide._engine`: handles and conversions, nothing else.
use pyo3::prelude::*;

mod text;

#[pymodule(gil_used = false)]
mod _engine {
    #[pymodule_export]
    use crate::text::{LexicalEmbedder, grams, runs};
}
