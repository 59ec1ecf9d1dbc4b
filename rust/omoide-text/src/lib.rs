//! Analysis of text: character grams and words, and which spellings are the same.
//!
//! - `cut`: all terms of a text, by the tools below; `languages` distinguishes Japanese and Chinese, line by line
//! - `words` of most scripts, and the `vocabulary` of their stems; `chinese`, by a `dictionary`; `japanese`, as Python cut it
//! - `grams` and `sequences` of characters; `phrases`: the user's own words; `spellings` of a word; `collocations` of several words
//! - the `script` of a character, and sets of `characters`; slices by `code_points`; the `writing` of a text
//! - what is the same: `fold`, `numerals`, `essence`
//! - `question`: what a text asks for, without the phrases that only ask (`asking`); `dates` in it; `excerpt`: the part of a text
//!   that shows why it was found; `written`: terms as the caller wrote them
//!
//! Useful for: all analysis that needs no interpreter: words of every script, Chinese by its dictionary, and grams to find any
//! substring of Chinese, Japanese and Korean text. Not useful for: cutting Japanese, which Python libraries do.
//! Invariant: every gram is a slice of its input; offsets count code points.

mod asking;
mod characters;
mod chinese;
mod code_points;
mod collocations;
mod cut;
mod dates;
mod dictionary;
mod essence;
mod excerpt;
mod fold;
mod grams;
mod japanese;
mod languages;
mod numerals;
mod phrases;
mod question;
mod script;
mod sequences;
mod spellings;
mod vocabulary;
mod words;
mod writing;
mod written;

use script::Script;

pub use asking::{Asking, Spans};
pub use chinese::{Chinese, ChineseWord};
pub use cut::{Cut, DocumentTerms, Tools};
pub use dates::{
    DateKinds, DateSigns, DateToken, DateWord, DateWords, Evidence, Specificity, Starts, TokenKind,
};
pub use essence::{Wording, essence, essence_of_folded};
pub use excerpt::{TermSet, glimpse, snippet};
pub use fold::{Variants, plain};
pub use grams::grams;
pub use japanese::{JapaneseLine, JapaneseWords, Unit};
pub use languages::{Language, Languages, Line, has_cjk, has_han, has_kana};
pub use numerals::numerals;
pub use phrases::{Phrases, Place};
pub use question::{QueryTerm, Question, ReadAs, Token};
pub use sequences::{Sequence, sequences};
pub use spellings::Spellings;
pub use vocabulary::{KnownTerms, Term, Vocabulary};
pub use words::{Word, compounds, words};
pub use writing::Writing;
pub use written::{Wordings, Written};
