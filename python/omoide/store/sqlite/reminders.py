"""Reminders in SQLite: rows of `reminders`."""

from __future__ import annotations

from dataclasses import replace

from omoide.model.reminder import Reminder
from omoide.store.sqlite.faults import decoded
from omoide.store.sqlite.session import Row, Session
from omoide.store.sqlite.values import identifier, micros, micros_maybe, moment, moment_maybe

_SELECT = "SELECT id, trigger, action, scope, status, created_at, expires_at, fired_at FROM reminders"
_OLDEST = "ORDER BY created_at, rowid"
_PENDING = f"""
    {_SELECT}
    WHERE status = 'pending' AND (?1 IS NULL OR covers(?1, scope))
    {_OLDEST}
"""


class ReminderReads(Session):
    """The reads of the protocol that yield reminders."""

    def pending_reminders(self, scope: str | None) -> list[Reminder]:
        """Oldest first: all, or those of `scope` and what is under it."""
        return [_reminder_from(row) for row in self.rows(_PENDING, (scope,))]

    def reminders(self) -> list[Reminder]:
        """Every one, oldest first."""
        return [_reminder_from(row) for row in self.rows(f"{_SELECT} {_OLDEST}", ())]


class ReminderWrites(ReminderReads):
    """The write of the protocol that makes and changes reminders."""

    def put_reminder(self, reminder: Reminder) -> Reminder:
        """Insert or replace by id."""
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
            (identifier("id", reminder.id), reminder.trigger, reminder.action, reminder.scope, reminder.status, *times),
        )
        created, expires, fired = times
        return replace(
            reminder, created_at=moment(created), expires_at=moment_maybe(expires), fired_at=moment_maybe(fired)
        )


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
