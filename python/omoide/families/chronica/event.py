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
_MONTH_ENDS = frozenset({"月末", "げつまつ", "end of month"})
DAY = timedelta(days=1)

DAY_OF_MONTH_CONFIDENCE = 0.6
MONTH_END_CONFIDENCE = 0.7
DAY_CONFIDENCE = 1.0
LONGER_CONFIDENCE = 0.8
#: For names that recur, such as weekdays: it is unclear whether the last or the next is meant.
UNDIRECTED_CONFIDENCE = 0.6
_MONTH = "(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)"
_UNDIRECTED = re.compile(
    r"[月火水木金土日]曜日?|(周|週|星期|礼拜|禮拜)[一二三四五六日天]|(on )?(mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(\d{1,2}|[一二三四五六七八九十]{1,2})月((\d{1,2}|[一二三四五六七八九十廿卅]{1,3})[日号號]?)?|\d{1,2}/\d{1,2}"
    r"|(\d{1,2}|[一二三四五六七八九十廿卅]{1,3})[日号號]|((on )?the )?\d{1,2}(st|nd|rd|th)"
    rf"|(in |on )?{_MONTH}\.?( (the )?\d{{1,2}}(st|nd|rd|th)?)?|(on )?(the )?\d{{1,2}}(st|nd|rd|th)?( of)? {_MONTH}\.?",
    re.ASCII | re.IGNORECASE,
)


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
    return EventTime(raw, mention.interval.start, mention.interval.end, _confidence(text, mention.interval))


def _confidence(text: str, interval: dates.Interval) -> float:
    if _UNDIRECTED.fullmatch(text):
        return UNDIRECTED_CONFIDENCE
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
