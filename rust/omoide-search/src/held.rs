//! Which of some terms does one document hold, and how often?
//!
//! Useful for: a few documents, each asked for many terms: its own terms are read once. Not useful for: finding documents.
//! Invariant: the same as looking the document up in the list of every term.

use omoide_index::Doc;
use omoide_index::postings::Field;

/// Terms of some fields, by their places in what they were given in.
#[derive(Debug, Default)]
pub struct Held<'a> {
    fields: Vec<(&'a Field, Vec<Sought>)>,
}

/// The number of a term in its field, and its place.
type Sought = (u32, usize);

impl<'a> Held<'a> {
    /// Of terms given by their fields and numbers.
    pub fn of(terms: impl Iterator<Item = (&'a Field, u32)>) -> Self {
        let mut fields: Vec<(&Field, Vec<Sought>)> = Vec::new();
        for (place, (field, number)) in terms.enumerate() {
            let known = fields.iter_mut().find(|known| std::ptr::eq(known.0, field));
            match known {
                Some(known) => known.1.push((number, place)),
                None => fields.push((field, vec![(number, place)])),
            }
        }
        fields.iter_mut().for_each(|field| field.1.sort_unstable());
        Self { fields }
    }

    /// Have what is read of some documents brought near all at once: they lie far from each other.
    pub fn bring_near(&self, docs: &[Doc]) {
        for (field, _) in &self.fields {
            field.bring_near(docs);
        }
    }

    /// The places of those that a document holds, and how often, in no particular order.
    pub fn by(&self, doc: Doc) -> Vec<(usize, u32)> {
        let most = self.fields.iter().map(|field| field.1.len()).sum();
        let mut found = Vec::with_capacity(most);
        for (field, sought) in &self.fields {
            common(field.terms_of(doc), sought, &mut found);
        }
        found
    }
}

/// Both ascend.
fn common(
    terms: impl Iterator<Item = (u32, u32)>,
    mut sought: &[Sought],
    found: &mut Vec<(usize, u32)>,
) {
    for (term, count) in terms {
        while let [(number, place), rest @ ..] = sought
            && *number <= term
        {
            if *number == term {
                found.push((*place, count));
            }
            sought = rest;
        }
        if sought.is_empty() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use omoide_index::{Index, NewDocument};

    #[test]
    fn a_document_holds_the_terms_in_whose_lists_it_stands() {
        let texts = [
            "抹茶 京都",
            "京都 tea",
            "tea tea 记忆",
            "",
            "记忆 京都 抹茶",
        ];
        let mut index = Index::new(1);
        for (key, text) in texts.into_iter().enumerate() {
            let document = NewDocument {
                key: key as u64,
                fields: [text.split_whitespace().collect(), vec![text], vec![]],
                ..NewDocument::default()
            };
            index.put_document(document).expect("no vector, no refusal");
        }
        index.remove(1);
        let [words, whole, _] = &index.postings.fields;
        let asked = [
            (words, "tea"),
            (words, "抹茶"),
            (words, "tea"),
            (whole, "抹茶 京都"),
        ];
        let postings = asked.map(|(field, term)| field.posting(term).expect("some text holds it"));
        let fields = asked.iter().zip(&postings);
        let held = Held::of(fields.map(|((field, _), posting)| (*field, posting.number)));
        for key in [0, 2, 3, 4] {
            let doc = index.ids.doc(key).expect("it lives");
            let mut found = held.by(doc);
            found.sort_unstable();
            let counts = postings.iter().map(|posting| posting.blocks.count(doc));
            let listed = counts.enumerate().filter(|listed| listed.1 > 0);
            assert_eq!(found, listed.collect::<Vec<_>>(), "{key}");
        }
    }
}
