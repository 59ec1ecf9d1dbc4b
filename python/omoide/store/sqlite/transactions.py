"""The Reader and Writer of the SQLite store: combines the reads and writes of each noun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from omoide.store.protocol import Change, ChangeKind, CountedField, Counts, Standing
from omoide.store.sqlite.entities import EntityReads, EntityWrites
from omoide.store.sqlite.faults import decoded
from omoide.store.sqlite.memories import MemoryReads
from omoide.store.sqlite.relations import RelationReads
from omoide.store.sqlite.reminders import ReminderReads, ReminderWrites
from omoide.store.sqlite.session import TABLES, Row, Session
from omoide.store.sqlite.threads import ThreadReads, ThreadWrites
from omoide.store.sqlite.values import LARGEST

LAST_SEQ = "SELECT coalesce(max(seq), 0) FROM changes"
_HISTORY = "SELECT CAST(id AS TEXT) FROM histories WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1"

#: The newest change and its history.
STANDING = (
    f"SELECT seq, coalesce(({_HISTORY.replace('?', 'seq')}), '') FROM ({LAST_SEQ.replace('FROM', 'AS seq FROM')})"
)


class ChangeReads(Session):
    """The reads of the protocol about the store as a whole."""

    def last_seq(self) -> int:
        """See Reader."""
        return int(self.value(LAST_SEQ))

    def history(self, seq: int) -> str:
        """See Reader; "" for a change from before there were histories."""
        return str(self.value(_HISTORY, (seq,)) or "")

    def standing(self) -> Standing:
        """See Reader."""
        return Standing(*self.rows(STANDING)[0])

    def goes_on_from(self, standing: Standing) -> bool:
        """See Reader."""
        return standing.seq <= self.last_seq() and self.history(standing.seq) == standing.history

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """See Reader; only the newest change of each row."""
        found = self.rows("SELECT seq, kind, number FROM changes WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit))
        return list(map(_change_from, found))

    def numbers(self, kind: ChangeKind) -> list[int]:
        """See Reader."""
        return [number for (number,) in self.rows(f"SELECT number FROM {TABLES[kind]} ORDER BY number")]

    def counts(self, memories_by: Callable[[CountedField], dict[str, int]] | None = None) -> Counts:
        """See Reader."""
        count = memories_by or self.count_memories_by
        by_category, by_scope = count("category"), count("scope")
        others = ("entities", "relations", "threads", "reminders")
        rows: dict[str, Any] = {noun: self.value(f"SELECT count(*) FROM {noun}") for noun in others}
        return Counts(memories=sum(by_scope.values()), **rows, by_category=by_category, by_scope=by_scope)

    def count_memories_by(self, field: CountedField, *, above: int = 0) -> dict[str, int]:
        """See Reader."""
        # For all memories an index is quick; for those above a number it would have to be read whole.
        added = f"NOT INDEXED WHERE number > {above:d}" if above else ""
        return dict(self.rows(f"SELECT {field}, count(*) FROM memories {added} GROUP BY {field} ORDER BY {field}"))

    def has_rewritten(self, number: int, *, since: int) -> bool:
        """See Reader."""
        found = "SELECT 1 FROM changes WHERE seq > ? AND kind = 'memory' AND number <= ? LIMIT 1"
        return self.row(found, (since, number)) is not None


@decoded("change")
def _change_from(row: Row) -> Change:
    seq, kind, number = row
    if kind not in TABLES or not (type(number) is int and 0 < number <= LARGEST):
        raise ValueError("it is of no row")
    return Change(seq, kind, number)


class SqliteReader(MemoryReads, EntityReads, RelationReads, ThreadReads, ReminderReads, ChangeReads):
    """A `Reader` of the protocol."""


class SqliteWriter(EntityWrites, ThreadWrites, ReminderWrites, ChangeReads):
    """A `Writer` of the protocol."""

    def begin_history(self, id: str) -> None:
        """Begin a history with the next change. Replaces a history that was begun there and has no changes."""
        first = min(self.last_seq(), LARGEST) + 1  # a larger `seq` is damaged, and even its repair begins with a write
        self.rows("INSERT OR REPLACE INTO histories (first_seq, id) VALUES (?, ?)", (first, id))
