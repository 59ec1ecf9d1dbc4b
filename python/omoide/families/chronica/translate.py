"""What do chronica's arguments ask for, in the model's words? Pure functions.

Useful for: searching and threads. Not useful for: entries to save (entry.py), the look of answers (wire.py).
Invariant: an argument that is not used, or not as sent, is named in `warnings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from omoide.errors import InvalidArgument
from omoide.families.chronica.options import Options
from omoide.families.chronica.wire import (
    DEFAULT_KIND,
    DEFAULT_LIMIT,
    DEFAULT_THREAD_TYPE,
    MAX_LIMIT,
    SEARCH_SCHEMA,
)
from omoide.model.condition import All, Condition, Either, Equals, Missing, OneOf, Under, live
from omoide.model.query import Query

#: Least relevance of an answer to a `query`: below it, entries share a character or two with what was asked.
MIN_RELEVANCE = 0.3


@dataclass(frozen=True, slots=True)
class Translated:
    """The recall a search asks for, and what to tell the caller about it."""

    query: Query
    warnings: list[str]


def search(arguments: Mapping[str, Any], options: Options) -> Translated:
    """Empty strings and lists count as not given. Raises InvalidArgument."""
    text = str(arguments.get("query") or "").strip()
    conditions = [live(), *_conditions(arguments)]
    if options.scope is not None:
        conditions.append(Under(options.scope))
    limit = _limit(arguments)
    query = Query(
        text=text,
        where=All(tuple(conditions)),
        limit=min(limit, MAX_LIMIT),
        min_relevance=MIN_RELEVANCE if text else 0.0,
    )
    return Translated(query, [*_unknown(arguments), *_clamped(limit)])


def _limit(arguments: Mapping[str, Any]) -> int:
    limit = int(arguments.get("limit", DEFAULT_LIMIT))
    if limit < 0:
        raise InvalidArgument("limit", f"limit must be 0 or more, got: {limit}", hint="Leave it out for 100.")
    return limit


def _clamped(limit: int) -> list[str]:
    return [f"limit {limit} is more than {MAX_LIMIT}; {MAX_LIMIT} was used."] if limit > MAX_LIMIT else []


def _unknown(arguments: Mapping[str, Any]) -> list[str]:
    known = SEARCH_SCHEMA["properties"]
    return [
        f"unknown argument {name!r} was not used; known: {', '.join(known)}" for name in arguments if name not in known
    ]


def _conditions(arguments: Mapping[str, Any]) -> list[Condition]:
    given = {name: value for name, value in arguments.items() if value}
    if "thread_id" in given:
        given.pop("thread_type", None)
    return [rule(given[name]) for name, rule in _RULES.items() if name in given]


def _or_default(field: str, value: str, default: str) -> Condition:
    """Equality that counts a memory without the field as having the default it is shown with."""
    return Either((Equals(field, value), Missing(field))) if value == default else Equals(field, value)


_RULES: Mapping[str, Callable[[Any], Condition]] = {
    "thread_id": lambda value: Equals("thread", value),
    "thread_type": lambda value: _or_default("thread_type", value, DEFAULT_THREAD_TYPE),
    "kind": lambda value: _or_default("kind", value, DEFAULT_KIND),
    "tags": lambda value: OneOf("tag", tuple(value)),
    "project": lambda value: Equals("project", value),
}


def new_thread(arguments: Mapping[str, Any]) -> tuple[str, str]:
    """(name, type) of the thread to make. Raises InvalidArgument."""
    name = arguments["thread_name"].strip()
    if not name:
        raise InvalidArgument("thread_name", "thread_name is required")
    return name, arguments.get("thread_type") or DEFAULT_THREAD_TYPE
