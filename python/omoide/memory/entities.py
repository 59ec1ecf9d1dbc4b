"""A stored entity with some of its fields changed: what the use cases share."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import Any

from omoide.model.entity import Entity
from omoide.store.protocol import Writer

#: The store sets these.
_KEPT = frozenset({"number", "created_at", "updated_at"})


def rewrite(writer: Writer, entity: Entity, *, now: datetime, **changes: Any) -> Entity:
    """Store the entity again with `changes`; returns it as it then is."""
    held = {each.name: getattr(entity, each.name) for each in fields(Entity) if each.name not in _KEPT}
    return writer.put_entity(**{**held, "metadata": dict(entity.metadata), **changes}, now=now)
