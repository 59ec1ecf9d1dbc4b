"""Which days of the calendar does a `Frame` mean?

Useful for: `resolve`. Not useful for: hours of the day; see hours.py.
Invariant: parts are applied from the longest to the shortest, each picking from the days that the longer ones left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import cache

from omoide.dates import lunar_months
from omoide.dates.calendar import (
    DAY,
    TERMS,
    Days,
    day_of,
    half_of,
    months_from,
    nth_weekday,
    nth_workday,
    plus,
    plus_months,
    quarter_of,
    week_of,
    weeks_in,
    workday_from,
    year_of,
    years_from,
)
from omoide.dates.frame import MONDAY, SUNDAY, Frame
from omoide.dates.holidays import days_long, holiday, old_date_of
from omoide.dates.reference import Aim, Reference

MONTHS = {
    "month": 1,
    "quarter": 3,
    "halfyear": 6,
    "semester": 6,
    "year": 12,
    "fiscal": 12,
    "schoolyear": 12,
    "decade": 120,
    "century": 1200,
}


DAYS = {"day": 1, "week": 7, "weekend": 7, "workweek": 7, "fortnight": 14}


#: How many years or months are tried if none is given: enough for 29 February.
_YEARS_TRIED, _MONTHS_TRIED = 9, 40
#: Years tried for a leap month, which comes again after 19, 38 or 57 years.
_LEAPS_TRIED = 60


#: The month in which 年度 begins, at Japanese schools, offices and most firms.
_FISCAL_START = 4


#: The month in which the first semester begins; the second begins six months later.
_SCHOOL_START = 8


#: First months of the seasons, from spring; the winter of a year begins in its December.
_WINTER = 3
_SEASON_STARTS = (3, 6, 9, 12)


ANCHORS = frozenset({"century", "year", "fiscal", "school_year", "year_shift", "month_shift", "shift", "decade"})


_UNANCHORED_YEAR = ("month", "quarter", "season", "holiday", "semester")


def days_of(frame: Frame, ref: Reference, aim: Aim) -> Days | None:
    """The nearest candidate in which every given part exists and that lies on the side `aim` asks for, or None."""
    if frame.holiday is not None and frame.month is not None and frame.day is not None:
        frame = _said_twice(frame)
    if frame.year_shift == -1 and _is_of_many_years(frame):
        frame = replace(frame, year_shift=None, nth=(-1, 1, "year"))  # the last year of the 1990s
    if frame.shift == ("decade", -1) and frame.century is not None:
        frame = replace(frame, shift=None, nth=(-1, 1, "decade"))  # the last decade of the 20th century
    if frame.lunar is not None:
        old = _of_old_calendar(frame, ref)
        if old is None:
            return None
        frame = old
    # Two summers ago is the one before the latest that is over.
    left = -frame.nearest if frame.nearest is not None and frame.nearest < 0 else 1
    for base in _bases(frame, ref, aim):
        days = base and _narrowed(frame, base, ref)
        if days and _lies(frame, days, ref, aim):
            left -= 1
            if not left:
                return days
        elif base and not days and _lacks_nth(frame, base, ref, aim):
            return None
    return None


def _is_of_many_years(frame: Frame) -> bool:
    """Whether a decade or a century is said."""
    shifted = frame.shift is not None and frame.shift[0] in {"decade", "century"}
    return shifted or not frame.said.isdisjoint({"decade", "century"})


def _lacks_nth(frame: Frame, base: Days, ref: Reference, aim: Aim) -> bool:
    """Whether the month is the one that is meant but has no such week or weekday: 12月第5週 of 2025, not that of years before."""
    if frame.nth is None or frame.month is None:
        return False
    month = replace(frame, nth=None)
    days = _narrowed(month, base, ref)
    return days is not None and _lies(month, days, ref, aim)


def _said_twice(frame: Frame) -> Frame:
    """The frame without the date beside a festival if that is of the old calendar, as in 八月十五中秋节 and 正月初一春节; else
    without the festival: 9月17日中秋节."""
    old = old_date_of(frame.holiday or "")
    if old is not None and (frame.lunar is not None or old == (frame.month, frame.day)):
        return replace(frame, lunar=None, leap=None, month=None, day=None)
    return replace(frame, holiday=None)


#: Parts that have a meaning in the old calendar.
_OLD_PARTS = set(
    "lunar leap year year_shift month month_end day day_end weekday part clock clock_end meridiem edge third half "
    "nearest offset_minutes".split()
)
_OLD_NAMES = {"tanabata": "qixi"}


def _of_old_calendar(frame: Frame, ref: Reference) -> Frame | None:
    """The frame with `lunar` decided: "china" or "japan", or None if it is of the civil calendar after all. None if the frame
    means nothing in the old calendar."""
    if frame.holiday is not None:  # 农历除夕, 旧暦の七夕
        return replace(frame, lunar=None, holiday=_OLD_NAMES.get(frame.holiday, frame.holiday))
    japan = ref.in_japan
    if japan and frame.lunar == "perhaps":
        return replace(frame, lunar=None)
    whose = frame.lunar if frame.lunar not in {"here", "perhaps"} else "japan" if japan else "china"
    years_alone = frame.said <= {"lunar", "year", "year_shift"}
    return replace(frame, lunar=whose) if frame.said <= _OLD_PARTS and (frame.month or years_alone) else None


def _old_months(frame: Frame, year: int) -> lunar_months.Months:
    return lunar_months.months(year, 9 if frame.lunar == "japan" else 8)


def _bases(frame: Frame, ref: Reference, aim: Aim) -> Iterator[Days | None]:
    said = frame.said
    aim = Aim(ref.today, 1) if frame.nearest == 1 else aim
    if said & ANCHORS:
        yield _anchor(frame, ref)
    elif (
        frame.week is not None
        or (frame.half is not None and frame.month is None)
        or (frame.nth and not said & set(_UNANCHORED_YEAR))
    ):
        yield _present(frame, ref)
    elif said & set(_UNANCHORED_YEAR):
        years = _LEAPS_TRIED if frame.leap else _YEARS_TRIED
        # The last months of an old year are in the next year.
        begins = aim.day.year - (frame.lunar is not None and aim.sign > 0)
        yield from (year_of(begins + aim.sign * back) for back in range(years))
    elif frame.third is not None:
        yield unit_of("month", ref.today, ref)
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
    """The present month or year, of which "the first Sunday", "week 31" and "the first half" are parts if none is given."""
    if frame.half is not None:
        return unit_of(frame.half[1], ref.today, ref)
    if frame.nth is not None and (frame.nth[2].startswith("weekday") or frame.nth[2] in {"day", "week"}):
        return months_from(ref.today, 1)
    return unit_of("year", ref.today, ref)


def _lies(frame: Frame, days: Days, ref: Reference, aim: Aim) -> bool:
    said = frame.said
    if frame.nearest is not None:
        return days.stop <= ref.today if frame.nearest < 0 else days.first > ref.today
    if said == {"third"}:
        return True
    if said & ANCHORS or frame.week is not None or (frame.half is not None and frame.month is None):
        return True
    if frame.nth is not None and not said & set(_UNANCHORED_YEAR):
        return True
    if aim.sign > 0:
        return days.stop > aim.day if said & _MAY_HAVE_BEGUN else days.first >= aim.day
    if said & {"weekday"} and not said & {"month", "day"} and aim.day == ref.today:
        return days.first < aim.day
    if said & {"weekday"} and said & {"day"} and (days.first.year, days.first.month) == (aim.day.year, aim.day.month):
        return True  # "Tuesday the 11th" said on the 10th is tomorrow
    return days.first <= aim.day


#: Parts of which the present one, which is not over, is the next: October, Q4, fall.
_MAY_HAVE_BEGUN = frozenset({"month", "day", "quarter", "season"})


def _anchor(frame: Frame, ref: Reference) -> Days | None:
    """The longest period that is given, or counted from the reference."""
    if frame.decade is not None:
        last = frame.decade if frame.decade_end is None else frame.decade_end
        return years_from(_century_years(frame, ref) + frame.decade, last - frame.decade + 10)
    if frame.year is not None:
        return year_of(frame.year)
    if frame.fiscal is not None:
        first = day_of(frame.fiscal, _FISCAL_START, 1)
        return _fiscal_of(first) if first is not None else None
    if frame.school_year is not None:
        first = day_of(frame.school_year, _SCHOOL_START, 1)
        return _school_year_of(first) if first is not None else None
    if frame.century is not None:
        return years_from((frame.century - 1) * 100, 100) if frame.century > 1 else years_from(1, 99)
    today = _in_old_year(frame, ref.today)
    if frame.year_shift is not None:
        today = plus_months(today, 12 * frame.year_shift)
        if frame.month_shift is None and frame.shift is None:
            return year_of(today.year)
    if frame.month_shift is not None:
        if frame.shift == ("day", 0):
            day = plus_months(today, frame.month_shift)
            return Days(day, plus(day, 1))
        return months_from(plus_months(today.replace(day=1), frame.month_shift), 1)
    return _shifted(frame, today, ref)


def _in_old_year(frame: Frame, today: date) -> date:
    """A day of this year, as 今年腊月 means it: until the new year of the old calendar, the year before."""
    found = _old_months(frame, today.year) if frame.lunar is not None and (frame.month or 0) > 10 else {}
    return plus_months(today, -12) if found and today < found[1, False][0] else today


def _century_years(frame: Frame, ref: Reference) -> int:
    """The first year of a decade's century. A decade alone is of the last century, but the tens and earlier ones, once begun,
    are of the present one."""
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
    if unit == "weekday":
        day = workday_from(today, count)
        return Days(day, plus(day, 1))
    present = unit_of(unit, today, ref)
    if unit == "season":
        return present
    if unit == "semester" and ref.in_japan:
        for _ in range(abs(count)):
            present = _term_of(present.stop if count > 0 else plus(present.first, -1))
        return present
    if unit in MONTHS:
        first = plus_months(present.first, count * MONTHS[unit])
        return unit_of(unit, first, ref)
    step = DAYS.get(unit, 1) * count
    return Days(plus(present.first, step), plus(present.stop, step))


#: Of a month or year whose end (月末, 年末) has begun: (when the end of the present one does, months back to the one before).
_CLOSING_BEGUN: dict[str, tuple[Callable[[date], date], int]] = {
    "month begun": (lambda day: day.replace(day=21), 1),
    "year begun": (lambda day: date(day.year, 12, 1), 12),
}


def unit_of(unit: str, day: date, ref: Reference) -> Days:
    """The unit of the calendar that contains the day."""
    if unit in {"week", "fortnight"}:
        week = week_of(day, ref.week_starts)
        return week if unit == "week" else Days(week.first, plus(week.first, 14))
    if unit == "weekend begun":
        near = unit_of("weekend", day, ref)
        return near if near.first <= day else Days(plus(near.first, -7), plus(near.stop, -7))
    if unit in _CLOSING_BEGUN:
        last, back = _CLOSING_BEGUN[unit]
        return unit_of(unit.split()[0], plus_months(day, -back) if day < last(day) else day, ref)
    if unit in {"weekend", "workweek"}:
        monday = week_of(day, 0).first
        return Days(plus(monday, 5), plus(monday, 7)) if unit == "weekend" else Days(monday, plus(monday, 5))
    if unit in {"decade", "century", "year"}:
        years = {"year": 1, "decade": 10, "century": 100}[unit]
        return years_from(day.year // years * years, years) or Days(day, day)
    by_month: dict[str, Callable[[date], Days]] = {
        "fiscal": _fiscal_of,
        "schoolyear": _fiscal_of if ref.in_japan else _school_year_of,
        "semester": _term_of if ref.in_japan else _semester_of,
        "month": lambda at: months_from(at, 1),
        "quarter": quarter_of,
        "halfyear": half_of,
    }
    return by_month[unit](day) if unit in by_month else Days(day, plus(day, 1))


def _fiscal_of(day: date) -> Days:
    """The Japanese fiscal year, from April."""
    return months_from(date(day.year - (day.month < _FISCAL_START), _FISCAL_START, 1), 12)


def _school_year_of(day: date) -> Days:
    """The school year of China and, roughly, of America and Europe."""
    return months_from(date(day.year - (day.month < _SCHOOL_START), _SCHOOL_START, 1), 12)


def _semester_of(day: date) -> Days:
    year = _school_year_of(day)
    middle = plus_months(year.first, 6)
    return Days(year.first, middle) if day < middle else Days(middle, year.stop)


def _term_of(day: date) -> Days:
    """The term of a Japanese school."""
    first, last = next(months for months in TERMS if months[0] <= day.month <= months[1])
    return months_from(date(day.year, first, 1), last - first + 1)


def _narrowed(frame: Frame, days: Days, ref: Reference) -> Days | None:
    left: Days | None = days
    for step in _steps_of(frame.said):
        left = left and step(frame, left, ref)
    return left


@cache
def _steps_of(said: frozenset[str]) -> tuple[_Step, ...]:
    return tuple(step for name, step in _STEPS if name in said)


def _quarter(frame: Frame, days: Days, _: Reference) -> Days | None:
    return months_from(plus_months(days.first, 3 * ((frame.quarter or 1) - 1)), 3)


def _half(frame: Frame, days: Days, ref: Reference) -> Days | None:
    which, unit = frame.half or (1, "year")
    if unit == "week":
        return Days(days.first, plus(days.first, 4)) if which == 1 else Days(plus(days.first, 3), days.stop)
    middle = plus_months(days.first, 6) if unit == "year" else plus(days.first, 15)
    if unit in {"decade", "century"}:
        middle = plus_months(days.first, MONTHS[unit] // 2)
    return Days(days.first, middle) if which == 1 else Days(middle, days.stop)


def _semester(frame: Frame, days: Days, _: Reference) -> Days | None:
    """The semester that begins in the year: the second one of a school year is in the next civil year."""
    first = months_from(date(days.first.year, _SCHOOL_START, 1), 6)
    if frame.semester == 1:
        return first
    return months_from(plus_months(first.first, 6 if frame.school_year is not None else -6), 6)


def _season(frame: Frame, days: Days, ref: Reference) -> Days | None:
    season = months_from(plus_months(days.first, _SEASON_STARTS[frame.season or 0] - 1), 3)
    before = months_from(plus_months(season.first, -12), 3)
    # This winter, said in January; in March, it is the one just over.
    lately = frame.season == _WINTER and months_from(before.stop, 1).holds(ref.today)
    return before if frame.year_shift == 0 and (before.holds(ref.today) or lately) else season


def _old_year(frame: Frame, days: Days, ref: Reference) -> Days | None:
    """The whole old year, if no month of it is said."""
    found = _old_months(frame, days.first.year) if frame.month is None else {}
    return Days(found[1, False][0], found[12, False][1]) if found else days


def _old_month(frame: Frame, days: Days) -> Days | None:
    found, last = _old_months(frame, days.first.year), frame.month_end or frame.month or 0
    first, stop = found.get((frame.month or 0, bool(frame.leap))), found.get((last, bool(frame.leap)))
    return Days(first[0], stop[1]) if first and stop and first[0] < stop[1] else None


def _month(frame: Frame, days: Days, ref: Reference) -> Days | None:
    if frame.lunar is not None:
        return _old_month(frame, days)
    # The March of a fiscal year is in the year after its first day.
    later = (frame.month or 0) < days.first.month and days.stop.year > days.first.year
    month = day_of(days.first.year + later, frame.month or 0, 1)
    last = frame.month_end or frame.month or 0
    return months_from(month, (last - month.month) % 12 + 1) if month else None


def _week(frame: Frame, days: Days, ref: Reference) -> Days | None:
    return _nth_week(days, frame.week or 1, 1, ref)


def _nth(frame: Frame, days: Days, ref: Reference) -> Days | None:
    """The third week, the last Monday or the first ten days of `days`."""
    which, count, unit = frame.nth or (1, 1, "day")
    if unit.startswith("weekday"):
        return _nth_weekdays(days, unit, which, count)
    if unit == "weekend":
        saturday = nth_weekday(days, 5, which)
        return Days(saturday, plus(saturday, 2)) if saturday else None
    if unit == "week":
        return _nth_week(days, which, count, ref)
    if unit == "workweek":
        weeks = _nth_week(days, which, count, ref._replace(week_starts=MONDAY))
        return weeks and Days(weeks.first, plus(weeks.stop, -2))
    base, units = days.first if which > 0 else days.stop, _units_on(which, count)
    if unit in {"day", "fortnight"}:
        length = DAYS[unit]
        first = plus(base, length * units)
        return Days(first, plus(first, length * count)) if days.holds(first) else None
    months = MONTHS.get(unit, 12)
    first = plus_months(base, months * units)
    return Days(first, plus_months(first, months * count)) if days.holds(first) else None


def _nth_weekdays(days: Days, unit: str, which: int, count: int) -> Days | None:
    """The working day or weekday, or from the first through the last of several."""

    def nth(rank: int) -> date | None:
        return nth_workday(days, rank) if unit == "weekday" else nth_weekday(days, int(unit[-1]), rank)

    first, last = (which, which + count - 1) if which > 0 else (which - count + 1, which)
    begins, ends = nth(first), nth(last)
    return Days(begins, plus(ends, 1)) if begins and ends else None


def _units_on(which: int, count: int) -> int:
    """How many after the beginning, or if negative before the end, the first of them begins: -1 for the last, -2 for the last two and for
    the second to last."""
    return which - 1 if which > 0 else which + 1 - count


def _nth_week(days: Days, which: int, count: int, ref: Reference) -> Days | None:
    first, weeks = weeks_in(days, ref.week_starts)
    units = _units_on(which, count)
    index = units if units >= 0 else weeks + units
    if not 0 <= index < weeks:
        return None
    start = plus(first, 7 * index)
    return Days(start, plus(start, 7 * count))


def _holiday(frame: Frame, days: Days, ref: Reference) -> Days | None:
    name = frame.holiday or ""
    day = holiday(name, days.first.year, ref.zone)
    found = Days(day, plus(day, days_long(name))) if day else None
    if found is None or frame.month is None or frame.month in {found.first.month, plus(found.stop, -1).month}:
        return found
    return None  # Christmas in July


def _old_day(frame: Frame, days: Days) -> Days | None:
    first, last = (plus(days.first, (day or 0) - 1) for day in (frame.day, frame.day_end or frame.day))
    return Days(first, plus(last, 1)) if first <= last and days.holds(last) else None


def _day(frame: Frame, days: Days, _: Reference) -> Days | None:
    if frame.lunar is not None:
        return _old_day(frame, days)
    day = day_of(days.first.year, days.first.month, frame.day or 0)
    last = day_of(days.first.year, days.first.month, frame.day_end) if frame.day_end else day
    if day is None or last is None or (days.stop - days.first).days > 31 or last < day:
        return None
    if frame.shift is not None and frame.shift[0] == "day" and frame.month is None:
        return days  # 明日（19日）, even if it is the 20th
    wrong = frame.weekday is not None and frame.month is None and frame.said.isdisjoint(ANCHORS)
    return None if wrong and day.weekday() != frame.weekday else Days(day, plus(last, 1))


def _weekday(frame: Frame, days: Days, ref: Reference) -> Days | None:
    """Beside a full date the weekday is ignored, so that a wrong one does not hide the date."""
    if frame.day is not None or frame.holiday is not None or days.stop - days.first <= DAY:
        return days
    day = nth_weekday(days, frame.weekday or 0, 1)
    return Days(day, plus(day, 1)) if day else None


def _week_of(frame: Frame, days: Days, ref: Reference) -> Days | None:
    unit = frame.week_of or "week"
    if unit == "ending":
        return Days(plus(days.first, -6), days.stop) if days.stop - days.first <= DAY else None
    if unit == "weekend" and frame.holiday:
        return _long_weekend(days.first)
    if unit == "days off":
        return _days_off(days)
    return unit_of(unit, days.first, ref)


def _long_weekend(day: date) -> Days:
    """The days off around a holiday: from it through Sunday, or from Saturday through it."""
    saturday = week_of(day, 0).first + 5 * DAY
    if day.weekday() == 0:
        return Days(day - 2 * DAY, day + DAY)
    return Days(min(day, saturday) if day.weekday() >= 3 else saturday, plus(saturday, 2))


def _days_off(days: Days) -> Days:
    """A holiday with the nearest weekend, and the days between."""
    saturday = week_of(days.first, 0).first + 5 * DAY
    if days.stop - days.first > DAY:
        return days
    if days.first.weekday() < 2:
        return Days(saturday - 7 * DAY, days.stop)
    if days.first.weekday() == SUNDAY:  # has a substitute on the Monday, as in China and Japan
        return Days(saturday, saturday + 3 * DAY)
    return Days(min(days.first, saturday), saturday + 2 * DAY)


def _third(frame: Frame, days: Days, _: Reference) -> Days | None:
    """上旬, 中旬 and 下旬, the thirds of a month; also 上中旬 and 中下旬."""
    first, last = frame.third or (1, 3)
    return Days(plus(days.first, 10 * (first - 1)), plus(days.first, 10 * last) if last < 3 else days.stop)


_Step = Callable[[Frame, Days, Reference], "Days | None"]
_STEPS: tuple[tuple[str, _Step], ...] = (
    ("lunar", _old_year),
    ("quarter", _quarter),
    ("season", _season),
    ("month", _month),
    ("half", _half),
    ("semester", _semester),
    ("week", _week),
    ("holiday", _holiday),
    ("nth", _nth),
    ("third", _third),
    ("day", _day),
    ("week_of", _week_of),
    ("weekday", _weekday),
)
