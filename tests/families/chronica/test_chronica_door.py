"""The chronica door from end to end: real memories on a folder of their own, whole answers compared."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from omoide.app import open_memories
from omoide.families.chronica import Options, tools
from omoide.families.tool import Caller, Result
from omoide.memory import Memories
from omoide.model.memory import Draft, Status
from tests.families.calling import as_served, meanwhile

Call = Callable[..., Result]


def save(call: Call, text: str, **fields: Any) -> str:
    result = call("chronica_save_entry", entry={"kind": "note", "text": text, **fields})
    assert not result.is_error, result.text
    return str(json.loads(result.text)["entry_id"])


def search(call: Call, **arguments: Any) -> dict[str, Any]:
    result = call("chronica_search", **arguments)
    assert not result.is_error, result.text
    return dict(result.structured or {})


def found(call: Call, **arguments: Any) -> list[str]:
    return [each["entry_id"] for each in search(call, **arguments)["entries"]]


@pytest.mark.requirement("chronica.surface")
def test_the_tools_are_offered_with_valid_schemas(memories: Memories) -> None:
    offered = tools(memories, Options())
    assert [tool.name for tool in offered] == [
        "chronica_save_entry",
        "chronica_search",
        "chronica_timeline",
        "chronica_get_last_seen",
        "chronica_compose_opening",
        "chronica_session_tick",
        "chronica_summarize",
        "chronica_create_thread",
        "chronica_list_threads",
        "chronica_get_thread_info",
    ]
    assert [tool.name for tool in offered if not tool.on_request] == [
        "chronica_save_entry",
        "chronica_search",
        "chronica_create_thread",
    ]
    assert [tool.name for tool in offered if not tool.read_only] == ["chronica_save_entry", "chronica_create_thread"]
    assert [tool.name for tool in offered if tool.destructive] == ["chronica_save_entry"]
    assert all(tool.idempotent is tool.read_only for tool in offered)
    for tool in offered:
        assert tool.title
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema or {})


@pytest.mark.requirement("chronica.search.shape", "chronica.shown.entry", "chronica.save.fields")
def test_a_saved_entry_is_found_whole(call: Call) -> None:
    saved = call(
        "chronica_save_entry",
        entry={
            "entry_id": "0b5e6c1a",
            "saved_time": "2026-03-18T21:00:00.123456+09:00",
            "kind": "decision",
            "text": "保存先はSQLiteに決めた",
            "tags": ["設計", "DB"],
            "title": "保存先の決定",
            "project": "Lumina",
            "thread": {"type": "project"},
            "event_time": {"raw": "25日"},
        },
    )
    assert saved.text == '{"entry_id": "0b5e6c1a"}'
    answer = call("chronica_search", project="Lumina", tags=["設計"], limit=1)
    assert answer.structured == {
        "entries": [
            {
                "version": "0.1",
                "entry_id": "0b5e6c1a",
                "saved_time": "2026-03-18T21:00:00.123456+09:00",
                "thread": {"type": "project"},
                "kind": "decision",
                "text": "保存先はSQLiteに決めた",
                "tags": ["設計", "DB"],
                "title": "保存先の決定",
                "project": "Lumina",
                "event_time": {"raw": "25日", "resolved": "2026-03-25T00:00:00+09:00", "confidence": 0.6},
                "links": {"refs": []},
            }
        ]
    }
    assert answer.text.startswith('{\n  "entries": [\n    {\n      "version": "0.1",\n      "entry_id": "0b5e6c1a"')


@pytest.mark.requirement("chronica.search.everything", "chronica.search.order")
def test_no_arguments_list_every_thread_newest_first(memories: Memories, call: Call, clock: Any) -> None:
    assert search(call) == {"entries": []}
    save(call, "一つ目", entry_id="a", thread={"type": "project", "id": "t1"})
    clock.advance(minutes=1)
    save(call, "第二条", entry_id="b", thread={"type": "normal", "id": "t2"})
    memories.remember("from another door", id="c")
    save(call, "older, other offset", entry_id="d", saved_time="2025-11-21T02:30:00Z")
    assert found(call) == ["c", "b", "a", "d"]


@pytest.fixture
def shelf(memories: Memories) -> None:
    """Five memories in two threads, two of them of other doors."""
    rows: list[dict[str, Any]] = [
        {"id": "a", "kind": "decision", "thread": "t1", "thread_type": "project", "tags": ("仕事", "Work")},
        {"id": "b", "kind": "note", "thread": "t1", "thread_type": "normal", "tags": ("work_log", "ｶﾞｲﾄﾞ", "會議")},
        {"id": "c", "kind": "question", "thread": "t2", "thread_type": "project", "project": "Lumina"},
        {"id": "d", "tags": ('say "hi"', "ÄRGER")},
        {"id": "e", "project": "Lumina", "tags": ("ｶﾞｲﾄﾞ",), "status": Status.SUPERSEDED},
    ]
    memories.remember_many(Draft(text=f"entry {row['id']}", **row) for row in rows)


@pytest.mark.usefixtures("shelf")
@pytest.mark.requirement(
    "chronica.search.tags", "chronica.search.thread", "chronica.search.exact", "chronica.shown.foreign"
)
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"thread_id": "t1"}, "ab"),
        ({"thread_id": "t1", "thread_type": "project"}, "ab"),
        ({"thread_id": "t9"}, ""),
        ({"thread_type": "project"}, "ac"),
        ({"thread_type": "normal"}, "bd"),
        ({"kind": "decision"}, "a"),
        ({"kind": "Decision"}, ""),
        ({"kind": "note"}, "bd"),
        ({"project": "Lumina"}, "c"),
        ({"project": "lumina"}, ""),
        ({"tags": ["仕事"]}, "a"),
        ({"tags": ["仕事", "work_log"]}, "ab"),
        ({"tags": ["work"]}, "a"),
        ({"tags": ["ＷＯＲＫ"]}, "a"),
        ({"tags": ["がいど"]}, "b"),
        ({"tags": [" 会议　"]}, "b"),
        ({"project": " ", "kind": "　", "thread_id": " "}, "abcd"),
        ({"project": " Lumina ", "kind": "question"}, "c"),
        ({"tags": ["　", "仕事"]}, "a"),
        ({"tags": ["", " "]}, "abcd"),
        ({"tags": ["仕"]}, ""),
        ({"tags": ["wor%"]}, ""),
        ({"tags": ["w_rk"]}, ""),
        ({"tags": ['say "hi"']}, "d"),
        ({"tags": ["ärger"]}, "d"),
        ({"tags": ["work"], "kind": "note"}, ""),
        ({"tags": [], "kind": "", "project": "", "thread_id": "", "query": " "}, "abcd"),
    ],
)
def test_each_argument_narrows_as_documented(call: Call, arguments: dict[str, Any], expected: str) -> None:
    assert sorted(found(call, **arguments)) == list(expected)


@pytest.mark.requirement("chronica.search.limit")
def test_a_limit_is_kept_and_a_hundred_is_the_default(memories: Memories, call: Call) -> None:
    memories.remember_many(Draft(text=f"記録 {number}", id=f"m{number}") for number in range(105))
    assert len(found(call)) == 100
    assert len(found(call, limit=2)) == 2
    assert search(call, limit=0) == {"entries": []}
    everything = search(call, limit=10**30)
    assert len(everything["entries"]) == 105
    assert everything["warnings"] == [f"limit {10**30} is more than 1000; 1000 was used."]


@pytest.mark.requirement("chronica.search.limit")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"project": "旅のメモ"}, "limit は 1000 までです（1001 でした）。1000 として探しました。"),
        ({"tags": ["去北京"]}, "limit 最多为 1000（现为 1001），已按 1000 查找。"),
    ],
)
def test_a_limit_that_is_too_high_is_told_in_the_language_of_the_arguments(
    call: Call, arguments: dict[str, Any], told: str
) -> None:
    english = "limit 1001 is more than 1000; 1000 was used."
    assert search(call, limit=1001, **arguments)["warnings"] == [f"{english} {told}"]


@pytest.mark.requirement("chronica.search.limit", "chronica.save.lenient")
@pytest.mark.parametrize(
    ("language", "limit", "field", "day"),
    [
        ("ja", "limit は 1000 までです（", "保存はしますが、表示も検索もされません。", "言葉だけを残し、"),
        ("zh", "limit 最多为 1000（", "会保存，但不会显示，", "只保留了原文，"),
    ],
)
def test_of_han_characters_alone_whoever_runs_the_server_has_said_what_warnings_are_told_in(
    tmp_path: Path, language: str, limit: str, field: str, day: str
) -> None:
    with open_memories(tmp_path, language=language) as memories:
        call = as_served(tools(memories, Options()))
        (high,) = search(call, query="東京都庁", limit=1001)["warnings"]
        entry = {"kind": "note", "text": "東京都庁会議", "備考": "無", "event_time": {"raw": "某日"}}
        unshown, dayless = json.loads(call("chronica_save_entry", entry=entry).text)["warnings"]
    assert [limit in high, field in unshown, day in dayless] == [True] * 3


@pytest.mark.requirement("chronica.search.limit")
def test_a_negative_limit_is_refused(call: Call) -> None:
    result = call("chronica_search", limit=-1)
    assert result.is_error
    assert json.loads(result.text) == {
        "error": "validation_error",
        "message": "limit must be 0 or more, got: -1. Leave it out for 100.",
    }


@pytest.mark.requirement("chronica.search.query")
@pytest.mark.parametrize(
    ("query", "expected"), [("抹茶", ["ja"]), ("火锅", ["zh"]), ("budget review", ["en"]), ("潜水艦", [])]
)
def test_a_query_finds_entries_by_what_they_say(call: Call, query: str, expected: list[str]) -> None:
    save(call, "昨日、京都で抹茶を飲んだ。", entry_id="ja")
    save(call, "今天和朋友去吃火锅。", entry_id="zh")
    save(call, "The quarterly budget review moved to Friday.", entry_id="en", kind="event")
    assert found(call, query=query) == expected
    assert found(call, query=query, kind="memory") == []


@pytest.mark.requirement("chronica.search.unknown")
@pytest.mark.parametrize("name", ["keyword", "キーワード", "关键词"])
@pytest.mark.parametrize("value", [[1, None], [["茶"]], {"a": [{}]}, 3, True, " "])
def test_an_unknown_argument_may_be_anything(call: Call, name: str, value: Any) -> None:
    save(call, "抹茶を買った")
    answer = search(call, **{name: value})
    assert (len(answer["entries"]), answer["warnings"][0][:18]) == (1, "unknown argument '")


@pytest.mark.requirement("chronica.search.unknown")
def test_an_unknown_argument_is_named(call: Call) -> None:
    save(call, "一つ目", entry_id="a")
    assert search(call, keyword="東京")["warnings"] == [
        "unknown argument 'keyword' was not used; known: thread_id, thread_type, kind, tags, project, limit, query"
    ]


@pytest.mark.requirement("chronica.search.unknown")
def test_an_entry_is_saved_beside_an_argument_that_is_not_known(call: Call) -> None:
    entry = {"kind": "note", "text": "龙井茶在左边的柜子里"}
    saved = call("chronica_save_entry", entry=entry, title="茶")
    assert not saved.is_error
    assert (saved.structured or {})["warnings"] == ["unknown argument 'title' was not used; known: entry"]
    assert len(search(call)["entries"]) == 1


@pytest.mark.requirement("chronica.save.replace")
def test_the_same_entry_id_replaces_the_whole_entry(call: Call, clock: Any) -> None:
    save(call, "古い本文", entry_id="a", title="題", tags=["x"])
    clock.advance(hours=1)
    save(call, "新しい本文", entry_id="a")
    [entry] = search(call)["entries"]
    assert (entry["text"], entry["tags"], "title" in entry) == ("新しい本文", [], False)
    assert entry["saved_time"] == "2025-11-21T13:00:00+09:00"


@pytest.mark.requirement("chronica.save.replace")
@pytest.mark.parametrize("id", ["会議-1", "会议 1", "meeting-1"])
@pytest.mark.parametrize("sent", ["{}\n", " {}", "\u3000{}\u3000"])
def test_blanks_around_the_id_of_an_entry_are_no_part_of_it(call: Call, id: str, sent: str) -> None:
    assert save(call, "古い本文", entry_id=sent.format(id)) == id
    assert save(call, "新しい本文", entry_id=id) == id
    assert save(call, "最新の本文", entry_id=sent.format(id)) == id
    [entry] = search(call)["entries"]
    assert (entry["entry_id"], entry["text"]) == (id, "最新の本文")


@pytest.mark.requirement("chronica.save.kept")
def test_what_no_entry_can_say_stays_when_another_doors_memory_is_replaced(
    memories: Memories, call: Call, clock: Any
) -> None:
    told = Draft(
        text="健太はコーヒーが好き",
        title="好み",
        scope="project:tea",
        category="preferences",
        topic="drinks",
        canonical_key="drink",
        importance=0.9,
        session_id="s",
        sequence_order=2,
        preceding_id="before",
        valid_until=clock() + timedelta(days=30),
        parameters={"Priority": "low"},
        extra={"privacyTier": "private", "saved_time": "2025-01-01T00:00:00+09:00"},
    )
    fact = memories.observe("健太", "person", told)[1].memory
    clock.advance(hours=1)
    assert save(call, "健太は抹茶が好き", entry_id=fact.id, tags=["お茶"]) == fact.id
    [now] = memories.get([fact.id])
    assert (now.text, now.title, now.kind, now.tags, now.tool, now.stored_at) == (
        "健太は抹茶が好き",
        None,
        "note",
        ("お茶",),
        "chronica_save_entry",
        clock(),
    )
    for name in (
        "scope category topic canonical_key importance entities session_id sequence_order preceding_id valid_until parameters"
    ).split():
        assert getattr(now, name) == getattr(fact, name), name
    assert now.extra == {"privacyTier": "private"}


@pytest.mark.requirement("chronica.save.kept")
@pytest.mark.parametrize("text", ["会議は火曜", "会议在周二", "The meeting is on Tuesday"])
def test_what_another_door_changes_just_before_an_entry_is_stored_stays(
    memories: Memories, call: Call, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    known = memories.remember("会議は月曜", importance=0.2).memory
    changed: dict[str, Any] = {"importance": 0.9, "topic": "会議", "scope": "project:tea"}
    meanwhile(monkeypatch, "write", lambda: memories.revise(known.id, **changed))
    save(call, text, entry_id=known.id)
    [now] = memories.get([known.id])
    assert now.text == text
    assert {name: getattr(now, name) for name in changed} == changed


@pytest.mark.requirement("chronica.save.kept")
@pytest.mark.parametrize("ago", [timedelta(0), timedelta(days=1)])
def test_what_is_saved_over_a_memory_that_has_ended_holds_now(
    memories: Memories, call: Call, clock: Any, ago: timedelta
) -> None:
    ended = memories.remember("会議は月曜", valid_until=clock() - ago).memory
    save(call, "会議は火曜", entry_id=ended.id)
    assert memories.get([ended.id])[0].valid_until is None


@pytest.mark.requirement("chronica.save.lenient")
def test_what_was_not_used_as_sent_is_named_beside_the_id(call: Call) -> None:
    result = call("chronica_save_entry", entry={"kind": "note", "text": "a", "entry_id": "x", "thread": {"type": "p"}})
    assert json.loads(result.text) == {
        "entry_id": "x",
        "warnings": ["entry.thread.type 'p' is neither 'normal' nor 'project': 'normal' was used."],
    }


@pytest.mark.requirement("chronica.save.lenient")
@pytest.mark.parametrize(
    ("field", "sent", "filter"),
    [
        ("project", "　灯台 ", {"project": "灯台"}),
        ("kind", " 决定\n", {"kind": "决定"}),
        ("thread", {"type": "project", "id": " lighthouse "}, {"thread_id": "lighthouse"}),
    ],
)
def test_blanks_around_what_a_search_filters_by_are_no_part_of_it(
    call: Call, field: str, sent: Any, filter: dict[str, Any]
) -> None:
    call("chronica_save_entry", entry={"entry_id": "e-1", "kind": "note", "text": "本文", field: sent})
    assert found(call, **filter) == ["e-1"]


@pytest.mark.requirement("chronica.thread.create")
def test_blanks_around_the_id_of_a_thread_are_no_part_of_it(call: Call) -> None:
    thread = call("chronica_create_thread", thread_name="灯台").structured or {}
    shown = call("chronica_get_thread_info", thread_id=f" {thread['thread_id']}\n").structured or {}
    assert shown["thread_name"] == "灯台"


@pytest.mark.requirement("chronica.save.errors")
def test_an_entry_without_text_stores_nothing(call: Call) -> None:
    for entry in ({"kind": "note"}, {"kind": "note", "text": "\u200b"}, {"kind": "note", "text": "\x00"}):
        result = call("chronica_save_entry", entry=entry)
        assert result.is_error
        assert result.text == '{"error": "validation_error", "message": "entry.text is required"}'
    assert found(call) == []


@pytest.mark.requirement("chronica.thread.create")
def test_a_thread_is_made_and_entries_belong_to_it(memories: Memories, call: Call) -> None:
    made = call("chronica_create_thread", thread_name="設計", thread_type="project")
    assert made.structured is not None
    thread_id = made.structured["thread_id"]
    assert made.text == f'{{"thread_id": "{thread_id}", "thread_name": "設計", "thread_type": "project"}}'
    save(call, "保存先を決める", entry_id="a", thread={"type": "project", "id": thread_id, "name": "設計"})
    assert found(call, thread_id=thread_id) == ["a"]
    thread = memories.thread(thread_id)
    assert thread is not None
    assert thread.entry_count == 1
    default = call("chronica_create_thread", thread_name="設計").structured
    assert default is not None
    assert (default["thread_type"], default["thread_id"] == thread_id) == ("normal", False)


@pytest.mark.requirement("chronica.save.thread-type", "chronica.threads")
@pytest.mark.parametrize(
    ("name", "text"), [("引っ越し", "新居は中野にする"), ("搬家", "新家定在中野"), ("Moving", "We take it")]
)
def test_an_entry_that_names_a_thread_alone_is_of_its_type(call: Call, name: str, text: str) -> None:
    made = call("chronica_create_thread", thread_name=name, thread_type="project").structured or {}
    save(call, text, kind="question", thread={"id": made["thread_id"]}, entry_id="a")
    assert found(call, thread_type="project") == ["a"]
    assert found(call, thread_type="normal") == []
    opening = call("chronica_compose_opening").structured or {}
    assert [each["label"] for each in opening["open"]] == [text]


@pytest.mark.requirement("chronica.thread.create")
def test_a_thread_needs_a_name(call: Call) -> None:
    for blank in (" 　", "\u200b", "\x00"):
        result = call("chronica_create_thread", thread_name=blank)
        assert result.text == '{"error": "validation_error", "message": "thread_name is required"}'


@pytest.mark.requirement("chronica.unfit")
@pytest.mark.parametrize(
    ("name", "arguments", "code", "said"),
    [
        ("search", {"thread_type": "作業"}, "invalid_thread", "thread_type must be 'normal' or 'project', got: 作業"),
        ("search", {"thread_type": "x'y"}, "invalid_thread", "thread_type must be 'normal' or 'project', got: x'y"),
        ("search", {"limit": "十"}, "validation_error", "limit: '十' is not of type 'integer'"),
        ("save_entry", {}, "validation_error", "entry is required"),
        ("save_entry", {"entry": "记住"}, "validation_error", "entry: '记住' is not of type 'object'"),
        ("get_last_seen", {}, "invalid_thread", "thread_type is required"),
        ("get_thread_info", {}, "validation_error", "thread_id is required"),
        ("get_thread_info", {"thread_id": "　"}, "validation_error", "thread_id is required"),
    ],
)
def test_arguments_that_do_not_fit_the_schema_are_refused_in_the_doors_shape(
    memories: Memories, name: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    result = as_served(tools(memories, Options()))(f"chronica_{name}", **arguments)
    assert result.is_error
    assert json.loads(result.text) == {"error": code, "message": said}


@pytest.mark.requirement("chronica.scope")
def test_a_pinned_door_neither_sees_nor_writes_outside_its_scope(memories: Memories, door: Callable[..., Call]) -> None:
    memories.remember("隣の部屋の話", id="out", scope="ccx")
    memories.remember("この部屋の話", id="in", scope="cc:1")
    pinned = door(scope="cc")
    save(pinned, "部屋に書いた話", entry_id="mine")
    assert sorted(found(pinned)) == ["in", "mine"]
    assert sorted(found(pinned, query="部屋の話")) == ["in", "mine"]
    assert memories.counts().by_scope == {"ccx": 1, "cc:1": 1, "cc": 1}


@pytest.mark.requirement("chronica.search.missing")
def test_a_ranking_that_could_not_take_part_is_told_in_warnings(tmp_path: Path, clock: Any) -> None:
    with open_memories(tmp_path / "down", clock=clock, embedder="http://127.0.0.1:9/v1") as memories:
        memories.remember("昨日、京都で抹茶を飲んだ。")
        (search,) = (tool for tool in tools(memories, Options()) if tool.name == "chronica_search")
        answer = search.run(Caller(session_id="s-1"), {"query": "抹茶を"})
    assert answer.structured is not None
    assert [len(answer.structured[key]) for key in ("entries", "warnings")] == [1, 1]
    assert answer.structured["warnings"][0].startswith("vectors による順位づけなしの結果です。")


@pytest.mark.requirement("chronica.search.again")
def test_entries_of_a_day_that_say_the_same_take_one_place_and_are_named(call: Call) -> None:
    def save(id: str, **entry: Any) -> None:
        sent = {"entry_id": id, "kind": "note", "thread": {"type": "normal"}, "tags": [], **entry}
        call("chronica_save_entry", entry=sent)

    text = "朝、ジムに行った。"
    save("first", text=text, saved_time="2026-03-18T08:00:00+09:00")
    save("again", text="朝、ジムに行ったよ", saved_time="2026-03-18T08:01:00+09:00")
    save("another day", text=text, saved_time="2026-03-19T08:00:00+09:00")
    save("another kind", text=text, kind="decision", saved_time="2026-03-18T08:00:00+09:00")
    found = call("chronica_search", query="ジムに行った").structured
    assert found is not None
    shown = {entry["entry_id"] for entry in found["entries"]}
    one, other = ("first", "again") if "first" in shown else ("again", "first")
    assert shown == {one, "another day", "another kind"}
    assert found["warnings"] == [f"{one} と同じ内容の記憶がほかにもあります：{other}"]
    assert len(call("chronica_search").structured["entries"]) == 4
