//! Which documents have the highest sums of term scores, without scoring all of them?
//!
//! `MaxScore` (Turtle and Flood 1995) over windows of documents, with the bounds of blocks (Ding and Suel 2011). What the
//! best documents have at least is first told by a few blocks, the best of the most telling lists, added up. Lists that
//! together cannot lift a document among the best are set aside, first those that are long for what they add. A window
//! begins where one of the others goes on with a block that can matter; where one alone is left, its blocks are the
//! windows. Documents that may be among the best by what the lists of a window tell are looked up in those set aside. A
//! long question has so many of them that most lists are sooner added up than looked into.
//!
//! Invariant: the answer is that of summing everything up. Scores, sums and bounds are whole steps (scoring.rs); bounds
//! are never too low.

use crate::Allowed;
use crate::lanes::{self, Candidates, GROUP, GROUPS};
use crate::scoring::{Scoring, Steps};
use crate::top::{CAUTION, Top};
use omoide_index::Doc;
use omoide_index::blocks::{BLOCK, Block, Decoded};
use omoide_index::docset::bits;
use omoide_index::ids::Ids;
use omoide_index::postings::{Field, Posting};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Documents a window of several lists.
const WINDOW: usize = GROUP * GROUPS;
/// To look one document up costs as much as to add so many of a list.
const LOOK_UP: usize = 16;
/// So many blocks of a list, its best ones, tell what the best documents have at least...
const TELLING: usize = 8;
/// ...and so many of their entries are enough: fewer tell less, and more take longer than they save.
const TOLD: usize = 2_000;
/// Of so few lists one tells nearly as much as all; asking all would take a fifth of a short question's time.
const FEW_LISTS: usize = 8;

/// One term, ready to score.
pub struct Scored<'a> {
    pub posting: Posting<'a>,
    pub field: &'a Field,
    pub scoring: Scoring,
    /// What a step of the shares kept in blocks can be worth by now, by epoch.
    pub share_steps: &'a [f32],
}

impl Scored<'_> {
    /// The rarity of the kind in which the term is rarest, among those that have it.
    fn highest_rarity(&self) -> f32 {
        let kinds = self.scoring.rarity.iter().zip(self.posting.live_by_kind);
        let held = kinds.filter(|kind| kind.1 > 0).map(|kind| *kind.0);
        held.fold(0.0, f32::max)
    }
}

thread_local! {
    /// Kept for the next search: to allocate some kilobytes takes as long as to read some blocks.
    static NOTES: RefCell<Notes> = RefCell::default();
}

/// What a search writes on.
#[derive(Default)]
struct Notes {
    sums: Sums,
    /// One a list.
    reads: Vec<Read>,
    numbered: Vec<Doc>,
}

/// A block that was read, and what its documents score, where that was worked out.
struct Read {
    decoded: Decoded,
    scores: [i32; BLOCK],
}

impl Default for Read {
    fn default() -> Self {
        Self {
            decoded: Decoded::default(),
            scores: [0; BLOCK],
        }
    }
}

/// The list of one term, read forwards.
struct Cursor<'a> {
    term: Scored<'a>,
    highest_rarity: f32,
    /// No document scores more.
    most: i32,
    /// The first block that ends in the present window or later; look-ups go on from it.
    block: usize,
    /// No document of the present window scores more.
    bound: i32,
    /// How many blocks it has there.
    inside: usize,
    /// Whether it is set aside.
    is_aside: bool,
    read: &'a mut Read,
    /// Which block that is.
    decoded_block: usize,
    has_scores: bool,
    /// Where a look-up goes on in `decoded`.
    place: usize,
}

impl<'a> Cursor<'a> {
    fn new(term: Scored<'a>, read: &'a mut Read) -> Self {
        let mut cursor = Self {
            highest_rarity: term.highest_rarity(),
            term,
            most: 0,
            block: 0,
            bound: 0,
            inside: 0,
            is_aside: false,
            read,
            decoded_block: usize::MAX,
            has_scores: false,
            place: 0,
        };
        let blocks = cursor.term.posting.blocks.iter();
        let bounds = blocks.map(|block| cursor.block_bound(block));
        cursor.most = bounds.max().unwrap_or(0);
        cursor
    }

    /// What it adds at most, by how long it is.
    fn worth(&self) -> f64 {
        f64::from(self.most) / f64::from(self.term.posting.live())
    }

    fn block_bound(&self, block: &Block) -> i32 {
        let step = self.term.share_steps[usize::from(block.epoch)];
        let share = (f32::from(block.share) * step).min(1.0);
        (self.highest_rarity * share) as i32 + 1
    }

    /// Hand out the documents of the best blocks of this list, allowed or not, with their scores.
    fn tell(&mut self, allowed: &Allowed, mut take: impl FnMut(Doc, i32)) {
        for at in self.best_blocks(allowed) {
            self.read(at);
            let entries = self.read.decoded.docs().iter().zip(&self.read.scores);
            entries.for_each(|(&doc, &score)| take(doc, score));
        }
    }

    /// The places of the best blocks that hold an allowed document.
    fn best_blocks(&self, allowed: &Allowed) -> impl Iterator<Item = usize> + use<> {
        let mut best = BinaryHeap::with_capacity(TELLING + 1);
        for (at, block) in self.term.posting.blocks.iter().enumerate() {
            let bound = Reverse((self.block_bound(block), at));
            let is_better = best.len() < TELLING || best.peek().is_some_and(|worst| bound < *worst);
            if is_better && allowed.any_within(block.first, block.last) {
                best.push(bound);
                if best.len() > TELLING {
                    best.pop();
                }
            }
        }
        best.into_iter().map(|Reverse((_, at))| at)
    }

    /// Go on to the first block that ends at `from` or later and can add `least`.
    fn skip_to(&mut self, from: Doc, least: i32) {
        let blocks = &self.term.posting.blocks;
        self.block = blocks.seek(self.block, from);
        while self.block < blocks.len() && self.block_bound(blocks.get(self.block)) < least {
            self.block += 1;
        }
    }

    /// The first document of `from` or later that may be in the present block (the very first that is, where it was
    /// read), and the last of the block.
    fn next(&self, from: Doc) -> Option<(Doc, Doc)> {
        let blocks = &self.term.posting.blocks;
        if self.block == blocks.len() {
            return None;
        }
        let block = blocks.get(self.block);
        if self.block != self.decoded_block {
            return Some((block.first.max(from), block.last));
        }
        let docs = self.read.decoded.docs();
        Some((docs[docs.partition_point(|&doc| doc < from)], block.last))
    }

    /// Go to the window and bound it.
    fn enter(&mut self, window: &Range<Doc>) {
        let blocks = &self.term.posting.blocks;
        self.block = blocks.seek(self.block, window.start);
        let ahead = (self.block..blocks.len()).map(|at| blocks.get(at));
        (self.bound, self.inside) = (0, 0);
        for block in ahead.take_while(|block| block.first < window.end) {
            self.bound = self.bound.max(self.block_bound(block));
            self.inside += 1;
        }
    }

    fn read_docs(&mut self, at: usize) {
        if self.decoded_block != at {
            let blocks = &self.term.posting.blocks;
            blocks.decode_docs(at, &mut self.read.decoded);
            self.decoded_block = at;
            self.has_scores = false;
            self.place = 0;
        }
    }

    fn read(&mut self, at: usize) {
        self.read_docs(at);
        if !self.has_scores {
            let blocks = &self.term.posting.blocks;
            let Read { decoded, scores } = &mut *self.read;
            blocks.decode_counts(at, decoded);
            let block = blocks.get(at);
            let measures = self.term.field.measures(block.first, block.last);
            lanes::scores(&self.term.scoring, decoded, measures, scores);
            self.has_scores = true;
        }
    }

    /// Hand out the documents of the window with their scores, of blocks that hold an allowed one and fall short of the
    /// bound by no more than `spare`.
    fn each(
        &mut self,
        window: &Range<Doc>,
        spare: i32,
        allowed: &Allowed,
        mut take: impl FnMut(&[Doc], &[i32]),
    ) {
        let blocks = self.term.posting.blocks;
        let needed = self.bound - spare;
        for at in self.block..blocks.len() {
            let block = blocks.get(at);
            if block.first >= window.end {
                return;
            }
            let from = block.first.max(window.start);
            let last = block.last.min(window.end - 1);
            if self.block_bound(block) >= needed && allowed.any_within(from, last) {
                self.read(at);
                let inside = self.places(from, last);
                let docs = &self.read.decoded.docs()[inside.clone()];
                take(docs, &self.read.scores[inside]);
            }
        }
    }

    /// Where the documents of the block that was read from `from` to `last` stand in it.
    fn places(&self, from: Doc, last: Doc) -> Range<usize> {
        let docs = self.read.decoded.docs();
        let start = if docs[0] >= from {
            0
        } else {
            docs.partition_point(|&doc| doc < from)
        };
        let end = if docs[docs.len() - 1] <= last {
            docs.len()
        } else {
            docs.partition_point(|&doc| doc <= last)
        };
        start..end
    }

    /// Add the scores of the window to its sums.
    fn add_to(&mut self, sums: &mut Sums, window: &Range<Doc>, spare: i32, allowed: &Allowed) {
        self.each(window, spare, allowed, |docs, scores| {
            sums.add_all(window.start, docs, scores);
        });
    }

    /// The score of a document of the present window, 0 if the list does not hold it or if with `others` it stays
    /// below `threshold`. Documents come in ascending order.
    fn look_up(&mut self, doc: Doc, others: i32, threshold: i32) -> i32 {
        let blocks = self.term.posting.blocks;
        self.block = blocks.seek(self.block, doc);
        if self.block == blocks.len() {
            return 0;
        }
        let block = blocks.get(self.block);
        if block.first > doc || others + self.block_bound(block) < threshold {
            return 0;
        }
        self.read_docs(self.block);
        let docs = self.read.decoded.docs();
        self.place += docs[self.place..].partition_point(|&each| each < doc);
        if docs[self.place] != doc {
            return 0;
        }
        let measure = self.term.field.measures(doc, doc)[0];
        let count = blocks.count_at(self.block, self.place);
        self.term.scoring.score(count, measure)
    }
}

/// The `count` best of `allowed` by the sum of their scores, best first, ties by larger key.
pub fn rank(
    terms: Vec<Scored<'_>>,
    steps: Steps,
    allowed: &Allowed,
    ids: &Ids,
    count: usize,
) -> Vec<(Doc, f32)> {
    if count == 0 {
        return Vec::new();
    }
    NOTES.with_borrow_mut(|notes| {
        let Notes {
            sums,
            reads,
            numbered,
        } = notes;
        sums.clear();
        numbered.clear();
        reads.resize_with(reads.len().max(terms.len()), Read::default);
        let cursors = terms.into_iter().zip(reads);
        let mut cursors: Vec<Cursor<'_>> = cursors
            .map(|(term, read)| Cursor::new(term, read))
            .collect();
        cursors.sort_by(|a, b| a.worth().total_cmp(&b.worth()));
        let mut search = Search {
            all: cursors.iter().map(|cursor| cursor.most).sum(),
            floor: floor(&mut cursors, steps, allowed, count),
            cursors,
            steps,
            allowed,
            top: Top::new(ids, count),
            threshold: 0,
            window: 0..0,
            sums,
            numbered,
        };
        while search.next_window() {
            search.collect();
            search.complete();
            search.offer();
        }
        search.top.into_sorted()
    })
}

/// What the worst of the best has at least. Scores that differ by a few steps may be level when they are handed out.
fn floor(cursors: &mut [Cursor<'_>], steps: Steps, allowed: &Allowed, count: usize) -> i32 {
    let worst = if cursors.len() <= FEW_LISTS {
        told_by_one(cursors, allowed, count)
    } else {
        told_by_many(cursors, allowed, count)
    };
    steps.of(f64::from(steps.score(worst)) / CAUTION)
}

/// As the list says that can add most, of those that are long enough.
fn told_by_one(cursors: &mut [Cursor<'_>], allowed: &Allowed, count: usize) -> i32 {
    let long = cursors.iter_mut();
    let long = long.filter(|cursor| cursor.term.posting.live() as usize >= count);
    let Some(telling) = long.max_by_key(|cursor| cursor.most) else {
        return 0;
    };
    let (mut best, mut least) = (Vec::new(), 0);
    telling.tell(allowed, |doc, score| {
        if score > least && allowed.contains(doc) {
            best.push(score);
            if best.len() >= 2 * count {
                least = worst(&mut best, count);
            }
        }
    });
    worst(&mut best, count)
}

/// The worst of as many that have most in the best blocks of the lists that add most for how long they are.
fn told_by_many(cursors: &mut [Cursor<'_>], allowed: &Allowed, count: usize) -> i32 {
    let mut sums = FxHashMap::with_capacity_and_hasher(TOLD, FxBuildHasher);
    let (mut told, mut lists) = (0, cursors.iter_mut().rev());
    while told < TOLD
        && let Some(cursor) = lists.next()
    {
        cursor.tell(allowed, |doc, score| {
            if allowed.contains(doc) {
                *sums.entry(doc).or_default() += score;
                told += 1;
            }
        });
    }
    worst(&mut sums.into_values().collect(), count)
}

/// The worst of the `count` highest scores, which alone are kept; 0 where there are fewer.
fn worst(scores: &mut Vec<i32>, count: usize) -> i32 {
    if scores.len() < count {
        return 0;
    }
    scores.select_nth_unstable_by(count - 1, |a, b| b.cmp(a));
    scores.truncate(count);
    scores[count - 1]
}

/// Sums by place in a window; in a wide one, which has few candidates, by number.
struct Sums {
    by_place: Box<[i32; WINDOW]>,
    /// Which groups have one.
    touched: u64,
    /// Which may be those of the best.
    candidates: Candidates,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            by_place: Box::new([0; WINDOW]),
            touched: 0,
            candidates: Candidates {
                groups: 0,
                places: [0; GROUPS],
            },
        }
    }
}

impl Sums {
    fn get(&self, at: usize) -> i32 {
        self.by_place[at]
    }

    fn add(&mut self, at: usize, score: i32) {
        self.by_place[at] += score;
        self.touched |= 1 << (at / GROUP);
    }

    /// Add the scores of documents of a window that begins with `first`.
    fn add_all(&mut self, first: Doc, docs: &[Doc], scores: &[i32]) {
        let mut touched = 0;
        for (&doc, &score) in docs.iter().zip(scores) {
            let at = (doc - first) as usize % WINDOW;
            self.by_place[at] += score;
            touched |= 1 << (at / GROUP);
        }
        self.touched |= touched;
    }

    /// Take for candidates the allowed documents whose sum is no less than `least`; the window begins with `first`.
    fn elect(&mut self, first: Doc, least: i32, allowed: &Allowed) {
        for group in bits(self.touched) {
            let from = first.saturating_add(group * GROUP as Doc);
            self.candidates.places[group as usize] = allowed.bits_from(from);
        }
        self.candidates.groups = self.touched;
        self.retain(least);
    }

    /// Take one for a candidate, with its score.
    fn elect_one(&mut self, at: usize, score: i32) {
        self.add(at, score);
        self.candidates.groups |= 1 << (at / GROUP);
        self.candidates.places[at / GROUP] |= 1 << (at % GROUP);
    }

    /// Keep those candidates whose sum is no less than `least`, which is above 0; how many they are.
    fn retain(&mut self, least: i32) -> usize {
        let sums = self.by_place.as_chunks().0;
        lanes::retain(sums, least, &mut self.candidates)
    }

    /// Those of the candidates of a group.
    fn places(&self, group: u32) -> impl Iterator<Item = usize> + use<> {
        bits(self.candidates.places[group as usize])
            .map(move |at| group as usize * GROUP + at as usize)
    }

    fn clear(&mut self) {
        for group in bits(std::mem::take(&mut self.touched)) {
            self.by_place.as_chunks_mut::<GROUP>().0[group as usize] = [0; GROUP];
            self.candidates.places[group as usize] = 0;
        }
        self.candidates.groups = 0;
    }
}

struct Search<'a> {
    /// Those that add little for how long they are first.
    cursors: Vec<Cursor<'a>>,
    steps: Steps,
    /// What they can add together.
    all: i32,
    allowed: &'a Allowed<'a>,
    top: Top<'a>,
    /// What the worst of the best has at least.
    floor: i32,
    /// What a document of the present window must reach.
    threshold: i32,
    window: Range<Doc>,
    sums: &'a mut Sums,
    /// The candidates of a wide window, by number.
    numbered: &'a mut Vec<Doc>,
}

impl Search<'_> {
    /// Go on to the next window in which a document may be among the best; false when there is none.
    fn next_window(&mut self) -> bool {
        self.threshold = self.steps.of(self.top.threshold()).max(self.floor);
        let (threshold, from) = (self.threshold, self.window.end);
        self.set_aside(|cursor| cursor.most);
        let mut next: Option<(Doc, Doc)> = None;
        let mut left = 0;
        for cursor in self.cursors.iter_mut().filter(|cursor| !cursor.is_aside) {
            // Whatever holds the term is among the best with at least so much of it.
            cursor.skip_to(from, threshold - (self.all - cursor.most));
            left += 1;
            next = [next, cursor.next(from)].into_iter().flatten().min();
        }
        let Some((first, last)) = next else {
            return false;
        };
        let end = if left == 1 {
            last.saturating_add(1)
        } else {
            first.saturating_add(WINDOW as Doc)
        };
        self.window = first..end;
        for cursor in &mut self.cursors {
            cursor.enter(&self.window);
        }
        if left > 1 {
            self.set_aside(|cursor| cursor.bound);
        }
        true
    }

    /// Set as many lists aside as together stay below the threshold by `most`.
    fn set_aside(&mut self, most: impl Fn(&Cursor<'_>) -> i32) {
        let mut sum = 0;
        for cursor in &mut self.cursors {
            let more = sum + most(cursor);
            cursor.is_aside = more < self.threshold;
            if cursor.is_aside {
                sum = more;
            }
        }
    }

    /// Find what may be among the best by the lists that are not set aside.
    fn collect(&mut self) {
        let (spare, least) = (self.spare(), least(self.threshold, rest(&self.cursors)));
        let Self {
            cursors,
            window,
            sums,
            numbered,
            allowed,
            ..
        } = self;
        let mut left = cursors.iter_mut().filter(|cursor| !cursor.is_aside);
        match (left.next(), left.next()) {
            (Some(one), None) => {
                let is_narrow = is_narrow(window);
                one.each(window, spare, allowed, |docs, scores| {
                    let reaching = docs.iter().zip(scores).filter(|entry| *entry.1 >= least);
                    for (&doc, &score) in reaching.filter(|entry| allowed.contains(*entry.0)) {
                        let number = numbered.len();
                        numbered.push(doc);
                        let place = (doc - window.start) as usize;
                        sums.elect_one(if is_narrow { place } else { number }, score);
                    }
                });
            }
            (Some(one), Some(two)) => {
                for cursor in [one, two].into_iter().chain(left) {
                    cursor.add_to(sums, window, spare, allowed);
                }
                sums.elect(window.start, least, allowed);
            }
            _ => {}
        }
    }

    /// Add what the lists set aside tell of the candidates, the most telling list first.
    fn complete(&mut self) {
        let (spare, threshold, is_narrow) = (self.spare(), self.threshold, is_narrow(&self.window));
        let mut rest = rest(&self.cursors);
        let aside = self.cursors.iter_mut().filter(|cursor| cursor.is_aside);
        for cursor in aside.rev().filter(|cursor| cursor.inside > 0) {
            let count = self.sums.retain(least(threshold, rest));
            if count == 0 {
                return;
            }
            rest -= cursor.bound;
            if is_narrow && cursor.inside * BLOCK <= count * LOOK_UP {
                cursor.add_to(self.sums, &self.window, spare, self.allowed);
                continue;
            }
            for group in bits(self.sums.candidates.groups) {
                for at in self.sums.places(group) {
                    let doc = doc_at(at, &self.window, self.numbered);
                    let others = self.sums.get(at) + rest;
                    self.sums.add(at, cursor.look_up(doc, others, threshold));
                }
            }
        }
    }

    fn offer(&mut self) {
        self.sums.retain(least(self.threshold, 0));
        for group in bits(self.sums.candidates.groups) {
            for at in self.sums.places(group) {
                let doc = doc_at(at, &self.window, self.numbered);
                self.top.offer(doc, self.steps.score(self.sums.get(at)));
            }
        }
        self.sums.clear();
        self.numbered.clear();
    }

    /// By how much the bounds of all lists are above the threshold: what falls further short of a bound cannot matter.
    fn spare(&self) -> i32 {
        let all: i32 = self.cursors.iter().map(|cursor| cursor.bound).sum();
        all - self.threshold
    }
}

/// What a document that may be among the best has by all lists but those that add `rest` at most.
fn least(threshold: i32, rest: i32) -> i32 {
    (threshold - rest).max(1)
}

/// Whether each document of a window has a place of its own among the sums.
fn is_narrow(window: &Range<Doc>) -> bool {
    window.len() <= WINDOW
}

/// The document whose sum is at a place.
fn doc_at(at: usize, window: &Range<Doc>, numbered: &[Doc]) -> Doc {
    if is_narrow(window) {
        window.start + at as Doc
    } else {
        numbered[at]
    }
}

/// What the lists set aside add at most.
fn rest(cursors: &[Cursor<'_>]) -> i32 {
    let aside = cursors.iter().filter(|cursor| cursor.is_aside);
    aside.map(|cursor| cursor.bound).sum()
}
