//! Which hashed features does a text have?
//!
//! Useful for: the lexical vector. Not useful for: explaining a match; hashes cannot be turned back into text.
//! Invariant: a feature depends only on the characters of one word or run, never on what surrounds it.

use unicode_normalization::char::is_combining_mark;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A hashed n-gram or word.
pub type Feature = u64;

/// Seeds that keep a whole word apart from an n-gram of the same letters. They are part of the vectors' definition.
const GRAM_SEED: u64 = 0x6f6d_6f69_6465_0001;
const WORD_SEED: u64 = 0x6f6d_6f69_6465_0002;
/// Characters in an n-gram.
const SHORTEST: usize = 2;
const LONGEST: usize = 4;
/// Placed before and after a word, so that prefixes and suffixes differ from its middle. Never a letter.
const BORDER: char = '\u{1}';

/// What a character belongs to, which decides how features are cut.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    /// A gap between words.
    #[default]
    Gap,
    /// A word, in a script that separates words.
    Word,
    /// A run of Han, kana or Hangul.
    Run,
}

impl Kind {
    fn of(c: char, before: Self) -> Self {
        if c.is_ascii() {
            return if c.is_ascii_alphanumeric() {
                Self::Word
            } else {
                Self::Gap
            };
        }
        match u32::from(c) {
            0x3001..=0x3004 | 0x3008..=0x3020 | 0x3030 | 0x30A0 | 0x30FB => Self::Gap,
            0x1100..=0x11FF
            | 0x3005..=0x318E
            | 0x31F0..=0x31FF
            | 0x3400..=0x9FFF
            | 0xA960..=0xA97F
            | 0xAC00..=0xD7FF
            | 0xF900..=0xFAFF
            | 0x2_0000..=0x3_FFFF => Self::Run,
            _ if is_combining_mark(c) => before,
            _ if c.is_alphanumeric() => Self::Word,
            _ => Self::Gap,
        }
    }
}

/// The features of `folded`, repeats included.
pub fn features(folded: &str) -> Vec<Feature> {
    let mut found = Vec::with_capacity(folded.len() * 2);
    let mut piece = Piece::default();
    for c in folded.chars() {
        let kind = Kind::of(c, piece.kind);
        if kind != piece.kind {
            piece.close(&mut found);
            piece.open(kind);
        }
        if kind != Kind::Gap {
            piece.push(c);
        }
    }
    piece.close(&mut found);
    found
}

/// The word or run being read; its buffers are reused for the next.
#[derive(Default)]
struct Piece {
    kind: Kind,
    text: String,
    /// Byte offset where each character starts.
    starts: Vec<usize>,
}

impl Piece {
    fn open(&mut self, kind: Kind) {
        self.kind = kind;
        self.text.clear();
        self.starts.clear();
        if kind == Kind::Word {
            self.push(BORDER);
        }
    }

    fn push(&mut self, c: char) {
        self.starts.push(self.text.len());
        self.text.push(c);
    }

    fn close(&mut self, found: &mut Vec<Feature>) {
        match self.kind {
            Kind::Gap => {}
            Kind::Run => self.close_run(found),
            Kind::Word => self.close_word(found),
        }
    }

    fn close_run(&mut self, found: &mut Vec<Feature>) {
        let length = self.mark_end();
        if length < SHORTEST {
            found.push(self.feature(0, length, GRAM_SEED));
        }
        self.grams(length, found);
    }

    fn close_word(&mut self, found: &mut Vec<Feature>) {
        self.push(BORDER);
        let length = self.mark_end();
        found.push(self.feature(1, length - 1, WORD_SEED));
        self.grams(length, found);
    }

    /// Append the end, so that every range of characters is a pair of entries; returns the number of characters.
    fn mark_end(&mut self) -> usize {
        let length = self.starts.len();
        self.starts.push(self.text.len());
        length
    }

    fn grams(&self, length: usize, found: &mut Vec<Feature>) {
        for start in 0..length {
            for end in start + SHORTEST..=length.min(start + LONGEST) {
                found.push(self.feature(start, end, GRAM_SEED));
            }
        }
    }

    fn feature(&self, start: usize, end: usize, seed: u64) -> Feature {
        let bytes = &self.text.as_bytes()[self.starts[start]..self.starts[end]];
        xxh3_64_with_seed(bytes, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> (usize, usize) {
        let mut found = features(text);
        let all = found.len();
        found.sort_unstable();
        found.dedup();
        (all, found.len())
    }

    #[test]
    fn a_piece_has_its_grams_and_a_word_itself() {
        let rows = [
            ("", 0),
            ("!", 0),
            ("猫", 1),
            ("子猫", 1),
            ("子猫達", 2 + 1),
            ("子・猫", 2),
            ("a", 2 + 1 + 1),
            ("tea", 4 + 3 + 2 + 1),
            ("e\u{301}", 3 + 2 + 1 + 1),
        ];
        for (text, expected) in rows {
            assert_eq!(counts(text), (expected, expected), "{text}");
        }
    }

    /// The first and the last of each range, and their neighbours.
    #[test]
    fn between_two_letters_a_character_is_a_gap_or_part_of_a_run_or_a_word_of_its_own() {
        let (gap, run, word) = (2, 2 + 1, 1 + 1 + 2 + 1 + 1);
        let rows = [
            ("、〃〄〈》「』【】〔〕〖〗〝〞〟〠〰゠・", gap),
            ("々〆〇〡〩〸〻ぁゞァヺーヿㄅㄱㆎㇰㇿ㐀䶿一鿿豈舘", run),
            (
                "\u{1100}\u{11ff}\u{a960}가힣\u{d7b0}\u{2_0000}𠮷\u{3_134f}\u{3099}",
                run,
            ),
            ("\u{ff}Ωяก", word),
        ];
        for (characters, expected) in rows {
            for c in characters.chars() {
                assert_eq!(counts(&format!("子{c}猫")).0, expected, "{c:?}");
            }
        }
    }
}
