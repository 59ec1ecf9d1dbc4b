"""Dates and times written in digits: 2024-01-15T10:30Z, 3/15, 15.3.2024, 8:30pm, 20240115.

Useful for: the grammar, at a number. Not useful for: digits beside words (3月15日), which are tokens.
Invariant: part of a version, an address or a longer number is never a date.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from omoide.dates.calendar import day_of
from omoide.dates.frame import Frame
from omoide.dates.model import Order
from omoide.dates.patterns import pattern

_Y, _M, _D, _N = r"\d{4}", r"(?:1[0-2]|0?[1-9])", r"(?:3[01]|[12]\d|0?[1-9])", r"\d{1,2}"
_END = r"(?!\d|[.:]\d|/\d(?!\d{3}[-/])|,\d{3}\b)"
_LOOSE_END = r"(?!\d|\s?[-/.:]\s?\d|[%a-z]|\s?[ap]\.?m)"
_ZONE = r"(?:\s?(?P<zone>z|(?:gmt|utc)(?!\s?[+-])|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)(?![a-z\d:]))?"
_OFFSET = r"\s?(?P<zone>[+-](?:1[0-4]|0?\d)(?::?[0-5]\d)?)(?![a-z\d_:])"
#: Python's instants have microseconds.
_FRACTION = r":\d\d[.,](\d{1,6})\d{0,3}(?!\d)|^\s*\d{10}(\d{3})\s*$"
#: Behind a month with its year a dash may lead to another one: 2024/5-2024/8.
_MONTH_END = r"(?!\d|\s?[/.:]\s?\d|\s?-\s?(?!\d{4}/)\d|[%a-z]|\s?[ap]\.?m)"
#: Behind a slash date a dash may lead to another one: 2/28-3/1.
_SLASH_END = r"(?!\d|\s?[/.:]\s?\d|[%a-z]|\s?[ap]\.?m)"
_TIME = r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"
_SLASH_BEFORE = r"\d/\d{1,2}\s?-\s?$"
#: Not inside an address, a version, a price or a fraction.
_ALONE = r"(?:^|(?<=[^a-z\d_.:/\\$#€£¥-]))"


def read(text: str, start: int, order: Order) -> tuple[Frame, int, bool] | None:
    """The date that begins at a digit, where it ends, and whether it is certain; None if there is none."""
    if pattern(_MAY_BE).match(text, start) is None or (start and text[start - 1].isdigit()):
        return None
    abbreviated = start > 0 and text[start - 1] == "'"
    for form, build, certain in (_SHORT_YEAR, *_FORMS) if abbreviated else _FORMS:
        found = pattern(form).match(text, start)
        if found and (certain or _alone(text, start)):
            frame = build(found.groupdict(), order)
            if frame:
                return frame, found.end(), certain
    return None


def _alone(text: str, start: int) -> bool:
    """Whether a date may begin here; after a dash, only the second of two slash dates may."""
    if start > 1 and text[start - 1] == ":" and text[start - 2].isalpha():
        return True  # before:2025-06
    if text[max(start - 2, 0) : start] == "..":
        return True  # 2025-03..2025-05
    return (
        pattern(_ALONE).match(text, start) is not None
        or pattern(_SLASH_BEFORE).search(text, max(start - 6, 0), start) is not None
    )


def unix_time(digits: str) -> Frame | None:
    """Unix time in 10 digits, or 13 with milliseconds, as the second it means: from 2001 to 2286."""
    if len(digits) not in (10, 13) or not digits.isdecimal() or digits[0] == "0":
        return None
    at = datetime.fromtimestamp(int(digits[:10]), timezone.utc)
    return Frame(year=at.year, month=at.month, day=at.day, clock=(at.hour, at.minute, at.second), offset_minutes=0)


def fraction(text: str) -> tuple[timedelta, timedelta] | None:
    """The part of a second in 09:00:00.250 or in Unix time in milliseconds, and how long what it names lasts: a millisecond."""
    found = pattern(_FRACTION).search(text)
    if found is None:
        return None
    digits = found[1] or found[2]
    return timedelta(microseconds=int(digits.ljust(6, "0"))), timedelta(microseconds=10 ** (6 - len(digits)))


def clock(text: str, start: int, *, loose: bool = False) -> tuple[Frame, int] | None:
    """A clock time at a digit: 8:30, 8.30pm, 830pm, 8pm, 20:15:09; `loose` also 8.30."""
    for form in _CLOCKS if not loose else (*_CLOCKS, _POINTED):
        found = pattern(form).match(text, start)
        if found and _is_end(found, text, start):
            return _clock_frame({**found.groupdict(), "zone": ""}), found.start("zone")
        if found:
            return _clock_frame(found.groupdict()), found.end()
    return None


def _is_end(found: re.Match[str], text: str, start: int) -> bool:
    """Whether what looks like an offset is the end of a stretch of hours: 10:00-12:00, 22:00-02:00. After a date in digits,
    it is an offset (2024-01-15 10:30-05:00), unless it is later than the first hour."""
    parts = found.groupdict()
    zone = parts.get("zone") or ""
    if not zone.startswith("-") or (len(zone) > _HOURS and ":" not in zone) or parts.get("second", "") is not None:
        return False
    said = int(found["hour"]) * 60 + int(found["minute"])
    return -_offset_minutes(zone) > said or pattern(_DATE_BEFORE).search(text, max(start - 12, 0), start) is None


def offset(text: str, start: int) -> tuple[int, int] | None:
    """The minutes of the +9, -5 or +05:30 behind UTC, and where it ends."""
    found = pattern(_OFFSET).match(text, start)
    return (_offset_minutes(found["zone"]), found.end()) if found else None


def _year_first(said: dict[str, str], _: Order) -> Frame | None:
    year, month = _full_year(said["y"]), int(said["m"])
    if "d" not in said or said["d"] is None:
        return Frame(year=year, month=month)
    if day_of(year, month, int(said["d"])) is None:
        return None
    frame = Frame(year=year, month=month, day=int(said["d"]))
    return frame.join(_clock_frame(said)) if said.get("hour") else frame


def _iso_week(said: dict[str, str], _: Order) -> Frame:
    weekday = int(said["wd"]) - 1 if said["wd"] else None
    return Frame(year=int(said["y"]), week=int(said["w"]), weekday=weekday)


def _year_last(said: dict[str, str], order: Order) -> Frame | None:
    first, second = int(said["a"]), int(said["b"])
    year = _full_year(said["y"])
    if (
        len(said["y"]) == 2
        and order == "day_first"
        and len(said["a"]) == 2
        and day_of(_full_year(said["a"]), second, int(said["y"]))
    ):
        return Frame(year=_full_year(said["a"]), month=second, day=int(said["y"]))
    # Points are European: 5.9.2021 is in September whatever the language.
    for month, day in _both_ways(first, second, "day_first" if said.get("s") == "." else order):
        if day_of(year, month, day):
            return Frame(year=year, month=month, day=day)
    return None


def _short_year_first(said: dict[str, str], order: Order) -> Frame | None:
    year, month, day = _full_year(said["a"]), int(said["b"]), int(said["y"])
    return Frame(year=year, month=month, day=day) if order == "day_first" and day_of(year, month, day) else None


def _short(said: dict[str, str], _: Order) -> Frame | None:
    first, second = int(said["a"]), int(said["b"])
    for month, day in ((first, second), (second, first)):
        if day_of(2000, month, day):
            return Frame(month=month, day=day)
    return None


def _both_ways(first: int, second: int, order: Order) -> tuple[tuple[int, int], tuple[int, int]]:
    ways = (first, second), (second, first)
    return ways if order == "month_first" else (ways[1], ways[0])


def _full_year(digits: str) -> int:
    """The year; two digits mean 1930 to 2029."""
    year = int(digits)
    return year if len(digits) > 2 else year + (2000 if year < 30 else 1900)


def _clock_frame(said: dict[str, str]) -> Frame:
    minute, second = said.get("minute"), said.get("second")
    zone, meridiem = said.get("zone"), said.get("meridiem")
    return Frame(
        clock=(int(said["hour"]), int(minute) if minute else -1, int(second) if second else -1),
        meridiem=meridiem[0] + "m" if meridiem else None,
        offset_minutes=_offset_minutes(zone) if zone else None,
    )


def _offset_minutes(zone: str) -> int:
    if zone[0].isalpha():
        return 0
    digits = zone[1:].replace(":", "")
    hours, rest = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    minutes = int(hours) * 60 + int(rest)
    return minutes * (-1 if zone[0] == "-" else 1)


#: What each of the forms begins with; rules out most numbers of a text at once.
_MAY_BE = r"\d{8}|\d{1,4}(?:\s?[-/.]|w|\s\d)"
_Build = Callable[[dict[str, str], Order], "Frame | None"]
_FORMS: tuple[tuple[str, _Build, bool], ...] = (
    (rf"(?P<y>{_Y})-(?P<m>{_M})-(?P<d>{_D})t{_TIME}{_ZONE}", _year_first, True),
    (rf"(?P<y>{_Y})-(?P<m>{_M})-(?P<d>{_D})t(?P<hour>[01]\d|2[0-4])(?![\d:]){_ZONE}", _year_first, True),
    (
        r"(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])"
        rf"t(?P<hour>[01]\d|2[0-4])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?(?!\d){_ZONE}",
        _year_first,
        True,
    ),
    (rf"(?P<y>{_Y})(?P<s>[-/.]|\s)(?P<m>{_M})(?P=s)(?P<d>{_D}){_END}", _year_first, True),
    (rf"(?P<y>{_Y})-?w(?P<w>[0-4]\d|5[0-3])(?:-?(?P<wd>[1-7]))?(?![\w-])", _iso_week, True),
    (rf"(?P<a>{_N})(?P<s>[-/.])(?P<b>{_N})(?P=s)(?P<y>{_Y}){_END}", _year_last, True),
    (rf"(?P<a>{_N})/(?P<b>{_N})\s?,\s?(?P<y>{_Y}){_END}", _year_last, True),
    (rf"(?P<a>{_N})/(?P<b>{_N}),(?P<y>\d\d){_END}", _year_last, False),
    (r"(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?!\d)", _year_first, True),
    (rf"(?P<a>{_N})(?P<s>[-/])(?P<b>{_N})(?P=s)(?P<y>\d\d){_END}", _year_last, False),
    (rf"(?P<a>\d\d)(?P<s>[-/])(?P<b>{_M})(?P=s)(?P<y>\d){_END}", _short_year_first, False),
    (rf"(?P<y>(?:1[5-9]|2[01])\d\d)\s?[-/.]\s?(?P<m>{_M}){_MONTH_END}", _year_first, False),
    (rf"(?P<m>{_M})\s?[-/]\s?(?P<y>(?:1[5-9]|2[01])\d\d){_LOOSE_END}", _year_first, False),
    (rf"(?P<a>{_N})/(?P<b>{_N}){_SLASH_END}", _short, False),
    (rf"(?P<a>{_N})[-.](?P<b>{_N}){_LOOSE_END}", _short, False),
)  # fmt: skip
#: After an apostrophe, which stands for the century: '24/3/15. Not '03/04/24, nor if another may end a quotation.
_SHORT_YEAR: tuple[str, _Build, bool] = (
    rf"(?P<y>1[3-9]|[2-9]\d)(?P<s>[-/.])(?P<m>{_M})(?P=s)(?P<d>{_D}){_END}(?![^']{{0,40}}')",
    _year_first,
    True,
)
_HOURS = len("-12")
_DATE_BEFORE = r"\d{4}-\d\d-\d\d\s+$"
_POINTED = r"(?P<hour>2[0-4]|1\d|0?\d)\.(?P<minute>[0-5]\d)(?![\d.])"
_MERIDIEM = r"\s?(?P<meridiem>a\.?\s?m\b\.?|p\.?\s?m\b\.?|[ap](?![a-z]))"
#: "9am -05:00" has an offset, 9am-10:30 is a stretch of hours.
_AFTER_MERIDIEM = r"(?:\s?(?P<zone>\+(?:0\d|1[0-4]):?[0-5]\d|(?<=\s)-0\d:?[0-5]\d)(?![\w:]))?"
_CLOCKS = (
    rf"{_TIME}(?:{_MERIDIEM})?(?!\d|:\d){_ZONE}",
    rf"(?P<hour>1[0-2]|0?\d)(?:\.(?P<minute>[0-5]\d))?{_MERIDIEM}{_AFTER_MERIDIEM}",
    rf"(?P<hour>1[0-2]|0?[1-9])(?P<minute>[0-5]\d)\s?(?P<meridiem>[ap]\.?m\b\.?){_AFTER_MERIDIEM}",
)
