//! The structures that hold the memories for searching: how they change, and how they are saved.
//!
//! - for each document: `ids` (its dense id by key), `attributes` and `numbers` to filter and sort by, `turns` (what was said
//!   around it), `forward` (its terms)
//! - words: `postings`, in `blocks` of 128 whose open postings are in a `pool`; numbered by a `dictionary`, scored by `norms`;
//!   `spellings`: sequences of letters
//! - `vectors`, compressed to `codes`, compared by `dot`; above some thousands with a graph over them, `hnsw`; `sample`: a
//!   few documents that represent all
//! - `graph`: the edges; `names` and `mentions`: which texts mention which names
//! - `shared`: many readers and one writer; `snapshot`: saved to `disk` in `sections`, read in `steps`
//! - storage: `column`, `packing`, `ascending`, `docset`, `huge`; `prefetch`: of memory; `cores`: work spread over all cores
//!
//! Useful for: adding and removing documents, nodes and edges; reading postings, vectors, attributes and the graph.
//! Not useful for: ranking (omoide-search), text analysis or embedding (terms and vectors are passed in).
//! Invariant: what an index answers depends only on what is in it, never on how it got there (the graph over vectors, used from
//! [`vectors::GRAPH_FROM`] of them on, is the one approximation).

mod ascending;
pub mod attributes;
pub mod blocks;
pub mod codes;
pub mod column;
mod cores;
pub mod dictionary;
pub mod disk;
pub mod docset;
pub mod dot;
mod error;
mod forward;
pub mod graph;
pub mod hnsw;
#[cfg(target_os = "linux")]
pub mod huge;
pub mod ids;
pub mod mentions;
pub mod names;
mod norms;
pub mod numbers;
pub mod packing;
mod pool;
pub mod postings;
pub mod prefetch;
pub mod sample;
mod sections;
pub mod shared;
pub mod snapshot;
pub mod spellings;
mod steps;
pub mod turns;
pub mod vectors;

pub use error::IndexError;

use attributes::Attributes;
use graph::{Graph, NewEdge};
use ids::{Ids, NO_DOC, Renumbering};
use mentions::StoredText;
use names::{Bearer, Name, Names};
use numbers::Numbers;
use postings::Postings;
use spellings::Spellings;
use std::collections::BTreeSet;
use turns::{Turn, Turns};
use vectors::{LINKS_PER_VECTOR, Vectors};

/// A dense id, shared by all structures.
pub type Doc = u32;

/// How many text fields a document has: 0 words, 1 character grams, 2 readings of words.
pub const FIELD_COUNT: usize = 3;
/// The field of words.
pub const WORDS: usize = 0;
/// The field of character grams.
pub const GRAMS: usize = 1;
/// The field of readings of words with Han characters.
pub const READINGS: usize = 2;

/// Ids are renumbered when more than so many, and more than half, are dead.
const MAX_DEAD: usize = 8_192;

/// How many kinds of text have separate term statistics.
pub const KIND_COUNT: usize = 4;

/// A searchable document, fully analysed: terms in order with repeats, one list for each field.
#[derive(Debug, Default)]
pub struct NewDocument<'a> {
    /// The caller's id for it.
    pub key: u64,
    /// What kind of text it is, below [`KIND_COUNT`]: term statistics are kept by kind.
    pub kind: u8,
    /// Terms by field.
    pub fields: [Vec<&'a str>; FIELD_COUNT],
    /// (name, value); a name may repeat.
    pub attributes: &'a [(String, String)],
    /// (column, value).
    pub numbers: &'a [(String, i64)],
    /// Edges that belong to the document and are removed with it.
    pub edges: &'a [NewEdge],
    /// Its place in a conversation, if it has one.
    pub turn: Option<&'a Turn>,
    /// Sequences of letters of its words, with repeats; without them its spelling is not compared.
    pub sequences: Option<Vec<String>>,
    /// Its folded text, in which names are looked for.
    pub text: &'a str,
    /// Names by which other texts may mention it.
    pub names: &'a [Name],
    /// Names of its thread, by which other texts may mention all documents in it.
    pub thread_names: &'a [Name],
    /// When it was stored, microseconds since the epoch.
    pub stored_at: i64,
    /// Its vectors, one for each passage, which the index normalises; without any it is not in vector search.
    pub vectors: Vec<Vec<f32>>,
}

/// The attribute of a node for its home: the scope, and each scope that this one lies under.
pub const HOME: &str = "home";

/// A document whose large parts are indexed, under an id that no search returns yet.
#[derive(Debug)]
pub struct Staged<'a> {
    key: u64,
    doc: Doc,
    edges: &'a [NewEdge],
    turn: Option<&'a Turn>,
    names: &'a [Name],
    thread_names: &'a [Name],
    text: StoredText<'a>,
}

/// The structures that a renumbering replaces; see [`Index::renumbered`].
pub struct Renumbered {
    to: Renumbering,
    postings: Postings,
    spellings: Spellings,
    attributes: Attributes,
    numbers: Numbers,
    ids: Ids,
    compacted: Option<Vectors>,
}

/// Everything that is searched. One writer at a time; readers share it between writes.
pub struct Index {
    /// Dense ids by key.
    pub ids: Ids,
    /// Documents by term.
    pub postings: Postings,
    /// Spellings of documents.
    pub spellings: Spellings,
    /// Vectors by document.
    pub vectors: Vectors,
    /// Documents by (name, value).
    pub attributes: Attributes,
    /// Sorted number columns.
    pub numbers: Numbers,
    /// Edges between keys.
    pub graph: Graph,
    /// Names that texts may mention.
    pub names: Names,
    /// Documents whose text has to be read again for names (mentions.rs).
    pub waiting: BTreeSet<u64>,
    /// Conversations.
    pub turns: Turns,
    /// The number of the last change applied.
    pub applied: u64,
    /// The history of the store that this change belongs to: a store that was restored to an older state has another.
    pub history: String,
}

impl Index {
    /// An empty index for vectors of `dimensions`.
    pub fn new(dimensions: usize) -> Self {
        Self {
            ids: Ids::default(),
            postings: Postings::default(),
            spellings: Spellings::default(),
            vectors: Vectors::new(dimensions),
            attributes: Attributes::default(),
            numbers: Numbers::default(),
            graph: Graph::default(),
            names: Names::default(),
            waiting: BTreeSet::new(),
            turns: Turns::default(),
            applied: 0,
            history: String::new(),
        }
    }

    /// Insert a document, or replace the one with the same key, and do all that follows from it at once. While others read,
    /// [`Shared::apply`](shared::Shared::apply) does the same in steps.
    pub fn put_document(&mut self, document: NewDocument<'_>) -> Result<(), IndexError> {
        self.check(&document)?;
        let steps = document.vectors.len() * LINKS_PER_VECTOR;
        let staged = self.stage(document)?;
        self.activate(&staged);
        self.link_mentions(staged.text);
        self.queue_rereading(&BTreeSet::from([staged.key]));
        (0..steps).for_each(|_| self.maintain_graph());
        if self.should_renumber() {
            self.renumber();
        }
        Ok(())
    }

    /// Returns an error for a document that cannot be added.
    pub fn check(&self, document: &NewDocument<'_>) -> Result<(), IndexError> {
        let mut vectors = document.vectors.iter();
        vectors.try_for_each(|vector| self.vectors.check(vector))
    }

    /// Index the large parts of a document, under an id that no search returns yet.
    pub fn stage<'a>(&mut self, document: NewDocument<'a>) -> Result<Staged<'a>, IndexError> {
        let doc = self.ids.reserve(document.key);
        self.postings.append(doc, document.kind, &document.fields);
        if let Some(sequences) = &document.sequences {
            let squares_of_grams = self.postings.fields[GRAMS].sum_of_squares(doc);
            self.spellings.append(doc, sequences, squares_of_grams);
        }
        self.attributes.insert(doc, document.attributes);
        self.numbers.insert(doc, document.numbers);
        self.vectors.insert(doc, document.vectors)?;
        Ok(Staged {
            key: document.key,
            doc,
            edges: document.edges,
            turn: document.turn,
            names: document.names,
            thread_names: document.thread_names,
            text: StoredText {
                key: document.key,
                text: document.text,
                at: document.stored_at,
            },
        })
    }

    /// Make a staged document live, replacing the one with the same key.
    pub fn activate(&mut self, staged: &Staged<'_>) {
        let &Staged { key, doc, .. } = staged;
        let names = &mut self.names;
        names.set_names(key, Bearer::Document, staged.names);
        names.set_names(key, Bearer::Thread, staged.thread_names);
        self.deactivate(key);
        self.ids.activate(key, doc, true);
        self.postings.add_to_statistics(doc);
        self.spellings.add_to_statistics(doc);
        self.graph.put_owned(key, staged.edges);
        self.graph.set_doc(key, doc);
        for edge in staged.edges {
            self.update_vertex(edge.target);
        }
        if let Some(turn) = staged.turn {
            self.turns.insert(key, turn);
        }
    }

    /// Add an edge with a key between two keys, which may be added later.
    pub fn put_edge(&mut self, key: u64, source: u64, edge: &NewEdge) {
        self.graph.put(key, source, edge);
        for end in [source, edge.target] {
            self.update_vertex(end);
        }
    }

    /// Tell the graph which document or node is at a key.
    fn update_vertex(&mut self, key: u64) {
        self.graph.set_doc(key, self.ids.doc(key).unwrap_or(NO_DOC));
    }

    /// Do a little of the pending work on the graph over vectors.
    fn maintain_graph(&mut self) {
        if let [row] = self.vectors.next_unlinked(1)[..] {
            self.vectors.link(self.vectors.plan(&[row], 0));
        }
        if self.vectors.is_sweeping() {
            self.vectors.sweep(vec![self.vectors.plan_sweep(0)]);
        }
    }

    /// How many documents and nodes were removed or replaced since the last renumbering.
    pub fn dead(&self) -> usize {
        self.ids.len() - self.ids.count()
    }

    /// Whether much of the index is dead.
    pub fn should_renumber(&self) -> bool {
        self.dead() > MAX_DEAD.max(self.ids.count())
    }

    /// Renumber ids and drop everything that is dead.
    pub fn renumber(&mut self) {
        let renumbered = self.renumbered();
        self.switch_to(renumbered);
    }

    /// New versions of the structures that contain ids, renumbered.
    pub fn renumbered(&self) -> Renumbered {
        let to = self.ids.renumbering();
        Renumbered {
            postings: self.postings.renumbered(&to),
            spellings: self.spellings.renumbered(&to),
            attributes: self.attributes.renumbered(&to),
            numbers: self.numbers.renumbered(&to),
            ids: self.ids.renumbered(&to),
            compacted: self.vectors.compacted_if_worth_it(&to),
            to,
        }
    }

    /// Switch to renumbered structures. Nothing may have changed since they were made.
    pub fn switch_to(&mut self, renumbered: Renumbered) {
        match renumbered.compacted {
            Some(compacted) => self.vectors = compacted,
            None => self.vectors.renumber(&renumbered.to),
        }
        self.postings = renumbered.postings;
        self.spellings = renumbered.spellings;
        self.attributes = renumbered.attributes;
        self.numbers = renumbered.numbers;
        self.ids = renumbered.ids;
        self.update_all_vertices();
    }

    /// Tell the graph which document or node is at each key.
    fn update_all_vertices(&mut self) {
        let ids = &self.ids;
        self.graph.set_docs(|key| ids.doc(key));
    }

    /// Replace the vectors of a document; an unknown key is ignored.
    pub fn put_vectors(&mut self, key: u64, vectors: Vec<Vec<f32>>) -> Result<(), IndexError> {
        let Some(doc) = self.ids.doc(key) else {
            return Ok(());
        };
        self.vectors.remove(doc);
        self.vectors.insert(doc, vectors)
    }

    /// Keys of the documents that have no vector, ascending.
    pub fn without_vectors(&self) -> Vec<u64> {
        let lacking = self.ids.live.iter().filter(|&doc| !self.vectors.has(doc));
        let mut keys: Vec<u64> = lacking.map(|doc| self.ids.key(doc)).collect();
        keys.sort_unstable();
        keys
    }

    /// Insert a node, or replace the one with the same key: a vertex of the graph with names. It has no home.
    pub fn put_node(&mut self, key: u64, names: &[Name]) {
        self.put_node_with_homes(key, names, &[]);
        self.queue_rereading(&BTreeSet::new());
    }

    /// `homes`: the node's home scope, and those that this one lies under.
    fn put_node_with_homes(&mut self, key: u64, names: &[Name], homes: &[String]) {
        self.names.set_names(key, Bearer::Node, names);
        self.deactivate(key);
        let doc = self.ids.insert(key, false);
        let homes = homes.iter().map(|home| (HOME.to_owned(), home.clone()));
        self.attributes.insert(doc, &homes.collect::<Vec<_>>());
        self.graph.set_doc(key, doc);
    }

    /// Remove a document or node; unknown keys are ignored. Other edges that end there stay, in case it returns.
    pub fn remove(&mut self, key: u64) {
        self.names.remove(key);
        self.deactivate(key);
        self.queue_rereading(&BTreeSet::new());
    }

    /// Remove a document or node from everything but the names.
    fn deactivate(&mut self, key: u64) {
        self.waiting.remove(&key);
        self.graph.remove_owned(key, |_| true);
        self.turns.remove(key);
        let Some(doc) = self.ids.remove(key) else {
            return;
        };
        self.graph.set_doc(key, NO_DOC);
        self.postings.remove_from_statistics(doc);
        self.spellings.remove_from_statistics(doc);
        self.vectors.remove(doc);
    }
}
