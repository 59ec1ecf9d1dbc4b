//! What was removed takes no room for long: neither on the disk nor in memory, however often everything is replaced.

mod common;

use common::{Dice, Scratch};
use omoide_index::shared::{Batch, Shared};
use omoide_index::vectors::GRAPH_FROM;
use omoide_index::{Index, NewDocument};
use std::fs;
use std::ops::Range;
use std::path::Path;

const IDENTITY: &str = "更新";
/// Enough for ids to be given anew.
const LIVE: u64 = 10_000;
/// One document in so many has a vector.
const WITH_VECTOR: u64 = 8;
const TOGETHER: usize = 500;
const ROUNDS: u64 = 10;
const DIMENSIONS: usize = 8;

fn vector(seed: u64) -> Vec<f32> {
    let mut dice = Dice(seed);
    (0..DIMENSIONS)
        .map(|_| dice.roll(2_000) as f32 - 999.5)
        .collect()
}

/// Replace the documents of these keys, as of a round.
fn put(shared: &Shared, keys: Range<u64>, round: u64) {
    let own = |key: u64| [format!("語{}", key % 97), format!("{round}回{key}")];
    let words: Vec<[String; 2]> = keys.clone().map(own).collect();
    let document = |(key, words): (u64, _)| {
        let [common, own]: &[String; 2] = words;
        NewDocument {
            key,
            fields: [vec!["記憶", common, own], vec![], vec![]],
            vectors: if key % WITH_VECTOR == 0 {
                vec![vector(round << 32 | key)]
            } else {
                vec![]
            },
            ..NewDocument::default()
        }
    };
    let documents = keys.zip(&words).map(document).collect();
    let batch = Batch {
        documents,
        ..Batch::default()
    };
    shared.apply(batch).expect("as many dimensions");
}

fn put_all(shared: &Shared, round: u64) {
    let starts = (0..LIVE).step_by(TOGETHER);
    starts.for_each(|start| put(shared, start..start + TOGETHER as u64, round));
}

/// Bytes of everything below a folder.
fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("it is there").flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        metadata => metadata.map_or(0, |metadata| metadata.len()),
    });
    bytes.sum()
}

fn resident(shared: &Shared) -> usize {
    let index = shared.read();
    let (vectors, links) = index.vectors.bytes();
    index.postings.bytes() + vectors + links
}

#[test]
fn ten_times_replaced_takes_no_more_than_twice_the_room() {
    let (folder, shared) = (Scratch::new("churn"), Shared::new(Index::new(DIMENSIONS)));
    put_all(&shared, 0);
    shared.save(&folder.0, IDENTITY).expect("room on the disk");
    let (disk, memory) = (bytes_below(&folder.0), resident(&shared));
    for round in 1..=ROUNDS {
        put_all(&shared, round);
        shared.save(&folder.0, IDENTITY).expect("room on the disk");
        let (disk_now, memory_now) = (bytes_below(&folder.0), resident(&shared));
        assert!(
            disk_now < disk * 5 / 4,
            "round {round}: {disk_now} bytes on the disk, {disk} at first"
        );
        assert!(
            memory_now < memory * 3,
            "round {round}: {memory_now} bytes in memory, {memory} at first"
        );
    }
}

#[test]
fn vectors_that_were_removed_are_given_back_without_another_write() {
    let shared = Shared::new(Index::new(DIMENSIONS));
    let all = GRAPH_FROM as u64 + 2_000;
    let document = |key| NewDocument {
        key,
        vectors: vec![vector(key)],
        ..NewDocument::default()
    };
    let documents = (0..all).map(document).collect();
    shared
        .apply(Batch {
            documents,
            ..Batch::default()
        })
        .expect("as many dimensions");
    let before = resident(&shared);
    let removed = (all / 20..all).collect();
    shared
        .apply(Batch {
            removed,
            ..Batch::default()
        })
        .expect("removals fit");
    let left = resident(&shared);
    assert!(left < before / 4, "{left} bytes in memory of {before}");
    let index = shared.read();
    assert_eq!(index.vectors.len() as u64, all / 20);
    assert_eq!(index.ids.len() as u64, all / 20, "ids were given anew");
}
