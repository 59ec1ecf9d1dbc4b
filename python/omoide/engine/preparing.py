"""Puts a query into the engine's form: its text analysed, its conditions compiled, its vector beside it.

Useful for: one search, of any depth. Not useful for: running it; see index.py. Invariant: a prepared query is answered by the build
whose analyser and embedder it was prepared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from omoide import _engine
from omoide.engine.conditions import Texts, compile_condition
from omoide.engine.generation import Generation
from omoide.engine.passages import span_of
from omoide.model.condition import All, Under, live, valid_at
from omoide.model.memory import Memory
from omoide.model.query import MissingArm, NeighbourWalk, Query, RankWalk
from omoide.model.scope import plain
from omoide.store.protocol import KnownIn
from omoide.text.offsets import Span

#: Candidates that each arm of a ranked search collects, at least.
CANDIDATES = 200


@dataclass(slots=True)
class Prepared:
    """A query in the engine's form, and the build that will answer it."""

    query: _engine.Query
    serving: Generation

    def reaching(self, limit: int) -> Prepared:
        """The same query for `limit` hits."""
        return Prepared(self.query.reaching(limit), self.serving)

    def passage(self, memory: Memory, number: int) -> tuple[int, int] | None:
        """[start, end) of passage `number` in a found memory's text; None if the text was embedded whole."""
        most = self.serving.embedder.max_tokens
        return None if most is None else span_of(memory, number, most)


@dataclass(slots=True)
class Embedded:
    """A query's vector, and the build that it fits; `missing`: why a vector that was wanted is not there."""

    serving: Generation
    vector: bytes | None = None
    missing: MissingArm | None = None


def prepare(
    query: Query,
    reader: Texts,
    embedded: Embedded,
    *,
    limit: int,
    known_in: KnownIn | None = None,
    aside: Sequence[Span] = (),
) -> Prepared:
    """See Index.prepare."""
    serving = embedded.serving
    question = serving.analyzer.query(query.text, query.lang, aside=aside)
    page_rank, breadth_first = _page_rank(query), _breadth_first(query)
    words = query.weights.words if "words" in query.arms else 0.0
    # Where the vector is missing, a search by vectors alone falls back to words.
    words = words if embedded.missing is None else max(words, 1.0)
    native = _engine.Query.of(
        question,
        filter=compile_condition(query.where, reader),
        limit=limit,
        candidates=CANDIDATES,
        vector=embedded.vector,
        word_weight=words,
        vector_weight=query.weights.vectors * serving.embedder.weight if "vectors" in query.arms else 0.0,
        semantic=serving.embedder.semantic,
        page_rank=page_rank,
        breadth_first=breadth_first,
        visibility=visibility(known_in, reader) if page_rank or breadth_first else None,
        ascending=query.order == "oldest",
    )
    return Prepared(native, serving)


def visibility(known_in: KnownIn | None, reader: Texts) -> _engine.Visibility | None:
    """What a walk through the graph may see, in the engine's form; None: everything."""
    if known_in is None:
        return None
    known_by = All((Under(known_in.scope), live(), valid_at(known_in.at)))
    return _engine.Visibility(plain(known_in.scope), compile_condition(known_by, reader))


def _page_rank(query: Query) -> _engine.PageRank | None:
    """The query's walk; the default one if it names none and the graph takes part."""
    walk = RankWalk() if query.walk is None and "graph" in query.arms else query.walk
    if not isinstance(walk, RankWalk):
        return None
    return _engine.PageRank(damping=walk.damping, hit_seeds=walk.hit_seeds, weight=walk.weight)


def _breadth_first(query: Query) -> _engine.BreadthFirst | None:
    walk = query.walk
    if not isinstance(walk, NeighbourWalk):
        return None
    types = None if walk.relations is None else sorted(walk.relations)
    return _engine.BreadthFirst(depth=walk.depth, types=types, limit=walk.limit)
