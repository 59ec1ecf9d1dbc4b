//! Unigram: the most probable of all ways to cut a piece into tokens, by Viterbi's algorithm (Kudo 2018).

use super::trie::{ROOT, Trie};
use tokenizers::models::unigram::Unigram as Described;

/// How much lower the score of an unknown character is than that of the least probable token.
const PENALTY: f64 = 10.0;
const UNREACHED: u32 = u32::MAX;

/// See the module. Gaps are spaces here.
pub struct Unigram {
    trie: Trie,
    scores: Vec<f64>,
    unknown: u32,
    unknown_score: f64,
}

/// The best way to a place in a piece: its last token, and where that token begins.
#[derive(Clone, Copy)]
pub struct Step {
    score: f64,
    start: u32,
    token: u32,
}

impl Step {
    const NONE: Self = Self {
        score: 0.0,
        start: UNREACHED,
        token: 0,
    };

    /// Take the other way if it is better, or the first.
    fn update(&mut self, score: f64, start: usize, token: u32) {
        if self.start == UNREACHED || score > self.score {
            *self = Self {
                score,
                start: start as u32,
                token,
            };
        }
    }
}

impl Unigram {
    /// For a described model. `None` if unknown characters become bytes, or an unknown stretch may score higher than a token.
    pub fn of(described: &Described, unknown: u32) -> Option<Self> {
        if described.byte_fallback() || described.min_score > 0.0 {
            return None;
        }
        let numbered = (0..).zip(described.iter());
        let within = numbered.filter(|(_, (token, _))| !token.contains(' '));
        let keys = within.map(|(id, (token, _))| (with_spaces(token).into_bytes(), id));
        Some(Self {
            trie: Trie::new(keys.collect()),
            scores: described.iter().map(|&(_, score)| score).collect(),
            unknown,
            unknown_score: described.min_score - PENALTY,
        })
    }

    /// Append the tokens of a piece.
    pub fn append(&self, piece: &str, steps: &mut Vec<Step>, tokens: &mut Vec<u32>) {
        steps.clear();
        steps.resize(piece.len() + 1, Step::NONE);
        for (start, character) in piece.char_indices() {
            let score = steps[start].score;
            let one = character.len_utf8();
            let mut known = false;
            for (length, token) in self.trie.prefixes(ROOT, &piece.as_bytes()[start..]) {
                known |= length == one;
                let score = self.scores[token as usize] + score;
                steps[start + length].update(score, start, token);
            }
            if !known {
                steps[start + one].update(self.unknown_score + score, start, self.unknown);
            }
        }
        self.append_best_path(steps, tokens);
    }

    /// Append the tokens of the best way to the end; consecutive unknown ones become one.
    fn append_best_path(&self, steps: &[Step], tokens: &mut Vec<u32>) {
        let first = tokens.len();
        let mut end = steps.len() - 1;
        while end > 0 {
            let Step { start, token, .. } = steps[end];
            if token != self.unknown || tokens[first..].last() != Some(&token) {
                tokens.push(token);
            }
            end = start as usize;
        }
        tokens[first..].reverse();
    }
}

/// A token with spaces for the marks of gaps.
pub fn with_spaces(token: &str) -> String {
    token.replace(super::rules::GAP, " ")
}
