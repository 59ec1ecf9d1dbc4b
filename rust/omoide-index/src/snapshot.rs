//! How is an index saved and loaded?
//!
//! A snapshot is a folder `<applied>-<random>` beside a pointer `CURRENT`; it is written under a hidden name, synced and
//! renamed: at every moment `CURRENT` names a complete snapshot or does not exist. Every byte has a checksum; a torn, foreign
//! or older-format snapshot is refused, and the caller rebuilds. Only one process writes at a time, so there are never more
//! than the current snapshot and the one being written.
//!
//! The data is one file of sections (sections.rs), mostly arrays that are mapped, not read: opening costs one pass over the
//! checksums, and memory is used only as searches touch it. A mapped file is never changed, only unlinked.

pub(crate) use crate::sections::{Contents, Reader, Writer};

use crate::attributes::Attributes;
use crate::disk::{Disk, LocalDisk};
use crate::graph::{Graph, KeptEdges};
use crate::ids::{Ids, KeptIds, Renumbering};
use crate::names::{KeptNames, Names};
use crate::numbers::Numbers;
use crate::postings::{Field, FieldStatistics, Postings};
use crate::sections::{Unsynced, decode, encode, invalid};
use crate::spellings::Spellings;
use crate::steps::{Steps, at_once};
use crate::turns::{KeptTurns, Turns};
use crate::vectors::Vectors;
use crate::{FIELD_COUNT, Index, IndexError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Raise whenever the format changes.
const FORMAT: u32 = 19;
const CURRENT: &str = "CURRENT";
const MANIFEST: &str = "manifest";
const DATA: &str = "data";
/// A process that writes a snapshot holds a lock on this file.
const LOCK: &str = "LOCK";
/// How often the lock is tried, with this pause after each try: its holder may be stopped, and a process that is ending must
/// not wait for it forever.
const LOCK_ATTEMPTS: u32 = 1_000;
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    identity: String,
    applied: u64,
    history: String,
    dimensions: usize,
    data: Contents,
}

/// What the current snapshot of a folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// The number of the last change in it.
    pub applied: u64,
    /// How many vectors.
    pub vectors: u64,
    /// The size of its data.
    pub bytes: u64,
}

impl Manifest {
    fn saved(&self) -> Saved {
        Saved {
            applied: self.applied,
            vectors: Vectors::count_in(&self.data),
            bytes: self.data.bytes,
        }
    }

    /// See [`Shared::save_unless_saved`].
    ///
    /// [`Shared::save_unless_saved`]: crate::shared::Shared::save_unless_saved
    pub(crate) fn is_enough_for(&self, index: &Index, most_missing: u64) -> bool {
        let saved = self.saved();
        if saved.applied > index.applied {
            return true;
        }
        let vectors = (index.vectors.len() as u64).saturating_sub(saved.vectors);
        let missing = index.applied - saved.applied + vectors;
        self.history == index.history && missing <= most_missing
    }
}

impl Index {
    /// Write a snapshot into `folder` and make it the current one. Waits while another process writes one there.
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
        let writer = SnapshotWriter::begin(disk, folder)?;
        let unpublished = writer.write(Moment::of(self), identity, &at_once(self))?;
        writer.publish(unpublished)
    }

    /// Open the current snapshot of `folder`, which must have been saved with the same identity.
    pub fn load(folder: &Path, identity: &str) -> Result<Self, IndexError> {
        let mut pointer = read_pointer(folder)?;
        loop {
            let loaded = Self::load_from(folder, &pointer, identity);
            let now = read_pointer(folder)?;
            // Another process may have replaced and removed it meanwhile.
            if loaded.is_ok() || now == pointer {
                return loaded;
            }
            pointer = now;
        }
    }

    fn load_from(folder: &Path, pointer: &str, identity: &str) -> Result<Self, IndexError> {
        let (inside, manifest) = read_manifest(folder, pointer, identity)?;
        let from = Reader::open(&inside.join(DATA), manifest.data)?;
        let mut index = Self {
            ids: Ids::read(&from)?,
            postings: Postings::read(&from)?,
            spellings: Spellings::read(&from)?,
            vectors: Vectors::read(manifest.dimensions, &from)?,
            attributes: Attributes::read(&from)?,
            numbers: Numbers::read(&from)?,
            graph: Graph::read(&from)?,
            names: Names::read(&from)?,
            waiting: from.value("waiting")?,
            turns: Turns::read(&from)?,
            applied: manifest.applied,
            history: manifest.history,
        };
        index.update_all_vertices();
        Ok(index)
    }
}

/// The state of an index that a snapshot is of: copies of what changes in place, names and conversations that are shared until
/// they change, and what is needed to read the structures that are only appended to as they are now.
pub(crate) struct Moment {
    applied: u64,
    history: String,
    /// The ids that are live.
    to: Renumbering,
    ids: KeptIds,
    /// The statistics of the fields, and of the sequences of letters.
    fields: [FieldStatistics; FIELD_COUNT],
    sequences: FieldStatistics,
    vectors: Vectors,
    edges: KeptEdges,
    names: KeptNames,
    turns: KeptTurns,
    /// Documents to be read again.
    waiting: BTreeSet<u64>,
}

impl Moment {
    /// The index as it is now. Until the snapshot is written, its ids must not be renumbered, nor free rows of its vectors used
    /// again.
    pub(crate) fn of(index: &Index) -> Self {
        let to = index.ids.renumbering();
        Self {
            applied: index.applied,
            history: index.history.clone(),
            ids: index.ids.kept(&to),
            to,
            fields: index.postings.fields.each_ref().map(Field::statistics),
            sequences: index.spellings.sequences.statistics(),
            vectors: index.vectors.without_values(),
            edges: index.graph.kept(),
            names: index.names.kept(),
            turns: index.turns.kept(),
            waiting: index.waiting.clone(),
        }
    }

    /// Write the index as it was then, one structure at a time, without what was dead.
    fn write(self, steps: Steps<'_, Index>, out: &mut Writer) -> Result<(), IndexError> {
        let Self { to, fields, .. } = self;
        self.ids.write(out)?;
        self.edges.write(out)?;
        let vectors = |step: &mut dyn FnMut(&Vectors) -> bool| {
            steps(&mut |index| step(&index.vectors));
        };
        self.vectors.write(&vectors, &to, out)?;
        Postings::write(
            &|step| steps(&mut |index| step(&index.postings)),
            &to,
            &fields,
            out,
        )?;
        let spellings = |step: &mut dyn FnMut(&Spellings) -> bool| {
            steps(&mut |index| step(&index.spellings));
        };
        Spellings::rewritten(&spellings, &to, self.sequences).write(out)?;
        Attributes::write(
            &|step| steps(&mut |index| step(&index.attributes)),
            &to,
            out,
        )?;
        Numbers::write(&|step| steps(&mut |index| step(&index.numbers)), &to, out)?;
        self.names.write(out)?;
        self.turns.write(out)?;
        out.value("waiting", &self.waiting)
    }
}

/// A snapshot being saved. The index is read only while it is written; syncing to the disk takes longer.
pub(crate) struct SnapshotWriter<'a> {
    disk: &'a dyn Disk,
    folder: &'a Path,
    _lock: File,
}

/// Data in a hidden folder that may not have reached the disk yet.
pub(crate) struct UnpublishedSnapshot {
    name: String,
    data: Unsynced,
    manifest: Manifest,
}

impl<'a> SnapshotWriter<'a> {
    /// Waits some seconds while another process saves there; its snapshot saves the next process nearly as much work.
    pub(crate) fn begin(disk: &'a dyn Disk, folder: &'a Path) -> Result<Self, IndexError> {
        disk.create_folder(folder)?;
        let lock_file = lock(folder, LOCK_ATTEMPTS)?;
        remove_other_snapshots(disk, folder, current(folder).as_deref());
        Ok(Self {
            disk,
            folder,
            _lock: lock_file,
        })
    }

    /// What the current snapshot holds, if it is for this identity, whole and `enough`.
    pub(crate) fn current_if(
        &self,
        identity: &str,
        enough: impl FnOnce(&Manifest) -> bool,
    ) -> Option<Saved> {
        let pointer = read_pointer(self.folder).ok()?;
        let (inside, manifest) = read_manifest(self.folder, &pointer, identity).ok()?;
        if !enough(&manifest) {
            return None;
        }
        let saved = manifest.saved();
        Reader::open(&inside.join(DATA), manifest.data).ok()?;
        Some(saved)
    }

    /// Write a snapshot of a moment of the index that `steps` read.
    pub(crate) fn write(
        &self,
        moment: Moment,
        identity: &str,
        steps: Steps<'_, Index>,
    ) -> Result<UnpublishedSnapshot, IndexError> {
        let name = format!("{}-{:016x}", moment.applied, random_number());
        let mut manifest = Manifest {
            format: FORMAT,
            identity: identity.to_owned(),
            applied: moment.applied,
            history: moment.history.clone(),
            dimensions: moment.vectors.dimensions(),
            data: Contents::default(),
        };
        let written = self.kept_if_whole(&name, self.write_data(&name, moment, steps));
        let (data, contents) = written?;
        manifest.data = contents;
        Ok(UnpublishedSnapshot {
            name,
            data,
            manifest,
        })
    }

    fn write_data(
        &self,
        name: &str,
        moment: Moment,
        steps: Steps<'_, Index>,
    ) -> Result<(Unsynced, Contents), IndexError> {
        let temporary_path = self.temporary_path(name);
        self.disk.create_folder(&temporary_path)?;
        let mut out = Writer::create(self.disk, &temporary_path.join(DATA))?;
        moment.write(steps, &mut out)?;
        out.finish()
    }

    /// Make it the current snapshot.
    pub(crate) fn publish(self, unpublished: UnpublishedSnapshot) -> Result<Saved, IndexError> {
        let (name, saved) = (unpublished.name.clone(), unpublished.manifest.saved());
        let crc = self.kept_if_whole(&name, self.sync(unpublished))?;
        let destination = self.folder.join(&name);
        self.disk
            .rename(&self.temporary_path(&name), &destination)?;
        // The folder's entry must be on the disk before a pointer names it.
        self.disk.sync_folder(self.folder)?;
        set_current(self.disk, self.folder, &name, crc)?;
        remove_other_snapshots(self.disk, self.folder, Some(&name));
        Ok(saved)
    }

    /// Returns the manifest's checksum.
    fn sync(&self, unpublished: UnpublishedSnapshot) -> Result<u32, IndexError> {
        let temporary_path = self.temporary_path(&unpublished.name);
        unpublished.data.sync()?;
        let manifest = encode(&unpublished.manifest)?;
        let crc = write(self.disk, &temporary_path.join(MANIFEST), &manifest)?;
        self.disk.sync_folder(&temporary_path)?;
        Ok(crc)
    }

    /// What was `written` for a snapshot; if that failed, the snapshot is removed, so that a full disk does not stay full.
    fn kept_if_whole<T>(
        &self,
        name: &str,
        written: Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        if written.is_err() {
            let _ = self.disk.remove_folder(&self.temporary_path(name));
        }
        written
    }

    fn temporary_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!(".{name}"))
    }
}

/// The folder and the manifest of a snapshot that was saved with this identity.
fn read_manifest(
    folder: &Path,
    pointer: &str,
    identity: &str,
) -> Result<(PathBuf, Manifest), IndexError> {
    let (name, crc) = parse_pointer(pointer)?;
    let inside = folder.join(name);
    let manifest = decode(&read_checked(&inside, MANIFEST, crc)?)?;
    check_manifest(&manifest, identity)?;
    Ok((inside, manifest))
}

fn check_manifest(manifest: &Manifest, identity: &str) -> Result<(), IndexError> {
    if manifest.format != FORMAT {
        return Err(invalid(format!(
            "format {} where {FORMAT} is read",
            manifest.format
        )));
    }
    if manifest.identity != identity {
        return Err(invalid(format!(
            "made for {:?}, not for {identity:?}",
            manifest.identity
        )));
    }
    Ok(())
}

/// The lock is held until the file is dropped or the process ends.
fn lock(folder: &Path, attempts: u32) -> Result<File, IndexError> {
    let file = File::create(folder.join(LOCK))?;
    for _ in 0..attempts {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_RETRY_INTERVAL),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    let message = "another process has kept writing a snapshot there";
    Err(Error::new(ErrorKind::WouldBlock, message).into())
}

fn set_current(disk: &dyn Disk, folder: &Path, name: &str, crc: u32) -> Result<(), IndexError> {
    let temporary_path = folder.join(format!(".{CURRENT}"));
    write(
        disk,
        &temporary_path,
        format!("{name} {crc:08x}\n").as_bytes(),
    )?;
    disk.rename(&temporary_path, &folder.join(CURRENT))?;
    Ok(disk.sync_folder(folder)?)
}

fn read_pointer(folder: &Path) -> Result<String, IndexError> {
    fs::read_to_string(folder.join(CURRENT)).map_err(|error| unreadable(&error))
}

/// The name of the current snapshot, if there is one.
fn current(folder: &Path) -> Option<String> {
    let pointer = read_pointer(folder).ok()?;
    Some(parse_pointer(&pointer).ok()?.0.to_owned())
}

fn parse_pointer(pointer: &str) -> Result<(&str, u32), IndexError> {
    let damaged = || invalid("CURRENT is torn".to_owned());
    let (name, crc) = pointer
        .strip_suffix('\n')
        .and_then(|line| line.split_once(' '))
        .ok_or_else(damaged)?;
    if name.contains(['/', '\\', '.']) {
        return Err(damaged());
    }
    Ok((name, u32::from_str_radix(crc, 16).map_err(|_| damaged())?))
}

/// Remove older snapshots and what crashed writers left; a process that has mapped one keeps it until it is done. What cannot
/// be removed now is removed by a later save.
fn remove_other_snapshots(disk: &dyn Disk, folder: &Path, current: Option<&str>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_left = name
            .to_str()
            .is_some_and(|name| Some(name) != current && is_snapshot(name));
        if is_left {
            let _ = disk.remove_folder(&entry.path());
        }
    }
}

fn is_snapshot(name: &str) -> bool {
    let (applied, random) = name
        .trim_start_matches('.')
        .split_once('-')
        .unwrap_or(("", ""));
    let is_number = !applied.is_empty() && applied.bytes().all(|byte| byte.is_ascii_digit());
    is_number && random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the checksum.
fn write(disk: &dyn Disk, path: &Path, content: &[u8]) -> Result<u32, IndexError> {
    let mut file = disk.create_file(path)?;
    file.write_all(content)?;
    file.sync()?;
    Ok(crc32fast::hash(content))
}

fn read_checked(folder: &Path, name: &str, crc: u32) -> Result<Vec<u8>, IndexError> {
    let content = fs::read(folder.join(name)).map_err(|error| unreadable(&error))?;
    if crc32fast::hash(&content) == crc {
        Ok(content)
    } else {
        Err(invalid(format!("{name} is torn")))
    }
}

fn unreadable(error: &std::io::Error) -> IndexError {
    let what = if error.kind() == ErrorKind::NotFound {
        "none there".to_owned()
    } else {
        error.to_string()
    };
    invalid(what)
}

/// Different for every call in every process: for names, not for secrets.
fn random_number() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewDocument;
    use crate::graph::NewEdge;
    use crate::names::Name;
    use crate::turns::Turn;

    /// A folder that is removed with its contents in the end.
    struct Folder(PathBuf);

    impl std::ops::Deref for Folder {
        type Target = Path;
        fn deref(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn folder(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("omoide-{name}-{:016x}", random_number()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn filled() -> Index {
        let mut index = Index::new(4);
        let attributes = [("scope".to_owned(), "家族".to_owned())];
        let numbers = [("stored_at".to_owned(), 7)];
        let edges = [NewEdge {
            target: 9,
            kind: "about".into(),
            home: String::new(),
            weight: 1.0,
            created_at: 3,
        }];
        let turn = Turn {
            conversation: "夕食".into(),
            order: 0,
            at: 7,
        };
        for key in [1, 2] {
            let document = NewDocument {
                kind: 1,
                key,
                fields: [
                    vec!["抹茶", "matcha"],
                    vec!["抹", "抹茶", "茶"],
                    vec!["マッチャ"],
                ],
                attributes: &attributes,
                numbers: &numbers,
                edges: &edges,
                turn: Some(&turn),
                sequences: Some(vec!["mat".into(), "atc".into()]),
                vectors: vec![vec![key as f32, 1.0, 0.0, 0.0]],
                ..NewDocument::default()
            };
            index.put_document(document).unwrap();
        }
        let kyoto = Name {
            text: "京都".into(),
            words: vec![vec!["京都".into()]],
            terms: vec!["抹茶".into()],
            field: 0,
        };
        index.put_node(9, &[kyoto]);
        index.applied = 42;
        index.history = "巻一".into();
        index
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                found.extend(files(&entry.path()));
            } else {
                found.push(entry.path());
            }
        }
        found
    }

    #[test]
    fn a_snapshot_holds_everything() {
        let folder = folder("whole");
        filled().save(&folder, "記憶 1").unwrap();
        let index = Index::load(&folder, "記憶 1").unwrap();
        assert_eq!(
            (index.applied, index.ids.count(), index.vectors.len()),
            (42, 3, 2)
        );
        assert_eq!(index.history, "巻一");
        assert_eq!(
            index.postings.fields[0]
                .posting_list("抹茶")
                .unwrap()
                .doc_freq(),
            2
        );
        assert_eq!(index.attributes.one_of("scope", &["家族".into()]).len(), 2);
        assert_eq!(index.numbers.within("stored_at", Some(7), Some(8)).len(), 2);
        assert_eq!(index.graph.degree(9), 2);
        assert_eq!(index.names.mentioned("京都へ", |_| true), [9]);
        assert_eq!(index.waiting, BTreeSet::from([1, 2]));
        assert_eq!(index.turns.around(1, 2), [(2, 1)]);
    }

    /// The documents with a value are stored in one of three ways.
    #[test]
    fn a_snapshot_holds_values_of_one_of_a_few_and_of_most_documents() {
        let mut index = Index::new(1);
        for key in 0..200 {
            let tags = [
                ("夕食", key % 200 == 7),
                ("早饭", key % 50 == 7),
                ("tea", key % 2 == 1),
            ];
            let tags = tags.iter().filter(|tag| tag.1);
            let tags: Vec<_> = tags
                .map(|tag| ("tag".to_owned(), tag.0.to_owned()))
                .collect();
            let document = NewDocument {
                key,
                attributes: &tags,
                ..NewDocument::default()
            };
            index.put_document(document).unwrap();
        }
        let folder = folder("values");
        index.save(&folder, "記憶 1").unwrap();
        let loaded = Index::load(&folder, "記憶 1").unwrap();
        for (tag, count) in [("夕食", 1), ("早饭", 4), ("tea", 100)] {
            let found = |index: &Index| -> Vec<_> {
                let docs = index.attributes.one_of("tag", &[tag.into()]);
                docs.iter().collect()
            };
            assert_eq!(found(&loaded).len(), count, "{tag}");
            assert_eq!(found(&loaded), found(&index), "{tag}");
        }
        assert_eq!(loaded.attributes.present("tag").len(), 100);
    }

    #[test]
    fn another_identity_is_refused_and_says_so() {
        let folder = folder("identity");
        assert_eq!(
            Index::load(&folder, "a").err().unwrap().to_string(),
            "snapshot: none there"
        );
        filled().save(&folder, "a").unwrap();
        let error = Index::load(&folder, "b").err().unwrap().to_string();
        assert_eq!(error, "snapshot: made for \"a\", not for \"b\"");
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_noticed() {
        let folder = folder("torn");
        filled().save(&folder, "a").unwrap();
        for path in files(&folder) {
            let whole = fs::read(&path).unwrap();
            // The data is long, and its checksums do not depend on what it is; a sample of positions is enough.
            let step = if whole.len() > 2_000 { 61 } else { 1 };
            for at in (0..whole.len()).step_by(step) {
                let mut flipped = whole.clone();
                flipped[at] ^= 0x01;
                fs::write(&path, &flipped).unwrap();
                assert!(
                    Index::load(&folder, "a").is_err(),
                    "{} flipped at {at}",
                    path.display()
                );
                fs::write(&path, &whole[..at]).unwrap();
                assert!(
                    Index::load(&folder, "a").is_err(),
                    "{} cut at {at}",
                    path.display()
                );
            }
            fs::write(&path, &whole).unwrap();
        }
        assert!(Index::load(&folder, "a").is_ok());
    }

    #[test]
    fn a_snapshot_that_cannot_be_written_is_an_error_and_harms_nothing() {
        let folder = folder("blocked");
        let file = folder.join("file");
        fs::write(&file, "in the way").unwrap();
        assert!(filled().save(&file, "a").is_err());
        assert_eq!(fs::read(&file).unwrap(), b"in the way");
    }

    #[test]
    fn the_newest_snapshot_is_current() {
        let folder = folder("newest");
        let mut index = filled();
        index.save(&folder, "a").unwrap();
        index.applied = 43;
        index.save(&folder, "a").unwrap();
        assert_eq!(Index::load(&folder, "a").unwrap().applied, 43);
    }

    #[test]
    fn a_save_removes_older_snapshots_and_nothing_else() {
        let folder = folder("others");
        let old = ["7-0123456789abcdef", ".8-0123456789abcdef"];
        let others = [
            "2025-holiday-pictures",
            "notes-0123456789abcdef",
            "-0123456789abcdef",
            "2025-写真",
            "8-0123456789abcde",
        ];
        for name in old.iter().chain(&others) {
            fs::create_dir(folder.join(name)).unwrap();
        }
        filled().save(&folder, "a").unwrap();
        assert!(old.iter().all(|name| !folder.join(name).exists()));
        let removed = others.iter().find(|name| !folder.join(name).exists());
        assert_eq!(removed, None);
    }

    fn data_of(folder: &Path) -> PathBuf {
        folder.join(current(folder).unwrap()).join(DATA)
    }

    #[test]
    fn whatever_is_written_over_a_snapshot_is_noticed() {
        let folder = folder("overwritten");
        filled().save(&folder, "a").unwrap();
        let data = data_of(&folder);
        let whole = fs::read(&data).unwrap();
        let mut state = 7_u64;
        let mut roll = |sides: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % sides
        };
        for _ in 0..300 {
            let mut other = whole.clone();
            let (start, length) = (roll(whole.len()), 1 + roll(64));
            for byte in other.iter_mut().skip(start).take(length) {
                *byte = roll(256) as u8;
            }
            if roll(4) == 0 {
                other.extend((0..length).map(|_| 0));
            }
            fs::write(&data, &other).unwrap();
            assert_eq!(
                Index::load(&folder, "a").is_ok(),
                other == whole,
                "at {start}"
            );
        }
    }

    #[test]
    fn removed_memories_leave_the_disk_with_the_next_snapshot() {
        let folder = folder("bounded");
        let mut index = Index::new(16);
        let put = |index: &mut Index, key: u64| {
            let own = format!("語{key}");
            let document = NewDocument {
                key,
                fields: [vec!["記憶", &own], vec![], vec![]],
                vectors: vec![vec![key as f32; 16]],
                ..NewDocument::default()
            };
            index.put_document(document).unwrap();
        };
        (0..2_000).for_each(|key| put(&mut index, key));
        let all = index.save(&folder, "a").unwrap().bytes;
        (0..1_800).for_each(|key| index.remove(key));
        let few = index.save(&folder, "a").unwrap().bytes;
        let mut fresh = Index::new(16);
        (1_800..2_000).for_each(|key| put(&mut fresh, key));
        let least = fresh.save(&folder, "a").unwrap().bytes;
        assert!(few < all / 4 && few <= least * 2, "{all} {few} {least}");
    }

    #[test]
    fn waiting_for_the_lock_ends() {
        let folder = folder("lock");
        let held = lock(&folder, 1).unwrap();
        let invalid = lock(&folder, 2).unwrap_err();
        assert!(invalid.to_string().contains("another process"), "{invalid}");
        drop(held);
        lock(&folder, 1).unwrap();
    }
}
