//! Where in a text are words of dates, and can it contain a date at all?
//!
//! Useful for: the date parser, which sees the senses of words and never their spelling, and for skipping texts without dates.
//! Not useful for: dates themselves; senses are known only to the caller, who supplies the words.
//! Invariant: tokens are in order and do not overlap; offsets count code points; any text is accepted, and the work for a
//! character is bounded by the number of words that begin with it.

use crate::script::is_white_space;
use rustc_hash::{FxHashMap, FxHashSet};

/// How much evidence a word is that a date is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing by itself.
    #[default]
    Nothing,
    /// There may be a date here if something beside the word completes it.
    Beside,
    /// There may be a date here.
    Alone,
}

/// Whether a date can begin with a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Starts {
    /// Never.
    #[default]
    Never,
    /// Only if other words of dates follow.
    WithOthers,
    /// The same; and it is certainly a date only if one of the following words is at least so specific.
    WithMore(Specificity),
    /// It may be a date by itself, but not certainly.
    Perhaps,
    /// It may be a date by itself.
    Alone,
}

/// How much of a date a word expresses, the least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Specificity {
    /// Nothing itself: "the", "of", 约. Whether a date continues after it depends on what follows.
    #[default]
    Nothing,
    /// A number, or an hour at most.
    Count,
    /// A length of time.
    Length,
    /// Anything else.
    More,
}

/// Kinds of tokens, as bits: what a word offers to the one in front of it, and what a date that begins with a word needs next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateKinds(pub u8);

impl DateKinds {
    /// A number with more of a date behind it. Tokens in digits and Han numerals offer it, and they alone.
    pub const NUMBER: Self = Self(1);

    fn meets(self, needed: Self) -> bool {
        needed == Self::default() || self.0 & needed.0 > 0
    }
}

/// A word used in dates, folded, and its role in them.
#[derive(Clone, Copy, Debug)]
pub struct DateWord<'a> {
    /// As in a folded text, with one space between the words of a phrase.
    pub spelled: &'a str,
    /// Whether there may be a date where it is.
    pub evidence: Evidence,
    /// Whether its first character completes a word in front of it that is [`Evidence::Beside`].
    pub completes: bool,
    /// Whether a date can begin with it.
    pub starts: Starts,
    /// How much of a date it expresses.
    pub specificity: Specificity,
    /// What must directly follow for a date to begin with it, any of these; none: nothing special.
    pub needs: DateKinds,
    /// What it is to a word directly in front of it.
    pub offers: DateKinds,
}

/// Signs of a date in a text: words and digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateSigns {
    /// A word of a date.
    pub word: bool,
    /// A Latin word that is [`Evidence::Beside`]. No longer looked for after a `word` was found.
    pub ambiguous_latin: bool,
    /// A digit. No longer looked for after a `word` was found.
    pub digit: bool,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// The word at this index of the list given to [`DateWords::new`].
    Word(usize),
    /// Digits, and their value if there are at most eight.
    Digits(Option<u32>),
    /// A run of Han numerals.
    Numerals,
    /// Not part of a date.
    Other,
}

/// A word or number at [start, end) of a folded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateToken {
    /// What the token is.
    pub kind: TokenKind,
    /// Its first code point.
    pub start: usize,
    /// One past its last code point.
    pub end: usize,
    /// Whether it directly follows the token before it, without a space.
    pub is_adjacent: bool,
}

/// Numbers with more digits have no value.
const MAX_DIGITS: usize = 8;

/// Numbers with fewer digits are no year, but a day after a word ("on 15"), or part of what follows them.
const YEAR_DIGITS: usize = 4;

/// The words used in dates, and how the characters of a text are folded to theirs.
#[derive(Debug)]
pub struct DateWords {
    ascii: [char; 128],
    folds: FxHashMap<char, char>,
    fold_filter: BloomFilter,
    latin: FxHashMap<Box<[char]>, LatinWord>,
    /// Words that are not Latin, by their first character, the longest first.
    other: FxHashMap<char, Vec<WordEntry>>,
    first_filter: BloomFilter,
    numerals: FxHashSet<char>,
    /// Characters that complete a word that is [`Evidence::Beside`]: before it, and after it.
    before: FxHashSet<char>,
    after: FxHashSet<char>,
    /// By the word's index.
    roles: Vec<Role>,
    /// Words without a sense that occur inside dates, and how much they express there.
    inside: FxHashMap<Box<[char]>, Specificity>,
}

/// A Bloom filter with one hash: rules out most characters that are not in a set by one bit, without a look-up in a table.
#[derive(Debug)]
struct BloomFilter([u64; BloomFilter::WORDS]);

impl BloomFilter {
    const WORDS: usize = 64;

    fn insert(&mut self, c: char) {
        self.0[Self::word(c)] |= 1 << (u32::from(c) % u64::BITS);
    }

    fn may_contain(&self, c: char) -> bool {
        self.0[Self::word(c)] >> (u32::from(c) % u64::BITS) & 1 > 0
    }

    fn word(c: char) -> usize {
        (u32::from(c) / u64::BITS) as usize % Self::WORDS
    }
}

impl Default for BloomFilter {
    fn default() -> Self {
        Self([0; Self::WORDS])
    }
}

/// What a token does for a date.
#[derive(Clone, Copy, Debug, Default)]
struct Role {
    starts: Starts,
    specificity: Specificity,
    needs: DateKinds,
    offers: DateKinds,
}

/// What is known about a Latin word.
#[derive(Debug, Default)]
struct LatinWord {
    index: Option<usize>,
    evidence: Evidence,
    /// Phrases that begin with the word, the longest first.
    phrases: Vec<WordEntry>,
}

#[derive(Debug)]
struct WordEntry {
    chars: Box<[char]>,
    index: usize,
    evidence: Evidence,
}

impl DateWords {
    /// `folds` are pairs of a character and its folded form; `numerals` are the characters of Han numbers; `inside` are words
    /// without a sense that occur inside dates, and how much they express there.
    pub fn new<'a>(
        folds: impl IntoIterator<Item = (char, char)>,
        words: impl IntoIterator<Item = DateWord<'a>>,
        numerals: &str,
        inside: &[(String, Specificity)],
    ) -> Self {
        let mut date_words = Self {
            ascii: std::array::from_fn(|point| char::from(u8::try_from(point).unwrap_or_default())),
            folds: FxHashMap::default(),
            fold_filter: BloomFilter::default(),
            latin: FxHashMap::default(),
            other: FxHashMap::default(),
            first_filter: BloomFilter::default(),
            numerals: numerals.chars().collect(),
            before: numerals.chars().collect(),
            after: numerals.chars().collect(),
            roles: Vec::new(),
            inside: (inside.iter())
                .map(|(text, specificity)| (text.chars().collect(), *specificity))
                .collect(),
        };
        for (from, to) in folds {
            if let Some(folded) = date_words.ascii.get_mut(from as usize) {
                *folded = to;
            } else {
                date_words.fold_filter.insert(from);
                date_words.folds.insert(from, to);
            }
        }
        for (index, word) in words.into_iter().enumerate() {
            date_words.add(index, word);
        }
        let lists = date_words
            .latin
            .values_mut()
            .map(|latin| &mut latin.phrases);
        for list in lists.chain(date_words.other.values_mut()) {
            list.sort_by_key(|word| std::cmp::Reverse(word.chars.len()));
        }
        date_words
    }

    fn add(&mut self, index: usize, word: DateWord<'_>) {
        self.roles.push(Role {
            starts: word.starts,
            specificity: word.specificity,
            needs: word.needs,
            offers: word.offers,
        });
        let chars: Box<[char]> = word.spelled.chars().collect();
        let (Some(&first), Some(&last)) = (chars.first(), chars.last()) else {
            return;
        };
        if !word.spelled.is_ascii() {
            self.before.insert(last);
        }
        if word.completes {
            self.after.insert(first);
        }
        let evidence = word.evidence;
        let latin = end_of(&chars, 0, char::is_ascii_lowercase);
        if latin == chars.len() {
            let known = self.latin.entry(chars).or_default();
            (known.index, known.evidence) = (Some(index), evidence);
        } else if latin > 0 {
            let known = self.latin.entry(chars[..latin].into()).or_default();
            known.phrases.push(WordEntry {
                chars,
                index,
                evidence,
            });
        } else {
            self.first_filter.insert(first);
            self.other.entry(first).or_default().push(WordEntry {
                chars,
                index,
                evidence,
            });
        }
    }

    /// Fold a text as the words are; the number of code points stays.
    pub fn folded(&self, text: &str) -> Vec<char> {
        text.chars().map(|c| self.fold(c)).collect()
    }

    fn fold(&self, c: char) -> char {
        match self.ascii.get(c as usize) {
            Some(&folded) => folded,
            None if self.fold_filter.may_contain(c) => self.folds.get(&c).copied().unwrap_or(c),
            None => c,
        }
    }

    /// The signs of a date in a folded text. With `certain_only`, a word that is [`Evidence::Beside`] counts only if
    /// something completes it.
    pub fn signs(&self, text: &[char], certain_only: bool) -> DateSigns {
        let mut signs = DateSigns::default();
        let mut at = 0;
        while let Some(&c) = text.get(at) {
            if c.is_ascii_lowercase() {
                let end = end_of(text, at, char::is_ascii_lowercase);
                match self.latin.get(&text[at..end]).map(|word| word.evidence) {
                    Some(Evidence::Alone) => signs.word = true,
                    Some(Evidence::Beside) => signs.ambiguous_latin = true,
                    _ => {}
                }
                at = end;
            } else {
                signs.digit |= digit(c).is_some();
                signs.word |= self.shows_date(text, at, certain_only);
                at += 1;
            }
            if signs.word {
                break;
            }
        }
        signs
    }

    /// Where in a folded text words of dates begin.
    pub fn places(&self, text: &[char]) -> Vec<usize> {
        let mut places = Vec::new();
        let mut at = 0;
        while let Some(c) = text.get(at) {
            let is_latin = c.is_ascii_lowercase();
            let end = if is_latin {
                end_of(text, at, char::is_ascii_lowercase)
            } else {
                at + 1
            };
            let word = || self.latin.get(&text[at..end]);
            if (is_latin && word().is_some_and(|word| word.evidence != Evidence::Nothing))
                || (!is_latin && self.shows_date(text, at, false))
            {
                places.push(at);
            }
            at = end;
        }
        places
    }

    /// Whether a word that is not Latin and is evidence for a date begins at `at`.
    fn shows_date(&self, text: &[char], at: usize, certain_only: bool) -> bool {
        self.words_starting_with(text[at])
            .filter(|word| {
                word.evidence != Evidence::Nothing && text[at..].starts_with(&word.chars)
            })
            .any(|word| {
                !certain_only || word.evidence == Evidence::Alone || self.has_neighbour(text, at)
            })
    }

    /// The words that are not Latin and begin with a character, the longest first.
    fn words_starting_with(&self, first: char) -> impl Iterator<Item = &WordEntry> {
        let words = self
            .first_filter
            .may_contain(first)
            .then(|| self.other.get(&first));
        words.flatten().into_iter().flatten()
    }

    /// Whether something beside the character at `at` completes it to a date.
    fn has_neighbour(&self, text: &[char], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        let in_front =
            |&c: &char| is_white_space(c) || digit(c).is_some() || self.before.contains(&c);
        let completes = |at: usize| text.get(at).is_some_and(|c| self.after.contains(c));
        before.is_some_and(in_front)
            || completes(at + 1)
            || (text.get(at + 1) == Some(&'の') && completes(at + 2))
    }

    /// The words, numbers and other characters of a folded text; a Latin word is one token, spaces are none.
    pub fn tokens(&self, text: &[char]) -> Vec<DateToken> {
        let mut tokens = Vec::with_capacity(text.len() / 2);
        let (mut start, mut is_adjacent) = (0, false);
        while let Some(&c) = text.get(start) {
            if is_white_space(c) {
                (start, is_adjacent) = (start + 1, false);
                continue;
            }
            let (kind, end) = self.kind_at(text, start);
            tokens.push(DateToken {
                kind,
                start,
                end,
                is_adjacent,
            });
            (start, is_adjacent) = (end, true);
        }
        tokens
    }

    /// Indices of the tokens that a date can begin with; with `certain_only`, only if it is certainly a date.
    pub fn possible_starts(
        &self,
        text: &[char],
        tokens: &[DateToken],
        certain_only: bool,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        // Whether words of a date follow, and the most that any of them expresses; what the next token offers.
        let (mut continues, mut most_specific) = (false, Specificity::Nothing);
        let mut next = DateKinds::default();
        // Whether nothing of a date follows directly.
        let mut ends = true;
        for (at, token) in tokens.iter().enumerate().rev() {
            let number = if ends {
                DateKinds::default()
            } else {
                DateKinds::NUMBER
            };
            let role = match token.kind {
                TokenKind::Word(index) => self.roles[index],
                TokenKind::Digits(Some(_)) => Role {
                    offers: number,
                    ..digits_role(tokens, at)
                },
                TokenKind::Numerals => Role {
                    starts: Starts::WithMore(Specificity::Length),
                    specificity: Specificity::Count,
                    offers: number,
                    ..Role::default()
                },
                TokenKind::Digits(None) => Role {
                    specificity: Specificity::More,
                    ..Role::default()
                },
                TokenKind::Other => Role {
                    specificity: (self.inside.get(&text[token.start..token.end]).copied())
                        .unwrap_or_default(),
                    ..Role::default()
                },
            };
            let specificity = role.specificity;
            let can_begin = match role.starts {
                Starts::Never => false,
                Starts::WithOthers => continues,
                Starts::WithMore(specificity) => {
                    continues && (!certain_only || most_specific >= specificity)
                }
                Starts::Perhaps => continues || !certain_only,
                Starts::Alone => true,
            };
            if can_begin && next.meets(role.needs) {
                found.push(at);
            }
            next = role.offers;
            ends = token.kind == TokenKind::Other && specificity == Specificity::Nothing;
            if ends {
                continues = false;
                most_specific = Specificity::Nothing;
            }
            continues |= specificity > Specificity::Nothing;
            most_specific = most_specific.max(specificity);
        }
        found.reverse();
        found
    }

    /// What begins at a position, and where it ends.
    fn kind_at(&self, text: &[char], start: usize) -> (TokenKind, usize) {
        if text[start].is_ascii_lowercase() {
            return self.latin_kind_at(text, start);
        }
        let end = end_of(text, start, |&c| digit(c).is_some());
        if end > start {
            return (TokenKind::Digits(value(&text[start..end])), end);
        }
        let mut words = self.words_starting_with(text[start]);
        if let Some(word) = words.find(|word| text[start..].starts_with(&word.chars)) {
            return (TokenKind::Word(word.index), start + word.chars.len());
        }
        match end_of(text, start, |c| self.numerals.contains(c)) {
            end if end > start => (TokenKind::Numerals, end_before_quarter(text, start, end)),
            _ => (TokenKind::Other, start + 1),
        }
    }

    fn latin_kind_at(&self, text: &[char], start: usize) -> (TokenKind, usize) {
        let end = end_of(text, start, char::is_ascii_lowercase);
        let Some(known) = self.latin.get(&text[start..end]) else {
            return (TokenKind::Other, end);
        };
        let longer = known.phrases.iter().find_map(|phrase| {
            let end = phrase_end(&phrase.chars, text, start)?;
            Some((TokenKind::Word(phrase.index), end))
        });
        longer.unwrap_or((known.index.map_or(TokenKind::Other, TokenKind::Word), end))
    }
}

/// What the digits at `at` do for a date.
fn digits_role(tokens: &[DateToken], at: usize) -> Role {
    let before = at
        .checked_sub(1)
        .map_or(TokenKind::Other, |at| tokens[at].kind);
    let (starts, specificity) = match before {
        _ if tokens[at].end - tokens[at].start >= YEAR_DIGITS => (Starts::Alone, Specificity::More),
        TokenKind::Other => (Starts::WithMore(Specificity::Length), Specificity::Count),
        _ => (Starts::Perhaps, Specificity::Count),
    };
    Role {
        starts,
        specificity,
        ..Role::default()
    }
}

/// Where a phrase ends if all of it is at `start`; a space in it matches one or more spaces.
fn phrase_end(phrase: &[char], text: &[char], start: usize) -> Option<usize> {
    let mut at = start;
    for &c in phrase {
        let end = match c {
            ' ' => end_of(text, at, |&c| is_white_space(c)),
            _ => at + usize::from(text.get(at) == Some(&c)),
        };
        if end == at {
            return None;
        }
        at = end;
    }
    let continues = text.get(at).is_some_and(char::is_ascii_lowercase);
    (!continues || !phrase.last()?.is_alphabetic()).then_some(at)
}

/// 第一四半期 is the first quarter, not the fourteenth half.
fn end_before_quarter(text: &[char], start: usize, end: usize) -> usize {
    let is_quarter = text[end - 1] == '四' && text[end..].starts_with(&['半', '期']);
    if end - start > 1 && is_quarter {
        end - 1
    } else {
        end
    }
}

fn end_of(text: &[char], start: usize, belongs: impl Fn(&char) -> bool) -> usize {
    let rest = text[start..].iter();
    start + rest.take_while(|c| belongs(c)).count()
}

fn value(digits: &[char]) -> Option<u32> {
    (digits.len() <= MAX_DIGITS).then(|| {
        let places = digits.iter().filter_map(|&c| digit(c));
        places.fold(0, |value, digit| value * 10 + digit)
    })
}

/// The value of a decimal digit of any script.
fn digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    if !c.is_numeric() {
        return None;
    }
    let point = u32::from(c);
    let next = ZEROS.partition_point(|&zero| zero <= point);
    let zero = *ZEROS.get(next.checked_sub(1)?)?;
    (point < zero + 10).then_some(point - zero)
}

/// The zero of each of Unicode's decimal digit ranges; nine digits follow each.
const ZEROS: [u32; 67] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
    0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50,
    0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x11f50, 0x16a60, 0x16ac0,
    0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950,
    0x1fbf0,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> DateWords {
        let given = [
            ("日", Evidence::Beside, false),
            ("前半", Evidence::Nothing, true),
            ("昨日", Evidence::Alone, false),
            ("may", Evidence::Beside, false),
            ("days", Evidence::Alone, false),
            ("a few", Evidence::Nothing, false),
            ("a few days", Evidence::Nothing, false),
            ("何", Evidence::Nothing, false),
            ("年", Evidence::Beside, false),
            ("分", Evidence::Beside, false),
        ];
        let given = given.map(|(spelled, evidence, completes)| DateWord {
            spelled,
            evidence,
            completes,
            starts: match spelled {
                "昨日" => Starts::Alone,
                "may" => Starts::Perhaps,
                "何" => Starts::WithMore(Specificity::More),
                "年" | "分" => Starts::Never,
                _ => Starts::WithOthers,
            },
            specificity: match spelled {
                "a few" => Specificity::Nothing,
                "何" | "分" => Specificity::Count,
                "年" => Specificity::Length,
                _ => Specificity::More,
            },
            needs: match spelled {
                "a few" => DateKinds(4),
                "前半" => DateKinds::NUMBER,
                _ => DateKinds::default(),
            },
            offers: match spelled {
                "may" => DateKinds(4),
                _ => DateKinds::default(),
            },
        });
        let upper = ('A'..='Z').map(|c| (c, c.to_ascii_lowercase()));
        let inside = ["多", "or"].map(|text| (text.to_owned(), Specificity::Length));
        DateWords::new(upper.chain([('１', '1')]), given, "一四", &inside)
    }

    fn kind_at(text: &str) -> Vec<(TokenKind, usize, usize, bool)> {
        let words = words();
        let tokens = words.tokens(&words.folded(text)).into_iter();
        tokens
            .map(|token| (token.kind, token.start, token.end, token.is_adjacent))
            .collect()
    }

    fn shows_date(text: &str) -> (bool, bool) {
        let words = words();
        let has_word = |certain_only| words.signs(&words.folded(text), certain_only).word;
        (has_word(false), has_word(true))
    }

    #[test]
    fn the_longest_phrase_is_one_token_however_its_words_are_spaced() {
        assert_eq!(
            kind_at("A  few\nDAYS"),
            [(TokenKind::Word(6), 0, 11, false)]
        );
        assert_eq!(
            kind_at("a fewer"),
            [
                (TokenKind::Other, 0, 1, false),
                (TokenKind::Other, 2, 7, false)
            ]
        );
    }

    #[test]
    fn a_date_starts_where_others_continue_it_or_a_word_is_one_by_itself() {
        let rows = [
            ("x 昨日 x", &[1][..], &[1][..]),
            ("x may x", &[1], &[]),
            ("a few x", &[], &[]),
            ("a few may x", &[0, 1], &[0]),
            ("一日x", &[0], &[0]),
            ("一の", &[], &[]),
            ("一多 x or 日", &[0], &[0]),
            ("x 15 x 2015 日 x", &[3], &[3]),
            ("日 15", &[0, 1], &[0]),
            ("何年 x 日", &[0], &[]),
            ("何年 a few 昨日", &[0, 3], &[0, 3]),
            ("四分の", &[0], &[]),
            ("四年の", &[0], &[0]),
            ("前半2年", &[0, 1], &[0, 1]),
            ("前半四年", &[0, 1], &[0, 1]),
            ("前半2者 年", &[1], &[]),
            ("前半年", &[], &[]),
        ];
        let words = words();
        for (text, all, certain_only) in rows {
            let text = words.folded(text);
            let found =
                |certain_only| words.possible_starts(&text, &words.tokens(&text), certain_only);
            assert_eq!(found(false), all, "{text:?}");
            assert_eq!(found(true), certain_only, "{text:?}");
        }
    }

    #[test]
    fn digits_of_any_script_have_a_value_unless_they_are_many() {
        assert_eq!(kind_at("１٣"), [(TokenKind::Digits(Some(13)), 0, 2, false)]);
        assert_eq!(
            kind_at("123456789"),
            [(TokenKind::Digits(None), 0, 9, false)]
        );
        assert_eq!(kind_at("②"), [(TokenKind::Other, 0, 1, false)]);
    }

    #[test]
    fn a_quarter_after_a_number_is_not_part_of_it() {
        assert_eq!(
            kind_at("一四半期")[..2],
            [
                (TokenKind::Numerals, 0, 1, false),
                (TokenKind::Numerals, 1, 2, true)
            ]
        );
        assert_eq!(kind_at("一四")[..], [(TokenKind::Numerals, 0, 2, false)]);
    }

    #[test]
    fn one_character_is_certain_only_beside_one_that_completes_it() {
        assert_eq!(shows_date("本日記"), (true, false));
        assert_eq!(shows_date("一日"), (true, true));
        assert_eq!(shows_date("日の前半"), (true, true));
        assert_eq!(shows_date("昨日"), (true, true));
    }

    #[test]
    fn a_latin_word_counts_only_whole() {
        let words = words();
        let signs = |text| words.signs(&words.folded(text), true);
        assert!(signs("May I").ambiguous_latin && !signs("May I").word);
        assert!(signs("3 days").word && signs("3 days").digit);
        assert_eq!(signs("mayor"), DateSigns::default());
        assert_eq!(words.places(&words.folded("x days 昨日")), [2, 7, 8]);
    }
}
