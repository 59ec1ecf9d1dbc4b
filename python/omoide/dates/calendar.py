"""Civil calendar arithmetic: which days make up this week, that quarter, the second Monday of a month?

Useful for: resolving what the grammar understood. Not useful for: zones and instants; see resolve.py.
Invariant: pure functions of dates; a day that does not exist is None, never a neighbour of it.
"""

from __future__ import annotations

from calendar import isleap
from datetime import date, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)
_LAST_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
#: First and last months of the terms of a Japanese school year.
TERMS = ((4, 8), (9, 12), (1, 3))
FIRST, LAST = date(1, 1, 1), date(9999, 12, 31)
#: The year before the first of the Republic of China.
_BEFORE_REPUBLIC = 1911


class Days(NamedTuple):
    """The days from `first` up to but without `stop`."""

    first: date
    stop: date

    def holds(self, day: date) -> bool:
        """Whether the day lies inside."""
        return self.first <= day < self.stop


def _last_of(year: int, month: int) -> int:
    return 29 if month == 2 and isleap(year) else _LAST_DAYS[month - 1]


def day_of(year: int, month: int, day: int) -> date | None:
    """The day, or None when the calendar has no such day (30 February, year 0)."""
    if not (1 <= year <= 9999 and 1 <= month <= 12):
        return None
    return date(year, month, day) if 1 <= day <= _last_of(year, month) else None


def plus(day: date, days: int) -> date:
    """That many days later, but no further than the calendar's first and last day."""
    ordinal = day.toordinal() + days
    return date.fromordinal(min(max(ordinal, FIRST.toordinal()), LAST.toordinal()))


def plus_months(day: date, months: int) -> date:
    """That many months later; the 31st becomes the last day of a shorter month."""
    index = min(max(day.year * 12 + day.month - 1 + months, 12), 9999 * 12 + 11)
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, _last_of(year, month + 1)))


def months_from(first: date, months: int) -> Days:
    """The whole months that begin with the first of `first`'s month."""
    start = first.replace(day=1)
    return Days(start, plus_months(start, months))


def year_of(year: int) -> Days | None:
    """The whole year, None outside 1 to 9999; the last one ends with the calendar."""
    if not 1 <= year <= 9999:
        return None
    return Days(date(year, 1, 1), date(year + 1, 1, 1) if year < 9999 else LAST)


def years_from(year: int, count: int) -> Days | None:
    """`count` whole years from 1 January of `year`."""
    return Days(date(max(year, 1), 1, 1), date(year + count, 1, 1)) if 0 <= year <= 9998 - count else None


def week_of(day: date, week_starts: int) -> Days:
    """The week that holds the day; `week_starts` 0 = Monday."""
    first = plus(day, -((day.weekday() - week_starts) % 7))
    return Days(first, plus(first, 7))


def quarter_of(day: date) -> Days:
    """The calendar quarter that holds the day."""
    return months_from(day.replace(month=(day.month - 1) // 3 * 3 + 1), 3)


def half_of(day: date) -> Days:
    """The half-year that holds the day."""
    return months_from(day.replace(month=1 if day.month <= 6 else 7), 6)


def weeks_in(days: Days, week_starts: int) -> tuple[date, int]:
    """First day of the first week of a longer period, and how many weeks it has.

    A week belongs to the period that holds the greater part of it, which for years is the numbering of ISO 8601.
    """
    first = week_of(plus(days.first, 3), week_starts).first
    stop = week_of(plus(days.stop, 3), week_starts).first
    return first, (stop - first).days // 7


def nth_weekday(days: Days, weekday: int, nth: int) -> date | None:
    """The nth such weekday inside, counted from the end when negative; None when there are fewer."""
    first = plus(days.first, (weekday - days.first.weekday()) % 7)
    count = ((days.stop - first).days + 6) // 7
    index = nth - 1 if nth > 0 else count + nth
    return plus(first, 7 * index) if 0 <= index < count else None


def nth_workday(days: Days, nth: int) -> date | None:
    """The nth day inside that is Monday to Friday, counted from the end when negative; None when there are fewer."""
    day, step = (days.first, 1) if nth > 0 else (plus(days.stop, -1), -1)
    left = abs(nth) - (day.weekday() < 5)
    while left > 0 and days.holds(plus(day, step)):
        day = plus(day, step)
        left -= day.weekday() < 5
    return day if left == 0 and day.weekday() < 5 else None


def workday_from(day: date, count: int) -> date:
    """The working day so many after the day, or before it when negative; the day itself for 0. The last of them are counted one by
    one, so that none ends on a weekend."""
    if not count:
        return day
    sign = 1 if count > 0 else -1
    weeks, before_last = divmod(min(abs(count), 100_000) - 1, 5)
    day, left = plus(day, sign * 7 * weeks), before_last + 1
    while left:
        day = plus(day, sign)
        left -= day.weekday() < 5
    return day


def easter(year: int) -> date:
    """Western Easter Sunday (Meeus' form of the Gregorian computation)."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = b // 4, b % 4
    h = (19 * a + b - d - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    i = (32 + 2 * e + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * i) // 451
    return date(year, (h + i - 7 * m + 114) // 31, (h + i - 7 * m + 114) % 31 + 1)


def year_of_republic(number: int) -> int | None:
    """The year that a number counted from the Republic of China names; None if it is none of our days."""
    return number + _BEFORE_REPUBLIC if 100 <= number < 150 else None
