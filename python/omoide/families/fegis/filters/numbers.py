"""Rules for numbers: the place in a session."""

from __future__ import annotations

import math

from omoide.families.fegis.filters.filter import Filter, ends, reversed_range, rules
from omoide.model.condition import Condition, Equals, Within

#: Greater than any place in a session, and still a number that the index can compare.
_FAR = 2**53


def is_number(value: object) -> bool:
    """Whether it is a number in JSON."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number_of(filter: Filter) -> float:
    """The value as a number, an integer if it is whole; a text may hold a number. Raises InvalidArgument."""
    value = filter.value
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    except OverflowError:
        number = _FAR if value > 0 else -_FAR
    if not math.isfinite(number):
        also = {"ja": f"{filter.shown} は数値ではありません。", "zh": f"{filter.shown} 不是数字。"}
        hint = f"{filter.operator} compares {filter.field} with numbers."
        raise filter.error(f"{filter.shown} is not a number.", hint, also)
    bounded = max(-_FAR, min(number, _FAR))
    return int(bounded) if bounded == int(bounded) else bounded


def _same(filter: Filter) -> Condition:
    return Equals(filter.column, number_of(filter))


def before(filter: Filter) -> Condition:
    """Strictly less."""
    return Within(filter.column, end=number_of(filter))


def after(filter: Filter) -> Condition:
    """Strictly more."""
    return Within(filter.column, start=number_of(filter), start_inclusive=False)


def between(filter: Filter) -> Condition:
    """Both ends included."""
    low, high = map(number_of, ends(filter))
    if low > high:
        raise reversed_range(filter)
    return Within(filter.column, start=low, end=high, end_inclusive=True)


NUMBER = rules(_same, before=before, after=after, between=between)
