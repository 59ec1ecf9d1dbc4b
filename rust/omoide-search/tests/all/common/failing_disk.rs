//! What does a save leave behind if it is stopped after any of its steps?
//!
//! Useful for: a killed process (everything it did stays), and a power cut (each change that was not synced may be lost). Not
//! useful for: disks that lie about syncing.

use omoide_index::disk::{Disk, LocalDisk, Sink};
use std::cell::{Cell, RefCell};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How much of a file that was not synced is left after a power cut.
#[derive(Debug, Clone, Copy)]
pub enum Rest {
    Nothing,
    Half,
    Zeros,
}

/// A change to the entries of a folder.
#[derive(Debug)]
enum NameChange {
    Created(PathBuf),
    /// From, to, and the content of the file that had the name before.
    Renamed(PathBuf, PathBuf, Option<Vec<u8>>),
}

impl NameChange {
    /// Its present path.
    fn path(&mut self) -> &mut PathBuf {
        match self {
            Self::Created(path) | Self::Renamed(_, path, _) => path,
        }
    }

    fn folder(&self) -> Option<&Path> {
        match self {
            Self::Created(path) | Self::Renamed(_, path, _) => path.parent(),
        }
    }

    fn undo(&self) -> io::Result<()> {
        match self {
            Self::Created(path) if path.is_dir() => fs::remove_dir_all(path),
            Self::Created(path) => fs::remove_file(path),
            Self::Renamed(from, to, before) => {
                fs::rename(to, from)?;
                before.as_ref().map_or(Ok(()), |bytes| fs::write(to, bytes))
            }
        }
    }
}

/// The changes that were made and not yet synced.
#[derive(Default)]
struct Journal {
    /// `None` after the end.
    steps_left: Cell<Option<usize>>,
    names: RefCell<Vec<NameChange>>,
    contents: RefCell<Vec<PathBuf>>,
}

impl Journal {
    fn step(&self) -> io::Result<()> {
        let left = self.steps_left.get().and_then(|left| left.checked_sub(1));
        self.steps_left.set(left);
        left.map(|_| ())
            .ok_or_else(|| io::Error::other("the machine has stopped"))
    }

    fn note(&self, name: NameChange) {
        self.names.borrow_mut().push(name);
    }
}

/// The local disk, for a limited number of steps.
pub struct FailingDisk(Rc<Journal>);

impl FailingDisk {
    pub fn after(steps: usize) -> Self {
        let journal = Journal::default();
        journal.steps_left.set(Some(steps));
        Self(Rc::new(journal))
    }

    /// How many entries could still be lost, each independently.
    pub fn unsynced(&self) -> usize {
        self.0.names.borrow().len()
    }

    /// Cut the power: of what was not synced, file contents keep `rest`, and entries whose bit is set in `lost` are lost.
    pub fn cut_power(self, lost: u32, rest: Rest) -> io::Result<()> {
        for path in self.0.contents.borrow().iter() {
            let written = fs::read(path)?;
            let left = match rest {
                Rest::Nothing => Vec::new(),
                Rest::Half => written[..written.len() / 2].to_vec(),
                Rest::Zeros => vec![0; written.len()],
            };
            fs::write(path, left)?;
        }
        let names = self.0.names.borrow();
        let undone = names.iter().enumerate().rev();
        for (_, name) in undone.filter(|(at, _)| lost >> at & 1 == 1) {
            // The contents of a lost folder are lost with it.
            let _ = name.undo();
        }
        Ok(())
    }
}

impl Disk for FailingDisk {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.0.step()?;
        if !path.exists() {
            self.0.note(NameChange::Created(path.to_owned()));
        }
        LocalDisk.create_folder(path)
    }

    fn create_file(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        self.0.step()?;
        self.0.note(NameChange::Created(path.to_owned()));
        self.0.contents.borrow_mut().push(path.to_owned());
        Ok(Box::new(FailingFile {
            journal: Rc::clone(&self.0),
            path: path.to_owned(),
            file: LocalDisk.create_file(path)?,
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.step()?;
        let before = fs::read(to).ok();
        LocalDisk.rename(from, to)?;
        let mut contents = self.0.contents.borrow_mut();
        let mut names = self.0.names.borrow_mut();
        // The old name is gone, so its creation can no longer be lost on its own.
        names.retain_mut(|name| *name.path() != from);
        let inside = names.iter_mut().map(NameChange::path);
        for path in contents.iter_mut().chain(inside) {
            if let Ok(below) = path.strip_prefix(from) {
                *path = to.join(below).components().collect();
            }
        }
        drop((contents, names));
        self.0
            .note(NameChange::Renamed(from.to_owned(), to.to_owned(), before));
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.0.step()?;
        let is_lost = |name: &NameChange| name.folder() != Some(path);
        self.0.names.borrow_mut().retain(is_lost);
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let files = fs::read_dir(path)?;
        for file in files.flatten() {
            self.0.step()?;
            fs::remove_file(file.path())?;
        }
        self.0.step()?;
        fs::remove_dir(path)
    }
}

struct FailingFile {
    journal: Rc<Journal>,
    path: PathBuf,
    file: Box<dyn Sink>,
}

impl Write for FailingFile {
    /// A write that is cut short writes half.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.journal.steps_left.get() == Some(0) {
            self.file.write_all(&bytes[..bytes.len() / 2])?;
        }
        self.journal.step()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sink for FailingFile {
    fn sync(&mut self) -> io::Result<()> {
        self.journal.step()?;
        self.journal
            .contents
            .borrow_mut()
            .retain(|path| *path != self.path);
        Ok(())
    }
}
