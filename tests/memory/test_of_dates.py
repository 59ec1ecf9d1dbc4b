"""A question about a date alone is answered with what is of that date."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from omoide.memory import Memories
from omoide.model.condition import Equals
from omoide.model.memory import Draft, EventTime

TOKYO = ZoneInfo("Asia/Tokyo")


def day(month: int, day: int, hour: int = 0, year: int = 2025) -> datetime:
    return datetime(year, month, day, hour, tzinfo=TOKYO)


def event(first: datetime | None, end: datetime | None) -> EventTime:
    return EventTime("then", first, end, 1.0)


@pytest.fixture
def diary(memories: Memories) -> Memories:
    """Now is Friday, 2025-11-21, in Tokyo."""
    memories.remember_many(
        [
            Draft(text="毎週土曜はバスケ。每周六打球。Every Saturday I play.", id="weekly", stored_at=day(10, 1, 9)),
            Draft(
                text="送別会が開かれた。",
                id="party",
                stored_at=day(11, 20, 9),
                event_time=event(day(11, 15), day(11, 16)),
            ),
            Draft(text="Paid 86 for a taxi.", id="taxi", stored_at=day(11, 15, 23)),
            Draft(text="交请假条。", id="due", stored_at=day(10, 28, 9), event_time=event(None, day(10, 31))),
            Draft(text="歯医者は10月14日15時半。", id="dentist", stored_at=day(10, 7, 9)),
            Draft(text="订了机票。", id="flight", stored_at=day(11, 5, 9), event_time=event(day(12, 20), day(12, 21))),
        ]
    )
    return memories


def first(memories: Memories, query: str) -> list[str]:
    """The ids of the hits that are of the dates asked for."""
    hits = memories.recall(query, limit=10).hits
    count = sum(bool(hit.why.dates) and hit.relevance == 1.0 for hit in hits)
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)
    return [hit.memory.id for hit in hits[:count]]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("先週の土曜", ["party", "taxi"]),
        ("先週の土曜何してた？", ["party", "taxi"]),
        ("先週の土曜の出来事を教えて", ["party", "taxi"]),
        ("上周六干嘛了", ["party", "taxi"]),
        ("上週六做了什麼", ["party", "taxi"]),
        ("上周六都干了些啥", ["party", "taxi"]),
        ("上周六都幹了什麼事", ["party", "taxi"]),
        ("What did I do last Saturday?", ["party", "taxi"]),
        ("what happened last saturday", ["party", "taxi"]),
        ("11月15日に何があった？", ["party", "taxi"]),
        ("最近10天", ["party", "taxi"]),
        ("30日前の予定", []),
        ("10月14日の予定は？", ["dentist"]),
        ("十月十四号有什么安排", ["dentist"]),
        ("what was on October 14?", ["dentist"]),
        ("10月30日の予定は？", ["due"]),
        ("12月20日に何がある？", ["flight"]),
        ("12月20号有什么安排", ["flight"]),
        ("What's on December 20?", ["flight"]),
        ("来月の予定", ["flight"]),
    ],
)
def test_what_is_of_a_date_comes_first_if_only_that_is_asked_for(diary: Memories, query: str, ids: list[str]) -> None:
    assert first(diary, query) == ids


@pytest.mark.parametrize("query", ["先週の土曜何してた？", "上周六干嘛了", "What did I do last Saturday?"])
def test_what_happened_on_the_date_itself_comes_before_what_took_longer(diary: Memories, query: str) -> None:
    diary.remember("帰省を決める週。", id="week", event_time=event(day(11, 10), day(11, 17)))
    assert first(diary, query) == ["party", "week", "taxi"]


@pytest.mark.parametrize("query", ["先週のタクシー", "上周的出租车", "the taxi last week"])
def test_a_question_that_names_a_subject_is_about_that(diary: Memories, query: str) -> None:
    assert [hit.memory.id for hit in diary.recall(query, limit=10).hits][:1] == ["taxi"]
    assert "party" not in first(diary, query)


@pytest.mark.parametrize("query", ["昨日の出来事", "昨天做了什么", "what did I do on Monday?"])
def test_a_date_of_which_nothing_is_known_makes_nothing_sure(diary: Memories, query: str) -> None:
    diary.forget("party")
    assert first(diary, query) == []


def test_conditions_and_limits_hold_for_what_is_of_a_date_too(diary: Memories) -> None:
    diary.remember("Paid 86 for a taxi", id="again", stored_at=day(11, 15, 22))
    found = diary.recall("What did I do last Saturday?", limit=2).hits
    assert [(hit.memory.id, hit.alike) for hit in found] == [("party", ()), ("taxi", ("again",))]
    only = diary.recall("What did I do last Saturday?", where=Equals("id", "taxi")).hits
    assert [hit.memory.id for hit in only] == ["taxi"]


@pytest.fixture
def purchases(memories: Memories) -> Memories:
    """Now is Friday, 2025-11-21, in Tokyo."""
    memories.remember_many(
        [
            Draft(text="洗濯機を新しいのに替えた。", id="machine", stored_at=day(11, 12, 9)),
            Draft(text="自転車を買った。买了自行车。I bought a bicycle.", id="bicycle", stored_at=day(9, 3, 9)),
            Draft(text="駅の改札で待ち合わせた。", id="station", stored_at=day(10, 5, 9)),
            *(Draft(text=f"朝は{each}を食べた。", id=each, stored_at=day(11, 18, 9)) for each in "米卵麦桃"),
        ]
    )
    return memories


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("11月12日に何を買った", ["bicycle", "machine"]),
        ("11月12号买了什么", ["machine"]),
        ("What did I buy on November 12?", ["machine"]),
        ("先週の水曜に届いた物", ["machine"]),
        ("上周三收到了什么", ["machine"]),
        ("what was delivered last Wednesday", ["machine"]),
        ("先週の水曜は楽しかった。荷物が届いた!", []),  # a message, not a question
        ("上周三真开心！你收到了什么？", []),
        ("今月届いた物", []),  # longer than a day
        ("11月18日に届いた物", []),  # a day of many memories
        ("12月12日に届く物", []),  # a day to come
    ],
)
def test_the_few_memories_of_a_day_are_found_though_they_say_otherwise_what_is_asked(
    purchases: Memories, query: str, ids: list[str]
) -> None:
    hits = purchases.recall(query, limit=10).hits
    assert [hit.memory.id for hit in hits if hit.relevance >= 0.4] == ids
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)


def test_a_memory_of_the_day_with_the_words_asked_for_needs_no_others(purchases: Memories) -> None:
    purchases.remember("傘を買った。", id="umbrella", stored_at=day(11, 12, 10))
    hits = purchases.recall("11月12日に何を買った", limit=2).hits
    assert [hit.memory.id for hit in hits] == ["umbrella", "bicycle"]
