//! How do terms count that stand for the query's words in another writing (readings of kana, loanwords), or are synonyms?
//!
//! Useful for: the weight of such a term, and which part of the query it stands for. Not useful for: finding the terms; see
//! question.rs of omoide-text.

use super::{Term, Terms};
use crate::places::{Places, Reach};
use crate::{Query, Word};
use omoide_index::blocks::ByKind;
use omoide_index::postings::Field;
use omoide_index::{GRAMS, READINGS, WORDS};
use rustc_hash::FxHashSet;

/// Factor in the score for a part of a word that the query writes in kana and some text otherwise: one kana, or a shorter word.
const PART_OF_KANA: f32 = 0.3;

impl Term<'_> {
    /// Reduce its score to that of a part of a word.
    fn lighten(&mut self) {
        self.rarity = self.rarity.map(|rarity| PART_OF_KANA * rarity);
    }

    /// Limit the score of a synonym, or of one of its grams, to its weight times this rarity.
    fn be_no_rarer_than(&mut self, rarity: f32) {
        self.rarity = self.rarity.map(|own| own.min(self.scored * rarity));
    }
}

impl<'a> Terms<'a> {
    /// Fill in `stands_for`: for each term in another writing, the asked terms at its place, the word and its grams (a text
    /// that is written otherwise has none of these grams). A reading also gets its weight of the grams' scores; a loanword does
    /// not, since a text has its term in either writing and it would count twice. Synonyms come last, so that they do not
    /// lighten the kana at their place. A synonym is no rarer than what it stands for: otherwise a word that all of a few
    /// English texts have would score little, and its synonym in one of a hundred Japanese texts much.
    pub(super) fn fill_places(&mut self, query: &'a Query) {
        let places = Places::of(query);
        let asked = self.by_text();
        for at in 0..self.found.len() {
            let place = self.other_writing(&self.found[at], &places);
            self.found[at].stands_for =
                place.map_or_else(Vec::new, |place| known_among(&asked, places.said_at(place)));
        }
        self.lighten_kana();
        self.lighten_parts(query);
        for at in self.asked..self.found.len() {
            self.found[at].rarity = self.rarity_with_grams(&self.found[at]);
        }
        let asked_for = |place| known_among(&asked, places.said_at(place));
        let each = query.synonyms.iter().map(asked_for);
        let each = each.map(|asked| self.least_rarity(&asked));
        let most = each.reduce(f32::max).unwrap_or(f32::INFINITY);
        for at in self.asked..self.found.len() {
            let term = &self.found[at];
            let field = self.place_of(term.field);
            let is_word = field == WORDS && term.stands_for.is_empty();
            if let Some(place) = places.of_synonym(term.text).filter(|_| is_word) {
                let stands_for = asked_for(place);
                let least = self.least_rarity(&stands_for);
                self.found[at].be_no_rarer_than(least);
                self.found[at].stands_for = stands_for;
            } else if field == GRAMS {
                self.found[at].be_no_rarer_than(most);
            }
        }
    }

    /// The rarity of the rarest word among these asked terms, each in the kind of text in which it is least rare. Infinite if
    /// no text has any.
    fn least_rarity(&self, asked: &[usize]) -> f32 {
        let found = asked.iter().filter(|&&at| at < self.asked);
        let found = found.map(|&at| &self.found[at]);
        let words = found.filter(|term| self.place_of(term.field) == WORDS);
        let each = words.map(|term| {
            let kinds = term.rarity.iter().zip(term.posting.doc_freq_by_kind);
            let held = kinds.filter(|kind| kind.1 > 0).map(|kind| *kind.0);
            held.fold(f32::INFINITY, f32::min)
        });
        each.reduce(f32::max).unwrap_or(f32::INFINITY)
    }

    /// Lighten single kana of words that some text has in another writing: the whole word is likely to be meant, and a single
    /// kana, which may be rare among a few memories, tells little.
    fn lighten_kana(&mut self) {
        let stand_ins = self.found.iter().flat_map(|term| &term.stands_for);
        let found = stand_ins
            .copied()
            .filter(|&at| at < self.asked && is_one_kana(self.found[at].text));
        let light: FxHashSet<usize> = found.collect();
        for at in light {
            self.found[at].lighten();
        }
    }

    /// Lighten words and readings that stand only inside a longer reading: かいご is 介護, neither 会 nor 御, whatever a dictionary
    /// cuts it into.
    fn lighten_parts(&mut self, query: &'a Query) {
        let readings = self.found[self.asked..].iter();
        let readings = readings.filter(|term| self.place_of(term.field) == READINGS);
        let found: FxHashSet<&str> = readings.map(|term| term.text).collect();
        if found.is_empty() {
            return;
        }
        let is_found = |word: &&Word| found.contains(word.term.as_str());
        let found: Vec<&Word> = query.readings.iter().filter(is_found).collect();
        let reach = Reach::of(&found);
        let words = alone(query.words.iter(), &reach);
        let readings = alone(found.into_iter(), &reach);
        for at in 0..self.found.len() {
            let term = &self.found[at];
            let stands_alone = match self.place_of(term.field) {
                WORDS if at < self.asked => words.contains(term.text) || is_one_kana(term.text),
                READINGS => readings.contains(term.text),
                _ => true,
            };
            if !stands_alone {
                self.found[at].lighten();
            }
        }
    }

    /// The rarity of a reading, plus its weight times the rarity of the grams that it stands for, each no rarer than the
    /// reading itself.
    fn rarity_with_grams(&self, term: &Term<'_>) -> ByKind {
        let mut rarity = term.rarity;
        if self.place_of(term.field) != READINGS {
            return rarity;
        }
        for &at in &term.stands_for {
            let (field, gram) = self.worth(at, term);
            if self.place_of(field) == GRAMS {
                for (kind, sum) in rarity.iter_mut().enumerate() {
                    *sum += (term.weight * gram[kind]).min(term.rarity[kind]);
                }
            }
        }
        rarity
    }

    /// Field and rarity of an asked term; an absent one counts as rare as a reading that stands for it.
    fn worth(&self, at: usize, reading: &Term<'_>) -> (&'a Field, ByKind) {
        if at < self.asked {
            return (self.found[at].field, self.found[at].rarity);
        }
        let absent = &self.absent[at - self.asked];
        let part = if is_one_kana(absent.text) {
            PART_OF_KANA
        } else {
            1.0
        };
        (absent.field, reading.rarity.map(|rarity| part * rarity))
    }

    /// The asked terms as (text, index), sorted by text; absent terms come after the others.
    fn by_text(&self) -> Vec<(&'a str, usize)> {
        let found = self.found[..self.asked].iter().map(|term| term.text);
        let absent = self.absent.iter().map(|absent| absent.text);
        let texts = found.chain(absent).enumerate();
        let mut texts: Vec<(&str, usize)> = texts.map(|(at, text)| (text, at)).collect();
        texts.sort_unstable();
        texts
    }

    /// The word of the query that has this term in another writing: as a reading, or as a loanword.
    fn other_writing<'q>(&self, term: &Term<'_>, places: &Places<'q>) -> Option<&'q Word> {
        if self.place_of(term.field) == READINGS {
            places.of_reading(term.text)
        } else {
            places.of_loanword(term.text)
        }
    }
}

/// The indices of these texts in `known`, which is sorted by text; ascending, each once.
fn known_among<'t>(known: &[(&str, usize)], texts: impl Iterator<Item = &'t str>) -> Vec<usize> {
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

/// The terms of words that are not part of a longer one.
fn alone<'q>(words: impl Iterator<Item = &'q Word>, reach: &Reach) -> FxHashSet<&'q str> {
    let alone = words.filter(|word| !reach.is_over(word));
    alone.map(|word| word.term.as_str()).collect()
}

/// Whether the text is a single folded kana.
fn is_one_kana(text: &str) -> bool {
    let is_kana = |c| matches!(c, 'ァ'..='ヺ' | 'ー');
    text.chars().map(is_kana).eq([true])
}
