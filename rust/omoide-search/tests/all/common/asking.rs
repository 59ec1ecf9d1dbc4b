//! Questions for an index, and whether two answers are the same.

use super::Random;
use super::memory::{COLUMN, MEMORIES, NAMES, SCOPES, VOCABULARY, halves};
use omoide_search::{BreadthFirst, Filter, Hits, PageRank, Query, Spelling, Word};

pub fn filters() -> [Option<Filter>; 5] {
    let scope = Filter::OneOf("scope".into(), vec![SCOPES[0].into()]);
    let late = Filter::Within(COLUMN.into(), Some(10), None);
    [
        None,
        Some(scope.clone()),
        Some(Filter::All(vec![
            Filter::Not(scope.into()).into(),
            late.into(),
        ])),
        Some(Filter::Keys((0..MEMORIES as u64).step_by(3).collect())),
        Some(Filter::Keys(vec![])),
    ]
}

/// A query that ranks by nothing yet, and so only lists.
pub fn query_with(filter: Option<Filter>) -> Query {
    Query {
        filter,
        limit: 8,
        candidates: 12,
        word_weight: 1.0,
        order_by: COLUMN.into(),
        ..Query::default()
    }
}

pub fn word(term: &str) -> Word {
    Word {
        term: term.into(),
        weight: 1.0,
        start: 0,
        end: 0,
        except_kind: None,
    }
}

pub fn some_words(random: &mut Random, count: usize) -> Vec<Word> {
    (0..count)
        .map(|_| word(VOCABULARY[random.below(VOCABULARY.len())]))
        .collect()
}

/// A word of the vocabulary as a gram, others as sequences.
fn spelling(random: &mut Random) -> Spelling {
    let mut some = || VOCABULARY[random.below(VOCABULARY.len())];
    let sequences = halves(&[some(), some(), some()]).into_iter();
    Spelling {
        folded: "抹".into(),
        grams: vec![(some().into(), 0..3)],
        sequences: sequences.map(|letters| (letters.into(), 0..3)).collect(),
        evenly: true,
    }
}

/// Queries that combine words, vectors or spellings, and walks, with all filters.
pub fn combined_queries(random: &mut Random) -> Vec<Query> {
    let walk = PageRank {
        damping: 0.7,
        hit_seeds: 2,
        epsilon: 1e-7,
        weight: 1.0,
    };
    let around = BreadthFirst {
        depth: 2,
        types: None,
        limit: 9,
    };
    let mut ask = |filter: &Option<Filter>, walks: bool| Query {
        folded: NAMES[random.below(NAMES.len())].to_owned(),
        words: some_words(random, 3),
        readings: vec![word("マッチャ")],
        spelling: Some(spelling(random)),
        vector: (random.below(2) == 0).then(|| vec![0.5, -0.5, 0.5, 0.5]),
        vector_weight: 0.5,
        page_rank: walks.then(|| walk.clone()),
        breadth_first: walks.then(|| around.clone()),
        ..query_with(filter.clone())
    };
    let asked = filters();
    let asked = asked
        .iter()
        .flat_map(|filter| [(filter, false), (filter, true)]);
    asked.map(|(filter, walks)| ask(filter, walks)).collect()
}

/// Whether a caller sees the same: keys in order, passages, neighbours, and scores, up to the rounding of sums in another
/// order.
pub fn same_answer(found: &Hits, wanted: &Hits) -> bool {
    let mut pairs = found.hits.iter().zip(&wanted.hits);
    let same = pairs
        .all(|(a, b)| (a.key, a.passage) == (b.key, b.passage) && (a.score - b.score).abs() < 1e-4);
    let met = |hits: &Hits| -> Vec<(u64, usize)> {
        let neighbours = hits.neighbours.iter();
        neighbours.map(|(met, _)| (met.key, met.depth)).collect()
    };
    same && found.hits.len() == wanted.hits.len()
        && (found.allowed, &found.named) == (wanted.allowed, &wanted.named)
        && met(found) == met(wanted)
}
