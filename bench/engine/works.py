"""Every workload: what is built, checked and timed. One function each; `WORKS` is the list.

Useful for: `python -m bench engine`. Not useful for: whether the memories found are the right ones (see retrieval).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.engine import data
from bench.engine.building import build, numbered, row_of, timed
from bench.engine.busy import busy as while_writing
from bench.engine.churn import churn
from bench.engine.hybrid import hybrid
from bench.engine.large import large as kept
from bench.engine.measure import Ask, Row, Spent, recall
from bench.engine.texts import Formula, Written, zipfian
from bench.systems import graph_peers, vector_peers, word_peers
from bench.systems.native import Native, document, vectors_of
from omoide._engine import Filter

COUNT = 10
SHARES = (0.5, 0.2, 0.1, 0.01, 0.001, 0.0001)
#: Some graph libraries take seconds for a question.
ASKED_OF_SLOW = 3
DAMPING = 0.7
EPSILON = 3e-6
SCORE_TOLERANCE = 1e-4
#: Texts prepared at a time.
READY = 10_000


@dataclass(frozen=True, slots=True)
class Size:
    """How much data of each kind."""

    vectors: int
    dimensions: int
    texts: tuple[int, ...]
    whole: int
    nodes: int
    edges: int
    large: int
    questions: int


SIZES = {
    "toy": Size(1_500, 32, (1_500,), 400, 400, 1_500, 1_500, 10),
    "small": Size(20_000, 384, (20_000,), 5_000, 20_000, 100_000, 20_000, 40),
    "full": Size(100_000, 384, (100_000, 1_000_000), 20_000, 100_000, 500_000, 1_000_000, 100),
}

Work = Callable[[Size], Iterator[Row]]


def vectors(size: Size) -> Iterator[Row]:
    """The nearest of all, and what building the graph costs."""
    held, queries = _vectors(size.vectors, size)
    wanted = data.nearest(held, queries, COUNT)
    rows: list[Row] = []
    makers = {peer.name: partial(_peer_vectors, peer, held) for peer in vector_peers.PEERS}
    asks: dict[str, Ask] = {}
    for built in build("vectors", {Native.name: partial(_our_vectors, held), **makers}, rows):
        found = recall([built.ask(query) for query in queries], wanted)
        asks[built.name] = numbered(built.ask, list(queries))
        rows.append(row_of("vectors", "unfiltered", built, len(held), found))
    yield from timed(rows, asks, size.questions)


def filtered_vectors(size: Size) -> Iterator[Row]:
    """The nearest of those that pass a filter, for several shares, compared with no filter."""
    held, queries = _vectors(size.vectors, size)
    dice = np.random.default_rng(data.SEED)
    order = dice.permutation(len(held))
    engine = Native(held.shape[1])
    passing = {share: order[: max(round(len(held) * share), 1)] for share in SHARES}
    rank = np.empty(len(held), dtype=np.int64)
    rank[order] = np.arange(len(held))
    shares = [
        [("share", str(share)) for share in SHARES if rank[key] < len(passing[share])] for key in range(len(held))
    ]
    engine.load(document(key, vector.tobytes(), (), shares[key]) for key, vector in enumerate(held))
    raw = [query.tobytes() for query in queries]
    asks: dict[str, Ask] = {"unfiltered": lambda at: engine.nearest(raw[at], COUNT)}
    rows = [Row("filters", "unfiltered", "unfiltered", len(held))]
    for share in SHARES:
        name, where = f"{share:.2%} pass", Filter.equals("share", str(share))
        asks[name] = numbered(partial(engine.nearest, count=COUNT, where=where), raw)
        wanted = data.nearest(held, queries, COUNT, np.sort(passing[share]))
        found = [engine.nearest(query, COUNT, where) for query in raw]
        rows.append(Row("filters", name, name, len(held), recall(found, wanted)))
    for row in timed(rows, asks, size.questions):
        row.system = Native.name
        yield row


def words(size: Size) -> Iterator[Row]:
    """The ten best by BM25, checked against the formula, at every number of texts."""
    for count in size.texts:
        texts = zipfian(count, size.questions)
        formula = Formula(texts.texts)
        rows: list[Row] = []
        fitting = [peer for peer in word_peers.PEERS if count <= peer.most]
        makers = {peer.name: partial(_peer_words, peer, texts.texts) for peer in fitting}
        asks: dict[str, Ask] = {}
        for built in build("words", {Native.name: partial(_our_words, texts.texts), **makers}, rows):
            right = _as_good([built.ask(asked) for asked in texts.questions], formula, texts.questions)
            asks[built.name] = numbered(built.ask, texts.questions)
            rows.append(row_of("words", f"ten best of {count:,}", built, count, right))
        yield from timed(rows, asks, size.questions)
        yield Row("words", f"{count:,} from ready tokens", Native.name, count, per_second=_postings_rate(texts.texts))


def graph(size: Size) -> Iterator[Row]:
    """Personalised PageRank with the engine's edge weights, checked against power iteration to 1e-10; neighbours two edges away."""
    edges, engine = data.graph(size.nodes, size.edges), Native()
    ways = data.ways(edges)
    places = np.random.default_rng(data.SEED).integers(0, size.nodes, min(size.questions, 20)).tolist()
    wanted = [_top(data.page_rank(ways, place, DAMPING), place) for place in places]
    rows: list[Row] = []
    makers = {peer.name: partial(_peer_graph, peer, ways) for peer in graph_peers.PEERS}
    asks: dict[str, Ask] = {}
    for built in build("graph", {Native.name: partial(_our_graph, engine, edges), **makers}, rows):
        asked = len(places) if built.name == Native.name else ASKED_OF_SLOW
        found = recall([built.ask(place) for place in places[:asked]], wanted[:asked])
        asks[built.name] = numbered(built.ask, places)
        rows.append(row_of("graph", "PageRank, 20 best", built, size.nodes, found))
    yield from timed(rows, asks, ASKED_OF_SLOW, rounds=3)
    breadth: dict[str, Ask] = {Native.name: lambda at: engine.engine.neighbours(places[at], depth=2, limit=200)}
    yield from timed([Row("graph", "neighbours, depth 2", Native.name, size.nodes)], breadth, len(places))


def whole(size: Size) -> Iterator[Row]:
    """Words and vectors within a scope, fused; see hybrid.py."""
    return hybrid(*_vectors(size.whole, size))


def writes(size: Size) -> Iterator[Row]:
    """One write at a time into a full index, and recall after half of it was replaced."""
    held, queries = _vectors(size.vectors, size)
    texts = zipfian(len(held), 1).texts
    engine = Native(held.shape[1])
    engine.load(document(key, held[key].tobytes(), texts[key]) for key in range(len(held)))
    raw = [query.tobytes() for query in queries]
    new = [document(len(held) + at, held[at].tobytes(), texts[at]) for at in range(size.questions * 6)]
    fresh = iter(new)
    writing: dict[str, Ask] = {
        Native.name: lambda _: engine.engine.apply(engine.engine.applied + 1, documents=[next(fresh)])
    }
    yield from timed([Row("write", "one, searchable at once", Native.name, len(held))], writing, size.questions)
    engine.engine.apply(engine.engine.applied + 1, removed=[len(held) + at for at in range(len(new))])
    wanted = data.nearest(held, queries, COUNT)
    before = recall([engine.nearest(query, COUNT) for query in raw], wanted)
    yield Row("write", "before the churn", Native.name, len(held), before)
    turned = np.random.default_rng(1).permutation(len(held))[: len(held) // 2]
    for start in range(0, len(turned), 500):
        part = turned[start : start + 500].tolist()
        engine.engine.apply(engine.engine.applied + 1, removed=part)
        engine.load(document(key, held[key].tobytes(), texts[key]) for key in part)
    after = recall([engine.nearest(query, COUNT) for query in raw], wanted)
    yield Row("write", "after half was replaced", Native.name, len(held), after)


def large(size: Size) -> Iterator[Row]:
    """As many memories as one store is meant to hold; see large.py."""
    return kept(*_vectors(size.large, size))


def busy(size: Size) -> Iterator[Row]:
    """Searches while another thread writes as fast as it can; see busy.py."""
    return while_writing(*_vectors(size.vectors, size))


def replaced(size: Size) -> Iterator[Row]:
    """How much space removed memories take; see churn.py."""
    return churn(*_vectors(size.whole, size))


WORKS: dict[str, Work] = {
    "vectors": vectors,
    "filters": filtered_vectors,
    "words": words,
    "graph": graph,
    "hybrid": whole,
    "write": writes,
    "large": large,
    "busy": busy,
    "churn": replaced,
}


def _vectors(count: int, size: Size) -> tuple[data.Floats, data.Floats]:
    held = data.clustered(count, size.dimensions)
    return held, data.clustered(size.questions, size.dimensions, seed=data.SEED + 1)


def _our_vectors(held: data.Floats) -> Callable[[data.Floats], list[int]]:
    engine = Native(held.shape[1])
    engine.load(vectors_of(held))
    return lambda query: engine.nearest(query.tobytes(), COUNT)


def _peer_vectors(peer: type[vector_peers.VectorPeer], held: data.Floats) -> Callable[[data.Floats], list[int]]:
    built = peer(held)
    return lambda query: built.nearest(query, COUNT)


def _our_words(texts: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], list[int]]:
    engine = Native()
    engine.load(document(key, None, words) for key, words in enumerate(texts))
    return lambda asked: [key for key, _ in engine.best(asked, COUNT)]


def _peer_words(
    peer: type[word_peers.WordPeer], texts: Sequence[Sequence[str]]
) -> Callable[[Sequence[str]], list[int]]:
    built = peer(texts)
    return lambda asked: built.best(asked, COUNT)


def _peer_graph(peer: type[graph_peers.GraphPeer], ways: data.Edges) -> Callable[[int], list[int]]:
    built = peer(ways)
    return lambda place: _top(np.asarray(built.page_rank(place, DAMPING)), place)


def _as_good(found: Sequence[Sequence[int]], formula: Formula, questions: Sequence[Sequence[str]]) -> float:
    """Share of the found that score at least as high as the last of the exact answer."""
    shares = []
    for ids, asked in zip(found, questions, strict=True):
        of = formula.scores(asked)
        last = np.partition(of, -COUNT)[-COUNT]
        good = sum(of[each] >= max(last - SCORE_TOLERANCE, SCORE_TOLERANCE) for each in ids)
        shares.append(good / max(min(COUNT, int((of > 0).sum())), 1))
    return float(np.mean(shares))


def _postings_rate(texts: Written) -> float:
    """Texts a second and core, from ready words: the engine's work without Python's."""
    engine, spent = Native(), Spent()
    for start in range(0, len(texts), READY):
        made = [document(start + at, None, words) for at, words in enumerate(texts[start : start + READY])]
        spent.on(partial(engine.load, made))
    return len(texts) / spent.cores


def _top(mass: data.Scores, place: int) -> list[int]:
    """The places with the most mass, without the start."""
    order = [each for each in np.argsort(-mass, kind="stable")[: COUNT * 2 + 1].tolist() if each != place]
    return order[: COUNT * 2]


def _our_graph(engine: Native, edges: data.Edges) -> Callable[[int], list[int]]:
    engine.load_graph(edges)
    return partial(_our_walk, engine)


def _our_walk(engine: Native, place: int) -> list[int]:
    hits = engine.walk(place, COUNT * 2 + 1, DAMPING, EPSILON).hits
    return [hit.key for hit in hits if hit.key != place][: COUNT * 2]
