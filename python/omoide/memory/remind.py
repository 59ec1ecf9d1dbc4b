"""Reminders: kept by `remind`, said exactly once by `due`, in their own scope only."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from omoide.errors import InvalidArgument
from omoide.memory.remember import new_id
from omoide.model.reminder import Reminder
from omoide.store.protocol import Reader, Store, Writer
from omoide.text import fold_name


def remind(
    writer: Writer, trigger: str, action: str, *, scope: str, expires_in_days: int | None, now: datetime
) -> Reminder:
    """Keep an action. The same trigger and action pending in the same scope are kept once."""
    if not trigger.strip() or not action.strip():
        raise InvalidArgument("trigger", "A reminder needs a trigger and an action.")
    expires_at = None if expires_in_days is None else now + timedelta(days=expires_in_days)
    known = next((each for each in _of_scope(writer, scope) if (each.trigger, each.action) == (trigger, action)), None)
    if known is not None:
        return writer.put_reminder(replace(known, expires_at=expires_at))
    return writer.put_reminder(
        Reminder(id=new_id(), trigger=trigger, action=action, scope=scope, created_at=now, expires_at=expires_at)
    )


def due(store: Store, query: str, *, scope: str | None, now: datetime) -> list[Reminder]:
    """Fire what the query brings up. Looks first without writing, then decides again inside the transaction."""
    with store.read() as reader:
        if not _brought_up(reader, query, scope):
            return []
    with store.write() as writer:
        met = _brought_up(writer, query, scope)
        for each in met:
            writer.put_reminder(_settled(each, now))
    return [each for each in met if not _expired(each, now)]


def _of_scope(reader: Reader, scope: str) -> list[Reminder]:
    return [each for each in reader.pending_reminders(scope) if each.scope == scope]


def _brought_up(reader: Reader, query: str, scope: str | None) -> list[Reminder]:
    folded = fold_name(query)
    return [each for each in reader.pending_reminders(scope) if triggered(each.trigger, folded)]


def triggered(trigger: str, folded_query: str) -> bool:
    """Whether every word of the trigger is in the folded query; Japanese and Chinese triggers need no spaces."""
    return all(word in folded_query for word in fold_name(trigger).split())


def _expired(reminder: Reminder, now: datetime) -> bool:
    return reminder.expires_at is not None and reminder.expires_at <= now


def _settled(reminder: Reminder, now: datetime) -> Reminder:
    if _expired(reminder, now):
        return replace(reminder, status="expired")
    return replace(reminder, status="fired", fired_at=now)
