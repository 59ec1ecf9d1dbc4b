//! Slices of a text by code points, in which all offsets count.
//!
//! Useful for: many slices of one text, in any order. Not useful for: one slice, for which a table of all code points is too much.
//! Invariant: each slice is found in constant time.

/// See the module.
pub(crate) struct CodePointSlices<'a> {
    text: &'a str,
    /// The byte at which each code point begins; `None` for ASCII, where the two are the same.
    starts: Option<Vec<usize>>,
}

impl<'a> CodePointSlices<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let starts = (!text.is_ascii()).then(|| {
            let mut starts = Vec::with_capacity(text.len());
            starts.extend(text.char_indices().map(|(byte, _)| byte));
            starts
        });
        Self { text, starts }
    }

    /// The code points `start..end`, of which the text has at least `end`.
    pub(crate) fn get(&self, start: usize, end: usize) -> &'a str {
        &self.text[self.byte(start)..self.byte(end)]
    }

    fn byte(&self, at: usize) -> usize {
        match &self.starts {
            Some(starts) => starts.get(at).copied().unwrap_or(self.text.len()),
            None => at,
        }
    }
}
