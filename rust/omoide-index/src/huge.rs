//! An allocator that puts large arrays into huge pages, if the system has them.
//!
//! A search reads a few bytes here and there in arrays of many megabytes. With pages of 4 kB, most of these accesses miss the
//! processor's address cache (TLB), which in a virtual machine costs more than reading; with pages of 2 MB few do.
//! Small allocations are left to the system allocator.
//!
//! Useful for: the global allocator of a program on Linux that keeps an index in memory. Not useful for: mapped files.
//! Invariant: an allocation of a huge page or more is a mapping of its own, in whole pages, and no other is.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{copy_nonoverlapping, null_mut};

/// Bytes of a huge page.
const PAGE: usize = 2 << 20;
/// The start of any mapping is a multiple of this.
const ALIGNED: usize = 4_096;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct HugePages;

/// Bytes of the mapping for an allocation; `None` if it gets none.
fn mapped(layout: Layout) -> Option<usize> {
    let is_large = layout.size() >= PAGE && layout.align() <= ALIGNED;
    is_large.then(|| layout.size().next_multiple_of(PAGE))
}

/// New memory, all zeros; null if there is none.
fn map(bytes: usize) -> *mut u8 {
    let (read_write, private) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a new mapping, wherever the system likes; huge pages are asked for on all of it and nothing else.
    unsafe {
        let start = libc::mmap(null_mut(), bytes, read_write, private, -1, 0);
        if start == libc::MAP_FAILED {
            return null_mut();
        }
        libc::madvise(start, bytes, libc::MADV_HUGEPAGE);
        start.cast()
    }
}

// SAFETY: each block is the system allocator's or a mapping of its own, and its layout alone tells which, also when it is
// given back or resized. Mappings begin at a multiple of `ALIGNED`.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match mapped(layout) {
            Some(bytes) => map(bytes),
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match mapped(layout) {
            Some(bytes) => map(bytes),
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match mapped(layout) {
            // SAFETY: the block is a mapping of so many bytes, which nobody uses any more.
            Some(bytes) => unsafe {
                libc::munmap(block.cast(), bytes);
            },
            // SAFETY: the caller's promise.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the new size makes a layout, too.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (mapped(layout), mapped(wanted)) {
            // SAFETY: the caller's promise.
            (None, None) => unsafe { System.realloc(block, layout, size) },
            // SAFETY: the block is a mapping of so many bytes, and moves as a whole, page by page, its contents with it.
            (Some(before), Some(after)) => unsafe {
                let moved = libc::mremap(block.cast(), before, after, libc::MREMAP_MAYMOVE);
                if moved == libc::MAP_FAILED {
                    return null_mut();
                }
                moved.cast()
            },
            // SAFETY: both have room for what is copied and do not overlap; the old one is freed as it was allocated.
            _ => unsafe {
                let moved = self.alloc(wanted);
                if !moved.is_null() {
                    copy_nonoverlapping(block, moved, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first eight bytes of each kilobyte.
    fn words(block: *mut u8, bytes: usize) -> impl Iterator<Item = *mut usize> {
        (0..bytes)
            .step_by(1_024)
            .map(move |at| block.wrapping_add(at).cast())
    }

    #[test]
    fn contents_survive_growing_and_shrinking() {
        let sizes = [
            8 << 10,
            PAGE - 8,
            PAGE,
            3 * PAGE + 24,
            40 * PAGE,
            PAGE + 8,
            PAGE - 16,
            16 << 10,
        ];
        let layout = |size| Layout::from_size_align(size, 8).unwrap();
        // SAFETY: every block is used as long as it is there, within its size, and given back with its layout.
        unsafe {
            let mut block = HugePages.alloc_zeroed(layout(sizes[0]));
            let mut known = 0;
            for (size, next) in sizes.iter().zip(&sizes[1..]) {
                for (at, word) in words(block, *size).enumerate() {
                    assert!(at * 1_024 >= known || *word == at, "{size}: {at}");
                    *word = at;
                }
                known = *size.min(next);
                block = HugePages.realloc(block, layout(*size), *next);
            }
            assert!(
                words(block, known)
                    .enumerate()
                    .all(|(at, word)| *word == at)
            );
            HugePages.dealloc(block, layout(sizes[sizes.len() - 1]));
        }
    }

    #[test]
    fn new_memory_is_zero_and_aligned() {
        for (size, align) in [
            (64, 64),
            (PAGE, 64),
            (2 * PAGE + 1, 4_096),
            (PAGE, 2 * ALIGNED),
        ] {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the block is used within its size and given back with its layout.
            unsafe {
                let block = HugePages.alloc_zeroed(layout);
                assert_eq!(block.addr() % align, 0);
                assert!(
                    std::slice::from_raw_parts(block, size)
                        .iter()
                        .all(|&byte| byte == 0)
                );
                HugePages.dealloc(block, layout);
            }
        }
    }
}
