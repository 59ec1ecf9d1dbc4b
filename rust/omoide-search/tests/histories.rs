//! Whatever happened to an index, it answers as one that was built afresh from what is left.

use omoide_index::graph::NewEdge;
use omoide_index::shared::{Batch, Shared};
use omoide_index::{Index, NewDocument};
use omoide_search::{Filter, Hits, PageRank, Query, Word, search};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const HISTORIES: u64 = 40;
const STEPS: usize = 60;
const KEYS: usize = 50;
const IDENTITY: &str = "歴史";
const VOCABULARY: [&str; 10] = [
    "抹茶", "京都", "記憶", "记忆", "保存", "matcha", "kyoto", "memory", "서울", "tea",
];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// What a document is made of: all that a fresh build needs.
#[derive(Debug, Clone)]
struct Memory {
    words: Vec<&'static str>,
    kind: u8,
    attributes: Vec<(String, String)>,
    numbers: Vec<(String, i64)>,
    edges: Vec<NewEdge>,
    vectors: Vec<Vec<f32>>,
}

impl Memory {
    fn made(dice: &mut Dice) -> Self {
        let words = (0..=dice.roll(8)).map(|_| VOCABULARY[dice.roll(10).min(dice.roll(10))]);
        let words = words.collect();
        let edge = |dice: &mut Dice| NewEdge {
            target: dice.roll(KEYS) as u64,
            kind: "近い".into(),
            weight: 1.0 + dice.roll(3) as f32,
            created_at: dice.roll(100) as i64,
        };
        let vector = |dice: &mut Dice| (0..4).map(|_| dice.roll(9) as f32 - 3.0).collect();
        Self {
            words,
            kind: dice.roll(3) as u8,
            attributes: vec![("scope".into(), ["家", "work"][dice.roll(2)].into())],
            numbers: vec![("stored_at".into(), dice.roll(20) as i64)],
            edges: (0..dice.roll(3)).map(|_| edge(dice)).collect(),
            vectors: (0..dice.roll(3)).map(|_| vector(dice)).collect(),
        }
    }

    fn document(&self, key: u64) -> NewDocument<'_> {
        NewDocument {
            key,
            kind: self.kind,
            fields: [self.words.clone(), vec![], vec![]],
            attributes: &self.attributes,
            numbers: &self.numbers,
            edges: &self.edges,
            vectors: self.vectors.clone(),
            ..NewDocument::default()
        }
    }
}

fn fresh(memories: &BTreeMap<u64, Memory>, codes: bool) -> Index {
    let mut index = Index::new(4);
    index.vectors.keep_codes(codes);
    for (&key, memory) in memories {
        index
            .put_document(memory.document(key))
            .expect("four dimensions");
    }
    index
}

fn questions(dice: &mut Dice) -> Vec<Query> {
    let scope = Filter::OneOf("scope".into(), vec!["家".into()]);
    let late = Filter::Within("stored_at".into(), Some(10), None);
    let filters = [
        None,
        Some(scope.clone()),
        Some(Filter::All(vec![Filter::Not(Box::new(scope)), late])),
        Some(Filter::Keys((0..KEYS as u64).step_by(3).collect())),
    ];
    let word = |term: &str| Word {
        term: term.to_owned(),
        weight: 1.0,
        start: 0,
        end: 0,
    };
    let mut ask = |filter: Option<Filter>, with: usize| Query {
        folded: String::new(),
        words: (0..with).map(|_| word(VOCABULARY[dice.roll(10)])).collect(),
        grams: Vec::new(),
        gram_alternatives: Vec::new(),
        alternatives: Vec::new(),
        readings: Vec::new(),
        vector: (with > 0).then(|| vec![0.5, -0.5, 0.5, 0.5]),
        filter,
        limit: 8,
        candidates: 12,
        word_weight: 1.0,
        vector_weight: 0.5,
        however_far: false,
        semantic: false,
        page_rank: (with > 2).then_some(PageRank {
            damping: 0.7,
            hit_seeds: 2,
            epsilon: 1e-7,
            weight: 1.0,
        }),
        breadth_first: None,
        order_by: "stored_at".into(),
        ascending: with == 0,
    };
    let asked = filters
        .into_iter()
        .flat_map(|filter| [(filter.clone(), 0), (filter.clone(), 1), (filter, 3)]);
    asked.map(|(filter, with)| ask(filter, with)).collect()
}

/// Whether a caller sees the same: keys in order, passages, scores but for the rounding of sums in another order.
fn tells_the_same(found: &Hits, wanted: &Hits) -> bool {
    let mut pairs = found.hits.iter().zip(&wanted.hits);
    let same = pairs
        .all(|(a, b)| (a.key, a.passage) == (b.key, b.passage) && (a.score - b.score).abs() < 1e-4);
    same && found.hits.len() == wanted.hits.len() && found.allowed == wanted.allowed
}

fn folder(history: u64) -> PathBuf {
    let name = format!("omoide-history-{}-{history}", std::process::id());
    std::env::temp_dir().join(name)
}

#[test]
fn after_any_history_answers_are_those_of_a_fresh_build() {
    for history in 0..HISTORIES {
        let mut dice = Dice(history);
        let folder = folder(history);
        let codes = history % 2 == 1;
        let mut memories: BTreeMap<u64, Memory> = BTreeMap::new();
        let mut shared = Shared::new(fresh(&memories, codes));
        for step in 0..STEPS {
            match dice.roll(12) {
                0 => {
                    shared.save(&folder, IDENTITY).expect("room on the disk");
                    let index = Index::load(&folder, IDENTITY).expect("just saved");
                    shared = Shared::new(index);
                }
                1 => {
                    let mut index = shared.into_inner();
                    index.renumber();
                    shared = Shared::new(index);
                }
                2..5 => {
                    let removed: Vec<u64> = (0..4).map(|_| dice.roll(KEYS) as u64).collect();
                    removed.iter().for_each(|key| drop(memories.remove(key)));
                    let batch = Batch {
                        removed,
                        ..Batch::default()
                    };
                    shared.apply(batch).expect("removals fit");
                }
                _ => {
                    let new: BTreeMap<u64, Memory> = (0..3)
                        .map(|_| (dice.roll(KEYS) as u64, Memory::made(&mut dice)))
                        .collect();
                    let documents = new.iter().map(|(&key, memory)| memory.document(key));
                    let batch = Batch {
                        documents: documents.collect(),
                        ..Batch::default()
                    };
                    shared.apply(batch).expect("four dimensions");
                    memories.extend(new);
                }
            }
            if step % 10 == 9 {
                let (index, fresh) = (shared.read(), fresh(&memories, codes));
                for query in questions(&mut dice) {
                    let (found, wanted) = (search(&index, &query), search(&fresh, &query));
                    assert!(
                        tells_the_same(&found, &wanted),
                        "history {history}, step {step}: {query:?}\n{:?}\n{:?}",
                        found.hits,
                        wanted.hits
                    );
                }
            }
        }
        let _ = fs::remove_dir_all(folder);
    }
}
