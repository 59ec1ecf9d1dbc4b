//! Which script does each stretch of a text belong to, and which character grams does it hold?
//!
//! Useful for: choosing an analyser per stretch, and finding any substring of Chinese, Japanese and Korean text.
//! Not useful for: words, which need a dictionary.
//! Invariant: runs cover a text completely and in order; every gram is a slice of its input.

mod grams;
mod runs;
mod script;

pub use grams::grams;
pub use runs::{Run, runs};
pub use script::Script;
