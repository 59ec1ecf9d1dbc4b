//! How much of a document's spelling is each sequence of letters?
//!
//! A document is a sparse vector of length 1: a value for each of its character grams, which postings.rs keeps, and for
//! each sequence of letters of its other words, kept here; 1 + ln of how often it stands there, over the length of all.
//!
//! Useful for: how near a text is in spelling, worked out exactly from lists. Not useful for: which words a text has.
//! Invariant: a document has an inverse length above 0 if its spelling is kept and it has a letter or digit.

use crate::column::{Column, View};
use crate::ids::Renumbering;
use crate::postings::Field;
use crate::snapshot::{Reader, Writer};
use crate::{Doc, IndexError};

/// Statistics of sequences are not told apart by kinds of text.
const ONE_KIND: u8 = 0;

/// What so many occurrences of one sequence count.
pub fn value(count: u32) -> f32 {
    1.0 + (count as f32).ln()
}

/// See the module.
#[derive(Debug, Default)]
pub struct Spellings {
    /// Which documents hold a sequence.
    pub sequences: Field,
    inverse_lengths: Column<f32>,
}

impl Spellings {
    /// One over the length of each document's values, by document; 0 or none where its spelling is not kept.
    pub fn inverse_lengths(&self) -> View<'_, f32> {
        self.inverse_lengths.view()
    }

    /// Add the sequences of a new document, whose grams have this sum of squared values. Ids must come in ascending
    /// order.
    pub fn append(&mut self, doc: Doc, sequences: &[String], squares_of_grams: f64) {
        self.sequences.append(doc, ONE_KIND, sequences);
        let squares = squares_of_grams + self.sequences.squares(doc);
        self.inverse_lengths.grow(doc as usize, 0.0);
        let inverse = if squares > 0.0 {
            squares.sqrt().recip() as f32
        } else {
            0.0
        };
        self.inverse_lengths.push(inverse);
    }

    /// Count an appended document in the statistics.
    pub fn enter(&mut self, doc: Doc) {
        self.sequences.enter(doc, usize::from(ONE_KIND));
    }

    /// Take a document that entered out of the statistics; one without sequences is no matter.
    pub fn leave(&mut self, doc: Doc) {
        self.sequences.leave(doc, usize::from(ONE_KIND));
    }

    pub(crate) fn renumbered(&self, to: &Renumbering) -> Self {
        let old = self.inverse_lengths();
        let mut inverse_lengths = Column::default();
        for (from, doc) in to.kept() {
            inverse_lengths.grow(doc as usize, 0.0);
            inverse_lengths.push(old.get(from as usize).unwrap_or(0.0));
        }
        Self {
            sequences: self.sequences.renumbered(to),
            inverse_lengths,
        }
    }

    pub(crate) fn write(&self, out: &mut Writer) -> Result<(), IndexError> {
        self.sequences.write("sequences", out)?;
        out.column("spellings.inverse_lengths", &self.inverse_lengths)
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        Ok(Self {
            sequences: Field::read("sequences", from)?,
            inverse_lengths: from.column("spellings.inverse_lengths")?,
        })
    }

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        self.sequences.bytes() + self.inverse_lengths.bytes()
    }
}
