//! How do many read an index while one writes it?
//!
//! A batch comes in by small steps: each document's postings, vectors and links are added under an id that no search
//! returns yet, with the lock let go between any two; what costs thought (where a vector is linked) is worked out while
//! others read. Then one short step lets the whole batch take effect.
//!
//! Useful for: any number of threads. Not useful for: sharing between processes; each has an index of its own.
//! Invariant: a reader sees all of a batch or nothing; it waits for one step at most, never for a batch, a snapshot or a
//! renumbering, as long as other readers leave a writer's step [`PATIENCE`] to come in.

use crate::graph::NewEdge;
use crate::{Index, IndexError, LINKS_A_VECTOR, NewDocument, Staged};
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long readers may go on past a waiting writer.
const PATIENCE: Duration = Duration::from_millis(20);

/// How many documents are staged in one step: about as long as a search takes.
const STAGED_A_STEP: usize = 8;

/// One call's worth of changes.
#[derive(Debug, Default)]
pub struct Batch<'a> {
    /// The number of the last change in it.
    pub applied: u64,
    /// See [`Index::history`].
    pub history: String,
    /// Documents to insert or replace.
    pub documents: Vec<NewDocument<'a>>,
    /// Nodes to insert or replace: key and names.
    pub nodes: Vec<(u64, Vec<String>)>,
    /// Edges to put: key, source, edge.
    pub edges: Vec<(u64, u64, &'a NewEdge)>,
    /// Documents and nodes to remove, before anything is put.
    pub removed: Vec<u64>,
    /// Keyed edges to remove.
    pub removed_edges: Vec<u64>,
}

/// See the module.
pub struct Shared {
    index: RwLock<Index>,
    /// Held by whoever changes or saves the index, so that what it has read stays true.
    writer: Mutex<()>,
    /// A writer has waited for too long: readers queue up behind it.
    is_due: AtomicBool,
}

impl Shared {
    /// Share an index.
    pub fn new(index: Index) -> Self {
        Self {
            index: RwLock::new(index),
            writer: Mutex::new(()),
            is_due: AtomicBool::new(false),
        }
    }

    /// The index, no longer shared.
    pub fn into_inner(self) -> Index {
        self.index.into_inner()
    }

    /// Read as of the last batch. One thread may not read twice at the same time.
    pub fn read(&self) -> RwLockReadGuard<'_, Index> {
        if self.is_due.load(Ordering::Acquire) {
            self.index.read()
        } else {
            self.index.read_recursive()
        }
    }

    /// Take a batch in; on an error nothing of it takes effect.
    pub fn apply(&self, batch: Batch<'_>) -> Result<(), IndexError> {
        let _writing = self.writer.lock();
        self.renumber_if_worth_it();
        let index = self.read();
        let mut documents = batch.documents.iter();
        documents.try_for_each(|document| index.check(document))?;
        drop(index);
        let links: usize = batch.documents.iter().map(|each| each.vectors.len()).sum();
        let mut staged = Vec::with_capacity(batch.documents.len());
        let mut documents = batch.documents.into_iter().peekable();
        while documents.peek().is_some() {
            let mut index = self.write();
            for document in documents.by_ref().take(STAGED_A_STEP) {
                staged.push(index.stage(document)?);
            }
        }
        let rest = Batch {
            documents: Vec::new(),
            ..batch
        };
        let steps = links + rest.removed.len();
        self.write().switch(rest, staged);
        (0..steps * LINKS_A_VECTOR).for_each(|_| self.tend());
        Ok(())
    }

    /// Put vectors of documents by key, in place of those they have; unknown keys are no matter.
    pub fn put_vectors(&self, vectors: Vec<(u64, Vec<Vec<f32>>)>) -> Result<(), IndexError> {
        let _writing = self.writer.lock();
        for (key, passages) in vectors {
            let steps = passages.len() * LINKS_A_VECTOR;
            self.write().put_vectors(key, passages)?;
            (0..steps).for_each(|_| self.tend());
        }
        Ok(())
    }

    /// Write a snapshot while others read; see [`Index::save`].
    pub fn save(&self, folder: &Path, identity: &str) -> Result<u64, IndexError> {
        let _writing = self.writer.lock();
        self.read().save(folder, identity)
    }

    fn renumber_if_worth_it(&self) {
        let index = self.read();
        if index.is_renumbering_worth_it() {
            let renumbered = index.renumbered();
            drop(index);
            self.write().accept(renumbered);
        }
    }

    /// Link one waiting vector and sweep a few rows, thinking while others read.
    fn tend(&self) {
        let index = self.read();
        let plan = index.vectors.plan();
        let is_sweeping = index.vectors.is_sweeping();
        drop(index);
        if plan.is_none() && !is_sweeping {
            return;
        }
        let mut index = self.write();
        if let Some(plan) = plan {
            index.vectors.link(plan);
        }
        index.vectors.sweep();
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        if let Some(guard) = self.index.try_write_for(PATIENCE) {
            return guard;
        }
        self.is_due.store(true, Ordering::Release);
        let guard = self.index.write();
        self.is_due.store(false, Ordering::Release);
        guard
    }
}

impl Index {
    /// Let a batch take effect, its documents staged.
    fn switch(&mut self, batch: Batch<'_>, staged: Vec<Staged<'_>>) {
        batch.removed.iter().for_each(|&key| self.remove(key));
        for &key in &batch.removed_edges {
            self.graph.remove(key);
        }
        for (key, names) in batch.nodes {
            self.put_node(key, names);
        }
        for document in staged {
            self.enter(&document);
        }
        for (key, source, edge) in batch.edges {
            self.put_edge(key, source, edge);
        }
        self.applied = batch.applied;
        self.history = batch.history;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::GRAPH_FROM;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    const KEYS: u64 = 40;
    const BATCHES: u64 = 300;

    /// Every document of a batch holds the batch's word and no other; there are as many after each batch.
    fn batch(number: u64, word: &str) -> Batch<'_> {
        let of_batch = |key: u64| key + number % 2 * KEYS;
        let document = |key: u64| NewDocument {
            key: of_batch(key),
            fields: [vec!["全", word], vec![], vec![]],
            vectors: vec![vec![key as f32, number as f32]],
            ..NewDocument::default()
        };
        let removed = (0..KEYS).map(|key| key + (number + 1) % 2 * KEYS);
        Batch {
            applied: number,
            documents: (0..KEYS).map(document).collect(),
            removed: removed.collect(),
            ..Batch::default()
        }
    }

    /// What a reader can see is of one batch.
    fn is_whole(index: &Index) -> bool {
        let field = &index.postings.fields[0];
        let live = |word: &str| field.posting(word).map_or(0, |list| u64::from(list.live()));
        let word = format!("語{}", index.applied);
        let documents = index.ids.documents() as u64;
        index.applied == 0 || (documents, live("全"), live(&word)) == (KEYS, KEYS, KEYS)
    }

    #[test]
    fn readers_see_whole_batches_while_one_writes() {
        let shared = Shared::new(Index::new(2));
        let (done, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
        let read_on = || {
            while !done.load(Ordering::Relaxed) {
                assert!(is_whole(&shared.read()));
                seen.fetch_add(1, Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            let readers: Vec<_> = (0..3).map(|_| scope.spawn(read_on)).collect();
            for number in 1..=BATCHES {
                shared.apply(batch(number, &format!("語{number}"))).unwrap();
            }
            done.store(true, Ordering::Relaxed);
            readers
                .into_iter()
                .for_each(|reader| reader.join().unwrap());
        });
        assert!(seen.into_inner() > 0);
        let index = shared.read();
        assert_eq!((index.applied, is_whole(&index)), (BATCHES, true));
        assert!(index.ids.len() < GRAPH_FROM * 3, "ids were given anew");
    }

    #[test]
    fn a_refused_batch_leaves_no_trace() {
        let shared = Shared::new(Index::new(2));
        shared.apply(batch(1, "語1")).unwrap();
        let mut wrong = batch(2, "語2");
        wrong.documents[7].vectors = vec![vec![1.0; 3]];
        assert!(shared.apply(wrong).is_err());
        assert!(is_whole(&shared.read()));
    }
}
