use super::*;
use crate::ids::Ids;
use rustc_hash::FxHashMap;

fn vector(seed: u32, dimensions: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    let next = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut values: Vec<f32> = (0..dimensions).map(|_| next(&mut state)).collect();
    normalise(&mut values);
    values
}

/// Documents whose keys are their ids.
struct Filled {
    vectors: Vectors,
    ids: Ids,
    live: DocSet,
}

impl Filled {
    fn new(dimensions: usize, docs: Doc) -> Self {
        let mut filled = Self {
            vectors: Vectors::new(dimensions),
            ids: Ids::default(),
            live: DocSet::default(),
        };
        (0..docs).for_each(|doc| filled.add(doc));
        filled
    }

    fn add(&mut self, seed: u32) {
        self.put(seed, vec![vector(seed, self.vectors.dimensions)]);
    }

    fn put(&mut self, key: u32, vectors: Vec<Vec<f32>>) {
        let doc = self.ids.insert(u64::from(key), true);
        self.live.insert(doc);
        let links = vectors.len() * LINKS_PER_VECTOR;
        self.vectors.insert(doc, vectors).unwrap();
        for _ in 0..links {
            if let [row] = self.vectors.next_unlinked(1)[..] {
                self.vectors.link(self.vectors.plan(&[row], 0));
            }
            self.sweep();
        }
    }

    fn sweep(&mut self) {
        if self.vectors.is_sweeping() {
            self.vectors.sweep(vec![self.vectors.plan_sweep(0)]);
        }
    }

    fn remove(&mut self, doc: Doc) {
        self.ids.remove(u64::from(doc));
        self.live.remove(doc);
        self.vectors.remove(doc);
        self.sweep();
    }

    /// The ten nearest, each once, of those that pass, each with its cosine.
    fn nearest(&self, query: &[f32], docs: &DocSet) -> Vec<(Doc, f32)> {
        let passing = Passing {
            docs,
            count: docs.len(),
        };
        let found = self.vectors.nearest(query, 10, passing, &self.ids);
        for &(doc, cosine) in &found {
            assert!(docs.contains(doc), "{doc} does not pass");
            assert_eq!(self.vectors.cosine(query, doc), Some(cosine), "{doc}");
        }
        let different: DocSet = found.iter().map(|hit| hit.0).collect();
        assert_eq!(different.len(), found.len(), "{found:?}");
        found
    }

    fn exactly(&self, query: &[f32], docs: &DocSet) -> Vec<(Doc, f32)> {
        let scored = docs
            .iter()
            .filter_map(|doc| Some((doc, self.vectors.cosine(query, doc)?)));
        self.ids.best(scored.collect(), 10)
    }

    /// The share of the ten nearest, or of others as near, that are found, over forty queries.
    fn recall(&self, docs: &DocSet) -> f32 {
        let found = |seed: u32| {
            let query = vector(1_000_000 + seed, self.vectors.dimensions);
            let exact = self.exactly(&query, docs);
            let near = self.nearest(&query, docs);
            near.iter().filter(|hit| hit.1 >= exact[9].1).count()
        };
        (0..40).map(found).sum::<usize>() as f32 / 400.0
    }
}

#[test]
fn a_scan_finds_exactly_the_nearest_of_the_allowed() {
    let mut filled = Filled::new(16, 200);
    filled.remove(7);
    let query = vector(7, 16);
    let allowed: DocSet = (0..200).filter(|doc| doc % 3 == 1).collect();
    let mut expected: Vec<(Doc, f32)> = allowed
        .iter()
        .filter_map(|doc| Some((doc, filled.vectors.cosine(&query, doc)?)))
        .collect();
    expected.sort_by(|a, b| b.1.total_cmp(&a.1));
    expected.truncate(10);
    assert_eq!(filled.nearest(&query, &allowed), expected);
    assert!(filled.vectors.cosine(&query, 7).is_none());
}

#[test]
fn the_graph_finds_nearly_what_a_scan_finds() {
    let filled = Filled::new(24, GRAPH_FROM as Doc + 4_000);
    assert_eq!(filled.vectors.in_graph(), filled.vectors.len());
    let all = filled.live.clone();
    let nearly_all: DocSet = all.iter().filter(|doc| doc % 40 > 0).collect();
    let most: DocSet = all.iter().filter(|doc| doc % 10 > 0).collect();
    let few: DocSet = (0..20).collect();
    for docs in [&all, &nearly_all, &most, &few] {
        let recall = filled.recall(docs);
        assert!(recall >= 0.97, "{} documents: {recall}", docs.len());
    }
    assert!((filled.recall(&few) - 1.0).abs() < f32::EPSILON);
    let passing = Passing {
        docs: &most,
        count: most.len(),
    };
    let all_of_them = filled
        .vectors
        .nearest(&vector(0, 24), 1 << 62, passing, &filled.ids);
    assert_eq!(all_of_them.len(), most.len());
}

/// A thousand memories of each topic are nearer to each other than to any other topic, and a question is near to none of them.
#[test]
fn among_topics_that_are_far_apart_a_question_finds_its_own() {
    let about = |topic: u32, seed: u32, own: f32| {
        let both = vector(500_000 + topic, 24)
            .into_iter()
            .zip(vector(seed, 24));
        let mut vector: Vec<f32> = both.map(|(topic, other)| topic + own * other).collect();
        normalise(&mut vector);
        vector
    };
    let mut filled = Filled::new(24, 0);
    let docs = GRAPH_FROM as Doc + 4_000;
    (0..docs).for_each(|key| filled.put(key, vec![about(key / 1_000, key, 0.3)]));
    let found = |seed: u32| {
        let query = about(seed % 12, 1_000_000 + seed, 1.5);
        let exact = filled.exactly(&query, &filled.live);
        let near = filled.nearest(&query, &filled.live);
        near.iter().filter(|hit| hit.1 >= exact[9].1).count()
    };
    let recall = (0..80).map(found).sum::<usize>() as f32 / 800.0;
    assert!(recall >= 0.97, "{recall}");
}

#[test]
fn filtered_searches_find_nearly_all_at_any_selectivity() {
    let filled = Filled::new(24, GRAPH_FROM as Doc + 4_000);
    let sides: Vec<f32> = (0..24).map(|at| f32::from(u8::from(at == 0))).collect();
    let is_ahead = |doc: &Doc| filled.vectors.cosine(&sides, *doc) > Some(0.25);
    let ahead: DocSet = filled.live.iter().filter(is_ahead).collect();
    let shares = [2, 3, 4, 6, 10, 30].map(|share| -> DocSet {
        let docs = filled.live.iter();
        docs.filter(|doc| doc % share == 0).collect()
    });
    for docs in shares.iter().chain([&ahead]) {
        let recall = filled.recall(docs);
        assert!(recall >= 0.97, "{} documents: {recall}", docs.len());
    }
}

#[test]
fn a_search_by_codes_finds_nearly_the_same() {
    let mut filled = Filled::new(48, 0);
    filled.vectors.keep_codes(true);
    (0..GRAPH_FROM as Doc + 4_000).for_each(|seed| filled.add(seed));
    let tenth: DocSet = filled.live.iter().filter(|doc| doc % 10 == 0).collect();
    for docs in [&filled.live, &tenth] {
        let recall = filled.recall(docs);
        assert!(recall >= 0.97, "{} documents: {recall}", docs.len());
    }
    filled.vectors.keep_codes(false);
    assert!(filled.recall(&filled.live) >= 0.97);
}

#[test]
fn of_many_equal_vectors_those_with_the_largest_keys_are_found_by_codes_too() {
    for with_codes in [false, true] {
        let mut filled = Filled::new(8, 0);
        filled.vectors.keep_codes(with_codes);
        let keys = (0..1_000).map(|number| number * 37 % 1_000);
        keys.for_each(|key| filled.put(key, vec![vector(1, 8)]));
        let passing = Passing {
            docs: &filled.live,
            count: filled.live.len(),
        };
        let found = filled
            .vectors
            .nearest(&vector(2, 8), 3, passing, &filled.ids);
        let keys: Vec<u64> = found.iter().map(|hit| filled.ids.key(hit.0)).collect();
        assert_eq!(keys, [999, 998, 997], "with codes: {with_codes}");
    }
}

#[test]
fn while_the_first_graph_catches_up_everything_is_found() {
    let filled = Filled::new(8, GRAPH_FROM as Doc + 400);
    let linked = filled.vectors.in_graph();
    assert!(linked > 0 && linked < filled.vectors.len(), "{linked}");
    assert!((filled.recall(&filled.live) - 1.0).abs() < f32::EPSILON);
}

#[test]
fn beside_a_graph_those_that_are_not_linked_yet_are_found_too() {
    let mut filled = Filled::new(8, GRAPH_FROM as Doc + 3_000);
    let docs = filled.live.clone();
    for key in 100_000..100_003 {
        let doc = filled.ids.insert(key, true);
        filled.live.insert(doc);
        let own = vec![vector(key as u32, 8)];
        filled.vectors.insert(doc, own).unwrap();
        let found = filled.nearest(&vector(key as u32, 8), &filled.live);
        assert_eq!(found[0].0, doc);
        filled.nearest(&vector(key as u32, 8), &docs);
    }
    assert_eq!(filled.vectors.in_graph(), filled.vectors.len() - 3);
}

#[test]
fn a_vector_that_is_removed_before_it_is_linked_leaves_the_others_to_be_linked() {
    let mut filled = Filled::new(8, 3);
    filled.remove(1);
    filled.add(3);
    assert_eq!(filled.vectors.unlinked, [0, 2, 1], "its row is used again");
}

#[test]
fn a_removed_vector_does_not_count_even_before_it_is_swept_out() {
    let mut filled = Filled::new(8, 3);
    for row in 0..3 {
        filled.vectors.link(filled.vectors.plan(&[row], 0));
    }
    filled.remove(1);
    for is_sweeping in [false, true] {
        assert_eq!(filled.vectors.is_sweeping(), is_sweeping);
        assert_eq!((filled.vectors.len(), filled.vectors.in_graph()), (2, 3));
        filled.vectors.begin_sweep();
    }
}

#[test]
fn what_waits_to_be_swept_out_still_does_without_free_rows() {
    let mut filled = Filled::new(8, 6);
    for row in 0..5 {
        filled.vectors.link(filled.vectors.plan(&[row], 0));
    }
    [1, 2, 5].into_iter().for_each(|doc| filled.remove(doc));
    filled.vectors = filled.vectors.compacted(&filled.ids.renumbering());
    let counts = |vectors: &Vectors| (vectors.len(), vectors.in_graph(), vectors.free.len());
    assert_eq!(counts(&filled.vectors), (3, 5, 0));
    while filled.vectors.begin_sweep() {
        filled.sweep();
    }
    assert_eq!(counts(&filled.vectors), (3, 3, 2));
}

#[test]
fn a_document_is_not_found_by_a_vector_that_it_had_before() {
    let mut filled = Filled::new(8, GRAPH_FROM as Doc + 3_000);
    for doc in [7, 1_000] {
        let before = vector(doc, 8);
        assert_eq!(filled.nearest(&before, &filled.live)[0].0, doc);
        let opposite = before.iter().map(|value| -value).collect();
        filled.vectors.remove(doc);
        filled.vectors.insert(doc, vec![opposite]).unwrap();
        let found = filled.nearest(&before, &filled.live);
        assert!(found.iter().all(|hit| hit.0 != doc), "{found:?}");
    }
}

/// The row at which searches began is swept out of a graph without upper levels, and then many are added.
#[test]
fn rows_from_before_a_sweep_are_found_after_it() {
    let mut filled = Filled::new(8, 3);
    for row in 0..3 {
        filled.vectors.link(filled.vectors.plan(&[row], 0));
    }
    filled.remove(0);
    while filled.vectors.begin_sweep() {
        filled.sweep();
    }
    (3..2_000).for_each(|key| filled.add(key));
    assert_eq!(filled.vectors.in_graph(), filled.vectors.len());
    for doc in [1, 2] {
        assert_eq!(filled.nearest(&vector(doc, 8), &filled.live)[0].0, doc);
    }
}

#[test]
fn after_many_replacements_as_much_is_found_and_rows_are_reused() {
    let mut filled = Filled::new(16, GRAPH_FROM as Doc + 3_000);
    for doc in 0..GRAPH_FROM as Doc {
        filled.remove(doc);
        filled.add(100_000 + doc);
    }
    let rows = filled.vectors.docs.len();
    assert_eq!(filled.vectors.len(), GRAPH_FROM + 3_000);
    assert!(rows < (GRAPH_FROM + 3_000) * 3 / 2, "{rows} rows");
    let recall = filled.recall(&filled.live.clone());
    assert!(recall >= 0.97, "{recall}");
}

/// Both with a graph of all vectors and with one that is still catching up; and then those added later as well.
#[test]
fn without_free_rows_the_same_is_found() {
    for docs in [GRAPH_FROM as Doc + 400, GRAPH_FROM as Doc + 3_000] {
        let mut filled = Filled::new(16, docs);
        for at in 0..docs / 8 {
            filled.remove(at * 10_007 % docs);
            if at % 4 == 0 {
                filled.add(docs + at);
            }
        }
        while filled.vectors.begin_sweep() {
            filled.sweep();
        }
        let to = filled.ids.renumbering();
        let compacted = filled.vectors.compacted(&to);
        assert!(compacted.docs.len() < filled.vectors.docs.len());
        assert_eq!(compacted.in_graph(), filled.vectors.in_graph());
        let new_docs: FxHashMap<Doc, Doc> = to.pairs().collect();
        let mut before: Vec<_> = (0..40)
            .map(|seed| filled.nearest(&vector(seed, 16), &filled.live))
            .collect();
        before
            .iter_mut()
            .flatten()
            .for_each(|hit| hit.0 = new_docs[&hit.0]);
        filled.live = new_docs.values().copied().collect();
        filled.ids = filled.ids.renumbered(&to);
        filled.vectors = compacted;
        let after: Vec<_> = (0..40)
            .map(|seed| filled.nearest(&vector(seed, 16), &filled.live))
            .collect();
        assert_eq!(after, before);
        (0..400).for_each(|at| filled.add(3 * docs + at));
        let recall = filled.recall(&filled.live);
        assert!(recall >= 0.97, "{recall}");
    }
}

#[test]
fn a_document_is_as_near_as_the_nearest_of_its_passages() {
    let mut filled = Filled::new(3, 0);
    let axis = |at: usize| (0..3).map(|each| f32::from(u8::from(each == at))).collect();
    filled.put(0, vec![axis(0), axis(1)]);
    filled.put(1, vec![vec![1.0, 1.0, 1.0]]);
    filled.put(2, Vec::new());
    for (at, nearest, passage) in [(0, 0, Some(0)), (1, 0, Some(1)), (2, 1, Some(0))] {
        let query: Vec<f32> = axis(at);
        let found = filled.nearest(&query, &filled.live);
        assert_eq!((found.len(), found[0].0), (2, nearest));
        assert_eq!(filled.vectors.passage(&query, nearest), passage);
    }
    assert_eq!(filled.vectors.passage(&axis(0), 2), None);
    filled.remove(0);
    filled.put(3, vec![axis(2); 2]);
    assert_eq!(filled.vectors.len(), 3);
    assert_eq!(filled.vectors.cosine(&axis(0), 0), None);
}

#[test]
fn the_graph_counts_documents_not_passages() {
    let mut filled = Filled::new(32, 0);
    for doc in 0..(GRAPH_FROM / 4) as Doc + 1_500 {
        let passages = (0..4).map(|passage| vector(doc * 4 + passage, 32));
        filled.put(doc, passages.collect());
    }
    assert!(filled.vectors.in_graph() > GRAPH_FROM);
    let recall = filled.recall(&filled.live);
    assert!(recall >= 0.97, "{recall}");
}

#[test]
fn a_vector_without_a_direction_is_near_to_nothing() {
    for strange in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 0.0] {
        let mut filled = Filled::new(2, 0);
        filled.put(0, vec![vec![strange, 0.0]]);
        filled.put(1, vec![vec![-1.0, 0.1]]);
        assert_eq!(filled.nearest(&[1.0, 0.0], &filled.live)[0], (0, 0.0));
    }
}

#[test]
fn a_vector_of_another_length_is_refused() {
    let error = Vectors::new(4).insert(0, vec![vec![1.0; 3]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the vector has 3 dimensions, the index 4"
    );
}

/// They must not link only to each other, where a search would end.
#[test]
fn duplicates_hide_no_others_and_are_found_themselves() {
    let (docs, groups, copies) = (GRAPH_FROM as Doc + 4_000, 20, 60);
    let mut filled = Filled::new(24, docs);
    let said = |group: u32| vector(5_000_000 + group, 24);
    (0..groups * copies).for_each(|at| filled.put(docs + at, vec![said(at % groups)]));
    let recall = filled.recall(&filled.live);
    assert!(recall >= 0.97, "{recall}");
    let passing = Passing {
        docs: &filled.live,
        count: filled.live.len(),
    };
    for group in 0..groups {
        let near = filled
            .vectors
            .nearest(&said(group), copies as usize, passing, &filled.ids);
        let (nearest, farthest) = (near[0].1, near[near.len() - 1].1);
        assert!(
            (nearest - farthest).abs() < f32::EPSILON,
            "{group}: {near:?}"
        );
    }
}
