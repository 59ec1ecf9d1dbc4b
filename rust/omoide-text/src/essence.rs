//! What must two texts have in common to say the same?
//!
//! Their digits and Han characters, in order, and most of their words, except particles and articles.
//!
//! Useful for: deciding quickly that two texts do not say the same. Not useful for: deciding that they do.
//! Invariant: texts that differ only in small words, kana and punctuation have the same essence, and near wordings.

use crate::{Script, Variants};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// So many words may differ, and one more for every so many words.
const BASE_DIFFERENCES: usize = 2;
const WORDS_PER_DIFFERENCE: usize = 4;
/// Chinese particles that are often left out.
const PARTICLES: [char; 3] = ['的', '啊', '呢'];
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// A hash of the digits and Han characters of a text as written; `None` if folding the text needs tables. Most texts on a page
/// have different hashes, so that their words need not be compared.
///
/// ```
/// let essence = |text| omoide_text::essence(&omoide_text::Variants::new([]), text).unwrap();
/// assert_eq!(essence("Room 101 is free"), essence("room １０１ is free!"));
/// assert_ne!(essence("Room 101 is free"), essence("Room 102 is free"));
/// ```
pub fn essence(variants: &Variants, text: &str) -> Option<u64> {
    let mut hasher = FxHasher::default();
    variants.fold_each(text, |c| {
        if is_significant(c) {
            c.hash(&mut hasher);
        }
    })?;
    Some(hasher.finish())
}

/// The hash for a folded text.
pub fn essence_of_folded(folded: &str) -> u64 {
    let mut hasher = FxHasher::default();
    let significant = folded.chars().filter(|&c| is_significant(c));
    significant.for_each(|c| c.hash(&mut hasher));
    hasher.finish()
}

fn is_significant(c: char) -> bool {
    c.is_ascii_digit() || (is_common_han(c) && !PARTICLES.contains(&c))
}

/// The words of a text between spaces, as hashes, ascending and each once.
#[derive(Debug)]
pub struct Wording(Vec<u64>);

impl Wording {
    /// From a folded text.
    pub fn of(folded: &str) -> Self {
        let words = folded.split(|c: char| !is_word_letter(c));
        let content_words = words.filter(|word| !word.is_empty() && !ARTICLES.contains(word));
        let mut hashes: Vec<u64> = content_words.map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    /// Whether the two share most words; if not, they do not say the same. Usually the first dozen words decide.
    pub fn is_near(&self, other: &Self) -> bool {
        let (mut ours, mut theirs) = (&self.0[..], &other.0[..]);
        let max_differing = BASE_DIFFERENCES + ours.len().max(theirs.len()) / WORDS_PER_DIFFERENCE;
        let mut differing = 0;
        while let ([own, our_rest @ ..], [other_word, their_rest @ ..]) = (ours, theirs) {
            if own <= other_word {
                ours = our_rest;
            }
            if other_word <= own {
                theirs = their_rest;
            }
            differing += usize::from(own != other_word);
            if differing > max_differing {
                return false;
            }
        }
        differing + ours.len() + theirs.len() <= max_differing
    }
}

fn is_common_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

fn is_word_letter(c: char) -> bool {
    c.is_ascii_lowercase() || (!c.is_ascii() && c.is_alphabetic() && !Script::is_han_or_kana(c))
}

fn hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    word.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_near_when_few_of_their_words_differ() {
        let rows = [
            ("", "one two", true),
            ("", "one two three", false),
            ("one one one one", "one", true),
            ("one two three four", "one two five six", false),
            ("one two three four", "five four two one", true),
            ("the one an two a three", "one two three", true),
            ("один два три четыре", "один пять шесть семь", false),
            ("a b c d e f g h", "h g f e d c x y", true),
            ("a b c d e f g h", "h g f e d x y z", false),
        ];
        for (one, other, near) in rows {
            let [one, other] = [one, other].map(Wording::of);
            assert_eq!((one.is_near(&other), other.is_near(&one)), (near, near));
        }
    }

    #[test]
    fn texts_with_different_meanings_are_distinguished() {
        let rows = [
            ("抹茶ガ好キ。", "抹茶ガ好キデス", true),
            ("用户的猫叫小黑", "用户猫叫小黑", true),
            ("会議ハ三階ダ", "会議ハ四階ダ", false),
            ("我喜欢喝茶", "我不喜欢喝茶", false),
            ("a kitten sat on the mat", "the kitten sat on a mat!", true),
            (
                "the meeting is over (5)",
                "the meeting is over (803)",
                false,
            ),
            (
                "the build is green",
                "we ate curry in london at last",
                false,
            ),
            ("новая книга на столе", "новая книга на столе!", true),
            ("", "。", true),
        ];
        for (one, other, near) in rows {
            let [one_of, other_of] = [one, other].map(Wording::of);
            let both = one_of.is_near(&other_of) && other_of.is_near(&one_of);
            assert_eq!(
                essence_of_folded(one) == essence_of_folded(other) && both,
                near,
                "{one} / {other}"
            );
        }
    }
}
