//! Which words does a text ask for, and what is the weight of each?
//!
//! Useful for: queries, after dictionaries have cut them. Not useful for: documents, whose words all count equally.
//! Invariant: a question with words has one with a weight, and never only light ones; offsets count code points.

use crate::Spellings;
use crate::asking::Spans;
use crate::code_points::CodePointSlices;
use crate::script::is_katakana;
use compact_str::CompactString;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Weight of a word that is only read like the one asked for (東京 for とうきょう), compared with one written like it.
const READING_WEIGHT: f64 = 0.75;
/// In a question of up to so many distinct words all have the same weight; with twice as many, light ones have half.
const SHORT_QUESTION_TERMS: usize = 8;
/// The least weight of a light word, compared with others.
const MIN_LIGHT_SHARE: f64 = 0.3;
/// What words that tell little have of their weight, such as those that tell when: a text that is meant may have them, and many
/// others do.
const ASIDE_SHARE: f64 = 0.3;
/// How many kana in a row may be a word, whatever a dictionary cuts them into.
const KANA_WORD: std::ops::RangeInclusive<usize> = 2..=12;
/// Their least number if a dictionary cuts both before and behind them, and if it cuts on one side only: few words of such
/// length sound the same by accident.
const BETWEEN_CUTS: usize = 3;
const BESIDE_A_CUT: usize = 4;

/// In texts of which language a word of Han characters counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadAs {
    /// In all.
    #[default]
    Any,
    /// In Japanese ones: a Chinese dictionary cuts the same characters otherwise.
    Japanese,
    /// In Chinese ones.
    Chinese,
}

/// A word as dictionaries cut it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// As in documents.
    pub term: CompactString,
    /// First code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// Whether it is a function word, or only a part of another word.
    pub is_function: bool,
    /// Where the line is read as both languages: the one that has this word.
    pub read_as: ReadAs,
}

impl Token {
    /// A token at code points `start..end`.
    pub fn new(
        term: impl Into<CompactString>,
        start: usize,
        end: usize,
        is_function: bool,
    ) -> Self {
        Self {
            term: term.into(),
            start,
            end,
            is_function,
            read_as: ReadAs::Any,
        }
    }
}

/// A reading and its position.
type Reading<'a> = (&'a str, usize, usize);

/// An index term with its position and weight.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// As in documents.
    pub term: CompactString,
    /// First code point of the folded text.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// Compared with other words; 0 for a function word.
    pub weight: f64,
    /// In texts of which language it counts.
    pub read_as: ReadAs,
}

/// A text to look for.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The text, folded.
    pub folded: Arc<str>,
    /// The text as written, except for width and case; it has as many code points as `folded`.
    pub plain: Arc<str>,
    /// In the order of their positions.
    pub words: Vec<QueryTerm>,
    /// Other forms of some of the words.
    pub alternatives: Vec<QueryTerm>,
    /// What some of the words are also called, and synonyms supplied by the caller.
    pub synonyms: Vec<QueryTerm>,
    /// Possible readings: those of the words that are written in kana.
    pub readings: Vec<QueryTerm>,
    /// The terms of English words that texts in other languages have, too, for theirs of the same meaning (milk: 牛乳, 牛奶). Only of
    /// questions in Latin letters alone.
    pub translated: Vec<CompactString>,
    /// [start, end) of the phrases at the edges of sentences that only ask, in code points of the folded text.
    pub requests: Vec<(usize, usize)>,
    /// Folded texts of the same meaning, with weights.
    pub also: Vec<(String, f64)>,
}

impl Question {
    /// `tokens` are the words, each followed by its parts; `readings` the readings of those in Han characters; `compounds` several
    /// words read as one; `same` other words that mean the same. Function words have no weight, unless there are no others.
    pub fn new(
        folded: Arc<str>,
        plain: Arc<str>,
        tokens: Vec<Token>,
        readings: &[Token],
        compounds: Vec<Token>,
        same: Vec<Token>,
    ) -> Self {
        let mut alternatives = reading_alternatives(readings);
        alternatives.extend(content_terms(compounds));
        alternatives.extend(part_alternatives(&folded, &tokens));
        let words = query_terms(tokens);
        Self {
            readings: kana_readings(&folded, &words),
            alternatives,
            synonyms: content_terms(same).collect(),
            folded,
            plain,
            words,
            translated: Vec::new(),
            requests: Vec::new(),
            also: Vec::new(),
        }
    }

    /// Whether it has so many distinct words that light ones lose weight.
    fn is_long(&self) -> bool {
        let mut terms: Vec<&str> = Vec::with_capacity(SHORT_QUESTION_TERMS + 1);
        self.content_words().any(|word| {
            if !terms.contains(&word.term.as_str()) {
                terms.push(&word.term);
            }
            terms.len() > SHORT_QUESTION_TERMS
        })
    }

    /// In a long question, reduce the weight of the words `light`, and of all words at the same positions; the more the longer
    /// it is.
    #[must_use]
    pub fn downweighted(mut self, light: &FxHashSet<String>) -> Self {
        if !self.is_long() {
            return self;
        }
        let many = self.terms().len();
        let places: FxHashSet<(usize, usize)> = self
            .content_words()
            .filter(|word| light.contains(word.term.as_str()))
            .map(|word| (word.start, word.end))
            .collect();
        let is_light = |word: &QueryTerm| places.contains(&(word.start, word.end));
        if self.content_words().all(is_light) {
            return self;
        }
        let share = MIN_LIGHT_SHARE.max(SHORT_QUESTION_TERMS as f64 / many as f64);
        for word in self.words.iter_mut().filter(|word| is_light(word)) {
            word.weight *= share;
        }
        self
    }

    /// Also with terms of several of its words, each with the weight of all of these: a text that has the one word of another language
    /// for them (緑茶 for green tea) has all that is asked for.
    pub(crate) fn with_collocations(mut self, collocations: Vec<Token>) -> Self {
        let terms = collocations.into_iter().map(|token| {
            let words = self.content_words();
            let inside = words.filter(|word| token.start <= word.start && word.end <= token.end);
            let weight = inside.map(|word| word.weight).sum();
            QueryTerm {
                term: token.term,
                start: token.start,
                end: token.end,
                weight,
                read_as: ReadAs::Any,
            }
        });
        let terms: Vec<QueryTerm> = terms.collect();
        self.alternatives.extend(terms);
        self
    }

    /// With its words that are translated in texts.
    #[must_use]
    pub fn with_translated(mut self, spellings: &Spellings) -> Self {
        if self.folded.is_ascii() {
            let terms = self.content_words().map(|word| &word.term);
            let translated = terms.filter(|term| spellings.is_translated(term));
            self.translated = translated.cloned().collect();
        }
        self
    }

    /// Reduce the weight of the words in these spans, unless there are no others.
    #[must_use]
    pub fn setting_aside(mut self, spans: &Spans) -> Self {
        let is_aside = |word: &QueryTerm| spans.hold(word.start, word.end);
        if spans.is_empty() || self.content_words().all(is_aside) {
            return self;
        }
        let written = self.words.iter_mut().chain(&mut self.alternatives);
        let meant = self.synonyms.iter_mut().chain(&mut self.readings);
        for word in written.chain(meant).filter(|word| is_aside(word)) {
            word.weight *= ASIDE_SHARE;
        }
        self
    }

    fn terms(&self) -> FxHashSet<&str> {
        self.content_words()
            .map(|word| word.term.as_str())
            .collect()
    }

    fn content_words(&self) -> impl Iterator<Item = &QueryTerm> {
        self.words.iter().filter(|word| word.weight > 0.0)
    }
}

/// The same term at the same position counts once, and as a function word only if all of its occurrences are.
fn query_terms(mut tokens: Vec<Token>) -> Vec<QueryTerm> {
    // Of equal words the one that is no function word comes first, and is kept.
    tokens.sort_unstable_by(|one, other| sort_key(one).cmp(&sort_key(other)));
    tokens.dedup_by(|again, first| {
        let is_same = sort_key(again).0 == sort_key(first).0;
        if is_same && again.read_as != first.read_as {
            first.read_as = ReadAs::Any;
        }
        is_same
    });
    drop_parts_of_shared_words(&mut tokens);
    let only_function_words = tokens.iter().all(|token| token.is_function);
    let word = |token: Token| QueryTerm {
        weight: f64::from(u8::from(!token.is_function || only_function_words)),
        term: token.term,
        start: token.start,
        end: token.end,
        read_as: token.read_as,
    };
    tokens.into_iter().map(word).collect()
}

/// Where two languages have the same word (北海道), drop the parts of it that a dictionary of one of them also finds (北海, 海道):
/// texts in that language would score with them, too, and those in the other would not. Other forms of the whole word stay (引っ越し
/// for 引越).
fn drop_parts_of_shared_words(tokens: &mut Vec<Token>) {
    let is_shared = |token: &Token| token.read_as == ReadAs::Any;
    if tokens.iter().all(is_shared) {
        return;
    }
    let shared = tokens
        .iter()
        .filter(|token| is_shared(token) && !token.is_function);
    let whole: FxHashSet<_> = shared.map(|token| (token.start, token.end)).collect();
    let shared = Spans::of(whole.iter().copied().collect());
    let is_part =
        |token: &Token| shared.contain(token) && !whole.contains(&(token.start, token.end));
    tokens.retain(|token| is_shared(token) || !is_part(token));
}

/// By position, then by term.
fn sort_key(token: &Token) -> ((usize, usize, &str), bool) {
    ((token.start, token.end, &token.term), token.is_function)
}

/// Other forms of words, except function words, each with the weight of a word: several as one (`pick up`, `pickup`), or what
/// they are also called.
fn content_terms(tokens: Vec<Token>) -> impl Iterator<Item = QueryTerm> {
    let content = tokens.into_iter().filter(|token| !token.is_function);
    content.map(|token| QueryTerm {
        term: token.term,
        start: token.start,
        end: token.end,
        weight: 1.0,
        read_as: ReadAs::Any,
    })
}

/// One word of the question (iphone15, cancelOrder) that a text may write as several; together these have about the weight of
/// the whole. Single characters are left out.
fn part_alternatives(folded: &str, tokens: &[Token]) -> Vec<QueryTerm> {
    let mut parts: Vec<QueryTerm> = Vec::new();
    let mut rest = tokens;
    while let Some((whole, behind)) = rest.split_first() {
        rest = behind;
        if whole.is_function {
            continue;
        }
        let is_inside = |token: &&Token| {
            token.is_function && whole.start <= token.start && token.end <= whole.end
        };
        let count = rest.iter().take_while(is_inside).count();
        if count > 0 && is_one_word(folded, whole) {
            let (inside, behind) = rest.split_at(count);
            add_parts(inside, &mut parts);
            rest = behind;
        }
    }
    parts
}

fn add_parts(inside: &[Token], parts: &mut Vec<QueryTerm>) {
    let is_long = |token: &&Token| token.end - token.start > 1;
    let many = inside.iter().filter(is_long).count().max(2);
    parts.extend(inside.iter().filter(is_long).map(|token| QueryTerm {
        term: token.term.clone(),
        start: token.start,
        end: token.end,
        weight: 1.0 / many as f64,
        read_as: ReadAs::Any,
    }));
}

/// Whether the word consists of ASCII letters and digits, or is a number with points.
fn is_one_word(folded: &str, token: &Token) -> bool {
    if folded.is_ascii() {
        let word = &folded.as_bytes()[token.start..token.end];
        return word.iter().all(|&byte| is_in_word(char::from(byte)));
    }
    let mut chars = folded
        .chars()
        .skip(token.start)
        .take(token.end - token.start);
    chars.all(is_in_word)
}

fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '.'
}

/// The parts of a question in kana that may be readings of words with Han characters.
fn kana_readings(folded: &str, words: &[QueryTerm]) -> Vec<QueryTerm> {
    let is_reading = |text: &str| {
        text.chars().all(is_katakana) && text.chars().nth(KANA_WORD.start() - 1).is_some()
    };
    let content = || words.iter().filter(|word| word.weight > 0.0);
    let cut = content().map(|word| (word.term.as_str(), word.start, word.end));
    let cut = cut.filter(|reading| is_reading(reading.0));
    if !has_kana_folded(folded) {
        return distinct_readings(cut);
    }
    // The term of a word may be that of all words of the same meaning (ねこ: cat).
    let slices = CodePointSlices::of(folded);
    let written = content().map(|word| (slices.get(word.start, word.end), word.start, word.end));
    let written = written.filter(|reading| is_reading(reading.0));
    let runs = kana_runs(folded).into_iter();
    let across = kana_across_cuts(folded, words);
    distinct_readings(cut.chain(written).chain(runs).chain(across))
}

/// Folding leaves no other kana than katakana.
fn has_kana_folded(folded: &str) -> bool {
    !folded.is_ascii() && folded.chars().any(is_katakana)
}

/// Kana that a dictionary may have cut wrongly, since it knows most words only in Han characters: シャケ and ン for しゃけん, カクテ, イシ,
/// ン and コク for かくていしんこく. One of the cuts beside a word is likely to be right. Particles alone do not count.
fn kana_across_cuts<'a>(folded: &'a str, words: &[QueryTerm]) -> Vec<Reading<'a>> {
    let mut chars: Vec<(usize, char)> = Vec::with_capacity(folded.len());
    chars.extend(folded.char_indices());
    let mut is_cut = vec![false; chars.len() + 1];
    let mut is_content = vec![false; chars.len()];
    for word in words.iter().filter(|word| word.end <= chars.len()) {
        is_cut[word.start] = true;
        is_cut[word.end] = true;
        if word.weight > 0.0 {
            is_content[word.start..word.end].fill(true);
        }
    }
    let byte = |at: usize| chars.get(at).map_or(folded.len(), |&(byte, _)| byte);
    let slice = |start: usize, end: usize| &folded[byte(start)..byte(end)];
    let mut found = Vec::new();
    for start in 0..chars.len() {
        let mut has_content = false;
        let row = chars[start..].iter().take_while(|&&(_, c)| is_katakana(c));
        for length in 1..=row.take(*KANA_WORD.end()).count() {
            let end = start + length;
            has_content |= is_content[end - 1];
            let least = match (is_cut[start], is_cut[end]) {
                (true, true) => BETWEEN_CUTS,
                (false, false) => continue,
                _ => BESIDE_A_CUT,
            };
            if has_content && length >= least {
                found.push((slice(start, end), start, end));
            }
        }
    }
    found
}

/// Runs of kana, from the left, each as long as a word may be.
fn kana_runs(folded: &str) -> Vec<Reading<'_>> {
    let mut found = Vec::new();
    let (mut first, mut length) = (0, 0);
    let ends = folded.char_indices().chain([(folded.len(), '\0')]);
    for (at, (byte, c)) in ends.enumerate() {
        if length == *KANA_WORD.end() || !is_katakana(c) {
            if KANA_WORD.contains(&length) {
                found.push((&folded[first..byte], at - length, at));
            }
            length = 0;
        }
        if is_katakana(c) {
            if length == 0 {
                first = byte;
            }
            length += 1;
        }
    }
    found
}

/// Readings: words asked for in Han characters may be written in kana.
fn reading_alternatives(readings: &[Token]) -> Vec<QueryTerm> {
    let places = readings.iter();
    distinct_readings(places.map(|token| (token.term.as_str(), token.start, token.end)))
}

/// Readings with their positions, each once.
fn distinct_readings<'a>(places: impl Iterator<Item = Reading<'a>>) -> Vec<QueryTerm> {
    let mut seen = FxHashSet::default();
    places
        .filter(|place| seen.insert(*place))
        .map(|(term, start, end)| QueryTerm {
            term: term.into(),
            start,
            end,
            weight: READING_WEIGHT,
            read_as: ReadAs::Any,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(rows: &[(&str, usize, usize, bool)]) -> Vec<Token> {
        let token = |&(term, start, end, is_function): &(&str, _, _, _)| {
            Token::new(term, start, end, is_function)
        };
        rows.iter().map(token).collect()
    }

    fn question(folded: &str, rows: &[(&str, usize, usize, bool)]) -> Question {
        Question::new(
            folded.into(),
            folded.into(),
            tokens(rows),
            &[],
            Vec::new(),
            Vec::new(),
        )
    }

    fn shown(words: &[QueryTerm]) -> Vec<(&str, usize, usize, f64)> {
        let each = words.iter();
        each.map(|word| (word.term.as_str(), word.start, word.end, word.weight))
            .collect()
    }

    #[test]
    fn a_term_counts_once_at_its_position_and_as_content_if_any_occurrence_does() {
        let rows = [
            ("的", 1, 2, true),
            ("京", 0, 1, true),
            ("京", 0, 1, false),
            ("京", 2, 3, false),
        ];
        assert_eq!(
            shown(&question("京的京", &rows).words),
            [("京", 0, 1, 1.0), ("的", 1, 2, 0.0), ("京", 2, 3, 1.0)]
        );
    }

    #[test]
    fn function_words_alone_are_asked_for() {
        assert_eq!(
            shown(&question("の", &[("ノ", 0, 1, true)]).words),
            [("ノ", 0, 1, 1.0)]
        );
    }

    #[test]
    fn a_word_may_be_written_as_several_and_several_as_one() {
        let rows = [
            ("iphone15", 0, 8, false),
            ("iphone", 0, 6, true),
            ("15", 6, 8, true),
            ("the", 9, 12, true),
            ("v2", 13, 15, false),
            ("v", 13, 14, true),
            ("2", 14, 15, true),
        ];
        let compounds = tokens(&[("v2x", 13, 17, false), ("thev2", 9, 15, true)]);
        let folded: Arc<str> = "iphone15 the v2 x".into();
        let question = Question::new(
            folded.clone(),
            folded,
            tokens(&rows),
            &[],
            compounds,
            Vec::new(),
        );
        assert_eq!(
            shown(&question.alternatives),
            [
                ("v2x", 13, 17, 1.0),
                ("iphone", 0, 6, 0.5),
                ("15", 6, 8, 0.5)
            ]
        );
    }

    #[test]
    fn a_word_between_other_characters_may_be_written_as_several() {
        let rows = [
            ("買ウiphone15ヲ", 2),
            ("买iphone15吗", 1),
            ("é iphone15", 2),
        ];
        for (folded, at) in rows {
            let found = [
                ("iphone15", at, at + 8, false),
                ("iphone", at, at + 6, true),
                ("15", at + 6, at + 8, true),
            ];
            assert_eq!(
                shown(&question(folded, &found).alternatives),
                [("iphone", at, at + 6, 0.5), ("15", at + 6, at + 8, 0.5)],
                "{folded}"
            );
        }
    }

    #[test]
    fn parts_of_what_is_not_one_word_of_letters_and_digits_are_no_alternatives() {
        let rows = [
            ("o'brien", [("o'brien", 0, 7, false), ("brien", 2, 7, true)]),
            ("什么样", [("什么样", 0, 3, false), ("什么", 0, 2, true)]),
            (
                "ナントカ",
                [("ナントカ", 0, 4, false), ("トカ", 2, 4, true)],
            ),
        ];
        for (folded, found) in rows {
            assert_eq!(question(folded, &found).alternatives, [], "{folded}");
        }
    }

    #[test]
    fn kana_may_be_readings() {
        let rows = [
            (
                "トウキョウト",
                &[("トウキョウ", 0, 5, false)][..],
                &[
                    ("トウキョウ", 0, 5),
                    ("トウキョウト", 0, 6),
                    ("トウキョ", 0, 4),
                    ("ウキョウ", 1, 5),
                ][..],
            ),
            ("カ", &[("カ", 0, 1, false)], &[]),
            ("ココ", &[("ココ", 0, 2, true)], &[("ココ", 0, 2)]),
            ("東アー", &[("東", 0, 1, false)], &[("アー", 1, 3)]),
            // Found by the term of all words of the same meaning.
            (
                "ネコト東",
                &[
                    ("cat", 0, 2, false),
                    ("ト", 2, 3, true),
                    ("東", 3, 4, false),
                ],
                &[("ネコ", 0, 2), ("ネコト", 0, 3)],
            ),
        ];
        for (folded, found, expected) in rows {
            let readings = question(folded, found).readings;
            let places: Vec<_> = readings
                .iter()
                .map(|word| (word.term.as_str(), word.start, word.end))
                .collect();
            assert_eq!(places, expected, "{folded}");
        }
    }

    #[test]
    fn a_reading_may_lie_across_the_cuts_of_a_dictionary() {
        let rows = [
            // Cut on both sides, and on one; from inside one word to inside another does not count.
            (
                "シャケンハ",
                &[
                    ("シャケ", 0, 3, false),
                    ("ン", 3, 4, false),
                    ("ハ", 4, 5, true),
                ][..],
                &["シャケ", "シャケンハ", "シャケン", "ャケンハ"][..],
            ),
            // After a word with Han characters.
            (
                "次ノイシ",
                &[
                    ("次", 0, 1, false),
                    ("ノ", 1, 2, true),
                    ("イシ", 2, 4, false),
                ],
                &["イシ", "ノイシ"],
            ),
            // Particles alone.
            (
                "東京カラデハ",
                &[
                    ("東京", 0, 2, false),
                    ("カラ", 2, 4, true),
                    ("デハ", 4, 6, true),
                ],
                &["カラデハ"],
            ),
            (
                "東京カラデハネコ",
                &[
                    ("東京", 0, 2, false),
                    ("カラ", 2, 4, true),
                    ("デハ", 4, 6, true),
                    ("ネコ", 6, 8, false),
                ],
                &[
                    "ネコ",
                    "カラデハネコ",
                    "カラデハネ",
                    "ラデハネコ",
                    "デハネコ",
                ],
            ),
            (
                "会议的结论",
                &[
                    ("会议", 0, 2, false),
                    ("的", 2, 3, true),
                    ("结论", 3, 5, false),
                ],
                &[],
            ),
            (
                "the server",
                &[("the", 0, 3, true), ("server", 4, 10, false)],
                &[],
            ),
        ];
        for (folded, found, expected) in rows {
            let readings = question(folded, found).readings;
            let terms: Vec<_> = readings.iter().map(|word| word.term.as_str()).collect();
            assert_eq!(terms, expected, "{folded}");
        }
    }

    #[test]
    fn long_kana_runs_are_split_at_the_length_of_the_longest_word() {
        let places = |count: usize| -> Vec<_> {
            let row = "ア".repeat(count);
            let runs = kana_runs(&row);
            runs.into_iter()
                .map(|(_, start, end)| (start, end))
                .collect()
        };
        assert_eq!(places(12), [(0, 12)]);
        assert_eq!(places(13), [(0, 12)]);
        assert_eq!(places(26), [(0, 12), (12, 24), (24, 26)]);
    }

    #[test]
    fn light_words_count_less_where_there_are_many_others() {
        let terms: Vec<String> = (0..16).map(|at| format!("w{at}")).collect();
        let rows: Vec<_> = terms
            .iter()
            .enumerate()
            .map(|(at, term)| (term.as_str(), at, at + 1, false))
            .collect();
        let light: FxHashSet<String> = terms[..2].iter().cloned().collect();
        let weights = |count: usize| -> Vec<f64> {
            let weighed = question("", &rows[..count]).downweighted(&light);
            weighed.words[..3].iter().map(|word| word.weight).collect()
        };
        assert_eq!(weights(16), [0.5, 0.5, 1.0]);
        assert_eq!(weights(8), [1.0, 1.0, 1.0]);
        let all: FxHashSet<String> = terms.iter().cloned().collect();
        assert!(
            question("", &rows)
                .downweighted(&all)
                .words
                .iter()
                .all(|word| word.weight > 0.99)
        );
    }

    #[test]
    fn words_set_aside_count_less_unless_there_are_no_others() {
        let rows = [
            ("先週", 0, 2, false),
            ("の", 2, 3, true),
            ("土曜", 3, 5, false),
            ("の", 5, 6, true),
            ("猫", 6, 7, false),
        ];
        let weights = |rows: &[_], spans: &[(usize, usize)]| -> Vec<f64> {
            let asked = question("先週の土曜の猫", rows).setting_aside(&Spans::of(spans.to_vec()));
            asked.words.iter().map(|word| word.weight).collect()
        };
        assert_eq!(weights(&rows, &[(0, 5)]), [0.3, 0.0, 0.3, 0.0, 1.0]);
        assert_eq!(weights(&rows, &[(0, 4)]), [0.3, 0.0, 1.0, 0.0, 1.0]);
        assert_eq!(weights(&rows, &[]), [1.0, 0.0, 1.0, 0.0, 1.0]);
        assert_eq!(weights(&rows[..3], &[(0, 5)]), [1.0, 0.0, 1.0]);
    }

    #[test]
    fn parts_of_a_word_that_two_languages_have_are_dropped_if_one_alone_finds_them() {
        let token = |term: &str, start, read_as| Token {
            read_as,
            ..Token::new(term, start, start + term.chars().count(), false)
        };
        let both = |start| {
            [ReadAs::Chinese, ReadAs::Japanese].map(|read_as| token("北海道", start, read_as))
        };
        let parts = |start| {
            [
                token("北海", start, ReadAs::Chinese),
                token("海道", start + 1, ReadAs::Chinese),
            ]
        };
        let found = |tokens: Vec<Token>| -> Vec<String> {
            let words = query_terms(tokens).into_iter();
            words.map(|word| word.term.into()).collect()
        };
        assert_eq!(found([&both(0)[..], &parts(0)].concat()), ["北海道"]);
        let alone = [&both(0)[..1], &parts(0)].concat();
        assert_eq!(found(alone), ["北海", "北海道", "海道"]);
        assert_eq!(
            found([&both(0)[..], &parts(2)].concat()),
            ["北海道", "北海", "海道"]
        );
        let function_word = both(0).map(|token| Token {
            is_function: true,
            ..token
        });
        let kept = [&function_word[..], &parts(0)].concat();
        assert_eq!(found(kept), ["北海", "北海道", "海道"]);
        let other_form = Token::new("引っ越し", 0, 2, false);
        let whole = [ReadAs::Chinese, ReadAs::Japanese].map(|read_as| token("引越", 0, read_as));
        let japanese = Token {
            read_as: ReadAs::Japanese,
            ..other_form
        };
        assert_eq!(
            found([&whole[..], &[japanese]].concat()),
            ["引っ越し", "引越"]
        );
    }
}
