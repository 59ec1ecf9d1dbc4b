//! What vector does a text have, without a network and without a Python library?
//!
//! Useful for: similarity of spelling in any language ([`Lexical`]); meaning, by a table of tokens ([`StaticModel`]).
//! Not useful for: transformers, which run in their own libraries.
//! Invariant: the same text has the same vector on every machine, as long as [`VERSION`] or the model stays the same.

mod features;
mod lexical;
mod static_model;

pub use lexical::{Lexical, VERSION};
pub use static_model::{Scratch, StaticError, StaticModel};
