"""Timestamps in ISO 8601: every form programs write becomes the time it names."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from omoide.families.fegis.filters.iso import Span, iso_span

TOKYO = ZoneInfo("Asia/Tokyo")
HALF_PAST = datetime(2025, 7, 2, 4, 15, tzinfo=timezone.utc)
SECOND = HALF_PAST + timedelta(seconds=11)
FOREVER = datetime.max.replace(tzinfo=timezone.utc)


def tokyo(*civil: int) -> datetime:
    return datetime(*civil, tzinfo=TOKYO)  # type: ignore[arg-type, misc]


@pytest.mark.requirement("fegis.filter.time")
@pytest.mark.parametrize(
    ("text", "start", "lasting"),
    [
        ("2025-07-02T04:15:11.123456+00:00", SECOND + timedelta(microseconds=123456), timedelta(microseconds=1)),
        ("2025-07-02T04:15:11.5Z", SECOND + timedelta(milliseconds=500), timedelta(microseconds=1)),
        ("2025-07-02T04:15:11.123456789Z", SECOND + timedelta(microseconds=123456), timedelta(microseconds=1)),
        ("2025-07-02t04:15:11z", SECOND, timedelta(seconds=1)),
        ("2025-07-02T13:15:11+09:00", SECOND, timedelta(seconds=1)),
        ("2025-07-02 13:15:11 +0900", SECOND, timedelta(seconds=1)),
        ("2025-07-01T23:15:11-05", SECOND, timedelta(seconds=1)),
        ("2025-07-02T13:15:11", SECOND, timedelta(seconds=1)),
        ("20250702T041511Z", SECOND, timedelta(seconds=1)),
        ("2025-07-02T04:15Z", HALF_PAST, timedelta(minutes=1)),
        ("20250702T1315", HALF_PAST, timedelta(minutes=1)),
        ("2025-W27-3T04:15Z", HALF_PAST, timedelta(minutes=1)),
        (" 2025-07-02T13 ", HALF_PAST - timedelta(minutes=15), timedelta(hours=1)),
        ("2025-07-02T04Z", HALF_PAST - timedelta(minutes=15), timedelta(hours=1)),
    ],
)
def test_a_time_of_day_is_an_instant_as_long_as_its_last_unit(text: str, start: datetime, lasting: timedelta) -> None:
    assert iso_span(text, TOKYO) == Span(start, start + lasting, instant=True)


@pytest.mark.requirement("fegis.filter.time")
@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2025-07-02", tokyo(2025, 7, 2), tokyo(2025, 7, 3)),
        ("20250702", tokyo(2025, 7, 2), tokyo(2025, 7, 3)),
        ("2025-W27-3", tokyo(2025, 7, 2), tokyo(2025, 7, 3)),
        ("2025W273", tokyo(2025, 7, 2), tokyo(2025, 7, 3)),
        ("2025-W27", tokyo(2025, 6, 30), tokyo(2025, 7, 7)),
        ("9999-12-31", tokyo(9999, 12, 31), FOREVER),
    ],
)
def test_a_date_is_its_whole_days_in_the_callers_zone(text: str, start: datetime, end: datetime) -> None:
    assert iso_span(text, TOKYO) == Span(start, end, instant=False)


@pytest.mark.requirement("fegis.filter.time")
def test_the_last_second_of_the_calendar_stands_for_ever() -> None:
    assert iso_span("9999-12-31T23:59:59Z", TOKYO) == Span(FOREVER.replace(microsecond=0), FOREVER, instant=True)


@pytest.mark.requirement("fegis.filter.time")
@pytest.mark.parametrize(
    "text",
    [
        "2025-02-30",
        "2025-02-30T00:00:00",
        "2025-W54-1",
        "25:00:00",
        "2025-07-02T04:15:11 tomorrow",
        "昨日",
        "2025-07",
        "",
    ],
)
def test_what_is_no_such_timestamp_is_left_to_others(text: str) -> None:
    assert iso_span(text, TOKYO) is None
