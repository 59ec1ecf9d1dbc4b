//! Which documents have an attribute, or one value of it?
//!
//! Invariant: until the next renumbering, sets may still hold dead documents, which a search excludes by the set of live ones.

use crate::dictionary::Dictionary;
use crate::docset::DocSet;
use crate::ids::Renumbering;
use crate::snapshot::{Reader, Writer};
use crate::steps::{Steps, at_once, for_each, one_step};
use crate::{Doc, IndexError};

/// Separates the name and the value of an attribute; no name contains it.
const SEPARATOR: char = '\u{1f}';
/// A longer list becomes a bitmap if that takes less room.
const MAX_LIST_LEN: usize = 64;

/// One set of documents as stored: a list takes little room if few documents have the value, a bitmap is fast to unite if many
/// do.
#[derive(Debug, Default)]
enum StoredSet {
    #[default]
    None,
    One(Doc),
    List(Vec<Doc>),
    Bits(DocSet),
}

impl StoredSet {
    /// Call with ascending documents; the same one may be repeated directly.
    fn insert(&mut self, doc: Doc) {
        match self {
            Self::None => *self = Self::One(doc),
            Self::One(first) if *first == doc => {}
            Self::One(first) => *self = Self::List(vec![*first, doc]),
            Self::List(docs) if docs.last() == Some(&doc) => {}
            Self::List(docs) => {
                docs.push(doc);
                if docs.len() > MAX_LIST_LEN && docs.len() * 32 > doc as usize {
                    *self = Self::Bits(docs.iter().copied().collect());
                }
            }
            Self::Bits(docs) => docs.insert(doc),
        }
    }

    fn add_to(&self, set: &mut DocSet) {
        match self {
            Self::None => {}
            Self::One(doc) => set.insert(*doc),
            Self::List(docs) => docs.iter().for_each(|&doc| set.insert(doc)),
            Self::Bits(docs) => set.unite(docs),
        }
    }

    fn docs(&self) -> Vec<Doc> {
        match self {
            Self::None => Vec::new(),
            Self::One(doc) => vec![*doc],
            Self::List(docs) => docs.clone(),
            Self::Bits(docs) => docs.iter().collect(),
        }
    }

    fn renumbered(&self, to: &Renumbering) -> Self {
        let mut new = Self::None;
        for doc in self.docs().into_iter().filter_map(|doc| to.of(doc)) {
            new.insert(doc);
        }
        new
    }

    fn bytes(&self) -> usize {
        let heap = match self {
            Self::None | Self::One(_) => 0,
            Self::List(docs) => docs.capacity() * 4,
            Self::Bits(docs) => docs.bytes(),
        };
        size_of::<Self>() + heap
    }
}

/// Names or (name, value) pairs, numbered, and the documents of each.
#[derive(Debug, Default)]
struct Sets {
    numbers: Dictionary,
    sets: Vec<StoredSet>,
}

/// The sets as a snapshot stores them: lists one after another, and bitmaps.
#[derive(Default)]
struct Flat {
    lengths: Vec<u32>,
    lists: Vec<Doc>,
    bits: Vec<(u32, Vec<u64>)>,
}

impl Sets {
    fn insert(&mut self, string: &str, doc: Doc) {
        let number = self.numbers.insert(string) as usize;
        if number == self.sets.len() {
            self.sets.push(StoredSet::None);
        }
        self.sets[number].insert(doc);
    }

    fn add_to(&self, string: &str, set: &mut DocSet) {
        if let Some(number) = self.numbers.number(string) {
            self.sets[number as usize].add_to(set);
        }
    }

    /// With only the documents of `to`, under their new ids, and without sets that have none.
    fn rewritten(steps: Steps<'_, Self>, to: &Renumbering) -> Self {
        let mut new = Self::default();
        let numbers = 0..one_step(steps, |old| old.sets.len());
        for_each(steps, numbers, |old, number| {
            let set = old.sets[number].renumbered(to);
            if !matches!(set, StoredSet::None) {
                new.numbers.insert(old.numbers.string(number as u32));
                new.sets.push(set);
            }
        });
        new
    }

    fn write(&self, name: &str, out: &mut Writer) -> Result<(), IndexError> {
        let mut flat = Flat::default();
        for (number, set) in self.sets.iter().enumerate() {
            if let StoredSet::Bits(docs) = set {
                flat.bits.push((number as u32, docs.words().to_vec()));
                flat.lengths.push(0);
            } else {
                let docs = set.docs();
                flat.lengths.push(docs.len() as u32);
                flat.lists.extend(docs);
            }
        }
        self.numbers.write(&format!("{name}.names"), out)?;
        out.slice(&format!("{name}.lengths"), &flat.lengths)?;
        out.slice(&format!("{name}.listed"), &flat.lists)?;
        out.value(&format!("{name}.bits"), &flat.bits)
    }

    fn read(name: &str, from: &Reader) -> Result<Self, IndexError> {
        let lengths = from.column::<u32>(&format!("{name}.lengths"))?;
        let lists = from.column::<Doc>(&format!("{name}.listed"))?;
        let mut start = 0;
        let list = |length: u32| {
            let docs = lists.slice(start..start + length as usize);
            start += length as usize;
            match docs {
                [] => StoredSet::None,
                [doc] => StoredSet::One(*doc),
                docs => StoredSet::List(docs.to_vec()),
            }
        };
        let mut sets: Vec<StoredSet> = lengths.iter().map(list).collect();
        for (number, words) in from.value::<Vec<(u32, Vec<u64>)>>(&format!("{name}.bits"))? {
            sets[number as usize] = StoredSet::Bits(DocSet::from_words(words));
        }
        Ok(Self {
            numbers: Dictionary::read(&format!("{name}.names"), from)?,
            sets,
        })
    }

    fn bytes(&self) -> usize {
        self.numbers.bytes() + self.sets.iter().map(StoredSet::bytes).sum::<usize>()
    }
}

/// (name, value) pairs to sets of documents.
#[derive(Debug, Default)]
pub struct Attributes {
    pairs: Sets,
    names: Sets,
}

impl Attributes {
    /// Documents with one of the values.
    pub fn one_of(&self, name: &str, values: &[String]) -> DocSet {
        let mut set = DocSet::default();
        for value in values {
            self.pairs.add_to(&pair(name, value), &mut set);
        }
        set
    }

    /// Documents with any value.
    pub fn present(&self, name: &str) -> DocSet {
        let mut set = DocSet::default();
        self.names.add_to(name, &mut set);
        set
    }

    /// Add a new document's pairs. Call with ascending ids.
    pub fn insert(&mut self, doc: Doc, pairs: &[(String, String)]) {
        for (name, value) in pairs {
            self.pairs.insert(&pair(name, value), doc);
            self.names.insert(name, doc);
        }
    }

    pub(crate) fn renumbered(&self, to: &Renumbering) -> Self {
        Self {
            pairs: Sets::rewritten(&at_once(&self.pairs), to),
            names: Sets::rewritten(&at_once(&self.names), to),
        }
    }

    /// Write the attributes of the documents of `to`.
    pub(crate) fn write(
        steps: Steps<'_, Self>,
        to: &Renumbering,
        out: &mut Writer,
    ) -> Result<(), IndexError> {
        let of_pairs = |step: &mut dyn FnMut(&Sets) -> bool| {
            steps(&mut |attributes| step(&attributes.pairs));
        };
        Sets::rewritten(&of_pairs, to).write("attributes", out)?;
        let of_names = |step: &mut dyn FnMut(&Sets) -> bool| {
            steps(&mut |attributes| step(&attributes.names));
        };
        Sets::rewritten(&of_names, to).write("attribute-names", out)
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        Ok(Self {
            pairs: Sets::read("attributes", from)?,
            names: Sets::read("attribute-names", from)?,
        })
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.pairs.bytes() + self.names.bytes()
    }
}

fn pair(name: &str, value: &str) -> String {
    let mut pair = String::with_capacity(name.len() + value.len() + 1);
    pair.push_str(name);
    pair.push(SEPARATOR);
    pair.push_str(value);
    pair
}

#[cfg(test)]
mod tests {
    use super::*;

    fn docs(set: &DocSet) -> Vec<Doc> {
        set.iter().collect()
    }

    #[test]
    fn rare_and_common_values_are_found_alike() {
        let mut attributes = Attributes::default();
        for doc in 0..1_000 {
            let parity = if doc % 2 == 0 { "偶" } else { "odd" };
            let own = ("id".to_owned(), doc.to_string());
            attributes.insert(doc, &[("parity".to_owned(), parity.to_owned()), own]);
        }
        attributes.insert(
            1_000,
            &[("tag".into(), "a".into()), ("tag".into(), "a".into())],
        );
        let of = |name: &str, values: &[&str]| {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            attributes.one_of(name, &values)
        };
        assert_eq!(of("parity", &["偶"]).len(), 500);
        assert_eq!(of("parity", &["偶", "odd"]).len(), 1_000);
        assert_eq!(docs(&of("id", &["7", "9"])), [7, 9]);
        assert_eq!(docs(&of("tag", &["a"])), [1_000]);
        assert_eq!(docs(&attributes.present("tag")), [1_000]);
        assert!(of("parity", &["none"]).is_empty() && of("none", &["偶"]).is_empty());
    }
}
