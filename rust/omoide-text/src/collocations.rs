//! Which terms of several English words does a text have?
//!
//! Useful for: what other languages have one word for (credit card: クレジットカード, 信用卡). Not useful for: the user's own words; see
//! phrases.rs.
//! Invariant: from the left, the longest are found, which do not overlap; their words stand in any inflection, with nothing but a space, a
//! line break or a hyphen between them.

use crate::Token;
use crate::code_points::CodePointSlices;
use crate::words::{is_apostrophe, is_hyphen};
use compact_str::CompactString;
use rustc_hash::FxHashMap;

/// Terms of several words.
#[derive(Debug, Default)]
pub(crate) struct Collocations {
    /// By the term of their first word; the longest first.
    by_first: FxHashMap<CompactString, Vec<Collocation>>,
}

#[derive(Debug)]
struct Collocation {
    /// The terms of the words behind the first.
    others: Vec<CompactString>,
    /// The term of the whole.
    term: CompactString,
}

impl Collocations {
    /// The terms of the words of each, and the term of the whole.
    pub(crate) fn new(all: impl IntoIterator<Item = (Vec<String>, String)>) -> Self {
        let mut by_first: FxHashMap<CompactString, Vec<Collocation>> = FxHashMap::default();
        for (words, term) in all {
            let mut words = words.into_iter().map(CompactString::from);
            if let Some(first) = words.next() {
                let (others, term) = (words.collect(), term.into());
                let beginning = by_first.entry(first).or_default();
                beginning.push(Collocation { others, term });
            }
        }
        for beginning in by_first.values_mut() {
            beginning.sort_by_key(|each| std::cmp::Reverse(each.others.len()));
        }
        Self { by_first }
    }

    /// Those of a text that has these words between spaces, in order.
    pub(crate) fn find(&self, text: &str, words: &[&Token]) -> Vec<Token> {
        let mut found = Vec::new();
        let mut slices = None;
        let mut at = 0;
        while at + 1 < words.len() {
            let behind = &words[at + 1..];
            let beginning = self.by_first.get(&words[at].term).into_iter().flatten();
            let mut whole = beginning.filter(|each| each.others_begin(behind));
            let longest = whole.find(|each| {
                let slices = slices.get_or_insert_with(|| CodePointSlices::of(text));
                are_together(slices, &words[at..=at + each.others.len()])
            });
            let count = longest.map_or(1, |each| 1 + each.others.len());
            found.extend(longest.map(|each| {
                let (start, end) = (words[at].start, words[at + count - 1].end);
                Token::new(each.term.clone(), start, end, false)
            }));
            at += count;
        }
        found
    }
}

impl Collocation {
    /// Whether these words begin with its own, except for the first.
    fn others_begin(&self, words: &[&Token]) -> bool {
        self.others.len() <= words.len()
            && self
                .others
                .iter()
                .zip(words)
                .all(|(term, word)| *term == word.term)
    }
}

/// Whether words follow each other as those of one term do. With hyphens alone between them they are one word, too, which needs no
/// other term.
fn are_together(slices: &CodePointSlices<'_>, words: &[&Token]) -> bool {
    let gaps = words.windows(2).map(|pair| (pair[0].end, pair[1].start));
    let mut is_spaced = false;
    for (end, start) in gaps {
        let gap = if end < start {
            slices.get(end, start)
        } else {
            ""
        };
        let possessive = gap.strip_prefix(is_apostrophe).unwrap_or(gap);
        let spaces = possessive.strip_prefix(is_hyphen).unwrap_or(possessive);
        if gap.is_empty()
            || !spaces.chars().all(char::is_whitespace)
            || spaces.matches('\n').count() > 1
        {
            return false;
        }
        is_spaced |= !spaces.is_empty();
    }
    is_spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A term and its place.
    type Found<'a> = (&'a str, usize, usize);

    #[test]
    fn the_longest_term_is_found_where_its_words_are_together() {
        let of = |words: &[&str], term: &str| {
            let words = words.iter().map(|&word| word.to_owned());
            (words.collect(), term.to_owned())
        };
        let all = Collocations::new([
            of(&["new", "year"], "newyear"),
            of(&["lunar", "new", "year"], "lunarnewyear"),
            of(&["year", "end"], "yearend"),
            of(&["credit", "card"], "creditcard"),
        ]);
        let found = |text: &str| -> Vec<(String, usize, usize)> {
            let words = crate::words(text, text);
            let whole = words.iter().filter(|word| !word.is_part);
            let tokens: Vec<Token> = whole
                .map(|word| Token::new(&*word.term, word.start, word.end, false))
                .collect();
            let found = all.find(text, &tokens.iter().collect::<Vec<_>>());
            let each = found.into_iter();
            each.map(|token| (token.term.into(), token.start, token.end))
                .collect()
        };
        let rows: [(&str, &[Found<'_>]); 15] = [
            ("a credit card", &[("creditcard", 2, 13)]),
            ("茶credit card茶", &[("creditcard", 1, 12)]),
            ("credit\ncard", &[("creditcard", 0, 11)]),
            ("credit\r\n  card", &[("creditcard", 0, 14)]),
            ("credit-\ncard", &[("creditcard", 0, 12)]),
            ("credit' card", &[("creditcard", 0, 12)]),
            ("credit-card", &[]),
            ("credit, card", &[]),
            ("credit. card", &[]),
            ("credit\n\ncard", &[]),
            ("credit - card", &[]),
            ("card credit", &[]),
            ("credit", &[]),
            (
                "lunar new year new year",
                &[("lunarnewyear", 0, 14), ("newyear", 15, 23)],
            ),
            ("new-year end", &[("yearend", 4, 12)]),
        ];
        for (text, expected) in rows {
            let expected = expected
                .iter()
                .map(|&(term, start, end)| (term.to_owned(), start, end));
            assert_eq!(found(text), expected.collect::<Vec<_>>(), "{text}");
        }
    }
}
