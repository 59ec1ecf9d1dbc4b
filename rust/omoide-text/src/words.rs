//! Which words does a text hold, in every script but Han and kana?
//!
//! Useful for: English, Korean, Russian, Arabic, Thai, numbers, names, emoji. Not useful for: Chinese and Japanese.
//! Invariant: a word never begins with a combining mark and never ends before one; offsets count code points.

use crate::Script;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word, or what is found inside one: code points `start..end` of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// As it stands there, or as many people type it.
    pub term: Cow<'a, str>,
    /// First code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// Whether it is a mere part of a word that is listed too.
    pub part: bool,
}

/// Each word of `text` (NFKC, case-folded), followed by what is found inside it.
///
/// `iphone15` is also `iphone` and `15`; `café` also `cafe`; Thai, Lao, Burmese and Khmer words also every two
/// neighbouring characters with their marks; `5,000` also `5000`; `2.3.1` also itself. A symbol such as an emoji is a word.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut stretch: Vec<(usize, char)> = Vec::new();
    let mut before = 0;
    // No word goes across Han or kana: each stretch between them is cut for itself.
    for (at, c) in text.char_indices() {
        if !Script::is_han_or_kana(c) {
            stretch.push((at, c));
            continue;
        }
        if !stretch.is_empty() {
            before = add_stretch(text, at, before, &mut stretch, &mut found);
        }
        before += 1;
    }
    add_stretch(text, text.len(), before, &mut stretch, &mut found);
    found
}

/// Words of a stretch that ends at a byte of the text and begins after so many code points; returns how many its end is
/// after.
fn add_stretch<'a>(
    text: &'a str,
    end: usize,
    before: usize,
    stretch: &mut Vec<(usize, char)>,
    found: &mut Vec<Word<'a>>,
) -> usize {
    let length = stretch.len();
    if !stretch.iter().any(|&(_, c)| is_letter(c) || is_symbol(c)) {
        stretch.clear(); // punctuation alone
        return before + length;
    }
    let chars = std::mem::take(stretch);
    let first = found.len();
    Stretch { text, end, chars }.add_words(found);
    for word in &mut found[first..] {
        word.start += before;
        word.end += before;
    }
    before + length
}

/// A stretch of a text: its characters with their bytes, and the byte it ends at. Offsets count from its beginning.
struct Stretch<'a> {
    text: &'a str,
    end: usize,
    chars: Vec<(usize, char)>,
}

impl<'a> Stretch<'a> {
    fn add_words(&self, found: &mut Vec<Word<'a>>) {
        let mut at = 0;
        while at < self.len() {
            let end = self.word_end(at);
            if end > at {
                self.add_word(at, end, found);
            } else if is_symbol(self.char(at)) {
                found.push(self.word(at, at + 1, false));
            }
            at = end.max(at + 1);
        }
        self.add_numbers(found);
    }

    fn len(&self) -> usize {
        self.chars.len()
    }

    fn char(&self, at: usize) -> char {
        self.chars[at].1
    }

    fn is(&self, at: usize, test: fn(char) -> bool) -> bool {
        self.chars.get(at).is_some_and(|&(_, c)| test(c))
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        let byte = |at: usize| self.chars.get(at).map_or(self.end, |&(byte, _)| byte);
        &self.text[byte(start)..byte(end)]
    }

    fn word(&self, start: usize, end: usize, part: bool) -> Word<'a> {
        let term = Cow::Borrowed(self.slice(start, end));
        Word {
            term,
            start,
            end,
            part,
        }
    }

    fn run_end(&self, mut at: usize, test: fn(char) -> bool) -> usize {
        while self.is(at, test) {
            at += 1;
        }
        at
    }

    /// One past the word that begins at `at`; `at` itself where none does.
    fn word_end(&self, at: usize) -> usize {
        if !self.is(at, is_letter) {
            return at;
        }
        let mut end = at;
        loop {
            end = self.run_end(end, |c| is_letter(c) || is_combining_mark(c));
            // An apostrophe inside holds a word together.
            if !(self.is(end, is_apostrophe) && self.is(end + 1, is_letter)) {
                return end;
            }
            end += 1;
        }
    }

    fn add_word(&self, start: usize, end: usize, found: &mut Vec<Word<'a>>) {
        let word = self.slice(start, end);
        found.push(self.word(start, end, false));
        if word.is_ascii() {
            self.add_parts(start, end, found);
            return;
        }
        let bare: String = word.nfd().filter(|&c| !is_combining_mark(c)).collect();
        if bare.is_ascii() {
            found.push(Word {
                term: Cow::Owned(bare),
                start,
                end,
                part: false,
            });
        }
        if is_unspaced(self.char(start)) {
            self.add_neighbours(start, end, found);
        }
    }

    fn add_parts(&self, start: usize, end: usize, found: &mut Vec<Word<'a>>) {
        let mut at = start;
        while at < end {
            let letters = self.run_end(at, |c| c.is_ascii_alphabetic());
            let next = letters.max(self.run_end(at, |c| c.is_ascii_digit()));
            if next > at && next - at < end - start {
                found.push(self.word(at, next, true));
            }
            at = next.max(at + 1);
        }
    }

    fn add_neighbours(&self, start: usize, end: usize, found: &mut Vec<Word<'a>>) {
        let mut borders: Vec<usize> = (start..end)
            .filter(|&at| !is_combining_mark(self.char(at)))
            .collect();
        borders.push(end);
        for pair in borders.windows(3) {
            found.push(self.word(pair[0], pair[2], false));
        }
    }

    /// Numbers with points or commas inside; those that part thousands go.
    fn add_numbers(&self, found: &mut Vec<Word<'a>>) {
        let mut at = 0;
        while at < self.len() {
            let first = self.run_end(at, |c| c.is_ascii_digit());
            let mut end = first;
            while end > at && self.is(end, is_point) && self.is(end + 1, |c| c.is_ascii_digit()) {
                end = self.run_end(end + 1, |c| c.is_ascii_digit());
            }
            if end > first {
                let term = number(self.slice(at, end));
                found.push(Word {
                    term,
                    start: at,
                    end,
                    part: false,
                });
            }
            at = end.max(at + 1);
        }
    }
}

fn number(written: &str) -> Cow<'_, str> {
    let whole = written.split('.').next().unwrap_or_default();
    let groups: Vec<&str> = whole.split(',').collect();
    let thousands = groups.len() > 1
        && (1..=3).contains(&groups[0].len())
        && groups[1..].iter().all(|group| group.len() == 3)
        && written.matches('.').count() <= 1;
    if thousands {
        Cow::Owned(written.replace(',', ""))
    } else {
        Cow::Borrowed(written)
    }
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    c.is_alphanumeric() && !is_combining_mark(c)
}

fn is_apostrophe(c: char) -> bool {
    c == '\'' || c == '’'
}

fn is_point(c: char) -> bool {
    c == '.' || c == ','
}

/// Thai, Lao, Burmese, Khmer: no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Pictures and signs that people search for: emoji, arrows, stars; not skin tones, which only follow them.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let show = |word: &Word| {
            let mark = if word.part { "*" } else { "" };
            format!("{mark}{}@{}-{}", word.term, word.start, word.end)
        };
        words(text).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_stand_between_spaces_and_hold_others() {
        let rows = [
            ("", ""),
            ("docker设定", "docker@0-6"),
            ("iphone15を買う", "iphone15@0-8 *iphone@0-6 *15@6-8"),
            ("don't", "don't@0-5 *don@0-3 *t@4-5"),
            ("rock 'n' roll", "rock@0-4 n@6-7 roll@9-13"),
            ("café", "café@0-4 cafe@0-4"),
            ("привет мир", "привет@0-6 мир@7-10"),
            ("한국어", "한국어@0-3"),
            ("ไทยดี", "ไทยดี@0-5 ไท@0-2 ทย@1-3 ยดี@2-5"),
            (
                "5,000円 v2.3.1",
                "5@0-1 000@2-5 5000@0-5 v2@7-9 *v@7-8 *2@8-9 3@10-11 1@12-13 2.3.1@8-13",
            ),
            ("寿司🍣👍🏽", "🍣@2-3 👍@3-4"),
            ("東京", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
