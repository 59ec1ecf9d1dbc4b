//! Which terms does a text contain, in whatever languages it is written?
//!
//! A text is cut in two steps: first everything that Rust can do, then with the results of Python libraries for its Japanese
//! lines and for words that are not in the cache.
//!
//! Useful for: documents and questions alike. Not useful for: the weights of a question's words.
//! Invariant: the result depends only on the text, its language and the user's words; offsets count code points.

use crate::asking::{Requests, Spans};
use crate::code_points::CodePointSlices;
use crate::collocations::Collocations;
use crate::{
    Asking, Chinese, JapaneseLine, KnownTerms, Language, Languages, Line, Phrases, Question,
    ReadAs, Script, Spellings, Term, Token, Variants, Vocabulary, compounds, has_kana, numerals,
    words,
};
use compact_str::CompactString;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;

/// Stems are made one by one. In a question with more neighbours, which has words enough, only hyphenated words are also read
/// as one.
const MAX_NEIGHBOURS: usize = 64;

/// The tools that texts are cut with.
#[derive(Clone, Copy, Debug)]
pub struct Tools<'a> {
    /// Folds characters.
    pub variants: &'a Variants,
    /// Distinguishes languages.
    pub languages: &'a Languages,
    /// Knows the terms of words between spaces.
    pub vocabulary: &'a Vocabulary,
    /// Cuts Chinese, with the user's words.
    pub chinese: &'a Chinese,
    /// Knows what else words are called.
    pub spellings: &'a Spellings,
    /// The user's words, folded, and the automaton that finds them.
    pub user_words: Option<(&'a Phrases, &'a [String])>,
}

/// What the vocabulary has for a word.
#[derive(Debug)]
enum Found {
    Known(Term),
    /// The word's index among the unknown ones.
    Unknown(usize),
}

/// A word between spaces.
#[derive(Debug)]
struct SpacedWord {
    term: Found,
    start: usize,
    end: usize,
    /// Whether it is only a part of another word.
    is_part: bool,
    /// The least length of its term. The stem of "prefer eating" is "prefer", so a pair read as one word needs a longer term.
    least_chars: usize,
}

/// A line and its Chinese words.
#[derive(Debug)]
struct AnalysedLine {
    line: Line,
    chinese: Vec<Token>,
    is_japanese: bool,
}

impl AnalysedLine {
    fn is_read_both_ways(&self) -> bool {
        self.is_japanese && self.line.language == Language::Chinese
    }
}

/// A text that is cut as far as possible without Python.
#[derive(Debug)]
pub struct Cut {
    plain: Arc<str>,
    folded: Arc<str>,
    words: Vec<SpacedWord>,
    compounds: Vec<SpacedWord>,
    /// Numbers in Han characters, and the user's words.
    others: Vec<Token>,
    /// Where these numbers are.
    numbers: Spans,
    /// Chinese words that are also called otherwise, as the term of those that mean the same. It counts in texts of any language.
    named: Vec<Token>,
    /// The same wherever a Japanese line has the characters of such a word; `AnalysedTokens::join` tells which of them are words.
    may_be_named: Vec<Token>,
    /// Runs of katakana as the terms of words that mean the same.
    katakana: Vec<Token>,
    lines: Vec<AnalysedLine>,
    unknown: Vec<CompactString>,
    collocations: Arc<Collocations>,
}

/// The words of a text as written, and their readings.
#[derive(Debug, Default)]
struct AnalysedTokens {
    tokens: Vec<Token>,
    /// Several Japanese words that are called otherwise as one (自転 and 車, フェイス and ブック), as the term of those that mean the same.
    joined: Vec<Token>,
    /// Other runs of katakana as such terms.
    same: Vec<Token>,
    /// Terms of several words between spaces.
    collocations: Vec<Token>,
    readings: Vec<Token>,
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
    /// `plain` is the text as folded by [`crate::plain`], `written` the original text, `context_language` its language if known.
    pub fn new(
        tools: &Tools<'_>,
        plain: &str,
        written: &str,
        context_language: Option<&str>,
    ) -> Self {
        let mut cut = Self::with_lines_and_numbers(tools, plain, context_language);
        cut.find_named_in_japanese(tools.spellings);
        cut.with_spaced_words(tools.vocabulary, written, false)
    }

    /// The same for a question: neighbours may also be one word, and if nothing shows whether Han characters are Japanese
    /// or Chinese, they are read as both.
    pub fn of_question(
        tools: &Tools<'_>,
        plain: &str,
        written: &str,
        context_language: Option<&str>,
    ) -> Self {
        let mut cut = Self::with_lines_and_numbers(tools, plain, context_language);
        let named = spans(&cut.named);
        for line in &mut cut.lines {
            drop_parts(&mut line.chinese, &named);
        }
        drop_parts(&mut cut.named, &named);
        let is_cjk = !cut.lines.is_empty();
        if is_cjk
            && context_language.is_none()
            && !has_kana(plain)
            && !tools.languages.is_certainly_chinese(plain)
        {
            let lines = cut.lines.iter_mut();
            lines.for_each(|line| line.is_japanese = true);
        }
        cut.find_named_in_japanese(tools.spellings);
        cut.with_spaced_words(tools.vocabulary, written, true)
    }

    /// Finds the lines, and what is the same in every language: numbers in Han characters and the user's words.
    fn with_lines_and_numbers(
        tools: &Tools<'_>,
        plain: &str,
        context_language: Option<&str>,
    ) -> Self {
        let plain: Arc<str> = plain.into();
        let folded = match tools.variants.fold(&plain) {
            Cow::Borrowed(_) => Arc::clone(&plain),
            Cow::Owned(folded) => folded.into(),
        };
        let lines = tools.languages.lines(&plain, context_language);
        let found = if plain.is_ascii() {
            Vec::new()
        } else {
            numerals(&folded)
        };
        let numbers = Spans::of(found.iter().map(|&(_, start, end)| (start, end)).collect());
        let found = found.into_iter();
        let mut others: Vec<Token> = found
            .map(|(digits, start, end)| Token::new(digits, start, end, false))
            .collect();
        if let Some((phrases, user_words)) = tools.user_words {
            let places = phrases.find(&folded).into_iter();
            others.extend(places.map(|(which, start, end)| {
                Token::new(user_words[which].as_str(), start, end, false)
            }));
        }
        let mut lines = analyse_lines(tools.chinese, &folded, lines);
        let named = lines.iter_mut();
        let named = named.flat_map(|line| tools.spellings.taken_from(&mut line.chinese));
        let named = named.collect();
        let katakana = if plain.is_ascii() {
            Vec::new()
        } else {
            tools.spellings.of_katakana(&plain)
        };
        Self {
            lines,
            plain,
            folded,
            others,
            numbers,
            named,
            may_be_named: Vec::new(),
            katakana,
            words: Vec::new(),
            compounds: Vec::new(),
            unknown: Vec::new(),
            collocations: Arc::clone(tools.spellings.collocations()),
        }
    }

    /// Fills in `may_be_named`, for the lines that are read as Japanese by now.
    fn find_named_in_japanese(&mut self, spellings: &Spellings) {
        if !self.lines.iter().any(|line| line.is_japanese) {
            return;
        }
        let [folded, plain] = [&self.folded, &self.plain].map(|text| CodePointSlices::of(text));
        for AnalysedLine { line, .. } in self.lines.iter().filter(|line| line.is_japanese) {
            let (start, end) = (line.start, line.end);
            self.may_be_named
                .extend(spellings.of_han(folded.get(start, end), start));
            self.may_be_named
                .extend(spellings.of_hiragana(plain.get(start, end), start));
        }
        let mixed = spellings.of_katakana_and_others(&self.plain, &self.folded);
        self.may_be_named.extend(mixed);
    }

    /// Adds the words between spaces.
    fn with_spaced_words(
        mut self,
        vocabulary: &Vocabulary,
        written: &str,
        with_neighbours: bool,
    ) -> Self {
        let mut lookup = TermLookup::of(vocabulary);
        let found = words(&self.plain, written).into_iter();
        let found = found.map(|word| SpacedWord {
            term: lookup.term(&word.term),
            start: word.start,
            end: word.end,
            // Of 8万5千 neither 8 nor 5 is asked for.
            is_part: word.is_part || self.numbers.hold(word.start, word.end),
            least_chars: 0,
        });
        self.words = found.collect();
        if with_neighbours {
            self.compounds = neighbouring_words(&self.plain, &mut lookup);
        }
        self.unknown = lookup.words;
        self
    }

    /// The folded text.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// Whether nothing from Python is needed.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_empty() && !self.lines.iter().any(|line| line.is_japanese)
    }

    /// Words whose terms are unknown.
    pub fn unknown(&self) -> &[CompactString] {
        &self.unknown
    }

    /// (first code point, text) of the lines to analyse as Japanese.
    pub fn japanese(&self) -> impl Iterator<Item = (usize, &str)> {
        let japanese = self.lines.iter().filter(|line| line.is_japanese);
        let mut slices = None;
        japanese.map(move |line| {
            let (start, end) = (line.line.start, line.line.end);
            let slices = slices.get_or_insert_with(|| CodePointSlices::of(&self.plain));
            (start, slices.get(start, end))
        })
    }

    /// The question. `asking` finds the phrases that only ask for an answer: their words count as function words. `unknown_terms`
    /// are the terms of the unknown words; `japanese` the analysed lines, each with its first code point, in order, long ones in
    /// pieces.
    pub fn question(
        &self,
        asking: &Asking,
        unknown_terms: &[Term],
        japanese: &[(usize, &JapaneseLine)],
    ) -> Question {
        let mut found = self.found(unknown_terms, japanese);
        let joined = spans(&found.joined);
        drop_parts(&mut found.tokens, &joined);
        drop_parts(&mut found.joined, &joined);
        let Requests {
            spans: requests,
            at_edges,
        } = asking.requests(&self.folded, &found.tokens);
        // A word in katakana with a Latin term (スクールバス) is searched for as loanwords are, which dictionaries know.
        let same = std::mem::take(&mut found.same).into_iter();
        let (loanwords, same): (Vec<_>, Vec<_>) = same.partition(|token| token.term.is_ascii());
        found.tokens.extend(loanwords);
        found.without(&requests);
        let compounds = self.compounds.iter().filter_map(|word| {
            let token = word.token(unknown_terms);
            let is_word =
                token.term.chars().count() >= word.least_chars && !requests.overlap(&token);
            is_word.then_some(token)
        });
        let collocations = found.collocations.iter();
        let collocations = collocations.filter(|token| !requests.overlap(token));
        let collocations: Vec<Token> = collocations.cloned().collect();
        let places: FxHashSet<_> = collocations
            .iter()
            .map(|token| (token.start, token.end))
            .collect();
        let compounds = compounds.filter(|token| !places.contains(&(token.start, token.end)));
        // Those that are called otherwise have not the characters of the question.
        let same = same.iter().chain(&self.named).chain(&found.joined);
        let same = same.filter(|token| !requests.overlap(token)).cloned();
        let same = same.collect();
        found.tokens.append(&mut found.joined);
        let question = Question::new(
            Arc::clone(&self.folded),
            Arc::clone(&self.plain),
            found.tokens,
            &found.readings,
            compounds.collect(),
            same,
        );
        Question {
            requests: at_edges,
            ..question.with_collocations(collocations)
        }
    }

    /// The terms of a document; arguments as for [`Cut::question`].
    pub fn terms(
        &self,
        unknown_terms: &[Term],
        japanese: &[(usize, &JapaneseLine)],
    ) -> DocumentTerms {
        let found = self.found(unknown_terms, japanese);
        let tokens = found.tokens.into_iter().chain(found.joined);
        let tokens = tokens.chain(found.same).chain(found.collocations);
        let (function, content): (Vec<Token>, Vec<Token>) =
            tokens.partition(|token| token.is_function);
        let mut terms: Vec<CompactString> = content.into_iter().map(|token| token.term).collect();
        let mut seen = FxHashSet::default();
        let function = function.into_iter().map(|token| token.term);
        terms.extend(function.filter(|term| seen.insert(term.clone())));
        let readings = found.readings.into_iter().map(|token| token.term);
        DocumentTerms {
            terms,
            readings: readings.collect(),
        }
    }

    /// [start, end) of the words with certain terms; arguments as for [`Cut::question`].
    pub fn places(
        &self,
        unknown_terms: &[Term],
        japanese: &[(usize, &JapaneseLine)],
        wanted: &FxHashSet<&str>,
    ) -> Vec<(usize, usize)> {
        let found = self.found(unknown_terms, japanese);
        let tokens = found.tokens.into_iter().chain(found.joined);
        let tokens = tokens.chain(found.readings);
        let tokens = tokens.chain(found.same).chain(found.collocations);
        let wanted = tokens.filter(|token| wanted.contains(token.term.as_str()));
        wanted.map(|token| (token.start, token.end)).collect()
    }

    fn found(&self, unknown_terms: &[Term], japanese: &[(usize, &JapaneseLine)]) -> AnalysedTokens {
        let chinese: usize = self.lines.iter().map(|line| line.chinese.len()).sum();
        let units: usize = japanese.iter().map(|(_, line)| line.units().count()).sum();
        let fewest = self.words.len() + self.others.len() + self.named.len() + chinese + units;
        let mut found = AnalysedTokens {
            tokens: Vec::with_capacity(fewest + units),
            joined: Vec::new(),
            same: Vec::new(),
            collocations: Vec::new(),
            readings: Vec::with_capacity(units),
        };
        let spaced = self.words.iter().map(|word| word.token(unknown_terms));
        found.tokens.extend(spaced);
        let whole = self.words.iter().zip(&found.tokens);
        let whole = whole.filter_map(|(word, token)| (!word.is_part).then_some(token));
        let whole: Vec<&Token> = whole.collect();
        found.collocations = self.collocations.find(&self.plain, &whole);
        found.tokens.extend_from_slice(&self.others);
        let first_named = found.tokens.len();
        found.tokens.extend_from_slice(&self.named);
        let end_of_named = found.tokens.len();
        let called_otherwise = spans(&self.named);
        let mut pieces = japanese.iter().peekable();
        for line in &self.lines {
            let before = found.tokens.len();
            found.tokens.extend_from_slice(&line.chinese);
            let (between, first_reading) = (found.tokens.len(), found.readings.len());
            while let Some((at, japanese_line)) = pieces.next_if(|piece| piece.0 < line.line.end) {
                found.add_line(*at, japanese_line, &line.chinese);
            }
            if line.is_read_both_ways() {
                mark(&mut found.tokens[before..between], ReadAs::Chinese);
                mark(&mut found.tokens[between..], ReadAs::Japanese);
                let (known, japanese) = found.tokens.split_at_mut(between);
                let named = &mut known[first_named..end_of_named];
                let place = |at| named.partition_point(|word| word.start < at);
                let of_line = place(line.line.start)..place(line.line.end);
                let readings = &found.readings[first_reading..];
                mark_other_meanings(&mut named[of_line], japanese, readings);
                found.drop_translated_parts(between, &called_otherwise);
            }
        }
        found.join(&self.may_be_named, &called_otherwise, &self.katakana);
        if found.tokens.is_empty() {
            found.tokens = signs(&self.folded);
        }
        found
    }
}

impl AnalysedTokens {
    /// Fill in `joined`: those of the words that begin and end where words do, and are neither a word by themselves nor a part of a
    /// Chinese word that is called otherwise. And `same`: other runs of katakana.
    fn join(&mut self, may_be_named: &[Token], called_otherwise: &Spans, katakana: &[Token]) {
        if may_be_named.is_empty() && katakana.is_empty() {
            return;
        }
        let places: FxHashSet<_> = self
            .tokens
            .iter()
            .map(|word| (word.start, word.end))
            .collect();
        let starts: FxHashSet<_> = places.iter().map(|place| place.0).collect();
        let ends: FxHashSet<_> = places.iter().map(|place| place.1).collect();
        let are_several = |word: &&Token| {
            starts.contains(&word.start)
                && ends.contains(&word.end)
                && !places.contains(&(word.start, word.end))
        };
        let (several, same): (Vec<_>, Vec<_>) = katakana.iter().partition(are_several);
        self.same = same.into_iter().cloned().collect();
        let named = may_be_named.iter().filter(are_several);
        let named = named.filter(|word| !called_otherwise.have_part(word));
        self.joined = named.chain(several).cloned().collect();
    }

    /// Of the Japanese words from `first` on, drop the parts of words that are called otherwise (谷 and 歌 of 谷歌, Google) whose terms
    /// are those of English words (valley, song): in texts of any language these would count.
    fn drop_translated_parts(&mut self, first: usize, called_otherwise: &Spans) {
        let japanese = self.tokens.split_off(first);
        let is_kept = |word: &Token| !word.term.is_ascii() || !called_otherwise.have_part(word);
        self.tokens.extend(japanese.into_iter().filter(is_kept));
    }

    /// Words in the spans become function words, and lose their readings.
    fn without(&mut self, spans: &Spans) {
        if spans.is_empty() {
            return;
        }
        for token in &mut self.tokens {
            token.is_function |= spans.contain(token);
        }
        self.readings.retain(|token| !spans.contain(token));
    }

    /// Add the words of a Japanese line, except those that are function words in Chinese: 的, 是 and 什麼 carry no meaning there,
    /// and few Japanese words could be meant by them.
    fn add_line(&mut self, at: usize, line: &JapaneseLine, chinese: &[Token]) {
        let chinese_function_words: FxHashSet<(usize, usize)> = chinese
            .iter()
            .filter(|token| token.is_function)
            .map(|token| (token.start, token.end))
            .collect();
        for (start, unit) in line.units() {
            let at = at + start;
            let first = unit.tokens.first();
            if first.is_some_and(|token| {
                chinese_function_words.contains(&(at + token.start, at + token.end))
            }) {
                continue;
            }
            self.tokens
                .extend(unit.tokens.iter().map(|token| shifted(token, at)));
            self.readings
                .extend(unit.readings.iter().map(|token| shifted(token, at)));
        }
    }
}

/// The signs of a text without any word (`??`, `…`, `¥`), each at its first place: there is nothing else to find it by.
fn signs(folded: &str) -> Vec<Token> {
    let mut seen = FxHashSet::default();
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control();
    let signs = folded.chars().enumerate();
    let signs = signs.filter(|&(_, c)| is_sign(c) && seen.insert(c));
    signs
        .map(|(at, c)| Token::new(c.encode_utf8(&mut [0; 4]) as &str, at, at + 1, false))
        .collect()
}

impl SpacedWord {
    fn token(&self, unknown_terms: &[Term]) -> Token {
        let (term, is_function) = match &self.term {
            Found::Known(term) => term.clone(),
            Found::Unknown(place) => unknown_terms.get(*place).cloned().unwrap_or_default(),
        };
        Token::new(term, self.start, self.end, self.is_part || is_function)
    }
}

/// The words of a text whose terms are unknown, each once.
struct TermLookup<'a> {
    vocabulary: &'a Vocabulary,
    known: KnownTerms<'a>,
    places: FxHashMap<CompactString, usize>,
    words: Vec<CompactString>,
}

impl<'a> TermLookup<'a> {
    fn of(vocabulary: &'a Vocabulary) -> Self {
        Self {
            vocabulary,
            known: vocabulary.known(),
            places: FxHashMap::default(),
            words: Vec::new(),
        }
    }

    fn term(&mut self, word: &str) -> Found {
        if let Some(term) = self.known.get(word) {
            return Found::Known(term.clone());
        }
        if let Some(place) = self.places.get(word) {
            return Found::Unknown(*place);
        }
        let place = self.words.len();
        self.places.insert(word.into(), place);
        self.words.push(word.into());
        Found::Unknown(place)
    }
}

/// Neighbouring words of a question read as one.
fn neighbouring_words(plain: &str, lookup: &mut TermLookup<'_>) -> Vec<SpacedWord> {
    let pairs = compounds(plain);
    let is_short = pairs.len() <= MAX_NEIGHBOURS;
    let mut found = Vec::with_capacity(pairs.len());
    let slices = CodePointSlices::of(plain);
    for (word, start, end) in pairs {
        let least_chars = match slices.get(start, end).split_once(' ') {
            Some((first, second)) if is_short && lookup.vocabulary.may_be_one(first, second) => {
                first.chars().count() + 1
            }
            Some(_) => continue,
            None => 0,
        };
        found.push(SpacedWord {
            term: lookup.term(&word),
            start,
            end,
            is_part: false,
            least_chars,
        });
    }
    found
}

fn spans(words: &[Token]) -> Spans {
    Spans::of(words.iter().map(|word| (word.start, word.end)).collect())
}

/// Drop the parts of words that are called otherwise (记忆 of 记忆体), even if they are themselves (德里, Delhi, of 马德里, Madrid): what
/// is called otherwise does not have them.
fn drop_parts(words: &mut Vec<Token>, called_otherwise: &Spans) {
    if !called_otherwise.is_empty() {
        words.retain(|word| !called_otherwise.have_part(word));
    }
}

/// The lines of a folded text with their Chinese words.
fn analyse_lines(chinese: &Chinese, folded: &str, lines: Vec<Line>) -> Vec<AnalysedLine> {
    let slices = CodePointSlices::of(folded);
    let words = |line: Line| -> Vec<Token> {
        let words = chinese.words(slices.get(line.start, line.end)).into_iter();
        words
            .map(|(word, start, end, is_function)| {
                Token::new(word, line.start + start, line.start + end, is_function)
            })
            .collect()
    };
    let lines = lines.into_iter();
    lines
        .map(|line| {
            let is_japanese = line.language == Language::Japanese;
            let chinese = if is_japanese { Vec::new() } else { words(line) };
            AnalysedLine {
                line,
                chinese,
                is_japanese,
            }
        })
        .collect()
}

/// Words in Latin letters (fujitsu, the original of 富士通) may stand in a text of any language.
fn mark(tokens: &mut [Token], read_as: ReadAs) {
    for token in tokens.iter_mut().filter(|token| !token.term.is_ascii()) {
        token.read_as = read_as;
    }
}

/// Chinese words that are another word in Japanese (項目: an item; a project) do not stand for what they mean in Japanese texts. One that
/// means the same in both languages is among the Japanese words, too, and so counts in all texts.
fn mark_other_meanings(named: &mut [Token], japanese: &[Token], readings: &[Token]) {
    // What the dictionary lacks is no word there (冰箱): it is read as it is written.
    let unknown = readings.iter().filter(|reading| {
        let mut chars = reading.term.chars();
        chars.any(|c| Script::of(c) == Some(Script::Han))
    });
    let unknown: FxHashSet<_> = unknown.map(|word| (word.start, word.end)).collect();
    let places: FxHashSet<_> = japanese.iter().map(|word| (word.start, word.end)).collect();
    let named = named.iter_mut();
    let has_other = |word: &&mut Token| {
        let place = (word.start, word.end);
        places.contains(&place) && !unknown.contains(&place)
    };
    for word in named.filter(has_other) {
        word.read_as = ReadAs::Chinese;
    }
}

fn shifted(token: &Token, at: usize) -> Token {
    Token {
        start: at + token.start,
        end: at + token.end,
        ..token.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JapaneseWords, Unit};

    struct Fixture {
        variants: Variants,
        languages: Languages,
        vocabulary: Vocabulary,
        chinese: Chinese,
        spellings: Spellings,
        phrases: Phrases,
        user_words: Vec<String>,
    }

    impl Fixture {
        fn new() -> Self {
            let user_words = vec!["抹茶拿铁".to_owned()];
            Self {
                variants: Variants::new([('會', '会'), ('は', 'ハ')]),
                languages: Languages::new("会議京都東抹番茶", "会京都抹番茶", "議京都東抹番茶"),
                vocabulary: Vocabulary::new(["a", "in"].map(str::to_owned), ["in".to_owned()]),
                chinese: Chinese::new(["的".to_owned()], user_words.clone()),
                spellings: Spellings::new([], [("清华".to_owned(), "北大".to_owned())]),
                phrases: Phrases::new(&user_words).unwrap(),
                user_words,
            }
        }

        fn tools(&self) -> Tools<'_> {
            Tools {
                variants: &self.variants,
                languages: &self.languages,
                vocabulary: &self.vocabulary,
                chinese: &self.chinese,
                spellings: &self.spellings,
                user_words: Some((&self.phrases, &self.user_words)),
            }
        }
    }

    fn no_requests() -> Asking {
        Asking::new(&[], &[], &[], &[]).unwrap()
    }

    /// Each word is its own term; single letters are function words.
    fn unknown_terms(cut: &Cut) -> Vec<Term> {
        let words = cut.unknown().iter();
        words.map(|word| (word.clone(), word.len() == 1)).collect()
    }

    fn document(text: &str) -> DocumentTerms {
        let fixture = Fixture::new();
        let cut = Cut::new(&fixture.tools(), text, text, None);
        cut.terms(&unknown_terms(&cut), &[])
    }

    #[test]
    fn function_words_come_once_and_last() {
        let rows = [
            ("", &[][..]),
            ("a tea a cup", &["tea", "cup", "a"]),
            (
                "喝抹茶拿铁的的",
                &["抹茶拿铁", "喝", "抹茶", "拿铁", "抹茶拿铁", "的"],
            ),
            ("第三天", &["3"]),
        ];
        for (text, expected) in rows {
            let terms = document(text).terms;
            assert_eq!(terms[..expected.len()], *expected, "{text}");
        }
    }

    #[test]
    fn a_word_stands_for_all_that_mean_the_same_and_in_a_question_has_no_parts() {
        let fixture = Fixture::new();
        let cut = Cut::of_question(&fixture.tools(), "在清华", "在清华", None);
        let question = cut.question(&no_requests(), &[], &[]);
        let synonyms = question.synonyms.iter();
        let synonyms: Vec<_> = synonyms
            .map(|word| (word.term.as_str(), word.start, word.end))
            .collect();
        assert_eq!(synonyms, [("北大", 1, 3)]);
        let words: Vec<_> = question.words.iter().map(|word| &word.term).collect();
        assert!(words.contains(&&"北大".into()) && !words.contains(&&"清华".into()));
        assert!(document("在清华").terms.contains(&"北大".into()));
        assert!(!document("在清华").terms.contains(&"清华".into()));
        let wanted = FxHashSet::from_iter(["北大"]);
        assert_eq!(cut.places(&[], &[], &wanted), [(1, 3)]);
    }

    fn tokens(words: &[(&str, usize, usize)]) -> Vec<Token> {
        let words = words.iter();
        let words = words.map(|&(term, start, end)| Token::new(term, start, end, false));
        words.collect()
    }

    fn terms_of(tokens: &[Token]) -> Vec<&str> {
        tokens.iter().map(|token| token.term.as_str()).collect()
    }

    #[test]
    fn several_japanese_words_may_be_one_that_is_called_otherwise() {
        let several = |words: &[(&str, usize, usize)]| {
            let mut found = AnalysedTokens {
                tokens: tokens(words),
                ..AnalysedTokens::default()
            };
            let bicycle = tokens(&[("bicycl", 0, 3)]);
            found.join(&bicycle, &Spans::default(), &[]);
            drop_parts(&mut found.tokens, &spans(&found.joined));
            let all = found.tokens.into_iter().chain(found.joined);
            all.map(|token| token.term.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(several(&[("自转", 0, 2), ("车", 2, 3)]), ["bicycl"]);
        assert_eq!(several(&[("自转车", 0, 3)]), ["自转车"]);
        assert_eq!(several(&[("自", 0, 1), ("转车", 1, 4)]), ["自", "转车"]);
    }

    #[test]
    fn runs_of_katakana_are_one_word_unless_a_dictionary_says_so_or_cuts_them_otherwise() {
        let mut found = AnalysedTokens {
            tokens: tokens(&[("フェイス", 0, 4), ("ブック", 4, 7), ("スラック", 8, 12)]),
            ..AnalysedTokens::default()
        };
        let katakana = tokens(&[("facebook", 0, 7), ("slack", 8, 12), ("dell", 9, 11)]);
        found.join(&[], &Spans::default(), &katakana);
        assert_eq!(terms_of(&found.joined), ["facebook"]);
        assert_eq!(terms_of(&found.same), ["slack", "dell"]);
    }

    #[test]
    fn a_part_of_a_chinese_word_that_is_called_otherwise_is_no_word() {
        let google = spans(&tokens(&[("googl", 1, 3)]));
        let mut found = AnalysedTokens {
            tokens: tokens(&[
                ("song", 2, 3),
                ("valley", 1, 2),
                ("歌", 2, 3),
                ("googl", 1, 3),
                ("song", 2, 4),
                ("song", 0, 2),
            ]),
            ..AnalysedTokens::default()
        };
        let kept = ["song", "歌", "googl", "song", "song"];
        found.drop_translated_parts(1, &google);
        assert_eq!(terms_of(&found.tokens), kept);
        let may_be_named = tokens(&[("歌", 2, 3), ("谷歌唱", 1, 4)]);
        found.tokens = tokens(&[("谷", 1, 2), ("歌唱", 2, 4), ("歌唱", 2, 3)]);
        found.join(&may_be_named, &google, &[]);
        assert_eq!(terms_of(&found.joined), ["谷歌唱"]);
    }

    #[test]
    fn a_term_of_several_words_weighs_as_much_as_these() {
        let fixture = Fixture::new();
        let spellings = Spellings::default().with_collocations([(
            vec!["green".to_owned(), "tea".to_owned()],
            "greentea".to_owned(),
        )]);
        let tools = Tools {
            spellings: &spellings,
            ..fixture.tools()
        };
        let cut = Cut::of_question(&tools, "green tea", "green tea", None);
        let question = cut.question(&no_requests(), &unknown_terms(&cut), &[]);
        let found = question.alternatives.iter();
        let found: Vec<_> = found
            .map(|word| (word.term.as_str(), word.weight))
            .collect();
        assert_eq!(found, [("greentea", 2.0)]);
    }

    #[test]
    fn a_word_in_katakana_with_a_latin_term_is_searched_for_as_a_loanword() {
        let fixture = Fixture::new();
        let pairs = [("バス", "bus"), ("ガム", "口香糖")];
        let pairs = pairs.map(|(word, term)| (word.to_owned(), term.to_owned()));
        let spellings = Spellings::new(pairs, []);
        let tools = Tools {
            spellings: &spellings,
            ..fixture.tools()
        };
        let cut = Cut::of_question(&tools, "バス ガム", "バス ガム", None);
        let question = cut.question(&no_requests(), &[], &[]);
        let terms = |words: &[crate::QueryTerm]| -> Vec<String> {
            words.iter().map(|word| word.term.to_string()).collect()
        };
        assert_eq!(terms(&question.words), ["bus"]);
        assert_eq!(terms(&question.synonyms), ["口香糖"]);
    }

    #[test]
    fn a_word_is_unknown_until_it_is_learned() {
        let fixture = Fixture::new();
        let cut = Cut::of_question(&fixture.tools(), "log in log", "log in log", None);
        assert_eq!(cut.unknown(), ["log", "in", "login"]);
        let words = cut.unknown().iter().cloned();
        fixture.vocabulary.learn(words.zip(unknown_terms(&cut)));
        let cut = Cut::of_question(&fixture.tools(), "log in log", "log in log", None);
        assert!(cut.unknown().is_empty());
        let question = cut.question(&no_requests(), &[], &[]);
        let one = (
            question.alternatives[0].term.as_str(),
            question.alternatives[0].end,
        );
        assert_eq!(one, ("login", 6));
    }

    #[test]
    fn han_characters_alone_are_read_as_both_languages_except_chinese_function_words() {
        let fixture = Fixture::new();
        let cut = |text| Cut::of_question(&fixture.tools(), text, text, None);
        assert_eq!(cut("京都的茶").japanese().count(), 0); // 的 is in no Japanese standard given here
        assert_eq!(
            cut("京都は\n会議").japanese().collect::<Vec<_>>(),
            [(0, "京都は"), (4, "会議")]
        );
        assert!(!cut("京都は\n京都的茶").is_complete());
        let cut = cut("京都会議");
        let words = JapaneseWords::default();
        let line = words.line("京都会議", &[(1, 0), (2, 2)]);
        let unit = |term: &str| Unit {
            tokens: vec![Token::new(term, 0, 2, false)],
            readings: vec![Token::new("ヨミ", 0, 2, false)],
        };
        let line = words.learned(&line, ["京都", "会議"].map(unit));
        let question = cut.question(&no_requests(), &unknown_terms(&cut), &[(0, &line)]);
        assert!(
            question
                .words
                .iter()
                .any(|word| word.term == "会議" && word.start == 2)
        );
        assert_eq!(question.alternatives.len(), 2);
        let wanted = FxHashSet::from_iter(["ヨミ"]);
        assert_eq!(cut.places(&[], &[(0, &line)], &wanted), [(0, 2), (2, 4)]);
        assert_eq!(cut.terms(&[], &[(0, &line)]).readings, ["ヨミ", "ヨミ"]);
    }

    #[test]
    fn a_chinese_word_that_is_another_in_japanese_does_not_count_in_its_texts() {
        let readings = [
            Token::new("コウモク", 0, 2, false),
            Token::new("冰箱", 2, 4, false),
        ];
        let japanese = tokens(&[("项目", 0, 2), ("冰箱", 2, 4)]);
        let mut named = tokens(&[("project", 0, 2), ("refriger", 2, 4), ("work", 4, 6)]);
        mark_other_meanings(&mut named, &japanese, &readings);
        let read_as: Vec<_> = named.iter().map(|word| word.read_as).collect();
        assert_eq!(read_as, [ReadAs::Chinese, ReadAs::Any, ReadAs::Any]);
    }

    #[test]
    fn a_word_that_one_language_alone_has_counts_in_its_texts_only() {
        let fixture = Fixture::new();
        let cut = Cut::of_question(&fixture.tools(), "京都番茶", "京都番茶", None);
        let words = JapaneseWords::default();
        let unit = |term: &str| Unit {
            tokens: vec![Token::new(term, 0, 2, false)],
            readings: Vec::new(),
        };
        let line = words.line("京都番茶", &[(1, 0), (2, 2)]);
        let line = words.learned(&line, ["京都", "番茶"].map(unit));
        let question = cut.question(&no_requests(), &unknown_terms(&cut), &[(0, &line)]);
        let found = question.words.iter();
        let found: Vec<_> = found
            .map(|word| (word.term.as_str(), word.read_as))
            .collect();
        let wanted = [
            ("京都", ReadAs::Any),
            ("番", ReadAs::Chinese),
            ("番茶", ReadAs::Japanese),
            ("茶", ReadAs::Chinese),
        ];
        assert_eq!(found, wanted);
        let cut = Cut::of_question(&fixture.tools(), "京都は番茶", "京都は番茶", None);
        let line = words.line("京都は番茶", &[(1, 0), (3, 2), (2, 3)]);
        let line = words.learned(&line, [unit("ハ")]);
        let question = cut.question(&no_requests(), &[], &[(0, &line)]);
        let mut of_japanese_alone = question.words.iter();
        assert!(of_japanese_alone.all(|word| word.read_as == ReadAs::Any));
    }
}
