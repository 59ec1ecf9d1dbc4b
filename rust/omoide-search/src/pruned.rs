//! Which documents have the highest sums of term scores, without scoring all of them?
//!
//! `MaxScore` (Turtle and Flood 1995) over windows of documents, with the bounds of blocks (Ding and Suel 2011). Windows
//! begin where a list goes on that can matter at all. In each window the terms that together cannot lift a document among the best are set aside; the others are summed up list
//! after list, passing over blocks that cannot do it either; documents that might still make it are then looked up in
//! the lists set aside, the strongest first.
//!
//! Invariant: the answer is that of summing everything up. Scores of terms are single precision, sums double, in which
//! they come out the same in any order; bounds are never too low.

use crate::Allowed;
use crate::bm25::Norms;
use crate::top::{CAUTION, Candidate, Top};
use omoide_index::Doc;
use omoide_index::blocks::{Block, ByKind, Decoded};
use omoide_index::column::View;
use omoide_index::docset::bits;
use omoide_index::ids::Ids;
use omoide_index::postings::{Posting, Postings};

/// Documents a window.
const WINDOW: usize = 1_024;

/// One term, ready to score.
pub struct Scored<'a> {
    pub rarity: ByKind,
    pub posting: Posting<'a>,
    pub lengths: View<'a, u32>,
    pub norms: &'a Norms,
}

impl Scored<'_> {
    fn score(&self, count: u32, doc: Doc, kind: usize) -> f64 {
        let count = count as f32;
        let length = self.lengths.get(doc as usize).unwrap_or(0);
        let norm = self.norms.get(length, kind);
        f64::from(self.rarity[kind] * (count / (count + norm)))
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
    /// The first block that ends in the present window or later.
    block: usize,
    /// No document of the present window scores more.
    bound: f64,
    decoded: Decoded,
    decoded_block: usize,
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
            decoded: Decoded::default(),
            decoded_block: usize::MAX,
            place: 0,
        };
        let blocks = cursor.term.posting.blocks;
        let bounds = (0..blocks.len()).map(|at| cursor.block_bound(blocks.get(at)));
        cursor.most = bounds.fold(0.0, f64::max);
        cursor
    }

    fn block_bound(&self, block: &Block) -> f64 {
        let step = self.term.norms.steps[usize::from(block.epoch)];
        let share = (f32::from(block.share) * step).min(1.0);
        self.highest_rarity * f64::from(share) * CAUTION
    }

    /// The first document of `from` or later that may be in the list; the very first that is, where its block was read.
    fn next(&self, from: Doc) -> Option<Doc> {
        let blocks = self.term.posting.blocks;
        let at = blocks.seek(self.block, from);
        if at == blocks.len() {
            return None;
        }
        if at != self.decoded_block {
            return Some(blocks.get(at).first.max(from));
        }
        let docs = self.decoded.docs();
        docs.get(docs.partition_point(|&doc| doc < from)).copied()
    }

    /// Go to the window [from, to) and bound it.
    fn enter(&mut self, from: Doc, to: Doc) {
        let blocks = self.term.posting.blocks;
        while self.block < blocks.len() && blocks.get(self.block).last < from {
            self.block += 1;
        }
        let ahead = (self.block..blocks.len()).map(|at| blocks.get(at));
        let inside = ahead.take_while(|block| block.first < to);
        self.bound = inside
            .map(|block| self.block_bound(block))
            .fold(0.0, f64::max);
    }

    fn decode(&mut self, at: usize) {
        if self.decoded_block != at {
            self.term.posting.blocks.decode(at, &mut self.decoded);
            self.decoded_block = at;
            self.place = 0;
        }
    }

    /// The score of a document of the present window, 0 if the list does not hold it or if with `others` it stays
    /// below `threshold`. Documents come in ascending order.
    fn look_up(&mut self, doc: Doc, kind: usize, others: f64, threshold: f64) -> f64 {
        let blocks = self.term.posting.blocks;
        let at = blocks.seek(self.block, doc);
        if at == blocks.len() || blocks.get(at).first > doc {
            return 0.0;
        }
        self.block = at;
        if others + self.block_bound(blocks.get(at)) < threshold {
            return 0.0;
        }
        self.decode(at);
        let docs = self.decoded.docs();
        self.place += docs[self.place..].partition_point(|&each| each < doc);
        if docs.get(self.place) == Some(&doc) {
            self.term
                .score(self.decoded.counts()[self.place], doc, kind)
        } else {
            0.0
        }
    }
}

/// Sums of one window and which documents have one.
struct Window {
    from: Doc,
    to: Doc,
    sums: Vec<f64>,
    touched: [u64; WINDOW / 64],
}

impl Window {
    fn add(&mut self, doc: Doc, score: f64) {
        let at = (doc - self.from) as usize;
        self.sums[at] += score;
        self.touched[at / 64] |= 1 << (at % 64);
    }
}

/// The `count` best of `allowed` by the sum of their scores, best first, ties by larger key.
pub fn rank(
    terms: Vec<Scored<'_>>,
    postings: &Postings,
    allowed: &Allowed,
    ids: &Ids,
    count: usize,
) -> Vec<(Doc, f32)> {
    let cursors: Vec<Cursor<'_>> = terms.into_iter().map(Cursor::new).collect();
    let mut mosts: Vec<f64> = cursors.iter().map(|cursor| cursor.most).collect();
    mosts.sort_unstable_by(f64::total_cmp);
    let mut search = Search {
        cursors,
        mosts,
        kinds: postings.kinds(),
        allowed,
        ids,
        top: Top::new(count),
        window: Window {
            from: 0,
            to: 0,
            sums: vec![0.0; WINDOW],
            touched: [0; WINDOW / 64],
        },
    };
    while count > 0 && search.next_window() {
        let aside = search.set_aside();
        if aside < search.cursors.len() {
            search.sum_up(aside);
            search.finish(aside);
        }
    }
    search.top.into_sorted()
}

struct Search<'a> {
    cursors: Vec<Cursor<'a>>,
    /// The most that each list can add, ascending.
    mosts: Vec<f64>,
    kinds: View<'a, u8>,
    allowed: &'a Allowed<'a>,
    ids: &'a Ids,
    top: Top,
    window: Window,
}

impl Search<'_> {
    /// Go on to the next window in which a document may be among the best; false when there is none.
    fn next_window(&mut self) -> bool {
        let (from, least) = (self.window.to, self.least());
        let strong = self.cursors.iter().filter(|cursor| cursor.most >= least);
        let Some(next) = strong.filter_map(|cursor| cursor.next(from)).min() else {
            return false;
        };
        self.window.from = next;
        self.window.to = next.saturating_add(WINDOW as Doc);
        for cursor in &mut self.cursors {
            cursor.enter(self.window.from, self.window.to);
        }
        true
    }

    /// Lists that can add less than this lift no document among the best, even all of them together.
    fn least(&self) -> f64 {
        let threshold = self.top.threshold();
        let mut sum = 0.0;
        let lifting = self.mosts.iter().find(|&&most| {
            sum += most;
            sum * CAUTION >= threshold
        });
        lifting.copied().unwrap_or(f64::INFINITY)
    }

    /// Put the weakest terms first; returns how many of them together stay below the threshold.
    fn set_aside(&mut self) -> usize {
        self.cursors.sort_by(|a, b| a.bound.total_cmp(&b.bound));
        let threshold = self.top.threshold();
        let mut sum = 0.0;
        let below = self.cursors.iter().take_while(|cursor| {
            sum += cursor.bound;
            sum < threshold
        });
        below.count()
    }

    /// Sum up the lists that were not set aside.
    fn sum_up(&mut self, aside: usize) {
        let threshold = self.top.threshold();
        let all: f64 = self.cursors.iter().map(|cursor| cursor.bound).sum();
        let Window { from, to, .. } = self.window;
        for cursor in &mut self.cursors[aside..] {
            let others = all - cursor.bound;
            let blocks = cursor.term.posting.blocks;
            for at in cursor.block..blocks.len() {
                let block = blocks.get(at);
                if block.first >= to {
                    break;
                }
                let hopeless = others * CAUTION + cursor.block_bound(block) < threshold;
                if hopeless
                    || !self
                        .allowed
                        .any_within(block.first.max(from), block.last.min(to - 1))
                {
                    continue;
                }
                cursor.decode(at);
                add_block(cursor, self.kinds, self.allowed, &mut self.window);
            }
        }
    }

    /// Offer the documents that may be among the best, with what the lists set aside add to them.
    fn finish(&mut self, aside: usize) {
        let (weak, _) = self.cursors.split_at_mut(aside);
        let rest: f64 = weak.iter().map(|cursor| cursor.bound).sum();
        let mut threshold = self.top.threshold();
        for word in 0..self.window.touched.len() {
            for bit in bits(std::mem::take(&mut self.window.touched[word])) {
                let at = word * 64 + bit as usize;
                let sum = std::mem::take(&mut self.window.sums[at]);
                if (sum + rest) * CAUTION < threshold {
                    continue;
                }
                let doc = self.window.from + at as Doc;
                if let Some(sum) = completed(weak, sum, rest, doc, self.kinds, threshold) {
                    self.top.offer(Candidate {
                        score: sum as f32,
                        key: self.ids.key(doc),
                        doc,
                    });
                    threshold = self.top.threshold();
                }
            }
        }
    }
}

fn add_block(cursor: &Cursor<'_>, kinds: View<'_, u8>, allowed: &Allowed, window: &mut Window) {
    let docs = cursor.decoded.docs();
    let inside = docs.partition_point(|&doc| doc < window.from)
        ..docs.partition_point(|&doc| doc < window.to);
    let counts = &cursor.decoded.counts()[inside.clone()];
    for (&doc, &count) in docs[inside].iter().zip(counts) {
        if allowed.contains(doc) {
            window.add(doc, cursor.term.score(count, doc, kind_of(kinds, doc)));
        }
    }
}

fn kind_of(kinds: View<'_, u8>, doc: Doc) -> usize {
    kinds.get(doc as usize).map_or(0, usize::from)
}

/// The whole sum of a document, or `None` if it stays below the threshold; `rest` is what the weak can add at most.
fn completed(
    weak: &mut [Cursor<'_>],
    mut sum: f64,
    mut rest: f64,
    doc: Doc,
    kinds: View<'_, u8>,
    threshold: f64,
) -> Option<f64> {
    let kind = kind_of(kinds, doc);
    for cursor in weak.iter_mut().rev() {
        if (sum + rest) * CAUTION < threshold {
            return None;
        }
        rest = (rest - cursor.bound).max(0.0);
        sum += cursor.look_up(doc, kind, (sum + rest) * CAUTION, threshold);
    }
    (sum >= threshold).then_some(sum)
}
