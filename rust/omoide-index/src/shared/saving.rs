//! How is an index saved while others read and write it?
//!
//! Under the writer's lock, what changes in place is copied; names and conversations are shared instead, each until it changes.
//! All else is read in short steps, between which batches are applied, and written between the steps, so that nobody waits for the
//! disk. Ids are renumbered only afterwards, and rows of removed vectors used again.
//!
//! Invariant: a snapshot is of the moment in which the copies were made.

use super::Shared;
use crate::disk::{Disk, LocalDisk};
use crate::snapshot::{Manifest, Moment, Saved, SnapshotWriter};
use crate::steps::Steps;
use crate::{Index, IndexError};
use std::path::Path;
use std::time::{Duration, Instant};

/// Pieces of rows that are planned in parallel and then swept.
const SWEPT_PER_ROUND: usize = 32;

/// How long a save reads before it lets writers in.
const LONGEST_STEP: Duration = Duration::from_micros(250);
/// How long it then waits for the batch that is being applied: a small one has several steps of its own, and would otherwise wait
/// before each.
const LONGEST_WAIT: Duration = Duration::from_millis(1);

/// How many sweeps a save runs before it blocks other writers for the last one.
const SWEEPS_AHEAD: usize = 3;

impl Shared {
    /// Write a snapshot of one state while others read and write; see [`Index::save`]. Writers wait while what changes in place
    /// is copied, and then for one short step at a time.
    pub fn save(&self, folder: &Path, identity: &str) -> Result<Saved, IndexError> {
        self.save_by(&LocalDisk, folder, identity)
    }

    /// The same through `disk`.
    pub fn save_by(
        &self,
        disk: &dyn Disk,
        folder: &Path,
        identity: &str,
    ) -> Result<Saved, IndexError> {
        let snapshot = SnapshotWriter::begin(disk, folder)?;
        self.save_in_steps(snapshot, identity, &|step| self.take_steps(step))
    }

    /// The same, but writes nothing if the current snapshot is whole and has later changes, or is of the same history and lacks at
    /// most so many of the changes and vectors that are here.
    ///
    /// Another process may have written it: of what that has removed since, nothing comes back to the disk. An index that has
    /// started over must be saved in any case, as later changes may be lost ones.
    pub fn save_unless_saved(
        &self,
        folder: &Path,
        identity: &str,
        most_missing: u64,
    ) -> Result<Saved, IndexError> {
        let snapshot = SnapshotWriter::begin(&LocalDisk, folder)?;
        let enough = |there: &Manifest| there.is_enough_for(&self.read(), most_missing);
        match snapshot.current_if(identity, enough) {
            Some(saved) => Ok(saved),
            None => self.save_in_steps(snapshot, identity, &|step| self.take_steps(step)),
        }
    }

    fn save_in_steps(
        &self,
        snapshot: SnapshotWriter<'_>,
        identity: &str,
        steps: Steps<'_, Index>,
    ) -> Result<Saved, IndexError> {
        let saving = self.saving.lock();
        let written = snapshot.write(self.moment(), identity, steps);
        self.write().vectors.keep_free_rows(false);
        drop(saving);
        snapshot.publish(written?)
    }

    /// The index as it is now, from when on the rows of removed vectors keep their values.
    fn moment(&self) -> Moment {
        self.sweep_ahead();
        let _writing = self.writer.lock();
        self.renumber_if_needed();
        while self.sweep(SWEPT_PER_ROUND) || self.write().vectors.begin_sweep() {}
        self.write().vectors.keep_free_rows(true);
        Moment::of(&self.read())
    }

    /// Take steps of reading until `step` returns false, and let writers in after each [`LONGEST_STEP`].
    fn take_steps(&self, step: &mut dyn FnMut(&Index) -> bool) {
        let mut is_left = true;
        while is_left {
            drop(self.writer.try_lock_for(LONGEST_WAIT));
            // Behind writers that wait, unlike searches.
            let index = self.index.read();
            let began = Instant::now();
            while is_left && began.elapsed() < LONGEST_STEP {
                is_left = step(&index);
            }
        }
    }

    /// Sweep out removed rows, letting others write between any two steps. Each sweep has less to do: what was removed during
    /// the one before.
    fn sweep_ahead(&self) {
        let with_writer_lock = |step: &dyn Fn() -> bool| {
            let _writing = self.writer.lock();
            step()
        };
        for _ in 0..SWEEPS_AHEAD {
            with_writer_lock(&|| self.write().vectors.begin_sweep());
            while with_writer_lock(&|| self.sweep(SWEPT_PER_ROUND)) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::NewEdge;
    use crate::names::Name;
    use crate::shared::Batch;
    use crate::shared::tests::{batch, is_whole};
    use crate::turns::Turn;
    use crate::{KIND_COUNT, MAX_DEAD, NewDocument};
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    const IDENTITY: &str = "途中";
    const DIMENSIONS: usize = 3;
    const KEYS: usize = 300;
    /// During a save.
    const CHANGES: usize = 40;
    const NODES_FROM: u64 = 1_000;

    /// A folder that is removed with its contents in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let process = std::process::id();
            Self(std::env::temp_dir().join(format!("omoide-saving-{name}-{process}")))
        }

        /// The data of the snapshot, byte for byte.
        fn data(&self) -> Vec<u8> {
            fs::read(self.data_path()).unwrap()
        }

        /// Each snapshot has its own.
        fn data_path(&self) -> PathBuf {
            let pointer = fs::read_to_string(self.0.join("CURRENT")).unwrap();
            let name = pointer.split_once(' ').unwrap().0;
            self.0.join(name).join("data")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, sides: usize) -> usize {
            let (factor, summand) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);
            self.0 = self.0.wrapping_mul(factor).wrapping_add(summand);
            (self.0 >> 33) as usize % sides
        }

        fn vectors(&mut self) -> Vec<Vec<f32>> {
            let passages = self.below(3);
            let mut value = || self.below(2_000) as f32 - 999.5;
            (0..passages)
                .map(|_| [value(), value(), value()].to_vec())
                .collect()
        }
    }

    /// What a document is made of that a batch borrows.
    struct Content {
        kind: u8,
        words: Vec<String>,
        attributes: Vec<(String, String)>,
        numbers: Vec<(String, i64)>,
        edges: Vec<NewEdge>,
        turn: Turn,
        names: Vec<Name>,
        vectors: Vec<Vec<f32>>,
    }

    impl Content {
        /// Every text has the first word, so that its list has several blocks; texts become longer, so that means drift.
        fn made(random: &mut Random, applied: u64) -> Self {
            let length = random.below(4 + applied as usize / 4);
            let known = ["京都", "tea", "北京", "旅", "coffee", "会议"];
            let mut word = |_| match random.below(3) {
                0 => format!("語{}", random.below(4_000)),
                _ => known[random.below(known.len())].to_owned(),
            };
            let mut words: Vec<String> = (0..length).map(&mut word).collect();
            words.push("全".to_owned());
            let edge = NewEdge {
                target: NODES_FROM + random.below(9) as u64,
                kind: known[random.below(2)].to_owned(),
                home: String::new(),
                weight: 1.0,
                created_at: applied as i64,
            };
            let name = format!("名{}", random.below(50));
            Self {
                kind: random.below(KIND_COUNT) as u8,
                attributes: vec![
                    ("scope".to_owned(), words[0].clone()),
                    ("change".to_owned(), applied.to_string()),
                ],
                numbers: vec![
                    ("at".to_owned(), random.below(50) as i64),
                    (format!("of{}", applied / 40), 1),
                ],
                edges: vec![edge; random.below(2)],
                turn: Turn {
                    conversation: known[random.below(known.len())].to_owned(),
                    order: random.below(20) as i64,
                    at: 0,
                },
                names: named(&name),
                vectors: random.vectors(),
                words,
            }
        }

        fn document(&self, key: u64) -> NewDocument<'_> {
            let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
            NewDocument {
                key,
                kind: self.kind,
                fields: [words.clone(), words[..1].to_vec(), words[1..].to_vec()],
                attributes: &self.attributes,
                numbers: &self.numbers,
                edges: &self.edges,
                turn: key.is_multiple_of(2).then_some(&self.turn),
                sequences: (!key.is_multiple_of(5)).then(|| self.words.clone()),
                text: &self.words[0],
                names: &self.names,
                vectors: self.vectors.clone(),
                ..NewDocument::default()
            }
        }
    }

    fn named(name: &str) -> Vec<Name> {
        vec![Name {
            text: name.to_owned(),
            words: vec![],
            terms: vec!["tea".to_owned()],
            field: 0,
        }]
    }

    /// Insert and replace documents and nodes, add and remove edges, remove documents, and give some other vectors.
    fn change(shared: &Shared, random: &mut Random) {
        let applied = shared.read().applied + 1;
        let mut any_key = || random.below(KEYS) as u64;
        let removed: Vec<u64> = (0..3).map(|_| any_key()).collect();
        let mut keys: Vec<u64> = (0..8).map(|_| any_key()).collect();
        keys.retain(|key| !removed.contains(key));
        let contents: BTreeMap<u64, Content> = keys
            .iter()
            .map(|&key| (key, Content::made(random, applied)))
            .collect();
        let node = NODES_FROM + random.below(9) as u64;
        let (names, homes) = (named(&format!("物{}", random.below(9))), ["家".to_owned()]);
        let edge = NewEdge {
            target: random.below(KEYS) as u64,
            kind: "友達".to_owned(),
            home: "家".to_owned(),
            weight: 0.5,
            created_at: 0,
        };
        let documents = contents.iter().map(|(&key, each)| each.document(key));
        let batch = Batch {
            applied,
            history: format!("巻{applied}"),
            documents: documents.collect(),
            nodes: vec![(node, &names, &homes)],
            edges: vec![(random.below(40) as u64, node, &edge)],
            removed,
            removed_edges: vec![random.below(40) as u64],
        };
        shared.apply(batch).unwrap();
        let others = (0..3).map(|_| (random.below(KEYS) as u64, random.vectors()));
        shared.put_vectors(others.collect()).unwrap();
    }

    /// Save with `between` called before each step, with its number; returns how many there were.
    fn save_with(shared: &Shared, folder: &Folder, between: impl Fn(usize)) -> usize {
        let count = Cell::new(0);
        let one_by_one = |step: &mut dyn FnMut(&Index) -> bool| {
            let mut is_left = true;
            while is_left {
                between(count.get());
                is_left = step(&shared.read());
                count.set(count.get() + 1);
            }
        };
        let snapshot = SnapshotWriter::begin(&LocalDisk, &folder.0).unwrap();
        shared
            .save_in_steps(snapshot, IDENTITY, &one_by_one)
            .unwrap();
        count.get()
    }

    #[test]
    fn whatever_changes_during_a_save_the_snapshot_is_of_the_moment_it_began() {
        for seed in 0..6 {
            let (whole, stepwise) = (Folder::new("whole"), Folder::new("stepwise"));
            let shared = Shared::new(Index::new(DIMENSIONS));
            shared.index.write().vectors.keep_codes(seed % 2 == 0);
            let random = Cell::new(Random(seed));
            let change_it = || {
                let mut taken = random.replace(Random(0));
                change(&shared, &mut taken);
                random.set(taken);
            };
            for round in 0..3 {
                (0..30).for_each(|_| change_it());
                shared.read().save(&whole.0, IDENTITY).unwrap();
                let applied = shared.read().applied;
                let steps = save_with(&shared, &stepwise, |_| ());
                let (from, every) = [(0, 1), (0, steps / CHANGES), (steps - CHANGES, 1)][round];
                let last = from + every * CHANGES;
                save_with(&shared, &stepwise, |step| {
                    if (from..last).contains(&step) && step.is_multiple_of(every) {
                        change_it();
                    }
                });
                assert!(steps > 1_000, "{steps} steps");
                assert!(shared.read().applied > applied);
                assert!(
                    whole.data() == stepwise.data(),
                    "seed {seed}, round {round}"
                );
                let loaded = Index::load(&stepwise.0, IDENTITY).unwrap();
                let history = format!("巻{applied}");
                assert_eq!((loaded.applied, loaded.history), (applied, history));
            }
        }
    }

    #[test]
    fn ids_are_given_anew_only_after_a_save() {
        let (whole, stepwise) = (Folder::new("whole-anew"), Folder::new("anew"));
        let shared = Shared::new(Index::new(DIMENSIONS));
        let words: Vec<String> = (0..40).map(|number| format!("語{number}")).collect();
        let replace = |applied: u64| {
            let document = |key: usize| NewDocument {
                key: key as u64,
                fields: [vec!["全", &words[key]], vec![], vec![]],
                ..NewDocument::default()
            };
            let documents = (0..words.len()).map(document).collect();
            let batch = Batch {
                applied,
                documents,
                ..Batch::default()
            };
            shared.apply(batch).unwrap();
        };
        let until = (MAX_DEAD / words.len()) as u64;
        (0..until).for_each(replace);
        let applied = Cell::new(until);
        shared.read().save(&whole.0, IDENTITY).unwrap();
        save_with(&shared, &stepwise, |_| {
            if applied.get() < until + 9 {
                replace(applied.replace(applied.get() + 1));
            }
        });
        assert!(whole.data() == stepwise.data());
        assert!(shared.read().should_renumber());
        replace(until + 9);
        assert_eq!(shared.read().dead(), 0);
    }

    fn holding(applied: u64, history: &str, vectors: u64) -> Shared {
        let shared = Shared::new(Index::new(2));
        let document = |key| NewDocument {
            key,
            vectors: vec![vec![1.0, key as f32]],
            ..NewDocument::default()
        };
        let batch = Batch {
            applied,
            history: history.to_owned(),
            documents: (0..vectors).map(document).collect(),
            ..Batch::default()
        };
        shared.apply(batch).unwrap();
        shared
    }

    #[test]
    fn nothing_is_written_where_the_current_snapshot_has_enough() {
        let (here, folder) = (holding(40, "巻一", 6), Folder::new("enough"));
        for (there, most_missing, is_enough) in [
            ((40, "巻一", 6), 0, true),
            ((41, "巻一", 6), 0, true),
            ((41, "巻二", 5), 0, true),
            ((40, "巻二", 6), 9, false),
            ((39, "巻一", 6), 0, false),
            ((39, "巻一", 6), 1, true),
            ((40, "巻一", 5), 0, false),
            ((38, "巻一", 5), 2, false),
            ((38, "巻一", 5), 3, true),
        ] {
            let (applied, history, vectors) = there;
            let other = holding(applied, history, vectors);
            other.save(&folder.0, IDENTITY).unwrap();
            let before = folder.data_path();
            let saved = here.save_unless_saved(&folder.0, IDENTITY, most_missing);
            let saved = saved.unwrap();
            assert_eq!(folder.data_path() == before, is_enough, "{there:?}");
            let expected = if is_enough {
                (applied, vectors)
            } else {
                (40, 6)
            };
            assert_eq!((saved.applied, saved.vectors), expected, "{there:?}");
            assert_eq!(saved.bytes, folder.data().len() as u64, "{there:?}");
        }
    }

    /// Damages the snapshot in a folder.
    type Damage = fn(&Folder);

    #[test]
    fn a_snapshot_that_cannot_be_loaded_is_never_enough() {
        let (here, folder) = (holding(40, "巻一", 6), Folder::new("not-enough"));
        let damages: [(&str, Damage); 5] = [
            ("nothing there", |folder| {
                let _ = fs::remove_dir_all(&folder.0);
            }),
            ("no data", |folder| {
                fs::remove_file(folder.data_path()).unwrap();
            }),
            ("another byte", |folder| {
                let mut data = folder.data();
                *data.last_mut().unwrap() ^= 1;
                fs::write(folder.data_path(), data).unwrap();
            }),
            ("a torn pointer", |folder| {
                fs::write(folder.0.join("CURRENT"), "40-").unwrap();
            }),
            ("another identity", |folder| {
                holding(40, "巻一", 6)
                    .save(&folder.0, "別")
                    .map(drop)
                    .unwrap();
            }),
        ];
        for (what, damage) in damages {
            here.save(&folder.0, IDENTITY).unwrap();
            damage(&folder);
            here.save_unless_saved(&folder.0, IDENTITY, 0).unwrap();
            let loaded = Index::load(&folder.0, IDENTITY);
            assert_eq!(loaded.unwrap().applied, 40, "{what}");
        }
    }

    #[test]
    fn of_several_that_save_the_same_at_the_same_time_one_writes() {
        let (here, folder) = (holding(40, "巻一", 6), Folder::new("one-writes"));
        let other = holding(39, "巻一", 6);
        for _ in 0..5 {
            other.save(&folder.0, IDENTITY).unwrap();
            let save = || {
                here.save_unless_saved(&folder.0, IDENTITY, 0).unwrap();
                folder.data_path()
            };
            let written: Vec<PathBuf> = thread::scope(|scope| {
                let savers: Vec<_> = (0..4).map(|_| scope.spawn(save)).collect();
                savers
                    .into_iter()
                    .map(|saver| saver.join().unwrap())
                    .collect()
            });
            assert!(written.iter().all(|each| *each == written[0]));
        }
    }

    /// Two savers and two writers: none waits for another's whole work.
    #[test]
    fn snapshots_are_of_whole_batches_while_batches_are_applied() {
        let shared = Shared::new(Index::new(2));
        let (done, number) = (AtomicBool::new(false), parking_lot::Mutex::new(0));
        let write_on = || {
            while !done.load(Ordering::Relaxed) {
                let mut number = number.lock();
                *number += 1;
                shared
                    .apply(batch(*number, &format!("語{number}")))
                    .unwrap();
            }
        };
        let save_on = |name: &str| {
            let folder = Folder::new(name);
            let mut applied_meanwhile = 0;
            for _ in 0..20 {
                shared.save(&folder.0, IDENTITY).unwrap();
                let loaded = Index::load(&folder.0, IDENTITY).unwrap();
                assert!(is_whole(&loaded), "change {}", loaded.applied);
                applied_meanwhile += shared.read().applied - loaded.applied;
            }
            assert!(applied_meanwhile > 0);
        };
        thread::scope(|scope| {
            let writers: Vec<_> = (0..2).map(|_| scope.spawn(write_on)).collect();
            let savers = ["一", "二"].map(|name| scope.spawn(move || save_on(name)));
            let saved = savers.map(thread::ScopedJoinHandle::join);
            done.store(true, Ordering::Relaxed);
            writers
                .into_iter()
                .for_each(|writer| writer.join().unwrap());
            saved.into_iter().for_each(|saved| saved.unwrap());
        });
    }
}
