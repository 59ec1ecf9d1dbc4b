"""How large is the graph that a process sees? Counted again only when something was written since.

Useful for: totals beside an answer. Not useful for: deciding what is seen (sight.py does, one thing at a time).
Invariant: what another process has committed counts. In a pinned scope, what has merely expired meanwhile still counts
until the next write.
"""

from __future__ import annotations

from typing import NamedTuple

from omoide.memory.sight import Sight
from omoide.store.protocol import Reader


class GraphSize(NamedTuple):
    """How many entities that are not nodes, and how many relations."""

    entities: int
    relations: int


class Tally:
    """The size of the graph as of a change."""

    def __init__(self) -> None:
        self._held: tuple[int, GraphSize] | None = None

    def size(self, reader: Reader, sight: Sight) -> GraphSize:
        """The present one."""
        seq, held = reader.last_seq(), self._held
        if held is None or held[0] != seq:
            held = self._held = (seq, _counted(reader, sight))
        return held[1]


def _counted(reader: Reader, sight: Sight) -> GraphSize:
    entities, _ = reader.list_entities(known_in=sight.known_in, limit=0)
    return GraphSize(entities, reader.count_relations(sight.known_in))
