//! Why can a static model not be used?

use std::fmt::Display;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a static model cannot be used.
#[derive(Debug, Error)]
pub enum StaticError {
    /// The folder holds none of the known layouts.
    #[error("{} holds no static model: model.safetensors, tokenizer.json and config.json are looked for", .0.display())]
    NoModel(PathBuf),
    /// A file does not hold what its name says.
    #[error("{}: {why}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The table is not that of the tokenizer.
    #[error("the table and the tokenizer are not of one model: {0}")]
    Unmatched(String),
    /// The tokenizer refuses a text.
    #[error("the text cannot be cut into tokens: {0}")]
    Tokens(String),
}

impl StaticError {
    pub(super) fn unreadable(path: &Path, why: &impl Display) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}
