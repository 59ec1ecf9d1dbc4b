//! The edges between memories and things.
//!
//! Edges name keys, not dense ids, so that they survive when a document is replaced and may be added before their ends: walks
//! skip an edge with a missing end. Walks go from vertex to vertex: a vertex is the number of a key that has had an edge, and
//! records which document or node has that key now.

use crate::ids::NO_DOC;
use crate::snapshot::{Reader, Writer};
use crate::{Doc, IndexError};
use bytemuck::{Pod, Zeroable};
use rustc_hash::FxHashMap;

/// An edge to be added; its source is its owner, or given beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEdge {
    /// The key it points to.
    pub target: u64,
    /// Its type, as the caller calls it.
    pub kind: String,
    /// The scope that it was made in; empty for none.
    pub home: String,
    /// Its strength.
    pub weight: f32,
    /// When it was made, microseconds since the epoch.
    pub created_at: i64,
}

/// Instead of a key: the edge belongs to its source document, and is removed with it.
const OWNED: u64 = u64::MAX;

/// One stored edge.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Edge {
    /// The key it begins at.
    pub source: u64,
    /// The key it points to.
    pub target: u64,
    /// When it was made, microseconds since the epoch.
    pub created_at: i64,
    key: u64,
    /// Its strength.
    pub weight: f32,
    kind: u32,
}

impl Edge {
    /// The end that is not `key` (for a loop: `key`).
    pub fn other(&self, key: u64) -> u64 {
        if self.source == key {
            self.target
        } else {
            self.source
        }
    }

    /// Whether it belongs to a document: one that was found in it, not stated.
    pub fn is_owned(&self) -> bool {
        self.key == OWNED
    }
}

/// An edge as seen from one of its ends: an entry of an adjacency list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfEdge {
    /// The vertex at the other end.
    pub vertex: u32,
    /// The edge's number.
    pub edge: u32,
    /// Weight in a walk by rank: the edge's, but at least 0, at most [`MAX_WALK_WEIGHT`], and 0 between turns.
    pub weight: f32,
}

/// The type of the edge from a turn to the previous one. Neighbouring turns already count as context; if walks followed these
/// edges too, the turns around a good match would be ranked before it.
const FOLLOWS: &str = "follows";
/// The type of a document's own edge to a thing it is about.
const ABOUT: &str = "about";

/// The sum of the weights of as many edges as fit into memory is finite: a walk divides by it.
const MAX_WALK_WEIGHT: f32 = 1e28;

/// All edges.
#[derive(Debug, Default)]
pub struct Graph {
    edges: Vec<Option<Edge>>,
    free: Vec<u32>,
    by_key: FxHashMap<u64, u32>,
    vertex_by_key: FxHashMap<u64, u32>,
    keys: Vec<u64>,
    docs: Vec<Doc>,
    half_edges: Vec<Vec<HalfEdge>>,
    in_degrees: Vec<u32>,
    /// Type and home of each kind of edge.
    kinds: Vec<(String, String)>,
    kind_ids: FxHashMap<String, FxHashMap<String, u32>>,
}

/// The edges of one moment.
pub(crate) struct KeptEdges {
    edges: Vec<Edge>,
    kinds: Vec<(String, String)>,
}

impl KeptEdges {
    pub(crate) fn write(self, out: &mut Writer) -> Result<(), IndexError> {
        out.slice("edges", &self.edges)?;
        out.value("edges.kinds", &self.kinds)
    }
}

impl Graph {
    /// Add an edge with a key, replacing one with the same key.
    pub fn put(&mut self, key: u64, source: u64, edge: &NewEdge) {
        self.remove(key);
        let at = self.insert_new(source, edge, key);
        self.by_key.insert(key, at);
    }

    /// Remove an edge by its key; unknown keys are ignored.
    pub fn remove(&mut self, key: u64) {
        if let Some(at) = self.by_key.remove(&key) {
            self.delete(at);
        }
    }

    /// Add edges that belong to a document and are removed with it.
    pub fn put_owned(&mut self, source: u64, edges: &[NewEdge]) {
        for edge in edges {
            self.insert_new(source, edge, OWNED);
        }
    }

    /// Remove those of a document's own edges whose type `which` selects.
    pub fn remove_owned(&mut self, source: u64, which: impl Fn(&str) -> bool) {
        let own = self.owned_edges(source);
        let picked = own.filter(|&(_, edge)| which(self.kind(edge)));
        for at in picked.map(|own| own.0).collect::<Vec<u32>>() {
            self.delete(at);
        }
    }

    /// Targets of a document's own edges of other types than `kind`.
    pub fn owned_targets_except(&self, source: u64, kind: &str) -> impl Iterator<Item = u64> {
        let own = self.owned_edges(source);
        own.filter(move |own| self.kind(own.1) != kind)
            .map(|own| own.1.target)
    }

    /// A document's own edges, with their numbers.
    fn owned_edges(&self, source: u64) -> impl Iterator<Item = (u32, &Edge)> {
        let half_edges = self
            .vertex(source)
            .map_or(&[] as &[HalfEdge], |vertex| self.half_edges(vertex));
        let numbered = half_edges
            .iter()
            .filter_map(|half_edge| Some((half_edge.edge, self.edge(half_edge)?)));
        numbered.filter(move |(_, edge)| edge.is_owned() && edge.source == source)
    }

    /// Record which document or node a key now has; [`NO_DOC`] if it was removed.
    pub fn set_doc(&mut self, key: u64, doc: Doc) {
        if let Some(vertex) = self.vertex(key) {
            self.docs[vertex as usize] = doc;
        }
    }

    /// Record this for every key, after a renumbering.
    pub fn set_docs(&mut self, doc: impl Fn(u64) -> Option<Doc>) {
        for (docs, &key) in self.docs.iter_mut().zip(&self.keys) {
            *docs = doc(key).unwrap_or(NO_DOC);
        }
    }

    /// The vertex of a key that has had an edge.
    pub fn vertex(&self, key: u64) -> Option<u32> {
        self.vertex_by_key.get(&key).copied()
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.keys.len()
    }

    /// The key of a vertex.
    pub fn key(&self, vertex: u32) -> u64 {
        self.keys[vertex as usize]
    }

    /// The document or node at a vertex, if there is one.
    pub fn doc_at(&self, vertex: u32) -> Option<Doc> {
        Some(self.docs[vertex as usize]).filter(|&doc| doc != NO_DOC)
    }

    /// How many edges point to a vertex, not counting those between turns.
    pub fn in_degree(&self, vertex: u32) -> u32 {
        self.in_degrees[vertex as usize]
    }

    /// The edges at a vertex, of either direction, by the keys they lead to and by weight; some lead to vertices where nothing is now.
    pub fn half_edges(&self, vertex: u32) -> &[HalfEdge] {
        &self.half_edges[vertex as usize]
    }

    /// The whole edge.
    pub fn edge(&self, half_edge: &HalfEdge) -> Option<&Edge> {
        self.edges[half_edge.edge as usize].as_ref()
    }

    /// Edges at `key`, of either direction, in no particular order; their other ends may be missing.
    pub fn at(&self, key: u64) -> impl Iterator<Item = &Edge> {
        let half_edges = self
            .vertex(key)
            .map_or(&[] as &[HalfEdge], |vertex| self.half_edges(vertex));
        half_edges
            .iter()
            .filter_map(|half_edge| self.edge(half_edge))
    }

    /// How many edges `key` has.
    pub fn degree(&self, key: u64) -> usize {
        self.vertex(key)
            .map_or(0, |vertex| self.half_edges(vertex).len())
    }

    /// The type of an edge.
    pub fn kind(&self, edge: &Edge) -> &str {
        &self.kinds[edge.kind as usize].0
    }

    /// The scope that an edge was made in; empty for none.
    pub fn home(&self, edge: &Edge) -> &str {
        &self.kinds[edge.kind as usize].1
    }

    /// The vertices of the documents that are about the thing at a vertex.
    pub fn vertices_about(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let is_about = move |edge: &Edge| {
            edge.is_owned() && edge.target == self.key(vertex) && self.kind(edge) == ABOUT
        };
        let half_edges = self.half_edges(vertex).iter();
        half_edges
            .filter(move |half_edge| self.edge(half_edge).is_some_and(is_about))
            .map(|half_edge| half_edge.vertex)
    }

    /// All edges, with and without a key of their own.
    pub fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().flatten()
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        let half_edges = self
            .half_edges
            .iter()
            .map(|half_edges| half_edges.capacity() * size_of::<HalfEdge>() + 60);
        self.edges.capacity() * size_of::<Option<Edge>>() + half_edges.sum::<usize>()
    }

    fn insert_new(&mut self, source: u64, new: &NewEdge, key: u64) -> u32 {
        let kind = self.kind_id(&new.kind, &new.home);
        self.insert(Edge {
            source,
            target: new.target,
            created_at: new.created_at,
            key,
            // A number beyond those of 32 bits becomes infinite on its way here.
            weight: new.weight.clamp(f32::MIN, f32::MAX),
            kind,
        })
    }

    fn insert(&mut self, edge: Edge) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| {
            self.edges.push(None);
            self.edges.len() as u32 - 1
        });
        self.edges[at as usize] = Some(edge);
        let (source, target) = (self.vertex_for(edge.source), self.vertex_for(edge.target));
        let follows = self.kind(&edge) == FOLLOWS;
        let weight = if follows {
            0.0
        } else {
            edge.weight.clamp(0.0, MAX_WALK_WEIGHT).max(0.0) // not a number: 0
        };
        self.in_degrees[target as usize] += u32::from(!follows);
        let half_edge = |vertex| HalfEdge {
            vertex,
            edge: at,
            weight,
        };
        self.add_half_edge(source, half_edge(target));
        if target != source {
            self.add_half_edge(target, half_edge(source));
        }
        at
    }

    /// Keeps half-edges in the order of keys, those to one key in that of weights, so that a walk gives the same sums whatever
    /// order the edges were added in.
    fn add_half_edge(&mut self, from: u32, half_edge: HalfEdge) {
        let key = |half_edge: &HalfEdge| self.keys[half_edge.vertex as usize];
        let before = |each: &HalfEdge| {
            let by_weight = || each.weight.total_cmp(&half_edge.weight);
            key(each).cmp(&key(&half_edge)).then_with(by_weight).is_le()
        };
        let half_edges = &mut self.half_edges[from as usize];
        half_edges.insert(half_edges.partition_point(before), half_edge);
    }

    fn vertex_for(&mut self, key: u64) -> u32 {
        if let Some(vertex) = self.vertex(key) {
            return vertex;
        }
        let vertex = self.keys.len() as u32;
        self.vertex_by_key.insert(key, vertex);
        self.keys.push(key);
        self.docs.push(NO_DOC);
        self.half_edges.push(Vec::new());
        self.in_degrees.push(0);
        vertex
    }

    fn delete(&mut self, at: u32) {
        let Some(edge) = self.edges[at as usize].take() else {
            return;
        };
        let follows = self.kind(&edge) == FOLLOWS;
        if let Some(vertex) = self.vertex(edge.target) {
            self.in_degrees[vertex as usize] -= u32::from(!follows);
        }
        for end in [edge.source, edge.target] {
            self.remove_half_edge(end, edge.other(end), at);
        }
        self.free.push(at);
    }

    /// Searches among the half-edges to this key only: some things have very many edges.
    fn remove_half_edge(&mut self, from: u64, to: u64, edge: u32) {
        let Some(from) = self.vertex(from) else {
            return;
        };
        let keys = &self.keys;
        let half_edges = &mut self.half_edges[from as usize];
        let first = half_edges.partition_point(|half_edge| keys[half_edge.vertex as usize] < to);
        if let Some(at) = half_edges[first..]
            .iter()
            .position(|half_edge| half_edge.edge == edge)
        {
            half_edges.remove(first + at);
        }
    }

    fn kind_id(&mut self, kind: &str, home: &str) -> u32 {
        let known = self.kind_ids.get(kind).and_then(|homes| homes.get(home));
        if let Some(&known) = known {
            return known;
        }
        let new = self.kinds.len() as u32;
        self.kinds.push((kind.to_owned(), home.to_owned()));
        let homes = self.kind_ids.entry(kind.to_owned()).or_default();
        homes.insert(home.to_owned(), new);
        new
    }

    /// A copy of the edges as they are now.
    pub(crate) fn kept(&self) -> KeptEdges {
        KeptEdges {
            edges: self.iter().copied().collect(),
            kinds: self.kinds.clone(),
        }
    }

    /// The caller then has to record which documents are where.
    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let mut graph = Self::default();
        for (kind, home) in from.value::<Vec<(String, String)>>("edges.kinds")? {
            graph.kind_id(&kind, &home);
        }
        for edge in from.column::<Edge>("edges")?.iter() {
            let at = graph.insert(edge);
            if edge.key != OWNED {
                graph.by_key.insert(edge.key, at);
            }
        }
        Ok(graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(target: u64, kind: &str) -> NewEdge {
        NewEdge {
            target,
            kind: kind.into(),
            home: String::new(),
            weight: 1.0,
            created_at: 0,
        }
    }

    fn ends(graph: &Graph, key: u64) -> Vec<u64> {
        let mut ends: Vec<u64> = graph.at(key).map(|edge| edge.other(key)).collect();
        ends.sort_unstable();
        ends
    }

    #[test]
    fn keyed_and_owned_edges_are_added_and_removed() {
        let mut graph = Graph::default();
        graph.put(9, 1, &edge(2, "友達"));
        graph.put_owned(1, &[edge(3, "about"), edge(1, "同一")]);
        assert_eq!(ends(&graph, 1), [1, 2, 3]);
        assert_eq!(ends(&graph, 2), [1]);
        graph.put(9, 1, &edge(4, "友達"));
        graph.remove_owned(1, |_| true);
        assert_eq!((ends(&graph, 1), ends(&graph, 2)), (vec![4], vec![]));
        graph.remove(9);
        assert_eq!(graph.iter().count(), 0);
    }

    #[test]
    fn of_several_edges_between_two_the_given_one_is_removed() {
        let mut graph = Graph::default();
        for (key, kind) in [(1, "友達"), (2, "同僚"), (3, "近所"), (4, "同僚")] {
            graph.put(key, 7 + key % 2, &edge(8 - key % 2, kind));
        }
        (9..20).for_each(|key| graph.put(key, key, &edge(8, "about")));
        graph.put(20, 8, &edge(8, "同一"));
        for key in [2, 15, 20, 2] {
            graph.remove(key);
        }
        let kinds = |key| graph.at(key).map(|edge| graph.kind(edge));
        assert_eq!(kinds(7).collect::<Vec<_>>(), ["友達", "近所", "同僚"]);
        let others: Vec<u64> = (9..20).filter(|&key| key != 15).collect();
        assert_eq!(ends(&graph, 8), [vec![7; 3], others].concat());
        assert_eq!(graph.in_degree(graph.vertex(8).unwrap()), 11);
    }
}
