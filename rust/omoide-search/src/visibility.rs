//! Which part of the graph is visible to a caller who may see only one scope?
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

/// The part of one graph that is visible. The sets are made when they are first needed: most walks meet no node.
#[derive(Debug)]
pub struct VisibleGraph<'a> {
    visibility: &'a Visibility,
    at_home: OnceCell<DocSet>,
    known_by: OnceCell<DocSet>,
    /// A cache by vertex: many edges may lead to one.
    cache: RefCell<FxHashMap<u32, bool>>,
}

impl<'a> VisibleGraph<'a> {
    /// What `visibility` makes visible.
    pub fn of(visibility: &'a Visibility) -> Self {
        Self {
            visibility,
            at_home: OnceCell::new(),
            known_by: OnceCell::new(),
            cache: RefCell::default(),
        }
    }

    /// Whether the node at this vertex is visible. `index` must be the same at every call.
    pub fn shows_node(&self, index: &Index, node: Doc, vertex: u32) -> bool {
        let scope = std::slice::from_ref(&self.visibility.scope);
        let at_home = || index.attributes.one_of(HOME, scope);
        let described = || self.has_document_about(index, vertex);
        self.at_home.get_or_init(at_home).contains(node)
            || *self
                .cache
                .borrow_mut()
                .entry(vertex)
                .or_insert_with(described)
    }

    fn has_document_about(&self, index: &Index, vertex: u32) -> bool {
        let known_by = || self.visibility.known_by.documents(index);
        let known_by = self.known_by.get_or_init(known_by);
        let vertices = index.graph.vertices_about(vertex);
        let mut docs = vertices.filter_map(|vertex| index.graph.doc_at(vertex));
        docs.any(|doc| known_by.contains(doc))
    }

    /// Whether an edge with this home is visible.
    pub fn shows_home(&self, home: &str) -> bool {
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
    fn what_is_at_home_or_described_in_the_scope_is_visible() {
        let mut index = Index::new(1);
        for (key, home) in [(1, "日記"), (2, "日記帳"), (3, ""), (4, ""), (5, "")] {
            index.put_node(key, &[]);
            let node = index.ids.doc(key).unwrap();
            index.attributes.insert(node, &pairs(HOME, home));
        }
        let described = [
            (10, "他", "言う", 1),
            (11, "他", "言う", 2),
            (12, "日記", "about", 3),
            (13, "他", "about", 4),
            (14, "日記", "言う", 5),
        ];
        for (key, scope, kind, target) in described {
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
        let visible = VisibleGraph::of(&visibility);
        let shows_node = |key: u64| {
            let vertex = index.graph.vertex(key).expect("it has an edge");
            visible.shows_node(&index, index.ids.doc(key).unwrap(), vertex)
        };
        assert_eq!(
            [1, 2, 3, 4, 5].map(shows_node),
            [true, false, true, false, false]
        );
        let homes = ["", "日記", "日記:旅", "日記帳", "日"];
        assert_eq!(
            homes.map(|home| visible.shows_home(home)),
            [true, true, true, false, false]
        );
    }
}
