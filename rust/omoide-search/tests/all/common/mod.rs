//! Shared by tests of whole indexes: random numbers, memories with everything that a memory can have, and a failing disk.

pub mod asking;
pub mod failing_disk;
pub mod memory;
pub mod naive;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A small, seeded random number generator, so that tests are repeatable.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// An empty folder that is removed with its contents in the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let own = format!("omoide-{name}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        fs::create_dir_all(&folder).expect("room on the disk");
        Self(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
