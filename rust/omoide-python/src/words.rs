//! Folding, words and phrases, for Python.
//!
//! Invariant: pure functions of their arguments and of what a handle was made from; offsets count code points.

use crate::detach::{detach_if_long, detach_if_very_long, detach_unless, is_short_for_light_work};
use crate::error::EngineError;
use omoide_index::prefetch::prefetch;
use omoide_text as text;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use std::borrow::Cow;

/// The text after NFKC and case folding; None if that needs tables.
#[pyfunction]
pub fn plain(py: Python<'_>, text: &str) -> Option<String> {
    detach_if_very_long(py, text, || text::plain(text))
}

/// Folds the variants of a character to one.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Variants(pub text::Variants);

#[pymethods]
impl Variants {
    #[new]
    fn new(characters: &str, folded: &str) -> Self {
        Self(text::Variants::new(characters.chars().zip(folded.chars())))
    }

    /// The text with every variant folded; its length in code points stays.
    fn fold<'text>(&self, py: Python<'_>, text: &'text str) -> Cow<'text, str> {
        detach_if_very_long(py, text, || self.0.fold(text))
    }

    /// The essence of each text as written; None if folding it needs tables.
    fn essences(&self, py: Python<'_>, texts: Vec<PyBackedStr>) -> Vec<Option<u64>> {
        let of = |text: &PyBackedStr| text::essence(&self.0, text);
        let is_short = is_short_for_light_work(texts.iter().map(|text| text.len()).sum());
        detach_unless(py, is_short, || texts.iter().map(of).collect())
    }

    /// [start, end) of the excerpt of a text, at most `width` code points: the sentence with most of the folded terms. None if
    /// folding the text needs tables.
    fn glimpse(
        &self,
        py: Python<'_>,
        text: &str,
        terms: Vec<PyBackedStr>,
        width: usize,
    ) -> Option<(usize, usize)> {
        let terms = borrowed(&terms);
        let find = || text::glimpse(&self.0, text, &terms, width);
        let shown = detach_if_very_long(py, text, find)?;
        Some((shown.start, shown.end))
    }

    /// Such excerpts of several texts, each with its own terms, as one line each, with dots where the sentence goes on.
    /// Adjacent texts that are given the same sequence object prepare its terms once.
    fn snippets(
        &self,
        py: Python<'_>,
        texts: Vec<PyBackedStr>,
        terms: Vec<Bound<'_, PyAny>>,
        width: usize,
    ) -> PyResult<Vec<Option<String>>> {
        let is_short = is_short_for_light_work(texts.iter().map(|text| text.len()).sum());
        if is_short {
            texts.iter().for_each(|text| prefetch(text.as_bytes()));
        }
        let mut distinct: Vec<Vec<PyBackedStr>> = Vec::new();
        let mut indices = Vec::with_capacity(terms.len());
        for (at, each) in terms.iter().enumerate() {
            if at == 0 || !each.is(&terms[at - 1]) {
                distinct.push(each.extract()?);
            }
            indices.push(distinct.len() - 1);
        }
        Ok(detach_unless(py, is_short, || {
            let distinct: Vec<Vec<&str>> = distinct.iter().map(|terms| borrowed(terms)).collect();
            let term_set: Vec<_> = distinct
                .iter()
                .map(|terms| text::TermSet::of(terms))
                .collect();
            let line = |(text, indices): (&PyBackedStr, usize)| {
                text::snippet(&self.0, text, term_set[indices].as_ref(), width)
            };
            texts.iter().zip(indices).map(line).collect()
        }))
    }
}

fn borrowed(terms: &[PyBackedStr]) -> Vec<&str> {
    terms.iter().map(|term| &**term).collect()
}

/// The essence of a folded text.
#[pyfunction]
pub fn essence(folded: &str) -> u64 {
    text::essence_of_folded(folded)
}

/// The words of a folded text, to recognise other texts with nearly the same words.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Wording(text::Wording);

#[pymethods]
impl Wording {
    #[new]
    fn new(py: Python<'_>, folded: &str) -> Self {
        Self(detach_if_very_long(py, folded, || {
            text::Wording::of(folded)
        }))
    }

    /// Whether the two share most words.
    fn is_near(&self, other: &Self) -> bool {
        self.0.is_near(&other.0)
    }
}

/// Cuts Chinese into words by dictionary.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Chinese(pub text::Chinese);

#[pymethods]
impl Chinese {
    #[new]
    fn new(function_words: Vec<String>, user_words: Vec<String>) -> Self {
        Self(text::Chinese::new(function_words, user_words))
    }
}

/// The user's own words and phrases.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Phrases(pub text::Phrases);

#[pymethods]
impl Phrases {
    #[new]
    fn new(phrases: Vec<String>) -> PyResult<Self> {
        let made = text::Phrases::new(&phrases);
        made.map(Self)
            .map_err(|error| EngineError::new_err(error.to_string()))
    }

    /// Every occurrence in a folded text as (index of the phrase, start, end).
    fn find(&self, py: Python<'_>, folded: &str) -> Vec<text::Place> {
        detach_if_long(py, folded, || self.0.find(folded))
    }
}
