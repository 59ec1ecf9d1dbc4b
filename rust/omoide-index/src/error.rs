//! What can go wrong with an index?

use std::io;

/// What can go wrong with an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A vector of another length than the index was made for.
    #[error("the vector has {found} dimensions, the index {expected}")]
    Dimensions {
        /// What the index was made for.
        expected: usize,
        /// What came.
        found: usize,
    },
    /// A snapshot that cannot be used: rebuild.
    #[error("snapshot: {0}")]
    Snapshot(String),
    /// The snapshot's files could not be read or written.
    #[error("snapshot file: {0}")]
    Io(#[from] io::Error),
}
