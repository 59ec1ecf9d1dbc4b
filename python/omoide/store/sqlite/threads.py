"""Threads in SQLite: rows of `threads`; their entries are counted from `memories.thread`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from omoide.model.thread import Thread
from omoide.store.sqlite.session import Row, Session
from omoide.store.sqlite.values import identifier, micros, moment

_SELECT = """
    SELECT id, name, type, created_at, updated_at, (SELECT count(*) FROM memories m WHERE m.thread = t.id)
    FROM threads t
"""


class ThreadReads(Session):
    """The reads of the protocol that yield threads."""

    def thread(self, id: str) -> Thread | None:
        """By id."""
        found = self.row(f"{_SELECT} WHERE id = ?", (id,))
        return None if found is None else _thread_from(found)

    def thread_names(self, ids: Iterable[str]) -> dict[str, str]:
        """See Reader."""
        return dict(self.rows_in("SELECT id, name FROM threads WHERE id IN ({})", ids))

    def threads(self, *, type: str | None = None) -> list[Thread]:
        """Of a type (None: all), newest first."""
        found = self.rows(f"{_SELECT} WHERE ? IS NULL OR type = ? ORDER BY updated_at DESC, rowid DESC", (type, type))
        return [_thread_from(row) for row in found]


class ThreadWrites(ThreadReads):
    """The writes of the protocol that make and change threads."""

    def put_thread(self, *, id: str, name: str, type: str, now: datetime) -> Thread:
        """See Writer."""
        at = micros("now", now)
        renamed = self.thread_names([id]).get(id) != name
        self.rows(
            """
            INSERT INTO threads (id, name, type, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, type = excluded.type, updated_at = excluded.updated_at
            """,
            (identifier("id", id), name, type, at, at),
        )
        for (number,) in self.rows("SELECT number FROM memories WHERE thread = ?", (id,)) if renamed else ():
            self.changed("memory", number, at=at)
        return _thread_from(self.rows(f"{_SELECT} WHERE id = ?", (id,))[0])


def _thread_from(row: Row) -> Thread:
    id, name, type, created, updated, count = row
    return Thread(
        id=id, name=name, type=type, created_at=moment(created), updated_at=moment(updated), entry_count=count
    )
