"""Compiles conditions of the model to filters of the engine.

Conditions on texts are looked up in the store, which has the whole texts, all others in the engine's own sets.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn, Protocol

from omoide import _engine
from omoide.engine.attributes import keyword, microseconds, number
from omoide.engine.keys import memory_key
from omoide.errors import InvalidArgument, not_whole, shown
from omoide.model.condition import (
    KEYWORD_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    TIME_FIELDS,
    VERSION_FIELDS,
    All,
    Bound,
    Condition,
    Contains,
    Either,
    Equals,
    Lasting,
    Missing,
    Not,
    OneOf,
    Under,
    Within,
    live,
)
from omoide.text import fold

Filter = _engine.Filter
_ORDERED = NUMBER_FIELDS | TIME_FIELDS
#: The engine's largest integer but one, as 1 may be added; bounds beyond it are clamped to it.
_LARGEST = 2**63 - 2
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


#: Nearly every query has this condition, more than once, so it is compiled only once.
_LIVE = live()
_IS_LIVE = Filter.one_of(_LIVE.field, [keyword(_LIVE.field, value) for value in _LIVE.values])


class Texts(Protocol):
    """Where conditions on texts are looked up: a reader, or an object that opens one when needed."""

    def numbers_where(self, field: str, holds: Callable[[str], bool]) -> list[int]:
        """See Reader."""
        ...

    def numbers_with(self, field: str, texts: Iterable[str]) -> list[int]:
        """See Reader."""
        ...

    def values_of(self, field: str) -> list[str]:
        """See Reader."""
        ...


def compile_condition(condition: Condition, reader: Texts) -> Filter:
    """The engine's filter for a condition. Raises InvalidArgument for an unknown field, and for values that cannot be compared
    with the field."""
    return _COMPILED[type(condition)](condition, reader)


def _under(condition: Under, _: Texts) -> Filter:
    if not isinstance(condition.scope, str):
        raise InvalidArgument("scope", f"A scope is a text, not {condition.scope!r}.")
    return _in_family(condition.scope)


@lru_cache(maxsize=256)
def _in_family(scope: str) -> Filter:
    """Cached, as callers search in few scopes."""
    with _refusing_surrogates("scope"):
        return Filter.equals("scope_family", keyword("scope", scope))


def _all(condition: All, reader: Texts) -> Filter:
    return Filter.all(_compiled(condition, reader))


def _either(condition: Either, reader: Texts) -> Filter:
    return Filter.any(_compiled(condition, reader))


def _compiled(several: All | Either, reader: Texts) -> list[Filter]:
    conditions = several.conditions
    if not isinstance(conditions, (tuple, Iterable)):  # the usual case first: every query comes here
        name = type(several).__name__
        hint = f"Write {name}((condition, …))."
        raise InvalidArgument("where", f"{name} takes several conditions, not {shown(conditions)}.", hint=hint)
    return [_COMPILED[type(each)](each, reader) for each in conditions]


def _not(condition: Not, reader: Texts) -> Filter:
    inner = condition.condition
    return Filter.negate(_COMPILED[type(inner)](inner, reader))


def _equals(condition: Equals, reader: Texts) -> Filter:
    return _one_of(_field(condition), (condition.value,), reader)


def _among(condition: OneOf, reader: Texts) -> Filter:
    if condition is _LIVE:
        return _IS_LIVE
    if isinstance(condition.values, str) or not isinstance(condition.values, Iterable):
        # Iterating a text would compare with each of its characters.
        raise InvalidArgument(
            condition.field, f"{condition.values!r} is one value.", hint="Write OneOf(field, (value,))."
        )
    return _one_of(_field(condition), condition.values, reader)


def _one_of(field: str, values: tuple[str | Bound, ...], reader: Texts) -> Filter:
    if field in KEYWORD_FIELDS:
        with _refusing_surrogates(field):
            return Filter.one_of(field, [keyword(field, value) for value in values])
    if field in _ORDERED:
        return Filter.any([_equal_to(field, value) for value in values])
    if field in TEXT_FIELDS:
        return _keys(reader.numbers_with(field, map(str, values)))
    raise _unknown(field)


@contextmanager
def _refusing_surrogates(field: str) -> Iterator[None]:
    """A block in which lone surrogates raise InvalidArgument: the engine takes whole characters only."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise not_whole(field, field, error) from None


def _equal_to(field: str, value: str | Bound) -> Filter:
    comparable = _comparable(field, value)
    if not isinstance(value, datetime) and field == "sequence_order" and value != comparable:
        return Filter.keys([])
    return Filter.within(field, comparable, comparable + 1)


def _within(condition: Within, reader: Texts) -> Filter:
    field, start, end = _field(condition), condition.start, condition.end
    if field in VERSION_FIELDS:
        return _versions(condition, reader)
    if field not in _ORDERED:
        raise InvalidArgument(field, f"{field} has no order: ranges go with numbers and times.")
    first = None if start is None else _first_integer(field, start, after=not condition.start_inclusive)
    past = None if end is None else _first_integer(field, end, after=condition.end_inclusive)
    return Filter.within(field, first, past)


def _lasting(condition: Lasting, _: Texts) -> Filter:
    return Filter.negate(Filter.within("valid_until", None, _comparable("valid_until", condition.at) + 1))


def _comparable(field: str, value: object) -> int:
    """A bound in the form the engine compares. Raises InvalidArgument unless it is an aware datetime or, for a field that is no
    time, a finite number: seconds since 1970 would be taken for microseconds."""
    if isinstance(value, datetime):
        try:
            return microseconds(value)
        except TypeError:
            raise InvalidArgument(field, f"{field}: {value} has no time zone.", hint="Add one, as in +09:00.") from None
    if isinstance(value, str):
        raise InvalidArgument(field, f"{field} is compared with numbers or times, not with the text {value!r}.")
    if not isinstance(value, (int, float)) or (isinstance(value, float) and not math.isfinite(value)):
        raise InvalidArgument(field, f"{field} is compared with numbers or times, not with {value!r}.")
    if field in TIME_FIELDS:
        hint = "Pass a datetime with a time zone."
        raise InvalidArgument(field, f"{field} is compared with times, not with the number {value!r}.", hint=hint)
    return int(_clamped(number(field, _clamped(value))))  # again, since shares become millionths


def _clamped(value: float) -> float:
    return min(max(value, -_LARGEST), _LARGEST)


def _versions(condition: Within, reader: Texts) -> Filter:
    """Versions are keywords, without an order in the engine; they are few, so each is compared here as a number."""
    for bound in (condition.start, condition.end):
        if not (bound is None or isinstance(bound, (int, float))):
            raise InvalidArgument(condition.field, f"Ranges of {condition.field} are of numbers, not of {bound!r}.")
    versions = [value for value in reader.values_of(condition.field) if _contains_version(condition, value)]
    return Filter.one_of(condition.field, [keyword(condition.field, value) for value in versions])


def _contains_version(condition: Within, version: str) -> bool:
    if not _NUMBER.fullmatch(version):
        return False
    comparable: Any = float(version)
    low, high = condition.start, condition.end
    above = low is None or (comparable >= low if condition.start_inclusive else comparable > low)
    return above and (high is None or (comparable <= high if condition.end_inclusive else comparable < high))


def _first_integer(field: str, value: Bound, *, after: bool) -> int:
    """The first integer at a bound; with `after`, the first one after it. A fraction, in a column of whole numbers, lies between
    two."""
    comparable = _comparable(field, value)
    exact = isinstance(value, datetime) or field != "sequence_order" or value == comparable
    return comparable + 1 if after or not exact else comparable


def _containing(condition: Contains, reader: Texts) -> Filter:
    if _field(condition) not in KEYWORD_FIELDS | TEXT_FIELDS:
        raise InvalidArgument(condition.field, f"{condition.field} holds no text to look into.")
    if not isinstance(condition.text, str):
        raise InvalidArgument(condition.field, f"{condition.field} contains texts, not {condition.text!r}.")
    folded_text = fold(condition.text)
    return _keys(reader.numbers_where(condition.field, lambda value: folded_text in fold(value)))


def _keys(numbers: list[int]) -> Filter:
    return Filter.keys([memory_key(each) for each in numbers])


def _missing(condition: Missing, _: Texts) -> Filter:
    if _field(condition) in KEYWORD_FIELDS:
        return Filter.negate(Filter.has_attribute(condition.field))
    if condition.field in _ORDERED:
        return Filter.negate(Filter.has_number(condition.field))
    if condition.field in TEXT_FIELDS:
        raise InvalidArgument(condition.field, f"Missing does not look into texts such as {condition.field}.")
    raise _unknown(condition.field)


def _unsupported(condition: object, _: Texts) -> NoReturn:
    raise InvalidArgument("where", f"{condition!r} is no condition.", hint="Write for example Equals(field, value).")


class _Compiled(dict[type, Callable[[Any, Texts], Filter]]):
    """How to compile each type of condition; any other type is refused."""

    def __missing__(self, _: type) -> Callable[[Any, Texts], Filter]:
        return _unsupported


_COMPILED = _Compiled(
    {
        All: _all,
        Either: _either,
        Not: _not,
        Equals: _equals,
        OneOf: _among,
        Within: _within,
        Contains: _containing,
        Under: _under,
        Missing: _missing,
        Lasting: _lasting,
    }
)


def _field(condition: Equals | OneOf | Within | Contains | Missing) -> str:
    """The field that the condition names. Raises InvalidArgument for what is no text."""
    if not isinstance(condition.field, str):
        raise _unknown(condition.field)
    return condition.field


def _unknown(field: object) -> InvalidArgument:
    known = ", ".join(sorted(KEYWORD_FIELDS | _ORDERED | TEXT_FIELDS))
    return InvalidArgument(
        field if isinstance(field, str) else "field",
        f"{shown(field)} is not a field of a memory.",
        hint=f"Fields: {known}.",
    )
