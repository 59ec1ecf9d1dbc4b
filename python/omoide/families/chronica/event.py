"""Resolves what people wrote as the time of an event (`event_time.raw`) to an interval, relative to when the entry was saved.

Useful for: `entry.event_time`. Not useful for: dates inside the text of an entry.
Invariant: a date is never invented: for what is not understood, only the words are kept, with confidence 0.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta

from omoide import dates
from omoide.model.memory import EventTime

_DAY_OF_MONTH = re.compile(r"(\d{1,2})日", re.ASCII)
_DIRECTIONS: tuple[dates.About, dates.About] = ("past", "future")
_MONTH_END = re.compile(r"(?:the )?end of (?P<english>.+)|げつまつ|(?P<han>.*月)の?[末底]", re.IGNORECASE)
_THIS_MONTH = {"": "今月", "月": "今月", "month": "今月", "the month": "今月"}
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
    month = _month_ending(text, anchor)
    said = month or text
    mention = anchor.parse(said)
    if mention is None:
        return EventTime(raw)
    past, coming = ((anchor.parse(said, about=about) or mention).interval for about in _DIRECTIONS)
    if month is not None and mention.interval.end is not None:
        confidence = MONTH_END_CONFIDENCE if past == coming else UNDIRECTED_CONFIDENCE
        return _on(raw, mention.interval.end - DAY, confidence)
    # As a day of the month alone: 25日午後3時, too, is of the coming 25日.
    meant = coming if _DAY_OF_MONTH.match(text) else anchor.of_event(text, mention.interval)
    confidence = _confidence(meant) if past == coming else UNDIRECTED_CONFIDENCE
    return EventTime(raw, meant.start, meant.end, confidence)


def _month_ending(text: str, anchor: dates.Moment) -> str | None:
    """The month whose end the text names: 今月 of 月末, 来月 of 来月末, 下个月 of 下个月底, "next month" of "end of next month"."""
    if (match := _MONTH_END.fullmatch(text)) is None:
        return None
    named = match["han"] or (match["english"] or "").lower()
    month = _THIS_MONTH.get(named, named)
    mention = anchor.parse(month)
    return month if mention is not None and mention.granularity == "month" else None


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
