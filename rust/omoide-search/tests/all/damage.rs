//! However the files of a snapshot are damaged, it is refused or answers correctly.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p omoide-search --test all damage` tries more.

use crate::common::asking::{combined_queries, same_answer};
use crate::common::memory::grown;
use crate::common::{Random, Scratch};
use omoide_index::Index;
use omoide_search::{Hits, search};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const IDENTITY: &str = "破損";
/// Sections begin at multiples of this many bytes.
const ALIGNMENT: usize = 64;

/// The files of a snapshot, by purpose.
type Files = [Vec<u8>; 3];

/// Damage to a file; positions are fractions of its length, in 65,536ths.
#[derive(Debug, Clone)]
enum Damage {
    Flipped(u16, u8),
    Cut(u16),
    Longer(Vec<u8>),
    Overwritten(u16, Vec<u8>),
    /// Two stretches of the file are swapped, as sections could be.
    Swapped(u16, u16, u16),
    /// The file is replaced by that of another snapshot.
    Exchanged,
    Emptied,
}

fn place(share: u16, length: usize) -> usize {
    usize::from(share) * length / 65_536
}

impl Damage {
    fn done_to(&self, mut file: Vec<u8>, other: &[u8]) -> Vec<u8> {
        let length = file.len();
        match self {
            Self::Flipped(at, bit) => {
                if let Some(byte) = file.get_mut(place(*at, length)) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Self::Cut(at) => file.truncate(place(*at, length)),
            Self::Longer(more) => file.extend(more),
            Self::Overwritten(at, bytes) => {
                let places = file.iter_mut().skip(place(*at, length));
                places.zip(bytes).for_each(|(place, byte)| *place = *byte);
            }
            Self::Swapped(a, b, stretch) => {
                let whole = length / ALIGNMENT;
                let (a, b) = (place(*a, whole), place(*b, whole));
                for at in 0..place(*stretch, whole.min(a.abs_diff(b))) * ALIGNMENT {
                    let (a, b) = (a * ALIGNMENT + at, b * ALIGNMENT + at);
                    if a.max(b) < length {
                        file.swap(a, b);
                    }
                }
            }
            Self::Exchanged => return other.to_vec(),
            Self::Emptied => file.clear(),
        }
        file
    }
}

fn damages() -> impl Strategy<Value = Vec<(usize, Damage)>> {
    let bytes = || prop::collection::vec(any::<u8>(), 1..80);
    let damage = prop_oneof![
        4 => (any::<u16>(), any::<u8>()).prop_map(|(at, bit)| Damage::Flipped(at, bit)),
        2 => any::<u16>().prop_map(Damage::Cut),
        1 => bytes().prop_map(Damage::Longer),
        2 => (any::<u16>(), bytes()).prop_map(|(at, bytes)| Damage::Overwritten(at, bytes)),
        2 => any::<(u16, u16, u16)>().prop_map(|(a, b, stretch)| Damage::Swapped(a, b, stretch)),
        3 => Just(Damage::Exchanged),
        1 => Just(Damage::Emptied),
    ];
    prop::collection::vec((0..3_usize, damage), 1..4)
}

/// Two snapshots, an older and a newer one, and their answers.
struct Known {
    files: [Files; 2],
    answers: [Vec<Hits>; 2],
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let indexes = [grown(12).1, grown(30).1];
    Known {
        files: [0, 1].map(|which| files_of(&indexes[which])),
        answers: [0, 1].map(|which| answers(&indexes[which])),
    }
});

fn answers(index: &Index) -> Vec<Hits> {
    let questions = combined_queries(&mut Random(5));
    questions.iter().map(|query| search(index, query)).collect()
}

/// The paths of the three files of the only snapshot in a folder.
fn paths(folder: &Path) -> [PathBuf; 3] {
    let pointer = folder.join("CURRENT");
    let entries = fs::read_dir(folder).expect("it is there").flatten();
    let mut folders = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    let inside = folders.next().expect("a snapshot");
    [pointer, inside.join("manifest"), inside.join("data")]
}

fn files_of(index: &Index) -> Files {
    let folder = Scratch::new("whole");
    index.save(&folder.0, IDENTITY).expect("room on the disk");
    paths(&folder.0).map(|path| fs::read(path).expect("just written"))
}

/// The name in a pointer.
fn name(files: &Files) -> String {
    let pointer = String::from_utf8_lossy(&files[0]);
    pointer.split(' ').next().expect("a name").to_owned()
}

/// The index opened from `files` as the snapshot called `name`.
fn opened(files: &Files, name: &str) -> Option<Index> {
    let folder = Scratch::new("damaged");
    let inside = folder.0.join(name);
    fs::create_dir(&inside).expect("room on the disk");
    let paths = [
        folder.0.join("CURRENT"),
        inside.join("manifest"),
        inside.join("data"),
    ];
    for (path, content) in paths.iter().zip(files) {
        fs::write(path, content).expect("room on the disk");
    }
    Index::load(&folder.0, IDENTITY).ok()
}

fn is_correct(index: &Index) -> bool {
    let found = answers(index);
    let mut known = KNOWN.answers.iter();
    known.any(|wanted| {
        let mut pairs = found.iter().zip(wanted);
        pairs.all(|(found, wanted)| found.applied == wanted.applied && same_answer(found, wanted))
    })
}

proptest! {
    #[test]
    fn a_damaged_snapshot_is_refused_or_right(damages in damages(), newer in any::<bool>()) {
        let which = usize::from(newer);
        let (whole, other) = (&KNOWN.files[which], &KNOWN.files[1 - which]);
        let mut files = whole.clone();
        for (file, damage) in &damages {
            files[*file] = damage.done_to(std::mem::take(&mut files[*file]), &other[*file]);
        }
        let is_whole = files == *whole;
        match opened(&files, &name(whole)) {
            Some(index) => prop_assert!(is_correct(&index), "a wrong answer"),
            None => prop_assert!(!is_whole, "nothing was wrong with it"),
        }
    }
}

#[test]
fn files_of_two_snapshots_cannot_be_mixed() {
    let [before, after] = &KNOWN.files;
    for choice in 0..8_usize {
        let files: Files = [0, 1, 2].map(|at| {
            if choice >> at & 1 == 0 {
                &before[at]
            } else {
                &after[at]
            }
            .clone()
        });
        for name in [name(before), name(after)] {
            let opened = opened(&files, &name);
            let is_one = [before, after]
                .iter()
                .any(|of| files == **of && name == self::name(of));
            assert_eq!(opened.is_some(), is_one, "files {choice:03b} under {name}");
        }
    }
}
