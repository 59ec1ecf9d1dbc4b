"""Letting go of what nobody comes back to: edges that have faded, and nodes that nothing leads to any more.

Useful for: an explicit request to clean the graph. Not useful for: memories that are not nodes; they are never pruned.
Invariant: a node goes only when it has no edge, was never rewritten or visited, and has rested since `idle_since`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from omoide.memory.sight import Sight, every_relation
from omoide.model.entity import Entity
from omoide.model.relation import Ref, Relation
from omoide.store.protocol import Reader, Writer


class Pruned(NamedTuple):
    """How many edges and nodes went, and how many edges remain."""

    edges: int
    nodes: int
    remaining_edges: int


def prune(writer: Writer, sight: Sight, *, faded: Callable[[Relation], bool], idle_since: datetime) -> Pruned:
    """Remove faded edges, then orphans, among what is seen."""
    edges = [each for each in every_relation(writer) if sight.relation(writer, each)]
    gone = [each for each in edges if faded(each)]
    for each in gone:
        writer.remove_relation(each.id)
    orphans = [node for node in _nodes(writer) if _is_orphan(writer, node, idle_since) and sight.entity(writer, node)]
    for node in orphans:
        writer.remove_entity(node.id, with_observations=True)
    return Pruned(edges=len(gone), nodes=len(orphans), remaining_edges=len(edges) - len(gone))


def _nodes(reader: Reader) -> list[Entity]:
    total, _ = reader.list_entities(entity_class="node", limit=0)
    return reader.list_entities(entity_class="node", limit=total)[1]


def _is_orphan(reader: Reader, node: Entity, idle_since: datetime) -> bool:
    rests = node.access_count <= 1 and node.updated_at < idle_since
    return rests and not reader.relations_of(Ref("entity", node.id))
