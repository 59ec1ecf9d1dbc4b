//! Where in a text are words of dates, and can it contain a date at all?
//!
//! Useful for: the date parser, which sees the senses of words and never their spelling, and for skipping texts without dates.
//! Not useful for: dates themselves; senses are known only to the caller, who supplies the words.
//! Invariant: tokens are in order and do not overlap; offsets count code points; any text is accepted, and the work for a
//! character is bounded by the number of words that begin with it.

use rustc_hash::{FxHashMap, FxHashSet};

/// How much a word tells about the presence of a date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tells {
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
pub enum Begins {
    /// Never.
    #[default]
    Never,
    /// Only if other words of dates follow.
    WithOthers,
    /// The same; and it is certainly a date only if one of the following words says so much.
    WithMore(Says),
    /// It may be a date by itself, but not certainly.
    Perhaps,
    /// It may be a date by itself.
    Alone,
}

/// How much of a date a word expresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Says {
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

/// A word used in dates, folded, and what it tells about them.
#[derive(Clone, Copy, Debug)]
pub struct DateWord<'a> {
    /// As in a folded text, with one space between the words of a phrase.
    pub spelled: &'a str,
    /// Whether there may be a date where it is.
    pub tells: Tells,
    /// Whether its first character, after a word that tells only beside something, makes a date of both.
    pub completes: bool,
    /// Whether a date can begin with it.
    pub begins: Begins,
    /// How much of a date it expresses.
    pub says: Says,
    /// What must directly follow for a date to begin with it, any of these; none: nothing special.
    pub needs: DateKinds,
    /// What it is to a word directly in front of it.
    pub offers: DateKinds,
}

/// Signs of a date in a text, as far as words and digits tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateSigns {
    /// A word of a date.
    pub word: bool,
    /// A Latin word that tells only beside something. No longer looked for after a `word` was found.
    pub often_otherwise: bool,
    /// A digit. No longer looked for after a `word` was found.
    pub digit: bool,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
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
    pub said: Said,
    /// Its first code point.
    pub start: usize,
    /// One past its last code point.
    pub end: usize,
    /// Whether it directly follows the token before it, without a space.
    pub glued: bool,
}

/// Numbers with more digits have no value.
const MOST_PLACES: usize = 8;

/// Numbers with fewer digits are no year, but a day after a word ("on 15"), or part of what follows them.
const YEAR_PLACES: usize = 4;

/// The words used in dates, and how the characters of a text are folded to theirs.
#[derive(Debug)]
pub struct DateWords {
    ascii: [char; 128],
    folds: FxHashMap<char, char>,
    folded: Marks,
    latin: FxHashMap<Box<[char]>, Latin>,
    /// Words that are not Latin, by their first character, the longest first.
    other: FxHashMap<char, Vec<Spelled>>,
    first: Marks,
    numerals: FxHashSet<char>,
    /// Characters that make a date with a word that tells only beside something: before it, and after it.
    before: FxHashSet<char>,
    behind: FxHashSet<char>,
    /// By the word's index.
    roles: Vec<Role>,
    /// Words without a sense that occur inside dates, and how much they express there.
    inside: FxHashMap<Box<[char]>, Says>,
}

/// A Bloom filter with one hash: rules out most characters that are not in a set by one bit, without a look-up in a table.
#[derive(Debug)]
struct Marks([u64; Marks::WORDS]);

impl Marks {
    const WORDS: usize = 64;

    fn put(&mut self, c: char) {
        self.0[Self::word(c)] |= 1 << (u32::from(c) % u64::BITS);
    }

    fn may_have(&self, c: char) -> bool {
        self.0[Self::word(c)] >> (u32::from(c) % u64::BITS) & 1 > 0
    }

    fn word(c: char) -> usize {
        (u32::from(c) / u64::BITS) as usize % Self::WORDS
    }
}

impl Default for Marks {
    fn default() -> Self {
        Self([0; Self::WORDS])
    }
}

/// What a token does for a date.
#[derive(Clone, Copy, Debug, Default)]
struct Role {
    begins: Begins,
    says: Says,
    needs: DateKinds,
    offers: DateKinds,
}

/// What is known about a Latin word.
#[derive(Debug, Default)]
struct Latin {
    place: Option<usize>,
    tells: Tells,
    /// Phrases that begin with the word, the longest first.
    phrases: Vec<Spelled>,
}

#[derive(Debug)]
struct Spelled {
    chars: Box<[char]>,
    place: usize,
    tells: Tells,
}

impl DateWords {
    /// `folds` are pairs of a character and its folded form; `numerals` are the characters of Han numbers; `inside` are words
    /// without a sense that occur inside dates, and how much they express there.
    pub fn new<'a>(
        folds: impl IntoIterator<Item = (char, char)>,
        words: impl IntoIterator<Item = DateWord<'a>>,
        numerals: &str,
        inside: &[(String, Says)],
    ) -> Self {
        let mut made = Self {
            ascii: std::array::from_fn(|point| char::from(u8::try_from(point).unwrap_or_default())),
            folds: FxHashMap::default(),
            folded: Marks::default(),
            latin: FxHashMap::default(),
            other: FxHashMap::default(),
            first: Marks::default(),
            numerals: numerals.chars().collect(),
            before: numerals.chars().collect(),
            behind: numerals.chars().collect(),
            roles: Vec::new(),
            inside: (inside.iter())
                .map(|(text, says)| (text.chars().collect(), *says))
                .collect(),
        };
        for (from, to) in folds {
            if let Some(folded) = made.ascii.get_mut(from as usize) {
                *folded = to;
            } else {
                made.folded.put(from);
                made.folds.insert(from, to);
            }
        }
        for (place, word) in words.into_iter().enumerate() {
            made.add(place, word);
        }
        let lists = made.latin.values_mut().map(|latin| &mut latin.phrases);
        for list in lists.chain(made.other.values_mut()) {
            list.sort_by_key(|word| std::cmp::Reverse(word.chars.len()));
        }
        made
    }

    fn add(&mut self, place: usize, word: DateWord<'_>) {
        self.roles.push(Role {
            begins: word.begins,
            says: word.says,
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
            self.behind.insert(first);
        }
        let tells = word.tells;
        let latin = end_of(&chars, 0, char::is_ascii_lowercase);
        if latin == chars.len() {
            let known = self.latin.entry(chars).or_default();
            (known.place, known.tells) = (Some(place), tells);
        } else if latin > 0 {
            let known = self.latin.entry(chars[..latin].into()).or_default();
            known.phrases.push(Spelled {
                chars,
                place,
                tells,
            });
        } else {
            self.first.put(first);
            self.other.entry(first).or_default().push(Spelled {
                chars,
                place,
                tells,
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
            None if self.folded.may_have(c) => self.folds.get(&c).copied().unwrap_or(c),
            None => c,
        }
    }

    /// The signs of a date in a folded text. With `surely`, a word that tells only beside something counts only if that is
    /// there.
    pub fn signs(&self, text: &[char], surely: bool) -> DateSigns {
        let mut signs = DateSigns::default();
        let mut at = 0;
        while let Some(&c) = text.get(at) {
            if c.is_ascii_lowercase() {
                let end = end_of(text, at, char::is_ascii_lowercase);
                match self.latin.get(&text[at..end]).map(|word| word.tells) {
                    Some(Tells::Alone) => signs.word = true,
                    Some(Tells::Beside) => signs.often_otherwise = true,
                    _ => {}
                }
                at = end;
            } else {
                signs.digit |= digit(c).is_some();
                signs.word |= self.tells(text, at, surely);
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
            if (is_latin && word().is_some_and(|word| word.tells != Tells::Nothing))
                || (!is_latin && self.tells(text, at, false))
            {
                places.push(at);
            }
            at = end;
        }
        places
    }

    /// Whether a word that is not Latin and tells of a date begins at `at`.
    fn tells(&self, text: &[char], at: usize, surely: bool) -> bool {
        self.beginning_with(text[at])
            .filter(|word| word.tells != Tells::Nothing && text[at..].starts_with(&word.chars))
            .any(|word| !surely || word.tells == Tells::Alone || self.is_beside(text, at))
    }

    /// The words that are not Latin and begin with a character, the longest first.
    fn beginning_with(&self, first: char) -> impl Iterator<Item = &Spelled> {
        let words = self.first.may_have(first).then(|| self.other.get(&first));
        words.flatten().into_iter().flatten()
    }

    /// Whether something beside the character at `at` makes a date of both.
    fn is_beside(&self, text: &[char], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        let in_front = |&c: &char| is_space(c) || digit(c).is_some() || self.before.contains(&c);
        let completes = |at: usize| text.get(at).is_some_and(|c| self.behind.contains(c));
        before.is_some_and(in_front)
            || completes(at + 1)
            || (text.get(at + 1) == Some(&'の') && completes(at + 2))
    }

    /// The words, numbers and other characters of a folded text; a Latin word is one token, spaces are none.
    pub fn tokens(&self, text: &[char]) -> Vec<DateToken> {
        let mut tokens = Vec::with_capacity(text.len() / 2);
        let (mut start, mut glued) = (0, false);
        while let Some(&c) = text.get(start) {
            if is_space(c) {
                (start, glued) = (start + 1, false);
                continue;
            }
            let (said, end) = self.said(text, start);
            tokens.push(DateToken {
                said,
                start,
                end,
                glued,
            });
            (start, glued) = (end, true);
        }
        tokens
    }

    /// Indices of the tokens that a date can begin with; with `surely`, only if it is certainly a date.
    pub fn beginnings(&self, text: &[char], tokens: &[DateToken], surely: bool) -> Vec<usize> {
        let mut found = Vec::new();
        // Whether words of a date follow, and the most that any of them expresses; what the next token offers.
        let (mut goes_on, mut most) = (false, Says::Nothing);
        let mut next = DateKinds::default();
        // Whether nothing of a date follows directly.
        let mut ends = true;
        for (at, token) in tokens.iter().enumerate().rev() {
            let number = if ends {
                DateKinds::default()
            } else {
                DateKinds::NUMBER
            };
            let role = match token.said {
                Said::Word(place) => self.roles[place],
                Said::Digits(Some(_)) => Role {
                    offers: number,
                    ..digits_role(tokens, at)
                },
                Said::Numerals => Role {
                    begins: Begins::WithMore(Says::Length),
                    says: Says::Count,
                    offers: number,
                    ..Role::default()
                },
                Said::Digits(None) => Role {
                    says: Says::More,
                    ..Role::default()
                },
                Said::Other => Role {
                    says: (self.inside.get(&text[token.start..token.end]).copied())
                        .unwrap_or_default(),
                    ..Role::default()
                },
            };
            let says = role.says;
            let can_begin = match role.begins {
                Begins::Never => false,
                Begins::WithOthers => goes_on,
                Begins::WithMore(says) => goes_on && (!surely || most >= says),
                Begins::Perhaps => goes_on || !surely,
                Begins::Alone => true,
            };
            if can_begin && next.meets(role.needs) {
                found.push(at);
            }
            next = role.offers;
            ends = token.said == Said::Other && says == Says::Nothing;
            if ends {
                goes_on = false;
                most = Says::Nothing;
            }
            goes_on |= says > Says::Nothing;
            most = most.max(says);
        }
        found.reverse();
        found
    }

    /// What begins at a position, and where it ends.
    fn said(&self, text: &[char], start: usize) -> (Said, usize) {
        if text[start].is_ascii_lowercase() {
            return self.latin_said(text, start);
        }
        let end = end_of(text, start, |&c| digit(c).is_some());
        if end > start {
            return (Said::Digits(value(&text[start..end])), end);
        }
        let mut words = self.beginning_with(text[start]);
        if let Some(word) = words.find(|word| text[start..].starts_with(&word.chars)) {
            return (Said::Word(word.place), start + word.chars.len());
        }
        match end_of(text, start, |c| self.numerals.contains(c)) {
            end if end > start => (Said::Numerals, without_quarter(text, start, end)),
            _ => (Said::Other, start + 1),
        }
    }

    fn latin_said(&self, text: &[char], start: usize) -> (Said, usize) {
        let end = end_of(text, start, char::is_ascii_lowercase);
        let Some(known) = self.latin.get(&text[start..end]) else {
            return (Said::Other, end);
        };
        let longer = known.phrases.iter().find_map(|phrase| {
            let end = phrase_end(&phrase.chars, text, start)?;
            Some((Said::Word(phrase.place), end))
        });
        longer.unwrap_or((known.place.map_or(Said::Other, Said::Word), end))
    }
}

/// What the digits at `at` do for a date.
fn digits_role(tokens: &[DateToken], at: usize) -> Role {
    let before = at.checked_sub(1).map_or(Said::Other, |at| tokens[at].said);
    let (begins, says) = match before {
        _ if tokens[at].end - tokens[at].start >= YEAR_PLACES => (Begins::Alone, Says::More),
        Said::Other => (Begins::WithMore(Says::Length), Says::Count),
        _ => (Begins::Perhaps, Says::Count),
    };
    Role {
        begins,
        says,
        ..Role::default()
    }
}

/// Where a phrase ends if all of it is at `start`; a space in it matches one or more spaces.
fn phrase_end(phrase: &[char], text: &[char], start: usize) -> Option<usize> {
    let mut at = start;
    for &c in phrase {
        let end = match c {
            ' ' => end_of(text, at, |&c| is_space(c)),
            _ => at + usize::from(text.get(at) == Some(&c)),
        };
        if end == at {
            return None;
        }
        at = end;
    }
    let goes_on = text.get(at).is_some_and(char::is_ascii_lowercase);
    (!goes_on || !phrase.last()?.is_alphabetic()).then_some(at)
}

/// 第一四半期 is the first quarter, not the fourteenth half.
fn without_quarter(text: &[char], start: usize, end: usize) -> usize {
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
    (digits.len() <= MOST_PLACES).then(|| {
        let places = digits.iter().filter_map(|&c| digit(c));
        places.fold(0, |value, digit| value * 10 + digit)
    })
}

/// White space as in Python's regular expressions.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
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
            ("日", Tells::Beside, false),
            ("前半", Tells::Nothing, true),
            ("昨日", Tells::Alone, false),
            ("may", Tells::Beside, false),
            ("days", Tells::Alone, false),
            ("a few", Tells::Nothing, false),
            ("a few days", Tells::Nothing, false),
            ("何", Tells::Nothing, false),
            ("年", Tells::Beside, false),
            ("分", Tells::Beside, false),
        ];
        let given = given.map(|(spelled, tells, completes)| DateWord {
            spelled,
            tells,
            completes,
            begins: match spelled {
                "昨日" => Begins::Alone,
                "may" => Begins::Perhaps,
                "何" => Begins::WithMore(Says::More),
                "年" | "分" => Begins::Never,
                _ => Begins::WithOthers,
            },
            says: match spelled {
                "a few" => Says::Nothing,
                "何" | "分" => Says::Count,
                "年" => Says::Length,
                _ => Says::More,
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
        let inside = ["多", "or"].map(|text| (text.to_owned(), Says::Length));
        DateWords::new(upper.chain([('１', '1')]), given, "一四", &inside)
    }

    fn said(text: &str) -> Vec<(Said, usize, usize, bool)> {
        let words = words();
        let tokens = words.tokens(&words.folded(text)).into_iter();
        tokens
            .map(|token| (token.said, token.start, token.end, token.glued))
            .collect()
    }

    fn tells(text: &str) -> (bool, bool) {
        let words = words();
        let told = |surely| words.signs(&words.folded(text), surely).word;
        (told(false), told(true))
    }

    #[test]
    fn the_longest_phrase_is_one_token_however_its_words_are_spaced() {
        assert_eq!(said("A  few\nDAYS"), [(Said::Word(6), 0, 11, false)]);
        assert_eq!(
            said("a fewer"),
            [(Said::Other, 0, 1, false), (Said::Other, 2, 7, false)]
        );
    }

    #[test]
    fn a_date_begins_where_others_go_on_or_a_word_is_one_by_itself() {
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
        for (text, all, surely) in rows {
            let text = words.folded(text);
            let found = |surely| words.beginnings(&text, &words.tokens(&text), surely);
            assert_eq!(found(false), all, "{text:?}");
            assert_eq!(found(true), surely, "{text:?}");
        }
    }

    #[test]
    fn digits_of_any_script_have_a_value_unless_they_are_many() {
        assert_eq!(said("１٣"), [(Said::Digits(Some(13)), 0, 2, false)]);
        assert_eq!(said("123456789"), [(Said::Digits(None), 0, 9, false)]);
        assert_eq!(said("②"), [(Said::Other, 0, 1, false)]);
    }

    #[test]
    fn the_quarter_behind_a_number_is_none_of_it() {
        assert_eq!(
            said("一四半期")[..2],
            [(Said::Numerals, 0, 1, false), (Said::Numerals, 1, 2, true)]
        );
        assert_eq!(said("一四")[..], [(Said::Numerals, 0, 2, false)]);
    }

    #[test]
    fn one_character_tells_surely_only_beside_what_makes_a_date_of_it() {
        assert_eq!(tells("本日記"), (true, false));
        assert_eq!(tells("一日"), (true, true));
        assert_eq!(tells("日の前半"), (true, true));
        assert_eq!(tells("昨日"), (true, true));
    }

    #[test]
    fn a_latin_word_tells_only_whole() {
        let words = words();
        let signs = |text| words.signs(&words.folded(text), true);
        assert!(signs("May I").often_otherwise && !signs("May I").word);
        assert!(signs("3 days").word && signs("3 days").digit);
        assert_eq!(signs("mayor"), DateSigns::default());
        assert_eq!(words.places(&words.folded("x days 昨日")), [2, 7, 8]);
    }
}
