"""When is that? Japanese, Chinese and English date expressions to half-open intervals.

    mentions      `find` and `parse`: where in a text are dates, and which (doubt: is it surely one? listed: what was
                  said once of two)
    fold, lexer, rules          text -> tokens, by the tables of `words`
    grammar       tokens -> a `frame`: ranges and bounds (`compared`: of lengths); of terms, lengths, numbers, literals, and
                  `parts` when joined
    resolve       a frame -> instants, seen from a reference: days (civil, calendar, holidays, sun, moon) and hours
    model, moment               what comes out; now, in the caller's zone and with the caller's weeks
    refuse        what is said of an argument that is no date

Useful for: filter arguments ("last 30 days", 先週), dates inside a query, the time a memory speaks of.
Not useful for: recurring dates (every Monday), clock times without a day, lengths without a date.
Invariant: pure and without a clock; any text is accepted, in time linear in its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omoide.dates.model import End, Granularity, Interval, Mention, Order
from omoide.dates.moment import Moment

if TYPE_CHECKING:
    from omoide.dates.mentions import find, parse

__all__ = ["End", "Granularity", "Interval", "Mention", "Moment", "Order", "find", "parse"]


def __getattr__(name: str) -> object:
    if name not in ("find", "parse"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from omoide.dates import mentions  # the grammar is large, and most questions hold no date

    return getattr(mentions, name)
