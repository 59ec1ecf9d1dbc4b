"""Reminders: kept by `remind`, said exactly once by `due`, in their own scope only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from omoide.errors import InvalidArgument, NotFound, needed
from omoide.memory.ids import ambiguous, meant, new_id
from omoide.model.reminder import Reminder
from omoide.model.scope import covers, plain
from omoide.store.protocol import Reader, Store, Writer
from omoide.text import fold_name

#: For so many seconds a question waits for other writers, to mark as said what it brings up.
PATIENCE_SECONDS = 1.0


def remind(
    writer: Writer, trigger: str, action: str, *, scope: str, expires_in_days: int | None, now: datetime
) -> Reminder:
    """Keep an action. The same trigger and action pending in the same scope are kept once."""
    if not trigger.strip() or not action.strip():
        raise InvalidArgument("trigger", "A reminder needs a trigger and an action.", also=needed("trigger, action"))
    expires_at = None if expires_in_days is None else _after(now, expires_in_days)
    known = next((each for each in _of_scope(writer, scope) if (each.trigger, each.action) == (trigger, action)), None)
    if known is not None:
        return writer.put_reminder(replace(known, expires_at=expires_at))
    return writer.put_reminder(
        Reminder(id=new_id(), trigger=trigger, action=action, scope=scope, created_at=now, expires_at=expires_at)
    )


def _after(now: datetime, days: int) -> datetime:
    try:
        return now + timedelta(days=days)
    except OverflowError:
        raise InvalidArgument("expires_in_days", f"{days:,} days from now is after the year 9999.") from None


def pending(reader: Reader, *, scope: str | None, now: datetime) -> list[Reminder]:
    """Those that may still fire in a scope and under it (None: everywhere), oldest first."""
    return [each for each in reader.pending_reminders(scope) if not _expired(each, now)]


def find(reader: Reader, id_or_prefix: str, *, scope: str | None, now: datetime) -> Reminder:
    """A pending reminder by its id or the beginning of it. Raises NotFound, InvalidArgument (ambiguous)."""
    here = {each.id: each for each in pending(reader, scope=scope, now=now)}
    found = meant(id_or_prefix, here)
    if not found:
        raise NotFound(f"No memory and no pending reminder with the id {id_or_prefix!r}.", hint="Search for it first.")
    if len(found) > 1:
        raise ambiguous("reminders", id_or_prefix)
    return here[found[0]]


def call_off(writer: Writer, id_or_prefix: str, *, scope: str | None, now: datetime) -> Reminder:
    """End a pending reminder now, without saying it. Raises as `find` does."""
    known = find(writer, id_or_prefix, scope=scope, now=now)
    return writer.put_reminder(replace(known, status="expired", expires_at=now))


class Pending:
    """Which reminders may still fire, as long as nothing is committed: every search asks, and mostly there are none."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: tuple[object, list[Reminder]] = (None, [])

    def now(self) -> list[Reminder]:
        """Of every scope, oldest first."""
        state = self._store.state()
        if state != self._known[0]:
            with self._store.read() as reader:
                self._known = state, reader.pending_reminders(None)
        return self._known[1]


def due(
    store: Store, pending: Pending, query: str, *, scope: str | None, exactly: bool, now: datetime
) -> list[Reminder]:
    """Fire what the query brings up: in `scope` and, unless `exactly`, what is under it; None is everywhere.

    Looks first without writing, then decides again inside the transaction.
    """
    if not _brought_up(pending.now(), query, scope, exactly):
        return []
    with store.write(PATIENCE_SECONDS) as writer:
        met = _brought_up(writer.pending_reminders(None), query, scope, exactly)
        for each in met:
            writer.put_reminder(_settled(each, now))
    return [each for each in met if not _expired(each, now)]


def _of_scope(reader: Reader, scope: str) -> list[Reminder]:
    return [each for each in reader.pending_reminders(scope) if each.scope == scope]


def _brought_up(pending: Sequence[Reminder], query: str, scope: str | None, exactly: bool) -> list[Reminder]:
    here = [each for each in pending if scope is None or _is_in(each, scope, exactly)]
    folded = fold_name(query) if here else ""
    return [each for each in here if triggered(each.trigger, folded)]


def _is_in(reminder: Reminder, scope: str, exactly: bool) -> bool:
    return plain(reminder.scope) == plain(scope) if exactly else covers(scope, reminder.scope)


def triggered(trigger: str, folded_query: str) -> bool:
    """Whether every word of the trigger is in the folded query; Japanese and Chinese triggers need no spaces."""
    return all(word in folded_query for word in fold_name(trigger).split())


def _expired(reminder: Reminder, now: datetime) -> bool:
    return reminder.expires_at is not None and reminder.expires_at <= now


def _settled(reminder: Reminder, now: datetime) -> Reminder:
    if _expired(reminder, now):
        return replace(reminder, status="expired")
    return replace(reminder, status="fired", fired_at=now)
