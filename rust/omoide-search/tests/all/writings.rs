//! Weights of words in texts that have them in another writing: as a reading, as a loanword, by their grams.

use omoide_index::{Index, NewDocument};
use omoide_search::{Filter, Hit, Query, Word, search};

/// A text: words, grams, readings of words.
type Text = [&'static [&'static str]; 3];

/// Every tenth text is one of `some`, in turn; the others have a word that no query asks for.
fn index(some: &[Text]) -> Index {
    index_of(|key| {
        let own = (key % 10 == 0).then(|| some[key / 10 % some.len()]);
        own.unwrap_or([&["別"], &["別"], &[]])
    })
}

/// 200 texts by their keys.
fn index_of(text: impl Fn(usize) -> Text) -> Index {
    let mut index = Index::new(1);
    for key in 0..200 {
        let document = NewDocument {
            key: key as u64,
            fields: text(key).map(<[_]>::to_vec),
            ..NewDocument::default()
        };
        index.put_document(document).expect("no vector, no refusal");
    }
    index
}

fn word(term: &str, start: usize, end: usize, weight: f32) -> Word {
    Word {
        term: term.into(),
        weight,
        start,
        end,
        except_kind: None,
    }
}

/// A query for a word in kana, and for texts that have it as a reading, at three quarters of the weight.
fn in_kana(folded: &str, grams: &[&str]) -> Query {
    let end = folded.chars().count();
    Query {
        folded: folded.to_owned(),
        words: vec![word(folded, 0, end, 1.0)],
        readings: vec![word(folded, 0, end, 0.75)],
        grams: grams.iter().map(|gram| ((*gram).into(), 1.0)).collect(),
        ..asked()
    }
}

fn asked() -> Query {
    Query {
        limit: 200,
        candidates: 200,
        word_weight: 1.0,
        ..Query::default()
    }
}

fn hit(index: &Index, query: &Query, key: u64) -> Hit {
    let hits = search(index, query).hits;
    let found = hits.into_iter().find(|hit| hit.key == key);
    found.expect("it matches")
}

fn score(index: &Index, query: &Query, key: u64) -> f32 {
    hit(index, query, key).words.expect("the only arm").1
}

fn near(found: f32, wanted: f32) -> bool {
    (found / wanted - 1.0).abs() < 1e-3
}

/// 東京 with its reading in nineteen texts of twenty; the others have it in kana.
fn reading_mostly() -> Index {
    let mut texts: [Text; 20] = [[&["東京"], &["東", "京"], &["トウキョウ"]]; 20];
    texts[10] = [&["トウキョウ"], &["トウ", "キョウ"], &[]];
    index_of(|key| texts[key % texts.len()])
}

#[test]
fn a_common_reading_covers_less_than_the_rare_word_it_is_a_variant_of() {
    let index = reading_mostly();
    let query = in_kana("トウキョウ", &[]);
    let (read, written) = (hit(&index, &query, 0), hit(&index, &query, 10));
    assert!(near(written.coverage, 1.0), "{written:?}");
    assert!(read.coverage < 0.2, "{read:?}");
    assert!(read.coverage > 0.1, "{read:?}");
}

#[test]
fn a_reading_also_gets_the_idf_of_the_rarer_grams_it_is_a_variant_of() {
    let index = reading_mostly();
    let alone = score(&index, &in_kana("トウキョウ", &[]), 0);
    for (grams, times) in [(&["トウ"][..], 2.0), (&["トウ", "キョウ"], 3.0)] {
        let together = score(&index, &in_kana("トウキョウ", grams), 0);
        assert!(near(together, times * alone), "{together} {alone}");
    }
}

#[test]
fn a_kana_that_a_word_repeats_counts_once_and_little_even_where_no_text_has_it() {
    let index = index(&[[&["母"], &["母"], &["ママ"]]]);
    let alone = score(&index, &in_kana("ママ", &[]), 0);
    let together = score(&index, &in_kana("ママ", &["マ"]), 0);
    assert!(
        near(together, (1.0 + 0.75 * 0.3) * alone),
        "{together} {alone}"
    );
}

#[test]
fn a_single_kana_counts_little_if_a_text_has_the_word_in_another_writing() {
    let index = index(&[
        [&["猫"], &["猫"], &["ネコ"]],
        [&["ネジ"], &["ネ", "ネジ"], &[]],
    ]);
    let query = in_kana("ネコ", &["ネ", "ネコ"]);
    let unread = Query {
        readings: Vec::new(),
        ..query.clone()
    };
    let (light, heavy) = (score(&index, &query, 10), score(&index, &unread, 10));
    assert!(near(light, 0.3 * heavy), "{light} {heavy}");
    let longer = in_kana("ネコ", &["ネジ"]);
    let unread = Query {
        readings: Vec::new(),
        ..longer.clone()
    };
    assert!(near(score(&index, &longer, 10), score(&index, &unread, 10)));
}

#[test]
fn a_word_in_no_text_is_missing_unless_an_overlapping_word_is_found() {
    let index = index(&[[&["記憶"], &[], &[]]]);
    let coverage = |start, end| {
        let query = Query {
            folded: "記憶体".to_owned(),
            words: vec![word("記憶", 0, 2, 1.0), word("無", start, end, 1.0)],
            ..asked()
        };
        hit(&index, &query, 0).coverage
    };
    for (start, end) in [(0, 2), (1, 3), (0, 3)] {
        assert!(near(coverage(start, end), 1.0), "{start}..{end}");
    }
    for (start, end) in [(2, 3), (3, 4)] {
        assert!(coverage(start, end) < 0.7, "{start}..{end}");
    }
}

#[test]
fn missing_variants_do_not_lower_the_coverage() {
    let mut index = index(&[[&["京都"], &[], &[]]]);
    for key in 11..100 {
        let document = NewDocument {
            key,
            fields: [vec!["kyoto"], vec![], vec![]],
            ..NewDocument::default()
        };
        index.put_document(document).expect("no vector, no refusal");
    }
    let with = |alternatives: Vec<Word>| {
        let query = Query {
            folded: "京都の無".to_owned(),
            words: vec![word("京都", 0, 2, 1.0), word("無", 3, 4, 1.0)],
            alternatives,
            filter: Some(Filter::Keys((10..100).collect())),
            ..asked()
        };
        hit(&index, &query, 10).coverage
    };
    let (alone, beside) = (with(Vec::new()), with(vec![word("kyoto", 0, 2, 0.5)]));
    assert!(alone < 0.6 && near(beside, alone), "{beside} {alone}");
}

#[test]
fn grams_are_correlated_but_words_are_not() {
    let index = index(&[[&["抹茶"], &["抹茶"], &[]]]);
    let by_word = Query {
        folded: "抹茶".to_owned(),
        words: vec![word("抹茶", 0, 2, 1.0)],
        ..asked()
    };
    let by_gram = Query {
        folded: "抹茶".to_owned(),
        grams: vec![("抹茶".into(), 1.0)],
        ..asked()
    };
    let usual = |query| hit(&index, query, 0).usual_coverage;
    let (word, gram) = (usual(&by_word), usual(&by_gram));
    assert!(near(gram.mean, word.mean), "{gram:?} {word:?}");
    assert!(
        near(gram.spread, 2_f32.sqrt() * word.spread),
        "{gram:?} {word:?}"
    );
}

#[test]
fn a_synonym_covers_its_weight_of_the_query_terms_at_its_place() {
    let index = index(&[
        [&["水豚"], &["水", "豚", "水豚"], &[]],
        [&["カピバラ"], &["カピ"], &[]],
        [&["豚"], &["豚"], &[]],
    ]);
    let query = |synonyms: Vec<Word>| Query {
        folded: "水豚の".to_owned(),
        words: vec![word("水豚", 0, 2, 1.0)],
        grams: ["水", "豚", "水豚"].map(|gram| (gram.into(), 1.0)).to_vec(),
        synonyms,
        ..asked()
    };
    let named = query(vec![word("カピバラ", 0, 2, 0.5)]);
    let [written, named_so, sharing] = [0, 10, 20].map(|key| hit(&index, &named, key).coverage);
    assert!(near(written, 1.0), "{written}");
    assert!((0.4..=0.5).contains(&named_so), "{named_so}");
    assert!(sharing < named_so / 2.0, "{sharing} {named_so}");
    let elsewhere = query(vec![word("カピバラ", 2, 3, 0.5)]);
    assert!(near(
        hit(&index, &elsewhere, 10).coverage,
        hit(&index, &as_alternatives(&elsewhere), 10).coverage
    ));
}

#[test]
fn a_synonym_with_the_weight_of_a_word_counts_as_that_word_and_its_characters_little() {
    let index = index(&[
        [&["软体", "软件"], &["软", "体", "软体"], &[]],
        [&["软件"], &["软", "件", "软件"], &[]],
        [&["体会"], &["体", "会", "体会"], &[]],
    ]);
    let query = |weight: f32| Query {
        folded: "软体".to_owned(),
        words: vec![word("软体", 0, 2, 1.0)],
        grams: ["软", "体", "软体"].map(|gram| (gram.into(), 1.0)).to_vec(),
        synonyms: vec![word("软件", 0, 2, weight)],
        ..asked()
    };
    let [written, called_so] = [0, 10].map(|key| hit(&index, &query(1.0), key).coverage);
    assert!(near(written, 1.0), "{written}");
    // Of two texts in three it is less rare than what is asked for.
    assert!(called_so > 0.7, "{called_so}");
    let [equivalent, synonym] = [1.0, 0.5].map(|weight| score(&index, &query(weight), 20));
    assert!(equivalent < 0.4 * synonym, "{equivalent} {synonym}");
}

#[test]
fn a_word_that_texts_in_another_writing_quote_is_no_commoner_among_them_than_it_is() {
    const MINUTES: [&str; 5] = ["議", "事", "録", "議事", "事録"];
    let mut index = Index::new(1);
    // Of a hundred English texts every tenth quotes 議事録; of a hundred Japanese ones every tenth has it, the others other grams.
    for key in 0..200 {
        let (is_english, has_it) = (key < 100, key % 10 == 0);
        let mut words = vec![if is_english { "meeting" } else { "会議" }];
        let mut grams = if is_english {
            vec![]
        } else {
            vec!["会", "会議"]
        };
        if has_it {
            words.push("議事録");
            grams.extend(MINUTES);
        }
        if key == 50 {
            words.push("pr4821");
        }
        let document = NewDocument {
            key,
            kind: u8::from(is_english),
            fields: [words, grams, vec![]],
            ..NewDocument::default()
        };
        index.put_document(document).expect("no vector, no refusal");
    }
    let query = Query {
        folded: "pr4821 議事録".to_owned(),
        words: vec![word("pr4821", 0, 6, 1.0), word("議事録", 7, 10, 1.0)],
        grams: MINUTES.map(|gram| (gram.into(), 1.0)).to_vec(),
        ..asked()
    };
    assert_eq!(search(&index, &query).hits[0].key, 50);
    let [english, japanese] = [0, 100].map(|key| score(&index, &query, key));
    assert!(
        (0.5..2.0).contains(&(english / japanese)),
        "{english} {japanese}"
    );
}

#[test]
fn a_word_without_grams_counts_six_times_beside_words_that_have_some() {
    let index = index(&[
        [&["会議", "ab50"], &["会", "議", "会議"], &[]],
        [&["会議"], &["会", "議", "会議"], &[]],
    ]);
    let number = word("ab50", 3, 7, 1.0);
    let alone = Query {
        folded: "?? ab50".to_owned(),
        words: vec![number.clone()],
        ..asked()
    };
    let beside = |more: Vec<Word>| Query {
        folded: "会議 ab50".to_owned(),
        words: [vec![word("会議", 0, 2, 1.0), number.clone()], more].concat(),
        grams: ["会", "議", "会議"].map(|gram| (gram.into(), 1.0)).to_vec(),
        ..asked()
    };
    let [both, one] = [0, 10].map(|key| score(&index, &beside(vec![]), key));
    let of_number = score(&index, &alone, 0);
    assert!(both > one + 4.0 * of_number, "{both} {one} {of_number}");
    assert!(
        both < one + 6.0 * of_number,
        "its text is longer: {both} {one} {of_number}"
    );
    let again = beside(vec![word("ab50", 0, 2, 1.0)]);
    assert!(
        near(score(&index, &again, 0), both),
        "the same word counts once"
    );
}

/// The query with its synonyms as alternatives, which stand for nothing.
fn as_alternatives(query: &Query) -> Query {
    Query {
        alternatives: query.synonyms.clone(),
        synonyms: Vec::new(),
        ..query.clone()
    }
}

const JAPANESE: usize = 1;
const CHINESE: usize = 2;

/// Han characters that one dictionary has as two words, and the other also in parts.
fn read_both_ways() -> Query {
    let part = |term, start, end| Word {
        except_kind: Some(JAPANESE),
        ..word(term, start, end, 1.0)
    };
    Query {
        folded: "北海道 地震".to_owned(),
        words: vec![
            word("北海道", 0, 3, 1.0),
            part("北海", 0, 2),
            part("海道", 1, 3),
            word("地震", 4, 6, 1.0),
        ],
        ..asked()
    }
}

/// 200 texts, half in Japanese and half in Chinese; every tenth is one of `japanese` or of `chinese`, in turn.
fn in_two_languages(japanese: Text, chinese: Text) -> Index {
    let mut index = Index::new(1);
    for key in 0..200 {
        let kind = if key % 20 < 10 { JAPANESE } else { CHINESE };
        let own = if kind == JAPANESE { japanese } else { chinese };
        let other: Text = [&["別"], &[], &[]];
        let text = if key % 10 == 0 { own } else { other };
        let document = NewDocument {
            key,
            kind: kind as u8,
            fields: text.map(<[_]>::to_vec),
            ..NewDocument::default()
        };
        index.put_document(document).expect("no vector, no refusal");
    }
    index
}

#[test]
fn what_one_language_has_as_one_word_need_not_be_matched_in_the_parts_of_another() {
    let index = in_two_languages(
        [&["北海道", "地震"], &[], &[]],
        [&["北海道", "北海", "海道", "狼"], &[], &[]],
    );
    let query = read_both_ways();
    let [japanese, chinese] = [0, 10].map(|key| hit(&index, &query, key));
    assert!(near(japanese.coverage, 1.0), "{japanese:?}");
    assert!(chinese.coverage < 0.8, "{chinese:?}");
}

#[test]
fn a_word_of_the_other_language_alone_finds_nothing() {
    let index = in_two_languages([&["北海"], &[], &[]], [&["北海"], &[], &[]]);
    let hits = search(&index, &read_both_ways()).hits;
    assert_eq!(hits.len(), 10);
    assert!(hits.iter().all(|hit| hit.key % 20 == 10), "{hits:?}");
}

#[test]
fn a_word_that_stands_twice_counts_wherever_one_of_them_does() {
    let index = in_two_languages([&["北海"], &[], &[]], [&["北海"], &[], &[]]);
    let mut query = read_both_ways();
    query.words.push(word("北海", 7, 9, 1.0));
    assert_eq!(search(&index, &query).hits.len(), 20);
}
