//! Which documents contain a term, how often, and how long are they?
//!
//! Invariant: the live statistics (document frequency, total length) are exactly those of a fresh build; until the next
//! renumbering, lists may still contain dead documents, which readers skip by the set of live ones.

mod rewriting;

use crate::blocks::{Block, Blocks, ByKind, Tail, Tails, max_growth, quantize_up};
use crate::column::Column;
use crate::dictionary::Dictionary;
use crate::forward::ForwardIndex;
use crate::ids::Renumbering;
use crate::prefetch::prefetch;
use crate::snapshot::{Reader, Writer};
use crate::spellings::log_frequency;
use crate::steps::{Steps, at_once, for_each};
use crate::{Doc, FIELD_COUNT, GRAMS, IndexError, KIND_COUNT};
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use std::array::from_fn;
use std::slice::from_ref;

pub use crate::forward::{RUN, Run};
pub use crate::norms::{B, EMPTY_TEXT_NORM, FieldNorm, K1, Norms};

/// So many documents like those of the whole store are added to the statistics of each kind.
pub const PRIOR: f32 = 30.0;
/// A new epoch of means begins when a mean has moved by more than this share: bounds may be too high by as much.
const DRIFT: f32 = 0.01;
/// A block stores its epoch in one byte. The last epoch does not end: bounds stay safe, but may be higher than by [`DRIFT`].
const MAX_EPOCHS: usize = 256;

/// What is stored for one term: one cache line.
#[derive(Debug, Default, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct TermInfo {
    first_block: u32,
    blocks: u32,
    doc_freq_by_kind: [u32; KIND_COUNT],
    tail: Tail,
    padding: [u32; 2],
}

impl TermInfo {
    /// Of a term whose postings are all in blocks.
    fn of_blocks(first_block: usize, blocks: usize, doc_freq_by_kind: [u32; KIND_COUNT]) -> Self {
        Self {
            first_block: first_block as u32,
            blocks: blocks as u32,
            doc_freq_by_kind,
            ..Self::default()
        }
    }
}

/// The documents of one term.
#[derive(Debug, Clone, Copy)]
pub struct PostingList<'a> {
    /// The term's number in its field.
    pub number: u32,
    /// How many live documents contain it, by kind of text.
    pub doc_freq_by_kind: [u32; KIND_COUNT],
    /// The documents, ascending; some may be dead.
    pub blocks: Blocks<'a>,
}

impl PostingList<'_> {
    /// How many live documents contain it.
    pub fn doc_freq(&self) -> u32 {
        self.doc_freq_by_kind.iter().sum()
    }
}

/// The number of live documents with at least one term, and of their terms, repeats included.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The number of documents.
    pub documents: u32,
    /// The number of terms.
    pub length: u64,
}

impl Totals {
    /// Terms in a document on average; 1 if there are no documents.
    pub fn mean_length(self) -> f32 {
        if self.documents == 0 {
            return 1.0;
        }
        (self.length as f64 / f64::from(self.documents)) as f32
    }
}

/// One text field of all documents.
#[derive(Debug)]
pub struct Field {
    dictionary: Dictionary,
    term_infos: Column<TermInfo>,
    blocks: Column<Block>,
    data: Column<u8>,
    tails: Tails,
    forward: ForwardIndex,
    norms: Column<FieldNorm>,
    /// Totals by kind of text.
    pub totals: [Totals; KIND_COUNT],
    /// The means of each epoch; see blocks.rs.
    means: Vec<ByKind>,
}

impl Default for Field {
    fn default() -> Self {
        Self {
            dictionary: Dictionary::default(),
            term_infos: Column::default(),
            blocks: Column::default(),
            data: Column::default(),
            tails: Tails::default(),
            forward: ForwardIndex::default(),
            norms: Column::default(),
            totals: [Totals::default(); KIND_COUNT],
            means: vec![[1.0; KIND_COUNT]],
        }
    }
}

/// What a snapshot stores of a field beside its columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FieldStatistics {
    totals: [Totals; KIND_COUNT],
    means: Vec<ByKind>,
}

impl FieldStatistics {
    /// The means of the current epoch.
    fn newest_means(&self) -> &ByKind {
        &self.means[self.means.len() - 1]
    }
}

impl Field {
    /// The list of a term; `None` if no live document has it.
    pub fn posting_list(&self, term: &str) -> Option<PostingList<'_>> {
        self.posting_list_of(self.dictionary.number(term)?)
    }

    /// The lists of several terms, with prefetching: they are far apart in memory.
    pub fn posting_lists<'t>(
        &self,
        terms: impl Iterator<Item = &'t str> + Clone,
    ) -> impl Iterator<Item = Option<PostingList<'_>>> {
        let numbers: Vec<Option<u32>> = self.dictionary.numbers(terms).collect();
        let known = numbers.iter().flatten();
        known.for_each(|&term| prefetch(from_ref(self.term_info(term))));
        let numbers = numbers.into_iter();
        numbers.map(|term| self.posting_list_of(term?))
    }

    /// A document's distinct terms, ascending by number, in runs.
    #[inline]
    pub fn terms_of(&self, doc: Doc) -> impl Iterator<Item = Run<'_>> {
        self.forward.runs(doc)
    }

    /// Prefetch what [`Self::terms_of`] reads of several documents.
    pub fn prefetch(&self, docs: &[Doc]) {
        self.forward.prefetch(docs);
    }

    /// The number of a document's terms in this field.
    pub fn length(&self, doc: Doc) -> u32 {
        self.field_norm(doc).length()
    }

    fn field_norm(&self, doc: Doc) -> FieldNorm {
        if doc as usize >= self.norms.len() {
            return FieldNorm::default();
        }
        self.norms.get(doc as usize)
    }

    /// The norms of the documents from `first` to `last`, which belong to one block.
    pub fn field_norms(&self, first: Doc, last: Doc) -> &[FieldNorm] {
        self.norms.slice(first as usize..last as usize + 1)
    }

    /// The totals of all kinds of text.
    pub fn total(&self) -> Totals {
        Totals {
            documents: self.totals.iter().map(|totals| totals.documents).sum(),
            length: self.totals.iter().map(|totals| totals.length).sum(),
        }
    }

    /// Mean length by kind of text; for a kind with few documents it is drawn towards the mean of all.
    pub fn mean_lengths(&self) -> ByKind {
        let whole = self.total().mean_length();
        from_fn(|kind| {
            let totals = self.totals[kind];
            (totals.length as f32 + PRIOR * whole) / (totals.documents as f32 + PRIOR)
        })
    }

    /// For each epoch, the most by which the factors stored in blocks can have grown.
    pub fn tf_growths(&self) -> Vec<f32> {
        let now = self.mean_lengths();
        self.means
            .iter()
            .map(|then| max_growth(then, &now))
            .collect()
    }

    fn posting_list_of(&self, term: u32) -> Option<PostingList<'_>> {
        let list = PostingList {
            number: term,
            doc_freq_by_kind: self.term_info(term).doc_freq_by_kind,
            blocks: self.blocks_of(term),
        };
        (list.doc_freq() > 0).then_some(list)
    }

    /// The blocks of a term, whether or not a live document has it.
    #[inline]
    fn blocks_of(&self, term: u32) -> Blocks<'_> {
        let info = self.term_info(term);
        let base = info.first_block as usize..(info.first_block + info.blocks) as usize;
        let (base, data) = (self.blocks.slice(base), self.data.slice(0..self.data.len()));
        self.tails.blocks(base, data, &info.tail)
    }

    fn term_info(&self, term: u32) -> &TermInfo {
        self.term_infos.at(term as usize)
    }

    pub(crate) fn append(&mut self, doc: Doc, kind: u8, terms: &[impl AsRef<str>]) {
        self.norms.grow(doc as usize, FieldNorm::default());
        let field_norm = FieldNorm::new(terms.len(), usize::from(kind));
        self.norms.push(field_norm);
        let counted_terms = self.counted_terms(terms);
        self.forward.push(doc, &counted_terms);
        let norms = Norms::of(&self.means[self.means.len() - 1]);
        self.prefetch_tails(&counted_terms);
        for (term, count) in counted_terms {
            let tf_factor = quantize_up(norms.tf_factor(count, field_norm));
            let info = self.term_infos.at_mut(term as usize);
            self.tails
                .push(&mut info.tail, (doc, count), tf_factor, &self.means);
        }
    }

    /// The sum of the squared values of a document's terms; see spellings.rs. In double precision the sum is the same in any
    /// order of the terms.
    pub(crate) fn sum_of_squares(&self, doc: Doc) -> f64 {
        let counts = self.forward.postings(doc).map(|(_, count)| count);
        let values = counts.map(log_frequency);
        values.map(|value| f64::from(value * value)).sum()
    }

    /// (number, count) of the distinct terms, ascending by number.
    fn counted_terms(&mut self, terms: &[impl AsRef<str>]) -> Vec<(u32, u32)> {
        let mut numbers = self.dictionary.insert_all(terms);
        self.term_infos
            .grow(self.dictionary.len(), TermInfo::default());
        numbers.sort_unstable();
        let mut counted_terms: Vec<(u32, u32)> = Vec::with_capacity(numbers.len());
        for number in numbers {
            match counted_terms.last_mut() {
                Some((last, count)) if *last == number => *count += 1,
                _ => counted_terms.push((number, 1)),
            }
        }
        counted_terms
    }

    /// Prefetch the tails of these terms' lists.
    fn prefetch_tails(&self, counted_terms: &[(u32, u32)]) {
        let infos = || counted_terms.iter().map(|entry| self.term_info(entry.0));
        infos().for_each(|info| prefetch(from_ref(info)));
        infos().for_each(|info| self.tails.prefetch(&info.tail));
    }

    pub(crate) fn add_to_statistics(&mut self, doc: Doc, kind: usize) {
        for term in self.forward.terms(doc) {
            self.term_infos.at_mut(term as usize).doc_freq_by_kind[kind] += 1;
        }
        let length = self.length(doc);
        self.totals[kind].documents += u32::from(length > 0);
        self.totals[kind].length += u64::from(length);
        self.update_means();
    }

    pub(crate) fn remove_from_statistics(&mut self, doc: Doc, kind: usize) {
        for term in self.forward.terms(doc) {
            self.term_infos.at_mut(term as usize).doc_freq_by_kind[kind] -= 1;
        }
        let length = self.length(doc);
        self.totals[kind].documents -= u32::from(length > 0);
        self.totals[kind].length -= u64::from(length);
    }

    fn update_means(&mut self) {
        let (now, then) = (self.mean_lengths(), self.means[self.means.len() - 1]);
        let moved = now
            .iter()
            .zip(then)
            .any(|(now, then)| (now / then - 1.0).abs() > DRIFT);
        if moved && self.means.len() < MAX_EPOCHS {
            self.means.push(now);
        }
    }

    /// The statistics of a field that is rewritten now.
    pub(crate) fn statistics(&self) -> FieldStatistics {
        FieldStatistics {
            totals: self.totals,
            means: vec![self.mean_lengths()],
        }
    }

    /// Without any document, and with these statistics.
    fn with_statistics(statistics: FieldStatistics) -> Self {
        Self {
            totals: statistics.totals,
            means: statistics.means,
            ..Self::default()
        }
    }

    pub(crate) fn write(&self, name: &str, out: &mut Writer) -> Result<(), IndexError> {
        self.dictionary.write(&format!("{name}.terms"), out)?;
        out.column(&format!("{name}.lists"), &self.term_infos)?;
        out.column(&format!("{name}.blocks"), &self.blocks)?;
        out.column(&format!("{name}.data"), &self.data)?;
        out.column(&format!("{name}.measures"), &self.norms)?;
        self.forward.write(&format!("{name}.forward"), out)?;
        let statistics = FieldStatistics {
            totals: self.totals,
            means: self.means.clone(),
        };
        out.value(&format!("{name}.rest"), &statistics)
    }

    pub(crate) fn read(name: &str, from: &Reader) -> Result<Self, IndexError> {
        let statistics: FieldStatistics = from.value(&format!("{name}.rest"))?;
        Ok(Self {
            dictionary: Dictionary::read(&format!("{name}.terms"), from)?,
            term_infos: from.column(&format!("{name}.lists"))?,
            blocks: from.column(&format!("{name}.blocks"))?,
            data: from.column(&format!("{name}.data"))?,
            norms: from.column(&format!("{name}.measures"))?,
            forward: ForwardIndex::read(&format!("{name}.forward"), from)?,
            tails: Tails::default(),
            totals: statistics.totals,
            means: statistics.means,
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.dictionary.bytes()
            + self.term_infos.bytes()
            + self.blocks.bytes()
            + self.data.bytes()
            + self.tails.bytes()
            + self.forward.bytes()
            + self.norms.bytes()
    }

    fn all(&self) -> impl Iterator<Item = PostingList<'_>> {
        (0..self.term_infos.len()).filter_map(|term| self.posting_list_of(term as u32))
    }
}

/// The text of all documents, field by field.
#[derive(Debug, Default)]
pub struct Postings {
    /// The fields, in their fixed order.
    pub fields: [Field; FIELD_COUNT],
    kinds: Column<u8>,
}

impl Postings {
    /// The kind of a document's text.
    pub fn kind(&self, doc: Doc) -> usize {
        if doc as usize >= self.kinds.len() {
            return 0;
        }
        usize::from(self.kinds.get(doc as usize))
    }

    /// Whether most texts of a kind have grams.
    pub fn kinds_with_grams(&self) -> [bool; KIND_COUNT] {
        let texts = self.texts_by_kind();
        let with_grams = &self.fields[GRAMS].totals;
        from_fn(|kind| 2 * with_grams[kind].documents > texts[kind])
    }

    /// How many texts of each kind have terms. Nearly every text with terms in any field has some in the field that most have.
    pub fn texts_by_kind(&self) -> [u32; KIND_COUNT] {
        from_fn(|kind| {
            let fields = self.fields.iter();
            let documents = fields.map(|field| field.totals[kind].documents);
            documents.max().unwrap_or(0)
        })
    }

    /// Add the terms of a new document. Call with ascending ids. The document counts in the statistics only after
    /// [`Self::add_to_statistics`].
    pub fn append(&mut self, doc: Doc, kind: u8, fields: &[Vec<&str>; FIELD_COUNT]) {
        self.kinds.grow(doc as usize, 0);
        self.kinds.push(kind);
        for (field, terms) in self.fields.iter_mut().zip(fields) {
            field.append(doc, kind, terms);
        }
    }

    /// Count an appended document in the statistics.
    pub fn add_to_statistics(&mut self, doc: Doc) {
        let kind = self.kind(doc);
        for field in &mut self.fields {
            field.add_to_statistics(doc, kind);
        }
    }

    /// Remove a document that was added to them from the statistics; an id without text is ignored.
    pub fn remove_from_statistics(&mut self, doc: Doc) {
        let kind = self.kind(doc);
        for field in &mut self.fields {
            field.remove_from_statistics(doc, kind);
        }
    }

    /// The number of distinct terms with a live document, over all fields.
    pub fn terms(&self) -> usize {
        self.fields.iter().map(|field| field.all().count()).sum()
    }

    /// The number of live (term, document) pairs, over all fields.
    pub fn pairs(&self) -> usize {
        let pairs = |field: &Field| {
            let live = field.all().map(|list| list.doc_freq() as usize);
            live.sum::<usize>()
        };
        self.fields.iter().map(pairs).sum()
    }

    pub(crate) fn renumbered(&self, to: &Renumbering) -> Self {
        let rewritten = |field: &Field| Field::rewritten(&at_once(field), to, field.statistics());
        Self {
            fields: self.fields.each_ref().map(rewritten),
            kinds: Self::kinds(&at_once(self), to),
        }
    }

    /// The kinds of the documents that stay.
    fn kinds(steps: Steps<'_, Self>, to: &Renumbering) -> Column<u8> {
        let mut kinds = Column::default();
        for_each(steps, to.pairs(), |postings, (old, _)| {
            kinds.push(postings.kind(old) as u8);
        });
        kinds
    }

    /// Write the documents of `to`, field by field; `statistics` are those of the same moment.
    pub(crate) fn write(
        steps: Steps<'_, Self>,
        to: &Renumbering,
        statistics: &[FieldStatistics; FIELD_COUNT],
        out: &mut Writer,
    ) -> Result<(), IndexError> {
        out.column("kinds", &Self::kinds(steps, to))?;
        for (number, statistics) in statistics.iter().enumerate() {
            let of_field = |step: &mut dyn FnMut(&Field) -> bool| {
                steps(&mut |postings| step(&postings.fields[number]));
            };
            let field = Field::rewritten(&of_field, to, statistics.clone());
            field.write(&format!("field{number}"), out)?;
        }
        Ok(())
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let mut fields = <[Field; FIELD_COUNT]>::default();
        for (number, field) in fields.iter_mut().enumerate() {
            *field = Field::read(&format!("field{number}"), from)?;
        }
        Ok(Self {
            fields,
            kinds: from.column("kinds")?,
        })
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.fields.iter().map(Field::bytes).sum::<usize>() + self.kinds.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Ids;

    fn added(texts: &[[&[&str]; FIELD_COUNT]]) -> Postings {
        let mut postings = Postings::default();
        for (doc, text) in texts.iter().enumerate() {
            postings.append(doc as Doc, 0, &text.map(<[&str]>::to_vec));
            postings.add_to_statistics(doc as Doc);
        }
        postings
    }

    #[test]
    fn after_a_removal_statistics_are_those_of_a_fresh_build() {
        let mut postings = added(&[
            [&["抹茶", "京都", "抹茶"], &["抹"], &["マッチャ"]],
            [&["抹茶"], &[], &[]],
        ]);
        postings.remove_from_statistics(0);
        let words = &postings.fields[0];
        assert_eq!(
            words.posting_list("抹茶").map(|list| list.doc_freq()),
            Some(1)
        );
        assert!(words.posting_list("京都").is_none());
        let one = Totals {
            documents: 1,
            length: 1,
        };
        assert_eq!((words.total(), words.totals[0]), (one, one));
        assert_eq!(postings.fields[1].total(), Totals::default());
        assert_eq!((postings.terms(), postings.pairs()), (1, 1));
    }

    #[test]
    fn renumbering_drops_dead_documents_and_their_terms() {
        let mut ids = Ids::default();
        let mut postings = Postings::default();
        for key in 0..400 {
            let doc = ids.insert(key, true);
            let own = format!("記憶{key}");
            let words = vec!["記憶", &own];
            postings.append(doc, (key % 2) as u8, &[words, vec![], vec![]]);
            postings.add_to_statistics(doc);
        }
        for key in (0..400).filter(|key| key % 3 > 0) {
            postings.remove_from_statistics(ids.remove(key).unwrap());
        }
        let new = postings.renumbered(&ids.renumbering());
        assert_eq!(
            (new.terms(), new.pairs()),
            (postings.terms(), postings.pairs())
        );
        assert!(new.fields[0].dictionary.len() < postings.fields[0].dictionary.len());
        let all = new.fields[0].posting_list("記憶").unwrap();
        assert_eq!((all.doc_freq(), all.blocks.len()), (134, 2));
        assert_eq!((all.blocks.count(133), all.blocks.count(134)), (1, 0));
        let one = new.fields[0].posting_list("記憶399").unwrap();
        assert_eq!(
            (one.doc_freq_by_kind, one.blocks.count(133)),
            ([0, 1, 0, 0], 1)
        );
        assert_eq!(new.fields[0].forward.terms(133).count(), 2);
        assert_eq!(new.kind(133), 1);
    }
}
