"""Results of parsing: `Interval`, `Mention`, and their units.

Useful for: callers that filter or boost by time. Not useful for: parsing; see `find` and `parse`.
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
#: What an argument is about, if that is known: it decides what Friday, the weekend and "within 3 days" mean.
About = Literal["past", "future"]


class Interval(NamedTuple):
    """Instants from `start` up to but without `end`, both aware; None = open on that side."""

    start: datetime | None
    end: datetime | None


class Mention(NamedTuple):
    """A date found in a text; `text` is its part at the code points [start, end).

    `granularity`: the unit that the words name; "two months ago" is one day long, and has the granularity "month".
    `explicit`: certainly a date; a bare "2048", "may" or "the 27" is not. `relative`: depends on the reference. `deictic`: says
    nothing but how far it is from the reference (先週の土曜, 最近30天, last month), so that the same words mean another time in
    another text; Friday, 3月 and 去年春节 have words that a text of that time may have, too.
    """

    interval: Interval
    start: int
    end: int
    granularity: Granularity
    explicit: bool
    text: str
    relative: bool
    deictic: bool
