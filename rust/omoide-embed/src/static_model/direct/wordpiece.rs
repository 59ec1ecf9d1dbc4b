//! `WordPiece`: each word is cut from its start into the longest possible tokens; a word that leaves a rest is unknown.

use super::trie::{ROOT, Trie};
use tokenizers::Model;
use tokenizers::models::wordpiece::WordPiece as Described;

/// See the module.
pub struct WordPiece {
    trie: Trie,
    /// The node from which tokens that continue a word begin; `None` if there are none.
    inside: Option<u32>,
    unknown: u32,
    most_chars: usize,
}

impl WordPiece {
    /// For a described model; `None` if it has no token for unknown words.
    pub fn of(described: &Described) -> Option<Self> {
        let keys = described.get_vocab().into_iter();
        let trie = Trie::new(keys.map(|(token, id)| (token.into_bytes(), id)).collect());
        Some(Self {
            inside: trie.walk(described.continuing_subword_prefix.as_bytes()),
            unknown: described.token_to_id(&described.unk_token)?,
            most_chars: described.max_input_chars_per_word,
            trie,
        })
    }

    /// Append the tokens of the words separated by spaces, until there are `most` of them.
    pub fn append(&self, text: &str, most: usize, tokens: &mut Vec<u32>) {
        for word in text.split(' ') {
            let before = tokens.len();
            if self.append_word(word, tokens).is_none() {
                tokens.truncate(before);
                tokens.push(self.unknown);
            }
            if tokens.len() >= most {
                return;
            }
        }
    }

    fn append_word(&self, word: &str, tokens: &mut Vec<u32>) -> Option<()> {
        if word.len() > self.most_chars && word.chars().count() > self.most_chars {
            return None;
        }
        let mut rest = word.as_bytes();
        let mut node = Some(ROOT);
        while !rest.is_empty() {
            let (length, token) = self.trie.prefixes(node?, rest).last()?;
            tokens.push(token);
            rest = &rest[length..];
            node = self.inside;
        }
        Some(())
    }
}
