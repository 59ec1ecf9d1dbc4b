"""When is that? Japanese, Chinese and English date expressions to half-open intervals.

Useful for: filter arguments ("last 30 days", 先週), dates inside a query, the time a memory speaks of.
Not useful for: recurring dates (every Monday), clock times without a day, lengths without a date.
Invariant: pure and without a clock; any text is accepted, in time linear in its length.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from omoide.dates.mentions import find, parse
from omoide.dates.model import Granularity, Interval, Mention, Order
from omoide.dates.refuse import not_a_date

__all__ = ["Granularity", "Interval", "Mention", "Order", "find", "parse", "parse_argument"]


#: No date expression is longer; a longer text is refused unread.
MAX_ARGUMENT_CHARS = 500


def parse_argument(
    text: str, *, argument: str, now: datetime, zone: tzinfo, week_starts: int = 0, order: Order | None = None
) -> Interval:
    """The interval an argument means.

    Raises:
        InvalidArgument: nothing or only a part was understood; the message names the argument and what was
            understood, the hint three accepted forms, both in the language of `text`.
    """
    if len(text) > MAX_ARGUMENT_CHARS:
        raise not_a_date(text, argument, ())
    mention = parse(text, now=now, zone=zone, week_starts=week_starts, order=order)
    if mention is None:
        raise not_a_date(text, argument, find(text, now=now, zone=zone, week_starts=week_starts, order=order))
    return mention.interval
