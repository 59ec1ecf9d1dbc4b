"""Removing memories and entities for good, with everything that goes with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from omoide.errors import not_stored
from omoide.memory.remember import as_draft
from omoide.memory.visibility import Visibility
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.relation import Ref
from omoide.store.protocol import Reader, Writer


def forget(writer: Writer, visibility: Visibility, id: str) -> Memory:
    """Remove a memory with its relations; returns the memory. A node whose content it was goes with it if it is alone, as its name
    is what the memory is about, or all that it says. Raises NotFound."""
    memory, node = writer.memory(id), writer.entity_of_memory([id]).get(id)
    if memory is None or not writer.remove_memory(id):
        raise not_stored("memory", id)
    left = None if node is None or node.entity_class != "node" else writer.entity(node.id)
    if left is not None and is_alone(writer, left) and visibility.known_to_no_other(writer, left):
        writer.remove_entity(left.id, with_observations=False)
    return memory


def is_alone(reader: Reader, node: Entity) -> bool:
    """Whether neither the node nor its content has an edge, and no other memory is about the node."""
    content = [] if node.memory_id is None else [Ref("memory", node.memory_id)]
    if any(map(reader.relations_of, (Ref("entity", node.id), *content))):
        return False
    return all(each.id == node.memory_id for each in reader.memories_of(node.id))


def forget_with_versions(writer: Writer, visibility: Visibility, id: str, versions: Sequence[str]) -> list[Memory]:
    """Remove a memory and the older versions that it superseded; returns all of them, the memory first.

    `versions`: ids of candidates, as a search found them. Raises NotFound.
    """
    replaced = [each.id for each in writer.memories(versions) if each.superseded_by is not None]
    return [forget(writer, visibility, each) for each in (id, *replaced)]


def forget_entity(writer: Writer, visibility: Visibility, id: str) -> int:
    """Remove an entity, its relations and the memories of no other entity; returns how many memories. Raises NotFound.

    What other scopes know of it stays, and so does the entity then; the memories of the scope that it shares with another entity
    are no longer attached to it.
    """
    entity = _visible_entity(writer, visibility, id)
    if visibility.known_to_no_other(writer, entity):
        return writer.remove_entity(id, with_observations=True)
    own_relations = filter(visibility.owns, writer.relations_of(Ref("entity", id)))
    writer.remove_relations(relation.id for relation in own_relations)
    count = sum(writer.remove_memory(each) for each in _of_no_other_entity(writer, visibility, entity))
    for shared in filter(visibility.memory, writer.memories_of(id)):
        others = tuple(each for each in shared.entities if each != id)
        writer.put_memory(replace(as_draft(shared), entities=others), now=shared.updated_at)
    _leave_to_others(writer, visibility, entity)
    return count


def _leave_to_others(writer: Writer, visibility: Visibility, entity: Entity) -> None:
    """Take an entity that was made in this scope out of it: from now on it is known where a memory is about it. Unless there is
    one of its name and type without a home already, as there cannot be two."""
    named = writer.entities_named(entity.name, entity_class=entity.entity_class, type=entity.type)
    left = next((each for each in named if each.id == entity.id and visibility.owns(each)), None)
    if left is not None and all(each.home for each in named):
        writer.put_entity(replace(left, home=""), now=left.updated_at)


def count_with_entity(reader: Reader, visibility: Visibility, id: str) -> int:
    """How many memories `forget_entity` would remove. Raises NotFound."""
    entity = _visible_entity(reader, visibility, id)
    if visibility.known_to_no_other(reader, entity):
        return reader.count_with_entity(id)
    return len(_of_no_other_entity(reader, visibility, entity))


def _visible_entity(reader: Reader, visibility: Visibility, id: str) -> Entity:
    entity = reader.entity(id)
    if entity is None or not visibility.entity(reader, entity):
        raise not_stored("entity", id)
    return entity


def _of_no_other_entity(reader: Reader, visibility: Visibility, entity: Entity) -> list[str]:
    """The ids of the visible memories that are of no other entity."""
    its_own = ((), (entity.id,))
    return [each.id for each in reader.memories_of(entity.id) if visibility.memory(each) and each.entities in its_own]
