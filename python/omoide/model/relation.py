"""Typed, weighted, directed edges between memories and entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from omoide.model.scope import covers

#: In the metadata of a relation: the scopes that said it, where processes pinned to one did.
MARK = "omoide:scopes"


@dataclass(frozen=True, slots=True)
class Ref:
    """One end of a relation: a memory or an entity (nodes are entities), by id."""

    kind: Literal["memory", "entity"]
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDraft:
    """`source --[type]--> target`, unique by those three, as it is handed to the store. Re-asserting keeps `created_at` (its
    decay goes on), and `weight` where none is given."""

    id: str
    source: Ref
    target: Ref
    type: str
    weight: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    memory_id: str | None = None  #: the memory the relation was read from, if any


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(RelationDraft):
    """A stored one. `number` is its row in the store, never reused."""

    number: int
    weight: float = 1.0
    created_at: datetime


def marks(metadata: Mapping[str, Any]) -> list[str]:
    """The scopes that said a relation of this metadata."""
    said = metadata.get(MARK)
    return [each for each in said if isinstance(each, str)] if isinstance(said, (list, tuple)) else []


def is_said_in(scope: str, metadata: Mapping[str, Any]) -> bool:
    """Whether the scope, or one under it, said the relation; one without any mark may be anybody's."""
    return MARK not in metadata or any(covers(scope, each) for each in marks(metadata))
