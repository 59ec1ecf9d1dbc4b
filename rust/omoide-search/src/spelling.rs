//! Which documents are spelled most like a query?
//!
//! By the cosine of sparse vectors: those of documents (omoide-index's spellings.rs), and the query's, in which each sequence
//! of letters is weighted by its rarity and that of the words it is in.
//!
//! Lists are added up side by side, one window of documents at a time. The lists with the lowest weights are set aside as long
//! as a document that holds no other sequence cannot be among the best: by the Cauchy-Schwarz inequality they add no more to a
//! cosine than the length of their part of the query. They are looked up only for documents that are near without them.
//!
//! Invariant: the answer is that of computing every cosine. Terms are in single precision, sums in double, in which they are
//! the same in any order.

use crate::Allowed;
use crate::bm25::idf;
use crate::held::Held;
use crate::query::{Piece, Spelling};
use crate::top::{CAUTION, Top};
use omoide_index::blocks::{Block, DecodedBlock};
use omoide_index::column::View;
use omoide_index::ids::Ids;
use omoide_index::postings::{Field, PostingList};
use omoide_index::spellings::value;
use omoide_index::{Doc, GRAMS, Index};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::LazyLock;

/// Documents in a window: few enough for their sums to stay in the cache.
const WINDOW: usize = 2_048;
/// Sums that are checked together.
const GROUP: usize = 8;
/// Values of counts below this are tabulated.
const TABLED: usize = 64;
static VALUES: LazyLock<[f32; TABLED]> =
    LazyLock::new(|| std::array::from_fn(|count| value(count as u32)));
/// How much of the threshold may be set aside: the more, the fewer lists are read whole, and the more is looked up.
const ASIDE: f64 = 0.5;

/// A sequence of the query that some document has.
struct Listed<'a> {
    field: &'a Field,
    posting: PostingList<'a>,
    weight: f32,
}

/// A query ready to be compared: a vector of length 1.
pub struct Spelled<'a> {
    lists: Vec<Listed<'a>>,
    held: Held<'a>,
    inverse_lengths: View<'a, f32>,
    values: &'a [f32; TABLED],
}

impl<'a> Spelled<'a> {
    /// Look the sequences up. `None` if no document has any.
    pub fn of(spelling: &Spelling, index: &'a Index, char_weights: &[f32]) -> Option<Self> {
        let by_byte = by_byte(spelling, char_weights);
        let fields = [&index.postings.fields[GRAMS], &index.spellings.sequences];
        let documents = index.ids.documents() as u32;
        let most = spelling.grams.len() + spelling.sequences.len();
        let (mut lists, mut squares) = (Vec::with_capacity(most), 0.0);
        for (field, pieces) in fields
            .into_iter()
            .zip([&spelling.grams, &spelling.sequences])
        {
            let counted = counted(pieces, &by_byte);
            let postings = field.posting_lists(counted.iter().map(|each| each.0));
            for (&(_, weight), posting) in counted.iter().zip(postings) {
                let rarity = rarity(spelling, documents, posting.as_ref());
                let weight = weight * rarity;
                squares += weight * weight;
                lists.extend(posting.map(|posting| Listed {
                    field,
                    posting,
                    weight,
                }));
            }
        }
        let length = squares.sqrt();
        lists.retain(|list: &Listed<'_>| list.weight > 0.0);
        lists.iter_mut().for_each(|list| list.weight /= length);
        // The lowest weights first, of equal ones the longest list.
        lists.sort_by(|a, b| {
            let by_length = || b.posting.doc_freq().cmp(&a.posting.doc_freq());
            a.weight.total_cmp(&b.weight).then_with(by_length)
        });
        (!lists.is_empty()).then(|| Self {
            held: Held::of(lists.iter().map(|list| (list.field, list.posting.number))),
            lists,
            inverse_lengths: index.spellings.inverse_lengths(),
            values: &VALUES,
        })
    }

    fn value(&self, count: u32) -> f32 {
        match self.values.get(count as usize) {
            Some(value) => *value,
            None => value(count),
        }
    }

    fn inverse_length(&self, doc: Doc) -> f64 {
        f64::from(self.inverse_lengths.get(doc as usize).unwrap_or(0.0))
    }

    /// Prefetch what [`Self::cosine`] reads of some documents, all at once.
    pub fn prefetch(&self, docs: &[Doc]) {
        self.held.prefetch(docs);
    }

    /// The cosine of a document; `None` if its spelling is not kept.
    pub fn cosine(&self, doc: Doc) -> Option<f32> {
        let inverse = self.inverse_length(doc);
        let mut sum = -0.0; // what sums of floats start from
        self.held.each(doc, |place, count| {
            sum += f64::from(self.lists[place].weight * self.value(count));
        });
        (inverse > 0.0).then_some((sum * inverse) as f32)
    }

    /// The `count` nearest of `allowed` that share any sequence, best first, ties by larger key.
    pub fn nearest(&self, allowed: &Allowed, ids: &Ids, count: usize) -> Vec<(Doc, f32)> {
        let mut search = Search {
            spelled: self,
            cursors: self.lists.iter().map(Cursor::new).collect(),
            aside: 0,
            length_aside: 0.0,
            allowed,
            top: Top::new(ids, count),
            from: 0,
            sums: vec![0.0; WINDOW],
        };
        while count > 0 && search.next_window() {
            search.set_aside();
            search.sum_up();
            search.finish();
        }
        search.top.into_sorted()
    }
}

/// The weight of each byte of the text: that of its character.
fn by_byte(spelling: &Spelling, char_weights: &[f32]) -> Vec<f32> {
    let characters = spelling.folded.chars().enumerate();
    let weights = characters.flat_map(|(at, c)| {
        let weight = char_weights.get(at).copied().unwrap_or(1.0);
        std::iter::repeat_n(weight, c.len_utf8())
    });
    weights.collect()
}

/// The rarity of a sequence; 1 for all if the query is compared as stored texts are.
fn rarity(spelling: &Spelling, documents: u32, posting: Option<&PostingList<'_>>) -> f32 {
    if spelling.evenly {
        return 1.0;
    }
    idf(documents, posting.map_or(0, PostingList::doc_freq))
}

/// Each distinct piece, in order of first occurrence, with the value of its count times its mean weight.
fn counted<'p>(pieces: &'p [Piece], by_byte: &[f32]) -> Vec<(&'p str, f32)> {
    let mut places: FxHashMap<&str, usize> =
        FxHashMap::with_capacity_and_hasher(pieces.len(), FxBuildHasher);
    let mut found: Vec<(&str, f32, u32)> = Vec::with_capacity(pieces.len());
    for (letters, bytes) in pieces {
        let inside = &by_byte[bytes.clone()];
        let weight = inside.iter().sum::<f32>() / inside.len().max(1) as f32;
        let place = *places.entry(letters).or_insert_with(|| {
            found.push((letters, 0.0, 0));
            found.len() - 1
        });
        found[place].1 += weight;
        found[place].2 += 1;
    }
    let weighed =
        |(letters, sum, count): (&'p str, f32, u32)| (letters, value(count) * sum / count as f32);
    found.into_iter().map(weighed).collect()
}

/// The list of one sequence, read forwards.
struct Cursor<'a> {
    list: &'a Listed<'a>,
    /// The current block, and the position in it.
    block: usize,
    place: usize,
    decoded: DecodedBlock,
    decoded_block: usize,
}

impl<'a> Cursor<'a> {
    fn new(list: &'a Listed<'a>) -> Self {
        Self {
            list,
            block: 0,
            place: 0,
            decoded: DecodedBlock::default(),
            decoded_block: usize::MAX,
        }
    }

    /// The current block; `None` at the end.
    fn block(&self) -> Option<&'a Block> {
        let blocks = self.list.posting.blocks;
        (self.block < blocks.len()).then(|| blocks.get(self.block))
    }

    fn decode(&mut self) {
        if self.decoded_block != self.block {
            self.list
                .posting
                .blocks
                .decode(self.block, &mut self.decoded);
            self.decoded_block = self.block;
            self.place = 0;
        }
    }

    /// How often `doc` holds the sequence. Call with ascending documents.
    fn look_up(&mut self, doc: Doc) -> u32 {
        self.block = self.list.posting.blocks.seek(self.block, doc);
        if self.block().is_none_or(|block| block.first > doc) {
            return 0;
        }
        self.decode();
        let docs = self.decoded.docs();
        self.place += docs[self.place..].partition_point(|&each| each < doc);
        if docs.get(self.place) == Some(&doc) {
            self.decoded.counts()[self.place]
        } else {
            0
        }
    }
}

struct Search<'a> {
    spelled: &'a Spelled<'a>,
    /// Sorted by weight, the lowest first.
    cursors: Vec<Cursor<'a>>,
    /// How many of them are set aside, and the length of their part of the query.
    aside: usize,
    length_aside: f64,
    allowed: &'a Allowed<'a>,
    top: Top<'a>,
    /// The first document of the window.
    from: Doc,
    sums: Vec<f64>,
}

impl Search<'_> {
    /// Advance to the next window in which a list that is added up has a document; false if there is none.
    fn next_window(&mut self) -> bool {
        let summed = &self.cursors[self.aside..];
        let next = |cursor: &Cursor<'_>| Some(cursor.block()?.first.max(self.from));
        let Some(next) = summed.iter().filter_map(next).min() else {
            return false;
        };
        self.from = next;
        true
    }

    /// Set more of the lists with low weights aside, if the threshold has risen.
    fn set_aside(&mut self) {
        let most = self.top.threshold() * ASIDE;
        while let Some(cursor) = self.cursors.get(self.aside) {
            let length = self.length_aside.hypot(f64::from(cursor.list.weight)) * CAUTION;
            if length >= most {
                return;
            }
            self.length_aside = length;
            self.aside += 1;
        }
    }

    fn sum_up(&mut self) {
        let to = self.from.saturating_add(WINDOW as Doc);
        for cursor in &mut self.cursors[self.aside..] {
            while let Some(block) = cursor.block().filter(|block| block.first < to) {
                if block.last < self.from || !self.allowed.any_within(block.first, block.last) {
                    cursor.block += 1;
                    continue;
                }
                cursor.decode();
                add(cursor, self.spelled, (self.from, to), &mut self.sums);
                if cursor.place < cursor.decoded.docs().len() {
                    break;
                }
                cursor.block += 1;
            }
        }
    }

    /// Offer the documents of the window that may be among the best, with what the lists set aside add.
    fn finish(&mut self) {
        let threshold = self.top.threshold();
        let aside = self.length_aside;
        for group in 0..WINDOW / GROUP {
            let sums = std::mem::take(&mut self.sums.as_chunks_mut::<GROUP>().0[group]);
            let first = self.from.saturating_add((group * GROUP) as Doc);
            let inverses = self.spelled.inverse_lengths.many(first as usize, 0.0);
            let inverses: [f64; GROUP] = inverses.map(f64::from);
            let reaches =
                |&(sum, inverse): &(f64, f64)| sum > 0.0 && sum * inverse + aside >= threshold;
            let each = || sums.into_iter().zip(inverses);
            // The whole group is checked at once: most groups have none.
            if each().fold(false, |any, each| any | reaches(&each)) {
                for ((sum, inverse), doc) in each().zip(first..).filter(|each| reaches(&each.0)) {
                    self.finish_one(doc, sum, inverse, threshold);
                }
            }
        }
        self.from = self.from.saturating_add(WINDOW as Doc);
    }

    fn finish_one(&mut self, doc: Doc, sum: f64, inverse: f64, threshold: f64) {
        if !self.allowed.contains(doc) {
            return;
        }
        if let Some(sum) = self.completed(sum, doc, inverse, threshold) {
            self.top.offer(doc, (sum * inverse) as f32);
        }
    }

    /// The full sum of a document, or `None` if its cosine is below the threshold.
    fn completed(&mut self, mut sum: f64, doc: Doc, inverse: f64, threshold: f64) -> Option<f64> {
        let mut squares = self.length_aside * self.length_aside;
        for cursor in self.cursors[..self.aside].iter_mut().rev() {
            if sum * inverse + squares.max(0.0).sqrt() * CAUTION < threshold {
                return None;
            }
            let weight = cursor.list.weight;
            squares -= f64::from(weight) * f64::from(weight);
            let count = cursor.look_up(doc);
            if count > 0 {
                sum += f64::from(weight * self.spelled.value(count));
            }
        }
        (sum * inverse >= threshold).then_some(sum)
    }
}

/// Add the entries of the current block that lie in [from, to).
fn add(cursor: &mut Cursor<'_>, spelled: &Spelled<'_>, (from, to): (Doc, Doc), sums: &mut [f64]) {
    let weight = cursor.list.weight;
    let docs = &cursor.decoded.docs()[cursor.place..];
    let skipped = docs.partition_point(|&doc| doc < from);
    let inside = docs.partition_point(|&doc| doc < to);
    let counts = &cursor.decoded.counts()[cursor.place..];
    for (&doc, &count) in docs[skipped..inside].iter().zip(&counts[skipped..inside]) {
        sums[(doc - from) as usize] += f64::from(weight * spelled.value(count));
    }
    cursor.place += inside;
}
