//! Whatever happened to an index, it answers like one built from scratch from what is left, and like a naive search.
//!
//! Histories add, replace and remove, save, open and renumber, and stop saves anywhere; changes lost with a save are applied
//! again from the store, as the server does. `OMOIDE_HISTORIES=10000` runs that many instead of a few.

use crate::common::asking::{combined_queries, filters, query_with, same_answer, some_words};
use crate::common::failing_disk::{FailingDisk, Rest};
use crate::common::memory::{Change, World};
use crate::common::{Random, Scratch, naive};
use omoide_index::Index;
use omoide_index::shared::Shared;
use omoide_search::{Filter, Query, search};

const STEPS: usize = 60;
/// More than the steps of a save of so few memories.
const STEPS_OF_A_SAVE: usize = 24;
const IDENTITY: &str = "歴史";

fn histories() -> u64 {
    let wanted = std::env::var("OMOIDE_HISTORIES");
    wanted.map_or(40, |number| number.parse().expect("a number of histories"))
}

/// An index, the changes it was given, and what a store would still know.
struct History {
    name: String,
    codes: bool,
    in_conversations: bool,
    world: World,
    changes: Vec<Change>,
    shared: Shared,
    folder: Scratch,
}

impl History {
    fn begin(number: u64) -> Self {
        let (codes, world) = (number % 2 == 1, World::default());
        Self {
            name: format!("history {number}"),
            codes,
            in_conversations: number.is_multiple_of(3),
            shared: Shared::new(world.built(codes)),
            world,
            changes: Vec::new(),
            folder: Scratch::new("history"),
        }
    }

    fn step(&mut self, random: &mut Random) {
        match random.below(14) {
            0 => {
                self.shared
                    .save(&self.folder.0, IDENTITY)
                    .expect("room on the disk");
                self.reopen();
            }
            1 => {
                let mut index = self.index();
                index.renumber();
                self.shared = Shared::new(index);
            }
            2 => self.interrupt_save(random),
            _ => {
                let change = Change::made(random, self.in_conversations);
                self.world.apply(&change);
                self.changes.push(change);
                let newest = self.changes.len() - 1;
                self.follow(newest);
            }
        }
    }

    fn index(&mut self) -> Index {
        std::mem::replace(&mut self.shared, Shared::new(Index::new(1))).into_inner()
    }

    /// Apply all changes from a number on.
    fn follow(&mut self, from: usize) {
        for (number, change) in self.changes.iter().enumerate().skip(from) {
            let batch = change.batch(number as u64 + 1);
            self.shared.apply(batch).expect("as many dimensions");
        }
    }

    /// Kill the process or the machine at some step of a save.
    fn interrupt_save(&mut self, random: &mut Random) {
        let failing_disk = FailingDisk::after(random.below(STEPS_OF_A_SAVE));
        let _ = self.shared.save_by(&failing_disk, &self.folder.0, IDENTITY);
        if random.below(2) == 0 {
            let rest = [Rest::Nothing, Rest::Half, Rest::Zeros][random.below(3)];
            failing_disk
                .cut_power(random.below(64) as u32, rest)
                .expect("what was not synced is there");
        }
        self.reopen();
    }

    /// Open what is on the disk, or begin with an empty index, and apply the missing changes.
    fn reopen(&mut self) {
        let index = Index::load(&self.folder.0, IDENTITY);
        let index = index.unwrap_or_else(|_| World::default().built(self.codes));
        let applied = index.applied as usize;
        self.shared = Shared::new(index);
        self.follow(applied);
    }

    /// Supply the texts that the index waits for.
    fn read_again(&self) {
        let index = self.shared.read();
        let (applied, waiting) = (
            index.applied,
            index.waiting.iter().copied().collect::<Vec<_>>(),
        );
        drop(index);
        self.shared
            .read_again(applied, &self.world.stored_texts(&waiting));
    }

    fn check(&self, random: &mut Random) {
        self.read_again();
        let (index, fresh) = (self.shared.read(), self.world.built(self.codes));
        for query in combined_queries(random) {
            let (found, wanted) = (search(&index, &query), search(&fresh, &query));
            assert!(
                same_answer(&found, &wanted),
                "{}, change {}: {query:?}\n{found:?}\n{wanted:?}",
                self.name,
                index.applied
            );
        }
        drop(index);
        filters()
            .into_iter()
            .for_each(|filter| self.check_naively(filter, random));
    }

    /// Check each way of ranking alone against the memories themselves.
    fn check_naively(&self, filter: Option<Filter>, random: &mut Random) {
        let allowed = naive::allowed(&self.world, filter.as_ref());
        let listing = query_with(filter);
        let vector = vec![0.5, -0.5, 0.5, 0.5];
        let near = Query {
            vector: Some(vector.clone()),
            vector_weight: 1.0,
            word_weight: 0.0,
            however_far: true,
            ..listing.clone()
        };
        let by_words = Query {
            words: some_words(random, 2),
            ..listing.clone()
        };
        let index = self.shared.read();
        let found = search(&index, &listing);
        let keys: Vec<u64> = found.hits.iter().map(|hit| hit.key).collect();
        let mut listed = naive::listed(&allowed);
        listed.truncate(listing.limit);
        assert_eq!(
            (found.allowed, keys),
            (allowed.len(), listed),
            "{}: {listing:?}",
            self.name
        );
        let told = search(&index, &near).hits;
        let told = told
            .iter()
            .map(|hit| (hit.key, hit.cosine.unwrap_or(f32::NAN)));
        self.agree(
            &told.collect::<Vec<_>>(),
            &naive::nearest(&allowed, &vector),
            &near,
        );
        if !self.in_conversations {
            let told = search(&index, &by_words).hits;
            let told = told
                .iter()
                .map(|hit| (hit.key, hit.words.map_or(f32::NAN, |ranked| ranked.1)));
            let wanted = naive::by_words(&self.world, &allowed, &by_words.words);
            self.agree(&told.collect::<Vec<_>>(), &wanted, &by_words);
        }
    }

    /// There are as many hits as possible, each with the right score, the best scores first; the order of equal scores is
    /// checked by keys where rounding leaves them equal.
    fn agree(&self, told: &[(u64, f32)], wanted: &[(u64, f32)], query: &Query) {
        let near = |a: f32, b: f32| (a - b).abs() < 2e-3;
        let scored_right = |&(key, score): &(u64, f32)| {
            wanted.iter().any(|hit| hit.0 == key && near(hit.1, score))
        };
        let in_order = told.iter().zip(wanted).all(|(a, b)| near(a.1, b.1));
        assert!(
            told.len() == wanted.len().min(query.limit)
                && told.iter().all(scored_right)
                && in_order,
            "{}: {query:?}\n{told:?}\n{wanted:?}",
            self.name
        );
    }
}

#[test]
fn after_any_history_answers_are_those_of_a_fresh_build_and_of_a_naive_search() {
    for number in 0..histories() {
        let (mut random, mut history) = (Random(number), History::begin(number));
        for step in 0..STEPS {
            history.step(&mut random);
            if step % 10 == 9 {
                history.check(&mut random);
            }
        }
    }
}
