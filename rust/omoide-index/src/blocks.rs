//! How is the posting list of a term stored, 128 documents at a time?
//!
//! First come the blocks of the snapshot, then those sealed since, then up to 128 open postings that are no block yet. Open
//! postings are kept together with those of other terms (pool.rs); all else that a new posting changes is in the list's [`Tail`].
//!
//! A block records its first and last document and the most that a document of it can score, so that a search can skip blocks
//! without reading them. Documents are stored as gaps, counts less one, each in as few bits as the largest needs.
//!
//! The most that a document can score depends on the mean length of texts, which every write changes. A block stores the largest
//! factor count / (count + norm) of BM25, rounded up, computed with the means of its epoch; with means `r` times as large no
//! factor is more than `r` times as large.

use crate::ascending::{RUN, RUNS, count_below};
use crate::ids::NO_DOC;
use crate::packing::{LANES, bytes, get, pack, unpack, unpack_ascending, width};
use crate::pool::{Pool, Posting};
use crate::prefetch::prefetch;
use crate::{Doc, KIND_COUNT};
use bytemuck::{Pod, Zeroable};
use std::array::from_fn;

/// Documents in a block.
pub const BLOCK: usize = 128;
const _: () = assert!(BLOCK == RUN * RUNS);
/// Bytes of a block that are prefetched before it is read: few blocks have more.
const PREFETCHED_BYTES: usize = 128;
/// Block headers that are prefetched before any is read: the processor itself predicts that later ones follow.
const PREFETCHED_HEADERS: usize = 32;
/// Factors are stored in steps of 1 / this.
pub const TF_FACTOR_STEPS: f32 = 65_535.0;

/// One value for each kind of text.
pub type ByKind = [f32; KIND_COUNT];

/// The header of a block: where it lies, and what it can score.
#[derive(Debug, Default, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Block {
    /// Its first document.
    pub first: Doc,
    /// Its last document.
    pub last: Doc,
    /// Where its data begins; the bits above these 32 are in `offset_above`.
    offset: u32,
    gap_count: u8,
    gap_width: u8,
    count_width: u8,
    /// The epoch of means with which `tf_factor` was computed.
    pub epoch: u8,
    /// The largest [`Norms::tf_factor`](crate::postings::Norms::tf_factor) in it, in steps of 1 / [`TF_FACTOR_STEPS`], rounded up.
    pub tf_factor: u16,
    offset_above: u16,
}

/// The documents of a block and how often each contains the term.
#[derive(Debug)]
pub struct DecodedBlock {
    /// With room for decoding whole lanes; [`NO_DOC`] behind the end.
    docs: [Doc; BLOCK + LANES],
    counts: [u32; BLOCK],
    len: usize,
    /// The last document of each run, side by side, whereas among the documents they lie in as many cache lines as there are
    /// runs.
    run_lasts: [Doc; RUNS],
}

impl Default for DecodedBlock {
    fn default() -> Self {
        Self {
            docs: [0; BLOCK + LANES],
            counts: [0; BLOCK],
            len: 0,
            run_lasts: [0; RUNS],
        }
    }
}

impl DecodedBlock {
    /// The documents, ascending.
    pub fn docs(&self) -> &[Doc] {
        &self.docs[..self.len]
    }

    /// How many of the documents are before `doc`.
    #[inline]
    pub fn count_before(&self, doc: Doc) -> usize {
        count_below(&self.run_lasts, self.runs(), doc)
    }

    fn runs(&self) -> &[[Doc; RUN]; RUNS] {
        let runs = self.docs.as_chunks().0.first_chunk();
        runs.expect("there is room for a block")
    }

    /// Finish decoding `len` documents.
    fn finish(&mut self, len: usize) {
        self.len = len;
        self.docs[len..].fill(NO_DOC);
        self.run_lasts = from_fn(|at| self.runs()[at][RUN - 1]);
    }

    /// How often each document contains the term, in the same order.
    pub fn counts(&self) -> &[u32] {
        &self.counts[..self.len]
    }

    /// Documents and counts with their padding, whose values are arbitrary: for kernels that process whole lanes.
    #[inline]
    pub fn padded(&self) -> (&[Doc], &[u32]) {
        (&self.docs, &self.counts)
    }
}

/// Prefetch what a block may need; `data` begins with the block's.
fn prefetch_block(data: &[u8]) {
    prefetch(&data[..data.len().min(PREFETCHED_BYTES)]);
}

/// `tf_factor` in steps, rounded up, with one step more where rounding of sums might reach it.
pub fn quantize_up(tf_factor: f32) -> u16 {
    ((tf_factor * TF_FACTOR_STEPS * 1.000_01) as u16).saturating_add(1)
}

/// The most by which a factor can have grown when the means went from `then` to `now`.
pub fn max_growth(then: &ByKind, now: &ByKind) -> f32 {
    then.iter()
        .zip(now)
        .map(|(then, now)| now / then)
        .fold(1.0, f32::max)
}

impl Block {
    /// Append `postings` (at least one, at most [`BLOCK`]) to `data`.
    pub fn encode(postings: &[Posting], tf_factor: u16, epoch: u8, data: &mut Vec<u8>) -> Self {
        let gaps = || postings.windows(2).map(|pair| pair[1].0 - pair[0].0 - 1);
        let counts = || postings.iter().map(|posting| posting.1 - 1);
        let block = Self {
            first: postings[0].0,
            last: postings[postings.len() - 1].0,
            offset: data.len() as u32,
            offset_above: (data.len() as u64 >> u32::BITS) as u16,
            gap_count: (postings.len() - 1) as u8,
            gap_width: width(gaps().max().unwrap_or(0)),
            count_width: width(counts().max().unwrap_or(0)),
            epoch,
            tf_factor,
        };
        pack(gaps(), block.gap_width, data);
        pack(counts(), block.count_width, data);
        block
    }

    /// Decode its documents from the data it was appended to.
    fn decode_docs(&self, data: &[u8], into: &mut DecodedBlock) {
        let (gaps, _) = self.split(data);
        into.docs[0] = self.first;
        let padded = usize::from(self.gap_count).next_multiple_of(LANES);
        unpack_ascending(gaps, self.gap_width, self.first, &mut into.docs[1..=padded]);
        let count = usize::from(self.gap_count) + 1;
        into.finish(count);
        let end = bytes(count - 1, self.gap_width) + bytes(count, self.count_width);
        prefetch_block(&gaps[end.min(gaps.len())..]);
    }

    /// Decode the counts of its documents.
    fn decode_counts(&self, data: &[u8], into: &mut DecodedBlock) {
        let (_, counts) = self.split(data);
        let count = (usize::from(self.gap_count) + 1).next_multiple_of(LANES);
        unpack(counts, self.count_width, 1, &mut into.counts[..count]);
    }

    fn counts<'a>(&self, data: &'a [u8]) -> Counts<'a> {
        Counts::Packed(self.split(data).1, self.count_width)
    }

    /// How often `doc` contains the term, 0 if it is not in the block.
    pub fn count(&self, data: &[u8], doc: Doc) -> u32 {
        let (gaps, _) = self.split(data);
        let (mut at, mut current) = (0, self.first);
        while current < doc && at < usize::from(self.gap_count) {
            current += get(gaps, self.gap_width, at) + 1;
            at += 1;
        }
        if current == doc {
            self.counts(data).at(at)
        } else {
            0
        }
    }

    /// The data from its gaps on, and from its counts on.
    fn split<'a>(&self, data: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let offset = u64::from(self.offset_above) << u32::BITS | u64::from(self.offset);
        let gaps = &data[offset as usize..];
        let counts = &gaps[bytes(usize::from(self.gap_count), self.gap_width)..];
        (gaps, counts)
    }
}

/// What was appended to a term's list since the snapshot.
#[derive(Debug, Default, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Tail {
    /// Index of its sealed blocks, plus one; 0 if there are none.
    sealed: u32,
    /// Where its open postings begin, and how many there are.
    open: u32,
    count: u32,
    /// The header that a block of the open postings would have.
    header: Block,
}

/// Full blocks in order, and the data they were appended to.
#[derive(Debug, Default)]
struct Sealed {
    blocks: Vec<Block>,
    data: Vec<u8>,
}

/// What was appended to the lists of all terms since the snapshot.
#[derive(Debug, Default)]
pub struct Tails {
    sealed: Vec<Sealed>,
    open: Pool,
}

impl Tails {
    /// Append a document, larger than all before; `means` are those of all epochs, the current one last.
    #[inline]
    pub fn push(&mut self, tail: &mut Tail, posting: Posting, tf_factor: u16, means: &[ByKind]) {
        let epoch = (means.len() - 1) as u8;
        if tail.count as usize == BLOCK {
            self.seal(tail);
        }
        if tail.count == 0 {
            tail.header = Block {
                first: posting.0,
                epoch,
                ..Block::default()
            };
        }
        if tail.header.epoch != epoch {
            let growth = max_growth(
                &means[usize::from(tail.header.epoch)],
                &means[means.len() - 1],
            );
            tail.header.tf_factor =
                quantize_up(f32::from(tail.header.tf_factor) / TF_FACTOR_STEPS * growth);
            tail.header.epoch = epoch;
        }
        tail.open = self.open.push(tail.open, tail.count, posting);
        tail.count += 1;
        tail.header.last = posting.0;
        tail.header.tf_factor = tail.header.tf_factor.max(tf_factor);
    }

    /// Make a block of the open postings.
    #[cold]
    fn seal(&mut self, tail: &mut Tail) {
        if tail.sealed == 0 {
            self.sealed.push(Sealed::default());
            tail.sealed = self.sealed.len() as u32;
        }
        let postings = self.open.get(tail.open, tail.count);
        let Sealed { blocks, data } = &mut self.sealed[tail.sealed as usize - 1];
        let Tail { header, .. } = tail;
        blocks.push(Block::encode(
            postings,
            header.tf_factor,
            header.epoch,
            data,
        ));
        self.open.free(tail.open, tail.count);
        tail.count = 0;
    }

    /// Prefetch the memory behind which the next posting goes.
    pub fn prefetch(&self, tail: &Tail) {
        prefetch(self.open.last(tail.open, tail.count));
    }

    /// All blocks of a term: those of the snapshot with their data, and what was appended since.
    pub fn blocks<'a>(&'a self, base: &'a [Block], data: &'a [u8], tail: &'a Tail) -> Blocks<'a> {
        let sealed = (tail.sealed as usize).checked_sub(1);
        let (sealed, sealed_data): (&[_], &[_]) = sealed.map_or((&[], &[]), |at| {
            let Sealed { blocks, data } = &self.sealed[at];
            (blocks, data)
        });
        Blocks {
            base,
            data,
            sealed,
            sealed_data,
            open: self.open.get(tail.open, tail.count),
            open_header: &tail.header,
        }
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        let bytes = |sealed: &Sealed| {
            sealed.blocks.capacity() * size_of::<Block>() + sealed.data.capacity()
        };
        self.sealed.iter().map(bytes).sum::<usize>()
            + self.sealed.capacity() * size_of::<Sealed>()
            + self.open.bytes()
    }
}

/// A packed block with the data it was appended to, or the open postings.
enum BlockData<'a> {
    Packed(&'a Block, &'a [u8]),
    Open(&'a [Posting]),
}

/// The counts of a block's documents, for reading some of them.
#[derive(Debug, Clone, Copy)]
pub enum Counts<'a> {
    /// Packed: the data from the counts on, and the bits of each.
    Packed(&'a [u8], u8),
    /// Open postings.
    Open(&'a [Posting]),
}

impl Counts<'_> {
    /// The count of the document at a position in the block.
    #[inline]
    pub fn at(&self, position: usize) -> u32 {
        match *self {
            Self::Packed(packed, width) => get(packed, width, position) + 1,
            Self::Open(postings) => postings[position].1,
        }
    }
}

/// All blocks of one list: those of the snapshot, those sealed since, and the open postings as the last one.
#[derive(Debug, Clone, Copy)]
pub struct Blocks<'a> {
    base: &'a [Block],
    data: &'a [u8],
    sealed: &'a [Block],
    sealed_data: &'a [u8],
    open: &'a [Posting],
    open_header: &'a Block,
}

impl<'a> Blocks<'a> {
    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.base.len() + self.sealed.len() + usize::from(!self.open.is_empty())
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The headers of all blocks.
    pub fn iter(&self) -> impl Iterator<Item = &'a Block> + use<'a> {
        let open = (!self.open.is_empty()).then_some(self.open_header);
        self.base.iter().chain(self.sealed).chain(open)
    }

    /// Prefetch the first headers; the processor fetches the others once these are read.
    pub fn prefetch(&self) {
        prefetch(&self.base[..self.base.len().min(PREFETCHED_HEADERS)]);
    }

    /// The header of the block at an index.
    pub fn get(&self, at: usize) -> &'a Block {
        match at.checked_sub(self.base.len()) {
            Some(at) => self.sealed.get(at).unwrap_or(self.open_header),
            None => &self.base[at],
        }
    }

    /// Prefetch the data of the block at an index.
    pub fn prefetch_data(&self, at: usize) {
        if let BlockData::Packed(block, data) = self.block_data(at) {
            prefetch_block(block.split(data).0);
        }
    }

    /// Decode the block at an index.
    pub fn decode(&self, at: usize, into: &mut DecodedBlock) {
        self.decode_docs(at, into);
        self.decode_counts(at, into);
    }

    /// Decode the documents of the block at an index; the counts in `into` are left as they are.
    pub fn decode_docs(&self, at: usize, into: &mut DecodedBlock) {
        match self.block_data(at) {
            BlockData::Packed(block, data) => block.decode_docs(data, into),
            BlockData::Open(postings) => {
                for (doc, posting) in into.docs.iter_mut().zip(postings) {
                    *doc = posting.0;
                }
                into.finish(postings.len());
            }
        }
    }

    /// Decode the counts of the block at an index, whose documents are in `into`.
    pub fn decode_counts(&self, at: usize, into: &mut DecodedBlock) {
        match self.block_data(at) {
            BlockData::Packed(block, data) => block.decode_counts(data, into),
            BlockData::Open(postings) => {
                for (count, posting) in into.counts.iter_mut().zip(postings) {
                    *count = posting.1;
                }
            }
        }
    }

    /// The counts of the block at an index, not decoded.
    pub fn counts(&self, at: usize) -> Counts<'a> {
        match self.block_data(at) {
            BlockData::Packed(block, data) => block.counts(data),
            BlockData::Open(postings) => Counts::Open(postings),
        }
    }

    /// The block at an index, packed or open.
    fn block_data(&self, at: usize) -> BlockData<'a> {
        match at.checked_sub(self.base.len()) {
            Some(at) => match self.sealed.get(at) {
                Some(block) => BlockData::Packed(block, self.sealed_data),
                None => BlockData::Open(self.open),
            },
            None => BlockData::Packed(&self.base[at], self.data),
        }
    }

    /// All documents, ascending.
    pub fn docs(&self) -> Vec<Doc> {
        let (mut docs, mut block) = (Vec::new(), DecodedBlock::default());
        for at in 0..self.len() {
            self.decode(at, &mut block);
            docs.extend_from_slice(block.docs());
        }
        docs
    }

    /// The index of the first block, from `from` on, that ends at `doc` or later; fast if it is near.
    pub fn seek(&self, from: usize, doc: Doc) -> usize {
        let (mut low, mut step) = (from, 1);
        while low + step <= self.len() && self.get(low + step - 1).last < doc {
            low += step;
            step *= 2;
        }
        let mut high = (low + step - 1).min(self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.get(middle).last < doc {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// How often `doc` contains the term.
    pub fn count(&self, doc: Doc) -> u32 {
        let at = self.seek(0, doc);
        if at == self.len() || self.get(at).first > doc {
            return 0;
        }
        match self.block_data(at) {
            BlockData::Packed(block, data) => block.count(data, doc),
            BlockData::Open(postings) => count_in_open(postings, doc),
        }
    }

    /// Keep those of the ascending `docs` that contain the term; every block is decoded at most once.
    pub fn retain_listed(&self, docs: &mut Vec<Doc>) {
        let (mut at, mut read, mut position) = (0, None, 0);
        let mut block = DecodedBlock::default();
        docs.retain(|&doc| {
            at = self.seek(at, doc);
            if at == self.len() {
                return false;
            }
            if read != Some(at) {
                self.decode_docs(at, &mut block);
                (read, position) = (Some(at), 0);
            }
            position += block.docs()[position..].partition_point(|&current| current < doc);
            block.docs().get(position) == Some(&doc)
        });
    }
}

fn count_in_open(open: &[Posting], doc: Doc) -> u32 {
    open.binary_search_by_key(&doc, |posting| posting.0)
        .map_or(0, |at| open[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn postings() -> Vec<(Doc, u32)> {
        (0..1_000_u32).map(|n| (n * n / 7 + n, 1 + n % 5)).collect()
    }

    #[test]
    fn postings_are_read_back_from_every_kind_of_block() {
        let means = [[10.0; KIND_COUNT]];
        let (mut tails, mut tail, mut other) = (Tails::default(), Tail::default(), Tail::default());
        for &(doc, count) in &postings() {
            tails.push(&mut tail, (doc, count), 7, &means);
            tails.push(&mut other, (doc / 2 + doc, 9), 7, &means);
        }
        let blocks = tails.blocks(&[], &[], &tail);
        let mut found = Vec::new();
        let mut decoded = DecodedBlock::default();
        for at in 0..blocks.len() {
            blocks.decode(at, &mut decoded);
            let (first, last) = (decoded.docs()[0], decoded.docs()[decoded.len - 1]);
            assert_eq!((blocks.get(at).first, blocks.get(at).last), (first, last));
            for doc in (first.saturating_sub(1)..=last + 1)
                .step_by(37)
                .chain([last, last + 1])
            {
                let before = decoded.docs().partition_point(|&each| each < doc);
                assert_eq!(decoded.count_before(doc), before);
            }
            found.extend(
                decoded
                    .docs()
                    .iter()
                    .copied()
                    .zip(decoded.counts().iter().copied()),
            );
        }
        assert_eq!(found, postings());
        for &(doc, count) in &postings() {
            assert_eq!(blocks.count(doc), count);
        }
        assert_eq!((blocks.count(1), blocks.count(3)), (2, 0));
        assert_eq!(blocks.count(u32::MAX - 1), 0);
        assert_eq!(blocks.count(postings()[500].0 + 1), 0);
        for step in [1, 2, 3, 100, 1_000_000] {
            let mut common: Vec<Doc> = (0..200_000).step_by(step).collect();
            let expected: Vec<Doc> = common
                .iter()
                .copied()
                .filter(|&doc| blocks.count(doc) > 0)
                .collect();
            blocks.retain_listed(&mut common);
            assert_eq!(common, expected);
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_block_behind_four_gigabytes_is_decoded() {
        let behind = (1 << 32) + 8;
        // Untouched pages take no memory.
        let mut data = vec![0; behind + 1_000];
        data.truncate(behind);
        let postings = &postings()[..BLOCK];
        let block = Block::encode(postings, 7, 0, &mut data);
        let mut decoded = DecodedBlock::default();
        block.decode_docs(&data, &mut decoded);
        block.decode_counts(&data, &mut decoded);
        let read = decoded
            .docs()
            .iter()
            .copied()
            .zip(decoded.counts().iter().copied());
        assert!(read.eq(postings.iter().copied()));
        assert_eq!(block.count(&data, postings[77].0), postings[77].1);
    }

    #[test]
    fn a_factor_computed_with_old_means_is_still_a_bound() {
        let (then, now) = ([10.0; KIND_COUNT], [13.0; KIND_COUNT]);
        let (mut tails, mut tail) = (Tails::default(), Tail::default());
        tails.push(&mut tail, (0, 1), 10_000, &[then]);
        tails.push(&mut tail, (1, 1), 1, &[then, now]);
        assert_eq!((tail.header.tf_factor, tail.header.epoch), (13_001, 1));
    }
}
