"""Reminders in SQLite: rows of `reminders`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from omoide.model.reminder import PendingTrigger, Reminder
from omoide.store.sqlite.faults import decoded
from omoide.store.sqlite.session import Row, Session, in_order
from omoide.store.sqlite.values import identifier, micros, micros_maybe, moment, moment_maybe

_SELECT = "SELECT id, trigger, action, scope, status, created_at, expires_at, fired_at FROM reminders"
_OLDEST = "ORDER BY created_at, rowid"
#: `scope` may be NULL (every one), and so may the instant `at` (whether expired or not).
_IS_PENDING = """
    status = 'pending' AND (:scope IS NULL OR covers(:scope, scope))
    AND (:at IS NULL OR expires_at IS NULL OR expires_at > :at)
"""
_PENDING = f"{_SELECT} WHERE {_IS_PENDING} {_OLDEST} LIMIT :limit"
_NO_LIMIT = -1
#: Scopes that cover each other are one, however they are written.
_SAME = f"""
    {_SELECT} WHERE status = 'pending' AND trigger = :trigger AND action = :action
    AND covers(:scope, scope) AND covers(scope, :scope)
    {_OLDEST} LIMIT 1
"""
_PENDING_TRIGGERS = f"SELECT id, scope, trigger FROM reminders WHERE status = 'pending' {_OLDEST}"


_MARK = "SELECT value FROM meta WHERE key = 'reminders'"
#: Random, not counted up: a store restored to an older state would give the same numbers again.
_MARK_ANEW = "INSERT OR REPLACE INTO meta (key, value) VALUES ('reminders', hex(randomblob(16)))"


class ReminderReads(Session):
    """The reads of the protocol that return reminders."""

    def pending_reminders(
        self, scope: str | None, *, at: datetime | None = None, limit: int | None = None
    ) -> list[Reminder]:
        """See Reader."""
        asked = {"scope": scope, "at": micros_maybe("at", at), "limit": _NO_LIMIT if limit is None else limit}
        return [_reminder_from(row) for row in self.rows(_PENDING, asked)]

    def count_pending_reminders(self, scope: str | None, *, at: datetime) -> int:
        """See Reader."""
        asked = {"scope": scope, "at": micros("at", at)}
        return int(self.value(f"SELECT count(*) FROM reminders WHERE {_IS_PENDING}", asked))

    def pending_reminder_of(self, scope: str, trigger: str, action: str) -> Reminder | None:
        """See Reader."""
        found = self.row(_SAME, {"scope": scope, "trigger": trigger, "action": action})
        return None if found is None else _reminder_from(found)

    def pending_triggers(self) -> list[PendingTrigger]:
        """See Reader."""
        return [PendingTrigger._make(row) for row in self.rows(_PENDING_TRIGGERS)]

    def mark_of_reminders(self) -> str | None:
        """See Reader."""
        mark: str | None = self.value(_MARK)
        return mark

    def reminders_by_id(self, ids: Iterable[str]) -> list[Reminder]:
        """See Reader."""
        asked = list(ids)
        found = map(_reminder_from, self.rows_in(f"{_SELECT} WHERE id IN ({{}})", dict.fromkeys(asked)))
        return in_order(asked, {each.id: each for each in found})

    def reminders(self) -> list[Reminder]:
        """See Reader."""
        return [_reminder_from(row) for row in self.rows(f"{_SELECT} {_OLDEST}", ())]


class ReminderWrites(ReminderReads):
    """The write of the protocol that creates and changes reminders, and what it takes to change them otherwise."""

    def put_reminder(self, reminder: Reminder) -> Reminder:
        """See Writer."""
        times = (
            micros("created_at", reminder.created_at),
            micros_maybe("expires_at", reminder.expires_at),
            micros_maybe("fired_at", reminder.fired_at),
        )
        self.rows(
            """
            INSERT INTO reminders (id, trigger, action, scope, status, created_at, expires_at, fired_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET trigger = excluded.trigger, action = excluded.action,
                scope = excluded.scope, status = excluded.status, created_at = excluded.created_at,
                expires_at = excluded.expires_at, fired_at = excluded.fired_at
            """,
            (identifier(reminder.id), reminder.trigger, reminder.action, reminder.scope, reminder.status, *times),
        )
        self.mark_reminders_anew()
        created, expires, fired = times
        return replace(
            reminder, created_at=moment(created), expires_at=moment_maybe(expires), fired_at=moment_maybe(fired)
        )

    def mark_reminders_anew(self) -> None:
        """Give `mark_of_reminders` another value: reminders have changed."""
        self.rows(_MARK_ANEW)


@decoded("reminder")
def _reminder_from(row: Row) -> Reminder:
    id, trigger, action, scope, status, created, expires, fired = row
    return Reminder(
        id=id,
        trigger=trigger,
        action=action,
        scope=scope,
        status=status,
        created_at=moment(created),
        expires_at=moment_maybe(expires),
        fired_at=moment_maybe(fired),
    )
