"""Reminders: `remind` stores them, `due` returns each exactly once, in its own scope only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

from omoide.errors import InvalidArgument, NotFound, filled, needed
from omoide.memory.ids import ambiguous, ids_meant, new_id
from omoide.model.reminder import PendingTrigger, Reminder
from omoide.model.scope import covers, plain
from omoide.model.signs import typed
from omoide.store.protocol import Reader, Store, Writer
from omoide.text import english, fold_name, is_blank
from omoide.text.japanese import SHORTEST_COMPOUND

#: Seconds for which a search waits for other writers before it can mark reminders as fired.
PATIENCE_SECONDS = 1.0
#: `also` for an id that neither a memory nor a pending reminder has.
_NEITHER = {
    "ja": "ID が {id} の記憶も、待機中のリマインダーもありません。検索して ID を確かめてください。",
    "zh": "没有 ID 为“{id}”的记忆，也没有待触发的提醒。请先搜索，确认 ID。",
}
#: A Latin word or a number in a folded text, whatever characters are beside it.
_LETTERS = "[a-z\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff]"
_LATIN = re.compile(f"({_LETTERS}+)(?:'s(?!{_LETTERS}))?|[0-9]+")
#: Punctuation of a folded trigger; not the comma of 10,000, nor the points of Node.js.
_BETWEEN_WORDS = re.compile(r"""(?<![0-9]\0),|,(?!\0[0-9])|\.(?=\s|$)|[、。!?;"“”「」『』()]""")


def remind(
    writer: Writer, trigger: str, action: str, *, scope: str, expires_in_days: int | None, now: datetime
) -> Reminder:
    """Store an action. If the same trigger and action are pending in the same scope, only their expiry is updated; blanks around
    them are no part of them."""
    if is_blank(trigger) or not words_of(trigger) or is_blank(action):
        raise InvalidArgument("trigger", "A reminder needs a trigger and an action.", also=needed("trigger, action"))
    trigger, action = trigger.strip(), action.strip()
    expires_at = None if expires_in_days is None else _after(now, expires_in_days)
    existing = writer.pending_reminder_of(scope, trigger, action)
    if existing is not None:
        return writer.put_reminder(replace(existing, expires_at=expires_at))
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
    visible_ids = (each.id for each in reader.pending_triggers() if scope is None or covers(scope, each.scope))
    candidates = reader.reminders_by_id(id for id in visible_ids if id.startswith(id_or_prefix))
    visible = {each.id: each for each in candidates if not _expired(each, now)}
    matching = ids_meant(id_or_prefix, visible)
    if not matching:
        raise NotFound(
            f"No memory and no pending reminder with the id {id_or_prefix!r}.",
            hint="Search for it first.",
            also=filled(_NEITHER, id=id_or_prefix),
        )
    if len(matching) > 1:
        raise ambiguous("reminders", id_or_prefix)
    return visible[matching[0]]


def call_off(writer: Writer, id_or_prefix: str, *, scope: str | None, now: datetime) -> Reminder:
    """Expire a pending reminder now, without firing it. Raises as `find` does."""
    known = find(writer, id_or_prefix, scope=scope, now=now)
    return writer.put_reminder(replace(known, status="expired", expires_at=now))


class Triggers:
    """The folded triggers of pending reminders as of a `mark` of the store. Those that `earlier` has are not folded again."""

    def __init__(self, pending: list[PendingTrigger], mark: str | None = None, earlier: Triggers | None = None) -> None:
        known: dict[str, tuple[str, ...]] = {} if earlier is None else earlier._words
        self.pending = pending
        self.mark = mark
        self._words: dict[str, tuple[str, ...]] = {
            each.trigger: known.get(each.trigger) or words_of(each.trigger) for each in pending
        }
        # Grouped by first word: few of the first words of thousands of triggers are in a query.
        self._by_scope: defaultdict[str, dict[str, list[tuple[int, tuple[str, ...]]]]] = defaultdict(dict)
        for place, (_, scope, trigger) in enumerate(pending):
            if not self._words[trigger]:  # set by an earlier omoide; every search would fire it
                continue
            first, *more = self._words[trigger]
            self._by_scope[scope].setdefault(first, []).append((place, tuple(more)))

    def triggered(self, query: str, scope: str | None, exactly: bool) -> list[str]:
        """The ids of those whose trigger words are all in the query, oldest first; `scope` and `exactly` as in `due`."""
        if not self.pending:  # the usual case
            return []
        in_scope = [
            triggers for name, triggers in self._by_scope.items() if scope is None or _is_in_scope(name, scope, exactly)
        ]
        has = (_in_words(query) if in_scope else "").__contains__
        rests = (rest for triggers in in_scope for first, rest in triggers.items() if has(first))
        places = [place for rest in rests for place, words in rest if all(map(has, words))]
        return [self.pending[place].id for place in sorted(places)]


class Pending:
    """Caches the triggers of pending reminders until something is committed: every search asks for them, and mostly there are
    none."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: tuple[object, Triggers] = (None, Triggers([]))

    def now(self) -> Triggers:
        """The triggers of every scope, as of the last commit."""
        state, known = self._store.state(), self._known  # another thread may set those of an earlier state at any time
        if state != known[0]:
            with self._store.read() as reader:
                self._known = known = state, self.of(reader)
        return known[1]

    def of(self, reader: Reader) -> Triggers:
        """The triggers as a transaction sees them. They are read again only if the mark has changed, which most commits leave
        as it is. A store that was repaired, or written by an earlier omoide, may have reminders and no mark."""
        mark, (_, known) = reader.mark_of_reminders(), self._known
        return known if mark is not None and mark == known.mark else Triggers(reader.pending_triggers(), mark, known)


def due(
    store: Store, pending: Pending, query: str, *, scope: str | None, exactly: bool, clock: Callable[[], datetime]
) -> list[Reminder]:
    """Fire the reminders that the query triggers: those in `scope` and, unless `exactly`, under it; None: in every scope.

    First looks without writing; if any match, decides again inside the transaction.
    """
    if not pending.now().triggered(query, scope, exactly):
        return []
    now = clock()
    with store.write(PATIENCE_SECONDS) as writer:
        due_now = writer.reminders_by_id(pending.of(writer).triggered(query, scope, exactly))
        for each in due_now:
            writer.put_reminder(_fired_or_expired(each, now))
    return [each for each in due_now if not _expired(each, now)]


def _is_in_scope(name: str, scope: str, exactly: bool) -> bool:
    return plain(name) == plain(scope) if exactly else covers(scope, name)


def words_of(trigger: str) -> tuple[str, ...]:
    """The words of a trigger, to be looked for as substrings of the folded query: Japanese and Chinese need no spaces. Commas,
    quotes and what ends a sentence divide words and are no part of them."""
    return tuple(map(_without_long_vowel, _BETWEEN_WORDS.sub(" ", _in_words(trigger)).split()))


def _in_words(text: str) -> str:
    """The folded text, with each Latin word (as its stem) and number between marks: `art` is not in `start`, `deploy` is in
    `deployed`. Kinds of apostrophes and hyphens are one."""
    return _LATIN.sub(lambda run: f"\0{_stem(run[1] or run[0])}\0", typed(fold_name(text)))


@lru_cache(maxsize=4_096)
def _stem(word: str) -> str:
    return english.stem(word)


def _without_long_vowel(word: str) -> str:
    """サーバー as サーバ, which is a substring of both."""
    return word[:-1] if word.endswith("ー") and len(word) > SHORTEST_COMPOUND else word


def _expired(reminder: Reminder, now: datetime) -> bool:
    return reminder.expires_at is not None and reminder.expires_at <= now


def _fired_or_expired(reminder: Reminder, now: datetime) -> Reminder:
    if _expired(reminder, now):
        return replace(reminder, status="expired")
    return replace(reminder, status="fired", fired_at=now)
