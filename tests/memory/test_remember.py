"""How drafts become memories: ids, keys, sessions, and what is refused."""

import sqlite3
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from omoide.errors import InvalidArgument, NotFound, StoreError
from omoide.memory import Memories, Remembered, forget
from omoide.memory.text_keys import key_of_text
from omoide.memory.visibility import Visibility
from omoide.model.entity import NodeDraft
from omoide.model.memory import MAX_TEXT_CHARS, Draft, EventTime, Status
from omoide.model.relation import Ref
from tests.counting import calls
from tests.families.calling import meanwhile

TEXTS = ["昨日、京都で抹茶を飲んだ。", "我昨天在京都喝了抹茶。", "Yesterday I drank matcha in Kyoto."]


@pytest.mark.parametrize("text", TEXTS)
def test_a_memory_is_found_by_the_next_search(memories: Memories, text: str) -> None:
    stored = memories.remember(text).memory
    assert [hit.memory for hit in memories.recall(text).hits] == [stored]


@pytest.mark.parametrize("id", ["conv-26/D1:1", "記憶/一", "x" * 200])
def test_an_id_given_by_the_caller_is_kept(memories: Memories, id: str) -> None:
    assert memories.remember("text", id=id).memory.id == id
    assert memories.get([id])[0].text == "text"


@pytest.mark.parametrize(
    ("draft", "argument"),
    [
        ({"text": ""}, "text"),
        ({"text": " 　\n"}, "text"),
        ({"text": "\u200b\u200d\ufeff"}, "text"),
        ({"text": "\x00\x00"}, "text"),
        ({"text": "あ" * (MAX_TEXT_CHARS + 1)}, "text"),
        ({"text": "记忆", "id": "x" * 201}, "id"),
        ({"text": "记忆", "id": ""}, "id"),
        ({"text": "memory", "importance": 1.1}, "importance"),
        ({"text": "順番", "sequence_order": float("inf")}, "sequence_order"),
        ({"text": "顺序", "sequence_order": b"1"}, "sequence_order"),
    ],
    ids=[
        "empty",
        "blank",
        "zero width",
        "control",
        "too long",
        "long id",
        "empty id",
        "importance",
        "endless order",
        "order of bytes",
    ],
)
def test_what_cannot_be_stored_is_refused_by_name(memories: Memories, draft: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        memories.remember(Draft(**draft))
    assert refused.value.argument == argument
    assert memories.counts().memories == 0


def test_the_same_id_and_content_again_changes_nothing(memories: Memories) -> None:
    first = memories.remember("記憶", id="m1")
    again = memories.remember("記憶", id="m1")
    assert (first.disposition, again.disposition) == ("stored", "deduplicated")
    assert again.memory == first.memory


def test_the_same_id_with_new_content_replaces_it(memories: Memories) -> None:
    memories.remember("旧的内容", id="m1")
    assert memories.remember("新しい内容", id="m1").disposition == "updated"
    assert [hit.memory.id for hit in memories.recall("新しい内容").hits] == ["m1"]
    assert not any("旧的" in hit.memory.text for hit in memories.recall("旧的内容").hits)


@pytest.mark.parametrize(
    ("category", "text", "scope", "disposition"),
    [
        ("preferences", "緑茶が好き。", "global", "updated"),
        ("preferences", "コーヒーが好き。", "global", "deduplicated"),
        ("preferences", "緑茶が好き。", "other", "stored"),
        ("events", "緑茶が好き。", "global", "conflict"),
    ],
)
def test_a_key_decides_within_its_scope(
    memories: Memories, category: str, text: str, scope: str, disposition: str
) -> None:
    memories.remember("コーヒーが好き。", category="preferences", canonical_key="飲み物")
    second = memories.remember(text, category=category, scope=scope, canonical_key="飲み物")
    assert second.disposition == disposition


def test_a_superseded_text_is_history_and_the_live_row_keeps_its_id(memories: Memories) -> None:
    first = memories.remember("住在东京", category="profile", canonical_key="住处").memory
    second = memories.remember("住在大阪", category="profile", canonical_key="住处")
    assert second.memory.id == first.id
    assert second.previous is not None
    assert (second.previous.status, second.previous.superseded_by) == (Status.SUPERSEDED, first.id)
    assert second.previous.text == "住在东京"


NEXT_YEAR = datetime(2026, 11, 21, tzinfo=timezone.utc)


@pytest.mark.parametrize("text", ["コーヒーが好き。", "コーヒーが好き", "ｺｰﾋｰが好き。"])
def test_a_text_told_again_adds_what_is_new_to_the_one_that_is_there(memories: Memories, text: str) -> None:
    told = {"category": "preferences", "canonical_key": "飲み物"}
    first = memories.remember("コーヒーが好き。", tags=("飲む",), importance=0.8, topic="food", **told).memory
    again = memories.remember(text, tags=("朝", "飲む"), importance=0.5, valid_until=NEXT_YEAR, **told)
    assert (again.disposition, again.memory.id) == ("deduplicated", first.id)
    (kept,) = memories.get([first.id])
    assert (kept.text, kept.tags, kept.importance) == ("コーヒーが好き。", ("飲む", "朝"), 0.8)
    assert (kept.topic, kept.valid_until, kept.stored_at) == ("food", NEXT_YEAR, first.stored_at)


@pytest.mark.parametrize("category", ["preferences", "events"])
def test_what_has_ended_is_not_what_a_new_text_repeats(memories: Memories, clock: Any, category: str) -> None:
    told = {"canonical_key": "休み"}
    ended = memories.remember("休暇中", category="events", valid_until=clock.now + timedelta(days=1), **told).memory
    clock.advance(days=2)
    again = memories.remember("休暇中", category=category, **told)
    assert again.disposition == "stored"
    assert again.memory.id != ended.id


@pytest.mark.parametrize(
    ("category", "text"), [("events", "休暇中"), ("preferences", "喜欢喝茶"), ("profile", "lived in Kyoto")]
)
def test_what_had_ended_before_it_was_told_is_kept_once(
    memories: Memories, clock: Any, category: str, text: str
) -> None:
    told = {"category": category, "canonical_key": "key", "valid_until": clock.now - timedelta(days=1)}
    first = memories.remember(text, **told).memory
    again, batched = memories.remember(f"{text}。", **told), memories.remember_many([Draft(text=text, **told)])[0]
    assert [(each.disposition, each.memory) for each in (again, batched)] == [("deduplicated", first)] * 2
    holds = memories.remember(text, category=category, canonical_key="key")
    assert (holds.disposition, memories.remember(text, **told).memory) == ("stored", first)


@pytest.mark.parametrize("category", ["events", "profile"])
@pytest.mark.parametrize("again", ["店は改装中", "The shop is open"])
@pytest.mark.parametrize("is_later_first", [False, True], ids=["earlier first", "later first"])
def test_what_holds_at_another_time_is_a_memory_of_its_own(
    memories: Memories, clock: Any, category: str, again: str, *, is_later_first: bool
) -> None:
    told = {"category": category, "canonical_key": "店"}
    may, june = clock.now + timedelta(days=30), clock.now + timedelta(days=60)
    windows: list[dict[str, Any]] = [{"valid_until": may}, {"valid_from": june}]
    first, second = reversed(windows) if is_later_first else windows
    known = memories.remember("店は改装中", **told, **first).memory
    assert memories.remember(again, **told, **second).disposition == "stored"
    assert memories.get([known.id]) == [known]


@pytest.mark.parametrize("category", ["profile", "preferences"])
def test_a_text_that_had_ended_before_it_was_told_replaces_none_that_holds(
    memories: Memories, clock: Any, category: str
) -> None:
    told = {"category": category, "canonical_key": "住まい"}
    holds = memories.remember("京都に住む", **told).memory
    past = memories.remember("以前住在大阪", **told, valid_until=clock.now - timedelta(days=1))
    assert past.disposition == "stored"
    assert memories.get([holds.id]) == [holds]


@pytest.mark.parametrize(
    ("old", "new"), [("京都に住む", "大阪に住む"), ("住在京都", "住在大阪"), ("I live in Kyoto", "I live in Osaka")]
)
@pytest.mark.parametrize("is_revised", [False, True], ids=["stored under its id", "revised"])
def test_a_key_made_from_a_text_follows_the_text(memories: Memories, old: str, new: str, *, is_revised: bool) -> None:
    told = {"category": "profile", "scope": "cc"}
    known = memories.remember(old, canonical_key=key_of_text("profile", old), **told).memory
    if is_revised:
        changed = memories.revise(known.id, text=new)
    else:
        changed = memories.remember(new, id=known.id, canonical_key=known.canonical_key, **told).memory
    assert (changed.id, changed.canonical_key) == (known.id, key_of_text("profile", new))
    again = memories.remember(old, canonical_key=key_of_text("profile", old), **told)
    assert (again.disposition, memories.get([known.id])) == ("stored", [changed])


def test_a_key_that_was_given_stays_when_the_text_is_changed(memories: Memories) -> None:
    known = memories.remember("京都に住む", category="profile", canonical_key="住まい").memory
    assert memories.revise(known.id, text="大阪に住む").canonical_key == "住まい"


def test_events_with_one_key_are_rows_of_their_own(memories: Memories) -> None:
    for text in TEXTS:
        memories.remember(text, canonical_key="旅行")
    assert memories.counts().memories == 3


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_told_again_of_a_time_is_what_was_told_of_that_time(memories: Memories, clock: Any, text: str) -> None:
    def tell(day: int) -> Remembered:
        start = clock() + timedelta(days=day)
        happened = EventTime(raw="", start=start, end=start + timedelta(days=1))
        return memories.remember(text, canonical_key="旅行", event_time=happened)

    undated, dated = tell(1).memory, tell(2).memory
    memories.revise(undated.id, event_time=None)
    assert (tell(2).memory, tell(3).memory.id) == (dated, undated.id)


LONG = "、そして旅に出た" * 200


@pytest.mark.parametrize(
    ("told", "again", "disposition"),
    [
        ("会议改到星期三。", "会议改到星期三", "deduplicated"),
        ("We met.", "ｗｅ ｍｅｔ", "deduplicated"),
        ("We met.", "We met?", "stored"),
        ("She didn’t come.", "She didn't come.", "deduplicated"),
        (f"京都{LONG}。", f"京都{LONG}", "deduplicated"),
        (f"京都{LONG}。", f"東京{LONG}。", "stored"),
    ],
)
def test_under_a_key_of_many_events_those_alone_count_that_say_the_same(
    tmp_path: Path, memories: Memories, told: str, again: str, disposition: str
) -> None:
    def tell(text: str) -> Remembered:
        return memories.remember(text, canonical_key="日誌")

    events = [tell(f"第{day}天：天气很好") for day in range(30)]
    met = tell(told)
    with sqlite3.connect(tmp_path / "store" / "omoide.sqlite3") as spoiling:  # whoever reads these rows whole fails
        spoiling.execute("UPDATE memories SET tags = 'no JSON' WHERE id <> ?", (met.memory.id,))
    spoiling.close()
    repeated = tell(again)
    assert repeated.disposition == disposition
    assert (repeated.memory.id == met.memory.id) is (disposition == "deduplicated")
    with pytest.raises(StoreError):
        memories.get([events[0].memory.id])


def test_a_session_is_a_chain(memories: Memories) -> None:
    chain = [memories.remember(text, chain=True, session_id="s1").memory for text in TEXTS]
    assert [memory.sequence_order for memory in chain] == [1, 2, 3]
    assert [memory.preceding_id for memory in chain] == [None, chain[0].id, chain[1].id]


def test_many_are_stored_all_or_none(memories: Memories) -> None:
    with pytest.raises(InvalidArgument):
        memories.remember_many([Draft(text="一"), Draft(text="")])
    assert memories.counts().memories == 0


KEPT_KEY = {"category": "preferences", "canonical_key": "飲み物"}
MANY = [
    (Draft(text="緑茶が好き。", **KEPT_KEY), "updated"),
    (Draft(text="绿茶很好喝"), "stored"),
    (Draft(text="the id is given", id="m1"), "stored"),
    (Draft(text="コーヒーが好き。", scope="other", **KEPT_KEY), "stored"),
    (Draft(text="コーヒーが好き", scope="other", **KEPT_KEY), "deduplicated"),
    (Draft(text="第一次旅行", canonical_key="旅行"), "stored"),
    (Draft(text="第二次旅行", canonical_key="旅行"), "stored"),
    (Draft(text="a trip", category="profile", canonical_key="旅行"), "conflict"),
    (Draft(text="the id is given again", id="m1"), "updated"),
]


def test_each_of_many_meets_what_was_stored_before_and_what_stands_before_it(memories: Memories) -> None:
    memories.remember("コーヒーが好き。", **KEPT_KEY)
    done = memories.remember_many(draft for draft, _ in MANY)
    assert [each.disposition for each in done] == [disposition for _, disposition in MANY]
    assert [each.memory.text for each in done[1:3]] == ["绿茶很好喝", "the id is given"]
    assert memories.get(each.memory.id for each in done[5:7]) == [each.memory for each in done[5:7]]
    added = [done[at].memory.number for at in (1, 2, 3, 5, 6)]
    assert added == sorted(added), "rows are added in the order given"


def test_a_memory_can_be_found_by_the_beginning_of_its_id(memories: Memories) -> None:
    stored = memories.remember("記憶").memory
    assert memories.find(stored.id[:8]) == stored
    with pytest.raises(NotFound):
        memories.find(stored.id[:7])


def test_what_is_forgotten_is_gone(memories: Memories) -> None:
    stored = memories.remember("忘れたい記憶").memory
    assert memories.forget(stored.id) == stored
    assert memories.recall("忘れたい記憶").hits == ()
    with pytest.raises(NotFound):
        memories.forget(stored.id)


def test_a_memory_is_forgotten_with_every_text_it_replaced_however_many(memories: Memories) -> None:
    memories.remember("另一件事")
    told = [
        Draft(text=f"今日の体重は{number}グラム", category="profile", canonical_key="体重") for number in range(1_010)
    ]
    live = memories.remember_many(told)[-1].memory
    gone = memories.forget_with_versions(live.id)
    assert gone[0] == live
    assert {each.text for each in gone} == {each.text for each in told}
    assert memories.counts().memories == 1


@pytest.mark.parametrize(
    "texts",
    [
        ("京都に住んでいる", "大阪に住んでいる", "札幌に住んでいる"),
        ("我住在北京", "我住在上海", "我住在成都"),
        ("Lives in Rome", "Lives in Oslo", "Lives in Lima"),
    ],
)
def test_a_text_that_is_replaced_while_its_memory_is_forgotten_is_forgotten_too(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, texts: tuple[str, str, str]
) -> None:
    told = [Draft(text=text, category="profile", canonical_key="home") for text in texts]
    live = memories.remember_many(told[:2])[-1].memory
    meanwhile(monkeypatch, "_versions", lambda: memories.remember(told[2]))
    assert {each.text for each in memories.forget_with_versions(live.id)} == {*texts}
    assert memories.counts().memories == 0


def test_a_memory_that_is_forgotten_by_two_at_once_is_unknown_to_the_second(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = memories.remember("忘れたい記憶").memory
    meanwhile(monkeypatch, "_versions", lambda: memories.forget(stored.id))
    with pytest.raises(NotFound):
        memories.forget_with_versions(stored.id)


def test_a_text_that_holds_again_since_it_was_looked_for_stays(memories: Memories) -> None:
    for id, replaced_by in (("live", None), ("old", "live"), ("again", None)):
        memories.remember(Draft(text=f"版 {id}", id=id, superseded_by=replaced_by))
    with memories.store.write() as writer:
        gone = forget.forget_with_versions(writer, Visibility(None, memories.clock()), "live", ["old", "again"])
    assert [each.id for each in gone] == ["live", "old"]
    assert [each.id for each in memories.get(["again"])] == ["again"]


@pytest.mark.parametrize("label", ["健太の電話番号は090-1234", "小红的电话是138-0013", "Jeff's number is 555-0199"])
def test_the_name_of_a_node_is_forgotten_with_its_content_unless_more_is_known_of_it(
    memories: Memories, label: str
) -> None:
    bare, linked, observed = memories.upsert_nodes(NodeDraft("note", f"{label}{each}", "…") for each in range(3))
    memories.relate(Ref("entity", linked.id), ("関係", None), "has")
    memories.observe(observed.name, observed.type, "事実", entity_class="node")
    for node in (bare, linked, observed):
        assert node.memory_id is not None
        memories.forget(node.memory_id)
    nodes = memories.list_entities(entity_class="node")[1]
    assert {each.id for each in nodes} == {linked.id, observed.id}
    assert [each.memory_id for each in nodes] == [None, None]


def test_what_replaced_texts_had_replaced_themselves_is_forgotten_too(memories: Memories) -> None:
    for id, replaced_by in (("a", None), ("b", "a"), ("c", "b"), ("d", "c"), ("x", None), ("y", "x")):
        memories.remember(Draft(text=f"版 {id}", id=id, superseded_by=replaced_by))
    assert [each.id for each in memories.forget_with_versions("a")] == ["a", "b", "c", "d"]
    assert [each.id for each in memories.get(tuple("abcdxy"))] == ["x", "y"]


def test_what_a_write_beside_long_texts_of_its_key_takes_is_what_it_takes_beside_short_ones(memories: Memories) -> None:
    def work(key: str, text: str) -> int:
        memories.remember_many([Draft(text=f"{text}{n}", canonical_key=key) for n in range(100)])
        return calls(lambda: memories.remember(f"{text}の続き", canonical_key=key))

    assert work("長い話", "京都で抹茶を飲んだ。" * 100) < 1.5 * work("短い話", "京都で抹茶を飲んだ。")


@pytest.mark.parametrize("chars", [499, 500, 501, 5_000])
def test_a_long_text_told_again_in_other_signs_is_the_same(memories: Memories, chars: int) -> None:
    text = ("Tea, 京都で抹茶を飲んだ" * chars)[: chars - 1] + "茶"
    first = memories.remember(text, canonical_key="茶").memory
    again = memories.remember(f"{text.upper()}。", canonical_key="茶")
    other = memories.remember(f"{text}?", canonical_key="茶")
    assert (again.disposition, again.memory.id, other.disposition) == ("deduplicated", first.id, "stored")
