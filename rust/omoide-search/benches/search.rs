//! How long do searches take inside the engine? `cargo bench -p omoide-search`.

use divan::Bencher;
use omoide_index::graph::NewEdge;
use omoide_index::{Index, NewDocument};
use omoide_search::{
    Allowed, BreadthFirst, Filter, PageRank, Query, Seed, Word, breadth_first, fuse, page_rank,
    search,
};
use std::sync::LazyLock;

const DOCUMENTS: u64 = 50_000;
const VOCABULARY: usize = 30_000;
const WORDS_A_TEXT: usize = 40;
const DIMENSIONS: usize = 384;

fn main() {
    divan::main();
}

/// A small, seeded random number generator.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Few words are common, most are rare.
    fn word(&mut self) -> usize {
        (VOCABULARY as f64).powf(self.roll()) as usize
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| self.roll() as f32 - 0.4).collect()
    }
}

static WORDS: LazyLock<Vec<String>> =
    LazyLock::new(|| (0..=VOCABULARY).map(|n| format!("語{n}")).collect());

static INDEX: LazyLock<Index> = LazyLock::new(filled);

fn filled() -> Index {
    let (mut index, mut dice) = (Index::new(DIMENSIONS), Dice(1));
    for key in 0..DOCUMENTS {
        let words = (0..WORDS_A_TEXT)
            .map(|_| WORDS[dice.word()].as_str())
            .collect();
        let share = [("share".to_owned(), (key % 10).to_string())];
        let edge = |target: f64| NewEdge {
            target: (target * DOCUMENTS as f64) as u64,
            kind: "近い".into(),
            home: String::new(),
            weight: 1.0,
            created_at: 0,
        };
        let edges = [edge(dice.roll()), edge(dice.roll()), edge(dice.roll())];
        let document = NewDocument {
            key,
            fields: [words, vec![], vec![]],
            attributes: &share,
            edges: &edges,
            vectors: vec![dice.vector()],
            ..NewDocument::default()
        };
        index.put_document(document).expect("as many dimensions");
    }
    index
}

fn question(words: &[usize], vector: Option<Vec<f32>>) -> Query {
    let word = |&word: &usize| Word {
        term: WORDS[word].as_str().into(),
        weight: 1.0,
        start: 0,
        end: 0,
        except_kind: None,
    };
    Query {
        words: words.iter().map(word).collect(),
        word_weight: f32::from(u8::from(!words.is_empty())),
        vector_weight: f32::from(u8::from(vector.is_some())),
        vector,
        limit: 10,
        candidates: 10,
        however_far: true,
        order_by: "stored_at".into(),
        ..Query::default()
    }
}

#[divan::bench(args = [&[3][..], &[3, 9], &[20, 300], &[500, 5_000], &[2, 5, 40, 700, 9_000]])]
fn ten_best_by_words(bencher: Bencher, words: &[usize]) {
    let (index, query) = (&*INDEX, question(words, None));
    bencher.bench_local(|| search(index, &query));
}

/// Nothing can be skipped, since every document that matches is wanted.
#[divan::bench(args = [&[3][..], &[20, 300], &[2, 5, 40, 700, 9_000]])]
fn all_by_words(bencher: Bencher, words: &[usize]) {
    let index = &*INDEX;
    let query = Query {
        candidates: DOCUMENTS as usize,
        ..question(words, None)
    };
    bencher.bench_local(|| search(index, &query));
}

#[divan::bench(args = ["", "1", "12", "123456"])]
fn ten_nearest(bencher: Bencher, shares: &str) {
    let (index, mut dice) = (&*INDEX, Dice(99));
    let values = shares.chars().map(String::from).collect();
    let filter = (!shares.is_empty()).then(|| Filter::OneOf("share".into(), values));
    let with_query = bencher.with_inputs(|| Query {
        filter: filter.clone(),
        ..question(&[], Some(dice.vector()))
    });
    with_query.bench_local_values(|query| search(index, &query));
}

#[divan::bench(args = [1e-4, 1e-5, 1e-6])]
fn mass_from_one_place(bencher: Bencher, epsilon: f32) {
    let (index, allowed) = (&*INDEX, Allowed::new(&INDEX, None));
    let walk = PageRank {
        damping: 0.7,
        hit_seeds: 1,
        epsilon,
        weight: 1.0,
    };
    bencher.bench_local(|| {
        page_rank(
            index,
            &allowed,
            &[Seed {
                key: 77,
                share: 1.0,
                is_named: true,
            }],
            &walk,
        )
    });
}

#[divan::bench]
fn two_edges_away(bencher: Bencher) {
    let (index, allowed) = (&*INDEX, Allowed::new(&INDEX, None));
    let walk = BreadthFirst {
        depth: 2,
        types: None,
        limit: 200,
    };
    bencher.bench_local(|| breadth_first(index, &allowed, &[77], &walk));
}

#[divan::bench(args = [50, 200, 1_000])]
fn two_rankings_made_one(bencher: Bencher, depth: u32) {
    let ranking = |step: u32| -> Vec<(u32, f32)> {
        (0..depth)
            .map(|rank| (rank * step, (depth - rank) as f32))
            .collect()
    };
    let (words, vectors) = (ranking(2), ranking(3));
    bencher.bench_local(|| fuse(&[(1.0, &words), (0.5, &vectors)], u64::from));
}
