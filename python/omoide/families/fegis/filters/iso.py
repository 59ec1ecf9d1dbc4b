"""Parses timestamps in ISO 8601: all the forms that `datetime.fromisoformat` of Python 3.13 reads.

Useful for: timestamps that programs write. Not useful for: what people say (dates/).
Invariant: pure; a time without an offset is in the caller's zone; any other text gives None, not an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

_DATE = r"(?P<year>\d{4})(?:-?W(?P<week>\d\d)(?:-?(?P<weekday>[1-7]))?|-?(?P<month>\d\d)-?(?P<day>\d\d))"
_TIME = r"(?P<hour>\d\d)(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,12}))?)?)?"
_OFFSET = r"(?:\s*(?P<utc>Z)|\s*(?P<sign>[+-])(?P<hours>\d\d)(?::?(?P<minutes>\d\d))?)?"
_LAST = datetime.max.replace(tzinfo=timezone.utc)
_ISO = re.compile(rf"{_DATE}(?:[T ]{_TIME}{_OFFSET})?", re.ASCII | re.IGNORECASE)


class Span(NamedTuple):
    """The half-open interval that a value means. `instant`: a time of day was given, so that before and after are strict."""

    start: datetime | None
    end: datetime | None
    instant: bool


def iso_span(text: str, zone: tzinfo) -> Span | None:
    """The day or week, or the instant, which lasts as long as the last unit written (an hour .. a microsecond)."""
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return None
    try:
        return _instant(match, zone) if match["hour"] else _days(match, zone)
    except (ValueError, OverflowError):
        return None


def _date(match: re.Match[str]) -> date:
    year = int(match["year"])
    if match["week"]:
        return date.fromisocalendar(year, int(match["week"]), int(match["weekday"] or 1))
    return date(year, int(match["month"]), int(match["day"]))


def _days(match: re.Match[str], zone: tzinfo) -> Span:
    first = _date(match)
    days = timedelta(days=7 if match["week"] and not match["weekday"] else 1)
    return Span(_midnight(first, zone), _or_last(lambda: _midnight(first + days, zone)), instant=False)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return _in_utc(datetime(day.year, day.month, day.day, tzinfo=zone))


def _instant(match: re.Match[str], zone: tzinfo) -> Span:
    day = _date(match)
    micros = int((match["fraction"] or "").ljust(6, "0")[:6])
    hour, minute, second = (int(match[unit] or 0) for unit in ("hour", "minute", "second"))
    start = _in_utc(datetime(day.year, day.month, day.day, hour, minute, second, micros, tzinfo=_zone(match, zone)))
    return Span(start, _or_last(lambda: start + _lasting(match)), instant=True)


def _in_utc(instant: datetime) -> datetime:
    """The instant in UTC. Raises OverflowError in the calendar's first and last hours, which UTC cannot express."""
    return instant.astimezone(timezone.utc)


def _or_last(end: Callable[[], datetime]) -> datetime:
    """The end, or the end of the calendar if it is beyond that: people write 9999-12-31 for "forever"."""
    try:
        return end()
    except OverflowError:
        return _LAST


def _zone(match: re.Match[str], zone: tzinfo) -> tzinfo:
    if match["utc"]:
        return timezone.utc
    if not match["sign"]:
        return zone
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    return timezone(-offset if match["sign"] == "-" else offset)


def _lasting(match: re.Match[str]) -> timedelta:
    if match["fraction"]:
        return timedelta(microseconds=1)
    return timedelta(seconds=1) if match["second"] else timedelta(minutes=1) if match["minute"] else timedelta(hours=1)
