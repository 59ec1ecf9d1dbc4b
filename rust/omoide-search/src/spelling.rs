//! Which documents are spelled most like a query?
//!
//! By the cosine of sparse vectors: those of documents (omoide-index's spellings.rs), and the query's, in which each sequence
//! of letters is weighted by its rarity and that of the words it is in.
//!
//! Lists are added up side by side, one window of documents at a time. The lists with the lowest weights are non-essential as
//! long as a document that contains no other sequence cannot be among the best: by the Cauchy-Schwarz inequality they add no more to a
//! cosine than the length of their part of the query. They are looked up only for documents that are near without them.
//!
//! Invariant: the answer is that of computing every cosine. Terms are in single precision, sums in double, in which they are
//! the same in any order.

use crate::Allowed;
use crate::bm25::idf;
use crate::query::{Piece, Spelling};
use crate::term_matcher::TermMatcher;
use crate::top::{ROUNDING_MARGIN, TopK};
use omoide_index::blocks::{Block, DecodedBlock};
use omoide_index::column::View;
use omoide_index::ids::Ids;
use omoide_index::postings::{Field, PostingList};
use omoide_index::spellings::log_frequency;
use omoide_index::{Doc, GRAMS, Index};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::LazyLock;

/// Documents in a window: few enough for their sums to stay in the cache.
const WINDOW: usize = 2_048;
/// Sums that are checked together.
const GROUP: usize = 8;
/// Logarithmic frequencies of counts below this are tabulated.
const TABULATED: usize = 64;
static LOG_FREQUENCIES: LazyLock<[f32; TABULATED]> =
    LazyLock::new(|| std::array::from_fn(|count| log_frequency(count as u32)));
/// How much of the threshold the non-essential lists may reach: the more, the fewer lists are read whole, and the more is looked up.
const NONESSENTIAL_SHARE: f64 = 0.5;

/// A sequence of the query that some document has.
struct WeightedList<'a> {
    field: &'a Field,
    postings: PostingList<'a>,
    weight: f32,
}

/// A query ready to be compared: a vector of length 1.
pub struct SpellingVector<'a> {
    lists: Vec<WeightedList<'a>>,
    matcher: TermMatcher<'a>,
    inverse_lengths: View<'a, f32>,
    log_frequencies: &'a [f32; TABULATED],
}

impl<'a> SpellingVector<'a> {
    /// Look the sequences up. `None` if no document has any.
    pub fn of(spelling: &Spelling, index: &'a Index, char_weights: &[f32]) -> Option<Self> {
        let weights_by_byte = weights_by_byte(spelling, char_weights);
        let fields = [&index.postings.fields[GRAMS], &index.spellings.sequences];
        let documents = index.ids.documents() as u32;
        let capacity = spelling.grams.len() + spelling.sequences.len();
        let (mut lists, mut squares) = (Vec::with_capacity(capacity), 0.0);
        for (field, pieces) in fields
            .into_iter()
            .zip([&spelling.grams, &spelling.sequences])
        {
            let weighted_pieces = weighted_pieces(pieces, &weights_by_byte);
            let postings = field.posting_lists(weighted_pieces.iter().map(|each| each.0));
            for (&(_, weight), postings) in weighted_pieces.iter().zip(postings) {
                let piece_idf = piece_idf(spelling, documents, postings.as_ref());
                let weight = weight * piece_idf;
                squares += weight * weight;
                lists.extend(postings.map(|postings| WeightedList {
                    field,
                    postings,
                    weight,
                }));
            }
        }
        let length = squares.sqrt();
        lists.retain(|list: &WeightedList<'_>| list.weight > 0.0);
        lists.iter_mut().for_each(|list| list.weight /= length);
        // The lowest weights first, of equal ones the longest list.
        lists.sort_by(|a, b| {
            let by_length = || b.postings.doc_freq().cmp(&a.postings.doc_freq());
            a.weight.total_cmp(&b.weight).then_with(by_length)
        });
        (!lists.is_empty()).then(|| Self {
            matcher: matcher(&lists),
            lists,
            inverse_lengths: index.spellings.inverse_lengths(),
            log_frequencies: &LOG_FREQUENCIES,
        })
    }

    /// The same vector with only its `most` weightiest sequences.
    pub fn weightiest(mut self, most: usize) -> Self {
        if self.lists.len() > most {
            self.lists.drain(..self.lists.len() - most);
            self.matcher = matcher(&self.lists);
        }
        self
    }

    fn log_frequency(&self, count: u32) -> f32 {
        match self.log_frequencies.get(count as usize) {
            Some(known) => *known,
            None => log_frequency(count),
        }
    }

    fn inverse_length(&self, doc: Doc) -> f64 {
        f64::from(self.inverse_lengths.get(doc as usize).unwrap_or(0.0))
    }

    /// Prefetch what [`Self::cosine`] reads of some documents, all at once.
    pub fn prefetch(&self, docs: &[Doc]) {
        self.matcher.prefetch(docs);
    }

    /// The cosine of a document; `None` if its spelling is not kept.
    pub fn cosine(&self, doc: Doc) -> Option<f32> {
        let inverse = self.inverse_length(doc);
        let mut sum = -0.0; // what sums of floats start from
        self.matcher.for_each_match(doc, |position, count| {
            sum += f64::from(self.lists[position].weight * self.log_frequency(count));
        });
        (inverse > 0.0).then_some((sum * inverse) as f32)
    }

    /// The `count` nearest of `allowed` that share any sequence, best first, ties by larger key.
    pub fn nearest(&self, allowed: &Allowed, ids: &Ids, count: usize) -> Vec<(Doc, f32)> {
        let mut search = Search {
            vector: self,
            cursors: self.lists.iter().map(Cursor::new).collect(),
            nonessential: 0,
            nonessential_length: 0.0,
            allowed,
            top: TopK::new(ids, count),
            from: 0,
            sums: vec![0.0; WINDOW],
        };
        while count > 0 && search.next_window() {
            search.mark_nonessential();
            search.sum_essential();
            search.offer_window();
        }
        search.top.into_sorted()
    }
}

fn matcher<'a>(lists: &[WeightedList<'a>]) -> TermMatcher<'a> {
    TermMatcher::of(lists.iter().map(|list| (list.field, list.postings.number)))
}

/// The weight of each byte of the text: that of its character.
fn weights_by_byte(spelling: &Spelling, char_weights: &[f32]) -> Vec<f32> {
    let characters = spelling.folded.chars().enumerate();
    let weights = characters.flat_map(|(at, c)| {
        let weight = char_weights.get(at).copied().unwrap_or(1.0);
        std::iter::repeat_n(weight, c.len_utf8())
    });
    weights.collect()
}

/// The rarity of a sequence; 1 for all if the query is compared as stored texts are.
fn piece_idf(spelling: &Spelling, documents: u32, postings: Option<&PostingList<'_>>) -> f32 {
    if spelling.evenly {
        return 1.0;
    }
    idf(documents, postings.map_or(0, PostingList::doc_freq))
}

/// Each distinct piece, in order of first occurrence, with its logarithmic frequency times its mean weight.
fn weighted_pieces<'p>(pieces: &'p [Piece], weights_by_byte: &[f32]) -> Vec<(&'p str, f32)> {
    let mut places: FxHashMap<&str, usize> =
        FxHashMap::with_capacity_and_hasher(pieces.len(), FxBuildHasher);
    let mut found: Vec<(&str, f32, u32)> = Vec::with_capacity(pieces.len());
    for (letters, bytes) in pieces {
        let inside = &weights_by_byte[bytes.clone()];
        let weight = inside.iter().sum::<f32>() / inside.len().max(1) as f32;
        let position = *places.entry(letters).or_insert_with(|| {
            found.push((letters, 0.0, 0));
            found.len() - 1
        });
        found[position].1 += weight;
        found[position].2 += 1;
    }
    let weighed = |(letters, sum, count): (&'p str, f32, u32)| {
        (letters, log_frequency(count) * sum / count as f32)
    };
    found.into_iter().map(weighed).collect()
}

/// The list of one sequence, read forwards.
struct Cursor<'a> {
    list: &'a WeightedList<'a>,
    /// The current block, and the position in it.
    block: usize,
    position: usize,
    decoded: DecodedBlock,
    decoded_block: usize,
}

impl<'a> Cursor<'a> {
    fn new(list: &'a WeightedList<'a>) -> Self {
        Self {
            list,
            block: 0,
            position: 0,
            decoded: DecodedBlock::default(),
            decoded_block: usize::MAX,
        }
    }

    /// The current block; `None` at the end.
    fn block(&self) -> Option<&'a Block> {
        let blocks = self.list.postings.blocks;
        (self.block < blocks.len()).then(|| blocks.get(self.block))
    }

    fn decode(&mut self) {
        if self.decoded_block != self.block {
            self.list
                .postings
                .blocks
                .decode(self.block, &mut self.decoded);
            self.decoded_block = self.block;
            self.position = 0;
        }
    }

    /// How often `doc` contains the sequence. Call with ascending documents.
    fn look_up(&mut self, doc: Doc) -> u32 {
        self.block = self.list.postings.blocks.seek(self.block, doc);
        if self.block().is_none_or(|block| block.first > doc) {
            return 0;
        }
        self.decode();
        let docs = self.decoded.docs();
        self.position += docs[self.position..].partition_point(|&each| each < doc);
        if docs.get(self.position) == Some(&doc) {
            self.decoded.counts()[self.position]
        } else {
            0
        }
    }
}

struct Search<'a> {
    vector: &'a SpellingVector<'a>,
    /// Sorted by weight, the lowest first.
    cursors: Vec<Cursor<'a>>,
    /// How many of them are non-essential, and the length of their part of the query.
    nonessential: usize,
    nonessential_length: f64,
    allowed: &'a Allowed<'a>,
    top: TopK<'a>,
    /// The first document of the window.
    from: Doc,
    sums: Vec<f64>,
}

impl Search<'_> {
    /// Advance to the next window in which a list that is added up has a document; false if there is none.
    fn next_window(&mut self) -> bool {
        let summed = &self.cursors[self.nonessential..];
        let next = |cursor: &Cursor<'_>| Some(cursor.block()?.first.max(self.from));
        let Some(next) = summed.iter().filter_map(next).min() else {
            return false;
        };
        self.from = next;
        true
    }

    /// Make more of the lists with low weights non-essential, if the threshold has risen.
    fn mark_nonessential(&mut self) {
        let limit = self.top.threshold() * NONESSENTIAL_SHARE;
        while let Some(cursor) = self.cursors.get(self.nonessential) {
            let length = self
                .nonessential_length
                .hypot(f64::from(cursor.list.weight))
                * ROUNDING_MARGIN;
            if length >= limit {
                return;
            }
            self.nonessential_length = length;
            self.nonessential += 1;
        }
    }

    fn sum_essential(&mut self) {
        let to = self.from.saturating_add(WINDOW as Doc);
        for cursor in &mut self.cursors[self.nonessential..] {
            while let Some(block) = cursor.block().filter(|block| block.first < to) {
                if block.last < self.from || !self.allowed.any_within(block.first, block.last) {
                    cursor.block += 1;
                    continue;
                }
                cursor.decode();
                add(cursor, self.vector, (self.from, to), &mut self.sums);
                if cursor.position < cursor.decoded.docs().len() {
                    break;
                }
                cursor.block += 1;
            }
        }
    }

    /// Offer the documents of the window that may be among the best, with what the non-essential lists add.
    fn offer_window(&mut self) {
        let threshold = self.top.threshold();
        let nonessential = self.nonessential_length;
        for group in 0..WINDOW / GROUP {
            let sums = std::mem::take(&mut self.sums.as_chunks_mut::<GROUP>().0[group]);
            let first = self.from.saturating_add((group * GROUP) as Doc);
            let inverses = self.vector.inverse_lengths.many(first as usize, 0.0);
            let inverses: [f64; GROUP] = inverses.map(f64::from);
            let reaches = |&(sum, inverse): &(f64, f64)| {
                sum > 0.0 && sum * inverse + nonessential >= threshold
            };
            let each = || sums.into_iter().zip(inverses);
            // The whole group is checked at once: most groups have none.
            if each().fold(false, |any, each| any | reaches(&each)) {
                for ((sum, inverse), doc) in each().zip(first..).filter(|each| reaches(&each.0)) {
                    self.offer_one(doc, sum, inverse, threshold);
                }
            }
        }
        self.from = self.from.saturating_add(WINDOW as Doc);
    }

    fn offer_one(&mut self, doc: Doc, sum: f64, inverse: f64, threshold: f64) {
        if !self.allowed.contains(doc) {
            return;
        }
        if let Some(sum) = self.complete_sum(sum, doc, inverse, threshold) {
            self.top.offer(doc, (sum * inverse) as f32);
        }
    }

    /// The full sum of a document, or `None` if its cosine is below the threshold.
    fn complete_sum(
        &mut self,
        mut sum: f64,
        doc: Doc,
        inverse: f64,
        threshold: f64,
    ) -> Option<f64> {
        let mut squares = self.nonessential_length * self.nonessential_length;
        for cursor in self.cursors[..self.nonessential].iter_mut().rev() {
            if sum * inverse + squares.max(0.0).sqrt() * ROUNDING_MARGIN < threshold {
                return None;
            }
            let weight = cursor.list.weight;
            squares -= f64::from(weight) * f64::from(weight);
            let count = cursor.look_up(doc);
            if count > 0 {
                sum += f64::from(weight * self.vector.log_frequency(count));
            }
        }
        (sum * inverse >= threshold).then_some(sum)
    }
}

/// Add the entries of the current block that lie in [from, to).
fn add(
    cursor: &mut Cursor<'_>,
    vector: &SpellingVector<'_>,
    (from, to): (Doc, Doc),
    sums: &mut [f64],
) {
    let weight = cursor.list.weight;
    let docs = &cursor.decoded.docs()[cursor.position..];
    let skipped = docs.partition_point(|&doc| doc < from);
    let inside = docs.partition_point(|&doc| doc < to);
    let counts = &cursor.decoded.counts()[cursor.position..];
    for (&doc, &count) in docs[skipped..inside].iter().zip(&counts[skipped..inside]) {
        sums[(doc - from) as usize] += f64::from(weight * vector.log_frequency(count));
    }
    cursor.position += inside;
}
