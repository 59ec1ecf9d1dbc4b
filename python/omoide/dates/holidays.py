"""On which day of a given year is a holiday?

Useful for: names in the word tables' `holiday` rows. Not useful for: whether offices are open.
Invariant: Chinese festivals are on the days of China's calendar; known for the years in `moon.YEARS`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta, timezone, tzinfo

from omoide.dates import lunar_months
from omoide.dates.calendar import easter, months_from, nth_weekday
from omoide.dates.solar_terms import reaches

FIXED = {
    "new year": (1, 1),
    "first work": (1, 4),
    "burns": (1, 25),
    "australia": (1, 26),
    "groundhog": (2, 2),
    "setsubun": (2, 3),
    "waitangi": (2, 6),
    "foundation": (2, 11),
    "emperor": (2, 23),
    "valentine": (2, 14),
    "peace memorial": (2, 28),
    "hinamatsuri": (3, 3),
    "girls": (3, 7),
    "women": (3, 8),
    "arbor": (3, 12),
    "white day": (3, 14),
    "patrick": (3, 17),
    "youth of taiwan": (3, 29),
    "fools": (4, 1),
    "women and children": (4, 4),
    "tax": (4, 15),
    "earth": (4, 22),
    "anzac": (4, 25),
    "showa": (4, 29),
    "labour": (5, 1),
    "constitution": (5, 3),
    "youth": (5, 4),
    "greenery": (5, 4),
    "cinco de mayo": (5, 5),
    "kodomo": (5, 5),
    "children": (6, 1),
    "flag": (6, 14),
    "juneteenth": (6, 19),
    "canada": (7, 1),
    "party": (7, 1),
    "independence": (7, 4),
    "tanabata": (7, 7),
    "bastille": (7, 14),
    "army": (8, 1),
    "eighth of august": (8, 8),
    "mountain": (8, 11),
    "end of the war": (8, 15),
    "disaster prevention": (9, 1),
    "teachers": (9, 10),
    "teachers of taiwan": (9, 28),
    "national": (10, 1),
    "double tenth": (10, 10),
    "retrocession": (10, 25),
    "halloween": (10, 31),
    "all saints": (11, 1),
    "culture": (11, 3),
    "guy fawkes": (11, 5),
    "veterans": (11, 11),
    "singles": (11, 11),
    "shichi-go-san": (11, 15),
    "double twelve": (12, 12),
    "thanks for labour": (11, 23),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "constitution of taiwan": (12, 25),
    "boxing": (12, 26),
    "last work": (12, 28),
    "new year's eve": (12, 31),
}
#: holidays of several days: (month, first day) and how many.
_SEVERAL = {
    "first three days": (1, 1, 3),
    "after new year": (1, 4, 7),
    "golden week": (4, 29, 7),
    "turn of the year": (12, 29, 6),
    "labour days": (5, 1, 5),
    "obon": (8, 13, 4),
    "national days": (10, 1, 7),
}
#: holiday -> (month, weekday, which one, days later)
FLOATING = {
    "coming of age": (1, 0, 2, 0),
    "king": (1, 0, 3, 0),
    "presidents": (2, 0, 3, 0),
    "super bowl": (2, 6, 2, 0),
    "mother": (5, 6, 2, 0),
    "memorial": (5, 0, -1, 0),
    "father": (6, 6, 3, 0),
    "sea": (7, 0, 3, 0),
    "labor": (9, 0, 1, 0),
    "aged": (9, 0, 3, 0),
    "silver week": (9, 0, 3, -2),
    "sports": (10, 0, 2, 0),
    "columbus": (10, 0, 2, 0),
    "thanksgiving": (11, 3, 4, 0),
    "black friday": (11, 3, 4, 1),
    "cyber monday": (11, 3, 4, 4),
}
#: holiday -> days from Easter Sunday
FROM_EASTER = {
    "shrove tuesday": -47,
    "ash wednesday": -46,
    "palm sunday": -7,
    "pentecost": 49,
    "whit monday": 50,
    "maundy thursday": -3,
    "good friday": -2,
    "easter": 0,
    "easter monday": 1,
}
#: holiday -> (month, day of 1980 with its fraction, in the country's time). The sun gets there a little later each year,
#: until a leap day; correct from 1980 to 2099.
_SUN = {"vernal equinox": (3, 20.8431), "autumnal equinox": (9, 23.2488), "qingming": (4, 4.96)}
_DAYS_LATER_A_YEAR = 0.242194
#: holiday -> its month and day in the Chinese calendar, and how many days later
_LUNAR = {
    "spring festival days": (1, 1, -1),
    "spring festival eve": (1, 1, -1),
    "spring festival": (1, 1, 0),
    "lantern": (1, 15, 0),
    "dragon boat": (5, 5, 0),
    "qixi": (7, 7, 0),
    "hungry ghost": (7, 15, 0),
    "mid-autumn": (8, 15, 0),
    "double ninth": (9, 9, 0),
}


def holiday(name: str, year: int, zone: tzinfo = timezone.utc) -> date | None:
    """The (first) day of the holiday in that year; None for one of the old calendar outside `moon.YEARS`. `zone` is the
    caller's: solar terms are computed in it if the name says so ("sun 270 here"), else in Japan's time if that is the
    caller's, else in China's."""
    if name.startswith("sun "):
        return _solar_term(name, year, zone)
    for table, rule in _RULES:
        if name in table:
            return rule(name, year)
    return None


def _solar_term(name: str, year: int, zone: tzinfo) -> date | None:
    if year not in lunar_months.YEARS:
        return None
    _, degrees, *here = name.split()
    at = reaches(int(degrees), year)
    hours = 9 if at.astimezone(zone).utcoffset() == timedelta(hours=9) else 8
    return at.astimezone(zone if here else timezone(timedelta(hours=hours))).date()


def old_date_of(name: str) -> tuple[int, int] | None:
    """(month, day) in the Chinese calendar on which, or near which, a festival of that calendar is; None for others."""
    found = _LUNAR.get(name)
    return found and found[:2]


def days_long(name: str) -> int:
    """How many days the holiday lasts."""
    if name in _SEVERAL:
        return _SEVERAL[name][2]
    return _LONG.get(name, 1)


def _several(name: str, year: int) -> date:
    month, day, _ = _SEVERAL[name]
    return date(year, month, day)


def _fixed(name: str, year: int) -> date:
    return date(year, *FIXED[name])


def _floating(name: str, year: int) -> date | None:
    month, weekday, nth, later = FLOATING[name]
    found = nth_weekday(months_from(date(year, month, 1), 1), weekday, nth)
    return found and found + timedelta(days=later)


def _from_easter(name: str, year: int) -> date:
    return easter(year) + timedelta(days=FROM_EASTER[name])


def _by_the_sun(name: str, year: int) -> date | None:
    month, first = _SUN[name]
    since = year - 1980
    return date(year, month, int(first + _DAYS_LATER_A_YEAR * since) - since // 4) if 0 <= since < 120 else None


def _lunar(name: str, year: int) -> date | None:
    month, day, later = _LUNAR[name]
    found = lunar_months.day_of(year, month, day)
    return found and found + timedelta(days=later)


#: Days off at offices with the eve; from Saturday through the autumnal equinox of the years that have this week.
_LONG = {"spring festival days": 8, "silver week": 5}
_Rule = Callable[[str, int], "date | None"]
_RULES: tuple[tuple[dict[str, object], _Rule], ...] = (
    (dict(FIXED), _fixed),
    (dict(_SEVERAL), _several),
    (dict(FLOATING), _floating),
    (dict(FROM_EASTER), _from_easter),
    (dict(_SUN), _by_the_sun),
    (dict(_LUNAR), _lunar),
)
