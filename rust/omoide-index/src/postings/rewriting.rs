//! How is a field rewritten without what is dead, while others go on adding to it?
//!
//! The documents that are kept, and the statistics, are those of one moment. Documents that were added later are not among them,
//! and dropped wherever they turn up; what was removed later is still in the lists. The blocks of a list keep their places: open
//! postings are added to and sealed, and what follows is in later blocks.
//!
//! Invariant: what is written is what rewriting at that moment would have written.

use super::{Field, FieldStatistics, TermInfo};
use crate::KIND_COUNT;
use crate::blocks::{BLOCK, Block, Blocks, DecodedBlock, quantize_up};
use crate::ids::Renumbering;
use crate::norms::Norms;
use crate::pool::Posting;
use crate::steps::{Steps, for_each, one_step};

/// The new number of a term that no document has that is kept.
const NO_TERM: u32 = u32::MAX;

impl Field {
    /// With only the documents of `to` under their new ids, only terms that they contain, and everything in blocks; `statistics`
    /// are those of the same moment.
    pub(crate) fn rewritten(
        steps: Steps<'_, Self>,
        to: &Renumbering,
        statistics: FieldStatistics,
    ) -> Self {
        let mut lists = Lists::new(to, statistics);
        let terms = one_step(steps, |field| field.dictionary.len());
        lists.new_terms.reserve_exact(terms);
        steps(&mut |field| {
            let is_left = lists.new_terms.len() < terms;
            if is_left {
                lists.next_block(field);
            }
            is_left
        });
        let (mut new, new_terms) = lists.finished();
        let mut renamed = Vec::new();
        for_each(steps, to.pairs(), |field, (old, doc)| {
            new.norms.push(field.field_norm(old));
            let kept = field.forward.postings(old);
            renamed.clear();
            renamed.extend(kept.map(|(term, count)| (new_terms[term as usize], count)));
            new.forward.push(doc, &renamed);
        });
        new
    }
}

/// The lists of all terms, rewritten one after another.
struct Lists<'a> {
    to: &'a Renumbering,
    norms: Norms,
    new: Field,
    /// The new numbers of the terms whose lists are rewritten.
    new_terms: Vec<u32>,
    term_infos: Vec<TermInfo>,
    blocks: Vec<Block>,
    data: Vec<u8>,
    /// The next block of the next term's list.
    next: usize,
    list: List,
    decoded: DecodedBlock,
}

/// What is kept of the list that is being rewritten.
#[derive(Default)]
struct List {
    first_block: usize,
    doc_freq_by_kind: [u32; KIND_COUNT],
    /// Postings that are in no block yet.
    open: Vec<Posting>,
    /// The largest of their factors.
    tf_factor: f32,
}

impl<'a> Lists<'a> {
    fn new(to: &'a Renumbering, statistics: FieldStatistics) -> Self {
        Self {
            to,
            norms: Norms::of(statistics.newest_means()),
            new: Field::with_statistics(statistics),
            new_terms: Vec::new(),
            term_infos: Vec::new(),
            blocks: Vec::new(),
            data: Vec::new(),
            next: 0,
            list: List::default(),
            decoded: DecodedBlock::default(),
        }
    }

    /// Rewrite the next block of the list, and end the list with its last one.
    fn next_block(&mut self, field: &Field) {
        let blocks = field.blocks_of(self.new_terms.len() as u32);
        if self.next < blocks.len() {
            self.rewrite(field, blocks);
            self.next += 1;
        }
        if self.next == blocks.len() {
            self.end_list(field);
        }
    }

    fn rewrite(&mut self, field: &Field, blocks: Blocks<'_>) {
        let mut decoded = std::mem::take(&mut self.decoded);
        blocks.decode(self.next, &mut decoded);
        for (&old, &count) in decoded.docs().iter().zip(decoded.counts()) {
            let Some(doc) = self.to.of(old) else {
                continue;
            };
            if self.list.open.len() == BLOCK {
                self.seal();
            }
            let field_norm = field.field_norm(old);
            self.list.open.push((doc, count));
            self.list.doc_freq_by_kind[field_norm.kind()] += 1;
            let tf_factor = self.norms.tf_factor(count, field_norm);
            self.list.tf_factor = self.list.tf_factor.max(tf_factor);
        }
        self.decoded = decoded;
    }

    /// Make a block of the open postings.
    fn seal(&mut self) {
        let List {
            open, tf_factor, ..
        } = &mut self.list;
        let tf_factor = quantize_up(std::mem::take(tf_factor));
        self.blocks
            .push(Block::encode(open, tf_factor, 0, &mut self.data));
        open.clear();
    }

    fn end_list(&mut self, field: &Field) {
        let old = self.new_terms.len() as u32;
        if self.list.open.is_empty() {
            self.new_terms.push(NO_TERM);
        } else {
            self.seal();
            let string = field.dictionary.string(old);
            self.new_terms.push(self.new.dictionary.insert(string));
            let List {
                first_block,
                doc_freq_by_kind,
                ..
            } = self.list;
            let blocks = self.blocks.len() - first_block;
            self.term_infos
                .push(TermInfo::of_blocks(first_block, blocks, doc_freq_by_kind));
        }
        self.next = 0;
        self.list = List {
            first_block: self.blocks.len(),
            open: std::mem::take(&mut self.list.open),
            ..List::default()
        };
    }

    fn finished(self) -> (Field, Vec<u32>) {
        let new = Field {
            term_infos: self.term_infos.into(),
            blocks: self.blocks.into(),
            data: self.data.into(),
            ..self.new
        };
        (new, self.new_terms)
    }
}
