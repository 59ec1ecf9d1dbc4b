//! To which script does one character belong?
//!
//! Useful for: how to analyse what it stands in. Not useful for: telling Chinese from Japanese; Han characters are shared.
//! Invariant: total; a combining mark has no script of its own.

use unicode_normalization::char::is_combining_mark;

/// Scripts, as far as their analysis differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Script {
    /// Chinese characters, 々, 〆 and 〇.
    Han,
    /// Hiragana, Katakana (of either width) and the prolonged sound mark.
    Kana,
    /// Korean syllables and letters.
    Hangul,
    /// Latin letters of any width.
    Latin,
    /// Thai letters.
    Thai,
    /// Numerals of any script.
    Digit,
    /// Letters of any other script.
    Other,
    /// White space, punctuation, symbols, controls.
    Space,
}

/// First and last code point of each block with a script of its own, in order. Other characters are classified by whether they
/// are letters or numbers.
const BLOCKS: &[(u32, u32, Script)] = &[
    (0x0041, 0x005A, Script::Latin),
    (0x0061, 0x007A, Script::Latin),
    (0x00AA, 0x00AA, Script::Latin),
    (0x00BA, 0x00BA, Script::Latin),
    (0x00C0, 0x00D6, Script::Latin),
    (0x00D8, 0x00F6, Script::Latin),
    (0x00F8, 0x02AF, Script::Latin),
    (0x0E01, 0x0E3A, Script::Thai),
    (0x0E40, 0x0E4E, Script::Thai),
    (0x1100, 0x11FF, Script::Hangul),
    (0x1E00, 0x1EFF, Script::Latin),
    (0x2C60, 0x2C7F, Script::Latin),
    (0x2E80, 0x2FD5, Script::Han),
    (0x3005, 0x3007, Script::Han),
    (0x3021, 0x3029, Script::Han),
    (0x3031, 0x3035, Script::Kana),
    (0x3038, 0x303B, Script::Han),
    (0x3041, 0x3096, Script::Kana),
    (0x3099, 0x309A, Script::Kana),
    (0x309D, 0x309F, Script::Kana),
    (0x30A1, 0x30FA, Script::Kana),
    (0x30FC, 0x30FF, Script::Kana),
    (0x3131, 0x318E, Script::Hangul),
    (0x31F0, 0x31FF, Script::Kana),
    (0x3400, 0x4DBF, Script::Han),
    (0x4E00, 0x9FFF, Script::Han),
    (0xA722, 0xA788, Script::Latin),
    (0xA78B, 0xA7FF, Script::Latin),
    (0xA960, 0xA97C, Script::Hangul),
    (0xAB30, 0xAB5A, Script::Latin),
    (0xAB5C, 0xAB68, Script::Latin),
    (0xAC00, 0xD7FB, Script::Hangul),
    (0xF900, 0xFAFF, Script::Han),
    (0xFB00, 0xFB06, Script::Latin),
    (0xFF21, 0xFF3A, Script::Latin),
    (0xFF41, 0xFF5A, Script::Latin),
    (0xFF66, 0xFF9F, Script::Kana),
    (0xFFA0, 0xFFDC, Script::Hangul),
    (0x1_AFF0, 0x1_B16F, Script::Kana),
    (0x2_0000, 0x3_FFFD, Script::Han),
];

impl Script {
    /// The script of `c`; `None` for a combining mark, which takes the script of its base.
    ///
    /// Thai vowel signs and the Japanese voicing marks are marks too, but occur only with their own script.
    pub fn of(c: char) -> Option<Self> {
        if c.is_ascii() {
            return Some(Self::of_letter_or_number(c));
        }
        match Self::of_block(c) {
            Some(script) => Some(script),
            None if is_combining_mark(c) => None,
            None => Some(Self::of_letter_or_number(c)),
        }
    }

    /// Whether text of this script is found by its character grams.
    pub fn has_grams(self) -> bool {
        matches!(self, Self::Han | Self::Kana | Self::Hangul)
    }

    /// Whether `c` is Han or kana, whose words a dictionary knows.
    pub(crate) fn is_han_or_kana(c: char) -> bool {
        match c {
            '\0'..='\u{2e7f}' => false,
            // The ranges that most text is made of, without a search.
            '\u{3400}'..='\u{9fff}' | '\u{3041}'..='\u{3096}' => true,
            _ => matches!(Self::of_block(c), Some(Self::Han | Self::Kana)),
        }
    }

    pub(crate) fn of_block(c: char) -> Option<Self> {
        let point = u32::from(c);
        let at = BLOCKS.partition_point(|&(_, last, _)| last < point);
        BLOCKS
            .get(at)
            .filter(|&&(first, _, _)| first <= point)
            .map(|&(_, _, script)| script)
    }

    fn of_letter_or_number(c: char) -> Self {
        if c.is_ascii_alphabetic() {
            Self::Latin
        } else if c.is_numeric() {
            Self::Digit
        } else if c.is_alphabetic() {
            Self::Other
        } else {
            Self::Space
        }
    }
}

/// Katakana that words consist of.
pub(crate) fn is_katakana(c: char) -> bool {
    matches!(c, 'ァ'..='ヺ' | 'ー')
}

pub(crate) fn is_hiragana(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ')
}

/// White space as in Python's regular expressions: with the four ASCII separators.
pub(crate) fn is_white_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_in_order_and_apart() {
        for pair in BLOCKS.windows(2) {
            assert!(pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0, "{pair:?}");
        }
    }

    #[test]
    fn every_character_has_its_script() {
        let rows = [
            ("漢々〆〇㐀𠮷豈", Script::Han),
            ("ひカーｶﾞｰゟヿㇰ", Script::Kana),
            ("한ㄱᄀ", Script::Hangul),
            ("aZéßＡƀạ", Script::Latin),
            ("กาแำ", Script::Thai),
            ("0９٣Ⅷ½", Script::Digit),
            ("жωאبकㄅ", Script::Other),
            (" 　\n、・゠!😀฿×÷\0", Script::Space),
        ];
        for (characters, script) in rows {
            for c in characters.chars() {
                assert_eq!(Script::of(c), Some(script), "{c:?}");
            }
        }
    }

    #[test]
    fn a_combining_mark_has_no_script_of_its_own() {
        for c in ['\u{301}', '\u{94D}', '\u{64B}'] {
            assert_eq!(Script::of(c), None, "{c:?}");
        }
    }
}
