//! Which named things does a text mention?
//!
//! Names and texts are given folded; all kinds of apostrophes and hyphens are treated as one. In scripts that separate words, a
//! name counts only at word boundaries; in Hangul, only where a word begins, since particles follow; in others, only if the text
//! has it as a word or as several smaller ones, so that 京都 is not found in 東京都.
//!
//! Useful for: names that change with every write, for which an automaton would have to be rebuilt: the first two characters
//! tell which lengths are possible, and each length is one look-up. Not useful for: similar spellings.
//! Invariant: `mentioned` depends on the names that are present, never on the order in which they were added.

use crate::IndexError;
use crate::snapshot::{Reader, Writer};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Names with more characters are not searched for.
const MAX_CHARS: usize = 64;

/// What may bear a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bearer {
    /// A named thing.
    Node,
    /// A document with a title.
    Document,
    /// A document of a thread that has a name.
    Thread,
}

impl Bearer {
    const EACH: [Bearer; 3] = [Bearer::Node, Bearer::Document, Bearer::Thread];

    /// A name with more bearers is too ambiguous to count. Documents that share a title are parts of one work, and whoever
    /// names it refers to none in particular; whoever names a thread refers to everything in it.
    const fn max_bearers(self) -> usize {
        match self {
            Bearer::Node => 8,
            Bearer::Document => 1,
            Bearer::Thread => 32,
        }
    }
}

/// A name, and conditions on texts that mention it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// Folded.
    pub text: String,
    /// Its words, once for each language that it may be read in (春 is one term in Japanese texts and another in Chinese ones). A
    /// text mentions the name only if it has the words of one, or smaller ones that the name consists of (analysers sometimes
    /// split 小明). Without any the characters are enough.
    pub words: Vec<Vec<String>>,
    /// Terms by which texts that may mention it are looked up...
    pub terms: Vec<String>,
    /// ...in this field.
    pub field: usize,
}

/// A name that is present.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    name: Name,
    /// Keys by [`Bearer`], each list ascending.
    bearers: [Vec<u64>; Bearer::EACH.len()],
}

/// Keys by name.
#[derive(Debug, Default)]
pub struct Names {
    /// Each shared with a snapshot that is being written, until it changes.
    entries: FxHashMap<String, Arc<Entry>>,
    by_key: FxHashMap<(u64, Bearer), Vec<String>>,
    /// By the first two characters: bit n is set if a name may have n + 1 characters.
    lengths: FxHashMap<Beginning, u64>,
    /// Names whose bearers changed, for which no document was read again yet.
    changed: Vec<Name>,
}

type Beginning = (char, Option<char>);

/// The names that are present at one moment.
pub(crate) struct KeptNames(Vec<Arc<Entry>>);

impl KeptNames {
    pub(crate) fn write(self, out: &mut Writer) -> Result<(), IndexError> {
        let entries: Vec<&Entry> = self.0.iter().map(|entry| &**entry).collect();
        out.value("names", &entries)
    }
}

impl Names {
    /// Replace the names that `key` has as this kind of bearer.
    pub fn set_names(&mut self, key: u64, bearer: Bearer, names: &[Name]) {
        let mut kept: Vec<String> = Vec::new();
        let fit = names.iter().filter(|name| can_be_mentioned(&name.text));
        for name in fit.map(Name::with_keyboard_punctuation) {
            if !kept.contains(&name.text) {
                kept.push(name.text.clone());
                self.add_bearer(key, bearer, &name);
            }
        }
        let before = if kept.is_empty() {
            self.by_key.remove(&(key, bearer))
        } else {
            self.by_key.insert((key, bearer), kept.clone())
        };
        for text in before.unwrap_or_default() {
            if !kept.contains(&text) {
                self.remove_bearer(key, bearer, &text);
            }
        }
    }

    /// Remove all names of `key`.
    pub fn remove(&mut self, key: u64) {
        for bearer in Bearer::EACH {
            for text in self.by_key.remove(&(key, bearer)).unwrap_or_default() {
                self.remove_bearer(key, bearer, &text);
            }
        }
    }

    fn add_bearer(&mut self, key: u64, bearer: Bearer, name: &Name) {
        let entry = self.entries.entry(name.text.clone());
        let entry = entry.or_insert_with(|| {
            Arc::new(Entry {
                name: name.clone(),
                bearers: Default::default(),
            })
        });
        if let Err(place) = entry.bearers[bearer as usize].binary_search(&key) {
            let bearers = &mut Arc::make_mut(entry).bearers[bearer as usize];
            bearers.insert(place, key);
            *self.lengths.entry(beginning(&name.text)).or_default() |= length_bit(&name.text);
            if bearers.len() <= bearer.max_bearers() + 1 {
                self.changed.push(name.clone());
            }
        }
    }

    fn remove_bearer(&mut self, key: u64, bearer: Bearer, text: &str) {
        let Some(entry) = self.entries.get_mut(text) else {
            return;
        };
        let bearers = &entry.bearers[bearer as usize];
        if let Ok(place) = bearers.binary_search(&key) {
            if bearers.len() <= bearer.max_bearers() + 1 {
                self.changed.push(entry.name.clone());
            }
            Arc::make_mut(entry).bearers[bearer as usize].remove(place);
        }
        if entry.bearers.iter().all(Vec::is_empty) {
            self.entries.remove(text);
        }
    }

    /// Names whose bearers changed since the last call.
    pub fn take_changed(&mut self) -> Vec<Name> {
        std::mem::take(&mut self.changed)
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Keys of the nodes with this name.
    pub fn nodes_named(&self, name: &str) -> &[u64] {
        let entry = self.entries.get(&*with_keyboard_punctuation(name));
        entry.map_or(&[], |entry| &entry.bearers[Bearer::Node as usize])
    }

    /// Keys named in `text`, by the longest name at each position, each key once, in order of mention. `has_word`: whether the text
    /// has a word.
    pub fn mentioned(&self, text: &str, has_word: impl Fn(&str) -> bool) -> Vec<u64> {
        if self.is_empty() {
            return Vec::new();
        }
        let text = &*with_keyboard_punctuation(text);
        let chars: Vec<(usize, char)> = text.char_indices().chain([(text.len(), ' ')]).collect();
        let mut found: Vec<u64> = Vec::new();
        let mut first = 0;
        while first + 1 < chars.len() {
            let (entry, length) = self.longest_at(text, &chars, first, &has_word);
            for key in entry.into_iter().flat_map(Entry::referents) {
                if !found.contains(&key) {
                    found.push(key);
                }
            }
            first += length;
        }
        found
    }

    /// The longest name that begins at a position, and by how many characters to advance.
    fn longest_at(
        &self,
        text: &str,
        chars: &[(usize, char)],
        first: usize,
        has_word: &impl Fn(&str) -> bool,
    ) -> (Option<&Entry>, usize) {
        if first > 0 && is_inside_word(chars[first - 1].1, chars[first].1) {
            return (None, 1);
        }
        let mut lengths = self.lengths_at(chars, first);
        while lengths > 0 {
            let length = lengths.ilog2() as usize + 1;
            lengths ^= 1 << (length - 1);
            let end = first + length;
            if end >= chars.len() || continues_word(chars[end - 1].1, chars[end].1) {
                continue;
            }
            let entry = self.entries.get(&text[chars[first].0..chars[end].0]);
            if let Some(entry) = entry.filter(|entry| entry.name.is_word_of(has_word)) {
                return (Some(&**entry), length);
            }
        }
        (None, 1)
    }

    fn lengths_at(&self, chars: &[(usize, char)], first: usize) -> u64 {
        let of = |beginning: Beginning| self.lengths.get(&beginning).copied().unwrap_or(0);
        let (one, two) = (chars[first].1, chars[first + 1].1);
        of((one, Some(two))) | of((one, None))
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        let entry = |entry: &Arc<Entry>| {
            let words = entry.name.words.iter().map(Vec::len);
            let terms = words.sum::<usize>() + entry.name.terms.len();
            3 * entry.name.text.len() + 40 * terms + 200
        };
        self.entries.values().map(entry).sum()
    }

    /// The names as they are now, while they are changed.
    pub(crate) fn kept(&self) -> KeptNames {
        KeptNames(self.entries.values().cloned().collect())
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let mut names = Self::default();
        for entry in from.value::<Vec<Entry>>("names")? {
            names.insert(entry);
        }
        Ok(names)
    }

    fn insert(&mut self, entry: Entry) {
        let text = &entry.name.text;
        *self.lengths.entry(beginning(text)).or_default() |= length_bit(text);
        for bearer in Bearer::EACH {
            for &key in &entry.bearers[bearer as usize] {
                let names = self.by_key.entry((key, bearer)).or_default();
                names.push(text.clone());
            }
        }
        self.entries.insert(text.clone(), Arc::new(entry));
    }
}

impl Entry {
    /// The keys that the name refers to.
    fn referents(&self) -> impl Iterator<Item = u64> {
        let few = |bearer: &Bearer| self.bearers[*bearer as usize].len() <= bearer.max_bearers();
        let kinds = Bearer::EACH.into_iter().filter(few);
        kinds.flat_map(|bearer| self.bearers[bearer as usize].iter().copied())
    }
}

impl Name {
    /// The words stay, since analysers make no difference.
    fn with_keyboard_punctuation(&self) -> Self {
        let text = with_keyboard_punctuation(&self.text).into_owned();
        Self {
            text,
            ..self.clone()
        }
    }

    fn is_word_of(&self, has_word: &impl Fn(&str) -> bool) -> bool {
        let has_all = |words: &Vec<String>| words.iter().all(|word| has_word(word));
        self.words.is_empty()
            || self.words.iter().any(has_all)
            || is_made_of_words(&self.text, has_word)
    }
}

/// Replaces the apostrophes and hyphens of word processors by those of a keyboard; the number of characters stays.
fn with_keyboard_punctuation(text: &str) -> Cow<'_, str> {
    if text.contains(['’', '‐']) {
        Cow::Owned(text.replace('’', "'").replace('‐', "-"))
    } else {
        Cow::Borrowed(text)
    }
}

fn is_made_of_words(text: &str, has_word: &impl Fn(&str) -> bool) -> bool {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let mut borders = vec![0];
    for end in ends {
        if borders.iter().any(|&start| has_word(&text[start..end])) {
            borders.push(end);
        }
    }
    borders.last() == Some(&text.len())
}

fn beginning(name: &str) -> Beginning {
    let mut chars = name.chars();
    (chars.next().unwrap_or_default(), chars.next())
}

fn length_bit(name: &str) -> u64 {
    1 << (name.chars().count() - 1)
}

/// A single letter is too short to be a mention, unless it is a Han character.
fn can_be_mentioned(name: &str) -> bool {
    let chars = name.chars().count();
    (2..=MAX_CHARS).contains(&chars) || (chars == 1 && name.chars().all(is_han))
}

/// Whether two adjacent characters belong to the same word.
fn continues_word(left: char, right: char) -> bool {
    is_spaced(left) && is_spaced(right)
}

/// Whether no name begins between two adjacent characters.
fn is_inside_word(left: char, right: char) -> bool {
    continues_word(left, right) || (is_hangul(left) && is_hangul(right))
}

/// Letters and digits of scripts that separate words.
fn is_spaced(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}')
}

/// Scripts without spaces: Han, kana, Thai, Lao, Myanmar, Khmer; Hangul joins particles to its words.
fn is_unspaced(c: char) -> bool {
    is_han(c)
        || is_hangul(c)
        || matches!(c, '\u{3040}'..='\u{30ff}')
        || matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str, words: &[&str]) -> Name {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        Name {
            text: text.into(),
            terms: words.clone(),
            words: vec![words],
            field: 0,
        }
    }

    fn mentioned(names: &Names, text: &str) -> Vec<u64> {
        names.mentioned(text, |_| true)
    }

    #[test]
    fn names_are_found_in_every_script() {
        let mut names = Names::default();
        for (key, text) in [
            (1, "bob"),
            (2, "東京"),
            (3, "東京大学"),
            (4, "小明"),
            (5, "서울"),
            (6, "猫"),
            (7, "x"),
            (8, "猫の手"),
            (9, "สมชาย"),
        ] {
            names.set_names(key, Bearer::Node, &[name(text, &[])]);
        }
        for (text, keys) in [
            ("bob的朋友", vec![1]),
            ("bobby", vec![]),
            ("thingumbob", vec![]),
            ("alice and bob", vec![1]),
            ("東京大学の東京", vec![3, 2]),
            ("小明和bob", vec![4, 1]),
            ("서울에서", vec![5]),
            ("어제 서울로", vec![5]),
            ("새서울에서", vec![]),
            ("친구bob", vec![1]),
            ("うちの猫", vec![6]),
            ("猫の手も", vec![8]),
            ("วันนี้สมชายมา", vec![9]),
            ("x is short", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(mentioned(&names, text), keys, "{text}");
        }
        names.remove(2);
        assert_eq!(mentioned(&names, "東京"), [] as [u64; 0]);
    }

    #[test]
    fn a_name_is_found_whatever_apostrophe_or_hyphen_was_typed() {
        for (name_text, text) in [
            ("o'brien", "mr. o’brien came"),
            ("o’brien", "mr. o'brien’s tea"),
            ("jean-luc", "jean\u{2010}lucに会った"),
            ("d’été 店", "那家d'été 店"),
        ] {
            let mut names = Names::default();
            names.set_names(1, Bearer::Node, &[name(name_text, &[])]);
            assert_eq!(mentioned(&names, text), [1], "{name_text}: {text}");
            assert_eq!(names.nodes_named(name_text), [1], "{name_text}");
            names.remove(1);
            assert!(names.is_empty(), "{name_text}");
        }
    }

    #[test]
    fn a_name_counts_where_its_words_are_words_of_the_text() {
        let mut names = Names::default();
        names.set_names(1, Bearer::Node, &[name("京都", &["京都"])]);
        names.set_names(2, Bearer::Node, &[name("王小明", &["王小明"])]);
        for (text, words, keys) in [
            ("東京都庁", ["東京", "都庁"].as_slice(), vec![]),
            ("京都の庭", &["京都", "庭"], vec![1]),
            ("王小明の友達", &["王", "小", "明", "友達"], vec![2]),
            ("王小明の友達", &["王", "小明", "友達"], vec![2]),
            ("王小明天来", &["王", "小", "明天", "来"], vec![]),
        ] {
            let has_word = |word: &str| words.contains(&word);
            assert_eq!(names.mentioned(text, has_word), keys, "{text}");
        }
    }

    #[test]
    fn the_words_of_one_language_are_enough() {
        let in_two = Name {
            words: vec![vec!["spring".into()], vec!["春".into()]],
            ..name("春", &[])
        };
        let mut names = Names::default();
        names.set_names(1, Bearer::Node, &[in_two]);
        for (text, word, keys) in [
            ("春は元気", "spring", vec![1]),
            ("春来了", "春", vec![1]),
            ("青春", "youth", vec![]),
        ] {
            assert_eq!(names.mentioned(text, |each| each == word), keys, "{text}");
        }
    }

    #[test]
    fn a_name_with_too_many_bearers_refers_to_nobody() {
        let (mut names, most) = (Names::default(), Bearer::Node.max_bearers());
        let key_of = |key: usize| key as u64;
        (0..most).for_each(|key| names.set_names(key_of(key), Bearer::Node, &[name("memo", &[])]));
        assert_eq!(mentioned(&names, "a memo").len(), most);
        names.set_names(99, Bearer::Node, &[name("memo", &[])]);
        assert_eq!(mentioned(&names, "a memo"), [] as [u64; 0]);
        names.remove(0);
        assert_eq!(mentioned(&names, "a memo").len(), most);
    }

    #[test]
    fn a_title_of_two_documents_refers_to_neither_but_still_to_a_node_of_that_name() {
        let mut names = Names::default();
        names.set_names(1, Bearer::Node, &[name("梅雨", &[])]);
        names.set_names(2, Bearer::Document, &[name("梅雨", &[])]);
        assert_eq!(mentioned(&names, "梅雨の晴れ間"), [1, 2]);
        names.set_names(4, Bearer::Document, &[name("梅雨", &[])]);
        assert_eq!(mentioned(&names, "梅雨の晴れ間"), [1]);
        names.remove(2);
        assert_eq!(mentioned(&names, "梅雨の晴れ間"), [1, 4]);
    }

    #[test]
    fn the_name_of_a_thread_refers_to_all_its_documents_unless_they_are_many() {
        let (mut names, most) = (Names::default(), Bearer::Thread.max_bearers());
        names.set_names(0, Bearer::Document, &[name("京都旅行", &[])]);
        let key_of = |key: usize| key as u64;
        for key in (0..most).map(key_of) {
            names.set_names(key, Bearer::Thread, &[name("京都旅行", &[])]);
        }
        assert_eq!(mentioned(&names, "京都旅行の予算").len(), most);
        names.set_names(99, Bearer::Thread, &[name("京都旅行", &[])]);
        assert_eq!(mentioned(&names, "京都旅行の予算"), [0]);
        names.set_names(0, Bearer::Document, &[]);
        assert_eq!(mentioned(&names, "京都旅行の予算"), [] as [u64; 0]);
        names.remove(99);
        assert_eq!(mentioned(&names, "京都旅行の予算").len(), most);
    }

    #[test]
    fn changed_names_are_those_whose_bearers_changed() {
        let mut names = Names::default();
        let mut changed = |key: u64, texts: &[&str]| {
            let given: Vec<Name> = texts.iter().map(|text| name(text, &[])).collect();
            names.set_names(key, Bearer::Node, &given);
            let taken = names.take_changed().into_iter();
            taken.map(|name| name.text).collect::<Vec<_>>()
        };
        assert_eq!(changed(1, &["京都", "kyoto"]), ["京都", "kyoto"]);
        assert_eq!(changed(1, &["京都", "kyoto"]), [] as [&str; 0]);
        assert_eq!(changed(1, &["kyoto", "京"]), ["京", "京都"]);
        assert_eq!(changed(1, &[]), ["kyoto", "京"]);
        let most = Bearer::Node.max_bearers();
        for key in 0..20 {
            let expected = usize::from(key <= most as u64);
            assert_eq!(changed(key, &["memo"]).len(), expected, "{key}");
        }
    }
}
