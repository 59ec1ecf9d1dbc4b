//! One search, from filter to explained hits.

use crate::bm25::{Matched, Parts, Terms};
use crate::context::{RERANK_DEPTH, Window};
use crate::feedback::with_feedback;
use crate::similarity::{EXTRA_COMPARED, Similarity};
use crate::walk::{self, Exploration, Neighbour, Seed, Step, breadth_first, page_rank};
use crate::{Allowed, BreadthFirst, PageRank, Query, Usual, context, fuse, usual};
use compact_str::CompactString;
use omoide_index::{Doc, Index};
use rustc_hash::{FxHashMap, FxHashSet};

/// At most so many matched terms are named in an explanation.
const MAX_TERMS: usize = 16;
/// So many of the best hits by words decide how far words are trusted, and draw the query's vector towards themselves.
const TOP_HITS: usize = 5;
/// Scores of the walk are its masses to this power: a node one step from a seed gets a fraction of the seed's mass, but is not
/// worth that much less. On two labelled sets with triples, .25 finds .07 and .04 more among the first ten than 1, and as much
/// as ranks do.
const MASS_EXPONENT: f32 = 0.25;
/// Masses up to this are rounding errors.
const NOISE: f32 = 1e-7;
/// The search for paths from seeds to hits: how many steps long they may be, and how many vertices it visits at most.
const PATH_SEARCH: BreadthFirst = BreadthFirst {
    depth: 3,
    types: None,
    limit: 2_000,
};

/// Rank (from 1) and score of a document in one arm.
pub type Ranked = Option<(usize, f32)>;

/// A found document, explained.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its key.
    pub key: u64,
    /// Fused score.
    pub score: f32,
    /// Share of the query's word weight that it matches, together with the turns around it.
    pub coverage: f32,
    /// Coverage that similar texts have by chance.
    pub usual_coverage: Usual,
    /// The most that its terms can surprise, in nats.
    pub rarity: f32,
    /// Cosine to the query, where both have a vector.
    pub cosine: Option<f32>,
    /// Which of its passages, counted from 0, is nearest to the query.
    pub passage: Option<usize>,
    /// In the word arm.
    pub words: Ranked,
    /// In the vector arm.
    pub vectors: Ranked,
    /// In the graph arm.
    pub graph: Ranked,
    /// Matched terms, rarest first, as indices into `Hits::terms`.
    pub terms: Vec<usize>,
    /// The path from a seed of the walk to the document.
    pub path: Vec<Step>,
}

/// The answer to one query.
#[derive(Debug, Default)]
pub struct Hits {
    /// Best first.
    pub hits: Vec<Hit>,
    /// The terms that they match, each once.
    pub terms: Vec<CompactString>,
    /// The vertices reached by the breadth-first walk, with their cosine to the query.
    pub neighbours: Vec<(Neighbour, f32)>,
    /// How many documents passed the filter.
    pub allowed: usize,
    /// The cosines that allowed texts usually have to the query's vector, and how many texts this was measured on.
    pub usual_cosine: Option<(Usual, usize)>,
    /// Keys of nodes named in the query.
    pub named: Vec<u64>,
    /// The change up to which this answer is current.
    pub applied: u64,
}

/// One arm's ranking and its weight in the fusion.
struct Arm {
    weight: f32,
    ranking: Vec<(Doc, f32)>,
}

impl Arm {
    fn places(&self) -> FxHashMap<Doc, (usize, f32)> {
        self.ranking
            .iter()
            .enumerate()
            .map(|(place, &(doc, score))| (doc, (place + 1, score)))
            .collect()
    }

    /// Score by words, too, the documents that another arm found, if the ranking by words was cut off at its depth.
    fn score_hits_of(&mut self, index: &Index, query: &Query, terms: &Terms<'_>, other: &Self) {
        if self.ranking.len() < depth_of_words(query) {
            return;
        }
        let known: FxHashSet<Doc> = self.ranking.iter().map(|hit| hit.0).collect();
        let found = other.ranking.iter().map(|hit| hit.0);
        let others: Vec<Doc> = found.filter(|doc| !known.contains(doc)).collect();
        if others.is_empty() {
            return;
        }
        let scored = terms.scores(&others);
        let all: Vec<(Doc, f32)> = self.ranking.iter().copied().chain(scored).collect();
        let count = all.len();
        self.ranking = index.ids.best(all, count);
    }
}

/// Answer `query`.
pub fn search(index: &Index, query: &Query) -> Hits {
    let allowed = Allowed::new(index, query.filter.as_ref());
    let allowed = allowed.restricted_to(query.visibility.as_ref());
    let applied = index.applied;
    if query.is_listing() {
        return Hits {
            hits: list(index, query, &allowed),
            allowed: allowed.len(),
            applied,
            ..Hits::default()
        };
    }
    let terms = Terms::of(query, index);
    let named = query.named(index);
    let similarity = Similarity::of(query, index);
    let fusion = Fusion::of(index, query, &terms, &similarity, &named, &allowed);
    // If most of the store is searched, statistics of the whole store will do.
    let is_part = 2 * allowed.len() <= index.ids.documents();
    let background = if is_part || query.vector.is_some() {
        usual::background_sample(index, &allowed)
    } else {
        Vec::new()
    };
    let terms = if is_part {
        terms.among(&background)
    } else {
        terms
    };
    let (hits, terms) = explain(index, query, &similarity, &terms, &fusion, &allowed);
    let neighbours = neighbours(index, query, &similarity, &allowed, &hits);
    Hits {
        hits,
        terms,
        neighbours,
        allowed: allowed.len(),
        usual_cosine: similarity.usual_cosine(index, &background),
        named,
        applied,
    }
}

/// The rankings of the arms, and the one fused from them.
struct Fusion {
    words: Arm,
    vectors: Arm,
    graph: Arm,
    /// Best first, at most as many as are wanted.
    ranking: Vec<(Doc, f32)>,
    /// Keys that the walk started from.
    starts: Vec<u64>,
}

impl Fusion {
    fn of(
        index: &Index,
        query: &Query,
        terms: &Terms<'_>,
        similarity: &Similarity<'_>,
        named: &[u64],
        allowed: &Allowed,
    ) -> Self {
        let word_hits = by_words(index, query, terms, allowed);
        let word_trust = word_trust(query, terms, &word_hits);
        let vector_hits = by_vectors(index, query, similarity, allowed, &word_hits, word_trust);
        let mut words = Arm {
            weight: query.word_weight * word_trust,
            ranking: word_hits,
        };
        let vectors = Arm {
            weight: query.vector_weight,
            ranking: vector_hits,
        };
        words.score_hits_of(index, query, terms, &vectors);
        let mut ranking = fuse_arms(index, &[&words, &vectors]);
        let (graph, starts) = graph_arm(index, query, allowed, named, &ranking);
        if !graph.ranking.is_empty() {
            let first = ranking.first().map(|hit| hit.0);
            words.score_hits_of(index, query, terms, &graph);
            ranking = keep_first(first, fuse_arms(index, &[&words, &vectors, &graph]));
        }
        ranking.truncate(query.limit);
        Self {
            words,
            vectors,
            graph,
            ranking,
            starts,
        }
    }

    /// The paths from the walk's starts to the hits it reached, by key.
    fn paths(&self, index: &Index, allowed: &Allowed) -> FxHashMap<u64, Vec<Step>> {
        if self.graph.ranking.is_empty() {
            return FxHashMap::default();
        }
        let hits = self.ranking.iter().map(|hit| index.ids.key(hit.0));
        Exploration::from(index, allowed, &self.starts, &PATH_SEARCH)
            .paths(&hits.collect::<Vec<_>>())
    }
}

fn fuse_arms(index: &Index, arms: &[&Arm]) -> Vec<(Doc, f32)> {
    let rankings: Vec<(f32, &[(Doc, f32)])> = arms
        .iter()
        .map(|arm| (arm.weight, arm.ranking.as_slice()))
        .collect();
    fuse(&rankings, |doc| index.ids.key(doc))
}

/// Put `first` before all others, with the best score. Memories that the graph links to the best hit belong to the answer, but
/// are no better: without this, labelled sets lose up to an eighth of their first places.
fn keep_first(first: Option<Doc>, mut ranking: Vec<(Doc, f32)>) -> Vec<(Doc, f32)> {
    let place = ranking.iter().position(|hit| Some(hit.0) == first);
    if let Some(place) = place {
        let best = ranking[0].1;
        let (doc, _) = ranking.remove(place);
        ranking.insert(0, (doc, best));
    }
    ranking
}

fn by_words(index: &Index, query: &Query, terms: &Terms<'_>, allowed: &Allowed) -> Vec<(Doc, f32)> {
    if query.word_weight <= 0.0 {
        return Vec::new();
    }
    let alone = terms.rank(allowed, &index.ids, depth_of_words(query));
    context::in_context(index, terms, allowed, alone, query.limit)
}

/// How many documents to rank by words. Without a vector: as many as are read in context and compared by spelling; what another
/// arm finds beyond is scored afterwards (`Arm::score_hits_of`). With a vector: as many as are ranked by vectors, so that both arms
/// find mostly the same.
fn depth_of_words(query: &Query) -> usize {
    if query.vector.is_some() {
        return query.candidates;
    }
    let least = RERANK_DEPTH.max(query.limit.saturating_add(EXTRA_COMPARED));
    query.candidates.min(least)
}

/// How far to trust words beside vectors that know meaning: the largest share of the query that one of the best hits by words
/// covers. In a long message some small word matches every memory.
fn word_trust(query: &Query, terms: &Terms<'_>, ranking: &[(Doc, f32)]) -> f32 {
    if !query.semantic {
        return 1.0;
    }
    let alone = |hit: &(Doc, f32)| terms.matched(hit.0).coverage();
    ranking.iter().take(TOP_HITS).map(alone).fold(0.0, f32::max)
}

fn by_vectors(
    index: &Index,
    query: &Query,
    similarity: &Similarity<'_>,
    allowed: &Allowed,
    word_hits: &[(Doc, f32)],
    word_trust: f32,
) -> Vec<(Doc, f32)> {
    if query.vector_weight <= 0.0 {
        return Vec::new();
    }
    let &Similarity::Vector(vector) = similarity else {
        return positive_only(similarity.nearest(index, query, allowed, word_hits));
    };
    let best = &word_hits[..word_hits.len().min(TOP_HITS)];
    let vector = &with_feedback(index, vector, best, word_trust);
    let vector_hits = Similarity::Vector(vector).nearest(index, query, allowed, word_hits);
    if query.however_far {
        // The fusion takes no scores below 0.
        let from_zero = |(doc, cosine)| (doc, f32::midpoint(1.0, cosine));
        return vector_hits.into_iter().map(from_zero).collect();
    }
    positive_only(context::vectors_in_context(
        index,
        vector,
        allowed,
        &vector_hits,
    ))
}

fn positive_only(mut hits: Vec<(Doc, f32)>) -> Vec<(Doc, f32)> {
    hits.retain(|&(_, cosine)| cosine > 0.0);
    hits
}

/// The walk's ranking of allowed documents, and the keys it started from.
fn graph_arm(
    index: &Index,
    query: &Query,
    allowed: &Allowed,
    named: &[u64],
    fused: &[(Doc, f32)],
) -> (Arm, Vec<u64>) {
    let Some(walk) = &query.page_rank else {
        return (
            Arm {
                weight: 0.0,
                ranking: Vec::new(),
            },
            Vec::new(),
        );
    };
    let best_hits: Vec<Doc> = fused.iter().take(walk.hit_seeds).map(|hit| hit.0).collect();
    let seeds = walk::seeds(index, allowed, named, &best_hits);
    let ranking = graph_ranking(index, allowed, &seeds, walk, query.candidates);
    (
        Arm {
            weight: walk.weight,
            ranking,
        },
        seeds.into_iter().map(|seed| seed.key).collect(),
    )
}

fn graph_ranking(
    index: &Index,
    allowed: &Allowed,
    seeds: &[Seed],
    walk: &PageRank,
    candidates: usize,
) -> Vec<(Doc, f32)> {
    let hits = seeds.iter().filter(|seed| !seed.is_named);
    let seed_shares: FxHashMap<u64, f32> = hits.map(|seed| (seed.key, seed.share)).collect();
    // The mass that a hit got as a seed is no evidence for it; being named in the query is.
    let seed_mass = |key| (1.0 - walk.damping) * seed_shares.get(&key).copied().unwrap_or(0.0);
    // A memory that the query names is found even without edges.
    let alone = seeds
        .iter()
        .filter(|seed| index.graph.vertex(seed.key).is_none())
        .map(|seed| (seed.key, (1.0 - walk.damping) * seed.share));
    let reached = page_rank(index, allowed, seeds, walk).into_iter();
    let documents = reached
        .chain(alone)
        .map(|(key, mass)| (key, mass - seed_mass(key)))
        .filter(|&(_, mass)| mass > NOISE)
        .filter_map(|(key, mass)| Some((index.ids.doc(key)?, mass.powf(MASS_EXPONENT))));
    let scored = documents.filter(|hit| allowed.contains(hit.0)).collect();
    index.ids.best(scored, candidates)
}

/// The share of the query that a document covers, and the most that this can surprise, together with the turns around it if it
/// matches anything itself.
fn evidence_in(matched: &Matched<'_>, window: &Window, parts: &Parts<'_>) -> (f32, f32) {
    if matched.is_empty() {
        return (0.0, 0.0);
    }
    matched.evidence(window, parts)
}

fn explain(
    index: &Index,
    query: &Query,
    similarity: &Similarity<'_>,
    terms: &Terms<'_>,
    fusion: &Fusion,
    allowed: &Allowed,
) -> (Vec<Hit>, Vec<CompactString>) {
    let [words, vectors, graph] = [&fusion.words, &fusion.vectors, &fusion.graph].map(Arm::places);
    let paths = fusion.paths(index, allowed);
    terms.prefetch(&fusion.ranking.iter().map(|hit| hit.0).collect::<Vec<_>>());
    let (mut usual_coverages, mut by_idf) = (FxHashMap::default(), FxHashMap::default());
    let mut table = TermTable::of(terms);
    let parts = Parts::of(query);
    let hit = |&(doc, score): &(Doc, f32)| {
        let matched = terms.matched(doc);
        let window = context::window(index, allowed, doc);
        let (kind, alone) = (index.postings.kind(doc), window.len() == 1);
        let key = index.ids.key(doc);
        let [words, vectors, graph] = [&words, &vectors, &graph].map(|arm| arm.get(&doc).copied());
        let known = vectors.and_then(|ranked| similarity.cosine_of_score(ranked.1));
        let path = graph.and_then(|_| paths.get(&key));
        let rarest = by_idf.entry(kind).or_insert_with(|| terms.by_idf(kind));
        let (coverage, rarity) = evidence_in(&matched, &window, &parts);
        Hit {
            key,
            score,
            coverage,
            usual_coverage: *usual_coverages
                .entry((kind, alone))
                .or_insert_with(|| terms.usual_coverage(kind, alone)),
            rarity,
            cosine: known.or_else(|| similarity.cosine(index, doc)),
            passage: similarity.passage(index, doc),
            words,
            vectors,
            graph,
            terms: table.indices_of(&matched.first_of(rarest, MAX_TERMS)),
            path: path.cloned().unwrap_or_default(),
        }
    };
    (fusion.ranking.iter().map(hit).collect(), table.texts)
}

/// The terms that hits match, each once.
struct TermTable<'a> {
    terms: &'a Terms<'a>,
    /// For each term of the query, its index in `texts`, if it is there.
    known: Vec<Option<usize>>,
    texts: Vec<CompactString>,
}

impl<'a> TermTable<'a> {
    fn of(terms: &'a Terms<'a>) -> Self {
        Self {
            terms,
            known: vec![None; terms.len()],
            texts: Vec::new(),
        }
    }

    /// The indices in `texts` of some terms of the query; adds those that are missing.
    fn indices_of(&mut self, terms: &[usize]) -> Vec<usize> {
        let place = |&term: &usize| {
            *self.known[term].get_or_insert_with(|| {
                self.texts.push(self.terms.text(term).into());
                self.texts.len() - 1
            })
        };
        terms.iter().map(place).collect()
    }
}

fn neighbours(
    index: &Index,
    query: &Query,
    similarity: &Similarity<'_>,
    allowed: &Allowed,
    hits: &[Hit],
) -> Vec<(Neighbour, f32)> {
    let Some(walk) = &query.breadth_first else {
        return Vec::new();
    };
    let starts: Vec<u64> = hits.iter().map(|hit| hit.key).collect();
    let reached = breadth_first(index, allowed, &starts, walk);
    let with_cosine = |neighbour: Neighbour| {
        let doc = index.ids.doc(neighbour.key);
        let cosine = doc.and_then(|doc| similarity.cosine(index, doc));
        (neighbour, cosine.unwrap_or(0.0))
    };
    reached.into_iter().map(with_cosine).collect()
}

/// Documents in the order of a number column, ties in that of their keys; those without a value last.
fn list(index: &Index, query: &Query, allowed: &Allowed) -> Vec<Hit> {
    let mut ordered: Vec<(i64, u64)> = Vec::new();
    if let Some(column) = index.numbers.column(&query.order_by) {
        let keyed = |(value, doc): (i64, Doc)| {
            let passes = allowed.contains(doc);
            passes.then(|| (value, index.ids.key(doc)))
        };
        if query.ascending {
            take_with_ties(
                &mut ordered,
                column.ascending().filter_map(keyed),
                query.limit,
            );
        } else {
            take_with_ties(
                &mut ordered,
                column.descending().filter_map(keyed),
                query.limit,
            );
        }
    }
    ordered.sort_unstable();
    if !query.ascending {
        ordered.reverse();
    }
    let mut keys: Vec<u64> = ordered.into_iter().map(|(_, key)| key).collect();
    if keys.len() < query.limit {
        keys.extend(keys_without_value(index, query, allowed, &keys));
    }
    keys.truncate(query.limit);
    keys.into_iter().map(listed_hit).collect()
}

/// Takes at least `limit` items, and all that tie with the last of them, since ties are sorted by key later.
fn take_with_ties(
    into: &mut Vec<(i64, u64)>,
    items: impl Iterator<Item = (i64, u64)>,
    limit: usize,
) {
    for item in items {
        if into.len() >= limit && into.last().is_none_or(|last| last.0 != item.0) {
            return;
        }
        into.push(item);
    }
}

fn keys_without_value(index: &Index, query: &Query, allowed: &Allowed, listed: &[u64]) -> Vec<u64> {
    let known: FxHashSet<u64> = listed.iter().copied().collect();
    let mut rest: Vec<u64> = allowed
        .iter()
        .map(|doc| index.ids.key(doc))
        .filter(|key| !known.contains(key))
        .collect();
    rest.sort_unstable();
    if !query.ascending {
        rest.reverse();
    }
    rest
}

fn listed_hit(key: u64) -> Hit {
    Hit {
        key,
        score: 0.0,
        coverage: 0.0,
        usual_coverage: Usual::default(),
        rarity: 0.0,
        cosine: None,
        passage: None,
        words: None,
        vectors: None,
        graph: None,
        terms: Vec::new(),
        path: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_graph_adds_never_comes_before_the_best_hit() {
        let fused = || vec![(2, 1.4), (1, 1.0), (3, 0.5)];
        assert_eq!(keep_first(Some(1), fused()), [(1, 1.4), (2, 1.4), (3, 0.5)]);
        assert_eq!(keep_first(Some(2), fused()), fused());
        assert_eq!(keep_first(None, fused()), fused());
    }
}
