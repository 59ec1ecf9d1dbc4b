//! Which tokens of the model's vocabulary does a text have?

use super::StaticError;
use super::direct::{Direct, Scratch};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tokenizers::{Tokenizer, TruncationParams};

/// A model's tokenizer and the number of tokens at which it stops.
pub struct Tokens {
    library: Arc<Tokenizer>,
    direct: Option<Direct>,
    unknown: Option<u32>,
    max_length: Option<usize>,
    /// Characters beyond this are ignored: the median length of a token times the most tokens.
    max_chars: Option<usize>,
    vocabulary_size: usize,
    largest_id: Option<u32>,
}

impl Tokens {
    /// Read a tokenizer.json; at most `max_length` tokens of a text are used.
    pub fn load(path: &Path, max_length: Option<u64>) -> Result<Self, StaticError> {
        let bytes = fs::read(path).map_err(|error| StaticError::unreadable(path, &error))?;
        let described: Value = serde_json::from_slice(&bytes)
            .map_err(|error| StaticError::unreadable(path, &error))?;
        let mut tokenizer =
            Tokenizer::from_bytes(&bytes).map_err(|error| StaticError::unreadable(path, &error))?;
        let max_length = max_length.map(|length| length as usize);
        let truncation = max_length.map(|max_length| TruncationParams {
            max_length,
            ..TruncationParams::default()
        });
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(truncation)
            .map_err(|error| StaticError::unreadable(path, &error))?;
        let vocabulary = tokenizer.get_vocab(true);
        let median = median(vocabulary.keys().map(|token| token.chars().count()));
        let unknown = unknown(&described, &tokenizer);
        let library = Arc::new(tokenizer);
        Ok(Self {
            direct: Direct::of(&library, unknown),
            library,
            unknown,
            max_length,
            max_chars: max_length.map(|length| length.saturating_mul(median)),
            vocabulary_size: vocabulary.len(),
            largest_id: vocabulary.into_values().max(),
        })
    }

    /// How many tokens of a text are used; `None`: all.
    pub fn max_length(&self) -> Option<usize> {
        self.max_length
    }

    /// The size of the vocabulary.
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    /// The largest number of a token: more than the size if numbers are left out.
    pub fn largest_id(&self) -> Option<u32> {
        self.largest_id
    }

    /// The tokens of a text in order, without the unknown one.
    pub fn of(&self, text: &str, scratch: &mut Scratch) -> Result<Vec<u32>, StaticError> {
        let text = self.truncated(text);
        let most = self.max_length.unwrap_or(usize::MAX);
        let direct = self.direct.as_ref();
        let found = direct.and_then(|direct| direct.tokens(text, most, scratch));
        let mut tokens = found.map_or_else(|| self.by_library(text), Ok)?;
        tokens.retain(|&id| Some(id) != self.unknown);
        Ok(tokens)
    }

    fn truncated<'a>(&self, text: &'a str) -> &'a str {
        let most = self.max_chars.filter(|&most| most < text.len());
        let end = most.and_then(|most| text.char_indices().nth(most));
        end.map_or(text, |(at, _)| &text[..at])
    }

    fn by_library(&self, text: &str) -> Result<Vec<u32>, StaticError> {
        let encoding = self
            .library
            .encode_fast(text, false)
            .map_err(|error| StaticError::Tokens(error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }
}

/// The token for what is not in the vocabulary.
fn unknown(described: &Value, tokenizer: &Tokenizer) -> Option<u32> {
    let model = &described["model"];
    if let Some(id) = model.get("unk_id") {
        return id.as_u64().map(|id| id as u32);
    }
    tokenizer.token_to_id(model.get("unk_token")?.as_str()?)
}

/// The middle value, or the mean of the two in the middle, rounded down.
fn median(lengths: impl Iterator<Item = usize>) -> usize {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    match lengths.len() {
        0 => 0,
        count if count % 2 == 1 => lengths[count / 2],
        count => usize::midpoint(lengths[count / 2 - 1], lengths[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_rounded_down() {
        for (lengths, expected) in [
            (vec![], 0),
            (vec![3], 3),
            (vec![4, 1], 2),
            (vec![9, 1, 5], 5),
            (vec![2, 3, 9, 1], 2),
        ] {
            assert_eq!(median(lengths.iter().copied()), expected, "{lengths:?}");
        }
    }
}
