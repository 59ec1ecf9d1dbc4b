//! Which part of the graph does a caller see who sees only one scope?
//!
//! The things that are at home in the scope, and those that a memory of the scope is about; the edges made in the scope, and
//! those made in none. Documents are not decided here: the filter of a search does that.

use crate::Filter;
use omoide_index::docset::DocSet;
use omoide_index::{Doc, HOME, Index};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};

/// Whose view of the graph a walk takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Visibility {
    /// The scope, spelled as homes are.
    pub scope: String,
    /// The memories that make known the things they are about.
    pub known_by: Filter,
}

/// The part of one index that a visibility sees. The sets are made when they are first asked for: most walks meet no node.
#[derive(Debug)]
pub struct Seen<'a> {
    visibility: &'a Visibility,
    at_home: OnceCell<DocSet>,
    known_by: OnceCell<DocSet>,
    /// A cache of places that were asked for: many edges may lead to one.
    known: RefCell<FxHashMap<u32, bool>>,
}

impl<'a> Seen<'a> {
    /// What `visibility` sees.
    pub fn of(visibility: &'a Visibility) -> Self {
        Self {
            visibility,
            at_home: OnceCell::new(),
            known_by: OnceCell::new(),
            known: RefCell::default(),
        }
    }

    /// Whether the node at this place is seen; always of the same index.
    pub fn knows(&self, index: &Index, node: Doc, place: u32) -> bool {
        let scope = std::slice::from_ref(&self.visibility.scope);
        let at_home = || index.attributes.one_of(HOME, scope);
        let told = || self.is_told_of(index, place);
        self.at_home.get_or_init(at_home).contains(node)
            || *self.known.borrow_mut().entry(place).or_insert_with(told)
    }

    fn is_told_of(&self, index: &Index, place: u32) -> bool {
        let known_by = self.known_by.get_or_init(|| {
            let mut live = self.visibility.known_by.documents(index);
            live.intersect(&index.ids.live);
            live
        });
        let tellers = index.graph.tellers(place);
        let mut docs = tellers.filter_map(|teller| index.graph.standing(teller));
        docs.any(|doc| known_by.contains(doc))
    }

    /// Whether an edge with this home is seen.
    pub fn hears(&self, home: &str) -> bool {
        let inner = home.strip_prefix(&*self.visibility.scope);
        home.is_empty() || inner.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use omoide_index::NewDocument;
    use omoide_index::graph::NewEdge;

    fn pairs(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.to_owned(), value.to_owned())]
    }

    #[test]
    fn what_is_at_home_or_told_of_in_the_scope_is_known() {
        let mut index = Index::new(1);
        for (key, home) in [(1, "日記"), (2, "日記帳"), (3, ""), (4, ""), (5, "")] {
            index.put_node(key, &[]);
            let node = index.ids.doc(key).unwrap();
            index.attributes.insert(node, &pairs(HOME, home));
        }
        let told = [
            (10, "他", "言う", 1),
            (11, "他", "言う", 2),
            (12, "日記", "about", 3),
            (13, "他", "about", 4),
            (14, "日記", "言う", 5),
        ];
        for (key, scope, kind, target) in told {
            let edge = NewEdge {
                target,
                kind: kind.into(),
                home: String::new(),
                weight: 1.0,
                created_at: 0,
            };
            let document = NewDocument {
                key,
                attributes: &pairs("scope_family", scope),
                edges: &[edge],
                ..NewDocument::default()
            };
            index.put_document(document).expect("no vector, no refusal");
        }
        let visibility = Visibility {
            scope: "日記".into(),
            known_by: Filter::OneOf("scope_family".into(), vec!["日記".into()]),
        };
        let seen = Seen::of(&visibility);
        let knows = |key: u64| {
            let place = index.graph.place(key).expect("it has an edge");
            seen.knows(&index, index.ids.doc(key).unwrap(), place)
        };
        assert_eq!(
            [1, 2, 3, 4, 5].map(knows),
            [true, false, true, false, false]
        );
        let homes = ["", "日記", "日記:旅", "日記帳", "日"];
        assert_eq!(
            homes.map(|home| seen.hears(home)),
            [true, true, true, false, false]
        );
    }
}
