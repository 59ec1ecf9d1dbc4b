"""What a question says of when does not decide what is found."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.model.query import Weights

TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.fixture
def diary(memories: Memories) -> Memories:
    """Now is Friday, 2025-11-21, in Tokyo."""
    memories.remember_many(
        [
            Draft(text="毎週土曜はバスケ。每周六打球。Every Saturday I play.", id="weekly"),
            Draft(text="Paid 86 for a taxi.", id="taxi", stored_at=datetime(2025, 11, 15, 23, tzinfo=TOKYO)),
            Draft(text="最近は寝不足。最近总是睡不好。I slept badly lately, recently, the other day.", id="sleep"),
            Draft(text="さっき電話があった。刚才有人敲门。Just now somebody knocked.", id="visitor"),
            Draft(text="会議は水曜になった。会议改到周三。The meeting is moved to Wednesday.", id="meeting"),
        ]
    )
    return memories


def found(memories: Memories, query: str) -> dict[str, float]:
    """The relevance of each hit, the best first."""
    return {hit.memory.id: hit.relevance for hit in memories.recall(query, limit=10).hits}


@pytest.mark.parametrize(
    "query",
    ["先週の土曜のタクシー", "上周六的出租车", "上週六的計程車", "the taxi last Saturday", "last Saturday's taxi"],
)
def test_the_words_of_a_date_beside_a_subject_find_nothing_of_another_time(diary: Memories, query: str) -> None:
    hits = found(diary, query)
    assert next(iter(hits)) == "taxi"
    assert hits.get("weekly", 0.0) < 0.2


@pytest.mark.parametrize(
    ("query", "stranger"),
    [
        ("先日の会議", "sleep"),
        ("最近の会議", "sleep"),
        ("さっきの会議", "visitor"),
        ("最近的会议", "sleep"),
        ("刚才的会议", "visitor"),
        ("剛才的會議", "visitor"),
        ("the meeting the other day", "sleep"),
        ("Was there a meeting recently?", "sleep"),
        ("the meeting we had just now", "visitor"),
    ],
)
def test_words_for_the_near_past_find_nothing_else_of_then(diary: Memories, query: str, stranger: str) -> None:
    hits = found(diary, query)
    assert next(iter(hits)) == "meeting"
    assert hits["meeting"] > 0.5 > 0.2 > hits.get(stranger, 0.0)


@pytest.mark.parametrize("query", ["最近どう？", "最近怎么样", "lately"])
def test_they_are_asked_for_if_there_is_nothing_else(diary: Memories, query: str) -> None:
    assert next(iter(found(diary, query))) == "sleep"


def test_they_count_as_any_word_where_dates_are_to_have_no_effect(diary: Memories) -> None:
    hits = diary.recall("先週の土曜のタクシー", weights=Weights(dates=0.0)).hits
    assert {hit.memory.id for hit in hits if hit.relevance > 0.2} == {"taxi", "weekly"}


@pytest.mark.parametrize(
    ("query", "other"),
    [
        ("今年の目標", "来年の目標はマラソン。"),
        ("今年的目标", "明年的目标是跑马拉松。"),
        ("this year's theme", "Theme of 2019: slow."),
    ],
)
def test_the_words_of_a_year_tell_apart_what_is_of_several(diary: Memories, query: str, other: str) -> None:
    diary.remember(other, id="other")
    diary.remember(f"{query}: 英語 English 英语", id="asked", stored_at=datetime(2025, 1, 5, tzinfo=TOKYO))
    assert list(found(diary, query))[:2] == ["asked", "other"]
