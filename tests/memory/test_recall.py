"""What a search sees: conditions, order, walks and explanations."""

import copy
import pickle
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from omoide.app import open_memories
from omoide.errors import InvalidArgument
from omoide.memory import Memories
from omoide.model.condition import (
    All,
    Condition,
    Contains,
    Either,
    Equals,
    Lasting,
    Missing,
    Not,
    OneOf,
    Under,
    Within,
    live,
)
from omoide.model.memory import Draft, Status
from omoide.model.query import NeighbourWalk, Query, RankWalk, Weights
from omoide.model.relation import Ref

ROWS: dict[str, dict[str, Any]] = {
    "ja": {"text": "設計会議で保存先をSQLiteに決めた", "scope": "cc:1", "tags": ("設計", "DB"), "kind": "decision"},
    "zh": {"text": "我们决定用SQLite保存记忆", "scope": "cc", "topic": "Storage", "project": "记忆", "importance": 0.9},
    "en": {"text": "We chose SQLite as the store", "scope": "ccx", "title": "Storage decision", "sequence_order": 2},
    "old": {"text": "SQLite was rejected", "scope": "cc", "status": Status.ARCHIVED},
}


@pytest.fixture
def stored(memories: Memories, clock: Any) -> Memories:
    for id, row in ROWS.items():
        memories.remember(Draft(id=id, **row))
        clock.advance(days=1)
    return memories


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (All(), {"ja", "zh", "en", "old"}),
        (live(), {"ja", "zh", "en"}),
        (Under("cc"), {"ja", "zh", "old"}),
        (Under("cc:1"), {"ja"}),
        (Equals("tag", "設計"), {"ja"}),
        (Equals("tag", "db"), {"ja"}),
        (Equals("tag", "设计"), {"ja"}),
        (Equals("tag", "设"), set()),
        (Equals("topic", "storage"), {"zh"}),
        (Equals("project", "记忆"), {"zh"}),
        (Equals("project", "記憶"), set()),
        (Equals("title", "Storage decision"), {"en"}),
        (Equals("title", "Storage"), set()),
        (OneOf("kind", ("decision", "note")), {"ja"}),
        (OneOf("kind", ()), set()),
        (Missing("kind"), {"zh", "en", "old"}),
        (Not(Equals("kind", "decision")), {"zh", "en", "old"}),
        (Contains("text", "保存"), {"ja", "zh"}),
        (Contains("text", "sqlite"), {"ja", "zh", "en", "old"}),
        (Contains("text", "设计會議デ"), {"ja"}),
        (Contains("text", "ＳＱＬｉｔｅ"), {"ja", "zh", "en", "old"}),
        (Contains("text", "%"), set()),
        (Contains("title", "STORAGE"), {"en"}),
        (Contains("scope", "cc"), {"ja", "zh", "en", "old"}),
        (Equals("sequence_order", 2), {"en"}),
        (Equals("sequence_order", 2.5), set()),
        (Within("sequence_order", start=1.5), {"en"}),
        (Within("sequence_order", start=2, start_inclusive=False), set()),
        (Within("sequence_order", end=2, end_inclusive=True), {"en"}),
        (Within("sequence_order", end=2), set()),
        (Within("importance", start=0.8), {"zh"}),
        (Within("sequence_order", start=-(10**400), end=10**400), {"en"}),
        (Within("sequence_order", start=1e300), set()),
        (Within("importance", end=-1e300), set()),
        (Within("importance", start=-1e305, end=1e305), {"ja", "zh", "en", "old"}),
        (Within("confidence", start=1e305), set()),
        (Equals("importance", -1e308), set()),
        (Equals("sequence_order", 10**400), set()),
        (Either((Equals("id", "ja"), Equals("id", "en"))), {"ja", "en"}),
        (Either(), set()),
    ],
)
def test_a_condition_holds_inside_the_search(stored: Memories, where: Condition, expected: set[str]) -> None:
    found = stored.recall(Query(text="SQLite", where=where))
    assert {hit.memory.id for hit in found.hits} == expected
    assert {hit.memory.id for hit in stored.recall(Query(where=where)).hits} == expected


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Within("sequence_order", start=-1.5), [-1, 0, 1]),
        (Within("sequence_order", end=-1.5), [-2]),
        (Within("sequence_order", end=-0.5, end_inclusive=True), [-2, -1]),
        (Within("sequence_order", start=-0.5, start_inclusive=False), [0, 1]),
        (Equals("sequence_order", -0.5), []),
    ],
)
def test_a_fraction_lies_between_two_numbers_below_zero_too(
    memories: Memories, where: Condition, expected: list[int]
) -> None:
    for number, text in zip((-2, -1, 0, 1), ("下書き", "草稿", "draft", "設計"), strict=True):
        memories.remember(text, sequence_order=number)
    hits = memories.recall("", where=where, limit=10).hits
    assert sorted(hit.memory.sequence_order or 0 for hit in hits) == expected


def test_times_are_half_open_unless_asked(stored: Memories) -> None:
    second = stored.get(["zh"])[0].stored_at

    def ids(where: Condition) -> set[str]:
        return {hit.memory.id for hit in stored.recall(Query(where=where)).hits}

    assert ids(Within("stored_at", start=second)) == {"zh", "en", "old"}
    assert ids(Within("stored_at", end=second)) == {"ja"}
    assert ids(Within("stored_at", end=second, end_inclusive=True)) == {"ja", "zh"}
    assert ids(Within("stored_at", start=second, end=second + timedelta(days=1))) == {"zh"}


def test_a_window_that_has_an_end_lasts_until_then(memories: Memories, clock: Any) -> None:
    end = clock() + timedelta(days=1)
    memories.remember_many([Draft(id="ends", text="期限あり", valid_until=end), Draft(id="open", text="期限なし")])

    def lasting(at: datetime) -> set[str]:
        return {hit.memory.id for hit in memories.recall(Query(where=Lasting(at))).hits}

    assert lasting(end - timedelta(microseconds=1)) == {"ends", "open"}
    assert lasting(end) == {"open"}
    with pytest.raises(InvalidArgument, match="has no time zone"):
        lasting(end.replace(tzinfo=None))
    with pytest.raises(InvalidArgument, match="not with the text '2026-01-01'"):
        lasting(cast("datetime", "2026-01-01"))


@pytest.mark.parametrize(
    "condition",
    [
        Within("stored_at", start=1_769_904_000),  # seconds since 1970, which would find everything
        Within("event_start", end=1_769_904_000.5),
        Equals("valid_from", 20_260_201),
        Lasting(cast("datetime", 1_769_904_000)),
    ],
)
def test_a_number_is_no_time(memories: Memories, condition: Condition) -> None:
    memories.remember("会議は金曜日です。")
    with pytest.raises(InvalidArgument, match="is compared with times, not with the number") as raised:
        memories.recall("", where=condition)
    assert raised.value.hint == "Pass a datetime with a time zone."


@pytest.mark.parametrize(
    ("order", "ids"), [("newest", ["old", "en", "zh", "ja"]), ("oldest", ["ja", "zh", "en", "old"])]
)
def test_an_empty_query_lists_by_time(stored: Memories, order: Any, ids: list[str]) -> None:
    assert [hit.memory.id for hit in stored.recall(Query(order=order)).hits] == ids


@pytest.mark.parametrize("nothing", [" ", "\u200b", "\x00", "\ufeff\x00 "])
def test_a_query_of_which_nothing_can_be_seen_lists_by_time(stored: Memories, nothing: str) -> None:
    assert stored.recall(nothing).hits == stored.recall("").hits


def test_a_hit_says_why_it_was_found(stored: Memories) -> None:
    best = stored.recall("设计会议的保存").hits[0]
    assert best.memory.id == "ja"
    assert {arm.arm for arm in best.why.arms} >= {"words"}
    assert set(best.why.words) >= {"设计", "会议"}


@pytest.mark.parametrize("stranger", ["教科書の設計図", "量子力学の決定版", "我们去吃火锅", "the store closes at nine"])
def test_relevance_tells_a_match_from_a_stranger(stored: Memories, stranger: str) -> None:
    assert stored.recall("SQLite 保存").hits[0].relevance > 0.4
    found = stored.recall(stranger).hits
    assert found, "it shares a word with what is stored"
    assert found[0].relevance < 0.4


def test_a_threshold_comes_before_the_limit(stored: Memories) -> None:
    found = stored.recall(Query(text="We chose SQLite as the store", min_relevance=0.9, limit=2)).hits
    assert [hit.memory.id for hit in found] == ["en"]


def test_recency_breaks_ties_only_when_asked(memories: Memories, clock: Any) -> None:
    memories.remember("京都の抹茶", id="old")
    clock.advance(days=365)
    memories.remember("京都の抹茶は有名", id="new")
    plain = memories.recall("京都の抹茶")
    recent = memories.recall(Query(text="京都の抹茶", weights=Weights(recency=1.0)))
    assert [hit.memory.id for hit in plain.hits] == ["old", "new"]
    assert [hit.memory.id for hit in recent.hits] == ["new", "old"]


def test_the_graph_brings_what_shares_no_word(memories: Memories) -> None:
    bob, _ = memories.observe("Bob", "person", "Bob plays the cello.")
    alice, fact = memories.observe("アリス", "person", "東京で働いている。")
    memories.relate(Ref("entity", bob.id), Ref("entity", alice.id), "friend_of")
    found = memories.recall(Query(text="Bob的朋友", walk=RankWalk()))
    assert fact.memory.id in {hit.memory.id for hit in found.hits}
    by_id = {hit.memory.id: hit for hit in found.hits}
    assert "graph" in {arm.arm for arm in by_id[fact.memory.id].why.arms}
    assert [entity.name for entity in found.entities] == ["Bob"]


def test_neighbours_are_listed_beside_the_hits(memories: Memories) -> None:
    auth = memories.upsert_node("concept", "認証フロー", "ログインとセッションの管理")
    limits = memories.upsert_node("note", "限流", "每分钟五次")
    memories.relate(Ref("entity", auth.id), Ref("entity", limits.id), "references", weight=0.5)
    found = memories.recall(Query(text="認証フロー", limit=1, walk=NeighbourWalk(depth=1)))
    assert [hit.memory.id for hit in found.hits] == [auth.memory_id]
    (neighbour,) = found.neighbours
    assert getattr(neighbour.node, "id", None) == limits.memory_id
    assert (neighbour.depth, neighbour.weight) == (1, 0.5)
    assert [(step.relation, step.forward) for step in neighbour.path] == [("references", True)]


def test_an_edge_of_another_type_is_not_walked(memories: Memories) -> None:
    a = memories.remember("a note about tea").memory
    b = memories.remember("別の話").memory
    memories.relate(Ref("memory", a.id), Ref("memory", b.id), "references")
    walk = NeighbourWalk(relations=frozenset({"contains"}))
    assert memories.recall(Query(text="tea", limit=1, walk=walk)).neighbours == ()
    assert len(memories.neighbours(Ref("memory", a.id), depth=1)) == 1


def test_in_a_glance_a_search_sees_what_was_there_when_it_began_and_what_it_wrote_itself(
    memories: Memories, tmp_path: Path
) -> None:
    memories.remember("昨日、京都で抹茶を飲んだ。")
    with open_memories(tmp_path / "store") as others, memories.glance():
        assert len(memories.recall("抹茶").hits) == 1
        others.remember("明天去喝抹茶。")
        assert len(memories.recall("抹茶").hits) == 1
        memories.remember("We drank matcha (抹茶) again.")
        assert len(memories.recall("抹茶").hits) == 3
    assert len(memories.recall("抹茶").hits) == 3


def test_what_was_recalled_can_be_kept_and_is_printed_whole(stored: Memories) -> None:
    recalled = stored.recall("SQLite の設計会議")
    first = recalled.hits[0]
    for kept in (pickle.loads(pickle.dumps(recalled)), copy.deepcopy(recalled)):
        assert kept == recalled
        assert kept.stages == recalled.stages
        assert hash(kept.hits[0].why) == hash(first.why)
    for said in (repr(recalled), repr(first)):
        assert str(first.why.evidence and first.why.evidence.coverage) in said
        assert " at 0x" not in said


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("設計" * 5_001, "10,002"),
        ("㍿" * 10_000, "40,000"),
        ("ﷺ" * 1_200 + "保存", "21,602"),
        ("㌖" * 10_000, "60,000"),
        ("抹茶" * 5_000, None),
        ("store…" * 1_600, None),
        ("保存。" * 3_333, None),
        ("ﬁ" * 10_000, None),
    ],
    ids=lambda given: given[:6] if given else "read",
)
def test_a_question_is_as_long_as_what_its_characters_stand_for(
    stored: Memories, text: str, length: str | None
) -> None:
    if length is None:
        stored.recall(text)
        return
    with pytest.raises(InvalidArgument, match=f"The query has {length} characters"):
        stored.recall(text)
