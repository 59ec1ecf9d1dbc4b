"""How recallnest writes times."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from omoide.families.recallnest.card import day, iso, last_day

UTC, TOKYO = timezone.utc, ZoneInfo("Asia/Tokyo")


@pytest.mark.requirement("recallnest.layout.structured")
@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (datetime(2026, 3, 1, 9, 30, tzinfo=UTC), "2026-03-01T09:30:00.000Z"),
        (datetime(2026, 3, 1, 9, 30, 5, 7, tzinfo=UTC), "2026-03-01T09:30:05.000Z"),
        (datetime(2026, 3, 1, 9, 30, 5, 999_999, tzinfo=UTC), "2026-03-01T09:30:05.999Z"),
        (datetime(2026, 3, 1, 9, 30, tzinfo=TOKYO), "2026-03-01T00:30:00.000Z"),
        (datetime(987, 3, 1, tzinfo=timezone(timedelta(hours=-1))), "0987-03-01T01:00:00.000Z"),
    ],
)
def test_a_time_is_written_to_the_millisecond_in_utc(moment: datetime, expected: str) -> None:
    assert iso(moment) == expected


@pytest.mark.requirement("recallnest.layout.normal", "recallnest.search.validity")
@pytest.mark.parametrize(
    ("moment", "today", "last"),
    [
        (datetime(2026, 2, 28, 14, 59, tzinfo=UTC), "2026-02-28", "2026-02-28"),
        (datetime(2026, 2, 28, 15, tzinfo=UTC), "2026-03-01", "2026-02-28"),
        (datetime(987, 3, 1, tzinfo=TOKYO), "0987-03-01", "0987-02-28"),
        (datetime.max.replace(tzinfo=UTC), "9999-12-31", "9999-12-31"),
    ],
)
def test_a_day_is_that_of_the_caller_and_an_end_belongs_to_the_day_before(
    moment: datetime, today: str, last: str
) -> None:
    assert (day(moment, TOKYO), last_day(moment, TOKYO)) == (today, last)
