//! Which of the user's own words occur in a text?
//!
//! Useful for: names and terms that no dictionary has, in any script. Not useful for: cutting the rest of the text.
//! Invariant: a phrase that begins or ends with a Latin letter or a digit must not continue a word there; every occurrence is
//! found, also of a phrase inside another.

use aho_corasick::{AhoCorasick, BuildError};

/// (index of the phrase, first code point, one past the last)
pub type Place = (usize, usize, usize);

/// An automaton over phrases.
#[derive(Debug)]
pub struct Phrases {
    automaton: AhoCorasick,
}

impl Phrases {
    /// `phrases` are folded as the texts will be. Returns an error if there are too many (some gigabytes).
    pub fn new(phrases: &[String]) -> Result<Self, BuildError> {
        Ok(Self {
            automaton: AhoCorasick::new(phrases)?,
        })
    }

    /// Every occurrence, in the order of their ends.
    pub fn find(&self, folded: &str) -> Vec<Place> {
        let mut places = CodePoints::of(folded);
        self.automaton
            .find_overlapping_iter(folded)
            .filter(|found| stands_alone(folded, found.start(), found.end()))
            .map(|found| {
                let length = folded[found.start()..found.end()].chars().count();
                let end = places.at(found.end());
                (found.pattern().as_usize(), end - length, end)
            })
            .collect()
    }
}

/// Counts the code points before a byte; call with ascending bytes.
struct CodePoints<'a> {
    text: &'a str,
    byte: usize,
    count: usize,
}

impl<'a> CodePoints<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            count: 0,
        }
    }

    fn at(&mut self, byte: usize) -> usize {
        self.count += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.count
    }
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let glued = |left: Option<char>, right: Option<char>| {
        left.zip(right).is_some_and(|(left, right)| {
            left.is_ascii_alphanumeric() && right.is_ascii_alphanumeric()
        })
    };
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    let (first, last) = (
        text[start..].chars().next(),
        text[..end].chars().next_back(),
    );
    !glued(before, first) && !glued(last, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_occurrence_is_found_but_not_inside_latin_words() {
        let phrases = ["推シ活", "推シ", "rag", "抹茶拿铁"].map(str::to_owned);
        let phrases = Phrases::new(&phrases).unwrap();
        let rows: [(&str, &[Place]); 6] = [
            ("今日モ推シ活", &[(1, 3, 5), (0, 3, 6)]),
            ("rag fragment ragヲ", &[(2, 0, 3), (2, 13, 16)]),
            ("抹茶拿铁抹茶拿铁", &[(3, 0, 4), (3, 4, 8)]),
            ("storage", &[]),
            ("ragged 抹茶拿铁s", &[(3, 7, 11)]),
            ("", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(phrases.find(text), expected, "{text}");
        }
    }
}
