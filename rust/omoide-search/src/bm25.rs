//! How well do the words of a document match those of a query?
//!
//! Lucene's BM25 (Robertson and Zaragoza 2009, without the constant factor k1 + 1), with exact document lengths:
//! idf * tf / (tf + k1 * (1 - b + b * length / mean length)), idf = ln(1 + (N - df + 0.5) / (df + 0.5)),
//! N = live documents with a term in the field. Fields are scored apart and summed with their shares.
//!
//! If a store has texts in several writings, df / N and the mean length are those of the documents in the same writing as the
//! scored one: otherwise every Japanese particle would be rare among English texts. There N counts every text, whether or not it
//! has a term in the field: a Japanese word that every tenth English text quotes would else be common among English texts, since
//! few others have any grams, and texts with that word alone, in another writing, would come before those with all words asked
//! for. The shares are shrunk towards those of the whole store (as if each kind had [`PRIOR`] more documents like it), so that
//! kinds with few documents have usable statistics. With a single kind, whose texts all have terms in the field, the formula is
//! Lucene's.

mod rarity;
mod writings;

use crate::context::{self, Window};
use crate::places::{LongestWords, Places};
use crate::pruned::{self, ScoredTerm};
use crate::scoring::{ScoreScale, Scoring};
use crate::term_matcher::TermMatcher;
use crate::{Allowed, Query, Usual, Word, usual};
use compact_str::CompactString;
use omoide_index::blocks::{ByKind, TF_FACTOR_STEPS};
use omoide_index::ids::Ids;
use omoide_index::postings::{B, Field, K1, Norms, PRIOR, PostingList, Postings};
use omoide_index::{Doc, GRAMS, Index, KIND_COUNT, WORDS};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::array::from_fn;
use std::ops::Add;
use writings::{asked_places, has_kana};

pub(crate) use rarity::Parts;

/// BM25's k1 for turns of a conversation, whose repeats count less: neighbouring turns repeat the same words.
const K1_IN_CONTEXT: f32 = 0.6;
/// Weight of characters that no word of the query covers, compared with the rarity of words.
const BARE_CHARACTER_WEIGHT: f32 = 0.1;
/// What a term counts, beside its weight and its rarity.
#[derive(Debug, Clone, Copy)]
struct Worth {
    score: f32,
    coverage: f32,
}

const WORD: Worth = Worth {
    score: 1.0,
    coverage: 1.0,
};
/// In the coverage the three grams of a two-character word weigh as much as the word.
const GRAM: Worth = Worth {
    score: 1.0,
    coverage: 1.0 / 3.0,
};
/// A word without grams in a question with grams, such as the number of an order or a name in Latin letters. Every other word
/// scores with its grams, too, of which one of three characters has five: if this one did not score as much, texts that only
/// repeat a Japanese word would come before those with all words asked for.
const WORD_BESIDE_GRAMS: Worth = Worth {
    score: 6.0,
    coverage: 1.0,
};
/// A word whose term is that of all words of the same meaning (巴黎: paris): its grams, which the others do not have, score little.
/// Chosen by the labelled sets: with 2, long messages in Chinese lose .02 of the MRR, with 4 short questions .003 of recall@1.
const COMMON_WORD: Worth = Worth {
    score: 3.0,
    coverage: 1.0,
};
/// So many grams occur together: two adjacent characters are in that many.
const CORRELATED_GRAMS: f32 = 2.0;
/// A term that no text contains is treated as if so many did. With few memories this keeps one missing word of a long query
/// from telling much; with many it makes next to no difference.
const UNSEEN_DF: f32 = 0.2;
/// Documents are ranked by at most so many terms, and the best of them scored by all. On 1,586 of the longest questions of nine
/// labelled sets the first ten stay the same; on long messages as many are found, in half the time or less.
const MOST_RANKED: usize = 128;
/// So many documents for each one wanted are then scored by all terms.
const CANDIDATES_PER_HIT: usize = 4;

/// Inverse document frequency of a term that `df` of `documents` contain.
pub fn idf(documents: u32, df: u32) -> f32 {
    fractional_idf(documents as f32, df as f32)
}

fn fractional_idf(documents: f32, df: f32) -> f32 {
    (1.0 + (documents - df + 0.5) / (df + 0.5)).ln()
}

/// The information in a term that this part of the texts contain: one more than its idf, so that among a handful of memories,
/// where nothing is rare, one missing word does not outweigh all that match.
fn information(df_ratio: f32, field: &Field) -> f32 {
    let whole = field.total().documents as f32;
    1.0 + fractional_idf(whole, df_ratio * whole)
}

/// The part of the texts of each kind (so many as in `texts`) that contain a term, as if at least `least` texts did.
fn df_ratios(
    field: &Field,
    texts: &[u32; KIND_COUNT],
    list: Option<&PostingList<'_>>,
    least: u32,
) -> ByKind {
    let whole = field.total().documents as f32;
    let doc_freq = list.map_or(0, PostingList::doc_freq);
    let df = doc_freq.max(least) as f32;
    std::array::from_fn(|kind| {
        let documents = texts[kind] as f32;
        let here = list.map_or(0, |list| list.doc_freq_by_kind[kind]) as f32;
        let extra = (df - doc_freq as f32).max(0.0);
        let df_ratio = (here + extra + PRIOR * df / whole.max(1.0)) / (documents + PRIOR);
        df_ratio.min(1.0)
    })
}

/// For each epoch, the most that one step of the factors stored in blocks can be worth now.
fn tf_step_values(field: &Field) -> Vec<f32> {
    let tf_growths = field.tf_growths().into_iter();
    tf_growths.map(|growth| growth / TF_FACTOR_STEPS).collect()
}

/// A few texts say little about what is usual: as if there were others, which contain none of the found terms. The share of those
/// that there are.
fn known_share(field: &Field) -> f32 {
    let documents = field.total().documents as f32;
    documents / (documents + PRIOR)
}

/// The values by kind, with 0 for one kind.
fn without(kind: Option<usize>, mut values: ByKind) -> ByKind {
    if let Some(kind) = kind {
        values[kind] = 0.0;
    }
    values
}

/// A query term that some document has.
#[derive(Debug)]
pub struct Term<'a> {
    text: &'a str,
    field: &'a Field,
    list: PostingList<'a>,
    /// The kind of texts in which it does not count; there its idf and its share are 0.
    except_kind: Option<usize>,
    idf_by_kind: ByKind,
    /// The part of the texts of each kind that contain it.
    df_ratio: ByKind,
    /// Its weight in the score, beside the idf...
    scored: f32,
    /// ...and in the coverage.
    weight: f32,
    /// Its share of the coverage's mass.
    share: ByKind,
    /// The query terms that it is a variant of, by index; absent terms come after the others.
    variant_of: Vec<usize>,
}

/// A query term that no document has; fields as in [`Term`].
#[derive(Debug)]
struct Absent<'a> {
    text: &'a str,
    field: &'a Field,
    weight: f32,
    share: ByKind,
}

pub(crate) fn is_character(term: &str) -> bool {
    term.chars().nth(1).is_none()
}

/// The words of a query, without those that no document has if another word over the same characters has documents: Han
/// characters are read as two languages, and at most one reading is right. Nor is what one of them finds inside of a word that
/// documents have and only the other knows (茶 in 番茶, which Chinese dictionaries lack) another name for anything (tea).
fn without_rejected_readings<'q>(
    query: &'q Query,
    places: &Places<'q>,
    words: &Field,
) -> Vec<&'q Word> {
    let terms = query.words.iter().map(|word| word.term.as_str());
    let is_held: Vec<bool> = words
        .posting_lists(terms)
        .map(|list| list.is_some())
        .collect();
    let each = || query.words.iter().zip(&is_held);
    // By code point: whether a word over it is held.
    let mut is_covered: Vec<bool> = Vec::new();
    for (word, _) in each().filter(|&(word, is_held)| *is_held && word.weight > 0.0) {
        is_covered.resize(is_covered.len().max(word.end), false);
        is_covered[word.start.min(word.end)..word.end].fill(true);
    }
    let is_other_reading = |word: &Word| {
        let end = word.end.min(is_covered.len());
        is_covered[word.start.min(end)..end].contains(&true)
    };
    let held = each().filter(|&(word, is_held)| *is_held && word.weight > 0.0);
    let held: Vec<&Word> = held.map(|(word, _)| word).collect();
    let is_part = parts_of_other_words(&held, places);
    let words_read = each().filter(|&(word, is_held)| *is_held || !is_other_reading(word));
    let words_read = words_read.map(|(word, _)| word);
    words_read.filter(|word| !is_part(word)).collect()
}

/// Which words that mean the same as others lie within a longer one that does, too, or that another reading has?
fn parts_of_other_words<'q>(held: &[&'q Word], places: &Places<'q>) -> impl Fn(&Word) -> bool {
    let is_equivalent = |word: &Word| places.of_equivalent(&word.term).is_some();
    let (equivalents, mut others): (Vec<_>, Vec<_>) =
        held.iter().copied().partition(|word| is_equivalent(word));
    if equivalents.is_empty() {
        others.clear();
    }
    let longest = LongestWords::of(&equivalents);
    let of_reading: [LongestWords; KIND_COUNT] = from_fn(|kind| {
        let others = others.iter().copied();
        LongestWords::of(
            &others
                .filter(|word| word.except_kind == Some(kind))
                .collect::<Vec<_>>(),
        )
    });
    move |word| {
        let mut of_other_reading = of_reading
            .iter()
            .enumerate()
            .filter(|(kind, _)| word.except_kind != Some(*kind));
        is_equivalent(word)
            && (longest.is_inside_longer(word)
                || of_other_reading.any(|(_, longest)| longest.is_inside_longer(word)))
    }
}

/// The words of a query that stand, or mean what stands, at places with grams; and the others, if it has any grams.
fn partition_by_grams<'q>(query: &Query, words: Vec<&'q Word>) -> (Vec<&'q Word>, Vec<&'q Word>) {
    if query.grams.is_empty() {
        return (words, Vec::new());
    }
    let grams = query.grams.iter().map(|gram| gram.0.as_str());
    let characters: FxHashSet<&str> = grams.filter(|gram| is_character(gram)).collect();
    let mut buffer = [0; 4];
    let text = query.folded.chars();
    let has_grams: Vec<bool> = text
        .map(|c| characters.contains(&*c.encode_utf8(&mut buffer)))
        .collect();
    let alone = words
        .iter()
        .filter(|word| has_grams.get(word.start) == Some(&false));
    let alone: FxHashSet<&str> = alone.map(|word| word.term.as_str()).collect();
    words
        .into_iter()
        .partition(|word| !alone.contains(word.term.as_str()))
}

/// A term to look up, its weight, and the kind of texts in which it does not count, if any.
type Wanted<'a> = (&'a str, f32, Option<usize>);

fn as_terms<'a>(words: impl IntoIterator<Item = &'a Word>) -> impl Iterator<Item = Wanted<'a>> {
    words
        .into_iter()
        .map(|word| (word.term.as_str(), word.weight, word.except_kind))
}

fn weighted(grams: &[(CompactString, f32)]) -> impl Iterator<Item = Wanted<'_>> {
    grams
        .iter()
        .map(|(gram, weight)| (gram.as_str(), *weight, None))
}

impl Term<'_> {
    /// Raise the part of the texts of a kind that contain it to `df_ratio`, if that is more; returns the change of its share.
    fn raise_df_ratio(&mut self, df_ratio: f32, kind: usize) -> f32 {
        if df_ratio <= self.df_ratio[kind] || !self.counts_in(kind) {
            return 0.0;
        }
        let before = self.share[kind];
        self.df_ratio[kind] = df_ratio;
        self.share[kind] = self.weight * information(df_ratio, self.field);
        self.share[kind] - before
    }

    fn counts_in(&self, kind: usize) -> bool {
        self.except_kind != Some(kind)
    }

    /// The score of a window that has the term `count` times, `idf` being the sum over these of the idf in each document's kind.
    fn score_in(&self, window: &[(Doc, f32)], count: f32, idf: f32, mean_length: f32) -> f32 {
        let length: f32 = window
            .iter()
            .map(|&(doc, share)| share * self.field.length(doc) as f32)
            .sum();
        let typical = mean_length * context::full_window_weight();
        let alike = (1.0 + K1_IN_CONTEXT) / (1.0 + K1);
        let held_back = K1_IN_CONTEXT * (1.0 - B + B * length / typical);
        alike * idf / (count + held_back)
    }
}

/// The terms of a query, ready to score.
#[derive(Debug)]
pub struct Terms<'a> {
    found: Vec<Term<'a>>,
    /// The first so many of `found` are terms of the query itself, which a document is to cover...
    query_term_count: usize,
    /// ...together with those that no document has.
    absent: Vec<Absent<'a>>,
    /// The total share of both.
    total_share: ByKind,
    matcher: TermMatcher<'a>,
    postings: &'a Postings,
    /// How many texts of each kind there are.
    texts: [u32; KIND_COUNT],
}

impl<'a> Terms<'a> {
    /// Look up the query's terms: each distinct word with its weight, however often a long message repeats it, and each
    /// distinct gram, weighted by how often it occurs. Alternatives and readings add to a document's score and to what it
    /// covers of the query, but not to what there is to cover.
    pub fn of(query: &'a Query, index: &'a Index) -> Self {
        let alternatives =
            query.alternatives.len() + query.synonyms.len() + query.gram_alternatives.len();
        let most = query.words.len() + query.grams.len() + query.readings.len() + alternatives;
        let mut terms = Self {
            found: Vec::with_capacity(most),
            query_term_count: 0,
            absent: Vec::new(),
            total_share: [0.0; KIND_COUNT],
            matcher: TermMatcher::default(),
            postings: &index.postings,
            texts: index.postings.texts_by_kind(),
        };
        let [words, grams, readings_of_words] = &index.postings.fields;
        let places = Places::of(query);
        let words_read = without_rejected_readings(query, &places, words);
        let (with_grams, alone) = partition_by_grams(query, words_read);
        let (same, others): (Vec<_>, Vec<_>) = with_grams
            .into_iter()
            .partition(|word| places.of_equivalent(&word.term).is_some());
        let (loanwords, own): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|word| places.of_loanword(&word.term).is_some());
        terms.add(words, WORD, f32::max, as_terms(own));
        let own_end = terms.found.len();
        terms.add(words, COMMON_WORD, f32::max, as_terms(same));
        let common_words = own_end..terms.found.len();
        terms.add(words, WORD, f32::max, as_terms(loanwords));
        let loanwords = common_words.end..terms.found.len();
        terms.add(words, WORD_BESIDE_GRAMS, f32::max, as_terms(alone));
        terms.add(grams, GRAM, f32::add, weighted(&query.grams));
        terms.query_term_count = terms.found.len();
        terms.raise_common_words(common_words, query, &places);
        let characters = query.words.iter();
        let characters = characters.map(|word| Some((word.term.as_str(), places.character(word)?)));
        if let Some(characters) = characters.collect::<Option<FxHashMap<_, _>>>() {
            terms.balance_characters(&characters);
        }
        let (whole, absent) = (terms.total_share, terms.absent.len());
        let others = query.synonyms.iter();
        let is_word = |term: &str| query.words.iter().any(|word| word.term == term);
        let others = others.filter(|synonym| !is_word(&synonym.term));
        let synonyms = as_terms(others);
        terms.add(
            words,
            WORD,
            f32::max,
            synonyms.chain(as_terms(&query.alternatives)),
        );
        terms.add(readings_of_words, WORD, f32::max, as_terms(&query.readings));
        terms.add(grams, GRAM, f32::add, weighted(&query.gram_alternatives));
        terms.total_share = whole;
        terms.absent.truncate(absent);
        let translations = own_end..loanwords.end;
        let may_be_shared = !query.translated.is_empty() || has_kana(&query.folded);
        let asked = if translations.is_empty() && !may_be_shared {
            0
        } else {
            asked_places(query)
        };
        terms.raise_loanwords(loanwords, query, &places, asked);
        terms.link_variants(query, &places);
        terms.weaken_shared(query, asked);
        terms.cap_elsewhere(translations, &places, query, asked);
        let found = terms.found.iter();
        terms.matcher = TermMatcher::of(found.map(|term| (term.field, term.list.number)));
        terms
    }

    /// How many terms some document has.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// The term at an index.
    pub fn text(&self, place: usize) -> &'a str {
        self.found[place].text
    }

    /// Indices of the terms, the rarest among texts of a kind first.
    pub fn by_idf(&self, kind: usize) -> Vec<usize> {
        let idf_of = |term: usize| self.found[term].idf_by_kind[kind];
        let mut terms: Vec<usize> = (0..self.found.len()).collect();
        terms.sort_by(|&a, &b| idf_of(b).total_cmp(&idf_of(a)));
        terms
    }

    fn add(
        &mut self,
        field: &'a Field,
        worth: Worth,
        repeated: fn(f32, f32) -> f32,
        terms: impl Iterator<Item = Wanted<'a>>,
    ) {
        let most = terms.size_hint().1.unwrap_or(0);
        let mut weights: FxHashMap<&str, (f32, Option<usize>)> =
            FxHashMap::with_capacity_and_hasher(most, FxBuildHasher);
        let mut order = Vec::with_capacity(most);
        for (term, weight, except_kind) in terms.filter(|term| term.1 > 0.0) {
            let total = weights.entry(term).or_insert_with(|| {
                order.push(term);
                (0.0, except_kind)
            });
            total.0 = repeated(total.0, weight);
            total.1 = total.1.filter(|kind| except_kind == Some(*kind));
        }
        let postings = field.posting_lists(order.iter().copied());
        for (&text, list) in order.iter().zip(postings) {
            let (weight, except_kind) = weights[text];
            self.add_term((text, weight, except_kind), worth, field, list);
        }
    }

    /// Text, field, weight and share of a term of the query itself; absent terms come after the others.
    fn query_term(&self, at: usize) -> (&'a str, &'a Field, f32, &ByKind) {
        if at < self.query_term_count {
            let found = &self.found[at];
            (found.text, found.field, found.weight, &found.share)
        } else {
            let absent = &self.absent[at - self.query_term_count];
            (absent.text, absent.field, absent.weight, &absent.share)
        }
    }

    /// For queries of single-character words only: let word and character have the same share of the coverage, at most the
    /// character's. A text with the character in a longer word (茶 in 绿茶) then covers half of it, however rare the word by
    /// itself is. Queries with longer words are left alone: in them single-character words (人, 我) say little, and their
    /// characters would count as much again. `characters`: that of each word, by its term.
    fn balance_characters(&mut self, characters: &FxHashMap<&str, &str>) {
        for at in 0..self.query_term_count + self.absent.len() {
            let (text, field, weight, &of_word) = self.query_term(at);
            if self.field_index(field) != WORDS {
                continue;
            }
            let text = characters.get(text).copied().unwrap_or(text);
            let mut grams = self.found[..self.query_term_count].iter();
            let Some(gram) =
                grams.position(|term| term.text == text && self.field_index(term.field) == GRAMS)
            else {
                continue;
            };
            let of_gram = self.found[gram].share;
            let more = weight / self.found[gram].weight;
            let balanced: ByKind =
                std::array::from_fn(|kind| of_word[kind].min(more * of_gram[kind]));
            for kind in 0..KIND_COUNT {
                self.total_share[kind] += 2.0 * balanced[kind] - of_word[kind] - of_gram[kind];
            }
            self.found[gram].weight = weight;
            self.found[gram].share = balanced;
            if at < self.query_term_count {
                self.found[at].share = balanced;
            } else {
                self.absent[at - self.query_term_count].share = balanced;
            }
        }
    }

    /// What a variant covers of a query term, which counts as no rarer than the variant.
    fn variant_share(&self, term: &Term<'_>, query_term: usize, kind: usize) -> f32 {
        let (_, _, weight, share) = self.query_term(query_term);
        (term.weight * share[kind]).min(weight * term.share[kind])
    }

    fn add_term(
        &mut self,
        (text, weight, except_kind): Wanted<'a>,
        worth: Worth,
        field: &'a Field,
        list: Option<PostingList<'a>>,
    ) {
        // An absent term counts as rare as one that a single text contains.
        let share = df_ratios(field, &self.texts, list.as_ref(), 1)
            .map(|df_ratio| weight * worth.coverage * information(df_ratio, field));
        let share = without(except_kind, share);
        for (total_share, share) in self.total_share.iter_mut().zip(share) {
            *total_share += share;
        }
        let Some(list) = list else {
            let weight = weight * worth.coverage;
            self.absent.push(Absent {
                text,
                field,
                weight,
                share,
            });
            return;
        };
        let whole = field.total().documents as f32;
        let df_ratio = df_ratios(field, &self.texts, Some(&list), 0);
        let scored = weight * worth.score;
        let idf_by_kind = df_ratio.map(|df_ratio| scored * fractional_idf(whole, df_ratio * whole));
        self.found.push(Term {
            text,
            field,
            list,
            except_kind,
            idf_by_kind: without(except_kind, idf_by_kind),
            df_ratio,
            scored,
            weight: weight * worth.coverage,
            share,
            variant_of: Vec::new(),
        });
    }

    /// The same terms for a search among `texts` only. A term that more of these contain than of the store gets the lower idf
    /// in the coverage: the name of whoever speaks in every turn of a conversation is rare only in the store.
    pub fn among(mut self, texts: &[Doc]) -> Self {
        let mut counts = vec![[0; KIND_COUNT]; self.found.len()];
        let mut of = [0; KIND_COUNT];
        self.prefetch(texts);
        for &doc in texts {
            let kind = self.postings.kind(doc);
            of[kind] += 1;
            for (term, _) in self.matcher.matches(doc) {
                counts[term][kind] += 1;
            }
        }
        for (place, (term, counts)) in self.found.iter_mut().zip(counts).enumerate() {
            for kind in 0..KIND_COUNT {
                let more = term.raise_df_ratio(usual::lower_bound(counts[kind], of[kind]), kind);
                if place < self.query_term_count {
                    self.total_share[kind] += more;
                }
            }
        }
        self
    }

    /// The `count` best documents of `allowed`, best first, ties by larger key. With more than [`MOST_RANKED`] terms, the best of
    /// `CANDIDATES_PER_HIT` times as many candidates: those that rank best by the most telling terms.
    pub fn rank(&self, allowed: &Allowed, ids: &Ids, count: usize) -> Vec<(Doc, f32)> {
        let tf_step_values = self.postings.fields.each_ref().map(tf_step_values);
        let scale = self.score_scale();
        let scored = self.found.iter().zip(self.scorings(scale));
        let scored = scored.map(|(term, scoring)| ScoredTerm {
            list: term.list,
            field: term.field,
            scoring,
            tf_step_values: &tf_step_values[self.field_index(term.field)],
        });
        let mut scored: Vec<ScoredTerm<'_>> = scored.collect();
        if scored.len() > MOST_RANKED {
            self.most_telling_first(&mut scored);
            let wanted = CANDIDATES_PER_HIT.saturating_mul(count);
            let found = pruned::rank(&scored[..MOST_RANKED], scale, allowed, ids, wanted);
            if found.len() == wanted {
                let docs: Vec<Doc> = found.into_iter().map(|hit| hit.0).collect();
                return ids.best(self.scores(&docs).collect(), count);
            }
        }
        pruned::rank(&scored, scale, allowed, ids, count)
    }

    /// Sort terms in their own order: first words of the query, then its grams, then other writings; of each the rarest first. A
    /// long question has hundreds of readings and grams that are rare because they mean nothing.
    fn most_telling_first(&self, terms: &mut [ScoredTerm<'a>]) {
        let (own, others) = terms.split_at_mut(self.query_term_count);
        let is_word = |term: &ScoredTerm<'_>| self.field_index(term.field) == WORDS;
        let rarest_first = |a: &ScoredTerm<'_>, b: &ScoredTerm<'_>| {
            b.max_weighted_idf().total_cmp(&a.max_weighted_idf())
        };
        own.sort_by(|a, b| {
            let words_first = is_word(b).cmp(&is_word(a));
            words_first.then_with(|| rarest_first(a, b))
        });
        others.sort_by(rarest_first);
    }

    /// The scores that [`Self::rank`] gives these documents; those without a score are left out.
    pub fn scores(&self, docs: &[Doc]) -> impl Iterator<Item = (Doc, f32)> {
        self.prefetch(docs);
        let scale = self.score_scale();
        let scorings: Vec<Scoring> = self.scorings(scale).collect();
        let scored = docs.iter().map(move |&doc| {
            let matches = self.matcher.matches(doc).into_iter();
            let scores = matches.map(|(at, count)| {
                let field_norm = self.found[at].field.field_norms(doc, doc)[0];
                scorings[at].score(count, field_norm)
            });
            (doc, scale.score(scores.sum()))
        });
        scored.filter(|hit| hit.1 > 0.0)
    }

    /// Steps fine enough for the highest possible score.
    fn score_scale(&self) -> ScoreScale {
        let rarities = self.found.iter().map(|term| term.idf_by_kind);
        ScoreScale::for_max(
            rarities
                .map(|kinds| kinds.into_iter().fold(0.0, f32::max))
                .sum(),
        )
    }

    /// The scoring of each term.
    fn scorings(&self, scale: ScoreScale) -> impl Iterator<Item = Scoring> {
        let norms = self.postings.fields.each_ref();
        let norms = norms.map(|field| Norms::of(&field.mean_lengths()));
        let found = self.found.iter();
        found.map(move |term| {
            Scoring::new(norms[self.field_index(term.field)], term.idf_by_kind, scale)
        })
    }

    fn field_index(&self, field: &Field) -> usize {
        let mut fields = self.postings.fields.iter();
        fields
            .position(|known| std::ptr::eq(known, field))
            .unwrap_or(0)
    }

    /// Mean lengths of each term's field.
    fn means(&self) -> Vec<ByKind> {
        let fields = self.found.iter().map(|term| term.field);
        fields.map(Field::mean_lengths).collect()
    }

    /// The score of the first document of each window, counting terms of the other documents at the documents' weights. Windows
    /// whose first document matches nothing are left out.
    pub fn scores_in_windows(&self, windows: &[Window]) -> Vec<(Doc, f32)> {
        let means = self.means();
        let mut counts: FxHashMap<Doc, Vec<(usize, f32)>> = FxHashMap::default();
        for &(doc, _) in windows.iter().flatten() {
            counts.entry(doc).or_insert_with(|| self.counts(doc));
        }
        let matching = windows
            .iter()
            .filter(|window| !counts[&window[0].0].is_empty());
        let score = |window: &Window| {
            let mut found = vec![(0.0, 0.0); self.found.len()];
            for (doc, share) in window {
                let kind = self.postings.kind(*doc);
                for &(term, count) in &counts[doc] {
                    found[term].0 += share * count;
                    found[term].1 += share * count * self.found[term].idf_by_kind[kind];
                }
            }
            let kind = self.postings.kind(window[0].0);
            let terms = self.found.iter().zip(&means).zip(found);
            let matched = terms.filter(|each| each.1.0 > 0.0);
            let scores = matched.map(|((term, means), (count, idf))| {
                term.score_in(window, count, idf, means[kind])
            });
            (window[0].0, scores.sum())
        };
        matching.map(score).collect()
    }

    /// Indices and counts of the terms that a document contains.
    fn counts(&self, doc: Doc) -> Vec<(usize, f32)> {
        let matches = self.matcher.matches(doc).into_iter();
        matches.map(|(term, count)| (term, count as f32)).collect()
    }

    /// A term's share of the coverage, including the query terms that it is a variant of.
    fn share(&self, term: &Term<'_>, kind: usize) -> f32 {
        if term.variant_of.is_empty() {
            return term.share[kind];
        }
        let query_terms = term.variant_of.iter();
        query_terms
            .map(|&query_term| self.variant_share(term, query_term, kind))
            .sum()
    }

    /// How much of the query these terms cover, each with the weight of the turn it is in; a term and its variants count once.
    fn covered(&self, near: &[(usize, f32)], kind: usize) -> f32 {
        let own = |&(at, near): &(usize, f32)| near * self.found[at].share[kind];
        if near
            .iter()
            .all(|near| self.found[near.0].variant_of.is_empty())
        {
            return near.iter().map(own).sum();
        }
        let mut covered = vec![0.0_f32; self.query_term_count + self.absent.len()];
        let mut others = 0.0;
        for each in near {
            let term = &self.found[each.0];
            if each.0 < self.query_term_count {
                covered[each.0] = covered[each.0].max(own(each));
            } else if term.variant_of.is_empty() {
                others += own(each);
            }
            for &query_term in &term.variant_of {
                covered[query_term] =
                    covered[query_term].max(each.1 * self.variant_share(term, query_term, kind));
            }
        }
        others + covered.into_iter().sum::<f32>()
    }

    /// The coverage that texts of a kind (turns of a conversation, or texts that stand `alone`) would have if their words were
    /// drawn at random, each term as often as texts of the kind have it. Words and their grams occur together, so the spreads
    /// of fields are added.
    pub fn usual_coverage(&self, kind: usize, alone: bool) -> Usual {
        let whole = self.total_share[kind].max(f32::MIN_POSITIVE);
        let fields = self.postings.fields.iter().enumerate();
        let by_field = fields.map(|(at, field)| {
            let together = if at == GRAMS { CORRELATED_GRAMS } else { 1.0 };
            let known = known_share(field);
            let unknown = UNSEEN_DF / (field.total().documents as f32 + PRIOR);
            // What a word of the query is a variant of is among the terms itself, and is found in the same texts.
            let found = self.found.iter().enumerate();
            let found = found.filter(|(_, term)| std::ptr::eq(term.field, field));
            let found = found.map(|(at, term)| {
                let share = if at < self.query_term_count {
                    term.share[kind]
                } else {
                    self.share(term, kind)
                };
                (term.df_ratio[kind] * known, share)
            });
            let absent = self.absent.iter();
            let absent = absent.filter(|absent| std::ptr::eq(absent.field, field));
            let absent = absent.map(|absent| (unknown, absent.share[kind]));
            let (mut mean, mut variance) = (0.0, 0.0);
            for (df_ratio, share) in found.chain(absent) {
                let (near, square) = context::expected_weight(df_ratio, alone);
                let share = share / whole;
                mean += share * near;
                variance += share * share * (square - near * near);
            }
            Usual::from_moments(mean, mean * mean + together * variance)
        });
        by_field.fold(Usual::default(), Usual::add)
    }

    /// Prefetch what [`Self::matched`] reads of some documents, all at once.
    pub fn prefetch(&self, docs: &[Doc]) {
        self.matcher.prefetch(docs);
    }

    /// Which terms of the query one document matches.
    pub fn matched(&self, doc: Doc) -> Matched<'_> {
        let mut terms = Vec::with_capacity(self.found.len());
        self.matcher.for_each_match(doc, |term, _| terms.push(term));
        terms.sort_unstable();
        Matched {
            terms: self,
            kind: self.postings.kind(doc),
            found: terms,
        }
    }
}

/// The terms of a query that one document matches.
#[derive(Debug)]
pub struct Matched<'a> {
    terms: &'a Terms<'a>,
    kind: usize,
    /// Indices of the terms that it contains, ascending.
    found: Vec<usize>,
}

impl Matched<'_> {
    /// Whether the document has no term of the query.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Its first `most` terms in this order of all terms, by index.
    pub fn first_of(&self, order: &[usize], most: usize) -> Vec<usize> {
        let mut is_matched = vec![false; order.len()];
        self.found.iter().for_each(|&term| is_matched[term] = true);
        let matches = order.iter().filter(|&&term| is_matched[term]);
        matches.take(most).copied().collect()
    }

    /// The share of the query that the document and its window match, and how rare that is by chance (see [`Terms::rarity`]). Each
    /// term has the weight of the nearest turn that contains it.
    pub fn evidence(&self, window: &[(Doc, f32)], parts: &Parts<'_>) -> (f32, f32) {
        let nearest = self.nearest(window);
        let rarity = self.terms.rarity(&nearest, self.kind, parts);
        (self.share_of(&nearest), rarity)
    }

    /// The share of the query that the document matches by itself.
    pub fn coverage(&self) -> f32 {
        let alone: Vec<(usize, f32)> = self.found.iter().map(|&term| (term, 1.0)).collect();
        self.share_of(&alone)
    }

    fn share_of(&self, near: &[(usize, f32)]) -> f32 {
        let whole = self.terms.total_share[self.kind];
        if whole > 0.0 {
            (self.terms.covered(near, self.kind) / whole).min(1.0)
        } else {
            0.0
        }
    }

    /// The terms that it or its window has, each with the weight of the nearest turn that contains it.
    fn nearest(&self, window: &[(Doc, f32)]) -> Vec<(usize, f32)> {
        let (turn, around) = (window[0].1, &window[1..]);
        let mut nearest: Vec<(usize, f32)> = self.found.iter().map(|&term| (term, turn)).collect();
        for &(doc, share) in around {
            let matches = self.terms.matcher.matches(doc).into_iter();
            nearest.extend(matches.map(|(term, _)| (term, share)));
        }
        nearest.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        nearest.dedup_by_key(|near| near.0);
        nearest
    }
}

/// One weight per code point of the folded query, for comparing its spelling: the rarity of the rarest word over it.
pub fn char_weights(query: &Query, index: &Index) -> Vec<f32> {
    let field = &index.postings.fields[WORDS];
    let documents = field.total().documents;
    let mut weights = vec![BARE_CHARACTER_WEIGHT; query.folded.chars().count()];
    for word in query.words.iter().filter(|word| word.weight > 0.0) {
        let word_idf = idf(
            documents,
            field
                .posting_list(&word.term)
                .map_or(0, |list| list.doc_freq()),
        );
        let end = word.end.min(weights.len());
        for weight in &mut weights[word.start.min(end)..end] {
            *weight = weight.max(word_idf);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use omoide_index::NewDocument;

    #[test]
    fn a_character_weighs_what_the_rarest_word_over_it_does() {
        let mut index = Index::new(1);
        for key in 0..9 {
            let words = if key == 0 {
                vec!["抹茶", "抹茶店"]
            } else {
                vec!["抹茶"]
            };
            let document = NewDocument {
                key,
                fields: [words, vec![], vec![]],
                ..NewDocument::default()
            };
            index.put_document(document).expect("no vector, no refusal");
        }
        let word = |term: &str, start, weight| Word {
            term: term.into(),
            weight,
            start,
            end: start + term.chars().count(),
            except_kind: None,
        };
        let mut words = vec![
            word("抹茶", 0, 1.0),
            word("抹茶店", 0, 1.0),
            word("の", 3, 0.0),
        ];
        words.push(word("抹茶", 4, 1.0));
        let (common, rare) = (idf(9, 9), idf(9, 1));
        for _ in 0..2 {
            words.reverse();
            let query = Query {
                folded: "抹茶店の抹茶".to_owned(),
                words: words.clone(),
                ..Query::default()
            };
            let wanted = [
                rare,
                rare,
                rare,
                BARE_CHARACTER_WEIGHT,
                BARE_CHARACTER_WEIGHT.max(common),
                BARE_CHARACTER_WEIGHT.max(common),
            ];
            assert_eq!(char_weights(&query, &index), wanted);
        }
    }
}
