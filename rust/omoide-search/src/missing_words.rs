//! Which letters of a query belong to words that no allowed document contains?
//!
//! Such words are typing errors, other spellings, or forms that no stemmer knows. Han, kana and Hangul are not included: the
//! grams of all such words are looked up with the words.

use crate::{Allowed, Query, Spelling, Word};
use omoide_index::blocks::{Blocks, DecodedBlock};
use omoide_index::{Index, WORDS};
use std::ops::Range;

/// The spelling of those words alone; `None` if there are none, or they have no sequences.
pub fn missing_words(query: &Query, index: &Index, allowed: &Allowed) -> Option<Spelling> {
    let spelling = query.spelling.as_ref()?;
    if spelling.sequences.is_empty() {
        return None;
    }
    let words = missing_ranges(query, &spelling.folded, index, allowed);
    let is_missing = |letters: &Range<usize>| {
        words
            .iter()
            .any(|word| word.start <= letters.start && letters.end <= word.end)
    };
    let pieces = spelling
        .sequences
        .iter()
        .filter(|piece| is_missing(&piece.1));
    let missing = Spelling {
        folded: spelling.folded.clone(),
        grams: Vec::new(),
        sequences: pieces.cloned().collect(),
        evenly: spelling.evenly,
    };
    (!missing.sequences.is_empty()).then_some(missing)
}

/// The byte ranges of words that have a weight and that no allowed document contains.
fn missing_ranges(
    query: &Query,
    folded: &str,
    index: &Index,
    allowed: &Allowed,
) -> Vec<Range<usize>> {
    let words = &index.postings.fields[WORDS];
    let is_found = |term: &str| {
        let list = words.posting_list(term);
        list.is_some_and(|list| has_allowed(list.blocks, allowed))
    };
    let begins = folded.char_indices().map(|(byte, _)| byte);
    let bytes: Vec<usize> = begins.chain([folded.len()]).collect();
    let byte = |at: usize| bytes[at.min(bytes.len() - 1)];
    let missing = query.words.iter();
    let missing = missing.filter(|word| word.weight > 0.0 && !is_found(&word.term));
    let range = |word: &Word| byte(word.start)..byte(word.end.max(word.start));
    missing.map(range).collect()
}

/// Whether a list contains an allowed document; usually its first block answers.
fn has_allowed(blocks: Blocks<'_>, allowed: &Allowed) -> bool {
    let mut decoded = DecodedBlock::default();
    (0..blocks.len()).any(|at| {
        let block = blocks.get(at);
        allowed.any_within(block.first, block.last) && {
            blocks.decode(at, &mut decoded);
            decoded.docs().iter().any(|&doc| allowed.contains(doc))
        }
    })
}
