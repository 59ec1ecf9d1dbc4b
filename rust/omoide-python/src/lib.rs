//! The native module `omoide._engine`: only handles and conversions.
//!
//! Invariant: every handle is frozen; every method that takes long releases the interpreter; no panic reaches Python.

#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments arrive owned from Python"
)]

use pyo3::prelude::*;

mod cut;
mod dates;
mod detach;
mod engine;
mod error;
mod input;
mod output;
mod query;
mod question;
mod relevance;
#[cfg(unix)]
mod searches;
mod static_model;
mod terms;
mod text;
mod vector;
mod words;

#[cfg(target_os = "linux")]
#[global_allocator]
static MEMORY: omoide_index::huge::HugePages = omoide_index::huge::HugePages;

#[pymodule(gil_used = false)]
mod _engine {
    #[pymodule_export]
    use crate::cut::{
        Cut, Cutter, JapaneseLine, JapaneseWords, Languages, Spellings, Vocabulary, has_cjk,
        has_han, has_kana,
    };
    #[pymodule_export]
    use crate::dates::DateWords;
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::error::{EngineError, SnapshotError};
    #[pymodule_export]
    use crate::input::{Document, Edge, Node};
    #[pymodule_export]
    use crate::output::{Hit, Hits, Measured, Neighbour, Saved, Shapes, Stats};
    #[pymodule_export]
    use crate::query::{BreadthFirst, Filter, PageRank, Query, Visibility};
    #[pymodule_export]
    use crate::question::{Asking, Question, SmallTalk, Word};
    #[pymodule_export]
    use crate::relevance::{Curve, relevance};
    #[cfg(unix)]
    #[pymodule_export]
    use crate::searches::Searches;
    #[pymodule_export]
    use crate::static_model::StaticEmbedder;
    #[pymodule_export]
    use crate::text::{LexicalEmbedder, grams};
    #[pymodule_export]
    use crate::words::{Chinese, Phrases, Variants, Wording, essence, plain};
}
