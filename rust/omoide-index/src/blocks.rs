//! How is the posting list of a term stored, 128 documents at a time?
//!
//! First come the blocks of the snapshot, then those made since, then up to 128 open entries that are no block yet. Open
//! entries are kept together with those of other terms (pool.rs); all else that a new entry changes is in one place ([`End`]).
//!
//! A block records its first and last document and the most that a document of it can score, so that a search can skip blocks
//! without reading them. Documents are stored as gaps, counts less one, each in as few bits as the largest needs.
//!
//! The most that a document can score depends on the mean length of texts, which every write changes. A block stores the share
//! count / (count + norm), rounded up, computed with the means of its epoch; with means `r` times as large no share is more
//! than `r` times as large.

use crate::ascending::{RUN, RUNS, below};
use crate::dot::prefetch;
use crate::ids::NO_DOC;
use crate::packing::{LANES, bytes, get, pack, unpack, unpack_ascending, width};
use crate::pool::{Entry, Pool};
use crate::{Doc, KIND_COUNT};
use bytemuck::{Pod, Zeroable};
use std::array::from_fn;

/// Documents in a block.
pub const BLOCK: usize = 128;
const _: () = assert!(BLOCK == RUN * RUNS);
/// Bytes of a block that are prefetched before it is read: few blocks have more.
const NEAR: usize = 128;
/// Block headers that are prefetched before any is read: the processor itself predicts that later ones follow.
const FIRST: usize = 32;
/// Shares are stored in steps of 1 / this.
pub const SHARE_STEPS: f32 = 65_535.0;

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
    others: u8,
    gap_width: u8,
    count_width: u8,
    /// The epoch of means with which `share` was computed.
    pub epoch: u8,
    /// The highest share of a document in it, in steps of 1 / [`SHARE_STEPS`], rounded up.
    pub share: u16,
    offset_above: u16,
}

/// The documents of a block and how often each holds the term.
#[derive(Debug)]
pub struct Decoded {
    /// With room for decoding whole lanes; [`NO_DOC`] behind the end.
    docs: [Doc; BLOCK + LANES],
    counts: [u32; BLOCK],
    len: usize,
    /// The last document of each run, side by side, whereas among the documents they lie in as many cache lines as there are
    /// runs.
    lasts: [Doc; RUNS],
}

impl Default for Decoded {
    fn default() -> Self {
        Self {
            docs: [0; BLOCK + LANES],
            counts: [0; BLOCK],
            len: 0,
            lasts: [0; RUNS],
        }
    }
}

impl Decoded {
    /// The documents, ascending.
    pub fn docs(&self) -> &[Doc] {
        &self.docs[..self.len]
    }

    /// How many of the documents are before `doc`.
    #[inline]
    pub fn before(&self, doc: Doc) -> usize {
        below(&self.lasts, self.runs(), doc)
    }

    fn runs(&self) -> &[[Doc; RUN]; RUNS] {
        let runs = self.docs.as_chunks().0.first_chunk();
        runs.expect("there is room for a block")
    }

    /// Finish decoding `len` documents.
    fn end_with(&mut self, len: usize) {
        self.len = len;
        self.docs[len..].fill(NO_DOC);
        self.lasts = from_fn(|at| self.runs()[at][RUN - 1]);
    }

    /// How often each document holds the term, in the same order.
    pub fn counts(&self) -> &[u32] {
        &self.counts[..self.len]
    }

    /// Documents and counts, including what stands behind their end, which does not matter: for kernels that process all
    /// places.
    #[inline]
    pub fn lanes(&self) -> (&[Doc], &[u32]) {
        (&self.docs, &self.counts)
    }
}

/// Prefetch what a block may need; `data` begins with the block's.
fn bring_near(data: &[u8]) {
    prefetch(&data[..data.len().min(NEAR)]);
}

/// `share` in steps, rounded up, with one step more where rounding of sums might reach it.
pub fn steps_up(share: f32) -> u16 {
    ((share * SHARE_STEPS * 1.000_01) as u16).saturating_add(1)
}

/// The largest factor by which a share can have grown when the means went from `then` to `now`.
pub fn growth(then: &ByKind, now: &ByKind) -> f32 {
    then.iter()
        .zip(now)
        .map(|(then, now)| now / then)
        .fold(1.0, f32::max)
}

impl Block {
    /// Append `entries` (at least one, at most [`BLOCK`]) to `data`.
    pub fn encode(entries: &[Entry], share: u16, epoch: u8, data: &mut Vec<u8>) -> Self {
        let gaps = || entries.windows(2).map(|pair| pair[1].0 - pair[0].0 - 1);
        let counts = || entries.iter().map(|entry| entry.1 - 1);
        let block = Self {
            first: entries[0].0,
            last: entries[entries.len() - 1].0,
            offset: data.len() as u32,
            offset_above: (data.len() as u64 >> u32::BITS) as u16,
            others: (entries.len() - 1) as u8,
            gap_width: width(gaps().max().unwrap_or(0)),
            count_width: width(counts().max().unwrap_or(0)),
            epoch,
            share,
        };
        pack(gaps(), block.gap_width, data);
        pack(counts(), block.count_width, data);
        block
    }

    /// Decode its documents from the data it was appended to.
    fn decode_docs(&self, data: &[u8], into: &mut Decoded) {
        let (gaps, _) = self.split(data);
        into.docs[0] = self.first;
        let others = usize::from(self.others).next_multiple_of(LANES);
        unpack_ascending(gaps, self.gap_width, self.first, &mut into.docs[1..=others]);
        let whole = usize::from(self.others) + 1;
        into.end_with(whole);
        let end = bytes(whole - 1, self.gap_width) + bytes(whole, self.count_width);
        bring_near(&gaps[end.min(gaps.len())..]);
    }

    /// Decode the counts of its documents.
    fn decode_counts(&self, data: &[u8], into: &mut Decoded) {
        let (_, counts) = self.split(data);
        let count = (usize::from(self.others) + 1).next_multiple_of(LANES);
        unpack(counts, self.count_width, 1, &mut into.counts[..count]);
    }

    fn counts<'a>(&self, data: &'a [u8]) -> Counts<'a> {
        Counts::Packed(self.split(data).1, self.count_width)
    }

    /// How often `doc` holds the term, 0 if it is not in the block.
    pub fn count(&self, data: &[u8], doc: Doc) -> u32 {
        let (gaps, _) = self.split(data);
        let (mut at, mut there) = (0, self.first);
        while there < doc && at < usize::from(self.others) {
            there += get(gaps, self.gap_width, at) + 1;
            at += 1;
        }
        if there == doc {
            self.counts(data).at(at)
        } else {
            0
        }
    }

    /// The data from its gaps on, and from its counts on.
    fn split<'a>(&self, data: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let offset = u64::from(self.offset_above) << u32::BITS | u64::from(self.offset);
        let gaps = &data[offset as usize..];
        let counts = &gaps[bytes(usize::from(self.others), self.gap_width)..];
        (gaps, counts)
    }
}

/// The end of a term's list, in memory.
#[derive(Debug, Default, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct End {
    /// Index of its whole blocks, plus one; 0 if there are none.
    whole: u32,
    /// Where its open entries begin, and how many there are.
    open: u32,
    count: u32,
    /// The header that a block of them would have.
    last: Block,
}

/// Blocks in order, and the data they were appended to.
#[derive(Debug, Default)]
struct Whole {
    blocks: Vec<Block>,
    data: Vec<u8>,
}

/// The ends of all terms' lists, in memory.
#[derive(Debug, Default)]
pub struct Grown {
    whole: Vec<Whole>,
    open: Pool,
}

impl Grown {
    /// Append a document, larger than all before; `means` are those of all epochs, the current one last.
    #[inline]
    pub fn push(&mut self, end: &mut End, entry: Entry, share: u16, means: &[ByKind]) {
        let epoch = (means.len() - 1) as u8;
        if end.count as usize == BLOCK {
            self.close(end);
        }
        if end.count == 0 {
            end.last = Block {
                first: entry.0,
                epoch,
                ..Block::default()
            };
        }
        if end.last.epoch != epoch {
            let growth = growth(&means[usize::from(end.last.epoch)], &means[means.len() - 1]);
            end.last.share = steps_up(f32::from(end.last.share) / SHARE_STEPS * growth);
            end.last.epoch = epoch;
        }
        end.open = self.open.push(end.open, end.count, entry);
        end.count += 1;
        end.last.last = entry.0;
        end.last.share = end.last.share.max(share);
    }

    /// Make a block of the open entries.
    #[cold]
    fn close(&mut self, end: &mut End) {
        if end.whole == 0 {
            self.whole.push(Whole::default());
            end.whole = self.whole.len() as u32;
        }
        let entries = self.open.get(end.open, end.count);
        let Whole { blocks, data } = &mut self.whole[end.whole as usize - 1];
        let End { last, .. } = end;
        blocks.push(Block::encode(entries, last.share, last.epoch, data));
        self.open.free(end.open, end.count);
        end.count = 0;
    }

    /// Prefetch the place of the next entry.
    pub fn bring_near(&self, end: &End) {
        prefetch(self.open.last(end.open, end.count));
    }

    /// The list of a term: the blocks of the snapshot with their data, and what came since.
    pub fn list<'a>(&'a self, base: &'a [Block], data: &'a [u8], end: &'a End) -> Blocks<'a> {
        let whole = (end.whole as usize).checked_sub(1);
        let (grown, grown_data): (&[_], &[_]) = whole.map_or((&[], &[]), |at| {
            let Whole { blocks, data } = &self.whole[at];
            (blocks, data)
        });
        Blocks {
            base,
            data,
            grown,
            grown_data,
            open: self.open.get(end.open, end.count),
            last: &end.last,
        }
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        let bytes =
            |whole: &Whole| whole.blocks.capacity() * size_of::<Block>() + whole.data.capacity();
        self.whole.iter().map(bytes).sum::<usize>()
            + self.whole.capacity() * size_of::<Whole>()
            + self.open.bytes()
    }
}

/// A packed block with the data it was appended to, or the open entries.
enum Part<'a> {
    Packed(&'a Block, &'a [u8]),
    Open(&'a [Entry]),
}

/// The counts of a block's documents, for reading some of them.
#[derive(Debug, Clone, Copy)]
pub enum Counts<'a> {
    /// Packed: the data from the counts on, and the bits of each.
    Packed(&'a [u8], u8),
    /// Open entries.
    Open(&'a [Entry]),
}

impl Counts<'_> {
    /// The count of the document at a place.
    #[inline]
    pub fn at(&self, place: usize) -> u32 {
        match *self {
            Self::Packed(packed, width) => get(packed, width, place) + 1,
            Self::Open(entries) => entries[place].1,
        }
    }
}

/// All blocks of one list: those of the snapshot, those made since, and the open entries as the last one.
#[derive(Debug, Clone, Copy)]
pub struct Blocks<'a> {
    base: &'a [Block],
    data: &'a [u8],
    grown: &'a [Block],
    grown_data: &'a [u8],
    open: &'a [Entry],
    last: &'a Block,
}

impl<'a> Blocks<'a> {
    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.base.len() + self.grown.len() + usize::from(!self.open.is_empty())
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The headers of all blocks.
    pub fn iter(&self) -> impl Iterator<Item = &'a Block> + use<'a> {
        let open = (!self.open.is_empty()).then_some(self.last);
        self.base.iter().chain(self.grown).chain(open)
    }

    /// Prefetch the first headers; the processor fetches the others once these are read.
    pub fn bring_near(&self) {
        prefetch(&self.base[..self.base.len().min(FIRST)]);
    }

    /// The header of the block at an index.
    pub fn get(&self, at: usize) -> &'a Block {
        match at.checked_sub(self.base.len()) {
            Some(at) => self.grown.get(at).unwrap_or(self.last),
            None => &self.base[at],
        }
    }

    /// Prefetch the data of the block at an index.
    pub fn bring_data_near(&self, at: usize) {
        if let Part::Packed(block, data) = self.part(at) {
            bring_near(block.split(data).0);
        }
    }

    /// Decode the block at an index.
    pub fn decode(&self, at: usize, into: &mut Decoded) {
        self.decode_docs(at, into);
        self.decode_counts(at, into);
    }

    /// Decode the documents of the block at an index; the counts in `into` are left as they are.
    pub fn decode_docs(&self, at: usize, into: &mut Decoded) {
        match self.part(at) {
            Part::Packed(block, data) => block.decode_docs(data, into),
            Part::Open(entries) => {
                for (doc, entry) in into.docs.iter_mut().zip(entries) {
                    *doc = entry.0;
                }
                into.end_with(entries.len());
            }
        }
    }

    /// Decode the counts of the block at an index, whose documents are in `into`.
    pub fn decode_counts(&self, at: usize, into: &mut Decoded) {
        match self.part(at) {
            Part::Packed(block, data) => block.decode_counts(data, into),
            Part::Open(entries) => {
                for (count, entry) in into.counts.iter_mut().zip(entries) {
                    *count = entry.1;
                }
            }
        }
    }

    /// The counts of the block at an index, not decoded.
    pub fn counts(&self, at: usize) -> Counts<'a> {
        match self.part(at) {
            Part::Packed(block, data) => block.counts(data),
            Part::Open(entries) => Counts::Open(entries),
        }
    }

    /// The block at an index, packed or open.
    fn part(&self, at: usize) -> Part<'a> {
        match at.checked_sub(self.base.len()) {
            Some(at) => match self.grown.get(at) {
                Some(block) => Part::Packed(block, self.grown_data),
                None => Part::Open(self.open),
            },
            None => Part::Packed(&self.base[at], self.data),
        }
    }

    /// All documents, ascending.
    pub fn docs(&self) -> Vec<Doc> {
        let (mut docs, mut block) = (Vec::new(), Decoded::default());
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

    /// How often `doc` holds the term.
    pub fn count(&self, doc: Doc) -> u32 {
        let at = self.seek(0, doc);
        if at == self.len() || self.get(at).first > doc {
            return 0;
        }
        match self.part(at) {
            Part::Packed(block, data) => block.count(data, doc),
            Part::Open(entries) => count_in(entries, doc),
        }
    }

    /// Keep those of the ascending `docs` that hold the term; every block is decoded at most once.
    pub fn retain_in(&self, docs: &mut Vec<Doc>) {
        let (mut at, mut read, mut place) = (0, None, 0);
        let mut block = Decoded::default();
        docs.retain(|&doc| {
            at = self.seek(at, doc);
            if at == self.len() {
                return false;
            }
            if read != Some(at) {
                self.decode_docs(at, &mut block);
                (read, place) = (Some(at), 0);
            }
            place += block.docs()[place..].partition_point(|&there| there < doc);
            block.docs().get(place) == Some(&doc)
        });
    }
}

fn count_in(open: &[Entry], doc: Doc) -> u32 {
    open.binary_search_by_key(&doc, |entry| entry.0)
        .map_or(0, |at| open[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<(Doc, u32)> {
        (0..1_000_u32).map(|n| (n * n / 7 + n, 1 + n % 5)).collect()
    }

    #[test]
    fn a_list_that_grew_holds_what_was_put_in() {
        let means = [[10.0; KIND_COUNT]];
        let (mut grown, mut end, mut other) = (Grown::default(), End::default(), End::default());
        for &(doc, count) in &entries() {
            grown.push(&mut end, (doc, count), 7, &means);
            grown.push(&mut other, (doc / 2 + doc, 9), 7, &means);
        }
        let blocks = grown.list(&[], &[], &end);
        let mut found = Vec::new();
        let mut decoded = Decoded::default();
        for at in 0..blocks.len() {
            blocks.decode(at, &mut decoded);
            let (first, last) = (decoded.docs()[0], decoded.docs()[decoded.len - 1]);
            assert_eq!((blocks.get(at).first, blocks.get(at).last), (first, last));
            for doc in (first.saturating_sub(1)..=last + 1)
                .step_by(37)
                .chain([last, last + 1])
            {
                let before = decoded.docs().partition_point(|&each| each < doc);
                assert_eq!(decoded.before(doc), before);
            }
            found.extend(
                decoded
                    .docs()
                    .iter()
                    .copied()
                    .zip(decoded.counts().iter().copied()),
            );
        }
        assert_eq!(found, entries());
        for &(doc, count) in &entries() {
            assert_eq!(blocks.count(doc), count);
        }
        assert_eq!((blocks.count(1), blocks.count(3)), (2, 0));
        assert_eq!(blocks.count(u32::MAX - 1), 0);
        assert_eq!(blocks.count(entries()[500].0 + 1), 0);
        for step in [1, 2, 3, 100, 1_000_000] {
            let mut common: Vec<Doc> = (0..200_000).step_by(step).collect();
            let expected: Vec<Doc> = common
                .iter()
                .copied()
                .filter(|&doc| blocks.count(doc) > 0)
                .collect();
            blocks.retain_in(&mut common);
            assert_eq!(common, expected);
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_block_behind_four_gigabytes_is_read_where_it_stands() {
        let behind = (1 << 32) + 8;
        // Untouched pages take no memory.
        let mut data = vec![0; behind + 1_000];
        data.truncate(behind);
        let entries = &entries()[..BLOCK];
        let block = Block::encode(entries, 7, 0, &mut data);
        let mut decoded = Decoded::default();
        block.decode_docs(&data, &mut decoded);
        block.decode_counts(&data, &mut decoded);
        let read = decoded
            .docs()
            .iter()
            .copied()
            .zip(decoded.counts().iter().copied());
        assert!(read.eq(entries.iter().copied()));
        assert_eq!(block.count(&data, entries[77].0), entries[77].1);
    }

    #[test]
    fn a_share_kept_under_old_means_still_bounds() {
        let (then, now) = ([10.0; KIND_COUNT], [13.0; KIND_COUNT]);
        let (mut grown, mut end) = (Grown::default(), End::default());
        grown.push(&mut end, (0, 1), 10_000, &[then]);
        grown.push(&mut end, (1, 1), 1, &[then, now]);
        assert_eq!((end.last.share, end.last.epoch), (13_001, 1));
    }
}
