//! Which documents have the highest sums of term scores, without scoring all of them?
//!
//! `MaxScore` (Turtle and Flood 1995) over windows of documents, with the bounds of blocks (Ding and Suel 2011). Lists that
//! together cannot lift a document among the best are set aside, first those that are long for what they add. A window
//! begins where one of the others goes on with a block that can matter; where one alone is left, its blocks are the
//! windows. Documents that may be among the best by what the lists of a window tell are looked up in those set aside.
//!
//! Invariant: the answer is that of summing everything up. Scores of terms are single precision, sums double, in which
//! they come out the same in any order; bounds are never too low.

use crate::Allowed;
use crate::bm25::Norms;
use crate::top::{CAUTION, Candidate, Top};
use omoide_index::Doc;
use omoide_index::blocks::{Block, ByKind, Decoded};
use omoide_index::docset::bits;
use omoide_index::ids::Ids;
use omoide_index::postings::{Field, Measure, Posting};
use std::ops::Range;

/// Documents a window of several lists.
const WINDOW: usize = 4_096;

/// One term, ready to score.
pub struct Scored<'a> {
    pub rarity: ByKind,
    pub posting: Posting<'a>,
    pub field: &'a Field,
    pub norms: &'a Norms,
}

impl Scored<'_> {
    fn score(&self, count: u32, measure: Measure) -> f64 {
        let count = count as f32;
        let share = count / (count + self.norms.get(measure));
        f64::from(self.rarity[measure.kind()] * share)
    }

    /// The documents of a block from `first` to `last`, with their scores.
    fn scores(&self, block: &Decoded, first: Doc, last: Doc) -> impl Iterator<Item = (Doc, f64)> {
        let docs = block.docs();
        let inside =
            docs.partition_point(|&doc| doc < first)..docs.partition_point(|&doc| doc <= last);
        let measures = self.field.measures(first, last);
        let entries = docs[inside.clone()].iter().zip(&block.counts()[inside]);
        entries.map(move |(&doc, &count)| {
            let measure = measures[(doc - first) as usize];
            (doc, self.score(count, measure))
        })
    }

    /// The rarity of the kind in which the term is rarest, among those that have it.
    fn highest_rarity(&self) -> f64 {
        let kinds = self.rarity.iter().zip(self.posting.live_by_kind);
        let held = kinds.filter(|kind| kind.1 > 0).map(|kind| *kind.0);
        f64::from(held.fold(0.0, f32::max))
    }
}

/// The list of one term, read forwards.
struct Cursor<'a> {
    term: Scored<'a>,
    highest_rarity: f64,
    /// No document scores more.
    most: f64,
    /// The first block that ends in the present window or later; look-ups go on from it.
    block: usize,
    /// No document of the present window scores more.
    bound: f64,
    /// Whether it is set aside.
    is_aside: bool,
    decoded: Box<Decoded>,
    decoded_block: usize,
    /// Whether the counts of that block are read, too.
    has_counts: bool,
    /// Where a look-up goes on in `decoded`.
    place: usize,
}

impl<'a> Cursor<'a> {
    fn new(term: Scored<'a>) -> Self {
        let mut cursor = Self {
            highest_rarity: term.highest_rarity(),
            term,
            most: 0.0,
            block: 0,
            bound: 0.0,
            is_aside: false,
            decoded: Box::default(),
            decoded_block: usize::MAX,
            has_counts: false,
            place: 0,
        };
        let blocks = cursor.term.posting.blocks.iter();
        let bounds = blocks.map(|block| cursor.block_bound(block));
        cursor.most = bounds.fold(0.0, f64::max);
        cursor
    }

    /// What it adds at most, by how long it is.
    fn worth(&self) -> f64 {
        self.most / f64::from(self.term.posting.live())
    }

    fn block_bound(&self, block: &Block) -> f64 {
        let step = self.term.norms.steps[usize::from(block.epoch)];
        let share = (f32::from(block.share) * step).min(1.0);
        self.highest_rarity * f64::from(share) * CAUTION
    }

    /// Go on to the first block that ends at `from` or later and can add `least`.
    fn skip_to(&mut self, from: Doc, least: f64) {
        let blocks = self.term.posting.blocks;
        self.block = blocks.seek(self.block, from);
        while self.block < blocks.len() && self.block_bound(blocks.get(self.block)) < least {
            self.block += 1;
        }
    }

    /// The first document of `from` or later that may be in the present block (the very first that is, where it was
    /// read), and the last of the block.
    fn next(&self, from: Doc) -> Option<(Doc, Doc)> {
        let blocks = self.term.posting.blocks;
        if self.block == blocks.len() {
            return None;
        }
        let block = blocks.get(self.block);
        if self.block != self.decoded_block {
            return Some((block.first.max(from), block.last));
        }
        let docs = self.decoded.docs();
        Some((docs[docs.partition_point(|&doc| doc < from)], block.last))
    }

    /// Go to the window and bound it.
    fn enter(&mut self, window: &Range<Doc>) {
        let blocks = self.term.posting.blocks;
        self.block = blocks.seek(self.block, window.start);
        let ahead = (self.block..blocks.len()).map(|at| blocks.get(at));
        let inside = ahead.take_while(|block| block.first < window.end);
        self.bound = inside
            .map(|block| self.block_bound(block))
            .fold(0.0, f64::max);
    }

    fn read_docs(&mut self, at: usize) {
        if self.decoded_block != at {
            let blocks = self.term.posting.blocks;
            blocks.decode_docs(at, &mut self.decoded);
            self.decoded_block = at;
            self.has_counts = false;
            self.place = 0;
        }
    }

    fn read(&mut self, at: usize) {
        self.read_docs(at);
        if !self.has_counts {
            let blocks = self.term.posting.blocks;
            blocks.decode_counts(at, &mut self.decoded);
            self.has_counts = true;
        }
    }

    /// Hand out the allowed documents of the window with their scores, of blocks that can add `needed` alone.
    fn each(
        &mut self,
        window: &Range<Doc>,
        needed: f64,
        allowed: &Allowed,
        mut take: impl FnMut(Doc, f64),
    ) {
        let blocks = self.term.posting.blocks;
        for at in self.block..blocks.len() {
            let block = blocks.get(at);
            if block.first >= window.end {
                return;
            }
            let from = block.first.max(window.start);
            let last = block.last.min(window.end - 1);
            if self.block_bound(block) >= needed && allowed.any_within(from, last) {
                self.read(at);
                let scores = self.term.scores(&self.decoded, from, last);
                let passing = scores.filter(|score| allowed.contains(score.0));
                passing.for_each(|(doc, score)| take(doc, score));
            }
        }
    }

    /// The score of a document of the present window, 0 if the list does not hold it or if with `others` it stays
    /// below `threshold`. Documents come in ascending order.
    fn look_up(&mut self, doc: Doc, others: f64, threshold: f64) -> f64 {
        let blocks = self.term.posting.blocks;
        self.block = blocks.seek(self.block, doc);
        if self.block == blocks.len() {
            return 0.0;
        }
        let block = blocks.get(self.block);
        if block.first > doc || others + self.block_bound(block) < threshold {
            return 0.0;
        }
        self.read_docs(self.block);
        let docs = self.decoded.docs();
        self.place += docs[self.place..].partition_point(|&each| each < doc);
        if docs[self.place] != doc {
            return 0.0;
        }
        let measure = self.term.field.measures(doc, doc)[0];
        let count = blocks.count_at(self.block, self.place);
        self.term.score(count, measure)
    }
}

/// The `count` best of `allowed` by the sum of their scores, best first, ties by larger key.
pub fn rank(terms: Vec<Scored<'_>>, allowed: &Allowed, ids: &Ids, count: usize) -> Vec<(Doc, f32)> {
    let mut cursors: Vec<Cursor<'_>> = terms.into_iter().map(Cursor::new).collect();
    cursors.sort_by(|a, b| a.worth().total_cmp(&b.worth()));
    let mut search = Search {
        all: cursors.iter().map(|cursor| cursor.most).sum(),
        cursors,
        allowed,
        ids,
        top: Top::new(count),
        window: 0..0,
        sums: Sums::default(),
        candidates: Vec::new(),
    };
    while count > 0 && search.next_window() {
        search.collect();
        search.complete();
        search.offer();
    }
    search.top.into_sorted()
}

/// Sums by place in a window.
struct Sums {
    sums: Vec<f64>,
    /// Which places have one.
    touched: [u64; WINDOW / 64],
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            sums: vec![0.0; WINDOW],
            touched: [0; WINDOW / 64],
        }
    }
}

impl Sums {
    fn add(&mut self, at: usize, score: f64) {
        self.sums[at] += score;
        self.touched[at / 64] |= 1 << (at % 64);
    }

    /// Hand out all of them and begin anew.
    fn drain(&mut self, mut take: impl FnMut(usize, f64)) {
        for (word, touched) in self.touched.iter_mut().enumerate() {
            for bit in bits(std::mem::take(touched)) {
                let at = word * 64 + bit as usize;
                take(at, std::mem::take(&mut self.sums[at]));
            }
        }
    }
}

struct Search<'a> {
    /// Those that add little for how long they are first.
    cursors: Vec<Cursor<'a>>,
    /// What they can add together.
    all: f64,
    allowed: &'a Allowed<'a>,
    ids: &'a Ids,
    top: Top,
    window: Range<Doc>,
    sums: Sums,
    /// What may be among the best, with the sum so far.
    candidates: Vec<(Doc, f64)>,
}

impl Search<'_> {
    /// Go on to the next window in which a document may be among the best; false when there is none.
    fn next_window(&mut self) -> bool {
        let (threshold, from) = (self.top.threshold(), self.window.end);
        self.set_aside(|cursor| cursor.most);
        let mut next: Option<(Doc, Doc)> = None;
        let mut left = 0;
        for cursor in self.cursors.iter_mut().filter(|cursor| !cursor.is_aside) {
            // Whatever holds the term is among the best with at least so much of it.
            cursor.skip_to(from, threshold - (self.all - cursor.most) * CAUTION);
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
    fn set_aside(&mut self, most: impl Fn(&Cursor<'_>) -> f64) {
        let threshold = self.top.threshold();
        let mut sum = 0.0;
        for cursor in &mut self.cursors {
            let more = sum + most(cursor);
            cursor.is_aside = more < threshold;
            if cursor.is_aside {
                sum = more;
            }
        }
    }

    /// Find what may be among the best by the lists that are not set aside.
    fn collect(&mut self) {
        let Self {
            cursors,
            window,
            sums,
            candidates,
            allowed,
            ..
        } = self;
        let threshold = self.top.threshold();
        let all: f64 = cursors.iter().map(|cursor| cursor.bound).sum();
        let rest = rest(cursors);
        let least = |cursor: &Cursor<'_>| threshold - (all - cursor.bound) * CAUTION;
        let mut take = |doc, sum| {
            if (sum + rest) * CAUTION >= threshold {
                candidates.push((doc, sum));
            }
        };
        let mut left = cursors.iter_mut().filter(|cursor| !cursor.is_aside);
        match (left.next(), left.next()) {
            (Some(one), None) => one.each(window, least(one), allowed, take),
            (Some(one), Some(two)) => {
                for cursor in [one, two].into_iter().chain(left) {
                    cursor.each(window, least(cursor), allowed, |doc, score| {
                        sums.add((doc - window.start) as usize, score);
                    });
                }
                sums.drain(|at, sum| take(window.start + at as Doc, sum));
            }
            _ => {}
        }
    }

    /// Add what the lists set aside tell of the candidates, the most telling list first.
    fn complete(&mut self) {
        let threshold = self.top.threshold();
        let mut rest = rest(&self.cursors);
        let aside = self.cursors.iter_mut().filter(|cursor| cursor.is_aside);
        for cursor in aside.rev() {
            let may = |sum: f64| (sum + rest) * CAUTION >= threshold;
            self.candidates.retain(|candidate| may(candidate.1));
            rest = (rest - cursor.bound).max(0.0);
            for (doc, sum) in &mut self.candidates {
                *sum += cursor.look_up(*doc, (*sum + rest) * CAUTION, threshold);
            }
        }
    }

    fn offer(&mut self) {
        for (doc, sum) in self.candidates.drain(..) {
            if sum >= self.top.threshold() {
                self.top.offer(Candidate {
                    score: sum as f32,
                    key: self.ids.key(doc),
                    doc,
                });
            }
        }
    }
}

/// What the lists set aside add at most.
fn rest(cursors: &[Cursor<'_>]) -> f64 {
    let aside = cursors.iter().filter(|cursor| cursor.is_aside);
    aside.map(|cursor| cursor.bound).sum()
}
