//! The steps by which a snapshot reaches the disk.
//!
//! Useful for: tests that stop a save after any step and look at what it leaves. Not useful for: reading; an index is opened by
//! mapping files.
//! Invariant: a save changes the disk only by these steps; its lock also leaves an empty file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Where snapshots are written. Each call is one step.
pub trait Disk {
    /// Create a folder and those above it, if they are missing.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Create an empty file, or empty an existing one.
    fn create_file(&self, path: &Path) -> io::Result<Box<dyn Sink>>;
    /// Rename a file or folder, replacing a file of that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Return once the folder's entries would survive a power cut.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Remove a folder with everything in it.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub trait Sink: Write {
    /// Return once what was written would survive a power cut.
    fn sync(&mut self) -> io::Result<()>;
}

/// The local file system.
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
