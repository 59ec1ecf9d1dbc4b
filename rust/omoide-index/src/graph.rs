//! Which edges touch a key?
//!
//! Edges name keys, not dense ids, so that they outlive a replaced document and may come before their ends do: an edge
//! whose end is not there waits, and walkers skip it.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// An edge on its way in; its source is the owner or given beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEdge {
    /// Where it points.
    pub target: u64,
    /// Its type, as the caller names it.
    pub kind: String,
    /// Its strength.
    pub weight: f32,
    /// When it was made, microseconds since the epoch.
    pub created_at: i64,
}

/// One stored edge.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Where it begins.
    pub source: u64,
    /// Where it points.
    pub target: u64,
    kind: u32,
    /// Its strength.
    pub weight: f32,
    /// When it was made, microseconds since the epoch.
    pub created_at: i64,
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

/// All edges.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Graph {
    edges: Vec<Option<Edge>>,
    free: Vec<u32>,
    by_key: FxHashMap<u64, u32>,
    owned: FxHashMap<u64, Vec<u32>>,
    incident: FxHashMap<u64, Vec<u32>>,
    kinds: Vec<String>,
    kind_ids: FxHashMap<String, u32>,
}

impl Graph {
    /// Put a keyed edge, replacing one of the same key.
    pub fn put(&mut self, key: u64, source: u64, edge: &NewEdge) {
        self.remove(key);
        let at = self.connect(source, edge);
        self.by_key.insert(key, at);
    }

    /// Remove a keyed edge; unknown keys are no matter.
    pub fn remove(&mut self, key: u64) {
        if let Some(at) = self.by_key.remove(&key) {
            self.disconnect(at);
        }
    }

    /// Give a document the edges that live and die with it.
    pub fn own(&mut self, source: u64, edges: &[NewEdge]) {
        let owned: Vec<u32> = edges
            .iter()
            .map(|edge| self.connect(source, edge))
            .collect();
        if !owned.is_empty() {
            self.owned.insert(source, owned);
        }
    }

    /// Take a document's own edges away.
    pub fn disown(&mut self, source: u64) {
        for at in self.owned.remove(&source).unwrap_or_default() {
            self.disconnect(at);
        }
    }

    /// Edges at `key`, either direction, in no particular order; ends may be absent.
    pub fn at(&self, key: u64) -> impl Iterator<Item = &Edge> {
        let places = self.incident.get(&key).map_or(&[] as &[u32], Vec::as_slice);
        places
            .iter()
            .filter_map(|&at| self.edges[at as usize].as_ref())
    }

    /// How many edges touch `key`.
    pub fn degree(&self, key: u64) -> usize {
        self.incident.get(&key).map_or(0, Vec::len)
    }

    /// The type of an edge.
    pub fn kind(&self, edge: &Edge) -> &str {
        &self.kinds[edge.kind as usize]
    }

    /// All edges, with the key of keyed ones left out.
    pub fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().flatten()
    }

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        self.edges.capacity() * 48
            + self
                .incident
                .values()
                .map(|places| places.len() * 4 + 40)
                .sum::<usize>()
    }

    fn connect(&mut self, source: u64, new: &NewEdge) -> u32 {
        let kind = self.kind_id(&new.kind);
        let edge = Edge {
            source,
            target: new.target,
            kind,
            weight: new.weight,
            created_at: new.created_at,
        };
        let at = self.free.pop().unwrap_or_else(|| {
            self.edges.push(None);
            self.edges.len() as u32 - 1
        });
        self.edges[at as usize] = Some(edge);
        self.incident.entry(source).or_default().push(at);
        if new.target != source {
            self.incident.entry(new.target).or_default().push(at);
        }
        at
    }

    fn disconnect(&mut self, at: u32) {
        let Some(edge) = self.edges[at as usize].take() else {
            return;
        };
        for end in [edge.source, edge.target] {
            if let Some(places) = self.incident.get_mut(&end) {
                places.retain(|&each| each != at);
                if places.is_empty() {
                    self.incident.remove(&end);
                }
            }
        }
        self.free.push(at);
    }

    fn kind_id(&mut self, kind: &str) -> u32 {
        if let Some(&known) = self.kind_ids.get(kind) {
            return known;
        }
        let new = self.kinds.len() as u32;
        self.kinds.push(kind.to_owned());
        self.kind_ids.insert(kind.to_owned(), new);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(target: u64, kind: &str) -> NewEdge {
        NewEdge {
            target,
            kind: kind.into(),
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
        graph.disown(1);
        assert_eq!((ends(&graph, 1), ends(&graph, 2)), (vec![4], vec![]));
        graph.remove(9);
        assert_eq!(graph.iter().count(), 0);
    }
}
