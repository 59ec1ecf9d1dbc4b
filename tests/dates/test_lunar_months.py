"""The months of the old calendar are those of the almanac."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from omoide import dates
from omoide.dates import lunar_months

#: First days of the Chinese year, 1980 to 2050 in the almanac, as month * 100 + day.
NEW_YEARS = """
    216 205 125 213 202 220 209 129 217 206 127 215 204 123 210 131 219 207 128 216
    205 124 212 201 122 209 129 218 207 126 214 203 123 210 131 219 208 128 216 205
    125 212 201 122 210 129 217 206 126 213 203 123 211 131 219 208 128 215 204 124
    212 201 122 210 130 217 206 126 214 202 123
""".split()
LEAP_MONTHS = {
    1982: 4, 1984: 10, 1987: 6, 1990: 5, 1993: 3, 1995: 8, 1998: 5, 2001: 4, 2004: 2, 2006: 7, 2009: 5, 2012: 4, 2014: 9,
    2017: 6, 2020: 4, 2023: 2, 2025: 6, 2028: 5, 2031: 3, 2033: 11, 2036: 6, 2039: 5, 2042: 2, 2044: 7, 2047: 5, 2050: 3,
}  # fmt: skip
#: The 15th of the eighth month, 2000 to 2035.
MID_AUTUMN = """
    912 1001 921 911 928 918 1006 925 914 1003 922 912 930 919 908 927 915 1004 924 913 1001 921 910 929 917 1006 925 915
    1003 922 912 1001 919 908 927 916
""".split()


@pytest.mark.parametrize(("year", "day"), list(zip(lunar_months.YEARS, NEW_YEARS, strict=True)))
def test_a_year_begins_and_has_its_months_as_in_the_almanac(year: int, day: str) -> None:
    months = lunar_months.months(year)
    assert months[1, False][0] == date(year, *divmod(int(day), 100))
    assert [number for number, leap in months if leap] == [number for number in [LEAP_MONTHS.get(year)] if number]
    assert [number for number, leap in months if not leap] == list(range(1, 13))
    assert {(stop - first).days for first, stop in months.values()} <= {29, 30}
    following = lunar_months.months(year + 1)
    assert not following or months[12, False][1] == following[1, False][0]


@pytest.mark.parametrize(("year", "day"), list(enumerate(MID_AUTUMN, start=2000)))
def test_the_full_moon_of_autumn_is_on_its_day(year: int, day: str) -> None:
    assert lunar_months.day_of(year, 8, 15) == date(year, *divmod(int(day), 100))


@pytest.mark.parametrize(
    ("year", "month", "day"),
    [(1997, (1, False), date(1997, 2, 8)), (2017, (5, True), date(2017, 6, 24)), (2027, (1, False), date(2027, 2, 7))],
)
def test_japan_has_some_months_a_day_later_and_so_other_leap_months(
    year: int, month: tuple[int, bool], day: date
) -> None:
    assert lunar_months.months(year, 9)[month][0] == day
    assert lunar_months.months(year).get(month, (None, None))[0] != day


@pytest.mark.parametrize(
    ("text", "zone", "first", "days"),
    [
        ("正月", "Asia/Shanghai", (2026, 2, 17), 30),
        ("正月", "America/New_York", (2026, 2, 17), 30),
        ("正月", "Asia/Tokyo", (2026, 1, 1), 31),
        ("お正月", "Asia/Shanghai", (2026, 1, 1), 31),
        ("正月三日", "Asia/Shanghai", (2026, 2, 19), 1),
        ("正月三日", "Asia/Tokyo", (2026, 1, 3), 1),
        ("2027年旧历正月初一", "Asia/Shanghai", (2027, 2, 6), 1),
        ("2027年旧暦正月1日", "Asia/Tokyo", (2027, 2, 7), 1),
        ("2027年农历正月初一", "Asia/Tokyo", (2027, 2, 6), 1),
        ("腊月三十", "Asia/Shanghai", (2024, 2, 9), 1),
        ("八月十五", "Asia/Shanghai", (2025, 8, 15), 1),
        ("八月十五（农历）", "Asia/Shanghai", (2025, 10, 6), 1),
    ],
)
def test_whose_calendar_is_meant_is_told_by_the_words_or_else_the_zone(
    text: str, zone: str, first: tuple[int, int, int], days: int
) -> None:
    here = ZoneInfo(zone)
    asked = dates.Moment(datetime(2026, 3, 18, 15, tzinfo=here), here).argument(text, "after")
    assert asked.start == datetime(*first, tzinfo=here)
    assert asked.end == asked.start + timedelta(days=days)


@pytest.mark.parametrize(
    "text",
    [
        "1979年农历八月",
        "2051年正月初五",
        "2025年腊月三十",
        "农历十三月",
        "2024年闰六月",
        "农历上个月",
        "农历初一",
        "农历十五",
        "初三",
        "旧暦",
    ],
)
def test_what_the_old_calendar_does_not_have_or_nobody_can_tell_is_no_date(text: str) -> None:
    here = ZoneInfo("Asia/Shanghai")
    assert dates.parse(text, now=datetime(2026, 3, 18, 15, tzinfo=here), zone=here) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2025年10月6日（农历八月十五）", ["2025年10月6日", "农历八月十五"]),
        ("三月初五月底", ["三月初", "五月底"]),
        ("三月初三个月", ["三月初"]),
        ("农历和公历的区别", []),
        ("我儿子今年初一", ["今年"]),
        ("初三的学生", []),
        ("年初三家公司", ["年初"]),
        ("闰年有几天", []),
        ("2025年初三次会议", ["2025年初"]),
    ],
)
def test_an_everyday_word_makes_no_day_of_the_old_calendar(text: str, found: list[str]) -> None:
    here = ZoneInfo("Asia/Shanghai")
    now = datetime(2026, 3, 18, 15, tzinfo=here)
    assert [one.text for one in dates.find(text, now=now, zone=here)] == found
