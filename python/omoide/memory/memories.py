"""The memories of one tenant: what every door, the command line and the Python API call.

    import omoide
    memories = omoide.open("notes")
    memories.remember("昨日、京都で抹茶を飲んだ。", tags=["旅行"])
    memories.recall("京都のお茶").hits[0].memory.text

Every method is an ordinary blocking function, safe to call from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Literal

from omoide.model.condition import Condition
from omoide.model.entity import Entity, EntityClass
from omoide.model.memory import Draft, Memory
from omoide.model.query import Neighbour, Query, Recalled
from omoide.model.relation import Ref, Relation
from omoide.model.reminder import Reminder
from omoide.model.thread import Thread
from omoide.store.protocol import Counts

Disposition = Literal["stored", "updated", "deduplicated", "conflict"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a draft. `memory` is the live row; `previous` the one it superseded or collided with, if any."""

    disposition: Disposition
    memory: Memory
    previous: Memory | None = None


class Memories:
    """See the module. `zone` is the caller's time zone for calendar days; `clock` gives aware UTC datetimes."""

    zone: tzinfo
    clock: Callable[[], datetime]

    # --- writing

    def remember(self, draft: Draft | str, *, chain: bool = False, **fields: Any) -> Remembered:
        """Store one memory. A string is the text of a Draft with `fields`.

        With `chain` it becomes the next of its session: `sequence_order` and `preceding_id` are set inside the
        transaction. With a `canonical_key` the rules for keys hold (see remember.py). An `id` that exists is replaced.
        Raises InvalidArgument (empty or too long text, bad id), StoreError.
        """
        raise NotImplementedError

    def remember_many(self, drafts: Iterable[Draft]) -> list[Remembered]:
        """Store many in one transaction: all or nothing."""
        raise NotImplementedError

    def revise(self, id: str, **fields: Any) -> Memory:
        """Change fields of a stored memory. Raises NotFound."""
        raise NotImplementedError

    def forget(self, id: str) -> Memory:
        """Remove a memory for good; returns what it was. Raises NotFound."""
        raise NotImplementedError

    # --- reading

    def recall(self, query: Query | str, **fields: Any) -> Recalled:
        """Search. A string is the text of a Query with `fields`. Sees every committed write, of any process."""
        raise NotImplementedError

    def get(self, ids: Iterable[str]) -> list[Memory]:
        """By id, in the order asked; unknown ids are left out."""
        raise NotImplementedError

    def find(self, id_or_prefix: str) -> Memory:
        """By full id or by a prefix of at least 8 characters. Raises NotFound, InvalidArgument (ambiguous)."""
        raise NotImplementedError

    def neighbours(
        self, start: Ref, *, depth: int, relations: frozenset[str] | None = None, limit: int = 200, where: Condition | None = None
    ) -> tuple[Neighbour, ...]:
        """Breadth-first from one memory or entity."""
        raise NotImplementedError

    def counts(self) -> Counts:
        """How much is stored, by category and scope."""
        raise NotImplementedError

    def stats(self) -> Mapping[str, Any]:
        """Counts, sizes, the state of index and analyser, whether the embedder is semantic: as plain JSON values."""
        raise NotImplementedError

    # --- entities and relations

    def observe(
        self, name: str, type: str, draft: Draft | str, *, entity_class: EntityClass = "entity", deduplicate: bool = True
    ) -> tuple[Entity, Remembered]:
        """Attach a memory to an entity, both made if missing, in one transaction.

        With `deduplicate`, the same text (folded) among the entity's valid observations is found instead of stored.
        """
        raise NotImplementedError

    def upsert_node(self, type: str, label: str, content: str, metadata: Mapping[str, str] | None = None) -> Entity:
        """A contextplus node by (type, folded label): makes or rewrites it and the memory that holds its content."""
        raise NotImplementedError

    def entity(self, name: str, type: str | None = None, *, entity_class: EntityClass | None = "entity") -> Entity | None:
        """By folded name, the most recently updated of several."""
        raise NotImplementedError

    def entities_by_id(self, ids: Iterable[str]) -> list[Entity]:
        """In the order asked; unknown ids are left out."""
        raise NotImplementedError

    def nodes_of(self, memory_ids: Iterable[str]) -> dict[str, Entity]:
        """The node that owns each memory, by memory id, where there is one."""
        raise NotImplementedError

    def list_entities(
        self, *, types: Sequence[str] | None = None, limit: int = 10, offset: int = 0, entity_class: EntityClass | None = "entity"
    ) -> tuple[int, list[Entity]]:
        """(how many match, one page), most recently updated first."""
        raise NotImplementedError

    def observations(self, entity_id: str, *, limit: int = 20) -> tuple[int, list[Memory]]:
        """(how many, the newest) valid, live memories of an entity."""
        raise NotImplementedError

    def relate(
        self,
        source: Ref | tuple[str, str | None],
        target: Ref | tuple[str, str | None],
        type: str,
        *,
        weight: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        memory_id: str | None = None,
    ) -> Relation:
        """An edge between two memories or entities, made or updated. An end given as (name, type or None) is an
        entity, made if missing: of that type, else of an entity by that name, else `concept`. Raises NotFound."""
        raise NotImplementedError

    def relations_of(self, ref: Ref) -> list[Relation]:
        """Both directions, oldest first."""
        raise NotImplementedError

    def forget_entity(self, id: str) -> int:
        """Remove an entity, its relations and the memories that belong to it alone; returns how many memories."""
        raise NotImplementedError

    # --- threads and reminders

    def create_thread(self, name: str, type: str = "normal", *, id: str | None = None) -> Thread:
        """Names need not be unique."""
        raise NotImplementedError

    def thread(self, id: str) -> Thread | None:
        """With its entry count."""
        raise NotImplementedError

    def threads(self, type: str | None = None) -> list[Thread]:
        """Newest first."""
        raise NotImplementedError

    def remind(self, trigger: str, action: str, *, scope: str, expires_in_days: int | None = None) -> Reminder:
        """Keep an action for when the trigger comes up."""
        raise NotImplementedError

    def due_reminders(self, query: str, *, scope: str | None) -> list[Reminder]:
        """Reminders of the scope whose every trigger word is in the query; each is marked fired, exactly once."""
        raise NotImplementedError

    def close(self) -> None:
        """Save a snapshot of the index where it is worth it, and let go of the files."""
        raise NotImplementedError
