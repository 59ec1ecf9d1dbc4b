//! How is the spelling of documents compared?
//!
//! A document is a sparse vector of length 1, with a value for each of its character grams (from postings.rs) and each sequence
//! of letters of its other words (stored here): 1 + ln of its count, divided by the length of all values.
//!
//! Useful for: similarity of spelling, computed exactly from lists. Not useful for: which words a text has.
//! Invariant: a document has an inverse length above 0 if its spelling is kept and it has a letter or digit.

use crate::column::{Column, View};
use crate::ids::Renumbering;
use crate::postings::{Field, FieldStatistics};
use crate::snapshot::{Reader, Writer};
use crate::steps::{Steps, at_once, for_each};
use crate::{Doc, IndexError};

/// Statistics of sequences are not separated by kind of text.
const ONE_KIND: u8 = 0;

/// The logarithmic frequency of a sequence that occurs `count` times (at least one): its value in a document's vector.
pub fn log_frequency(count: u32) -> f32 {
    1.0 + (count as f32).ln()
}

/// See the module.
#[derive(Debug, Default)]
pub struct Spellings {
    /// Documents by sequence.
    pub sequences: Field,
    inverse_lengths: Column<f32>,
}

impl Spellings {
    /// One over the length of each document's values; 0 or none if its spelling is not kept.
    pub fn inverse_lengths(&self) -> View<'_, f32> {
        self.inverse_lengths.view()
    }

    /// Add the sequences of a new document; `squares_of_grams` is the sum of the squared values of its grams. Call with
    /// ascending ids.
    pub fn append(&mut self, doc: Doc, sequences: &[String], squares_of_grams: f64) {
        self.sequences.append(doc, ONE_KIND, sequences);
        let sum_of_squares = squares_of_grams + self.sequences.sum_of_squares(doc);
        self.inverse_lengths.grow(doc as usize, 0.0);
        let inverse = if sum_of_squares > 0.0 {
            sum_of_squares.sqrt().recip() as f32
        } else {
            0.0
        };
        self.inverse_lengths.push(inverse);
    }

    /// Count an appended document in the statistics.
    pub fn add_to_statistics(&mut self, doc: Doc) {
        self.sequences.add_to_statistics(doc, usize::from(ONE_KIND));
    }

    /// Remove a document that entered from the statistics; one without sequences is ignored.
    pub fn remove_from_statistics(&mut self, doc: Doc) {
        self.sequences
            .remove_from_statistics(doc, usize::from(ONE_KIND));
    }

    pub(crate) fn renumbered(&self, to: &Renumbering) -> Self {
        let statistics = self.sequences.statistics();
        Self::rewritten(&at_once(self), to, statistics)
    }

    /// With only the documents of `to` under their new ids; `statistics` are those of `sequences` at the same moment.
    pub(crate) fn rewritten(
        steps: Steps<'_, Self>,
        to: &Renumbering,
        statistics: FieldStatistics,
    ) -> Self {
        let mut inverse_lengths = Column::default();
        for_each(steps, to.pairs(), |spellings, (old, _)| {
            let inverse_length = spellings.inverse_lengths().get(old as usize);
            inverse_lengths.push(inverse_length.unwrap_or(0.0));
        });
        let of_sequences = |step: &mut dyn FnMut(&Field) -> bool| {
            steps(&mut |spellings| step(&spellings.sequences));
        };
        Self {
            sequences: Field::rewritten(&of_sequences, to, statistics),
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

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.sequences.bytes() + self.inverse_lengths.bytes()
    }
}
