"""Threads in SQLite: rows of `threads`; their entries are counted from `memories.thread`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from omoide.model.thread import Thread
from omoide.store.sqlite.faults import decoded
from omoide.store.sqlite.session import Row, Session
from omoide.store.sqlite.values import identifier, micros, moment

#: `pinned` is the scope of the process (NULL: none).
_ENTRIES = "memories m WHERE m.thread = t.id AND (:pinned IS NULL OR covers(:pinned, m.scope))"
_SELECT = f"""
    SELECT id, name, type, home, created_at, updated_at, (SELECT count(*) FROM {_ENTRIES})
    FROM threads t
"""
#: A thread whose home is a scope beside the pinned one stays invisible, even with entries from the pinned one.
_SHARED = f"(home = '' OR covers(home, :pinned)) AND EXISTS (SELECT 1 FROM {_ENTRIES})"
_SEEN = f"(:pinned IS NULL OR covers(:pinned, home) OR ({_SHARED}))"


class ThreadReads(Session):
    """The reads of the protocol that return threads."""

    def thread(self, id: str, scope: str | None = None) -> Thread | None:
        """See Reader."""
        found = self.row(f"{_SELECT} WHERE id = :id AND {_SEEN}", {"id": id, "pinned": scope})
        return None if found is None else _thread_from(found)

    def thread_names(self, ids: Iterable[str]) -> dict[str, str]:
        """See Reader."""
        return dict(self.rows_in("SELECT id, name FROM threads WHERE id IN ({})", ids))

    def names_and_homes_of_threads(self, ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """See Reader."""
        rows = self.rows_in("SELECT id, name, home FROM threads WHERE id IN ({})", ids)
        return {id: (name, home) for id, name, home in rows}

    def threads(self, *, type: str | None = None, scope: str | None = None) -> list[Thread]:
        """See Reader."""
        wanted = f"(:type IS NULL OR type = :type) AND {_SEEN}"
        asked = {"type": type, "pinned": scope}
        found = self.rows(f"{_SELECT} WHERE {wanted} ORDER BY updated_at DESC, rowid DESC", asked)
        return [_thread_from(row) for row in found]


class ThreadWrites(ThreadReads):
    """The write of the protocol that creates and changes threads."""

    def put_thread(self, *, id: str, name: str, type: str, home: str = "", now: datetime) -> Thread:
        """See Writer."""
        at = micros("now", now)
        renamed = self.thread_names([id]).get(id) != name
        self.rows(
            """
            INSERT INTO threads (id, name, type, home, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, type = excluded.type, updated_at = excluded.updated_at
            """,
            (identifier(id), name, type, home, at, at),
        )
        if renamed:
            entries = self.rows("SELECT number FROM memories WHERE thread = ?", (id,))
            self.changed("memory", *(number for (number,) in entries), at=at)
        return _thread_from(self.rows(f"{_SELECT} WHERE id = :id", {"id": id, "pinned": None})[0])


@decoded("thread")
def _thread_from(row: Row) -> Thread:
    id, name, type, home, created, updated, count = row
    times = {"created_at": moment(created), "updated_at": moment(updated)}
    return Thread(id=id, name=name, type=type, home=home, entry_count=count, **times)
