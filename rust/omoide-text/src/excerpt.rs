//! Which part of a text shows why it was found?
//!
//! Useful for: a line for each hit. Not useful for: marking the matches, and texts whose folding needs Unicode's tables, for
//! which the answer is `None`.
//! Invariant: offsets count code points; no character is separated from its combining marks.

use crate::fold::{Variants, is_common};
use crate::script::is_white_space;
use std::ops::Range;

/// Appended to a line if the sentence continues in the text.
const ELLIPSIS: &str = "...";

/// The excerpt of a text, at most `width` code points: the sentence with most of the folded `terms`, the first of equals, cut
/// around the first term. Empty for a blank text.
///
/// ```
/// let variants = omoide_text::Variants::new([]);
/// let text = "We met. We parked on level two.";
/// assert_eq!(omoide_text::glimpse(&variants, text, &["parked"], 120), Some(8..31));
/// ```
pub fn glimpse(
    variants: &Variants,
    text: &str,
    terms: &[&str],
    width: usize,
) -> Option<Range<usize>> {
    let range = excerpt_range(variants, text, TermSet::of(terms).as_ref(), width)?;
    let start = text[..range.start].chars().count();
    Some(start..start + text[range].chars().count())
}

/// The excerpt as one line: white space of every kind collapsed, with dots if the sentence continues.
///
/// ```
/// let variants = omoide_text::Variants::new([]);
/// let term_set = omoide_text::TermSet::of(&["level"]);
/// let line = omoide_text::snippet(&variants, "We met. We parked\non  level two", term_set.as_ref(), 9);
/// assert_eq!(line.as_deref(), Some("on level..."));
/// ```
pub fn snippet(
    variants: &Variants,
    text: &str,
    term_set: Option<&TermSet<'_>>,
    width: usize,
) -> Option<String> {
    let range = excerpt_range(variants, text, term_set, width)?;
    let (excerpt, after) = (&text[range.clone()], &text[range.end..]);
    let is_whole = after.is_empty()
        || after.starts_with('\n')
        || excerpt
            .trim_end_matches(is_closing_mark)
            .ends_with(|c| c == '.' || is_terminator(c));
    Some(one_line(excerpt, if is_whole { "" } else { ELLIPSIS }))
}

/// The text with white space of every kind collapsed, and with `dots` appended.
fn one_line(text: &str, dots: &str) -> String {
    let mut line = String::with_capacity(text.len() + dots.len());
    if is_one_line(text.as_bytes()) {
        line.push_str(text);
    } else {
        collapse(text, &mut line);
        if !dots.is_empty() && !line.is_empty() && text.ends_with(is_white_space) {
            line.push(' ');
        }
    }
    line.push_str(dots);
    line
}

fn collapse(text: &str, line: &mut String) {
    for word in text.split(is_white_space).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
}

/// Whether the text certainly has no white space but single spaces between words. Bytes are checked many at a time, since most
/// excerpts are such lines.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches many bytes are looked at together"
)]
fn is_one_line(text: &[u8]) -> bool {
    let has_no_outer_space = text.first() != Some(&b' ') && text.last() != Some(&b' ');
    // Other white space is a control byte, or begins with one of three bytes, or is the ideographic space, which contains two
    // equal bytes.
    let other = text.iter().fold(false, |any, &byte| {
        any | (byte < b' ') | (byte == 0xC2) | (byte == 0xE1) | (byte == 0xE2)
    });
    let pairs = text.iter().zip(text.get(1..).unwrap_or_default());
    let twice = pairs.fold(false, |any, (&byte, &next)| {
        any | ((byte == next) & ((byte == b' ') | (byte == 0x80)))
    });
    has_no_outer_space && !other && !twice
}

/// The byte range of the excerpt.
fn excerpt_range(
    variants: &Variants,
    text: &str,
    term_set: Option<&TermSet<'_>>,
    width: usize,
) -> Option<Range<usize>> {
    let mut sentences = sentences(text);
    let Some(first) = sentences.next() else {
        return Some(0..0);
    };
    let best = match sentences.next() {
        None => first,
        Some(second) => {
            let all = [first, second].into_iter().chain(sentences);
            best_sentence(variants, text, term_set?, all)?
        }
    };
    let sentence = &text[best.clone()];
    if sentence.len() <= width || sentence.chars().nth(width).is_none() {
        return Some(best);
    }
    let part = around_first(variants, sentence, term_set?, width)?;
    Some(best.start + part.start..best.start + part.end)
}

/// The first of the sentences with the most terms.
fn best_sentence(
    variants: &Variants,
    text: &str,
    term_set: &TermSet<'_>,
    sentences: impl Iterator<Item = Range<usize>>,
) -> Option<Range<usize>> {
    let mut folded = Vec::with_capacity(text.len());
    let (mut best, mut most_matched) = (None, 0);
    for sentence in sentences {
        folded.clear();
        variants.fold_each(&text[sentence.clone()], |c| folded.push(c))?;
        let matched = term_set.count_in(&folded);
        if best.is_none() || matched > most_matched {
            (best, most_matched) = (Some(sentence), matched);
        }
        if most_matched == term_set.all_bits.count_ones() {
            break;
        }
    }
    best
}

/// As much of a long sentence as fits, including the first term.
fn around_first(
    variants: &Variants,
    sentence: &str,
    term_set: &TermSet<'_>,
    width: usize,
) -> Option<Range<usize>> {
    if !sentence.chars().all(folds_alone) {
        return None;
    }
    let mut folded = Vec::with_capacity(sentence.len());
    variants.fold_each(sentence, |c| folded.push(c))?;
    let first = term_set.first_in(&folded).unwrap_or(0);
    let start = if first < width * 2 / 3 {
        0
    } else {
        first - width / 3
    };
    let byte_of = |text: &str, chars| {
        let found = text.char_indices().nth(chars);
        found.map_or(text.len(), |(byte, _)| byte)
    };
    let from = byte_of(sentence, start);
    Some(from..from + byte_of(&sentence[from..], width))
}

/// Distinct folded terms that are searched for together in one pass over a sentence; each is a bit.
pub struct TermSet<'terms> {
    terms: Vec<&'terms str>,
    all_bits: u64,
    /// Which terms may begin with a character, by the character's last six bits.
    first_chars: [u64; 64],
    /// For the same six bits: which last five bits the second character of such a term may have.
    pairs: [u32; 64],
}

impl<'terms> TermSet<'terms> {
    /// `None` if there are more terms than bits.
    #[must_use]
    pub fn of(terms: &[&'terms str]) -> Option<Self> {
        let mut term_set = Self {
            terms: Vec::with_capacity(terms.len()),
            all_bits: 0,
            first_chars: [0; 64],
            pairs: [0; 64],
        };
        for term in terms {
            let mut chars = term.chars();
            if let Some(first) = chars.next() {
                term_set.add(term, slot(first))?;
                term_set.pairs[slot(first)] |= chars.next().map_or(u32::MAX, pair);
            }
        }
        Some(term_set)
    }

    fn add(&mut self, term: &'terms str, slot: usize) -> Option<()> {
        if !bits(self.first_chars[slot]).any(|known| self.terms[known] == term) {
            let bit = 1_u64.checked_shl(self.terms.len() as u32)?;
            self.terms.push(term);
            self.all_bits |= bit;
            self.first_chars[slot] |= bit;
        }
        Some(())
    }

    /// How many of the terms occur.
    fn count_in(&self, folded: &[char]) -> u32 {
        let mut missing = self.all_bits;
        let mut from = 0;
        while let Some(found) = self.next_in(&folded[from..]) {
            let at = from + found;
            let may_begin = self.first_chars[slot(folded[at])] & missing;
            if may_begin != 0 {
                missing &= !self.matching_at(&folded[at..], may_begin);
            }
            from = at + 1;
        }
        (self.all_bits & !missing).count_ones()
    }

    /// The first position where a term may begin, by the term's first two characters. A separate function, since this is the
    /// loop over every character.
    #[inline(never)]
    fn next_in(&self, folded: &[char]) -> Option<usize> {
        let (&last, _) = folded.split_last()?;
        let may_match = |both: &[char]| self.pairs[slot(both[0])] & pair(both[1]) != 0;
        let found = folded.windows(2).position(may_match);
        found.or_else(|| (self.first_chars[slot(last)] != 0).then_some(folded.len() - 1))
    }

    /// The position of the first term.
    fn first_in(&self, folded: &[char]) -> Option<usize> {
        let begins = |&at: &usize| {
            let may_begin = self.first_chars[slot(folded[at])];
            self.matching_at(&folded[at..], may_begin) != 0
        };
        (0..folded.len()).find(begins)
    }

    /// Those of the terms `candidates` that the text begins with.
    fn matching_at(&self, folded: &[char], candidates: u64) -> u64 {
        let found = bits(candidates).filter(|&term| begins(folded, self.terms[term]));
        found.fold(0, |set, term| set | 1 << term)
    }
}

/// The indices of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = set.trailing_zeros();
        set = set.checked_sub(1)? & set;
        Some(next as usize)
    })
}

fn slot(c: char) -> usize {
    u32::from(c) as usize & 63
}

fn pair(second: char) -> u32 {
    1 << (u32::from(second) & 31)
}

fn begins(folded: &[char], term: &str) -> bool {
    let mut rest = folded.iter();
    term.chars().all(|c| rest.next() == Some(&c))
}

/// Whether a character folds to a single character, and does not combine with the one before it.
fn folds_alone(c: char) -> bool {
    (is_common(c) && !matches!(c, '\u{1f3fb}'..='\u{1f3ff}'))
        || matches!(c, 'A'..='Z' | 'À'..='Þ' | '\u{a0}' | '\u{3000}' | '\u{ff01}'..='\u{ff5e}')
}

/// The byte ranges of the sentences that are not blank, in order, without surrounding white space.
fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at;
            at += end_of_sentence(&text[at..]);
            let inside = text[start..at].trim_start_matches(is_white_space);
            let start = at - inside.len();
            let inside = inside.trim_end_matches(is_white_space);
            if !inside.is_empty() {
                return Some(start..start + inside.len());
            }
        }
        None
    })
}

/// The length in bytes of the first sentence of a text, including closing marks.
fn end_of_sentence(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut from = 0;
    let next = |from: usize| next_mark(&bytes[from..]);
    while let Some(found) = next(from) {
        let at = from + found;
        from = at + 1;
        let mark = match bytes[at] {
            b'\n' => return from,
            b'.' if text[from..].starts_with(is_white_space) => return from,
            b'.' => continue,
            b'!' | b'?' => at,
            _ => at - 1,
        };
        if text.is_char_boundary(mark) && text[mark..].starts_with(is_terminator) {
            let closed = text[mark..].trim_start_matches(is_terminator);
            return text.len() - closed.trim_start_matches(is_closing_mark).len();
        }
    }
    text.len()
}

/// The position of the first byte that may belong to the end of a sentence (of 。！？ the second byte). Many bytes are checked at
/// a time, since few match.
fn next_mark(bytes: &[u8]) -> Option<usize> {
    let (mut from, mut rest) = (0, bytes);
    while let Some((chunk, _)) = rest.split_first_chunk::<{ BYTES_PER_CHECK + 1 }>() {
        let pairs = chunk.iter().zip(&chunk[1..]);
        if pairs.fold(false, |any, (&byte, &next)| {
            any | may_end_sentence(byte, next)
        }) {
            break;
        }
        (from, rest) = (from + BYTES_PER_CHECK, &rest[BYTES_PER_CHECK..]);
    }
    let nexts = rest.iter().skip(1).chain([&0]);
    let mut pairs = rest.iter().zip(nexts);
    Some(from + pairs.position(|(&byte, &next)| may_end_sentence(byte, next))?)
}

/// Bytes that are checked at a time.
const BYTES_PER_CHECK: usize = 16;

/// Whether a byte may belong to the end of a sentence, judging also by the next one.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches many bytes are looked at together"
)]
fn may_end_sentence(byte: u8, next: u8) -> bool {
    (byte == b'\n')
        | (byte == b'.')
        | (byte == b'!')
        | (byte == b'?')
        | ((byte == 0x80) & (next == 0x82))
        | ((byte == 0xBC) & ((next == 0x81) | (next == 0x9F)))
}

fn is_terminator(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '!' | '?')
}

fn is_closing_mark(c: char) -> bool {
    matches!(c, '」' | '』' | '）' | ')' | '"' | '\'' | '”' | '’')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, terms: &[&str], width: usize) -> Option<String> {
        let variants = Variants::new([('臺', '台'), ('す', 'ス')]);
        let range = glimpse(&variants, text, terms, width)?;
        Some(text.chars().skip(range.start).take(range.len()).collect())
    }

    #[test]
    fn the_best_sentence_is_excerpted_and_a_long_one_cut_around_the_first_term() {
        let rows: [(&str, &[&str], usize, Option<&str>); 14] = [
            (
                "会った。すしを食べた。",
                &["食べ"],
                120,
                Some("すしを食べた。"),
            ),
            ("他来了！他在臺灣。", &["台"], 120, Some("他在臺灣。")),
            (
                "We met. We parked.",
                &["parked", "we"],
                120,
                Some("We parked."),
            ),
            ("「はい。」 いいえ", &["いいえ"], 120, Some("いいえ")),
            ("犬がいた。いたのは猫", &["猫"], 120, Some("いたのは猫")),
            ("他来了！他养小猫", &["小猫"], 120, Some("他养小猫")),
            ("犬だ。猫だ。猫犬だ", &["猫", "犬"], 120, Some("猫犬だ")),
            ("We met. Plan b", &["b"], 120, Some("Plan b")),
            ("v1.5 is out", &["out"], 120, Some("v1.5 is out")),
            ("aaaa bbbb cccc dddd", &["cccc"], 9, Some("bb cccc d")),
            ("aaaa bbbb cccc dddd", &["none"], 9, Some("aaaa bbbb")),
            (" \n ", &["a"], 9, Some("")),
            ("cafe\u{301}", &["none"], 9, Some("cafe\u{301}")),
            ("cafe\u{301}! Tea!", &["tea"], 9, None),
        ];
        for (text, terms, width, expected) in rows {
            assert_eq!(excerpt(text, terms, width).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn white_space_of_every_kind_is_one_blank() {
        let rows = [
            ("一二 三", "...", "一二 三..."),
            ("一\u{3000}二\u{a0}三", "", "一 二 三"),
            ("a  b\u{2028}\u{1c}c\u{85}d", "", "a b c d"),
            (" a b ", "...", "a b ..."),
            ("a\n", "", "a"),
            (" ", "...", "..."),
            ("", "", ""),
        ];
        for (text, dots, expected) in rows {
            assert_eq!(one_line(text, dots), expected, "{text:?}");
        }
    }

    #[test]
    fn a_sentence_ends_at_its_mark_at_any_byte() {
        for before in 0..40 {
            for mark in ["。", "！", "？", "!", "?", ". ", "\n"] {
                let text = format!("{}{mark}次 third", "a".repeat(before));
                let ended = before + mark.trim_end_matches(' ').len();
                assert_eq!(end_of_sentence(&text), ended, "{text:?}");
            }
        }
        // Its last two bytes are also those of a mark.
        assert_eq!(end_of_sentence("𠼁。次"), "𠼁。".len());
    }
}
