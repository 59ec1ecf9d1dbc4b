//! The engine's answers compared with naive ones: BM25 by its formula, PageRank by power iteration, filters by hand.

use crate::common::Random;
use omoide_index::graph::{Edge, NewEdge};
use omoide_index::names::Name;
use omoide_index::shared::{Batch, Shared};
use omoide_index::turns::Turn;
use omoide_index::{Index, NewDocument};
use omoide_search::{
    Allowed, B, BreadthFirst, Filter, K1, PageRank, Query, Seed, Visibility, Word, breadth_first,
    idf, page_rank, search,
};
use std::collections::HashMap;

const VOCABULARY: [&str; 12] = [
    "抹茶", "京都", "記憶", "记忆", "保存", "matcha", "kyoto", "memory", "store", "서울", "녹차",
    "tea",
];

fn texts(count: usize, random: &mut Random) -> Vec<Vec<&'static str>> {
    let text = |random: &mut Random| {
        let length = 1 + random.below(15);
        (0..length)
            .map(|_| {
                VOCABULARY[random
                    .below(VOCABULARY.len())
                    .min(random.below(VOCABULARY.len()))]
            })
            .collect()
    };
    (0..count).map(|_| text(random)).collect()
}

fn filled(texts: &[Vec<&str>]) -> Index {
    let mut index = Index::new(2);
    for (key, words) in texts.iter().enumerate() {
        put(&mut index, key as u64, words);
    }
    index
}

fn parity(key: u64) -> &'static str {
    if key.is_multiple_of(2) { "even" } else { "odd" }
}

/// Whether a key passes a filter, written by hand.
type Passes = fn(u64) -> bool;

fn put(index: &mut Index, key: u64, words: &[&str]) {
    let parity = [("parity".to_owned(), parity(key).to_owned())];
    let numbers = [("stored_at".to_owned(), (key % 5) as i64)];
    let document = NewDocument {
        key,
        fields: [words.to_vec(), Vec::new(), Vec::new()],
        attributes: &parity,
        numbers: &numbers,
        ..NewDocument::default()
    };
    index.put_document(document).expect("no vector, no refusal");
}

fn query_with(words: &[&str]) -> Query {
    let word = |term: &&str| Word {
        term: (*term).into(),
        weight: 1.0,
        start: 0,
        end: 1,
        except_kind: None,
    };
    Query {
        words: words.iter().map(word).collect(),
        limit: 10,
        candidates: 100,
        word_weight: 1.0,
        order_by: "stored_at".into(),
        ..Query::default()
    }
}

/// BM25 of every text, directly from the formula.
fn naive_bm25(texts: &HashMap<u64, Vec<&str>>, words: &[&str]) -> Vec<(u64, f32)> {
    let mean = texts.values().map(Vec::len).sum::<usize>() as f32 / texts.len() as f32;
    let df = |term: &str| texts.values().filter(|text| text.contains(&term)).count() as u32;
    let score = |text: &Vec<&str>| {
        let part = |term: &&str| {
            let count = text.iter().filter(|word| *word == term).count() as f32;
            let held_back = K1 * (1.0 - B + B * text.len() as f32 / mean);
            idf(texts.len() as u32, df(term)) * count / (count + held_back)
        };
        words.iter().map(part).sum::<f32>()
    };
    let mut scored: Vec<(u64, f32)> = texts
        .iter()
        .map(|(&key, text)| (key, score(text)))
        .collect();
    scored.retain(|hit| hit.1 > 0.0);
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    scored
}

#[test]
fn bm25_scores_are_those_of_the_formula_after_any_history() {
    let mut random = Random(7);
    let mut expected: HashMap<u64, Vec<&str>> = HashMap::new();
    let mut index = Index::new(2);
    for (step, text) in texts(600, &mut random).into_iter().enumerate() {
        let key = random.below(120) as u64;
        if step % 4 == 3 {
            index.remove(key);
            expected.remove(&key);
        } else {
            put(&mut index, key, &text);
            expected.insert(key, text);
        }
    }
    for words in [
        &["抹茶"][..],
        &["京都", "記憶"],
        &["memory", "tea", "서울"],
        &["absent"],
    ] {
        let found: Vec<f32> = search(&index, &query_with(words))
            .hits
            .iter()
            .map(|hit| hit.words.expect("the only arm").1)
            .collect();
        let naive: Vec<f32> = naive_bm25(&expected, words)
            .into_iter()
            .map(|hit| hit.1)
            .take(10)
            .collect();
        assert_eq!(found.len(), naive.len(), "{words:?}");
        for (score, wanted) in found.iter().zip(&naive) {
            assert!(
                (score - wanted).abs() < 1e-4,
                "{words:?}: {found:?} {naive:?}"
            );
        }
    }
}

#[test]
fn pruning_does_not_change_the_results() {
    let mut random = Random(5);
    let mut index = filled(&texts(12_000, &mut random));
    (0..3_000).for_each(|key| index.remove(key * 3));
    for (key, text) in (0..2_000).zip(texts(2_000, &mut random)) {
        put(&mut index, key * 5, &text);
    }
    let odd = Filter::OneOf("parity".into(), vec!["odd".into()]);
    let few = Filter::Keys((0..12_000).filter(|key| key % 211 == 0).collect());
    for renumbered in [false, true] {
        if renumbered {
            index.renumber();
        }
        for filter in [None, Some(odd.clone()), Some(few.clone())] {
            for words in [
                &["tea"][..],
                &["抹茶", "tea"],
                &["京都", "記憶", "tea", "store", "녹차"],
                &VOCABULARY[..],
            ] {
                let ranked = |count| {
                    let query = Query {
                        filter: filter.clone(),
                        limit: count,
                        candidates: count,
                        ..query_with(words)
                    };
                    let hits = search(&index, &query).hits;
                    let scored = hits.iter().map(|hit| (hit.key, hit.words));
                    scored.collect::<Vec<_>>()
                };
                let every = ranked(12_000);
                for count in [1, 10, 200] {
                    let best = &every[..count.min(every.len())];
                    assert_eq!(ranked(count), best, "{words:?}, {count}, {filter:?}");
                }
            }
        }
    }
}

#[test]
fn a_filter_applies_before_the_ranking_is_cut_off() {
    let texts = texts(200, &mut Random(3));
    let index = filled(&texts);
    let odd = Filter::OneOf("parity".into(), vec!["odd".into()]);
    let young = Filter::Within("stored_at".into(), Some(3), None);
    let both = Filter::All(vec![odd.clone().into(), young.clone().into()]);
    let neither = Filter::Not(Filter::Any(vec![odd.clone().into(), young.clone().into()]).into());
    let not_young = Filter::Not(young.clone().into());
    let all = |filters: &[&Filter]| {
        let filters = filters.iter().map(|&filter| filter.clone().into());
        Filter::All(filters.collect())
    };
    let passes: [(Filter, Passes); 12] = [
        (all(&[]), |_| true),
        (Filter::Any(vec![]), |_| false),
        (all(&[&odd, &not_young]), |key| key % 2 == 1 && key % 5 < 3),
        (all(&[&not_young, &odd]), |key| key % 2 == 1 && key % 5 < 3),
        (all(&[&young, &not_young, &odd]), |_| false),
        (Filter::Not(not_young.clone().into()), |key| key % 5 >= 3),
        (odd, |key| key % 2 == 1),
        (young, |key| key % 5 >= 3),
        (both, |key| key % 2 == 1 && key % 5 >= 3),
        (neither, |key| key % 2 == 0 && key % 5 < 3),
        (Filter::Keys(vec![4, 9, 1_000]), |key| key == 4 || key == 9),
        (Filter::HasNumber("nothing".into()), |_| false),
    ];
    let every = naive_bm25(
        &texts
            .iter()
            .cloned()
            .enumerate()
            .map(|(key, text)| (key as u64, text))
            .collect(),
        &["抹茶"],
    );
    for (filter, passes) in passes {
        let found = search(
            &index,
            &Query {
                filter: Some(filter.clone()),
                ..query_with(&["抹茶"])
            },
        );
        let keys: Vec<u64> = found.hits.iter().map(|hit| hit.key).collect();
        let wanted: Vec<u64> = every
            .iter()
            .map(|hit| hit.0)
            .filter(|&key| passes(key))
            .take(10)
            .collect();
        assert_eq!(keys.len(), wanted.len(), "{filter:?}");
        assert!(keys.iter().all(|&key| passes(key)), "{filter:?}");
        assert_eq!(
            found.allowed,
            (0..200).filter(|&key| passes(key)).count(),
            "{filter:?}"
        );
    }
}

#[test]
fn without_text_documents_are_listed_by_time_then_key() {
    let mut index = filled(&texts(12, &mut Random(1)));
    let list = |index: &Index, ascending, limit| {
        let query = Query {
            ascending,
            limit,
            ..query_with(&[])
        };
        let hits = search(index, &query).hits.into_iter();
        hits.map(|hit| hit.key).collect::<Vec<_>>()
    };
    assert_eq!(list(&index, false, 5), [9, 4, 8, 3, 7]);
    assert_eq!(list(&index, true, 5), [0, 5, 10, 1, 6]);
    for key in [20, 22, 21] {
        let without_time = NewDocument {
            key,
            ..NewDocument::default()
        };
        index
            .put_document(without_time)
            .expect("no vector, no refusal");
    }
    assert_eq!(list(&index, false, 14)[11..], [0, 22, 21]);
    assert_eq!(list(&index, true, 14)[11..], [9, 20, 21]);
}

fn random_graph(nodes: u64, edges: usize, random: &mut Random) -> Index {
    let mut index = Index::new(2);
    (0..nodes).for_each(|key| index.put_node(key, &[]));
    for key in 0..edges as u64 {
        let (source, target) = (
            random.below(nodes as usize) as u64,
            random.below(nodes as usize) as u64,
        );
        let weight = random.below(10) as f32 / 10.0;
        index.put_edge(
            key,
            source,
            &NewEdge {
                target,
                kind: "関係".into(),
                home: String::new(),
                weight,
                created_at: key as i64,
            },
        );
    }
    index
}

/// The weight of a way to `key`: less if many edges lead there.
fn weight_to(index: &Index, key: u64, edge: &Edge) -> f64 {
    let arrivals = index.graph.at(key).filter(|edge| edge.target == key);
    f64::from(edge.weight) / (1.0 + (arrivals.count() as f64 / 20.0).powi(2))
}

/// Personalised PageRank by two hundred iterations of its definition; mass that reaches a place without ways out is lost.
fn power_iteration(index: &Index, nodes: u64, seeds: &[(u64, f32)], damping: f64) -> Vec<f64> {
    let ways = |key: u64| {
        index
            .graph
            .at(key)
            .filter(move |edge| edge.other(key) != key && edge.weight > 0.0)
    };
    let onwards = |key: u64, edge: &Edge| weight_to(index, edge.other(key), edge);
    let total = |key: u64| ways(key).map(|edge| onwards(key, edge)).sum::<f64>();
    let mut mass = vec![0.0; nodes as usize];
    for _ in 0..200 {
        let mut next = vec![0.0; nodes as usize];
        for &(seed, share) in seeds {
            next[seed as usize] = (1.0 - damping) * f64::from(share);
        }
        for key in 0..nodes {
            for edge in ways(key) {
                next[edge.other(key) as usize] +=
                    damping * mass[key as usize] * onwards(key, edge) / total(key);
            }
        }
        mass = next;
    }
    mass
}

#[test]
fn page_rank_by_pushes_is_page_rank_by_power_iteration() {
    let mut index = random_graph(60, 150, &mut Random(11));
    // One that no walk leaves begins beside another, and both lead to a third.
    (60..64).for_each(|key| index.put_node(key, &[]));
    for (key, source, target, weight) in [(200, 61, 62, 0.0), (201, 62, 5, 1.0)] {
        let edge = NewEdge {
            weight,
            ..linked_to(target)
        };
        index.put_edge(key, source, &edge);
    }
    let allowed = Allowed::new(&index, None);
    let walk = PageRank {
        damping: 0.7,
        hit_seeds: 2,
        epsilon: 1e-7,
        weight: 1.0,
    };
    let from = |&(key, share): &(u64, f32)| Seed {
        key,
        share,
        is_named: true,
    };
    for from_where in [
        &[(0, 1.0)][..],
        &[(17, 0.3), (42, 0.7)],
        &[(61, 0.5), (5, 0.5)],
    ] {
        let seeds: Vec<Seed> = from_where.iter().map(from).collect();
        let pushed: HashMap<u64, f32> = page_rank(&index, &allowed, &seeds, &walk)
            .into_iter()
            .collect();
        assert!(pushed.values().all(|&mass| mass > 0.0));
        for (key, wanted) in power_iteration(&index, 64, from_where, 0.7)
            .into_iter()
            .enumerate()
        {
            let found = f64::from(pushed.get(&(key as u64)).copied().unwrap_or(0.0));
            assert!(
                (found - wanted).abs() < 1e-4,
                "{from_where:?}, place {key}: {found} {wanted}"
            );
        }
    }
}

#[test]
fn what_is_below_epsilon_for_each_edge_of_a_place_goes_no_further() {
    let mut index = Index::new(2);
    (0..12).for_each(|key| index.put_node(key, &[]));
    index.put_edge(0, 0, &linked_to(1));
    (2..12).for_each(|key| index.put_edge(key, key, &linked_to(1)));
    let allowed = Allowed::new(&index, None);
    let seed = Seed {
        key: 0,
        share: 1.0,
        is_named: true,
    };
    // Of the whole, .7 goes from the seed to a place with eleven edges.
    for (epsilon, places) in [(0.065, 1), (0.06, 2), (0.001, 12)] {
        let walk = PageRank {
            epsilon,
            ..walked()
        };
        let reached = page_rank(&index, &allowed, &[seed], &walk);
        assert_eq!(reached.len(), places, "{epsilon}");
    }
}

#[test]
fn a_walk_follows_edges_of_any_weight_above_zero() {
    // Beside a heavy edge a light one gets next to nothing.
    let rows: [([f32; 3], &[u64]); 5] = [
        ([1.0, 1.0, 1.0], &[0, 1, 2, 3, 4]),
        ([1e-30, 1e-30, 1e-30], &[0, 1, 2, 3, 4]),
        ([f32::INFINITY, f32::MAX, 1e38], &[0, 1, 2, 3]),
        ([f32::INFINITY, 1.0, 1.0], &[0, 1]),
        ([f32::NAN, f32::NEG_INFINITY, 1.0], &[0, 3]),
    ];
    for (weights, wanted) in rows {
        let mut index = Index::new(2);
        (0..5).for_each(|key| index.put_node(key, &[]));
        for (target, weight) in (1..).zip(weights) {
            let edge = NewEdge {
                weight,
                ..linked_to(target)
            };
            index.put_edge(target, 0, &edge);
        }
        index.put_edge(9, 1, &linked_to(4));
        let allowed = Allowed::new(&index, None);
        let seed = Seed {
            key: 0,
            share: 1.0,
            is_named: true,
        };
        let walk = PageRank {
            damping: 0.7,
            hit_seeds: 1,
            epsilon: 1e-7,
            weight: 1.0,
        };
        let reached = page_rank(&index, &allowed, &[seed], &walk).into_iter();
        let mut far: Vec<u64> = reached
            .filter(|place| place.1 > 1e-6)
            .map(|place| place.0)
            .collect();
        far.sort_unstable();
        assert_eq!(far, wanted, "{weights:?}");
        let one_step = BreadthFirst {
            depth: 1,
            types: None,
            limit: 9,
        };
        let near = breadth_first(&index, &allowed, &[0], &one_step);
        assert!(near.iter().all(|each| !each.weight.is_infinite()));
    }
}

/// Edges between one pair of things, in whatever order they were added, lead as far.
#[test]
fn the_order_in_which_parallel_edges_are_added_makes_no_difference() {
    let mut random = Random(3);
    let weights: Vec<f32> = (0..40)
        .map(|_| 0.1 + random.below(97) as f32 / 7.0)
        .collect();
    let ranks = |order: &[usize]| {
        let mut index = Index::new(2);
        (0..4).for_each(|key| index.put_node(key, &[]));
        for &at in order {
            let edge = NewEdge {
                weight: weights[at],
                ..linked_to(1 + at as u64 % 3)
            };
            index.put_edge(at as u64, at as u64 / 3 % 2, &edge);
        }
        let allowed = Allowed::new(&index, None);
        let seed = Seed {
            key: 0,
            share: 1.0,
            is_named: true,
        };
        let mut found = page_rank(&index, &allowed, &[seed], &walked());
        found.sort_unstable_by_key(|place| place.0);
        found
    };
    let order: Vec<usize> = (0..40).collect();
    let first = ranks(&order);
    for _ in 0..20 {
        let mut order = order.clone();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        assert_eq!(ranks(&order), first);
    }
}

#[test]
fn neighbours_come_nearest_level_first_and_in_one_order() {
    let mut index = Index::new(2);
    (1..=5).for_each(|key| index.put_node(key, &[]));
    for (key, source, target, kind, at) in [
        (1, 1, 3, "contains", 10),
        (2, 2, 1, "depends_on", 20),
        (3, 3, 4, "references", 5),
        (4, 4, 5, "contains", 1),
    ] {
        index.put_edge(
            key,
            source,
            &NewEdge {
                target,
                kind: kind.into(),
                home: String::new(),
                weight: 1.0,
                created_at: at,
            },
        );
    }
    let allowed = Allowed::new(&index, None);
    let walked = |depth, types: Option<&[String]>, limit| {
        let types = types.map(<[String]>::to_vec);
        let walk = BreadthFirst {
            depth,
            types,
            limit,
        };
        breadth_first(&index, &allowed, &[1], &walk)
    };
    let met = |depth, types: Option<&[String]>, limit| {
        walked(depth, types, limit)
            .iter()
            .map(|each| (each.key, each.depth))
            .collect::<Vec<_>>()
    };
    assert_eq!(met(2, None, 9), [(3, 1), (2, 1), (4, 2)]);
    assert_eq!(met(3, None, 9).last(), Some(&(5, 3)));
    assert_eq!(met(3, None, 2), [(3, 1), (2, 1)]);
    assert_eq!(met(3, Some(&["contains".into()]), 9), [(3, 1)]);
    assert_eq!(met(3, Some(&[]), 9), []);
    assert_eq!(met(0, None, 9), []);
    let path: Vec<(u64, bool)> = walked(1, None, 9)[1]
        .path
        .iter()
        .map(|step| (step.key, step.forward))
        .collect();
    assert_eq!(path, [(2, false)]);
}

#[test]
fn of_parallel_edges_made_together_that_of_a_scope_comes_before_that_of_none() {
    let mut index = Index::new(2);
    (1..=2).for_each(|key| index.put_node(key, &[]));
    for (key, home, weight) in [(1, "", 0.5), (2, "日記", 0.9), (3, "", 0.7)] {
        let edge = NewEdge {
            home: home.into(),
            weight,
            ..linked_to(2)
        };
        index.put_edge(key, 1, &edge);
    }
    let allowed = Allowed::new(&index, None);
    let walk = BreadthFirst {
        depth: 1,
        types: None,
        limit: 9,
    };
    let met = breadth_first(&index, &allowed, &[1], &walk);
    let met: Vec<(u64, f32)> = met.iter().map(|each| (each.key, each.weight)).collect();
    assert_eq!(met, [(2, 0.9)]);
}

#[test]
fn edges_that_were_stated_come_before_those_of_documents() {
    let mut index = Index::new(2);
    (2..=3).for_each(|key| index.put_node(key, &[]));
    let edge = |target, weight, created_at| NewEdge {
        weight,
        created_at,
        ..linked_to(target)
    };
    let document = NewDocument {
        key: 1,
        edges: &[edge(2, 0.5, 1), edge(3, 0.6, 2)],
        ..NewDocument::default()
    };
    index.put_document(document).expect("no vector, no refusal");
    index.put_edge(1, 3, &edge(1, 0.9, 3));
    let allowed = Allowed::new(&index, None);
    let walk = BreadthFirst {
        depth: 1,
        types: None,
        limit: 9,
    };
    let met = breadth_first(&index, &allowed, &[1], &walk);
    let met: Vec<(u64, f32)> = met.iter().map(|each| (each.key, each.weight)).collect();
    assert_eq!(met, [(3, 0.9), (2, 0.5)]);
}

/// A memory of each of two scopes is linked to a thing at home in each and to one at home in none; each scope has made an edge
/// between memories that anyone may see.
#[test]
fn walks_pass_only_through_what_a_scope_may_see() {
    let scopes = ["日記", "仕事"];
    let mut index = Index::new(2);
    let edge = |target: u64, home: &str| NewEdge {
        home: home.into(),
        ..linked_to(target)
    };
    for key in 0..6 {
        put(&mut index, key, &[["抹茶", "京都"][usize::from(key > 0)]]);
    }
    let nodes = [(10, scopes[0]), (11, scopes[1]), (12, "")];
    let homes = nodes.map(|(_, home)| [home.to_owned()]);
    let batch = Batch {
        nodes: nodes
            .iter()
            .zip(&homes)
            .map(|(node, homes)| (node.0, &[][..], &homes[..]))
            .collect(),
        ..Batch::default()
    };
    let shared = Shared::new(index);
    shared.apply(batch).expect("no vector, no refusal");
    let mut index = shared.into_inner();
    for (node, beyond) in [(10, 1), (11, 2), (12, 3)] {
        index.put_edge(node, 0, &edge(node, ""));
        index.put_edge(100 + node, node, &edge(beyond, ""));
    }
    index.put_edge(1, 0, &edge(4, scopes[0]));
    index.put_edge(2, 0, &edge(5, scopes[1]));
    let seen_by = |scope: Option<&str>| {
        let visibility = scope.map(|scope| Visibility {
            scope: scope.into(),
            known_by: Filter::Keys(vec![]),
        });
        let query = Query {
            breadth_first: Some(BreadthFirst {
                depth: 3,
                types: None,
                limit: 99,
            }),
            page_rank: Some(walked()),
            visibility,
            limit: 1,
            ..query_with(&["抹茶"])
        };
        let met = search(&index, &query).neighbours.into_iter();
        let mut met: Vec<u64> = met.map(|neighbour| neighbour.0.key).collect();
        met.sort_unstable();
        let query = Query {
            limit: 99,
            breadth_first: None,
            ..query
        };
        let hits = search(&index, &query).hits.into_iter();
        let mut hits: Vec<u64> = hits.map(|hit| hit.key).collect();
        hits.sort_unstable();
        (met, hits)
    };
    let everything = (vec![1, 2, 3, 4, 5, 10, 11, 12], (0..6).collect());
    assert_eq!(seen_by(None), everything);
    assert_eq!(seen_by(Some(scopes[0])), (vec![1, 4, 10], vec![0, 1, 4]));
    assert_eq!(seen_by(Some(scopes[1])), (vec![2, 5, 11], vec![0, 2, 5]));
    assert_eq!(seen_by(Some("日")), (vec![], vec![0]));
}

#[test]
fn walks_do_not_pass_through_what_is_filtered_out() {
    let mut index = filled(&[vec!["抹茶"], vec!["京都"], vec!["記憶"]]);
    index.put_edge(
        1,
        0,
        &NewEdge {
            target: 1,
            kind: "a".into(),
            home: String::new(),
            weight: 1.0,
            created_at: 0,
        },
    );
    index.put_edge(
        2,
        1,
        &NewEdge {
            target: 2,
            kind: "a".into(),
            home: String::new(),
            weight: 1.0,
            created_at: 0,
        },
    );
    let even = Filter::OneOf("parity".into(), vec!["even".into()]);
    let walk = BreadthFirst {
        depth: 3,
        types: None,
        limit: 9,
    };
    let found = search(
        &index,
        &Query {
            filter: Some(even),
            breadth_first: Some(walk.clone()),
            ..query_with(&["抹茶"])
        },
    );
    assert!(found.neighbours.is_empty());
    let all = search(
        &index,
        &Query {
            breadth_first: Some(walk),
            limit: 1,
            ..query_with(&["抹茶"])
        },
    );
    assert_eq!(
        all.neighbours
            .iter()
            .map(|met| met.0.key)
            .collect::<Vec<_>>(),
        [1, 2]
    );
}

#[test]
fn a_search_by_vector_alone_also_returns_opposite_vectors() {
    let mut index = Index::new(2);
    for (key, vector) in [(1, [-1.0, 0.0]), (2, [-1.0, 0.5]), (3, [0.0, 1.0])] {
        let document = NewDocument {
            key,
            vectors: vec![vector.to_vec()],
            ..NewDocument::default()
        };
        index.put_document(document).expect("two dimensions");
    }
    let told = |however_far| {
        let query = Query {
            vector: Some(vec![1.0, 0.0]),
            vector_weight: 1.0,
            word_weight: 0.0,
            however_far,
            ..query_with(&[])
        };
        let hits = search(&index, &query).hits;
        hits.iter().map(|hit| hit.key).collect::<Vec<_>>()
    };
    assert_eq!((told(true), told(false)), (vec![3, 2, 1], vec![]));
}

/// The word's best text has no vector, the second a vector to one side of the question's; it is then the text on that side that
/// is nearer.
#[test]
fn what_the_words_find_draws_the_vector_towards_itself() {
    let mut index = Index::new(2);
    for (key, words, vectors) in [
        (1, &["tea"][..], vec![]),
        (2, &["tea", "京都", "記憶"], vec![vec![0.0, 1.0]]),
        (3, &["녹차"], vec![vec![0.85, 0.527]]),
        (4, &["녹차"], vec![vec![0.86, -0.51]]),
    ] {
        let document = NewDocument {
            key,
            fields: [words.to_vec(), Vec::new(), Vec::new()],
            vectors,
            ..NewDocument::default()
        };
        index.put_document(document).expect("two dimensions");
    }
    let nearest = |words: &[&str]| {
        let query = Query {
            vector: Some(vec![1.0, 0.0]),
            vector_weight: 1.0,
            semantic: true,
            words: in_a_row(words),
            ..query_with(&[])
        };
        let hits = search(&index, &query).hits;
        let first = hits
            .iter()
            .find(|hit| hit.vectors.is_some_and(|place| place.0 == 1));
        first.map(|hit| hit.key)
    };
    assert_eq!(nearest(&["tea", "store", "saved", "茶道"]), Some(3));
    assert_eq!(nearest(&["tea"]), Some(4));
    assert_eq!(nearest(&[]), Some(4));
}

#[test]
fn the_usual_cosine_is_that_of_the_texts_with_a_vector_however_many_are_searched() {
    let mut index = Index::new(2);
    for (key, vectors) in [
        (0, vec![vec![1.0, 0.0]]),
        (1, vec![]),
        (2, vec![vec![0.0, 1.0]]),
        (4, vec![vec![0.0, -1.0]]),
        (6, vec![vec![-1.0, 0.0]]),
    ] {
        let parity = [("parity".to_owned(), parity(key).to_owned())];
        let document = NewDocument {
            key,
            attributes: &parity,
            vectors,
            ..NewDocument::default()
        };
        index.put_document(document).expect("two dimensions");
    }
    let even = Filter::OneOf("parity".into(), vec!["even".into()]);
    for filter in [None, Some(even)] {
        let query = Query {
            vector: Some(vec![1.0, 0.0]),
            vector_weight: 1.0,
            filter,
            ..query_with(&[])
        };
        let (usual, count) = search(&index, &query).usual_cosine.expect("four vectors");
        assert_eq!((usual.mean, count), (0.0, 4));
        assert!((usual.spread - 0.5_f32.sqrt()).abs() < 1e-6);
    }
}

/// However many are wanted, they are the first of all.
#[test]
fn fewer_hits_by_words_and_vectors_are_the_first_of_many() {
    let (mut index, mut random) = (Index::new(2), Random(17));
    for (key, words) in texts(120, &mut random).into_iter().enumerate() {
        let angle = random.below(1_000) as f32 / 500.0;
        let document = NewDocument {
            key: key as u64,
            fields: [words, Vec::new(), Vec::new()],
            vectors: vec![vec![angle.cos(), angle.sin()]],
            ..NewDocument::default()
        };
        index.put_document(document).expect("two dimensions");
    }
    for words in [&[][..], &["抹茶", "京都"], &["记忆", "store"]] {
        let told = |limit| {
            let query = Query {
                vector: Some(vec![0.6, 0.8]),
                vector_weight: 1.0,
                candidates: 120,
                limit,
                ..query_with(words)
            };
            let hits = search(&index, &query).hits.into_iter();
            hits.map(|hit| (hit.key, hit.score)).collect::<Vec<_>>()
        };
        let all = told(120);
        for limit in [0, 1, 10] {
            assert_eq!(told(limit), all[..limit], "{words:?}");
        }
    }
}

#[test]
fn hits_of_the_graph_also_have_a_word_score_at_any_depth() {
    let mut index = Index::new(2);
    (1..=300).for_each(|key| put(&mut index, key, &["tea"]));
    let long = [vec!["tea"], vec!["京都"; 40]].concat();
    put(&mut index, 400, &long);
    let edge = NewEdge {
        target: 400,
        kind: "近い".into(),
        home: String::new(),
        weight: 1.0,
        created_at: 0,
    };
    index.put_edge(1, 300, &edge);
    let walk = PageRank {
        damping: 0.7,
        hit_seeds: 1,
        epsilon: 1e-7,
        weight: 1.0,
    };
    let query = Query {
        page_rank: Some(walk),
        ..query_with(&["tea"])
    };
    let hits = search(&index, &query).hits;
    let found = hits.iter().find(|hit| hit.key == 400);
    let (_, score) = found.and_then(|hit| hit.words).expect("it has the word");
    let texts = [(400, long.clone())].into_iter();
    let texts = texts.chain((1..=300).map(|key| (key, vec!["tea"])));
    let naive = naive_bm25(&texts.collect(), &["tea"]);
    let wanted = naive.iter().find(|hit| hit.0 == 400).expect("a match").1;
    assert!((score - wanted).abs() < 1e-4, "{score} {wanted}");
}

/// However deep the rankings go, the fused scores are those of the complete rankings.
#[test]
fn hits_of_one_arm_also_have_the_score_of_the_other() {
    let (mut index, mut random) = (Index::new(2), Random(11));
    for (key, words) in texts(120, &mut random).into_iter().enumerate() {
        let document = NewDocument {
            key: key as u64,
            fields: [words, Vec::new(), Vec::new()],
            vectors: vec![vec![
                random.below(100) as f32 + 1.0,
                random.below(100) as f32,
            ]],
            ..NewDocument::default()
        };
        index.put_document(document).expect("two dimensions");
    }
    for words in [&["抹茶", "京都"][..], &["记忆", "store"], &["memory"]] {
        let told = |candidates| {
            let query = Query {
                vector: Some(vec![0.6, 0.8]),
                vector_weight: 1.0,
                candidates,
                limit: candidates,
                ..query_with(words)
            };
            let hits = search(&index, &query).hits.into_iter();
            let score = |score: f32| (score * 1e4).round() as u32;
            hits.map(|hit| {
                (
                    hit.key,
                    (score(hit.score), hit.words.map(|words| score(words.1))),
                )
            })
            .collect::<HashMap<_, _>>()
        };
        let (few, all) = (told(10), told(120));
        assert_eq!(few.len(), 10, "{words:?}");
        let wanted = few.keys().map(|key| (*key, all[key])).collect();
        assert_eq!(few, wanted, "{words:?}");
    }
}

/// Words one after another, so none are other readings of the same place.
fn in_a_row(words: &[&str]) -> Vec<Word> {
    let placed = query_with(words).words.into_iter().enumerate();
    placed
        .map(|(at, word)| Word {
            start: at,
            end: at + 1,
            ..word
        })
        .collect()
}

#[test]
fn a_term_common_in_the_filtered_part_has_a_low_idf_there() {
    let mut index = Index::new(2);
    for key in 0..200 {
        let words = if key % 2 == 1 {
            vec!["alice"]
        } else {
            vec!["記憶"]
        };
        put(&mut index, key, &words);
    }
    (200..400).for_each(|key| put(&mut index, key * 2, &["tea"]));
    let odd = Filter::OneOf("parity".into(), vec!["odd".into()]);
    let first = |filter, words: &[&str]| {
        let query = Query {
            filter,
            words: in_a_row(words),
            ..query_with(&[])
        };
        let hits = search(&index, &query).hits;
        (hits[0].coverage, hits[0].usual_coverage.mean)
    };
    let both = ["alice", "absent"];
    let everywhere = first(None, &both);
    let here = first(Some(odd.clone()), &both);
    assert!(here.0 < 0.75 * everywhere.0, "{here:?} {everywhere:?}");
    assert!(here.1 > everywhere.1, "{here:?} {everywhere:?}");
    let whole = first(Some(odd), &["alice"]).0;
    assert!((whole - 1.0).abs() < 1e-6, "{whole}");
}

#[test]
fn words_with_low_coverage_count_little_beside_semantic_vectors() {
    let mut index = Index::new(2);
    for (key, words, vector) in [(1, ["tea"], [0.0, 1.0]), (2, ["京都"], [0.8, 0.6])] {
        let document = NewDocument {
            key,
            fields: [words.to_vec(), Vec::new(), Vec::new()],
            vectors: vec![vector.to_vec()],
            ..NewDocument::default()
        };
        index.put_document(document).expect("two dimensions");
    }
    let told = |semantic, words: &[&str]| {
        let query = Query {
            vector: Some(vec![1.0, 0.0]),
            vector_weight: 0.5,
            semantic,
            words: in_a_row(words),
            ..query_with(&[])
        };
        let hits = search(&index, &query).hits.into_iter();
        hits.map(|hit| hit.key).collect::<Vec<_>>()
    };
    let long = ["tea", "記憶", "保存", "store"];
    assert_eq!(told(false, &long), [1, 2]);
    assert_eq!(told(true, &long), [2, 1]);
    assert_eq!(told(true, &["tea"]), [1, 2]);
}

fn walked() -> PageRank {
    PageRank {
        damping: 0.7,
        hit_seeds: 1,
        epsilon: 1e-7,
        weight: 1.0,
    }
}

fn linked_to(target: u64) -> NewEdge {
    NewEdge {
        target,
        kind: "a".into(),
        home: String::new(),
        weight: 1.0,
        created_at: 0,
    }
}

fn nodes_named(text: &str) -> Name {
    Name {
        text: text.to_owned(),
        words: Vec::new(),
        terms: Vec::new(),
        field: 0,
    }
}

#[test]
fn a_walk_finds_only_memories_and_returns_paths_of_at_most_three_steps() {
    let mut index = filled(&texts(6, &mut Random(2)));
    put(&mut index, 0, &["hapax"]);
    (0..5).for_each(|key| index.put_edge(key, key, &linked_to(key + 1)));
    index.put_node(99, &[]);
    index.put_edge(99, 0, &linked_to(99));
    let query = Query {
        page_rank: Some(walked()),
        ..query_with(&["hapax"])
    };
    let hits = search(&index, &query).hits;
    let mut ways: Vec<(u64, Vec<u64>)> = hits
        .iter()
        .map(|hit| (hit.key, hit.path.iter().map(|step| step.key).collect()))
        .collect();
    ways.sort_unstable();
    let wanted = [
        (0, vec![]),
        (1, vec![1]),
        (2, vec![1, 2]),
        (3, vec![1, 2, 3]),
        (4, vec![]),
        (5, vec![]),
    ];
    assert_eq!(ways, wanted);
}

#[test]
fn a_walk_that_leads_nowhere_says_nothing_about_where_it_began() {
    let mut index = filled(&texts(2, &mut Random(2)));
    put(&mut index, 0, &["hapax"]);
    index.put_edge(0, 0, &linked_to(1));
    let graph = |filter| {
        let query = Query {
            page_rank: Some(walked()),
            filter,
            ..query_with(&["hapax"])
        };
        let hits = search(&index, &query).hits.into_iter();
        hits.map(|hit| (hit.key, hit.graph.is_some()))
            .collect::<Vec<_>>()
    };
    assert_eq!(graph(None), [(0, true), (1, true)]);
    assert_eq!(graph(Some(Filter::Keys(vec![0]))), [(0, false)]);
}

#[test]
fn a_memory_named_in_the_query_is_found_if_it_is_allowed() {
    let mut index = Index::new(2);
    let (title, parity) = (
        [nodes_named("京都旅行")],
        [("parity".to_owned(), "even".to_owned())],
    );
    let document = NewDocument {
        key: 4,
        names: &title,
        attributes: &parity,
        ..NewDocument::default()
    };
    index.put_document(document).expect("no vector, no refusal");
    put(&mut index, 5, &["抹茶"]);
    let found = |filter, index: &Index| {
        let query = Query {
            folded: "京都旅行の予算".into(),
            page_rank: Some(walked()),
            filter,
            ..query_with(&[])
        };
        let hits = search(index, &query).hits.into_iter();
        hits.map(|hit| hit.key).collect::<Vec<_>>()
    };
    let odd = Filter::OneOf("parity".into(), vec!["odd".into()]);
    assert_eq!(found(None, &index), [4]);
    assert_eq!(found(Some(odd.clone()), &index), []);
    index.put_edge(1, 4, &linked_to(5));
    assert_eq!(found(None, &index), [4, 5]);
    assert_eq!(found(Some(odd), &index), []);
}

#[test]
fn a_walk_begins_at_a_named_node_only_if_the_scope_may_see_it() {
    let mut index = Index::new(2);
    (1..=2).for_each(|key| put(&mut index, key, &["抹茶"]));
    let (names, homes) = ([nodes_named("京都旅行")], ["仕事".to_owned()]);
    let batch = Batch {
        nodes: vec![(10, &names, &homes)],
        ..Batch::default()
    };
    let shared = Shared::new(index);
    shared.apply(batch).expect("no vector, no refusal");
    let mut index = shared.into_inner();
    index.put_edge(1, 10, &linked_to(1));
    let found = |scope: Option<&str>| {
        let query = Query {
            folded: "京都旅行の予算".into(),
            page_rank: Some(walked()),
            visibility: scope.map(|scope| Visibility {
                scope: scope.into(),
                known_by: Filter::Keys(vec![]),
            }),
            ..query_with(&[])
        };
        let hits = search(&index, &query).hits.into_iter();
        hits.map(|hit| hit.key).collect::<Vec<_>>()
    };
    assert_eq!(found(None), [1]);
    assert_eq!(found(Some("仕事")), [1]);
    assert_eq!(found(Some("日記")), []);
}

/// The turn of a conversation that comes after those of lower keys.
fn turn(key: u64) -> Turn {
    Turn {
        conversation: "会話".into(),
        order: key as i64,
        at: 0,
    }
}

#[test]
fn a_turn_without_matches_has_no_coverage_even_if_its_neighbours_match() {
    let mut index = Index::new(2);
    for (key, word, vector) in [(1, "tea", [0.0, 1.0]), (2, "京都", [1.0, 0.0])] {
        let turn = turn(key);
        let document = NewDocument {
            key,
            fields: [vec![word], vec![], vec![]],
            vectors: vec![vector.to_vec()],
            turn: Some(&turn),
            ..NewDocument::default()
        };
        index.put_document(document).expect("two dimensions");
    }
    let covered_among = |keys, words: &[&str]| {
        let query = Query {
            vector: Some(vec![1.0, 0.0]),
            vector_weight: 1.0,
            words: in_a_row(words),
            filter: Some(Filter::Keys(keys)),
            ..query_with(&[])
        };
        let hits = search(&index, &query).hits;
        let found = hits.iter().find(|hit| hit.key == 2);
        found.expect("it is near").coverage
    };
    let covered = |words: &[&str]| covered_among(vec![1, 2], words);
    assert!(covered(&["tea"]).abs() < 1e-6);
    let (alone, beside) = (covered(&["京都", "保存"]), covered(&["京都", "tea"]));
    assert!((alone - 0.5).abs() < 0.01, "{alone}");
    assert!((beside - 0.75).abs() < 0.01, "{beside}");
    // Texts that the filter excludes lend no words.
    let hidden = covered_among(vec![2], &["京都", "tea"]);
    assert!((hidden - 0.5).abs() < 0.01, "{hidden}");
}

#[test]
fn a_turn_beside_near_ones_is_nearer_than_its_own_vector() {
    let mut index = Index::new(2);
    for (key, vector) in [(1, [0.6, 0.8]), (2, [1.0, 0.0]), (3, [0.65, 0.76])] {
        let turn = turn(key);
        let document = NewDocument {
            key,
            vectors: vec![vector.to_vec()],
            turn: (key < 3).then_some(&turn),
            ..NewDocument::default()
        };
        index.put_document(document).expect("two dimensions");
    }
    let told = |filter| {
        let query = Query {
            vector: Some(vec![1.0, 0.0]),
            vector_weight: 1.0,
            filter,
            ..query_with(&[])
        };
        let hits = search(&index, &query).hits.into_iter();
        hits.map(|hit| (hit.key, hit.score)).collect::<Vec<_>>()
    };
    let keys = |filter| {
        told(filter)
            .into_iter()
            .map(|hit| hit.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(None), [2, 1, 3]);
    assert_eq!(keys(Some(Filter::Keys(vec![1, 3]))), [3, 1]);
    // Halfway between the own cosine and that of the window's sum.
    let in_context = |own: f32, sum: [f32; 2]| f32::midpoint(own, sum[0] / sum[0].hypot(sum[1]));
    let best = in_context(1.0, [1.3, 0.4]);
    for (hit, cosine) in told(None)
        .iter()
        .zip([best, in_context(0.6, [1.1, 0.8]), 0.65])
    {
        assert!((hit.1 - cosine / best).abs() < 2e-3, "{hit:?} {cosine}");
    }
}

#[test]
fn neighbours_of_the_best_hit_never_rank_before_it() {
    let mut index = filled(&texts(30, &mut Random(4)));
    let words = |length| [vec!["hapax"], vec!["京都"; length]].concat();
    put(&mut index, 1, &words(9));
    put(&mut index, 2, &words(10));
    index.put_edge(1, 1, &linked_to(2));
    let query = Query {
        page_rank: Some(walked()),
        ..query_with(&["hapax"])
    };
    let hits = search(&index, &query).hits;
    let told: Vec<u64> = hits.iter().map(|hit| hit.key).collect();
    assert_eq!(told, [1, 2]);
    let in_graph: Vec<Option<usize>> = hits.iter().map(|hit| Some(hit.graph?.0)).collect();
    assert_eq!(in_graph, [Some(2), Some(1)]);
}

#[test]
fn a_turn_is_not_found_by_its_neighbours_alone_and_counts_its_own_words_whole() {
    let talk = |is_conversation: bool| {
        let mut index = Index::new(2);
        for (key, words) in [(1, vec!["tea"]), (2, vec!["京都"]), (3, vec!["tea"])] {
            let turn = turn(key);
            let document = NewDocument {
                key,
                fields: [words, vec![], vec![]],
                turn: is_conversation.then_some(&turn),
                ..NewDocument::default()
            };
            index.put_document(document).expect("no vector, no refusal");
        }
        index
    };
    let covered = |index: &Index, words: &[&str]| {
        let query = Query {
            words: in_a_row(words),
            ..query_with(&[])
        };
        let hits = search(index, &query).hits.into_iter();
        let mut covered: Vec<_> = hits.map(|hit| (hit.key, hit.coverage)).collect();
        covered.sort_unstable_by_key(|hit| hit.0);
        covered
    };
    let together = talk(true);
    assert_eq!(covered(&together, &["tea"]), [(1, 1.0), (3, 1.0)]);
    // What a neighbour says again counts once.
    let half = ["tea", "保存"];
    assert_eq!(covered(&together, &half), covered(&talk(false), &half));
}
