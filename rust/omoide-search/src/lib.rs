//! Which documents answer a query best, and why?
//!
//! The path of a query: filter -> arms (BM25, vectors) -> fusion -> walk -> hits, each hit explained.
//! - `collect`: one search, of a `query`, from beginning to end; `filter`, and `allowed`: the documents that pass it
//! - words: `bm25` (and `bm25::writings`: variants of the query's words, by their `places`; `bm25::rarity`: how unlikely its matches
//!   are by chance); `pruned` finds the best documents without scoring all (`scoring`; `kernels`: SIMD; `top`: the best so far);
//!   `term_matcher`: the terms of one document; `context`: turns of a conversation, read with those around them
//! - vectors: `similarity`; `spelling` replaces them if there are none, also for the query's `missing_words`; `feedback`: the
//!   query's vector moved towards the best hits
//! - `fuse`: several rankings into one; `walk`: the graph, as much of it as is visible (`visibility`); `relevance`: how certain it is that
//!   a hit answers, compared with what is `usual`
//!
//! Useful for: reading an index. Not useful for: changing one (omoide-index), text or embedding.
//! Invariant: a filter holds inside every arm; equal content gives equal answers.

mod allowed;
mod bm25;
mod collect;
mod context;
mod feedback;
mod filter;
mod fuse;
mod kernels;
mod missing_words;
mod places;
mod pruned;
mod query;
mod relevance;
mod scoring;
mod similarity;
mod spelling;
mod term_matcher;
mod top;
mod usual;
mod visibility;
mod walk;

pub use allowed::Allowed;
pub use bm25::idf;
pub use collect::{Hit, Hits, search};
pub use filter::Filter;
pub use fuse::fuse;
pub use omoide_index::postings::{B, K1};
pub use query::{BreadthFirst, PageRank, Piece, Query, Spelling, Word};
pub use relevance::{Curve, Evidence, relevance};
pub use usual::Usual;
pub use visibility::Visibility;
pub use walk::{Neighbour, Seed, Step, breadth_first, page_rank};
