"""Parses date expressions in Japanese, Chinese and English to half-open intervals.

    mentions      `find` and `parse`: the dates in a text (ambiguity: is one certain? lists: a year or month said once for two)
    fold, lexer, rules          text -> tokens, by the tables of `words`; which rules can begin with a token
    patterns      regular expressions, compiled when a text first asks for one
    grammar       tokens -> nodes (frame): ranges and bounds (comparisons: of lengths), made of terms, lengths, numbers, literals,
                  and of `parts`, which joining joins
    resolve       a node -> instants, relative to a reference: days (civil, calendar, holidays, solar_terms, lunar_months) and hours
    model, moment               results; the present moment with the caller's zone and first day of the week
    vague         words for the near past that name no date
    errors        error messages for arguments that are not dates

Useful for: filter arguments ("last 30 days", 先週), dates inside a query, the time a memory is about.
Not useful for: recurring dates (every Monday), clock times without a day, lengths without a date.
Invariant: pure functions, which read no clock; any text is accepted, in time linear in its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omoide.dates.model import About, End, Granularity, Interval, Mention, Order
from omoide.dates.moment import Moment
from omoide.dates.vague import vague_places

if TYPE_CHECKING:
    from omoide.dates.mentions import find, parse

__all__ = ["About", "End", "Granularity", "Interval", "Mention", "Moment", "Order", "find", "parse", "vague_places"]


def __getattr__(name: str) -> object:
    if name not in ("find", "parse"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from omoide.dates import mentions  # the grammar is large, and most queries hold no date

    return getattr(mentions, name)
