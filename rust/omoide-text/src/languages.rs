//! In which language is a line? Only Japanese and Chinese have to be distinguished, since they share characters.
//!
//! Kana make a line Japanese, characters outside the Japanese standards make it Chinese. A line of shared Han characters
//! follows the caller's hint, then the text around it; without either it is Chinese, and a question is read both ways.
//!
//! Useful for: choosing the dictionary. Not useful for: naming the language of Latin text.
//! Invariant: offsets count code points; a line without Han and kana has no language.

use crate::characters::Characters;

/// A Chinese line may quote kana up to this share; a Japanese line always has more.
const QUOTED_KANA: f64 = 0.1;
/// Han characters that are common enough to decide: Japanese names also have rare ones beyond the basic plane.
const COMMON_HAN: std::ops::RangeInclusive<char> = '\u{3400}'..='\u{9fff}';

/// The languages that share Han characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Kana and Han characters.
    Japanese,
    /// Han characters.
    Chinese,
}

/// A line of a text, code points `start..end`, with Han characters or kana.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The language it is read in.
    pub language: Language,
    /// First code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
}

/// Whether the text has a Han character or kana.
pub fn has_cjk(text: &str) -> bool {
    let is_cjk = |c| {
        is_han(c)
            || matches!(c, '\u{3041}'..='\u{309f}' | '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}')
    };
    !text.is_ascii() && text.chars().any(is_cjk)
}

/// Whether the text has a Han character.
pub fn has_han(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_han)
}

/// Whether the text has a kana letter; the middle dot and the long vowel mark do not count, since Chinese names have them too.
pub fn has_kana(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_kana_letter)
}

fn is_han(c: char) -> bool {
    COMMON_HAN.contains(&c)
        || matches!(c, '々' | '〆' | '〇' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_kana_letter(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}')
}

/// Distinguishes Japanese and Chinese.
#[derive(Debug)]
pub struct Languages {
    /// The characters of [`COMMON_HAN`] that Japanese uses.
    japanese: Characters,
}

impl Languages {
    /// `japanese` are the Han characters of the Japanese standards.
    pub fn new(japanese: &str) -> Self {
        let mut known = Characters::default();
        for c in japanese.chars().filter(|c| COMMON_HAN.contains(c)) {
            known.insert(c);
        }
        Self { japanese: known }
    }

    /// Whether the text has Han characters that Japanese does not use, and hardly any kana.
    pub fn is_certainly_chinese(&self, text: &str) -> bool {
        let (mut han, mut kana, mut has_chinese_only) = (0_u32, 0_u32, false);
        for c in text.chars().filter(|c| !c.is_ascii()) {
            if COMMON_HAN.contains(&c) {
                han += 1;
                has_chinese_only |= !self.japanese.contains(c);
            }
            kana += u32::from(is_kana_letter(c));
        }
        has_chinese_only && f64::from(kana) <= QUOTED_KANA * f64::from(kana + han)
    }

    /// The language of a line. `context_language` is the language tag given by the caller, or that of the text around, such as `ja`,
    /// `zh-Hant`, `en`.
    pub fn of(&self, line: &str, context_language: Option<&str>) -> Option<Language> {
        let is_japanese_context = context_language.is_some_and(is_japanese);
        has_cjk(line).then(|| self.of_cjk(line, is_japanese_context))
    }

    /// The lines of a text that have a language.
    pub fn lines(&self, text: &str, context_language: Option<&str>) -> Vec<Line> {
        if !has_cjk(text) {
            return Vec::new();
        }
        let around = || has_kana(text) && !self.is_certainly_chinese(text);
        let is_japanese_context =
            context_language.map_or_else(|| text.contains('\n') && around(), is_japanese);
        let mut end = 0;
        let lines = text.split('\n').filter_map(|line| {
            let start = end;
            end += line.chars().count() + 1;
            let language = has_cjk(line).then(|| self.of_cjk(line, is_japanese_context))?;
            let end = end - 1;
            Some(Line {
                language,
                start,
                end,
            })
        });
        lines.collect()
    }

    fn of_cjk(&self, line: &str, is_japanese_context: bool) -> Language {
        if (is_japanese_context || has_kana(line)) && !self.is_certainly_chinese(line) {
            Language::Japanese
        } else {
            Language::Chinese
        }
    }
}

/// Whether a language tag means Japanese.
fn is_japanese(tag: &str) -> bool {
    let language = tag.split('-').next().unwrap_or_default();
    language.eq_ignore_ascii_case("ja") || language.eq_ignore_ascii_case("jpn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_the_language_of_its_characters_or_of_those_around_it() {
        use Language::{Chinese, Japanese};
        let languages = Languages::new("会議京都東予算");
        let rows = [
            ("", None, &[][..]),
            ("tea\n", None, &[]),
            ("東京", None, &[(Chinese, 0, 2)]),
            ("東京", Some("ja-JP"), &[(Japanese, 0, 2)]),
            ("东京", Some("ja"), &[(Chinese, 0, 2)]),
            (
                "会議だ\n\nok\n予算",
                None,
                &[(Japanese, 0, 3), (Japanese, 8, 10)],
            ),
            (
                "东京の\n予算",
                Some("zh"),
                &[(Japanese, 0, 3), (Chinese, 4, 6)],
            ),
        ];
        for (text, context_language, expected) in rows {
            let lines = languages.lines(text, context_language).into_iter();
            let lines: Vec<_> = lines
                .map(|line| (line.language, line.start, line.end))
                .collect();
            assert_eq!(lines, expected, "{text}");
        }
    }
}
