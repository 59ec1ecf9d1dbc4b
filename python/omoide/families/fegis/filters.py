"""Which condition is a filter `{field, operator, value}`? One table: kind of field x operator -> rule.

Useful for: `SearchMemory.filters`. Not useful for: text ranking.
Invariant: a filter becomes a condition that means what its operator's name says, or an error that names the next step;
no filter is dropped, and a memory without the field is "not equal" to every value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from omoide.dates import Moment
from omoide.errors import InvalidArgument
from omoide.families.fegis.timestamps import Span, iso_span
from omoide.families.fegis.wire import FILTER_FIELDS, OPERATORS
from omoide.model.condition import All, Condition, Contains, Either, Equals, Not, OneOf, Within

KEYWORDS: Mapping[str, str] = {
    "session_id": "session_id",
    "tool": "tool",
    "agent_id": "agent_id",
    "memory_id": "id",
    "preceding_memory_id": "preceding_id",
    "archetype_title": "archetype_title",
}
_OTHERS = {
    "title": "text",
    "context": "text",
    "archetype_version": "version",
    "schema_version": "version",
    "sequence_order": "number",
    "timestamp": "time",
}
#: Each word is looked for in every memory.
MAX_WORDS = 50
_RUN = re.compile(r"[^\W_]+")
#: Beyond any order in a session, within what an index counts.
_FAR = 2**53


@dataclass(frozen=True, slots=True)
class Asked:
    """One filter, its value still as sent; `at` says where it stands, for errors."""

    field: str
    operator: str
    value: Any
    moment: Moment
    at: str

    def holding(self, value: Any) -> Asked:
        """The same filter about another value."""
        return Asked(self.field, self.operator, value, self.moment, self.at)

    def wrong(self, message: str, hint: str) -> InvalidArgument:
        """The error about this filter."""
        return InvalidArgument("filters", message, hint=f"{self.at} ({self.field} {self.operator}): {hint}")


Rule = Callable[[Asked], Condition]


def condition(filter: Mapping[str, Any], moment: Moment, *, index: int = 0) -> Condition:
    """The condition of one filter. Raises InvalidArgument."""
    for key in ("field", "operator", "value"):
        if key not in filter:
            raise InvalidArgument("filters", f"Filter missing required '{key}' parameter", hint=_shape(index))
    asked = Asked(filter["field"], filter["operator"], filter["value"], moment, f"filters[{index}]")
    if asked.field not in FILTER_FIELDS:
        raise asked.wrong(f"Invalid field '{asked.field}'. Valid fields: {sorted(FILTER_FIELDS)}", "name one of these.")
    if asked.operator not in OPERATORS:
        raise asked.wrong(
            f"Invalid operator '{asked.operator}'. Valid operators: {sorted(OPERATORS)}", "use one of these."
        )
    return _rule(asked)(asked)


def _shape(index: int) -> str:
    return f'filters[{index}] must be like {{"field": "tool", "operator": "is", "value": "StoreMemory"}}.'


def _rule(asked: Asked) -> Rule:
    rules = _RULES[_OTHERS.get(asked.field, "keyword")]
    if asked.operator in rules:
        return rules[asked.operator]
    raise asked.wrong(
        f"'{asked.operator}' does not apply to '{asked.field}'.", f"use one of {', '.join(rules)} with {asked.field}."
    )


# --- rules shared by every kind of field


def _is_not(asked: Asked) -> Condition:
    return Not(_RULES[_OTHERS.get(asked.field, "keyword")]["is"](asked))


def _any_of(asked: Asked) -> Condition:
    rule = _RULES[_OTHERS.get(asked.field, "keyword")]["is"]
    return Either(tuple(rule(each) for each in _options(asked)))


def _options(asked: Asked) -> list[Asked]:
    if not isinstance(asked.value, list):
        raise asked.wrong("'any_of' operator requires array", 'give a list, for example ["a", "b"].')
    return [asked.holding(each) for each in asked.value]


def _ends(asked: Asked) -> tuple[Any, Any]:
    value = asked.value
    if isinstance(value, dict):
        return value["from"], value["to"]
    if isinstance(value, list) and len(value) == 2:
        return value[0], value[1]
    raise asked.wrong("'between' operator requires array [min, max]", 'give [min, max] or {"from": min, "to": max}.')


def _reversed(asked: Asked) -> InvalidArgument:
    low, high = _ends(asked)
    return asked.wrong(f"The range from {low!r} to {high!r} ends before it begins.", "give the smaller value first.")


# --- names and texts


def _text(asked: Asked) -> str:
    value = asked.value
    if isinstance(value, str):
        return value
    if _is_number(value):
        return str(value)
    raise asked.wrong(f"'{asked.operator}' compares with one text, not with {value!r}.", "give a single value.")


def _keyword_is(asked: Asked) -> Condition:
    return Equals(KEYWORDS[asked.field], _text(asked))


def _one_of(asked: Asked) -> Condition:
    return OneOf(KEYWORDS.get(asked.field, asked.field), tuple(_text(each) for each in _options(asked)))


def _keyword_contains(asked: Asked) -> Condition:
    return Contains(KEYWORDS[asked.field], _some_text(asked))


def _text_is(asked: Asked) -> Condition:
    return Equals(asked.field, _text(asked))


def _text_contains(asked: Asked) -> Condition:
    words = words_of(_some_text(asked))
    if len(words) > MAX_WORDS:
        raise asked.wrong(f"{len(words)} words are more than 'contains' looks for.", f"give at most {MAX_WORDS}.")
    return All(tuple(Contains(asked.field, word) for word in words))


def _some_text(asked: Asked) -> str:
    text = _text(asked).strip()
    if not text:
        raise asked.wrong("'contains' needs some text to look for.", "give at least one character.")
    return text


def words_of(text: str) -> list[str]:
    """What has to occur, in any order: runs of letters and digits. Where signs leave no more than single letters
    (C++, 1.2), the signs belong to the word."""
    return list(dict.fromkeys(part for word in text.split() for part in _runs(word)))


def _runs(word: str) -> list[str]:
    runs = _RUN.findall(word)
    return runs if any(len(run) > 1 for run in runs) else [word]


# --- versions: texts, and those that are written as a number also numbers


def _version_is(asked: Asked) -> Condition:
    if not _is_number(asked.value):
        return Equals(asked.field, _text(asked))
    number = _number(asked)
    return Within(asked.field, start=number, end=number, end_inclusive=True)


def _version_contains(asked: Asked) -> Condition:
    return Contains(asked.field, _some_text(asked))


# --- numbers


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(asked: Asked) -> float:
    value = asked.value
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    except OverflowError:
        number = _FAR if value > 0 else -_FAR
    if not math.isfinite(number):
        raise asked.wrong(f"{value!r} is not a number.", f"{asked.operator} compares {asked.field} with numbers.")
    bounded = max(-_FAR, min(number, _FAR))
    return int(bounded) if bounded == int(bounded) else bounded


def _number_is(asked: Asked) -> Condition:
    return Equals(asked.field, _number(asked))


def _number_before(asked: Asked) -> Condition:
    return Within(asked.field, end=_number(asked))


def _number_after(asked: Asked) -> Condition:
    return Within(asked.field, start=_number(asked), start_inclusive=False)


def _number_between(asked: Asked) -> Condition:
    low, high = (_number(asked.holding(end)) for end in _ends(asked))
    if low > high:
        raise _reversed(asked)
    return Within(asked.field, start=low, end=high, end_inclusive=True)


# --- timestamp


def _span(asked: Asked) -> Span:
    if not isinstance(asked.value, str):
        raise asked.wrong("Timestamp filter values must be strings in ISO format", "for example '2024-01-01' or 昨日.")
    written = iso_span(asked.value, asked.moment.zone)
    if written is not None:
        return written
    interval = asked.moment.argument(asked.value, "timestamp")
    return Span(interval.start, interval.end, instant=False)


def _time_is(asked: Asked) -> Condition:
    span = _span(asked)
    return Within("stored_at", start=span.start, end=span.end)


def _time_before(asked: Asked) -> Condition:
    span = _span(asked)
    return Within("stored_at", end=span.start if span.instant else span.end)


def _time_after(asked: Asked) -> Condition:
    span = _span(asked)
    return Within("stored_at", start=span.start, start_inclusive=not span.instant)


def _time_between(asked: Asked) -> Condition:
    first, last = (_span(asked.holding(end)) for end in _ends(asked))
    if first.start and last.end and first.start >= last.end:
        raise _reversed(asked)
    return Within("stored_at", start=first.start, end=last.end)


_RULES: Mapping[str, Mapping[str, Rule]] = {
    "keyword": {"is": _keyword_is, "is_not": _is_not, "contains": _keyword_contains, "any_of": _one_of},
    "text": {"is": _text_is, "is_not": _is_not, "contains": _text_contains, "any_of": _one_of},
    "version": {
        "is": _version_is,
        "is_not": _is_not,
        "before": _number_before,
        "after": _number_after,
        "between": _number_between,
        "contains": _version_contains,
        "any_of": _any_of,
    },
    "number": {
        "is": _number_is,
        "is_not": _is_not,
        "before": _number_before,
        "after": _number_after,
        "between": _number_between,
        "any_of": _any_of,
    },
    "time": {
        "is": _time_is,
        "is_not": _is_not,
        "before": _time_before,
        "after": _time_after,
        "between": _time_between,
        # A stored timestamp contains "2025-07" when it lies in that month.
        "contains": _time_is,
        "any_of": _any_of,
    },
}
