//! What is found by questions of so many words that not all of them take part in the ranking of every document.

use omoide_index::{Index, NewDocument};
use omoide_search::{BreadthFirst, Filter, Hit, Query, Spelling, Word, search};

/// Documents that only have a reading, each another one, as the kana of a long message suggest many.
const WITH_READINGS: u64 = 400;
const WORDS: usize = 40;
/// The key of the document with all words that the question asks for.
const WANTED: u64 = 1_000;

fn term(prefix: &str, number: usize) -> String {
    format!("{prefix}{number}")
}

fn texts(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

fn put(index: &mut Index, key: u64, words: &[String], readings: &[String]) {
    let document = NewDocument {
        key,
        fields: [texts(words), vec![], texts(readings)],
        ..NewDocument::default()
    };
    index.put_document(document).expect("no vector, no refusal");
}

/// Every reading is in one document, every word in several.
fn index() -> Index {
    let mut index = Index::new(1);
    for key in 0..WITH_READINGS {
        put(&mut index, key, &[], &[term("ヨミ", key as usize)]);
    }
    let words: Vec<String> = (0..WORDS).map(|number| term("言葉", number)).collect();
    for (at, word) in words.iter().enumerate() {
        for again in 0..5 {
            let key = 2_000 + 10 * at as u64 + again;
            put(&mut index, key, std::slice::from_ref(word), &[]);
        }
    }
    put(&mut index, WANTED, &words, &[]);
    index
}

fn question(filter: Option<Filter>) -> Query {
    let word = |prefix: &'static str| {
        move |number: usize| Word {
            term: term(prefix, number).into(),
            weight: 1.0,
            start: number,
            end: number + 1,
            except_kind: None,
        }
    };
    Query {
        folded: "の".repeat(WITH_READINGS as usize),
        words: (0..WORDS).map(word("言葉")).collect(),
        readings: (0..WITH_READINGS as usize).map(word("ヨミ")).collect(),
        filter,
        limit: 5,
        candidates: 12,
        word_weight: 1.0,
        ..Query::default()
    }
}

fn first(index: &Index, filter: Option<Filter>) -> Hit {
    let found = search(index, &question(filter));
    found.hits.into_iter().next().expect("something is found")
}

#[test]
fn what_most_words_are_in_is_found_beside_hundreds_of_rarer_readings() {
    let index = index();
    assert_eq!(first(&index, None).key, WANTED);
}

#[test]
fn scores_are_those_of_all_words() {
    let index = index();
    // Among so few documents all are ranked by all words.
    let alone = first(&index, Some(Filter::Keys(vec![WANTED])));
    let among_all = first(&index, None);
    assert_eq!(among_all.key, alone.key);
    assert_eq!(
        among_all.words.map(|ranked| ranked.1),
        alone.words.map(|ranked| ranked.1)
    );
}

#[test]
fn whoever_wants_more_than_can_be_counted_gets_all() {
    let index = index();
    let all = search(&index, &question(None)).allowed;
    for limit in [all, 1 << (usize::BITS - 2), usize::MAX] {
        let query = Query {
            limit,
            candidates: limit,
            spelling: Some(Spelling::default()),
            vector_weight: 1.0,
            breadth_first: Some(BreadthFirst {
                depth: 1,
                types: None,
                limit,
            }),
            ..question(None)
        };
        assert_eq!(search(&index, &query).hits.len(), all, "{limit}");
    }
}
