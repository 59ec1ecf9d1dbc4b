//! By which steps does a snapshot reach the disk?
//!
//! Useful for: ending a save between any two of its steps, and seeing what it leaves behind. Not useful for: reading; an
//! index is opened by mapping files.
//! Invariant: a save changes the disk by these steps alone; the lock it takes leaves an empty file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Where snapshots are written. Each call is one step.
pub trait Disk {
    /// Make a folder and those above it, as far as they are missing.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Make an empty file, or make one empty.
    fn create_file(&self, path: &Path) -> io::Result<Box<dyn Sink>>;
    /// Give a file or folder another name, in place of the file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Return once the names in a folder would outlive a power cut.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Remove a folder with everything in it.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub trait Sink: Write {
    /// Return once what was written would outlive a power cut.
    fn sync(&mut self) -> io::Result<()>;
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy)]
pub struct LocalDisk;

impl Disk for LocalDisk {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn create_file(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(File::create(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }
}

impl Sink for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}
