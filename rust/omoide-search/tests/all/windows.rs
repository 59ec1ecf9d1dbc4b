//! What is found at the edges of the blocks of words' lists, and of the windows of documents in which lists are added up.

use omoide_index::{Index, NewDocument};
use omoide_search::{Query, Word, search};

/// Documents whose keys are their places, more than are added up at once. Words, and the places of the documents with them.
fn index(words: &[(&str, &[u64])]) -> Index {
    let mut index = Index::new(1);
    for key in 0..9_000 {
        let own = words.iter().filter(|word| word.1.contains(&key));
        let mut text: Vec<&str> = own.map(|word| word.0).collect();
        text.resize(words.len(), "茶");
        let document = NewDocument {
            key,
            fields: [text, vec![], vec![]],
            ..NewDocument::default()
        };
        index.put_document(document).expect("no vector, no refusal");
    }
    index
}

/// The keys found by words of these weights.
fn found(index: &Index, words: &[(&str, f32)], count: usize) -> Vec<u64> {
    let word = |(at, &(term, weight)): (usize, &(&str, f32))| Word {
        term: term.into(),
        weight,
        start: at,
        end: at + 1,
        except_kind: None,
    };
    let query = Query {
        folded: "の".repeat(words.len()),
        words: words.iter().enumerate().map(word).collect(),
        limit: count,
        candidates: count,
        word_weight: 1.0,
        ..Query::default()
    };
    let hits = search(index, &query).hits;
    hits.iter().map(|hit| hit.key).collect()
}

#[test]
fn far_apart_documents_do_not_share_their_scores() {
    let index = index(&[("京都", &[0, 5_000, 8_500]), ("猫", &[1, 904, 8_500])]);
    let words = [("京都", 1.0), ("猫", 1.0)];
    assert_eq!(found(&index, &words, 9), [8_500, 5_000, 904, 1, 0]);
}

/// The second block of the weaker word's list begins there, after 128 documents that have only that word.
#[test]
fn a_block_that_begins_at_the_last_document_of_another_counts() {
    let common: Vec<u64> = (500..900).collect();
    let last = common[127];
    let rare: Vec<u64> = (0..128).chain([last]).collect();
    let index = index(&[("会议", &common), ("记忆", &rare)]);
    let words = [("会议", 1.0), ("记忆", 0.1)];
    assert_eq!(found(&index, &words, 1), [last]);
}
