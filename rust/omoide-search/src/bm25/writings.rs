//! How do variants of the query's words count: their other writings (readings of kana, loanwords, other names), and synonyms?
//!
//! Useful for: the weight of such a term, and which part of the query it is a variant of. Not useful for: finding the terms; see
//! question.rs of omoide-text.

use super::{Term, Terms};
use crate::bm25::is_character;
use crate::places::{LongestWords, Places};
use crate::{Query, Word};
use omoide_index::blocks::ByKind;
use omoide_index::postings::Field;
use omoide_index::{GRAMS, KIND_COUNT, READINGS, WORDS};
use rustc_hash::FxHashSet;
use std::array::from_fn;
use std::ops::Range;

/// How many times as much a word that texts in other writings have, too, scores in those that are not in the question's writing, or
/// are, but have another word of the same meaning (パスポート for 旅券).
#[derive(Debug, Clone, Copy)]
struct Elsewhere {
    /// In writings that have none of the question's grams: else a text with all that is asked for would come behind those in the
    /// question's writing that have one word of it.
    without_grams: f32,
    /// In those that may share some.
    with_grams: f32,
}

/// Of a word whose term is that of all words of the same meaning (誕生日: birthday), where texts write it otherwise. Chosen by labelled
/// sets of two languages in one store: with 1 and 1, .50 of the questions in Chinese about English texts find theirs among Chinese ones,
/// with these .77, and those about the Chinese texts lose .01 of recall@1; with 3 and 1 they lose .03.
const COMMON_WORD_ELSEWHERE: Elsewhere = Elsewhere {
    without_grams: 2.0,
    with_grams: 1.5,
};
/// Of the Latin word that a word comes from or is found by (ミーティング: meeting; 東京: tokyo), which scores beside the word itself and its
/// grams. Chosen by the same sets: with 3 and 3, .63 of the questions in Japanese about English texts find theirs, with these .83;
/// with more, chats in Japanese lose .04.
const LOANWORD_ELSEWHERE: Elsewhere = Elsewhere {
    without_grams: 5.0,
    with_grams: 3.0,
};

/// The most for a word of one character (猫: cat) in a short question: a text in the question's writing has two terms for it, the
/// word and the character. With more, a text that has this word alone would come before one with all of 猫の餌. In longer questions
/// the other words tell, and with so little .014 fewer of those in Japanese find theirs among English texts.
const ONE_CHARACTER_IN_SHORT: f32 = 2.0;
/// So many words are a short question.
const SHORT_QUESTION_WORDS: usize = 3;

/// Whether a question for so many words ([`asked_places`]), which may be none, is short.
fn is_short(asked: usize) -> bool {
    (1..=SHORT_QUESTION_WORDS).contains(&asked)
}

/// How far a text that is not in the question's writing comes behind one that is, if both have all words of a short question, as a
/// share of what the least of these words scores; and a text in Chinese behind one in Japanese, if the question has kana, for each
/// term that both have. By 1,000 sentences in three languages, each in one store with its translations: with this, the first hit of
/// two words in a row of a sentence has them for .89 of those in Japanese and .94 in Chinese; without, for .47 and .52. Of the other
/// hits, a translation of that sentence is first for .32 and .33; without, for .41 and .36; with .5, for .36 and .31.
const BEHIND_OWN_WRITING: f32 = 0.3;
/// The same for an English word, which has no grams that other texts lack. With as much, a translation is next for .39 of two words,
/// with this for .45, and without for .49.
const BEHIND_ENGLISH: f32 = 0.15;

/// Texts write a word as the question does if one in so many of those that have it does: others use words of the same meaning.
const OWN_WRITING_ONE_IN: u32 = 8;

/// A word of a question that texts of some kinds write as it does; `most`: what it scores there, with all its grams.
struct WrittenSo {
    at: usize,
    is_own: [bool; KIND_COUNT],
    most: f32,
}

/// Factor in the score for a part of a word that the query writes in kana and some text otherwise: one kana, or a shorter word.
const PART_OF_WORD_FACTOR: f32 = 0.3;

impl Term<'_> {
    /// Reduce its score to that of a part of a word.
    fn downweight(&mut self) {
        self.idf_by_kind = self.idf_by_kind.map(|idf| PART_OF_WORD_FACTOR * idf);
    }

    /// Multiply its score in each kind of text by a factor, except in the kinds whose texts share the query's grams.
    fn raise(&mut self, factors: ByKind, is_shared: [bool; KIND_COUNT]) {
        let idfs = self.idf_by_kind.iter_mut();
        for ((idf, factor), is_shared) in idfs.zip(factors).zip(is_shared) {
            if !is_shared {
                *idf *= factor;
            }
        }
    }

    /// Limit the score of a synonym, or of one of its grams, to its weight times this idf.
    fn cap_idf(&mut self, max: f32) {
        self.idf_by_kind = self.idf_by_kind.map(|own| own.min(self.scored * max));
    }
}

impl<'a> Terms<'a> {
    /// Fill in `variant_of`: for each term in another writing, the query terms at its place, the word and its grams (a text
    /// that is written otherwise has none of these grams). A reading also gets its weight of the grams' scores; a loanword does
    /// not, since a text has its term in either writing and it would count twice. Other synonyms come last, so that they do not
    /// downweight the characters at their place; they are no rarer than what they are variants of: otherwise a word that all of
    /// a few English texts have would score little, and its synonym in one of a hundred Japanese texts much.
    pub(super) fn link_variants(&mut self, query: &'a Query, places: &Places<'a>) {
        if places.has_no_variants() {
            return;
        }
        let query_terms = self.by_text();
        for at in 0..self.found.len() {
            let place = self.variant_source(&self.found[at], places);
            self.found[at].variant_of = place.map_or_else(Vec::new, |place| {
                indices_of(&query_terms, places.texts_at(place))
            });
        }
        self.downweight_characters(places);
        self.downweight_parts(query);
        for at in self.query_term_count..self.found.len() {
            self.found[at].idf_by_kind = self.idf_with_grams(&self.found[at]);
        }
        let asked_for = |place| indices_of(&query_terms, places.texts_at(place));
        let each = query.synonyms.iter().map(asked_for);
        let each = each.map(|query_terms| self.lowest_idf(&query_terms));
        let most = each.reduce(f32::max).unwrap_or(f32::INFINITY);
        for at in self.query_term_count..self.found.len() {
            let term = &self.found[at];
            let field = self.field_index(term.field);
            let is_word = field == WORDS && term.variant_of.is_empty();
            if let Some(place) = places.of_synonym(term.text).filter(|_| is_word) {
                let variant_of = asked_for(place);
                let least = self.lowest_idf(&variant_of);
                self.found[at].cap_idf(least);
                self.found[at].variant_of = variant_of;
            } else if field == GRAMS {
                self.found[at].cap_idf(most);
            }
        }
    }

    /// The idf of the rarest word among these query terms, each in the kind of text in which it is least rare. Infinite if
    /// no text has any.
    fn lowest_idf(&self, query_terms: &[usize]) -> f32 {
        let found = query_terms.iter().filter(|&&at| at < self.query_term_count);
        let found = found.map(|&at| &self.found[at]);
        let words = found.filter(|term| self.field_index(term.field) == WORDS);
        let each = words.map(|term| {
            let kinds = term.idf_by_kind.iter().zip(term.list.doc_freq_by_kind);
            let present = kinds
                .enumerate()
                .filter(|(kind, (_, df))| *df > 0 && term.counts_in(*kind));
            let present = present.map(|(_, (idf, _))| *idf);
            present.fold(f32::INFINITY, f32::min)
        });
        each.reduce(f32::max).unwrap_or(f32::INFINITY)
    }

    /// Let Latin words score more in texts that are not in the query's writing, or are, but have other words. Those of parts of longer
    /// words stay as they are (car, of the last character of 公車, a bus), and those of words in kana that some text has in Han
    /// characters (かいぎ, 会議): texts in the query's writing have none of its grams, either. In a short question with kana so do those
    /// that texts in Chinese write alike (更新), or such texts would come before those in Japanese. `asked`: as from [`asked_places`].
    pub(super) fn raise_loanwords(
        &mut self,
        terms: Range<usize>,
        query: &'a Query,
        places: &Places<'a>,
        asked: usize,
    ) {
        if terms.is_empty() {
            return;
        }
        let is_short = is_short(asked);
        let longest = LongestWords::of(&query.words.iter().collect::<Vec<_>>());
        let readings = self.found[self.query_term_count..]
            .iter()
            .filter_map(|term| places.of_reading(term.text));
        let read: FxHashSet<_> = readings.map(|word| (word.start, word.end)).collect();
        let query_terms = self.by_text();
        let is_japanese = has_kana(&query.folded);
        for at in terms {
            let place = places.of_loanword(self.found[at].text);
            let is_raised = |word: &&Word| {
                !longest.is_inside_longer(word) && !read.contains(&(word.start, word.end))
            };
            let Some(place) = place.filter(is_raised) else {
                continue;
            };
            let most = if is_short && place.end.saturating_sub(place.start) == 1 {
                ONE_CHARACTER_IN_SHORT
            } else {
                f32::INFINITY
            };
            let at_place = indices_of(&query_terms, places.texts_at(place));
            let own = self.kind_with_word(&at_place, place, query.kind, is_japanese);
            let factors = self.factors(LOANWORD_ELSEWHERE, own);
            let is_shared = if is_short && is_japanese {
                self.have_gram(at, &at_place, place)
            } else {
                [false; KIND_COUNT]
            };
            self.found[at].raise(factors.map(|factor| factor.min(most)), is_shared);
        }
    }

    /// Let these terms score more in texts that are not in the query's writing, or are, but have other words, if they hardly ever have
    /// the query's grams of the word: 東京 is written so in Japanese and in Chinese.
    pub(super) fn raise_common_words(
        &mut self,
        terms: Range<usize>,
        query: &Query,
        places: &Places<'a>,
    ) {
        if terms.is_empty() {
            return;
        }
        let query_terms = self.by_text();
        let is_japanese = has_kana(&query.folded);
        for at in terms {
            let Some(place) = places.of_equivalent(self.found[at].text) else {
                continue;
            };
            let at_place = indices_of(&query_terms, places.texts_at(place));
            let own = self.kind_with_word(&at_place, place, query.kind, is_japanese);
            let factors = self.factors(COMMON_WORD_ELSEWHERE, own);
            let is_shared = self.have_gram(at, &at_place, place);
            self.found[at].raise(factors, is_shared);
        }
    }

    /// In which kinds do as many texts as half of those that have a word have a gram of it, whose terms at its place are these?
    fn have_gram(&self, at: usize, at_place: &[usize], place: &Word) -> [bool; KIND_COUNT] {
        let grams = self.grams_of(at_place, place).flatten();
        let grams: Vec<_> = grams.map(|gram| gram.list.doc_freq_by_kind).collect();
        let texts_with = self.found[at].list.doc_freq_by_kind;
        from_fn(|kind| grams.iter().any(|gram| 2 * gram[kind] >= texts_with[kind]))
    }

    /// In a short question, let these terms together score less in kinds of texts that write the words otherwise than in those that
    /// write them as the query does, or are in its writing: of the texts that have all that is asked for, the latter come first, and
    /// those with only one of the words still come last. Of a long question, they have other grams, too. `asked`: as from
    /// [`asked_places`]. After [`Self::link_variants`], which changes what grams score.
    pub(super) fn cap_elsewhere(
        &mut self,
        terms: Range<usize>,
        places: &Places<'a>,
        query: &Query,
        asked: usize,
    ) {
        if !is_short(asked) {
            return;
        }
        let query_terms = self.by_text();
        let is_japanese = has_kana(&query.folded);
        let mut written: Vec<WrittenSo> = Vec::new();
        for at in terms {
            let equivalent = places.of_equivalent(self.found[at].text);
            let place = equivalent.or_else(|| places.of_loanword(self.found[at].text));
            let Some(place) = place else { continue };
            let mut at_place = indices_of(&query_terms, places.texts_at(place));
            at_place.retain(|&at| at < self.query_term_count);
            let texts_with = self.found[at].list.doc_freq_by_kind;
            // What only the Japanese dictionary calls otherwise may make a question in Han characters alone one in Japanese.
            let own = query.kind.filter(|_| is_japanese || equivalent.is_some());
            let own = own.filter(|&own| texts_with[own] > 0);
            let is_own =
                from_fn(|kind| own == Some(kind) || self.is_written_so(at, &at_place, place, kind));
            let score = |kind: usize| {
                let each = at_place.iter().map(|&at| self.found[at].idf_by_kind[kind]);
                each.sum()
            };
            let own = (0..KIND_COUNT).filter(|&kind| is_own[kind]).map(score);
            written.extend(
                own.reduce(f32::max)
                    .map(|most| WrittenSo { at, is_own, most }),
            );
        }
        for kind in 0..KIND_COUNT {
            let others = || written.iter().filter(|word| !word.is_own[kind]);
            let own: f32 = others().map(|word| word.most).sum();
            let least = others().map(|word| word.most).fold(f32::INFINITY, f32::min);
            let scored: f32 = others()
                .map(|word| self.found[word.at].idf_by_kind[kind])
                .sum();
            let share = (own - BEHIND_OWN_WRITING * least) / scored;
            for word in &written {
                if !word.is_own[kind] {
                    self.found[word.at].idf_by_kind[kind] *= share.min(1.0);
                }
            }
        }
    }

    /// In a short question, let terms that texts in its writing and in others have score less in the others: of a question with kana
    /// all terms where texts have grams (計画), and of one in English those that other texts have for words of theirs (milk: 牛乳, 牛奶).
    pub(super) fn weaken_shared(&mut self, query: &Query, asked: usize) {
        let Some(own) = query.kind else { return };
        if !is_short(asked) {
            return;
        }
        let is_japanese = has_kana(&query.folded);
        let is_translated = |text| query.translated.iter().any(|term| term == text);
        let has_grams = self.postings.kinds_with_grams();
        for term in &mut self.found[..self.query_term_count] {
            if term.list.doc_freq_by_kind[own] == 0 {
                continue;
            }
            let most = (1.0 - BEHIND_ENGLISH / asked as f32) * term.idf_by_kind[own];
            for kind in (0..KIND_COUNT).filter(|&kind| kind != own) {
                let idf = &mut term.idf_by_kind[kind];
                if is_japanese && has_grams[kind] {
                    *idf *= 1.0 - BEHIND_OWN_WRITING / asked as f32;
                } else if is_translated(term.text) {
                    *idf = idf.min(most);
                }
            }
        }
    }

    /// Whether enough of the texts of a kind that have a word write it as the query does, whose terms at its place are these.
    fn is_written_so(&self, word: usize, at_place: &[usize], place: &Word, kind: usize) -> bool {
        let texts_with = self.found[word].list.doc_freq_by_kind[kind];
        let grams = self.grams_of(at_place, place).flatten();
        let written_so = grams.map(|gram| gram.list.doc_freq_by_kind[kind]).max();
        texts_with > 0 && texts_with <= OWN_WRITING_ONE_IN * written_so.unwrap_or(0)
    }

    /// The kind of the query, unless its texts have other words for a word of it, whose terms at its place are these: none of them has
    /// all grams of the word. A query without kana may be in Japanese or in Chinese, so that texts of any kind count.
    fn kind_with_word(
        &self,
        at_place: &[usize],
        place: &Word,
        own_kind: Option<usize>,
        is_japanese: bool,
    ) -> Option<usize> {
        let is_held = |own: usize| {
            let mut grams = self.grams_of(at_place, place);
            grams.all(|gram| {
                let texts = gram.map_or([0; KIND_COUNT], |gram| gram.list.doc_freq_by_kind);
                texts[own] > 0 || !is_japanese && texts != [0; KIND_COUNT]
            })
        };
        own_kind.filter(|&own| is_held(own))
    }

    /// The grams of a word, whose terms at its place are these, but no shorter parts of it; `None` for each that no text has.
    fn grams_of(
        &self,
        at_place: &[usize],
        place: &Word,
    ) -> impl Iterator<Item = Option<&Term<'a>>> {
        let is_one_character = place.end.saturating_sub(place.start) == 1;
        let whole = at_place.iter().filter(move |&&at| {
            let (text, field, ..) = self.query_term(at);
            self.field_index(field) == GRAMS && is_character(text) == is_one_character
        });
        whole.map(|&at| self.found[..self.query_term_count].get(at))
    }

    /// How many times as much a word scores in texts of each kind.
    fn factors(&self, elsewhere: Elsewhere, own_kind: Option<usize>) -> ByKind {
        let has_grams = self.postings.kinds_with_grams();
        from_fn(|kind| match has_grams[kind] {
            _ if own_kind == Some(kind) => 1.0,
            true => elsewhere.with_grams,
            false => elsewhere.without_grams,
        })
    }

    /// Downweight single kana of words that some text has in another writing: the whole word is likely to be meant, and a single
    /// kana, which may be rare among a few memories, says little. If all texts with the word have the same term beside, none of
    /// its grams says more.
    fn downweight_characters(&mut self, places: &Places<'_>) {
        let mut light = FxHashSet::default();
        for term in &self.found {
            let is_word = self.field_index(term.field) == WORDS;
            let is_equivalent = is_word && places.of_equivalent(term.text).is_some();
            let says_little = |&at: &usize| {
                let is_gram = || self.field_index(self.found[at].field) == GRAMS;
                is_one_kana(self.found[at].text) || (is_equivalent && is_gram())
            };
            let found = term.variant_of.iter().copied();
            let found = found.filter(|&at| at < self.query_term_count);
            light.extend(found.filter(says_little));
        }
        for at in light {
            self.found[at].downweight();
        }
    }

    /// Downweight words and readings that are only inside a longer reading: かいご is 介護, neither 会 nor 御, whatever a dictionary
    /// cuts it into.
    fn downweight_parts(&mut self, query: &'a Query) {
        let readings = self.found[self.query_term_count..].iter();
        let readings = readings.filter(|term| self.field_index(term.field) == READINGS);
        let found: FxHashSet<&str> = readings.map(|term| term.text).collect();
        if found.is_empty() {
            return;
        }
        let is_found = |word: &&Word| found.contains(word.term.as_str());
        let found: Vec<&Word> = query.readings.iter().filter(is_found).collect();
        let longest = LongestWords::of(&found);
        let words = not_inside_longer(query.words.iter(), &longest);
        let readings = not_inside_longer(found.into_iter(), &longest);
        for at in 0..self.found.len() {
            let term = &self.found[at];
            let stands_alone = match self.field_index(term.field) {
                WORDS if at < self.query_term_count => {
                    words.contains(term.text) || is_one_kana(term.text)
                }
                READINGS => readings.contains(term.text),
                _ => true,
            };
            if !stands_alone {
                self.found[at].downweight();
            }
        }
    }

    /// The idf of a reading, plus its weight times the idf of the grams that it is a variant of, each no rarer than the reading
    /// itself.
    fn idf_with_grams(&self, term: &Term<'_>) -> ByKind {
        let mut idf_by_kind = term.idf_by_kind;
        if self.field_index(term.field) != READINGS {
            return idf_by_kind;
        }
        for &at in &term.variant_of {
            let (field, gram) = self.query_term_idf(at, term);
            if self.field_index(field) == GRAMS {
                for (kind, sum) in idf_by_kind.iter_mut().enumerate() {
                    *sum += (term.weight * gram[kind]).min(term.idf_by_kind[kind]);
                }
            }
        }
        idf_by_kind
    }

    /// Field and idf of a query term; an absent one counts as rare as a reading that is a variant of it.
    fn query_term_idf(&self, at: usize, reading: &Term<'_>) -> (&'a Field, ByKind) {
        if at < self.query_term_count {
            return (self.found[at].field, self.found[at].idf_by_kind);
        }
        let absent = &self.absent[at - self.query_term_count];
        let factor = if is_one_kana(absent.text) {
            PART_OF_WORD_FACTOR
        } else {
            1.0
        };
        (absent.field, reading.idf_by_kind.map(|idf| factor * idf))
    }

    /// The query terms as (text, index), sorted by text; absent terms come after the others.
    fn by_text(&self) -> Vec<(&'a str, usize)> {
        let found = self.found[..self.query_term_count]
            .iter()
            .map(|term| term.text);
        let absent = self.absent.iter().map(|absent| absent.text);
        let texts = found.chain(absent).enumerate();
        let mut texts: Vec<(&str, usize)> = texts.map(|(at, text)| (text, at)).collect();
        texts.sort_unstable();
        texts
    }

    /// The word of the query that has this term in another writing: as a reading, as a loanword, as what it is also called,
    /// or as one with its neighbours.
    fn variant_source<'q>(&self, term: &Term<'_>, places: &Places<'q>) -> Option<&'q Word> {
        if self.field_index(term.field) == READINGS {
            places.of_reading(term.text)
        } else {
            let loanword = places.of_loanword(term.text);
            let called = loanword.or_else(|| places.of_equivalent(term.text));
            called.or_else(|| places.of_compound(term.text))
        }
    }
}

/// The indices of these texts in `known`, which is sorted by text; ascending, each once.
fn indices_of<'t>(known: &[(&str, usize)], texts: impl Iterator<Item = &'t str>) -> Vec<usize> {
    let places = texts.flat_map(|text| {
        let first = known.partition_point(|known| known.0 < text);
        let same = known[first..]
            .iter()
            .take_while(move |known| known.0 == text);
        same.map(|known| known.1)
    });
    let mut places: Vec<usize> = places.collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// At how many places of a query are words that are not part of longer ones?
pub(super) fn asked_places(query: &Query) -> usize {
    let asked = query.words.iter().filter(|word| word.weight > 0.0);
    let longest = LongestWords::of(&asked.clone().collect::<Vec<_>>());
    let whole = asked.filter(|word| !longest.is_inside_longer(word));
    let places: FxHashSet<_> = whole.map(|word| (word.start, word.end)).collect();
    places.len()
}

/// The terms of words that are not part of a longer one.
fn not_inside_longer<'q>(
    words: impl Iterator<Item = &'q Word>,
    longest: &LongestWords,
) -> FxHashSet<&'q str> {
    let rest = words.filter(|word| !longest.is_inside_longer(word));
    rest.map(|word| word.term.as_str()).collect()
}

/// Whether the text is a single folded kana.
fn is_one_kana(text: &str) -> bool {
    text.chars().map(is_kana).eq([true])
}

/// Whether some character of a folded text is kana.
pub(super) fn has_kana(folded: &str) -> bool {
    folded.chars().any(is_kana)
}

fn is_kana(folded: char) -> bool {
    matches!(folded, 'ァ'..='ヺ' | 'ー')
}
