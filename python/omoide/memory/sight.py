"""What a process pinned to a scope may see and what it marks as its own.

A thing that is made where one scope alone is seen has its home there; one made where everything is seen has none, and
is known in a scope when a memory of the scope is about it. A relation is marked, in its metadata, with the scopes that
said it.

Useful for: everything that shows, lists or walks entities and relations. Not useful for: conditions on memories.
Invariant: without a pinned scope everything is seen and nothing is marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.relation import Ref, Relation
from omoide.model.scope import covers
from omoide.store.protocol import Reader

MARK = "omoide:scopes"
BATCH = 500


class Sight:
    """The eyes of one operation; what it has looked up it remembers. `scope` None sees everything."""

    def __init__(self, scope: str | None, at: datetime) -> None:
        self.scope = scope
        self._at = at
        self._known: dict[str, bool] = {}

    def covers(self, scope: str) -> bool:
        """Whether the scope is the pinned one or under it."""
        return self.scope is None or covers(self.scope, scope)

    def memory(self, memory: Memory) -> bool:
        """Whether the memory is seen."""
        return self.covers(memory.scope)

    def entity(self, reader: Reader, entity: Entity) -> bool:
        """Whether the entity or node is known in the scope."""
        if entity.id not in self._known:
            self._known[entity.id] = self.covers(entity.home) or self._spoken_of(reader, entity)
        return self._known[entity.id]

    def thing(self, reader: Reader, thing: Memory | Entity) -> bool:
        """Either of the two."""
        return self.memory(thing) if isinstance(thing, Memory) else self.entity(reader, thing)

    def relation(self, reader: Reader, relation: Relation) -> bool:
        """Whether the relation and both its ends are seen; one without any mark goes with its ends."""
        if self.scope is None:
            return True
        if MARK in relation.metadata and not any(map(self.covers, _marks(relation.metadata))):
            return False
        return self.end(reader, relation.source) and self.end(reader, relation.target)

    def end(self, reader: Reader, ref: Ref) -> bool:
        """Whether what stands at an end of a relation is seen."""
        if self.scope is None or (ref.kind == "entity" and self._known.get(ref.id)):
            return True
        thing = reader.memory(ref.id) if ref.kind == "memory" else reader.entity(ref.id)
        return thing is not None and self.thing(reader, thing)

    def mark(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """The metadata with the mark of the pinned scope."""
        if self.scope is None:
            return dict(metadata)
        return {**metadata, MARK: list(dict.fromkeys([*_marks(metadata), self.scope]))}

    def alone(self, reader: Reader, entity: Entity) -> bool:
        """Whether no other scope knows the entity."""
        if self.scope is None:
            return True
        relations = reader.relations_of(Ref("entity", entity.id))
        return (
            (not entity.home or self.covers(entity.home))
            and all(map(self.memory, self.memories_of(reader, entity)))
            and all(self.relation(reader, each) for each in relations)
        )

    def memories_of(self, reader: Reader, entity: Entity) -> list[Memory]:
        """The content of a node, and the live observations of any entity, of every scope."""
        owned = None if entity.memory_id is None else reader.memory(entity.memory_id)
        total, _ = reader.observations(entity.id, at=self._at, limit=0)
        _, observed = reader.observations(entity.id, at=self._at, limit=total)
        return observed if owned is None else [owned, *observed]

    def _spoken_of(self, reader: Reader, entity: Entity) -> bool:
        return any(map(self.memory, self.memories_of(reader, entity)))


def _marks(metadata: Mapping[str, Any]) -> list[str]:
    marks = metadata.get(MARK)
    return [each for each in marks if isinstance(each, str)] if isinstance(marks, (list, tuple)) else []


def every_relation(reader: Reader) -> Iterator[Relation]:
    """Every relation there is, in the order of their rows."""
    number = 0
    while batch := reader.relations_after(number, BATCH):
        yield from batch
        number = batch[-1].number
