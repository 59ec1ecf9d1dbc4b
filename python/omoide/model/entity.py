"""Entities and nodes: the named things memories are about. One noun; `entity_class` tells which.

An observation is a memory attached to an entity. A node (concept, file, symbol, note) owns the memory that holds its
content: `memory_id`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

#: Longest name that is accepted, in characters.
MAX_NAME_CHARS = 200

EntityClass = Literal["entity", "node"]

ENTITY_TYPES = ("person", "concept", "project", "preference", "fact", "location", "organization")
NODE_TYPES = ("concept", "file", "symbol", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDraft:
    """A named thing as it is handed to the store. Unique by (entity_class, folded name, type, home) where folding is NFKC +
    case; `home` is the scope that it belongs to, if it was made where only one is seen."""

    id: str
    entity_class: EntityClass
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    description: str | None = None
    memory_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    access_count: int = 1
    home: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(EntityDraft):
    """A stored one. `number` is its row in the store, never reused."""

    number: int
    created_at: datetime
    updated_at: datetime
