//! An index shared by many readers and one writer.
//!
//! A batch is applied in small steps: each document's postings, vectors and links are added under an id that no search returns
//! yet, and the lock is released between any two steps; expensive computations (where to link a vector) run while others read,
//! for several vectors in parallel. One short step then makes the whole batch visible. Snapshots are read in steps, too
//! (saving.rs).
//!
//! Useful for: any number of threads. Not useful for: sharing between processes; each has an index of its own.
//! Invariant: a reader sees all of a batch or nothing of it. It waits for one step at most, never for a batch, a snapshot or a
//! renumbering, as long as other readers let a writer's step in within `MAX_OVERTAKING`.

mod saving;

use crate::cores::parallel_map;
use crate::graph::NewEdge;
use crate::hnsw::Plan;
use crate::mentions::StoredText;
use crate::names::Name;
use crate::{Index, IndexError, LINKS_PER_VECTOR, NewDocument, Staged};
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long new readers may overtake a waiting writer.
const MAX_OVERTAKING: Duration = Duration::from_millis(20);

/// Documents staged in one step, which takes about as long as a search.
const STAGED_PER_STEP: usize = 8;

/// Vectors that are planned in parallel and then linked.
const LINKED_PER_ROUND: usize = 32;

/// The changes of one call.
#[derive(Debug, Default)]
pub struct Batch<'a> {
    /// The number of the last change in it.
    pub applied: u64,
    /// See [`Index::history`].
    pub history: String,
    /// Documents to insert or replace.
    pub documents: Vec<NewDocument<'a>>,
    /// Nodes to insert or replace: key, names, and the node's home scope with those that it lies under.
    pub nodes: Vec<(u64, &'a [Name], &'a [String])>,
    /// Edges to add: key, source, edge.
    pub edges: Vec<(u64, u64, &'a NewEdge)>,
    /// Documents and nodes to remove, before anything is added.
    pub removed: Vec<u64>,
    /// Keyed edges to remove.
    pub removed_edges: Vec<u64>,
}

/// See the module.
pub struct Shared {
    index: RwLock<Index>,
    /// Held while the index is changed, and while a snapshot copies what changes in place, so that what was read before stays true.
    writer: Mutex<()>,
    /// Held while a snapshot is written: ids are not renumbered meanwhile.
    saving: Mutex<()>,
    /// Set when a writer has waited for too long: readers then queue behind it.
    writer_is_waiting: AtomicBool,
}

impl Shared {
    /// Share an index.
    pub fn new(index: Index) -> Self {
        Self {
            index: RwLock::new(index),
            writer: Mutex::new(()),
            saving: Mutex::new(()),
            writer_is_waiting: AtomicBool::new(false),
        }
    }

    /// The index, no longer shared.
    pub fn into_inner(self) -> Index {
        self.index.into_inner()
    }

    /// Lock the index for reading. A thread must not hold two of these locks at the same time.
    pub fn read(&self) -> RwLockReadGuard<'_, Index> {
        if self.writer_is_waiting.load(Ordering::Acquire) {
            self.index.read()
        } else {
            self.index.read_recursive()
        }
    }

    /// The same without waiting; `None` while a writer has the lock.
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, Index>> {
        self.index.try_read()
    }

    /// Apply a batch; if it fails, nothing of it takes effect.
    pub fn apply(&self, batch: Batch<'_>) -> Result<(), IndexError> {
        let _writing = self.writer.lock();
        let index = self.read();
        let mut documents = batch.documents.iter();
        documents.try_for_each(|document| index.check(document))?;
        drop(index);
        let links: usize = batch.documents.iter().map(|each| each.vectors.len()).sum();
        let mut staged = Vec::with_capacity(batch.documents.len());
        let mut documents = batch.documents.into_iter().peekable();
        while documents.peek().is_some() {
            let mut index = self.write();
            for document in documents.by_ref().take(STAGED_PER_STEP) {
                staged.push(index.stage(document)?);
            }
        }
        let rest = Batch {
            documents: Vec::new(),
            ..batch
        };
        let steps = links + rest.removed.len();
        let texts: Vec<StoredText<'_>> = staged.iter().map(|document| document.text).collect();
        let changed = self.write().make_visible(rest, staged);
        self.link_mentions(&texts, &changed);
        self.maintain_graph(steps * LINKS_PER_VECTOR);
        // Otherwise the next batch or save does.
        if let Some(_not_saving) = self.saving.try_lock() {
            self.renumber_if_needed();
        }
        Ok(())
    }

    /// Add edges from new documents to what their texts name, computed while others read, and queue the documents that may
    /// mention the changed names to be read again.
    fn link_mentions(&self, texts: &[StoredText<'_>], changed: &[Name]) {
        let read = texts.iter().map(|text| text.key).collect();
        let affected = self.read().affected(changed, &read);
        if !affected.is_empty() {
            self.write().waiting.extend(affected);
        }
        for text in texts {
            let mentions = self.read().mentions(*text);
            if !mentions.is_empty() {
                self.write().set_mentions(text.key, &mentions);
            }
        }
    }

    /// Read the texts of queued documents again, as they are in the store after change `applied`; does nothing if the index is
    /// at another change by now.
    pub fn read_again(&self, applied: u64, texts: &[StoredText<'_>]) {
        let _writing = self.writer.lock();
        if self.read().applied != applied {
            return;
        }
        for text in texts {
            let mentions = self.read().mentions(*text);
            self.write().set_mentions(text.key, &mentions);
        }
    }

    /// Replace the vectors of documents, by key; unknown keys are ignored. If it fails, nothing is replaced.
    pub fn put_vectors(&self, vectors: Vec<(u64, Vec<Vec<f32>>)>) -> Result<(), IndexError> {
        let _writing = self.writer.lock();
        let index = self.read();
        let mut each = vectors.iter().flat_map(|(_, passages)| passages);
        each.try_for_each(|vector| index.vectors.check(vector))?;
        drop(index);
        let steps: usize = vectors.iter().map(|each| each.1.len()).sum();
        let mut vectors = vectors.into_iter().peekable();
        while vectors.peek().is_some() {
            let mut index = self.write();
            for (key, passages) in vectors.by_ref().take(STAGED_PER_STEP) {
                index.put_vectors(key, passages)?;
            }
        }
        self.maintain_graph(steps * LINKS_PER_VECTOR);
        Ok(())
    }

    /// Renumber ids if much is dead. Call only while no snapshot is written.
    fn renumber_if_needed(&self) {
        let index = self.read();
        if index.should_renumber() {
            let renumbered = index.renumbered();
            drop(index);
            self.write().switch_to(renumbered);
        }
    }

    /// Take so many steps of work on the graph over vectors: link a vector, and sweep a few rows.
    fn maintain_graph(&self, steps: usize) {
        let mut left = steps;
        while left > 0 {
            let linked = self.link(left.min(LINKED_PER_ROUND));
            let is_sweeping = self.sweep(linked.max(1));
            if linked == 0 && !is_sweeping {
                return;
            }
            left -= linked.max(1);
        }
    }

    /// Link up to `most` vectors that are not linked yet; returns how many.
    fn link(&self, most: usize) -> usize {
        let plans = self.plans(most);
        let linked = plans.len();
        let mut plans = plans.into_iter().peekable();
        while plans.peek().is_some() {
            let mut index = self.write();
            for plan in plans.by_ref().take(STAGED_PER_STEP) {
                index.vectors.link(plan);
            }
        }
        linked
    }

    /// Sweep so many pieces, planned on every core while others read; returns whether a sweep was running.
    fn sweep(&self, pieces: usize) -> bool {
        let index = self.read();
        if !index.vectors.is_sweeping() {
            return false;
        }
        let planned = parallel_map(pieces, |piece| index.vectors.plan_sweep(piece));
        drop(index);
        self.write().vectors.sweep(planned);
        true
    }

    /// Plan the links of the next vectors, on every core while others read.
    fn plans(&self, most: usize) -> Vec<Plan> {
        let index = self.read();
        let unlinked = index.vectors.next_unlinked(most);
        let plan = |at: usize| index.vectors.plan(&unlinked, at);
        parallel_map(unlinked.len(), plan)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        if let Some(guard) = self.index.try_write_for(MAX_OVERTAKING) {
            return guard;
        }
        self.writer_is_waiting.store(true, Ordering::Release);
        let guard = self.index.write();
        self.writer_is_waiting.store(false, Ordering::Release);
        guard
    }
}

impl Index {
    /// Make a batch visible, whose documents are staged; returns the names whose bearers changed.
    fn make_visible(&mut self, batch: Batch<'_>, staged: Vec<Staged<'_>>) -> Vec<Name> {
        for &key in &batch.removed {
            self.names.remove(key);
            self.deactivate(key);
        }
        for &key in &batch.removed_edges {
            self.graph.remove(key);
        }
        for (key, names, homes) in batch.nodes {
            self.put_node_with_homes(key, names, homes);
        }
        for document in staged {
            self.activate(&document);
        }
        for (key, source, edge) in batch.edges {
            self.put_edge(key, source, edge);
        }
        self.applied = batch.applied;
        self.history = batch.history;
        self.names.take_changed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::{GRAPH_FROM, Passing};
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    const KEYS: u64 = 40;
    const BATCHES: u64 = 300;

    /// Every document of a batch holds the batch's word and no other; there are as many after each batch.
    pub(super) fn batch(number: u64, word: &str) -> Batch<'_> {
        let key_in_batch = |key: u64| key + number % 2 * KEYS;
        let document = |key: u64| NewDocument {
            key: key_in_batch(key),
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

    /// Whether everything a reader sees is from one batch.
    pub(super) fn is_whole(index: &Index) -> bool {
        let field = &index.postings.fields[0];
        let doc_freq = |word: &str| {
            field
                .posting_list(word)
                .map_or(0, |list| u64::from(list.doc_freq()))
        };
        let word = format!("語{}", index.applied);
        let documents = index.ids.documents() as u64;
        index.applied == 0 || (documents, doc_freq("全"), doc_freq(&word)) == (KEYS, KEYS, KEYS)
    }

    #[test]
    fn readers_see_whole_batches_while_one_writes() {
        let shared = Shared::new(Index::new(2));
        let (done, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
        let read_until_done = || {
            while !done.load(Ordering::Relaxed) {
                assert!(is_whole(&shared.read()));
                seen.fetch_add(1, Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            let readers: Vec<_> = (0..3).map(|_| scope.spawn(read_until_done)).collect();
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

    /// Memories of one thing are often added together: each is linked, though none was there before.
    #[test]
    fn vectors_that_are_added_together_find_each_other() {
        let shared = Shared::new(Index::new(16));
        let put = |keys: std::ops::Range<u64>, common: f32| {
            let vector = |key: u64| {
                let own = |at: u64| ((key + 1) * (at + 7)) as f32 * 0.618 % 1.0 - 0.5;
                let mut vector: Vec<f32> = (0..16).map(own).collect();
                vector[0] = common;
                vec![vector]
            };
            let document = |key: u64| NewDocument {
                key,
                vectors: vector(key),
                ..NewDocument::default()
            };
            let batch = Batch {
                documents: keys.map(document).collect(),
                ..Batch::default()
            };
            shared.apply(batch).unwrap();
        };
        let before = GRAPH_FROM as u64 + 3_000;
        put(0..before, 0.0);
        put(before..before + 300, 9.0);
        let index = shared.read();
        assert_eq!(index.vectors.in_graph(), index.vectors.len());
        let passing = Passing {
            docs: &index.ids.live,
            count: index.ids.count(),
        };
        let mut query = [0.0; 16];
        query[0] = 1.0;
        let found = index.vectors.nearest(&query, 300, passing, &index.ids);
        let found_count = found.iter().filter(|hit| index.ids.key(hit.0) >= before);
        let found_count = found_count.count();
        assert!(found_count >= 297, "{found_count} of 300");
    }

    #[test]
    fn a_refused_batch_leaves_no_trace() {
        let shared = Shared::new(Index::new(2));
        shared.apply(batch(1, "語1")).unwrap();
        let mut wrong = batch(2, "語2");
        wrong.documents[7].vectors = vec![vec![1.0; 3]];
        assert!(shared.apply(wrong).is_err());
        assert!(is_whole(&shared.read()));
        let (other, longer) = (vec![vec![0.0, 1.0]], vec![vec![1.0; 3]]);
        let first = KEYS + 3;
        let before = shared.read().vectors.len();
        let put = vec![(first, other), (first + 1, longer)];
        assert!(shared.put_vectors(put).is_err());
        let index = shared.read();
        let doc = index.ids.doc(first).unwrap();
        assert_eq!(index.vectors.len(), before);
        assert!(index.vectors.cosine(&[0.0, 1.0], doc) < Some(1.0));
    }
}
