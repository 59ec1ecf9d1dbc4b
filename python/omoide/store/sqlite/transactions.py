"""What one transaction of the SQLite store offers: the reads and writes of the protocol, put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from omoide.store.protocol import Change, ChangeKind, Counted, Counts
from omoide.store.sqlite.entities import EntityReads, EntityWrites
from omoide.store.sqlite.faults import decoded
from omoide.store.sqlite.memories import MemoryReads
from omoide.store.sqlite.relations import RelationReads
from omoide.store.sqlite.reminders import ReminderReads, ReminderWrites
from omoide.store.sqlite.session import Row, Session
from omoide.store.sqlite.threads import ThreadReads, ThreadWrites
from omoide.store.sqlite.values import LARGEST

LAST_SEQ = "SELECT coalesce(max(seq), 0) FROM changes"
_HISTORY = "SELECT CAST(id AS TEXT) FROM histories WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1"

#: The newest change and its history.
STANDING = (
    f"SELECT seq, coalesce(({_HISTORY.replace('?', 'seq')}), '') FROM ({LAST_SEQ.replace('FROM', 'AS seq FROM')})"
)

_TABLES: dict[ChangeKind, str] = {"memory": "memories", "entity": "entities", "relation": "relations"}


class ChangeReads(Session):
    """The reads of the protocol about the store as a whole."""

    def last_seq(self) -> int:
        """The number of the newest change, 0 in a new store."""
        return int(self.value(LAST_SEQ))

    def history(self, seq: int) -> str:
        """Which history change `seq` belongs to; "" for one from before there were any."""
        return str(self.value(_HISTORY, (seq,)) or "")

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """The next changes after `seq`, oldest first; of each row only its newest."""
        found = self.rows("SELECT seq, kind, number FROM changes WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit))
        return list(map(_change_from, found))

    def numbers(self, kind: ChangeKind) -> list[int]:
        """Of every row of that kind there is, in order."""
        return [number for (number,) in self.rows(f"SELECT number FROM {_TABLES[kind]} ORDER BY number")]

    def counts(self, memories_by: Callable[[Counted], dict[str, int]] | None = None) -> Counts:
        """Rows by noun, memories also by category and by scope."""
        count = memories_by or self.count_memories_by
        by_category, by_scope = count("category"), count("scope")
        others = ("entities", "relations", "threads", "reminders")
        rows: dict[str, Any] = {noun: self.value(f"SELECT count(*) FROM {noun}") for noun in others}
        return Counts(memories=sum(by_scope.values()), **rows, by_category=by_category, by_scope=by_scope)

    def count_memories_by(self, field: Counted, *, above: int = 0) -> dict[str, int]:
        """All, or those with higher numbers."""
        # An index tells of all; of those that came last it would be read whole.
        added = f"NOT INDEXED WHERE number > {above:d}" if above else ""
        return dict(self.rows(f"SELECT {field}, count(*) FROM memories {added} GROUP BY {field} ORDER BY {field}"))

    def has_rewritten(self, number: int, *, since: int) -> bool:
        """Whether a memory up to that number was replaced or removed after that change."""
        found = "SELECT 1 FROM changes WHERE seq > ? AND kind = 'memory' AND number <= ? LIMIT 1"
        return self.row(found, (since, number)) is not None


@decoded("change")
def _change_from(row: Row) -> Change:
    seq, kind, number = row
    if kind not in _TABLES or not (type(number) is int and 0 < number <= LARGEST):
        raise ValueError("it is of no row")
    return Change(seq, kind, number)


class SqliteReader(MemoryReads, EntityReads, RelationReads, ThreadReads, ReminderReads, ChangeReads):
    """A `Reader` of the protocol."""


class SqliteWriter(EntityWrites, ThreadWrites, ReminderWrites, ChangeReads):
    """A `Writer` of the protocol."""

    def begin_history(self, id: str) -> None:
        """From the next change on. One that was begun and never written in gives way."""
        first = min(self.last_seq(), LARGEST) + 1  # a change beyond that is none, and a repair of it a write too
        self.rows("INSERT OR REPLACE INTO histories (first_seq, id) VALUES (?, ?)", (first, id))
