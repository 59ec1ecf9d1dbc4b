"""Every work: what is built, what is checked, what is timed. One function a work; `WORKS` is the list.

Useful for: `python -m bench engine`. Not useful for: whether memories are found that people would want (see retrieval).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Generic, TypeVar

import numpy as np

from bench.engine import data
from bench.engine.large import large as kept
from bench.engine.measure import ROUNDS, Ask, Row, Spent, in_turn, recall, resident_bytes, tell
from bench.engine.texts import Formula, Written, zipfian
from bench.systems import graph_peers, vector_peers, whole_peers, word_peers
from bench.systems.native import Native, document, vectors_of
from omoide._engine import Document, Filter

COUNT = 10
SHARES = (0.5, 0.2, 0.1, 0.01, 0.001, 0.0001)
#: Some graph libraries take seconds a question.
ASKED_OF_SLOW = 3
DAMPING = 0.7
EPSILON = 3e-6
#: How deep each arm of a hybrid query goes before the fusion.
DEPTH = 50
SCOPES = 20
SCORE_TOLERANCE = 1e-4
#: Texts made ready at a time.
READY = 10_000

#: Documents a batch of the writer that searches run beside: what the index takes of the store's changes at once.
WRITER_BATCH = 500

Question = TypeVar("Question")


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything."""

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
    """The nearest of all, and what the graph costs to build."""
    held, queries = _vectors(size.vectors, size)
    wanted = data.nearest(held, queries, COUNT)
    rows: list[Row] = []
    makers = {peer.name: partial(_peer_vectors, peer, held) for peer in vector_peers.PEERS}
    asks: dict[str, Ask] = {}
    for built in _build("vectors", {Native.name: partial(_our_vectors, held), **makers}, rows):
        found = recall([built.ask(query) for query in queries], wanted)
        asks[built.name] = _numbered(built.ask, list(queries))
        rows.append(_row("vectors", "unfiltered", built, len(held), found))
    yield from _timed(rows, asks, size.questions)


def filtered_vectors(size: Size) -> Iterator[Row]:
    """The nearest of those that pass: every share beside no filter."""
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
        asks[name] = _numbered(partial(engine.nearest, count=COUNT, where=where), raw)
        wanted = data.nearest(held, queries, COUNT, np.sort(passing[share]))
        found = [engine.nearest(query, COUNT, where) for query in raw]
        rows.append(Row("filters", name, name, len(held), recall(found, wanted)))
    for row in _timed(rows, asks, size.questions):
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
        for built in _build("words", {Native.name: partial(_our_words, texts.texts), **makers}, rows):
            right = _as_good([built.ask(asked) for asked in texts.questions], formula, texts.questions)
            asks[built.name] = _numbered(built.ask, texts.questions)
            rows.append(_row("words", f"ten best of {count:,}", built, count, right))
        yield from _timed(rows, asks, size.questions)
        yield Row("words", f"{count:,} from ready tokens", Native.name, count, per_second=_postings_rate(texts.texts))


def graph(size: Size) -> Iterator[Row]:
    """Personalised PageRank, checked against power iteration to 1e-10; neighbours two edges away."""
    edges = data.graph(size.nodes, size.edges)
    engine = Native()
    engine.load_graph(edges)
    places = np.random.default_rng(data.SEED).integers(0, size.nodes, min(size.questions, 20)).tolist()
    wanted = [_top(data.page_rank(edges, place, DAMPING), place) for place in places]
    rows: list[Row] = []
    makers = {peer.name: partial(_peer_graph, peer, edges) for peer in graph_peers.PEERS}
    asks: dict[str, Ask] = {}
    for built in _build("graph", {Native.name: partial(_our_graph, engine), **makers}, rows):
        asked = len(places) if built.name == Native.name else ASKED_OF_SLOW
        found = recall([built.ask(place) for place in places[:asked]], wanted[:asked])
        asks[built.name] = _numbered(built.ask, places)
        rows.append(_row("graph", "PageRank, 20 best", built, size.nodes, found))
    yield from _timed(rows, asks, ASKED_OF_SLOW, rounds=3)
    breadth: dict[str, Ask] = {Native.name: lambda at: engine.engine.neighbours(places[at], depth=2, limit=200)}
    yield from _timed([Row("graph", "neighbours, depth 2", Native.name, size.nodes)], breadth, len(places))


def whole(size: Size) -> Iterator[Row]:
    """Words and vectors within a scope, fused: beside each arm alone, and beside whole systems."""
    held, asked = _whole(size)
    engine = Native(held.vectors.shape[1])
    scopes = zip(held.vectors, held.texts, held.scopes, strict=True)
    engine.load(document(key, v.tobytes(), words, [("scope", scope)]) for key, (v, words, scope) in enumerate(scopes))
    wheres = [Filter.equals("scope", each.scope) for each in asked]
    raw = [each.vector.tobytes() for each in asked]
    asks: dict[str, Ask] = {
        "vectors alone": lambda at: engine.nearest(raw[at], COUNT, wheres[at]),
        "words alone": lambda at: engine.best(asked[at].words, COUNT, wheres[at]),
        Native.name: lambda at: engine.both(raw[at], asked[at].words, COUNT, DEPTH, wheres[at]),
    }
    wanted = _exactly_fused(held, asked)
    found = [engine.both(raw[at], asked[at].words, COUNT, DEPTH, wheres[at]) for at in range(len(asked))]
    rows = [Row("hybrid", "in a scope", name, len(held.texts)) for name in ("vectors alone", "words alone")]
    rows.append(Row("hybrid", "in a scope", Native.name, len(held.texts), recall(found, wanted)))
    with TemporaryDirectory(prefix="omoide-bench-") as folder:
        makers = {peer.name: partial(_peer_whole, peer, held, Path(folder)) for peer in whole_peers.PEERS}
        for built in _build("hybrid", makers, rows):
            asks[built.name] = _numbered(built.ask, asked)
            rows.append(
                _row(
                    "hybrid", "in a scope", built, len(held.texts), recall([built.ask(each) for each in asked], wanted)
                )
            )
        yield from _timed(rows, asks, len(asked), rounds=3)


def writes(size: Size) -> Iterator[Row]:
    """One write at a time into a full index; and what is found after half of it was replaced."""
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
    yield from _timed([Row("write", "one, searchable at once", Native.name, len(held))], writing, size.questions)
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
    """Searches while another thread writes as fast as it can."""
    held, queries = _vectors(size.vectors, size)
    texts = zipfian(len(held), size.questions)
    engine = Native(held.shape[1])
    half = len(held) // 2
    made = [document(key, held[key].tobytes(), texts.texts[key]) for key in range(len(held))]
    engine.load(made[:half])
    raw = [query.tobytes() for query in queries]
    asks: dict[str, Ask] = {Native.name: lambda at: engine.both(raw[at], texts.questions[at], COUNT, DEPTH, None)}
    idle = in_turn(asks, size.questions)[Native.name]
    yield Row("busy", "idle", Native.name, half, timing=idle)
    stop, written = threading.Event(), [0]
    writer = threading.Thread(target=_write_on, args=(engine, made, half, stop, written))
    started = perf_counter()
    writer.start()
    under_way = in_turn(asks, size.questions)[Native.name]
    stop.set()
    writer.join()
    rate = written[0] / (perf_counter() - started)
    yield Row("busy", "while writing", Native.name, half, timing=under_way, per_second=rate)


WORKS: dict[str, Work] = {
    "vectors": vectors,
    "filters": filtered_vectors,
    "words": words,
    "graph": graph,
    "hybrid": whole,
    "write": writes,
    "large": large,
    "busy": busy,
}


def _vectors(count: int, size: Size) -> tuple[data.Floats, data.Floats]:
    held = data.clustered(count, size.dimensions)
    return held, data.clustered(size.questions, size.dimensions, seed=data.SEED + 1)


@dataclass(frozen=True, slots=True)
class Built(Generic[Question]):
    """One system, ready to be asked; what that took."""

    name: str
    ask: Callable[[Question], list[int]]
    seconds: float
    resident: int


def _build(
    work: str, makers: Mapping[str, Callable[[], Callable[[Question], list[int]]]], rows: list[Row]
) -> Iterator[Built[Question]]:
    """Every system that is installed; a row says which are not."""
    for name, make in makers.items():
        tell(f"{work}: building {name}")
        before, started = resident_bytes(), process_time()
        try:
            ask = make()
        except ImportError as error:
            rows.append(Row(work, "left out", name, 0, note=f"not installed: {error.name}"))
            continue
        yield Built(name, ask, process_time() - started, resident_bytes() - before)


def _row(work: str, case: str, built: Built[Question], n: int, found: float) -> Row:
    return Row(work, case, built.name, n, found, None, n / built.seconds, None, built.resident)


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


def _peer_graph(peer: type[graph_peers.GraphPeer], edges: data.Edges) -> Callable[[int], list[int]]:
    built = peer(edges)
    return lambda place: _top(np.asarray(built.page_rank(place, DAMPING)), place)


def _peer_whole(
    peer: type[whole_peers.WholePeer], held: whole_peers.Held, folder: Path
) -> Callable[[whole_peers.Asked], list[int]]:
    return peer(held, folder).ask


def _numbered(ask: Callable[[Question], object], questions: Sequence[Question]) -> Ask:
    return lambda at: ask(questions[at])


def _timed(rows: Sequence[Row], asks: Mapping[str, Ask], questions: int, rounds: int = ROUNDS) -> Iterator[Row]:
    """The rows, each with the timing of its system."""
    timings = in_turn(asks, questions, rounds)
    for row in rows:
        row.timing = timings.get(row.system)
        yield row


def _as_good(found: Sequence[Sequence[int]], formula: Formula, questions: Sequence[Sequence[str]]) -> float:
    """Share of the found that score at least what the last of the exact answer does."""
    shares = []
    for ids, asked in zip(found, questions, strict=True):
        of = formula.scores(asked)
        last = np.partition(of, -COUNT)[-COUNT]
        good = sum(of[each] >= max(last - SCORE_TOLERANCE, SCORE_TOLERANCE) for each in ids)
        shares.append(good / max(min(COUNT, int((of > 0).sum())), 1))
    return float(np.mean(shares))


def _postings_rate(texts: Written) -> float:
    """Texts a second of one core, their words being ready: what the engine does, without what Python does before."""
    engine, spent = Native(), Spent()
    for start in range(0, len(texts), READY):
        made = [document(start + at, None, words) for at, words in enumerate(texts[start : start + READY])]
        spent.on(partial(engine.load, made))
    return len(texts) / spent.cores


def _top(mass: data.Scores, place: int) -> list[int]:
    """The places with most mass but the one walked from."""
    order = [each for each in np.argsort(-mass, kind="stable")[: COUNT * 2 + 1].tolist() if each != place]
    return order[: COUNT * 2]


def _our_graph(engine: Native) -> Callable[[int], list[int]]:
    return partial(_our_walk, engine)


def _our_walk(engine: Native, place: int) -> list[int]:
    hits = engine.walk(place, COUNT * 2 + 1, DAMPING, EPSILON).hits
    return [hit.key for hit in hits if hit.key != place][: COUNT * 2]


def _whole(size: Size) -> tuple[whole_peers.Held, list[whole_peers.Asked]]:
    held, queries = _vectors(size.whole, size)
    texts = zipfian(len(held), size.questions)
    scopes = [f"scope{key % SCOPES}" for key in range(len(held))]
    asked = [
        whole_peers.Asked(query, words, f"scope{at % SCOPES}", COUNT, DEPTH)
        for at, (query, words) in enumerate(zip(queries, texts.questions, strict=True))
    ]
    return whole_peers.Held(held, texts.texts, scopes), asked


def _exactly_fused(held: whole_peers.Held, asked: Sequence[whole_peers.Asked]) -> list[list[int]]:
    """Both arms by their formulas within the scope, fused."""
    formula = Formula(held.texts)
    scopes = np.array(held.scopes)
    answers = []
    for each in asked:
        inside = np.flatnonzero(scopes == each.scope)
        near = data.nearest(held.vectors, each.vector[None], each.depth, inside)[0]
        scores = formula.scores(each.words)[inside]
        order = sorted(range(len(inside)), key=lambda at: (-scores[at], -inside[at]))[: each.depth]
        told = [int(inside[at]) for at in order if scores[at] > 0]
        answers.append(whole_peers.fused([told, near], each.count))
    return answers


def _write_on(engine: Native, made: Sequence[Document], start: int, stop: threading.Event, written: list[int]) -> None:
    """Add the rest, then replace from the beginning, until told to stop."""
    for batch_start in cycle(range(start, len(made), WRITER_BATCH)):
        if stop.is_set():
            return
        batch = made[batch_start : batch_start + WRITER_BATCH]
        engine.load(batch)
        written[0] += len(batch)
