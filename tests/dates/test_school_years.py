"""Fiscal years, school years and their terms, which depend on the country, and the hours of an argument without a day."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from omoide import dates

TOKYO, SHANGHAI, NEW_YORK = (ZoneInfo(name) for name in ("Asia/Tokyo", "Asia/Shanghai", "America/New_York"))
#: A Wednesday.
NOW = datetime(2026, 5, 20, 13, 34, tzinfo=TOKYO)
Day = tuple[int, int, int]

YEARS: list[tuple[str, ZoneInfo, Day, Day]] = [
    ("2025年度", TOKYO, (2025, 4, 1), (2026, 4, 1)),
    ("2025年度", SHANGHAI, (2025, 1, 1), (2026, 1, 1)),
    ("2025年度の", SHANGHAI, (2025, 4, 1), (2026, 4, 1)),
    ("FY2025", TOKYO, (2025, 4, 1), (2026, 4, 1)),
    ("FY25", NEW_YORK, (2025, 1, 1), (2026, 1, 1)),
    ("Q3 FY2025", TOKYO, (2025, 10, 1), (2026, 1, 1)),
    ("fiscal year 2025", NEW_YORK, (2025, 1, 1), (2026, 1, 1)),
    ("Q3 FY25", TOKYO, (2025, 10, 1), (2026, 1, 1)),
    ("2025财年", TOKYO, (2025, 1, 1), (2026, 1, 1)),
    ("2025財年", SHANGHAI, (2025, 1, 1), (2026, 1, 1)),
    ("2025會計年度", SHANGHAI, (2025, 1, 1), (2026, 1, 1)),
    ("114/3/10", SHANGHAI, (2025, 3, 10), (2025, 3, 11)),
    ("上学期", SHANGHAI, (2025, 8, 1), (2026, 2, 1)),
    ("這個學期", SHANGHAI, (2026, 2, 1), (2026, 8, 1)),
    ("下学期", SHANGHAI, (2026, 8, 1), (2027, 2, 1)),
    ("本学期末", SHANGHAI, (2026, 7, 1), (2026, 8, 1)),
    ("113學年度", SHANGHAI, (2024, 8, 1), (2025, 8, 1)),
    ("113學年度第一學期", SHANGHAI, (2024, 8, 1), (2025, 2, 1)),
    ("113學年度第一學期", TOKYO, (2024, 8, 1), (2025, 2, 1)),
    ("2024-2025学年下学期", SHANGHAI, (2025, 2, 1), (2025, 8, 1)),
    ("2024-2025学年下学期", TOKYO, (2025, 2, 1), (2025, 8, 1)),
    ("2024学年の2学期", TOKYO, (2024, 9, 1), (2025, 1, 1)),
    ("2025年秋季学期", SHANGHAI, (2025, 8, 1), (2026, 2, 1)),
    ("去年春季學期", SHANGHAI, (2025, 2, 1), (2025, 8, 1)),
    ("今学期", TOKYO, (2026, 4, 1), (2026, 9, 1)),
    ("前学期", TOKYO, (2026, 1, 1), (2026, 4, 1)),
    ("来学期", TOKYO, (2026, 9, 1), (2027, 1, 1)),
    ("二学期", TOKYO, (2025, 9, 1), (2026, 1, 1)),
    ("去年の1学期", TOKYO, (2025, 4, 1), (2025, 9, 1)),
    ("2025年度の3学期", TOKYO, (2026, 1, 1), (2026, 4, 1)),
    ("last semester", NEW_YORK, (2025, 7, 1), (2026, 1, 1)),
    ("fall semester 2024", NEW_YORK, (2024, 7, 1), (2025, 1, 1)),
    ("spring 2025 semester", NEW_YORK, (2025, 1, 1), (2025, 7, 1)),
    ("the spring semester of 2025", NEW_YORK, (2025, 1, 1), (2025, 7, 1)),
    ("the 2024-25 school year", NEW_YORK, (2024, 8, 1), (2025, 8, 1)),
    ("academic year 2024/25", NEW_YORK, (2024, 8, 1), (2025, 8, 1)),
    ("24/25学年", SHANGHAI, (2024, 8, 1), (2025, 8, 1)),
    ("24-25學年第一學期", SHANGHAI, (2024, 8, 1), (2025, 2, 1)),
    ("24/25学年の", TOKYO, (2024, 4, 1), (2025, 4, 1)),
    ("the 24/25 school year", NEW_YORK, (2024, 8, 1), (2025, 8, 1)),
    ("last school year", NEW_YORK, (2024, 8, 1), (2025, 8, 1)),
    ("年内", TOKYO, (2026, 1, 1), (2027, 1, 1)),
    ("月內", SHANGHAI, (2026, 5, 1), (2026, 6, 1)),
    ("週内に", TOKYO, (2026, 5, 18), (2026, 5, 25)),
    ("2025H1", NEW_YORK, (2025, 1, 1), (2025, 7, 1)),
]


@pytest.mark.parametrize(("text", "zone", "start", "end"), YEARS)
def test_a_fiscal_or_school_year_is_that_of_the_language_or_the_callers_zone(
    text: str, zone: ZoneInfo, start: Day, end: Day
) -> None:
    mention = dates.parse(text, now=NOW, zone=zone)
    assert mention is not None
    assert mention.interval == dates.Interval(datetime(*start, tzinfo=zone), datetime(*end, tzinfo=zone))


UNCERTAIN = [
    "the FY2025 budget",
    "FY2025の予算",
    "2025财年收入",
    "2024-2025学年的课表",
    "大一上學期的室友",
    "五年级上学期的课本",
    "上学期间做的兼职",
    "同学期待的旅行",
    "大学期末考试",
    "上學年齡的孩子",
    "同学年の友達",
    "2学期制の学校",
    "fiscal policy",
    "a semester abroad",
]


@pytest.mark.parametrize("text", UNCERTAIN)
@pytest.mark.parametrize("zone", [TOKYO, SHANGHAI])
def test_what_differs_between_organisations_or_is_another_word_is_not_certain(text: str, zone: ZoneInfo) -> None:
    assert dates.Moment(NOW, zone).sure_mentions(text) == []


#: (argument, the day and hour at which its past hours begin and end, and those to come)
HOURS = [
    ("3pm", (19, 15), (19, 16), (20, 15)),
    ("11時", (20, 11), (20, 12), (21, 11)),
    ("下午3点", (19, 15), (19, 16), (20, 15)),
    ("10時から12時", (20, 10), (20, 12), (21, 10)),
    ("10時から12時まで", (20, 10), (20, 12), (21, 10)),
    ("10点到12点", (20, 10), (20, 12), (21, 10)),
    ("10点到12点为止", (20, 10), (20, 12), (21, 10)),
    ("from 3 to 5", (19, 15), (19, 17), (20, 15)),
    ("between 9am and noon", (20, 9), (20, 12), (21, 9)),
    ("午前中", (20, 5), (20, 12), (21, 5)),
    ("傍晚", (19, 16), (19, 21), (20, 16)),
    ("noon", (20, 11), (20, 14), (21, 11)),
    ("yesterday from 3 to 5", (19, 15), (19, 17), (19, 15)),
]


@pytest.mark.parametrize(("text", "start", "end", "coming"), HOURS)
def test_hours_without_a_day_are_the_latest_that_have_begun_or_the_next(
    text: str, start: tuple[int, int], end: tuple[int, int], coming: tuple[int, int]
) -> None:
    def at(hour: tuple[int, int]) -> datetime:
        return datetime(2026, 5, *hour, tzinfo=TOKYO)

    moment = dates.Moment(NOW, TOKYO)
    assert moment.argument(text, "after", about="past") == dates.Interval(at(start), at(end))
    assert moment.argument(text, "validUntil", about="future").start == at(coming)
    assert moment.sure_mentions(f"{text} ?") == [] or "yesterday" in text


@pytest.mark.parametrize(
    "text", ["3", "at 3", "from 1 to", "FY2024/25", "去年下学期", "三年級上学期", "114/13/10", "少年内"]
)
def test_what_names_no_hour_or_year_of_its_own_is_refused(text: str) -> None:
    assert dates.Moment(NOW, TOKYO).parse(text, about="past") is None
