"""Resolves a node of `frame` to instants in a zone, relative to a reference instant.

Useful for: `find` and `parse`. Not useful for: reading text; see grammar.py.
Invariant: pure; a date that does not exist (30 February) is None, never a neighbouring day.

An ambiguous part ("Friday", "March", "the 15th") means the latest one that has begun by the reference; as the second end of a
range, the first one after the first end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from typing import Any

from omoide.dates.calendar import (
    Days,
    plus,
    plus_months,
    week_of,
    workday_from,
)
from omoide.dates.civil import ANCHORS, DAYS, MONTHS, days_of, unit_of
from omoide.dates.frame import (
    HOUR,
    Ahead,
    Bound,
    Frame,
    Length,
    Node,
    Now,
    Offset,
    Range,
    Stretch,
    ToDate,
    Window,
    is_fiscal,
)
from omoide.dates.hours import AFTERNOON, MERIDIEMS, MORNING, NIGHTS, PARTS, at_clock, edge_of_days, hours_of, instants
from omoide.dates.model import Interval
from omoide.dates.reference import Aim, Reference

_SECONDS = {"second": 1, "minute": 60, "hour": 3600}


def resolve(node: Node, ref: Reference, aim: Aim | None = None) -> Interval | None:
    """The instants that a node means, or None."""
    try:
        found: Interval | None = _RESOLVERS[type(node)](node, ref, aim or Aim(ref.today))
    except OverflowError:
        return None
    if found is None or (found.start and found.end and found.start.timestamp() >= found.end.timestamp()):
        return None
    within = Interval(_within_utc(found.start), _within_utc(found.end))
    return None if within == Interval(None, None) else within


def _within_utc(instant: datetime | None) -> datetime | None:
    """The instant, or None (open) in the first or last hours of the calendar, which do not exist in UTC."""
    try:
        return instant if instant is None or instant.astimezone(timezone.utc) else None
    except OverflowError:
        return None


def _now(_: Now, ref: Reference, __: Aim) -> Interval:
    return Interval(ref.now, _later(ref.now, timedelta(seconds=1)))


def _to_date(node: ToDate, ref: Reference, _: Aim) -> Interval:
    return Interval(ref.midnight(unit_of(node.unit, ref.today, ref).first), _just_after(ref))


def _just_after(ref: Reference) -> datetime:
    """The end of an interval up to now; it includes what is stored at this very instant."""
    return _later(ref.now, timedelta(microseconds=1))


def _later(instant: datetime, passed: timedelta) -> datetime:
    """The instant after so much time, also correct in the hour that occurs twice when clocks are put back."""
    return (instant.astimezone(timezone.utc) + passed).astimezone(instant.tzinfo)


def _window(node: Window, ref: Reference, _: Aim) -> Interval | None:
    if len(node.length) == 1 and node.length[0][0] in _CALENDAR_UNITS and node != _PAST_DECADE:
        return _whole_units(node, ref)
    far = _moved(ref.now, node.length, node.sign)
    if any(unit in _SECONDS for unit, _ in node.length):
        return Interval(far, _just_after(ref)) if node.sign < 0 else Interval(ref.now, far)
    if node.sign < 0:
        return Interval(ref.midnight(far.date()), _just_after(ref))
    return Interval(ref.now, ref.midnight(plus(far.date(), 1)))


#: Units that are counted as the calendar has them; but "over the past decade" is the last ten years.
_CALENDAR_UNITS = {"quarter", "decade", "century", "weekend", "workweek"}
_PAST_DECADE = Window((("decade", 1.0),), -1)


def _whole_units(node: Window, ref: Reference) -> Interval | None:
    """Whole units of the calendar: neither the last two quarters nor the next two include the present one."""
    unit, count = node.length[0]
    present = unit_of(unit, ref.today, ref)
    months = MONTHS.get(unit)
    length = math.ceil(count)
    if node.sign < 0:
        first = plus_months(present.first, -length * months) if months else plus(present.first, -7 * length)
        # The last two weekends end with a Sunday.
        return instants(Days(first, present.first if months else plus(present.stop, -7)), ref)
    last = plus_months(present.stop, length * months) if months else plus(present.stop, 7 * length)
    return instants(Days(present.stop, last), ref)


def _offset(node: Offset, ref: Reference, aim: Aim) -> Interval | None:
    start = ref.now
    if node.base is not None:
        base = resolve(node.base, ref, Aim(plus(ref.today, 1), 1) if node.onward else aim)
        if base is None or base.start is None:
            return None
        start = ref.now if isinstance(node.base, Now) else _counted_from(node, base.start, base.end)
    if len(node.length) == 1 and node.length[0][0] == "weekend":
        return _weekend_from(node, start.date(), ref)
    if len(node.length) == 1 and node.length[0][0].startswith("weekday") and node.length[0][0] != "weekday":
        return _nth_weekday_from(node, start, ref)
    moved = _moved(start, node.length, node.sign)
    fine = [
        _fineness(unit, amount) for unit, amount in node.length if unit in _SECONDS or (unit == "day" and amount % 1)
    ]
    if fine:
        return Interval(moved, _later(moved, timedelta(seconds=fine[-1])))
    day = moved.date()
    if node.weekday is not None:
        day = plus(week_of(day, ref.week_starts).first, (node.weekday - ref.week_starts) % 7)
    return instants(Days(day, plus(day, 1)), ref)


def _counted_from(node: Offset, first: datetime, end: datetime | None) -> datetime:
    """Time after a holiday of several days is counted from its last day: GWの翌日."""
    if node.sign < 0 or end is None or not isinstance(node.base, Frame) or node.base.holiday is None:
        return first
    return max(first, datetime.combine(plus(end.date(), -1), first.timetz()))


def counts_hours(node: Node) -> bool:
    """Whether it is an instant counted in hours, minutes or seconds: 1時間前, 半小时后, in 90 minutes."""
    return isinstance(node, Offset) and any(unit in _SECONDS for unit, _ in node.length)


def _fineness(unit: str, amount: float) -> int:
    """How many seconds the result lasts: "half a day ago" is an hour long, "half an hour ago" a minute."""
    return 60 if unit == "hour" and amount % 1 else _SECONDS.get(unit, 3600)


def _weekend_from(node: Offset, day: date, ref: Reference) -> Interval:
    """The weekend so many before or after that of the present week; or before or after the base, which is in none of them."""
    present = unit_of("weekend", day, ref)
    beside = node.base is not None and not present.holds(day) and node.sign > 0
    step = 7 * node.sign * (int(node.length[0][1]) - beside)
    return instants(Days(plus(present.first, step), plus(present.stop, step)), ref)


def _nth_weekday_from(node: Offset, start: datetime, ref: Reference) -> Interval | None:
    """Two Sundays from now: the second Sunday after today."""
    name, count = node.length[0]
    weekday, today = int(name[-1]), start.date()
    gap = ((weekday - today.weekday()) * node.sign) % 7 or 7
    day = plus(today, node.sign * (gap + 7 * (math.ceil(count) - 1)))
    return instants(Days(day, plus(day, 1)), ref)


def _stretch(node: Stretch, ref: Reference, aim: Aim) -> Interval | None:
    base = resolve(node.base, ref, aim)
    if base is None or base.start is None:
        return None
    return Interval(base.start, _moved(base.start, node.length, 1))


def _moved(start: datetime, length: Length, sign: int) -> datetime:
    """Add or subtract a length: first months, by the calendar, then days, then seconds."""
    months = sum(amount * MONTHS[unit] for unit, amount in length if unit in MONTHS)
    days = sum(amount * DAYS[unit] for unit, amount in length if unit in DAYS) + (months % 1) * 30
    seconds = sum(amount * _SECONDS[unit] for unit, amount in length if unit in _SECONDS) + (days % 1) * 86_400
    month = start.year * 12 + start.month - 1 + sign * int(months)
    if not _FIRST_MONTH <= month <= _LAST_MONTH or abs(days) > 3_700_000 or abs(seconds) > 1e12:
        raise OverflowError("beyond the calendar")
    day = plus(plus_months(start.date(), sign * int(months)), sign * int(days))
    day = workday_from(day, sign * sum(int(amount) for unit, amount in length if unit == "weekday"))
    moved = datetime.combine(day, start.timetz())
    # Seconds pass in absolute time: three hours across a clock change are three hours.
    return _later(moved, sign * timedelta(seconds=seconds)) if seconds else moved


#: Of the calendar, counted from year 0.
_FIRST_MONTH, _LAST_MONTH = 12, 9999 * 12 + 11


def _range(node: Range, ref: Reference, aim: Aim) -> Interval | None:
    if _borrows_year(node):
        last = resolve(node.last, ref, aim)
        latest = (last.start or last.end) if last else None
        if last is None or latest is None:
            return None
        first = resolve(node.first, ref, Aim(plus(latest.date(), -1)))
    else:
        first = resolve(node.first, ref, aim)
        if first is None or first.start is None:
            return None
        base = ref._replace(now=first.start.astimezone(ref.zone)) if node.onward else ref
        last = resolve(_same_day(node), base, aim if _have_one_base(node) else Aim(first.start.date(), 1))
    if first is None or last is None:
        return None
    if _are_counted_back(node) and first.start and last.start and first.start > last.start:
        first, last = last, first  # from 3 days ago to 5 days ago
    start = first.start if node.loose else _edge_point(node.first, first)
    end = last.end if not isinstance(node.last, Now) else _just_after(ref)
    if not node.loose and isinstance(node.last, Frame) and node.last.edge in {"start", "mid"}:
        end = _edge_point(node.last, last)
    if isinstance(node.last, Frame) and _is_instant(node.last):
        end = last.start  # from ten until three ends when it strikes three
    return Interval(start, _after_the_start(node.last, start, end))


def _have_one_base(node: Range) -> bool:
    """Whether both ends are counted from the same date: 2 to 4 weeks after Christmas."""
    first, last = node.first, node.last
    return isinstance(first, Offset) and isinstance(last, Offset) and first.base == last.base


def _are_counted_back(node: Range) -> bool:
    """Whether both ends are "so long ago", in which case their order does not matter."""
    ends = node.first, node.last
    return all(isinstance(end, Offset) and end.base is None and end.sign < 0 for end in ends)


def _after_the_start(last: Node, start: datetime | None, end: datetime | None) -> datetime | None:
    """From now until eight: after eight in the morning, eight in the evening is meant. 昨晚十点到凌晨两点 and 下午三点到下午一点 end on
    the next day."""
    if not isinstance(last, Frame) or last.clock is None or start is None or end is None or end > start:
        return end
    if last.said <= HOUR and (last.part in MORNING or last.part in AFTERNOON or last.meridiem is not None):
        return end + timedelta(hours=24)
    return end + timedelta(hours=12) if last.clock[0] < 12 and last.meridiem is None else end


def _same_day(node: Range) -> Node:
    """The last end, completed from the first one: a clock time alone is on the first one's day."""
    if not (isinstance(node.first, Frame) and isinstance(node.last, Frame)):
        return node.last
    if node.last.said == {"week"} and node.first.nth is not None and node.first.nth[2] == "week":
        return replace(node.first, nth=(node.last.week or 1, 1, "week"))  # 8月の第1週から第3週
    if node.last.said <= {"quarter", "half"} and is_fiscal(node.first):
        return replace(node.last, fiscal=node.first.fiscal, shift=node.first.shift)
    if node.last.said <= HOUR:
        pm = node.first.part in AFTERNOON or node.first.meridiem == "pm"
        meridiem = node.last.meridiem or ("pm" if pm and not node.last.part else None)
        part = node.last.part or (node.first.part if node.first.part in NIGHTS else None)
        return replace(node.first, clock=node.last.clock, clock_end=None, meridiem=meridiem, part=part)
    return node.last


def _borrows_year(node: Range) -> bool:
    """Whether the year, said once with the last end, holds for the first end, too: from May to October 2020, after May but
    before October 2020."""
    first, last = (each.node if isinstance(each, Bound) else each for each in (node.first, node.last))
    if not (isinstance(first, Frame) and isinstance(last, Frame)):
        return False
    if first.said == {"weekday"} and last.weekday is not None:
        return last.shift is not None  # between Monday and Friday last week
    if (last.year_shift or 0) < 0 and first.said and first.said == last.said - {"year_shift"}:
        return True  # March to May last year, Q1 to Q3 last year
    return (
        not first.said & ANCHORS
        and bool(last.said & ANCHORS)
        and first.said != {"clock"}
        and not (last.said & {"year_shift", "month_shift", "shift"})
    )


def _edge_point(node: Node, span: Interval) -> datetime | None:
    """Where a range begins or ends: "the end of March" is its last instant, the middle its middle; 三月底 is ten days."""
    if not isinstance(node, Frame) or span.start is None or span.end is None:
        return span.start
    if node.edge == "end":
        return span.end
    if node.edge == "mid":
        return span.start + (span.end - span.start) / 2
    return span.start


def _ahead(node: Ahead, ref: Reference, aim: Aim) -> Interval | None:
    if node.base is not None:
        base = resolve(node.base, ref, aim)
        return resolve(node.node, ref, Aim(base.start.date(), 1)) if base and base.start else None
    return resolve(node.node, ref, _coming(node.node, ref, aim))


def _coming(said: Node, ref: Reference, aim: Aim) -> Aim:
    """From today on, or, as the end of a range, from its beginning; a bare weekday never means today."""
    while isinstance(said, (Ahead, Bound)):
        said = said.node
    today = isinstance(said, Frame) and "weekday" in said.said and not said.said & {"month", "day"}
    return aim if aim.sign > 0 else Aim(plus(ref.today, int(today)), 1)


def _bound(node: Bound, ref: Reference, aim: Aim) -> Interval | None:
    if isinstance(node.node, Ahead):
        said = node.node.node
        node, aim = replace(node, node=said), _coming(said, ref, aim)
    if isinstance(node.node, Frame) and node.node.part == "noon" and node.node.clock is None:
        twelve = replace(node.node, part=None, clock=(12, -1, -1))
        node = replace(node, node=twelve)  # until noon: until it strikes twelve
    span = resolve(node.node, ref, aim)
    if span is None:
        return None
    edge = node.node.edge if isinstance(node.node, Frame) else None
    at_end = node.kind in {"after", "until"} or (node.kind == "before" and edge in {"end", "closing"})
    if isinstance(node.node, Now) or _is_instant(node.node) or (node.kind == "after" and edge in {"start", "opening"}):
        at_end = node.kind == "until" and not isinstance(node.node, Frame)
    if node.kind == "until" and counts_hours(node.node):
        at_end = False  # until an hour ago: not the hour from then on, which ends now
    point = span.end if at_end else span.start
    return Interval(point, None) if node.kind in {"since", "after"} else Interval(None, point)


def _is_instant(node: Node) -> bool:
    return isinstance(node, Frame) and node.clock is not None and node.clock_end is None


#: Parts of hours without a day, which are the latest that have begun, or the next.
_HOURS = {"clock", "clock_end", "meridiem", "part", "edge", "offset_minutes", "nearest"}


def _frame(node: Frame, ref: Reference, aim: Aim) -> Interval | None:
    if node.weekday is not None and node.month is not None and node.shift is not None:
        node = replace(node, shift=None)  # "this Friday (15 June)": the date is more precise
    if node.nearest is not None and node.said <= _HOURS:
        today, beside = (_hours_on(node, plus(ref.today, days), ref) for days in (0, node.nearest))
        if today is None or today.start is None:
            return today
        return today if (today.start <= ref.now) == (node.nearest < 0) else beside
    if node.offset_minutes is not None and node.clock is None:
        return _elsewhere(node, node.offset_minutes, ref, aim)
    node = _weekday_at_edge(node)
    days = days_of(node, ref, aim)
    if days is None:
        return None
    if (hours := _hours_on(node, days.first, ref)) is not None or node.clock is not None:
        return hours
    if node.edge is not None:
        return edge_of_days(node, days, ref)
    return instants(days, ref)


def _elsewhere(node: Frame, offset_minutes: int, ref: Reference, aim: Aim) -> Interval | None:
    """The days, or the part of a day, as they are in that zone: 北京时间昨天, 昨日の夜（日本時間）."""
    zone = timezone(timedelta(minutes=offset_minutes))
    found = resolve(replace(node, offset_minutes=None), ref._replace(now=ref.now.astimezone(zone), zone=zone), aim)
    if found is None:
        return None
    return Interval(found.start and found.start.astimezone(ref.zone), found.end and found.end.astimezone(ref.zone))


def _weekday_at_edge(node: Frame) -> Frame:
    """月末の金曜 and 月底的周五 as the last Friday of the month, 月初の月曜 as its first Monday; 来週頭の月曜 as that Monday;
    月末の最終営業日 as the last one of the month."""
    which = {"opening": 1, "closing": -1}.get(node.edge or "")
    if which is not None and node.nth is not None and node.nth[0] == which and node.said & _LONGER:
        return replace(node, edge=None)
    if which is None or node.weekday is None or not node.said & _LONGER or "day" in node.said:
        return node
    if node.shift is not None and node.shift[0] == "week":
        return replace(node, edge=None)
    return replace(node, edge=None, weekday=None, nth=(which, 1, f"weekday{node.weekday}"))


#: Parts with which an edge is that of a period.
_LONGER = {"year", "year_shift", "month", "month_shift", "shift", "quarter", "fiscal"}


def _hours_on(node: Frame, day: date, ref: Reference) -> Interval | None:
    """The hours of that day that the frame names, or None if it names none."""
    if node.clock is not None:
        return at_clock(node, day, ref)
    hours = PARTS[node.part] if node.part else MERIDIEMS[node.meridiem] if node.meridiem else None
    return hours_of(node, day, hours, ref) if hours is not None else None


_RESOLVERS: dict[type, Callable[[Any, Reference, Aim], Interval | None]] = {
    Frame: _frame,
    Offset: _offset,
    Window: _window,
    Stretch: _stretch,
    Now: _now,
    ToDate: _to_date,
    Range: _range,
    Bound: _bound,
    Ahead: _ahead,
}
