//! What was removed soon takes no room, neither on the disk nor in memory, however often everything is replaced.

use crate::common::{Random, Scratch};
use omoide_index::disk::{Disk, LocalDisk, Sink};
use omoide_index::shared::{Batch, Shared};
use omoide_index::vectors::{GRAPH_FROM, Passing, normalise};
use omoide_index::{Index, NewDocument};
use std::cell::Cell;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

const IDENTITY: &str = "更新";
/// Enough for ids to be renumbered, and for a graph over the vectors that holds all of them.
const LIVE: u64 = 12_000;
const TOGETHER: usize = 500;
const ROUNDS: u64 = 10;
/// Snapshots in a round, each with other rows of the graph dead.
const SAVES: usize = 2;
const DIMENSIONS: usize = 8;

fn vector(seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    (0..DIMENSIONS)
        .map(|_| random.below(2_000) as f32 - 999.5)
        .collect()
}

/// Replace the documents with these keys in a round. One in `with_vector` gets a vector.
fn put(shared: &Shared, keys: Range<u64>, round: u64, with_vector: u64) {
    let own = |key: u64| [format!("語{}", key % 97), format!("{round}回{key}")];
    let words: Vec<[String; 2]> = keys.clone().map(own).collect();
    let document = |(key, words): (u64, _)| {
        let [common, own]: &[String; 2] = words;
        NewDocument {
            key,
            fields: [vec!["記憶", common, own], vec![], vec![]],
            vectors: if key % with_vector == 0 {
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

/// The local disk, recording the most bytes that ever lay in a folder of it.
struct Watched<'a> {
    folder: &'a Path,
    most: Cell<u64>,
}

impl Watched<'_> {
    fn search_once(&self) {
        self.most.set(self.most.get().max(bytes_below(self.folder)));
    }
}

/// Measures at the fullest moments: before something is renamed or removed.
impl Disk for Watched<'_> {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        LocalDisk.create_folder(path)
    }

    fn create_file(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        LocalDisk.create_file(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.search_once();
        LocalDisk.rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        LocalDisk.sync_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.search_once();
        LocalDisk.remove_folder(path)
    }
}

/// Half of the documents have vectors, which are scanned; then all have, in a graph, where removed ones stay until a sweep.
#[test]
fn after_ten_replacements_a_snapshot_takes_at_most_twice_the_space_even_during_a_save() {
    for (with_vector, rounds) in [(2, ROUNDS), (1, ROUNDS / 5)] {
        let (folder, shared) = (Scratch::new("churn"), Shared::new(Index::new(DIMENSIONS)));
        let starts = || (0..LIVE).step_by(TOGETHER).enumerate();
        let put = |start: u64, round| {
            put(&shared, start..start + TOGETHER as u64, round, with_vector);
        };
        starts().for_each(|(_, start)| put(start, 0));
        shared.save(&folder.0, IDENTITY).expect("room on the disk");
        let (disk, memory) = (bytes_below(&folder.0), resident(&shared));
        let watched = Watched {
            folder: &folder.0,
            most: Cell::default(),
        };
        for round in 1..=rounds {
            for (number, start) in starts() {
                put(start, round);
                if number % (LIVE as usize / TOGETHER / SAVES) == 1 {
                    let saved = shared.save_by(&watched, &folder.0, IDENTITY);
                    saved.expect("room on the disk");
                }
            }
            let memory_now = resident(&shared);
            assert!(
                memory_now < memory * 3,
                "round {round}: {memory_now} bytes in memory, {memory} at first"
            );
        }
        // Words are a little longer by now: 巻 10 instead of 巻 0.
        let most = watched.most.into_inner();
        assert!(
            most * 100 < disk * 201,
            "{most} bytes on the disk, {disk} at first"
        );
    }
}

/// The share of the ten nearest that are found, over a hundred questions.
fn recall(index: &Index) -> f32 {
    let passing = Passing {
        docs: &index.ids.live,
        count: index.ids.count(),
    };
    let found = |seed: u64| {
        let mut query = vector(u64::MAX - seed);
        normalise(&mut query);
        let near = index.vectors.nearest(&query, 10, passing, &index.ids);
        let all = index.ids.live.iter();
        let all = all.filter_map(|doc| Some((doc, index.vectors.cosine(&query, doc)?)));
        let exact = index.ids.best(all.collect(), 10);
        near.iter().filter(|hit| exact.contains(hit)).count()
    };
    (0..100).map(found).sum::<usize>() as f32 / 1_000.0
}

#[test]
fn a_snapshot_after_half_was_replaced_finds_as_much_as_a_fresh_one() {
    let (folder, shared) = (Scratch::new("half"), Shared::new(Index::new(DIMENSIONS)));
    put(&shared, 0..LIVE, 0, 1);
    let fresh = recall(&shared.read());
    for (round, start) in (1..).zip((0..LIVE / 2).step_by(TOGETHER)) {
        put(&shared, start..start + TOGETHER as u64, round, 1);
    }
    shared.save(&folder.0, IDENTITY).expect("room on the disk");
    let opened = Index::load(&folder.0, IDENTITY).expect("one was saved");
    assert_eq!(
        opened.vectors.in_graph(),
        LIVE as usize,
        "the removed are gone"
    );
    let after = recall(&opened);
    assert!(after >= fresh - 0.01, "{after}, {fresh} at first");
}

#[test]
fn memory_of_removed_vectors_is_freed_without_another_write() {
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
