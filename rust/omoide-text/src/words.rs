//! Which words does a text contain, in every script but Han and kana?
//!
//! Useful for: English, Korean, Russian, Arabic, Thai, numbers, names, emoji. Not useful for: Chinese and Japanese.
//! Invariant: a word never begins with a combining mark and never ends before one; offsets count code points.

use crate::Script;
use crate::numerals::multiplied;
use compact_str::CompactString;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word, or a part of one: code points `start..end` of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// As it is in the text, or as many people type it.
    pub term: Cow<'a, str>,
    /// First code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// Whether it is only a part of a word that is listed too, or several such parts as one.
    pub is_part: bool,
}

/// Room for so many characters is allocated at once.
const CHARS_PREALLOCATED: usize = 128;
/// Up to so many hyphenated words may be written as one...
const MAX_COMPOUND_WORDS: usize = 6;
/// ...with at most as many characters as this range allows; the lower bound applies to words with a space between them.
const COMPOUND_CHARS: std::ops::RangeInclusive<usize> = 4..=40;

/// Words of at most so many letters are abbreviations, which a slash or an ampersand ties: `ci/cd`, `at&t`, not `read/write`.
const MAX_ABBREVIATION_CHARS: usize = 3;
/// Words without a hyphen between them are one with so many characters or more: `U.S.` is not `us`.
const MIN_UNHYPHENATED_CHARS: usize = 3;
/// A number of a version or an address has at most so many points.
const MAX_POINTS: usize = 4;
/// Digits of a phone number, with the country's code or not.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 9..=15;
/// Its groups of digits have at most so many characters between them.
const MAX_GROUP_GAP: usize = 2;

/// Of a name with an apostrophe (`o'connell`), the most letters before it, and the least behind it: `i'm` is none.
const MAX_BEFORE_APOSTROPHE: usize = 2;
const MIN_BEHIND_APOSTROPHE: usize = 3;
/// Names before such an ending have at least so many letters.
const MIN_NAME_CHARS: usize = 2;
/// What French and Italian leave of articles, pronouns and prepositions before a vowel.
const ELISIONS: [&str; 19] = [
    "l", "d", "j", "m", "t", "s", "c", "n", "qu", "jusqu", "lorsqu", "puisqu", "un", "quest",
    "all", "dall", "dell", "nell", "sull",
];
/// Case endings that Turkish sets off from a name: `İstanbul'da`, `Ankara'nın`. None is what an English contraction ends in.
const TURKISH_ENDINGS: [&str; 44] = [
    "a", "e", "ı", "i", "u", "ü", "ya", "ye", "yı", "yi", "yu", "yü", "na", "ne", "nı", "ni", "nu",
    "nü", "da", "de", "ta", "te", "dan", "den", "tan", "ten", "nda", "nde", "ndan", "nden", "ın",
    "in", "un", "ün", "nın", "nin", "nun", "nün", "la", "le", "yla", "yle", "daki", "deki",
];
/// In й and ў, letters of their own, it is no accent.
const BREVE: char = '\u{306}';

/// Each word of `text` (NFKC, case-folded), followed by its parts; `written` is the original text, in which capitals show where
/// the words of a name begin.
///
/// `iphone15` is also `iphone` and `15`; `o’brien` also `o`, `brien` and `obrien`; `l’été` also `été`; `cancelorder` also `cancel` and
/// `order`, if it was written `cancelOrder`; `wi-fi` also `wifi`, `node.js` also `nodejs`, `ci/cd` also `cicd`; `café` also
/// `cafe`, `łódź` also `lodz`, `ёлка` also `елка`, `münchen` also `munchen` and `muenchen`; `i̇stanbul'da` also `istanbul`; Thai,
/// Lao, Burmese and Khmer words also every two neighbouring characters with their marks; `5,000` also `5000`, `1.5k` also `1500`;
/// `2.3.1` also itself and `2.3`; `(03) 1234 5678` and `+81 3 1234 5678` also `312345678`; `c++` and `f#` also `c` and `f`. A symbol
/// such as an emoji is a word.
pub fn words<'a>(text: &'a str, written: &str) -> Vec<Word<'a>> {
    let camel_case = camel_case(written);
    let (mut found, mut inside) = (Vec::new(), Vec::new());
    each_stretch(text, |stretch, before| {
        stretch.add_words(&camel_case, &mut inside);
        found.extend(inside.drain(..).map(|word| Word {
            start: word.start + before,
            end: word.end + before,
            ..word
        }));
    });
    found
}

/// Neighbouring words of a question as one, with their positions: `pick-up` and `pick up` may be `pickup` in a text. Groups of
/// digits that may be a phone number, too.
pub fn compounds(text: &str) -> Vec<(CompactString, usize, usize)> {
    let mut found = Vec::new();
    each_stretch(text, |stretch, before| {
        let each = stretch.compounds().into_iter();
        found.extend(each.map(|(term, start, end)| (term, start + before, end + before)));
    });
    found
}

/// Call `take` with each stretch that has words, and the number of code points before it. No word spans Han or kana.
fn each_stretch<'a>(text: &'a str, mut take: impl FnMut(&Stretch<'a>, usize)) {
    let mut chars: Vec<(usize, char)> = Vec::with_capacity(CHARS_PREALLOCATED.min(text.len()));
    let mut before = 0;
    let ends = text.char_indices().map(|(at, c)| (at, Some(c)));
    for (at, c) in ends.chain([(text.len(), None)]) {
        if let Some(c) = c.filter(|&c| !Script::is_han_or_kana(c)) {
            chars.push((at, c));
            continue;
        }
        let length = chars.len();
        let has_digits = chars.iter().any(|&(_, c)| is_digit(c));
        // Stretches of punctuation alone have no words.
        if chars.iter().any(|&(_, c)| is_letter(c) || is_symbol(c)) {
            let stretch = Stretch {
                text,
                end: at,
                chars: std::mem::take(&mut chars),
                has_digits,
            };
            take(&stretch, before);
        }
        chars.clear();
        before += length + 1;
    }
}

/// Names with capitals inside, folded, and where the words in each begin. Names of two capitalised words (`JavaScript`,
/// `GitHub`) are words of their own.
type CamelCaseNames = FxHashMap<String, Vec<usize>>;

fn camel_case(written: &str) -> CamelCaseNames {
    let mut found = CamelCaseNames::default();
    for name in written.split(|c: char| !c.is_ascii_alphanumeric()) {
        let bytes = name.as_bytes();
        let begins = |&at: &usize| {
            let ends_capitals = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            bytes[at].is_ascii_uppercase() && (!bytes[at - 1].is_ascii_uppercase() || ends_capitals)
        };
        let inside: Vec<usize> = (1..bytes.len()).filter(begins).collect();
        let least = 1 + usize::from(bytes.first().is_some_and(u8::is_ascii_uppercase));
        if inside.len() >= least {
            found.insert(name.to_ascii_lowercase(), inside);
        }
    }
    found
}

/// What ties a word to the next.
#[derive(Clone, Copy)]
enum Tie {
    Hyphen,
    /// A point, or a slash or ampersand between abbreviations.
    Sign,
}

/// Words with nothing but ties between them: [start, end) of each.
#[derive(Default)]
struct Row {
    words: Vec<(usize, usize)>,
    /// The first word behind the last tie that is no hyphen.
    hyphened: usize,
}

impl Row {
    /// The last word has this tie behind it. Call `take` with the words that are complete: `user`, `id` of `user_id.txt` at the
    /// point, and at the end all three.
    fn goes_on(&mut self, tie: Option<Tie>, mut take: impl FnMut(&[(usize, usize)])) {
        if matches!(tie, Some(Tie::Hyphen)) {
            return;
        }
        take(&self.words[self.hyphened..]);
        if tie.is_some() {
            self.hyphened = self.words.len();
            return;
        }
        if self.hyphened > 0 {
            take(&self.words);
        }
        self.words.clear();
        self.hyphened = 0;
    }
}

/// Which words are groups of digits of a number with separators of thousands, or of a decimal number. Asked in order, it looks at each group a few times
/// only, however long the row of numbers is.
#[derive(Default)]
struct Grouped {
    /// The end of the digits and separators that were looked at last.
    end: usize,
    /// In them, such a number begins at no word before this one.
    none_before: usize,
    /// The end of the last such number.
    thousands: usize,
}

impl Grouped {
    /// The end of such a number that the word that begins at `at` is part of, if it is.
    fn number_around(&mut self, at: usize, stretch: &Stretch<'_>) -> Option<usize> {
        if at >= self.thousands && at >= self.end {
            self.end = stretch.number_end(at);
            // Of v2.3.1 the 3.1 is none.
            let is_behind_point = at > 0 && is_number_separator(stretch.char(at - 1));
            let is_decimal = || is_decimal(stretch.slice(at, self.end));
            if at < self.end && !is_behind_point && is_decimal() {
                self.thousands = self.end;
            }
        }
        if at >= self.thousands {
            if at < self.none_before || at >= self.end {
                return None;
            }
            match thousands(stretch.slice(at, self.end)) {
                Ok(()) => self.thousands = self.end,
                Err(bad) => self.none_before = at + bad,
            }
        }
        (at < self.thousands).then_some(self.thousands)
    }
}

/// A stretch of a text: its characters with their bytes, and the byte at its end. Offsets count from its beginning.
struct Stretch<'a> {
    text: &'a str,
    end: usize,
    chars: Vec<(usize, char)>,
    has_digits: bool,
}

impl<'a> Stretch<'a> {
    fn add_words(&self, camel_case: &CamelCaseNames, found: &mut Vec<Word<'a>>) {
        let mut at = 0;
        let mut row = Row::default();
        let mut grouped = Grouped::default();
        while at < self.len() {
            let end = self.word_end(at);
            if end > at {
                let before = found.len();
                if let Some(stop) = self.signs_end(at, end) {
                    found.push(self.word(at, stop, false));
                    found.push(self.word(at, end, true));
                } else {
                    self.add_word(at, end, camel_case, found);
                }
                row.words.push((at, end));
                if let Some(number) = grouped.number_around(at, self) {
                    // Of 5,000 neither 5 nor 000 is asked for, nor 5kg of 1.5kg, but kg is.
                    let is_unit = |word: &Word<'_>| word.start == number && word.end > number + 1;
                    found[before..]
                        .iter_mut()
                        .for_each(|group| group.is_part = !is_unit(group));
                }
            } else if is_symbol(self.char(at)) {
                found.push(self.word(at, at + 1, false));
            }
            let tie = self.tie(at, end);
            row.goes_on(tie, |words| {
                found.extend(self.compound(words).map(part));
            });
            at = end.max(at + 1) + usize::from(tie.is_some());
        }
        if self.has_digits {
            self.add_numbers(found);
            found.extend(self.phone_numbers().into_iter().map(part));
        }
    }

    /// The end of the signs that belong to a short name: `c++` (also of `c++17`), `g++`, `c#`, `f#`; not of `a+`, `x+++` and `no#1`.
    fn signs_end(&self, at: usize, end: usize) -> Option<usize> {
        let signs = match (self.chars.get(end)?.1, self.chars.get(end + 1)) {
            ('+', Some(&(_, '+'))) => 2,
            ('#', _) => 1,
            _ => return None,
        };
        let is_short = end - at <= MAX_ABBREVIATION_CHARS
            && self.chars[at..end]
                .iter()
                .all(|(_, c)| c.is_ascii_alphabetic());
        let goes_on = match self.chars.get(end + signs) {
            Some(&(_, c)) if signs == 2 && is_digit(c) => false,
            _ => self.is(end + signs, |c| is_letter(c) || matches!(c, '+' | '#')),
        };
        (is_short && !goes_on).then_some(end + signs)
    }

    /// What ties the word from `at` to `end` to the one behind it.
    fn tie(&self, at: usize, end: usize) -> Option<Tie> {
        if end == at || !self.is(end + 1, is_letter) {
            return None;
        }
        let tie = self.char(end);
        if is_hyphen(tie) {
            return Some(Tie::Hyphen);
        }
        let is_number = || self.is(end - 1, is_digit) && self.is(end + 1, is_digit);
        let are_short =
            || (end - at).max(self.word_end(end + 1) - (end + 1)) <= MAX_ABBREVIATION_CHARS;
        let ties = match tie {
            '.' => !is_number(),
            '/' | '&' => !is_number() && are_short(),
            _ => false,
        };
        ties.then_some(Tie::Sign)
    }

    /// Several words without what separates them, if they may be written so.
    fn compound(&self, words: &[(usize, usize)]) -> Option<(CompactString, usize, usize)> {
        let (first, last) = (words.first()?, words.last()?);
        let length: usize = words.iter().map(|word| word.1 - word.0).sum();
        let shortest = if self.is(first.1, is_hyphen) {
            1
        } else {
            MIN_UNHYPHENATED_CHARS
        };
        let fits = (2..=MAX_COMPOUND_WORDS).contains(&words.len())
            && (shortest..=*COMPOUND_CHARS.end()).contains(&length);
        let is_spaced = !words.iter().any(|word| is_unspaced(self.char(word.0)));
        let each = words.iter().map(|&(start, end)| self.slice(start, end));
        (fits && is_spaced).then(|| (each.collect(), first.0, last.1))
    }

    /// Neighbouring words as one, all tied ones, and phone numbers.
    fn compounds(&self) -> Vec<(CompactString, usize, usize)> {
        let mut found = Vec::new();
        let mut row = Row::default();
        let mut before: Option<(usize, usize)> = None;
        let mut at = 0;
        while at < self.len() {
            let end = self.word_end(at);
            let word = (end > at).then_some((at, end));
            row.words.extend(word);
            found.extend(word.and_then(|word| self.without_apostrophe(word.0, word.1)));
            if let (Some(one), Some(other)) = (before, word) {
                let is_tied = self.char(one.1) != ' ';
                found.extend(self.compound(&[one, other]).filter(|each| {
                    is_tied || (COMPOUND_CHARS.contains(&each.0.len()) && !is_number(&each.0))
                }));
            }
            let tie = self.tie(at, end);
            row.goes_on(tie, |words| {
                found.extend(self.compound(words).filter(|_| words.len() > 2));
            });
            let is_spaced = self.is(end, |c| c == ' ') && self.is(end + 1, is_letter);
            before = word.filter(|_| tie.is_some() || is_spaced);
            at = end.max(at + 1) + usize::from(before.is_some());
        }
        if self.has_digits {
            found.extend(self.phone_numbers());
        }
        found
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

    fn word(&self, start: usize, end: usize, is_part: bool) -> Word<'a> {
        let term = Cow::Borrowed(self.slice(start, end));
        Word {
            term,
            start,
            end,
            is_part,
        }
    }

    fn run_end(&self, mut at: usize, test: fn(char) -> bool) -> usize {
        while self.is(at, test) {
            at += 1;
        }
        at
    }

    /// The end of the word that begins at `at`; `at` itself if none does.
    fn word_end(&self, at: usize) -> usize {
        if !self.is(at, is_letter) {
            return at;
        }
        let mut end = at;
        loop {
            end = self.run_end(end, |c| is_letter(c) || is_combining_mark(c));
            // An apostrophe inside a word does not end it.
            if !(self.is(end, is_apostrophe) && self.is(end + 1, is_letter)) {
                return end;
            }
            end += 1;
        }
    }

    fn add_word(
        &self,
        start: usize,
        end: usize,
        camel_case: &CamelCaseNames,
        found: &mut Vec<Word<'a>>,
    ) {
        let word = self.slice(start, end);
        found.push(self.word(start, end, false));
        if word.chars().all(is_ascii_or_apostrophe) {
            self.add_parts(start, end, found);
            found.extend(self.without_apostrophe(start, end).map(part));
            if let Some(inside) = camel_case.get(word) {
                self.add_camel_case_parts(start, end, inside, found);
            }
            return;
        }
        self.add_typed_forms(start, end, found);
        if let Some(rest) = self.after_elision(start, end) {
            found.push(self.word(rest, end, false));
            self.add_typed_forms(rest, end, found);
        } else if let Some(stop) = self.before_ending(start, end) {
            found.push(self.word(start, stop, false));
            self.add_typed_forms(start, stop, found);
        }
        if is_unspaced(self.char(start)) {
            self.add_neighbours(start, end, found);
        }
    }

    /// A name with a short word before its apostrophe, as many people type it: `oconnell`.
    fn without_apostrophe(
        &self,
        start: usize,
        end: usize,
    ) -> Option<(CompactString, usize, usize)> {
        let at = (start..end).find(|&at| is_apostrophe(self.char(at)))?;
        let is_name = at - start <= MAX_BEFORE_APOSTROPHE
            && end - at > MIN_BEHIND_APOSTROPHE
            && self.after_elision(start, end).is_none();
        let name = || [self.slice(start, at), self.slice(at + 1, end)].into_iter();
        (is_name && !self.slice(at + 1, end).contains(is_apostrophe))
            .then(|| (name().collect(), start, end))
    }

    fn add_typed_forms(&self, start: usize, end: usize, found: &mut Vec<Word<'a>>) {
        let word = self.slice(start, end);
        let forms = [without_diacritics(word), with_umlauts_spelled_out(word)];
        found.extend(forms.into_iter().flatten().map(|term| Word {
            term: Cow::Owned(term),
            start,
            end,
            is_part: false,
        }));
    }

    /// Where a word begins whose article or pronoun has lost its vowel: `avion` in `l’avion`.
    fn after_elision(&self, start: usize, end: usize) -> Option<usize> {
        let at = (start..end).find(|&at| is_apostrophe(self.char(at)))?;
        ELISIONS.contains(&self.slice(start, at)).then_some(at + 1)
    }

    /// Where a name ends whose case ending is set off: `ankara` in `ankara'da`.
    fn before_ending(&self, start: usize, end: usize) -> Option<usize> {
        let at = (start..end).rfind(|&at| is_apostrophe(self.char(at)))?;
        let is_name = at - start >= MIN_NAME_CHARS;
        (is_name && TURKISH_ENDINGS.contains(&self.slice(at + 1, end))).then_some(at)
    }

    fn add_parts(&self, start: usize, end: usize, found: &mut Vec<Word<'a>>) {
        let (elided, name) = (
            self.after_elision(start, end),
            self.before_ending(start, end),
        );
        let mut at = start;
        while at < end {
            let letters = self.run_end(at, |c| c.is_ascii_alphabetic());
            let next = letters.max(self.run_end(at, is_digit));
            if next > at && next - at < end - start {
                let is_word = match elided {
                    Some(rest) => at == rest && next == end,
                    None => at == start && name == Some(next),
                };
                found.push(self.word(at, next, !is_word));
            }
            at = next.max(at + 1);
        }
    }

    /// Add the words of a name, except those that were found already.
    fn add_camel_case_parts(
        &self,
        start: usize,
        end: usize,
        inside: &[usize],
        found: &mut Vec<Word<'a>>,
    ) {
        let before = found.iter().rposition(|word| word.end <= start);
        // The word itself, and its parts from left to right.
        let known = before.map_or(0, |last| last + 1)..found.len();
        let mut at = start;
        for next in inside.iter().map(|&place| start + place).chain([end]) {
            let of_word = &found[known.clone()];
            let from = of_word.partition_point(|word| word.start < at);
            let mut beginning_there = of_word[from..].iter().take_while(|word| word.start == at);
            if !beginning_there.any(|word| word.end == next) {
                found.push(self.word(at, next, true));
            }
            at = next;
        }
    }

    fn add_neighbours(&self, start: usize, end: usize, found: &mut Vec<Word<'a>>) {
        let mut boundaries: Vec<usize> = (start..end)
            .filter(|&at| !is_combining_mark(self.char(at)))
            .collect();
        boundaries.push(end);
        for pair in boundaries.windows(3) {
            found.push(self.word(pair[0], pair[2], false));
        }
    }

    /// Numbers with points or commas inside; separators of thousands are dropped. Those before a `k` also as thousands.
    fn add_numbers(&self, found: &mut Vec<Word<'a>>) {
        let mut at = 0;
        while at < self.len() {
            let start = at;
            let mut add = |term, end| {
                found.push(Word {
                    term,
                    start,
                    end,
                    is_part: false,
                });
            };
            let end = self.number_end(at);
            at = end.max(at + 1);
            if end == start {
                continue;
            }
            let term = number(self.slice(start, end));
            let is_thousands = self.is(end, |c| c == 'k') && !self.is(end + 1, is_letter);
            if let Some(value) = multiplied(&term, 1_000).filter(|_| is_thousands) {
                add(Cow::Owned(value.to_string()), end + 1);
            }
            if self.run_end(start, is_digit) == end {
                continue;
            }
            add(term, end);
            self.add_parts_of_number(start, end, found);
        }
    }

    /// Whoever asks for 12.25 may mean the 25th of December; version 3.12.4 is one of 3.12.
    fn add_parts_of_number(&self, start: usize, end: usize, found: &mut Vec<Word<'a>>) {
        let is_separator = |&at: &usize| is_number_separator(self.char(at));
        let separators = (start..end).filter(is_separator);
        let points: Vec<usize> = separators.take(MAX_POINTS + 1).collect();
        if points.len() > MAX_POINTS || points.iter().any(|&at| self.char(at) != '.') {
            return;
        }
        match points[..] {
            [] => {}
            [point] => {
                found.push(self.word(start, point, true));
                found.push(self.word(point + 1, end, true));
            }
            [_, ref later @ ..] => {
                found.extend(later.iter().map(|&point| self.word(start, point, true)));
            }
        }
    }

    /// The end of the number in digits that begins at `at`; `at` itself if none does.
    fn number_end(&self, at: usize) -> usize {
        let mut end = self.run_end(at, is_digit);
        while end > at && self.is(end, is_number_separator) && self.is(end + 1, is_digit) {
            end = self.run_end(end + 1, is_digit);
        }
        end
    }

    /// Numbers as people dial them, however they are set apart by blanks, hyphens, points and brackets: in digits alone, and
    /// without what is only dialled within a country (a zero) or from abroad (the country's code).
    fn phone_numbers(&self) -> Vec<(CompactString, usize, usize)> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.len() {
            let start = at;
            let mut end = self.run_end(at, is_digit);
            if end == start {
                at += 1;
                continue;
            }
            let mut digits = CompactString::from(self.slice(start, end));
            let mut has_gap = false;
            loop {
                at = self.run_end(end, is_between_groups);
                if !(1..=MAX_GROUP_GAP).contains(&(at - end)) || !self.is(at, is_digit) {
                    break;
                }
                // Hyphens alone tie words anyway.
                has_gap |= at - end > 1 || !self.is(end, is_hyphen);
                end = self.run_end(at, is_digit);
                digits.push_str(self.slice(at, end));
            }
            at = end;
            let before = start.checked_sub(1).map(|before| self.char(before));
            let is_part =
                before.is_some_and(is_letter) || self.is(end, |c| c == ':' || is_letter(c));
            if is_part || !PHONE_DIGITS.contains(&digits.len()) {
                continue;
            }
            let local = without_prefix(&digits, before == Some('+'));
            if local.len() < digits.len() {
                found.push((local.into(), start, end));
            }
            if has_gap {
                found.push((digits, start, end));
            }
        }
        found
    }
}

/// A phone number without what is dialled before it from elsewhere.
fn without_prefix(digits: &str, is_international: bool) -> &str {
    let national = if is_international {
        &digits[country_code(digits.as_bytes())..]
    } else {
        digits
    };
    national.strip_prefix('0').unwrap_or(national)
}

/// The length of the country's code that an international number begins with (ITU-T E.164).
fn country_code(digits: &[u8]) -> usize {
    match digits {
        [b'1' | b'7', ..] => 1,
        [b'2', b'0' | b'7', ..]
        | [b'3', b'0'..=b'4' | b'6' | b'9', ..]
        | [b'4', b'0' | b'1' | b'3'..=b'9', ..]
        | [b'5', b'1'..=b'8', ..]
        | [b'6', b'0'..=b'6', ..]
        | [b'8', b'1' | b'2' | b'4' | b'6', ..]
        | [b'9', b'0'..=b'5' | b'8', ..] => 2,
        _ => 3,
    }
}

/// Several words as one are part of the text's words, too.
fn part<'a>((term, start, end): (CompactString, usize, usize)) -> Word<'a> {
    Word {
        term: Cow::Owned(term.into()),
        start,
        end,
        is_part: true,
    }
}

fn number(written: &str) -> Cow<'_, str> {
    match thousands(written) {
        Ok(()) => Cow::Owned(written.replace(',', "")),
        Err(_) => Cow::Borrowed(written),
    }
}

/// Whether digits, points and commas are a number with a point and no other separators.
fn is_decimal(written: &str) -> bool {
    let parts = written.split_once('.');
    parts.is_some_and(|(whole, fraction)| is_number(whole) && is_number(fraction))
}

/// Whether digits, points and commas are a number with separators of thousands. If not: the place before which no other part of
/// them begins that is one.
fn thousands(written: &str) -> Result<(), usize> {
    let digits_from = |at: usize| written[at..].bytes().take_while(u8::is_ascii_digit).count();
    let first = digits_from(0);
    let mut end = first;
    while written[end..].starts_with(',') {
        if digits_from(end + 1) != 3 {
            return Err(end + 1);
        }
        end += 4;
    }
    let has_points = || written[end..].matches('.').nth(1).is_some();
    if end == first || has_points() {
        return Err(end + 1);
    }
    if first <= 3 { Ok(()) } else { Err(first + 1) }
}

/// A word as many people type it: without accents, strokes and vowel points; `None` if it has none.
fn without_diacritics(word: &str) -> Option<String> {
    let mut before = ' ';
    let is_kept = |c: &char| {
        if !is_accent(*c) {
            before = *c;
            return true;
        }
        *c == BREVE && ('\u{400}'..='\u{4ff}').contains(&before)
    };
    if !word.chars().any(may_have_diacritics) {
        return None;
    }
    let mut plain = String::with_capacity(word.len());
    for c in word.nfd().filter(is_kept).nfc() {
        match without_stroke(c) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(c),
        }
    }
    (plain != word).then_some(plain)
}

/// Latin, Greek, Cyrillic, Hebrew and Arabic beyond ASCII.
fn may_have_diacritics(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{6ff}' | '\u{1e00}'..='\u{1fff}')
}

/// Accents of these scripts, Hebrew points, Arabic vowels and hamzas above and below.
fn is_accent(c: char) -> bool {
    is_combining_mark(c)
        && matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// What is typed for Latin letters that Unicode does not take apart.
fn without_stroke(c: char) -> Option<&'static str> {
    Some(match c {
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ø' => "o",
        'ı' => "i",
        'ħ' => "h",
        'þ' => "th",
        'æ' => "ae",
        'œ' => "oe",
        _ => return None,
    })
}

/// A word with its umlauts as German and the Nordic languages write them without: `muenchen`, `aarhus`, `tromsoe`; `None` if it
/// has none.
fn with_umlauts_spelled_out(word: &str) -> Option<String> {
    if !word.chars().any(|c| umlaut(c).is_some()) {
        return None;
    }
    let mut spelled = String::with_capacity(word.len() + 1);
    for c in word.chars() {
        match umlaut(c) {
            Some(letters) => spelled.push_str(letters),
            None => spelled.push(c),
        }
    }
    Some(spelled)
}

fn umlaut(c: char) -> Option<&'static str> {
    Some(match c {
        'ä' => "ae",
        'ö' | 'ø' => "oe",
        'ü' => "ue",
        'å' => "aa",
        _ => return None,
    })
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    c.is_alphanumeric() && !is_combining_mark(c)
}

fn is_number(term: &str) -> bool {
    term.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Between the groups of digits of a phone number: `(03) 1234-5678`.
fn is_between_groups(c: char) -> bool {
    matches!(c, ' ' | '-' | '\u{2010}' | '.' | '(' | ')')
}

/// Joins words into one: `wi-fi`, `max_retries`.
pub(crate) fn is_hyphen(c: char) -> bool {
    c == '-' || c == '\u{2010}' || c == '_'
}

fn is_ascii_or_apostrophe(c: char) -> bool {
    c.is_ascii() || is_apostrophe(c)
}

/// Including those that phones and word processors insert.
pub(crate) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ')
}

fn is_number_separator(c: char) -> bool {
    c == '.' || c == ','
}

/// Thai, Lao, Burmese, Khmer: no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Symbols that people search for: emoji, arrows, stars; not skin tones, which only follow them.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(word: &Word) -> String {
        let mark = if word.is_part { "*" } else { "" };
        format!("{mark}{}@{}-{}", word.term, word.start, word.end)
    }

    fn shown(text: &str) -> String {
        let found = words(text, text);
        found.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_row_of_digits_is_looked_at_on_from_where_a_number_may_begin() {
        let rows = [
            ("1,234", Ok(())),
            ("1,234,567.89", Ok(())),
            ("1", Err(2)),
            ("1,2,345,678", Err(2)),
            ("2,345,678", Ok(())),
            ("123,456,78", Err(8)),
            ("12345,678,901", Err(6)),
            ("1.234.567", Err(2)),
            ("1,234.5.6", Err(6)),
        ];
        for (written, expected) in rows {
            assert_eq!(thousands(written), expected, "{written}");
        }
        assert_eq!(
            shown("1,2,345,678"),
            "1@0-1 *2@2-3 *345@4-7 *678@8-11 1,2,345,678@0-11"
        );
    }

    #[test]
    fn words_are_found_with_their_parts() {
        let rows = [
            ("", ""),
            ("docker设定", "docker@0-6"),
            ("iphone15を買う", "iphone15@0-8 *iphone@0-6 *15@6-8"),
            ("don't", "don't@0-5 *don@0-3 *t@4-5"),
            ("l’avion à", "l’avion@0-7 *l@0-1 avion@2-7 à@8-9 a@8-9"),
            ("l’été", "l’été@0-5 l’ete@0-5 été@2-5 ete@2-5"),
            (
                "dell'età c's",
                "dell'età@0-8 dell'eta@0-8 età@5-8 eta@5-8 c's@9-12 *c@9-10 s@11-12",
            ),
            ("qu'un", "qu'un@0-5 *qu@0-2 un@3-5"),
            (
                "münchen århus tromsø groß",
                "münchen@0-7 munchen@0-7 muenchen@0-7 århus@8-13 arhus@8-13 aarhus@8-13 tromsø@14-20 tromso@14-20 tromsoe@14-20 groß@21-25",
            ),
            (
                "i̇stanbul'da ankara’nın",
                "i̇stanbul'da@0-12 istanbul'da@0-12 i̇stanbul@0-9 istanbul@0-9 ankara’nın@13-23 ankara’nin@13-23 ankara@13-19",
            ),
            (
                "bursa'dan i've",
                "bursa'dan@0-9 bursa@0-5 *dan@6-9 i've@10-14 *i@10-11 *ve@12-14",
            ),
            ("łódź đức", "łódź@0-4 lodz@0-4 đức@5-8 duc@5-8"),
            ("ёлка мой", "ёлка@0-4 елка@0-4 мой@5-8"),
            ("αθήνα", "αθήνα@0-5 αθηνα@0-5"),
            ("الكِتَاب الأحد", "الكِتَاب@0-8 الكتاب@0-8 الأحد@9-14 الاحد@9-14"),
            ("हिन्दी", "हिन्दी@0-6"),
            ("oʼbrienさん", "oʼbrien@0-7 *o@0-1 *brien@2-7 *obrien@0-7"),
            ("rock 'n' roll", "rock@0-4 n@6-7 roll@9-13"),
            ("café", "café@0-4 cafe@0-4"),
            ("привет мир", "привет@0-6 мир@7-10"),
            ("한국어", "한국어@0-3"),
            ("ไทยดี", "ไทยดี@0-5 ไท@0-2 ทย@1-3 ยดี@2-5"),
            (
                "5,000円 v2.3.1",
                "*5@0-1 *000@2-5 5000@0-5 v2@7-9 *v@7-8 *2@8-9 3@10-11 1@12-13 2.3.1@8-13 *2.3@8-11",
            ),
            ("寿司🍣👍🏽", "🍣@2-3 👍@3-4"),
            ("東京", ""),
            ("wi-fiの設定", "wi@0-2 fi@3-5 *wifi@0-5"),
            ("的wi‐fi", "wi@1-3 fi@4-6 *wifi@1-6"),
            (
                "e-4012, 03-1234-5678",
                "e@0-1 4012@2-6 *e4012@0-6 03@8-10 1234@11-15 5678@16-20 *0312345678@8-20 *312345678@8-20",
            ),
            (
                "max_retry_count - 5",
                "max@0-3 retry@4-9 count@10-15 *maxretrycount@0-15 5@18-19",
            ),
            (
                "a-b-c-d-e-f-g",
                "a@0-1 b@2-3 c@4-5 d@6-7 e@8-9 f@10-11 g@12-13",
            ),
            ("-v --all", "v@1-2 all@5-8"),
            ("кто-то", "кто@0-3 то@4-6 *ктото@0-6"),
            (
                "c++, c#は f#。 c++17",
                "c++@0-3 *c@0-1 c#@5-7 *c@5-6 f#@9-11 *f@9-10 c++@13-16 *c@13-14 17@16-18",
            ),
            (
                "a+ x+++ no#1 i#",
                "a@0-1 x@3-4 no@8-10 1@11-12 i#@13-15 *i@13-14",
            ),
            (
                "node.js, user_id.txt.",
                "node@0-4 js@5-7 *nodejs@0-7 user@9-13 id@14-16 *userid@9-16 txt@17-20 *useridtxt@9-20",
            ),
            ("y.m.c.a.", "y@0-1 m@2-3 c@4-5 a@6-7 *ymca@0-7"),
            ("ci/cd q&a", "ci@0-2 cd@3-5 *cicd@0-5 q@6-7 a@8-9"),
            ("tcp/ip", "tcp@0-3 ip@4-6 *tcpip@0-6"),
            ("read/write 24/7", "read@0-4 write@5-10 24@11-13 7@14-15"),
            (
                "1.5k 4km",
                "*1@0-1 *5k@2-4 *5@2-3 *k@3-4 4km@5-8 *4@5-6 *km@6-8 1500@0-4 1.5@0-3 *1@0-1 *5@2-3",
            ),
            (
                "1.5kg 1.2.3.4.5.6",
                "*1@0-1 *5kg@2-5 *5@2-3 kg@3-5 1@6-7 2@8-9 3@10-11 4@12-13 5@14-15 6@16-17 1.5@0-3 *1@0-1 *5@2-3 1.2.3.4.5.6@6-17",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_phone_number_is_one_however_it_is_set_apart_and_dialled() {
        let rows = [
            ("090-1234-5678", &["9012345678"][..]),
            ("09012345678", &["9012345678"]),
            ("090(1234)5678", &["9012345678", "09012345678"]),
            ("+81 90 1234 5678", &["9012345678", "819012345678"]),
            ("+44 (0)20 7946 0958", &["2079460958", "4402079460958"]),
            ("138 0013 8000", &["13800138000"]),
            ("+8613800138000", &["13800138000"]),
            ("(415) 555-0132", &["4155550132"]),
            ("+1 415.555.0132", &["4155550132", "14155550132"]),
            ("2024-01-05 10:30", &[]),
            ("id 1234 5678 9012 3456 7890", &[]),
            ("x090 1234 5678", &[]),
            ("1 2", &[]),
        ];
        for (text, expected) in rows {
            let mut found = Vec::new();
            each_stretch(text, |stretch, _| found = stretch.phone_numbers());
            let found: Vec<&str> = found.iter().map(|(term, ..)| &**term).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_camel_case_name_contains_its_words() {
        let rows = [
            (
                "取消cancelOrder",
                "cancelorder@2-13 *cancel@2-8 *order@8-13",
            ),
            (
                "githubのcancelOrder",
                "github@0-6 cancelorder@7-18 *cancel@7-13 *order@13-18",
            ),
            (
                "HTTPServerError",
                "httpservererror@0-15 *http@0-4 *server@4-10 *error@10-15",
            ),
            (
                "getUser2Name",
                "getuser2name@0-12 *getuser@0-7 *2@7-8 *name@8-12 *get@0-3 *user2@3-8",
            ),
            (
                "JavaScript API iOS",
                "javascript@0-10 api@11-14 ios@15-18 *i@15-16 *os@16-18",
            ),
        ];
        for (text, expected) in rows {
            let folded = text.to_lowercase();
            let found = words(&folded, text);
            let shown: Vec<String> = found.iter().map(show).collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn neighbouring_words_may_be_one_compound() {
        let rows = [
            ("pick-up time", &[("pickup", 0, 7), ("uptime", 5, 12)][..]),
            (
                "log in 失敗 iphone 15",
                &[("login", 0, 6), ("iphone15", 10, 19)],
            ),
            (
                "03-1234-5678",
                &[
                    ("031234", 0, 7),
                    ("12345678", 3, 12),
                    ("0312345678", 0, 12),
                    ("312345678", 0, 12),
                ],
            ),
            (
                "node.js y.m.c.a. user_id.txt",
                &[
                    ("nodejs", 0, 7),
                    ("ymca", 8, 15),
                    ("userid", 17, 24),
                    ("idtxt", 22, 28),
                    ("useridtxt", 17, 28),
                ],
            ),
            (
                "+86 138 0013 8000",
                &[("13800138000", 1, 17), ("8613800138000", 1, 17)],
            ),
            ("a b, 10 20  30", &[]),
            ("ไทย ดี", &[]),
            ("wifi ไทย-5g", &[]),
            ("plan b", &[("planb", 0, 6)]),
            ("so, o'connell", &[("oconnell", 4, 13)]),
        ];
        for (text, expected) in rows {
            let found = compounds(text);
            let found: Vec<_> = found
                .iter()
                .map(|(term, start, end)| (term.as_str(), *start, *end))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
