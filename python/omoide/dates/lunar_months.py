"""Which days are a month of the old calendar of China and Japan: 正月, 农历八月, 旧暦の閏六月?

A month begins on the day of the new moon, and the eleventh contains the winter solstice. If thirteen months begin from one
such to the next, the first one in which the sun enters no twelfth of its path (no 中气) is the leap month.

Useful for: dates of the old calendar, festivals among `holidays`. Not useful for: calendars before 1980, computed otherwise.
Invariant: new moons are right to half a minute; the months of `YEARS` are those of the almanac.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from itertools import pairwise
from math import radians, sin

from omoide.dates.solar_terms import LAG, reaches

#: The years of the old calendar that are known.
YEARS = range(1980, 2051)
_EPOCH = datetime(2000, 1, 6, 14, 20, 38, tzinfo=timezone.utc)
_DAYS_A_MOON, _MOONS_A_CENTURY = 29.530588861, 1236.85
#: (angle at the epoch, movement in a lunation) of moon, sun and the moon's node, in degrees.
_MOON, _SUN, _CROSSING = (201.5643, 385.81693528), (2.5534, 29.1053567), (160.7108, 390.67050284)
#: Corrections of a new moon: the amount in days, and the multiple of each of the three angles (J. Meeus, chapter 49).
_UNEVEN = (
    (-0.40720, 1, 0, 0),
    (0.17241, 0, 1, 0),
    (0.01608, 2, 0, 0),
    (0.01039, 0, 0, 2),
    (0.00739, 1, -1, 0),
    (-0.00514, 1, 1, 0),
    (0.00208, 0, 2, 0),
    (-0.00111, 1, 0, -2),
    (-0.00057, 1, 0, 2),
    (0.00056, 2, 1, 0),
    (-0.00042, 3, 0, 0),
    (0.00042, 0, 1, 2),
    (0.00038, 0, 1, -2),
    (-0.00024, 2, -1, 0),
)
_DRAWN = (
    (0.000325, 299.77, 0.107408),
    (-0.00017, 124.7746, -1.56375588),
    (0.000165, 251.88, 0.016321),
    (0.000164, 251.83, 26.651886),
    (0.000126, 349.42, 36.412478),
    (0.000110, 84.66, 18.206239),
)

#: (number, whether it is the leap month) -> (its first day, the day after its last).
Months = dict[tuple[int, bool], tuple[date, date]]


@lru_cache(maxsize=128)
def months(year: int, hours: int = 8) -> Months:
    """The months of the year that begins in spring of `year`, in the time zone `hours` ahead of UTC; none outside `YEARS`."""
    if year not in YEARS:
        return {}
    within = [*_between_solstices(year, hours), *_between_solstices(year + 1, hours)]
    first, last = (at for at, (number, leap, _) in enumerate(within) if number == 1 and not leap)
    return {within[at][:2]: (within[at][2], within[at + 1][2]) for at in range(first, last)}


def day_of(year: int, month: int, day: int, hours: int = 8) -> date | None:
    """A day of that year of the old calendar, not in a leap month; None if it does not exist."""
    span = months(year, hours).get((month, False))
    found = span and span[0] + timedelta(days=day - 1)
    return found if span and found and found < span[1] else None


def _between_solstices(year: int, hours: int) -> list[tuple[int, bool, date]]:
    """(number, leap, first day) of the months from the eleventh of the year before to the tenth."""
    there = timezone(timedelta(hours=hours))
    solstice, last = (reaches(270, one).astimezone(there).date() for one in (year - 1, year))
    moon = round((solstice - _EPOCH.date()).days / _DAYS_A_MOON) - 2
    days = [_new_moon(moon + step).astimezone(there).date() for step in range(18)]
    starts = [day for day, behind in pairwise(days) if behind > solstice and behind <= last]
    entered = {reaches(degrees % 360, year).astimezone(there).date() for degrees in range(300, 601, 30)}
    stops = [*starts[1:], last]
    bare = [not any(day <= one < stop for one in entered) for day, stop in zip(starts, stops, strict=True)]
    leap = bare.index(True, 1) if len(starts) > 12 else len(starts)
    return [((at - (at >= leap) + 10) % 12 + 1, at == leap, day) for at, day in enumerate(starts)]


def _new_moon(moon: int) -> datetime:
    """The instant (UTC) of a new moon, numbered from the first of 2000."""
    t = moon / _MOONS_A_CENTURY
    angles = [radians(at + a_moon * moon) for at, a_moon in (_MOON, _SUN, _CROSSING)]
    orbit = 1 - 0.002516 * t  # the earth's orbit grows rounder
    late = sum(
        by * orbit ** abs(suns) * sin(moons * angles[0] + suns * angles[1] + crossings * angles[2])
        for by, moons, suns, crossings in _UNEVEN
    )
    late += sum(by * sin(radians(at + a_moon * moon)) for by, at, a_moon in _DRAWN)
    return _EPOCH + timedelta(days=_DAYS_A_MOON * moon + 0.00015437 * t * t + late) - LAG
