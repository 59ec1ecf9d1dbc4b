//! Which documents answer a query best, and why?
//!
//! The path of a query: filter -> arms (BM25, vectors) -> fusion -> walk -> hits, each hit explained.
//! - `collect` is one search, of a `query`, from beginning to end; `filter` and what it lets pass: `allowed`
//! - words: `bm25` (what is written otherwise: `bm25::writings`, by the `places` of the query), whose best documents `pruned` finds
//!   (`scoring`, many at a time by `lanes`, kept by `top`); `held`: the terms of one document; `context`: turns read with those
//!   around them
//! - vectors and spelling: `nearness`, `spelling` (of what words did not find: `unfound`), `leaning`
//! - `fuse`: rankings made one; `walk`: the graph, as far as a `sight` goes; `relevance`, by what is `usual`: how sure a hit is
//!
//! Useful for: reading an index. Not useful for: changing one (omoide-index), text or embedding.
//! Invariant: a filter holds inside every arm; equal content gives equal answers.

mod allowed;
mod bm25;
mod collect;
mod context;
mod filter;
mod fuse;
mod held;
mod lanes;
mod leaning;
mod nearness;
mod places;
mod pruned;
mod query;
mod relevance;
mod scoring;
mod sight;
mod spelling;
mod top;
mod unfound;
mod usual;
mod walk;

pub use allowed::Allowed;
pub use bm25::idf;
pub use collect::{Hit, Hits, search};
pub use filter::Filter;
pub use fuse::fuse;
pub use omoide_index::postings::{B, K1};
pub use query::{BreadthFirst, PageRank, Piece, Query, Spelling, Word};
pub use relevance::{Curve, Evidence, relevance};
pub use sight::Sight;
pub use usual::Usual;
pub use walk::{Neighbour, Seed, Step, breadth_first, page_rank};
