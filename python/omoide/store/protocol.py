"""What omoide asks of a store. SQL is canonical: deleting the index loses nothing.

Invariant: every write transaction that changes a memory, an entity or a relation appends to `changes`, and `seq` only
grows. Readers see a committed state; `Writer` is a `Reader` that also sees its own writes.
Of each row only the newest change need be kept: a follower that stands anywhere before it still meets the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from omoide.model.entity import Entity, EntityClass, EntityDraft
from omoide.model.memory import Draft, Memory, Told
from omoide.model.relation import Ref, Relation, RelationDraft
from omoide.model.reminder import Awaited, Reminder
from omoide.model.thread import Thread

ChangeKind = Literal["memory", "entity", "relation"]


class Change(NamedTuple):
    """Something about row `number` of `kind` changed (was put or removed) in the transaction that took `seq`."""

    seq: int
    kind: ChangeKind
    number: int


class Standing(NamedTuple):
    """Where a store stands: its newest change, and the history that belongs to."""

    seq: int
    history: str


#: What memories are counted by.
Counted = Literal["category", "scope"]


class Counts(NamedTuple):
    """How much a store holds."""

    memories: int
    entities: int
    relations: int
    threads: int
    reminders: int
    by_category: dict[str, int]
    by_scope: dict[str, int]


class KnownIn(NamedTuple):
    """What may be seen of entities from a scope: those at home there or under it, and those that a memory there is about,
    which is the content of a node, or an observation that is live and valid at the instant."""

    scope: str
    at: datetime


class Reader(Protocol):
    """Reads of one consistent state."""

    def last_seq(self) -> int:
        """The `seq` of the newest change, 0 in a new store."""
        ...

    def history(self, seq: int) -> str:
        """Which history change `seq` belongs to. The same number in another history is another change: the store was put
        back to an older state in between."""
        ...

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """The next changes after `seq`, oldest first. Rows are read by number afterwards; a missing row was removed."""
        ...

    def memory(self, id: str) -> Memory | None:
        """By id."""
        ...

    def memories(self, ids: Iterable[str]) -> list[Memory]:
        """In the order asked; unknown ids are left out."""
        ...

    def numbers_of_memories(self, ids: Iterable[str]) -> dict[str, int]:
        """By id; unknown ids are left out."""
        ...

    def memories_by_number(self, numbers: Iterable[int]) -> dict[int, Memory]:
        """By number; removed ones are left out."""
        ...

    def memories_by_id_prefix(self, prefix: str, limit: int = 10, scope: str | None = None) -> list[Memory]:
        """Whose id begins with `prefix`, in the order of their ids; with `scope`, of those in it and under it."""
        ...

    def told_under_key(self, scope: str, canonical_key: str) -> list[Told]:
        """What is said by the live memories with that canonical key in exactly that scope, newest first."""
        ...

    def keys_held(self, scope: str, canonical_keys: Iterable[str]) -> set[str]:
        """Of the keys those that a live memory has in exactly that scope."""
        ...

    def last_in_session(self, session_id: str, scope: str | None = None) -> Memory | None:
        """The memory of the session with the highest `sequence_order`; those without one do not count, nor with `scope` do
        those that are not in it or under it."""
        ...

    def last_added(self) -> Memory | None:
        """The one with the highest number."""
        ...

    def numbers_containing(self, field: Literal["text", "title", "context"] | str, folded: str) -> list[int]:
        """Numbers of memories whose folded field contains `folded` as a literal substring (no wildcards).

        `field` is a text field or any keyword field that has a column of its own.
        """
        ...

    def numbers_with(self, field: str, texts: Iterable[str]) -> list[int]:
        """Numbers of memories whose field is exactly one of `texts`, unfolded; fields as for `numbers_containing`."""
        ...

    def values_of(self, field: str) -> list[str]:
        """The values that memories have in a keyword field with a column of its own, each once, in order."""
        ...

    def entity(self, id: str) -> Entity | None:
        """By id."""
        ...

    def entities(self, ids: Iterable[str]) -> list[Entity]:
        """In the order asked; unknown ids are left out."""
        ...

    def entities_known(self, ids: Iterable[str], known_in: KnownIn) -> set[str]:
        """Of the ids those of entities that are known in the scope."""
        ...

    def numbers_of_entities(self, ids: Iterable[str]) -> dict[str, tuple[int, int | None]]:
        """By id, with the number of the memory it owns, if that is stored; unknown ids are left out."""
        ...

    def entities_by_number(self, numbers: Iterable[int]) -> dict[int, Entity]:
        """By number; removed ones are left out."""
        ...

    def count_with_entity(self, id: str) -> int:
        """How many memories `remove_entity` would take with it: those attached or owned that are of no other entity."""
        ...

    def entities_named(
        self, name: str, *, entity_class: EntityClass | None = "entity", type: str | None = None
    ) -> list[Entity]:
        """By folded name or alias (NFKC + case), most recently updated first. Behind them those of which the apostrophes or
        hyphens alone are others: O’Brien answers to O'Brien."""
        ...

    def names_of_entities(self) -> Iterable[tuple[int, str]]:
        """(number, folded name or alias) of every entity and node."""
        ...

    def entity_of_memory(self, memory_ids: Iterable[str]) -> dict[str, Entity]:
        """Nodes by the id of the memory they own."""
        ...

    def list_entities(
        self,
        *,
        entity_class: EntityClass | None = "entity",
        types: Sequence[str] | None = None,
        known_in: KnownIn | None = None,
        limit: int,
        offset: int = 0,
    ) -> tuple[int, list[Entity]]:
        """(how many match, one page), most recently updated first. `types` None or empty: all; `known_in` None: wherever they
        are known."""
        ...

    def observations(self, entity_id: str, *, at: datetime, limit: int) -> tuple[int, list[Memory]]:
        """(how many, the newest `limit`) live memories attached to the entity and valid at `at`, newest first."""
        ...

    def relation(self, source: Ref, target: Ref, type: str, home: str = "") -> Relation | None:
        """By its ends, type and home."""
        ...

    def relations_between(self, source: Ref, target: Ref, type: str) -> list[Relation]:
        """Those of one type from one to the other, of every home, oldest first."""
        ...

    def relations_of(self, ref: Ref) -> list[Relation]:
        """Both directions, oldest first."""
        ...

    def relations_by_number(self, numbers: Iterable[int]) -> dict[int, Relation]:
        """By number; removed ones are left out."""
        ...

    def relations_after(self, number: int, limit: int) -> list[Relation]:
        """The next `limit` relations by number."""
        ...

    def count_relations(self, known_in: KnownIn | None = None) -> int:
        """How many there are; with `known_in` those that the scope said, or nobody in particular, between memories of the scope
        and entities that are known in it."""
        ...

    def thread(self, id: str, scope: str | None = None) -> Thread | None:
        """By id, with its entry count; seen from a scope as in `threads`."""
        ...

    def thread_names(self, ids: Iterable[str]) -> dict[str, str]:
        """By id; unknown ids are left out."""
        ...

    def threads(self, *, type: str | None = None, scope: str | None = None) -> list[Thread]:
        """Newest first by `updated_at`, with entry counts. With `scope`, those at home there (or under it) and those with entries
        there, of which alone are counted, unless they are at home in a scope beside it."""
        ...

    def pending_reminders(
        self, scope: str | None, *, at: datetime | None = None, limit: int | None = None
    ) -> list[Reminder]:
        """Oldest first, at most `limit`; None: of every scope, else of `scope` and what is under it (`cc` covers `cc:1`).
        `at`: without those that have expired by then."""
        ...

    def count_pending_reminders(self, scope: str | None, *, at: datetime) -> int:
        """How many `pending_reminders` would tell."""
        ...

    def pending_reminder_of(self, scope: str, trigger: str, action: str) -> Reminder | None:
        """The oldest that is pending in exactly that scope with exactly that trigger and action."""
        ...

    def awaited(self) -> list[Awaited]:
        """What the pending reminders of every scope wait for, oldest first."""
        ...

    def mark_of_reminders(self) -> str | None:
        """Another one whenever a reminder is put, so that the same one says that all are as they were; None: nobody has
        marked them."""
        ...

    def reminders_by_id(self, ids: Iterable[str]) -> list[Reminder]:
        """In the order asked; unknown ids are left out."""
        ...

    def reminders(self) -> list[Reminder]:
        """Every one of every status, oldest first."""
        ...

    def numbers(self, kind: ChangeKind) -> list[int]:
        """Of every row of that kind there is, in order, whatever `changes` says of it."""
        ...

    def count_memories(self) -> int:
        """How many there are, whatever their status: told much sooner than all the counts."""
        ...

    def count_memories_by(self, field: Counted, *, above: int = 0) -> dict[str, int]:
        """How many memories have each value, whatever their status, in the order of values; of those that are numbered
        `above` alone."""
        ...

    def last_number(self) -> int:
        """The highest that a memory has ever had; 0 in a new store."""
        ...

    def has_rewritten(self, number: int, *, since: int) -> bool:
        """Whether a memory up to that number was replaced or removed after change `since`."""
        ...

    def counts(self, memories_by: Callable[[Counted], dict[str, int]] | None = None) -> Counts:
        """Rows by noun, whatever their status; memories also by category and by scope. `memories_by` tells what
        `count_memories_by` would, where that has been kept."""
        ...


class Writer(Reader, Protocol):
    """Writes of one transaction."""

    def put_memory(self, draft: Draft, *, now: datetime) -> Memory:
        """Insert, or replace the memory of the same id; `id` must be set. Attaches `entities`.

        What is replaced keeps its number, its access counters and, unless the draft has one, its `stored_at`.
        Raises InvalidArgument, NotFound (an entity).
        """
        ...

    def add_memories(self, drafts: Mapping[str, Draft], *, now: datetime) -> list[Memory]:
        """Insert each under the fresh id it stands at, which no row has or names yet; the draft's own does not count.

        Raises InvalidArgument, NotFound (an entity).
        """
        ...

    def observation_of(self, entity_id: str, text: str, *, at: datetime, scope: str | None = None) -> Memory | None:
        """A valid, live memory of the entity whose folded text is the same; with `scope`, one in it or under it."""
        ...

    def remove_memory(self, id: str) -> bool:
        """Remove it with the relations that end at it; False when there was none.

        Nodes that own it, and relations that were read from it, let go of it (`memory_id` None).
        """
        ...

    def put_entity(self, draft: EntityDraft, *, now: datetime) -> Entity:
        """Insert, or replace the entity of the same id (keeping number and created_at); bumps updated_at.

        Raises Conflict (another of the same class, folded name, type and home), InvalidArgument.
        """
        ...

    def touch_entity(self, id: str, *, now: datetime) -> None:
        """Bump `updated_at` without a change for the index; an entity that is gone is passed over."""
        ...

    def remove_entity(self, id: str, *, with_observations: bool) -> int:
        """Remove it with its relations; with `with_observations` also its memories (attached or owned) that are of no
        other entity. Returns how many memories went; the others are detached. An unknown id: 0."""
        ...

    def put_relation(self, draft: RelationDraft, *, now: datetime) -> Relation:
        """Insert, or update the one with the same ends, type and home: weight if given, metadata merged, created_at kept.

        Raises NotFound (an end), Conflict (the id of another relation), InvalidArgument.
        """
        ...

    def remove_relation(self, id: str) -> bool:
        """By id; False when there was none."""
        ...

    def put_thread(self, *, id: str, name: str, type: str, home: str = "", now: datetime) -> Thread:
        """Insert, or replace the thread of the same id, keeping `created_at` and its home; bumps `updated_at`.

        Another name is a change of the memories in it.
        """
        ...

    def put_reminder(self, reminder: Reminder) -> Reminder:
        """Insert, or replace the reminder of the same id."""
        ...

    def set_access(self, number: int, *, count: int, last: datetime | None) -> None:
        """Put back the access counters of a memory, as an export tells them; not a change for the index."""
        ...

    def mark_accessed(self, numbers: Iterable[int], *, now: datetime) -> None:
        """Count an access of these memories; not a change for the index. Removed ones are passed over."""
        ...


class Store(Protocol):
    """One tenant's canonical store."""

    @property
    def id(self) -> str:
        """Made once with the store; tells snapshots of different stores apart."""
        ...

    def read(self) -> AbstractContextManager[Reader]:
        """One consistent state: what was committed when the block began. Not inside another block of this thread."""
        ...

    def write(self, patience: float | None = None) -> AbstractContextManager[Writer]:
        """One transaction: committed when the block ends, rolled back when it raises. Serialised across processes.

        `patience`: seconds to wait for other writers, None for as long as the store waits for them; then StoreBusy. Not
        inside another block of this thread: StoreError.
        """
        ...

    def last_seq(self) -> int:
        """The number of the newest change."""
        ...

    def standing(self) -> Standing:
        """Cheap: asked before every search."""
        ...

    def state(self) -> object:
        """Equal to an earlier answer only if nothing was committed in between, by any process. Cheap."""
        ...

    def glance(self) -> AbstractContextManager[None]:
        """While the block runs, `state` and `standing` of this thread stay what they are when it first asks, but for what
        it writes itself: each time asks the file. A search asks three times; nothing older than its beginning is seen, or than
        the coming of the call that it is part of (omoide.looks)."""
        ...

    def memories(self, numbers: Sequence[int]) -> list[Memory | None]:
        """By number, in the order asked, of one committed state; None: it was removed. Not inside a block of this thread."""
        ...

    def problems(self) -> list[str]:
        """What is wrong with the stored data itself, a sentence each; reads all of it."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...
