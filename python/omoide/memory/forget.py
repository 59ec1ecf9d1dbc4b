"""Removing for good: what goes with a memory and with an entity."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.errors import NotFound
from omoide.memory.sight import Sight
from omoide.model.memory import Memory
from omoide.model.relation import Ref
from omoide.store.protocol import Writer


def forget(writer: Writer, id: str) -> Memory:
    """Remove a memory with its relations; returns what it was. Raises NotFound."""
    memory = writer.memory(id)
    if memory is None or not writer.remove_memory(id):
        raise NotFound(f"No memory with the id {id!r}.")
    return memory


def forget_with_versions(writer: Writer, id: str, versions: Sequence[str]) -> list[Memory]:
    """Remove a memory and the older texts it replaced, which still hold its id; returns what they were, it first.

    `versions`: candidates, as a search found them. Raises NotFound.
    """
    replaced = [each.id for each in writer.memories(versions) if each.superseded_by is not None]
    return [forget(writer, id), *(forget(writer, each) for each in replaced)]


def forget_entity(writer: Writer, sight: Sight, id: str) -> int:
    """Remove an entity, its relations and the memories of it alone; returns how many memories. Raises NotFound.

    What scopes that are not seen know of it stays, and the entity with it.
    """
    entity = writer.entity(id)
    if entity is None or not sight.entity(writer, entity):
        raise NotFound(f"No entity with the id {id!r}.")
    if sight.alone(writer, entity):
        return writer.remove_entity(id, with_observations=True)
    for relation in writer.relations_of(Ref("entity", id)):
        if sight.relation(writer, relation):
            writer.remove_relation(relation.id)
    mine = [each for each in sight.memories_of(writer, entity) if sight.memory(each) and each.entities in ((), (id,))]
    return sum(writer.remove_memory(each.id) for each in mine)
