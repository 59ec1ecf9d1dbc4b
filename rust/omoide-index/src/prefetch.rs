//! Asks the processor to load memory that will be read soon, so that several waits for memory overlap.
//!
//! Useful for: places that are known before they are read, far apart in large arrays. Not useful for: arrays that are read in
//! order, which the processor notices by itself.
//! Invariant: a hint without any effect on results; does nothing on processors other than x86-64.

/// Bytes in a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Prefetch every cache line of the values.
#[inline]
pub fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first: *const i8 = values.as_ptr().cast();
        for line in 0..size_of_val(values).div_ceil(LINE) {
            // SAFETY: a hint; the address is that of a byte in the slice.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(line * LINE)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}
