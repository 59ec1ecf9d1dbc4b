"""When did it happen? What people wrote (`event_time.raw`) -> an interval, seen from when the entry was saved.

Useful for: `entry.event_time`. Not useful for: dates inside the text of an entry.
Invariant: a date is never invented: what is not understood keeps its words and confidence 0.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo

from omoide import dates
from omoide.model.memory import EventTime

_DAY_OF_MONTH = re.compile(r"(\d{1,2})日", re.ASCII)
_MONTH_ENDS = frozenset({"月末", "げつまつ", "end of month"})
DAY = timedelta(days=1)

DAY_OF_MONTH_CONFIDENCE = 0.6
MONTH_END_CONFIDENCE = 0.7
#: How sure a date of this size is to mean one day on a calendar; anything longer than a month is as unsure as one.
_CONFIDENCE: Mapping[str, float] = {"second": 1.0, "minute": 1.0, "hour": 1.0, "day": 1.0}
_LONGER_CONFIDENCE = 0.8


def resolve(raw: str, anchor: datetime, zone: tzinfo) -> EventTime:
    """`raw` seen from the instant `anchor`, on the calendar of `zone`."""
    text = unicodedata.normalize("NFKC", raw).strip()
    midnight = anchor.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if match := _DAY_OF_MONTH.fullmatch(text):
        return _on(raw, _coming_day(int(match[1]), midnight, anchor), DAY_OF_MONTH_CONFIDENCE)
    if text.lower() in _MONTH_ENDS:
        last = calendar.monthrange(midnight.year, midnight.month)[1]
        return _on(raw, midnight.replace(day=last), MONTH_END_CONFIDENCE)
    mention = dates.parse(text, now=anchor, zone=zone)
    if mention is None:
        return EventTime(raw)
    sure = _CONFIDENCE.get(mention.granularity, _LONGER_CONFIDENCE)
    return EventTime(raw, mention.interval.start, mention.interval.end, sure)


def _on(raw: str, day: datetime | None, confidence: float) -> EventTime:
    return EventTime(raw) if day is None else EventTime(raw, day, day + DAY, confidence)


def _coming_day(day: int, midnight: datetime, anchor: datetime) -> datetime | None:
    """That day of this month, or of the next once its midnight has passed; None where the month lacks it."""
    here = _with_day(midnight, day)
    if here is not None and here < anchor:
        here = _with_day((midnight.replace(day=1) + 32 * DAY), day)
    return here


def _with_day(midnight: datetime, day: int) -> datetime | None:
    try:
        return midnight.replace(day=day)
    except ValueError:
        return None
