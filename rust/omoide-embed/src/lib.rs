//! What vector does a text have when no model is at hand?
//!
//! Useful for: nearness of spelling in any language (inflections, compounds, typing errors, names).
//! Not useful for: meaning; two words for one thing share no letters.
//! Invariant: the same text has the same vector on every machine, for as long as [`VERSION`] stays.

mod features;
mod lexical;

pub use lexical::{Lexical, VERSION};
