//! A query: words, a vector, conditions, and how far to walk.
//!
//! Useful for: callers of `search`. Not useful for: how the answer is found; see collect.rs.

use crate::{Filter, Visibility};
use compact_str::CompactString;
use omoide_index::Index;
use std::ops::Range;

/// A term of the query and where it is, in code points of the folded text.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The term as it is indexed.
    pub term: CompactString,
    /// How much it counts relative to other words.
    pub weight: f32,
    /// First code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// The kind of texts in which it does not count, as their words are cut otherwise.
    pub except_kind: Option<usize>,
}

/// A few adjacent letters, and their byte range in the text.
pub type Piece = (CompactString, Range<usize>);

/// A text whose spelling is compared.
#[derive(Debug, Clone, Default)]
pub struct Spelling {
    /// The text.
    pub folded: String,
    /// Its character grams, repeats included.
    pub grams: Vec<Piece>,
    /// Sequences of letters of its other words, repeats included.
    pub sequences: Vec<Piece>,
    /// Whether every piece has the same weight, as in stored texts, rather than its rarity.
    pub evenly: bool,
}

/// Personalised PageRank from the nodes named in the query and the best hits.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRank {
    /// Share of the mass that walks on at each step.
    pub damping: f32,
    /// How many of the best hits are seeds.
    pub hit_seeds: usize,
    /// A node whose residual mass per edge is below this passes nothing on.
    pub epsilon: f32,
    /// Weight in the fusion.
    pub weight: f32,
}

/// Neighbours of the hits, level by level.
#[derive(Debug, Clone, PartialEq)]
pub struct BreadthFirst {
    /// How many edges away.
    pub depth: usize,
    /// Edge types walked; `None` all.
    pub types: Option<Vec<String>>,
    /// How many neighbours at most.
    pub limit: usize,
}

/// One search, with its text analysed and its vector made. The default has nothing to rank by and wants no hits.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Folded text, for names mentioned in it.
    pub folded: String,
    /// What kind of text it is, as those searched are; `None` if that is not known.
    pub kind: Option<usize>,
    /// Word terms.
    pub words: Vec<Word>,
    /// Other words for some of `words`: matching one adds to the score, missing one costs nothing.
    pub alternatives: Vec<Word>,
    /// Synonyms of what is at their places, scored as `alternatives` are. A document with one of them covers what is asked for
    /// at that place. One with the weight of a word means exactly the same: it is also a term of every document with that word.
    pub synonyms: Vec<Word>,
    /// Possible readings of some of `words`, looked up among the readings of documents.
    pub readings: Vec<Word>,
    /// Which terms of `words`, in Latin letters, texts in other writings have, too, for words of theirs that mean the same.
    pub translated: Vec<CompactString>,
    /// Character grams, repeats included, each with its weight.
    pub grams: Vec<(CompactString, f32)>,
    /// Grams of other spellings: matching one adds to the score, missing one costs nothing.
    pub gram_alternatives: Vec<(CompactString, f32)>,
    /// Normalised vector.
    pub vector: Option<Vec<f32>>,
    /// What is compared if there is no vector.
    pub spelling: Option<Spelling>,
    /// Which documents may be returned; `None`: all.
    pub filter: Option<Filter>,
    /// Hits wanted.
    pub limit: usize,
    /// Depth of each arm.
    pub candidates: usize,
    /// Weight of the word arm in the fusion; 0 leaves it out.
    pub word_weight: f32,
    /// Weight of the vector arm in the fusion; 0 leaves it out.
    pub vector_weight: f32,
    /// Whether documents are ranked even if their vectors point away from the query's.
    pub however_far: bool,
    /// Whether the vectors know meaning. Words then count only as much as the share of the query that the best hits cover.
    pub semantic: bool,
    /// The walk that joins the fusion.
    pub page_rank: Option<PageRank>,
    /// The walk that lists neighbours.
    pub breadth_first: Option<BreadthFirst>,
    /// The part of the graph that is visible; `None`: all of it.
    pub visibility: Option<Visibility>,
    /// The column that orders the results of a query without text.
    pub order_by: String,
    /// Whether that order is ascending.
    pub ascending: bool,
}

impl Query {
    /// Keys of the nodes that the query's text names.
    pub fn named(&self, index: &Index) -> Vec<u64> {
        let has = |term: &str| self.words.iter().any(|word| word.term == term);
        index.names.mentioned(&self.folded, has)
    }

    /// Whether there is nothing to rank by, so that documents are only listed.
    pub fn is_listing(&self) -> bool {
        self.words.is_empty()
            && self.grams.is_empty()
            && self.vector.is_none()
            && self.folded.trim().is_empty()
    }
}
