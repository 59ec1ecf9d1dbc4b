//! Which tokens does an ordinary text have, worked out without the library?
//!
//! The library notes where every character came from, for callers that mark words in a text. An embedding needs the
//! tokens alone: characters are looked up, words or pieces found in a trie.
//! Useful for: `WordPiece` as BERT cuts it, Unigram as `SentencePiece` does. Not useful for: other tokenizers, and texts with
//! characters that join their neighbours; [`Direct::of`] and [`Direct::tokens`] say so, and the library is asked.
//! Invariant: what is found is what the library finds.

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
    /// Texts with one of these are left to the library: tokens that stand beside the model's own.
    added: AhoCorasick,
    /// Looked for once characters are replaced.
    added_normalised: AhoCorasick,
}

enum Model {
    Words(WordPiece),
    Pieces(Unigram, Pieces),
}

/// Memory that is used for one text after the other.
#[derive(Default)]
pub struct Scratch {
    text: String,
    steps: Vec<Step>,
}

impl Direct {
    /// For this tokenizer, where it is of a kind that can be taken apart.
    pub fn of(library: &Arc<Tokenizer>, unknown: Option<u32>) -> Option<Self> {
        let rules = Rules::of(library)?;
        let model = match (library.get_model(), rules.pieces) {
            (ModelWrapper::WordPiece(words), None) => Model::Words(WordPiece::of(words)?),
            (ModelWrapper::Unigram(pieces), Some(how)) => {
                Model::Pieces(Unigram::of(pieces, unknown?)?, how)
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

    /// The first `most` tokens of the text; `None`: the library has to be asked.
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
            Model::Words(words) => words.add(&scratch.text, most, &mut tokens),
            Model::Pieces(pieces, how) => {
                for piece in how.of_text(&scratch.text) {
                    pieces.add(piece, &mut scratch.steps, &mut tokens);
                    if tokens.len() >= most {
                        break;
                    }
                }
            }
        }
        tokens.truncate(most);
        Some(tokens)
    }

    /// The text as the model is given it, with a space for each gap, and one before it.
    fn prepare(&self, text: &str, into: &mut String) -> Option<()> {
        let one_for_many = self.gaps.one_for_many();
        into.clear();
        into.push(' ');
        for character in text.chars() {
            self.letters.add(character, one_for_many, into)?;
        }
        self.gaps.strip(into);
        (into.len() > 1).then_some(())
    }
}

/// An added token in the form in which it is looked for after characters have been replaced.
fn normalised_form(library: &Tokenizer, letters: &Letters, content: &str) -> Option<String> {
    let mut form = content.into();
    if let Some(normalizer) = library.get_normalizer() {
        normalizer.normalize(&mut form).ok()?;
    }
    letters.cut(form)
}

/// Finds any of them; `None` where one is nothing.
fn any_of(contents: impl IntoIterator<Item = String>) -> Option<AhoCorasick> {
    let contents: Vec<String> = contents.into_iter().collect();
    let telling = !contents.iter().any(String::is_empty);
    telling.then(|| AhoCorasick::new(&contents).ok()).flatten()
}

#[cfg(test)]
mod tests;
