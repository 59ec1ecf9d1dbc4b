//! What is asked: filters, walks and queries, as immutable values made in Python.

use crate::detach::detach_if_long;
use crate::question::{Question, search_words};
use crate::vector::Vector;
use compact_str::CompactString;
use omoide_index::vectors::normalise;
use omoide_search as search;
use omoide_text::Written;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// The weight of grams within function words alone, where those within other words have 1.
const FUNCTION_WEIGHT: f32 = 0.3;
/// The column that orders the results of a query without text.
const ORDER_BY: &str = "stored_at";

/// A set of documents, described.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Filter(pub Arc<search::Filter>);

impl From<search::Filter> for Filter {
    fn from(filter: search::Filter) -> Self {
        Self(Arc::new(filter))
    }
}

fn shared(filters: Vec<PyRef<'_, Filter>>) -> Vec<Arc<search::Filter>> {
    let each = filters.iter();
    each.map(|filter| Arc::clone(&filter.0)).collect()
}

#[pymethods]
impl Filter {
    #[staticmethod]
    fn equals(attribute: String, value: String) -> Self {
        search::Filter::OneOf(attribute, vec![value]).into()
    }

    #[staticmethod]
    fn one_of(attribute: String, values: Vec<String>) -> Self {
        search::Filter::OneOf(attribute, values).into()
    }

    #[staticmethod]
    fn has_attribute(attribute: String) -> Self {
        search::Filter::HasAttribute(attribute).into()
    }

    #[staticmethod]
    fn within(column: String, start: Option<i64>, end: Option<i64>) -> Self {
        search::Filter::Within(column, start, end).into()
    }

    #[staticmethod]
    fn has_number(column: String) -> Self {
        search::Filter::HasNumber(column).into()
    }

    #[staticmethod]
    fn keys(keys: Vec<u64>) -> Self {
        search::Filter::Keys(keys).into()
    }

    #[staticmethod]
    fn all(filters: Vec<PyRef<'_, Filter>>) -> Self {
        search::Filter::All(shared(filters)).into()
    }

    #[staticmethod]
    fn any(filters: Vec<PyRef<'_, Filter>>) -> Self {
        search::Filter::Any(shared(filters)).into()
    }

    #[staticmethod]
    fn negate(filter: &Filter) -> Self {
        search::Filter::Not(Arc::clone(&filter.0)).into()
    }
}

/// Whose view of the graph a walk takes.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Visibility(pub search::Visibility);

#[pymethods]
impl Visibility {
    #[new]
    fn new(scope: String, known_by: PyRef<'_, Filter>) -> Self {
        let known_by = search::Filter::clone(&known_by.0);
        Self(search::Visibility { scope, known_by })
    }
}

/// Personalised PageRank by forward push.
#[pyclass(frozen, module = "omoide._engine")]
pub struct PageRank(search::PageRank);

#[pymethods]
impl PageRank {
    #[new]
    #[pyo3(signature = (*, damping, hit_seeds, epsilon = 3e-6, weight = 1.0))]
    fn new(damping: f32, hit_seeds: usize, epsilon: f32, weight: f32) -> Self {
        Self(search::PageRank {
            damping,
            hit_seeds,
            epsilon,
            weight,
        })
    }
}

/// Lists the neighbours of the hits.
#[pyclass(frozen, module = "omoide._engine")]
pub struct BreadthFirst(search::BreadthFirst);

#[pymethods]
impl BreadthFirst {
    #[new]
    #[pyo3(signature = (*, depth = 1, types = None, limit = 200))]
    fn new(depth: usize, types: Option<Vec<String>>, limit: usize) -> Self {
        Self(search::BreadthFirst {
            depth,
            types,
            limit,
        })
    }
}

/// The grams of a text and their byte ranges, repeats included.
fn grams(folded: &str) -> Vec<search::Piece> {
    let first = folded.as_ptr() as usize;
    let place = |gram: &str| {
        let start = gram.as_ptr() as usize - first;
        (gram.into(), start..start + gram.len())
    };
    let mut grams = Vec::with_capacity(if folded.is_ascii() {
        0
    } else {
        folded.len() * 2 / 3
    });
    grams.extend(omoide_text::grams(folded).map(place));
    grams
}

/// The grams of a query. Each has the weight of the weightiest word over it; grams within function words (weight 0) alone have
/// `FUNCTION_WEIGHT`. Those within phrases that begin or end a request are left out: 教えてください has so many that together they
/// would weigh more than what it asks for.
fn weighted(
    grams: &[search::Piece],
    folded: &str,
    words: &[search::Word],
    requests: &[(usize, usize)],
) -> Vec<(CompactString, f32)> {
    if grams.is_empty() {
        return Vec::new();
    }
    let weights = weights_by_byte(folded, words, requests);
    let weight = |bytes: &Range<usize>| {
        let under = &weights[bytes.clone()];
        under.iter().copied().fold(0.0, f32::max)
    };
    let each = grams.iter();
    each.map(|(gram, bytes)| (gram.clone(), weight(bytes)))
        .filter(|weighted| weighted.1 > 0.0)
        .collect()
}

/// For each byte of the folded text the weight of the weightiest word over it, 1 where there is no word and 0 in a request.
fn weights_by_byte(folded: &str, words: &[search::Word], requests: &[(usize, usize)]) -> Vec<f32> {
    let mut bytes: Vec<usize> = folded.char_indices().map(|(at, _)| at).collect();
    bytes.push(folded.len());
    let last = bytes.len() - 1;
    let mut weights = vec![1.0; folded.len()];
    let mut by_weight: Vec<&search::Word> = words.iter().collect();
    by_weight.sort_by(|a, b| a.weight.total_cmp(&b.weight));
    for word in by_weight {
        let place = bytes[word.start.min(last)]..bytes[word.end.max(word.start).min(last)];
        let is_content = word.weight > 0.0;
        weights[place].fill(if is_content {
            word.weight
        } else {
            FUNCTION_WEIGHT
        });
    }
    for &(start, end) in requests {
        weights[bytes[start]..bytes[end]].fill(0.0);
    }
    weights
}

/// The grams of a text of the same meaning, each with that text's weight.
fn weighted_grams_of((text, weight): &(String, f64)) -> impl Iterator<Item = (CompactString, f32)> {
    omoide_text::grams(text).map(|gram| (gram.into(), *weight as f32))
}

/// Cuts a text into the pieces that spelling is compared by.
fn spelling(folded: &str, grams: Vec<search::Piece>, evenly: bool) -> search::Spelling {
    let sequences = omoide_text::sequences(folded).into_iter();
    search::Spelling {
        grams,
        sequences: sequences.map(|each| (each.letters, each.bytes)).collect(),
        folded: folded.to_owned(),
        evenly,
    }
}

/// A query for a text alone: without limits, weights and a vector.
fn query_for_text(question: &omoide_text::Question, evenly: bool) -> search::Query {
    let folded = &*question.folded;
    let words = search_words(&question.words, folded);
    let grams = grams(folded);
    search::Query {
        grams: weighted(&grams, folded, &words, &question.requests),
        kind: Some(omoide_text::Writing::of(&question.folded) as usize),
        gram_alternatives: question.also.iter().flat_map(weighted_grams_of).collect(),
        spelling: (!folded.is_empty()).then(|| spelling(folded, grams, evenly)),
        folded: folded.to_owned(),
        words,
        alternatives: search_words(&question.alternatives, folded),
        synonyms: search_words(&question.synonyms, folded),
        readings: search_words(&question.readings, folded),
        translated: question.translated.clone(),
        ..search::Query::default()
    }
}

/// The words of a question as the user wrote them.
fn written(question: &omoide_text::Question) -> Written {
    let words = question.words.iter().chain(&question.synonyms);
    let places = words.map(|word| (word.term.clone(), word.start..word.end));
    let (plain, folded) = (Arc::clone(&question.plain), Arc::clone(&question.folded));
    Written::new(plain, folded, places)
}

fn normalised(mut vector: Vector) -> Vec<f32> {
    normalise(&mut vector.0);
    vector.0
}

/// A search, with the words as the user wrote them.
#[pyclass(frozen, module = "omoide._engine")]
pub struct Query {
    pub inner: search::Query,
    pub written: Arc<Written>,
}

#[pymethods]
impl Query {
    /// A static method rather than a constructor: for a class's keyword arguments Python would make a dictionary first.
    #[staticmethod]
    #[pyo3(signature = (question = None, *, vector = None, filter = None, limit = 10, candidates = 200, word_weight = 1.0,
        vector_weight = 0.3, evenly = false, semantic = false, page_rank = None, breadth_first = None, visibility = None,
        ascending = false))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of one frozen value"
    )]
    fn of(
        py: Python<'_>,
        question: Option<PyRef<'_, Question>>,
        vector: Option<Vector>,
        filter: Option<PyRef<'_, Filter>>,
        limit: usize,
        candidates: usize,
        word_weight: f32,
        vector_weight: f32,
        evenly: bool,
        semantic: bool,
        page_rank: Option<PyRef<'_, PageRank>>,
        breadth_first: Option<PyRef<'_, BreadthFirst>>,
        visibility: Option<PyRef<'_, Visibility>>,
        ascending: bool,
    ) -> Self {
        let nothing = omoide_text::Question::default();
        let question = question.as_deref().map_or(&nothing, |question| &question.0);
        let (for_text, written) = detach_if_long(py, &question.folded, || {
            (query_for_text(question, evenly), written(question))
        });
        let inner = search::Query {
            // A caller who searches by a vector of their own alone gets the nearest, however far they are.
            however_far: vector.is_some() && word_weight <= 0.0,
            vector: vector.map(normalised),
            filter: filter.map(|filter| search::Filter::clone(&filter.0)),
            limit,
            candidates: candidates.max(limit),
            word_weight,
            vector_weight,
            semantic,
            page_rank: page_rank.map(|walk| walk.0.clone()),
            breadth_first: breadth_first.map(|walk| walk.0.clone()),
            visibility: visibility.map(|visibility| visibility.0.clone()),
            order_by: ORDER_BY.to_owned(),
            ascending,
            ..for_text
        };
        Self {
            inner,
            written: Arc::new(written),
        }
    }

    /// The same query with another limit.
    fn reaching(&self, limit: usize) -> Self {
        let mut inner = self.inner.clone();
        inner.limit = limit;
        inner.candidates = inner.candidates.max(limit);
        Self {
            inner,
            written: Arc::clone(&self.written),
        }
    }
}
