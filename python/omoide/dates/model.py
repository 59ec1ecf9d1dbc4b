"""What a date expression comes to: `Interval`, `Mention`, and the units they are counted in.

Useful for: callers that filter or boost by time. Not useful for: parsing, which is `find` and `parse`.
Invariant: an interval is half-open and aware; when both ends are given, start < end.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

Granularity = Literal[
    "second", "minute", "hour", "day", "week", "month", "quarter", "season", "year", "decade", "century"
]
Order = Literal["month_first", "day_first"]
End = Literal["start", "end"]


class Interval(NamedTuple):
    """Instants from `start` up to but without `end`, both aware; None = open on that side."""

    start: datetime | None
    end: datetime | None


class Mention(NamedTuple):
    """A date found in a text: `text` is what stands at the code points [start, end) of it.

    `granularity` is the unit the words name: "two months ago" is one day long and of granularity "month".
    `explicit` = certainly a date; a bare "2048", "may" or "the 27" is not. `relative` = depends on the reference.
    """

    interval: Interval
    start: int
    end: int
    granularity: Granularity
    explicit: bool
    text: str
    relative: bool
