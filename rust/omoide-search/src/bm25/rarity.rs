//! How unlikely is it that a text has by chance what it matches?
//!
//! A word, its grams and its other writings occur together: of each part of the query, the rarest term that a text has counts.
//! Useful for: a limit to the surprise at a hit, however little else there is to match. Not useful for: scores.

use super::{Terms, known_share};
use crate::{Query, Word};
use rustc_hash::FxHashMap;

/// Characters of the longest gram that texts are cut into.
const GRAM_LENGTH: usize = 2;

/// Which part of a query its terms belong to: each word is one, and words that overlap are one together. Grams outside of words
/// (particles) and those from one part into another tell nothing of their own.
#[derive(Debug)]
pub struct Parts<'q> {
    by_term: FxHashMap<&'q str, usize>,
    count: usize,
}

impl<'q> Parts<'q> {
    /// The parts of a query, and its terms within each.
    pub fn of(query: &'q Query) -> Self {
        let folded = query.folded.as_str();
        let mut bytes: Vec<usize> = folded.char_indices().map(|(byte, _)| byte).collect();
        bytes.push(folded.len());
        let mut words: Vec<&Word> = query
            .words
            .iter()
            .filter(|word| word.weight > 0.0)
            .collect();
        words.sort_unstable_by_key(|word| word.start);
        // By code point of the query.
        let mut part_at: Vec<Option<usize>> = vec![None; bytes.len() - 1];
        let (mut count, mut end) = (0, 0);
        for word in words {
            count += usize::from(word.start >= end);
            end = end.max(word.end);
            let until = word.end.min(part_at.len());
            part_at[word.start.min(until)..until].fill(Some(count - 1));
        }
        let mut by_term = FxHashMap::default();
        let variants = query.alternatives.iter().chain(&query.synonyms);
        for word in query.words.iter().chain(variants).chain(&query.readings) {
            if let Some(&Some(part)) = part_at.get(word.start) {
                by_term.entry(word.term.as_str()).or_insert(part);
            }
        }
        for (at, part) in part_at.iter().enumerate() {
            let Some(part) = *part else { continue };
            let pieces =
                (1..=GRAM_LENGTH).filter(|more| part_at.get(at + more - 1) == Some(&Some(part)));
            for length in pieces {
                by_term
                    .entry(&folded[bytes[at]..bytes[at + length]])
                    .or_insert(part);
            }
        }
        Self { by_term, count }
    }
}

impl Terms<'_> {
    /// Minus the logarithm, in nats, of the probability that a text of a kind has by chance the terms that one has, each with the
    /// weight of the turn it is in.
    pub(super) fn rarity(&self, near: &[(usize, f32)], kind: usize, parts: &Parts<'_>) -> f32 {
        let mut most = vec![0.0_f32; parts.count];
        for &(at, near) in near {
            let term = &self.found[at];
            let part = parts.by_term.get(term.text);
            let Some(&part) = part.filter(|_| term.counts_in(kind)) else {
                continue;
            };
            let usual = term.df_ratio[kind] * known_share(term.field);
            let nats = -near * usual.max(f32::MIN_POSITIVE).ln();
            most[part] = most[part].max(nats);
        }
        most.into_iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_overlap_are_one_part_and_particles_are_none() {
        let word = |term: &str, start, end, weight| Word {
            term: term.into(),
            weight,
            start,
            end,
            except_kind: None,
        };
        let query = Query {
            folded: "東京都ノtea好キ".to_owned(),
            words: vec![
                word("好き", 7, 9, 1.0),
                word("京都", 1, 3, 1.0),
                word("東京", 0, 2, 1.0),
                word("の", 3, 4, 0.0),
                word("tea", 4, 7, 1.0),
                word("beyond", 20, 26, 1.0),
            ],
            readings: vec![word("スキ", 7, 9, 1.0)],
            synonyms: vec![word("茶", 4, 7, 1.0)],
            ..Query::default()
        };
        let parts = Parts::of(&query);
        let of = |terms: &[&str]| {
            terms
                .iter()
                .map(|term| parts.by_term.get(term).copied())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of(&["東京", "京都", "東", "京", "都", "東京", "京都"]),
            [Some(0); 7]
        );
        assert_eq!(of(&["tea", "茶"]), [Some(1); 2]);
        assert_eq!(of(&["好き", "スキ", "好", "キ", "好キ"]), [Some(2); 5]);
        assert_eq!(of(&["ノ", "都ノ", "ノt", "a好", "の", "beyond"]), [None; 6]);
    }
}
