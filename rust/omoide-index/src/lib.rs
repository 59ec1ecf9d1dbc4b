//! Which structures hold the memories for searching, and how do they change and persist?
//!
//! Useful for: putting and removing documents, nodes and edges; reading postings, vectors, attributes and the graph.
//! Not useful for: ranking (omoide-search), text analysis or embedding (terms and vectors arrive ready).
//! Invariant: what an index answers depends only on what it holds, never on the history that led there
//! (the graph over vectors, used above [`vectors::GRAPH_FROM`] of them, is the one approximation).

pub mod attributes;
pub mod blocks;
pub mod column;
pub mod dictionary;
pub mod docset;
pub mod dot;
mod error;
pub mod graph;
pub mod hnsw;
pub mod ids;
pub mod names;
pub mod numbers;
pub mod packing;
pub mod postings;
mod sections;
pub mod snapshot;
pub mod turns;
pub mod vectors;

pub use error::IndexError;

use attributes::Attributes;
use graph::{Graph, NewEdge};
use ids::Ids;
use names::Names;
use numbers::Numbers;
use postings::Postings;
use turns::{Turn, Turns};
use vectors::{LINKS_A_VECTOR, Vectors};

/// A place in the dense id space that every structure shares.
pub type Doc = u32;

/// How many text fields a document has: 0 words, 1 character grams, 2 readings of words.
pub const FIELD_COUNT: usize = 3;

/// Ids are given anew when more than so many, and more than half, are dead.
const DEAD_MOST: usize = 8_192;

/// How many kinds of text are told apart in the statistics of terms.
pub const KIND_COUNT: usize = 4;

/// One searchable document, ready: terms in order with repeats, one list a field.
#[derive(Debug, Default)]
pub struct NewDocument<'a> {
    /// The caller's name for it.
    pub key: u64,
    /// What kind of text it is, below [`KIND_COUNT`]: term statistics are kept by kind.
    pub kind: u8,
    /// Terms by field.
    pub fields: [Vec<&'a str>; FIELD_COUNT],
    /// (name, value); a name may repeat.
    pub attributes: &'a [(String, String)],
    /// (column, value).
    pub numbers: &'a [(String, i64)],
    /// Edges that live and die with the document.
    pub edges: &'a [NewEdge],
    /// Its place in a conversation, if it has one.
    pub turn: Option<&'a Turn>,
    /// Its vectors, one a passage, normalised by the index; none keeps it out of vector search.
    pub vectors: Vec<Vec<f32>>,
}

/// Everything that is searched. One writer at a time; readers share it between writes.
pub struct Index {
    /// Keys and dense ids.
    pub ids: Ids,
    /// Terms to documents.
    pub postings: Postings,
    /// Documents to vectors.
    pub vectors: Vectors,
    /// (name, value) to documents.
    pub attributes: Attributes,
    /// Sorted number columns.
    pub numbers: Numbers,
    /// Edges between keys.
    pub graph: Graph,
    /// Names a text may mention.
    pub names: Names,
    /// Conversations.
    pub turns: Turns,
    /// The number of the last change applied.
    pub applied: u64,
    /// Which history of the store that change belongs to: a store that was put back to an older state has another.
    pub history: String,
}

impl Index {
    /// An empty index for vectors of `dimensions`.
    pub fn new(dimensions: usize) -> Self {
        Self {
            ids: Ids::default(),
            postings: Postings::default(),
            vectors: Vectors::new(dimensions),
            attributes: Attributes::default(),
            numbers: Numbers::default(),
            graph: Graph::default(),
            names: Names::default(),
            turns: Turns::default(),
            applied: 0,
            history: String::new(),
        }
    }

    /// Insert, or replace the document of the same key.
    pub fn put_document(&mut self, document: NewDocument<'_>) -> Result<(), IndexError> {
        for vector in &document.vectors {
            self.vectors.check(vector)?;
        }
        self.remove(document.key);
        self.renumber_if_worth_it();
        let doc = self.ids.insert(document.key, true);
        self.postings.append(doc, document.kind, &document.fields);
        self.postings.enter(doc);
        self.attributes.insert(doc, document.attributes);
        self.numbers.insert(doc, document.numbers);
        self.graph.own(document.key, document.edges);
        if let Some(turn) = document.turn {
            self.turns.insert(document.key, turn);
        }
        let links = document.vectors.len() * LINKS_A_VECTOR;
        self.vectors.insert(doc, document.vectors)?;
        self.link(links);
        Ok(())
    }

    fn link(&mut self, most: usize) {
        for _ in 0..most {
            let Some(plan) = self.vectors.plan() else {
                return;
            };
            self.vectors.link(plan);
        }
    }

    fn renumber_if_worth_it(&mut self) {
        let dead = self.ids.len() - self.ids.count();
        if dead > DEAD_MOST.max(self.ids.count()) {
            self.renumber();
        }
    }

    /// Give ids anew and leave out everything that is dead.
    pub fn renumber(&mut self) {
        let to = self.ids.renumbering();
        self.postings = self.postings.renumbered(&to);
        self.attributes = self.attributes.renumbered(&to);
        self.numbers = self.numbers.renumbered(&to);
        self.vectors.renumber(&to);
        self.ids = self.ids.renumbered(&to);
    }

    /// Insert, or replace the node of the same key: a place in the graph with names.
    pub fn put_node(&mut self, key: u64, names: Vec<String>) {
        self.remove(key);
        self.ids.insert(key, false);
        self.names.insert(key, names);
    }

    /// Remove a document or node; unknown keys are no matter. Edges of others that end there wait for its return.
    pub fn remove(&mut self, key: u64) {
        self.names.remove(key);
        self.graph.disown(key);
        self.turns.remove(key);
        let Some(doc) = self.ids.remove(key) else {
            return;
        };
        self.postings.leave(doc);
        self.vectors.remove(doc);
    }
}
