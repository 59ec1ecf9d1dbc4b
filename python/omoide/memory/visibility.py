"""What a process pinned to a scope may see, and what it may change.

An entity made by a pinned process has the pinned scope as its home. One made by an unpinned process has no home, and is
known in a scope if a memory of the scope is about it. Relations have homes likewise; one without a home is known where both
its ends are.

Useful for: everything that shows, lists or walks entities and relations. Not useful for: conditions on memories.
Invariant: without a pinned scope, everything is visible.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from omoide.errors import no_entity
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.relation import Ref, Relation
from omoide.model.scope import covers
from omoide.model.thread import Thread
from omoide.store.protocol import KnownIn, Reader


class Visibility:
    """What one operation may see; caches what it has looked up. `scope` None: everything."""

    def __init__(self, scope: str | None, at: datetime) -> None:
        self.scope = scope
        self._at = at
        self._known: dict[str, bool] = {}

    @property
    def known_in(self) -> KnownIn | None:
        """The filter to pass to the store for entities and relations; None: everything."""
        return None if self.scope is None else KnownIn(self.scope, self._at)

    def covers(self, scope: str) -> bool:
        """Whether the scope is the pinned one or under it."""
        return self.scope is None or covers(self.scope, scope)

    def memory(self, memory: Memory) -> bool:
        """Whether the memory is visible."""
        return self.covers(memory.scope)

    def entity(self, reader: Reader, entity: Entity) -> bool:
        """Whether the entity or node is known in the scope."""
        return bool(self.entities(reader, (entity,)))

    def entities(self, reader: Reader, entities: Iterable[Entity]) -> list[Entity]:
        """Those that are known in the scope, in their order; one query of the store for all of them."""
        every = list(entities)
        if self.known_in is None:
            return every
        self._known.update((each.id, True) for each in every if each.id not in self._known and self.covers(each.home))
        self._look_up(reader, self.known_in, (each.id for each in every))
        return [each for each in every if self._known[each.id]]

    def require(self, reader: Reader, ids: Iterable[str]) -> None:
        """Raises NotFound for an entity that the scope does not know: to attach a memory to it would reveal it."""
        if self.scope is None:
            return
        asked = list(ids)
        seen = {each.id for each in self.entities(reader, reader.entities(asked))}
        for unseen in (id for id in asked if id not in seen):
            raise no_entity(unseen)

    def thing(self, reader: Reader, thing: Memory | Entity) -> bool:
        """Whether the memory is visible, or the entity known."""
        return self.memory(thing) if isinstance(thing, Memory) else self.entity(reader, thing)

    def content(self, reader: Reader, entity: Entity) -> bool:
        """Whether the content of a node is visible: a node known only by its observations is not ours to rewrite."""
        if self.scope is None or entity.entity_class != "node" or entity.memory_id is None:
            return True
        content = reader.memory(entity.memory_id)
        return content is None or self.memory(content)

    def relations(self, reader: Reader, relations: Iterable[Relation]) -> list[Relation]:
        """Those that are visible, in their order: their home, if they have one, and both their ends are."""
        if self.scope is None or self.known_in is None:
            return list(relations)
        candidates = [each for each in relations if not each.home or self.covers(each.home)]
        ends = {end for each in candidates for end in (each.source, each.target)}
        self._look_up(reader, self.known_in, (end.id for end in ends if end.kind == "entity"))
        memories = {
            each.id for each in reader.memories(end.id for end in ends if end.kind == "memory") if self.memory(each)
        }

        def is_visible(end: Ref) -> bool:
            return end.id in memories if end.kind == "memory" else self._known[end.id]

        return [each for each in candidates if is_visible(each.source) and is_visible(each.target)]

    def end(self, reader: Reader, ref: Ref) -> bool:
        """Whether the memory or entity at an end of a relation is visible."""
        if self.scope is None or (ref.kind == "entity" and self._known.get(ref.id)):
            return True
        thing = reader.memory(ref.id) if ref.kind == "memory" else reader.entity(ref.id)
        return thing is not None and self.thing(reader, thing)

    def owns(self, thing: Entity | Relation | Thread) -> bool:
        """Whether it belongs to the scope, so that it may be changed and removed."""
        return self.scope is None or (bool(thing.home) and self.covers(thing.home))

    def known_to_no_other(self, reader: Reader, entity: Entity) -> bool:
        """Whether no other scope has anything of the entity, not even what it no longer shows."""
        if self.scope is None:
            return True
        relations = reader.relations_of(Ref("entity", entity.id))
        return (
            (not entity.home or self.covers(entity.home))
            and all(map(self.memory, reader.memories_of(entity.id)))
            and len(self.relations(reader, relations)) == len(relations)
        )

    def _look_up(self, reader: Reader, known_in: KnownIn, ids: Iterable[str]) -> None:
        """Cache for each of these entities whether the scope knows it."""
        unknown = [id for id in dict.fromkeys(ids) if id not in self._known]
        if unknown:
            known = reader.entities_known(unknown, known_in)
            self._known.update((id, id in known) for id in unknown)
