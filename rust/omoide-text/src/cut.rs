//! Which terms does a text contain, in whatever languages it is written?
//!
//! A text is cut in two steps: first everything that Rust can do, then what Python libraries say about its Japanese lines and
//! about words not met before.
//!
//! Useful for: documents and questions alike. Not useful for: the weights of a question's words.
//! Invariant: the result depends only on the text, its language and the user's words; offsets count code points.

use crate::asking::lies_in;
use crate::{
    Asking, Chinese, JapaneseLine, KnownTerms, Language, Languages, Line, Phrases, Question, Term,
    Token, Variants, Vocabulary, has_kana, joined, numerals, words,
};
use compact_str::CompactString;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;

/// Stems are made one by one. In a question with more neighbours, which has words enough, only hyphenated words are also read
/// as one.
const MOST_NEIGHBOURS: usize = 64;

/// The tools that texts are cut with.
#[derive(Clone, Copy, Debug)]
pub struct Tools<'a> {
    /// Folds characters.
    pub variants: &'a Variants,
    /// Tells languages apart.
    pub languages: &'a Languages,
    /// Knows the terms of words between spaces.
    pub vocabulary: &'a Vocabulary,
    /// Cuts Chinese, with the user's words.
    pub chinese: &'a Chinese,
    /// The user's words, folded, and the automaton that finds them.
    pub own: Option<(&'a Phrases, &'a [String])>,
}

/// A word between spaces; its term, or its index among the unknown words.
#[derive(Debug)]
struct Spaced {
    term: Result<Term, usize>,
    start: usize,
    end: usize,
    /// Whether it is only a part of another word.
    part: bool,
    /// The least length of its term. The stem of "prefer eating" is "prefer", so a pair read as one word needs a longer term.
    least_chars: usize,
}

/// A line and its Chinese words.
#[derive(Debug)]
struct Read {
    line: Line,
    chinese: Vec<Token>,
    is_japanese: bool,
}

/// A text that is cut as far as possible without Python.
#[derive(Debug)]
pub struct Cut {
    spelled: Arc<str>,
    folded: Arc<str>,
    words: Vec<Spaced>,
    joined: Vec<Spaced>,
    /// Numbers in Han characters, and the user's words.
    others: Vec<Token>,
    lines: Vec<Read>,
    unknown: Vec<CompactString>,
}

/// The words of a text as written, and their readings.
#[derive(Debug, Default)]
struct Found {
    tokens: Vec<Token>,
    spoken: Vec<Token>,
}

/// What a document is found by.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DocumentTerms {
    /// Terms with repeats; function words come after the others and once each.
    pub terms: Vec<CompactString>,
    /// Readings of words with Han characters, in katakana.
    pub readings: Vec<CompactString>,
}

impl Cut {
    /// `spelled` is the text as folded by [`crate::plain`], `written` the original text, `near` its language if known.
    pub fn new(tools: &Tools<'_>, spelled: &str, written: &str, near: Option<&str>) -> Self {
        Self::told_apart(tools, spelled, near).spaced(tools.vocabulary, written, false)
    }

    /// The same for a question: neighbours may also be one word, and if nothing tells whether Han characters are Japanese or
    /// Chinese, they are read as both.
    pub fn of_question(
        tools: &Tools<'_>,
        spelled: &str,
        written: &str,
        near: Option<&str>,
    ) -> Self {
        let mut cut = Self::told_apart(tools, spelled, near);
        let is_cjk = !cut.lines.is_empty();
        if is_cjk
            && near.is_none()
            && !has_kana(spelled)
            && !tools.languages.surely_chinese(spelled)
        {
            let lines = cut.lines.iter_mut();
            lines.for_each(|read| read.is_japanese = true);
        }
        cut.spaced(tools.vocabulary, written, true)
    }

    /// Finds the lines, and what is the same in every language: numbers in Han characters and the user's words.
    fn told_apart(tools: &Tools<'_>, spelled: &str, near: Option<&str>) -> Self {
        let spelled: Arc<str> = spelled.into();
        let folded = match tools.variants.fold(&spelled) {
            Cow::Borrowed(_) => Arc::clone(&spelled),
            Cow::Owned(folded) => folded.into(),
        };
        let lines = tools.languages.lines(&spelled, near);
        let mut others = Vec::new();
        if !spelled.is_ascii() {
            let numbers = numerals(&folded).into_iter();
            others.extend(numbers.map(|(digits, start, end)| (digits.into(), start, end, false)));
        }
        if let Some((phrases, own)) = tools.own {
            let places = phrases.find(&folded).into_iter();
            others.extend(
                places.map(|(which, start, end)| (own[which].as_str().into(), start, end, false)),
            );
        }
        Self {
            lines: read(tools.chinese, &folded, lines),
            spelled,
            folded,
            others,
            words: Vec::new(),
            joined: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Adds the words between spaces.
    fn spaced(mut self, vocabulary: &Vocabulary, written: &str, with_neighbours: bool) -> Self {
        let mut asked = Unknown::of(vocabulary);
        let found = words(&self.spelled, written).into_iter();
        let found = found.map(|word| Spaced {
            term: asked.term(&word.term),
            start: word.start,
            end: word.end,
            part: word.part,
            least_chars: 0,
        });
        self.words = found.collect();
        if with_neighbours {
            self.joined = neighbours(&self.spelled, &mut asked);
        }
        self.unknown = asked.words;
        self
    }

    /// The folded text.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// Whether nothing from Python is needed.
    pub fn is_whole(&self) -> bool {
        self.unknown.is_empty() && !self.lines.iter().any(|read| read.is_japanese)
    }

    /// Words whose terms are unknown.
    pub fn unknown(&self) -> &[CompactString] {
        &self.unknown
    }

    /// (first code point, text) of the lines to analyse as Japanese.
    pub fn japanese(&self) -> impl Iterator<Item = (usize, &str)> {
        let japanese = self.lines.iter().filter(|read| read.is_japanese);
        let mut slices = None;
        japanese.map(move |read| {
            let (start, end) = (read.line.start, read.line.end);
            let slices = slices.get_or_insert_with(|| Slices::of(&self.spelled));
            (start, slices.get(start, end))
        })
    }

    /// The question. `asking` finds the phrases that only ask for an answer: they tell as little as function words. `told` are
    /// the terms of the unknown words; `japanese` the analysed lines, each with its first code point, in order, long ones in
    /// pieces.
    pub fn question(
        &self,
        asking: &Asking,
        told: &[Term],
        japanese: &[(usize, &JapaneseLine)],
    ) -> Question {
        let mut found = self.found(told, japanese);
        let asked = asking.places(&self.folded, &found.tokens);
        found.without(&asked);
        let joined = self.joined.iter().filter_map(|word| {
            let token = word.token(told);
            let is_word = token.0.chars().count() >= word.least_chars && !touches(&asked, &token);
            is_word.then_some(token)
        });
        Question::new(
            Arc::clone(&self.folded),
            Arc::clone(&self.spelled),
            found.tokens,
            &found.spoken,
            joined.collect(),
        )
    }

    /// The terms of a document; arguments as for [`Cut::question`].
    pub fn terms(&self, told: &[Term], japanese: &[(usize, &JapaneseLine)]) -> DocumentTerms {
        let found = self.found(told, japanese);
        let (function, telling): (Vec<Token>, Vec<Token>) =
            found.tokens.into_iter().partition(|token| token.3);
        let mut terms: Vec<CompactString> = telling.into_iter().map(|token| token.0).collect();
        let mut seen = FxHashSet::default();
        let function = function.into_iter().map(|token| token.0);
        terms.extend(function.filter(|term| seen.insert(term.clone())));
        let readings = found.spoken.into_iter().map(|token| token.0);
        DocumentTerms {
            terms,
            readings: readings.collect(),
        }
    }

    /// [start, end) of the words with certain terms; arguments as for [`Cut::question`].
    pub fn places(
        &self,
        told: &[Term],
        japanese: &[(usize, &JapaneseLine)],
        wanted: &FxHashSet<&str>,
    ) -> Vec<(usize, usize)> {
        let found = self.found(told, japanese);
        let tokens = found.tokens.into_iter().chain(found.spoken);
        let wanted = tokens.filter(|token| wanted.contains(token.0.as_str()));
        wanted.map(|token| (token.1, token.2)).collect()
    }

    fn found(&self, told: &[Term], japanese: &[(usize, &JapaneseLine)]) -> Found {
        let chinese: usize = self.lines.iter().map(|read| read.chinese.len()).sum();
        let units: usize = japanese.iter().map(|(_, line)| line.units().count()).sum();
        let fewest = self.words.len() + self.others.len() + chinese + units;
        let mut found = Found {
            tokens: Vec::with_capacity(fewest + units),
            spoken: Vec::with_capacity(units),
        };
        let spaced = self.words.iter().map(|word| word.token(told));
        found.tokens.extend(spaced);
        found.tokens.extend_from_slice(&self.others);
        let mut pieces = japanese.iter().peekable();
        for read in &self.lines {
            found.tokens.extend_from_slice(&read.chinese);
            while let Some((at, line)) = pieces.next_if(|piece| piece.0 < read.line.end) {
                found.add_line(*at, line, &read.chinese);
            }
        }
        found
    }
}

impl Found {
    /// Words in the places become function words, and are not read aloud.
    fn without(&mut self, places: &[(usize, usize)]) {
        if places.is_empty() {
            return;
        }
        for token in &mut self.tokens {
            token.3 |= lies_in(places, token);
        }
        self.spoken.retain(|token| !lies_in(places, token));
    }

    /// Add the words of a Japanese line, except those that are function words in Chinese: 的, 是 and 什麼 carry no meaning there,
    /// and few Japanese words could be meant by them.
    fn add_line(&mut self, at: usize, line: &JapaneseLine, chinese: &[Token]) {
        let said_anyway: FxHashSet<(usize, usize)> = chinese
            .iter()
            .filter(|token| token.3)
            .map(|token| (token.1, token.2))
            .collect();
        for (start, unit) in line.units() {
            let at = at + start;
            let first = unit.tokens.first();
            if first.is_some_and(|token| said_anyway.contains(&(at + token.1, at + token.2))) {
                continue;
            }
            self.tokens
                .extend(unit.tokens.iter().map(|token| placed(token, at)));
            self.spoken
                .extend(unit.spoken.iter().map(|token| placed(token, at)));
        }
    }
}

impl Spaced {
    fn token(&self, told: &[Term]) -> Token {
        let (term, function) = match &self.term {
            Ok(known) => known.clone(),
            Err(place) => told.get(*place).cloned().unwrap_or_default(),
        };
        (term, self.start, self.end, self.part || function)
    }
}

/// The words of a text whose terms are unknown, each once.
struct Unknown<'a> {
    vocabulary: &'a Vocabulary,
    known: KnownTerms<'a>,
    places: FxHashMap<CompactString, usize>,
    words: Vec<CompactString>,
}

impl<'a> Unknown<'a> {
    fn of(vocabulary: &'a Vocabulary) -> Self {
        Self {
            vocabulary,
            known: vocabulary.known(),
            places: FxHashMap::default(),
            words: Vec::new(),
        }
    }

    fn term(&mut self, word: &str) -> Result<Term, usize> {
        if let Some(term) = self.known.get(word) {
            return Ok(term.clone());
        }
        if let Some(place) = self.places.get(word) {
            return Err(*place);
        }
        let place = self.words.len();
        self.places.insert(word.into(), place);
        self.words.push(word.into());
        Err(place)
    }
}

/// Neighbouring words of a question read as one.
fn neighbours(spelled: &str, asked: &mut Unknown<'_>) -> Vec<Spaced> {
    let neighbours = joined(spelled);
    let is_short = neighbours.len() <= MOST_NEIGHBOURS;
    let mut found = Vec::with_capacity(neighbours.len());
    let slices = Slices::of(spelled);
    for (word, start, end) in neighbours {
        let least_chars = match slices.get(start, end).split_once(' ') {
            Some((first, second)) if is_short && asked.vocabulary.may_be_one(first, second) => {
                first.chars().count() + 1
            }
            Some(_) => continue,
            None => 0,
        };
        found.push(Spaced {
            term: asked.term(&word),
            start,
            end,
            part: false,
            least_chars,
        });
    }
    found
}

/// The lines of a folded text with their Chinese words.
fn read(chinese: &Chinese, folded: &str, lines: Vec<Line>) -> Vec<Read> {
    let slices = Slices::of(folded);
    let words = |line: Line| -> Vec<Token> {
        let words = chinese.words(slices.get(line.start, line.end)).into_iter();
        words
            .map(|(word, start, end, function)| {
                (word.into(), line.start + start, line.start + end, function)
            })
            .collect()
    };
    let lines = lines.into_iter();
    lines
        .map(|line| {
            let is_japanese = line.language == Language::Japanese;
            let chinese = if is_japanese { Vec::new() } else { words(line) };
            Read {
                line,
                chinese,
                is_japanese,
            }
        })
        .collect()
}

/// Whether a word has a part in one of the places.
fn touches(places: &[(usize, usize)], word: &Token) -> bool {
    places
        .iter()
        .any(|place| place.0 < word.2 && word.1 < place.1)
}

fn placed((term, start, end, function): &Token, at: usize) -> Token {
    (term.clone(), at + start, at + end, *function)
}

/// Slices of a text by code points.
struct Slices<'a> {
    text: &'a str,
    /// The byte at which each code point begins; `None` for ASCII, where the two are the same.
    begins: Option<Vec<usize>>,
}

impl<'a> Slices<'a> {
    fn of(text: &'a str) -> Self {
        let begins = (!text.is_ascii()).then(|| {
            let mut begins = Vec::with_capacity(text.len());
            begins.extend(text.char_indices().map(|(byte, _)| byte));
            begins
        });
        Self { text, begins }
    }

    fn get(&self, start: usize, end: usize) -> &'a str {
        &self.text[self.byte(start)..self.byte(end)]
    }

    fn byte(&self, at: usize) -> usize {
        match &self.begins {
            Some(begins) => begins.get(at).copied().unwrap_or(self.text.len()),
            None => at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JapaneseWords, Unit};

    struct Made {
        variants: Variants,
        languages: Languages,
        vocabulary: Vocabulary,
        chinese: Chinese,
        phrases: Phrases,
        own: Vec<String>,
    }

    impl Made {
        fn new() -> Self {
            let own = vec!["抹茶拿铁".to_owned()];
            Self {
                variants: Variants::new([('會', '会'), ('は', 'ハ')]),
                languages: Languages::new("会議京都東抹茶"),
                vocabulary: Vocabulary::new(["a", "in"].map(str::to_owned), ["in".to_owned()]),
                chinese: Chinese::new(["的".to_owned()], own.clone()),
                phrases: Phrases::new(&own).unwrap(),
                own,
            }
        }

        fn tools(&self) -> Tools<'_> {
            Tools {
                variants: &self.variants,
                languages: &self.languages,
                vocabulary: &self.vocabulary,
                chinese: &self.chinese,
                own: Some((&self.phrases, &self.own)),
            }
        }
    }

    fn nothing() -> Asking {
        Asking::new(&[], &[], &[]).unwrap()
    }

    /// Each word is its own term; single letters are function words.
    fn told(cut: &Cut) -> Vec<Term> {
        let words = cut.unknown().iter();
        words.map(|word| (word.clone(), word.len() == 1)).collect()
    }

    fn document(text: &str) -> DocumentTerms {
        let made = Made::new();
        let cut = Cut::new(&made.tools(), text, text, None);
        cut.terms(&told(&cut), &[])
    }

    #[test]
    fn function_words_stand_once_and_last() {
        let rows = [
            ("", &[][..]),
            ("a tea a cup", &["tea", "cup", "a"]),
            ("喝抹茶拿铁的的", &["抹茶拿铁", "喝", "抹茶拿铁", "的"]),
            ("第三天", &["3"]),
        ];
        for (text, expected) in rows {
            let terms = document(text).terms;
            assert_eq!(terms[..expected.len()], *expected, "{text}");
        }
    }

    #[test]
    fn a_word_is_asked_about_until_it_is_learned() {
        let made = Made::new();
        let cut = Cut::of_question(&made.tools(), "log in log", "log in log", None);
        assert_eq!(cut.unknown(), ["log", "in", "login"]);
        let words = cut.unknown().iter().cloned();
        made.vocabulary.learn(words.zip(told(&cut)));
        let cut = Cut::of_question(&made.tools(), "log in log", "log in log", None);
        assert!(cut.unknown().is_empty());
        let asked = cut.question(&nothing(), &[], &[]);
        let one = (
            asked.alternatives[0].term.as_str(),
            asked.alternatives[0].end,
        );
        assert_eq!(one, ("login", 6));
    }

    #[test]
    fn han_characters_alone_are_asked_for_as_both_but_for_chinese_function_words() {
        let made = Made::new();
        let cut = |text| Cut::of_question(&made.tools(), text, text, None);
        assert_eq!(cut("京都的茶").japanese().count(), 0); // 的 is in no Japanese standard given here
        assert_eq!(
            cut("京都は\n会議").japanese().collect::<Vec<_>>(),
            [(0, "京都は"), (4, "会議")]
        );
        let cut = cut("京都会議");
        let words = JapaneseWords::default();
        let line = words.line("京都会議", &[(1, 0), (2, 2)]);
        let unit = |term: &str| Unit {
            tokens: vec![(term.into(), 0, 2, false)],
            spoken: vec![("ヨミ".into(), 0, 2, false)],
        };
        let line = words.learned(&line, ["京都", "会議"].map(unit));
        let asked = cut.question(&nothing(), &told(&cut), &[(0, &line)]);
        assert!(
            asked
                .words
                .iter()
                .any(|word| word.term == "会議" && word.start == 2)
        );
        assert_eq!(asked.alternatives.len(), 2);
        let wanted = FxHashSet::from_iter(["ヨミ"]);
        assert_eq!(cut.places(&[], &[(0, &line)], &wanted), [(0, 2), (2, 4)]);
        assert_eq!(cut.terms(&[], &[(0, &line)]).readings, ["ヨミ", "ヨミ"]);
    }
}
