//! What vector does a text have by a table with one vector for each token (the model2vec format)?
//!
//! Useful for: meaning at the cost of a look-up. Not useful for: word order; a text is the mean of its tokens.
//! Invariant: the numbers are those of the `model2vec` package 0.10, to the bit: means are summed in the order of the tokens,
//! norms pairwise, in the precision of the table.

mod direct;
mod error;
mod numpy;
mod table;
mod tokens;

pub use direct::Scratch;
pub use error::StaticError;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use table::Table;
use tokens::Tokens;

/// How many tokens of a text are used if the model does not say.
const DEFAULT_MAX_LENGTH: u64 = 512;
/// Where a model's files are in its folder, and its table's name: the layout of model2vec, then those of sentence-transformers.
const LAYOUTS: [Layout; 3] = [
    Layout {
        config: "config.json",
        table: "model.safetensors",
        tokenizer: "tokenizer.json",
        name: "embeddings",
    },
    Layout {
        config: "config_sentence_transformers.json",
        table: "model.safetensors",
        tokenizer: "tokenizer.json",
        name: "embedding.weight",
    },
    Layout {
        config: "config_sentence_transformers.json",
        table: "0_StaticEmbedding/model.safetensors",
        tokenizer: "0_StaticEmbedding/tokenizer.json",
        name: "embedding.weight",
    },
];

#[derive(Clone, Copy)]
struct Layout {
    config: &'static str,
    table: &'static str,
    tokenizer: &'static str,
    name: &'static str,
}

/// A static model, ready to embed. Threads may share it.
pub struct StaticModel {
    table: Table,
    tokens: Tokens,
    normalise: bool,
}

impl StaticModel {
    /// Read the model in `folder`. The table is mapped and paged in from the disk: replace a model by renaming, never in place.
    pub fn load(folder: &Path) -> Result<Self, StaticError> {
        let layout = layout_of(folder)?;
        let config: Value = json(&folder.join(layout.config))?;
        let max_length = match config.get("max_length") {
            None => Some(DEFAULT_MAX_LENGTH),
            Some(given) => given.as_u64(),
        };
        let tokens = Tokens::load(&folder.join(layout.tokenizer), max_length)?;
        let table = Table::open(&folder.join(layout.table), layout.name)?;
        table.check_covers(&tokens)?;
        let normalise = config.get("normalize").and_then(Value::as_bool);
        Ok(Self {
            table,
            tokens,
            normalise: normalise.unwrap_or(false),
        })
    }

    /// The number of dimensions of a vector.
    pub fn dimensions(&self) -> usize {
        self.table.dimensions()
    }

    /// How many tokens of a text are used; `None`: all.
    pub fn max_tokens(&self) -> Option<usize> {
        self.tokens.max_length()
    }

    /// The vector of a text; zero if none of its tokens is known. It has length 1 only if the model asks for that. Reuse
    /// `scratch` from text to text.
    pub fn embed(&self, text: &str, scratch: &mut Scratch) -> Result<Vec<f32>, StaticError> {
        let mut vector = self.table.mean(&self.tokens.of(text, scratch)?);
        if self.normalise {
            self.table.round(&mut vector);
            numpy::normalise(&mut vector);
        }
        self.table.round(&mut vector);
        Ok(vector)
    }
}

fn layout_of(folder: &Path) -> Result<Layout, StaticError> {
    let whole = |layout: &&Layout| {
        let files = [layout.config, layout.table, layout.tokenizer];
        files.iter().all(|file| folder.join(file).is_file())
    };
    LAYOUTS
        .iter()
        .find(whole)
        .copied()
        .ok_or_else(|| StaticError::NoModel(folder.to_owned()))
}

fn json(path: &PathBuf) -> Result<Value, StaticError> {
    let text = fs::read(path).map_err(|error| StaticError::unreadable(path, &error))?;
    serde_json::from_slice(&text).map_err(|error| StaticError::unreadable(path, &error))
}
