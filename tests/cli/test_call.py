"""Tools from the command line: arguments as words, as JSON, and what is answered where."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.app import open_memories
from omoide.cli import main

Captured = pytest.CaptureFixture[str]
Call = Callable[..., int]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def call(data: Path) -> Call:
    return lambda *arguments: main(["call", *arguments, "--data", str(data), "--zone", "Asia/Tokyo"])


def piped(arguments: object, encoding: str = "utf-8") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(json.dumps(arguments, ensure_ascii=False).encode(encoding)))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("昨日、京都で抹茶を飲んだ。", "京都のお茶"),
        ("星期三的会议改到下午", "星期三 会议"),
        ("We parked on level two", "where did we park"),
    ],
)
def test_what_one_tool_stores_another_finds(call: Call, capsys: Captured, text: str, query: str) -> None:
    assert call("store_memory", f"text={text}", "importance=0.8", "tags=旅行", "tags=trip") == 0
    assert call("search_memory", f"query={query}", "limit=3") == 0
    assert text in capsys.readouterr().out


@pytest.mark.parametrize(
    ("default", "home"),
    [
        ("team:日記", "team:日記"),
        ("team：笔记", "team：笔记"),
        ("team", "team"),
        ("teams", "team"),
        ("elsewhere", "team"),
    ],
)
def test_a_default_scope_within_the_pinned_one_counts(
    call: Call, data: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, default: str, home: str
) -> None:
    monkeypatch.setenv("OMOIDE_DEFAULT_SCOPE", default)
    assert call("store_memory", "text=会議は水曜日", "--scope", "team") == 0
    assert call("remember_fact", "entityName=Anna", "entityType=person", "observation=喝茶", "--scope", "team") == 0
    assert call("store_memory", "text=meeting on Friday", "scope=team:other", "--scope", "team") == 0
    with open_memories(data) as memories:
        assert [hit.memory.scope for hit in memories.recall("", order="oldest").hits] == [home, home, "team:other"]
    capsys.readouterr()
    assert call("search_memory", "query=meeting on Friday", "--scope", "team") == 0
    assert ("| meeting on Friday" in capsys.readouterr().out) is (home == "team")


def test_words_are_read_as_the_schema_takes_them(call: Call, data: Path) -> None:
    assert call("store_memory", "text=2026", "importance=0.8", "tags=旅行", "tags=3") == 0
    assert call("store_memory", "text=a = b", 'tags=["茶", "tea"]') == 0
    assert call("store_memory", "text=独り", "tags=only") == 0
    assert call("store_memory", "text＝全角＝同じ", "importance＝０．２５", 'tags=［"数"］') == 0
    with open_memories(data) as memories:
        stored = {hit.memory.text: hit.memory for hit in memories.recall("").hits}
    assert (stored["2026"].importance, stored["2026"].tags) == (0.8, ("旅行", "3"))
    assert stored["a = b"].tags == ("茶", "tea")
    assert stored["独り"].tags == ("only",)
    assert (stored["全角＝同じ"].importance, stored["全角＝同じ"].tags) == (0.25, ("数",))
    assert {memory.tool for memory in stored.values()} == {"store_memory"}


def test_arguments_come_as_json_too(call: Call, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", piped({"memories": [{"text": "山と川"}, {"text": "龙井茶"}]}))
    assert call("batch_store", "--arguments", "-") == 0
    capsys.readouterr()
    assert call("search_memory", "limit=1", "--arguments", '{"query": "山", "limit": 20}', "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert [each["text"] for each in result["structuredContent"]["results"]] == ["山と川"]
    assert result["isError"] is False


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_arguments_from_a_pipe_are_read_whatever_shell_wrote_them(
    call: Call, capsys: Captured, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setattr("sys.stdin", piped({"text": "会议改到星期三"}, encoding))
    assert call("store_memory", "--arguments", "-") == 0
    assert call("search_memory", "query=会议") == 0
    assert "会议改到星期三" in capsys.readouterr().out


DEEP = "[" * 50_000 + "]" * 50_000
#: From 3.14 on Python reads it.
DEEP_IS_NOT = "a JSON object" if sys.version_info >= (3, 14) else "JSON"
HALF = "An argument holds half of a character (the lone surrogate U+D83D)."


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("store_memory", "text=茶", f"tags={DEEP}"), 1, "is too long: 100,000 characters"),
        (("search_memory", "--arguments", DEEP), 2, f"--arguments is not {DEEP_IS_NOT}"),
        (("serch_memory",), 2, "Did you mean search_memory?"),
        (("search_memory", "京都"), 2, "'京都' is no NAME=VALUE.\nsearch_memory knows: query, limit"),
        (("search_memory", "=会议"), 2, "'=会议' is no NAME=VALUE.\n"),
        (("search_memory", "--arguments", "[1]"), 2, "not a JSON object"),
        (("search_memory", "--arguments", "{query: 会议}"), 2, "--arguments is not JSON"),
        (("SearchMemory", "--arguments", r'{"query": "茶", "\ud83d": 1}', "--json"), 2, HALF),
        (("query_memory", "--arguments", r'{"mode": "list", "query": "茶\ud83d"}'), 2, HALF),
        (("store_memory", "text=茶", r'confidence={"\ud83d": 1}'), 2, HALF),
        (("search_memory_graph", "query=茶", r'edge_filter=["\ud83d"]'), 2, HALF),
        (("search_memory", "query=会议", "limit=many"), 1, "'many' is not of type"),
        (("search_memory", "query=会议", "limit=21"), 1, "21 is greater than the maximum of 20"),
        (("search_memory", "query=会议", "limit=0"), 1, "limit 不能小于 1。"),
        (("search_memory", "query=会议", "limits=3"), 1, "'limits' was unexpected"),
        (("search_memory", "query=会议", "after=そのうち"), 1, "そのうち"),
        (("forget_entity", "entityName=誰か"), 1, "誰か"),
    ],
)
def test_mistakes_go_to_stderr(call: Call, capsys: Captured, arguments: tuple[str, ...], code: int, said: str) -> None:
    assert call("store_memory", "text=茶") == 0
    capsys.readouterr()
    assert call(*arguments) == code
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""


@pytest.mark.parametrize(
    ("locale", "setting", "arguments", "said"),
    [
        ("ja_JP.UTF-8", "", ("search_memory",), "query が必要です。"),
        ("zh_CN.UTF-8", "", ("search_memory", "query=tea", "limit=0"), "limit 不能小于 1。"),
        ("zh_TW.UTF-8", "", ("search_memory", "query=tea", "limit=0"), "limit 不能小於 1。"),
        ("zh_TW.UTF-8", "", ("search_memory", "query=会議", "limit=0"), "limit 不能小於 1。"),
        ("en_US.UTF-8", "ja", ("search_memory", "query=tea", "limit=0"), "limit は 1 以上にしてください。"),
        ("zh_CN.UTF-8", "", ("search_memory", "query=お茶", "limit=0"), "limit は 1 以上にしてください。"),
        ("ja_JP.UTF-8", "", ("query_memory", "query=tea"), "mode が必要です。"),
        ("en_US.UTF-8", "", ("search_memory", "query=tea", "limit=0"), "[invalid_argument]"),
    ],
)
def test_a_refusal_is_told_in_the_language_of_words_setting_or_locale(
    call: Call,
    data: Path,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    locale: str,
    setting: str,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    open_memories(data).close()
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", locale)
    monkeypatch.setenv("OMOIDE_LANGUAGE", setting)
    assert call(*arguments) == 1
    assert capsys.readouterr().err.rstrip().endswith(said)


@pytest.mark.parametrize(
    ("chosen", "tool", "said"),
    [
        ("recallnest", "StoreMemory", ["does not choose StoreMemory.", "Add StoreMemory, fegis or all to it."]),
        ("query_memory", "search_memory", ["設定 tools（OMOIDE_TOOLS、または omoide.yaml）が search_memory を選んで"]),
        ("recallnest", "StorMemory", ["There is no tool 'StorMemory'.", "Did you mean StoreMemory?"]),
    ],
)
def test_a_tool_that_the_settings_leave_out_is_told_from_one_that_is_not_there(
    call: Call, monkeypatch: pytest.MonkeyPatch, capsys: Captured, chosen: str, tool: str, said: list[str]
) -> None:
    monkeypatch.setenv("OMOIDE_TOOLS", chosen)
    assert call(tool, "text=お茶") == 2
    told = capsys.readouterr().err
    assert [each for each in said if each not in told] == []


def test_a_text_that_is_json_is_kept_as_it_was_written(call: Call, capsys: Captured) -> None:
    assert call("store_memory", r'text={"抹茶": "\ud83d"}') == 0
    assert call("search_memory", "query=抹茶") == 0
    assert r'{"抹茶": "\ud83d"}' in capsys.readouterr().out


class Terminal(io.StringIO):
    """Where a person sits."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("reply", "code", "left"),
    [
        ("はい\n", 0, 0),
        ("是\n", 0, 0),
        ("y\n", 0, 0),
        ("n\n", 1, 1),
        ("\n", 1, 1),
        ("", 1, 1),  # the person ends the input
    ],
)
def test_a_person_at_the_terminal_is_asked_before_something_is_deleted(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, reply: str, code: int, left: int
) -> None:
    assert call("remember_fact", "entityName=山田", "entityType=person", "observation=東京に住む") == 0
    capsys.readouterr()
    monkeypatch.setattr("sys.stdin", Terminal(reply))
    assert call("forget_entity", "entityName=山田") == code
    printed = capsys.readouterr()
    assert ("[y/N]" in printed.out, "[y/N]" in printed.err) == (False, True)
    with open_memories(data) as memories:
        assert memories.counts().entities == left


def test_without_a_terminal_the_tool_itself_says_what_it_needs(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert call("remember_fact", "entityName=张三", "entityType=person", "observation=住在北京") == 0
    assert call("forget_entity", "entityName=张三") == 1
    assert "confirm=true" in capsys.readouterr().err
    assert call("forget_entity", "entityName=张三", "confirm=true") == 0
    with open_memories(data) as memories:
        assert memories.counts().entities == 0
