"""Removing for good: what goes with a memory and with an entity."""

from __future__ import annotations

from omoide.errors import NotFound
from omoide.model.memory import Memory
from omoide.store.protocol import Writer


def forget(writer: Writer, id: str) -> Memory:
    """Remove a memory with its relations; returns what it was. Raises NotFound."""
    memory = writer.memory(id)
    if memory is None or not writer.remove_memory(id):
        raise NotFound(f"No memory with the id {id!r}.")
    return memory


def forget_entity(writer: Writer, id: str) -> int:
    """Remove an entity, its relations and the memories of it alone; returns how many memories. Raises NotFound."""
    if writer.entity(id) is None:
        raise NotFound(f"No entity with the id {id!r}.")
    return writer.remove_entity(id, with_observations=True)
