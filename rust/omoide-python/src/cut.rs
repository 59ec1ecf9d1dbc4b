//! Cutting texts into terms, for Python.
//!
//! Invariant: pure functions of their arguments and of what a handle was made from or has learned; offsets count code points; a
//! lone surrogate counts as a character of no language.

use crate::detach::{detach_if_long, detach_if_very_long};
use crate::question::{Asking, Question, SmallTalk};
use crate::words::{Chinese, Phrases, Variants};
use compact_str::CompactString;
use omoide_text as text;
use omoide_text::{Spans, Term, Token, Tools};
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
    fn new(japanese: &str, simplified: &str, traditional: &str) -> Self {
        Self(text::Languages::new(japanese, simplified, traditional))
    }

    /// `ja`, `zh`, or None for a line without Han and kana.
    fn of(
        &self,
        line: &Bound<'_, PyString>,
        context_language: Option<&Bound<'_, PyString>>,
    ) -> Option<&'static str> {
        let context_language = context_language.map(|tag| tag.to_string_lossy());
        let language = self
            .0
            .of(&line.to_string_lossy(), context_language.as_deref())?;
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
    fn learned(
        &self,
        line: &JapaneseLine,
        units: Vec<(Vec<TokenTuple>, Vec<TokenTuple>)>,
    ) -> JapaneseLine {
        let units = units.into_iter();
        let units = units.map(|(tokens, readings)| text::Unit {
            tokens: tokens.into_iter().map(token).collect(),
            readings: readings.into_iter().map(token).collect(),
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

/// Words that share the term of others that mean the same.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Spellings(text::Spellings);

#[pymethods]
impl Spellings {
    #[new]
    fn new(
        in_japanese: Vec<(String, String)>,
        in_chinese: Vec<(String, String)>,
        translated: Vec<String>,
        of_several_words: Vec<(Vec<String>, String)>,
    ) -> Self {
        Self(
            text::Spellings::new(in_japanese, in_chinese)
                .with_translated(translated)
                .with_collocations(of_several_words),
        )
    }
}

/// Cuts texts into terms.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Cutter {
    variants: Py<Variants>,
    languages: Py<Languages>,
    vocabulary: Py<Vocabulary>,
    chinese: Py<Chinese>,
    spellings: Py<Spellings>,
    small_talk: Py<SmallTalk>,
    asking: Py<Asking>,
    user_words: Option<(Py<Phrases>, Vec<String>)>,
}

/// A question, or the cut text if terms of some words have to come from Python first.
#[derive(IntoPyObject)]
enum QuestionOrCut {
    Question(Question),
    Cut(Cut),
}

#[pymethods]
impl Cutter {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "one for each tool")]
    #[pyo3(signature = (variants, languages, vocabulary, chinese, spellings, small_talk, asking, user_words = None))]
    fn new(
        variants: Py<Variants>,
        languages: Py<Languages>,
        vocabulary: Py<Vocabulary>,
        chinese: Py<Chinese>,
        spellings: Py<Spellings>,
        small_talk: Py<SmallTalk>,
        asking: Py<Asking>,
        user_words: Option<(Py<Phrases>, Vec<String>)>,
    ) -> Self {
        Self {
            variants,
            languages,
            vocabulary,
            chinese,
            spellings,
            small_talk,
            asking,
            user_words,
        }
    }

    /// Cuts a document's text. None if folding the text needs tables and `plain`, the folded text, is not given.
    #[pyo3(signature = (written, context_language = None, plain = None))]
    fn document(
        &self,
        py: Python<'_>,
        written: &Bound<'_, PyString>,
        context_language: Option<&Bound<'_, PyString>>,
        plain: Option<&str>,
    ) -> Option<Cut> {
        self.cut(py, text::Cut::new, written, context_language, plain)
            .map(Cut)
    }

    /// Cuts a question: a `Question` if that needs nothing from Python, else a `Cut`. None as for `document`.
    #[pyo3(signature = (written, context_language = None, plain = None, aside = Vec::new()))]
    fn question(
        &self,
        py: Python<'_>,
        written: &Bound<'_, PyString>,
        context_language: Option<&Bound<'_, PyString>>,
        plain: Option<&str>,
        aside: Vec<(usize, usize)>,
    ) -> Option<QuestionOrCut> {
        let cut = self.cut(py, text::Cut::of_question, written, context_language, plain)?;
        Some(if cut.is_complete() {
            QuestionOrCut::Question(self.question_of(py, &cut, &[], &[], aside))
        } else {
            QuestionOrCut::Cut(Cut(cut))
        })
    }

    /// The question, given the terms of the unknown words and the Japanese lines.
    #[pyo3(signature = (cut, unknown_terms, japanese, aside = Vec::new()))]
    fn finish_question(
        &self,
        py: Python<'_>,
        cut: &Cut,
        unknown_terms: Vec<TermAndFunction>,
        japanese: Lines<'_>,
        aside: Vec<(usize, usize)>,
    ) -> Question {
        self.question_of(py, &cut.0, &terms(unknown_terms), &lines(&japanese), aside)
    }

    /// Caches the terms of a text's unknown words.
    fn learn(&self, cut: &Cut, unknown_terms: Vec<TermAndFunction>) {
        let words = cut.0.unknown().iter().cloned();
        self.vocabulary
            .get()
            .0
            .learn(words.zip(terms(unknown_terms)));
    }
}

impl Cutter {
    fn cut(
        &self,
        py: Python<'_>,
        cut: fn(&Tools<'_>, &str, &str, Option<&str>) -> text::Cut,
        written: &Bound<'_, PyString>,
        context_language: Option<&Bound<'_, PyString>>,
        plain: Option<&str>,
    ) -> Option<text::Cut> {
        let plain = match plain {
            Some(plain) => Cow::Borrowed(plain),
            None => Cow::Owned(text::plain(written.to_str().ok()?)?),
        };
        let (written, context_language) = (
            written.to_string_lossy(),
            context_language.map(|tag| tag.to_string_lossy()),
        );
        let user_words = self.user_words.as_ref();
        let tools = Tools {
            variants: &self.variants.get().0,
            languages: &self.languages.get().0,
            vocabulary: &self.vocabulary.get().0,
            chinese: &self.chinese.get().0,
            spellings: &self.spellings.get().0,
            user_words: user_words.map(|(phrases, words)| (&phrases.get().0, words.as_slice())),
        };
        Some(detach_if_long(py, &plain, || {
            cut(&tools, &plain, &written, context_language.as_deref())
        }))
    }

    fn question_of(
        &self,
        py: Python<'_>,
        cut: &text::Cut,
        unknown_terms: &[Term],
        japanese: &[(usize, &text::JapaneseLine)],
        mut aside: Vec<(usize, usize)>,
    ) -> Question {
        let (asking, small_talk) = (&self.asking.get().0, &self.small_talk.get().0);
        Question(detach_if_very_long(py, cut.folded(), || {
            aside.extend(asking.aside_spans(cut.folded()));
            cut.question(asking, unknown_terms, japanese)
                .downweighted(small_talk)
                .with_translated(&self.spellings.get().0)
                .setting_aside(&Spans::of(aside))
        }))
    }
}

/// (term, whether a function word)
type TermAndFunction = (PyBackedStr, bool);
/// (term, start, end, whether a function word)
type TokenTuple = (PyBackedStr, usize, usize, bool);
/// Lines of a text, each with its first code point.
type Lines<'py> = Vec<(usize, PyRef<'py, JapaneseLine>)>;

fn lines<'a>(pieces: &'a Lines<'_>) -> Vec<(usize, &'a text::JapaneseLine)> {
    let each = pieces.iter();
    each.map(|(at, line)| (*at, &line.0)).collect()
}

fn terms(unknown_terms: Vec<TermAndFunction>) -> Vec<Term> {
    let each = unknown_terms.iter();
    each.map(|(term, function)| ((&**term).into(), *function))
        .collect()
}

fn token((term, start, end, is_function): TokenTuple) -> Token {
    Token::new(&*term, start, end, is_function)
}

fn as_strs(terms: &[CompactString]) -> Vec<&str> {
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

    /// The words whose terms Python has to give, in the order in which `learn` and `finish_question` take them.
    #[getter]
    fn unknown(&self) -> Vec<&str> {
        as_strs(self.0.unknown())
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
        unknown_terms: Vec<TermAndFunction>,
        japanese: Lines<'py>,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
        let (unknown_terms, japanese) = (terms(unknown_terms), lines(&japanese));
        let found = detach_if_very_long(py, self.0.folded(), || {
            self.0.terms(&unknown_terms, &japanese)
        });
        let list = |terms: &[CompactString]| PyList::new(py, as_strs(terms));
        Ok((list(&found.terms)?, list(&found.readings)?))
    }

    /// [start, end) of the words that have certain terms.
    fn places(
        &self,
        py: Python<'_>,
        unknown_terms: Vec<TermAndFunction>,
        japanese: Lines<'_>,
        wanted: Vec<PyBackedStr>,
    ) -> Vec<(usize, usize)> {
        let wanted = wanted.iter().map(|term| &**term).collect();
        let (unknown_terms, japanese) = (terms(unknown_terms), lines(&japanese));
        detach_if_very_long(py, self.0.folded(), || {
            self.0.places(&unknown_terms, &japanese, &wanted)
        })
    }
}
