//! What is usual in a store, or in the part that is searched? A hit is evidence only as far as it is beyond that.

use crate::Allowed;
use omoide_index::{Doc, Index, sample};

/// Fewer documents do not show what is usual among them.
const MIN_SAMPLE: usize = 24;
/// How far around a key others are looked for.
const KEYS_AROUND: u64 = 128;

/// A sample of the allowed documents; if few are allowed, of those that were stored around them.
pub fn background_sample(index: &Index, allowed: &Allowed) -> Vec<Doc> {
    let inside = index.ids.sample().filter(|&doc| allowed.contains(doc));
    let inside: Vec<Doc> = inside.collect();
    if inside.len() >= MIN_SAMPLE {
        return inside;
    }
    if allowed.len() >= MIN_SAMPLE {
        return sample_of(index, allowed.len(), allowed.iter());
    }
    let around = around(index, allowed);
    sample_of(index, around.len(), around.into_iter())
}

/// A sample of `docs`, of which there are `count`.
fn sample_of(index: &Index, count: usize, docs: impl Iterator<Item = Doc>) -> Vec<Doc> {
    let is_sampled = |doc: &Doc| sample::is_sampled(index.ids.key(*doc), count);
    docs.filter(is_sampled).collect()
}

/// The allowed documents and those stored around them.
fn around(index: &Index, allowed: &Allowed) -> Vec<Doc> {
    let mut keys: Vec<u64> = allowed.iter().map(|doc| index.ids.key(doc)).collect();
    keys.sort_unstable();
    let mut next = 0;
    let ranges = keys.into_iter().map(|key| {
        let from = next.max(key.saturating_sub(KEYS_AROUND));
        next = key + KEYS_AROUND + 1;
        from..next
    });
    let docs = ranges.flatten().filter_map(|key| index.ids.doc(key));
    // Nodes have keys too, but no text.
    docs.filter(|&doc| index.ids.live.contains(doc)).collect()
}

/// A lower bound for a share of which a random sample of `of` has `count`: one standard error below.
pub fn lower_bound(count: u32, of: u32) -> f32 {
    let count = count as f32;
    (count - count.sqrt()) / of.max(1) as f32
}

/// Mean and standard deviation over the texts of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usual {
    /// The mean.
    pub mean: f32,
    /// The standard deviation.
    pub spread: f32,
}

impl Usual {
    /// Those of these values; `None` if there are none.
    pub fn of(values: &[f32]) -> Option<Self> {
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for &value in values {
            count += 1.0;
            sum += value;
            squares += value * value;
        }
        (count > 0.0).then(|| Self::from_moments(sum / count, squares / count))
    }

    /// From a mean and a mean square.
    pub fn from_moments(mean: f32, square: f32) -> Self {
        Self {
            mean,
            spread: (square - mean * mean).max(0.0).sqrt(),
        }
    }
}

impl std::ops::Add for Usual {
    type Output = Self;

    /// For the sum of two values that rise and fall together.
    fn add(self, other: Self) -> Self {
        Self {
            mean: self.mean + other.mean,
            spread: self.spread + other.spread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filter;
    use omoide_index::NewDocument;

    #[test]
    fn values_have_a_mean_and_a_spread() {
        let usual = Usual::of(&[1.0, 3.0]).unwrap();
        assert_eq!((usual.mean, usual.spread), (2.0, 1.0));
        assert_eq!(Usual::of(&[]), None);
    }

    #[test]
    fn the_lower_bound_of_a_share_is_one_standard_error_below() {
        for (count, of, part) in [(0, 0, 0.0), (1, 128, 0.0), (64, 128, 0.4375)] {
            assert!((lower_bound(count, of) - part).abs() < 1e-6, "{count}");
        }
    }

    #[test]
    fn spreads_of_correlated_values_add_up() {
        let both = Usual::from_moments(1.0, 2.0) + Usual::from_moments(2.0, 8.0);
        assert_eq!((both.mean, both.spread), (3.0, 3.0));
    }

    #[test]
    fn few_documents_are_represented_by_the_texts_around_them_but_no_nodes() {
        let mut index = Index::new(1);
        for key in 0..100 {
            let document = NewDocument {
                key: key * 2,
                ..NewDocument::default()
            };
            index.put_document(document).expect("no vector, no refusal");
        }
        let few = Filter::Keys(vec![0, 6, 8]);
        let standing = |index: &Index| -> Vec<u64> {
            let docs = background_sample(index, &Allowed::new(index, Some(&few)));
            docs.into_iter().map(|doc| index.ids.key(doc)).collect()
        };
        let texts: Vec<u64> = (0..=8 + KEYS_AROUND).step_by(2).collect();
        assert_eq!(standing(&index), texts);
        (0..100).for_each(|each| index.put_node(each * 2 + 1, &[]));
        assert_eq!(standing(&index), texts);
    }
}
