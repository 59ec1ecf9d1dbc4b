//! Which terms of several English words does a text have?
//!
//! Useful for: what other languages have one word for (credit card: クレジットカード, 信用卡). Not useful for: the user's own words; see
//! phrases.rs.
//! Invariant: from the left, the longest are found, which do not overlap, except inside an object; their words stand in any inflection,
//! with nothing but a space, a line break or a hyphen between them, and an object where the term leaves room for one (call it off).

use crate::Token;
use crate::code_points::CodePointSlices;
use crate::words::{is_apostrophe, is_hyphen};
use compact_str::CompactString;
use rustc_hash::FxHashMap;

/// How many words an object may have.
const OBJECT_WORDS: usize = 3;
/// The function words that objects consist of, or begin with, as terms.
const OF_OBJECTS: [&str; 27] = [
    "a", "all", "an", "ani", "both", "few", "her", "him", "his", "it", "me", "more", "my", "other",
    "our", "own", "some", "that", "the", "their", "them", "these", "this", "those", "us", "you",
    "your",
];

/// Terms of several words.
#[derive(Debug, Default)]
pub(crate) struct Collocations {
    /// By the term of their first word; the longest first.
    by_first: FxHashMap<CompactString, Vec<Collocation>>,
}

#[derive(Debug)]
struct Collocation {
    /// The words behind the first.
    others: Vec<Other>,
    /// The term of the whole.
    term: CompactString,
}

/// A word behind the first.
#[derive(Debug)]
struct Other {
    term: CompactString,
    /// Whether an object may stand before it.
    is_apart: bool,
}

impl Collocations {
    /// The terms of the words of each, with an empty one where an object may stand, and the term of the whole.
    pub(crate) fn new(all: impl IntoIterator<Item = (Vec<String>, String)>) -> Self {
        let mut by_first: FxHashMap<CompactString, Vec<Collocation>> = FxHashMap::default();
        for (words, term) in all {
            let mut words = words.into_iter().map(CompactString::from);
            if let Some(first) = words.next() {
                let (others, term) = (others(words), term.into());
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
            let mut whole = beginning.filter_map(|each| Some((each, each.count_of(behind)?)));
            let longest = whole.find(|&(_, count)| {
                let slices = slices.get_or_insert_with(|| CodePointSlices::of(text));
                are_together(slices, &words[at..=at + count])
            });
            let Some((each, count)) = longest else {
                at += 1;
                continue;
            };
            let has_object = count > each.others.len();
            let inside = &behind[..count - 1];
            // The words of an object are asked for by themselves.
            let last = if has_object && !inside.iter().all(|word| word.is_function) {
                at
            } else {
                at + count
            };
            let (start, end) = (words[at].start, words[last].end);
            found.push(Token::new(each.term.clone(), start, end, false));
            at += if has_object { 1 } else { 1 + count };
        }
        found
    }
}

/// The words behind the first, of which an empty one is room for an object.
fn others(terms: impl Iterator<Item = CompactString>) -> Vec<Other> {
    let mut is_apart = false;
    let words = terms.filter_map(|term| {
        let word = Other {
            is_apart: std::mem::replace(&mut is_apart, term.is_empty()),
            term,
        };
        (!word.term.is_empty()).then_some(word)
    });
    words.collect()
}

impl Collocation {
    /// How many of these words, which stand behind its first, it has with its objects; `None` if they do not begin with its own.
    fn count_of(&self, words: &[&Token]) -> Option<usize> {
        self.others.iter().try_fold(0, |count, other| {
            let most = if other.is_apart { OBJECT_WORDS } else { 0 };
            let next = words[count..].iter().take(most + 1);
            let object = next.clone().position(|word| word.term == other.term)?;
            let is_object = next.take(object).all(|word| may_be_in_object(word));
            is_object.then_some(count + object + 1)
        })
    }
}

/// Whether it is a content word, or a function word that stands in objects.
fn may_be_in_object(word: &Token) -> bool {
    !word.is_function || OF_OBJECTS.contains(&word.term.as_str())
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

    fn of(words: &[&str], term: &str) -> (Vec<String>, String) {
        let words = words.iter().map(|&word| word.to_owned());
        (words.collect(), term.to_owned())
    }

    fn places(all: &Collocations, text: &str) -> Vec<(String, usize, usize)> {
        let words = crate::words(text, text);
        let whole = words.iter().filter(|word| !word.is_part);
        let is_function = |term: &str| OF_OBJECTS.contains(&term) || ["and", "off"].contains(&term);
        let tokens: Vec<Token> = whole
            .map(|word| Token::new(&*word.term, word.start, word.end, is_function(&word.term)))
            .collect();
        let found = all.find(text, &tokens.iter().collect::<Vec<_>>());
        let each = found.into_iter();
        each.map(|token| (token.term.into(), token.start, token.end))
            .collect()
    }

    #[test]
    fn an_object_stands_where_a_term_leaves_room_for_one() {
        let all = Collocations::new([
            of(&["call", "", "off"], "calloff"),
            of(&["quit", "", "job"], "quitjob"),
            of(&["night", "job"], "nightjob"),
            of(&["get", "rid", "of"], "getridof"),
        ]);
        let rows: [(&str, &[Found<'_>]); 11] = [
            ("call off", &[("calloff", 0, 8)]),
            ("call it off", &[("calloff", 0, 11)]),
            ("call the old party off", &[("calloff", 0, 4)]),
            ("call the big old party off", &[]),
            ("call and wave off", &[]),
            ("call it. off", &[]),
            ("quit my job", &[("quitjob", 0, 11)]),
            (
                "quit my night job",
                &[("quitjob", 0, 4), ("nightjob", 8, 17)],
            ),
            ("quit my\n\njob", &[]),
            ("get rid of", &[("getridof", 0, 10)]),
            ("get it rid of", &[]),
        ];
        for (text, expected) in rows {
            let expected = expected
                .iter()
                .map(|&(term, start, end)| (term.to_owned(), start, end));
            assert_eq!(places(&all, text), expected.collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn the_longest_term_is_found_where_its_words_are_together() {
        let all = Collocations::new([
            of(&["new", "year"], "newyear"),
            of(&["lunar", "new", "year"], "lunarnewyear"),
            of(&["year", "end"], "yearend"),
            of(&["credit", "card"], "creditcard"),
        ]);
        let found = |text: &str| places(&all, text);
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
