"""Memories, the unit of retrieval.

Invariant: a `Memory` is a row of a store; a `Draft` is what a caller wants to be stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from omoide.model.frozen import fast_init

#: Longest text that is accepted, in characters. Longer texts are refused with a clear error, never cut.
MAX_TEXT_CHARS = 1_000_000
#: Longest id that is accepted, in characters.
MAX_ID_CHARS = 200
DEFAULT_SCOPE = "global"

CATEGORIES = ("profile", "preferences", "entities", "events", "cases", "patterns")


class Status(str, Enum):
    """The state of a memory."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    CONSOLIDATED = "consolidated"
    PENDING_REVIEW = "pending_review"


#: The states that a search covers unless it asks for others.
LIVE = (Status.ACTIVE, Status.PENDING_REVIEW)


@dataclass(frozen=True, slots=True)
class Archetype:
    """The archetype (a YAML set of tools) under which a memory was made."""

    title: str
    version: str
    schema_version: str = "1.0"


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happened: as written (`raw`), and as understood, half-open [start, end)."""

    raw: str
    start: datetime | None = None
    end: datetime | None = None
    confidence: float = 0.0


class Noted:
    """Slots that cache what is often computed from a memory. They are not fields: comparing and storing a memory ignores them.
    Reading a slot that is still empty raises AttributeError."""

    __slots__ = ("essence", "note", "origin", "passages")
    essence: int  #: set by memory/duplicates.py
    note: Any  #: set by families, for what every answer says of a memory
    origin: Mapping[str, str]  #: set by server/calls/provenance.py
    passages: Any  #: set by engine/passages.py


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Noted):
    """A memory as a caller passes it. Times are aware datetimes.

    `id` is kept as given (up to 200 characters), or generated. `extra` is for fields that omoide has no name for; they are
    stored and returned. `entities`: ids of the entities that this memory is an observation of.
    """

    text: str
    id: str | None = None
    title: str | None = None
    context: str | None = None
    kind: str | None = None
    category: str = "events"
    tags: tuple[str, ...] = ()
    topic: str | None = None
    scope: str = DEFAULT_SCOPE
    thread: str | None = None
    thread_type: str | None = None
    thread_name: str | None = None
    project: str | None = None
    session_id: str | None = None
    sequence_order: int | None = None
    preceding_id: str | None = None
    agent_id: str | None = None
    tool: str | None = None
    archetype: Archetype | None = None
    source: str = "manual"
    importance: float = 0.7
    confidence: float = 0.9
    stored_at: datetime | None = None
    event_time: EventTime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    status: Status = Status.ACTIVE
    superseded_by: str | None = None
    canonical_key: str | None = None
    entities: tuple[str, ...] = ()
    links_source: str | None = None
    links_refs: tuple[Any, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    frames: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    lang: str | None = None


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class DraftWithGuessedTopic(Draft):
    """A draft whose caller named no topic. A memory that says the same already keeps the topic it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(Draft):
    """A stored memory. `number` is its row in the store, never reused; `id` is for callers."""

    id: str
    number: int
    stored_at: datetime
    updated_at: datetime
    access_count: int = 0
    last_accessed_at: datetime | None = None


class MemorySummary(NamedTuple):
    """The part of a stored memory that is cheap to read for many at once."""

    id: str
    text: str
    category: str
    valid_from: datetime | None
    valid_until: datetime | None
    event_start: datetime | None
    event_end: datetime | None
