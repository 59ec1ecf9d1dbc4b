"""What every store promises, whatever keeps it: written against `omoide.store.protocol` alone.

A new kind of store is one more row in STORES.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import FrozenInstanceError, fields, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import pytest

from omoide.coalescing import arrived_at
from omoide.errors import Conflict, InvalidArgument, NotFound, OmoideError, StoreError
from omoide.model.entity import EntityDraft
from omoide.model.memory import Archetype, Draft, EventTime, Memory, Status
from omoide.model.relation import Ref, Related, RelationDraft
from omoide.model.reminder import Reminder
from omoide.store.protocol import Change, Standing, Store, Writer
from omoide.store.sqlite import SqliteStore
from omoide.store.sqlite.store import MOST_CHANGES

NOW = datetime(2026, 11, 21, 9, 30, 0, 123456, tzinfo=timezone.utc)
TOKYO = timezone(timedelta(hours=9))
DAY = timedelta(days=1)

STORES: dict[str, Callable[[Path], Store]] = {
    "sqlite file": lambda folder: SqliteStore(folder / "omoide.db", clock=lambda: NOW),
    "sqlite in memory": lambda folder: SqliteStore(":memory:", clock=lambda: NOW),
}


@pytest.fixture(params=list(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = STORES[request.param](tmp_path)
    yield store
    store.close()


def put(writer: Writer, id: str, text: str = "京都で抹茶を飲んだ", **more: object) -> Memory:
    return writer.put_memory(replace(Draft(text=text, id=id), **more), now=NOW)


def entity(writer: Writer, id: str, name: str, type: str = "location", *, now: datetime = NOW, **more: Any) -> int:
    draft = EntityDraft(**{"id": id, "entity_class": "entity", "name": name, "type": type, **more})
    return writer.put_entity(draft, now=now).number


def relate(writer: Writer, id: str, source: Ref, target: Ref, *, now: datetime = NOW, **more: Any) -> int:
    draft = RelationDraft(**{"id": id, "source": source, "target": target, "type": "knows", **more})
    return writer.put_relation(draft, now=now).number


def changes(store: Store, since: int) -> set[tuple[str, int]]:
    with store.read() as reader:
        return {(change.kind, change.number) for change in reader.changes_since(since, 1000)}


# --- round trips ------------------------------------------------------------------------------------------------------

FULL = Draft(
    id="全-1",
    text="昨日、渋谷の喫茶店で田中さんと会った。",
    title="渋谷にて",
    context="仕事の話\x00のあと",
    kind="note",
    category="profile",
    tags=("旅行", "咖啡", "coffee ☕", ""),
    topic="喫茶店",
    scope="project:思い出",
    thread="t-1",
    thread_type="dialogue",
    thread_name="雑談",
    project="思い出",
    session_id="session-一",
    sequence_order=7,
    preceding_id="全-0",
    agent_id="agent",
    tool="Remember",
    archetype=Archetype("侘寂", "2.1", "1.1"),
    source="import",
    importance=0.123456789,
    confidence=1.0,
    stored_at=datetime(2025, 1, 2, 3, 4, 5, 678901, tzinfo=TOKYO),
    event_time=EventTime("昨日", datetime(2025, 1, 1, tzinfo=TOKYO), datetime(2025, 1, 2, tzinfo=TOKYO), 0.9),
    valid_from=datetime(1, 1, 1, tzinfo=timezone.utc),
    valid_until=datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=timezone.utc),
    status=Status.PENDING_REVIEW,
    superseded_by="全-2",
    canonical_key="会う/田中",
    links_source="mail",
    links_refs=("a", {"url": "https://例え.jp", "n": [1, None, True]}),
    parameters={"場所": "渋谷", "数": 10**30},
    frames={"問": {"深": [0.5, float("inf"), None]}},
    extra={"未知": "欄", "empty": {}},
    lang="ja",
)


def test_a_memory_comes_back_with_every_field(store: Store) -> None:
    with store.write() as writer:
        entity(writer, "e-2", "田中")
        entity(writer, "e-1", "渋谷")
        put_back = writer.put_memory(replace(FULL, entities=("e-2", "e-1", "e-2")), now=NOW)
    with store.read() as reader:
        found = reader.memory("全-1")
    assert found == put_back
    for field in fields(FULL):
        expected = ("e-2", "e-1") if field.name == "entities" else getattr(FULL, field.name)
        assert getattr(found, field.name) == expected, field.name
    assert (found.updated_at, found.access_count, found.last_accessed_at) == (NOW, 0, None)
    assert {at.tzinfo for at in (found.stored_at, found.event_time.start, found.valid_from)} == {timezone.utc}


def test_a_memory_that_was_read_is_as_frozen_as_one_that_was_made(store: Store) -> None:
    with store.write() as writer:
        put(writer, "全-1", "京都で抹茶を飲んだ。")
    with store.read() as reader:
        found = reader.memory("全-1")
    assert type(found) is Memory
    with pytest.raises(FrozenInstanceError):
        found.text = "別の文"
    assert replace(found, text="別の文").text == "別の文"


@pytest.mark.parametrize(
    "text",
    [
        "記憶",
        "记忆 與 記憶",
        "memory",
        "a\x00b",
        "👩‍👩‍👧‍👦🇯🇵",
        "が",
        "𠮷野家 \U0010ffff",
        "'; DROP TABLE memories; --",
        "%_[*]\\",
        "x" * 1_000_000,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_any_text_comes_back_as_it_was(store: Store, text: str) -> None:
    id = text[:200]
    with store.write() as writer:
        put(writer, id, text, extra={text: [text]}, tags=(text,))
    with store.read() as reader:
        found = reader.memory(id)
        assert (found.id, found.text, found.extra, found.tags) == (id, text, {text: [text]}, (text,))
        assert [memory.id for memory in reader.memories([id])] == [id]


REFUSED = [
    ({"id": None}, "id is empty."),
    ({"id": ""}, "id is empty."),
    ({"id": "字" * 201}, "id has 201 characters."),
    (
        {"text": "抹茶\ud83d"},
        "text: position 2 holds half of a character (the lone surrogate U+D83D) in '抹茶\\ud83d'.",
    ),
    ({"tags": ("a", "\udc00")}, "tags: position 6 holds half"),
    ({"stored_at": datetime(2026, 1, 1)}, "stored_at: 2026-01-01T00:00:00 has no time zone."),  # noqa: DTZ001
    ({"valid_until": datetime(9999, 12, 31, 23, tzinfo=timezone(-DAY / 2))}, "is outside the years 1 to 9999 of UTC."),
    ({"sequence_order": 2**63}, "sequence_order: 9223372036854775808 does not fit 64 bits."),
    ({"sequence_order": -(2**63) - 1}, "sequence_order: -9223372036854775809 does not fit 64 bits."),
    ({"importance": float("nan")}, "importance needs a value (and a number must not be NaN)."),
    ({"extra": {"at": NOW}}, "extra cannot be written as JSON: a value of type datetime is not JSON."),
]


@pytest.mark.parametrize(("given", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_what_cannot_be_stored_is_refused_by_name_and_leaves_nothing(store: Store, given: dict, message: str) -> None:
    with store.write() as writer:
        put(writer, "before")
        with pytest.raises(InvalidArgument) as caught:
            put(writer, **{"id": "m", **given})
    assert message in caught.value.message
    assert caught.value.argument in given
    with store.read() as reader:
        assert reader.counts().memories == 1
        assert len(reader.changes_since(0, 10)) == 1


def test_replacing_a_memory_keeps_its_number_age_and_counters_and_nothing_else(store: Store) -> None:
    with store.write() as writer:
        entity(writer, "e", "京都")
        first = put(writer, "m", "古い", stored_at=NOW - DAY, title="題", entities=("e",))
        writer.mark_accessed([first.number, first.number, 999], now=NOW)
    with store.write() as writer:
        second = writer.put_memory(Draft(id="m", text="新しい"), now=NOW + DAY)
        assert writer.memory("m") == second
    assert (second.number, second.stored_at, second.updated_at) == (first.number, NOW - DAY, NOW + DAY)
    assert (second.access_count, second.last_accessed_at) == (1, NOW)
    assert (second.text, second.title, second.entities) == ("新しい", None, ())


def test_numbers_are_never_used_again(store: Store) -> None:
    with store.write() as writer:
        first = put(writer, "a").number
        writer.remove_memory("a")
        assert put(writer, "a").number > first


# --- transactions and changes -----------------------------------------------------------------------------------------


def test_a_block_that_raises_leaves_nothing(store: Store) -> None:
    with pytest.raises(NotFound), store.write() as writer:
        put(writer, "m") and entity(writer, "e", "東京") and put(writer, "n", entities=("無",))
    with store.read() as reader:
        assert (reader.counts().memories, reader.counts().entities, reader.last_seq()) == (0, 0, 0)


@pytest.mark.parametrize(
    ("outer", "inner"), [("read", "read"), ("read", "write"), ("write", "read"), ("write", "write")]
)
def test_a_transaction_inside_another_of_the_same_thread_is_refused(store: Store, outer: str, inner: str) -> None:
    with getattr(store, outer)() as session:
        with pytest.raises(StoreError, match="already inside a transaction"), getattr(store, inner)():
            pass
        assert session.last_seq() == 0  # the outer one goes on
    with store.write() as writer:
        put(writer, "m")


def test_a_session_is_of_no_use_after_its_block(store: Store) -> None:
    with store.write() as writer:
        put(writer, "m")
    with store.read(), pytest.raises(StoreError, match="over"):
        put(writer, "n")
    with store.read() as reader:
        assert reader.memory("n") is None


def test_a_writer_sees_its_own_writes_and_others_do_not_before_the_end(store: Store) -> None:
    seen: list[int] = []
    with store.write() as writer:
        put(writer, "m")
        assert writer.last_seq() == store.last_seq() == 1
        other = threading.Thread(target=lambda: seen.append(store.last_seq()))
        other.start()
        other.join(0.2)  # a store in memory makes it wait
        assert seen in ([0], [])
    other.join()
    assert store.last_seq() == 1


def test_changes_count_up_and_the_newest_of_each_row_is_kept(store: Store) -> None:
    with store.write() as writer:
        for id in "abc":
            put(writer, id)
        put(writer, "a", "改めた")
        writer.remove_memory("b")
    with store.read() as reader:
        assert reader.changes_since(0, 10) == [Change(3, "memory", 3), Change(4, "memory", 1), Change(5, "memory", 2)]
        assert reader.changes_since(3, 1) == [Change(4, "memory", 1)]
        assert reader.changes_since(5, 10) == []
        assert reader.last_seq() == store.last_seq() == 5
        assert sorted(reader.memories_by_number([1, 2, 3])) == [1, 3]


def test_only_writes_that_concern_indexes_and_caches_are_changes(store: Store) -> None:
    with store.write() as writer:
        put(writer, "m")
        entity(writer, "e", "京都")
    before = store.last_seq()
    with store.write() as writer:
        writer.mark_accessed([77], now=NOW)
        writer.touch_entity("e", now=NOW + DAY)
        writer.touch_entity("gone", now=NOW)
        writer.put_thread(id="t", name="雑談", type="normal", now=NOW)
        writer.put_reminder(Reminder(id="r", trigger="会議", action="資料", scope="global", created_at=NOW))
        assert (writer.remove_memory("gone"), writer.remove_relations(["gone"])) == (False, 0)
        assert writer.remove_entity("gone", with_observations=True) == 0
    assert store.last_seq() == before


def test_the_store_keeps_its_identity(store: Store, tmp_path: Path) -> None:
    assert store.id == store.id
    assert store.id != SqliteStore(":memory:").id


# --- reading memories -------------------------------------------------------------------------------------------------


def test_memories_come_in_the_order_asked_and_unknown_ones_are_left_out(store: Store) -> None:
    with store.write() as writer:
        for id in ("一", "二", "three"):
            put(writer, id)
        asked = ["three", "無", "一", "three"]
        assert [memory.id for memory in writer.memories(asked)] == ["three", "一", "three"]
        assert writer.memories([]) == []
        assert writer.memories_by_number([]) == {}
        assert writer.memory("無") is None


def test_any_number_of_rows_can_be_asked_for_at_once(store: Store) -> None:
    with store.write() as writer:
        for count in range(2500):
            put(writer, str(count))
        assert len(writer.memories_by_number(range(1, 4000))) == 2500
        assert len(writer.memories(str(count) for count in range(2500))) == 2500


PREFIXES = [
    ("ab", ["ab", "ab%", "abc"]),
    ("ab%", ["ab%"]),
    ("記", ["記", "記\U0010ffff記", "記憶"]),
    ("記憶", ["記憶"]),
    ("AB", ["AB"]),
    ("z", []),
]


@pytest.mark.parametrize(("prefix", "expected"), PREFIXES)
def test_ids_are_found_by_prefix_literally(store: Store, prefix: str, expected: list[str]) -> None:
    with store.write() as writer:
        for id in ("ab", "abc", "ab%", "AB", "b", "記憶", "記", "記\U0010ffff記", "憶"):
            put(writer, id)
        assert sorted(memory.id for memory in writer.memories_by_id_prefix(prefix)) == sorted(expected)
        assert len(writer.memories_by_id_prefix(prefix, limit=1)) == min(1, len(expected))


def test_numbers_are_told_by_id(store: Store) -> None:
    with store.write() as writer:
        content, other = put(writer, "内容").number, put(writer, "別").number
        entity(writer, "京都", "京都", "place")
        entity(writer, "节点", "节点", "concept", memory_id="内容")
        assert writer.numbers_of_memories(["別", "内容", "別", "nobody"]) == {"別": other, "内容": content}
        numbers = {each.id: each.number for each in writer.entities(["京都", "节点"])}
        found = writer.numbers_of_entities(["节点", "京都", "nobody"])
        assert found == {"节点": (numbers["节点"], content), "京都": (numbers["京都"], None)}
        assert writer.numbers_of_memories([]) == writer.numbers_of_entities([]) == {}


def test_a_canonical_key_yields_live_memories_of_exactly_its_scope_newest_first(store: Store) -> None:
    with store.write() as writer:
        put(writer, "old", canonical_key="趣味", scope="cc", stored_at=NOW - DAY, valid_until=NOW + DAY)
        happened = EventTime("昨日", NOW - DAY, NOW)
        put(writer, "new", canonical_key="趣味", scope="cc", status=Status.PENDING_REVIEW, event_time=happened)
        put(writer, "superseded", canonical_key="趣味", scope="cc", status=Status.SUPERSEDED)
        put(writer, "elsewhere", canonical_key="趣味", scope="cc:1")
        put(writer, "another", canonical_key="仕事", scope="cc")
        new, old = writer.summaries_under_key("cc", "趣味")
        for told in (new, old):
            (memory,) = writer.memories([told.id])
            assert told[:5] == (memory.id, memory.text, memory.category, memory.valid_from, memory.valid_until)
        assert (new.id, old.id, old.valid_until) == ("new", "old", NOW + DAY)
        assert (new[5:], old[5:]) == ((NOW - DAY, NOW), (None, None))
        assert writer.summaries_under_key("c", "趣味") == []


def test_the_last_of_a_session_is_the_highest_in_order(store: Store) -> None:
    with store.write() as writer:
        put(writer, "second", session_id="s", sequence_order=10)
        put(writer, "first", session_id="s", sequence_order=9)
        put(writer, "outside the sequence", session_id="s")
        put(writer, "other", session_id="別", sequence_order=99)
        assert writer.last_in_session("s").id == "second"
        assert writer.last_in_session("無") is None


def test_the_last_added_is_the_newest_row_however_old_what_it_says(store: Store) -> None:
    with store.read() as reader:
        assert (reader.last_added(), reader.count_memories()) == (None, 0)
    with store.write() as writer:
        put(writer, "a", stored_at=NOW)
        put(writer, "imported", stored_at=NOW - DAY)
        put(writer, "a", text="put again", stored_at=NOW)
        assert (writer.last_added().id, writer.count_memories()) == ("imported", 2)


def test_a_key_is_held_where_a_live_memory_of_exactly_that_scope_has_it(store: Store) -> None:
    with store.write() as writer:
        put(writer, "live", canonical_key="趣味", scope="cc")
        put(writer, "history", canonical_key="住处", scope="cc", status=Status.SUPERSEDED)
        put(writer, "under it", canonical_key="job", scope="cc:1")
        assert writer.keys_held("cc", ["趣味", "住处", "job"]) == {"趣味"}
        assert writer.keys_held("cc", []) == set()


def test_fresh_memories_are_added_in_order_and_each_is_a_change(store: Store) -> None:
    texts = {"1": "会議は三時", "2": "会议从三点开始", "3": "the meeting starts at three"}
    with store.write() as writer:
        added = writer.add_memories({id: Draft(text=text, id="not this") for id, text in texts.items()}, now=NOW)
        assert [(each.id, each.text) for each in added] == list(texts.items())
        assert writer.memories(texts) == added
    with store.read() as reader:
        changes = reader.changes_since(0, 10)
    assert [(each.kind, each.number) for each in changes] == [("memory", each.number) for each in added]


@pytest.mark.parametrize("count", [1, 19, 20, 300])
def test_many_fresh_memories_are_added_in_order_too(store: Store, count: int) -> None:
    texts = {str(number): f"会議 {number} 会议 meeting" for number in range(count)}
    with store.write() as writer:
        added = writer.add_memories({id: Draft(text=text) for id, text in texts.items()}, now=NOW)
        assert [(each.id, each.text) for each in writer.memories(texts)] == list(texts.items())
    with store.read() as reader:
        changes = reader.changes_since(0, count + 1)
    assert [each.number for each in changes] == [each.number for each in added]
    assert [each.seq for each in changes] == list(range(changes[0].seq, changes[0].seq + count))


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (Draft(text="会議\ud83d"), "text: position 2 holds half"),
        (Draft(text="会议", context="明天\udc00"), "context: position 2 holds half"),
        (Draft(text="meeting", sequence_order=2**63), "sequence_order: 9223372036854775808 does not fit 64 bits."),
    ],
    ids=["ja", "zh", "en"],
)
def test_of_many_fresh_memories_the_one_that_cannot_be_stored_is_refused_by_name_and_leaves_nothing(
    store: Store, refused: Draft, message: str
) -> None:
    drafts = {str(number): Draft(text=f"茶 {number}", sequence_order=number) for number in range(20)}
    with store.write() as writer:
        with pytest.raises(InvalidArgument) as caught:
            writer.add_memories({**drafts, "13": refused}, now=NOW)
        assert message in caught.value.message
        assert writer.counts().memories == 0


def test_fresh_memories_of_which_each_lacks_something_else_come_back_as_they_are(store: Store) -> None:
    drafts = {
        "1": Draft(text="会議は三時", title="会議", topic="work"),
        "2": Draft(text="会议从三点开始", context="明天", importance=0.1),
        "3": Draft(text="the meeting starts at three", event_time=EventTime("three", NOW), valid_until=NOW + DAY),
    }
    with store.write() as writer:
        added = writer.add_memories(drafts, now=NOW)
        assert writer.memories(drafts) == added
    for memory, draft in zip(added, drafts.values(), strict=True):
        assert {each.name: getattr(memory, each.name) for each in fields(Draft)} == {
            **{each.name: getattr(draft, each.name) for each in fields(Draft)},
            "id": memory.id,
            "stored_at": NOW,
        }


PARTS = [
    ("text", "抹茶", ["ja"]),
    ("text", "Matcha", ["en"]),
    ("text", "%", ["percent"]),
    ("text", "绿", ["zh"]),
    ("text", "after", ["nul"]),
    ("title", "題", ["ja"]),
    ("title", "", ["ja"]),
    ("context", "场", ["zh"]),
    ("scope", "ject:", ["zh"]),
    ("status", "arch", ["en"]),
    ("archetype_title", "侘", ["ja"]),
    ("tag", "te", ["en"]),
    ("tag", '","', []),
]
TEXTS: dict[str, Draft] = {
    "ja": Draft(text="京都で抹茶を飲んだ", title="題", archetype=Archetype("侘寂", "1")),
    "zh": Draft(text="在杭州喝绿茶", context="茶场", scope="project:茶"),
    "en": Draft(text="A Matcha latte", status=Status.ARCHIVED, tags=("tea", "latte", "tea set")),
    "percent": Draft(text="100% 10_0"),
    "nul": Draft(text="before\x00after"),
}


@pytest.mark.parametrize(("field", "part", "expected"), PARTS)
def test_every_value_of_a_field_is_looked_at(store: Store, field: str, part: str, expected: list[str]) -> None:
    with store.write() as writer:
        ids = {writer.put_memory(replace(draft, id=id), now=NOW).number: id for id, draft in TEXTS.items()}
        assert [ids[number] for number in writer.numbers_where(field, lambda value: part in value)] == expected


@pytest.mark.parametrize("field", ["importance", "number", "text)--", "entity"])
def test_a_field_without_text_is_refused_by_name(store: Store, field: str) -> None:
    with store.read() as reader, pytest.raises(InvalidArgument, match="is not a field that holds text"):
        reader.numbers_where(field, str.isascii)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(["東京の天気"], ["一"]), (["Tokyo", "东京"], ["二", "three"]), (["tokyo", "東京", "' OR 1=1"], []), ([], [])],
)
def test_a_whole_value_is_found_exactly_as_it_is(store: Store, texts: list[str], expected: list[str]) -> None:
    with store.write() as writer:
        ids = {
            writer.put_memory(Draft(id=id, text=id, title=title), now=NOW).number: id
            for id, title in (("一", "東京の天気"), ("二", "东京"), ("three", "Tokyo"), ("four", None))
        }
        assert [ids[number] for number in sorted(writer.numbers_with("title", texts))] == expected
        with pytest.raises(InvalidArgument, match="is not a field that holds text"):
            writer.numbers_with("entity", texts)


def test_the_values_of_a_field_come_once_in_order(store: Store) -> None:
    with store.write() as writer:
        for id, version in (("一", "1.10"), ("二", "0.01"), ("three", "1.10"), ("four", None)):
            archetype = None if version is None else Archetype("日誌", version)
            writer.put_memory(Draft(id=id, text=id, archetype=archetype), now=NOW)
        assert writer.values_of("archetype_version") == ["0.01", "1.10"]
        assert writer.values_of("agent_id") == []
        with pytest.raises(InvalidArgument, match="is not a field that holds text"):
            writer.values_of("tag")


def test_counts_tell_rows_by_noun_category_and_scope(store: Store) -> None:
    with store.write() as writer:
        put(writer, "a", category="profile", scope="仕事")
        put(writer, "b", scope="仕事", status=Status.ARCHIVED)
        put(writer, "c")
        entity(writer, "e", "京都")
        relate(writer, "r", Ref("memory", "a"), Ref("entity", "e"))
        counts = writer.counts()
        by_category, by_scope = writer.count_memories_by("category"), writer.count_memories_by("scope")
        assert writer.count_memories_by("scope", above=writer.last_number() - 2) == {"global": 1, "仕事": 1}
    assert (counts.memories, counts.entities, counts.relations, counts.threads, counts.reminders) == (3, 1, 1, 0, 0)
    assert counts.by_category == by_category == {"events": 2, "profile": 1}
    assert counts.by_scope == by_scope == {"global": 1, "仕事": 2}


# --- entities and observations ----------------------------------------------------------------------------------------


def test_an_entity_comes_back_with_every_field(store: Store) -> None:
    with store.write() as writer:
        draft = EntityDraft(
            id="n",
            entity_class="node",
            name="思い出/検索.py",
            type="file",
            aliases=("search", "検索"),
            description="探す",
            memory_id="m",
            metadata={"行": 3, "深": {"い": []}},
            access_count=4,
        )
        made = writer.put_entity(draft, now=NOW.astimezone(TOKYO))
        assert writer.entity("n") == made == writer.entities(["無", "n"])[0] == writer.entities_by_number([1, 2])[1]
        assert writer.entity_of_memory(["m", "無"]) == {"m": made}
    assert (made.name, made.aliases, made.metadata, made.access_count) == (
        "思い出/検索.py", ("search", "検索"), {"行": 3, "深": {"い": []}}, 4
    )  # fmt: skip
    assert (made.description, made.memory_id, made.created_at, made.updated_at) == ("探す", "m", NOW, NOW)


def test_a_name_is_taken_once_in_each_home(store: Store) -> None:
    with store.write() as writer:
        plan = EntityDraft(id="1", entity_class="node", name="計画", type="note")
        for id, home in (("1", ""), ("2", "team:a"), ("3", "team:b")):
            made = writer.put_entity(replace(plan, id=id, home=home), now=NOW)
            assert made == writer.entity(id)
            assert made.home == home
        assert {each.id for each in writer.entities_named("計画", entity_class="node")} == {"1", "2", "3"}
        with pytest.raises(Conflict):
            writer.put_entity(replace(plan, id="4", home="team:a"), now=NOW)


def test_replacing_an_entity_keeps_number_and_birth_and_forgets_old_names(store: Store) -> None:
    with store.write() as writer:
        number = entity(writer, "e", "江戸", aliases=("Edo",))
        assert entity(writer, "e", "東京", aliases=("Tōkyō",), now=NOW + DAY) == number
        found = writer.entity("e")
        assert (found.created_at, found.updated_at) == (NOW, NOW + DAY)
        assert [bool(writer.entities_named(name)) for name in ("江戸", "Edo", "東京", "TŌKYŌ")] == [
            False,
            False,
            True,
            True,
        ]


NAMED = [
    ({"name": "tokyo"}, ["tower", "city"]),
    ({"name": "ＴＯＫＹＯ"}, ["tower", "city"]),
    ({"name": "東京"}, ["city"]),
    ({"name": "Tokyo", "type": "location"}, ["city"]),
    ({"name": "Tokyo", "entity_class": None}, ["node", "tower", "city"]),
    ({"name": "Tokyo", "entity_class": "node"}, ["node"]),
    ({"name": "toky"}, []),
    ({"name": "北京"}, ["beijing"]),
    ({"name": "o'brien"}, ["brien"]),
    ({"name": "OʼBrien"}, ["brien"]),
    ({"name": "Jean-Luc"}, ["jean"]),
    ({"name": "Ｊｅａｎ－Ｌｕｃ"}, ["jean"]),
    ({"name": "ジャン-リュック"}, ["jean"]),
    ({"name": "让–吕克"}, ["jean"]),
    ({"name": "D'Arc"}, ["arc", "other arc"]),
    ({"name": "D’Arc"}, ["other arc", "arc"]),
]


@pytest.mark.parametrize(("asked", "expected"), NAMED)
def test_entities_answer_to_folded_names_and_aliases_latest_first(
    store: Store, asked: dict, expected: list[str]
) -> None:
    with store.write() as writer:
        entity(writer, "city", "Tokyo", aliases=("東京", "TOKYO"))
        entity(writer, "tower", "ﾀﾜｰ", "concept", aliases=("Tokyo",), now=NOW + DAY)
        entity(writer, "node", "tokyo", "concept", entity_class="node", now=NOW + 2 * DAY)
        entity(writer, "beijing", "北京")
        entity(writer, "brien", "O’Brien")
        entity(writer, "jean", "Jean\u2010Luc", aliases=("ジャン―リュック", "让-吕克"))
        entity(writer, "arc", "D'Arc")
        entity(writer, "other arc", "D’Arc")
        assert [found.id for found in writer.entities_named(**asked)] == expected


def test_two_entities_of_one_class_name_and_type_conflict(store: Store) -> None:
    with store.write() as writer:
        entity(writer, "e", "Ｋｙｏｔｏ")
        with pytest.raises(Conflict, match="already a location 'kyoto', with the id 'e'"):
            entity(writer, "other", "kyoto")
        entity(writer, "as a concept", "kyoto", "concept")
        entity(writer, "as a node", "kyoto", entity_class="node")
    with store.read() as reader:
        assert reader.counts().entities == 3


LISTED = [
    ({}, 3, ["e2", "e1", "e0"]),
    ({"limit": 1, "offset": 1}, 3, ["e1"]),
    ({"types": ["person", "project"]}, 2, ["e2", "e1"]),
    ({"types": []}, 3, ["e2", "e1", "e0"]),
    ({"entity_class": "node"}, 1, ["n"]),
    ({"entity_class": None, "types": ["concept"]}, 1, ["n"]),
    ({"offset": 9}, 3, []),
]


@pytest.mark.parametrize(("asked", "count", "expected"), LISTED)
def test_entities_are_listed_in_pages(store: Store, asked: dict, count: int, expected: list[str]) -> None:
    with store.write() as writer:
        for at, (id, name, type) in enumerate(
            [("e0", "京都", "location"), ("e1", "王小明", "person"), ("e2", "Omoide", "project")]
        ):
            entity(writer, id, name, type, now=NOW + at * DAY)
        entity(writer, "n", "概念", "concept", entity_class="node")
        found, page = writer.list_entities(**{"limit": 10, "offset": 0, **asked})
    assert (found, [entity.id for entity in page]) == (count, expected)


OBSERVED = [
    ("plain", {}, True),
    ("pending", {"status": Status.PENDING_REVIEW}, True),
    ("archived", {"status": Status.ARCHIVED}, False),
    ("valid from now", {"valid_from": NOW}, True),
    ("valid later", {"valid_from": NOW + DAY}, False),
    ("valid until now", {"valid_until": NOW}, False),
    ("valid for a while", {"valid_until": NOW + DAY}, True),
    ("of another", {"entities": ("other",)}, False),
    ("of both", {"entities": ("other", "e")}, True),
]


@pytest.mark.parametrize(("id", "more", "is_one"), OBSERVED, ids=[id for id, _, _ in OBSERVED])
def test_observations_are_live_attached_and_valid(store: Store, id: str, more: dict, is_one: bool) -> None:
    with store.write() as writer:
        entity(writer, "e", "田中")
        entity(writer, "other", "佐藤")
        put(writer, id, "お茶がＳＵＫＩ", **{"entities": ("e",), **more})
        count, found = writer.observations("e", at=NOW, limit=5)
        same = writer.observation_of("e", "お茶がsuki", at=NOW)
    assert (count, [memory.id for memory in found]) == ((1, [id]) if is_one else (0, []))
    assert (same is not None) == is_one


def test_observations_are_counted_beyond_the_limit_newest_first(store: Store) -> None:
    with store.write() as writer:
        entity(writer, "e", "田中")
        for age in range(4):
            put(writer, str(age), f"観察 {age}", entities=("e",), stored_at=NOW - age * DAY)
        count, found = writer.observations("e", at=NOW, limit=2)
        assert (count, [memory.id for memory in found]) == (4, ["0", "1"])
        assert writer.observation_of("e", "観察", at=NOW) is None


def test_attaching_to_an_unknown_entity_is_refused_and_leaves_the_memory_as_it_was(store: Store) -> None:
    with store.write() as writer:
        put(writer, "m", "前")
        with pytest.raises(NotFound, match="'無'"):
            put(writer, "m", "後", entities=("無",))
        assert writer.memory("m").text == "前"


# --- removal ----------------------------------------------------------------------------------------------------------


def test_removing_a_memory_takes_its_relations_along_and_frees_what_pointed_at_it(store: Store) -> None:
    with store.write() as writer:
        place = entity(writer, "e", "京都")
        node = entity(writer, "n", "覚書", "note", entity_class="node", memory_id="m")
        gone = put(writer, "m", entities=("e",)).number
        put(writer, "kept")
        out = relate(writer, "out", Ref("memory", "m"), Ref("entity", "e"))
        into = relate(writer, "in", Ref("memory", "kept"), Ref("memory", "m"))
        read_from = relate(writer, "read from it", Ref("entity", "e"), Ref("entity", "n"), memory_id="m")
        relate(writer, "apart", Ref("memory", "kept"), Ref("entity", "e"))
    before = store.last_seq()
    with store.write() as writer:
        assert writer.remove_memory("m") is True
        assert writer.memory("m") is None
        assert writer.entity("n").memory_id is None
        assert [relation.id for relation in writer.relations_of(Ref("entity", "e"))] == ["read from it", "apart"]
        assert writer.relations_by_number([read_from])[read_from].memory_id is None
        assert writer.observations("e", at=NOW, limit=5) == (0, [])
    assert changes(store, before) == {
        ("memory", gone), ("relation", out), ("relation", into), ("relation", read_from), ("entity", node)
    }  # fmt: skip
    assert ("entity", place) not in changes(store, before)


@pytest.mark.parametrize(
    ("with_observations", "removed", "left"), [(True, 2, ["shared"]), (False, 0, ["alone", "owned", "shared"])]
)
def test_removing_an_entity_detaches_or_removes_its_memories(
    store: Store, with_observations: bool, removed: int, left: list[str]
) -> None:
    with store.write() as writer:
        entity(writer, "e", "田中", "person", memory_id="owned")
        entity(writer, "other", "佐藤", "person")
        numbers = {put(writer, "alone", entities=("e",)).number, put(writer, "shared", entities=("e", "other")).number}
        numbers.add(put(writer, "owned").number)
        edge = relate(writer, "r", Ref("entity", "other"), Ref("entity", "e"))
    before = store.last_seq()
    with store.write() as writer:
        assert [writer.count_with_entity(id) for id in ("e", "other", "nobody")] == [2, 0, 0]
        assert writer.remove_entity("e", with_observations=with_observations) == removed
        found = writer.memories(["alone", "owned", "shared"])
        assert [memory.id for memory in found] == left
        assert {memory.entities for memory in found} <= {(), ("other",)}
        assert writer.entity("e") is None
        assert writer.entities_named("田中") == []
        assert writer.relations_of(Ref("entity", "other")) == []
    assert changes(store, before) == {("entity", 1), ("relation", edge), *(("memory", number) for number in numbers)}


# --- relations --------------------------------------------------------------------------------------------------------


def test_asserting_a_relation_again_merges_it_and_keeps_its_age(store: Store) -> None:
    a, b = Ref("entity", "a"), Ref("memory", "b")
    with store.write() as writer:
        entity(writer, "a", "王小明", "person")
        put(writer, "b")
        number = relate(writer, "r1", a, b, weight=0.5, metadata={"源": 1, "x": 1}, memory_id="b")
        assert relate(writer, "r2", a, b, metadata={"x": 2}, now=NOW + DAY) == number
        found = writer.relation(a, b, "knows")
        assert (found.id, found.weight, found.metadata, found.memory_id) == ("r1", 0.5, {"源": 1, "x": 2}, "b")
        assert found.created_at == NOW
        assert relate(writer, "r3", a, b, weight=0.9) == number
        assert writer.relation(a, b, "knows").weight == 0.9
        assert relate(writer, "r4", b, a) != number  # the other direction is another relation
        assert relate(writer, "r5", a, b, type="likes") != number
        assert writer.relation(a, b, "好き") is None
        assert writer.relations_by_number([number, 99]) == {number: writer.relation(a, b, "knows")}
        with pytest.raises(Conflict):
            relate(writer, "r1", a, a)


def test_a_relation_is_said_in_each_home_by_itself(store: Store) -> None:
    a, b = Ref("entity", "a"), Ref("entity", "b")
    with store.write() as writer:
        entity(writer, "a", "甲")
        entity(writer, "b", "乙")
        numbers = {
            home: relate(writer, home or "r", a, b, home=home, weight=0.5, metadata={home: 1})
            for home in ("", "日記", "日记")
        }
        assert relate(writer, "again", a, b, home="日記", weight=0.9) == numbers["日記"]
        every = [writer.relation(a, b, "knows", home) for home in numbers]
        assert [(each.weight, each.metadata, each.home) for each in every if each] == [
            *((0.5, {"": 1}, ""), (0.9, {"日記": 1}, "日記"), (0.5, {"日记": 1}, "日记"))
        ]
        assert writer.relation(a, b, "knows") == every[0]
        assert writer.relations_between(a, b, "knows") == writer.relations_of(a) == every
        assert writer.relations_between(b, a, "knows") == writer.relations_between(a, b, "likes") == []


def test_relations_of_an_end_come_oldest_first_from_both_sides(store: Store) -> None:
    a, b = Ref("entity", "a"), Ref("entity", "b")
    with store.write() as writer:
        entity(writer, "a", "甲")
        entity(writer, "b", "乙")
        put(writer, "a")  # a memory by the same id is another end
        relate(writer, "newer", b, a, now=NOW + DAY)
        relate(writer, "older", a, b)
        relate(writer, "itself", a, a, now=NOW + 2 * DAY)
        relate(writer, "of the memory", Ref("memory", "a"), b)
        assert [relation.id for relation in writer.relations_of(a)] == ["older", "newer", "itself"]
        assert writer.remove_relations(["older", "gone", "older"]) == 1
        assert writer.relation(a, b, "knows") is None


@pytest.mark.parametrize("name", ["東京支社", "东京分公司", "Tokyo office"])
def test_what_relations_lead_to_is_told_oldest_first_with_names_of_entities(store: Store, name: str) -> None:
    a, b, memory = Ref("entity", "a"), Ref("entity", "b"), Ref("memory", "a")
    with store.write() as writer:
        entity(writer, "a", "甲")
        entity(writer, "b", name)
        put(writer, "a")
        relate(writer, "newer", a, b, now=NOW + DAY, home="日記")
        relate(writer, "older", a, memory, weight=0.5)
        relate(writer, "itself", a, a, now=NOW + 2 * DAY)
        relate(writer, "back", b, a)
    with store.read() as reader:
        assert reader.related(a, forward=True) == [
            Related("knows", 0.5, "", memory, None, None),
            Related("knows", 1.0, "日記", b, name, "location"),
            Related("knows", 1.0, "", a, "甲", "location"),
        ]
        assert [each.end for each in reader.related(a, forward=False)] == [b, a]
        assert reader.related(memory, forward=True) == []


def test_relations_are_counted_and_read_in_the_order_of_their_rows(store: Store) -> None:
    a, b = Ref("entity", "a"), Ref("entity", "b")
    with store.write() as writer:
        assert (writer.count_relations(), writer.relations_after(0, 9)) == (0, [])
        entity(writer, "a", "甲")
        entity(writer, "b", "乙")
        first, second, third = (relate(writer, type, a, b, type=type) for type in ("认识", "好き", "knows"))
        writer.remove_relations(["好き"])
        assert writer.count_relations() == 2
        assert [each.number for each in writer.relations_after(0, 9)] == [first, third]
        assert [each.number for each in writer.relations_after(0, 1)] == [first]
        assert [each.number for each in writer.relations_after(second, 9)] == [third]


@pytest.mark.parametrize("missing", [Ref("entity", "無"), Ref("memory", "無"), Ref("memory", "e")])
def test_a_relation_needs_both_its_ends(store: Store, missing: Ref) -> None:
    with store.write() as writer:
        entity(writer, "e", "京都")
        for ends in ((Ref("entity", "e"), missing), (missing, Ref("entity", "e"))):
            with pytest.raises(NotFound, match=f"There is no {missing.kind} '{missing.id}'"):
                relate(writer, "r", *ends)


# --- threads and reminders --------------------------------------------------------------------------------------------


def test_threads_are_listed_newest_first_with_their_entries(store: Store) -> None:
    with store.write() as writer:
        writer.put_thread(id="a", name="雑談", type="normal", now=NOW)
        writer.put_thread(id="b", name="计划", type="plan", now=NOW)
        put(writer, "1", thread="a")
        put(writer, "2", thread="a", status=Status.ARCHIVED)
        assert [(thread.id, thread.entry_count) for thread in writer.threads()] == [("b", 0), ("a", 2)]
        renamed = writer.put_thread(id="a", name="世間話", type="normal", now=NOW + DAY)
        assert writer.thread("a") == renamed
        assert (renamed.created_at, renamed.updated_at, renamed.entry_count) == (NOW, NOW + DAY, 2)
        assert [thread.id for thread in writer.threads()] == ["a", "b"]
        assert [thread.id for thread in writer.threads(type="plan")] == ["b"]
        assert writer.thread("無") is None


def test_a_thread_by_another_name_is_a_change_of_the_memories_in_it(store: Store) -> None:
    with store.write() as writer:
        writer.put_thread(id="a", name="雑談", type="normal", now=NOW)
        numbers = [put(writer, id, thread=thread).number for id, thread in [("1", "a"), ("2", "b"), ("3", "a")]]
        assert writer.thread_names(["a", "b"]) == {"a": "雑談"}
        for name, changed in [("雑談", []), ("世間話", [numbers[0], numbers[2]])]:
            before = writer.last_seq()
            writer.put_thread(id="a", name=name, type="normal", now=NOW)
            assert [change.number for change in writer.changes_since(before, 9)] == changed, name


def test_an_entity_of_another_type_is_a_change_of_its_observations(store: Store) -> None:
    def stated(writer: Writer, name: str, type: str) -> list[tuple[str, int]]:
        before = writer.last_seq()
        writer.put_entity(EntityDraft(id="e", entity_class="entity", name=name, type=type), now=NOW)
        return sorted((change.kind, change.number) for change in writer.changes_since(before, 9))

    with store.write() as writer:
        entity = ("entity", 1)
        assert stated(writer, "京都", "person") == [entity]
        put(writer, "1", entities=("e",))
        put(writer, "2")
        assert stated(writer, "北京", "person") == [entity]
        assert stated(writer, "北京", "place") == [entity, ("memory", 1)]


REMINDED = [
    ("cc", ["cc", "cc:1", "cc:1:二"]),
    ("cc:1", ["cc:1", "cc:1:二"]),
    ("ｃｃ：1", ["cc:1", "cc:1:二"]),
    ("c", []),
    ("%", []),
    (None, ["cc", "ccx", "cc:1", "cc:1:二"]),
]


@pytest.mark.parametrize(("scope", "expected"), REMINDED)
def test_pending_reminders_of_a_scope_and_what_is_under_it_come_oldest_first(
    store: Store, scope: str | None, expected: list[str]
) -> None:
    with store.write() as writer:
        for age, name in enumerate(["cc:1:二", "cc:1", "ccx", "cc"]):
            writer.put_reminder(
                Reminder(
                    id=name, trigger="会議", action="資料を持つ", scope=name, created_at=NOW - age * DAY, expires_at=NOW
                )
            )
        fired = Reminder(id="fired", trigger="会议", action="带资料", scope="cc", created_at=NOW)
        assert writer.put_reminder(fired) == fired
        writer.put_reminder(replace(fired, status="fired", fired_at=NOW.astimezone(TOKYO)))
        found = writer.pending_reminders(scope)
        assert writer.pending_reminders(scope, at=NOW - DAY, limit=2) == found[:2]
        counted = [writer.count_pending_reminders(scope, at=at) for at in (NOW - DAY, NOW)]
        assert (counted, writer.pending_reminders(scope, at=NOW)) == ([len(found), 0], [])
    assert [reminder.id for reminder in found] == expected
    assert all(reminder.expires_at == NOW and reminder.fired_at is None for reminder in found)


def test_reminders_are_told_by_what_they_wait_for(store: Store) -> None:
    with store.write() as writer:
        for age, name in enumerate(["new", "old", "said", "elsewhere"]):
            writer.put_reminder(
                Reminder(
                    id=name,
                    trigger="会議",
                    action="資料を持つ",
                    scope="d" if name == "elsewhere" else "cc",
                    status="fired" if name == "said" else "pending",
                    created_at=NOW - age * DAY,
                )
            )
    with store.read() as reader:
        assert reader.pending_triggers() == [("elsewhere", "d", "会議"), ("old", "cc", "会議"), ("new", "cc", "会議")]
        assert [each.id for each in reader.reminders_by_id(["new", "nobody", "said"])] == ["new", "said"]
        same = reader.pending_reminder_of("cc", "会議", "資料を持つ")
        assert same is not None
        assert same.id == "old"
        assert reader.pending_reminder_of("cc", "会議", "資料") is None
        assert reader.pending_reminder_of("c", "会議", "資料を持つ") is None
        assert reader.pending_reminder_of("cc:d", "会議", "資料を持つ") is None


def test_the_mark_of_reminders_is_another_after_each_that_is_put_and_after_nothing_else(store: Store) -> None:
    awaits = Reminder(id="r", trigger="会議", action="带资料", scope="cc", created_at=NOW)
    marks: list[str | None] = []
    writes: tuple[Callable[[Writer], object], ...] = (
        lambda writer: put(writer, "茶"),
        lambda writer: writer.put_reminder(awaits),
        lambda writer: put(writer, "a memory"),
        lambda writer: writer.put_reminder(replace(awaits, status="fired", fired_at=NOW)),
        lambda writer: writer.put_reminder(awaits),
    )
    for write in writes:
        with store.write() as writer:
            write(writer)
        with store.read() as reader:
            marks.append(reader.mark_of_reminders())
    nothing, first, same, fired, again = marks
    assert (nothing, same) == (None, first)
    assert len({nothing, first, fired, again}) == 4, "never one that there was before"


# --- threads of execution ---------------------------------------------------------------------------------------------


def test_threads_write_and_read_at_once_without_losing_or_tearing_anything(store: Store) -> None:
    failures: list[OmoideError | AssertionError] = []

    def write(name: int) -> None:
        for count in range(20):
            with store.write() as writer:
                put(writer, f"{name}-{count}-甲")
                put(writer, f"{name}-{count}-乙")

    def read() -> None:
        for _ in range(20):
            with store.read() as reader:
                seq = reader.last_seq()
                if reader.counts().memories != seq or seq % 2:
                    failures.append(AssertionError(f"{reader.counts().memories} memories at {seq}"))

    workers = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    workers += [threading.Thread(target=read) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []
    with store.read() as reader:
        assert reader.counts().memories == reader.last_seq() == 160


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"), store.read():
        pass


# --- what is kept -----------------------------------------------------------------------------------------------------

COMMITS: dict[str, Callable[[Writer], object]] = {
    "a memory": lambda writer: put(writer, "m9", "记忆"),
    "a memory changes": lambda writer: put(writer, "m1", "changed"),
    "a memory goes": lambda writer: writer.remove_memory("m1"),
    "an access": lambda writer: writer.mark_accessed([1], now=NOW),
    "restored counters": lambda writer: writer.set_access(1, count=7, last=NOW),
    "an entity": lambda writer: entity(writer, "e9", "京都"),
    "the entity of a memory goes": lambda writer: writer.remove_entity("e1", with_observations=False),
    "the entity of a memory goes with what was observed": lambda writer: writer.remove_entity(
        "e1", with_observations=True
    ),
    "a reminder": lambda writer: writer.put_reminder(
        Reminder(id="r", trigger="会議", action="a", scope="global", created_at=NOW)
    ),
}


def texts_of(store: Store, numbers: list[int]) -> list[str | None]:
    return [memory and memory.text for memory in store.memories(numbers)]


def test_memories_are_told_in_the_order_asked_and_what_is_gone_as_none(store: Store) -> None:
    with store.write() as writer:
        one, other = put(writer, "m1", "抹茶").number, put(writer, "m2", "煎茶").number
    for _ in range(2):  # read, and kept
        assert texts_of(store, [other, 77, one]) == ["煎茶", None, "抹茶"]
        assert texts_of(store, []) == []
    with store.write() as writer:
        writer.remove_memory("m2")
    assert texts_of(store, [other, one, other]) == [None, "抹茶", None]


@pytest.mark.parametrize("commit", COMMITS.values(), ids=COMMITS)
def test_every_commit_gives_another_state_and_what_was_kept_is_read_anew(
    store: Store, commit: Callable[[Writer], object]
) -> None:
    with store.write() as writer:
        entity(writer, "e1", "八坂")
        first = put(writer, "m1", entities=("e1",)).number
        numbers = [first, put(writer, "m2", "We parked on level two").number, 77]
    before = store.state()
    assert store.memories(numbers) == store.memories(numbers)
    assert store.state() == before, "reading changes nothing"
    with store.write() as writer:
        commit(writer)
    assert store.state() != before
    with store.read() as reader:
        newest, expected = reader.last_seq(), reader.memories_by_number(numbers)
        at = reader.standing()
        others = at._replace(seq=newest + 1), at._replace(history="奈良"), Standing(0, "")
        assert [reader.goes_on_from(each) for each in (at, *others)] == [True, False, False, True]
    assert store.standing() == at
    assert at.seq == newest
    assert store.memories(numbers) == list(map(expected.get, numbers))


def test_a_commit_leaves_what_it_did_not_change_in_the_cache(store: Store) -> None:
    with store.write() as writer:
        numbers = [put(writer, "m1").number, put(writer, "m2", "We parked on level two").number]
    first, second = store.memories(numbers)
    with store.write() as writer:
        put(writer, "m2", "停车在二层")
        put(writer, "m3", "雨")
    again, changed = store.memories(numbers)
    assert again is first, "not read again"
    assert (second and second.text, changed and changed.text) == ("We parked on level two", "停车在二层")


def test_after_many_changes_all_is_read_anew(store: Store) -> None:
    with store.write() as writer:
        numbers = [put(writer, "m1").number, put(writer, "m2", "We parked on level two").number]
    assert texts_of(store, numbers) == ["京都で抹茶を飲んだ", "We parked on level two"]
    with store.write() as writer:
        for number in range(MOST_CHANGES):
            put(writer, f"n{number}", "雨")
        put(writer, "m2", "停车在二层")
    assert texts_of(store, numbers) == ["京都で抹茶を飲んだ", "停车在二层"]


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_written_in_whatever_order_memories_are_those_of_the_store(store: Store, seed: int) -> None:
    random = Random(seed)
    ids, names = [f"m{number}" for number in range(12)], [f"e{number}" for number in range(4)]
    texts = ["京都で抹茶を飲んだ", "停车在二层", "We parked on level two"]

    def put_any(writer: Writer, id: str) -> None:
        known = [name for name in names if writer.entity(name) is not None]
        put(writer, id, random.choice(texts), entities=tuple(random.sample(known, min(2, len(known)))))

    def access(writer: Writer, id: str) -> None:
        found = writer.memory(id)
        writer.mark_accessed([found.number if found else 77], now=NOW)

    writes: list[Callable[[Writer, str], object]] = [
        put_any,
        access,
        lambda writer, id: writer.remove_memory(id),
        lambda writer, id: entity(writer, name := random.choice(names), random.choice(texts) + name),
        lambda writer, id: writer.remove_entity(random.choice(names), with_observations=random.random() < 0.5),
        lambda writer, id: writer.put_reminder(
            Reminder(id=id, trigger="会議", action="a", scope="global", created_at=NOW)
        ),
    ]
    for _ in range(150):
        with store.write() as writer:
            for _ in range(random.randrange(4)):
                random.choice(writes)(writer, random.choice(ids))
        asked = random.sample(range(1, 40), random.randrange(40))
        with store.read() as reader:
            expected = reader.memories_by_number(asked)
        assert store.memories(asked) == list(map(expected.get, asked))


def put_both(writer: Writer, id: str, other: str) -> None:
    put(writer, id, "记忆")
    put(writer, other)


def test_what_is_rolled_back_is_not_kept(store: Store) -> None:
    with store.write() as writer:
        number = put(writer, "m1").number
    with pytest.raises(InvalidArgument), store.write() as writer:
        put_both(writer, "m1", "")
    assert texts_of(store, [number]) == ["京都で抹茶を飲んだ"]


def test_what_another_store_on_the_same_file_commits_is_met(tmp_path: Path) -> None:
    path = tmp_path / "omoide.db"
    with SqliteStore(path) as one, SqliteStore(path) as other:
        with one.write() as writer:
            number = put(writer, "m1").number
        assert texts_of(other, [number]) == ["京都で抹茶を飲んだ"]
        with one.write() as writer:
            put(writer, "m1", "记忆")
        assert texts_of(other, [number]) == ["记忆"]
        assert other.standing() == one.standing()


def test_in_a_glance_others_are_met_when_it_is_over(tmp_path: Path) -> None:
    path = tmp_path / "omoide.db"
    with SqliteStore(path) as one, SqliteStore(path) as other:
        with one.write() as writer:
            numbers = [put(writer, "m1").number, put(writer, "m2").number]
        with other.glance():
            before, known = other.standing(), other.memories(numbers[:1])
            with one.write() as writer:
                put(writer, "m1", "记忆")
                put(writer, "m2", "memory")
            assert other.standing() == before
            assert other.memories(numbers[:1]) == known
            assert texts_of(other, numbers) == ["记忆", "memory"], "what is read is of one state"
            with other.glance():
                assert other.standing() == before, "a glance inside another is part of it"
        assert other.standing() == one.standing() != before
        assert texts_of(other, numbers) == ["记忆", "memory"]


def test_what_was_committed_before_a_call_came_is_seen_by_it(tmp_path: Path) -> None:
    path = tmp_path / "omoide.db"
    with SqliteStore(path) as one, SqliteStore(path) as other:
        early = perf_counter()
        with arrived_at(early), other.glance():
            before = other.standing()
        with one.write() as writer:
            number = put(writer, "m1", "京都").number
        with arrived_at(early), other.glance():
            assert other.standing() == before, "it came with another, which has looked"
        with arrived_at(perf_counter()), other.glance():
            assert other.standing() == one.standing() != before
            assert texts_of(other, [number]) == ["京都"]


def test_a_call_that_has_written_sees_it_in_whatever_glance_comes_after(store: Store) -> None:
    """Also where somebody else has looked since the call came, and before it wrote."""
    with arrived_at(perf_counter()):
        with store.glance():
            before = store.standing()
        with store.write() as writer:
            number = put(writer, "m1", "京都").number
        with store.glance():
            assert store.standing() != before
            assert texts_of(store, [number]) == ["京都"]


@pytest.mark.parametrize("came", [None, 0.0], ids=["alone", "with others"])
def test_in_a_glance_a_thread_sees_its_own_writes(store: Store, came: float | None) -> None:
    with nullcontext() if came is None else arrived_at(came), store.glance():
        before = store.state()
        with store.write() as writer:
            number = put(writer, "m1", "京都").number
        assert store.state() != before
        assert texts_of(store, [number]) == ["京都"]
        assert store.standing().seq == 1
