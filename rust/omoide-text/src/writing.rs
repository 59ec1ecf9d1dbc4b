//! Which writing does a text use, as far as the frequency of its terms depends on it?
//!
//! Useful for: separate statistics for languages. Not useful for: naming a language.
//! Invariant: total; a text with next to no Han, kana or Hangul is `Other`.

use crate::Script;

/// Quoted words and names make up less than this share of the letters of a text in another writing.
const QUOTED_SHARE: f32 = 0.2;
/// Japanese has at least this share of kana beside its Han characters.
const KANA_SHARE: f32 = 0.05;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// Alphabets, numbers, or nothing.
    Other = 0,
    /// Kana, with Han characters or without.
    Japanese = 1,
    /// Han characters, with hardly any kana.
    Chinese = 2,
    /// Hangul.
    Korean = 3,
}

impl Writing {
    /// The writing of a text, by its letters.
    pub fn of(text: &str) -> Self {
        let (mut han, mut kana, mut hangul, mut other) = (0_u32, 0_u32, 0_u32, 0_u32);
        for c in text.chars() {
            match Script::of(c) {
                Some(Script::Han) => han += 1,
                Some(Script::Kana) => kana += 1,
                Some(Script::Hangul) => hangul += 1,
                Some(Script::Latin | Script::Thai | Script::Other) => other += 1,
                _ => {}
            }
        }
        let share = |part: u32, whole: u32| part as f32 / whole.max(1) as f32;
        if share(han + kana + hangul, han + kana + hangul + other) < QUOTED_SHARE {
            Self::Other
        } else if hangul > han + kana {
            Self::Korean
        } else if share(kana, han + kana) >= KANA_SHARE {
            Self::Japanese
        } else {
            Self::Chinese
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_one_writing() {
        let rows = [
            ("", Writing::Other),
            ("Docker 24 and 寿司 for the whole family", Writing::Other),
            ("東京へ行く", Writing::Japanese),
            ("DockerとKubernetesの設定", Writing::Japanese),
            ("我们去臺北玩", Writing::Chinese),
            (
                "这部电影在日本叫做「の」，我们都非常非常喜欢它的名字",
                Writing::Chinese,
            ),
            ("서울에서 만나요", Writing::Korean),
            ("ไปเที่ยว", Writing::Other),
        ];
        for (text, expected) in rows {
            assert_eq!(Writing::of(text), expected, "{text}");
        }
    }
}
