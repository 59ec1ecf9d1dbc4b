"""What is wrong with a call is told in the language of its arguments, beside the published words."""

from typing import Any

import pytest

from omoide import app
from omoide.config import load
from omoide.errors import OmoideError
from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.server.access.visitor import Visitor
from omoide.server.calls import refusals
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.toolcall import ToolCall
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from tests.families.calling import CALLER, Call, as_served


@pytest.fixture
def call(memories: Memories) -> Call:
    return as_served(app.tools(memories, load({"data": "/nowhere", "tools": "all"}, {})))


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search_memory", {"query": "東京の会議", "limit": 21}, "limit は 20 以下にしてください。"),
        ("search_memory", {"query": "在北京开会", "limit": 0}, "limit 不能小于 1。"),
        ("search_memory", {"query": "会議は？", "limit": "五"}, "limit には数値を渡してください。"),
        ("search_memory", {"query": "什么时候开会", "graph": "是"}, "graph 应为 true 或 false。"),
        (
            "search_memory",
            {"query": "お茶", "profile": "速い"},
            "profile は次のどれかにしてください：default, writing, debug,",
        ),
        ("search_memory", {"query": "喝茶", "profile": "快"}, "profile 只能是以下之一：default, writing, debug,"),
        (
            "search_memory",
            {"query": "お茶", "期間": "昨日"},
            "期間 は使えません。使えるもの：query, limit,",
        ),
        ("search_memory", {"query": "喝茶", "时间": "昨天"}, "不能使用 时间。可用的有：query, limit,"),
        ("store_memory", {"tags": ["旅のメモ"]}, "text が必要です。"),
        ("store_memory", {"text": "记住", "validFrom": ["昨天"]}, "validFrom 应为字符串或数字。"),
        ("batch_store", {"memories": [{"text": "お茶の時間"}] * 21}, "memories は 20 件までです（21 件ありました）。"),
        ("batch_store", {"memories": [], "scope": "项目"}, "memories 至少要有 1 项。"),
        (
            "remember_fact",
            {"entityName": "ジ" * 201, "entityType": "person", "observation": "事実"},
            "文字までです（201",
        ),
        ("remember_fact", {"entityName": "", "entityType": "person", "observation": "喜欢喝茶"}, "至少要有 1 个字符。"),
        ("build_knowledge", {"facts": [{"entityName": "小红", "observation": "爬山"}]}, "缺少 facts.0.entityType。"),
        ("chronica_search", {"thread_type": "仕事の話"}, "thread_type は次のどれかにしてください：normal, project。"),
        ("SearchMemory", {"query": "茶", "filters": [{"field": "标题"}]}, "缺少 filters.0."),
        (
            "SearchMemory",
            {"query": "お茶", "filters": [{"field": "tool", "operator": "is", "value": "x", "又は": 1}]},
            "filters.0.又は は使えません。使えるもの：field, operator, value。",
        ),
        (
            "SearchMemory",
            {"query": "お茶", "filters": [{"field": "tool", "operator": "is", "value": None}]},
            "filters.0.value には文字列か数値か配列かオブジェクトを渡してください。",
        ),
        (
            "SearchMemory",
            {"query": "喝茶", "filters": [{"field": "timestamp", "operator": "between", "value": {"from": "昨天"}}]},
            "缺少 filters.0.value.to。",
        ),
        (
            "SearchMemory",
            {
                "query": "お茶",
                "filters": [{"field": "tool", "operator": "is", "value": {"from": 1, "to": 2, "又は": 3}}],
            },
            "filters.0.value.又は は使えません。使えるもの：from, to。",
        ),
        ("memory_stats", {"範囲": "旅のメモ"}, "範囲 は使えません。引数はありません。"),
        ("list_tools", {"范围": "全部"}, "不能使用 范围：不需要参数。"),
        ("upsert_memory_node", {"type": "メモ", "label": "お茶", "content": "x"}, "type は次のどれかにしてください："),
    ],
)
def test_a_refusal_is_told_in_the_language_of_the_arguments(
    call: Call, name: str, arguments: dict[str, Any], told: str
) -> None:
    refused = call(name, **arguments)
    assert refused.is_error
    assert told in refused.note
    assert told not in refused.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_memory", {"query": "tea in London", "limit": 21}),
        ("store_memory", {}),
        ("search_memory", {"query": " "}),
    ],
)
def test_where_there_is_nothing_to_translate_the_published_words_stand_alone(
    call: Call, name: str, arguments: dict[str, Any]
) -> None:
    refused = call(name, **arguments)
    assert (refused.is_error, refused.note) == (True, "")


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search_memory", {"query": "tea", "session_id": "7"}, "search_memory knows: query, limit, scope, sessionId,"),
        ("SearchMemory", {"query": "tea", "searchType": "basic"}, "SearchMemory knows: query, limit, search_type,"),
        ("batch_store", {"memories": [{"text": "tea", "scope": "x"}]}, "memories.0 knows: text, category, importance,"),
        ("list_tools", {"family": "x"}, "list_tools takes no arguments."),
    ],
)
def test_who_passes_an_unknown_argument_in_english_is_told_the_known_ones(
    call: Call, name: str, arguments: dict[str, Any], told: str
) -> None:
    refused = call(name, **arguments)
    assert refused.is_error
    assert refused.note.startswith(told)


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "memory_drill_down",
            {"memoryId": "12345678"},
            ["Unknown arguments were not used: memoryId. memory_drill_down knows: id, level."],
        ),
        (
            "StoreMemory",
            {"title": "お茶", "Content": "お茶を飲んだ", "Context": "x"},
            [
                "Title が必要です。",
                "Unknown arguments were not used: title. StoreMemory knows: Title, Content, Context, key_points.",
                "次の引数は使われませんでした：title。StoreMemory で使えるもの：Title, Content, Context, key_points。",
            ],
        ),
    ],
)
def test_where_an_argument_is_missing_the_one_that_was_passed_in_its_place_is_named(
    call: Call, name: str, arguments: dict[str, Any], told: list[str]
) -> None:
    refused = call(name, **arguments)
    assert refused.is_error
    assert refused.note.splitlines() == told


def test_both_what_does_not_fit_and_what_is_not_known_is_told(call: Call) -> None:
    refused = call("query_memory", mode="search", query="お茶はどこ", limit=0, 上限=3)
    said, unknown, also = refused.note.splitlines()
    assert said == "limit は 1 以上にしてください。"
    assert unknown.startswith("Unknown arguments were not used: 上限. query_memory knows: mode, ")
    assert also.startswith("次の引数は使われませんでした：上限。query_memory で使えるもの：mode, ")


@pytest.mark.parametrize(
    ("wrong", "english", "japanese"),
    [
        (10, "'text' is a required property", "text が必要です。"),
        (2_000, "1 is not of type 'string'", "には文字列を渡してください。"),
    ],
)
def test_of_thousands_of_misfits_the_first_are_looked_at(call: Call, wrong: int, english: str, japanese: str) -> None:
    refused = call("store_memory", tags=[*[1] * wrong, "旅のメモ"])
    assert refused.is_error
    assert english in refused.text
    assert japanese in refused.note


def test_what_a_client_sends_back_in_a_refusal_is_short(call: Call) -> None:
    refused = call("store_memory", text="お茶", **{"名" * 10_000: 1})
    assert len(refused.note) < 500


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search_memory", {"query": " ", "scope": "旅のメモ"}, "query が必要です。"),
        (
            "SearchMemory",
            {
                "query": "",
                "search_type": "basic",
                "filters": [{"field": "title", "operator": "is", "value": "お茶の話"}],
            },
            "query が必要です。",
        ),
        ("query_memory", {"mode": "search", "entityName": "お茶"}, "query が必要です。"),
        ("search_memory", {"query": "お茶" * 6_000}, "query は 10,000 文字までです（12,000 文字ありました）。"),
        ("search_memory_graph", {"query": "喝茶" * 6_000}, "query 最多 10,000 个字符（现有 12,000 个）。"),
        ("query_memory", {"mode": "entity", "query": "喝茶"}, "缺少 entityName。"),
        ("memory_drill_down", {"id": "お茶の記憶"}, "ID が お茶の記憶 の記憶はありません。"),
        ("memory_drill_down", {"id": "喝茶"}, "没有 ID 为“喝茶”的记忆。"),
        ("forget_memory", {"memoryId": "お茶の記憶"}, "ID が お茶の記憶 の記憶も、待機中のリマインダーもありません。"),
        ("forget_memory", {"memoryId": "喝茶"}, "没有 ID 为“喝茶”的记忆，也没有待触发的提醒。"),
        ("forget_entity", {"entityName": "水豚"}, "没有找到“水豚”。请先搜索，"),
        (
            "relate_entities",
            {"fromEntity": "猫のタマ", "relation": "x", "toEntity": "猫のタマ"},
            "両端とも 猫のタマ です。",
        ),
        ("build_knowledge", {"相談": "お茶の話"}, "facts, relations が必要です。"),
        ("chronica_get_thread_info", {"thread_id": "旅のメモ"}, "旅のメモ は見つかりません。"),
        ("chronica_create_thread", {"thread_name": " ", "thread_type": "normal", "备注": "喝茶"}, "缺少 thread_name。"),
        ("chronica_save_entry", {"entry": {"kind": "お茶の日記"}}, "entry.text が必要です。"),
        ("chronica_save_entry", {"entry": {"kind": "note", "text": ["お茶の話"]}}, "entry.text には文字列を"),
        ("chronica_save_entry", {"entry": {"kind": "note", "text": ["喝茶"]}}, "entry.text 应为字符串。"),
        (
            "chronica_save_entry",
            {"entry": {"kind": "note", "text": "お茶の話", "saved_time": "2月30日"}},
            "entry.saved_time の '2月30日' は日時として理解できません。",
        ),
        (
            "chronica_save_entry",
            {"entry": {"kind": "note", "text": "喝茶", "saved_time": "2月30日"}},
            "无法将 entry.saved_time '2月30日' 理解为日期和时间。",
        ),
        (
            "chronica_save_entry",
            {"entry": {"kind": "note", "text": "お茶の話", "tags": [["仕事"]]}},
            "entry.tags[0] に ['仕事'] は使えません。",
        ),
        (
            "chronica_save_entry",
            {"entry": {"kind": "note", "text": "喝茶", "tags": ["工作", {"名": "茶"}]}},
            "entry.tags[1] 不能是 {'名': '茶'}，",
        ),
        (
            "upsert_memory_node",
            {"type": "concept", "label": "お茶" * 4_500, "content": "お茶の話"},
            "文字までです（9,000",
        ),
        ("store_memory", {"text": "お茶\ud83d"}, "文字が途中で切れています（サロゲートペアの片方だけです）。"),
        ("search_memory", {"query": "喝茶", "minScore": float("nan")}, "minScore 应为有限的数字。"),
        (
            "StoreMemory",
            {"Title": "茶", "Content": "お茶の話", "Context": "x", "key_points": [{"温度": [80, float("inf")]}]},
            "key_points には有限の数値を渡してください。",
        ),
        ("chronica_save_entry", {"entry": {"kind": "x", "text": "喝茶", "x": {"y": float("nan")}}}, "entry 应为有限的"),
        ("search_memory", {"query": "お茶の話", "after": "soon"}, "after：「soon」は日付として理解できません。例："),
        ("search_memory", {"query": "お茶の話", "after": "期末"}, "after：「期末」は日付として理解できません。例："),
        ("search_memory", {"query": "喝茶", "after": "whenever"}, "after：无法将“whenever”理解为日期。示例："),
        (
            "delete_memory_node",
            {"node_id": "お茶", "試し": True},
            "次の引数は使われませんでした：試し。delete_memory_node で使えるもの：node_id。何も行っていません。",
        ),
        (
            "delete_memory_node",
            {"node_id": "喝茶", "试": True},
            "以下参数未被使用：试。delete_memory_node 可用的有：node_id。没有执行任何操作。",
        ),
        ("prune_stale_links", {"臨界": "門檻設為零點三"}, "可用的有：threshold。沒有執行任何操作。"),
        ("batch_store", {"memories": [{"text": "お茶の話"}, {"text": " "}]}, "2 件目の記憶：text が必要です。何も"),
        (
            "batch_store",
            {"memories": [{"text": "喝茶", "canonicalKey": "-"}]},
            "第 1 条记忆：canonicalKey '-' 中没有字母或数字。请写出事实的名称，例如 user:reply-style，",
        ),
        (
            "chronica_search",
            {"query": "お茶の話", "limit": -1},
            "limit は 0 以上にしてください（-1 でした）。省くと 100 です。",
        ),
        ("store_memory", {"text": "お茶の話", "validFrom": 1e300}, "validFrom の 1e+300 は日時として理解できません。"),
        (
            "forget_memory",
            {"memoryId": "11111111-aaaa", "scope": "旅のメモ"},
            "11111111-aaaa はスコープ '旅のメモ' の外に",
        ),
        ("forget_memory", {"memoryId": "11111111", "reason": "不要了"}, "有多个 ID 以 '11111111' 开头"),
        (
            "query_memory",
            {"mode": "entity", "entityName": "お茶", "maxObs": 1.5},
            "maxObs には整数を渡してください（1.5 でした）。",
        ),
        ("query_memory", {"mode": "list", "offset": 1e15, "entityName": "喝茶"}, "offset 过大（现为 1e+15）。"),
        (
            "remember_fact",
            {"entityName": "お茶", "entityType": "concept", "observation": "緑", "validUntil": "since 2024"},
            "validUntil の「since 2024」には終わりがありません。",
        ),
    ],
)
def test_what_a_tool_itself_refuses_is_told_too(
    memories: Memories, call: Call, name: str, arguments: dict[str, Any], told: str
) -> None:
    memories.remember_many([Draft(text="one", id="11111111-aaaa"), Draft(text="two", id="11111111-bbbb")])
    refused = call(name, **arguments)
    assert refused.is_error
    assert told in refused.note
    assert told not in refused.text


@pytest.mark.parametrize(
    ("field", "operator", "value", "told"),
    [
        ("timestamp", "is", "soon", "timestamp：「soon」は日付として理解できません。"),
        ("timestamp", "after", 5, "日時は 2024-01-01 や昨日のような文字列に"),
        ("timestamp", "between", ["2024-02-01", "2024-01-01"], "範囲の終わりが始まりより前です。"),
        ("sequence_order", "is", "三", "'三' は数値ではありません。"),
        ("sequence_order", "contains", "3", "contains は使えません。使えるもの：is, is_not, before,"),
        ("sequence_order", "between", 3, "値は [最小, 最大] か"),
        ("tool", "any_of", "x", '値は ["a", "b"] のような配列に'),
        ("tool", "is", ["x"], "値は一つの文字列に"),
        ("title", "contains", " ", "探す文字を 1 文字以上"),
        ("title", "contains", " ".join(map(str, range(100, 151))), "50 個までです（51 個ありました）。"),
    ],
)
def test_a_filter_that_is_refused_is_told_in_the_language_of_the_question(
    call: Call, field: str, operator: str, value: object, told: str
) -> None:
    asked = {"field": field, "operator": operator, "value": value}
    refused = call("SearchMemory", query="お茶はどこ", filters=[asked])
    assert refused.is_error
    assert refused.note.startswith(f"filters[0] ({field} {operator}): ")
    assert told in refused.note


def test_too_many_filters_are_told_in_the_language_of_the_question(call: Call) -> None:
    refused = call("SearchMemory", query="喝茶", filters=[{"field": "tool", "operator": "is", "value": "x"}] * 101)
    assert "filters 最多 100 项（现有 101 项）。" in refused.note


def test_a_scope_outside_of_the_pinned_one_is_told_in_the_language_of_the_arguments(memories: Memories) -> None:
    memories.scope = "team"
    call = as_served(app.tools(memories, load({"data": "/nowhere", "tools": "all", "scope": "team"}, {})))
    refused = call("search_memory", query="お茶の話", scope="旅のメモ")
    assert "スコープ '旅のメモ' は、このサーバーが使える 'team' の外にあります。" in refused.note


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("日記を書いた", "ID 2025-11-21 は別のスコープで使われています。ID を省けば、新しい ID が付きます。"),
        ("日记写好了", "ID 2025-11-21 已被其他作用域使用。请省略 ID，将使用新的 ID。"),
        ("the diary", ""),
    ],
)
def test_an_id_that_another_scope_has_is_told_in_the_language_of_the_entry(
    memories: Memories, text: str, told: str
) -> None:
    memories.remember("別の日記", id="2025-11-21", scope="others")
    memories.scope = "team"
    call = as_served(app.tools(memories, load({"data": "/nowhere", "tools": "all", "scope": "team"}, {})))
    refused = call("chronica_save_entry", entry={"kind": "log", "text": text, "entry_id": "2025-11-21"})
    assert "There is a memory '2025-11-21' elsewhere. Leave out the id" in refused.text
    assert refused.note == told


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_relation", {"source_id": "{id}", "target_id": "{id}", "relation": "relates_to"}),
        ("retrieve_with_traversal", {"start_node_id": "{id}"}),
        ("delete_memory_node", {"node_id": "{id}"}),
        ("query_memory", {"mode": "entity", "entityName": "{id}"}),
    ],
)
def test_an_answer_that_a_node_or_an_entity_is_not_there_is_told_in_its_language_too(
    call: Call, name: str, arguments: dict[str, str]
) -> None:
    for id, told in [
        ("お茶の記憶", "お茶の記憶 は見つかりません。検索して、"),
        ("喝茶", "没有找到“喝茶”。请先搜索，"),
        ("tea", ""),
    ]:
        answered = call(name, **{key: value.format(id=id) for key, value in arguments.items()})
        assert not answered.is_error
        assert answered.note.startswith(told)
        assert bool(answered.note) == bool(told)


def test_arguments_that_were_not_used_are_named_beside_an_answer_too(call: Call) -> None:
    found = call("query_memory", mode="search", query="喝茶", 备注="x")
    assert not found.is_error
    english, chinese = found.note.splitlines()
    assert english.startswith("Unknown arguments were not used: 备注. query_memory knows: mode, ")
    assert chinese.startswith("以下参数未被使用：备注。query_memory 可用的有：mode, ")


def test_a_tool_that_names_them_itself_has_the_language_of_the_arguments_added(call: Call) -> None:
    for query, language in [("お茶の話", "次の引数は使われませんでした：range。chronica_search で"), ("tea", "")]:
        found = call("chronica_search", query=query, range="x")
        assert "'range' was not used" in found.text
        assert "range" not in found.note.replace(language, "")
        assert found.note.startswith(language)
    saved = call("chronica_save_entry", entry={"kind": "note", "text": "龙井茶", "心情": "好"}, 标题="茶")
    assert saved.note == "以下参数未被使用：标题。chronica_save_entry 可用的有：entry。"


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search_memory", {"query": "在臺北開會", "limit": 0}, "limit 不能小於 1。"),
        ("search_memory", {"query": "什麼時候開會", "graph": "是"}, "graph 應為 true 或 false。"),
        ("search_memory", {"query": "喝茶", "時間": "昨天"}, "不能使用 時間。可用的有：query, limit,"),
        ("memory_drill_down", {"id": "喝茶的記憶"}, "沒有 ID 為「喝茶的記憶」的記憶。請先搜尋，確認 ID。"),
        ("search_memory", {"query": "喝茶的記憶", "after": "whenever"}, "after：無法將「whenever」理解為日期。範例："),
        ("search_memory", {"query": "喝茶的記憶", "after": "改天"}, "after：無法將「改天」理解為日期。範例："),
        ("batch_store", {"memories": [{"text": "開會"}, {"text": " "}]}, "第 2 條記憶：缺少 text。沒有儲存任何內容。"),
        (
            "batch_store",
            {"memories": [{"text": "記憶", "canonicalKey": "-"}]},
            "第 1 條記憶：canonicalKey '-' 中沒有字母或數字。請寫出事實的名稱，",
        ),
        ("forget_memory", {"memoryId": "11111111", "scope": "專案后"}, "'專案后'"),
        (
            "SearchMemory",
            {"query": "開會", "filters": [{"field": "tool", "operator": "any_of", "value": "x"}]},
            "這樣的陣列。",
        ),
        ("chronica_save_entry", {"entry": {"kind": "note", "text": ["開會"]}}, "entry.text 應為字串。"),
    ],
)
def test_who_writes_traditional_chinese_is_told_in_it(
    memories: Memories, call: Call, name: str, arguments: dict[str, Any], told: str
) -> None:
    memories.remember(Draft(text="one", id="11111111-aaaa"))
    refused = call(name, **arguments)
    assert refused.is_error
    assert told in refused.note


def test_remarks_of_answers_are_in_traditional_chinese_too(call: Call) -> None:
    found = call("search_memory", query="臺北的會議")
    assert "scope: 已搜尋 'global'（其中有 0 條記憶）。" in found.text
    refused = call("search_memory", query="喝茶", after="沒有日期")
    assert "after：無法將「沒有日期」理解為日期。範例：2024-01-15、最近30天、上週五。" in refused.text
    saved = call(
        "chronica_save_entry", entry={"kind": "note", "text": "開會", "心情": "好", "event_time": {"raw": "改天"}}
    )
    assert "entry.心情 不是 entry 的欄位：會儲存，但不會顯示，也不會被搜尋。" in saved.text
    assert "無法將 entry.event_time.raw「改天」理解為日期" in saved.text
    assert "limit 最多為 1000（現為 5000），已按 1000 尋找。" in call("chronica_search", query="開會", limit=5000).text
    refused = call("remember_fact", entityName="臺北", entityType="location", observation="開會", validUntil="改天")
    assert "無法將「改天」理解為日期" in refused.note


def test_arguments_are_told_of_however_deeply_they_are_nested(call: Call) -> None:
    deep: Any = "喝茶"
    for _ in range(5_000):
        deep = [deep]
    found = call("query_memory", mode="search", query="tea", x=deep)
    assert not found.is_error
    assert "以下参数未被使用：x。" in found.note


def test_a_date_that_is_refused_in_a_language_is_not_told_twice(call: Call) -> None:
    for query, after, told in [("お茶", "そのうち", "日付として理解できません"), ("喝茶", "改天", "理解为日期")]:
        refused = call("search_memory", query=query, after=after)
        assert told in refused.text
        assert refused.note == ""


@pytest.mark.parametrize(
    ("language", "told"), [("ja", "ID が 富士山 の"), ("zh", "没有 ID 为“富士山”的"), (None, "没有 ID 为“富士山”的")]
)
def test_text_of_han_characters_alone_is_what_whoever_runs_the_server_says(
    memories: Memories, language: str | None, told: str
) -> None:
    tools = app.tools(memories, load({"data": "/nowhere", "tools": "all"}, {}))
    place = workspace_of(tools, Sessions(memories.clock), lambda _: language)
    missing = place.calls["memory_drill_down"](CALLER, {"id": "富士山"})
    assert missing.note.startswith(told)


#: What a token is told that may not write, or may not read either.
MAY_READ = {
    "ja": "このトークンでは store_memory を呼び出せません。許されているのは読み取りだけです。書き込めるトークンをサーバーの管理者に求めてください。",
    "zh": "此令牌不能调用“store_memory”，只允许读取。请向服务器的管理员索取可以写入的令牌。",
}
MAY_MEASURE = {
    "ja": "このトークンでは store_memory を呼び出せません。許されているのはメトリクスの取得だけです。書き込めるトークンをサーバーの管理者に求めてください。",
    "zh": "此令牌不能调用“store_memory”，只允许读取指标。请向服务器的管理员索取可以写入的令牌。",
}


@pytest.mark.parametrize(("language", "told"), [("ja", "ja"), ("zh", "zh"), (None, "zh")])
def test_of_han_characters_alone_the_desk_refuses_in_what_whoever_runs_the_server_has_said(
    memories: Memories, language: str | None, told: str
) -> None:
    tools = app.tools(memories, load({"data": "/nowhere"}, {}))
    dispatcher = Dispatcher(
        tools,
        OneWorkspace(workspace_of(tools, Sessions(memories.clock), lambda _: language)),
        language=lambda _: language,
    )
    for visitor, said in ((Visitor(rights="read"), MAY_READ), (Visitor(rights="metrics"), MAY_MEASURE)):
        refused = dispatcher.answer(ToolCall(visitor, "store_memory", {"text": "富士山"}))
        assert (refused.is_error, refused.note) == (True, said[told])


@pytest.mark.parametrize(
    ("error", "ja", "zh"),
    [
        (
            refusals.not_allowed("store_memory", Visitor(rights="read", metadata_url="https://a.example")),
            "許されているのは読み取りだけです。scope memories:write でサインインし直してください。",
            "只允许读取。请以 scope memories:write 重新登录。",
        ),
        (
            refusals.too_large("search_memory", 5_000_000, 4_000_000, carried_out=False),
            "結果が 5,000,000 文字あり、送れません（4,000,000 文字まで）。件数か、一件あたりの量を減らしてください。",
            "结果有 5,000,000 个字符，无法发送（最多 4,000,000 个）。请减少条数，或减少每条的内容。",
        ),
        (
            refusals.too_large("batch_store", 5_000_000, 4_000_000, carried_out=True),
            "batch_store は実行済みです。繰り返さないでください。",
            "“batch_store”已经执行，请勿重复。",
        ),
        (
            refusals.read_timeout("search_memory", 2.5),
            "search_memory は 2.5 秒以内に終わらなかったので、打ち切りました。",
            "“search_memory”未能在 2.5 秒内完成，已放弃。",
        ),
        (
            refusals.write_timeout("store_memory", 120.0),
            "このあと実行されることがあります。やり直す前に、実行されたかどうかを確かめてください。",
            "“store_memory”未能在 120 秒内完成，之后仍可能执行。重试之前，请先确认是否已经执行。",
        ),
    ],
)
def test_calls_that_the_dispatcher_ends_say_why_and_what_to_do_next(error: OmoideError, ja: str, zh: str) -> None:
    assert ja in error.also["ja"]
    assert zh in error.also["zh"]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (
            "search_memory",
            {"query": "お茶の話"},
            "scope が必要です。scope か sessionId を指定するか、サーバー側で RECALLNEST_",
        ),
        (
            "search_memory",
            {"query": "在北京喝茶"},
            "缺少 scope。请指定 scope 或 sessionId，或在服务器上设置 RECALLNEST_",
        ),
        (
            "store_memory",
            {"text": "お茶の話"},
            "scope が必要です。session:<id> のように指定するか、サーバー側で RECALLNEST_",
        ),
        ("store_memory", {"text": "我们在喝茶"}, "缺少 scope。请指定，例如 session:<id>，或在服务器上设置 RECALLNEST_"),
    ],
)
def test_who_has_to_name_a_scope_is_told_how(
    memories: Memories, tool: str, arguments: dict[str, Any], told: str
) -> None:
    settings = load({"data": "/nowhere", "tools": "all", "require_scope": "true"}, {})
    refused = as_served(app.tools(memories, settings))(tool, **arguments)
    assert refused.is_error
    assert refused.note.startswith(told)
