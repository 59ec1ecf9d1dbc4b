//! How do a text's features become a vector?
//!
//! Useful for: vectors without a model, which show how texts are spelled. Not useful for: comparing vectors of different
//! dimensions or versions.
//! Invariant: every vector has length 1, or is zero if the text has no letter or digit.

use crate::features::{Feature, features};

/// Changes whenever the vector of any text does; stored vectors of another version cannot be used.
pub const VERSION: u32 = 1;

/// The built-in embedder: signed feature hashing (Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask
/// Learning") of character 2-4-grams and whole words, with sub-linear term frequency 1 + ln tf.
#[derive(Clone, Copy, Debug)]
pub struct Lexical {
    dimensions: usize,
}

impl Lexical {
    /// An embedder of vectors with `dimensions` numbers (at least 1).
    pub fn new(dimensions: usize) -> Self {
        Self {
            dimensions: dimensions.max(1),
        }
    }

    /// How many numbers a vector has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The vector of a folded text.
    pub fn embed(&self, folded: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        let mut found = features(folded);
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a == b) {
            let (index, value) = entry(same, self.dimensions);
            vector[index] += value;
        }
        normalise(&mut vector);
        vector
    }
}

/// The place and the value of a feature: 1 + ln tf of its repeats, with the sign from its hash.
fn entry(same: &[Feature], dimensions: usize) -> (usize, f32) {
    let hash = same[0];
    let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
    let index = (hash % dimensions as u64) as usize;
    (index, sign * (1.0 + (same.len() as f32).ln()))
}

fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    fn near(left: &str, right: &str) -> f32 {
        let lexical = Lexical::new(1024);
        cosine(&lexical.embed(left), &lexical.embed(right))
    }

    /// The places that are not zero, and their values in thousandths.
    fn golden(text: &str) -> Vec<(usize, i32)> {
        let vector = Lexical::new(1024).embed(text);
        let thousandths = vector.iter().map(|x| (x * 1000.0).round() as i32);
        thousandths.enumerate().filter(|&(_, x)| x != 0).collect()
    }

    #[test]
    fn vectors_never_change_within_a_version() {
        assert_eq!(VERSION, 1);
        assert_eq!(golden("猫猫"), [(725, -1000)]);
        assert_eq!(golden("记忆体"), [(81, 577), (247, 577), (934, 577)]);
        assert_eq!(
            golden("茶を茶を"),
            [
                (119, -646),
                (154, 382),
                (161, 382),
                (428, -382),
                (787, -382)
            ]
        );
        assert_eq!(
            golden("in"),
            [
                (97, -378),
                (274, -378),
                (510, 378),
                (638, -378),
                (676, -378),
                (760, 378),
                (1006, 378)
            ]
        );
    }

    #[test]
    fn every_vector_has_length_one() {
        for text in [
            "a",
            "猫",
            "カピバラの飼い方",
            "记忆体",
            "memory search",
            "한국어",
            "привет",
            "ไทย",
            "9",
        ] {
            let vector = Lexical::new(64).embed(text);
            assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5, "{text}");
        }
    }

    #[test]
    fn features_in_one_place_add_up_or_cancel_out() {
        assert_eq!(Lexical::new(2).embed("in"), [0.0, -1.0]);
    }

    #[test]
    fn a_text_without_letters_or_digits_has_the_zero_vector() {
        for text in ["", " ", "、。!", "😀", "\0"] {
            assert!(
                Lexical::new(64).embed(text).iter().all(|&x| x == 0.0),
                "{text:?}"
            );
        }
    }

    #[test]
    fn spelling_that_is_shared_brings_texts_near() {
        for (text, close, far) in [
            ("deployment", "deployments", "elephant"),
            ("コンピューター", "コンピュータ", "カピバラ"),
            ("数据库设置", "数据库设定", "早上吃面包"),
            ("데이터베이스", "데이터베이스를", "고양이"),
        ] {
            assert!(near(text, close) > near(text, far) + 0.3, "{text}");
        }
    }

    #[test]
    fn a_run_is_the_same_beside_a_word_as_apart_from_it() {
        assert!((near("docker设定", "docker 设定") - 1.0).abs() < 1e-6);
    }
}
