//! How did the caller write a term? Maps folded index terms back to the text of the query.
//!
//! Useful for: explaining why something was found. Not useful for: finding; only width and case of the original are kept.
//! Invariant: each wording is given once, in the order of the terms, and none that is part of another.

use compact_str::CompactString;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The words of one query as written.
#[derive(Debug)]
pub struct Written {
    plain: Arc<str>,
    /// The byte at which each code point of `plain` begins, and the end.
    bytes: Vec<usize>,
    folded: Arc<str>,
    words: FxHashMap<CompactString, Range<usize>>,
}

impl Written {
    /// `folded` has as many code points as the `plain` text it comes from; `words` are terms with their positions in both.
    pub fn new(
        plain: Arc<str>,
        folded: Arc<str>,
        words: impl IntoIterator<Item = (CompactString, Range<usize>)>,
    ) -> Self {
        let mut bytes = Vec::with_capacity(plain.len() + 1);
        bytes.extend(plain.char_indices().map(|(byte, _)| byte));
        bytes.push(plain.len());
        Self {
            bytes,
            plain,
            folded,
            words: words.into_iter().collect(),
        }
    }

    /// The wordings of some terms, computed once for all hits.
    pub fn of(&self, terms: &[CompactString]) -> Wordings {
        let mut texts: Vec<&str> = Vec::with_capacity(terms.len());
        let mut place = |text| {
            let known = texts.iter().position(|&known| known == text);
            known.unwrap_or_else(|| {
                texts.push(text);
                texts.len() - 1
            })
        };
        let of_terms = terms
            .iter()
            .map(|term| place(self.wording_of(term)))
            .collect();
        let wholes = texts.iter().map(|part| wholes(part, &texts)).collect();
        Wordings {
            of_terms,
            wholes,
            texts: texts.into_iter().map(CompactString::from).collect(),
        }
    }

    fn wording_of<'a>(&'a self, term: &'a str) -> &'a str {
        let word = self.words.get(term).cloned();
        let place = word.or_else(|| self.place_of_gram(term));
        place.and_then(|place| self.slice(&place)).unwrap_or(term)
    }

    /// The first position of a gram.
    fn place_of_gram(&self, gram: &str) -> Option<Range<usize>> {
        let start = self.folded[..self.folded.find(gram)?].chars().count();
        Some(start..start + gram.chars().count())
    }

    fn slice(&self, place: &Range<usize>) -> Option<&str> {
        let (start, end) = (self.bytes.get(place.start)?, self.bytes.get(place.end)?);
        self.plain.get(*start..*end)
    }
}

/// Terms as the caller wrote them.
#[derive(Debug, Default)]
pub struct Wordings {
    /// The distinct wordings.
    pub texts: Vec<CompactString>,
    /// For each term the index of its wording.
    of_terms: Vec<usize>,
    /// For each wording the indices of those that contain it.
    wholes: Vec<Vec<usize>>,
}

impl Wordings {
    /// The indices of the wordings that explain these terms (given by index).
    pub fn of(&self, terms: &[usize]) -> Vec<usize> {
        let mut written: Vec<usize> = Vec::with_capacity(terms.len());
        for &term in terms {
            let each = self.of_terms[term];
            if !written.contains(&each) {
                written.push(each);
            }
        }
        let is_part = |each: usize| {
            self.wholes[each]
                .iter()
                .any(|whole| written.contains(whole))
        };
        let whole = written.iter().copied().filter(|&each| !is_part(each));
        whole.collect()
    }
}

/// The indices of the texts that contain this one.
fn wholes(part: &str, texts: &[&str]) -> Vec<usize> {
    let longer = texts.iter().enumerate();
    let longer = longer.filter(|(_, text)| text.len() > part.len() && has(text, part));
    longer.map(|(place, _)| place).collect()
}

/// Whether a text contains another; both are short, so that preparing a searcher would take longer than searching.
fn has(text: &str, part: &str) -> bool {
    let mut places = text.as_bytes().windows(part.len().max(1));
    places.any(|place| place == part.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_spelled_as_in_the_query() {
        type Row<'a> = (
            &'a str,
            &'a str,
            &'a [(&'a str, usize, usize)],
            &'a [&'a str],
            &'a [&'a str],
        );
        let rows: [Row; 4] = [
            (
                "ジブリが好き",
                "ジブリガ好キ",
                &[("ジブリ", 0, 3), ("好キ", 4, 6)],
                &["ジブリ", "好キ", "好", "キ"],
                &["ジブリ", "好き"],
            ),
            (
                "臺灣的記憶",
                "台湾的记忆",
                &[("台湾", 0, 2)],
                &["台湾", "台", "湾", "记忆"],
                &["臺灣", "記憶"],
            ),
            (
                "she was running home",
                "she was running home",
                &[("run", 8, 15), ("home", 16, 20)],
                &["run", "home"],
                &["running", "home"],
            ),
            ("抹茶", "抹茶", &[], &["elsewhere"], &["elsewhere"]),
        ];
        for (plain, folded, words, terms, expected) in rows {
            let words = words.iter();
            let words = words.map(|&(term, start, end)| (term.into(), start..end));
            let written = Written::new(plain.into(), folded.into(), words);
            let of: Vec<CompactString> = terms.iter().map(|&term| term.into()).collect();
            let wordings = written.of(&of);
            let places = wordings.of(&(0..terms.len()).collect::<Vec<_>>());
            let told: Vec<&str> = places.iter().map(|&at| &*wordings.texts[at]).collect();
            assert_eq!(told, expected, "{plain}");
        }
    }
}
