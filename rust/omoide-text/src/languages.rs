//! In which language is a line? Only Japanese and Chinese have to be distinguished, since they share characters.
//!
//! Kana make a line Japanese, characters outside the Japanese standards make it Chinese. So do, unless the caller hints at Chinese,
//! characters that neither Simplified nor Traditional Chinese has together: 会議 is 会议 in the one and 會議 in the other. A line of
//! shared Han characters follows the caller's hint, then the text around it; without either it is Chinese, and a question is read
//! both ways.
//!
//! Useful for: choosing the dictionary. Not useful for: naming the language of Latin text.
//! Invariant: offsets count code points; a line without Han and kana has no language.

use crate::characters::Characters;

/// A Chinese line may quote kana up to this share; a Japanese line always has more.
const QUOTED_KANA: f64 = 0.1;
/// Han characters that are common enough to decide: Japanese names also have rare ones beyond the basic plane.
const COMMON_HAN: std::ops::RangeInclusive<char> = '\u{3400}'..='\u{9fff}';

/// A line in one form of Chinese may have a few characters of the other, or rare ones: of the characters that are missing in
/// one form, at least one in so many has to be missing in the other form too.
const MOST_OF_ONE_FORM: usize = 4;

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

/// What is known of a line before it is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Japanese,
    Chinese,
    Unknown,
}

/// Distinguishes Japanese and Chinese.
#[derive(Debug)]
pub struct Languages {
    /// The characters of [`COMMON_HAN`] that Japanese uses.
    japanese: Characters,
    /// Those of Simplified Chinese.
    simplified: Characters,
    /// Those of Traditional Chinese.
    traditional: Characters,
}

impl Languages {
    /// The Han characters of the standards of Japanese, Simplified and Traditional Chinese.
    pub fn new(japanese: &str, simplified: &str, traditional: &str) -> Self {
        Self {
            japanese: common_han(japanese),
            simplified: common_han(simplified),
            traditional: common_han(traditional),
        }
    }

    /// Whether the text has Han characters that no form of Chinese has together, and that Japanese has.
    fn is_written_in_japanese(&self, text: &str) -> bool {
        let (mut not_simplified, mut not_traditional) = (0, 0);
        for c in text.chars().filter(|&c| is_han(c)) {
            if COMMON_HAN.contains(&c) && !self.japanese.contains(c) {
                return false;
            }
            not_simplified += usize::from(!self.simplified.contains(c));
            not_traditional += usize::from(!self.traditional.contains(c));
        }
        let (fewer, more) = (
            not_simplified.min(not_traditional),
            not_simplified.max(not_traditional),
        );
        fewer > 0 && more <= MOST_OF_ONE_FORM * fewer
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
        let context = context_language.map_or(Context::Unknown, context_of);
        has_cjk(line).then(|| self.of_cjk(line, context))
    }

    /// The lines of a text that have a language.
    pub fn lines(&self, text: &str, context_language: Option<&str>) -> Vec<Line> {
        if !has_cjk(text) {
            return Vec::new();
        }
        let around = || {
            let has_others = text.contains('\n');
            if has_others && self.of_cjk(text, Context::Unknown) == Language::Japanese {
                Context::Japanese
            } else {
                Context::Unknown
            }
        };
        let context = context_language.map_or_else(around, context_of);
        let mut end = 0;
        let lines = text.split('\n').filter_map(|line| {
            let start = end;
            end += line.chars().count() + 1;
            let language = has_cjk(line).then(|| self.of_cjk(line, context))?;
            let end = end - 1;
            Some(Line {
                language,
                start,
                end,
            })
        });
        lines.collect()
    }

    fn of_cjk(&self, line: &str, context: Context) -> Language {
        let is_japanese = context == Context::Japanese
            || has_kana(line)
            || (context == Context::Unknown && self.is_written_in_japanese(line));
        if is_japanese && !self.is_certainly_chinese(line) {
            Language::Japanese
        } else {
            Language::Chinese
        }
    }
}

fn common_han(text: &str) -> Characters {
    let mut found = Characters::default();
    for c in text.chars().filter(|c| COMMON_HAN.contains(c)) {
        found.insert(c);
    }
    found
}

/// What a language tag says.
fn context_of(tag: &str) -> Context {
    let language = tag.split('-').next().unwrap_or_default();
    match language.to_ascii_lowercase().as_str() {
        "ja" | "jpn" => Context::Japanese,
        "zh" | "zho" | "chi" | "cmn" | "yue" => Context::Chinese,
        _ => Context::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_the_language_of_its_characters_or_of_those_around_it() {
        use Language::{Chinese, Japanese};
        let languages = Languages::new("会議京都東予算資料", "会京都予算", "議京都東予算資料");
        let rows = [
            ("", None, &[][..]),
            ("tea\n", None, &[]),
            ("東京", None, &[(Chinese, 0, 2)]),
            ("東京", Some("ja-JP"), &[(Japanese, 0, 2)]),
            ("东京", Some("ja"), &[(Chinese, 0, 2)]),
            ("会議", None, &[(Japanese, 0, 2)]),
            ("会議", Some("en"), &[(Japanese, 0, 2)]),
            ("会議", Some("zh-TW"), &[(Chinese, 0, 2)]),
            ("会議资料", None, &[(Chinese, 0, 4)]),
            ("会議資料東資料", None, &[(Chinese, 0, 7)]),
            ("会々", None, &[(Japanese, 0, 2)]),
            ("东京会予算东京会的「の」", None, &[(Chinese, 0, 12)]),
            ("东京\n予算", None, &[(Chinese, 0, 2), (Chinese, 3, 5)]),
            ("資料\n会議", None, &[(Japanese, 0, 2), (Japanese, 3, 5)]),
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
