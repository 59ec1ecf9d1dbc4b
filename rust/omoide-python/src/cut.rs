//! Cutting texts into terms, for Python.
//!
//! Invariant: pure functions of their arguments and of what a handle was made from or has learned; offsets count code points; a
//! lone surrogate counts as a character of no language.

use crate::asked::{Asking, Question, SmallTalk};
use crate::detach::aside;
use crate::words::{Chinese, Phrases, Variants};
use compact_str::CompactString;
use omoide_text as text;
use omoide_text::{Term, Token, Tools};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString};
use std::borrow::Cow;

/// Whether the text has a Han character or kana.
#[pyfunction]
pub fn has_cjk(text: &Bound<'_, PyString>) -> bool {
    text::has_cjk(&text.to_string_lossy())
}

/// Whether the text has a Han character.
#[pyfunction]
pub fn has_han(text: &Bound<'_, PyString>) -> bool {
    text::has_han(&text.to_string_lossy())
}

/// Whether the text has a kana letter.
#[pyfunction]
pub fn has_kana(text: &Bound<'_, PyString>) -> bool {
    text::has_kana(&text.to_string_lossy())
}

/// Tells Japanese and Chinese apart.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Languages(text::Languages);

#[pymethods]
impl Languages {
    #[new]
    fn new(japanese: &str) -> Self {
        Self(text::Languages::new(japanese))
    }

    /// `ja`, `zh`, or None for a line without Han and kana.
    fn of(
        &self,
        line: &Bound<'_, PyString>,
        near: Option<&Bound<'_, PyString>>,
    ) -> Option<&'static str> {
        let near = near.map(|tag| tag.to_string_lossy());
        let language = self.0.of(&line.to_string_lossy(), near.as_deref())?;
        Some(match language {
            text::Language::Japanese => "ja",
            text::Language::Chinese => "zh",
        })
    }
}

/// A cache of the words between spaces met so far.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Vocabulary(text::Vocabulary);

#[pymethods]
impl Vocabulary {
    #[new]
    fn new(function_words: Vec<String>, particles: Vec<String>) -> Self {
        Self(text::Vocabulary::new(function_words, particles))
    }
}

/// A cache of the Japanese words met so far.
#[pyclass(frozen, module = "omoide._engine")]
pub struct JapaneseWords(text::JapaneseWords);

#[pymethods]
impl JapaneseWords {
    #[new]
    fn new() -> Self {
        Self(text::JapaneseWords::default())
    }

    /// A line and its words as (number, first code point), in order.
    fn line(&self, text: &str, words: Vec<(u64, usize)>) -> JapaneseLine {
        JapaneseLine(self.0.line(text, &words))
    }

    /// The same line with its unknown words learned, each as (tokens, readings).
    fn learned(&self, line: &JapaneseLine, units: Vec<(Vec<Given>, Vec<Given>)>) -> JapaneseLine {
        let units = units.into_iter();
        let units = units.map(|(tokens, spoken)| text::Unit {
            tokens: tokens.into_iter().map(token).collect(),
            spoken: spoken.into_iter().map(token).collect(),
        });
        JapaneseLine(self.0.learned(&line.0, units))
    }
}

/// A line of Japanese and its words.
#[pyclass(frozen, module = "omoide._engine")]
pub struct JapaneseLine(text::JapaneseLine);

#[pymethods]
impl JapaneseLine {
    #[getter]
    fn unknown(&self) -> Vec<usize> {
        self.0.unknown()
    }
}

/// Cuts texts into terms.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Cutter {
    variants: Py<Variants>,
    languages: Py<Languages>,
    vocabulary: Py<Vocabulary>,
    chinese: Py<Chinese>,
    small_talk: Py<SmallTalk>,
    asking: Py<Asking>,
    own: Option<(Py<Phrases>, Vec<String>)>,
}

/// A question, or the cut text if terms of some words have to come from Python first.
#[derive(IntoPyObject)]
enum Asked {
    Whole(Question),
    Waiting(Cut),
}

#[pymethods]
impl Cutter {
    #[new]
    #[pyo3(signature = (variants, languages, vocabulary, chinese, small_talk, asking, own = None))]
    fn new(
        variants: Py<Variants>,
        languages: Py<Languages>,
        vocabulary: Py<Vocabulary>,
        chinese: Py<Chinese>,
        small_talk: Py<SmallTalk>,
        asking: Py<Asking>,
        own: Option<(Py<Phrases>, Vec<String>)>,
    ) -> Self {
        Self {
            variants,
            languages,
            vocabulary,
            chinese,
            small_talk,
            asking,
            own,
        }
    }

    /// Cuts a document's text. None if folding the text needs tables and `spelled`, the folded text, is not given.
    #[pyo3(signature = (written, near = None, spelled = None))]
    fn document(
        &self,
        py: Python<'_>,
        written: &Bound<'_, PyString>,
        near: Option<&Bound<'_, PyString>>,
        spelled: Option<&str>,
    ) -> Option<Cut> {
        self.cut(py, text::Cut::new, written, near, spelled)
            .map(Cut)
    }

    /// Cuts a question: a `Question` if that needs nothing from Python, else a `Cut`. None as for `document`.
    #[pyo3(signature = (written, near = None, spelled = None))]
    fn question(
        &self,
        py: Python<'_>,
        written: &Bound<'_, PyString>,
        near: Option<&Bound<'_, PyString>>,
        spelled: Option<&str>,
    ) -> Option<Asked> {
        let cut = self.cut(py, text::Cut::of_question, written, near, spelled)?;
        Some(if cut.is_whole() {
            Asked::Whole(self.weighed(&cut, &[], &[]))
        } else {
            Asked::Waiting(Cut(cut))
        })
    }

    /// The question, given the terms of the unknown words (`told`) and the Japanese lines.
    fn asked(&self, cut: &Cut, told: Vec<Told>, japanese: Lines<'_>) -> Question {
        self.weighed(&cut.0, &terms(told), &lines(&japanese))
    }

    /// Caches the terms of a text's unknown words.
    fn learn(&self, cut: &Cut, told: Vec<Told>) {
        let words = cut.0.unknown().iter().cloned();
        self.vocabulary.get().0.learn(words.zip(terms(told)));
    }
}

impl Cutter {
    fn cut(
        &self,
        py: Python<'_>,
        cut: fn(&Tools<'_>, &str, &str, Option<&str>) -> text::Cut,
        written: &Bound<'_, PyString>,
        near: Option<&Bound<'_, PyString>>,
        spelled: Option<&str>,
    ) -> Option<text::Cut> {
        let spelled = match spelled {
            Some(spelled) => Cow::Borrowed(spelled),
            None => Cow::Owned(text::plain(written.to_str().ok()?)?),
        };
        let (written, near) = (
            written.to_string_lossy(),
            near.map(|tag| tag.to_string_lossy()),
        );
        let own = self.own.as_ref();
        let tools = Tools {
            variants: &self.variants.get().0,
            languages: &self.languages.get().0,
            vocabulary: &self.vocabulary.get().0,
            chinese: &self.chinese.get().0,
            own: own.map(|(phrases, words)| (&phrases.get().0, words.as_slice())),
        };
        Some(aside(py, &spelled, || {
            cut(&tools, &spelled, &written, near.as_deref())
        }))
    }

    fn weighed(
        &self,
        cut: &text::Cut,
        told: &[Term],
        japanese: &[(usize, &text::JapaneseLine)],
    ) -> Question {
        Question(
            cut.question(&self.asking.get().0, told, japanese)
                .weighed(&self.small_talk.get().0),
        )
    }
}

/// (term, whether a function word)
type Told = (PyBackedStr, bool);
/// (term, start, end, whether a function word)
type Given = (PyBackedStr, usize, usize, bool);
/// Lines of a text, each with its first code point.
type Lines<'py> = Vec<(usize, PyRef<'py, JapaneseLine>)>;

fn lines<'a>(given: &'a Lines<'_>) -> Vec<(usize, &'a text::JapaneseLine)> {
    let each = given.iter();
    each.map(|(at, line)| (*at, &line.0)).collect()
}

fn terms(told: Vec<Told>) -> Vec<Term> {
    let each = told.iter();
    each.map(|(term, function)| ((&**term).into(), *function))
        .collect()
}

fn token((term, start, end, function): Given) -> Token {
    ((&*term).into(), start, end, function)
}

fn shown(terms: &[CompactString]) -> Vec<&str> {
    terms.iter().map(CompactString::as_str).collect()
}

/// A cut text, without its Japanese words.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Cut(text::Cut);

#[pymethods]
impl Cut {
    #[getter]
    fn folded(&self) -> &str {
        self.0.folded()
    }

    /// The words whose terms Python has to give, in the order in which `learn` and `asked` take them.
    #[getter]
    fn unknown(&self) -> Vec<&str> {
        shown(self.0.unknown())
    }

    /// (first code point, text) of the lines to analyse as Japanese.
    #[getter]
    fn japanese(&self) -> Vec<(usize, &str)> {
        self.0.japanese().collect()
    }

    /// What the index stores of a document: terms and readings.
    fn terms<'py>(
        &self,
        py: Python<'py>,
        told: Vec<Told>,
        japanese: Lines<'py>,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
        let found = self.0.terms(&terms(told), &lines(&japanese));
        let list = |terms: &[CompactString]| PyList::new(py, shown(terms));
        Ok((list(&found.terms)?, list(&found.readings)?))
    }

    /// [start, end) of the words that have certain terms.
    fn places(
        &self,
        told: Vec<Told>,
        japanese: Lines<'_>,
        wanted: Vec<PyBackedStr>,
    ) -> Vec<(usize, usize)> {
        let wanted = wanted.iter().map(|term| &**term).collect();
        self.0.places(&terms(told), &lines(&japanese), &wanted)
    }
}
