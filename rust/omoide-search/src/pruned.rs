//! Which documents have the highest sums of term scores, without scoring all of them?
//!
//! `MaxScore` (Turtle and Flood 1995) over windows of documents, with bounds per block (Ding and Suel 2011). A first lower
//! bound for the scores of the best documents comes from adding up a few blocks: the best ones of the most informative lists.
//! Lists that together cannot lift a document among the best are non-essential, beginning with those that are long for what they
//! add. A window begins where an essential list has its next block that can matter; if only one list is essential, its blocks are
//! the windows. Documents that may be among the best by the essential lists of a window are looked up in the other lists. A long
//! question has so many such documents that adding up most lists is faster than looking into them.
//!
//! Invariant: the answer is that of adding up everything. Scores, sums and bounds are integers (scoring.rs); bounds are never
//! too low.

use crate::Allowed;
use crate::kernels::{self, Candidates, GROUP, GROUPS};
use crate::scoring::{ScoreScale, Scoring};
use crate::top::{ROUNDING_MARGIN, TopK};
use omoide_index::Doc;
use omoide_index::blocks::{BLOCK, Counts, DecodedBlock};
use omoide_index::docset::bits;
use omoide_index::ids::{Ids, NO_DOC};
use omoide_index::postings::{Field, FieldNorm, PostingList};
use std::cell::RefCell;
use std::ops::Range;

/// Documents in a window of several lists.
const WINDOW: usize = GROUP * GROUPS;
/// Scores added between two checks whether there are more.
const ADDED_PER_CHUNK: usize = 8;
/// Looking up one document costs as much as adding so many entries of a list.
const LOOK_UP_COST: usize = 16;
/// The first lower bound is taken from so many blocks of a list, the best ones...
const FLOOR_BLOCKS: usize = 8;
/// ...until so many entries were read: fewer give a lower bound, and more take longer than they save.
const FLOOR_ENTRIES: usize = 2_000;
/// With up to so many lists, one gives nearly as good a bound as all; reading all would take a fifth of a short question's
/// time.
const FEW_LISTS: usize = 8;

/// One term, ready to score.
pub struct ScoredTerm<'a> {
    pub list: PostingList<'a>,
    pub field: &'a Field,
    pub scoring: Scoring,
    /// For each epoch, the most that one step of the factors stored in blocks can be worth now.
    pub tf_step_values: &'a [f32],
}

impl ScoredTerm<'_> {
    /// The idf times weight in the kind of text in which the term is rarest, among the kinds that have it.
    pub fn max_weighted_idf(&self) -> f32 {
        let kinds = self
            .scoring
            .weighted_idf
            .iter()
            .zip(self.list.doc_freq_by_kind);
        let held = kinds.filter(|kind| kind.1 > 0).map(|kind| *kind.0);
        held.fold(0.0, f32::max)
    }

    fn block_bounds(&self) -> impl Iterator<Item = BlockBound> {
        let weighted_idf = self.max_weighted_idf();
        self.list.blocks.iter().map(move |block| {
            let step = self.tf_step_values[usize::from(block.epoch)];
            let share = (f32::from(block.tf_factor) * step).min(1.0);
            BlockBound {
                first: block.first,
                last: block.last,
                bound: (weighted_idf * share) as i32 + 1,
            }
        })
    }
}

thread_local! {
    /// Buffers kept for the next search: allocating some kilobytes takes as long as reading some blocks.
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Buffers of a search.
#[derive(Default)]
struct Buffers {
    sums: Sums,
    /// One for each list.
    by_list: Vec<BlockBuffer>,
    /// Those of all lists, one list after another.
    block_bounds: Vec<BlockBound>,
    table: SumTable,
    found: Vec<(Doc, i32)>,
}

/// What is known of a block without decoding it: its first and last document, and a bound that no score in it exceeds.
#[derive(Clone, Copy)]
struct BlockBound {
    first: Doc,
    last: Doc,
    bound: i32,
}

/// A decoded block, and its documents' scores if they were computed.
struct BlockBuffer {
    decoded: DecodedBlock,
    scores: [i32; BLOCK],
}

impl Default for BlockBuffer {
    fn default() -> Self {
        Self {
            decoded: DecodedBlock::default(),
            scores: [0; BLOCK],
        }
    }
}

/// The list of one term, read forwards.
struct Cursor<'a> {
    term: &'a ScoredTerm<'a>,
    blocks: &'a [BlockBound],
    /// No document of the list scores more.
    max_score: i32,
    /// The first block that ends in the current window or later; look-ups continue from it.
    block: usize,
    /// No document in the current window scores more.
    bound: i32,
    /// How many of its blocks overlap the window.
    blocks_inside: usize,
    /// Whether it is among the lists that cannot lift a document among the best alone.
    is_nonessential: bool,
    buffer: &'a mut BlockBuffer,
    /// Which block is in `buffer`.
    decoded_block: usize,
    has_scores: bool,
}

impl<'a> Cursor<'a> {
    fn new(
        term: &'a ScoredTerm<'a>,
        blocks: &'a [BlockBound],
        buffer: &'a mut BlockBuffer,
    ) -> Self {
        Self {
            term,
            blocks,
            max_score: blocks.iter().map(|block| block.bound).max().unwrap_or(0),
            block: 0,
            bound: 0,
            blocks_inside: 0,
            is_nonessential: false,
            buffer,
            decoded_block: usize::MAX,
            has_scores: false,
        }
    }

    /// The most it adds, in proportion to its length.
    fn score_per_document(&self) -> f64 {
        f64::from(self.max_score) / f64::from(self.term.list.doc_freq())
    }

    /// Call `take` with the documents of the list's best blocks, allowed or not, and their scores.
    fn for_each_in_best_blocks(&mut self, allowed: &Allowed, mut take: impl FnMut(Doc, i32)) {
        let best = self.best_blocks(allowed);
        best.clone()
            .for_each(|at| self.term.list.blocks.prefetch_data(at));
        for at in best {
            self.decode(at);
            let entries = self.buffer.decoded.docs().iter().zip(&self.buffer.scores);
            entries.for_each(|(&doc, &score)| take(doc, score));
        }
    }

    /// Indices of the best blocks that contain an allowed document.
    fn best_blocks(&self, allowed: &Allowed) -> impl Iterator<Item = usize> + Clone + use<> {
        let mut best = [(0, 0); FLOOR_BLOCKS];
        for (at, block) in self.blocks.iter().enumerate() {
            let is_better = block.bound > best[FLOOR_BLOCKS - 1].0;
            if is_better && allowed.any_within(block.first, block.last) {
                let place = best.partition_point(|better| better.0 >= block.bound);
                best[place..].rotate_right(1);
                best[place] = (block.bound, at);
            }
        }
        let found = best.into_iter().filter(|best| best.0 > 0);
        found.map(|best| best.1)
    }

    /// The first block, from the current one on, that ends at `doc` or later; fast if it is near.
    #[inline]
    fn seek(&self, doc: Doc) -> usize {
        let (mut low, mut step) = (self.block, 1);
        while low + step <= self.blocks.len() && self.blocks[low + step - 1].last < doc {
            low += step;
            step *= 2;
        }
        let high = (low + step - 1).min(self.blocks.len());
        low + self.blocks[low..high].partition_point(|block| block.last < doc)
    }

    /// Advance to the first block that ends at `from` or later and can add `needed`.
    fn skip_to(&mut self, from: Doc, needed: i32) {
        self.block = self.seek(from);
        let ahead = self.blocks[self.block..].iter();
        self.block += ahead.take_while(|block| block.bound < needed).count();
    }

    /// The first document, from `from` on, that may be in the current block (exact if the block was decoded), and the block's
    /// last document.
    fn next(&self, from: Doc) -> Option<(Doc, Doc)> {
        let block = self.blocks.get(self.block)?;
        if self.block != self.decoded_block {
            return Some((block.first.max(from), block.last));
        }
        let decoded = &self.buffer.decoded;
        Some((decoded.docs()[decoded.count_before(from)], block.last))
    }

    /// Advance to the window and compute the bound for it.
    fn enter_window(&mut self, window: &Range<Doc>) {
        self.block = self.seek(window.start);
        (self.bound, self.blocks_inside) = (0, 0);
        let ahead = self.blocks[self.block..].iter();
        for block in ahead.take_while(|block| block.first < window.end) {
            self.bound = self.bound.max(block.bound);
            self.blocks_inside += 1;
        }
        if self.blocks_inside > 0 && self.block != self.decoded_block {
            self.term.list.blocks.prefetch_data(self.block);
        }
    }

    fn decode_docs(&mut self, at: usize) {
        if self.decoded_block != at {
            let blocks = &self.term.list.blocks;
            blocks.decode_docs(at, &mut self.buffer.decoded);
            self.decoded_block = at;
            self.has_scores = false;
        }
    }

    fn decode(&mut self, at: usize) {
        self.decode_docs(at);
        if !self.has_scores {
            let blocks = &self.term.list.blocks;
            let BlockBuffer { decoded, scores } = &mut *self.buffer;
            blocks.decode_counts(at, decoded);
            let block = self.blocks[at];
            let field_norms = self.term.field.field_norms(block.first, block.last);
            kernels::scores(&self.term.scoring, decoded, field_norms, scores);
            self.has_scores = true;
        }
    }

    /// Call `take` with the documents of the window and their scores, for blocks that contain an allowed document and whose bound
    /// is at most `slack` below the list's.
    fn for_each_block(
        &mut self,
        window: &Range<Doc>,
        slack: i32,
        allowed: &Allowed,
        mut take: impl FnMut(&[Doc], &[i32]),
    ) {
        let needed = self.bound - slack;
        for at in self.block..self.blocks.len() {
            let block = self.blocks[at];
            if block.first >= window.end {
                return;
            }
            let from = block.first.max(window.start);
            let last = block.last.min(window.end - 1);
            if block.bound >= needed && allowed.any_within(from, last) {
                self.decode(at);
                let inside = self.positions(from, last);
                let docs = &self.buffer.decoded.docs()[inside.clone()];
                take(docs, &self.buffer.scores[inside]);
            }
        }
    }

    /// The range of the decoded block's documents that lie in [from, last].
    fn positions(&self, from: Doc, last: Doc) -> Range<usize> {
        let decoded = &self.buffer.decoded;
        let docs = decoded.docs();
        let start = if docs[0] >= from {
            0
        } else {
            decoded.count_before(from)
        };
        let end = if docs[docs.len() - 1] <= last {
            docs.len()
        } else {
            decoded.count_before(last + 1)
        };
        start..end
    }

    /// Add the scores in the window to `sums`.
    fn add_to(&mut self, sums: &mut Sums, window: &Range<Doc>, slack: i32, allowed: &Allowed) {
        self.for_each_block(window, slack, allowed, |docs, scores| {
            sums.add_all(window.start, docs, scores);
        });
    }

    /// Add this list's scores to documents of the current window, which are ascending, and keep those that can still reach the
    /// threshold with `nonessential_bound` of other lists. A block in which none can is not decoded.
    fn complete_scores(
        &mut self,
        found: &mut Vec<(Doc, i32)>,
        nonessential_bound: i32,
        threshold: i32,
    ) {
        let mut kept = 0;
        let mut block = None;
        for at in 0..found.len() {
            let (doc, mut sum) = found[at];
            if block.is_none_or(|block: OpenBlock<'_>| block.last < doc) {
                self.block = self.seek(doc);
                block = self.open_block();
            }
            if let Some(block) = block
                && block.first <= doc
                && sum + nonessential_bound + block.bound >= threshold
            {
                self.decode_docs(self.block);
                sum += self.score(&block, doc);
            }
            found[kept] = (doc, sum);
            kept += usize::from(sum + nonessential_bound >= threshold);
        }
        found.truncate(kept);
    }

    /// The current block, for looking documents up in it.
    fn open_block(&self) -> Option<OpenBlock<'a>> {
        let block = self.blocks.get(self.block)?;
        let field_norms = self.term.field.field_norms(block.first, block.last);
        Some(OpenBlock {
            first: block.first,
            last: block.last,
            bound: block.bound,
            counts: self.term.list.blocks.counts(self.block),
            field_norms,
        })
    }

    /// The score of a document in a block whose documents were decoded, 0 if it is not there.
    #[inline]
    fn score(&self, block: &OpenBlock<'_>, doc: Doc) -> i32 {
        let decoded = &self.buffer.decoded;
        let place = decoded.count_before(doc);
        let field_norm = block.field_norms[(doc - block.first) as usize];
        // Without a branch, which would be unpredictable.
        let is_there = decoded.docs()[place] == doc;
        self.term.scoring.score(block.counts.at(place), field_norm) * i32::from(is_there)
    }
}

/// A block in which documents are looked up.
#[derive(Clone, Copy)]
struct OpenBlock<'a> {
    first: Doc,
    last: Doc,
    bound: i32,
    counts: Counts<'a>,
    /// Those of all documents from the block's first to its last.
    field_norms: &'a [FieldNorm],
}

/// The `count` documents of `allowed` with the highest sums of scores, best first, ties by larger key.
pub fn rank(
    terms: &[ScoredTerm<'_>],
    scale: ScoreScale,
    allowed: &Allowed,
    ids: &Ids,
    count: usize,
) -> Vec<(Doc, f32)> {
    if count == 0 {
        return Vec::new();
    }
    BUFFERS.with_borrow_mut(|buffers| {
        let Buffers {
            sums,
            by_list,
            block_bounds,
            table,
            found,
        } = buffers;
        sums.clear();
        found.clear();
        let mut cursors = cursors(terms, by_list, block_bounds);
        let mut search = Search {
            max_total: cursors.iter().map(|cursor| cursor.max_score).sum(),
            score_floor: score_floor(&mut cursors, scale, allowed, count, table),
            cursors,
            scale,
            allowed,
            top: TopK::new(ids, count),
            threshold: 0,
            window: 0..0,
            sums,
            found,
        };
        while search.next_window() {
            search.collect();
            search.complete_scores();
            search.offer();
        }
        search.top.into_sorted()
    })
}

/// The lists of the terms, each at its beginning; those that add little for their length come first.
fn cursors<'a>(
    terms: &'a [ScoredTerm<'a>],
    by_list: &'a mut Vec<BlockBuffer>,
    block_bounds: &'a mut Vec<BlockBound>,
) -> Vec<Cursor<'a>> {
    for term in terms {
        term.list.blocks.prefetch();
    }
    block_bounds.clear();
    for term in terms {
        block_bounds.extend(term.block_bounds());
    }
    by_list.resize_with(by_list.len().max(terms.len()), BlockBuffer::default);
    let mut ahead = block_bounds.as_slice();
    let cursors = terms.iter().zip(by_list).map(|(term, buffer)| {
        let (blocks, others) = ahead.split_at(term.list.blocks.len());
        ahead = others;
        Cursor::new(term, blocks, buffer)
    });
    let mut cursors: Vec<Cursor<'_>> = cursors.collect();
    cursors.sort_by(|a, b| a.score_per_document().total_cmp(&b.score_per_document()));
    cursors
}

/// A lower bound for the lowest score among the best. Scores that differ by a few steps may be equal after conversion.
fn score_floor(
    cursors: &mut [Cursor<'_>],
    scale: ScoreScale,
    allowed: &Allowed,
    count: usize,
    table: &mut SumTable,
) -> i32 {
    let kth_score = if cursors.len() <= FEW_LISTS {
        floor_by_one_list(cursors, allowed, count)
    } else {
        floor_by_many_lists(cursors, allowed, count, table)
    };
    scale.quantize(f64::from(scale.score(kth_score)) / ROUNDING_MARGIN)
}

/// The bound given by the list that can add most, among those that have at least `count` documents.
fn floor_by_one_list(cursors: &mut [Cursor<'_>], allowed: &Allowed, count: usize) -> i32 {
    let long = cursors.iter_mut();
    let long = long.filter(|cursor| cursor.term.list.doc_freq() as usize >= count);
    let Some(strongest) = long.max_by_key(|cursor| cursor.max_score) else {
        return 0;
    };
    let (mut best, mut threshold) = (Vec::new(), 0);
    strongest.for_each_in_best_blocks(allowed, |doc, score| {
        if score > threshold && allowed.contains(doc) {
            best.push(score);
            if best.len() >= 2 * count {
                threshold = kth_score(&mut best, count);
            }
        }
    });
    kth_score(&mut best, count)
}

/// The `count`-th highest sum over the best blocks of the lists that add most for their length.
fn floor_by_many_lists(
    cursors: &mut [Cursor<'_>],
    allowed: &Allowed,
    count: usize,
    table: &mut SumTable,
) -> i32 {
    table.clear();
    let (mut entries, mut lists) = (0, cursors.iter_mut().rev());
    while entries < FLOOR_ENTRIES
        && let Some(cursor) = lists.next()
    {
        cursor.for_each_in_best_blocks(allowed, |doc, score| {
            if allowed.contains(doc) {
                table.add(doc, score);
                entries += 1;
            }
        });
    }
    kth_score(&mut table.sums().collect(), count)
}

/// Sums of a few documents: a hash table with room for all documents of the best blocks.
struct SumTable {
    slots: Box<[(Doc, i32); Self::SLOTS]>,
    used: Vec<u16>,
}

impl SumTable {
    const BITS: u32 = 12;
    const SLOTS: usize = 1 << Self::BITS;

    fn clear(&mut self) {
        for at in self.used.drain(..) {
            self.slots[usize::from(at)] = FREE_SLOT;
        }
    }

    fn add(&mut self, doc: Doc, score: i32) {
        let mut at = (doc.wrapping_mul(HASH_MULTIPLIER) >> (u32::BITS - Self::BITS)) as usize;
        while self.slots[at].0 != doc {
            if self.slots[at].0 == NO_DOC {
                self.slots[at].0 = doc;
                self.used.push(at as u16);
                break;
            }
            at = (at + 1) % Self::SLOTS;
        }
        self.slots[at].1 += score;
    }

    fn sums(&self) -> impl Iterator<Item = i32> {
        let used = self.used.iter();
        used.map(|&at| self.slots[usize::from(at)].1)
    }
}

impl Default for SumTable {
    fn default() -> Self {
        let slots = vec![FREE_SLOT; Self::SLOTS].try_into();
        Self {
            slots: slots.expect("so many were made"),
            used: Vec::new(),
        }
    }
}

/// A free slot.
const FREE_SLOT: (Doc, i32) = (NO_DOC, 0);
/// A multiplier for hashing: odd, with irregular bits.
const HASH_MULTIPLIER: u32 = 0x9e37_79b1;
const _: () = assert!(FLOOR_ENTRIES + FLOOR_BLOCKS * BLOCK < SumTable::SLOTS);

/// The lowest of the `count` highest scores, dropping the others; 0 if there are fewer.
fn kth_score(scores: &mut Vec<i32>, count: usize) -> i32 {
    if scores.len() < count {
        return 0;
    }
    scores.select_nth_unstable_by(count - 1, |a, b| b.cmp(a));
    scores.truncate(count);
    scores[count - 1]
}

/// Sums by position in a window.
struct Sums {
    by_position: Box<[i32; WINDOW]>,
    /// Which groups have a sum.
    touched_groups: u64,
    /// Which positions may be among the best.
    candidates: Candidates,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            by_position: Box::new([0; WINDOW]),
            touched_groups: 0,
            candidates: Candidates {
                groups: 0,
                places: [0; GROUPS],
            },
        }
    }
}

impl Sums {
    /// Add the scores of documents in a window that begins with `first`.
    fn add_all(&mut self, first: Doc, docs: &[Doc], scores: &[i32]) {
        let place = |doc: Doc| (doc - first) as usize % WINDOW;
        // In chunks: the loop's own cost is nearly that of an addition.
        let ((docs_together, docs_left), (scores_together, scores_left)) = (
            docs.as_chunks::<ADDED_PER_CHUNK>(),
            scores.as_chunks::<ADDED_PER_CHUNK>(),
        );
        for (docs, scores) in docs_together.iter().zip(scores_together) {
            for (&doc, &score) in docs.iter().zip(scores) {
                self.by_position[place(doc)] += score;
            }
        }
        for (&doc, &score) in docs_left.iter().zip(scores_left) {
            self.by_position[place(doc)] += score;
        }
        if let [begin, .., end] = docs
            && ((end - begin) as usize) < docs.len() * GROUP
        {
            // Few groups in between have no document.
            let (begin, end) = (place(*begin) / GROUP, place(*end) / GROUP);
            self.touched_groups |= (u64::MAX >> (GROUPS - 1 - (end - begin))) << begin;
        } else {
            let groups = docs.iter().map(|&doc| 1 << (place(doc) / GROUP));
            self.touched_groups |= groups.fold(0, |all, group: u64| all | group);
        }
    }

    /// Make candidates of the allowed documents whose sum is at least `threshold`, in a window that begins with `first`;
    /// returns how many.
    fn select_candidates(&mut self, first: Doc, threshold: i32, allowed: &Allowed) -> usize {
        for group in bits(self.touched_groups) {
            let from = first.saturating_add(group * GROUP as Doc);
            self.candidates.places[group as usize] = allowed.bits_from(from);
        }
        self.candidates.groups = self.touched_groups;
        self.retain(threshold)
    }

    /// Keep the candidates whose sum is at least `threshold`, which is above 0; returns how many.
    fn retain(&mut self, threshold: i32) -> usize {
        let sums = self.by_position.as_chunks().0;
        kernels::retain(sums, threshold, &mut self.candidates)
    }

    /// The candidates in a window that begins with `first`, ascending, with their sums.
    fn candidates(&self, first: Doc) -> impl Iterator<Item = (Doc, i32)> {
        bits(self.candidates.groups).flat_map(move |group| {
            let places = bits(self.candidates.places[group as usize]);
            places.map(move |at| {
                let place = group as usize * GROUP + at as usize;
                (first + place as Doc, self.by_position[place])
            })
        })
    }

    fn clear(&mut self) {
        for group in bits(std::mem::take(&mut self.touched_groups)) {
            self.by_position.as_chunks_mut::<GROUP>().0[group as usize] = [0; GROUP];
        }
    }
}

struct Search<'a> {
    /// Sorted: lists that add little for their length come first.
    cursors: Vec<Cursor<'a>>,
    scale: ScoreScale,
    /// The most that all lists add together.
    max_total: i32,
    allowed: &'a Allowed<'a>,
    top: TopK<'a>,
    /// A lower bound for the lowest score among the best.
    score_floor: i32,
    /// What a document of the current window must reach.
    threshold: i32,
    window: Range<Doc>,
    sums: &'a mut Sums,
    /// Documents of the current window that may be among the best, ascending, with their sums so far.
    found: &'a mut Vec<(Doc, i32)>,
}

impl Search<'_> {
    /// Advance to the next window in which a document may be among the best; false if there is none.
    fn next_window(&mut self) -> bool {
        self.threshold = self
            .scale
            .quantize(self.top.threshold())
            .max(self.score_floor);
        let (threshold, from) = (self.threshold, self.window.end);
        self.mark_nonessential(|cursor| cursor.max_score);
        let mut next: Option<(Doc, Doc)> = None;
        let mut essential_count = 0;
        for cursor in self
            .cursors
            .iter_mut()
            .filter(|cursor| !cursor.is_nonessential)
        {
            // A document in this list can only be among the best if it has at least so much of it.
            cursor.skip_to(from, threshold - (self.max_total - cursor.max_score));
            essential_count += 1;
            next = [next, cursor.next(from)].into_iter().flatten().min();
        }
        let Some((first, last)) = next else {
            return false;
        };
        let end = if essential_count == 1 {
            last.saturating_add(1)
        } else {
            first.saturating_add(WINDOW as Doc)
        };
        self.window = first..end;
        for cursor in &mut self.cursors {
            cursor.enter_window(&self.window);
        }
        if essential_count > 1 {
            self.mark_nonessential(|cursor| cursor.bound);
        }
        true
    }

    /// Mark as non-essential as many lists as together stay below the threshold, going by `max_score`.
    fn mark_nonessential(&mut self, max_score: impl Fn(&Cursor<'_>) -> i32) {
        let mut sum = 0;
        for cursor in &mut self.cursors {
            let more = sum + max_score(cursor);
            cursor.is_nonessential = more < self.threshold;
            if cursor.is_nonessential {
                sum = more;
            }
        }
    }

    /// Find the documents that may be among the best, by the essential lists.
    fn collect(&mut self) {
        let slack = self.slack();
        let needed = threshold_without(self.threshold, nonessential_bound(&self.cursors));
        let Self {
            cursors,
            window,
            sums,
            found,
            allowed,
            ..
        } = self;
        let mut essential = cursors.iter_mut().filter(|cursor| !cursor.is_nonessential);
        match (essential.next(), essential.next()) {
            (Some(one), None) => one.for_each_block(window, slack, allowed, |docs, scores| {
                let entries = docs.iter().copied().zip(scores.iter().copied());
                let reaching = entries.filter(|entry| entry.1 >= needed);
                found.extend(reaching.filter(|entry| allowed.contains(entry.0)));
            }),
            (Some(one), Some(two)) => {
                for cursor in [one, two].into_iter().chain(essential) {
                    cursor.add_to(sums, window, slack, allowed);
                }
                let count = sums.select_candidates(window.start, needed, allowed);
                self.add_nonessential(slack, count);
            }
            _ => {}
        }
    }

    /// Add up those of the non-essential lists, the most informative first, for which that is faster than looking up so many
    /// candidates.
    fn add_nonessential(&mut self, slack: i32, mut count: usize) {
        let Self {
            cursors,
            window,
            sums,
            found,
            allowed,
            threshold,
            ..
        } = self;
        let mut nonessential_bound = nonessential_bound(cursors);
        for cursor in nonessential_inside(cursors) {
            if cursor.blocks_inside * BLOCK > count * LOOK_UP_COST {
                break;
            }
            cursor.add_to(sums, window, slack, allowed);
            cursor.is_nonessential = false;
            nonessential_bound -= cursor.bound;
            count = sums.retain(threshold_without(*threshold, nonessential_bound));
        }
        found.extend(sums.candidates(window.start));
        sums.clear();
    }

    /// Add the scores of the non-essential lists to the documents found, the most informative list first.
    fn complete_scores(&mut self) {
        let Self {
            cursors,
            found,
            threshold,
            ..
        } = self;
        let mut nonessential_bound = nonessential_bound(cursors);
        for cursor in nonessential_inside(cursors) {
            if found.is_empty() {
                return;
            }
            nonessential_bound -= cursor.bound;
            cursor.complete_scores(found, nonessential_bound, *threshold);
        }
    }

    fn offer(&mut self) {
        self.top.prefetch(self.found.iter().map(|found| found.0));
        for (doc, sum) in self.found.drain(..) {
            if sum >= self.threshold {
                self.top.offer(doc, self.scale.score(sum));
            }
        }
    }

    /// By how much the bounds of all lists exceed the threshold: a score that is further below its bound cannot matter.
    fn slack(&self) -> i32 {
        let bounds: i32 = self.cursors.iter().map(|cursor| cursor.bound).sum();
        bounds - self.threshold
    }
}

/// What a document must have by the other lists to be among the best, if the non-essential lists add `nonessential_bound` at most.
fn threshold_without(threshold: i32, nonessential_bound: i32) -> i32 {
    (threshold - nonessential_bound).max(1)
}

/// The non-essential lists with blocks inside the window, the most informative first.
fn nonessential_inside<'c, 'a>(
    cursors: &'c mut [Cursor<'a>],
) -> impl Iterator<Item = &'c mut Cursor<'a>> {
    let last_first = cursors.iter_mut().rev();
    last_first.filter(|cursor| cursor.is_nonessential && cursor.blocks_inside > 0)
}

/// The most that the non-essential lists can add.
fn nonessential_bound(cursors: &[Cursor<'_>]) -> i32 {
    let nonessential = cursors.iter().filter(|cursor| cursor.is_nonessential);
    nonessential.map(|cursor| cursor.bound).sum()
}
