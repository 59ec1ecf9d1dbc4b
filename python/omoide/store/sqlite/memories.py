"""Memories in SQLite: rows of `memories`, and of `memory_entities` for the entities that they are observations of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from omoide.errors import InvalidArgument, no_entity
from omoide.model.condition import KEYWORD_FIELDS, TEXT_FIELDS
from omoide.model.memory import Draft, Memory, MemorySummary
from omoide.store.folding import fold_case, folded_checksum
from omoide.store.protocol import ChangeKind
from omoide.store.sqlite.checksum import checksum_of_memory
from omoide.store.sqlite.faults import decoded
from omoide.store.sqlite.pinned import LIVE, VALID
from omoide.store.sqlite.relations import RelationWrites
from omoide.store.sqlite.session import TABLES, Row, Session, Values, in_order
from omoide.store.sqlite.values import (
    MEMORY_COLUMNS,
    identifier,
    memory_from,
    memory_row,
    micros,
    micros_maybe,
    moment_maybe,
)

_COLUMNS = ", ".join(f"m.{name}" for name in MEMORY_COLUMNS)
_SELECT = f"SELECT {_COLUMNS} FROM memories m"
_NEWEST = "ORDER BY m.stored_at DESC, m.number DESC"
_OBSERVED = f"""
    JOIN memory_entities me ON me.memory = m.number
    JOIN entities e ON e.number = me.entity
    WHERE e.id = ? AND {LIVE} AND {VALID}
"""
_OF_ENTITY = """
    WHERE m.number IN (SELECT me.memory FROM memory_entities me JOIN entities e ON e.number = me.entity WHERE e.id = ?)
        OR m.id = (SELECT memory_id FROM entities WHERE id = ?)
"""

_ATTACH = "INSERT INTO memory_entities (memory, position, entity, said) VALUES (?, ?, ?, ?)"
_TEXT = MEMORY_COLUMNS.index("text")
#: Fills in the checksum of the text (`said`) for rows that were attached before there was that column.
_FILL_IN_SAID = """
    UPDATE memory_entities SET said = (SELECT folded_checksum(text) FROM memories WHERE number = memory)
    WHERE entity = ? AND said IS NULL
"""

#: The highest number ever given, as the table's AUTOINCREMENT records it: numbers are never reused.
_LAST_NUMBER = """
    SELECT max(
        coalesce((SELECT max(number) FROM memories), 0),
        coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'memories' AND typeof(seq) = 'integer'), 0)
    )
"""
#: What a replaced memory keeps.
_HELD = "SELECT number, stored_at, access_count, last_accessed_at FROM memories WHERE id = ?"
_KEPT = frozenset({"number", "id", "access_count", "last_accessed_at"})
_WRITTEN = (*MEMORY_COLUMNS, "checksum")

_COLUMN_FIELDS = (TEXT_FIELDS | KEYWORD_FIELDS) - {"tag", "entity", "entity_type"}
_VALUES = "SELECT number, {0} FROM memories WHERE {0} IS NOT NULL ORDER BY number"
#: Field -> (number, value) for every value that a memory has in it.
_VALUES_OF = {
    **{name: _VALUES.format(name) for name in sorted(_COLUMN_FIELDS)},
    "tag": "SELECT number, CAST(value AS TEXT) FROM memories, json_each(tags) ORDER BY number",
}


class MemoryReads(Session):
    """The reads of the protocol that return memories."""

    def memory(self, id: str) -> Memory | None:
        """See Reader."""
        return self._first(f"{_SELECT} WHERE m.id = ?", (id,))

    def memories(self, ids: Iterable[str]) -> list[Memory]:
        """See Reader."""
        asked = list(ids)
        found = self._memories(self.wide_rows_in(_COLUMNS, "FROM memories m WHERE m.id IN ({})", dict.fromkeys(asked)))
        return in_order(asked, {memory.id: memory for memory in found})

    def numbers_of_memories(self, ids: Iterable[str]) -> dict[str, int]:
        """See Reader."""
        return dict(self.rows_in("SELECT id, number FROM memories WHERE id IN ({})", dict.fromkeys(ids)))

    def memories_by_number(self, numbers: Iterable[int]) -> dict[int, Memory]:
        """See Reader."""
        found = self._memories(self.wide_rows_in(_COLUMNS, "FROM memories m WHERE m.number IN ({})", numbers))
        return {memory.number: memory for memory in found}

    def memories_by_id_prefix(self, prefix: str, limit: int = 10, scope: str | None = None) -> list[Memory]:
        """See Reader."""
        # No UTF-8 text sorts after the byte FF, so this range, read from the index, has every id with the prefix.
        begins = "m.id >= :prefix AND m.id < :prefix || CAST(x'FF' AS TEXT)"
        seen = "(:scope IS NULL OR covers(:scope, m.scope))"
        asked = {"prefix": prefix, "scope": scope, "limit": limit}
        return self._memories(self.rows(f"{_SELECT} WHERE {begins} AND {seen} ORDER BY m.id LIMIT :limit", asked))

    def summaries_under_key(self, scope: str, canonical_key: str) -> list[MemorySummary]:
        """See Reader."""
        columns = "m.id, m.text, m.category, m.valid_from, m.valid_until, m.event_start, m.event_end"
        told = f"SELECT {columns} FROM memories m WHERE {LIVE}"
        held = self.rows(f"{told} AND m.scope = ? AND m.canonical_key = ? {_NEWEST}", (scope, canonical_key))
        return [_summary_from(row) for row in held]

    def keys_held(self, scope: str, canonical_keys: Iterable[str]) -> set[str]:
        """See Reader."""
        held = f"SELECT m.canonical_key FROM memories m WHERE {LIVE} AND m.scope = ? AND m.canonical_key IN ({{}})"
        return {key for (key,) in self.rows_in(held, canonical_keys, scope)}

    def last_in_session(self, session_id: str, scope: str | None = None) -> Memory | None:
        """See Reader."""
        within = "m.session_id = :id AND m.sequence_order IS NOT NULL AND (:scope IS NULL OR covers(:scope, m.scope))"
        ordered = "ORDER BY m.sequence_order DESC, m.number DESC"
        return self._first(f"{_SELECT} WHERE {within} {ordered} LIMIT 1", {"id": session_id, "scope": scope})

    def last_added(self) -> Memory | None:
        """See Reader."""
        return self._first(f"{_SELECT} ORDER BY m.number DESC LIMIT 1", ())

    def count_memories(self) -> int:
        """See Reader."""
        return int(self.value("SELECT count(*) FROM memories"))

    def last_number(self) -> int:
        """See Reader."""
        return int(self.value(_LAST_NUMBER))

    def numbers_where(self, field: str, holds: Callable[[str], bool]) -> list[int]:
        """See Reader. Raises InvalidArgument (no such field)."""
        if field not in _VALUES_OF:
            raise _no_text(field, _VALUES_OF)
        found = self.rows_where(_VALUES_OF[field], lambda row: holds(row[1]))
        return list(dict.fromkeys(number for number, _ in found))

    def numbers_with(self, field: str, texts: Iterable[str]) -> list[int]:
        """See Reader. Raises InvalidArgument (no such column)."""
        if field not in _COLUMN_FIELDS:
            raise _no_text(field, sorted(_COLUMN_FIELDS))
        found = self.rows_in(f"SELECT number FROM memories WHERE {field} IN ({{}})", dict.fromkeys(texts))
        return [number for (number,) in found]

    def values_of(self, field: str) -> list[str]:
        """See Reader; in order of the values. Raises InvalidArgument (no such column)."""
        if field not in _COLUMN_FIELDS:
            raise _no_text(field, sorted(_COLUMN_FIELDS))
        held = f"SELECT DISTINCT {field} FROM memories WHERE {field} IS NOT NULL ORDER BY {field}"
        return [value for (value,) in self.rows(held)]

    def observations(self, entity_id: str, *, at: datetime, limit: int) -> tuple[int, list[Memory]]:
        """See Reader."""
        asked = (entity_id, *[micros("at", at)] * 2)
        count = self.value(f"SELECT count(*) FROM memories m {_OBSERVED}", asked)
        return count, self._memories(self.rows(f"{_SELECT} {_OBSERVED} {_NEWEST} LIMIT ?", (*asked, limit)))

    def memories_of(self, entity_id: str) -> list[Memory]:
        """See Reader."""
        return self._memories(self.rows(f"{_SELECT} {_OF_ENTITY} {_NEWEST}", (entity_id, entity_id)))

    def _first(self, sql: str, values: Values) -> Memory | None:
        found = self._memories(self.rows(sql, values))
        return found[0] if found else None

    def _memories(self, rows: list[Row]) -> list[Memory]:
        if not rows:
            return []
        attached = self._attached([row[0] for row in rows])
        return [memory_from(row, tuple(attached.get(row[0], ()))) for row in rows]

    def _attached(self, numbers: Iterable[int]) -> dict[int, list[str]]:
        """Entity ids by memory number, in the order in which the memory names them."""
        attached: dict[int, list[tuple[int, str]]] = defaultdict(list)
        sql = """
            SELECT me.memory, me.position, e.id FROM memory_entities me JOIN entities e ON e.number = me.entity
            WHERE me.memory IN ({})
        """
        for memory, position, entity in self.rows_in(sql, numbers):
            attached[memory].append((position, entity))
        return {memory: [entity for _, entity in sorted(found)] for memory, found in attached.items()}


class MemoryWrites(MemoryReads, RelationWrites):
    """The writes of the protocol that create, change and remove memories."""

    def put_memory(self, draft: Draft, *, now: datetime) -> Memory:
        """See Writer."""
        id = identifier(draft.id)
        held = self.row(_HELD, (id,))
        if held is not None:
            return self._replace(draft, id, held, at=micros("now", now))
        self._changed_followers(id, at=micros("now", now))
        for (entity_id,) in self.rows("SELECT id FROM entities WHERE memory_id = ?", (id,)):
            self.changed_links_of(entity_id)  # in the index they lead to this memory from now on
        return self.add_memories({id: draft}, now=now)[0]

    def add_memories(self, drafts: Mapping[str, Draft], *, now: datetime) -> list[Memory]:
        """See Writer."""
        at = micros("now", now)
        rows = [
            memory_row(draft, number=number, id=id, stored_at=_stored_at(draft, at), updated_at=at)
            for number, (id, draft) in enumerate(drafts.items(), self.last_number() + 1)
        ]
        entities = [tuple(dict.fromkeys(draft.entities)) for draft in drafts.values()]
        entity_numbers = [self._entity_numbers(ids) for ids in entities]
        self.insert_many("memories", _WRITTEN, ((*row, checksum_of_memory(row)) for row in rows))
        for row, numbers in zip(rows, entity_numbers, strict=True):
            self._attach(row, numbers)
        self.changed("memory", *(row[0] for row in rows), at=at)
        return list(map(memory_from, rows, entities))

    def observation_of(self, entity_id: str, text: str, *, at: datetime, scope: str | None = None) -> Memory | None:
        """See Writer; the newest of several."""
        entity = self.value("SELECT number FROM entities WHERE id = ?", (entity_id,))
        self.rows(_FILL_IN_SAID, (entity,))
        asked = (entity_id, *[micros("at", at)] * 2, folded_checksum(text), fold_case(text), scope, scope)
        same = "me.said = ? AND fold_case(m.text) = ? AND (? IS NULL OR covers(?, m.scope))"
        return self._first(f"{_SELECT} {_OBSERVED} AND {same} {_NEWEST} LIMIT 1", asked)

    def remove_memory(self, id: str) -> bool:
        """See Writer."""
        number = self.value("SELECT number FROM memories WHERE id = ?", (id,))
        if number is None:
            return False
        self.remove_relations_at("memory", id)
        for entity_id in self._release("entity", id):
            self.changed_links_of(entity_id)
        self._release("relation", id)
        self._changed_followers(id, at=self.now())
        self.rows("DELETE FROM memory_entities WHERE memory = ?", (number,))
        self.rows("DELETE FROM memories WHERE number = ?", (number,))
        self.changed("memory", number, at=self.now())
        return True

    def set_access(self, number: int, *, count: int, last: datetime | None) -> None:
        """See Writer."""
        values = (count, micros_maybe("last_accessed_at", last), number)
        self.rows("UPDATE memories SET access_count = ?, last_accessed_at = ? WHERE number = ?", values)
        self.changed("memory", number, at=self.now())

    def mark_accessed(self, numbers: Iterable[int], *, now: datetime) -> None:
        """See Writer."""
        at = micros("now", now)
        for (number,) in self.rows_in("SELECT number FROM memories WHERE number IN ({})", dict.fromkeys(numbers)):
            self.rows(
                "UPDATE memories SET access_count = access_count + 1, last_accessed_at = ? WHERE number = ?",
                (at, number),
            )
            self.changed("memory", number, at=at)

    def _replace(self, draft: Draft, id: str, held: Row, *, at: int) -> Memory:
        number, stored_at, *counters = held
        row = memory_row(
            draft,
            number=number,
            id=id,
            stored_at=_stored_at(draft, stored_at),
            updated_at=at,
            counters=counters,
        )
        entities = tuple(dict.fromkeys(draft.entities))
        entity_numbers = self._entity_numbers(entities)
        values = zip(_WRITTEN, (*row, checksum_of_memory(row)), strict=True)
        self.update("memories", number, {name: value for name, value in values if name not in _KEPT})
        self.rows("DELETE FROM memory_entities WHERE memory = ?", (number,))
        self._attach(row, entity_numbers)
        self.changed("memory", number, at=at)
        return memory_from(row, entities)

    def _entity_numbers(self, ids: Sequence[str]) -> list[int]:
        if not ids:
            return []
        found: dict[str, int] = dict(self.rows_in("SELECT id, number FROM entities WHERE id IN ({})", ids))
        for id in ids:
            if id not in found:
                raise no_entity(id)
        return in_order(ids, found)

    def _attach(self, row: Sequence[Any], entity_numbers: Sequence[int]) -> None:
        for position, entity in enumerate(entity_numbers):
            self.rows(_ATTACH, (row[0], position, entity, folded_checksum(row[_TEXT])))

    def _changed_followers(self, id: str, *, at: int) -> None:
        """Note a change of the memories that name this id as preceding, when it is stored or removed: their link gains or loses
        its target."""
        for (number,) in self.rows("SELECT number FROM memories WHERE preceding_id = ?", (id,)):
            self.changed("memory", number, at=at)

    def changed_links_of(self, entity_id: str) -> None:
        """Note a change of the relations of an entity, and of the memories that are about it."""
        self.changed_relations_at("entity", entity_id)
        attached = "SELECT me.memory FROM memory_entities me JOIN entities e ON e.number = me.entity WHERE e.id = ?"
        self.changed("memory", *(number for (number,) in self.rows(attached, (entity_id,))), at=self.now())

    def _release(self, kind: ChangeKind, memory_id: str) -> list[str]:
        """Unset `memory_id` in the rows that name a memory which is removed; returns the ids of these rows."""
        table = TABLES[kind]
        held = self.rows(f"SELECT number, id FROM {table} WHERE memory_id = ?", (memory_id,))
        for number, _ in held:
            self.update(table, number, {"memory_id": None})
            self.changed(kind, number, at=self.now())
        return [id for _, id in held]


@decoded("memory")
def _summary_from(row: Row) -> MemorySummary:
    id, text, category, *times = row
    return MemorySummary(id, text, category, *map(moment_maybe, times))


def _no_text(field: str, known: Iterable[str]) -> InvalidArgument:
    hint = f"Fields: {', '.join(known)}."
    return InvalidArgument("field", f"{field!r} is not a field that holds text.", hint=hint)


def _stored_at(draft: Draft, otherwise: int) -> int:
    return otherwise if draft.stored_at is None else micros("stored_at", draft.stored_at)
