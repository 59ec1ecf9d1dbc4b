"""A date in a question raises what is of that date, and hides nothing."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from omoide.app import open_memories
from omoide.dates import Moment
from omoide.memory import Memories
from omoide.model.memory import Draft, EventTime
from tests.conftest import Clock

TOKYO = ZoneInfo("Asia/Tokyo")


def day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 12, tzinfo=TOKYO)


@pytest.fixture
def meetings(memories: Memories) -> Memories:
    """The same note of every month of two years, in three languages; now is 2025-11-21."""
    texts = ("会議で予算を決めた。", "会议上决定了预算。", "The meeting settled the budget.")
    drafts = [
        Draft(text=f"{text} ({year % 7}{month:02})", stored_at=day(year, month, 14), lang=lang)
        for year in (2024, 2025)
        for month in range(1, 12)
        for text, lang in zip(texts, ("ja", "zh", "en"), strict=True)
    ]
    memories.remember_many(drafts)
    return memories


@pytest.mark.parametrize(
    ("query", "lang", "first", "phrase"),
    [
        ("先月の会議で決めた予算", "ja", day(2025, 10, 14), "先月"),
        ("2024年3月の会議の予算", "ja", day(2024, 3, 14), "2024年3月"),
        ("一昨日から一週間前の会議", "ja", None, None),
        ("上个月的会议决定了什么预算", "zh", day(2025, 10, 14), "上个月"),
        ("去年二月的会议预算", "zh", day(2024, 2, 14), "去年二月"),
        ("the budget meeting in March 2024", "en", day(2024, 3, 14), "March 2024"),
        ("the budget meeting last week", "en", day(2025, 11, 14), "last week"),
    ],
)
def test_what_is_of_the_date_comes_first_and_says_so(
    meetings: Memories, query: str, lang: str, first: datetime | None, phrase: str | None
) -> None:
    hits = [hit for hit in meetings.recall(query, limit=100).hits if hit.memory.lang == lang]
    if first is not None:
        assert hits[0].memory.stored_at == first
        assert hits[0].why.dates == (phrase,)
    assert len(hits) == 22
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)


@pytest.mark.parametrize(
    "query", ["the budget meeting of version 2024.3.1", "may the budget meeting end", "会議室8080の予算"]
)
def test_what_is_no_date_raises_nothing(meetings: Memories, query: str) -> None:
    assert {hit.why.dates for hit in meetings.recall(query, limit=100).hits} == {()}


def test_the_time_a_memory_speaks_of_counts_before_the_time_it_was_stored(memories: Memories) -> None:
    event = EventTime("2023年夏", day(2023, 6, 1), day(2023, 9, 1), 0.8)
    memories.remember("京都で抹茶を飲んだ。", id="event", event_time=event)
    memories.remember("京都で抹茶を飲んだ。二度目。", id="other")
    hits = memories.recall("2023年7月に京都で飲んだ抹茶").hits
    assert [(hit.memory.id, bool(hit.why.dates)) for hit in hits] == [("event", True), ("other", False)]


@pytest.mark.parametrize(
    ("start", "end", "met"),
    [
        ((2023, 6, 1), (2023, 7, 1), False),
        ((2023, 6, 1), (2023, 7, 2), True),
        ((2023, 7, 31), (2023, 8, 5), True),
        ((2023, 8, 1), (2023, 8, 5), False),
        ((2023, 7, 1), None, True),
        (None, (2023, 7, 1), False),
    ],
)
def test_what_ends_as_a_date_begins_or_begins_as_it_ends_is_not_of_it(
    memories: Memories, start: tuple[int, int, int] | None, end: tuple[int, int, int] | None, met: bool
) -> None:
    first, stop = (None if at is None else datetime(*at, tzinfo=TOKYO) for at in (start, end))
    memories.remember("京都で抹茶を飲んだ。", event_time=EventTime("夏", first, stop, 0.8))
    (hit,) = memories.recall("2023年7月に京都で飲んだ抹茶").hits
    assert bool(hit.why.dates) is met


@pytest.mark.parametrize(("week_starts", "begins"), [(0, 10), (6, 9), (5, 8)])
@pytest.mark.parametrize("phrase", ["先週", "上周", "last week"])
def test_weeks_begin_on_the_day_that_is_set(tmp_path: Path, week_starts: int, begins: int, phrase: str) -> None:
    friday = Clock()
    with open_memories(tmp_path, clock=friday, zone=TOKYO, week_starts=week_starts) as memories:
        found = memories.moment.argument(phrase, "after")
    assert found.start == datetime(2025, 11, begins, tzinfo=TOKYO)
    assert found.end == found.start + timedelta(days=7)


def test_a_moment_stands_still() -> None:
    moment = Moment(datetime(2025, 11, 21, tzinfo=timezone.utc), TOKYO)
    for _ in range(2):
        found = [mention.interval.start for mention in moment.sure_mentions("昨日と3日前")]
        assert found == [datetime(2025, 11, 20, tzinfo=TOKYO), datetime(2025, 11, 18, tzinfo=TOKYO)]
