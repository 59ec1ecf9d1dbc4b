//! What is written to the index: documents, nodes and edges, as immutable values made in Python.

use crate::terms::Terms;
use crate::vector::Vector;
use omoide_index::graph::NewEdge;
use omoide_index::names::Name;
use omoide_index::turns::Turn;
use omoide_index::{GRAMS, WORDS};
use pyo3::prelude::*;

type OwnedEdge = (u64, String, f32, i64);

fn new_edge((target, kind, weight, created_at): OwnedEdge) -> NewEdge {
    NewEdge {
        target,
        kind,
        home: String::new(),
        weight,
        created_at,
    }
}

/// A folded name and its words in each language; a name without words is matched by its characters.
type OwnedName = (String, Vec<Vec<String>>);

fn new_name((text, words): OwnedName) -> Name {
    let grams: Vec<String> = omoide_text::grams(&text).map(ToOwned::to_owned).collect();
    let (terms, field) = if grams.is_empty() {
        (words.first().cloned().unwrap_or_default(), WORDS)
    } else {
        (grams, GRAMS)
    };
    Name {
        text,
        words,
        terms,
        field,
    }
}

fn new_names(names: Vec<OwnedName>) -> Vec<Name> {
    names.into_iter().map(new_name).collect()
}

/// One searchable memory.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Document {
    #[pyo3(get)]
    pub key: u64,
    pub folded: String,
    pub words: Terms,
    pub readings: Terms,
    pub attributes: Vec<(String, String)>,
    pub numbers: Vec<(String, i64)>,
    pub edges: Vec<NewEdge>,
    pub turn: Option<Turn>,
    pub vectors: Vec<Vec<f32>>,
    pub names: Vec<Name>,
    pub thread_names: Vec<Name>,
    pub stored_at: i64,
}

#[pymethods]
impl Document {
    #[new]
    #[pyo3(signature = (*, key, folded, words, readings = Terms::default(), attributes = Vec::new(), numbers = Vec::new(), edges = Vec::new(), turn = None, vectors = Vec::new(), names = Vec::new(), thread_names = Vec::new(), stored_at = 0))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of one frozen value"
    )]
    fn new(
        key: u64,
        folded: String,
        words: Terms,
        readings: Terms,
        attributes: Vec<(String, String)>,
        numbers: Vec<(String, i64)>,
        edges: Vec<OwnedEdge>,
        turn: Option<(String, i64, i64)>,
        vectors: Vec<Vector>,
        names: Vec<OwnedName>,
        thread_names: Vec<OwnedName>,
        stored_at: i64,
    ) -> Self {
        let edges = edges.into_iter().map(new_edge).collect();
        let turn = turn.map(|(conversation, order, at)| Turn {
            conversation,
            order,
            at,
        });
        let vectors = vectors.into_iter().map(|vector| vector.0).collect();
        Self {
            key,
            folded,
            words,
            readings,
            attributes,
            numbers,
            edges,
            turn,
            vectors,
            names: new_names(names),
            thread_names: new_names(thread_names),
            stored_at,
        }
    }
}

/// A named thing without text of its own.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Node {
    pub key: u64,
    pub names: Vec<Name>,
    pub homes: Vec<String>,
}

#[pymethods]
impl Node {
    #[new]
    #[pyo3(signature = (*, key, names, homes = Vec::new()))]
    fn new(key: u64, names: Vec<OwnedName>, homes: Vec<String>) -> Self {
        let names = new_names(names);
        Self { key, names, homes }
    }
}

/// One directed, typed, weighted edge with a key of its own.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Edge {
    pub key: u64,
    pub source: u64,
    pub new: NewEdge,
}

#[pymethods]
impl Edge {
    #[new]
    #[pyo3(signature = (*, key, source, target, r#type, weight, created_at, home = String::new()))]
    fn new(
        key: u64,
        source: u64,
        target: u64,
        r#type: String,
        weight: f32,
        created_at: i64,
        home: String,
    ) -> Self {
        Self {
            key,
            source,
            new: NewEdge {
                target,
                kind: r#type,
                home,
                weight,
                created_at,
            },
        }
    }
}
