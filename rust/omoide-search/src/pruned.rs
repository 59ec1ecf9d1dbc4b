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
use omoide_index::blocks::{BLOCK, Counts, Decoded};
use omoide_index::docset::bits;
use omoide_index::ids::{Ids, NO_DOC};
use omoide_index::postings::{Field, Measure, Posting};
use std::cell::RefCell;
use std::ops::Range;

/// Documents a window of several lists.
const WINDOW: usize = GROUP * GROUPS;
/// Scores that are added between two looks whether there are more.
const TOGETHER: usize = 8;
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

    fn outlines(&self) -> impl Iterator<Item = Outline> {
        let rarity = self.highest_rarity();
        self.posting.blocks.iter().map(move |block| {
            let step = self.share_steps[usize::from(block.epoch)];
            let share = (f32::from(block.share) * step).min(1.0);
            Outline {
                first: block.first,
                last: block.last,
                bound: (rarity * share) as i32 + 1,
            }
        })
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
    /// Those of one list after those of another.
    outlines: Vec<Outline>,
    told: Told,
    found: Vec<(Doc, i32)>,
}

/// What is told of a block without reading it: where it begins and ends, and that no document of it scores more than its bound.
#[derive(Clone, Copy)]
struct Outline {
    first: Doc,
    last: Doc,
    bound: i32,
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
    term: &'a Scored<'a>,
    blocks: &'a [Outline],
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
}

impl<'a> Cursor<'a> {
    fn new(term: &'a Scored<'a>, blocks: &'a [Outline], read: &'a mut Read) -> Self {
        Self {
            term,
            blocks,
            most: blocks.iter().map(|block| block.bound).max().unwrap_or(0),
            block: 0,
            bound: 0,
            inside: 0,
            is_aside: false,
            read,
            decoded_block: usize::MAX,
            has_scores: false,
        }
    }

    /// What it adds at most, by how long it is.
    fn worth(&self) -> f64 {
        f64::from(self.most) / f64::from(self.term.posting.live())
    }

    /// Hand out the documents of the best blocks of this list, allowed or not, with their scores.
    fn tell(&mut self, allowed: &Allowed, mut take: impl FnMut(Doc, i32)) {
        let best = self.best_blocks(allowed);
        best.clone()
            .for_each(|at| self.term.posting.blocks.bring_data_near(at));
        for at in best {
            self.read(at);
            let entries = self.read.decoded.docs().iter().zip(&self.read.scores);
            entries.for_each(|(&doc, &score)| take(doc, score));
        }
    }

    /// The places of the best blocks that hold an allowed document.
    fn best_blocks(&self, allowed: &Allowed) -> impl Iterator<Item = usize> + Clone + use<> {
        let mut best = [(0, 0); TELLING];
        for (at, block) in self.blocks.iter().enumerate() {
            let is_better = block.bound > best[TELLING - 1].0;
            if is_better && allowed.any_within(block.first, block.last) {
                let place = best.partition_point(|better| better.0 >= block.bound);
                best[place..].rotate_right(1);
                best[place] = (block.bound, at);
            }
        }
        let found = best.into_iter().filter(|best| best.0 > 0);
        found.map(|best| best.1)
    }

    /// The first block from the present one on that ends at `doc` or later; quickly where it is near.
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

    /// Go on to the first block that ends at `from` or later and can add `least`.
    fn skip_to(&mut self, from: Doc, least: i32) {
        self.block = self.seek(from);
        let ahead = self.blocks[self.block..].iter();
        self.block += ahead.take_while(|block| block.bound < least).count();
    }

    /// The first document of `from` or later that may be in the present block (the very first that is, where it was
    /// read), and the last of the block.
    fn next(&self, from: Doc) -> Option<(Doc, Doc)> {
        let block = self.blocks.get(self.block)?;
        if self.block != self.decoded_block {
            return Some((block.first.max(from), block.last));
        }
        let decoded = &self.read.decoded;
        Some((decoded.docs()[decoded.before(from)], block.last))
    }

    /// Go to the window and bound it.
    fn enter(&mut self, window: &Range<Doc>) {
        self.block = self.seek(window.start);
        (self.bound, self.inside) = (0, 0);
        let ahead = self.blocks[self.block..].iter();
        for block in ahead.take_while(|block| block.first < window.end) {
            self.bound = self.bound.max(block.bound);
            self.inside += 1;
        }
        if self.inside > 0 && self.block != self.decoded_block {
            self.term.posting.blocks.bring_data_near(self.block);
        }
    }

    fn read_docs(&mut self, at: usize) {
        if self.decoded_block != at {
            let blocks = &self.term.posting.blocks;
            blocks.decode_docs(at, &mut self.read.decoded);
            self.decoded_block = at;
            self.has_scores = false;
        }
    }

    fn read(&mut self, at: usize) {
        self.read_docs(at);
        if !self.has_scores {
            let blocks = &self.term.posting.blocks;
            let Read { decoded, scores } = &mut *self.read;
            blocks.decode_counts(at, decoded);
            let block = self.blocks[at];
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
        let needed = self.bound - spare;
        for at in self.block..self.blocks.len() {
            let block = self.blocks[at];
            if block.first >= window.end {
                return;
            }
            let from = block.first.max(window.start);
            let last = block.last.min(window.end - 1);
            if block.bound >= needed && allowed.any_within(from, last) {
                self.read(at);
                let inside = self.places(from, last);
                let docs = &self.read.decoded.docs()[inside.clone()];
                take(docs, &self.read.scores[inside]);
            }
        }
    }

    /// Where the documents of the block that was read from `from` to `last` stand in it.
    fn places(&self, from: Doc, last: Doc) -> Range<usize> {
        let decoded = &self.read.decoded;
        let docs = decoded.docs();
        let start = if docs[0] >= from {
            0
        } else {
            decoded.before(from)
        };
        let end = if docs[docs.len() - 1] <= last {
            docs.len()
        } else {
            decoded.before(last + 1)
        };
        start..end
    }

    /// Add the scores of the window to its sums.
    fn add_to(&mut self, sums: &mut Sums, window: &Range<Doc>, spare: i32, allowed: &Allowed) {
        self.each(window, spare, allowed, |docs, scores| {
            sums.add_all(window.start, docs, scores);
        });
    }

    /// Add to the sums of some documents of the present window, ascending, what they score here, and keep those that with
    /// `rest` of other lists can reach the threshold. A block in which none can is not read.
    fn complete(&mut self, found: &mut Vec<(Doc, i32)>, rest: i32, threshold: i32) {
        let mut kept = 0;
        let mut block = None;
        for at in 0..found.len() {
            let (doc, mut sum) = found[at];
            if block.is_none_or(|block: OpenBlock<'_>| block.last < doc) {
                self.block = self.seek(doc);
                block = self.open();
            }
            if let Some(block) = block
                && block.first <= doc
                && sum + rest + block.bound >= threshold
            {
                self.read_docs(self.block);
                sum += self.score(&block, doc);
            }
            found[kept] = (doc, sum);
            kept += usize::from(sum + rest >= threshold);
        }
        found.truncate(kept);
    }

    /// The present block, to look documents up in.
    fn open(&self) -> Option<OpenBlock<'a>> {
        let block = self.blocks.get(self.block)?;
        let measures = self.term.field.measures(block.first, block.last);
        Some(OpenBlock {
            first: block.first,
            last: block.last,
            bound: block.bound,
            counts: self.term.posting.blocks.counts(self.block),
            measures,
        })
    }

    /// The score of a document in a block whose documents were read, 0 if it is not there.
    #[inline]
    fn score(&self, block: &OpenBlock<'_>, doc: Doc) -> i32 {
        let decoded = &self.read.decoded;
        let place = decoded.before(doc);
        let measure = block.measures[(doc - block.first) as usize];
        // Without a branch: which documents it holds nobody could foresee.
        let is_there = decoded.docs()[place] == doc;
        self.term.scoring.score(block.counts.at(place), measure) * i32::from(is_there)
    }
}

/// A block in which documents are looked up.
#[derive(Clone, Copy)]
struct OpenBlock<'a> {
    first: Doc,
    last: Doc,
    bound: i32,
    counts: Counts<'a>,
    /// Of all documents from its first to its last.
    measures: &'a [Measure],
}

/// The `count` best of `allowed` by the sum of their scores, best first, ties by larger key.
pub fn rank(
    terms: &[Scored<'_>],
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
            outlines,
            told,
            found,
        } = notes;
        sums.clear();
        found.clear();
        reads.resize_with(reads.len().max(terms.len()), Read::default);
        outlines.clear();
        let lists = || terms.iter().map(|term| term.posting.blocks);
        lists().for_each(|blocks| blocks.bring_near());
        terms
            .iter()
            .for_each(|term| outlines.extend(term.outlines()));
        let mut ahead = outlines.as_slice();
        let cursors = terms.iter().zip(reads).map(|(term, read)| {
            let (blocks, others) = ahead.split_at(term.posting.blocks.len());
            ahead = others;
            Cursor::new(term, blocks, read)
        });
        let mut cursors: Vec<Cursor<'_>> = cursors.collect();
        cursors.sort_by(|a, b| a.worth().total_cmp(&b.worth()));
        let mut search = Search {
            all: cursors.iter().map(|cursor| cursor.most).sum(),
            floor: floor(&mut cursors, steps, allowed, count, told),
            cursors,
            steps,
            allowed,
            top: Top::new(ids, count),
            threshold: 0,
            window: 0..0,
            sums,
            found,
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
fn floor(
    cursors: &mut [Cursor<'_>],
    steps: Steps,
    allowed: &Allowed,
    count: usize,
    told: &mut Told,
) -> i32 {
    let worst = if cursors.len() <= FEW_LISTS {
        told_by_one(cursors, allowed, count)
    } else {
        told_by_many(cursors, allowed, count, told)
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
fn told_by_many(
    cursors: &mut [Cursor<'_>],
    allowed: &Allowed,
    count: usize,
    told: &mut Told,
) -> i32 {
    told.clear();
    let (mut entries, mut lists) = (0, cursors.iter_mut().rev());
    while entries < TOLD
        && let Some(cursor) = lists.next()
    {
        cursor.tell(allowed, |doc, score| {
            if allowed.contains(doc) {
                told.add(doc, score);
                entries += 1;
            }
        });
    }
    worst(&mut told.sums().collect(), count)
}

/// Sums of a few documents: a table with places for all that the best blocks tell of.
struct Told {
    places: Box<[(Doc, i32); Self::PLACES]>,
    taken: Vec<u16>,
}

impl Told {
    const BITS: u32 = 12;
    const PLACES: usize = 1 << Self::BITS;

    fn clear(&mut self) {
        for at in self.taken.drain(..) {
            self.places[usize::from(at)] = FREE;
        }
    }

    fn add(&mut self, doc: Doc, score: i32) {
        let mut at = (doc.wrapping_mul(MIX) >> (u32::BITS - Self::BITS)) as usize;
        while self.places[at].0 != doc {
            if self.places[at].0 == NO_DOC {
                self.places[at].0 = doc;
                self.taken.push(at as u16);
                break;
            }
            at = (at + 1) % Self::PLACES;
        }
        self.places[at].1 += score;
    }

    fn sums(&self) -> impl Iterator<Item = i32> {
        let taken = self.taken.iter();
        taken.map(|&at| self.places[usize::from(at)].1)
    }
}

impl Default for Told {
    fn default() -> Self {
        let places = vec![FREE; Self::PLACES].try_into();
        Self {
            places: places.expect("so many were made"),
            taken: Vec::new(),
        }
    }
}

/// A place without a document.
const FREE: (Doc, i32) = (NO_DOC, 0);
/// An odd number without a pattern.
const MIX: u32 = 0x9e37_79b1;
const _: () = assert!(TOLD + TELLING * BLOCK < Told::PLACES);

/// The worst of the `count` highest scores, which alone are kept; 0 where there are fewer.
fn worst(scores: &mut Vec<i32>, count: usize) -> i32 {
    if scores.len() < count {
        return 0;
    }
    scores.select_nth_unstable_by(count - 1, |a, b| b.cmp(a));
    scores.truncate(count);
    scores[count - 1]
}

/// Sums by place in a window.
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
    /// Add the scores of documents of a window that begins with `first`.
    fn add_all(&mut self, first: Doc, docs: &[Doc], scores: &[i32]) {
        let place = |doc: Doc| (doc - first) as usize % WINDOW;
        // Some at a time: to go on from one to the next takes nearly as long as to add it.
        let ((docs_together, docs_left), (scores_together, scores_left)) =
            (docs.as_chunks::<TOGETHER>(), scores.as_chunks::<TOGETHER>());
        for (docs, scores) in docs_together.iter().zip(scores_together) {
            for (&doc, &score) in docs.iter().zip(scores) {
                self.by_place[place(doc)] += score;
            }
        }
        for (&doc, &score) in docs_left.iter().zip(scores_left) {
            self.by_place[place(doc)] += score;
        }
        if let [begin, .., end] = docs
            && ((end - begin) as usize) < docs.len() * GROUP
        {
            // Few groups between have none.
            let (begin, end) = (place(*begin) / GROUP, place(*end) / GROUP);
            self.touched |= (u64::MAX >> (GROUPS - 1 - (end - begin))) << begin;
        } else {
            let groups = docs.iter().map(|&doc| 1 << (place(doc) / GROUP));
            self.touched |= groups.fold(0, |all, group: u64| all | group);
        }
    }

    /// Take for candidates the allowed documents whose sum is no less than `least`; the window begins with `first`. How many
    /// they are.
    fn elect(&mut self, first: Doc, least: i32, allowed: &Allowed) -> usize {
        for group in bits(self.touched) {
            let from = first.saturating_add(group * GROUP as Doc);
            self.candidates.places[group as usize] = allowed.bits_from(from);
        }
        self.candidates.groups = self.touched;
        self.retain(least)
    }

    /// Keep those candidates whose sum is no less than `least`, which is above 0; how many they are.
    fn retain(&mut self, least: i32) -> usize {
        let sums = self.by_place.as_chunks().0;
        lanes::retain(sums, least, &mut self.candidates)
    }

    /// The candidates of a window that begins with `first`, ascending, with their sums.
    fn candidates(&self, first: Doc) -> impl Iterator<Item = (Doc, i32)> {
        bits(self.candidates.groups).flat_map(move |group| {
            let places = bits(self.candidates.places[group as usize]);
            places.map(move |at| {
                let place = group as usize * GROUP + at as usize;
                (first + place as Doc, self.by_place[place])
            })
        })
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
    /// What may be among the best of the present window, ascending, with the sum of what the lists told by now.
    found: &'a mut Vec<(Doc, i32)>,
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
            found,
            allowed,
            ..
        } = self;
        let mut left = cursors.iter_mut().filter(|cursor| !cursor.is_aside);
        match (left.next(), left.next()) {
            (Some(one), None) => one.each(window, spare, allowed, |docs, scores| {
                let entries = docs.iter().copied().zip(scores.iter().copied());
                let reaching = entries.filter(|entry| entry.1 >= least);
                found.extend(reaching.filter(|entry| allowed.contains(entry.0)));
            }),
            (Some(one), Some(two)) => {
                for cursor in [one, two].into_iter().chain(left) {
                    cursor.add_to(sums, window, spare, allowed);
                }
                let count = sums.elect(window.start, least, allowed);
                self.add_more(spare, count);
            }
            _ => {}
        }
    }

    /// Add those of the lists set aside, the most telling first, that are sooner added than so many candidates are looked up in
    /// them.
    fn add_more(&mut self, spare: i32, mut count: usize) {
        let Self {
            cursors,
            window,
            sums,
            found,
            allowed,
            threshold,
            ..
        } = self;
        let mut rest = rest(cursors);
        let aside = cursors.iter_mut().rev().filter(|cursor| cursor.is_aside);
        for cursor in aside.filter(|cursor| cursor.inside > 0) {
            if cursor.inside * BLOCK > count * LOOK_UP {
                break;
            }
            cursor.add_to(sums, window, spare, allowed);
            cursor.is_aside = false;
            rest -= cursor.bound;
            count = sums.retain(least(*threshold, rest));
        }
        found.extend(sums.candidates(window.start));
        sums.clear();
    }

    /// Add what the lists set aside tell of what was found, the most telling list first.
    fn complete(&mut self) {
        let Self {
            cursors,
            found,
            threshold,
            ..
        } = self;
        let mut rest = rest(cursors);
        let aside = cursors.iter_mut().rev().filter(|cursor| cursor.is_aside);
        for cursor in aside.filter(|cursor| cursor.inside > 0) {
            if found.is_empty() {
                return;
            }
            rest -= cursor.bound;
            cursor.complete(found, rest, *threshold);
        }
    }

    fn offer(&mut self) {
        self.top.bring_near(self.found.iter().map(|found| found.0));
        for (doc, sum) in self.found.drain(..) {
            if sum >= self.threshold {
                self.top.offer(doc, self.steps.score(sum));
            }
        }
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

/// What the lists set aside add at most.
fn rest(cursors: &[Cursor<'_>]) -> i32 {
    let aside = cursors.iter().filter(|cursor| cursor.is_aside);
    aside.map(|cursor| cursor.bound).sum()
}
