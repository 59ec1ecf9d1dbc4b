//! Which vertices of the graph are near some others?
//!
//! Edges are walked in both directions. Documents outside the allowed set are neither returned nor walked through, nor are
//! nodes and edges that the caller may not see.

use crate::{Allowed, BreadthFirst, PageRank};
use omoide_index::graph::{Edge, HalfEdge};
use omoide_index::{Doc, Index};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;

/// A vertex that so many edges lead to gets half the weight in a walk, one with a hundred a twenty-sixth: what everything mentions
/// says little about any.
const HUB_IN_DEGREE: f32 = 20.0;

/// A walk stops after so many pushes: a bound for graphs far larger than intended.
const MAX_PUSHES: usize = 1_000_000;

/// One edge of a path: the key reached, the edge's type, and whether the walk followed its direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Where the step leads.
    pub key: u64,
    /// The edge's type.
    pub kind: String,
    /// Whether the step follows the edge's direction.
    pub forward: bool,
}

/// A vertex reached by a breadth-first walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The key reached.
    pub key: u64,
    /// The start it was reached from.
    pub origin: u64,
    /// Number of edges from there.
    pub depth: usize,
    /// The path to it.
    pub path: Vec<Step>,
    /// Weight of the last edge.
    pub weight: f32,
    /// When the last edge was made, microseconds since the epoch.
    pub created_at: i64,
}

/// The graph, limited to what one query may walk.
#[derive(Clone, Copy)]
struct AllowedGraph<'a> {
    index: &'a Index,
    allowed: &'a Allowed<'a>,
}

impl<'a> AllowedGraph<'a> {
    /// Whether a vertex may be visited: a live node that is visible, or a live document of the allowed set.
    fn may_visit(self, vertex: u32) -> bool {
        let Some(doc) = self.index.graph.doc_at(vertex) else {
            return false;
        };
        if self.index.ids.live.contains(doc) {
            return self.allowed.contains(doc);
        }
        let visible = self.allowed.visible();
        visible.is_none_or(|visible| visible.shows_node(self.index, doc, vertex))
    }

    /// Whether an edge may be followed: one that is visible.
    fn may_follow(self, half_edge: &HalfEdge) -> bool {
        let graph = &self.index.graph;
        let visible = self.allowed.visible();
        visible.is_none_or(|visible| {
            let edge = graph.edge(half_edge);
            edge.is_some_and(|edge| visible.shows_home(graph.home(edge)))
        })
    }

    /// The edges from a vertex to others that may be visited.
    fn half_edges(self, vertex: u32) -> impl Iterator<Item = &'a HalfEdge> {
        let half_edges = self.index.graph.half_edges(vertex).iter();
        half_edges.filter(move |half_edge| {
            half_edge.vertex != vertex
                && self.may_follow(half_edge)
                && self.may_visit(half_edge.vertex)
        })
    }

    /// The same as (vertex, edge), of the types walked, in the order in which [`Exploration`] follows them.
    fn sorted_half_edges(self, vertex: u32, types: Option<&[String]>) -> Vec<(u32, &'a Edge)> {
        let graph = &self.index.graph;
        let wanted = |edge: &Edge| {
            types.is_none_or(|types| types.iter().any(|kind| kind == graph.kind(edge)))
        };
        let half_edges = self
            .half_edges(vertex)
            .filter_map(|half_edge| Some((half_edge.vertex, graph.edge(half_edge)?)));
        let mut half_edges: Vec<(u32, &Edge)> =
            half_edges.filter(|half_edge| wanted(half_edge.1)).collect();
        half_edges.sort_unstable_by_key(|&(vertex, edge)| {
            (
                edge.is_owned(), // what somebody stated comes before what is found in the texts of both ends anyway
                edge.created_at,
                graph.key(vertex),
                graph.kind(edge),
                graph.home(edge).is_empty(), // edges of one's own scope come before those of none
                graph.home(edge),
                edge.source,
            )
        });
        half_edges
    }

    /// The weight of an edge in a walk: its own, less if it leads to a vertex with many edges.
    fn weight(self, half_edge: &HalfEdge) -> f32 {
        let in_degree = self.index.graph.in_degree(half_edge.vertex) as f32;
        half_edge.weight / (1.0 + (in_degree / HUB_IN_DEGREE).powi(2))
    }

    /// Whether a walk may begin at what the query names: a node with edges, or an allowed document.
    fn may_start_at(self, key: u64) -> bool {
        let Some(doc) = self.index.ids.doc(key) else {
            return false;
        };
        if self.index.ids.live.contains(doc) {
            return self.allowed.contains(doc);
        }
        self.vertex(key)
            .is_some_and(|vertex| self.index.graph.degree(key) > 0 && self.may_visit(vertex))
    }

    fn vertex(self, key: u64) -> Option<u32> {
        self.index.graph.vertex(key)
    }
}

/// The state of forward push, by vertex: its estimated rank, and the residual mass that it has not passed on. Kept by each thread
/// between walks, and cleared only where written.
#[derive(Default)]
struct PushState {
    estimate: Vec<f32>,
    residual: Vec<f32>,
    touched: Vec<u32>,
    queue: VecDeque<u32>,
}

thread_local! {
    static PUSH_STATE: RefCell<PushState> = RefCell::default();
}

impl PushState {
    fn clear(&mut self, vertices: usize) {
        for vertex in self.touched.drain(..) {
            self.estimate[vertex as usize] = 0.0;
            self.residual[vertex as usize] = 0.0;
        }
        self.queue.clear();
        if self.estimate.len() < vertices {
            self.estimate.resize(vertices, 0.0);
            self.residual.resize(vertices, 0.0);
        }
    }

    /// Add residual mass at a vertex, and queue the vertex if it has more than `bound`.
    fn add(&mut self, vertex: u32, mass: f32, bound: f32) {
        let residual = &mut self.residual[vertex as usize];
        let before = *residual;
        if before == 0.0 {
            self.touched.push(vertex);
        }
        *residual += mass;
        if before <= bound && *residual > bound {
            self.queue.push_back(vertex);
        }
    }
}

/// Personalised PageRank by forward push (Andersen, Chung and Lang 2006) on the undirected weighted graph.
///
/// Shares of the seeds sum to 1, and none may lie outside what is allowed. Returns (key, mass) of every vertex reached, each
/// once, in no particular order. At a vertex at most epsilon for each of its edges is not passed on.
pub fn page_rank(
    index: &Index,
    allowed: &Allowed,
    seeds: &[Seed],
    walk: &PageRank,
) -> Vec<(u64, f32)> {
    let graph = AllowedGraph { index, allowed };
    PUSH_STATE.with_borrow_mut(|state| {
        state.clear(index.graph.vertex_count());
        for seed in seeds {
            if let Some(vertex) = graph.vertex(seed.key) {
                state.add(vertex, seed.share, 0.0);
            }
        }
        let mut pushes = 0;
        while let Some(vertex) = state.queue.pop_front() {
            let residual = std::mem::take(&mut state.residual[vertex as usize]);
            if residual <= 0.0 || pushes >= MAX_PUSHES {
                continue;
            }
            pushes += 1;
            state.estimate[vertex as usize] += (1.0 - walk.damping) * residual;
            push(graph, vertex, walk.damping * residual, walk.epsilon, state);
        }
        state.touched.sort_unstable();
        state.touched.dedup();
        let estimate = |&vertex: &u32| (index.graph.key(vertex), state.estimate[vertex as usize]);
        let reached = state.touched.iter().map(estimate);
        reached.filter(|vertex| vertex.1 > 0.0).collect()
    })
}

fn push(graph: AllowedGraph<'_>, vertex: u32, flow: f32, epsilon: f32, state: &mut PushState) {
    let total: f32 = graph
        .half_edges(vertex)
        .map(|half_edge| graph.weight(half_edge))
        .sum();
    if total <= 0.0 {
        return;
    }
    for half_edge in graph.half_edges(vertex) {
        let degree = graph.index.graph.half_edges(half_edge.vertex).len();
        let bound = epsilon * degree.max(1) as f32;
        state.add(
            half_edge.vertex,
            flow * graph.weight(half_edge) / total,
            bound,
        );
    }
}

/// A vertex reached, and from where; paths are made of these.
struct Visited<'a> {
    vertex: u32,
    depth: usize,
    /// Index in the list of the vertex it was reached from; `None` for a start.
    from: Option<usize>,
    edge: Option<&'a Edge>,
}

/// The vertices within some distance of the starts, level by level, starts first.
pub struct Exploration<'a> {
    graph: AllowedGraph<'a>,
    visited: Vec<Visited<'a>>,
}

impl<'a> Exploration<'a> {
    /// Explore everything within the depth of `walk` from the starts, nearest level first; within a level by the order of the
    /// starts, then edges that were stated before those of documents, by their creation, then by keys. At most as many vertices
    /// beside the starts as its limit.
    pub fn from(
        index: &'a Index,
        allowed: &'a Allowed<'a>,
        starts: &[u64],
        walk: &BreadthFirst,
    ) -> Self {
        let graph = AllowedGraph { index, allowed };
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let started = starts.iter().filter_map(|&key| graph.vertex(key));
        let start = |vertex| Visited {
            vertex,
            depth: 0,
            from: None,
            edge: None,
        };
        let mut visited: Vec<Visited<'a>> = started
            .filter(|&vertex| seen.insert(vertex))
            .map(start)
            .collect();
        let most = visited.len().saturating_add(walk.limit);
        let mut next = 0;
        while next < visited.len() && visited[next].depth < walk.depth {
            for (vertex, edge) in
                graph.sorted_half_edges(visited[next].vertex, walk.types.as_deref())
            {
                if visited.len() == most {
                    return Self { graph, visited };
                }
                if seen.insert(vertex) {
                    visited.push(Visited {
                        vertex,
                        depth: visited[next].depth + 1,
                        from: Some(next),
                        edge: Some(edge),
                    });
                }
            }
            next += 1;
        }
        Self { graph, visited }
    }

    /// The vertices reached beside the starts, with the paths to them.
    pub fn neighbours(&self) -> Vec<Neighbour> {
        let reached = self.visited.iter().enumerate();
        reached
            .filter_map(|(at, visited)| {
                let edge = visited.edge?;
                let (origin, path) = self.path(at);
                Some(Neighbour {
                    key: self.key(visited.vertex),
                    origin,
                    depth: visited.depth,
                    path,
                    weight: edge.weight,
                    created_at: edge.created_at,
                })
            })
            .collect()
    }

    /// The path to each of `wanted` that was reached; that to a start has no steps.
    pub fn paths(&self, wanted: &[u64]) -> FxHashMap<u64, Vec<Step>> {
        let reached = self.visited.iter().enumerate();
        let keyed = reached.map(|(at, visited)| (at, self.key(visited.vertex)));
        keyed
            .filter(|(_, key)| wanted.contains(key))
            .map(|(at, key)| (key, self.path(at).1))
            .collect()
    }

    /// The start of the path to the vertex at this index, and the path's steps.
    fn path(&self, mut at: usize) -> (u64, Vec<Step>) {
        let mut steps = Vec::new();
        while let (Some(from), Some(edge)) = (self.visited[at].from, self.visited[at].edge) {
            steps.push(Step {
                key: self.key(self.visited[at].vertex),
                kind: self.graph.index.graph.kind(edge).to_owned(),
                forward: edge.source == self.key(self.visited[from].vertex),
            });
            at = from;
        }
        steps.reverse();
        (self.key(self.visited[at].vertex), steps)
    }

    fn key(&self, vertex: u32) -> u64 {
        self.graph.index.graph.key(vertex)
    }
}

/// The vertices that [`Exploration::from`] reaches beside the starts.
pub fn breadth_first(
    index: &Index,
    allowed: &Allowed,
    starts: &[u64],
    walk: &BreadthFirst,
) -> Vec<Neighbour> {
    Exploration::from(index, allowed, starts, walk).neighbours()
}

/// Where PageRank starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seed {
    /// A key of the graph.
    pub key: u64,
    /// Its share of the walk.
    pub share: f32,
    /// Whether the query names it (else it is one of the best hits).
    pub is_named: bool,
}

/// Seeds of PageRank: what the query names, each divided by the number of edges that lead to it (node specificity, as in
/// `HippoRAG`, Gutierrez and others 2024), and the best hits. Vertices outside what is allowed are no seeds.
pub fn seeds(index: &Index, allowed: &Allowed, named: &[u64], hits: &[Doc]) -> Vec<Seed> {
    let graph = AllowedGraph { index, allowed };
    let may_start = named.iter().filter(|&&key| graph.may_start_at(key));
    let mut seeds: Vec<Seed> = may_start.map(|&key| seed_of_name(index, key)).collect();
    let found = hits.iter().map(|&doc| index.ids.key(doc));
    let others = found.filter(|key| index.graph.degree(*key) > 0 && !named.contains(key));
    seeds.extend(others.map(|key| seed_of_hit(index, key)));
    let total: f32 = seeds.iter().map(|seed| seed.share).sum();
    seeds.iter_mut().for_each(|seed| seed.share /= total);
    seeds
}

fn seed_of_name(index: &Index, key: u64) -> Seed {
    Seed {
        key,
        share: 1.0 / index.graph.degree(key).max(1) as f32,
        is_named: true,
    }
}

fn seed_of_hit(index: &Index, key: u64) -> Seed {
    Seed {
        key,
        share: 1.0 / (2.0 + index.graph.degree(key) as f32).ln(),
        is_named: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use omoide_index::NewDocument;
    use omoide_index::graph::NewEdge;

    #[test]
    fn seeds_with_fewer_edges_get_larger_shares() {
        let mut index = Index::new(1);
        for key in 1..=5 {
            let document = NewDocument {
                key,
                ..NewDocument::default()
            };
            index.put_document(document).expect("no vector, no refusal");
        }
        for (key, source, target) in [(1, 1, 2), (2, 2, 3), (3, 3, 1), (4, 3, 4)] {
            let edge = NewEdge {
                target,
                kind: "関係".into(),
                home: String::new(),
                weight: 1.0,
                created_at: 0,
            };
            index.put_edge(key, source, &edge);
        }
        let allowed = Allowed::new(&index, None);
        let share = |named: &[u64], hits: &[u64]| -> Vec<f32> {
            let hits: Vec<Doc> = hits.iter().filter_map(|&key| index.ids.doc(key)).collect();
            let seeds = seeds(&index, &allowed, named, &hits).into_iter();
            seeds.map(|seed| seed.share).collect()
        };
        let near = |found: Vec<f32>, wanted: [f32; 2]| {
            let off = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
            assert!(
                found.len() == 2 && off.sum::<f32>() < 1e-6,
                "{found:?} {wanted:?}"
            );
        };
        near(share(&[3, 4], &[]), [0.25, 0.75]);
        near(share(&[3, 4], &[5]), [0.25, 0.75]);
        let (three, one) = (5_f32.ln().recip(), 3_f32.ln().recip());
        near(
            share(&[], &[3, 4]),
            [three / (three + one), one / (three + one)],
        );
        near(
            share(&[4], &[4, 3]),
            [1.0 / (1.0 + three), three / (1.0 + three)],
        );
    }
}
