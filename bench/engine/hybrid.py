"""How long do fused searches by words and vectors within a scope take, compared with each alone and with whole systems?

Every system's answers are checked against both exact rankings, fused by its own rule: for the others reciprocal ranks, as
deep as each ranking is asked; for omoide the scores of everything in the scope. A system that misses nothing
is correct whichever rule it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.engine import data
from bench.engine.building import Built, build, numbered, row_of, timed
from bench.engine.measure import Ask, Row, in_turn, recall
from bench.engine.texts import Formula, zipfian
from bench.systems.native import Native, document
from bench.systems.whole_peers import PEERS, Asked, Held, WholePeer, fused
from omoide._engine import Filter

COUNT = 10
#: How deep each ranking goes before the fusion.
DEPTH = 50
#: One scope in this many is asked; whole systems only in the first case.
CASES = {"1 in 20 passes": 20, "1 in 2 passes": 2}
#: Depths of one ranking alone: as many as are wanted, and as deep as the fusion asks it.
ALONE = ("vectors alone", "words alone")
DEEP = (f"vectors, {DEPTH} deep", f"words, {DEPTH} deep")
#: How many questions a system gets that takes seconds for one.
ASKED_OF_SLOW = 3

Scored = Sequence[tuple[int, float]]


def hybrid(held: data.Floats, queries: data.Floats) -> Iterator[Row]:
    """All rows over `held`, each with a text and a scope."""
    texts = zipfian(len(held), len(queries))
    exact = Exact(held, Formula(texts.texts))
    engine = Native(held.shape[1])
    engine.load(document(key, v.tobytes(), texts.texts[key], _scopes(key)) for key, v in enumerate(held))
    for at, (case, scopes) in enumerate(CASES.items()):
        questions = [
            Asked(query, words, f"{scopes}:{number % scopes}", COUNT, DEPTH)
            for number, (query, words) in enumerate(zip(queries, texts.questions, strict=True))
        ]
        rankings = [exact.rankings(each, scopes) for each in questions]
        rows, asks = _ours(case, engine, questions, rankings)
        if at > 0:
            yield from _with_sums(timed(rows, asks, len(questions)))
            continue
        everything = Held(held, texts.texts, [f"{scopes}:{key % scopes}" for key in range(len(held))])
        with TemporaryDirectory(prefix="omoide-bench-") as folder:
            makers = {peer.name: partial(peer, everything, Path(folder)) for peer in PEERS}
            wanted = [fused([[key for key, _ in ranking[:DEPTH]] for ranking in both], COUNT) for both in rankings]
            slow = _add_peers(case, makers, questions, wanted, rows, asks)
            yield from _with_sums(timed(rows, asks, len(questions)))
            yield from slow


def _scopes(key: int) -> list[tuple[str, str]]:
    return [("scope", f"{scopes}:{key % scopes}") for scopes in CASES.values()]


@dataclass(frozen=True, slots=True)
class Exact:
    """Both rankings by their formulas."""

    vectors: data.Floats
    formula: Formula

    def rankings(self, asked: Asked, scopes: int) -> tuple[Scored, Scored]:
        """The rankings by words and by vectors of everything in the scope that matches at all."""
        number = int(asked.scope.split(":")[1])
        inside = np.arange(number, len(self.vectors), scopes)
        return (
            _ranked(inside, self.formula.scores(asked.words)[inside]),
            _ranked(inside, (self.vectors[inside] @ asked.vector).astype(np.float64)),
        )


def _ranked(keys: data.Ints, scores: data.Scores) -> Scored:
    order = np.lexsort((-keys, -scores))
    return [(int(keys[at]), float(scores[at])) for at in order if scores[at] > 0]


def fused_by_scores(rankings: Sequence[Scored], count: int) -> list[int]:
    """Sums of scores relative to each ranking's best; among equals the larger key first."""
    total: Counter[int] = Counter()
    for ranking in rankings:
        for key, score in ranking:
            total[key] += score / ranking[0][1]  # type: ignore[assignment]
    return sorted(total, key=lambda key: (-total[key], -key))[:count]


def _ours(
    case: str, engine: Native, questions: Sequence[Asked], rankings: Sequence[tuple[Scored, Scored]]
) -> tuple[list[Row], dict[str, Ask]]:
    wheres = [Filter.equals("scope", each.scope) for each in questions]
    raw = [each.vector.tobytes() for each in questions]

    def vectors(count: int) -> Ask:
        return lambda at: engine.nearest(raw[at], count, wheres[at])

    def words(count: int) -> Ask:
        return lambda at: engine.best(questions[at].words, count, wheres[at])

    def both(at: int) -> list[int]:
        return engine.both(raw[at], questions[at].words, COUNT, DEPTH, wheres[at])

    asks = {
        ALONE[0]: vectors(COUNT),
        ALONE[1]: words(COUNT),
        Native.name: both,
        DEEP[0]: vectors(DEPTH),
        DEEP[1]: words(DEPTH),
    }
    wanted = [fused_by_scores(both, COUNT) for both in rankings]
    right = {Native.name: recall([both(at) for at in range(len(questions))], wanted)}
    return [Row("hybrid", case, name, len(engine), right.get(name)) for name in asks], asks


def _add_peers(
    case: str,
    makers: Mapping[str, Callable[[], WholePeer]],
    questions: Sequence[Asked],
    wanted: list[list[int]],
    rows: list[Row],
    asks: dict[str, Ask],
) -> list[Row]:
    """Add the rows and questions of every whole system; those too slow to be asked in turn are timed here."""
    slow: list[Row] = []
    peers: dict[str, WholePeer] = {}

    def ask_of(name: str) -> Callable[[Asked], list[int]]:
        peers[name] = makers[name]()
        return peers[name].ask

    built: Built[Asked]
    for built in build("hybrid", {name: partial(ask_of, name) for name in makers}, rows):
        asked = questions[:ASKED_OF_SLOW] if peers[built.name].is_slow else questions
        found = recall([built.ask(each) for each in asked], wanted[: len(asked)])
        row, ask = row_of("hybrid", case, built, rows[0].n, found), numbered(built.ask, asked)
        if peers[built.name].is_slow:
            row.timing = in_turn({built.name: ask}, len(asked), rounds=2)[built.name]
            slow.append(row)
        else:
            rows.append(row)
            asks[built.name] = ask
    return slow


def _with_sums(rows: Iterable[Row]) -> Sequence[Row]:
    """Have our row say how it compares with the two rankings alone, at both depths."""
    told = list(rows)
    took = {row.system: row.timing.quantile(0.5) for row in told if row.timing is not None}
    for row in told:
        if row.system == Native.name:
            alone, deep = (took[Native.name] / sum(took[name] for name in names) for names in (ALONE, DEEP))
            row.note = f"{alone:.2f} x both alone, {deep:.2f} x both {DEPTH} deep"
    return told
