//! While one thread writes, another saves and ids are renumbered, every answer is that of one committed change.
//!
//! Also meant for the thread sanitizer: `make race`. `OMOIDE_STRESS_GROUPS` sets for how many groups the vectors are replaced,
//! instead of all.

use crate::common::asking::{combined_queries, same_answer};
use crate::common::memory::{Change, World};
use crate::common::{Random, Scratch};
use omoide_index::shared::{Batch, Shared};
use omoide_index::vectors::GRAPH_FROM;
use omoide_index::{Index, NewDocument};
use omoide_search::{Filter, Hits, Query, search};
use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const CHANGES: u64 = 150;
const IDENTITY: &str = "並行";

/// Run `write` while so many threads, started together with it, call `read` again and again.
fn while_writing(readers: usize, read: impl Fn(&mut Random) + Sync, write: impl FnOnce()) {
    let (done, start) = (AtomicBool::new(false), Barrier::new(readers + 1));
    let read_on = |seed: usize| {
        let mut random = Random(seed as u64);
        start.wait();
        loop {
            read(&mut random);
            if done.load(Ordering::Relaxed) {
                return;
            }
        }
    };
    thread::scope(|scope| {
        let read_on = &read_on;
        let readers: Vec<_> = (0..readers)
            .map(|seed| scope.spawn(move || read_on(seed)))
            .collect();
        start.wait();
        write();
        done.store(true, Ordering::Relaxed);
        readers
            .into_iter()
            .for_each(|reader| reader.join().expect("no wrong answer"));
    });
}

fn answers(index: &Index, questions: &[Query]) -> Vec<Hits> {
    questions.iter().map(|query| search(index, query)).collect()
}

#[test]
fn every_answer_and_every_snapshot_is_that_of_one_change() {
    let (mut random, mut world) = (Random(4), World::default());
    let questions = combined_queries(&mut random);
    let changes: Vec<Change> = (0..CHANGES)
        .map(|_| Change::made(&mut random, true).unnamed())
        .collect();
    let mut wanted = vec![answers(&world.built(false), &questions)];
    for change in &changes {
        world.apply(change);
        wanted.push(answers(&world.built(false), &questions));
    }
    let (shared, folder) = (
        Shared::new(World::default().built(false)),
        Scratch::new("stress"),
    );
    let ask = |random: &mut Random| {
        let at = random.below(questions.len());
        let found = search(&shared.read(), &questions[at]);
        assert!(
            same_answer(&found, &wanted[found.applied as usize][at]),
            "change {}",
            found.applied
        );
    };
    let save = |random: &mut Random| {
        if random.below(16) > 0 {
            return ask(random);
        }
        shared.save(&folder.0, IDENTITY).expect("room on the disk");
        let opened = Index::load(&folder.0, IDENTITY).expect("one was saved");
        let found = answers(&opened, &questions);
        let mut pairs = found.iter().zip(&wanted[opened.applied as usize]);
        assert!(
            pairs.all(|(found, wanted)| same_answer(found, wanted)),
            "change {}",
            opened.applied
        );
    };
    while_writing(2, save, || {
        for (number, change) in (1..).zip(&changes) {
            shared
                .apply(change.batch(number))
                .expect("as many dimensions");
        }
    });
    assert_eq!(shared.read().applied, CHANGES);
}

const TOGETHER: u64 = 200;
const GROUPS: u64 = GRAPH_FROM as u64 / TOGETHER + 5;
const ROUNDS: u64 = 3;
const DIMENSIONS: usize = 8;

/// How many groups are replaced while others read.
fn replaced() -> u64 {
    let wanted = std::env::var("OMOIDE_STRESS_GROUPS");
    wanted.map_or(GROUPS, |number| number.parse().expect("a number of groups"))
}

fn version(group: u64, round: u64) -> String {
    format!("{group}組{round}回")
}

fn vector(seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    (0..DIMENSIONS)
        .map(|_| random.below(2_000) as f32 - 999.5)
        .collect()
}

/// Write all documents of a group together, in their version of a round.
fn put(shared: &Shared, group: u64, round: u64) {
    let named = [("version".to_owned(), version(group, round))];
    let document = |place: u64| NewDocument {
        key: group * TOGETHER + place,
        fields: [vec!["記憶", &named[0].1], vec![], vec![]],
        attributes: &named,
        vectors: vec![vector(round * 1_000_003 + group * TOGETHER + place)],
        ..NewDocument::default()
    };
    let documents = (0..TOGETHER).map(document).collect();
    let applied = round * GROUPS + group + 1;
    let batch = Batch {
        applied,
        documents,
        ..Batch::default()
    };
    shared.apply(batch).expect("as many dimensions");
}

fn query_with(words: bool, vector: Option<Vec<f32>>, filter: Option<Filter>) -> Query {
    Query {
        words: if words {
            vec![crate::common::asking::word("記憶")]
        } else {
            vec![]
        },
        vector_weight: 1.0,
        word_weight: f32::from(u8::from(words)),
        however_far: true,
        limit: TOGETHER as usize + 1,
        candidates: TOGETHER as usize + 1,
        vector,
        ..crate::common::asking::query_with(filter)
    }
}

/// A group is there completely, in the version of one round.
fn check_a_group(index: &Index, random: &mut Random) {
    let group = random.below(GROUPS as usize) as u64;
    let of = |round| Filter::OneOf("version".into(), vec![version(group, round)]);
    let found: Vec<usize> = (0..ROUNDS)
        .map(|round| {
            search(index, &query_with(true, None, Some(of(round))))
                .hits
                .len()
        })
        .collect();
    let is_whole = |count: &usize| *count == TOGETHER as usize;
    let whole = found.iter().filter(|count| is_whole(count)).count();
    let expected = usize::from(index.applied > group);
    assert_eq!(
        (whole, found.iter().sum::<usize>()),
        (expected, expected * TOGETHER as usize),
        "{found:?}"
    );
}

/// Each near document is found once, with its exact similarity, the nearest first.
fn check_the_nearest(index: &Index, random: &mut Random) {
    let query = vector(random.below(1_000) as u64);
    let length = query.iter().map(|value| value * value).sum::<f32>().sqrt();
    let query: Vec<f32> = query.iter().map(|value| value / length).collect();
    let hits = search(index, &query_with(false, Some(query.clone()), None)).hits;
    let keys: HashSet<u64> = hits.iter().map(|hit| hit.key).collect();
    assert_eq!(keys.len(), hits.len());
    assert_eq!(hits.is_empty(), index.applied == 0);
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    for hit in hits {
        let doc = index.ids.doc(hit.key).expect("only what is there");
        assert_eq!(hit.cosine, index.vectors.cosine(&query, doc));
    }
}

#[test]
fn while_everything_is_replaced_searches_see_whole_batches_and_find_the_nearest() {
    let (shared, folder) = (Shared::new(Index::new(DIMENSIONS)), Scratch::new("churn"));
    let read = |random: &mut Random| {
        let index = shared.read();
        match random.below(2) {
            0 => check_a_group(&index, random),
            _ => check_the_nearest(&index, random),
        }
    };
    let before_the_graph = GRAPH_FROM as u64 / TOGETHER;
    (0..before_the_graph).for_each(|group| put(&shared, group, 0));
    // Two readers that never pause would make the writer wait for its full patience thousands of times.
    while_writing(1, read, || {
        (before_the_graph..GROUPS).for_each(|group| put(&shared, group, 0));
        for round in 1..ROUNDS {
            (0..replaced()).for_each(|group| put(&shared, group, round));
            shared.save(&folder.0, IDENTITY).expect("room on the disk");
        }
    });
    let index = shared.read();
    let there = (GROUPS * TOGETHER) as usize;
    assert_eq!((index.ids.count(), index.vectors.len()), (there, there));
    assert!(index.ids.len() < there * 3, "ids were given anew");
    assert!(index.vectors.in_graph() > 0, "there is a graph");
}
