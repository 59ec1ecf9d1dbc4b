//! What can go wrong with an index?

use std::io;

/// What can go wrong with an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A vector's length is not the one that the index was made for.
    #[error("the vector has {found} dimensions, the index {expected}")]
    Dimensions {
        /// The length that the index was made for.
        expected: usize,
        /// The vector's length.
        found: usize,
    },
    /// The snapshot cannot be used; the caller rebuilds the index.
    #[error("snapshot: {0}")]
    Snapshot(String),
    /// The snapshot's files could not be read or written.
    #[error("snapshot file: {0}")]
    Io(#[from] io::Error),
}
