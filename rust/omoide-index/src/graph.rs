//! The edges between memories and things.
//!
//! Edges name keys, not dense ids, so that they survive when a document is replaced and may be added before their ends: an edge
//! with a missing end waits, and walks skip it. Walks go from place to place: a place is the number of a key that has had an
//! edge, and knows which document or node is there now.

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

/// In the place of a key: the edge belongs to its source document, and is removed with it.
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
}

/// An edge as seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// The place at the other end.
    pub place: u32,
    /// The edge's number.
    pub edge: u32,
    /// Weight in a walk by rank: the edge's, but at least 0, and 0 between turns.
    pub weight: f32,
}

/// The type of the edge from a turn to the previous one. Neighbouring turns already count as context; if walks followed these
/// edges too, the turns around a good match would be ranked before it.
const FOLLOWS: &str = "follows";
/// The type of a document's own edge to a thing it is about.
const ABOUT: &str = "about";

/// All edges.
#[derive(Debug, Default)]
pub struct Graph {
    edges: Vec<Option<Edge>>,
    free: Vec<u32>,
    by_key: FxHashMap<u64, u32>,
    places: FxHashMap<u64, u32>,
    keys: Vec<u64>,
    standing: Vec<Doc>,
    ways: Vec<Vec<Way>>,
    arrivals: Vec<u32>,
    /// Type and home of each kind of edge.
    kinds: Vec<(String, String)>,
    kind_ids: FxHashMap<String, FxHashMap<String, u32>>,
}

impl Graph {
    /// Add an edge with a key, replacing one with the same key.
    pub fn put(&mut self, key: u64, source: u64, edge: &NewEdge) {
        self.remove(key);
        let at = self.connect(source, edge, key);
        self.by_key.insert(key, at);
    }

    /// Remove an edge by its key; unknown keys are ignored.
    pub fn remove(&mut self, key: u64) {
        if let Some(at) = self.by_key.remove(&key) {
            self.disconnect(at);
        }
    }

    /// Add edges that belong to a document and are removed with it.
    pub fn own(&mut self, source: u64, edges: &[NewEdge]) {
        for edge in edges {
            self.connect(source, edge, OWNED);
        }
    }

    /// Remove those of a document's own edges whose type `which` selects.
    pub fn disown(&mut self, source: u64, which: impl Fn(&str) -> bool) {
        let own = self.own_edges(source);
        let picked = own.filter(|&(_, edge)| which(self.kind(edge)));
        for at in picked.map(|own| own.0).collect::<Vec<u32>>() {
            self.disconnect(at);
        }
    }

    /// Targets of a document's own edges of other types than `kind`.
    pub fn owned_beside(&self, source: u64, kind: &str) -> impl Iterator<Item = u64> {
        let own = self.own_edges(source);
        own.filter(move |own| self.kind(own.1) != kind)
            .map(|own| own.1.target)
    }

    /// A document's own edges, with their numbers.
    fn own_edges(&self, source: u64) -> impl Iterator<Item = (u32, &Edge)> {
        let ways = self
            .place(source)
            .map_or(&[] as &[Way], |place| self.ways(place));
        let numbered = ways
            .iter()
            .filter_map(|way| Some((way.edge, self.edge(way)?)));
        numbered.filter(move |(_, edge)| edge.key == OWNED && edge.source == source)
    }

    /// Record which document or node a key now has; [`NO_DOC`] if it was removed.
    pub fn stand(&mut self, key: u64, doc: Doc) {
        if let Some(place) = self.place(key) {
            self.standing[place as usize] = doc;
        }
    }

    /// Record this for every key, after a renumbering.
    pub fn stand_all(&mut self, doc: impl Fn(u64) -> Option<Doc>) {
        for (standing, &key) in self.standing.iter_mut().zip(&self.keys) {
            *standing = doc(key).unwrap_or(NO_DOC);
        }
    }

    /// The place of a key that has had an edge.
    pub fn place(&self, key: u64) -> Option<u32> {
        self.places.get(&key).copied()
    }

    /// The number of places.
    pub fn places(&self) -> usize {
        self.keys.len()
    }

    /// The key of a place.
    pub fn key(&self, place: u32) -> u64 {
        self.keys[place as usize]
    }

    /// The document or node at a place, if there is one.
    pub fn standing(&self, place: u32) -> Option<Doc> {
        Some(self.standing[place as usize]).filter(|&doc| doc != NO_DOC)
    }

    /// How many edges point to a place, not counting those between turns.
    pub fn arrivals(&self, place: u32) -> u32 {
        self.arrivals[place as usize]
    }

    /// The ways out of a place, along edges of either direction, by the keys they lead to; some lead to places where nothing is
    /// now.
    pub fn ways(&self, place: u32) -> &[Way] {
        &self.ways[place as usize]
    }

    /// The edge of a way.
    pub fn edge(&self, way: &Way) -> Option<&Edge> {
        self.edges[way.edge as usize].as_ref()
    }

    /// Edges at `key`, of either direction, in no particular order; their other ends may be missing.
    pub fn at(&self, key: u64) -> impl Iterator<Item = &Edge> {
        let ways = self
            .place(key)
            .map_or(&[] as &[Way], |place| self.ways(place));
        ways.iter().filter_map(|way| self.edge(way))
    }

    /// How many edges `key` has.
    pub fn degree(&self, key: u64) -> usize {
        self.place(key).map_or(0, |place| self.ways(place).len())
    }

    /// The type of an edge.
    pub fn kind(&self, edge: &Edge) -> &str {
        &self.kinds[edge.kind as usize].0
    }

    /// The scope that an edge was made in; empty for none.
    pub fn home(&self, edge: &Edge) -> &str {
        &self.kinds[edge.kind as usize].1
    }

    /// The places of the documents that are about the thing at a place.
    pub fn tellers(&self, place: u32) -> impl Iterator<Item = u32> {
        let says = move |edge: &Edge| {
            edge.key == OWNED && edge.target == self.key(place) && self.kind(edge) == ABOUT
        };
        let ways = self.ways(place).iter();
        ways.filter(move |way| self.edge(way).is_some_and(says))
            .map(|way| way.place)
    }

    /// All edges, with and without a key of their own.
    pub fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().flatten()
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        let ways = self
            .ways
            .iter()
            .map(|ways| ways.capacity() * size_of::<Way>() + 60);
        self.edges.capacity() * size_of::<Option<Edge>>() + ways.sum::<usize>()
    }

    fn connect(&mut self, source: u64, new: &NewEdge, key: u64) -> u32 {
        let kind = self.kind_id(&new.kind, &new.home);
        self.add(Edge {
            source,
            target: new.target,
            created_at: new.created_at,
            key,
            weight: new.weight,
            kind,
        })
    }

    fn add(&mut self, edge: Edge) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| {
            self.edges.push(None);
            self.edges.len() as u32 - 1
        });
        self.edges[at as usize] = Some(edge);
        let (source, target) = (self.make_place(edge.source), self.make_place(edge.target));
        let follows = self.kind(&edge) == FOLLOWS;
        let weight = if follows { 0.0 } else { edge.weight.max(0.0) };
        self.arrivals[target as usize] += u32::from(!follows);
        let way = |place| Way {
            place,
            edge: at,
            weight,
        };
        self.add_way(source, way(target));
        if target != source {
            self.add_way(target, way(source));
        }
        at
    }

    /// Keeps ways in the order of keys, so that a walk gives the same sums whatever order the edges were added in.
    fn add_way(&mut self, from: u32, way: Way) {
        let keys = &self.keys;
        let before = |each: &Way| keys[each.place as usize] <= keys[way.place as usize];
        let ways = &mut self.ways[from as usize];
        ways.insert(ways.partition_point(before), way);
    }

    fn make_place(&mut self, key: u64) -> u32 {
        if let Some(place) = self.place(key) {
            return place;
        }
        let place = self.keys.len() as u32;
        self.places.insert(key, place);
        self.keys.push(key);
        self.standing.push(NO_DOC);
        self.ways.push(Vec::new());
        self.arrivals.push(0);
        place
    }

    fn disconnect(&mut self, at: u32) {
        let Some(edge) = self.edges[at as usize].take() else {
            return;
        };
        let follows = self.kind(&edge) == FOLLOWS;
        if let Some(place) = self.place(edge.target) {
            self.arrivals[place as usize] -= u32::from(!follows);
        }
        for end in [edge.source, edge.target] {
            self.remove_way(end, edge.other(end), at);
        }
        self.free.push(at);
    }

    /// Searches among the ways to this key only: some things have very many edges.
    fn remove_way(&mut self, from: u64, to: u64, edge: u32) {
        let Some(from) = self.place(from) else {
            return;
        };
        let keys = &self.keys;
        let ways = &mut self.ways[from as usize];
        let first = ways.partition_point(|way| keys[way.place as usize] < to);
        if let Some(at) = ways[first..].iter().position(|way| way.edge == edge) {
            ways.remove(first + at);
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

    pub(crate) fn write(&self, out: &mut Writer) -> Result<(), IndexError> {
        let edges: Vec<Edge> = self.iter().copied().collect();
        out.slice("edges", &edges)?;
        out.value("edges.kinds", &self.kinds)
    }

    /// The caller then has to record which documents are where.
    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let mut graph = Self::default();
        for (kind, home) in from.value::<Vec<(String, String)>>("edges.kinds")? {
            graph.kind_id(&kind, &home);
        }
        for edge in from.column::<Edge>("edges")?.iter() {
            let at = graph.add(edge);
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
    fn keyed_and_owned_edges_come_and_go() {
        let mut graph = Graph::default();
        graph.put(9, 1, &edge(2, "友達"));
        graph.own(1, &[edge(3, "about"), edge(1, "同一")]);
        assert_eq!(ends(&graph, 1), [1, 2, 3]);
        assert_eq!(ends(&graph, 2), [1]);
        graph.put(9, 1, &edge(4, "友達"));
        graph.disown(1, |_| true);
        assert_eq!((ends(&graph, 1), ends(&graph, 2)), (vec![4], vec![]));
        graph.remove(9);
        assert_eq!(graph.iter().count(), 0);
    }

    #[test]
    fn of_several_edges_between_two_the_one_goes_that_is_taken() {
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
        assert_eq!(graph.arrivals(graph.place(8).unwrap()), 11);
    }
}
