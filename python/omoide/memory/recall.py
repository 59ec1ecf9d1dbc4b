"""How a question is answered: checked, sent to the index, its hits read from the store and explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import perf_counter

from omoide.dates import Moment
from omoide.engine import Found, FoundHit, FoundNeighbour, Index, Prepared
from omoide.engine.attributes import EPOCH, MICROSECOND
from omoide.engine.keys import entity_key, is_memory, memory_key, row_number
from omoide.errors import InvalidArgument
from omoide.memory.boost import Boost
from omoide.memory.relevance import Evidence, relevance
from omoide.model.condition import Condition
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.query import ArmName, ArmScore, Hit, MissingArm, Neighbour, Query, Recalled, Step, Why
from omoide.model.relation import Ref
from omoide.store.protocol import Reader, Store

#: Longest query text, in characters. The doors may accept less.
MAX_QUERY_CHARS = 10_000
#: With a boost, this many times the limit is fetched, boosted and cut.
BOOST_DEPTH = 4


Rows = Mapping[int, Memory | Entity]


class Stopwatch:
    """Seconds spent stage by stage."""

    def __init__(self) -> None:
        self.laps: tuple[tuple[str, float], ...] = ()
        self._since = perf_counter()

    def lap(self, stage: str) -> None:
        """End a stage and begin the next."""
        now = perf_counter()
        self.laps += ((stage, now - self._since),)
        self._since = now


def recall(store: Store, index: Index, query: Query, *, moment: Moment) -> Recalled:
    """Answer a query as of the last committed change. Raises InvalidArgument."""
    _check(query)
    watch = Stopwatch()
    index.catch_up()
    watch.lap("follow")
    boost = Boost.of(query, moment)
    embedded = index.embed(query)
    watch.lap("embed")
    with store.read() as reader:
        prepared = index.prepare(query, reader, limit=query.limit * (BOOST_DEPTH if boost else 1), embedded=embedded)
        watch.lap("analyse")
        found = index.search(prepared)
        watch.lap("search")
        rows = _rows(reader, _keys_of(found))
        watch.lap("read")
    hits = _hits(found, rows, prepared, listing=not query.text.strip())
    if boost is not None:
        hits = boost.applied(hits)
    watch.lap("explain")
    return Recalled(
        hits=tuple(hit for hit in hits[: query.limit] if hit.relevance >= query.min_relevance),
        neighbours=tuple(_neighbour(each, rows) for each in found.neighbours if {each.key, each.origin} <= rows.keys()),
        considered=found.allowed,
        as_of=found.applied,
        missing=() if embedded.missing is None else (MissingArm("vectors", embedded.missing),),
        entities=tuple(entity for key in found.named if isinstance(entity := rows.get(key), Entity)),
        stages=watch.laps,
    )


def neighbours(
    store: Store,
    index: Index,
    start: Ref,
    *,
    depth: int,
    relations: frozenset[str] | None,
    limit: int,
    where: Condition | None,
) -> tuple[Neighbour, ...]:
    """Breadth-first from one memory or entity. Raises NotFound."""
    index.catch_up()
    with store.read() as reader:
        found = index.neighbours(start, reader, depth=depth, relations=relations, limit=limit, where=where)
        rows = _rows(reader, {key for each in found for key in _keys_of_neighbour(each)})
    return tuple(_neighbour(each, rows) for each in found if {each.key, each.origin} <= rows.keys())


def _check(query: Query) -> None:
    if len(query.text) > MAX_QUERY_CHARS:
        raise InvalidArgument(
            "query",
            f"The query has {len(query.text):,} characters; at most {MAX_QUERY_CHARS:,} are accepted.",
            hint="Ask with the words that matter.",
        )
    if query.limit < 0:
        raise InvalidArgument("limit", f"limit is {query.limit}; it cannot be negative.")


def _keys_of(found: Found) -> set[int]:
    keys = {hit.key for hit in found.hits} | {step[0] for hit in found.hits for step in hit.path} | set(found.named)
    return keys | {key for each in found.neighbours for key in _keys_of_neighbour(each)}


def _keys_of_neighbour(each: FoundNeighbour) -> set[int]:
    return {each.key, each.origin, *(step[0] for step in each.path)}


def _rows(reader: Reader, keys: Iterable[int]) -> Rows:
    """The memories and entities behind the keys; what is gone since the search is left out."""
    wanted = list(keys)
    memories = reader.memories_by_number(row_number(key) for key in wanted if is_memory(key))
    entities = reader.entities_by_number(row_number(key) for key in wanted if not is_memory(key))
    rows: dict[int, Memory | Entity] = {memory_key(number): memory for number, memory in memories.items()}
    rows.update({entity_key(number): entity for number, entity in entities.items()})
    return rows


def _hits(found: Found, rows: Rows, prepared: Prepared, *, listing: bool) -> list[Hit]:
    best = max((each.score for each in found.hits), default=0.0)
    evidence = [_evidence(each, best) for each in found.hits]
    shares = [1.0] * len(evidence) if listing else relevance(evidence, found.query_words)
    return [
        Hit(
            memory=memory,
            relevance=share,
            score=each.score,
            why=Why() if listing else _why(each, memory, rows, prepared),
        )
        for each, share in zip(found.hits, shares, strict=True)
        if isinstance(memory := rows.get(each.key), Memory)
    ]


def _evidence(hit: FoundHit, best: float) -> Evidence:
    standing = hit.score / best if best > 0.0 else 1.0
    return Evidence(hit.coverage, hit.cosine or 0.0, graph=hit.graph_rank is not None, standing=standing)


def _why(hit: FoundHit, memory: Memory, rows: Rows, prepared: Prepared) -> Why:
    ranked: tuple[tuple[ArmName, int | None, float | None], ...] = (
        ("words", hit.words_rank, hit.words_score),
        ("vectors", hit.vectors_rank, hit.vectors_score),
        ("graph", hit.graph_rank, hit.graph_score),
    )
    arms = tuple(ArmScore(arm, rank, score or 0.0) for arm, rank, score in ranked if rank is not None)
    return Why(
        arms=arms,
        terms=tuple(hit.terms),
        words=prepared.spelling.of(hit.terms),
        path=_path(hit.path, rows),
        passage=None if hit.passage is None else prepared.passage(memory, hit.passage),
    )


def _path(steps: list[tuple[int, str, bool]], rows: Rows) -> tuple[Step, ...]:
    return tuple(Step(relation, rows[key], forward) for key, relation, forward in steps if key in rows)


def _neighbour(each: FoundNeighbour, rows: Rows) -> Neighbour:
    return Neighbour(
        node=rows[each.key],
        origin=rows[each.origin],
        depth=each.depth,
        path=_path(each.path, rows),
        similarity=each.cosine,
        weight=each.weight,
        created_at=EPOCH + each.created_at * MICROSECOND,
    )
