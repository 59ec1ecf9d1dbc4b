"""Reminders: `remind` stores them, `due` returns each exactly once, in its own scope only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

from omoide.errors import InvalidArgument, NotFound, needed
from omoide.memory.ids import ambiguous, meant, new_id
from omoide.model.reminder import Awaited, Reminder
from omoide.model.scope import covers, plain
from omoide.store.protocol import Reader, Store, Writer
from omoide.text import english, fold_name
from omoide.text.japanese import SHORTEST_COMPOUND

#: Seconds for which a search waits for other writers before it can mark reminders as fired.
PATIENCE_SECONDS = 1.0
#: A Latin word or a number in a folded text, whatever characters are beside it.
_LATIN = re.compile("([a-z]+)(?:['’]s(?![a-z]))?|[0-9]+")


def remind(
    writer: Writer, trigger: str, action: str, *, scope: str, expires_in_days: int | None, now: datetime
) -> Reminder:
    """Store an action. If the same trigger and action are pending in the same scope, only their expiry is updated."""
    if not trigger.strip() or not action.strip():
        raise InvalidArgument("trigger", "A reminder needs a trigger and an action.", also=needed("trigger, action"))
    expires_at = None if expires_in_days is None else _after(now, expires_in_days)
    known = writer.pending_reminder_of(scope, trigger, action)
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


def find(reader: Reader, id_or_prefix: str, *, scope: str | None, now: datetime) -> Reminder:
    """A pending reminder by its id or a prefix of it. Raises NotFound, InvalidArgument (ambiguous)."""
    seen = (each.id for each in reader.awaited() if scope is None or covers(scope, each.scope))
    begun = reader.reminders_by_id(id for id in seen if id.startswith(id_or_prefix))
    here = {each.id: each for each in begun if not _expired(each, now)}
    found = meant(id_or_prefix, here)
    if not found:
        raise NotFound(f"No memory and no pending reminder with the id {id_or_prefix!r}.", hint="Search for it first.")
    if len(found) > 1:
        raise ambiguous("reminders", id_or_prefix)
    return here[found[0]]


def call_off(writer: Writer, id_or_prefix: str, *, scope: str | None, now: datetime) -> Reminder:
    """Expire a pending reminder now, without firing it. Raises as `find` does."""
    known = find(writer, id_or_prefix, scope=scope, now=now)
    return writer.put_reminder(replace(known, status="expired", expires_at=now))


class Waiting:
    """The folded triggers of pending reminders as of a `mark` of the store. Those that `earlier` has are not folded again."""

    def __init__(self, awaited: list[Awaited], mark: str | None = None, earlier: Waiting | None = None) -> None:
        known: dict[str, tuple[str, ...]] = {} if earlier is None else earlier._words
        self.awaited = awaited
        self.mark = mark
        self._words: dict[str, tuple[str, ...]] = {
            each.trigger: known.get(each.trigger) or words_of(each.trigger) for each in awaited
        }
        # Grouped by first word: few of the first words of thousands of triggers are in a query.
        self._by_scope: defaultdict[str, dict[str, list[tuple[int, tuple[str, ...]]]]] = defaultdict(dict)
        for place, (_, scope, trigger) in enumerate(awaited):
            first, *more = self._words[trigger] or ("",)
            self._by_scope[scope].setdefault(first, []).append((place, tuple(more)))

    def brought_up(self, query: str, scope: str | None, exactly: bool) -> list[str]:
        """The ids of those whose trigger words are all in the query, oldest first; `scope` and `exactly` as in `due`."""
        if not self.awaited:  # the usual case
            return []
        here = [waiting for name, waiting in self._by_scope.items() if scope is None or _is_in(name, scope, exactly)]
        has = (_in_words(query) if here else "").__contains__
        begun = (rest for waiting in here for first, rest in waiting.items() if has(first))
        met = [place for rest in begun for place, words in rest if all(map(has, words))]
        return [self.awaited[place].id for place in sorted(met)]


class Pending:
    """Caches the triggers of pending reminders until something is committed: every search asks for them, and mostly there are
    none."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: tuple[object, Waiting] = (None, Waiting([]))

    def now(self) -> Waiting:
        """The triggers of every scope, as of the last commit."""
        state = self._store.state()
        if state != self._known[0]:
            with self._store.read() as reader:
                self._known = state, self.of(reader)
        return self._known[1]

    def of(self, reader: Reader) -> Waiting:
        """The triggers as a transaction sees them. They are read again only if the mark has changed, which most commits leave
        as it is. A store that was repaired, or written by an earlier omoide, may have reminders and no mark."""
        mark, (_, known) = reader.mark_of_reminders(), self._known
        return known if mark is not None and mark == known.mark else Waiting(reader.awaited(), mark, known)


def due(
    store: Store, pending: Pending, query: str, *, scope: str | None, exactly: bool, clock: Callable[[], datetime]
) -> list[Reminder]:
    """Fire the reminders that the query triggers: those in `scope` and, unless `exactly`, under it; None: in every scope.

    First looks without writing; if any match, decides again inside the transaction.
    """
    if not pending.now().brought_up(query, scope, exactly):
        return []
    now = clock()
    with store.write(PATIENCE_SECONDS) as writer:
        met = writer.reminders_by_id(pending.of(writer).brought_up(query, scope, exactly))
        for each in met:
            writer.put_reminder(_settled(each, now))
    return [each for each in met if not _expired(each, now)]


def _is_in(name: str, scope: str, exactly: bool) -> bool:
    return plain(name) == plain(scope) if exactly else covers(scope, name)


def words_of(trigger: str) -> tuple[str, ...]:
    """The words of a trigger, to be looked for as substrings of the folded query: Japanese and Chinese need no spaces."""
    return tuple(map(_without_long_vowel, _in_words(trigger).split()))


def _in_words(text: str) -> str:
    """The folded text, with each Latin word (as its stem) and number between marks: `art` is not in `start`, `deploy` is in
    `deployed`."""
    return _LATIN.sub(lambda run: f"\0{_stem(run[1] or run[0])}\0", fold_name(text))


@lru_cache(maxsize=4_096)
def _stem(word: str) -> str:
    return english.stem(word)


def _without_long_vowel(word: str) -> str:
    """サーバー as サーバ, which is a substring of both."""
    return word[:-1] if word.endswith("ー") and len(word) > SHORTEST_COMPOUND else word


def _expired(reminder: Reminder, now: datetime) -> bool:
    return reminder.expires_at is not None and reminder.expires_at <= now


def _settled(reminder: Reminder, now: datetime) -> Reminder:
    if _expired(reminder, now):
        return replace(reminder, status="expired")
    return replace(reminder, status="fired", fired_at=now)
