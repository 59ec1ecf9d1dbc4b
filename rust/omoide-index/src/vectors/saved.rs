//! How vectors are saved, loaded, and renumbered with their documents.

use super::{NO_ROW, Vectors};
use crate::codes::Codes;
use crate::column::Column;
use crate::docset::DocSet;
use crate::hnsw::Hnsw;
use crate::ids::{NO_DOC, Renumbering};
use crate::snapshot::{Contents, Reader, Writer};
use crate::steps::{Steps, one_step};
use crate::{Doc, IndexError};
use bytemuck::Pod;

/// A renumbering also drops free rows, if there is more than one for so many live ones.
const FREE_SHARE: usize = 4;
/// Rows whose values are copied in one step of a save.
const ROWS_PER_STEP: usize = 512;

impl Vectors {
    /// All vectors under the new numbers of documents and without free rows, if dropping those gives back much memory.
    pub(crate) fn compacted_if_worth_it(&self, to: &Renumbering) -> Option<Self> {
        let is_worth_it = self.free.len() * FREE_SHARE > self.len();
        is_worth_it.then(|| self.compacted(to))
    }

    /// Renumber the documents of the rows, which stay where they are.
    pub(crate) fn renumber(&mut self, to: &Renumbering) {
        (self.first_rows, self.docs) = self.renumbered_docs(to);
    }

    fn renumbered_docs(&self, to: &Renumbering) -> (Column<u32>, Column<Doc>) {
        let mut rows = vec![NO_ROW; to.len];
        let mut docs = vec![NO_DOC; self.docs.len()];
        for (old, new) in to.pairs() {
            for row in self.rows_of(old) {
                docs[row as usize] = new;
            }
            rows[new as usize] = self.rows_of(old).next().unwrap_or(NO_ROW);
        }
        (rows.into(), docs.into())
    }

    /// A copy of what changes in place: all but the values of the rows.
    pub(crate) fn without_values(&self) -> Self {
        Self {
            first_rows: self.first_rows.copied(),
            next_rows: self.next_rows.copied(),
            docs: self.docs.copied(),
            free: self.free.clone(),
            graph: self.graph.copied(),
            ..Self::new(self.dimensions)
        }
    }

    /// Write a copy without values and free rows, then the values that the rows have in the vectors that `steps` read: they are
    /// those of the moment in which it was made, if no other vector has got one of the rows since.
    pub(crate) fn write(
        self,
        steps: Steps<'_, Self>,
        to: &Renumbering,
        out: &mut Writer,
    ) -> Result<(), IndexError> {
        let (dimensions, compaction) = (self.dimensions, Compaction::of(&self));
        let columns = self.compacted_without_values(to, &compaction);
        drop(self);
        out.column("vectors.rows", &columns.first_rows)?;
        out.column("vectors.docs", &columns.docs)?;
        out.column("vectors.next", &columns.next_rows)?;
        columns.graph.write(out)?;
        drop(columns);
        let data = compaction.copied(steps, dimensions, |vectors| Some(&vectors.data));
        out.pieces("vectors.data", data)?;
        if one_step(steps, Self::has_codes) {
            let values = compaction.copied(steps, dimensions, |vectors| {
                vectors.codes.as_ref().map(|codes| codes.parts().0)
            });
            out.pieces("vectors.codes", values)?;
            let scales = compaction.copied(steps, 1, |vectors| {
                vectors.codes.as_ref().map(|codes| codes.parts().1)
            });
            out.pieces("vectors.scales", scales)?;
        }
        Ok(())
    }

    /// The same without free rows, which nothing links to.
    pub(super) fn compacted(&self, to: &Renumbering) -> Self {
        let compaction = Compaction::of(self);
        let codes = self.codes.as_ref().map(|codes| {
            let (values, scales) = codes.parts();
            let values = compaction.column(values, self.dimensions);
            Codes::from_parts(self.dimensions, values, compaction.column(scales, 1))
        });
        Self {
            data: compaction.column(&self.data, self.dimensions),
            codes,
            ..self.compacted_without_values(to, &compaction)
        }
    }

    /// All columns of the rows that stay, except their values.
    fn compacted_without_values(&self, to: &Renumbering, compaction: &Compaction) -> Self {
        let kept = compaction.kept.iter().map(|&row| row as usize);
        let (rows, docs) = self.renumbered_docs(to);
        let docs = kept.clone().map(|row| docs.get(row));
        let next = kept.map(|row| compaction.new_row(self.next_rows.get(row)));
        let rows = rows.iter().map(|row| compaction.new_row(row));
        let mut columns = Self {
            first_rows: rows.collect::<Vec<_>>().into(),
            docs: docs.collect::<Vec<_>>().into(),
            next_rows: next.collect::<Vec<_>>().into(),
            graph: self.graph.renumbered(&compaction.new_rows),
            ..Self::new(self.dimensions)
        };
        columns.classify_rows();
        columns
    }

    pub(crate) fn read(dimensions: usize, from: &Reader) -> Result<Self, IndexError> {
        let mut new = Self {
            first_rows: from.column("vectors.rows")?,
            docs: from.column("vectors.docs")?,
            next_rows: from.column("vectors.next")?,
            data: from.column("vectors.data")?,
            graph: Hnsw::read(from)?,
            ..Self::new(dimensions)
        };
        new.classify_rows();
        if from.has("vectors.codes") {
            let (values, scales) = (
                from.column("vectors.codes")?,
                from.column("vectors.scales")?,
            );
            new.codes = Some(Codes::from_parts(dimensions, values, scales));
        }
        Ok(new)
    }

    /// How many vectors were written: none of a row that is free.
    pub(crate) fn count_in(contents: &Contents) -> u64 {
        contents.length("vectors.docs") / size_of::<Doc>() as u64
    }

    /// Determine for each row whether it is free, not linked yet, linked, or linked and dead.
    fn classify_rows(&mut self) {
        for row in 0..self.docs.len() as u32 {
            let has_doc = self.docs.get(row as usize) != NO_DOC;
            match (has_doc, self.graph.is_linked(row)) {
                (true, true) => {}
                (true, false) => self.unlinked.push_back(row),
                (false, true) => self.dead.insert(row),
                (false, false) => self.free.push(row),
            }
        }
        self.dead_count = self.dead.len();
    }
}

/// Which rows stay when free ones are dropped, and their new numbers.
struct Compaction {
    kept: Vec<u32>,
    new_rows: Vec<u32>,
}

impl Compaction {
    fn of(vectors: &Vectors) -> Self {
        let free: DocSet = vectors.free.iter().copied().collect();
        let rows = 0..vectors.docs.len() as u32;
        let kept: Vec<u32> = rows.filter(|&row| !free.contains(row)).collect();
        let mut new_rows = vec![NO_ROW; vectors.docs.len()];
        for (new, &row) in kept.iter().enumerate() {
            new_rows[row as usize] = new as u32;
        }
        Self { kept, new_rows }
    }

    /// The new number of a row, `NO_ROW` for none.
    fn new_row(&self, row: u32) -> u32 {
        self.new_rows.get(row as usize).copied().unwrap_or(NO_ROW)
    }

    /// The values of a column for the rows that stay, `width` for each row, some rows in a step: a copy, so that nobody waits
    /// for the disk to which they are written.
    fn copied<'a, T: Pod>(
        &'a self,
        steps: Steps<'a, Vectors>,
        width: usize,
        column: impl Fn(&Vectors) -> Option<&Column<T>> + 'a,
    ) -> impl Iterator<Item = Vec<T>> {
        let copied = move |rows: &[u32]| {
            one_step(steps, |vectors| {
                column(vectors).map(|column| picked(rows, column, width))
            })
        };
        self.kept.chunks(ROWS_PER_STEP).filter_map(copied)
    }

    fn column<T: Pod>(&self, column: &Column<T>, width: usize) -> Column<T> {
        picked(&self.kept, column, width).into()
    }
}

/// The values of these rows, `width` for each.
fn picked<T: Pod>(rows: &[u32], column: &Column<T>, width: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(rows.len() * width);
    for start in rows.iter().map(|&row| row as usize * width) {
        values.extend_from_slice(column.slice(start..start + width));
    }
    values
}
