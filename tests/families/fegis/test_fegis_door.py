"""The fegis door from end to end: real memories on a folder of their own, whole answers compared."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from omoide import app
from omoide.app import open_memories
from omoide.config import load
from omoide.families.fegis import Options, load_archetype, tools
from omoide.families.fegis.schemas import SEARCH_OUTPUT_SCHEMA, SEARCH_SCHEMA
from omoide.families.fegis.wire import score
from omoide.families.tool import Caller
from omoide.memory import Memories
from omoide.model.memory import Status
from tests.families.fegis.conftest import Call, door, search


@pytest.mark.requirement("fegis.search.surface")
def test_archetype_tools_come_first_and_searching_last(memories: Memories) -> None:
    offered = tools(memories, Options())
    assert [tool.name for tool in offered] == ["StoreMemory", "RecordDecision", "LearnLesson", "SearchMemory"]
    assert [tool.read_only for tool in offered] == [False, False, False, True]
    assert [tool.on_request for tool in offered] == [False, True, True, False]
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


@pytest.mark.requirement("fegis.archetype.store")
@pytest.mark.parametrize("context", ["", " 会議 ", "换行\n之后"])
def test_texts_come_back_as_they_were_sent(call: Call, context: str) -> None:
    call("StoreMemory", Title=" 題 ", Content=" 本文\n", Context=context)
    [found] = search(call, search_type="filtered", detail="full")
    assert (found["title"], found["content"], found["context"]) == (" 題 ", " 本文\n", context)


@pytest.mark.requirement("fegis.archetype.chain")
def test_two_connections_and_many_threads_make_one_chain(memories: Memories, tmp_path: Path) -> None:
    with open_memories(tmp_path / "store") as other, ThreadPoolExecutor(8) as pool:
        doors = [door(memories), door(other)]
        list(pool.map(lambda at: doors[at % 2]("StoreMemory", Title="t", Content=f"同時 {at}", Context="c"), range(40)))
    chain = search(doors[0], search_type="filtered", detail="graph", limit=100)
    places = {each["sequence_order"]: each for each in chain}
    assert sorted(places) == list(range(1, 41))
    assert places[1]["preceding_memory_id"] is None
    assert all(places[at]["preceding_memory_id"] == places[at - 1]["memory_id"] for at in range(2, 41))


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
    assert [each["score"] for each in search(call, "budget review", score_threshold=0.12345)] == [1.0]


@pytest.mark.requirement("fegis.search.threshold")
@pytest.mark.parametrize(
    ("relevance", "threshold", "shown"), [(0.84123, 0.4, 0.8412), (0.333334, 0.333333, 0.333333), (1.0, 1.0, 1.0)]
)
def test_a_score_is_never_shown_below_the_threshold_it_passed(relevance: float, threshold: float, shown: float) -> None:
    assert score(relevance, threshold) == shown


@pytest.mark.requirement("fegis.search.threshold")
@pytest.mark.parametrize("query", ["抹茶", "火锅", "matcha latte", "🍵"])
def test_a_threshold_of_zero_explores_everything_that_passes_the_filters(
    memories: Memories, call: Call, query: str
) -> None:
    for text in ("京都で抹茶を飲んだ。", "我们去吃火锅。", "A matcha latte at noon.", "Budget review on Friday."):
        memories.remember(text, agent_id="甲")
    memories.remember("無関係な話", agent_id="乙")
    mine = [{"field": "agent_id", "operator": "is", "value": "甲"}]
    found = search(call, query, score_threshold=0.0, limit=100, filters=mine)
    scores = [each["score"] for each in found]
    assert len({each["memory_id"] for each in found}) == len(found) == 4
    assert scores == sorted(scores, reverse=True)
    assert len(search(call, query, score_threshold=0.0)) == 3


@pytest.mark.requirement("fegis.search.basic")
@pytest.mark.parametrize("query", ["縞馬", "斑马", "zebra", "先に試す"])
def test_what_was_filled_in_beside_the_content_is_searched(call: Call, query: str) -> None:
    call(
        "StoreMemory",
        Title="別",
        Content="関係のない話",
        Context="雑談",
        key_points=["A zebra", "動物園の縞馬", "斑马"],
    )
    call("LearnLesson", Title="教訓", Content="急がば回れ", Context="", next_time="先に試す")
    [found] = search(call, query, detail="full")
    assert query in json.dumps(found["frames"], ensure_ascii=False)


@pytest.mark.requirement("fegis.search.basic")
def test_numbers_that_were_filled_in_are_searched(memories: Memories, call: Call) -> None:
    memories.remember("請求が届いた。", id="ja", frames={"明細": [{"金額": 48200, "支払済": True}]})
    memories.remember("收到了账单。", id="zh", parameters={"税率": 0.175})
    assert [each["memory_id"] for each in search(call, "48200")] == ["ja"]
    assert [each["memory_id"] for each in search(call, "0.175")] == ["zh"]
    assert search(call, "true") == []


@pytest.mark.requirement("fegis.search.blank")
@pytest.mark.parametrize("search_type", ["basic", "by_memory_id"])
@pytest.mark.parametrize("query", ["", "  ", "　", "\u200b", "\x00"])
def test_a_blank_query_is_refused_where_it_is_needed(call: Call, search_type: str, query: str) -> None:
    result = call("SearchMemory", query=query, search_type=search_type)
    assert result.is_error
    assert json.loads(result.text) == {
        "error": "Query cannot be empty for semantic and by_memory_id searches",
        "type": "ValueError",
        "code": "invalid_argument",
        "hint": 'Say what to look for, or list by criteria with search_type "filtered".',
    }


@pytest.mark.requirement("fegis.search.by-id")
def test_an_id_finds_one_memory_whatever_else_is_asked(memories: Memories, call: Call) -> None:
    memories.remember("消えない記憶", id="m-1", status=Status.ARCHIVED)
    impossible = [{"field": "tool", "operator": "is", "value": "なし"}]
    found = search(call, " m-1 ", search_type="by_memory_id", filters=impossible, limit=1, score_threshold=1.0)
    assert [(each["memory_id"], each["score"]) for each in found] == [("m-1", 1.0)]
    assert search(call, "m-2", search_type="by_memory_id") == []


@pytest.mark.requirement("fegis.search.id-as-query")
@pytest.mark.parametrize("search_type", ["basic", "filtered"])
def test_a_query_that_is_an_id_finds_the_memory_within_the_filters(
    memories: Memories, call: Call, search_type: str
) -> None:
    id = memories.remember("抹茶は苦い", tool="store_memory").memory.id
    memories.remember("紅茶は甘い")
    archived = memories.remember("昔の抹茶", status=Status.ARCHIVED).memory.id
    other = [{"field": "tool", "operator": "is_not", "value": "store_memory"}]
    found = search(call, f" {id} ", search_type=search_type)
    assert [(each["memory_id"], each["score"]) for each in found] == [(id, 1.0)]
    assert search(call, id, search_type=search_type, filters=other) == []
    assert search(call, archived, search_type=search_type) == []


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


@pytest.mark.requirement("fegis.search.scope")
def test_a_pinned_process_neither_sees_nor_writes_outside_its_scope(memories: Memories, tmp_path: Path) -> None:
    memories.remember("隣の部屋の話", id="out", scope="ccx")
    memories.remember("この部屋の話", id="in", scope="cc:1")
    with open_memories(tmp_path / "store", scope="cc") as within:
        pinned = door(within)
        pinned("StoreMemory", Title="t", Content="部屋に書いた話", Context="c")
        everything = search(pinned, search_type="filtered")
        assert {each["content_preview"] for each in everything} == {"部屋に書いた話", "この部屋の話"}
        assert {each["content_preview"] for each in search(pinned, "部屋の話")} == {"部屋に書いた話", "この部屋の話"}
        assert search(pinned, "out", search_type="by_memory_id") == []
    assert memories.counts().by_scope == {"ccx": 1, "cc:1": 1, "cc": 1}


@pytest.mark.requirement("fegis.search.scope")
@pytest.mark.parametrize(
    ("settings", "home"),
    [
        ({}, "global"),
        ({"default_scope": "project:思い出"}, "project:思い出"),
        ({"session": "会话1"}, "session:会话1"),
        ({"default_scope": "a", "session": "b"}, "a"),
        ({"default_scope": "a", "scope": "b"}, "b"),
    ],
)
def test_what_is_stored_goes_to_the_default_scope_and_all_is_searched(
    tmp_path: Path, settings: dict[str, str], home: str
) -> None:
    with app.opened(load({"data": str(tmp_path), **settings}, {})) as found:
        memories = found.memories
        memories.remember("よその部屋の抹茶", scope=f"{home}:よそ")
        call = door(memories)
        call("StoreMemory", Title="t", Content="うちの抹茶", Context="c")
        assert memories.counts().by_scope == {f"{home}:よそ": 1, home: 1}
        assert len(search(call, "抹茶")) == 2


@pytest.mark.requirement("fegis.archetype.file")
def test_an_archetype_file_names_the_tools(memories: Memories, tmp_path: Path) -> None:
    path = tmp_path / "道具.yaml"
    path.write_text("version: 0.01\ntitle: 日記\ntools:\n  日記を書く:\n    frames: {気分: }\n", encoding="utf-8")
    own = door(memories, archetype=load_archetype(path), agent_id="書き手")
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


@pytest.mark.requirement("fegis.search.again")
@pytest.mark.parametrize(
    ("texts", "other", "query", "said"),
    [
        (("抹茶が好き。", "抹茶が好きです"), "京都の抹茶", "抹茶が好き", "{} と同じ内容の記憶がほかにもあります：{}"),
        (("我喜欢抹茶。", "我喜歡抹茶"), "京都的抹茶", "喜欢抹茶", "与 {} 内容相同的记忆还有：{}"),
        (("She likes matcha.", "she likes matcha"), "Kyoto matcha", "likes matcha", "The same as {} is said by {}"),
    ],
)
def test_what_is_said_again_takes_no_place_and_is_named(
    memories: Memories, call: Call, texts: tuple[str, str], other: str, query: str, said: str
) -> None:
    for id, text in zip(("one", "two", "three"), (*texts, other), strict=True):
        memories.remember(text, id=id)
    found = call("SearchMemory", query=query, limit=2, score_threshold=0.0).structured
    assert found is not None
    first, second = (each["memory_id"] for each in found["search_results"])
    again = ({"one", "two"} - {first}).pop()
    assert (first in {"one", "two"}, second) == (True, "three")
    assert found["notes"] == [said.format(first, again)]
