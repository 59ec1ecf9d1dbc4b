//! Fast folding of the common cases: which spellings are the same character?
//!
//! Useful for: nearly every text, above all Japanese, Chinese, Korean and ASCII. Not useful for: characters that need Unicode's
//! tables for composition or decomposition, for which `plain` returns `None`.
//! Invariant: whenever `plain` returns a text, it equals NFKC and case folding; `Variants::fold` keeps the number of
//! characters.

use crate::Script;
use std::borrow::Cow;
use std::sync::LazyLock;
use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// First code point of the range in which nearly all characters with variants are: kana and Han.
const FIRST_VARIANT: u32 = 0x3000;
/// One past the last code point of this range.
const END_OF_VARIANTS: u32 = 0xFB00;
/// First code point of the planes of rare Han characters, a few of which are variants of common ones.
const FIRST_RARE_HAN: u32 = 0x20000;

/// NFKC and case folding of a text whose characters need no tables; `None` for any other text.
///
/// ```
/// assert_eq!(omoide_text::plain("ＡＩで　東京"), Some("aiで 東京".to_owned()));
/// assert_eq!(omoide_text::plain("cafe\u{301}"), None);
/// ```
pub fn plain(text: &str) -> Option<String> {
    if text.is_ascii() {
        return Some(text.to_ascii_lowercase());
    }
    let mut plain = String::with_capacity(text.len());
    // The beginning of the current run of unchanged characters: most of a text is unchanged, and copied run by run.
    let (mut unchanged_from, forms) = (0, Forms::known());
    for (at, c) in text.char_indices() {
        let form = forms.of(c);
        if form == Some(c) {
            continue;
        }
        plain.push_str(&text[unchanged_from..at]);
        unchanged_from = at + c.len_utf8();
        match form {
            Some(form) => plain.push(form),
            None => plain.push_str(expansion(c)?),
        }
    }
    plain.push_str(&text[unchanged_from..]);
    Some(plain)
}

/// A table of the characters that become a single character, so that folding one takes a few instructions.
struct Forms {
    /// By code point of the basic plane.
    basic: Vec<u16>,
}

/// Marks a missing entry in a table: a surrogate, which is no character.
const NO_ENTRY: u16 = 0xD800;

impl Forms {
    /// Made when the first text comes.
    fn known() -> &'static Self {
        static KNOWN: LazyLock<Forms> = LazyLock::new(|| {
            let characters = (0..=u32::from(u16::MAX)).map(char::from_u32);
            let basic = characters.map(|c| to_entry(c.and_then(folded_to_one)));
            Forms {
                basic: basic.collect(),
            }
        });
        &KNOWN
    }

    /// `None` if it becomes several characters, or needs Unicode's tables.
    #[inline]
    fn of(&self, c: char) -> Option<char> {
        match self.basic.get(c as usize) {
            Some(&form) => from_entry(form),
            None => folded_to_one(c),
        }
    }
}

/// A character as a table entry; [`NO_ENTRY`] also for one beyond the basic plane.
fn to_entry(c: Option<char>) -> u16 {
    c.and_then(|c| u16::try_from(u32::from(c)).ok())
        .unwrap_or(NO_ENTRY)
}

#[inline]
fn from_entry(entry: u16) -> Option<char> {
    char::from_u32(u32::from(entry))
}

/// The folded form of a character; `None` if it is not a single character, or needs Unicode's tables.
fn folded_to_one(c: char) -> Option<char> {
    if folds_to_itself(c) {
        Some(c)
    } else {
        folded_form(c)
    }
}

/// The folded form of a character that does not stay as it is.
fn folded_form(c: char) -> Option<char> {
    Some(match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        'À'..='Ö' | 'Ø'..='Þ' => c.to_lowercase().next()?,
        // Latin, Greek, Cyrillic, Armenian: Unicode still adds capitals to other scripts, which an older Python does not know.
        _ if c < '\u{590}' => lowercase_form(c).or_else(|| other_width(c))?,
        _ => other_width(c)?,
    })
}

/// The folded form of a compatibility variant in width, height or position: Ａ ³ ﹐ ① ｶ 豈.
fn other_width(c: char) -> Option<char> {
    // Blocks that were complete before the Unicode version of any supported Python.
    let is_known = matches!(c, '\u{a0}'..='\u{ba}' | '\u{2000}'..='\u{209c}' | '\u{2100}'..='\u{24ff}' | '\u{3000}'..='\u{33ff}' | '\u{f900}'..='\u{fa6d}' | '\u{fe10}'..='\u{ffef}');
    let mut forms = std::iter::once(c).filter(|_| is_known).nfkc();
    let form = forms.next().filter(|&form| form != c)?;
    // The form must not combine with a character before it, and must itself need no tables.
    let is_one = forms.next().is_none() && is_normal(form);
    is_one.then(|| folded_to_one(form)).flatten()
}

/// The folded form of a character that becomes several, or none; `None` if that needs Unicode's tables.
fn expansion(c: char) -> Option<&'static str> {
    Some(match c {
        '…' => "...",
        '℃' => "°c",
        '℉' => "°f",
        '㎡' => "m2",
        '︰' => "..",
        // Joiners and the like disappear.
        '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => "",
        _ => return None,
    })
}

/// The lower-case form of a capital letter, if it is a single character that folds to itself.
fn lowercase_form(c: char) -> Option<char> {
    let mut forms = c.to_lowercase();
    let form = forms.next()?;
    let is_one = forms.next().is_none() && form < OTHER_SCRIPTS;
    (is_one && is_normal(c) && OWN_FORMS[form as usize]).then_some(form)
}

/// Whether a character folds to itself, as far as is known without Unicode's tables; the most frequent ones are checked first.
fn folds_to_itself(c: char) -> bool {
    is_everyday(c) || is_sign_or_rare(c) || (c < OTHER_SCRIPTS && OWN_FORMS[c as usize])
}

/// The part of these that needs no look-up in `OWN_FORMS`. None of them combines with a character before it, except skin tones.
pub(crate) fn is_common(c: char) -> bool {
    is_everyday(c) || is_sign_or_rare(c)
}

fn is_everyday(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fe}')
        || matches!(c, '\0'..='@' | '['..='\x7f' | '\u{3001}' | '\u{3002}')
}

/// Scripts before this code point have no ranges in the code here: Cyrillic, Arabic, Devanagari, Thai, phonetic and
/// mathematical signs.
const OTHER_SCRIPTS: char = '\u{2e80}';

/// Which of those characters fold to themselves, according to Unicode; computed when the first text has one.
static OWN_FORMS: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let characters = ('\0'..OTHER_SCRIPTS).map(has_own_form);
    characters.collect()
});

fn has_own_form(c: char) -> bool {
    let again = c.to_uppercase().flat_map(char::to_lowercase);
    // The folded forms of Cherokee are the capitals; some characters of other scripts are invisible.
    let is_folded =
        c.to_lowercase().eq([c]) && again.eq([c]) && !('\u{13a0}'..='\u{13ff}').contains(&c);
    let is_seen = !matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    is_normal(c) && is_folded && is_seen
}

/// Whether normalisation leaves a character unchanged, whatever precedes it.
fn is_normal(c: char) -> bool {
    is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes && canonical_combining_class(c) == 0
}

fn is_sign_or_rare(c: char) -> bool {
    matches!(
        c,
        '\u{3003}'..='\u{3029}'
            | 'ゝ'
            | 'ゞ'
            | '\u{3105}'..='\u{312c}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{1f300}'..='\u{1faff}'
            | '\u{e0}'..='\u{f6}'
            | '\u{f8}'..='\u{ff}'
            | 'α'..='ρ'
            | 'σ'..='ω'
            | '←'..='↓'
            | '·'
            | '°'
            | '×'
            | '‐'
            | '–'
            | '—'
            | '―'
            | '‘'
            | '’'
            | '“'
            | '”'
            | '•'
            | '─'
            | '※'
            | '○'
            | '●'
            | '◎'
            | '◯'
            | '△'
            | '▲'
            | '▽'
            | '▼'
            | '☆'
            | '★'
            | '□'
            | '■'
            | '◇'
            | '◆'
            | '♪'
    )
}

/// Folds the variants of a character to one.
#[derive(Debug)]
pub struct Variants {
    /// Folded forms by code point, from [`FIRST_VARIANT`] on.
    table: Vec<char>,
    /// (character, folded form) from [`FIRST_RARE_HAN`] on, sorted.
    rare: Vec<(char, char)>,
    /// For each character of the basic plane: what `plain` and variant folding together make of it; [`NO_ENTRY`] if that is not a
    /// single character of this plane.
    plain_and_folded: Vec<u16>,
}

impl Variants {
    /// From pairs of a character and what it folds to; characters other than kana and Han are ignored.
    pub fn new(pairs: impl IntoIterator<Item = (char, char)>) -> Self {
        let mut table: Vec<char> = (FIRST_VARIANT..END_OF_VARIANTS)
            .map(|point| char::from_u32(point).unwrap_or('\u{fffd}'))
            .collect();
        let mut rare = Vec::new();
        for (from, to) in pairs {
            if let Some(at) = table_index(from) {
                table[at] = to;
            } else if u32::from(from) >= FIRST_RARE_HAN {
                rare.push((from, to));
            }
        }
        rare.sort_unstable();
        let mut variants = Self {
            table,
            rare,
            plain_and_folded: Vec::new(),
        };
        let forms = Forms::known().basic.iter();
        let folded = forms.map(|&form| from_entry(form).filter(|&form| !is_repeat(form)));
        let folded = folded.map(|form| to_entry(form.map(|form| variants.of(form))));
        variants.plain_and_folded = folded.collect();
        variants
    }

    /// The text with every variant folded; borrowed if there is none. A mark of repetition becomes the character before it.
    pub fn fold<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let is_folded = |&(_, c): &(usize, char)| self.of(c) != c || is_repeat(c);
        let Some((at, _)) = text.char_indices().find(is_folded) else {
            return Cow::Borrowed(text);
        };
        let (unchanged, rest) = text.split_at(at);
        let mut folded = String::with_capacity(text.len());
        folded.push_str(unchanged);
        let mut before = unchanged.chars().next_back().unwrap_or_default();
        folded.extend(rest.chars().map(|c| {
            before = repeated(self.of(c), before);
            before
        }));
        Cow::Owned(folded)
    }

    /// Call `next` with the characters of the [`plain`] text, with every variant folded; `None` if the text has no plain form.
    pub(crate) fn fold_each(&self, text: &str, mut next: impl FnMut(char)) -> Option<()> {
        let mut before = '\0';
        for c in text.chars() {
            match self
                .plain_and_folded
                .get(c as usize)
                .copied()
                .and_then(from_entry)
            {
                Some(folded) => {
                    next(folded);
                    before = folded;
                }
                None => before = self.fold_one(c, before, &mut next)?,
            }
        }
        Some(())
    }

    /// The same for a character that may become several, repeats the one before, or is beyond the basic plane; returns the last.
    #[cold]
    fn fold_one(&self, c: char, before: char, next: &mut impl FnMut(char)) -> Option<char> {
        let mut last = before;
        let mut take = |form| {
            last = repeated(self.of(form), last);
            next(last);
        };
        match Forms::known().of(c) {
            Some(form) => take(form),
            None => expansion(c)?.chars().for_each(take),
        }
        Some(last)
    }

    fn of(&self, c: char) -> char {
        match table_index(c) {
            Some(at) => self.table[at],
            None if u32::from(c) >= FIRST_RARE_HAN => self.of_rare(c),
            None => c,
        }
    }

    fn of_rare(&self, c: char) -> char {
        self.rare
            .binary_search_by_key(&c, |&(from, _)| from)
            .map_or(c, |found| self.rare[found].1)
    }
}

/// Marks that repeat the character before them.
fn is_repeat(c: char) -> bool {
    matches!(c, '々' | '〻' | 'ゝ' | 'ゞ' | 'ヽ' | 'ヾ')
}

/// What a folded character stands for after another one: 々 for a Han character, ゝ for kana without a sound mark, ゞ for kana
/// with one.
fn repeated(c: char, before: char) -> char {
    if !is_repeat(c) {
        return c;
    }
    match (Script::of(before), c) {
        (Some(Script::Han), '々' | '〻') => before,
        (Some(Script::Kana), 'ゝ' | 'ヽ') => unvoiced(before),
        (Some(Script::Kana), 'ゞ' | 'ヾ') => {
            compose(unvoiced(before), VOICED_SOUND_MARK).unwrap_or(c)
        }
        _ => c,
    }
}

/// The sound mark of ガ, as a character that combines with カ.
const VOICED_SOUND_MARK: char = '\u{3099}';

fn unvoiced(kana: char) -> char {
    let mut first = None;
    decompose_canonical(kana, |c| first = first.or(Some(c)));
    first.unwrap_or(kana)
}

fn table_index(c: char) -> Option<usize> {
    (FIRST_VARIANT..END_OF_VARIANTS)
        .contains(&u32::from(c))
        .then(|| (u32::from(c) - FIRST_VARIANT) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_and_case_fold_without_tables() {
        let rows = [
            ("Docker设定", Some("docker设定")),
            ("３日、ｉＰｈｏｎｅ", Some("3日、iphone")),
            ("안녕…", Some("안녕...")),
            ("ｶﾋﾟﾊﾞﾗ", None),
            ("ｶﾒﾗ｡", Some("カメラ。")),
            ("か\u{3099}", None),
            ("Émile·Zola ☆", Some("émile·zola ☆")),
            ("straße ς", None),
            ("👩\u{200d}💻", Some("👩💻")),
            ("①", Some("1")),
            ("ㄅㄆㄇ 90℉", Some("ㄅㄆㄇ 90°f")),
            ("3﹪﹐39 ㎥³︰", None),
            ("3﹪﹐39 ㎡³︰", Some("3%,39 m23..")),
            ("ﬁ", None),
            ("Москва ∞ pīnyīn \u{e5}", Some("москва ∞ pīnyīn \u{e5}")),
            ("हिन्दी", None),
            ("ꮳ", None),
        ];
        for (text, expected) in rows {
            assert_eq!(plain(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn variants_become_one_and_the_length_stays() {
        let variants = Variants::new([
            ('臺', '台'),
            ('灣', '湾'),
            ('湾', '湾'),
            ('ひ', 'ヒ'),
            ('𠮷', '吉'),
            ('𠮟', '叱'),
        ]);
        let rows = [
            ("𠮷野家で𠮟る", "吉野家で叱る"),
            ("𩸽😀", "𩸽😀"),
            ("臺灣", "台湾"),
            ("台湾", "台湾"),
            ("ひ😀é", "ヒ😀é"),
            ("", ""),
            ("人々", "人人"),
            ("臺々湾", "台台湾"),
            ("ひゝ", "ヒヒ"),
            ("スヽメ", "ススメ"),
            ("イスヾ", "イスズ"),
            ("ヅヽ", "ヅツ"),
            ("バヾ", "ババ"),
            ("々ゝ A々 人ゝ アヾ", "々ゝ A々 人ゝ アヾ"),
        ];
        for (text, expected) in rows {
            assert_eq!(variants.fold(text), expected);
        }
        for text in ["人々 スヽメ", "ひゝ、ヅヾ", "々 AA々"] {
            let mut each = String::new();
            let found = variants.fold_each(text, |c| each.push(c));
            let plain = plain(text).expect("no tables are needed");
            assert_eq!(
                found.map(|()| each),
                Some(variants.fold(&plain).into_owned())
            );
        }
    }
}
