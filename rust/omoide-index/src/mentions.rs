//! Which documents mention which named things?
//!
//! A document gets edges of its own to what its text names, found when it is added. When a name is added or removed or its
//! bearers change, the documents that may mention it (by the postings of its terms) wait to be read again; their texts are not
//! stored here, so the caller supplies them.
//!
//! Invariant: when no document waits, the mentions are those of a fresh build.

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
pub struct Said<'a> {
    /// The document's key.
    pub key: u64,
    /// The folded text.
    pub text: &'a str,
    /// The date that its mentions get.
    pub at: i64,
}

impl Index {
    /// Edges from a document to what its text names.
    pub fn mentions(&self, said: Said<'_>) -> Vec<NewEdge> {
        let Some(doc) = self.ids.doc(said.key) else {
            return Vec::new();
        };
        let named = self
            .names
            .mentioned(said.text, |word| self.holds(doc, word));
        let tied: BTreeSet<u64> = self.graph.owned_beside(said.key, MENTIONS).collect();
        let others = named
            .into_iter()
            .filter(|target| *target != said.key && !tied.contains(target));
        others
            .map(|target| NewEdge {
                target,
                kind: MENTIONS.to_owned(),
                home: String::new(),
                weight: WEIGHT,
                created_at: said.at,
            })
            .collect()
    }

    /// Replace the mentions of a document, which then waits no longer.
    pub fn mention(&mut self, key: u64, mentions: &[NewEdge]) {
        self.waiting.remove(&key);
        self.graph.disown(key, |kind| kind == MENTIONS);
        self.graph.own(key, mentions);
        let ends = mentions.iter().map(|edge| edge.target);
        ends.chain([key]).for_each(|end| self.stand(end));
    }

    /// Find the mentions in a document's text and store them.
    pub fn read(&mut self, said: Said<'_>) {
        let mentions = self.mentions(said);
        self.mention(said.key, &mentions);
    }

    /// Let documents that may mention a name whose bearers changed wait, except those in `read`.
    pub fn wait_for_reading(&mut self, read: &BTreeSet<u64>) {
        let changed = self.names.take_changed();
        let concerned = self.concerned(&changed, read);
        self.waiting.extend(concerned);
    }

    /// Keys of the documents that may mention one of `names`, except those in `read`. Similar names (会議 1, 会議 2) often have the
    /// same terms, which are then looked up once.
    pub fn concerned(&self, names: &[Name], read: &BTreeSet<u64>) -> BTreeSet<u64> {
        let lookups: BTreeSet<_> = names.iter().map(|name| (name.field, &name.terms)).collect();
        let docs = lookups
            .into_iter()
            .flat_map(|(field, terms)| self.holding(field, terms));
        docs.map(|doc| self.ids.key(doc))
            .filter(|key| !read.contains(key))
            .collect()
    }

    /// Live documents that hold all of these terms in a field.
    fn holding(&self, field: usize, terms: &[String]) -> Vec<Doc> {
        let field = &self.postings.fields[field];
        let lists: Option<Vec<_>> = terms.iter().map(|term| field.posting(term)).collect();
        let mut lists = lists.unwrap_or_default();
        lists.sort_unstable_by_key(crate::postings::Posting::live);
        let Some((rarest, others)) = lists.split_first() else {
            return Vec::new();
        };
        let mut docs = rarest.blocks.docs();
        docs.retain(|&doc| self.ids.live.contains(doc));
        for list in others {
            list.blocks.retain_in(&mut docs);
        }
        docs
    }

    fn holds(&self, doc: Doc, word: &str) -> bool {
        let list = self.postings.fields[WORDS].posting(word);
        list.is_some_and(|list| list.blocks.count(doc) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewDocument;

    fn called(text: &str) -> Vec<Name> {
        vec![Name {
            text: text.to_owned(),
            words: Vec::new(),
            terms: Vec::new(),
            field: 0,
        }]
    }

    #[test]
    fn a_text_is_tied_once_to_what_it_names_and_never_to_itself() {
        let mut index = Index::new(1);
        index.put_node(1, &called("京都"));
        index.put_node(3, &called("抹茶"));
        let (title, about) = (
            called("旅の記録"),
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
        let mut tied: Vec<(u64, &str)> = edges
            .map(|edge| (edge.target, index.graph.kind(edge)))
            .collect();
        tied.sort_unstable();
        assert_eq!(tied, [(1, "about"), (3, MENTIONS)]);
    }
}
