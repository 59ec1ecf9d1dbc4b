"""Resolves what people wrote as the time of an event (`event_time.raw`) to an interval, relative to when the entry was saved.

Useful for: `entry.event_time`. Not useful for: dates inside the text of an entry.
Invariant: a date is never invented: for what is not understood, only the words are kept, with confidence 0.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from datetime import datetime, timedelta

from omoide import dates
from omoide.model.memory import EventTime

_DAY_OF_MONTH = re.compile(r"(\d{1,2})日", re.ASCII)
_DIRECTIONS: tuple[dates.About, dates.About] = ("past", "future")
_MONTH_ENDS = frozenset({"月末", "げつまつ", "月底", "end of month", "end of the month", "the end of the month"})
DAY = timedelta(days=1)

DAY_OF_MONTH_CONFIDENCE = 0.6
MONTH_END_CONFIDENCE = 0.7
DAY_CONFIDENCE = 1.0
LONGER_CONFIDENCE = 0.8
#: For what recurs, such as weekdays: it is unclear whether the last or the next is meant.
UNDIRECTED_CONFIDENCE = 0.6


def resolve(raw: str, anchor: dates.Moment) -> EventTime:
    """The event time that `raw` means at `anchor`."""
    text = unicodedata.normalize("NFKC", raw).strip()
    midnight = anchor.now.astimezone(anchor.zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if match := _DAY_OF_MONTH.fullmatch(text):
        return _on(raw, _coming_day(int(match[1]), midnight, anchor.now), DAY_OF_MONTH_CONFIDENCE)
    if text.lower() in _MONTH_ENDS:
        last = calendar.monthrange(midnight.year, midnight.month)[1]
        return _on(raw, midnight.replace(day=last), MONTH_END_CONFIDENCE)
    mention = anchor.parse(text)
    if mention is None:
        return EventTime(raw)
    past, coming = ((anchor.parse(text, about=about) or mention).interval for about in _DIRECTIONS)
    # As a day of the month alone: 25日午後3時, too, is of the coming 25日.
    meant = coming if _DAY_OF_MONTH.match(text) else mention.interval
    confidence = _confidence(meant) if past == coming else UNDIRECTED_CONFIDENCE
    return EventTime(raw, meant.start, meant.end, confidence)


def _confidence(interval: dates.Interval) -> float:
    short = interval.start and interval.end and interval.end - interval.start <= DAY
    return DAY_CONFIDENCE if short else LONGER_CONFIDENCE


def _on(raw: str, day: datetime | None, confidence: float) -> EventTime:
    return EventTime(raw) if day is None else EventTime(raw, day, day + DAY, confidence)


def _coming_day(day: int, midnight: datetime, anchor: datetime) -> datetime | None:
    """That day of this month, or of the next if its midnight has passed; None if the month has no such day."""
    here = _with_day(midnight, day)
    if here is not None and here < anchor:
        here = _with_day((midnight.replace(day=1) + 32 * DAY), day)
    return here


def _with_day(midnight: datetime, day: int) -> datetime | None:
    try:
        return midnight.replace(day=day)
    except ValueError:
        return None
