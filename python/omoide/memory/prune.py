"""Removes what nobody uses any more: edges that have faded, and nodes left without an edge.

It works in portions, each with a short transaction, so that other writers need not wait for the whole graph. What others change
meanwhile counts: an edge or node is looked at once more in the transaction that removes it.

Useful for: an explicit request to clean the graph. Not useful for: memories that are not nodes; they are never pruned.
Invariant: a node is removed only if neither it nor its content has an edge, nothing was observed of it, it was never rewritten or
visited, and is unchanged since `idle_since`; a process pinned to a scope removes none that another scope knows, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from omoide.memory.forget import is_alone
from omoide.memory.visibility import Visibility
from omoide.model.entity import Entity
from omoide.model.relation import Relation
from omoide.store.protocol import Store, Writer

#: Edges or nodes looked at in one portion.
PORTION = 500

Faded = Callable[[Relation], bool]


class Pruned(NamedTuple):
    """How many edges and nodes were removed, and how many edges remain."""

    edges: int
    nodes: int
    remaining_edges: int


def prune(store: Store, visibility: Visibility, *, faded: Faded, idle_since: datetime) -> Pruned:
    """Remove faded edges, then nodes without an edge, among what is visible."""
    seen, gone, tied = 0, 0, set[str | None]()
    for portion, edges in _relations(store, visibility):
        fading = {each.number for each in edges if visibility.owns(each) and faded(each)}
        tied.update(id for each in portion if each.number not in fading for id in (each.source.id, each.target.id))
        seen, gone = seen + len(edges), gone + _remove_edges(store, fading, faded)
    idle = [
        node.id
        for node in _nodes(store)
        if tied.isdisjoint((node.id, node.memory_id)) and _is_at_rest(node, idle_since)
    ]
    nodes = sum(
        _remove_nodes(store, visibility, idle[start : start + PORTION], idle_since)
        for start in range(0, len(idle), PORTION)
    )
    return Pruned(edges=gone, nodes=nodes, remaining_edges=seen - gone)


def _relations(store: Store, visibility: Visibility) -> Iterator[tuple[list[Relation], list[Relation]]]:
    """Every relation there is, in the order of their rows; in each portion all, and those that are visible."""
    number = 0
    while True:
        with store.read() as reader:
            portion = reader.relations_after(number, PORTION)
            edges = visibility.relations(reader, portion)
        if not portion:
            return
        yield portion, edges
        number = portion[-1].number


def _remove_edges(store: Store, numbers: Collection[int], faded: Faded) -> int:
    if not numbers:
        return 0
    with store.write() as writer:
        still = filter(faded, writer.relations_by_number(numbers).values())
        return writer.remove_relations(each.id for each in still)


def _nodes(store: Store) -> list[Entity]:
    with store.read() as reader:
        total, _ = reader.list_entities(entity_class="node", limit=0)
        return reader.list_entities(entity_class="node", limit=total)[1]


def _remove_nodes(store: Store, visibility: Visibility, ids: Iterable[str], idle_since: datetime) -> int:
    with store.write() as writer:
        still = [node for node in writer.entities(ids) if _is_at_rest(node, idle_since)]
        known = visibility.entities(writer, (node for node in still if is_alone(writer, node)))
        orphans = [node for node in known if visibility.known_to_no_other(writer, node)]
        for node in orphans:
            _remove(writer, node)
    return len(orphans)


def _remove(writer: Writer, node: Entity) -> None:
    """Remove a node and its content, unless that is of another entity, too."""
    writer.remove_entity(node.id, with_observations=False)
    content = None if node.memory_id is None else writer.memory(node.memory_id)
    if content is not None and not content.entities and not writer.entity_of_memory([content.id]):
        writer.remove_memory(content.id)


def _is_at_rest(node: Entity, idle_since: datetime) -> bool:
    return node.access_count <= 1 and node.updated_at < idle_since
