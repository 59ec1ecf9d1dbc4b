//! Which documents mention which named things?
//!
//! A document gets edges of its own to what its text names, found when it is added. When a name is added or removed or its
//! bearers change, the documents that may mention it (by the postings of its terms) are queued to be read again; their texts are
//! not stored here, so the caller supplies them.
//!
//! Invariant: when no document is queued, the mentions are those of a fresh build.

use crate::graph::NewEdge;
use crate::names::Name;
use crate::{Doc, Index, WORDS};
use std::collections::BTreeSet;

/// The type of the edge from a document to what its text names.
pub const MENTIONS: &str = "mentions";
/// Weight of a mention, compared with an edge that somebody made.
const WEIGHT: f32 = 0.5;

/// The text of a document, and when it was stored, in microseconds since the epoch.
#[derive(Debug, Clone, Copy)]
pub struct StoredText<'a> {
    /// The document's key.
    pub key: u64,
    /// The folded text.
    pub text: &'a str,
    /// The date that its mentions get.
    pub at: i64,
}

impl Index {
    /// Edges from a document to what its text names.
    pub fn mentions(&self, stored: StoredText<'_>) -> Vec<NewEdge> {
        let Some(doc) = self.ids.doc(stored.key) else {
            return Vec::new();
        };
        let named = self
            .names
            .mentioned(stored.text, |word| self.has_word(doc, word));
        let linked: BTreeSet<u64> = self
            .graph
            .owned_targets_except(stored.key, MENTIONS)
            .collect();
        let others = named
            .into_iter()
            .filter(|target| *target != stored.key && !linked.contains(target));
        others
            .map(|target| NewEdge {
                target,
                kind: MENTIONS.to_owned(),
                home: String::new(),
                weight: WEIGHT,
                created_at: stored.at,
            })
            .collect()
    }

    /// Replace the mentions of a document, which then need not be read again.
    pub fn set_mentions(&mut self, key: u64, mentions: &[NewEdge]) {
        self.waiting.remove(&key);
        self.graph.remove_owned(key, |kind| kind == MENTIONS);
        self.graph.put_owned(key, mentions);
        let ends = mentions.iter().map(|edge| edge.target);
        ends.chain([key]).for_each(|end| self.update_vertex(end));
    }

    /// Find the mentions in a document's text and store them.
    pub fn link_mentions(&mut self, stored: StoredText<'_>) {
        let mentions = self.mentions(stored);
        self.set_mentions(stored.key, &mentions);
    }

    /// Queue the documents that may mention a name whose bearers changed, except those in `read`.
    pub fn queue_rereading(&mut self, read: &BTreeSet<u64>) {
        let changed = self.names.take_changed();
        let affected = self.affected(&changed, read);
        self.waiting.extend(affected);
    }

    /// Keys of the documents that may mention one of `names`, except those in `read`. Similar names (会議 1, 会議 2) often have the
    /// same terms, which are then looked up once.
    pub fn affected(&self, names: &[Name], read: &BTreeSet<u64>) -> BTreeSet<u64> {
        let lookups: BTreeSet<_> = names.iter().map(|name| (name.field, &name.terms)).collect();
        let docs = lookups
            .into_iter()
            .flat_map(|(field, terms)| self.documents_with_all(field, terms));
        docs.map(|doc| self.ids.key(doc))
            .filter(|key| !read.contains(key))
            .collect()
    }

    /// Live documents that contain all of these terms in a field.
    fn documents_with_all(&self, field: usize, terms: &[String]) -> Vec<Doc> {
        let field = &self.postings.fields[field];
        let lists: Option<Vec<_>> = terms.iter().map(|term| field.posting_list(term)).collect();
        let mut lists = lists.unwrap_or_default();
        lists.sort_unstable_by_key(crate::postings::PostingList::doc_freq);
        let Some((rarest, others)) = lists.split_first() else {
            return Vec::new();
        };
        let mut docs = rarest.blocks.docs();
        docs.retain(|&doc| self.ids.live.contains(doc));
        for list in others {
            list.blocks.retain_listed(&mut docs);
        }
        docs
    }

    fn has_word(&self, doc: Doc, word: &str) -> bool {
        let list = self.postings.fields[WORDS].posting_list(word);
        list.is_some_and(|list| list.blocks.count(doc) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewDocument;

    fn names_of(text: &str) -> Vec<Name> {
        vec![Name {
            text: text.to_owned(),
            words: Vec::new(),
            terms: Vec::new(),
            field: 0,
        }]
    }

    #[test]
    fn a_text_is_linked_once_to_what_it_names_and_never_to_itself() {
        let mut index = Index::new(1);
        index.put_node(1, &names_of("京都"));
        index.put_node(3, &names_of("抹茶"));
        let (title, about) = (
            names_of("旅の記録"),
            [NewEdge {
                target: 1,
                kind: "about".to_owned(),
                home: String::new(),
                weight: 1.0,
                created_at: 0,
            }],
        );
        let document = NewDocument {
            key: 2,
            text: "旅の記録。京都で抹茶",
            names: &title,
            edges: &about,
            ..NewDocument::default()
        };
        index.put_document(document).expect("no vector, no refusal");
        let edges = index.graph.at(2);
        let mut linked: Vec<(u64, &str)> = edges
            .map(|edge| (edge.target, index.graph.kind(edge)))
            .collect();
        linked.sort_unstable();
        assert_eq!(linked, [(1, "about"), (3, MENTIONS)]);
    }
}
