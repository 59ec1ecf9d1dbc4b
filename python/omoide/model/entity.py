"""Entities and nodes: the named things that memories are about. One noun; `entity_class` says which.

An observation is a memory attached to an entity. A node (concept, file, symbol, note) owns the memory with its content:
`memory_id`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

#: Longest name that is accepted, in characters.
MAX_NAME_CHARS = 200

EntityClass = Literal["entity", "node"]

ENTITY_TYPES = ("person", "concept", "project", "preference", "fact", "location", "organization")
NODE_TYPES = ("concept", "file", "symbol", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDraft:
    """A named thing as it is passed to the store. Unique by (entity_class, folded name, type, home); folding is NFKC + case.
    `home`: the pinned scope of the process that made it, else ""."""

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


class NodeDraft(NamedTuple):
    """A node to be created or rewritten. `metadata` is added to what a known node has."""

    type: str
    label: str
    content: str
    metadata: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(EntityDraft):
    """A stored entity or node. `number` is its row in the store, never reused."""

    number: int
    created_at: datetime
    updated_at: datetime
