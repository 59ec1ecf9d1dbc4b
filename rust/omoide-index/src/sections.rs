//! How are many arrays stored in one file?
//!
//! Each section begins at a multiple of [`ALIGNMENT`]. Checksums are of fixed chunks of the file, independent of sections, so
//! that several cores can check a large file in parallel.

use crate::IndexError;
use crate::column::Column;
use crate::cores::parallel_map;
use crate::disk::{Disk, Sink};
use bytemuck::Pod;
use memmap2::{Mmap, MmapOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Enough for every type that is mapped.
const ALIGNMENT: u64 = 64;
const CHUNK: usize = 1 << 20;

/// The sections of a file, and what is needed to check it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Contents {
    /// The file's length.
    pub bytes: u64,
    /// (name, start, length).
    sections: Vec<(String, u64, u64)>,
    /// The checksum of each chunk.
    checksums: Vec<u32>,
}

impl Contents {
    /// The length of a section in bytes; 0 if there is none of this name.
    pub fn length(&self, name: &str) -> u64 {
        let mut sections = self.sections.iter();
        sections
            .find(|each| each.0 == name)
            .map_or(0, |each| each.2)
    }

    /// Whether every byte has a checksum, and every section lies inside the file, aligned.
    fn is_consistent(&self) -> bool {
        let is_inside = |&(_, start, length): &(String, u64, u64)| {
            let end = start.checked_add(length);
            start.is_multiple_of(ALIGNMENT) && end.is_some_and(|end| end <= self.bytes)
        };
        self.checksums.len() as u64 == self.bytes.div_ceil(CHUNK as u64)
            && self.sections.iter().all(is_inside)
    }
}

/// Writes sections, one after another.
pub struct Writer {
    file: BufWriter<Box<dyn Sink>>,
    contents: Contents,
    chunk: crc32fast::Hasher,
    chunk_bytes: usize,
}

impl Writer {
    pub fn create(disk: &dyn Disk, path: &Path) -> Result<Self, IndexError> {
        Ok(Self {
            file: BufWriter::with_capacity(CHUNK, disk.create_file(path)?),
            contents: Contents::default(),
            chunk: crc32fast::Hasher::new(),
            chunk_bytes: 0,
        })
    }

    /// Write an array that will be mapped.
    pub fn column<T: Pod>(&mut self, name: &str, column: &Column<T>) -> Result<(), IndexError> {
        self.pieces(name, column.parts().into_iter())
    }

    /// Write one from contiguous pieces.
    pub fn pieces<T: Pod>(
        &mut self,
        name: &str,
        pieces: impl Iterator<Item = impl AsRef<[T]>>,
    ) -> Result<(), IndexError> {
        let start = self.contents.bytes.next_multiple_of(ALIGNMENT);
        let padding = [0; ALIGNMENT as usize];
        self.write_bytes(&padding[..(start - self.contents.bytes) as usize])?;
        for piece in pieces {
            self.write_bytes(bytemuck::cast_slice(piece.as_ref()))?;
        }
        let length = self.contents.bytes - start;
        self.contents
            .sections
            .push((name.to_owned(), start, length));
        Ok(())
    }

    /// Write one from a slice.
    pub fn slice<T: Pod>(&mut self, name: &str, values: &[T]) -> Result<(), IndexError> {
        self.pieces(name, [values].into_iter())
    }

    /// Write a value that will be read when the file is opened.
    pub fn value(&mut self, name: &str, value: &impl Serialize) -> Result<(), IndexError> {
        self.slice(name, &encode(value)?)
    }

    /// Finish the file: everything is written, but not synced to the disk yet.
    pub fn finish(mut self) -> Result<(Unsynced, Contents), IndexError> {
        if self.chunk_bytes > 0 {
            self.end_chunk();
        }
        let file = self
            .file
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        Ok((Unsynced(file), self.contents))
    }

    fn write_bytes(&mut self, mut bytes: &[u8]) -> Result<(), IndexError> {
        self.file.write_all(bytes)?;
        self.contents.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.chunk_bytes));
            self.chunk.update(now);
            self.chunk_bytes += now.len();
            bytes = later;
            if self.chunk_bytes == CHUNK {
                self.end_chunk();
            }
        }
        Ok(())
    }

    fn end_chunk(&mut self) {
        let chunk = std::mem::take(&mut self.chunk);
        self.contents.checksums.push(chunk.finalize());
        self.chunk_bytes = 0;
    }
}

/// A file that would not survive a power cut yet.
pub struct Unsynced(Box<dyn Sink>);

impl Unsynced {
    /// Sync it to the disk.
    pub fn sync(mut self) -> Result<(), IndexError> {
        Ok(self.0.sync()?)
    }
}

/// Opens the sections of a file.
pub struct Reader {
    file: File,
    sections: HashMap<String, (u64, usize)>,
}

impl Reader {
    /// Returns an error unless every byte is as it was written.
    pub fn open(path: &Path, contents: Contents) -> Result<Self, IndexError> {
        let file = File::open(path)?;
        if !contents.is_consistent() {
            return Err(invalid("the manifest contradicts itself".to_owned()));
        }
        if file.metadata()?.len() != contents.bytes || !checksums_match(&file, &contents)? {
            return Err(invalid("data is torn".to_owned()));
        }
        let sections = contents.sections.into_iter();
        Ok(Self {
            file,
            sections: sections
                .map(|(name, start, length)| (name, (start, length as usize)))
                .collect(),
        })
    }

    /// Map an array.
    pub fn column<T: Pod>(&self, name: &str) -> Result<Column<T>, IndexError> {
        let (start, length) = self.find(name)?;
        if !length.is_multiple_of(size_of::<T>()) {
            return Err(invalid(format!("{name} holds half a value")));
        }
        if length == 0 {
            return Ok(Column::default());
        }
        // SAFETY: the file is ours, was synced and renamed into place, and is never written to or truncated again; `open` has
        // checked that the section ends within it. The mapping is private, so changes made through it stay in memory.
        let map = unsafe {
            MmapOptions::new()
                .offset(start)
                .len(length)
                .map_copy(&self.file)
        }?;
        Ok(Column::mapped(map))
    }

    /// Read a value.
    pub fn value<T: DeserializeOwned>(&self, name: &str) -> Result<T, IndexError> {
        let bytes = self.column::<u8>(name)?;
        decode(bytes.slice(0..bytes.len()))
    }

    /// Whether there is a section of this name.
    pub fn has(&self, name: &str) -> bool {
        self.sections.contains_key(name)
    }

    fn find(&self, name: &str) -> Result<(u64, usize), IndexError> {
        let found = self.sections.get(name).copied();
        found.ok_or_else(|| invalid(format!("{name} is not in the data")))
    }
}

/// Check all chunks, on every core.
fn checksums_match(file: &File, contents: &Contents) -> Result<bool, IndexError> {
    if contents.bytes == 0 {
        return Ok(true);
    }
    // SAFETY: as for columns; this mapping is of the whole file, only read, and dropped at the end.
    let map = unsafe { Mmap::map(file) }?;
    let is_intact = |at: usize| {
        let chunk = &map[at * CHUNK..((at + 1) * CHUNK).min(map.len())];
        crc32fast::hash(chunk) == contents.checksums[at]
    };
    Ok(parallel_map(contents.checksums.len(), is_intact)
        .into_iter()
        .all(|right| right))
}

pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, IndexError> {
    postcard::to_stdvec(value).map_err(|error| invalid(error.to_string()))
}

pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, IndexError> {
    postcard::from_bytes(bytes).map_err(|error| invalid(error.to_string()))
}

pub fn invalid(why: String) -> IndexError {
    IndexError::Snapshot(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::LocalDisk;

    /// Changes a manifest so that it contradicts the file or itself.
    type Corruption = fn(&mut Contents);

    #[test]
    fn a_manifest_that_contradicts_itself_is_refused_before_anything_is_mapped() {
        let path = std::env::temp_dir().join(format!("omoide-sections-{}", std::process::id()));
        let write = || {
            let mut out = Writer::create(&LocalDisk, &path).unwrap();
            out.slice::<u32>("three", &[1, 2, 3]).unwrap();
            out.slice::<u64>("one", &[4]).unwrap();
            out.finish().unwrap().1
        };
        let corruptions: [(&str, Corruption); 5] = [
            ("too short", |contents| contents.bytes -= 1),
            ("a chunk without a checksum", |contents| {
                contents.checksums.clear();
            }),
            ("a section past the end", |contents| {
                contents.sections[1].2 += 8;
            }),
            ("a section past all numbers", |contents| {
                contents.sections[1].2 = u64::MAX;
            }),
            ("a section that is not aligned", |contents| {
                contents.sections[1].1 -= 4;
            }),
        ];
        for (what, corrupt) in corruptions {
            let mut contents = write();
            corrupt(&mut contents);
            assert!(Reader::open(&path, contents).is_err(), "{what}");
        }
        let reader = Reader::open(&path, write()).unwrap();
        assert_eq!(reader.column::<u64>("one").unwrap().get(0), 4);
        assert!(reader.column::<u64>("three").is_err(), "half a value");
        std::fs::remove_file(path).unwrap();
    }
}
