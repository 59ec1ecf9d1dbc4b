//! Which tokens does an ordinary text have, computed without the library?
//!
//! The library records where every character came from, for callers that mark words in a text. An embedding needs only the
//! tokens: here characters are looked up, and words or pieces found in a trie.
//! Useful for: `WordPiece` as in BERT, Unigram as in `SentencePiece`. Not useful for: other tokenizers, and texts with
//! characters that join their neighbours; [`Direct::of`] and [`Direct::tokens`] return `None` for them, and the library is
//! asked.
//! Invariant: the tokens are those that the library finds.

mod letters;
mod rules;
mod trie;
mod unigram;
mod wordpiece;

use aho_corasick::AhoCorasick;
use letters::Letters;
use rules::{Gaps, Pieces, Rules};
use std::sync::Arc;
use tokenizers::models::ModelWrapper;
use tokenizers::{Normalizer, Tokenizer};
use unigram::{Step, Unigram};
use wordpiece::WordPiece;

/// See the module.
pub struct Direct {
    letters: Letters,
    gaps: Gaps,
    model: Model,
    /// Tokens added beside the model's own; texts that contain one are left to the library.
    added: AhoCorasick,
    /// Those that are looked for after characters have been replaced.
    added_normalised: AhoCorasick,
}

enum Model {
    Words(WordPiece),
    Pieces(Unigram, Pieces),
}

/// Buffers reused from text to text.
#[derive(Default)]
pub struct Scratch {
    text: String,
    steps: Vec<Step>,
}

impl Direct {
    /// For this tokenizer; `None` if it is of an unknown kind.
    pub fn of(library: &Arc<Tokenizer>, unknown: Option<u32>) -> Option<Self> {
        let rules = Rules::of(library)?;
        let model = match (library.get_model(), rules.pieces) {
            (ModelWrapper::WordPiece(words), None) => Model::Words(WordPiece::of(words)?),
            (ModelWrapper::Unigram(pieces), Some(pieces_kind)) => {
                Model::Pieces(Unigram::of(pieces, unknown?)?, pieces_kind)
            }
            _ => return None,
        };
        let letters = Letters::of(Arc::clone(library), rules.cut)?;
        let added = library.get_added_vocabulary().get_added_tokens_decoder();
        let normalised = added.values().filter(|token| token.normalized);
        let normalised = normalised.map(|token| normalised_form(library, &letters, &token.content));
        Some(Self {
            added: any_of(added.values().map(|token| token.content.clone()))?,
            added_normalised: any_of(normalised.collect::<Option<Vec<_>>>()?)?,
            letters,
            gaps: rules.gaps,
            model,
        })
    }

    /// The first `most` tokens of the text; `None` if the library has to be asked.
    pub fn tokens(&self, text: &str, most: usize, scratch: &mut Scratch) -> Option<Vec<u32>> {
        if self.added.is_match(text) {
            return None;
        }
        self.prepare(text, &mut scratch.text)?;
        if self.added_normalised.is_match(&scratch.text) {
            return None;
        }
        let mut tokens = Vec::with_capacity(text.len() / 2);
        match &self.model {
            Model::Words(words) => words.append(&scratch.text, most, &mut tokens),
            Model::Pieces(pieces, pieces_kind) => {
                for piece in pieces_kind.split(&scratch.text) {
                    pieces.append(piece, &mut scratch.steps, &mut tokens);
                    if tokens.len() >= most {
                        break;
                    }
                }
            }
        }
        tokens.truncate(most);
        Some(tokens)
    }

    /// Append the text as the model gets it, with a space for each gap and one before the text.
    fn prepare(&self, text: &str, into: &mut String) -> Option<()> {
        let collapses_spaces = self.gaps.collapses_spaces();
        into.clear();
        into.push(' ');
        for character in text.chars() {
            self.letters.append(character, collapses_spaces, into)?;
        }
        self.gaps.strip(into);
        (into.len() > 1).then_some(())
    }
}

/// The form of an added token that is looked for after characters have been replaced.
fn normalised_form(library: &Tokenizer, letters: &Letters, content: &str) -> Option<String> {
    let mut form = content.into();
    if let Some(normalizer) = library.get_normalizer() {
        normalizer.normalize(&mut form).ok()?;
    }
    letters.cut(form)
}

/// Finds any of these texts; `None` if one is empty.
fn any_of(contents: impl IntoIterator<Item = String>) -> Option<AhoCorasick> {
    let contents: Vec<String> = contents.into_iter().collect();
    let all_nonempty = !contents.iter().any(String::is_empty);
    all_nonempty
        .then(|| AhoCorasick::new(&contents).ok())
        .flatten()
}

#[cfg(test)]
mod tests;
