//! What a search has to find, computed from the memories themselves, one by one.

use super::memory::{COLUMN, Memory, World};
use omoide_index::KIND_COUNT;
use omoide_index::postings::{B, K1, PRIOR};
use omoide_search::{Filter, Word};
use std::collections::BTreeSet;

/// Keys and scores, best first, ties by larger key.
pub type Ranking = Vec<(u64, f32)>;

/// Whether a memory passes a filter, by its definition.
pub fn passes(filter: &Filter, key: u64, memory: &Memory) -> bool {
    match filter {
        Filter::All(filters) => filters.iter().all(|each| passes(each, key, memory)),
        Filter::Any(filters) => filters.iter().any(|each| passes(each, key, memory)),
        Filter::Not(filter) => !passes(filter, key, memory),
        Filter::OneOf(name, values) => {
            let mut pairs = memory.attributes.iter();
            pairs.any(|(each, value)| each == name && values.contains(value))
        }
        Filter::Within(name, start, end) => {
            let inside = |value: i64| {
                start.is_none_or(|least| value >= least) && end.is_none_or(|end| value < end)
            };
            memory
                .numbers
                .iter()
                .any(|(each, value)| each == name && inside(*value))
        }
        Filter::Keys(keys) => keys.contains(&key),
        Filter::HasAttribute(name) => memory.attributes.iter().any(|(each, _)| each == name),
        Filter::HasNumber(name) => memory.numbers.iter().any(|(each, _)| each == name),
    }
}

/// The memories that pass, in the order of their keys.
pub fn allowed<'a>(world: &'a World, filter: Option<&Filter>) -> Vec<(u64, &'a Memory)> {
    let all = world.memories.iter().map(|(&key, memory)| (key, memory));
    all.filter(|(key, memory)| filter.is_none_or(|filter| passes(filter, *key, memory)))
        .collect()
}

/// The memories with the nearest passages, however far.
pub fn nearest(allowed: &[(u64, &Memory)], query: &[f32]) -> Ranking {
    let cosine = |vector: &Vec<f32>| {
        let product: f32 = vector.iter().zip(query).map(|(a, b)| a * b).sum();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 { product / length } else { 0.0 }
    };
    let near = |(key, memory): &(u64, &Memory)| {
        Some((*key, memory.vectors.iter().map(cosine).reduce(f32::max)?))
    };
    ranked(allowed.iter().filter_map(near))
}

/// The best by BM25 over words, each word once however often it is asked for; statistics are those of a kind's memories, shrunk
/// towards those of all.
pub fn by_words(world: &World, allowed: &[(u64, &Memory)], words: &[Word]) -> Ranking {
    let statistics = Statistics::of(world);
    let words: BTreeSet<&str> = words.iter().map(|word| word.term.as_str()).collect();
    let score = |memory: &Memory| {
        words
            .iter()
            .map(|word| statistics.score(word, memory))
            .sum::<f32>()
    };
    let scored = allowed.iter().map(|&(key, memory)| (key, score(memory)));
    ranked(scored.filter(|hit| hit.1 > 0.0))
}

/// All, newest first by the column, ties by larger key.
pub fn listed(allowed: &[(u64, &Memory)]) -> Vec<u64> {
    let value = |memory: &Memory| {
        memory
            .numbers
            .iter()
            .find(|(name, _)| name == COLUMN)
            .map(|pair| pair.1)
    };
    let mut placed: Vec<_> = allowed
        .iter()
        .map(|&(key, memory)| (value(memory), key))
        .collect();
    placed.sort_unstable();
    placed.into_iter().rev().map(|(_, key)| key).collect()
}

fn ranked(scored: impl Iterator<Item = (u64, f32)>) -> Ranking {
    let mut ranking: Ranking = scored.collect();
    ranking.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    ranking
}

struct Statistics<'a> {
    with_words: Vec<&'a Memory>,
}

impl<'a> Statistics<'a> {
    fn of(world: &'a World) -> Self {
        let all = world.memories.values();
        Self {
            with_words: all.filter(|memory| !memory.words.is_empty()).collect(),
        }
    }

    /// The number of memories, of those with the word, and of words, in one kind or in all.
    fn counts(&self, word: &str, kind: Option<u8>) -> [f32; 3] {
        let of_kind = || {
            self.with_words
                .iter()
                .filter(move |memory| kind.is_none_or(|kind| memory.kind == kind))
        };
        let with = of_kind()
            .filter(|memory| memory.words.contains(&word))
            .count();
        let length: usize = of_kind().map(|memory| memory.words.len()).sum();
        [of_kind().count() as f32, with as f32, length as f32]
    }

    fn score(&self, word: &str, memory: &Memory) -> f32 {
        assert!(usize::from(memory.kind) < KIND_COUNT);
        let times = memory.words.iter().filter(|each| **each == word).count() as f32;
        let [all, with, length] = self.counts(word, None);
        let [all_here, with_here, length_here] = self.counts(word, Some(memory.kind));
        let share = (with_here + PRIOR * with / all) / (all_here + PRIOR);
        let rarity = (1.0 + (all - share * all + 0.5) / (share * all + 0.5)).ln();
        let mean = (length_here + PRIOR * length / all) / (all_here + PRIOR);
        let held_back = K1 * (1.0 - B + B * memory.words.len() as f32 / mean);
        rarity * times / (times + held_back)
    }
}
