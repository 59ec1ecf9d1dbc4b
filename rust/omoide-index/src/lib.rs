//! Which structures hold the memories for searching, and how do they change and persist?
//!
//! Useful for: putting and removing documents, nodes and edges; reading postings, vectors, attributes and the graph.
//! Not useful for: ranking (omoide-search), text analysis or embedding (terms and vectors arrive ready).
//! Invariant: what an index answers depends only on what it holds, never on the history that led there
//! (the HNSW graph, used above [`vectors::HNSW_FROM`] vectors, is the one approximation).

pub mod attributes;
pub mod dot;
mod error;
pub mod graph;
pub mod ids;
pub mod names;
pub mod numbers;
pub mod postings;
pub mod snapshot;
pub mod vectors;

pub use error::IndexError;

use attributes::Attributes;
use graph::{Graph, NewEdge};
use ids::Ids;
use names::Names;
use numbers::Numbers;
use postings::Postings;
use vectors::Vectors;

/// A place in the dense id space that every structure shares.
pub type Doc = u32;

/// How many text fields a document has: 0 words, 1 character grams, 2 readings of words.
pub const FIELD_COUNT: usize = 3;

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
        let doc = self.ids.insert(document.key, true);
        self.postings.insert(doc, document.kind, &document.fields);
        self.attributes.insert(doc, document.attributes);
        self.numbers.insert(doc, document.numbers);
        self.graph.own(document.key, document.edges);
        self.vectors.insert(doc, document.vectors)
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
        let Some(doc) = self.ids.remove(key) else {
            return;
        };
        self.postings.remove(doc, &self.ids.live);
        self.attributes.remove(doc);
        self.numbers.remove(doc);
        self.vectors.remove(doc);
    }
}
