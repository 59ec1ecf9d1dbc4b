//! Which named things does a text mention?
//!
//! Names and texts arrive folded. In scripts that write words apart a name counts only at word borders.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Longer names are cut out of mention search, in characters.
const LONGEST: usize = 64;

/// Names to keys.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Names {
    by_name: FxHashMap<String, Vec<u64>>,
    by_key: FxHashMap<u64, Vec<String>>,
}

impl Names {
    /// Give `key` its names.
    pub fn insert(&mut self, key: u64, names: Vec<String>) {
        let fit: Vec<String> = names
            .into_iter()
            .filter(|name| can_be_mentioned(name))
            .collect();
        for name in &fit {
            let keys = self.by_name.entry(name.clone()).or_default();
            keys.push(key);
            keys.sort_unstable();
            keys.dedup();
        }
        self.by_key.insert(key, fit);
    }

    /// Take the names of `key` away.
    pub fn remove(&mut self, key: u64) {
        for name in self.by_key.remove(&key).unwrap_or_default() {
            let Some(keys) = self.by_name.get_mut(&name) else {
                continue;
            };
            keys.retain(|&each| each != key);
            if keys.is_empty() {
                self.by_name.remove(&name);
            }
        }
    }

    /// Keys named in `text`, longest names first at each place, each key once, in order of mention.
    pub fn mentioned(&self, text: &str) -> Vec<u64> {
        if self.by_name.is_empty() {
            return Vec::new();
        }
        let starts: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        let mut found: Vec<u64> = Vec::new();
        let mut first = 0;
        while first + 1 < starts.len() {
            let (keys, length) = self.longest_at(text, &starts, first);
            for &key in keys {
                if !found.contains(&key) {
                    found.push(key);
                }
            }
            first += length.max(1);
        }
        found
    }

    fn longest_at(&self, text: &str, starts: &[usize], first: usize) -> (&[u64], usize) {
        let most = LONGEST.min(starts.len() - 1 - first);
        for length in (1..=most).rev() {
            let (from, to) = (starts[first], starts[first + length]);
            if let Some(keys) = self
                .by_name
                .get(&text[from..to])
                .filter(|_| stands_alone(text, from, to))
            {
                return (keys, length);
            }
        }
        (&[], 0)
    }

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        self.by_name.keys().map(|name| 2 * name.len() + 80).sum()
    }
}

/// One letter says too little, but for one Han character.
fn can_be_mentioned(name: &str) -> bool {
    let chars = name.chars().count();
    (2..=LONGEST).contains(&chars) || (chars == 1 && name.chars().all(is_han))
}

/// Whether no word goes on across either border.
fn stands_alone(text: &str, from: usize, to: usize) -> bool {
    let inside = &text[from..to];
    let before = text[..from].chars().next_back();
    let after = text[to..].chars().next();
    !goes_on(before, inside.chars().next()) && !goes_on(inside.chars().next_back(), after)
}

fn goes_on(left: Option<char>, right: Option<char>) -> bool {
    left.is_some_and(is_spaced) && right.is_some_and(is_spaced)
}

/// Letters and digits of scripts that write words apart.
fn is_spaced(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Scripts without spaces: Han, kana, Thai, Lao, Myanmar, Khmer; Hangul joins particles to its words.
fn is_unspaced(c: char) -> bool {
    is_han(c)
        || matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}')
        || matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_every_script() {
        let mut names = Names::default();
        for (key, name) in [
            (1, "bob"),
            (2, "東京"),
            (3, "東京大学"),
            (4, "小明"),
            (5, "서울"),
            (6, "猫"),
            (7, "x"),
        ] {
            names.insert(key, vec![name.into()]);
        }
        for (text, keys) in [
            ("bob的朋友", vec![1]),
            ("bobby", vec![]),
            ("thingumbob", vec![]),
            ("東京大学の東京", vec![3, 2]),
            ("小明和bob", vec![4, 1]),
            ("서울에서", vec![5]),
            ("うちの猫", vec![6]),
            ("x is short", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(names.mentioned(text), keys, "{text}");
        }
        names.remove(2);
        assert_eq!(names.mentioned("東京"), [] as [u64; 0]);
    }
}
