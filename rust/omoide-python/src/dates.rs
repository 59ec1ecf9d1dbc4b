//! Finding the words of dates in a text, for Python.
//!
//! Invariant: pure functions of their arguments and of what the handle was made from; offsets count code points; a lone
//! surrogate, which is in no word, is read as U+FFFD.

use crate::detach::aside;
use omoide_text as text;
use omoide_text::{Begins, DateKinds, DateSigns, DateToken, DateWord, Said, Says, Tells};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::borrow::Cow;

/// The signs of a date, as bits.
const WORD: u8 = 1;
const OFTEN_OTHERWISE: u8 = 2;
const DIGIT: u8 = 4;

/// The values behind the numbers that Python passes: what a word tells, whether a date begins with it, how much it says.
const TELLS: [Tells; 3] = [Tells::Nothing, Tells::Beside, Tells::Alone];
const BEGINS: [Begins; 6] = [
    Begins::Never,
    Begins::WithOthers,
    Begins::WithMore(Says::Length),
    Begins::WithMore(Says::More),
    Begins::Perhaps,
    Begins::Alone,
];
const SAYS: [Says; 4] = [Says::Nothing, Says::Count, Says::Length, Says::More];

/// (spelled, senses, what it tells, whether it completes another, whether a date begins with it, how much it says, what a date
/// that begins with it needs next, what it offers)
type Given<'py> = (Bound<'py, PyString>, Py<PyDict>, u8, bool, u8, u8, u8, u8);

/// (text, start, end, senses, glued); no senses for a run of Han numerals.
type Row<'py> = (
    Bound<'py, PyString>,
    usize,
    usize,
    Option<Bound<'py, PyDict>>,
    bool,
);

/// The words of dates: their senses and what each tells about a date.
#[pyclass(frozen, module = "omoide._engine")]
pub struct DateWords {
    words: text::DateWords,
    /// Spelling and senses, by the word's index.
    meant: Vec<(Py<PyString>, Py<PyDict>)>,
    nothing: Py<PyDict>,
}

#[pymethods]
impl DateWords {
    /// Words as (spelled, senses, what it tells: 0 nothing, 1 beside something, 2 alone, whether it completes another,
    /// whether a date begins with it: 0 never, 1 with others, 2 with others of which one says how long, 3 with others of
    /// which one says more, 4 perhaps, 5 alone, how much it says: 0 nothing, 1 how many, 2 how long, 3 more, kinds of which
    /// it needs one next for a date to begin with it: a sum of 1, a number with more behind it, and any other powers of two,
    /// 0 none, the kinds it is itself).
    #[new]
    fn new(
        py: Python<'_>,
        characters: &str,
        folded: &str,
        words: Vec<Given<'_>>,
        numerals: &str,
        inside: Vec<(String, u8)>,
    ) -> PyResult<Self> {
        let given = words.iter().map(
            |(spelled, _, tells, completes, begins, says, needs, offers)| {
                Ok(DateWord {
                    spelled: spelled.to_str()?,
                    tells: TELLS[usize::from(*tells).min(2)],
                    completes: *completes,
                    begins: BEGINS[usize::from(*begins).min(5)],
                    says: said(*says),
                    needs: DateKinds(*needs),
                    offers: DateKinds(*offers),
                })
            },
        );
        let given: Vec<DateWord<'_>> = given.collect::<PyResult<_>>()?;
        let folds = characters.chars().zip(folded.chars());
        let inside = inside.into_iter().map(|(text, says)| (text, said(says)));
        let inside: Vec<(String, Says)> = inside.collect();
        let made = text::DateWords::new(folds, given, numerals, &inside);
        let meant = words
            .iter()
            .map(|(spelled, senses, ..)| (spelled.clone().unbind(), senses.clone_ref(py)));
        Ok(Self {
            words: made,
            meant: meant.collect(),
            nothing: PyDict::new(py).unbind(),
        })
    }

    /// Which signs of a date a text has, as a sum: 1 a word, 2 a Latin word that tells only beside something, 4 a digit. With
    /// `surely`: 0 unless something that is certainly a date can begin in it.
    fn signs(&self, py: Python<'_>, text: &Bound<'_, PyString>, surely: bool) -> PyResult<u8> {
        let text = whole(text)?;
        let DateSigns {
            word,
            often_otherwise,
            digit,
        } = aside(py, &text, || self.signs_of(&text, surely));
        Ok(u8::from(word) * WORD
            + u8::from(often_otherwise) * OFTEN_OTHERWISE
            + u8::from(digit) * DIGIT)
    }

    /// Where words that tell of a date begin.
    fn places(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Vec<usize>> {
        let text = whole(text)?;
        Ok(aside(py, &text, || {
            self.words.places(&self.words.folded(&text))
        }))
    }

    /// The folded text, its tokens, and the indices of those that a date may begin with (with `surely`: something that is
    /// certainly a date). If there are none, the tokens are left out, unless `always`.
    fn tokens<'py>(
        &self,
        text: &Bound<'py, PyString>,
        surely: bool,
        always: bool,
    ) -> PyResult<(String, Vec<Row<'py>>, Vec<usize>)> {
        let (py, folded) = (text.py(), self.words.folded(&whole(text)?));
        let mut tokens = self.words.tokens(&folded);
        let beginnings = self.words.beginnings(&folded, &tokens, surely);
        if beginnings.is_empty() && !always {
            tokens.clear();
        }
        let rows = tokens.into_iter().map(|token| self.row(py, &folded, token));
        let rows = rows.collect::<PyResult<_>>()?;
        Ok((folded.iter().collect(), rows, beginnings))
    }
}

impl DateWords {
    fn signs_of(&self, text: &str, surely: bool) -> DateSigns {
        let folded = self.words.folded(text);
        let signs = self.words.signs(&folded, surely);
        if !surely || signs == DateSigns::default() {
            return signs;
        }
        let tokens = self.words.tokens(&folded);
        let begins = !self.words.beginnings(&folded, &tokens, true).is_empty();
        if begins { signs } else { DateSigns::default() }
    }

    fn row<'py>(&self, py: Python<'py>, folded: &[char], token: DateToken) -> PyResult<Row<'py>> {
        let DateToken {
            said,
            start,
            end,
            glued,
        } = token;
        let written = || PyString::new(py, &folded[start..end].iter().collect::<String>());
        let nothing = || self.nothing.bind(py).clone();
        let (spelled, senses) = match said {
            Said::Word(place) => {
                let (spelled, senses) = &self.meant[place];
                (spelled.bind(py).clone(), Some(senses.bind(py).clone()))
            }
            Said::Digits(Some(value)) => {
                let senses = PyDict::new(py);
                senses.set_item(pyo3::intern!(py, "num"), value)?;
                (written(), Some(senses))
            }
            Said::Digits(None) | Said::Other => (written(), Some(nothing())),
            Said::Numerals => (written(), None),
        };
        Ok((spelled, start, end, senses, glued))
    }
}

fn said(says: u8) -> Says {
    SAYS[usize::from(says).min(3)]
}

/// The text with U+FFFD for each lone surrogate.
fn whole<'text>(text: &'text Bound<'_, PyString>) -> PyResult<Cow<'text, str>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text));
    }
    let points = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
    let points = points.cast::<PyBytes>()?.as_bytes().chunks_exact(4);
    let points = points.map(|point| u32::from_le_bytes([point[0], point[1], point[2], point[3]]));
    let whole = points.map(|point| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
    Ok(Cow::Owned(whole.collect()))
}
