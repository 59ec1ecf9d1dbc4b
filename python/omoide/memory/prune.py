"""Removes what nobody uses any more: edges that have faded, and nodes left without an edge.

Useful for: an explicit request to clean the graph. Not useful for: memories that are not nodes; they are never pruned.
Invariant: a node is removed only if it has no edge, was never rewritten or visited, and is unchanged since `idle_since`;
a process pinned to a scope removes none that another scope knows, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from omoide.memory.sight import Sight
from omoide.model.entity import Entity
from omoide.model.relation import Ref, Relation
from omoide.store.protocol import Reader, Writer

#: Relations read at a time.
BATCH = 500


class Pruned(NamedTuple):
    """How many edges and nodes were removed, and how many edges remain."""

    edges: int
    nodes: int
    remaining_edges: int


def prune(writer: Writer, sight: Sight, *, faded: Callable[[Relation], bool], idle_since: datetime) -> Pruned:
    """Remove faded edges, then nodes without an edge, among what is visible."""
    seen, gone, tied = 0, 0, set[Ref]()
    for batch in _relations(writer):
        edges = sight.relations(writer, batch)
        fading = {each.number: each for each in edges if sight.owns(each) and faded(each)}
        tied.update(end for each in batch if each.number not in fading for end in (each.source, each.target))
        for each in fading.values():
            writer.remove_relation(each.id)
        seen, gone = seen + len(edges), gone + len(fading)
    at_rest = (node for node in _nodes(writer) if _is_at_rest(node, idle_since))
    known = sight.entities(writer, (node for node in at_rest if Ref("entity", node.id) not in tied))
    orphans = [node for node in known if sight.alone(writer, node)]
    for node in orphans:
        writer.remove_entity(node.id, with_observations=True)
    return Pruned(edges=gone, nodes=len(orphans), remaining_edges=seen - gone)


def _relations(reader: Reader) -> Iterator[list[Relation]]:
    """Every relation there is, in the order of their rows."""
    number = 0
    while batch := reader.relations_after(number, BATCH):
        yield batch
        number = batch[-1].number


def _nodes(reader: Reader) -> list[Entity]:
    total, _ = reader.list_entities(entity_class="node", limit=0)
    return reader.list_entities(entity_class="node", limit=total)[1]


def _is_at_rest(node: Entity, idle_since: datetime) -> bool:
    return node.access_count <= 1 and node.updated_at < idle_since
