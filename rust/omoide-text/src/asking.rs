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

/// What of a question only asks.
#[derive(Debug, Default)]
pub struct Requests {
    /// All such phrases.
    pub spans: Spans,
    /// Those that begin or end a sentence. Of 何曜日, which may be anywhere, an answer may have the characters (木曜日).
    pub at_edges: Vec<Span>,
}

/// Phrases that begin a request, phrases that end one, those that dictionaries cut into words with a meaning, but that only
/// relate words to each other anywhere (について, という), and those that tell less than others, anywhere (のメモ, notes about).
#[derive(Debug)]
pub struct Asking {
    opening: Phrases,
    closing: Phrases,
    relating: Phrases,
    aside: Phrases,
}

impl Asking {
    /// All are folded as the questions will be. Returns an error as [`Phrases::new`] does.
    pub fn new(
        opening: &[String],
        closing: &[String],
        relating: &[String],
        aside: &[String],
    ) -> Result<Self, BuildError> {
        Ok(Self {
            aside: Phrases::new(aside)?,
            opening: Phrases::new(opening)?,
            closing: Phrases::new(closing)?,
            relating: Phrases::new(relating)?,
        })
    }

    /// The phrases in a folded question that tell less than its other words.
    pub fn aside_spans(&self, folded: &str) -> impl Iterator<Item = Span> {
        let found = self.aside.find(folded).into_iter();
        found.map(|(_, start, end)| (start, end))
    }

    /// The phrases that only ask, in a folded question that has these words; none if it has no other content words.
    pub fn requests(&self, folded: &str, words: &[Token]) -> Requests {
        let found = [&self.opening, &self.closing, &self.relating].map(|all| all.find(folded));
        if found.iter().all(Vec::is_empty) {
            return Requests::default();
        }
        let [opening, closing, relating] = found;
        let mut spans: Vec<Span> = relating.iter().map(|span| (span.1, span.2)).collect();
        let content_words = || words.iter().filter(|word| !word.is_function);
        let mut boundaries: Vec<Between> = folded.chars().map(Between::of).collect();
        let within_relating = Spans::of(spans.clone());
        for word in content_words().filter(|word| !within_relating.contain(word)) {
            boundaries[word.start..word.end].fill(Between::Barrier);
        }
        let mut at_edges = leading_spans(&boundaries, &opening);
        at_edges.extend(trailing_spans(&boundaries, &closing));
        spans.extend(&at_edges);
        let spans = Spans::of(spans);
        if content_words().all(|word| spans.contain(word)) {
            return Requests::default();
        }
        Requests { spans, at_edges }
    }
}

/// Spans that may overlap, to look up words in; a long message has thousands of both.
#[derive(Debug, Default)]
pub struct Spans {
    /// Ascending.
    starts: Vec<usize>,
    /// For each start, the largest end of the spans that begin there or before.
    furthest_ends: Vec<usize>,
}

impl Spans {
    /// The spans, in any order.
    pub fn of(mut spans: Vec<Span>) -> Self {
        spans.sort_unstable();
        let mut furthest = 0;
        let ends = spans.iter().map(|span| {
            furthest = furthest.max(span.1);
            furthest
        });
        Self {
            furthest_ends: ends.collect(),
            starts: spans.iter().map(|span| span.0).collect(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Whether a word is within one of the spans.
    pub fn contain(&self, word: &Token) -> bool {
        self.hold(word.start, word.end)
    }

    /// Whether a word is within one of the spans that is longer.
    pub fn have_part(&self, word: &Token) -> bool {
        let (start, end) = (word.start, word.end);
        self.hold(start, end + 1) || start > 0 && self.hold(start - 1, end)
    }

    /// Whether `start..end` is within one of the spans.
    pub fn hold(&self, start: usize, end: usize) -> bool {
        self.furthest_end(start + 1) >= end
    }

    /// Whether a word overlaps one of the spans.
    pub fn overlap(&self, word: &Token) -> bool {
        self.furthest_end(word.end) > word.start
    }

    /// The largest end of the spans that begin before `bound`; 0 if there are none.
    fn furthest_end(&self, bound: usize) -> usize {
        let count = self.starts.partition_point(|&start| start < bound);
        self.furthest_ends[..count].last().copied().unwrap_or(0)
    }
}

/// What a character between a phrase and the edge of a sentence means for the phrase.
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
fn leading_spans(boundaries: &[Between], found: &[(usize, usize, usize)]) -> Vec<Span> {
    let mut longest_ends = vec![0; boundaries.len()];
    for &(_, start, end) in found {
        longest_ends[start] = end.max(longest_ends[start]);
    }
    let mut spans = Vec::new();
    let (mut at, mut is_edge) = (0, true);
    while at < boundaries.len() {
        let end = longest_ends[at];
        if is_edge && end > at {
            spans.push((at, end));
            at = end;
        } else {
            is_edge = boundaries[at].is_edge(is_edge);
            at += 1;
        }
    }
    spans
}

/// The longest phrases that end at an edge.
fn trailing_spans(boundaries: &[Between], found: &[(usize, usize, usize)]) -> Vec<Span> {
    let mut longest_starts: Vec<usize> = (0..=boundaries.len()).collect();
    for &(_, start, end) in found {
        longest_starts[end] = start.min(longest_starts[end]);
    }
    let mut spans = Vec::new();
    let (mut at, mut is_edge) = (boundaries.len(), true);
    while at > 0 {
        let start = longest_starts[at];
        if is_edge && start < at {
            spans.push((start, at));
            at = start;
        } else {
            at -= 1;
            is_edge = boundaries[at].is_edge(is_edge);
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The phrases found, where the words in capitals and Han characters are content words.
    fn request_phrases(text: &str) -> Vec<String> {
        let opening = ["please", "tell me", "告诉我"].map(str::to_owned);
        let closing = ["ヲ教エテ", "教エテ", "教エテ下サイ", "please"].map(str::to_owned);
        let words: Vec<char> = text.chars().collect();
        let is_content = |&at: &usize| {
            let is_request = ['教', '下', '告', '诉', '我'].contains(&words[at]);
            !is_request
                && (words[at] >= '一' && words[at].is_alphabetic() || words[at].is_uppercase())
        };
        let mut tokens: Vec<Token> = (0..words.len())
            .filter(is_content)
            .map(|at| Token::new(words[at].to_string(), at, at + 1, false))
            .collect();
        let asking = Asking::new(&opening, &closing, &["ニツイテ".to_owned()], &[]).unwrap();
        for phrases in [&asking.opening, &asking.closing, &asking.relating] {
            let found = phrases.find(text).into_iter();
            tokens.extend(found.map(|(_, start, end)| Token::new("phrase", start, end, false)));
        }
        let spans = asking.requests(text, &tokens).spans;
        let ends = spans.furthest_ends.into_iter();
        let mut spans: Vec<Span> = spans.starts.into_iter().zip(ends).collect();
        spans.dedup();
        let part = |(start, end)| words[start..end].iter().collect();
        spans.into_iter().map(part).collect()
    }

    #[test]
    fn words_are_looked_up_in_spans_that_overlap_or_hold_others() {
        let spans = [(4, 5), (2, 8), (0, 1), (6, 9), (12, 14)];
        let sorted = Spans::of(spans.to_vec());
        for start in 0..16 {
            for end in start + 1..17 {
                let word = Token::new("", start, end, false);
                let contain = spans.iter().any(|span| span.0 <= start && end <= span.1);
                let overlap = spans.iter().any(|span| span.0 < end && start < span.1);
                assert_eq!(sorted.contain(&word), contain, "{start} to {end}");
                assert_eq!(sorted.overlap(&word), overlap, "{start} to {end}");
            }
        }
        let word = Token::new("", 0, 1, false);
        assert!(!Spans::default().contain(&word) && !Spans::default().overlap(&word));
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
            assert_eq!(request_phrases(text), expected, "{text}");
        }
    }
}
