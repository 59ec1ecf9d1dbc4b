//! Finding the words of dates in a text, for Python.
//!
//! Invariant: pure functions of their arguments and of what the handle was made from; offsets count code points; a lone
//! surrogate, which is in no word, is read as U+FFFD.

use crate::detach::detach_if_long;
use omoide_text as text;
use omoide_text::{
    DateKinds, DateSigns, DateToken, DateWord, Evidence, Specificity, Starts, TokenKind,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::borrow::Cow;

/// The signs of a date, as bits.
const WORD: u8 = 1;
const AMBIGUOUS_LATIN: u8 = 2;
const DIGIT: u8 = 4;

/// The values behind the numbers that Python passes: the evidence that a word is, whether a date begins with it, how specific it is.
const EVIDENCE: [Evidence; 3] = [Evidence::Nothing, Evidence::Beside, Evidence::Alone];
const STARTS: [Starts; 6] = [
    Starts::Never,
    Starts::WithOthers,
    Starts::WithMore(Specificity::Length),
    Starts::WithMore(Specificity::More),
    Starts::Perhaps,
    Starts::Alone,
];
const SPECIFICITY: [Specificity; 4] = [
    Specificity::Nothing,
    Specificity::Count,
    Specificity::Length,
    Specificity::More,
];

/// (spelled, senses, evidence, whether it completes another, whether a date begins with it, specificity, what a date that
/// begins with it needs next, what it offers)
type DateWordTuple<'py> = (Bound<'py, PyString>, Py<PyDict>, u8, bool, u8, u8, u8, u8);

/// (text, start, end, senses, glued); no senses for a run of Han numerals.
type Row<'py> = (
    Bound<'py, PyString>,
    usize,
    usize,
    Option<Bound<'py, PyDict>>,
    bool,
);

/// The words of dates: their senses and the role of each in a date.
#[pyclass(frozen, module = "omoide._engine")]
pub struct DateWords {
    words: text::DateWords,
    /// Spelling and senses, by the word's index.
    spellings_and_senses: Vec<(Py<PyString>, Py<PyDict>)>,
    nothing: Py<PyDict>,
}

#[pymethods]
impl DateWords {
    /// Words as (spelled, senses, evidence: 0 nothing, 1 beside something, 2 alone, whether it completes another, whether a date
    /// begins with it: 0 never, 1 with others, 2 with others of which one is a length, 3 with others of which one is more, 4
    /// perhaps, 5 alone, specificity: 0 nothing, 1 a count, 2 a length, 3 more, kinds of which it needs one next for a date to
    /// begin with it: a sum of 1, a number with more behind it, and any other powers of two, 0 none, the kinds it is itself).
    #[new]
    fn new(
        py: Python<'_>,
        characters: &str,
        folded: &str,
        words: Vec<DateWordTuple<'_>>,
        numerals: &str,
        inside: Vec<(String, u8)>,
    ) -> PyResult<Self> {
        let given = words.iter().map(
            |(spelled, _, evidence, completes, starts, specificity, needs, offers)| {
                Ok(DateWord {
                    spelled: spelled.to_str()?,
                    evidence: EVIDENCE[usize::from(*evidence).min(2)],
                    completes: *completes,
                    starts: STARTS[usize::from(*starts).min(5)],
                    specificity: specificity_of(*specificity),
                    needs: DateKinds(*needs),
                    offers: DateKinds(*offers),
                })
            },
        );
        let given: Vec<DateWord<'_>> = given.collect::<PyResult<_>>()?;
        let folds = characters.chars().zip(folded.chars());
        let inside = inside
            .into_iter()
            .map(|(text, specificity)| (text, specificity_of(specificity)));
        let inside: Vec<(String, Specificity)> = inside.collect();
        let made = text::DateWords::new(folds, given, numerals, &inside);
        let meanings = words
            .iter()
            .map(|(spelled, senses, ..)| (spelled.clone().unbind(), senses.clone_ref(py)));
        Ok(Self {
            words: made,
            spellings_and_senses: meanings.collect(),
            nothing: PyDict::new(py).unbind(),
        })
    }

    /// Which signs of a date a text has, as a sum: 1 a word, 2 a Latin word that counts only beside something, 4 a digit. With
    /// `certain_only`: 0 unless something that is certainly a date can begin in it.
    fn signs(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        certain_only: bool,
    ) -> PyResult<u8> {
        let text = without_surrogates(text)?;
        let DateSigns {
            word,
            ambiguous_latin,
            digit,
        } = detach_if_long(py, &text, || self.signs_of(&text, certain_only));
        Ok(u8::from(word) * WORD
            + u8::from(ambiguous_latin) * AMBIGUOUS_LATIN
            + u8::from(digit) * DIGIT)
    }

    /// Where words that are evidence for a date begin.
    fn places(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Vec<usize>> {
        let text = without_surrogates(text)?;
        Ok(detach_if_long(py, &text, || {
            self.words.places(&self.words.folded(&text))
        }))
    }

    /// The folded text, its tokens, and the indices of those that a date may begin with (with `certain_only`: something that is
    /// certainly a date). If there are none, the tokens are left out, unless `always`.
    fn tokens<'py>(
        &self,
        text: &Bound<'py, PyString>,
        certain_only: bool,
        always: bool,
    ) -> PyResult<(String, Vec<Row<'py>>, Vec<usize>)> {
        let (py, folded) = (text.py(), self.words.folded(&without_surrogates(text)?));
        let mut tokens = self.words.tokens(&folded);
        let possible_starts = self.words.possible_starts(&folded, &tokens, certain_only);
        if possible_starts.is_empty() && !always {
            tokens.clear();
        }
        let rows = tokens.into_iter().map(|token| self.row(py, &folded, token));
        let rows = rows.collect::<PyResult<_>>()?;
        Ok((folded.iter().collect(), rows, possible_starts))
    }
}

impl DateWords {
    fn signs_of(&self, text: &str, certain_only: bool) -> DateSigns {
        let folded = self.words.folded(text);
        let signs = self.words.signs(&folded, certain_only);
        if !certain_only || signs == DateSigns::default() {
            return signs;
        }
        let tokens = self.words.tokens(&folded);
        let starts = !self
            .words
            .possible_starts(&folded, &tokens, true)
            .is_empty();
        if starts { signs } else { DateSigns::default() }
    }

    fn row<'py>(&self, py: Python<'py>, folded: &[char], token: DateToken) -> PyResult<Row<'py>> {
        let DateToken {
            kind,
            start,
            end,
            is_adjacent,
        } = token;
        let written = || PyString::new(py, &folded[start..end].iter().collect::<String>());
        let nothing = || self.nothing.bind(py).clone();
        let (spelled, senses) = match kind {
            TokenKind::Word(index) => {
                let (spelled, senses) = &self.spellings_and_senses[index];
                (spelled.bind(py).clone(), Some(senses.bind(py).clone()))
            }
            TokenKind::Digits(Some(value)) => {
                let senses = PyDict::new(py);
                senses.set_item(pyo3::intern!(py, "num"), value)?;
                (written(), Some(senses))
            }
            TokenKind::Digits(None) | TokenKind::Other => (written(), Some(nothing())),
            TokenKind::Numerals => (written(), None),
        };
        Ok((spelled, start, end, senses, is_adjacent))
    }
}

fn specificity_of(number: u8) -> Specificity {
    SPECIFICITY[usize::from(number).min(3)]
}

/// The text with U+FFFD for each lone surrogate.
fn without_surrogates<'text>(text: &'text Bound<'_, PyString>) -> PyResult<Cow<'text, str>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text));
    }
    let points = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
    let points = points.cast::<PyBytes>()?.as_bytes().chunks_exact(4);
    let points = points.map(|point| u32::from_le_bytes([point[0], point[1], point[2], point[3]]));
    let characters =
        points.map(|point| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
    Ok(Cow::Owned(characters.collect()))
}
