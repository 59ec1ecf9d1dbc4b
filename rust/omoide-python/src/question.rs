//! What a text asks for, as an immutable value made or read in Python.
//!
//! Invariant: offsets count code points of the folded text.

use crate::error::EngineError;
use omoide_search as search;
use omoide_text as text;
use pyo3::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// An index term with its position and weight.
#[pyclass(frozen, from_py_object, module = "omoide._engine")]
#[derive(Clone)]
pub struct Word(text::QueryTerm);

#[pymethods]
impl Word {
    #[new]
    #[pyo3(signature = (term, start, end, weight = 1.0))]
    fn new(term: &str, start: usize, end: usize, weight: f64) -> Self {
        Self(text::QueryTerm {
            term: term.into(),
            start,
            end,
            weight,
            read_as: text::ReadAs::Any,
        })
    }

    #[getter]
    fn term(&self) -> &str {
        &self.0.term
    }

    #[getter]
    fn start(&self) -> usize {
        self.0.start
    }

    #[getter]
    fn end(&self) -> usize {
        self.0.end
    }

    #[getter]
    fn weight(&self) -> f64 {
        self.0.weight
    }
}

fn terms_of(words: Vec<Word>) -> Vec<text::QueryTerm> {
    words.into_iter().map(|word| word.0).collect()
}

fn as_words(words: &[text::QueryTerm]) -> Vec<Word> {
    words.iter().cloned().map(Word).collect()
}

/// A text to look for.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Question(pub text::Question);

#[pymethods]
impl Question {
    #[new]
    #[pyo3(signature = (folded, *, plain = None, words = Vec::new(), alternatives = Vec::new(), readings = Vec::new(),
        synonyms = Vec::new(), also = Vec::new()))]
    fn new(
        folded: String,
        plain: Option<String>,
        words: Vec<Word>,
        alternatives: Vec<Word>,
        readings: Vec<Word>,
        synonyms: Vec<Word>,
        also: Vec<(String, f64)>,
    ) -> Self {
        let folded: Arc<str> = folded.into();
        Self(text::Question {
            plain: plain.map_or_else(|| Arc::clone(&folded), Into::into),
            folded,
            words: terms_of(words),
            alternatives: terms_of(alternatives),
            synonyms: terms_of(synonyms),
            readings: terms_of(readings),
            also,
            ..text::Question::default()
        })
    }

    /// The same question with more synonyms, and more texts of the same meaning.
    fn with_synonyms(&self, synonyms: Vec<Word>, also: Vec<(String, f64)>) -> Self {
        let mut question = self.0.clone();
        question.synonyms.extend(terms_of(synonyms));
        question.also.extend(also);
        Self(question)
    }

    #[getter]
    fn folded(&self) -> &str {
        &self.0.folded
    }

    #[getter]
    fn words(&self) -> Vec<Word> {
        as_words(&self.0.words)
    }

    #[getter]
    fn alternatives(&self) -> Vec<Word> {
        as_words(&self.0.alternatives)
    }

    #[getter]
    fn synonyms(&self) -> Vec<Word> {
        as_words(&self.0.synonyms)
    }

    #[getter]
    fn readings(&self) -> Vec<Word> {
        as_words(&self.0.readings)
    }

    #[getter]
    fn also(&self) -> Vec<(String, f64)> {
        self.0.also.clone()
    }
}

/// Words that occur in talk about anything.
#[pyclass(frozen, module = "omoide._engine")]
pub struct SmallTalk(pub FxHashSet<String>);

#[pymethods]
impl SmallTalk {
    #[new]
    fn new(terms: Vec<String>) -> Self {
        Self(terms.into_iter().collect())
    }
}

/// Phrases that only ask for an answer.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Asking(pub text::Asking);

#[pymethods]
impl Asking {
    #[new]
    fn new(
        opening: Vec<String>,
        closing: Vec<String>,
        relating: Vec<String>,
        aside: Vec<String>,
    ) -> PyResult<Self> {
        text::Asking::new(&opening, &closing, &relating, &aside)
            .map(Self)
            .map_err(|error| EngineError::new_err(error.to_string()))
    }
}

/// Converts words to the type that the search takes, with their places inside the text, which has no more code points than bytes:
/// the search has arrays as long as the farthest place.
pub fn search_words(words: &[text::QueryTerm], folded: &str) -> Vec<search::Word> {
    let word = |word: &text::QueryTerm| search::Word {
        term: word.term.clone(),
        weight: word.weight as f32,
        start: word.start.min(folded.len()),
        end: word.end.min(folded.len()),
        except_kind: match word.read_as {
            text::ReadAs::Any => None,
            text::ReadAs::Japanese => Some(text::Writing::Chinese as usize),
            text::ReadAs::Chinese => Some(text::Writing::Japanese as usize),
        },
    };
    words.iter().map(word).collect()
}
