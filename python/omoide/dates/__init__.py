"""When is that? Japanese, Chinese and English date expressions to half-open intervals.

Useful for: filter arguments ("last 30 days", 先週), dates inside a query, the time a memory speaks of.
Not useful for: recurring dates (every Monday), clock times without a day, lengths without a date.
Invariant: pure and without a clock; any text is accepted, in time linear in its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omoide.dates.model import Granularity, Interval, Mention, Order
from omoide.dates.moment import Moment

if TYPE_CHECKING:
    from omoide.dates.mentions import find, parse

__all__ = ["Granularity", "Interval", "Mention", "Moment", "Order", "find", "parse"]


def __getattr__(name: str) -> object:
    if name not in ("find", "parse"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from omoide.dates import mentions  # the grammar is large, and most questions hold no date

    return getattr(mentions, name)
