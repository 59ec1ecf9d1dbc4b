"""The interface of a store. The store is canonical: deleting the index loses nothing.

Invariant: every write transaction that changes a memory, an entity or a relation appends to `changes`, and `seq` only
grows. Readers see a committed state; `Writer` is a `Reader` that also sees its own writes.
Only the newest change of each row need be kept: whoever follows from an earlier `seq` still sees that the row has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from omoide.model.entity import Entity, EntityClass, EntityDraft
from omoide.model.memory import Draft, Memory, MemorySummary
from omoide.model.relation import Ref, Related, Relation, RelationDraft
from omoide.model.reminder import PendingTrigger, Reminder
from omoide.model.thread import Thread

ChangeKind = Literal["memory", "entity", "relation"]


class Change(NamedTuple):
    """Row `number` of `kind` was put or removed; `seq` is the number of this change."""

    seq: int
    kind: ChangeKind
    number: int


class Standing(NamedTuple):
    """The state of a store: its newest change, and the history which that belongs to."""

    seq: int
    history: str


#: Fields that memories are counted by.
CountedField = Literal["category", "scope"]


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
    """Restricts entities to those known in a scope or under it: they have their home there, or a memory there is about them:
    the content of the node, or an observation that is live and valid at the instant."""

    scope: str
    at: datetime


class Reader(Protocol):
    """Reads of one consistent state."""

    def last_seq(self) -> int:
        """The `seq` of the newest change, 0 in a new store."""
        ...

    def history(self, seq: int) -> str:
        """The history that change `seq` belongs to. The same number in another history is another change: the store was
        restored to an older state in between."""
        ...

    def standing(self) -> Standing:
        """Where the store stands."""
        ...

    def goes_on_from(self, standing: Standing) -> bool:
        """Whether the store still has the changes up to there: not after it was restored to an older state, even if it has been
        written to since, or has lost its last changes."""
        ...

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """The next changes after `seq`, oldest first. Read the rows by number afterwards; a missing row was removed."""
        ...

    def memory(self, id: str) -> Memory | None:
        """The memory with this id."""
        ...

    def memories(self, ids: Iterable[str]) -> list[Memory]:
        """The memories with these ids, in the order of `ids`; unknown ids are left out."""
        ...

    def numbers_of_memories(self, ids: Iterable[str]) -> dict[str, int]:
        """Numbers of memories by id; unknown ids are left out."""
        ...

    def memories_by_number(self, numbers: Iterable[int]) -> dict[int, Memory]:
        """Memories by number; removed ones are left out."""
        ...

    def memories_by_id_prefix(self, prefix: str, limit: int = 10, scope: str | None = None) -> list[Memory]:
        """Memories whose id begins with `prefix`, in the order of their ids; with `scope`, only those in it or under it."""
        ...

    def summaries_under_key(self, scope: str, canonical_key: str) -> list[MemorySummary]:
        """The live memories with that canonical key in exactly that scope, newest first."""
        ...

    def keys_held(self, scope: str, canonical_keys: Iterable[str]) -> set[str]:
        """The keys that a live memory in exactly that scope has."""
        ...

    def last_in_session(self, session_id: str, scope: str | None = None) -> Memory | None:
        """The memory of the session with the highest `sequence_order`, among those that have one; with `scope`, among those in
        it or under it."""
        ...

    def last_added(self) -> Memory | None:
        """The memory with the highest number."""
        ...

    def numbers_where(
        self, field: Literal["text", "title", "context"] | str, holds: Callable[[str], bool]
    ) -> list[int]:
        """Numbers of memories with a value in the field for which `holds` is true, in order; looks at every memory.

        `field` is a text field, a keyword field that has a column of its own, or `tag`.
        """
        ...

    def numbers_with(self, field: str, texts: Iterable[str]) -> list[int]:
        """Numbers of memories whose field is exactly one of `texts`, unfolded; fields as for `numbers_where`, without `tag`."""
        ...

    def values_of(self, field: str) -> list[str]:
        """The values that memories have in a field (fields as for `numbers_with`), each once, in order."""
        ...

    def entity(self, id: str) -> Entity | None:
        """The entity with this id."""
        ...

    def entities(self, ids: Iterable[str]) -> list[Entity]:
        """The entities with these ids, in the order of `ids`; unknown ids are left out."""
        ...

    def entities_known(self, ids: Iterable[str], known_in: KnownIn) -> set[str]:
        """The ids, of those given, whose entities are known in the scope."""
        ...

    def numbers_of_entities(self, ids: Iterable[str]) -> dict[str, tuple[int, int | None]]:
        """By id: (number of the entity, number of the memory that it owns or None); unknown ids are left out."""
        ...

    def entities_by_number(self, numbers: Iterable[int]) -> dict[int, Entity]:
        """Entities by number; removed ones are left out."""
        ...

    def count_with_entity(self, id: str) -> int:
        """How many memories `remove_entity` would remove: those attached or owned that are of no other entity."""
        ...

    def entities_named(
        self,
        name: str,
        *,
        entity_class: EntityClass | None = "entity",
        type: str | None = None,
        home: str | None = None,
    ) -> list[Entity]:
        """Entities by folded name or alias (NFKC + case), of that home (in any width) if one is given, most recently updated first; then those
        whose name differs only in the kind of apostrophes or hyphens: O’Brien for O'Brien."""
        ...

    def names_of_entities(self, entity_class: EntityClass) -> Iterable[tuple[int, str, str]]:
        """(number, folded name or alias, home) of every entity, or of every node."""
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
        """(how many match, one page), most recently updated first. `types` None or empty: all; `known_in` None: all."""
        ...

    def observations(self, entity_id: str, *, at: datetime, limit: int) -> tuple[int, list[Memory]]:
        """(how many there are, the newest `limit`) of the live memories of the entity that are valid at `at`, newest first."""
        ...

    def memories_of(self, entity_id: str) -> list[Memory]:
        """All memories attached to the entity or owned by it, whatever their status and validity, newest first."""
        ...

    def relation(self, source: Ref, target: Ref, type: str, home: str = "") -> Relation | None:
        """The relation with these ends, type and home, of which `日記:旅` and `日記：旅` are one."""
        ...

    def relations_between(self, source: Ref, target: Ref, type: str) -> list[Relation]:
        """The relations of one type from `source` to `target`, of every home, oldest first."""
        ...

    def relations_of(self, ref: Ref) -> list[Relation]:
        """The relations that begin or end at `ref`, oldest first."""
        ...

    def related(self, ref: Ref, *, forward: bool, known_in: KnownIn | None = None) -> list[Related]:
        """What the relations lead to that begin (`forward`) or end at `ref`, oldest first; with `known_in`, only those with a home
        in the scope or none, to memories of the scope and entities known in it."""
        ...

    def relations_by_number(self, numbers: Iterable[int]) -> dict[int, Relation]:
        """Relations by number; removed ones are left out."""
        ...

    def relations_after(self, number: int, limit: int) -> list[Relation]:
        """The next `limit` relations after `number`, in the order of their numbers."""
        ...

    def count_relations(self, known_in: KnownIn | None = None) -> int:
        """How many relations there are; with `known_in`, those with a home in the scope or none, between memories of the scope
        and entities known in it."""
        ...

    def thread(self, id: str, scope: str | None = None) -> Thread | None:
        """The thread with this id and its entry count; `scope` as in `threads`."""
        ...

    def thread_names(self, ids: Iterable[str]) -> dict[str, str]:
        """Names of threads by id; unknown ids are left out."""
        ...

    def names_and_homes_of_threads(self, ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """(name, home) of threads by id; unknown ids are left out."""
        ...

    def threads(self, *, type: str | None = None, scope: str | None = None) -> list[Thread]:
        """Newest first by `updated_at`, with entry counts. With `scope`: threads with their home in or under it, and those with
        entries there whose home is none or a scope above it; only entries in the scope are counted."""
        ...

    def pending_reminders(
        self, scope: str | None, *, at: datetime | None = None, limit: int | None = None
    ) -> list[Reminder]:
        """Pending reminders of `scope` and those under it (`cc` covers `cc:1`), None: of every scope; oldest first, at most
        `limit`. `at`: without those that have expired by then."""
        ...

    def count_pending_reminders(self, scope: str | None, *, at: datetime) -> int:
        """How many reminders `pending_reminders` would return."""
        ...

    def pending_reminder_of(self, scope: str, trigger: str, action: str) -> Reminder | None:
        """The oldest pending reminder in that scope, none under it, with exactly that trigger and action."""
        ...

    def pending_triggers(self) -> list[PendingTrigger]:
        """The triggers of the pending reminders of every scope, oldest first."""
        ...

    def mark_of_reminders(self) -> str | None:
        """A mark that changes whenever a reminder is put: while it is the same, all reminders are. None: no reminder was put
        since there are marks."""
        ...

    def reminders_by_id(self, ids: Iterable[str]) -> list[Reminder]:
        """The reminders with these ids, in the order of `ids`; unknown ids are left out."""
        ...

    def reminders(self) -> list[Reminder]:
        """All reminders of every status, oldest first."""
        ...

    def numbers(self, kind: ChangeKind) -> list[int]:
        """The numbers of all rows of that kind, in order, whatever `changes` says of them."""
        ...

    def count_memories(self) -> int:
        """How many memories there are, whatever their status; much faster than `counts`."""
        ...

    def count_memories_by(self, field: CountedField, *, above: int = 0) -> dict[str, int]:
        """How many memories with a number greater than `above` have each value of the field, whatever their status, in the
        order of values."""
        ...

    def last_number(self) -> int:
        """The highest number that a memory has ever had; 0 in a new store."""
        ...

    def has_rewritten(self, number: int, *, since: int) -> bool:
        """Whether a memory up to that number was replaced or removed after change `since`."""
        ...

    def counts(self, memories_by: Callable[[CountedField], dict[str, int]] | None = None) -> Counts:
        """How many rows of each noun there are, whatever their status; memories also by category and by scope. `memories_by` is
        a cached replacement for `count_memories_by`."""
        ...


class Writer(Reader, Protocol):
    """Writes of one transaction."""

    def put_memory(self, draft: Draft, *, now: datetime) -> Memory:
        """Insert, or replace the memory of the same id; `id` must be set. Attaches it to `entities`.

        A replaced memory keeps its number, its access counters and, unless the draft has one, its `stored_at`.
        Raises InvalidArgument, NotFound (an entity).
        """
        ...

    def add_memories(self, drafts: Mapping[str, Draft], *, now: datetime) -> list[Memory]:
        """Insert each draft under its key, a fresh id that no row has or refers to yet; the draft's own `id` is ignored.

        Raises InvalidArgument, NotFound (an entity).
        """
        ...

    def observation_of(self, entity_id: str, text: str, *, at: datetime, scope: str | None = None) -> Memory | None:
        """A valid, live memory of the entity with the same folded text; with `scope`, one in it or under it."""
        ...

    def remove_memory(self, id: str) -> bool:
        """Remove a memory with the relations that begin or end at it; False if there was none.

        Nodes that own it, and relations that were read from it, get `memory_id` None.
        """
        ...

    def put_entity(self, draft: EntityDraft, *, now: datetime) -> Entity:
        """Insert, or replace the entity of the same id (keeping `number` and `created_at`); sets `updated_at` to `now`.

        Raises Conflict (another of the same class, folded name, type and home), InvalidArgument.
        """
        ...

    def touch_entity(self, id: str, *, now: datetime) -> None:
        """Set `updated_at` without a change for the index; does nothing if there is no such entity."""
        ...

    def remove_entity(self, id: str, *, with_observations: bool) -> int:
        """Remove an entity with its relations; with `with_observations` also its memories (attached or owned) that are of no
        other entity. Its other memories are detached. Returns how many memories were removed; 0 for an unknown id."""
        ...

    def put_relation(self, draft: RelationDraft, *, now: datetime) -> Relation:
        """Insert, or update the one with the same ends, type and home: weight if given, metadata merged, `created_at` kept.

        Raises NotFound (an end), Conflict (the id of another relation), InvalidArgument.
        """
        ...

    def remove_relations(self, ids: Iterable[str]) -> int:
        """Remove the relations with these ids; returns how many there were."""
        ...

    def put_thread(self, *, id: str, name: str, type: str, home: str = "", now: datetime) -> Thread:
        """Insert, or replace the thread of the same id, keeping `created_at` and its home; sets `updated_at` to `now`.

        A new name counts as a change of the memories in it.
        """
        ...

    def put_reminder(self, reminder: Reminder) -> Reminder:
        """Insert, or replace the reminder of the same id."""
        ...

    def set_access(self, number: int, *, count: int, last: datetime | None) -> None:
        """Restore the access counters of a memory, as an import does."""
        ...

    def mark_accessed(self, numbers: Iterable[int], *, now: datetime) -> None:
        """Count an access of these memories. Removed ones are skipped."""
        ...


class Store(Protocol):
    """One tenant's canonical store."""

    @property
    def id(self) -> str:
        """Generated when the store is created; tells snapshots of different stores apart."""
        ...

    def read(self) -> AbstractContextManager[Reader]:
        """A read transaction: sees what was committed when the block began. Not inside another block of this thread."""
        ...

    def write(self, patience: float | None = None) -> AbstractContextManager[Writer]:
        """A write transaction: committed when the block ends, rolled back when it raises. Serialised across processes.

        `patience`: seconds to wait for other writers before StoreBusy is raised; None: the store's own default. Raises
        StoreError inside another block of this thread.
        """
        ...

    def last_seq(self) -> int:
        """The number of the newest change."""
        ...

    def standing(self) -> Standing:
        """The newest change and its history. Cheap: called before every search."""
        ...

    def state(self) -> object:
        """A value that equals an earlier one only if no process has committed anything in between. Cheap."""
        ...

    def glance(self) -> AbstractContextManager[None]:
        """Within the block, `state` and `standing` look at the file once, and again after a write of this thread. A search asks
        three times. It sees nothing older than its own beginning, or than the arrival of the call it is part of
        (omoide.coalescing)."""
        ...

    def memories(self, numbers: Sequence[int]) -> list[Memory | None]:
        """The memories with these numbers, in their order, from one committed state; None: removed. Not inside a block of this
        thread."""
        ...

    def problems(self) -> list[str]:
        """What is wrong with the stored data itself, a sentence each; reads all of it."""
        ...

    def close(self) -> None:
        """Close the files."""
        ...
