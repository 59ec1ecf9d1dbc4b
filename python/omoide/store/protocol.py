"""What omoide asks of a store. SQL is canonical: deleting the index loses nothing.

Invariant: every write transaction that changes a memory, an entity or a relation appends to `changes`, and `seq` only
grows. Readers see a committed state; `Writer` is a `Reader` that also sees its own writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from omoide.model.entity import Entity, EntityClass
from omoide.model.memory import Draft, Memory
from omoide.model.relation import Ref, Relation
from omoide.model.reminder import Reminder
from omoide.model.thread import Thread

ChangeKind = Literal["memory", "entity", "relation"]


@dataclass(frozen=True, slots=True)
class Change:
    """Something about row `number` of `kind` changed (was put or removed) in the transaction that took `seq`."""

    seq: int
    kind: ChangeKind
    number: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a store holds."""

    memories: int
    entities: int
    relations: int
    threads: int
    reminders: int
    by_category: dict[str, int]
    by_scope: dict[str, int]


class Reader(Protocol):
    """Reads of one consistent state."""

    def last_seq(self) -> int: ...
    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """The next changes after `seq`, oldest first. Rows are read by number afterwards; a missing row was removed."""
        ...

    def memory(self, id: str) -> Memory | None: ...
    def memories(self, ids: Iterable[str]) -> list[Memory]:
        """In the order asked; unknown ids are left out."""
        ...

    def memories_by_number(self, numbers: Iterable[int]) -> dict[int, Memory]: ...
    def memories_by_id_prefix(self, prefix: str, limit: int = 10) -> list[Memory]: ...
    def memories_by_key(self, scope: str, canonical_key: str) -> list[Memory]:
        """Live memories with that canonical key in exactly that scope, newest first."""
        ...

    def last_in_session(self, session_id: str) -> Memory | None:
        """The memory of the session with the highest `sequence_order`."""
        ...

    def last_stored(self) -> Memory | None: ...
    def numbers_containing(self, field: Literal["text", "title", "context"] | str, folded: str) -> list[int]:
        """Numbers of memories whose folded field contains `folded` as a literal substring (no wildcards).

        `field` is a text field or any keyword field that has a column of its own.
        """
        ...

    def entity(self, id: str) -> Entity | None: ...
    def entities(self, ids: Iterable[str]) -> list[Entity]: ...
    def entities_by_number(self, numbers: Iterable[int]) -> dict[int, Entity]: ...
    def entities_named(
        self, name: str, *, entity_class: EntityClass | None = "entity", type: str | None = None
    ) -> list[Entity]:
        """By folded name or alias (NFKC + case), most recently updated first."""
        ...

    def entity_of_memory(self, memory_ids: Iterable[str]) -> dict[str, Entity]:
        """Nodes by the id of the memory they own."""
        ...

    def list_entities(
        self, *, entity_class: EntityClass | None = "entity", types: Sequence[str] | None = None, limit: int, offset: int = 0
    ) -> tuple[int, list[Entity]]:
        """(how many match, one page), most recently updated first. `types` None or empty: all."""
        ...

    def observations(self, entity_id: str, *, at: datetime, limit: int) -> tuple[int, list[Memory]]:
        """(how many, the newest `limit`) live memories attached to the entity and valid at `at`, newest first."""
        ...

    def observation_of(self, entity_id: str, text: str, *, at: datetime) -> Memory | None:
        """A valid, live memory of the entity whose folded text is the same."""
        ...

    def relation(self, source: Ref, target: Ref, type: str) -> Relation | None: ...
    def relations_of(self, ref: Ref) -> list[Relation]:
        """Both directions, oldest first."""
        ...

    def relations_by_number(self, numbers: Iterable[int]) -> dict[int, Relation]: ...
    def thread(self, id: str) -> Thread | None: ...
    def threads(self, *, type: str | None = None) -> list[Thread]:
        """Newest first by `updated_at`, with entry counts."""
        ...

    def pending_reminders(self, scope: str | None) -> list[Reminder]:
        """Oldest first; None: of every scope, else of `scope` and what is under it (`cc` covers `cc:1`)."""
        ...

    def counts(self) -> Counts: ...


class Writer(Reader, Protocol):
    """Writes of one transaction."""

    def put_memory(self, draft: Draft, *, now: datetime) -> Memory:
        """Insert, or replace the memory of the same id (keeping its number); `id` must be set. Attaches `entities`."""
        ...

    def remove_memory(self, id: str) -> bool: ...
    def put_entity(
        self,
        *,
        id: str,
        entity_class: EntityClass,
        name: str,
        type: str,
        aliases: Sequence[str] = (),
        description: str | None = None,
        memory_id: str | None = None,
        metadata: dict[str, object] | None = None,
        access_count: int = 1,
        now: datetime,
    ) -> Entity:
        """Insert, or replace the entity of the same id (keeping number and created_at); bumps updated_at."""
        ...

    def touch_entity(self, id: str, *, now: datetime) -> None:
        """Bump `updated_at` without a change for the index."""
        ...

    def remove_entity(self, id: str, *, with_observations: bool) -> int:
        """Remove it with its relations; returns how many of its memories went too (those of no other entity)."""
        ...

    def put_relation(
        self,
        *,
        id: str,
        source: Ref,
        target: Ref,
        type: str,
        weight: float | None,
        metadata: dict[str, object],
        memory_id: str | None,
        now: datetime,
    ) -> Relation:
        """Insert, or update the one with the same ends and type: weight if given, metadata merged, created_at kept."""
        ...

    def remove_relation(self, id: str) -> bool: ...
    def put_thread(self, *, id: str, name: str, type: str, now: datetime) -> Thread: ...
    def put_reminder(self, reminder: Reminder) -> Reminder: ...
    def mark_accessed(self, numbers: Iterable[int], *, now: datetime) -> None:
        """Count an access of these memories; not a change for the index."""
        ...


class Store(Protocol):
    """One tenant's canonical store."""

    @property
    def id(self) -> str:
        """Made once with the store; tells snapshots of different stores apart."""
        ...

    def read(self) -> AbstractContextManager[Reader]: ...
    def write(self) -> AbstractContextManager[Writer]:
        """One transaction: committed when the block ends, rolled back when it raises. Serialised across processes."""
        ...

    def last_seq(self) -> int:
        """Cheap: asked before every search."""
        ...

    def close(self) -> None: ...
