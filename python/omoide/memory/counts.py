"""How much is stored? Counts are cached until something is written; if memories were only added, only these are counted.

Useful for: totals beside an answer. Not useful for: deciding what is visible (visibility.py does).
Invariant: commits of other processes count. In a pinned scope, what has expired without a write still counts in the graph
until the next write.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from omoide.memory.visibility import Visibility
from omoide.store.protocol import CountedField, Reader, Standing


class GraphSize(NamedTuple):
    """How many entities there are, without nodes, and how many relations."""

    entities: int
    relations: int


class _CachedCounts(NamedTuple):
    """How many memories have each value of a field, as of a change; `last` is the highest number that a memory has had."""

    at: Standing
    last: int
    counts: dict[str, int]


class CountCache:
    """Caches the size of the graph and the counts of memories."""

    def __init__(self) -> None:
        self._graph: tuple[Standing, GraphSize] | None = None
        self._memories: dict[CountedField, _CachedCounts] = {}

    def size(self, reader: Reader, visibility: Visibility) -> GraphSize:
        """The present size of the graph."""
        at, cached = reader.standing(), self._graph
        if cached is None or cached[0] != at:
            cached = self._graph = (at, _graph(reader, visibility))
        return cached[1]

    def memories_by(self, reader: Reader, field: CountedField) -> dict[str, int]:
        """How many memories have each value of the field now."""
        at, cached = reader.standing(), self._memories.get(field)
        if cached is None or cached.at != at:
            earlier = cached if cached is not None and _only_grew(reader, cached) else None
            cached = self._memories[field] = _CachedCounts(at, reader.last_number(), _count(reader, field, earlier))
        return dict(cached.counts)


def _graph(reader: Reader, visibility: Visibility) -> GraphSize:
    entities, _ = reader.list_entities(known_in=visibility.known_in, limit=0)
    return GraphSize(entities, reader.count_relations(visibility.known_in))


def _only_grew(reader: Reader, cached: _CachedCounts) -> bool:
    return reader.goes_on_from(cached.at) and not reader.has_rewritten(cached.last, since=cached.at.seq)


def _count(reader: Reader, field: CountedField, earlier: _CachedCounts | None) -> dict[str, int]:
    if earlier is None:
        return reader.count_memories_by(field)
    counts = Counter(earlier.counts)
    counts.update(reader.count_memories_by(field, above=earlier.last))
    return dict(sorted(counts.items()))  # in the store's order
