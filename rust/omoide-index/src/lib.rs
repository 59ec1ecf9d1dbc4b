//! Which structures hold the memories for searching, and how do they change and persist?
//!
//! - of each document: `ids` (its dense id by key), `attributes` and `numbers` to filter and sort by, `turns` (what was said
//!   around it), `forward` (its terms)
//! - words: `postings`, in `blocks` of 128 whose open ends stand in a `pool`; numbered by a `dictionary`, scored by `norms`;
//!   `spellings`: sequences of letters
//! - `vectors`, compressed to `codes`, compared by `dot`; above some thousands a graph over them, `hnsw`; `sample`: a few for all
//! - `graph`: the edges; `names` and `mentions`: which texts say whose names
//! - `shared`: many read while one writes; `snapshot`: on `disk`, by `sections`
//! - how arrays stand: `column`, `packing`, `ascending`, `docset`, `huge`; `cores`: work on all of them
//!
//! Useful for: putting and removing documents, nodes and edges; reading postings, vectors, attributes and the graph.
//! Not useful for: ranking (omoide-search), text analysis or embedding (terms and vectors arrive ready).
//! Invariant: what an index answers depends only on what it holds, never on the history that led there
//! (the graph over vectors, used above [`vectors::GRAPH_FROM`] of them, is the one approximation).

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
pub mod sample;
mod sections;
pub mod shared;
pub mod snapshot;
pub mod spellings;
pub mod turns;
pub mod vectors;

pub use error::IndexError;

use attributes::Attributes;
use graph::{Graph, NewEdge};
use ids::{Ids, NO_DOC, Renumbering};
use mentions::Said;
use names::{Bearer, Name, Names};
use numbers::Numbers;
use postings::Postings;
use spellings::Spellings;
use std::collections::BTreeSet;
use turns::{Turn, Turns};
use vectors::{LINKS_A_VECTOR, Vectors};

/// A place in the dense id space that every structure shares.
pub type Doc = u32;

/// How many text fields a document has: 0 words, 1 character grams, 2 readings of words.
pub const FIELD_COUNT: usize = 3;
/// The field of words.
pub const WORDS: usize = 0;
/// The field of character grams.
pub const GRAMS: usize = 1;
/// The field of readings of words with Han characters.
pub const READINGS: usize = 2;

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
    /// Sequences of letters of its words, with repeats; `None` keeps its spelling from being compared.
    pub sequences: Option<Vec<String>>,
    /// Its folded text, for the names in it.
    pub text: &'a str,
    /// Names that others may mention it by.
    pub names: &'a [Name],
    /// Names of the thread it is in, which others may mention all of that by.
    pub thread_names: &'a [Name],
    /// When it was stored, microseconds since the epoch.
    pub stored_at: i64,
    /// Its vectors, one a passage, normalised by the index; none keeps it out of vector search.
    pub vectors: Vec<Vec<f32>>,
}

/// The attribute of a node that tells its home: the scope, and each that this lies under.
pub const HOME: &str = "home";

/// A document whose large parts are in, under an id that no search returns yet.
#[derive(Debug)]
pub struct Staged<'a> {
    key: u64,
    doc: Doc,
    edges: &'a [NewEdge],
    turn: Option<&'a Turn>,
    names: &'a [Name],
    thread_names: &'a [Name],
    said: Said<'a>,
}

/// What new ids change; see [`Index::renumbered`].
pub struct Renumbered {
    to: Renumbering,
    postings: Postings,
    spellings: Spellings,
    attributes: Attributes,
    numbers: Numbers,
    ids: Ids,
    packed: Option<Vectors>,
}

/// Everything that is searched. One writer at a time; readers share it between writes.
pub struct Index {
    /// Keys and dense ids.
    pub ids: Ids,
    /// Terms to documents.
    pub postings: Postings,
    /// Spellings of documents.
    pub spellings: Spellings,
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
    /// Documents that wait to be read again for the names in them.
    pub waiting: BTreeSet<u64>,
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

    /// Insert, or replace the document of the same key.
    pub fn put_document(&mut self, document: NewDocument<'_>) -> Result<(), IndexError> {
        self.check(&document)?;
        let upkeep = document.vectors.len() * LINKS_A_VECTOR;
        let staged = self.stage(document)?;
        self.enter(&staged);
        self.read(staged.said);
        self.wait_for_reading(&BTreeSet::from([staged.key]));
        (0..upkeep).for_each(|_| self.tend());
        if self.is_renumbering_worth_it() {
            self.renumber();
        }
        Ok(())
    }

    /// Whether a document may come in.
    pub fn check(&self, document: &NewDocument<'_>) -> Result<(), IndexError> {
        let mut vectors = document.vectors.iter();
        vectors.try_for_each(|vector| self.vectors.check(vector))
    }

    /// Take in what is large of a document, under an id that no search returns yet.
    pub fn stage<'a>(&mut self, document: NewDocument<'a>) -> Result<Staged<'a>, IndexError> {
        let doc = self.ids.reserve(document.key);
        self.postings.append(doc, document.kind, &document.fields);
        if let Some(sequences) = &document.sequences {
            let squares_of_grams = self.postings.fields[GRAMS].squares(doc);
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
            said: Said {
                key: document.key,
                text: document.text,
                at: document.stored_at,
            },
        })
    }

    /// Let a staged document take the place of the one of the same key.
    pub fn enter(&mut self, staged: &Staged<'_>) {
        let &Staged { key, doc, .. } = staged;
        let names = &mut self.names;
        names.rename(key, Bearer::Document, staged.names);
        names.rename(key, Bearer::Thread, staged.thread_names);
        self.leave(key);
        self.ids.enter(key, doc, true);
        self.postings.enter(doc);
        self.spellings.enter(doc);
        self.graph.own(key, staged.edges);
        self.graph.stand(key, doc);
        for edge in staged.edges {
            self.stand(edge.target);
        }
        if let Some(turn) = staged.turn {
            self.turns.insert(key, turn);
        }
    }

    /// Put a keyed edge between two keys, which may come later.
    pub fn put_edge(&mut self, key: u64, source: u64, edge: &NewEdge) {
        self.graph.put(key, source, edge);
        for end in [source, edge.target] {
            self.stand(end);
        }
    }

    /// Tell the graph who stands at a key.
    fn stand(&mut self, key: u64) {
        self.graph.stand(key, self.ids.doc(key).unwrap_or(NO_DOC));
    }

    /// Do a little of what is left to do for the graph over vectors.
    fn tend(&mut self) {
        if let [row] = self.vectors.due(1)[..] {
            self.vectors.link(self.vectors.plan(&[row], 0));
        }
        if self.vectors.is_sweeping() {
            self.vectors.sweep(vec![self.vectors.plan_sweep(0)]);
        }
    }

    /// Documents and nodes that were removed or replaced, until ids are given anew.
    pub fn dead(&self) -> usize {
        self.ids.len() - self.ids.count()
    }

    /// Whether much of what is held is dead.
    pub fn is_renumbering_worth_it(&self) -> bool {
        self.dead() > DEAD_MOST.max(self.ids.count())
    }

    /// Give ids anew and leave out everything that is dead.
    pub fn renumber(&mut self) {
        let renumbered = self.renumbered();
        self.accept(renumbered);
    }

    /// Everything that names ids, under new ones.
    pub fn renumbered(&self) -> Renumbered {
        let to = self.ids.renumbering();
        Renumbered {
            postings: self.postings.renumbered(&to),
            spellings: self.spellings.renumbered(&to),
            attributes: self.attributes.renumbered(&to),
            numbers: self.numbers.renumbered(&to),
            ids: self.ids.renumbered(&to),
            packed: self.vectors.packed_if_worth_it(&to),
            to,
        }
    }

    /// Go on with new ids. Nothing may have changed since they were given.
    pub fn accept(&mut self, renumbered: Renumbered) {
        match renumbered.packed {
            Some(packed) => self.vectors = packed,
            None => self.vectors.renumber(&renumbered.to),
        }
        self.postings = renumbered.postings;
        self.spellings = renumbered.spellings;
        self.attributes = renumbered.attributes;
        self.numbers = renumbered.numbers;
        self.ids = renumbered.ids;
        self.stand_all();
    }

    /// Tell the graph who stands where.
    fn stand_all(&mut self) {
        let ids = &self.ids;
        self.graph.stand_all(|key| ids.doc(key));
    }

    /// Put the vectors of a document in place of those it has; an unknown key is no matter.
    pub fn put_vectors(&mut self, key: u64, vectors: Vec<Vec<f32>>) -> Result<(), IndexError> {
        let Some(doc) = self.ids.doc(key) else {
            return Ok(());
        };
        self.vectors.remove(doc);
        self.vectors.insert(doc, vectors)
    }

    /// Keys of the documents that have no vector, ascending.
    pub fn without_vectors(&self) -> Vec<u64> {
        let bare = self.ids.live.iter().filter(|&doc| !self.vectors.has(doc));
        let mut keys: Vec<u64> = bare.map(|doc| self.ids.key(doc)).collect();
        keys.sort_unstable();
        keys
    }

    /// Insert, or replace the node of the same key: a place in the graph with names, which no scope has made its own.
    pub fn put_node(&mut self, key: u64, names: &[Name]) {
        self.enter_node(key, names, &[]);
        self.wait_for_reading(&BTreeSet::new());
    }

    /// `homes`: the scope that it is at home in, and those that this lies under.
    fn enter_node(&mut self, key: u64, names: &[Name], homes: &[String]) {
        self.names.rename(key, Bearer::Node, names);
        self.leave(key);
        let doc = self.ids.insert(key, false);
        let homes = homes.iter().map(|home| (HOME.to_owned(), home.clone()));
        self.attributes.insert(doc, &homes.collect::<Vec<_>>());
        self.graph.stand(key, doc);
    }

    /// Remove a document or node; unknown keys are no matter. Edges of others that end there wait for its return.
    pub fn remove(&mut self, key: u64) {
        self.names.forget(key);
        self.leave(key);
        self.wait_for_reading(&BTreeSet::new());
    }

    /// Take a document or node out of everything but its names.
    fn leave(&mut self, key: u64) {
        self.waiting.remove(&key);
        self.graph.disown(key, |_| true);
        self.turns.remove(key);
        let Some(doc) = self.ids.remove(key) else {
            return;
        };
        self.graph.stand(key, NO_DOC);
        self.postings.leave(doc);
        self.spellings.leave(doc);
        self.vectors.remove(doc);
    }
}
