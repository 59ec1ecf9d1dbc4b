//! What do the steps of a tokenizer before its model make of a single character?
//!
//! The library is asked once for each character, placed between two letters that stay as they are; the results are cached in
//! pages.
//! Invariant: concatenating the results of a text's characters gives the result of the text. Characters that join their
//! neighbours (combining accents, jamo, parts of flags and of emoji) are therefore not handled here.

use super::rules::{Cut, GAP};
use super::unigram::with_spaces;
use std::iter::once;
use std::sync::{Arc, OnceLock};
use tokenizers::{
    NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer,
    Tokenizer,
};
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

const PAGE: usize = 256;
const PAGES: usize = char::MAX as usize / PAGE + 1;
/// A letter that stays as it is, and so marks where its neighbour begins and ends.
const WITNESS: char = 'a';
/// A character that joins anything joins one of these: a letter, a Hangul syllable, half of a flag, the end of a line.
const JOINING_PROBES: [char; 4] = [WITNESS, '가', '🇯', '\n'];

/// See the module.
pub struct Letters {
    library: Arc<Tokenizer>,
    cut: Cut,
    pages: Vec<OnceLock<Page>>,
}

/// What 256 characters become, concatenated.
struct Page {
    text: String,
    letters: [Letter; PAGE],
}

#[derive(Clone, Copy)]
struct Letter {
    start: u32,
    end: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The text without spaces.
    Plain,
    Spaced,
    Joining,
}

impl Letters {
    /// For a tokenizer; `None` if it changes even the witness.
    pub fn of(library: Arc<Tokenizer>, cut: Cut) -> Option<Self> {
        let pages = (0..PAGES).map(|_| OnceLock::new()).collect();
        let letters = Self {
            library,
            cut,
            pages,
        };
        let is_unchanged = letters.normalised_alone(WITNESS)? == WITNESS.to_string();
        is_unchanged.then_some(letters)
    }

    /// Append what the character becomes; `None` for one that joins its neighbours. `collapses_spaces`: append no space after a
    /// space.
    pub fn append(&self, character: char, collapses_spaces: bool, into: &mut String) -> Option<()> {
        let (page, at) = (character as usize / PAGE, character as usize % PAGE);
        let page = self.pages[page].get_or_init(|| self.page(page));
        let Letter { start, end, kind } = page.letters[at];
        let normalised = &page.text[start as usize..end as usize];
        match kind {
            Kind::Joining => return None,
            Kind::Spaced if collapses_spaces => push_collapsing_spaces(normalised, into),
            Kind::Plain | Kind::Spaced => into.push_str(normalised),
        }
        Some(())
    }

    /// Separate words with spaces in what the normaliser made.
    pub fn cut(&self, normalised: NormalizedString) -> Option<String> {
        match self.cut {
            Cut::Nowhere => Some(with_spaces(normalised.get())),
            Cut::White => Some(
                normalised
                    .get()
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
            ),
            Cut::Words => {
                let mut words = PreTokenizedString::from(normalised);
                self.library
                    .get_pre_tokenizer()?
                    .pre_tokenize(&mut words)
                    .ok()?;
                let words = words.get_splits(OffsetReferential::Normalized, OffsetType::Byte);
                Some(
                    words
                        .iter()
                        .map(|word| word.0)
                        .collect::<Vec<_>>()
                        .join(" "),
                )
            }
        }
    }

    fn page(&self, number: usize) -> Page {
        let mut text = String::new();
        let letters = std::array::from_fn(|at| {
            let character = char::from_u32((number * PAGE + at) as u32);
            let normalised = character.and_then(|character| self.normalised_alone(character));
            let start = text.len() as u32;
            text.push_str(normalised.as_deref().unwrap_or_default());
            let kind = match normalised {
                None => Kind::Joining,
                Some(normalised) if normalised.contains(' ') => Kind::Spaced,
                Some(_) => Kind::Plain,
            };
            Letter {
                start,
                end: text.len() as u32,
                kind,
            }
        });
        Page { text, letters }
    }

    fn normalised_alone(&self, character: char) -> Option<String> {
        let mut surrounded = format!("{WITNESS}{character}{WITNESS}").into();
        if let Some(normalizer) = self.library.get_normalizer() {
            normalizer.normalize(&mut surrounded).ok()?;
        }
        let has_gap_mark = surrounded.get().contains(GAP);
        let normalised = self.cut(surrounded)?;
        let normalised = normalised.strip_prefix(WITNESS)?.strip_suffix(WITNESS)?;
        let edges = [
            Some(character),
            normalised.chars().next(),
            normalised.chars().last(),
        ];
        let is_separate = !has_gap_mark && !edges.into_iter().flatten().any(joins);
        is_separate.then(|| normalised.to_owned())
    }
}

fn push_collapsing_spaces(normalised: &str, into: &mut String) {
    for character in normalised.chars() {
        if character != ' ' || !into.ends_with(' ') {
            into.push(character);
        }
    }
}

/// Whether a character may combine with another, or change places with it.
fn joins(character: char) -> bool {
    let first = once(character).nfkd().next().unwrap_or(character);
    canonical_combining_class(first) != 0
        || is_nfc_quick(once(first)) == IsNormalized::Maybe
        || JOINING_PROBES
            .iter()
            .any(|&other| one_grapheme([other, character]) || one_grapheme([character, other]))
}

fn one_grapheme(pair: [char; 2]) -> bool {
    String::from_iter(pair).graphemes(true).count() == 1
}
