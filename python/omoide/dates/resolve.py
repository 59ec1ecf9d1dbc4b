"""What the words mean at a reference instant: a node of `frame` becomes instants in a zone.

Useful for: `find` and `parse`. Not useful for: reading text, which is `grammar`'s.
Invariant: pure; a date that does not exist (30 February) is None, never a neighbouring day.

A part that could be any ("Friday", "March", "the 15th") is the latest that has begun by the reference; as the second
end of a range, the first after the other end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import Any

from omoide.dates.calendar import (
    DAY,
    Days,
    day_of,
    half_of,
    months_from,
    nth_weekday,
    plus,
    plus_months,
    quarter_of,
    week_of,
    weeks_in,
    year_of,
    years_from,
)
from omoide.dates.frame import Bound, Frame, Length, Node, Now, Offset, Range, Stretch, ToDate, Window
from omoide.dates.holidays import holiday
from omoide.dates.model import Interval

#: Hours of the day at which its parts begin and end; a night ends on the following day.
PARTS = {
    "dawn": (0, 7),
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (16, 21),
    "night": (18, 30),
}
MERIDIEMS = {"am": (0, 12), "pm": (12, 24)}
_AFTERNOON = {"afternoon", "evening", "night"}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_DAYS = {"day": 1, "week": 7, "weekend": 7, "workweek": 7, "fortnight": 14}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
#: How far an unsaid year, month or week is looked for: long enough for 29 February on a given weekday.
_YEARS_TRIED, _MONTHS_TRIED = 9, 40
#: Seasons in months after January; the winter of a year begins in its December.
_SEASON_STARTS = (3, 6, 9, 12)


@dataclass(frozen=True, slots=True)
class Reference:
    """The instant the words are read at; `now` is in `zone`."""

    now: datetime
    zone: tzinfo
    week_starts: int = 0

    @property
    def today(self) -> date:
        """The civil day of the reference in its zone."""
        return self.now.date()

    def midnight(self, day: date) -> datetime:
        """The instant at which the day begins in the zone."""
        return datetime.combine(day, time(), self.zone)


@dataclass(frozen=True, slots=True)
class Aim:
    """Which of many: the latest begun by `day` (sign -1) or the first from `day` on (sign +1)."""

    day: date
    sign: int = -1


def resolve(node: Node, ref: Reference, aim: Aim | None = None) -> Interval | None:
    """The instants a node stands for, None when there are none."""
    try:
        found: Interval | None = _RESOLVERS[type(node)](node, ref, aim or Aim(ref.today))
    except OverflowError:
        return None
    if found is None or (found.start and found.end and found.start >= found.end):
        return None
    return found


def _now(_: Now, ref: Reference, __: Aim) -> Interval:
    return Interval(ref.now, ref.now + timedelta(seconds=1))


def _to_date(node: ToDate, ref: Reference, _: Aim) -> Interval:
    return Interval(ref.midnight(_unit_of(node.unit, ref.today, ref).first), _just_after(ref))


def _just_after(ref: Reference) -> datetime:
    """The end of what reaches up to now, so that something stored at this very instant is inside."""
    return ref.now + timedelta(microseconds=1)


# --- lengths: ago, from now, the last N ---------------------------------------------------------------------------


def _window(node: Window, ref: Reference, _: Aim) -> Interval | None:
    if len(node.length) == 1 and node.length[0][0] in {"quarter", "decade", "century", "weekend", "workweek"}:
        return _whole_units(node, ref)
    far = _moved(ref.now, node.length, node.sign)
    if any(unit in _SECONDS for unit, _ in node.length):
        return Interval(far, _just_after(ref)) if node.sign < 0 else Interval(ref.now, far)
    if node.sign < 0:
        return Interval(ref.midnight(far.date()), _just_after(ref))
    return Interval(ref.now, ref.midnight(plus(far.date(), 1)))


def _whole_units(node: Window, ref: Reference) -> Interval | None:
    """The last two quarters are whole quarters: the present one is not among them, nor the first of the next."""
    unit, count = node.length[0]
    present = _unit_of(unit, ref.today, ref)
    months = _MONTHS.get(unit)
    length = math.ceil(count)
    if node.sign < 0:
        first = plus_months(present.first, -length * months) if months else plus(present.first, -7 * length)
        return _instants(Days(first, present.first), ref)
    if unit == "decade":  # "in the next two decades" begins with the coming one
        present = _unit_of(unit, plus_months(present.first, 0), ref)
    last = plus_months(present.stop, length * months) if months else plus(present.stop, 7 * length)
    return _instants(Days(present.stop, last), ref)


def _offset(node: Offset, ref: Reference, aim: Aim) -> Interval | None:
    start = ref.now
    if node.base is not None:
        base = resolve(node.base, ref, Aim(plus(ref.today, 1), 1) if node.onward else aim)
        if base is None or base.start is None:
            return None
        start = ref.now if isinstance(node.base, Now) else base.start
    if len(node.length) == 1 and node.length[0][0].startswith("weekday") and node.length[0][0] != "weekday":
        return _nth_weekday_from(node, start, ref)
    moved = _moved(start, node.length, node.sign)
    fine = [unit for unit, amount in node.length if unit in _SECONDS or (unit == "day" and amount % 1)]
    if fine:
        return Interval(moved, moved + timedelta(seconds=_SECONDS.get(fine[-1], 3600)))
    day = moved.date()
    if node.weekday is not None:
        day = plus(week_of(day, ref.week_starts).first, (node.weekday - ref.week_starts) % 7)
    return _instants(Days(day, plus(day, 1)), ref)


def _nth_weekday_from(node: Offset, start: datetime, ref: Reference) -> Interval | None:
    """Two Sundays from now: the second Sunday after today."""
    name, count = node.length[0]
    weekday, today = int(name[-1]), start.date()
    gap = ((weekday - today.weekday()) * node.sign) % 7 or 7
    day = plus(today, node.sign * (gap + 7 * (math.ceil(count) - 1)))
    return _instants(Days(day, plus(day, 1)), ref)


def _stretch(node: Stretch, ref: Reference, aim: Aim) -> Interval | None:
    base = resolve(node.base, ref, aim)
    if base is None or base.start is None:
        return None
    return Interval(base.start, _moved(base.start, node.length, 1))


def _moved(start: datetime, length: Length, sign: int) -> datetime:
    """The instant a length away: months first, on the calendar, then days, then seconds."""
    months = sum(amount * _MONTHS[unit] for unit, amount in length if unit in _MONTHS)
    days = sum(amount * _DAYS[unit] for unit, amount in length if unit in _DAYS) + (months % 1) * 30
    seconds = sum(amount * _SECONDS[unit] for unit, amount in length if unit in _SECONDS) + (days % 1) * 86_400
    if abs(months) > 120_000 or abs(days) > 3_700_000 or abs(seconds) > 1e12:
        raise OverflowError("longer than the calendar")
    day = plus(plus_months(start.date(), sign * int(months)), sign * int(days))
    day = _business(day, sum(int(amount) for unit, amount in length if unit == "weekday"), sign)
    moved = datetime.combine(day, start.timetz())
    # Seconds pass in absolute time: three hours across a clock change are three hours.
    return (
        moved
        if not seconds
        else (moved.astimezone(timezone.utc) + sign * timedelta(seconds=seconds)).astimezone(start.tzinfo)
    )


def _business(day: date, count: int, sign: int) -> date:
    weeks, rest = divmod(min(count, 100_000), 5)
    day = plus(day, sign * 7 * weeks)
    while rest:
        day = plus(day, sign)
        rest -= day.weekday() < 5
    return day


# --- ranges and bounds --------------------------------------------------------------------------------------------


def _range(node: Range, ref: Reference, aim: Aim) -> Interval | None:
    if _borrows_year(node):
        last = resolve(node.last, ref, aim)
        if last is None or last.start is None:
            return None
        first = resolve(node.first, ref, Aim(plus(last.start.date(), -1)))
    else:
        first = resolve(node.first, ref, aim)
        if first is None or first.start is None:
            return None
        last = resolve(_same_day(node), ref, Aim(first.start.date(), 1))
    if first is None or last is None:
        return None
    start = _edge_point(node.first, first)
    end = last.end if not isinstance(node.last, Now) else _just_after(ref)
    if isinstance(node.last, Frame) and node.last.edge in {"start", "opening", "mid"}:
        end = _edge_point(node.last, last)
    return Interval(start, _in_the_evening(node.last, start, end))


def _in_the_evening(last: Node, start: datetime | None, end: datetime | None) -> datetime | None:
    """From now until eight: when eight in the morning is over, eight in the evening is meant."""
    plain = isinstance(last, Frame) and last.clock is not None and last.clock[0] < 12 and last.meridiem is None
    late = plain and start is not None and end is not None and end <= start
    return end + timedelta(hours=12) if late and end is not None else end


def _same_day(node: Range) -> Node:
    """The last end, on the first one's day when only a clock time is said of it."""
    if not (isinstance(node.first, Frame) and isinstance(node.last, Frame)):
        return node.last
    if node.last.said <= {"clock", "meridiem", "part"}:
        pm = node.first.part in _AFTERNOON or node.first.meridiem == "pm"
        meridiem = node.last.meridiem or ("pm" if pm and not node.last.part else None)
        return replace(
            node.first, clock=node.last.clock, clock_end=None, meridiem=meridiem, part=node.last.part or None
        )
    return node.last


def _borrows_year(node: Range) -> bool:
    """From May to October 2020: the year said once, at the end, is the first end's too."""
    if not (isinstance(node.first, Frame) and isinstance(node.last, Frame)):
        return False
    if node.first.said == {"weekday"} and node.last.weekday is not None:
        return node.last.shift is not None  # between Monday and Friday last week
    return (
        not node.first.said & _ANCHORS
        and bool(node.last.said & _ANCHORS)
        and node.first.said != {"clock"}
        and not (node.last.said & {"year_shift", "month_shift", "shift"})
    )


def _edge_point(node: Node, span: Interval) -> datetime | None:
    """From the end of March means from its last instant; from the middle, from its middle."""
    if not isinstance(node, Frame) or span.start is None or span.end is None:
        return span.start
    if node.edge in {"end", "closing"}:
        return span.end
    if node.edge == "mid":
        return span.start + (span.end - span.start) / 2
    return span.start


def _bound(node: Bound, ref: Reference, aim: Aim) -> Interval | None:
    span = resolve(node.node, ref, aim)
    if span is None:
        return None
    edge = node.node.edge if isinstance(node.node, Frame) else None
    at_end = node.kind in {"after", "until"} or (node.kind == "before" and edge in {"end", "closing"})
    if isinstance(node.node, Now) or _is_instant(node.node) or (node.kind == "after" and edge in {"start", "opening"}):
        at_end = node.kind == "until" and not isinstance(node.node, Frame)
    point = span.end if at_end else span.start
    return Interval(point, None) if node.kind in {"since", "after"} else Interval(None, point)


def _is_instant(node: Node) -> bool:
    return isinstance(node, Frame) and node.clock is not None and node.clock_end is None


# --- one date -----------------------------------------------------------------------------------------------------

_ANCHORS = frozenset({"century", "year", "year_shift", "month_shift", "shift", "decade"})
_UNANCHORED_YEAR = ("month", "quarter", "season", "holiday")


def _frame(node: Frame, ref: Reference, aim: Aim) -> Interval | None:
    if node.weekday is not None and node.month is not None and node.shift is not None:
        node = replace(node, shift=None)  # "this Friday (15 June)": the date says more
    days = _days(node, ref, aim)
    if days is None:
        return None
    if node.clock is not None:
        return _at_clock(node, days.first, ref)
    hours = PARTS[node.part] if node.part else MERIDIEMS[node.meridiem] if node.meridiem else None
    if hours is not None:
        return _hours(node, days.first, hours, ref)
    if node.edge is not None:
        return _edged(node, days, ref)
    return _instants(days, ref)


def _instants(days: Days, ref: Reference) -> Interval:
    return Interval(ref.midnight(days.first), ref.midnight(days.stop))


def _days(frame: Frame, ref: Reference, aim: Aim) -> Days | None:
    """The first candidate, nearest first, in which every said part exists and which lies where it should."""
    for base in _bases(frame, ref, aim):
        days = base and _narrowed(frame, base, ref)
        if days and _lies(frame, days, ref, aim):
            return days
    return None


def _bases(frame: Frame, ref: Reference, aim: Aim) -> Iterator[Days | None]:
    said = frame.said
    aim = Aim(ref.today, 1) if frame.nearest == 1 else aim
    if said & _ANCHORS:
        yield _anchor(frame, ref)
    elif frame.week is not None or frame.half is not None or (frame.nth and not said & set(_UNANCHORED_YEAR)):
        yield _present(frame, ref)
    elif said & set(_UNANCHORED_YEAR):
        yield from (year_of(aim.day.year + aim.sign * back) for back in range(_YEARS_TRIED))
    elif frame.day is not None:
        first = aim.day.replace(day=1)
        yield from (months_from(plus_months(first, aim.sign * back), 1) for back in range(_MONTHS_TRIED))
    elif frame.weekday is not None:
        near = week_of(aim.day, ref.week_starts)
        yield from (
            Days(plus(near.first, aim.sign * 7 * back), plus(near.stop, aim.sign * 7 * back)) for back in (0, 1)
        )
    else:
        yield Days(aim.day, plus(aim.day, 1))


def _present(frame: Frame, ref: Reference) -> Days:
    """What "the first Sunday", "week 31" and "the first half" are parts of when nothing is said: the present one."""
    if frame.half is not None:
        return _unit_of(frame.half[1], ref.today, ref)
    if frame.nth is not None and (frame.nth[2].startswith("weekday") or frame.nth[2] in {"day", "week"}):
        return months_from(ref.today, 1)
    return _unit_of("year", ref.today, ref)


def _lies(frame: Frame, days: Days, ref: Reference, aim: Aim) -> bool:
    said = frame.said
    if frame.nearest is not None:
        return days.stop <= ref.today if frame.nearest < 0 else days.first > ref.today
    if said & _ANCHORS or frame.week is not None or frame.half is not None:
        return True
    if frame.nth is not None and not said & set(_UNANCHORED_YEAR):
        return True
    if aim.sign > 0:
        return days.stop > aim.day if said & {"month", "day"} else days.first >= aim.day
    if said & {"weekday"} and not said & {"month", "day"} and aim.day == ref.today:
        return days.first < aim.day
    if said & {"weekday"} and said & {"day"} and (days.first.year, days.first.month) == (aim.day.year, aim.day.month):
        return True  # "Tuesday the 11th" said on the 10th is tomorrow
    return days.first <= aim.day


def _anchor(frame: Frame, ref: Reference) -> Days | None:
    """The longest period that is said outright or counted from the reference."""
    if frame.decade is not None:
        return years_from(_century_years(frame, ref) + frame.decade, 10)
    if frame.year is not None:
        return year_of(frame.year)
    if frame.century is not None:
        return years_from((frame.century - 1) * 100, 100) if frame.century > 1 else years_from(1, 99)
    today = ref.today
    if frame.year_shift is not None:
        today = plus_months(today, 12 * frame.year_shift)
        if frame.month_shift is None and frame.shift is None:
            return year_of(today.year)
    if frame.month_shift is not None:
        return months_from(plus_months(today.replace(day=1), frame.month_shift), 1)
    return _shifted(frame, today, ref)


def _century_years(frame: Frame, ref: Reference) -> int:
    """First year of the century a decade lies in; a decade alone is of the last century unless that is over 99 years ago."""
    if frame.century is not None:
        return (frame.century - 1) * 100
    if frame.shift is not None and frame.shift[0] == "century":
        return (ref.today.year // 100 + frame.shift[1]) * 100
    decade = frame.decade or 0
    if decade >= 100:
        return 0
    present = ref.today.year // 100 * 100
    return present if present + decade <= ref.today.year and decade < 20 else present - 100


def _shifted(frame: Frame, today: date, ref: Reference) -> Days | None:
    if frame.shift is None:
        return None
    unit, count = frame.shift
    present = _unit_of(unit, today, ref)
    if unit == "season":
        return present
    if unit in _MONTHS:
        first = plus_months(present.first, count * _MONTHS[unit])
        return _unit_of(unit, first, ref)
    if unit == "halfyear":
        return half_of(plus_months(present.first, 6 * count))
    step = _DAYS.get(unit, 1) * count
    return Days(plus(present.first, step), plus(present.stop, step))


def _unit_of(unit: str, day: date, ref: Reference) -> Days:
    """The unit, as the calendar divides, that holds the day."""
    if unit in {"week", "fortnight"}:
        week = week_of(day, ref.week_starts)
        return week if unit == "week" else Days(week.first, plus(week.first, 14))
    if unit in {"weekend", "workweek"}:
        monday = week_of(day, 0).first
        return Days(plus(monday, 5), plus(monday, 7)) if unit == "weekend" else Days(monday, plus(monday, 5))
    if unit in {"decade", "century", "year"}:
        years = {"year": 1, "decade": 10, "century": 100}[unit]
        return years_from(day.year // years * years, years) or Days(day, day)
    by_month: dict[str, Callable[[date], Days]] = {
        "month": lambda at: months_from(at, 1),
        "quarter": quarter_of,
        "halfyear": half_of,
    }
    return by_month[unit](day) if unit in by_month else Days(day, plus(day, 1))


# --- narrowing: each said part picks from what the longer parts left ------------------------------------------------


def _narrowed(frame: Frame, days: Days, ref: Reference) -> Days | None:
    left: Days | None = days
    for name, step in _STEPS:
        if left is not None and getattr(frame, name) is not None:
            left = step(frame, left, ref)
    return left


def _quarter(frame: Frame, days: Days, _: Reference) -> Days | None:
    return months_from(plus_months(days.first, 3 * ((frame.quarter or 1) - 1)), 3)


def _half(frame: Frame, days: Days, ref: Reference) -> Days | None:
    which, unit = frame.half or (1, "year")
    if unit == "week":
        return Days(days.first, plus(days.first, 4)) if which == 1 else Days(plus(days.first, 3), days.stop)
    middle = plus_months(days.first, 6) if unit == "year" else plus(days.first, 15)
    if unit == "decade":
        middle = plus_months(days.first, 60)
    return Days(days.first, middle) if which == 1 else Days(middle, days.stop)


def _season(frame: Frame, days: Days, _: Reference) -> Days | None:
    return months_from(plus_months(days.first, _SEASON_STARTS[frame.season or 0] - 1), 3)


def _month(frame: Frame, days: Days, ref: Reference) -> Days | None:
    month = day_of(days.first.year, frame.month or 0, 1)
    return months_from(month, 1) if month else None


def _week(frame: Frame, days: Days, ref: Reference) -> Days | None:
    return _nth_week(days, frame.week or 1, 1, ref)


def _nth(frame: Frame, days: Days, ref: Reference) -> Days | None:
    """The third week of, the last Monday of, the first ten days of what is left."""
    which, count, unit = frame.nth or (1, 1, "day")
    if unit.startswith("weekday"):
        day = nth_weekday(days, int(unit[-1]), which)
        return Days(day, plus(day, 1)) if day else None
    if unit == "week":
        return _nth_week(days, which, count, ref)
    if unit == "day":
        first = plus(days.first, which - 1) if which > 0 else plus(days.stop, -count)
        return Days(first, plus(first, count))
    months = _MONTHS.get(unit, 12)
    first = plus_months(days.first, months * (which - 1)) if which > 0 else plus_months(days.stop, -months * count)
    return Days(first, plus_months(first, months * count)) if days.holds(first) else None


def _nth_week(days: Days, which: int, count: int, ref: Reference) -> Days | None:
    first, weeks = weeks_in(days, ref.week_starts)
    index = which - 1 if which > 0 else weeks - count
    if not 0 <= index < weeks:
        return None
    start = plus(first, 7 * index)
    return Days(start, plus(start, 7 * count))


def _holiday(frame: Frame, days: Days, _: Reference) -> Days | None:
    day = holiday(frame.holiday or "", days.first.year)
    return Days(day, plus(day, 1)) if day else None


def _day(frame: Frame, days: Days, _: Reference) -> Days | None:
    day = day_of(days.first.year, days.first.month, frame.day or 0)
    last = day_of(days.first.year, days.first.month, frame.day_end) if frame.day_end else day
    if day is None or last is None or (days.stop - days.first).days > 31 or last < day:
        return None
    wrong = frame.weekday is not None and frame.month is None and frame.said.isdisjoint(_ANCHORS)
    return None if wrong and day.weekday() != frame.weekday else Days(day, plus(last, 1))


def _weekday(frame: Frame, days: Days, ref: Reference) -> Days | None:
    """Beside a full date a weekday adds nothing: a slip in it does not hide the date."""
    if frame.day is not None or frame.holiday is not None or days.stop - days.first <= DAY:
        return days
    day = nth_weekday(days, frame.weekday or 0, 1)
    return Days(day, plus(day, 1)) if day else None


def _week_of(frame: Frame, days: Days, ref: Reference) -> Days | None:
    unit = frame.week_of or "week"
    if unit == "weekend" and frame.holiday:
        return _long_weekend(days.first)
    return _unit_of(unit, days.first, ref)


def _long_weekend(day: date) -> Days:
    """The days off around a holiday: from it through Sunday, or from Saturday through it."""
    saturday = week_of(day, 0).first + 5 * DAY
    if day.weekday() == 0:
        return Days(day - 2 * DAY, day + DAY)
    return Days(min(day, saturday) if day.weekday() >= 3 else saturday, plus(saturday, 2))


def _third(frame: Frame, days: Days, _: Reference) -> Days | None:
    """The ten days 上旬, 中旬 and 下旬 of a month."""
    which = frame.third or 1
    first = plus(days.first, 10 * (which - 1))
    return Days(first, plus(first, 10) if which < 3 else days.stop)


_STEPS: tuple[tuple[str, Callable[[Frame, Days, Reference], Days | None]], ...] = (
    ("half", _half),
    ("quarter", _quarter),
    ("season", _season),
    ("month", _month),
    ("week", _week),
    ("nth", _nth),
    ("third", _third),
    ("holiday", _holiday),
    ("day", _day),
    ("week_of", _week_of),
    ("weekday", _weekday),
)


# --- inside a day, and the ends of periods --------------------------------------------------------------------------


def _hours(node: Frame, day: date, hours: tuple[int, int], ref: Reference) -> Interval:
    first, last = hours
    if node.edge in {"start", "mid", "end"}:
        middle = (first + last) // 2
        first, last = {"start": (first, middle), "mid": (middle - 1, middle + 1), "end": (middle, last)}[node.edge]
    return Interval(_hour(day, first, ref), _hour(day, last, ref))


def _hour(day: date, hour: int, ref: Reference) -> datetime:
    return datetime.combine(plus(day, hour // 24), time(hour % 24), ref.zone)


def _at_clock(node: Frame, day: date, ref: Reference) -> Interval | None:
    if node.clock is None:
        return None
    zone = ref.zone if node.offset_minutes is None else timezone(timedelta(minutes=node.offset_minutes))
    start, length = _clock(node, node.clock, day, zone)
    end = start + length
    if node.clock_end is not None:
        end, _ = _clock(node, node.clock_end, day, zone)
        end = end if end > start else end + timedelta(hours=12 if end + timedelta(hours=12) > start else 24)
    return Interval(start.astimezone(ref.zone), end.astimezone(ref.zone))


def _clock(node: Frame, clock: tuple[int, int, int], day: date, zone: tzinfo) -> tuple[datetime, timedelta]:
    """The instant, and how long what was said lasts: an hour, a minute or a second."""
    hour, minute, second = clock
    if hour < 12:
        hour += _hours_into(node, hour)
    elif node.meridiem == "am" and hour == 12:
        hour = 0
    said = timedelta(seconds=1) if second >= 0 else timedelta(minutes=1) if minute >= 0 else timedelta(hours=1)
    at = time(hour % 24, max(minute, 0), max(second, 0))
    return datetime.combine(plus(day, hour // 24), at, zone), said


def _hours_into(node: Frame, hour: int) -> int:
    """What the part of the day adds: 3 in the afternoon is 15, 8 at night 20, 2 at night is of the next day."""
    if node.meridiem is not None or node.part not in _AFTERNOON:
        return 12 if node.meridiem == "pm" else 0
    if node.part == "night" and hour < 5:
        return 24
    return 12


def _edged(node: Frame, days: Days, ref: Reference) -> Interval | None:
    length = (days.stop - days.first).days
    if node.edge in {"opening", "closing"} and length > 27:
        return _instants(_outermost(days, length, opening=node.edge == "opening"), ref)
    if node.edge == "rest":
        return Interval(max(ref.now, ref.midnight(days.first)), ref.midnight(days.stop))
    if length == 1:
        return _edge_of_day(node, days, ref)
    first, last = _edge_days(node.edge or "", length, "year" in node.said or "decade" in node.said)
    part = Days(plus(days.first, first), plus(days.first, last))
    if node.edge in _CLIPPED and part.holds(ref.today):
        part = Days(part.first, plus(ref.today, 1)) if node.edge == "earlier" else Days(ref.today, part.stop)
    return _instants(part, ref)


def _outermost(days: Days, length: int, *, opening: bool) -> Days:
    """年末 is December, 月末 the days from the 21st: closer to the very end than "the end of the year" is."""
    if length <= 31:
        return Days(days.first, plus(days.first, 10)) if opening else Days(plus(days.first, 20), days.stop)
    months = next(part for least, part in _OUTER_MONTHS if length >= least)
    if opening:
        return Days(days.first, plus_months(days.first, months))
    return Days(plus_months(days.stop, -months), days.stop)


#: (days of a period, months of it that 初 and 末 mean): ten years of a century, three of a decade, one month of a year.
_OUTER_MONTHS = ((30_000, 120), (3_000, 36), (0, 1))
_CLIPPED = {"earlier", "later"}


def _edge_of_day(node: Frame, days: Days, ref: Reference) -> Interval:
    first, last = {"mid": (10, 14), "start": (0, 12), "earlier": (0, 12)}.get(node.edge or "", (12, 24))
    return Interval(_hour(days.first, first, ref), _hour(days.first, last, ref))


def _edge_days(edge: str, length: int, whole_year: bool) -> tuple[int, int]:
    """Days of a period that are its start, middle or end: halves, for a year said by number thirds of four months."""
    if edge == "mid":
        return (1, 5) if length == 7 else (9, 20) if length <= 31 else (length // 3, length - length // 3)
    cut = 3 if length == 7 else 15 if length <= 31 else 120 if whole_year and length > 364 else (length - 3) // 2
    if edge in {"start", "earlier", "opening"}:
        return 0, cut + (length > 364 and not whole_year)
    if whole_year and length > 364:
        return length - 122, length
    return cut + (length > 364 and not whole_year), length


_RESOLVERS: dict[type, Callable[[Any, Reference, Aim], Interval | None]] = {
    Frame: _frame,
    Offset: _offset,
    Window: _window,
    Stretch: _stretch,
    Now: _now,
    ToDate: _to_date,
    Range: _range,
    Bound: _bound,
}
