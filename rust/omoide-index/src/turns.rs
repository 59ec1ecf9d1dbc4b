//! What was said right before and after a memory?
//!
//! The turns of a conversation are ordered by their numbers, then by time, then by key. Useful for: reading a short turn
//! together with its neighbours. Not useful for: links that somebody made; see the graph.
//! Invariant: a turn's neighbours depend on the turns that are present, never on the order in which they were added.

use crate::IndexError;
use crate::snapshot::{Reader, Writer};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The position of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The conversation.
    pub conversation: String,
    /// Its number there, 0 if it has none.
    pub order: i64,
    /// When it was said, microseconds since the epoch; orders turns of the same number.
    pub at: i64,
}

/// Number, time, key.
type Position = (i64, i64, u64);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Conversation {
    name: String,
    /// Empty only where the place is unused.
    turns: BTreeSet<Position>,
}

/// All conversations that have a turn.
#[derive(Debug, Default)]
pub struct Turns {
    ids: FxHashMap<String, u32>,
    /// Each shared with a snapshot that is being written, until it changes.
    conversations: Vec<Arc<Conversation>>,
    /// Unused places of `conversations`.
    free: Vec<u32>,
    position_by_key: FxHashMap<u64, (u32, Position)>,
}

/// The conversations of one moment.
pub(crate) struct KeptTurns(Vec<Arc<Conversation>>);

impl KeptTurns {
    pub(crate) fn write(self, out: &mut Writer) -> Result<(), IndexError> {
        let conversations = self.0.iter().map(|conversation| &**conversation);
        let used = conversations.filter(|conversation| !conversation.turns.is_empty());
        out.value("turns", &used.collect::<Vec<_>>())
    }
}

impl Turns {
    /// Add a key, which is in no conversation yet, to one.
    pub fn insert(&mut self, key: u64, turn: &Turn) {
        let id = self.id(&turn.conversation);
        let position = (turn.order, turn.at, key);
        let conversation = Arc::make_mut(&mut self.conversations[id as usize]);
        conversation.turns.insert(position);
        self.position_by_key.insert(key, (id, position));
    }

    /// Remove a key, and a conversation with its last one; a key without a conversation is ignored.
    pub fn remove(&mut self, key: u64) {
        let Some((id, position)) = self.position_by_key.remove(&key) else {
            return;
        };
        let conversation = &mut self.conversations[id as usize];
        let Conversation { name, turns } = Arc::make_mut(conversation);
        turns.remove(&position);
        if turns.is_empty() {
            self.ids.remove(&std::mem::take(name));
            self.free.push(id);
        }
    }

    /// The turns at most `reach` away from `key` with their distances, the nearest first on either side.
    pub fn around(&self, key: u64, reach: usize) -> Vec<(u64, usize)> {
        let Some(&(id, position)) = self.position_by_key.get(&key) else {
            return Vec::new();
        };
        let turns = &self.conversations[id as usize].turns;
        let before = turns.range(..position).rev().take(reach);
        let after = turns.range(position..).skip(1).take(reach);
        let with_distance = |(at, position): (usize, &Position)| (position.2, at + 1);
        before
            .enumerate()
            .map(with_distance)
            .chain(after.enumerate().map(with_distance))
            .collect()
    }

    /// Resident bytes, approximately.
    pub fn bytes(&self) -> usize {
        let names: usize = self.ids.keys().map(|name| 2 * name.len() + 120).sum();
        names + self.position_by_key.len() * 80
    }

    /// The conversations as they are now, while they are changed.
    pub(crate) fn kept(&self) -> KeptTurns {
        KeptTurns(self.conversations.clone())
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let conversations: Vec<Conversation> = from.value("turns")?;
        let mut new = Self::default();
        for (id, conversation) in (0..).zip(conversations) {
            new.ids.insert(conversation.name.clone(), id);
            let positions = conversation.turns.iter();
            let by_key = positions.map(|&position| (position.2, (id, position)));
            new.position_by_key.extend(by_key);
            new.conversations.push(Arc::new(conversation));
        }
        Ok(new)
    }

    fn id(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.ids.get(name) {
            return known;
        }
        let conversation = Arc::new(Conversation {
            name: name.to_owned(),
            turns: BTreeSet::new(),
        });
        let new = self.free.pop().unwrap_or(self.conversations.len() as u32);
        match self.conversations.get_mut(new as usize) {
            Some(free) => *free = conversation,
            None => self.conversations.push(conversation),
        }
        self.ids.insert(name.to_owned(), new);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(order: i64, at: i64) -> Turn {
        Turn {
            conversation: "会話".into(),
            order,
            at,
        }
    }

    #[test]
    fn neighbours_are_in_the_order_of_numbers_then_times_then_keys() {
        let mut turns = Turns::default();
        for (key, order, at) in [(4, 2, 0), (0, 0, 9), (3, 1, 7), (2, 1, 5), (1, 1, 5)] {
            turns.insert(key, &turn(order, at));
        }
        assert_eq!(turns.around(2, 1), [(1, 1), (3, 1)]);
        assert_eq!(turns.around(2, 2), [(1, 1), (0, 2), (3, 1), (4, 2)]);
        assert_eq!(turns.around(0, 2), [(1, 1), (2, 2)]);
        turns.remove(1);
        assert_eq!(turns.around(2, 2), [(0, 1), (3, 1), (4, 2)]);
        assert_eq!(turns.around(1, 2), []);
    }

    #[test]
    fn a_conversation_without_turns_leaves_nothing() {
        let mut turns = Turns::default();
        let said_in = |conversation: String| Turn {
            conversation,
            order: 0,
            at: 0,
        };
        turns.insert(0, &said_in("続く".into()));
        for key in 1..100 {
            turns.insert(key, &said_in(format!("秘密{key}")));
            turns.remove(key);
        }
        assert!(!format!("{turns:?}").contains("秘密"));
        assert_eq!(turns.conversations.len(), 2);
        turns.insert(1, &said_in("続く".into()));
        assert_eq!(turns.around(0, 1), [(1, 1)]);
    }
}
