"""Which instants of a day, or which end of a period, does a `Frame` mean?

Useful for: `resolve`, once the days are known. Not useful for: finding the days.
Invariant: days begin at midnight in the reference's zone.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta, timezone, tzinfo

from omoide.dates.calendar import (
    LAST,
    Days,
    plus,
    plus_months,
)
from omoide.dates.frame import Clock, Frame
from omoide.dates.model import Interval
from omoide.dates.reference import Reference

#: Hours of the day at which its parts begin and end; a night ends on the following day.
PARTS = {
    "dawn": (0, 7),
    "morning": (5, 12),
    "mid-morning": (9, 11),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (16, 21),
    "night": (18, 30),
    # Not only the hours after midnight: late last night.
    "late night": (21, 30),
}


MERIDIEMS = {"am": (0, 12), "pm": (12, 24)}


NOON = 12
NIGHTS = {"night", "late night"}
MORNING = {"dawn", "morning", "mid-morning"}
AFTERNOON = {"afternoon", "evening", *NIGHTS}


def instants(days: Days, ref: Reference) -> Interval:
    """From midnight of the first day to midnight after the last; without an end if that is the calendar's last day."""
    return Interval(ref.midnight(days.first), ref.midnight(days.stop) if days.stop < LAST else None)


def hours_of(node: Frame, day: date, hours: tuple[int, int], ref: Reference) -> Interval:
    """These hours of the day, or with `node.edge` their beginning, middle or end."""
    first, last = hours
    if node.edge in {"start", "mid", "end"}:
        middle = (first + last) // 2
        late = PARTS["late night"][0] if hours == PARTS["night"] else middle
        first, last = {"start": (first, middle), "mid": (middle - 1, middle + 1), "end": (late, last)}[node.edge]
    return Interval(_hour(day, first, ref), _hour(day, last, ref))


def _hour(day: date, hour: int, ref: Reference) -> datetime:
    return datetime.combine(plus(day, hour // 24), time(hour % 24), ref.zone)


def at_clock(node: Frame, day: date, ref: Reference) -> Interval | None:
    """The clock time on that day, or the stretch between two of them."""
    if node.clock is None:
        return None
    zone = ref.zone if node.offset_minutes is None else timezone(timedelta(minutes=node.offset_minutes))
    start, length = _clock(node, node.clock, day, zone)
    end = start + length
    if node.clock_end is not None:
        end, _ = _clock(node, node.clock_end, day, zone)
        if end <= start:  # ten until three ends twelve hours later, 22:00 until 13:00 on the next day
            in_other_half = node.clock_end[0] <= 12 and end + timedelta(hours=12) > start
            end += timedelta(hours=12 if in_other_half else 24)
    return Interval(start.astimezone(ref.zone), end.astimezone(ref.zone))


def _clock(node: Frame, clock: tuple[int, int, int], day: date, zone: tzinfo) -> tuple[datetime, timedelta]:
    """The instant, and how long it lasts: an hour, a minute or a second, whichever is the last that was given."""
    hour, minute, second = _from_midnight(node, clock)
    said = timedelta(seconds=1) if second >= 0 else timedelta(minutes=1) if minute >= 0 else timedelta(hours=1)
    at = time(hour % 24, max(minute, 0), max(second, 0))
    return datetime.combine(plus(day, hour // 24), at, zone), said


def _from_midnight(node: Frame, clock: Clock) -> Clock:
    """The clock time in hours from the midnight before; those from 24 on are of the next day."""
    hour = clock[0]
    if hour == NOON:
        hour = 0 if node.meridiem == "am" or node.part == "dawn" else 24 if node.part in NIGHTS else NOON
    return hour + (_hours_into(node, hour) if hour < NOON else 0), *clock[1:]


def stretch_of(first: Frame, last: Frame) -> Frame | None:
    """The hours from one clock time through another, each with its own part of the day; None if either has none."""
    first, last = noon_as_hour(first), noon_as_hour(last)
    if first.clock is None or last.clock is None:
        return None
    begin, end = _from_midnight(first, first.clock), _from_midnight(last, last.clock)
    return Frame(clock=begin, clock_end=end if end > begin else (end[0] + 24, *end[1:]))


def begins(node: Frame) -> Clock:
    """The clock time at which the hours begin that the frame says, in hours from midnight."""
    return _from_midnight(node, node.clock) if node.clock else (PARTS[node.part][0] if node.part else 0, -1, -1)


def noon_as_hour(node: Frame) -> Frame:
    """From noon to 3pm: twelve o'clock, not the hours from eleven to two."""
    return replace(node, part=None, clock=(12, -1, -1)) if (node.part, node.clock) == ("noon", None) else node


def _hours_into(node: Frame, hour: int) -> int:
    """Hours that the part of the day adds: 3 in the afternoon is 15, 8 at night 20, 2 at night is on the next day, 昼1時 is 13."""
    if node.part == "noon":
        return 12 if hour < _BEFORE_NOON else 0
    if node.part in NIGHTS and hour < 5 and (node.meridiem != "am" or _is_of_a_night(node)):
        return 24
    if node.part in MORNING:
        return 0
    if node.meridiem is not None or node.part not in AFTERNOON:
        return 12 if node.meridiem == "pm" else 0
    return 12


#: The first hour by a clock of twelve that is before noon where it is said to be at noon: 昼9時.
_BEFORE_NOON = 6


def _is_of_a_night(node: Frame) -> bool:
    """Whether 1am ends the night that is said, of Friday or of yesterday; "tonight at 2am" may be said after midnight."""
    return node.shift != ("day", 0) and not node.said.isdisjoint({"shift", "weekday", "day", "holiday"})


def edge_of_days(node: Frame, days: Days, ref: Reference) -> Interval | None:
    """The beginning, middle, end or rest of the days."""
    length = (days.stop - days.first).days
    if node.edge in {"opening", "closing"} and length > 27:
        return instants(_outermost(days, length, opening=node.edge == "opening"), ref)
    if node.edge == "rest":
        start, stop = ref.midnight(days.first), ref.midnight(days.stop)
        return Interval(start if stop <= ref.now else max(ref.now, start), stop)  # 先週いっぱい: all of it
    if length == 1:
        return _edge_of_day(node, days, ref)
    first, last = _edge_days(node.edge or "", length, "year" in node.said or "decade" in node.said)
    part = Days(plus(days.first, first), plus(days.first, last))
    if length > _YEARS_LONG:
        part = _edge_years(node.edge or "", days)
    if node.edge in _CLIPPED and (part.holds(ref.today) or (length > _MONTH_LONG and days.holds(ref.today))):
        # "Earlier this year", said in November, may be August; of a week or month it is the first half.
        part = Days(days.first, plus(ref.today, 1)) if node.edge == "earlier" else Days(ref.today, days.stop)
    return instants(part, ref)


def _outermost(days: Days, length: int, *, opening: bool) -> Days:
    """年末 is December, 月末 the days from the 21st: shorter than "the end of the year"."""
    if length <= 31:
        return Days(days.first, plus(days.first, 10)) if opening else Days(plus(days.first, 20), days.stop)
    months = next(part for least, part in _OUTER_MONTHS if length >= least)
    if opening:
        return Days(days.first, plus_months(days.first, months))
    return Days(plus_months(days.stop, -months), days.stop)


#: (least days of a period, months that 初 and 末 mean): ten years of a century, three of a decade, one month of a year.
_OUTER_MONTHS = ((30_000, 120), (3_000, 36), (0, 1))


#: A period of more days is a decade or a century, whose edges are whole years.
_YEARS_LONG = 3_000


def _edge_years(edge: str, days: Days) -> Days:
    """The early nineties are 1990 to 1993, the mid-nineties 1993 to 1996, the late ones 1997 to 1999."""
    years = days.stop.year - days.first.year
    early, late = days.first.year + (years + 2) * 2 // 5, days.stop.year - years * 3 // 10
    first, stop = {"mid": (early - 1, late), "end": (late, None), "later": (late, None)}.get(edge, (None, early))
    return Days(
        days.first.replace(year=first) if first else days.first, days.first.replace(year=stop) if stop else days.stop
    )


_MONTH_LONG = 31
_CLIPPED = {"earlier", "later"}


def _edge_of_day(node: Frame, days: Days, ref: Reference) -> Interval:
    first, last = {"mid": (10, 14), "start": (0, 12), "opening": (0, 12), "earlier": (0, 12)}.get(
        node.edge or "", (12, 24)
    )
    return Interval(_hour(days.first, first, ref), _hour(days.first, last, ref))


def _edge_days(edge: str, length: int, whole_year: bool) -> tuple[int, int]:
    """[first, last) days of a period that are its start, middle or end: halves, but of a year given by number a third."""
    if edge == "mid":
        if length == 7:
            return 1, 5
        return (9, 20) if length <= 31 else (length // 3, length - length // 3)
    is_start = edge in {"start", "earlier", "opening"}
    if whole_year and length > 364:
        return (0, 120) if is_start else (length - 122, length)
    if length == 7:
        half = 3
    elif length <= 31:
        half = 15
    else:
        half = (length - 3) // 2 + (length > 364)
    return (0, half) if is_start else (half, length)
