"""The fegis door from end to end: real memories on a folder of their own, whole answers compared."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from omoide.families.fegis import Options, tools
from omoide.families.fegis.wire import SEARCH_OUTPUT_SCHEMA, SEARCH_SCHEMA
from omoide.families.tool import Caller, Result
from omoide.memory import Memories
from omoide.model.memory import Archetype, Draft, Status

CALLER = Caller(session_id="会話-1")
Call = Callable[..., Result]


@pytest.fixture
def call(memories: Memories) -> Call:
    """Call a tool by name; arguments are checked against its schema, as a server does."""
    return door(memories)


def door(memories: Memories, **options: Any) -> Call:
    offered = {tool.name: tool for tool in tools(memories, Options(**options))}

    def call(name: str, caller: Caller = CALLER, **arguments: Any) -> Result:
        Draft202012Validator(offered[name].input_schema).validate(arguments)
        result = offered[name].run(caller, arguments)
        if not result.is_error:
            Draft202012Validator(offered[name].output_schema or {}).validate(result.structured)
            assert json.loads(result.text) == result.structured
        return result

    return call


def search(call: Call, query: str = "", **arguments: Any) -> list[dict[str, Any]]:
    result = call("SearchMemory", query=query, **arguments)
    assert not result.is_error, result.text
    assert result.structured is not None
    found: list[dict[str, Any]] = result.structured["search_results"]
    return found


def ids(call: Call, *filters: tuple[str, str, Any], **arguments: Any) -> list[str]:
    """Ids found by filters alone, in the order of their ids."""
    asked = [{"field": field, "operator": operator, "value": value} for field, operator, value in filters]
    found = search(call, search_type="filtered", filters=asked, limit=100, **arguments)
    return sorted(each["memory_id"] for each in found)


@pytest.mark.requirement("fegis.search.surface")
def test_archetype_tools_come_first_and_searching_last(memories: Memories) -> None:
    offered = tools(memories, Options())
    assert [tool.name for tool in offered] == ["StoreMemory", "RecordDecision", "LearnLesson", "SearchMemory"]
    assert [tool.read_only for tool in offered] == [False, False, False, True]
    assert all(tool.title and tool.output_schema for tool in offered)
    Draft202012Validator.check_schema(SEARCH_SCHEMA)
    Draft202012Validator.check_schema(SEARCH_OUTPUT_SCHEMA)


@pytest.mark.requirement("fegis.search.surface")
@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        ({"query": "あ" * 1000}, True),
        ({"query": "あ" * 1001}, False),
        ({}, False),
        ({"query": "a", "limit": 100}, True),
        ({"query": "a", "limit": 101}, False),
        ({"query": "a", "limit": 0}, False),
        ({"query": "a", "score_threshold": 1.1}, False),
        ({"query": "a", "detail": "graph"}, True),
        ({"query": "a", "detail": "brief"}, False),
        ({"query": "a", "search_type": "semantic"}, False),
        ({"query": "a", "filters": [{"field": "tool", "operator": "is"}]}, False),
        ({"query": "a", "filters": [{"field": "tool", "operator": "is", "value": True}]}, False),
        ({"query": "a", "filters": [{"field": "tool", "operator": "is", "value": {"from": 1, "to": 2}}]}, True),
        ({"query": "a", "filters": [{"field": "tool", "operator": "is", "value": {"from": 1}}]}, False),
        ({"query": "a", "scope": "x"}, False),
    ],
)
def test_the_schema_holds_the_bounds_of_the_seed(arguments: dict[str, Any], fits: bool) -> None:
    assert Draft202012Validator(SEARCH_SCHEMA).is_valid(arguments) is fits


@pytest.mark.requirement("fegis.archetype.store", "fegis.shown.details", "fegis.search.by-id")
def test_what_an_archetype_tool_stores_is_shown_in_full(call: Call) -> None:
    first = call("StoreMemory", Title="朝食", Content="朝は味噌汁を飲む。", Context="習慣の話")
    said = call(
        "RecordDecision",
        Title="保存先",
        Content="保存先はSQLiteに決めた。",
        Context="設計会議",
        Status="decided",
        reasons=["簡単", "速い"],
    )
    assert said.structured is not None
    assert list(said.structured) == ["message"]
    first_id = first.text.split("memory_id: ")[1].strip('"\n}')
    second_id = said.text.split("memory_id: ")[1].strip('"\n}')
    assert said.structured["message"] == f"'RecordDecision' stored with memory_id: {second_id}"
    assert search(call, second_id, search_type="by_memory_id", detail="full") == [
        {
            "memory_id": second_id,
            "score": 1.0,
            "title": "保存先",
            "content": "保存先はSQLiteに決めた。",
            "context": "設計会議",
            "tool": "RecordDecision",
            "session_id": "会話-1",
            "sequence_order": 2,
            "timestamp": "2025-11-21T03:00:00+00:00",
            "preceding_memory_id": first_id,
            "parameters": {"Status": "decided"},
            "frames": {"reasons": ["簡単", "速い"]},
            "meta": {
                "agent_id": "default-agent",
                "schema_version": "1.0",
                "fegis_version": "2.0.0",
                "archetype_title": "omoide",
                "archetype_version": "1.0",
            },
        }
    ]


@pytest.mark.requirement("fegis.archetype.store")
def test_a_call_without_content_is_kept_by_its_frames(call: Call) -> None:
    call("LearnLesson", Title="教訓", Content=" ", Context="", next_time="先に試す")
    [found] = search(call, search_type="filtered", detail="full")
    assert found["content"] == 'Tool: LearnLesson\n{\n  "next_time": "先に試す"\n}'


@pytest.mark.requirement("fegis.archetype.chain")
def test_each_session_has_a_chain_of_its_own(call: Call) -> None:
    for session in ("甲", "乙", "甲"):
        call("StoreMemory", Caller(session_id=session), Title="t", Content=f"{session}の話", Context="c")
    chains = [
        (each["session_id"], each["sequence_order"], each["preceding_memory_id"] is None)
        for each in search(call, search_type="filtered", detail="graph", limit=10)
    ]
    assert sorted(chains) == [("乙", 1, True), ("甲", 1, True), ("甲", 2, False)]


@pytest.mark.requirement("fegis.archetype.chain")
def test_calls_at_the_same_time_make_one_chain(call: Call) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: call("StoreMemory", Title="t", Content=f"並行 {number}", Context="c"), range(8)))
    chain = search(call, search_type="filtered", detail="graph", limit=100)
    places = {each["sequence_order"]: each for each in chain}
    assert sorted(places) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all(places[at + 1]["preceding_memory_id"] == places[at]["memory_id"] for at in range(1, 8))


@pytest.mark.requirement("fegis.shown.encoding")
def test_an_answer_is_readable_text_not_escapes(call: Call) -> None:
    call("StoreMemory", Title="火鍋🍲", Content="今天和朋友去吃火锅。", Context="聊天")
    text = call("SearchMemory", query="火锅").text
    assert "火鍋🍲" in text
    assert text.startswith('{\n  "search_results": [\n    {\n      "memory_id": "')


@pytest.mark.requirement("fegis.search.basic")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("京都の抹茶", "ja"),
        ("上海的天气", "zh"),
        ("quarterly budget review", "en"),
    ],
)
def test_a_memory_is_found_in_its_language_above_the_default_threshold(
    memories: Memories, call: Call, query: str, found: str
) -> None:
    memories.remember("昨日、京都で抹茶を飲んだ。", id="ja")
    memories.remember("上海今天的天气很好。", id="zh")
    memories.remember("The quarterly budget review moved to Friday.", id="en")
    first = search(call, query)[0]
    assert first["memory_id"] == found
    assert 0.4 <= first["score"] <= 1.0


@pytest.mark.requirement("fegis.search.threshold")
def test_what_has_nothing_to_do_with_the_query_stays_below_the_threshold(memories: Memories, call: Call) -> None:
    memories.remember("The quarterly budget review moved to Friday.", id="en")
    assert search(call, "熱帯魚の水槽") == []
    assert search(call, "budget", score_threshold=1.0) == search(call, "budget review quarterly", score_threshold=1.0)


@pytest.mark.requirement("fegis.search.blank")
@pytest.mark.parametrize("search_type", ["basic", "by_memory_id"])
@pytest.mark.parametrize("query", ["", "  ", "　"])
def test_a_blank_query_is_refused_where_it_is_needed(call: Call, search_type: str, query: str) -> None:
    result = call("SearchMemory", query=query, search_type=search_type)
    assert result.is_error
    assert json.loads(result.text) == {
        "error": "Query cannot be empty for semantic and by_memory_id searches",
        "type": "ValueError",
        "hint": 'Say what to look for, or list by criteria with search_type "filtered".',
    }


@pytest.mark.requirement("fegis.search.by-id")
def test_an_id_finds_one_memory_whatever_else_is_asked(memories: Memories, call: Call) -> None:
    memories.remember("消えない記憶", id="m-1", status=Status.ARCHIVED)
    impossible = [{"field": "tool", "operator": "is", "value": "なし"}]
    found = search(call, " m-1 ", search_type="by_memory_id", filters=impossible, limit=1, score_threshold=1.0)
    assert [(each["memory_id"], each["score"]) for each in found] == [("m-1", 1.0)]
    assert search(call, "m-2", search_type="by_memory_id") == []


@pytest.mark.requirement("fegis.search.filtered")
def test_filters_alone_list_everything_that_matches_newest_first(memories: Memories, call: Call, clock: Any) -> None:
    for number in range(5):
        memories.remember(f"記録{number}", id=f"m{number}", agent_id="甲")
        clock.advance(minutes=1)
    memories.remember("別の記録", id="other", agent_id="乙")
    mine = [{"field": "agent_id", "operator": "is", "value": "甲"}]
    found = search(call, "", search_type="filtered", filters=mine, score_threshold=1.0, limit=4)
    assert [(each["memory_id"], each["score"]) for each in found] == [
        ("m4", 1.0),
        ("m3", 1.0),
        ("m2", 1.0),
        ("m1", 1.0),
    ]
    assert len(search(call, "", search_type="filtered")) == 3


@pytest.mark.requirement("fegis.search.basic", "fegis.search.filtered")
@pytest.mark.parametrize("search_type", ["basic", "filtered"])
def test_filters_hold_inside_a_search_by_words(memories: Memories, call: Call, search_type: str) -> None:
    for number in range(30):
        memories.remember(f"budget review number {number}", id=f"m{number}", agent_id="甲")
    memories.remember("a remark on some budget", id="wanted", agent_id="乙")
    theirs = [{"field": "agent_id", "operator": "is", "value": "乙"}]
    found = search(call, "budget review", search_type=search_type, filters=theirs, limit=1)
    assert [each["memory_id"] for each in found] == ["wanted"]


@pytest.mark.requirement("fegis.search.live")
def test_a_superseded_memory_is_not_found_by_words(memories: Memories, call: Call) -> None:
    memories.remember("好きな色は青", id="old", status=Status.SUPERSEDED)
    memories.remember("好きな色は緑", id="new")
    assert [each["memory_id"] for each in search(call, "好きな色")] == ["new"]


@pytest.fixture
def shelf(memories: Memories) -> None:
    """Four memories that differ in every field that can be filtered."""
    noon = datetime(2025, 11, 20, 3, 0, tzinfo=timezone.utc)
    memories.remember_many(
        [
            Draft(
                text="一つ目",
                id="a",
                title="東京の天気について",
                context="昨日の会議",
                tool="StoreMemory",
                session_id="s1",
                sequence_order=1,
                agent_id="甲",
                archetype=Archetype("omoide", "0.01"),
                stored_at=noon,
            ),
            Draft(
                text="二つ目",
                id="b",
                title="上海的天气",
                context="API discussion on naming",
                tool="StoreMemory",
                session_id="s1",
                sequence_order=2,
                preceding_id="a",
                agent_id="乙",
                archetype=Archetype("omoide", "1.0"),
                stored_at=noon + timedelta(days=1),
            ),
            Draft(
                text="three",
                id="c",
                title="Weather in Tokyo",
                context="昨天的会议",
                tool="chronica_save_entry",
                session_id="s2",
                stored_at=noon + timedelta(days=1, microseconds=1),
            ),
            Draft(text="nothing but text", id="d", stored_at=noon - timedelta(days=140)),
        ]
    )


@pytest.mark.usefixtures("shelf")
@pytest.mark.requirement(
    "fegis.filter.keyword",
    "fegis.filter.text",
    "fegis.filter.number",
    "fegis.filter.time",
    "fegis.filter.version",
    "fegis.filter.is-not",
    "fegis.filter.contains",
)
@pytest.mark.parametrize(
    ("field", "operator", "value", "found"),
    [
        ("tool", "is", "StoreMemory", "ab"),
        ("tool", "is", "storememory", ""),
        ("tool", "is_not", "StoreMemory", "cd"),
        ("tool", "contains", "chronica", "c"),
        ("tool", "any_of", ["StoreMemory", "chronica_save_entry"], "abc"),
        ("tool", "any_of", [], ""),
        ("agent_id", "is", "甲", "a"),
        ("agent_id", "is_not", "甲", "bcd"),
        ("session_id", "contains", "S", "abc"),
        ("memory_id", "any_of", ["a", "d"], "ad"),
        ("preceding_memory_id", "is", "a", "b"),
        ("preceding_memory_id", "is_not", "a", "acd"),
        ("archetype_title", "contains", "moi", "ab"),
        ("archetype_version", "is", 0.01, "a"),
        ("archetype_version", "is", 1, "b"),
        ("archetype_version", "any_of", ["0.01", 1.0], "ab"),
        ("archetype_version", "is_not", 0.01, "bcd"),
        ("schema_version", "is", "1.0", "ab"),
        ("title", "is", "東京の天気について", "a"),
        ("title", "is", "weather in tokyo", ""),
        ("title", "is_not", "上海的天气", "acd"),
        ("title", "contains", "東京", "a"),
        ("title", "contains", "天气", "b"),
        ("title", "contains", "tokyo weather", "c"),
        ("title", "contains", "ＴＯＫＹＯ", "c"),
        ("title", "contains", "100%", ""),
        ("title", "any_of", ["上海的天气", "Weather in Tokyo"], "bc"),
        ("context", "contains", "会议", "c"),
        ("context", "contains", "会議", "a"),
        ("context", "is_not", "昨日の会議", "bcd"),
        ("sequence_order", "is", 1, "a"),
        ("sequence_order", "is", "2", "b"),
        ("sequence_order", "is", 1.5, ""),
        ("sequence_order", "is_not", 1, "bcd"),
        ("sequence_order", "after", 1, "b"),
        ("sequence_order", "after", 1.5, "b"),
        ("sequence_order", "before", 2, "a"),
        ("sequence_order", "before", 1.5, "a"),
        ("sequence_order", "between", [1, 2], "ab"),
        ("sequence_order", "between", {"from": 2, "to": 9}, "b"),
        ("sequence_order", "any_of", [2, 3], "b"),
        ("timestamp", "is", "2025-11-21T03:00:00+00:00", "bc"),
        ("timestamp", "is", "2025-11-21T12:00:00.000001+09:00", "c"),
        ("timestamp", "is", "今日", "bc"),
        ("timestamp", "is_not", "today", "ad"),
        ("timestamp", "after", "2025-11-20T03:00:00Z", "bc"),
        ("timestamp", "after", "昨天", "abc"),
        ("timestamp", "before", "昨日", "ad"),
        ("timestamp", "before", "2025-11-20T12:00:00", "d"),
        ("timestamp", "between", ["2025-07-01", "2025-07-31"], "d"),
        ("timestamp", "between", {"from": "昨日", "to": "今日"}, "abc"),
        ("timestamp", "contains", "2025-07", "d"),
        ("timestamp", "any_of", ["2025-07-03", "昨日"], "ad"),
    ],
)
def test_a_filter_finds_what_its_operator_says(call: Call, field: str, operator: str, value: Any, found: str) -> None:
    assert ids(call, (field, operator, value)) == list(found)


@pytest.mark.usefixtures("shelf")
@pytest.mark.requirement("fegis.filter.all")
def test_every_filter_must_hold(call: Call) -> None:
    assert ids(call, ("tool", "is", "StoreMemory"), ("timestamp", "after", "今日")) == ["b"]


@pytest.mark.requirement("fegis.filter.errors")
def test_a_bad_filter_is_an_error_that_names_it(call: Call) -> None:
    bad = [{"field": "tool", "operator": "is", "value": "a"}, {"field": "timestamp", "operator": "after", "value": 1}]
    result = call("SearchMemory", query="x", filters=bad)
    assert result.is_error
    assert json.loads(result.text) == {
        "error": "Timestamp filter values must be strings in ISO format",
        "type": "ValueError",
        "hint": "filters[1] (timestamp after): for example '2024-01-01' or 昨日.",
    }


@pytest.mark.requirement("fegis.search.scope")
def test_a_pinned_door_neither_sees_nor_writes_outside_its_scope(memories: Memories) -> None:
    memories.remember("隣の部屋の話", id="out", scope="ccx")
    memories.remember("この部屋の話", id="in", scope="cc:1")
    pinned = door(memories, scope="cc")
    pinned("StoreMemory", Title="t", Content="部屋に書いた話", Context="c")
    assert [each["content_preview"] for each in search(pinned, search_type="filtered")] == [
        "部屋に書いた話",
        "この部屋の話",
    ]
    assert {each["content_preview"] for each in search(pinned, "部屋の話")} == {"部屋に書いた話", "この部屋の話"}
    assert search(pinned, "out", search_type="by_memory_id") == []
    assert memories.counts().by_scope == {"ccx": 1, "cc:1": 1, "cc": 1}


@pytest.mark.requirement("fegis.archetype.file")
def test_an_archetype_file_names_the_tools(memories: Memories, tmp_path: Path) -> None:
    path = tmp_path / "道具.yaml"
    path.write_text("version: 0.01\ntitle: 日記\ntools:\n  日記を書く:\n    frames: {気分: }\n", encoding="utf-8")
    own = door(memories, archetype_path=path, agent_id="書き手")
    own("日記を書く", Title="晴れ", Content="海へ行った。", Context="週末", 気分="上々")
    [found] = search(own, "海", detail="full")
    assert (found["tool"], found["frames"]) == ("日記を書く", {"気分": "上々"})
    assert found["meta"] == {
        "agent_id": "書き手",
        "schema_version": "1.0",
        "fegis_version": "2.0.0",
        "archetype_title": "日記",
        "archetype_version": "0.01",
    }
