//! Which words of a question only ask for an answer: "please tell me about …", …について教えてください, 请告诉我…
//!
//! Useful for: questions to an assistant, since texts that happen to have `tell` or 教える answer none of them. Not useful for:
//! documents.
//! Invariant: a request counts only at an edge of a sentence, with nothing but function words and other such phrases between;
//! quotation marks and brackets keep it from the edge.

use crate::{Phrases, Token};
use aho_corasick::BuildError;

/// [start, end) in code points.
type Span = (usize, usize);

/// Phrases that begin a request, phrases that end one, and those that dictionaries cut into words with a meaning, but that only
/// relate words to each other anywhere (について, という).
#[derive(Debug)]
pub struct Asking {
    opening: Phrases,
    closing: Phrases,
    relating: Phrases,
}

impl Asking {
    /// All are folded as the questions will be. Returns an error as [`Phrases::new`] does.
    pub fn new(
        opening: &[String],
        closing: &[String],
        relating: &[String],
    ) -> Result<Self, BuildError> {
        Ok(Self {
            opening: Phrases::new(opening)?,
            closing: Phrases::new(closing)?,
            relating: Phrases::new(relating)?,
        })
    }

    /// The phrases in a folded question that has these words; none if it has no other words that tell something.
    pub fn places(&self, folded: &str, words: &[Token]) -> Vec<Span> {
        let found = [&self.opening, &self.closing, &self.relating].map(|all| all.find(folded));
        if found.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        let [opening, closing, relating] = found;
        let mut places: Vec<Span> = relating.iter().map(|place| (place.1, place.2)).collect();
        let telling = || words.iter().filter(|word| !word.3);
        let mut between: Vec<Between> = folded.chars().map(Between::of).collect();
        for word in telling().filter(|word| !lies_in(&places, word)) {
            between[word.1..word.2].fill(Between::Barrier);
        }
        places.extend(from_the_left(&between, &opening));
        places.extend(from_the_right(&between, &closing));
        if telling().all(|word| lies_in(&places, word)) {
            places.clear();
        }
        places
    }
}

/// Whether a word lies in one of the places.
pub fn lies_in(places: &[Span], word: &Token) -> bool {
    places
        .iter()
        .any(|place| place.0 <= word.1 && word.2 <= place.1)
}

/// What a character means for a phrase beyond it.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    /// A sentence, or a part of it, ends here.
    Edge,
    /// The phrase is as near to the edge as this is.
    Nothing,
    /// It is not at an edge.
    Barrier,
}

impl Between {
    fn of(c: char) -> Self {
        match c {
            '.' | '。' | '!' | '?' | ',' | '、' | ':' | ';' | '~' | '\n' => Self::Edge,
            _ if c.is_alphanumeric() || c.is_whitespace() || c == '\'' => Self::Nothing,
            _ => Self::Barrier,
        }
    }

    fn is_edge(self, is_edge_before: bool) -> bool {
        self == Self::Edge || is_edge_before && self == Self::Nothing
    }
}

/// The longest phrases that begin at an edge.
fn from_the_left(between: &[Between], found: &[(usize, usize, usize)]) -> Vec<Span> {
    let mut places = Vec::new();
    let (mut at, mut is_edge) = (0, true);
    while at < between.len() {
        let here = found.iter().filter(|place| place.1 == at);
        if let Some(end) = here.map(|place| place.2).max().filter(|_| is_edge) {
            places.push((at, end));
            at = end;
        } else {
            is_edge = between[at].is_edge(is_edge);
            at += 1;
        }
    }
    places
}

/// The longest phrases that end at an edge.
fn from_the_right(between: &[Between], found: &[(usize, usize, usize)]) -> Vec<Span> {
    let mut places = Vec::new();
    let (mut at, mut is_edge) = (between.len(), true);
    while at > 0 {
        let here = found.iter().filter(|place| place.2 == at);
        if let Some(start) = here.map(|place| place.1).min().filter(|_| is_edge) {
            places.push((start, at));
            at = start;
        } else {
            at -= 1;
            is_edge = between[at].is_edge(is_edge);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of the phrases, where the words in capitals and Han characters tell something.
    fn asked(text: &str) -> Vec<String> {
        let opening = ["please", "tell me", "告诉我"].map(str::to_owned);
        let closing = ["ヲ教エテ", "教エテ", "教エテ下サイ", "please"].map(str::to_owned);
        let words: Vec<char> = text.chars().collect();
        let tells = |&at: &usize| {
            let asks = ['教', '下', '告', '诉', '我'].contains(&words[at]);
            !asks && (words[at] >= '一' && words[at].is_alphabetic() || words[at].is_uppercase())
        };
        let mut tokens: Vec<Token> = (0..words.len())
            .filter(tells)
            .map(|at| (words[at].to_string().into(), at, at + 1, false))
            .collect();
        let asking = Asking::new(&opening, &closing, &["ニツイテ".to_owned()]).unwrap();
        for phrases in [&asking.opening, &asking.closing, &asking.relating] {
            let found = phrases.find(text).into_iter();
            tokens.extend(found.map(|(_, start, end)| ("phrase".into(), start, end, false)));
        }
        let mut places = asking.places(text, &tokens);
        places.sort_unstable();
        places.dedup();
        let part = |(start, end)| words[start..end].iter().collect();
        places.into_iter().map(part).collect()
    }

    #[test]
    fn phrases_count_at_the_edges_of_sentences() {
        let rows: [(&str, &[&str]); 15] = [
            ("tell me about TEA", &["tell me"]),
            ("can you please tell me of TEA", &["please", "tell me"]),
            (
                "TEA at noon. tell me of CAKE, please",
                &["tell me", "please"],
            ),
            ("did ANN tell me about TEA", &[]),
            ("'TEA' (tell me", &[]),
            ("tell me", &[]),
            ("告诉我茶", &["告诉我"]),
            ("茶告诉我会议", &[]),
            ("茶,告诉我会议", &["告诉我"]),
            ("茶ヲ教エテ", &["ヲ教エテ"]),
            ("茶ヲ教エテ下サイ。", &["教エテ下サイ"]),
            ("教エテ:茶", &["教エテ"]),
            (
                "茶ニツイテ会議ニツイテ教エテ",
                &["ニツイテ", "ニツイテ", "教エテ"],
            ),
            ("茶ヲ教エテクレタ人", &[]),
            ("茶「教エテ」", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(asked(text), expected, "{text}");
        }
    }
}
