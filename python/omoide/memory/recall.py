"""How a query is answered: it is checked and sent to the index, its hits are read from the store and explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from time import perf_counter
from typing import NamedTuple

from omoide.dates import Interval, Moment
from omoide.engine import Embedded, EngineHits, EngineNeighbour, Index, Prepared, Shapes
from omoide.engine.attributes import EPOCH, MICROSECOND
from omoide.engine.keys import is_memory, row_number, row_numbers
from omoide.errors import InvalidArgument, too_long
from omoide.memory.boost import DAY, Boost
from omoide.memory.budget import fitted
from omoide.memory.candidate import Candidate, candidate_of
from omoide.memory.duplicates import are_apart, facts
from omoide.memory.of_dates import Dates
from omoide.memory.relevance import FITTED
from omoide.memory.said_aside import said_aside
from omoide.model.condition import All, Condition
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.query import Hit, Neighbour, NeighbourWalk, Query, Recalled, Step, Why
from omoide.model.relation import Ref
from omoide.store.protocol import KnownIn, Store
from omoide.text import sentences
from omoide.text.normalise import is_blank, plain

#: Longest query text, in characters. Tools may accept less.
MAX_QUERY_CHARS = 10_000
#: And with compatibility characters taken apart, as they are for the search: ㍿ is 株式会社, and ﷺ, the longest, has 18 characters.
MAX_FOLDED_CHARS = 20_000
_MOST_OF_ONE = 18
#: With a boost, this many times the limit is fetched, boosted and cut.
BOOST_DEPTH = 4
#: A hit's relevance is judged among at least this many hits, so that it does not depend on a small limit. The curve was fitted
#: with as many.
LEAST_JUDGED = 10
#: If folding duplicates leaves fewer hits than the limit, the search is repeated this many times deeper, up to DEEPEST.
DEEPENING = 4
DEEPEST = 1_000

#: (stage, when it ended) in seconds of `perf_counter`; see `Recalled.stage_ends`.
StageEnds = list[tuple[str, float]]

#: A hit that still lacks its path or passage: its index in the list, the steps of the path, the passage's number. See
#: `_engine.Hits`.
Unfinished = tuple[int, list[tuple[int, str, bool]], int | None]

#: The explanation of every memory in a listing: there is nothing to explain.
LISTED = Why()

#: So many memories of a day that a query names are few: fewer than a page has.
FEW_OF_A_DAY = 3
#: The relevance from which on a hit is worth reading; below it a memory may be unrelated.
WORTH_READING = 0.4


class Rows(NamedTuple):
    """The store's rows behind the engine's keys, by row number."""

    memories: Mapping[int, Memory]
    entities: Mapping[int, Entity]

    def get(self, key: int) -> Memory | Entity | None:
        """None: the row has been removed."""
        rows: Mapping[int, Memory | Entity] = self.memories if is_memory(key) else self.entities
        return rows.get(row_number(key))


class TextLookup(NamedTuple):
    """A `Texts` that opens a read transaction only when a condition needs one, which few do."""

    store: Store

    def numbers_where(self, field: str, holds: Callable[[str], bool]) -> list[int]:
        """See Reader."""
        with self.store.read() as reader:
            return reader.numbers_where(field, holds)

    def numbers_with(self, field: str, texts: Iterable[str]) -> list[int]:
        """See Reader."""
        with self.store.read() as reader:
            return reader.numbers_with(field, texts)

    def values_of(self, field: str) -> list[str]:
        """See Reader."""
        with self.store.read() as reader:
            return reader.values_of(field)


#: No rows besides the hits, as in most answers.
NO_ROWS = Rows({}, {})


class Result(NamedTuple):
    """The result of one search of the index, best first. `rows`: the entities, path steps and neighbours that the answer mentions;
    `falls_short`: folding duplicates left fewer hits than the limit."""

    engine_hits: EngineHits
    rows: Rows
    hits: Sequence[Hit]
    falls_short: bool


class Search(NamedTuple):
    """A query, the store and index that it searches, and all that is known before the search. A query without a text is a listing:
    there is nothing to rank or explain. `known_in` limits the graph to what one scope knows."""

    store: Store
    search_index: Index
    query: Query
    moment: Moment
    boost: Boost | None
    embedded: Embedded
    stage_ends: StageEnds
    known_in: KnownIn | None

    def run(self) -> Result:
        """Search as deep as it takes to fill the limit, up to DEEPEST."""
        depth = self._depth()
        texts, embedded = TextLookup(self.store), self.embedded
        aside = said_aside(self.query, self.boost)
        prepared = self.search_index.prepare(
            self.query, texts, limit=depth, embedded=embedded, known_in=self.known_in, aside=aside
        )
        self.stage_ends.append(("analyse", perf_counter()))
        result = self._search_once(prepared)
        while result.falls_short and depth <= min(len(result.engine_hits.keys), DEEPEST):
            depth *= DEEPENING
            result = self._search_once(prepared.reaching(depth))
        return result

    def _depth(self) -> int:
        """How many hits to ask the engine for. With a walk to neighbours, only the limit, as the walk starts at each hit."""
        depth = self.query.limit * (BOOST_DEPTH if self.boost else 1)
        is_enough = not depth or not self.query.text or isinstance(self.query.walk, NeighbourWalk)
        return depth if is_enough else max(depth, LEAST_JUDGED)

    def _search_once(self, prepared: Prepared) -> Result:
        engine_hits = self.search_index.search(prepared)
        self.stage_ends.append(("search", perf_counter()))
        memories, rows = _read_rows(self.store, engine_hits)
        self.stage_ends.append(("read", perf_counter()))
        limit, diverse = self.query.limit, self.query.diverse
        if not self.query.text:
            return Result(engine_hits, rows, _listing(engine_hits, memories)[:limit], False)
        is_final = self.boost is None and (not diverse or are_apart(memories, limit))
        if is_final:  # the usual case: the engine's order stands
            hits = _completed(engine_hits.first(limit, memories, FITTED, SHAPES), prepared, rows)
            return Result(engine_hits, rows, hits, False)
        candidates = self._candidates(engine_hits, memories)
        distinct = facts(candidates, limit, self.moment) if diverse else candidates[:limit]
        hits = _completed(engine_hits.explained(distinct, SHAPES), prepared, rows)
        return Result(engine_hits, rows, hits, len(distinct) < min(limit, len(candidates)))

    def of_dates_first(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        """The hits, behind all memories of the query's dates if it asks for nothing but these (昨日何した, 上个月做了什么): no word of
        the query tells which memories are meant, so that hardly any may be among the hits."""
        boost, query = self.boost, self.query
        if boost is None or not boost.dates or isinstance(query.walk, NeighbourWalk):
            return hits
        spans = [(date.start, date.end) for date in boost.dates]
        if not self.embedded.serving.analyzer.names_nothing_beside(spans, query.text, query.lang):
            return self._with_those_of_a_day(hits, boost)
        dates = Dates.of(boost.dates, self.moment)
        named = [hit for hit in hits if dates.are_named_in(hit.memory)]
        of_dates = [
            *self._listed(dates.happened(), query.limit),
            *named,
            *self._listed(dates.was_under_way(), query.limit),
            *self._listed(dates.stored(), query.limit),
        ]
        candidates = [
            candidate_of((place, hit.memory, 1.0, hit.score, dates.said, ()))
            for place, hit in enumerate(_once(of_dates))
        ]
        first = facts(candidates, query.limit, self.moment) if query.diverse else candidates[: query.limit]
        whys = {hit.memory.id: hit.why for hit in hits}
        told = {id for each in first for id in (each.memory.id, *each.alike)}
        return [
            *(
                Hit(memory, 1.0, score, whys.get(memory.id, LISTED)._replace(dates=said), alike)
                for _, memory, _, score, said, alike in first
            ),
            *(hit for hit in hits if hit.memory.id not in told),
        ][: query.limit]

    def _with_those_of_a_day(self, hits: Sequence[Hit], boost: Boost) -> Sequence[Hit]:
        """The hits; if the query, a single sentence, names a past day, and none that is worth reading is of it, the few memories of
        that day come first, or behind the best hit if that is worth reading: they may say in other words what is asked (3月14日に何を
        買った: 洗濯機を買い替えた). Whoever tells of a day in several sentences does not ask what was on it."""
        days = [each for each in boost.dates if _is_past_day(each.interval, self.moment)]
        if not days or any(hit.why.dates and hit.relevance >= WORTH_READING for hit in hits):
            return hits
        if len(sentences(self.query.text)) > 1:
            return hits
        dates = Dates.of(days, self.moment)
        listed = (self._listed(which, FEW_OF_A_DAY + 1) for which in (dates.happened(), dates.stored()))
        of_day = list(_once(chain.from_iterable(listed)))
        if not 0 < len(of_day) <= FEW_OF_A_DAY:
            return hits
        whys = {hit.memory.id: hit.why for hit in hits}
        added = {each.memory.id: whys.get(each.memory.id, LISTED)._replace(dates=dates.said) for each in of_day}
        others = [hit for hit in hits if hit.memory.id not in added]
        behind = int(bool(others) and others[0].relevance >= WORTH_READING)
        raised = [hit._replace(relevance=WORTH_READING, why=added[hit.memory.id]) for hit in of_day]
        ordered = [*others[:behind], *raised, *others[behind:]]
        shares = sorted((hit.relevance for hit in ordered), reverse=True)
        return [hit._replace(relevance=share) for hit, share in zip(ordered, shares, strict=True)][: self.query.limit]

    def _listed(self, where: Condition, limit: int) -> Sequence[Hit]:
        """The `limit` newest memories that the query may find and for which the condition holds."""
        query = self.query
        both = where if query.where is None else All((query.where, where))
        listing = replace(query, text="", where=both, walk=None, limit=limit)
        embedded = replace(self.embedded, vector=None)
        return self._replace(query=listing, boost=None, embedded=embedded, stage_ends=[]).run().hits

    def _candidates(self, engine_hits: EngineHits, memories: list[Memory | None]) -> Sequence[Candidate]:
        candidates = list(map(candidate_of, engine_hits.candidates(memories, FITTED)))
        return candidates if self.boost is None else self.boost.applied(candidates)


def _is_past_day(date: Interval, moment: Moment) -> bool:
    """Whether the date is a day that is over, or less."""
    start, end = date
    return start is not None and end is not None and end - start <= DAY and end <= moment.now


def recall(store: Store, index: Index, query: Query, *, moment: Moment, known_in: KnownIn | None = None) -> Recalled:
    """Answer a query as of the last committed change; `known_in` limits the graph to what one scope knows. Raises
    InvalidArgument, and IndexBehind where the index has a timeout."""
    _validate(query)
    if query.text and is_blank(query.text):
        query = replace(query, text="")
    stage_ends: StageEnds = [("", perf_counter())]
    index.catch_up_in_time()
    stage_ends.append(("follow", perf_counter()))
    boost = Boost.of(query, moment)
    embedded = index.embed(query)
    stage_ends.append(("embed", perf_counter()))
    search = Search(store, index, query, moment, boost, embedded, stage_ends, known_in)
    result = search.run()
    found = search.of_dates_first(result.hits)
    min_relevance = query.min_relevance
    hits = tuple([each for each in found if each.relevance >= min_relevance] if min_relevance > 0.0 else found)
    tokens: int | None = None
    omitted = 0
    if query.token_budget is not None:
        hits, tokens, omitted = fitted(hits, query.token_budget)
    stage_ends.append(("explain", perf_counter()))
    engine_hits, mentions_rows = result.engine_hits, result.rows is not NO_ROWS
    return Recalled(
        hits,
        _neighbours(engine_hits.neighbours, result.rows) if mentions_rows else (),
        engine_hits.allowed,
        engine_hits.applied,
        () if embedded.missing is None else (embedded.missing,),
        _entities(engine_hits.named, result.rows) if mentions_rows else (),
        tokens,
        omitted,
        stage_ends,
        index.answer_language(query.text, query.lang, whole=known_in is None),
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
    known_in: KnownIn | None = None,
) -> tuple[Neighbour, ...]:
    """What is reached breadth-first from one memory or entity; `known_in` as in `recall`. Raises NotFound, and
    IndexBehind as `recall` does."""
    index.catch_up_in_time()
    with store.read() as reader:
        found = index.neighbours(
            start, reader, depth=depth, relations=relations, limit=limit, where=where, known_in=known_in
        )
    rows = _rows(store, list({key for each in found for key in _keys_of_neighbour(each)}))
    return _neighbours(found, rows)


def _validate(query: Query) -> None:
    if len(query.text) > MAX_QUERY_CHARS:
        raise _query_too_long(len(query.text), MAX_QUERY_CHARS)
    # Long questions are rare, so few are folded twice.
    if len(query.text) * _MOST_OF_ONE > MAX_FOLDED_CHARS and (length := len(plain(query.text))) > MAX_FOLDED_CHARS:
        raise _query_too_long(length, MAX_FOLDED_CHARS)
    if query.limit < 0:
        raise InvalidArgument("limit", f"limit is {query.limit}; it cannot be negative.")
    if query.token_budget is not None and query.token_budget < 1:
        raise InvalidArgument("token_budget", f"token_budget is {query.token_budget}; at least 1 is expected.")


def _query_too_long(length: int, most: int) -> InvalidArgument:
    return InvalidArgument(
        "query",
        f"The query has {length:,} characters; at most {most:,} are accepted.",
        hint="Ask with the words that matter.",
        also=too_long("query", length, most),
    )


def _keys_of_neighbour(each: EngineNeighbour) -> set[int]:
    return {each.key, each.origin, *(step[0] for step in each.path)}


def _read_rows(store: Store, engine_hits: EngineHits) -> tuple[list[Memory | None], Rows]:
    """(the memory of each hit, None if it was removed since the search; the other rows that the answer mentions)."""
    numbers, mentioned = row_numbers(engine_hits.keys), engine_hits.beside
    if not mentioned:
        return store.memories(numbers), NO_ROWS
    rows = _rows(store, mentioned, numbers)
    return list(map(rows.memories.get, numbers)), rows


def _rows(store: Store, keys: Sequence[int], memories: Sequence[int] = ()) -> Rows:
    """The rows behind the keys, and those of `memories`; rows removed since the search are left out."""
    memory_numbers = [row_number(key) for key in keys if is_memory(key)]
    numbers = list(dict.fromkeys([*memories, *memory_numbers]))
    read = zip(numbers, store.memories(numbers), strict=True)
    rows = Rows({number: memory for number, memory in read if memory is not None}, {})
    if len(memory_numbers) == len(keys):
        return rows
    with store.read() as reader:
        return rows._replace(entities=reader.entities_by_number(row_number(key) for key in keys if not is_memory(key)))


#: The classes from which the engine builds hits.
SHAPES = Shapes(hit=Hit, why=Why)


def _once(hits: Iterable[Hit]) -> Iterable[Hit]:
    """Each memory where it is first."""
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(hit.memory.id, hit)
    return first.values()


def _listing(engine_hits: EngineHits, memories: list[Memory | None]) -> list[Hit]:
    return [Hit(memory, 1.0, score, LISTED) for _, memory, _, score, _, _ in engine_hits.candidates(memories, FITTED)]


def _completed(explained: tuple[list[Hit], list[Unfinished]], prepared: Prepared, rows: Rows) -> list[Hit]:
    hits, unfinished = explained
    for place, steps, number in unfinished:
        hit = hits[place]
        passage = None if number is None else prepared.passage(hit.memory, number)
        hits[place] = hit._replace(why=hit.why._replace(path=_path(steps, rows), passage=passage))
    return hits


def _path(steps: list[tuple[int, str, bool]], rows: Rows) -> tuple[Step, ...]:
    reached = ((rows.get(key), relation, forward) for key, relation, forward in steps)
    return tuple(Step(relation, node, forward) for node, relation, forward in reached if node is not None)


def _entities(keys: Iterable[int], rows: Rows) -> tuple[Entity, ...]:
    return tuple([entity for key in keys if isinstance(entity := rows.get(key), Entity)])


def _neighbours(found: Iterable[EngineNeighbour], rows: Rows) -> tuple[Neighbour, ...]:
    return tuple([neighbour for each in found if (neighbour := _neighbour(each, rows)) is not None])


def _neighbour(each: EngineNeighbour, rows: Rows) -> Neighbour | None:
    """None: one of its ends has been removed."""
    node, origin = rows.get(each.key), rows.get(each.origin)
    if node is None or origin is None:
        return None
    return Neighbour(
        node=node,
        origin=origin,
        depth=each.depth,
        path=_path(each.path, rows),
        similarity=each.cosine,
        weight=each.weight,
        created_at=EPOCH + each.created_at * MICROSECOND,
    )
