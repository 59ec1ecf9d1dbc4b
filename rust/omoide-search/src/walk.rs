//! What lies near some places of the graph?
//!
//! Edges are walked both ways. Documents outside the allowed set are neither returned nor walked through; nodes always
//! may be walked.

use crate::{Allowed, PageRank};
use omoide_index::graph::Edge;
use omoide_index::{Doc, Index};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Pushes after which a walk stops: a bound for graphs far larger than intended.
const MOST_PUSHES: usize = 1_000_000;

/// One edge of a path: the key reached, the edge's type, and whether the walk followed its direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Where the step leads.
    pub key: u64,
    /// The edge's type.
    pub kind: String,
    /// Along the edge's direction.
    pub forward: bool,
}

/// Something met on a breadth-first walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// What was met.
    pub key: u64,
    /// The start it was met from.
    pub origin: u64,
    /// Edges between.
    pub depth: usize,
    /// The way there.
    pub path: Vec<Step>,
    /// Of the last edge.
    pub weight: f32,
    /// Of the last edge.
    pub created_at: i64,
}

/// Whether a key may be stood on: a live node, or a live document of the allowed set.
fn may_stand(index: &Index, allowed: &Allowed, key: u64) -> bool {
    index
        .ids
        .doc(key)
        .is_some_and(|doc| !index.ids.live.contains(doc) || allowed.contains(doc))
}

/// Edges at `key` that lead to a place one may stand on, the way there included.
fn ways<'a>(
    index: &'a Index,
    allowed: &'a Allowed,
    key: u64,
) -> impl Iterator<Item = (u64, &'a Edge)> {
    let edges = index.graph.at(key).map(move |edge| (edge.other(key), edge));
    edges.filter(move |&(other, _)| other != key && may_stand(index, allowed, other))
}

/// Personalised PageRank by forward push (Andersen, Chung and Lang 2006) on the undirected weighted graph.
///
/// `seeds` are (key, share) with shares summing to 1. Returns mass by key; the error of each is below
/// epsilon * its weighted degree.
pub fn page_rank(
    index: &Index,
    allowed: &Allowed,
    seeds: &[(u64, f32)],
    walk: &PageRank,
) -> FxHashMap<u64, f32> {
    let mut mass: FxHashMap<u64, f32> = FxHashMap::default();
    let mut residual: FxHashMap<u64, f32> = seeds.iter().copied().collect();
    let mut queue: VecDeque<u64> = seeds.iter().map(|seed| seed.0).collect();
    let mut pushes = 0;
    while let Some(key) = queue.pop_front() {
        let rest = std::mem::take(residual.entry(key).or_default());
        if rest <= 0.0 || pushes >= MOST_PUSHES {
            continue;
        }
        pushes += 1;
        *mass.entry(key).or_default() += (1.0 - walk.damping) * rest;
        push(
            index,
            allowed,
            key,
            walk.damping * rest,
            walk.epsilon,
            &mut residual,
            &mut queue,
        );
    }
    mass
}

fn push(
    index: &Index,
    allowed: &Allowed,
    key: u64,
    flow: f32,
    epsilon: f32,
    residual: &mut FxHashMap<u64, f32>,
    queue: &mut VecDeque<u64>,
) {
    let ways: Vec<(u64, f32)> = ways(index, allowed, key)
        .map(|(other, edge)| (other, edge.weight.max(0.0)))
        .collect();
    let total: f32 = ways.iter().map(|way| way.1).sum();
    if total <= 0.0 {
        return;
    }
    for (other, weight) in ways {
        let waiting = residual.entry(other).or_default();
        let before = *waiting;
        *waiting += flow * weight / total;
        let bound = epsilon * index.graph.degree(other).max(1) as f32;
        if before <= bound && *waiting > bound {
            queue.push_back(other);
        }
    }
}

/// Everything within `depth` edges of the starts, nearest level first; within a level by the order of the starts, then
/// of the edges' creation, then of keys. `types` `None` walks every edge.
pub fn breadth_first(
    index: &Index,
    allowed: &Allowed,
    starts: &[u64],
    depth: usize,
    types: Option<&[String]>,
    limit: usize,
) -> Vec<Neighbour> {
    let mut seen: FxHashSet<u64> = starts.iter().copied().collect();
    let mut found: Vec<Neighbour> = Vec::new();
    let mut level: Vec<(u64, u64, Vec<Step>)> =
        starts.iter().map(|&key| (key, key, Vec::new())).collect();
    for distance in 1..=depth {
        let mut next = Vec::new();
        for (key, origin, path) in &level {
            for (other, edge) in in_order(index, allowed, *key, types) {
                if found.len() >= limit {
                    return found;
                }
                if !seen.insert(other) {
                    continue;
                }
                let mut path = path.clone();
                path.push(Step {
                    key: other,
                    kind: index.graph.kind(edge).to_owned(),
                    forward: edge.source == *key,
                });
                next.push((other, *origin, path.clone()));
                found.push(Neighbour {
                    key: other,
                    origin: *origin,
                    depth: distance,
                    path,
                    weight: edge.weight,
                    created_at: edge.created_at,
                });
            }
        }
        level = next;
    }
    found
}

fn in_order<'a>(
    index: &'a Index,
    allowed: &'a Allowed,
    key: u64,
    types: Option<&[String]>,
) -> Vec<(u64, &'a Edge)> {
    let wanted = |edge: &Edge| {
        types.is_none_or(|types| types.iter().any(|kind| kind == index.graph.kind(edge)))
    };
    let mut ways: Vec<_> = ways(index, allowed, key)
        .filter(|(_, edge)| wanted(edge))
        .collect();
    ways.sort_by_key(|(other, edge)| {
        (edge.created_at, *other, index.graph.kind(edge), edge.source)
    });
    ways
}

/// Where PageRank starts: named nodes, rarer ones (fewer edges) with more, and the best hits.
pub fn seeds(index: &Index, named: &[u64], hits: &[Doc]) -> Vec<(u64, f32)> {
    let rarity = |key: u64| 1.0 / (2.0 + index.graph.degree(key) as f32).ln();
    let mut shares: Vec<(u64, f32)> = named.iter().map(|&key| (key, rarity(key))).collect();
    for &doc in hits {
        let key = index.ids.key(doc);
        if index.graph.degree(key) > 0 && !named.contains(&key) {
            shares.push((key, rarity(key)));
        }
    }
    let total: f32 = shares.iter().map(|seed| seed.1).sum();
    shares.iter_mut().for_each(|seed| seed.1 /= total);
    shares
}
