"""Translates recallnest's arguments to queries and drafts, and merges hits.

Useful for: what each argument means. Not useful for: running searches (searching.py, commands/) and layout (layouts.py).
Invariant: pure functions; every argument is applied inside the search, none to a page of results afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, NamedTuple

from omoide.dates import About, End, Interval, Moment
from omoide.dates.errors import no_span
from omoide.errors import InvalidArgument, needed, shortened
from omoide.families.recallnest import profiles, topics, wire
from omoide.families.recallnest.card import day, last_day, one_line
from omoide.families.recallnest.keys import canonical_key
from omoide.families.recallnest.redact import REDACTED, redacted
from omoide.families.recallnest.scope import condition as within_scope
from omoide.model.condition import All, Condition, Either, Equals, Lasting, Missing, Not, Within, live
from omoide.model.memory import Draft, DraftWithGuessedTopic, EventTime
from omoide.model.query import EVERY_ARM, EVERYTHING, Hit, Query
from omoide.text import is_blank, tags_in

#: The relevance of an expired memory is multiplied by this.
EXPIRED_SHARE = 0.2
#: A date argument that covers no more than this is a moment, not a calendar unit.
MOMENT = timedelta(hours=1)
DEFAULT_IMPORTANCE = 0.7
DEFAULT_CONFIDENCE = 0.9
#: The arms of a search that does not ask for the graph.
_ARMS = EVERY_ARM - {"graph"}
_LIVE = live()
#: Arguments about when a memory was stored: their dates are in the past.
_ABOUT: Mapping[str, About] = {"after": "past", "before": "past", "validUntil": "future"}
#: Arguments that restrict a search to some memories.
_NARROWING = frozenset({"category", "topicTag"})
#: The end of its date that an argument uses.
_ENDS: Mapping[str, End] = {"after": "start", "before": "end", "validFrom": "start", "validUntil": "end"}
#: All dates of a search.
_DATES = ("after", "before", "validAt")
_SEARCHED = frozenset(_DATES)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Question(NamedTuple):
    """A translated search. `archived` queries the memories that `standing` excludes because they are not live, `expired` those
    that both exclude because their window has ended; `of_now`: no `validAt` was given, so that `standing` may find memories whose
    window has not begun."""

    standing: Query
    archived: Query | None
    expired: Query | None
    of_now: bool
    profile: str
    highlight: bool
    detail: str
    reconstruct: bool

    @property
    def text(self) -> str:
        """The query text as it was sent."""
        return self.standing.text

    @property
    def others(self) -> tuple[Query, ...]:
        """The searches beside `standing`."""
        return tuple(query for query in (self.archived, self.expired) if query is not None)


# --- search -----------------------------------------------------------------------------------------------------------


def question(arguments: Mapping[str, Any], scope: str | None, at: Moment) -> Question:
    """The search that the arguments describe. Raises InvalidArgument: empty query, dates that cannot be read."""
    text = arguments["query"]
    if is_blank(text):
        raise InvalidArgument(
            "query", "The query is empty.", hint="Pass words or a question to search for.", also=needed("query")
        )
    profile = arguments.get("profile", profiles.DEFAULT)
    is_archived = arguments.get("includeArchived", False)
    filters = _usual(scope, archived=is_archived)
    if not _NARROWING.isdisjoint(arguments):
        filters += tuple(_narrowed(arguments))
    valid = None
    if not _SEARCHED.isdisjoint(arguments):
        filters += _stored_between(arguments, at)
        valid = _interval(arguments, "validAt", at)
        filters += _begun(valid)
    lasting = _lasting(valid, at.now, archived=is_archived)
    query = Query(
        text=text,
        where=All((*filters, lasting, *([_LIVE] if is_archived else []))),
        limit=int(arguments.get("limit", wire.DEFAULT_LIMIT)),
        weights=profiles.PROFILES[profile],
        arms=EVERY_ARM if arguments.get("graph", False) else _ARMS,
    )
    return Question(
        standing=query,
        archived=replace(query, where=All((*filters, lasting, Not(_LIVE)))) if is_archived else None,
        expired=replace(query, where=All((*filters, Not(lasting)))) if arguments.get("includeExpired", False) else None,
        of_now=valid is None,
        profile=profile,
        highlight=arguments.get("render") == "highlight",
        detail=arguments.get("detail_level", "normal"),
        reconstruct=arguments.get("reconstruct", False),
    )


def restrictions(arguments: Mapping[str, Any], at: Moment) -> list[str]:
    """What restricts a search within its scope, as `category=cases` and `after=来年 (2027-01-01)`: arguments as they were
    given, dates as they were understood, too."""
    given = [(name, str(arguments[name])) for name in ("category", "topicTag") if name in arguments]
    dates = [
        (name, said, interval)
        for name in _DATES
        if (interval := _interval(arguments, name, at)) and (said := arguments[name])
    ]
    return [
        *(f"{name}={shortened(one_line(value))}" for name, value in given if not is_blank(value)),
        *(
            f"{name}={shortened(one_line(said))} ({_days(interval, _ENDS.get(name), at)})"
            for name, said, interval in dates
        ),
    ]


def _days(interval: Interval, end: End | None, at: Moment) -> str:
    """The days of an interval, or the one at the end that an argument uses."""
    first = day(interval.start, at.zone) if interval.start else ""
    last = last_day(interval.end, at.zone) if interval.end else ""
    if end is not None or first == last:
        return last if end == "end" else first
    return f"{first}..{last}"


def merged(standing: Sequence[Hit], archived: Sequence[Hit], expired: Sequence[Hit], limit: int) -> list[Hit]:
    """All by relevance, after that of the expired is lowered; on a tie the standing ones come first, then the archived: what
    holds comes before what it has replaced."""
    demoted = [hit._replace(relevance=hit.relevance * EXPIRED_SHARE) for hit in expired]
    return sorted((*standing, *archived, *demoted), key=lambda hit: hit.relevance, reverse=True)[:limit]


@lru_cache(maxsize=256)
def _usual(scope: str | None, *, archived: bool) -> tuple[Condition, ...]:
    """The conditions of every search in a scope. Cached, as callers use few scopes."""
    within = () if scope is None else (within_scope(scope),)
    return within if archived else (*within, _LIVE)


def _narrowed(arguments: Mapping[str, Any]) -> Iterator[Condition]:
    if (category := arguments.get("category")) is not None:
        yield Equals("category", category)
    if topic := _topic(arguments):
        yield Either((Equals("topic", topic), Equals("tag", topic)))


def _topic(arguments: Mapping[str, Any]) -> str | None:
    """The topic, without blanks around it; a blank one counts as not given."""
    topic: str = arguments.get("topicTag", "")
    return None if is_blank(topic) else topic.strip()


def _stored_between(arguments: Mapping[str, Any], at: Moment) -> tuple[Condition, ...]:
    after, before = _interval(arguments, "after", at), _interval(arguments, "before", at)
    start = after.start if after else None
    end = before.end if before else None
    if start and end and start >= end:
        raise no_span(("after", arguments["after"]), ("before", arguments["before"]))
    return (Within("stored_at", start, end),) if start or end else ()


def _begun(valid: Interval | None) -> tuple[Condition, ...]:
    """With `validAt`: the window had begun by its end. A window begins with `valid_from`, else with the event, else when the
    memory was stored."""
    if valid is None or valid.end is None:
        return ()
    from_event = All((Missing("valid_from"), Within("event_start", end=valid.end)))
    from_storage = All((Missing("valid_from"), Missing("event_start"), Within("stored_at", end=valid.end)))
    return (Either((Within("valid_from", end=valid.end), from_event, from_storage)),)


def _lasting(valid: Interval | None, now: datetime, *, archived: bool) -> Condition:
    """The window had not ended by the start of `validAt`, else by now. Without `validAt`, only live memories can expire;
    `includeArchived` alone decides on archived ones."""
    if valid is not None:
        return Lasting(valid.start) if valid.start else EVERYTHING
    return Either((Lasting(now), Not(_LIVE))) if archived else Lasting(now)


# --- store ------------------------------------------------------------------------------------------------------------


def draft(arguments: Mapping[str, Any], scope: str, at: Moment, tool: str) -> Draft:
    """The memory to store for the arguments. Raises InvalidArgument: dates or a key that cannot be read."""
    text, secret = redacted(arguments["text"])
    category = arguments.get("category", "events")
    starts, ends = (_interval(arguments, name, at) for name in ("validFrom", "validUntil"))
    score, reliability = _confidence(arguments.get("confidence", {}))
    valid_from, valid_until = starts.start if starts else None, _last_moment(ends) if ends else None
    if valid_from and valid_until and valid_from >= valid_until:
        raise no_span(("validFrom", str(arguments["validFrom"])), ("validUntil", str(arguments["validUntil"])))
    topic = _topic(arguments)
    return (Draft if topic else DraftWithGuessedTopic)(
        text=text,
        category=category,
        tags=tags_in(arguments.get("tags", ())),
        topic=topic or topics.topic_of(text),
        scope=scope,
        tool=tool,
        source=arguments.get("source", "manual"),
        importance=float(arguments.get("importance", DEFAULT_IMPORTANCE)),
        confidence=score,
        event_time=_event(arguments, at),
        valid_from=valid_from,
        valid_until=valid_until,
        canonical_key=canonical_key(arguments.get("canonicalKey"), category, text),
        extra=_extra(arguments, reliability, secret),
    )


def has_score(arguments: Mapping[str, Any]) -> bool:
    """Whether the arguments tell how sure a memory is, not only how it is known."""
    given = arguments.get("confidence", {})
    return not isinstance(given, Mapping) or "score" in given


def _confidence(given: float | Mapping[str, Any]) -> tuple[float, str | None]:
    if not isinstance(given, Mapping):
        return float(given), None
    return float(given.get("score", DEFAULT_CONFIDENCE)), given.get("reliability")


def _event(arguments: Mapping[str, Any], at: Moment) -> EventTime | None:
    understood = _interval(arguments, "eventTime", at)
    if understood is None:
        return None
    given = arguments["eventTime"]
    meant = at.of_event(given, understood) if isinstance(given, str) else understood
    return EventTime(raw=str(given), start=meant.start, end=meant.end, confidence=1.0)


def _extra(arguments: Mapping[str, Any], reliability: str | None, secret: Sequence[str]) -> dict[str, Any]:
    return {
        "boundary": wire.DURABLE,
        "privacyTier": arguments.get("privacyTier", "durable"),
        **({"reliability": reliability} if reliability else {}),
        **({REDACTED: list(secret)} if secret else {}),
    }


# --- dates ------------------------------------------------------------------------------------------------------------


def _interval(arguments: Mapping[str, Any], name: str, at: Moment) -> Interval | None:
    """The interval of a date. In a search, a blank date counts as not given, like a blank scope: some clients send "" for what
    they leave out. In a memory to be stored, it is an error."""
    given = arguments.get(name)
    if given is None or (name in _SEARCHED and is_blank(given)):
        return None
    if isinstance(given, str):
        return at.argument(given, name, about=_ABOUT.get(name), end=_ENDS.get(name))
    return _of_milliseconds(given, name)


def _of_milliseconds(given: float, name: str) -> Interval:
    try:
        moment = EPOCH + timedelta(milliseconds=given)
        return Interval(moment, moment + timedelta(milliseconds=1))
    except (OverflowError, ValueError):
        hint = "Pass milliseconds since 1970 or a date such as 2026-03-15."
        also = {
            "ja": f"{name} の {given} は日時として理解できません。1970 年からのミリ秒か、2026-03-15 のような日付にしてください。",
            "zh": f"无法将 {name} 的 {given} 理解为时间，请用自 1970 年起的毫秒数，或 2026-03-15 这样的日期。",
        }
        raise InvalidArgument(name, f"{name} is {given}, which is not a time.", hint=hint, also=also) from None


def _last_moment(window: Interval) -> datetime | None:
    """The end of validity: of a calendar unit its end, of a moment the moment itself."""
    if window.start and window.end and window.end - window.start <= MOMENT:
        return window.start
    return window.end
