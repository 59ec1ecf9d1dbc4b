//! Can a tokenizer's steps before its model be done one character at a time, and what do they do with spaces?
//!
//! The steps of BERT's and `SentencePiece`'s tokenizers are known, in the orders in which they occur. Invariant: for an unknown
//! step the answer is `None`, never a guess.

use serde_json::Value;
use tokenizers::Tokenizer;

/// The mark of a gap between words in the vocabularies of `SentencePiece`.
pub const GAP: char = '▁';
/// Steps that replace each character by itself; letters.rs leaves out characters that join their neighbours.
const BY_CHARACTER: [&str; 9] = [
    "BertNormalizer",
    "Lowercase",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Nmt",
    "Precompiled",
    "StripAccents",
];
/// (pattern, replacement, meaning).
const RUNS: [(&str, &str, Runs); 3] = [
    (r"\s+", " ", Runs::Space),
    (" {2,}", " ", Runs::Space),
    (" {2,}", "▁", Runs::Mark),
];

/// See the module.
pub struct Rules {
    pub cut: Cut,
    pub gaps: Gaps,
    /// `None` if the text is cut into words.
    pub pieces: Option<Pieces>,
}

/// What is done with a character beside replacing it.
#[derive(Clone, Copy, PartialEq)]
pub enum Cut {
    /// Nothing.
    Nowhere,
    /// White space becomes a space.
    White,
    /// White space becomes a space, punctuation a word, by the tokenizer's own rule.
    Words,
}

/// What is done with spaces after characters have been replaced.
#[derive(Default)]
pub struct Gaps {
    runs: Runs,
    strip_left: bool,
    strip_right: bool,
}

/// What is done with several spaces in a row.
#[derive(Clone, Copy, Default, PartialEq)]
enum Runs {
    #[default]
    Stay,
    Space,
    /// They become the mark of a gap, which later steps do not treat as white space.
    Mark,
}

/// What the model gets at a time. A text that does not begin with a gap gets one.
#[derive(Clone, Copy)]
pub enum Pieces {
    /// The whole text.
    Whole,
    /// A gap and what follows it.
    ByGap,
}

impl Rules {
    pub fn of(tokenizer: &Tokenizer) -> Option<Self> {
        let normalizer = serde_json::to_value(tokenizer.get_normalizer()).ok()?;
        let pre_tokenizer = serde_json::to_value(tokenizer.get_pre_tokenizer()).ok()?;
        let mut gaps = Gaps::default();
        for step in steps(&normalizer, "normalizers") {
            gaps.apply_step(step)?;
        }
        let cuts = steps(&pre_tokenizer, "pretokenizers");
        let kinds: Vec<&str> = cuts.iter().map(|step| kind(step)).collect();
        let (cut, pieces) = match kinds[..] {
            ["BertPreTokenizer"] => (Cut::Words, None),
            ["Metaspace"] => (Cut::Nowhere, Some(Pieces::of(cuts[0])?)),
            ["WhitespaceSplit", "Metaspace"] => {
                Pieces::of(cuts[1])?;
                gaps = Gaps::BETWEEN_WORDS;
                (Cut::White, Some(Pieces::ByGap))
            }
            _ => return None,
        };
        Some(Self { cut, gaps, pieces })
    }
}

impl Gaps {
    const BETWEEN_WORDS: Self = Self {
        runs: Runs::Space,
        strip_left: true,
        strip_right: true,
    };

    /// Record what a step of the normaliser does with spaces; `None` for a step that cannot be done here.
    fn apply_step(&mut self, step: &Value) -> Option<()> {
        if self.runs == Runs::Mark {
            return None;
        }
        if let Some(runs) = runs(step) {
            self.runs = runs;
            return Some(());
        }
        if kind(step) == "Strip" {
            self.strip_left |= step["strip_left"] == true;
            self.strip_right |= step["strip_right"] == true;
            return Some(());
        }
        let spaces_untouched = !(self.collapses_spaces() || self.strip_left || self.strip_right);
        let by_character = BY_CHARACTER.contains(&kind(step)) || replaces_one_character(step);
        (spaces_untouched && by_character).then_some(())
    }

    /// Whether several spaces become one.
    pub fn collapses_spaces(&self) -> bool {
        self.runs != Runs::Stay
    }

    /// Strip a text that begins with one added space.
    pub fn strip(&self, text: &mut String) {
        if self.strip_right {
            text.truncate(text.trim_end().len().max(1));
        }
        if self.strip_left {
            text.replace_range(1..text.len() - text.trim_start().len(), "");
        }
    }
}

impl Pieces {
    fn of(metaspace: &Value) -> Option<Self> {
        let uses_mark = metaspace["replacement"].as_str() == Some("▁");
        let is_prepended = metaspace["prepend_scheme"].as_str() == Some("always");
        let split = metaspace["split"].as_bool()?;
        let pieces = if split { Self::ByGap } else { Self::Whole };
        (uses_mark && is_prepended).then_some(pieces)
    }

    /// The pieces of a text that begins with one added space.
    pub fn split(self, text: &str) -> impl Iterator<Item = &str> {
        let has_its_own = text[1..].starts_with(' ');
        let mut rest = &text[usize::from(has_its_own)..];
        std::iter::from_fn(move || {
            let next = match self {
                Self::Whole => None,
                Self::ByGap => rest.bytes().skip(1).position(|byte| byte == b' '),
            };
            let (piece, left) = rest.split_at(next.map_or(rest.len(), |at| at + 1));
            rest = left;
            (!piece.is_empty()).then_some(piece)
        })
    }
}

/// The step, or the steps of a sequence.
fn steps<'a>(step: &'a Value, inside: &str) -> Vec<&'a Value> {
    match step[inside].as_array() {
        Some(several) => several
            .iter()
            .flat_map(|step| steps(step, inside))
            .collect(),
        None if step.is_null() => vec![],
        None => vec![step],
    }
}

fn kind(step: &Value) -> &str {
    step["type"].as_str().unwrap_or_default()
}

/// What a step makes of several spaces; `None` if it is about something else.
fn runs(step: &Value) -> Option<Runs> {
    let pattern_and_content = (
        step["pattern"]["Regex"].as_str()?,
        step["content"].as_str()?,
    );
    let known = RUNS
        .iter()
        .find(|known| (known.0, known.1) == pattern_and_content);
    known.map(|known| known.2)
}

fn replaces_one_character(step: &Value) -> bool {
    let pattern = step["pattern"]["String"].as_str();
    pattern.is_some_and(|pattern| pattern.chars().count() == 1)
}
