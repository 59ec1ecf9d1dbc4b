"""Typed, weighted, directed edges between memories and entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple


@dataclass(frozen=True, slots=True)
class Ref:
    """One end of a relation: a memory or an entity (nodes are entities), by id."""

    kind: Literal["memory", "entity"]
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDraft:
    """`source --[type]--> target` as it is passed to the store, unique by these and `home`: the scope that states it, or "".
    Stating it again keeps `created_at` (its decay goes on), and `weight` if none is given."""

    id: str
    source: Ref
    target: Ref
    type: str
    weight: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    memory_id: str | None = None  #: the memory the relation was read from, if any
    home: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(RelationDraft):
    """A stored relation. `number` is its row in the store, never reused."""

    number: int
    weight: float = 1.0
    created_at: datetime


class Related(NamedTuple):
    """What a relation of a memory or entity leads to: the other end, with the name and type of an entity (None for a memory).
    Cheap to read for thousands of relations. `home` as in `Relation`."""

    type: str
    weight: float
    home: str
    end: Ref
    name: str | None
    end_type: str | None
