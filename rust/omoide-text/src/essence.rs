//! What of a text must be the same in another that says the same?
//!
//! Its digits and Han characters, in their order, and most of its words; particles and articles aside.
//!
//! Useful for: telling quickly that two texts do not say the same. Not useful for: telling that they do.
//! Invariant: texts that do not differ but in small words, kana and signs have equal `fixed` and are near each other.

use crate::Script;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// So many words may differ, and one more for so many words.
const FEW: usize = 2;
const WORDS_TO_ONE_MORE: usize = 4;
/// Of Chinese, left out as readily as put in.
const PARTICLES: [char; 3] = ['的', '啊', '呢'];
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// See the module.
#[derive(Debug)]
pub struct Essence {
    /// A hash of its digits and Han characters.
    pub fixed: u64,
    /// Hashes of its words between spaces.
    words: FxHashSet<u64>,
}

impl Essence {
    /// Of a folded text.
    ///
    /// ```
    /// use omoide_text::Essence;
    /// let [one, again, other] = ["room 101 is free", "room 101 is free!", "room 102 is free"].map(Essence::of);
    /// assert_eq!((one.fixed == again.fixed, one.fixed == other.fixed), (true, false));
    /// ```
    pub fn of(folded: &str) -> Self {
        let is_fixed =
            |&c: &char| c.is_ascii_digit() || (is_common_han(c) && !PARTICLES.contains(&c));
        let mut fixed = FxHasher::default();
        let written = folded.chars().filter(is_fixed);
        written.for_each(|c| c.hash(&mut fixed));
        let words = folded.split(|c: char| !is_word_letter(c));
        let telling = words.filter(|word| !word.is_empty() && !ARTICLES.contains(word));
        Self {
            fixed: fixed.finish(),
            words: telling.map(hash).collect(),
        }
    }

    /// Whether both share most words; if not, they do not say the same.
    pub fn is_near(&self, other: &Self) -> bool {
        let differing = self.words.symmetric_difference(&other.words).count();
        differing <= FEW + self.words.len().max(other.words.len()) / WORDS_TO_ONE_MORE
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
    fn texts_that_cannot_say_the_same_are_told_apart() {
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
            let [one_of, other_of] = [one, other].map(Essence::of);
            let both = one_of.is_near(&other_of) && other_of.is_near(&one_of);
            assert_eq!(
                one_of.fixed == other_of.fixed && both,
                near,
                "{one} / {other}"
            );
        }
    }
}
