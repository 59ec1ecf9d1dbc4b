//! What lies near some places of the graph?
//!
//! Edges are walked in both directions. Documents outside the allowed set are neither returned nor walked through, nor are
//! nodes and edges that the caller does not see.

use crate::{Allowed, PageRank};
use omoide_index::graph::{Edge, Way};
use omoide_index::{Doc, Index};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;

/// A place that so many edges lead to gets half the weight in a walk, one with a hundred a twenty-sixth: what everything
/// mentions tells little.
const CROWD: f32 = 20.0;

/// A walk stops after so many pushes: a bound for graphs far larger than intended.
const MOST_PUSHES: usize = 1_000_000;

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

/// A place reached by a breadth-first walk.
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
struct Ground<'a> {
    index: &'a Index,
    allowed: &'a Allowed<'a>,
}

impl<'a> Ground<'a> {
    /// Whether a place may be visited: a live node that is seen, or a live document of the allowed set.
    fn may_stand(self, place: u32) -> bool {
        let Some(doc) = self.index.graph.standing(place) else {
            return false;
        };
        if self.index.ids.live.contains(doc) {
            return self.allowed.contains(doc);
        }
        let seen = self.allowed.seen();
        seen.is_none_or(|seen| seen.knows(self.index, doc, place))
    }

    /// Whether an edge may be followed: one that is seen.
    fn may_go(self, way: &Way) -> bool {
        let graph = &self.index.graph;
        let seen = self.allowed.seen();
        seen.is_none_or(|seen| {
            let edge = graph.edge(way);
            edge.is_some_and(|edge| seen.hears(graph.home(edge)))
        })
    }

    /// The ways out of a place to others that may be visited.
    fn ways(self, place: u32) -> impl Iterator<Item = &'a Way> {
        let ways = self.index.graph.ways(place).iter();
        ways.filter(move |way| way.place != place && self.may_go(way) && self.may_stand(way.place))
    }

    /// The weight of a way in a walk: its own, less if it leads to a place with many edges.
    fn weight(self, way: &Way) -> f32 {
        let arrivals = self.index.graph.arrivals(way.place) as f32;
        way.weight / (1.0 + (arrivals / CROWD).powi(2))
    }

    /// Whether a walk may begin at what the query names: a node with edges, or an allowed document.
    fn may_begin(self, key: u64) -> bool {
        let Some(doc) = self.index.ids.doc(key) else {
            return false;
        };
        if self.index.ids.live.contains(doc) {
            return self.allowed.contains(doc);
        }
        self.place(key)
            .is_some_and(|place| self.index.graph.degree(key) > 0 && self.may_stand(place))
    }

    fn place(self, key: u64) -> Option<u32> {
        self.index.graph.place(key)
    }
}

/// A walk's masses by place; kept by each thread between walks, and cleared only where written.
#[derive(Default)]
struct Mass {
    settled: Vec<f32>,
    waiting: Vec<f32>,
    touched: Vec<u32>,
    queue: VecDeque<u32>,
}

thread_local! {
    static MASS: RefCell<Mass> = RefCell::default();
}

impl Mass {
    fn clear(&mut self, places: usize) {
        for place in self.touched.drain(..) {
            self.settled[place as usize] = 0.0;
            self.waiting[place as usize] = 0.0;
        }
        self.queue.clear();
        if self.settled.len() < places {
            self.settled.resize(places, 0.0);
            self.waiting.resize(places, 0.0);
        }
    }

    /// Add residual mass at a place, and queue the place if it has more than `bound`.
    fn add(&mut self, place: u32, mass: f32, bound: f32) {
        let waiting = &mut self.waiting[place as usize];
        let before = *waiting;
        if before == 0.0 {
            self.touched.push(place);
        }
        *waiting += mass;
        if before <= bound && *waiting > bound {
            self.queue.push_back(place);
        }
    }
}

/// Personalised PageRank by forward push (Andersen, Chung and Lang 2006) on the undirected weighted graph.
///
/// Shares of the seeds sum to 1, and none may lie outside what is allowed. Returns (key, mass) of every place reached, each
/// once, in no particular order; the error of each is below epsilon * its weighted degree.
pub fn page_rank(
    index: &Index,
    allowed: &Allowed,
    seeds: &[Seed],
    walk: &PageRank,
) -> Vec<(u64, f32)> {
    let ground = Ground { index, allowed };
    MASS.with_borrow_mut(|mass| {
        mass.clear(index.graph.places());
        for seed in seeds {
            if let Some(place) = ground.place(seed.key) {
                mass.add(place, seed.share, 0.0);
            }
        }
        let mut pushes = 0;
        while let Some(place) = mass.queue.pop_front() {
            let rest = std::mem::take(&mut mass.waiting[place as usize]);
            if rest <= 0.0 || pushes >= MOST_PUSHES {
                continue;
            }
            pushes += 1;
            mass.settled[place as usize] += (1.0 - walk.damping) * rest;
            push(ground, place, walk.damping * rest, walk.epsilon, mass);
        }
        mass.touched.sort_unstable();
        mass.touched.dedup();
        let settled = |&place: &u32| (index.graph.key(place), mass.settled[place as usize]);
        let reached = mass.touched.iter().map(settled);
        reached.filter(|place| place.1 > 0.0).collect()
    })
}

fn push(ground: Ground<'_>, place: u32, flow: f32, epsilon: f32, mass: &mut Mass) {
    let total: f32 = ground.ways(place).map(|way| ground.weight(way)).sum();
    if total <= 0.0 {
        return;
    }
    for way in ground.ways(place) {
        let degree = ground.index.graph.ways(way.place).len();
        let bound = epsilon * degree.max(1) as f32;
        mass.add(way.place, flow * ground.weight(way) / total, bound);
    }
}

/// A place reached, and from where; paths are made of these.
struct Met<'a> {
    place: u32,
    depth: usize,
    /// Index in the list of the place it was reached from; `None` for a start.
    from: Option<usize>,
    edge: Option<&'a Edge>,
}

/// The places within some distance of the starts, level by level, starts first.
pub struct Explored<'a> {
    ground: Ground<'a>,
    met: Vec<Met<'a>>,
}

impl<'a> Explored<'a> {
    /// Explore everything within `depth` edges of the starts, nearest level first; within a level by the order of the starts,
    /// then of the edges' creation, then of keys. `types`: edge types to walk, `None` for all. At most `limit` beside the
    /// starts.
    pub fn from(
        index: &'a Index,
        allowed: &'a Allowed<'a>,
        starts: &[u64],
        depth: usize,
        types: Option<&[String]>,
        limit: usize,
    ) -> Self {
        let ground = Ground { index, allowed };
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let started = starts.iter().filter_map(|&key| ground.place(key));
        let start = |place| Met {
            place,
            depth: 0,
            from: None,
            edge: None,
        };
        let mut met: Vec<Met<'a>> = started
            .filter(|&place| seen.insert(place))
            .map(start)
            .collect();
        let most = met.len() + limit;
        let mut next = 0;
        while next < met.len() && met[next].depth < depth {
            for (place, edge) in ground.in_order(met[next].place, types) {
                if met.len() == most {
                    return Self { ground, met };
                }
                if seen.insert(place) {
                    met.push(Met {
                        place,
                        depth: met[next].depth + 1,
                        from: Some(next),
                        edge: Some(edge),
                    });
                }
            }
            next += 1;
        }
        Self { ground, met }
    }

    /// The places reached beside the starts, with the paths to them.
    pub fn neighbours(&self) -> Vec<Neighbour> {
        let beside = self.met.iter().enumerate();
        beside
            .filter_map(|(at, met)| {
                let edge = met.edge?;
                let (origin, path) = self.path(at);
                Some(Neighbour {
                    key: self.key(met.place),
                    origin,
                    depth: met.depth,
                    path,
                    weight: edge.weight,
                    created_at: edge.created_at,
                })
            })
            .collect()
    }

    /// The path to each of `wanted` that was reached and is no start.
    pub fn paths(&self, wanted: &[u64]) -> FxHashMap<u64, Vec<Step>> {
        let beside = self
            .met
            .iter()
            .enumerate()
            .filter(|met| met.1.edge.is_some());
        let keyed = beside.map(|(at, met)| (at, self.key(met.place)));
        keyed
            .filter(|(_, key)| wanted.contains(key))
            .map(|(at, key)| (key, self.path(at).1))
            .collect()
    }

    /// The start of the path to the place at this index, and the path's steps.
    fn path(&self, mut at: usize) -> (u64, Vec<Step>) {
        let mut steps = Vec::new();
        while let (Some(from), Some(edge)) = (self.met[at].from, self.met[at].edge) {
            steps.push(Step {
                key: self.key(self.met[at].place),
                kind: self.ground.index.graph.kind(edge).to_owned(),
                forward: edge.source == self.key(self.met[from].place),
            });
            at = from;
        }
        steps.reverse();
        (self.key(self.met[at].place), steps)
    }

    fn key(&self, place: u32) -> u64 {
        self.ground.index.graph.key(place)
    }
}

impl<'a> Ground<'a> {
    fn in_order(self, place: u32, types: Option<&[String]>) -> Vec<(u32, &'a Edge)> {
        let graph = &self.index.graph;
        let wanted = |edge: &Edge| {
            types.is_none_or(|types| types.iter().any(|kind| kind == graph.kind(edge)))
        };
        let ways = self
            .ways(place)
            .filter_map(|way| Some((way.place, graph.edge(way)?)));
        let mut ways: Vec<(u32, &Edge)> = ways.filter(|way| wanted(way.1)).collect();
        ways.sort_unstable_by_key(|&(place, edge)| {
            (
                edge.created_at,
                graph.key(place),
                graph.kind(edge),
                graph.home(edge).is_empty(), // edges of one's own scope come before those of none
                edge.source,
            )
        });
        ways
    }
}

/// The places that [`Explored::from`] reaches beside the starts.
pub fn breadth_first(
    index: &Index,
    allowed: &Allowed,
    starts: &[u64],
    depth: usize,
    types: Option<&[String]>,
    limit: usize,
) -> Vec<Neighbour> {
    Explored::from(index, allowed, starts, depth, types, limit).neighbours()
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
/// `HippoRAG`, Gutierrez and others 2024), and the best hits. Places outside what is allowed are no seeds.
pub fn seeds(index: &Index, allowed: &Allowed, named: &[u64], hits: &[Doc]) -> Vec<Seed> {
    let ground = Ground { index, allowed };
    let named_here = named.iter().filter(|&&key| ground.may_begin(key));
    let mut seeds: Vec<Seed> = named_here.map(|&key| of_name(index, key)).collect();
    let found = hits.iter().map(|&doc| index.ids.key(doc));
    let others = found.filter(|key| index.graph.degree(*key) > 0 && !named.contains(key));
    seeds.extend(others.map(|key| of_hit(index, key)));
    let total: f32 = seeds.iter().map(|seed| seed.share).sum();
    seeds.iter_mut().for_each(|seed| seed.share /= total);
    seeds
}

fn of_name(index: &Index, key: u64) -> Seed {
    Seed {
        key,
        share: 1.0 / index.graph.degree(key).max(1) as f32,
        is_named: true,
    }
}

fn of_hit(index: &Index, key: u64) -> Seed {
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
    fn a_walk_begins_the_more_at_a_place_the_fewer_edges_touch_it() {
        let mut index = Index::new(1);
        for key in 1..=4 {
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
