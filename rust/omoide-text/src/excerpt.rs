//! Which part of a text shows why it was found?
//!
//! Useful for: a line of every hit. Not useful for: marking what was found, and texts that need the whole of Unicode's
//! tables, for which the answer is `None`.
//! Invariant: offsets count code points; no character is parted from what belongs to it.

use crate::fold::{Variants, plain};
use std::ops::Range;

/// One sentence: where it stands, in code points, and its characters without the white space around it.
struct Sentence<'text> {
    start: usize,
    chars: usize,
    text: &'text str,
}

/// What to show of a text in at most `width` code points: the sentence that holds most of the folded `terms`, the first
/// of equals, cut around the first of them. Empty for a blank text.
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
    let mut best: Option<(usize, Sentence<'_>, String)> = None;
    for sentence in sentences(text) {
        let spelled = plain(sentence.text)?;
        let folded = variants.fold(&spelled).into_owned();
        let matched = matched(&folded, terms);
        if best.as_ref().is_none_or(|(most, ..)| matched > *most) {
            best = Some((matched, sentence, folded));
        }
    }
    let Some((_, sentence, folded)) = best else {
        return Some(0..0);
    };
    let shown = if sentence.chars <= width {
        0..sentence.chars
    } else {
        around_first(&sentence, &folded, terms, width)?
    };
    Some(sentence.start + shown.start..sentence.start + shown.end)
}

/// How many different terms are there.
fn matched(folded: &str, terms: &[&str]) -> usize {
    let there = |(at, term): &(usize, &&str)| {
        !term.is_empty() && folded.contains(**term) && !terms[..*at].contains(*term)
    };
    terms.iter().enumerate().filter(there).count()
}

/// As much of a long sentence as fits, the first term in view.
fn around_first(
    sentence: &Sentence<'_>,
    folded: &str,
    terms: &[&str],
    width: usize,
) -> Option<Range<usize>> {
    if !sentence.text.chars().all(stands_alone) {
        return None;
    }
    let found = terms.iter().filter(|term| !term.is_empty());
    let byte = found
        .filter_map(|term| folded.find(term))
        .min()
        .unwrap_or(0);
    let first = folded[..byte].chars().count();
    let start = if first < width * 2 / 3 {
        0
    } else {
        first - width / 3
    };
    Some(start..sentence.chars.min(start + width))
}

/// Whether a character has one folded form of one character, and belongs to none before it.
fn stands_alone(c: char) -> bool {
    !matches!(c, '…' | '℃' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// The sentences that are not blank, in order.
fn sentences(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    let (mut rest, mut at) = (text, 0);
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (whole, after) = rest.split_at(end_of_sentence(rest));
            let (start, inside) = (at, whole.trim_matches(is_blank));
            (rest, at) = (after, at + whole.chars().count());
            if !inside.is_empty() {
                let before = whole.chars().take_while(|&c| is_blank(c)).count();
                let chars = inside.chars().count();
                return Some(Sentence {
                    start: start + before,
                    chars,
                    text: inside,
                });
            }
        }
        None
    })
}

/// Bytes of the first sentence of a text, with the marks that close it.
fn end_of_sentence(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' => return at + 1,
            '.' if chars.peek().is_some_and(|&(_, next)| is_blank(next)) => return at + 1,
            _ if ends(c) => {
                let closed = text[at..]
                    .trim_start_matches(ends)
                    .trim_start_matches(closes);
                return text.len() - closed.len();
            }
            _ => {}
        }
    }
    text.len()
}

fn ends(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '!' | '?')
}

fn closes(c: char) -> bool {
    matches!(c, '」' | '』' | '）' | ')' | '"' | '\'' | '”' | '’')
}

/// White space, with the four separators of ASCII.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, terms: &[&str], width: usize) -> Option<String> {
        let variants = Variants::new([('臺', '台'), ('す', 'ス')]);
        let range = glimpse(&variants, text, terms, width)?;
        Some(text.chars().skip(range.start).take(range.len()).collect())
    }

    #[test]
    fn the_best_sentence_is_shown_and_a_long_one_cut_around_the_first_term() {
        let rows: [(&str, &[&str], usize, Option<&str>); 9] = [
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
            ("v1.5 is out", &["out"], 120, Some("v1.5 is out")),
            ("aaaa bbbb cccc dddd", &["cccc"], 9, Some("bb cccc d")),
            ("aaaa bbbb cccc dddd", &["none"], 9, Some("aaaa bbbb")),
            (" \n ", &["a"], 9, Some("")),
            ("cafe\u{301}", &["cafe"], 9, None),
        ];
        for (text, terms, width, expected) in rows {
            assert_eq!(shown(text, terms, width).as_deref(), expected, "{text}");
        }
    }
}
