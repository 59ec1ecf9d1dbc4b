"""Rules for numbers: the place in a session."""

from __future__ import annotations

import math

from omoide.families.fegis.filters.asked import Asked, ends, ends_too_soon, rules
from omoide.model.condition import Condition, Equals, Within

#: Greater than any place in a session, and still a number that the index can compare.
_FAR = 2**53


def is_number(value: object) -> bool:
    """Whether it is a number in JSON."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number_of(asked: Asked) -> float:
    """The value as a number, an integer if it is whole; a text may hold a number. Raises InvalidArgument."""
    value = asked.value
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    except OverflowError:
        number = _FAR if value > 0 else -_FAR
    if not math.isfinite(number):
        also = {"ja": f"{asked.shown} は数値ではありません。", "zh": f"{asked.shown} 不是数字。"}
        hint = f"{asked.operator} compares {asked.field} with numbers."
        raise asked.wrong(f"{asked.shown} is not a number.", hint, also)
    bounded = max(-_FAR, min(number, _FAR))
    return int(bounded) if bounded == int(bounded) else bounded


def _same(asked: Asked) -> Condition:
    return Equals(asked.column, number_of(asked))


def before(asked: Asked) -> Condition:
    """Strictly less."""
    return Within(asked.column, end=number_of(asked))


def after(asked: Asked) -> Condition:
    """Strictly more."""
    return Within(asked.column, start=number_of(asked), start_inclusive=False)


def between(asked: Asked) -> Condition:
    """Both ends included."""
    low, high = map(number_of, ends(asked))
    if low > high:
        raise ends_too_soon(asked)
    return Within(asked.column, start=low, end=high, end_inclusive=True)


NUMBER = rules(_same, before=before, after=after, between=between)
