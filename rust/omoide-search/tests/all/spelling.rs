//! Similarity of spelling computed from lists, compared with every cosine by its definition.

use crate::common::Random;
use omoide_index::spellings::log_frequency;
use omoide_index::{Index, NewDocument};
use omoide_search::{Filter, Piece, Query, Spelling, Word, idf, search};
use std::collections::HashMap;

type Passes = fn(u64) -> bool;

/// More than one window of documents.
const DOCUMENTS: u64 = 5_000;

/// Letters, some far more frequent than others; the first half are read as grams, the others as sequences.
const LETTERS: [char; 16] = [
    'の', '茶', '京', '都', '記', '憶', '猫', '家', 'e', 't', 'a', 'o', 'n', 'k', 'q', 'z',
];

fn text(random: &mut Random, longest: usize) -> String {
    let letter = |random: &mut Random| {
        LETTERS[(0..3).map(|_| random.below(16)).min().unwrap_or(0) ^ (random.below(2) * 8)]
    };
    (0..random.below(longest)).map(|_| letter(random)).collect()
}

/// Pairs of neighbouring letters: as grams, and as sequences.
fn pieces(text: &str) -> [Vec<Piece>; 2] {
    let places: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let pairs = places
        .windows(3)
        .map(|at| (text[at[0]..at[2]].into(), at[0]..at[2]));
    let (sequences, grams) = pairs.partition(|pair: &Piece| pair.0.is_ascii());
    [grams, sequences]
}

fn strings(pieces: &[Piece]) -> Vec<&str> {
    pieces.iter().map(|piece| piece.0.as_str()).collect()
}

fn put(index: &mut Index, key: u64, text: &str) {
    let [grams, sequences] = pieces(text);
    let parity = [("parity".to_owned(), (key % 2).to_string())];
    let document = NewDocument {
        key,
        fields: [vec![], strings(&grams), vec![]],
        attributes: &parity,
        sequences: Some(
            sequences
                .into_iter()
                .map(|each| each.0.into_string())
                .collect(),
        ),
        ..NewDocument::default()
    };
    index.put_document(document).expect("no vector, no refusal");
}

fn asked(text: &str, evenly: bool, filter: Option<Filter>, count: usize) -> Query {
    let [grams, sequences] = pieces(text);
    Query {
        folded: text.to_owned(),
        spelling: Some(Spelling {
            folded: text.to_owned(),
            grams,
            sequences,
            evenly,
        }),
        filter,
        limit: count,
        candidates: count,
        vector_weight: 1.0,
        ..Query::default()
    }
}

/// How often a text has each piece.
type Counts = HashMap<String, u32>;

fn counts(text: &str) -> Counts {
    let mut counts = Counts::new();
    for (letters, _) in pieces(text).concat() {
        *counts.entry(letters.into_string()).or_default() += 1;
    }
    counts
}

/// The pieces' values times their rarities, scaled to length 1.
fn vector(counts: &Counts, rarity: impl Fn(&str) -> f32) -> HashMap<&str, f32> {
    let weighed = |(letters, &count): (&String, &u32)| log_frequency(count) * rarity(letters);
    let length = counts.iter().map(|each| weighed(each).powi(2)).sum::<f32>();
    let scaled = counts
        .iter()
        .map(|each| (each.0.as_str(), weighed(each) / length.sqrt()));
    scaled.collect()
}

/// Every cosine above 0, best first.
fn naive(
    texts: &HashMap<u64, Counts>,
    query: &str,
    evenly: bool,
    passes: Passes,
) -> Vec<(u64, f32)> {
    let rarity = |letters: &str| {
        let df = texts.values().filter(|text| text.contains_key(letters));
        idf(texts.len() as u32, df.count() as u32)
    };
    let query = counts(query);
    let query = vector(&query, |letters| if evenly { 1.0 } else { rarity(letters) });
    let cosine = |text: HashMap<&str, f32>| {
        let parts = query
            .iter()
            .filter_map(|(letters, value)| Some(value * text.get(letters)?));
        parts.sum::<f32>()
    };
    let passing = texts.iter().filter(|text| passes(*text.0));
    let scored = passing.map(|(&key, text)| (key, cosine(vector(text, |_| 1.0))));
    let mut scored: Vec<(u64, f32)> = scored.filter(|hit| hit.1 > 0.0).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored
}

#[test]
fn the_nearest_in_spelling_are_those_of_the_definition() {
    let mut random = Random(3);
    let mut index = Index::new(1);
    let mut texts: HashMap<u64, Counts> = HashMap::new();
    for key in 0..DOCUMENTS {
        let text = text(&mut random, 30);
        put(&mut index, key, &text);
        texts.insert(key, counts(&text));
    }
    for key in (0..DOCUMENTS).step_by(7) {
        index.remove(key);
        texts.remove(&key);
    }
    let odd = Filter::OneOf("parity".into(), vec!["1".into()]);
    let filters: [(Option<Filter>, Passes); 2] =
        [(None, |_| true), (Some(odd), |key| key % 2 == 1)];
    let asked_for = [
        (3, false, 10),
        (12, false, 10),
        (12, true, 50),
        (40, false, 6_000),
    ];
    for ((filter, passes), (length, evenly, count)) in filters
        .iter()
        .flat_map(|filter| asked_for.map(|how| (filter, how)))
    {
        let query = text(&mut random, length) + "猫の家 ant";
        let found = search(&index, &asked(&query, evenly, filter.clone(), count)).hits;
        let wanted = naive(&texts, &query, evenly, *passes);
        assert_eq!(found.len(), wanted.len().min(count), "{query}");
        let of_key: HashMap<u64, f32> = wanted.iter().copied().collect();
        for (hit, (_, at_its_place)) in found.iter().zip(&wanted) {
            let cosine = hit.cosine.expect("its spelling is kept");
            for wanted in [*at_its_place, of_key[&hit.key]] {
                assert!((cosine - wanted).abs() < 1e-5, "{query}: {cosine} {wanted}");
            }
        }
    }
}

/// Add a text of words between spaces.
fn put_words(index: &mut Index, key: u64, text: &str, scope: &str) {
    let [grams, sequences] = pieces(text);
    let scope = [("scope".to_owned(), scope.to_owned())];
    let document = NewDocument {
        key,
        fields: [text.split(' ').collect(), strings(&grams), vec![]],
        attributes: &scope,
        sequences: Some(
            sequences
                .into_iter()
                .map(|each| each.0.into_string())
                .collect(),
        ),
        ..NewDocument::default()
    };
    index.put_document(document).expect("no vector, no refusal");
}

/// The same query, which also searches by words.
fn search_by_words(text: &str, filter: Option<Filter>, count: usize) -> Query {
    let end = |term: &str| term.as_ptr() as usize - text.as_ptr() as usize + term.len();
    let word = |term: &str| Word {
        term: term.into(),
        weight: 1.0,
        start: end(term) - term.len(),
        end: end(term),
        except_kind: None,
    };
    Query {
        words: text.split(' ').map(word).collect(),
        candidates: DOCUMENTS as usize,
        word_weight: 1.0,
        vector_weight: 0.1,
        ..asked(text, false, filter, count)
    }
}

/// Words fill the page with other texts, and yet the best text is found: the question misspells a word of it, or the texts with
/// that word are filtered out.
#[test]
fn a_word_in_no_document_is_searched_by_its_letters() {
    let mut index = Index::new(1);
    put_words(&mut index, 0, "tea at kimono", "here");
    put_words(&mut index, 1, "tea at kinomo", "there");
    for key in 3..400 {
        put_words(&mut index, key, "tea at noon", "here");
    }
    put_words(&mut index, 2, "tea at kinomo", "there");
    let here = Some(Filter::OneOf("scope".into(), vec!["here".into()]));
    for (text, filter, first) in [
        ("tea kimono", None, 0),
        ("tea kimno", None, 0),
        ("tea kinomo", here, 0),
        ("tea kinomo", None, 2),
        ("tea", None, 399),
    ] {
        let hits = search(&index, &search_by_words(text, filter, 10)).hits;
        assert_eq!((hits.len(), hits[0].key), (10, first), "{text}");
    }
    let mut unasked = search_by_words("tea kimno", None, 10);
    unasked.words[1].weight = 0.0;
    assert_eq!(search(&index, &unasked).hits[0].key, 399);
}

/// The second text has no word of the question, and is nearer to it in spelling.
#[test]
fn texts_without_the_words_are_compared_by_their_letters_if_words_find_less_than_a_page() {
    let mut index = Index::new(1);
    put_words(&mut index, 0, "tea at noon kimono", "here");
    put_words(&mut index, 1, "kimonok", "here");
    for (page, wanted) in [(1, vec![0]), (2, vec![1, 0]), (3, vec![1, 0])] {
        let query = Query {
            vector_weight: 10.0,
            ..search_by_words("kimono", None, page)
        };
        let hits = search(&index, &query).hits;
        let keys: Vec<u64> = hits.iter().map(|hit| hit.key).collect();
        assert_eq!(keys, wanted, "{page}");
    }
}

/// A text that is among the best by words and by the letters of a misspelt one.
#[test]
fn what_words_and_their_letters_find_counts_once() {
    let mut index = Index::new(1);
    for key in 0..40 {
        put_words(&mut index, key, "tea at noon", "here");
    }
    put_words(&mut index, 40, "tea at kimono", "here");
    let hits = search(&index, &search_by_words("tea kimno", None, 10)).hits;
    assert_eq!(hits[0].key, 40);
    assert!((hits[0].score - 1.1).abs() < 1e-6, "{:?}", hits[0]);
}

/// Of two texts with the same words, the one that the page has no room for by words is spelled more like the question.
#[test]
fn hits_by_words_beyond_the_page_are_compared_by_their_letters() {
    let mut index = Index::new(1);
    put_words(&mut index, 0, "tea at kanten", "here");
    put_words(&mut index, 1, "tea at zoo", "here");
    let mut query = search_by_words("tea kanten", None, 1);
    query.words.truncate(1);
    assert_eq!(search(&index, &query).hits[0].key, 0);
}

#[test]
fn a_hit_by_words_that_shares_no_letters_is_none_by_spelling() {
    let mut index = Index::new(1);
    put_words(&mut index, 0, "tea", "here");
    put_words(&mut index, 1, "zoo", "here");
    let mut query = search_by_words("zoo", None, 1);
    query.words[0].term = "tea".into();
    let hits = search(&index, &query).hits;
    assert_eq!((hits[0].key, hits[0].vectors), (0, None));
}

#[test]
fn a_text_has_cosine_one_with_itself() {
    let mut index = Index::new(1);
    for (key, text) in ["猫の記憶", "tea at noon", "の"].into_iter().enumerate() {
        put(&mut index, key as u64, text);
    }
    for (key, text) in ["猫の記憶", "tea at noon"].into_iter().enumerate() {
        let hits = search(&index, &asked(text, true, None, 1)).hits;
        let found: Vec<(u64, Option<f32>)> = hits
            .iter()
            .map(|hit| (hit.key, hit.cosine.map(f32::round)))
            .collect();
        assert_eq!(found, [(key as u64, Some(1.0))]);
        assert!((hits[0].score - 1.0).abs() < 1e-6);
    }
    assert!(search(&index, &asked("!?", false, None, 9)).hits.is_empty());
}

#[test]
fn of_equal_scores_the_larger_key_wins_at_any_depth() {
    let text = "猫の記憶と京都の家の茶 tea at noon";
    let mut index = Index::new(1);
    for key in 0..DOCUMENTS {
        let is_alike = key == 0 || key == DOCUMENTS - 1;
        put(&mut index, key, if is_alike { text } else { "京都" });
    }
    let hits = search(&index, &asked(text, true, None, 1)).hits;
    assert_eq!(hits[0].key, DOCUMENTS - 1);
}
