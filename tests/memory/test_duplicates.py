"""What was written down again takes no place on the page, is named, and is never lost."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.dates import Moment
from omoide.memory import Memories
from omoide.memory.candidate import Candidate
from omoide.memory.duplicates import Fact, are_apart, facts
from omoide.model.memory import EventTime, Memory
from omoide.text import essences_of
from tests.conftest import Clock
from tests.counting import calls

#: (what is asked, the same fact again and again, other facts about it)
FACTS = [
    (
        "利用者は抹茶が好き",
        ("利用者は抹茶が好き。", "利用者は抹茶が好きです", "利用者は、抹茶が好きだ。", "利用者は抹茶が好きだよ"),
        ("抹茶は京都で買う。", "抹茶は薄いのが好みだ。"),
    ),
    (
        "用户喜欢喝茶吗",
        ("用户喜欢喝茶", "用戶喜歡喝茶。", "用户，喜欢喝茶！", "「用户喜欢喝茶」"),
        ("用户在上海买茶", "用户不喝红茶"),
    ),
    (
        "which mode does the user prefer",
        (
            "The user prefers dark mode.",
            "User prefers dark mode",
            "the user prefers dark mode!",
            "USER PREFERS DARK MODE",
        ),
        ("The user prefers dark chocolate.", "The user never prefers light mode."),
    ),
]


@pytest.mark.parametrize(("query", "again", "others"), FACTS)
def test_a_page_holds_as_many_facts_as_it_has_places(
    memories: Memories, query: str, again: tuple[str, ...], others: tuple[str, ...]
) -> None:
    for text in (*others, *again):
        memories.remember(text)
    hits = memories.recall(query, limit=6).hits
    (first,) = (hit for hit in hits if hit.alike)
    assert {memory.text for memory in (first.memory, *memories.get(first.alike))} == set(again)
    assert {hit.memory.text for hit in hits if not hit.alike} == set(others)
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)


@pytest.mark.parametrize(("query", "again", "others"), FACTS)
def test_each_has_a_place_of_its_own_where_that_is_wanted(
    memories: Memories, query: str, again: tuple[str, ...], others: tuple[str, ...]
) -> None:
    for text in (*others, *again):
        memories.remember(text)
    assert len(memories.recall(query, limit=6, diverse=False).hits) == 6
    assert len(memories.recall("", limit=10).hits) == 6


@pytest.mark.parametrize(
    ("query", "fact", "other"),
    [("抹茶", "抹茶が好き", "抹茶は緑"), ("喝茶", "喜欢喝茶", "喝茶去"), ("tea", "Likes tea", "Tea is green")],
)
def test_the_page_is_filled_however_often_a_fact_was_written_down(
    memories: Memories, query: str, fact: str, other: str
) -> None:
    memories.remember(other)
    for times in range(60):
        memories.remember(fact + "。" * (times % 2))
    assert {hit.memory.text for hit in memories.recall(query, limit=2).hits} >= {other}


FRAMES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"scope": "project:一"}, {"scope": "project:二"}),
    ({"thread": "木曜"}, {"thread": "金曜"}),
    ({"project": "甲"}, {"project": "乙"}),
    ({"agent_id": "健太"}, {"agent_id": "小红"}),
    ({"extra": {"speaker": "私"}}, {"extra": {"speaker": "相手"}}),
    ({"title": "京都"}, {"title": "奈良"}),
    ({"category": "preferences"}, {"category": "events"}),
    ({"valid_until": datetime.fromisoformat("2026-01-01T00:00:00+00:00")}, {}),
    ({"event_time": EventTime("昨日", datetime.fromisoformat("2025-11-20T00:00:00+00:00"), None, 1.0)}, {}),
]


@pytest.mark.parametrize("text", ["会議は三階で開く。", "会议在三楼召开。", "The meeting is on floor three."])
@pytest.mark.parametrize(("one", "other"), FRAMES)
def test_what_holds_elsewhere_or_at_another_time_is_another_fact(
    memories: Memories, text: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    memories.remember(text, **one)
    memories.remember(text, **other)
    assert [hit.alike for hit in memories.recall(text).hits] == [(), ()]


@pytest.mark.parametrize("text", ["本番に反映した。", "部署到生产环境了。", "Deployed to production."])
@pytest.mark.parametrize(("category", "facts"), [("events", 2), ("preferences", 1)])
def test_what_happened_on_two_days_happened_twice(
    memories: Memories, clock: Clock, text: str, category: str, facts: int
) -> None:
    memories.remember(text, category=category)
    clock.advance(days=1)
    memories.remember(text, category=category)
    assert len(memories.recall(text).hits) == facts


@pytest.mark.parametrize("text", ["今日は休みだ。", "今天休息。", "Today is a day off."])
def test_a_date_means_the_day_it_was_written(memories: Memories, clock: Clock, text: str) -> None:
    memories.remember(text, category="profile")
    clock.now += timedelta(days=1)
    memories.remember(text, category="profile")
    assert len(memories.recall(text).hits) == 2


NOW = datetime(2025, 12, 5, 12, tzinfo=timezone.utc)
SAYINGS = (
    *("抹茶が好き。", "抹茶が好きです", "京都の抹茶が好き。"),
    *("他喜欢喝茶。", "他喜歡喝茶", "他喜欢喝咖啡。"),
    *("The cat is on the mat.", "the cat is on a mat", "Room 101 is free.", "Room 102 is free."),
)


@st.composite
def _candidates(draw: st.DrawFn) -> list[Candidate]:
    """Memories as a search may have found them, some of which say the same, some with a title."""
    telling = st.tuples(
        st.sampled_from(SAYINGS),
        st.fixed_dictionaries(
            {
                "title": st.sampled_from((None, "", "茶")),
                "project": st.sampled_from((None, None, "灯台")),
                "frames": st.sampled_from(
                    ({}, {"温度": 80}, {"温度": 80.0}, {"器": ["茶碗"]}, {"器": ["杯子"]}, {"器": [{"色": 1}]})
                ),
            }
        ),
    )
    memories = (
        Memory(id=f"m{number}", number=number, text=text, stored_at=NOW, updated_at=NOW, **fields)
        for number, (text, fields) in enumerate(draw(st.lists(telling, max_size=9)))
    )
    return [Candidate(place, memory, 1.0, 1.0) for place, memory in enumerate(memories)]


def test_what_a_memory_must_have_in_common_with_one_that_says_the_same_is_of_its_words_alone() -> None:
    one, other = (
        Memory(id=text, number=at, text=text, stored_at=NOW, updated_at=NOW) for at, text in enumerate(SAYINGS[:2])
    )
    same = [Candidate(0, one, 1.0, 1.0), Candidate(1, other, 1.0, 1.0)]
    for _ in range(2):  # the second time it is known
        assert [_named(each) for each in facts(same, 2, Moment(NOW, timezone.utc))] == [(one.id, (other.id,))]
    changed = Candidate(0, replace(one, text="煎茶が好き。"), 1.0, 1.0)
    assert len(facts([changed, same[1]], 2, Moment(NOW, timezone.utc))) == 2
    assert replace(one) == one


def _one_by_one(candidates: list[Candidate], limit: int, moment: Moment) -> list[tuple[str, tuple[str, ...]]]:
    """The same by definition: each is held against all before it."""
    told: list[tuple[int, Fact]] = []
    for candidate in candidates:
        memory = candidate.memory
        said = "\n".join(part for part in (memory.title, memory.context, memory.text) if part)
        (essence,), fact = essences_of([said]), Fact(candidate, said, moment)
        of = (known for other, known in told if other == essence and known.wording.is_near(fact.wording))
        known = next((known for known in of if known.is_of(fact)), None)
        if known is not None:
            known.repeats.append(candidate)
        elif len(told) == limit:
            break
        else:
            told.append((essence, fact))
    return [_named(fact.candidate) for _, fact in told]


def _named(candidate: Candidate) -> tuple[str, tuple[str, ...]]:
    return candidate.memory.id, candidate.alike


@given(_candidates(), st.integers(0, 10) | st.just(1_000))
def test_facts_are_told_as_if_each_were_held_against_all_before_it(candidates: list[Candidate], limit: int) -> None:
    moment = Moment(NOW, timezone.utc)
    assert [_named(each) for each in facts(candidates, limit, moment)] == _one_by_one(candidates, limit, moment)


@pytest.mark.parametrize("text", ["今日も薬を飲んだ。", "今天也吃了药。", "Took the medicine today, too."])
def test_to_tell_apart_what_happened_on_many_days_takes_time_in_proportion_to_them(text: str) -> None:
    def calls_for(days: int) -> int:
        memories = (
            Memory(id=f"m{day}", number=day, text=text, stored_at=NOW - timedelta(days=day), updated_at=NOW)
            for day in range(days)
        )
        candidates = [Candidate(place, memory, 1.0, 1.0) for place, memory in enumerate(memories)]
        return calls(lambda: facts(candidates, days, Moment(NOW, timezone.utc)))

    assert calls_for(800) < 3 * calls_for(400)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from((0.0, 1.0, "茶", "")),
    lambda each: st.lists(each, max_size=2) | st.dictionaries(st.sampled_from(("色", "器")), each, max_size=2),
    max_leaves=4,
)


@given(_VALUES, _VALUES)
def test_one_fact_was_told_with_equal_values(one: object, other: object) -> None:
    told = [
        Memory(id=f"m{at}", number=at, text="抹茶を飲んだ。", stored_at=NOW, updated_at=NOW, frames={"器": value})
        for at, value in enumerate((one, other))
    ]
    found = facts([Candidate(at, memory, 1.0, 1.0) for at, memory in enumerate(told)], 2, Moment(NOW, timezone.utc))
    assert len(found) == (1 if one == other else 2)


@pytest.mark.parametrize("text", ["抹茶を飲んだ。", "喝了茶。", "Had tea."])
def test_to_tell_apart_what_was_told_with_many_lists_takes_time_in_proportion_to_them(text: str) -> None:
    def calls_for(count: int) -> int:
        memories = [
            Memory(id=f"m{at}", number=at, text=text, stored_at=NOW, updated_at=NOW, frames={"器": [f"茶碗 {at}"]})
            for at in range(count)
        ]
        candidates = [Candidate(place, memory, 1.0, 1.0) for place, memory in enumerate(memories)]
        return calls(lambda: facts(candidates, count, Moment(NOW, timezone.utc)))

    assert calls_for(800) < 3 * calls_for(400)


#: Of each language: what texts of one essence begin with, and the words that they differ in.
OF_ONE_ESSENCE = [
    (
        "きょうは",
        (
            "さんぽをした",
            "ねていた",
            "おちゃをのんだ",
            "とても",
            "よく",
            "ねこと",
            "あめの中で",
            "コンビニで",
            "ね",
            "よ。",
        ),
    ),
    ("我今天用了", ("git", "vim", "zsh", "的", "make", "and", "啊", "。", "Rust", "sed")),
    ("today we saw", ("the cat", "a dog", "very", "Kenta", "little", "no", "birds", "in the garden", "again", ".")),
]


def _of_one_essence(start: str, words: Sequence[str], count: int) -> list[Candidate]:
    chosen = Random(0)
    texts = [" ".join([start, *chosen.choices(words, k=chosen.randint(0, 12))]) for _ in range(count)]
    memories = [
        Memory(id=f"m{at}", number=at, text=text, stored_at=NOW, updated_at=NOW) for at, text in enumerate(texts)
    ]
    return [Candidate(place, memory, 1.0, 1.0) for place, memory in enumerate(memories)]


@pytest.mark.parametrize(("start", "words"), OF_ONE_ESSENCE)
@pytest.mark.parametrize("limit", [150, 1_000])
def test_many_texts_of_one_essence_are_told_apart_as_few_are(start: str, words: Sequence[str], limit: int) -> None:
    candidates, moment = _of_one_essence(start, words, 400), Moment(NOW, timezone.utc)
    told = [_named(each) for each in facts(candidates, limit, moment)]
    assert told == _one_by_one(candidates, limit, moment)
    assert any(alike for _, alike in told)


@pytest.mark.parametrize(("start", "words"), OF_ONE_ESSENCE)
def test_to_tell_texts_of_one_essence_apart_takes_time_in_proportion_to_them(start: str, words: Sequence[str]) -> None:
    def calls_for(count: int) -> int:
        candidates = _of_one_essence(start, words, count)
        return calls(lambda: facts(candidates, count, Moment(NOW, timezone.utc)))

    assert calls_for(800) < 3 * calls_for(400)


@given(_candidates(), st.integers(0, 10), st.sets(st.integers(0, 8)))
def test_what_is_apart_is_told_as_it_was_found(candidates: list[Candidate], limit: int, gone: set[int]) -> None:
    here = [each for each in candidates if each.place not in gone]
    if are_apart([None if each.place in gone else each.memory for each in candidates], limit):
        assert facts(here, limit, Moment(NOW, timezone.utc)) == here[:limit]
