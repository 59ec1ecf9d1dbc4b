//! A store of a few memories and things, and everything that can happen to it.
//!
//! Useful for: histories, in which an index gets each change and the world keeps what is left. The world knows nothing of
//! indexes: fresh builds and naive searches are made from it.

use super::Random;
use omoide_index::graph::NewEdge;
use omoide_index::mentions::StoredText;
use omoide_index::names::Name;
use omoide_index::shared::{Batch, Shared};
use omoide_index::turns::Turn;
use omoide_index::{Index, NewDocument};
use std::collections::BTreeMap;

pub const DIMENSIONS: usize = 4;
pub const MEMORIES: usize = 50;
/// The smallest key of a thing.
const THINGS_FROM: u64 = 100;
const THINGS: usize = 6;
pub const VOCABULARY: [&str; 10] = [
    "抹茶", "京都", "記憶", "记忆", "保存", "matcha", "kyoto", "memory", "서울", "tea",
];
pub const NAMES: [&str; 4] = ["京都", "matcha kyoto", "记忆", "抹茶"];
pub const SCOPES: [&str; 2] = ["家", "work"];
pub const COLUMN: &str = "stored_at";

/// The content of a document: all that a fresh build needs.
#[derive(Debug, Clone)]
pub struct Memory {
    pub words: Vec<&'static str>,
    pub readings: Vec<&'static str>,
    pub kind: u8,
    pub is_spelled: bool,
    pub attributes: Vec<(String, String)>,
    pub numbers: Vec<(String, i64)>,
    pub edges: Vec<NewEdge>,
    pub turn: Option<Turn>,
    pub vectors: Vec<Vec<f32>>,
    pub text: String,
    pub names: Vec<Name>,
    pub thread_names: Vec<Name>,
}

impl Memory {
    fn made(random: &mut Random, in_conversations: bool) -> Self {
        let words =
            (0..=random.below(8)).map(|_| VOCABULARY[random.below(10).min(random.below(10))]);
        let words: Vec<&str> = words.collect();
        let text = words.join(" ");
        let vector = |random: &mut Random| {
            (0..DIMENSIONS)
                .map(|_| random.below(9) as f32 - 3.0)
                .collect()
        };
        let turn = |random: &mut Random| Turn {
            conversation: ["夕食", "standup"][random.below(2)].into(),
            order: random.below(9) as i64,
            at: 0,
        };
        Self {
            words,
            readings: (0..random.below(2)).map(|_| "マッチャ").collect(),
            kind: random.below(3) as u8,
            is_spelled: random.below(9) > 0,
            attributes: vec![("scope".into(), SCOPES[random.below(2)].into())],
            numbers: vec![(COLUMN.into(), random.below(20) as i64)],
            edges: (0..random.below(3)).map(|_| edge(random)).collect(),
            turn: (in_conversations && random.below(2) == 0).then(|| turn(random)),
            vectors: (0..random.below(3)).map(|_| vector(random)).collect(),
            text,
            names: (0..random.below(2)).map(|_| name(random)).collect(),
            thread_names: (0..random.below(2)).map(|_| name(random)).collect(),
        }
    }

    fn document(&self, key: u64) -> NewDocument<'_> {
        NewDocument {
            key,
            kind: self.kind,
            fields: [
                self.words.clone(),
                self.words.clone(),
                self.readings.clone(),
            ],
            sequences: self.is_spelled.then(|| halves(&self.words)),
            attributes: &self.attributes,
            numbers: &self.numbers,
            edges: &self.edges,
            turn: self.turn.as_ref(),
            vectors: self.vectors.clone(),
            text: &self.text,
            names: &self.names,
            thread_names: &self.thread_names,
            stored_at: 0,
        }
    }
}

/// The two halves of each word, as sequences of letters.
pub fn halves(words: &[&str]) -> Vec<String> {
    let halves = words.iter().map(|word| {
        let middle = word.char_indices().nth(word.chars().count() / 2);
        word.split_at(middle.map_or(0, |(at, _)| at))
    });
    let parts = halves.flat_map(|(head, tail)| [head.to_owned(), tail.to_owned()]);
    parts.collect()
}

fn name(random: &mut Random) -> Name {
    let text = NAMES[random.below(NAMES.len())];
    let words: Vec<String> = text.split(' ').map(ToOwned::to_owned).collect();
    Name {
        text: text.to_owned(),
        words: vec![words.clone()],
        terms: words,
        field: 0,
    }
}

fn edge(random: &mut Random) -> NewEdge {
    NewEdge {
        target: any_key(random),
        kind: "近い".into(),
        home: String::new(),
        weight: 1.0 + random.below(3) as f32,
        created_at: random.below(100) as i64,
    }
}

fn any_key(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => THINGS_FROM + random.below(THINGS) as u64,
        _ => random.below(MEMORIES) as u64,
    }
}

/// One committed write.
#[derive(Debug, Clone, Default)]
pub struct Change {
    removed: Vec<u64>,
    removed_edges: Vec<u64>,
    memories: BTreeMap<u64, Memory>,
    things: BTreeMap<u64, Vec<Name>>,
    edges: BTreeMap<u64, (u64, NewEdge)>,
}

impl Change {
    pub fn made(random: &mut Random, in_conversations: bool) -> Self {
        let few = |random: &mut Random| random.below(4);
        if random.below(4) == 0 {
            return Self {
                removed: (0..few(random)).map(|_| any_key(random)).collect(),
                removed_edges: (0..few(random)).map(|_| random.below(9) as u64).collect(),
                ..Self::default()
            };
        }
        let memory = |random: &mut Random| {
            (
                random.below(MEMORIES) as u64,
                Memory::made(random, in_conversations),
            )
        };
        let thing = |random: &mut Random| {
            let key = THINGS_FROM + random.below(THINGS) as u64;
            (key, vec![name(random)])
        };
        Self {
            memories: (0..few(random)).map(|_| memory(random)).collect(),
            things: (0..random.below(2)).map(|_| thing(random)).collect(),
            edges: (0..random.below(2))
                .map(|_| (random.below(9) as u64, (any_key(random), edge(random))))
                .collect(),
            ..Self::default()
        }
    }

    /// The same change without names, since mentions follow a change in a separate step.
    pub fn unnamed(mut self) -> Self {
        self.memories.values_mut().for_each(|memory| {
            memory.names.clear();
            memory.thread_names.clear();
        });
        self.things.values_mut().for_each(Vec::clear);
        self
    }

    /// The batch that an index is given for this change, which has the number `applied`.
    pub fn batch(&self, applied: u64) -> Batch<'_> {
        let documents = self
            .memories
            .iter()
            .map(|(&key, memory)| memory.document(key));
        let edges = self
            .edges
            .iter()
            .map(|(&key, (source, edge))| (key, *source, edge));
        Batch {
            applied,
            documents: documents.collect(),
            nodes: self
                .things
                .iter()
                .map(|(&key, names)| (key, names.as_slice(), [].as_slice()))
                .collect(),
            edges: edges.collect(),
            removed: self.removed.clone(),
            removed_edges: self.removed_edges.clone(),
            ..Batch::default()
        }
    }
}

/// A world and an index after so many changes.
pub fn grown(changes: u64) -> (World, Index) {
    let (mut world, mut random) = (World::default(), Random(changes));
    let shared = Shared::new(world.built(false));
    for number in 1..=changes {
        let change = Change::made(&mut random, true);
        shared
            .apply(change.batch(number))
            .expect("as many dimensions");
        world.apply(&change);
    }
    (world, shared.into_inner())
}

/// What is left after all changes.
#[derive(Debug, Clone, Default)]
pub struct World {
    pub memories: BTreeMap<u64, Memory>,
    pub things: BTreeMap<u64, Vec<Name>>,
    pub edges: BTreeMap<u64, (u64, NewEdge)>,
}

impl World {
    pub fn apply(&mut self, change: &Change) {
        for key in &change.removed {
            self.memories.remove(key);
            self.things.remove(key);
        }
        change
            .removed_edges
            .iter()
            .for_each(|key| drop(self.edges.remove(key)));
        self.memories.extend(change.memories.clone());
        self.things.extend(change.things.clone());
        self.edges.extend(change.edges.clone());
    }

    /// An index built from nothing but this.
    pub fn built(&self, codes: bool) -> Index {
        let mut index = Index::new(DIMENSIONS);
        index.vectors.keep_codes(codes);
        for (&key, memory) in &self.memories {
            index
                .put_document(memory.document(key))
                .expect("as many dimensions");
        }
        for (&key, names) in &self.things {
            index.put_node(key, names);
        }
        for (&key, (source, edge)) in &self.edges {
            index.put_edge(key, *source, edge);
        }
        let waiting: Vec<u64> = index.waiting.iter().copied().collect();
        for stored_texts in self.stored_texts(&waiting) {
            index.link_mentions(stored_texts);
        }
        index
    }

    /// The texts of memories.
    pub fn stored_texts(&self, keys: &[u64]) -> Vec<StoredText<'_>> {
        let stored_texts = |&key: &u64| StoredText {
            key,
            text: &self.memories[&key].text,
            at: 0,
        };
        keys.iter().map(stored_texts).collect()
    }
}
