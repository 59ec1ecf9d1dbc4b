"""Things and what is known of them: entities with observations, nodes with their content, relations between all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.errors import InvalidArgument, NotFound
from omoide.memory.remember import Remembered, as_draft, new_id, remember
from omoide.model.entity import Entity, EntityClass
from omoide.model.memory import Draft
from omoide.model.relation import Ref, Relation
from omoide.store.protocol import Writer

MAX_NAME_CHARS = 200

End = Ref | tuple[str, str | None]


def ensure_entity(writer: Writer, name: str, type: str, entity_class: EntityClass, *, now: datetime) -> Entity:
    """The entity of that folded name and type, made if missing."""
    if not 0 < len(name.strip()) <= MAX_NAME_CHARS:
        raise InvalidArgument("name", f"A name has 1 to {MAX_NAME_CHARS} characters; this one has {len(name)}.")
    known = writer.entities_named(name, entity_class=entity_class, type=type)
    if known:
        return known[0]
    return writer.put_entity(id=new_id(), entity_class=entity_class, name=name, type=type, now=now)


def observe(
    writer: Writer, name: str, type: str, draft: Draft, entity_class: EntityClass, *, deduplicate: bool, now: datetime
) -> tuple[Entity, Remembered]:
    """Attach a memory to an entity (see `Memories.observe`)."""
    entity = ensure_entity(writer, name, type, entity_class, now=now)
    writer.touch_entity(entity.id, now=now)
    twin = writer.observation_of(entity.id, draft.text, at=now) if deduplicate else None
    if twin is not None:
        return entity, Remembered("deduplicated", twin)
    return entity, remember(writer, replace(draft, entities=(*draft.entities, entity.id)), now=now)


def upsert_node(
    writer: Writer, type: str, label: str, draft: Draft, metadata: Mapping[str, str], *, now: datetime
) -> Entity:
    """Make or rewrite a node and the memory that holds its content (`draft`)."""
    node = ensure_entity(writer, label, type, "node", now=now)
    content = writer.memory(node.memory_id) if node.memory_id is not None else None
    if content is None:
        memory, count = remember(writer, draft, now=now).memory, 1
    else:
        rewritten = replace(as_draft(content), text=draft.text)
        memory, count = remember(writer, rewritten, now=now).memory, node.access_count + 1
    return writer.put_entity(
        id=node.id,
        entity_class="node",
        name=node.name,
        type=type,
        aliases=node.aliases,
        memory_id=memory.id,
        metadata={**node.metadata, **metadata},
        access_count=count,
        now=now,
    )


def relate(
    writer: Writer,
    source: End,
    target: End,
    type: str,
    *,
    weight: float | None,
    metadata: Mapping[str, Any],
    memory_id: str | None,
    now: datetime,
) -> Relation:
    """Make or update an edge (see `Memories.relate`)."""
    if not type.strip():
        raise InvalidArgument("type", "The relation has no type.", hint="Name it, for example depends_on.")
    return writer.put_relation(
        id=new_id(),
        source=_end(writer, source, now),
        target=_end(writer, target, now),
        type=type,
        weight=weight,
        metadata=dict(metadata),
        memory_id=memory_id,
        now=now,
    )


def _end(writer: Writer, end: End, now: datetime) -> Ref:
    if isinstance(end, Ref):
        return _known(writer, end)
    name, type = end
    known = writer.entities_named(name, type=type)
    if known:
        return Ref("entity", known[0].id)
    return Ref("entity", ensure_entity(writer, name, type or "concept", "entity", now=now).id)


def _known(writer: Writer, ref: Ref) -> Ref:
    row = writer.memory(ref.id) if ref.kind == "memory" else writer.entity(ref.id)
    if row is None:
        raise NotFound(f"No {ref.kind} with the id {ref.id!r}.")
    return ref
