//! Wherever a save is stopped, it leaves the previous snapshot or the new one, complete; if there was none, none or the new
//! one.
//!
//! Each step of a save is the last one once; after it the process is killed, or the power is cut, with every combination of
//! unsynced changes lost.

use crate::common::asking::{combined_queries, same_answer};
use crate::common::failing_disk::{FailingDisk, Rest};
use crate::common::memory::grown;
use crate::common::{Random, Scratch};
use omoide_index::Index;
use omoide_search::search;
use std::fs;
use std::path::Path;

const IDENTITY: &str = "途中";
const RESTS: [Rest; 3] = [Rest::Nothing, Rest::Half, Rest::Zeros];

/// How a save is stopped: after how many steps, and what a power cut then loses.
#[derive(Debug, Clone, Copy)]
struct End {
    steps: usize,
    power: Option<(u32, Rest)>,
}

/// What a stopped save leaves: whether it was complete, how many entries a power cut could lose, and the folder.
fn interrupted(end: End, before: Option<&Index>, new: &Index) -> (bool, usize, Scratch) {
    let folder = Scratch::new("ended");
    if let Some(before) = before {
        before.save(&folder.0, IDENTITY).expect("room on the disk");
    }
    let failing_disk = FailingDisk::after(end.steps);
    let done = new.save_by(&failing_disk, &folder.0, IDENTITY).is_ok();
    let unsynced = failing_disk.unsynced();
    if let Some((lost, rest)) = end.power {
        failing_disk
            .cut_power(lost, rest)
            .expect("what was not synced is there");
    }
    (done, unsynced, folder)
}

fn is_the_same(found: &Index, wanted: &Index) -> bool {
    let questions = combined_queries(&mut Random(3));
    let mut asked = questions.iter();
    found.applied == wanted.applied
        && asked.all(|query| same_answer(&search(found, query), &search(wanted, query)))
}

/// The number of snapshots in the folder.
fn snapshots(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("it is there").flatten();
    entries.filter(|entry| entry.path().is_dir()).count()
}

fn check(end: End, before: Option<&Index>, new: &Index) -> (bool, usize) {
    let (done, unsynced, folder) = interrupted(end, before, new);
    match Index::load(&folder.0, IDENTITY) {
        Ok(found) if is_the_same(&found, new) => {}
        Ok(found) => {
            let before = before.unwrap_or_else(|| panic!("{end:?}: something out of nothing"));
            assert!(!done && is_the_same(&found, before), "{end:?}");
        }
        Err(error) => assert!(!done && before.is_none(), "{end:?}: {error}"),
    }
    new.save(&folder.0, IDENTITY)
        .unwrap_or_else(|error| panic!("{end:?}: {error}"));
    assert_eq!(
        snapshots(&folder.0),
        1,
        "{end:?}: nothing is left lying about"
    );
    (done, unsynced)
}

/// Stops a save after each of its steps; returns how many steps there are.
fn check_every_interruption(before: Option<&Index>, new: &Index) -> usize {
    for steps in 0.. {
        let (done, unsynced) = check(End { steps, power: None }, before, new);
        for lost in 0..1 << unsynced {
            for rest in RESTS {
                let power = Some((lost, rest));
                check(End { steps, power }, before, new);
            }
        }
        if done {
            return steps;
        }
    }
    unreachable!("a save has an end")
}

#[test]
fn an_interrupted_save_leaves_the_old_or_the_new_snapshot() {
    let ((_, before), (_, new)) = (grown(12), grown(30));
    let steps = check_every_interruption(Some(&before), &new);
    assert!(steps > 12, "{steps} steps");
}

#[test]
fn an_interrupted_first_save_leaves_no_snapshot_or_a_whole_one() {
    check_every_interruption(None, &grown(30).1);
}
