"""Translates chronica's arguments to queries and conditions. Pure functions.

Useful for: searching and threads. Not useful for: entries to save (entry.py), the format of answers (wire.py).
Invariant: an argument that is not used, or not as sent, is named in `warnings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from omoide.dates import End, Interval, Moment
from omoide.dates.errors import no_span
from omoide.errors import InvalidArgument, needed
from omoide.families.chronica import saved_time
from omoide.families.chronica.options import Options
from omoide.families.chronica.remarks import LanguageOf, in_both, unknown_in
from omoide.families.chronica.wire import (
    DEFAULT_KIND,
    DEFAULT_LIMIT,
    DEFAULT_THREAD_TYPE,
    MAX_LIMIT,
    SEARCH_SCHEMA,
    SUMMARIZE_SCHEMA,
    TIMELINE_SCHEMA,
)
from omoide.model.condition import All, Condition, Either, Equals, Missing, OneOf, Under, Within, live
from omoide.model.query import Query
from omoide.text import is_blank

#: Least relevance of a hit for a `query`: below it, entries share only a character or two with the query.
MIN_RELEVANCE = 0.3
_CLAMPED: Mapping[str, str] = {
    "en": "limit {limit} is more than {most}; {most} was used.",
    "ja": "limit は {most} までです（{limit} でした）。{most} として探しました。",
    "zh": "limit 最多为 {most}（现为 {limit}），已按 {most} 查找。",
}
#: Most entries in a summary: with more, the answer is longer than a model can read, or than is sent.
MOST_IN_A_SUMMARY = 10_000


class Translated(NamedTuple):
    """The query that the arguments ask for, and the warnings for the caller."""

    query: Query
    warnings: list[str]


def search(arguments: Mapping[str, Any], options: Options, language_of: LanguageOf) -> Translated:
    """The query of a search. Empty strings and lists count as not given. Raises InvalidArgument."""
    said = str(arguments.get("query") or "")
    text = "" if is_blank(said) else said.strip()
    limit = _limit(arguments)
    query = Query(
        text=text,
        where=_where(arguments, options),
        limit=min(limit, MAX_LIMIT),
        min_relevance=MIN_RELEVANCE if text else 0.0,
    )
    return Translated(
        query, [*unknown_arguments(arguments, SEARCH_SCHEMA), *_limit_warning(limit, arguments, language_of)]
    )


def timeline(
    arguments: Mapping[str, Any],
    moment: Moment,
    options: Options,
    language_of: LanguageOf,
    *,
    for_summary: bool = False,
) -> Translated:
    """Entries between two times, both included, oldest first. `for_summary`: the arguments are those of
    chronica_summarize, which names its range otherwise and has no limit.

    Raises InvalidArgument: an end that is not a date, or is before the start.
    """
    names = ("range_start", "range_end") if for_summary else ("start_time", "end_time")
    schema = SUMMARIZE_SCHEMA if for_summary else TIMELINE_SCHEMA
    # Neither has all the arguments of a search; the others are told to the caller as not used.
    known = {name: value for name, value in arguments.items() if name in schema["properties"]}
    where = _where(known, options, *_between(known, names, moment))
    if for_summary:
        return Translated(Query(where=where, limit=MOST_IN_A_SUMMARY, order="oldest"), [])
    limit = _limit(arguments)
    query = Query(where=where, limit=min(limit, MAX_LIMIT), order="oldest")
    return Translated(query, [*unknown_arguments(arguments, schema), *_limit_warning(limit, arguments, language_of)])


def unknown_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """A warning for each argument that the schema does not name."""
    known = schema["properties"]
    return [
        f"unknown argument {name!r} was not used; known: {', '.join(known)}" for name in unknown_in(arguments, known)
    ]


def _between(arguments: Mapping[str, Any], names: tuple[str, str], moment: Moment) -> list[Condition]:
    """Saved from the start of the first argument's date to the end of the second's; either may be open."""
    ends: tuple[End, End] = ("start", "end")
    start, end = (
        _interval(arguments[name], name, moment, which) if arguments.get(name) else None
        for name, which in zip(names, ends, strict=True)
    )
    first = None if start is None else start.start
    last = None if end is None else end.end
    if first is not None and last is not None and first >= last:
        low, high = ((name, str(arguments[name])) for name in names)
        raise no_span(low, high, code="invalid_range")
    return [] if first is None and last is None else [Within("stored_at", first, last)]


def _interval(said: str, name: str, moment: Moment, which: End) -> Interval:
    """What the argument means. Of dates, a second is the smallest unit, but entries of one second have an order, too."""
    instant = saved_time.with_fraction(said, moment.zone)
    if instant is None:
        return moment.argument(said, name, about="past", end=which)
    return Interval(instant, instant + timedelta(microseconds=1))


def newest(options: Options, limit: int, **fields: Any) -> Query:
    """The newest entries with these fields; empty values count as not given."""
    return Query(where=_where(fields, options), limit=limit)


def _where(fields: Mapping[str, Any], options: Options, *more: Condition) -> Condition:
    """The condition of every list: live entries with these fields, in the scope of the options."""
    within = [Under(options.scope)] if options.scope is not None else []
    return All((live(), *_conditions(fields), *more, *within))


def _limit(arguments: Mapping[str, Any]) -> int:
    limit = int(arguments.get("limit", DEFAULT_LIMIT))
    if limit < 0:
        also = {
            "ja": f"limit は 0 以上にしてください（{limit} でした）。省くと {DEFAULT_LIMIT} です。",
            "zh": f"limit 不能小于 0（现为 {limit}）。省略时为 {DEFAULT_LIMIT}。",
        }
        message = f"limit must be 0 or more, got: {limit}"
        raise InvalidArgument("limit", message, hint=f"Leave it out for {DEFAULT_LIMIT}.", also=also)
    return limit


def _limit_warning(limit: int, arguments: Mapping[str, Any], language_of: LanguageOf) -> list[str]:
    if limit <= MAX_LIMIT:
        return []
    return [in_both(_CLAMPED, str(arguments), language_of).format(limit=limit, most=MAX_LIMIT)]


def _conditions(arguments: Mapping[str, Any]) -> list[Condition]:
    given = {name: value for name in _RULES if (value := _cleaned(arguments.get(name)))}
    if "thread_id" in given:
        given.pop("thread_type", None)
    return [_RULES[name](value) for name, value in given.items()]


def _cleaned(value: Any) -> Any:
    """The value without outer blanks, and of a list without blank members."""
    if isinstance(value, list):
        return [each for each in value if each.strip()]
    return value.strip() if isinstance(value, str) else value


def _or_default(field: str, value: str, default: str) -> Condition:
    """Equality that treats a memory without the field as having the default, as it is shown."""
    return Either((Equals(field, value), Missing(field))) if value == default else Equals(field, value)


_RULES: Mapping[str, Callable[[Any], Condition]] = {
    "thread_id": lambda value: Equals("thread", value),
    "thread_type": lambda value: _or_default("thread_type", value, DEFAULT_THREAD_TYPE),
    "kind": lambda value: _or_default("kind", value, DEFAULT_KIND),
    "tags": lambda value: OneOf("tag", tuple(value)),
    "project": lambda value: Equals("project", value),
}


def new_thread(arguments: Mapping[str, Any]) -> tuple[str, str]:
    """(name, type) of the thread to create. Raises InvalidArgument."""
    name = arguments["thread_name"].strip()
    if is_blank(name):
        raise InvalidArgument("thread_name", "thread_name is required", also=needed("thread_name"))
    return name, arguments.get("thread_type") or DEFAULT_THREAD_TYPE
