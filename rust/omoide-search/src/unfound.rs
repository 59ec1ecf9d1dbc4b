//! Which letters of a query belong to words that no allowed document holds?
//!
//! Such words are typing errors, other spellings, or forms that no stemmer knows. Han, kana and Hangul are not included: the
//! grams of all such words are looked up with the words.

use crate::{Allowed, Query, Spelling};
use omoide_index::blocks::{Blocks, DecodedBlock};
use omoide_index::{Index, WORDS};
use std::ops::Range;

/// The spelling of those words alone; `None` if there are none, or they have no sequences.
pub fn unfound(query: &Query, index: &Index, allowed: &Allowed) -> Option<Spelling> {
    let whole = query.spelling.as_ref()?;
    let words = places(query, &whole.folded, index, allowed);
    let is_unfound = |letters: &Range<usize>| {
        words
            .iter()
            .any(|word| word.start <= letters.start && letters.end <= word.end)
    };
    let pieces = whole.sequences.iter().filter(|piece| is_unfound(&piece.1));
    let part = Spelling {
        folded: whole.folded.clone(),
        grams: Vec::new(),
        sequences: pieces.cloned().collect(),
        evenly: whole.evenly,
    };
    (!part.sequences.is_empty()).then_some(part)
}

/// The byte ranges of words that have a weight and that no allowed document holds.
fn places(query: &Query, folded: &str, index: &Index, allowed: &Allowed) -> Vec<Range<usize>> {
    let words = &index.postings.fields[WORDS];
    let is_held = |term: &str| {
        let posting = words.posting_list(term);
        posting.is_some_and(|posting| any_in(posting.blocks, allowed))
    };
    let missing = query.words.iter();
    let missing = missing.filter(|word| word.weight > 0.0 && !is_held(&word.term));
    missing.map(|word| word.bytes(folded)).collect()
}

/// Whether a list holds an allowed document; usually its first block answers.
fn any_in(blocks: Blocks<'_>, allowed: &Allowed) -> bool {
    let mut decoded = DecodedBlock::default();
    (0..blocks.len()).any(|at| {
        let block = blocks.get(at);
        allowed.any_within(block.first, block.last) && {
            blocks.decode(at, &mut decoded);
            decoded.docs().iter().any(|&doc| allowed.contains(doc))
        }
    })
}
