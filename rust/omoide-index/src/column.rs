//! An array that may begin in a snapshot's file and continue in memory.
//!
//! Useful for: arrays that are opened without being read: the snapshot's part is a private mapping of the file, paged in when
//! touched and copied page by page when changed; what was appended since is in memory.
//! Not useful for: structures that are rebuilt when they are opened.
//! Invariant: values appended in one call are contiguous; a mapped file is never written to.

use bytemuck::Pod;
use memmap2::MmapMut;
use std::array::from_fn;
use std::ops::Range;

/// See the module.
#[derive(Debug)]
pub struct Column<T> {
    base: Option<MmapMut>,
    base_len: usize,
    tail: Vec<T>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(tail: Vec<T>) -> Self {
        Self {
            base: None,
            base_len: 0,
            tail,
        }
    }
}

impl<T: Pod> Column<T> {
    /// An array in a private mapping, aligned for `T`.
    pub(crate) fn mapped(map: MmapMut) -> Self {
        let base_len = map.len() / size_of::<T>();
        Self {
            base: Some(map),
            base_len,
            tail: Vec::new(),
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.base_len + self.tail.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at an index below [`Self::len`].
    #[inline]
    pub fn get(&self, at: usize) -> T {
        *self.at(at)
    }

    /// A reference to it.
    #[inline]
    pub fn at(&self, at: usize) -> &T {
        match at.checked_sub(self.base_len) {
            Some(at) => &self.tail[at],
            None => &self.base()[at],
        }
    }

    /// A mutable reference to it.
    #[inline]
    pub fn at_mut(&mut self, at: usize) -> &mut T {
        match at.checked_sub(self.base_len) {
            Some(at) => &mut self.tail[at],
            None => &mut self.base_mut()[at],
        }
    }

    /// The values of a range that was appended in one call.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> &[T] {
        match range.start.checked_sub(self.base_len) {
            Some(start) => &self.tail[start..range.end - self.base_len],
            None => &self.base()[range],
        }
    }

    /// The values from an index on that are contiguous with it.
    #[inline]
    pub fn rest(&self, start: usize) -> &[T] {
        match start.checked_sub(self.base_len) {
            Some(start) => &self.tail[start..],
            None => &self.base()[start..],
        }
    }

    /// The same range, mutable.
    pub fn slice_mut(&mut self, range: Range<usize>) -> &mut [T] {
        match range.start.checked_sub(self.base_len) {
            Some(start) => &mut self.tail[start..range.end - self.base_len],
            None => &mut self.base_mut()[range],
        }
    }

    /// Change one value.
    pub fn set(&mut self, at: usize, value: T) {
        *self.at_mut(at) = value;
    }

    /// Append one value.
    pub fn push(&mut self, value: T) {
        self.tail.push(value);
    }

    /// Append values.
    pub fn extend(&mut self, values: &[T]) {
        self.tail.extend_from_slice(values);
    }

    /// Append `value` until there are `len` values; never shortens.
    pub fn grow(&mut self, len: usize, value: T) {
        let tail = len.saturating_sub(self.base_len).max(self.tail.len());
        self.tail.resize(tail, value);
    }

    /// A view for many look-ups in a row.
    pub fn view(&self) -> View<'_, T> {
        let [base, tail] = self.parts();
        View { base, tail }
    }

    /// All values: the snapshot's part, then what was appended since.
    pub fn parts(&self) -> [&[T]; 2] {
        [self.base(), &self.tail]
    }

    /// A copy, all of it in memory.
    pub(crate) fn copied(&self) -> Self {
        Self::from(self.parts().concat())
    }

    /// All values in order.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        let [base, tail] = self.parts();
        base.iter().chain(tail).copied()
    }

    /// Bytes of memory certainly in use: what was appended since the snapshot.
    pub fn bytes(&self) -> usize {
        self.tail.capacity() * size_of::<T>()
    }

    fn base(&self) -> &[T] {
        self.base
            .as_ref()
            .map_or(&[], |map| bytemuck::cast_slice(map))
    }

    fn base_mut(&mut self) -> &mut [T] {
        self.base
            .as_mut()
            .map_or(&mut [], |map| bytemuck::cast_slice_mut(map))
    }
}

/// The values of a [`Column`], while nothing changes.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, T> {
    base: &'a [T],
    tail: &'a [T],
}

impl<T: Copy> View<'_, T> {
    /// The value at an index, if there is one.
    pub fn get(&self, at: usize) -> Option<T> {
        match self.base.get(at) {
            Some(value) => Some(*value),
            None => self.tail.get(at - self.base.len()).copied(),
        }
    }

    /// The values from an index on, `missing` beyond the end.
    #[inline]
    pub fn many<const COUNT: usize>(&self, at: usize, missing: T) -> [T; COUNT] {
        let together = self.base.get(at..at + COUNT);
        let together = together.and_then(|values| values.try_into().ok());
        together.unwrap_or_else(|| from_fn(|more| self.get(at + more).unwrap_or(missing)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(values: &[u32]) -> Column<u32> {
        let mut map = MmapMut::map_anon(size_of_val(values)).unwrap();
        map.copy_from_slice(bytemuck::cast_slice(values));
        Column::mapped(map)
    }

    #[test]
    fn the_mapped_and_the_appended_part_are_one_array() {
        let mut column = mapped(&[1, 2, 3]);
        column.extend(&[4, 5]);
        column.set(1, 20);
        column.set(4, 50);
        column.grow(7, 9);
        column.grow(2, 0);
        assert_eq!(
            column.iter().collect::<Vec<_>>(),
            [1, 20, 3, 4, 50, 9, 9],
            "in order"
        );
        assert_eq!((column.get(2), column.get(3)), (3, 4));
        let view = column.view();
        assert_eq!(
            [view.get(1), view.get(6), view.get(7)],
            [Some(20), Some(9), None]
        );
        assert_eq!(column.slice(3..5), [4, 50]);
        assert_eq!((column.rest(1), column.rest(6)), (&[20, 3][..], &[9][..]));
        assert_eq!(column.len(), 7);
    }
}
