"""The fegis door through real clients: in memory in both eras of the protocol, over HTTP, and over stdio."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, TextContent

from omoide import app
from omoide.config import load
from omoide.families.fegis.schemas import SEARCH_SCHEMA
from omoide.families.fegis.wire import DETAILS
from omoide.memory import Memories
from tests.families.fegis.test_fegis_archetype import SIMPLE
from tests.server.conftest import environment, http, serving

__all__ = ["http"]
ERAS = ["auto", "legacy"]
NOTE = {
    "Title": "抹茶の店",
    "Content": "京都の抹茶の店は水曜が休み。",
    "Context": "旅行の話",
    "Category": "旅",
    "Priority": "high",
    "summary": "水曜休み",
    "key_points": ["京都", "水曜"],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "道具.yaml"
    path.write_text(SIMPLE, encoding="utf-8")
    return path


@pytest.fixture
def server(memories: Memories, clock: Any, file: Path, tmp_path: Path) -> Server[Any]:
    settings = load({"data": str(tmp_path), "archetype": str(file), "tools": "fegis"}, {})
    return serving(app.tools(memories, settings), clock)


def text_of(answer: CallToolResult) -> str:
    (block,) = answer.content
    assert isinstance(block, TextContent)
    return block.text


async def found(client: Client, **arguments: Any) -> list[dict[str, Any]]:
    answer = await client.call_tool("SearchMemory", arguments)
    assert not answer.is_error, text_of(answer)
    assert answer.structured_content == json.loads(text_of(answer))
    return list(json.loads(text_of(answer))["search_results"])


@pytest.mark.requirement("fegis.search.surface", "fegis.archetype.file")
@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_lists_the_tools_of_the_file_and_then_the_search(server: Server[Any], mode: str) -> None:
    async with Client(server, mode=mode) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == ["NoteTaker", "SearchMemory"]
    assert list(listed[0].input_schema["properties"]) == [
        *("Title", "Content", "Context"),
        *("Category", "Priority"),
        *("summary", "key_points", "related_topics"),
    ]
    assert listed[1].input_schema == json.loads(json.dumps(SEARCH_SCHEMA))


@pytest.mark.requirement("fegis.archetype.store", "fegis.archetype.chain", "fegis.shown.details")
@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_stores_and_sees_every_detail_in_its_order(server: Server[Any], mode: str) -> None:
    async with Client(server, mode=mode) as client:
        stored = await client.call_tool("NoteTaker", NOTE)
        id = json.loads(text_of(stored))["message"].removeprefix("'NoteTaker' stored with memory_id: ")
        again = await client.call_tool("NoteTaker", {**NOTE, "Title": "又一家", "related_topics": ["茶"]})
        assert not again.is_error
        for detail, keys in DETAILS.items():
            [shown] = await found(client, query=id, search_type="by_memory_id", detail=detail)
            assert list(shown) == list(keys)
            assert shown["memory_id"] == id
        chain = await found(client, query="", search_type="filtered", detail="graph", limit=10)
        assert {(each["sequence_order"], each["preceding_memory_id"]) for each in chain} == {(1, None), (2, id)}
        [first] = await found(client, query=id, search_type="by_memory_id", detail="full")
    assert (first["parameters"], first["frames"]) == (
        {"Category": "旅", "Priority": "high"},
        {"summary": "水曜休み", "key_points": ["京都", "水曜"]},
    )


@pytest.mark.requirement("fegis.search.errors")
@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "said", "where"),
    [
        ("SearchMemory", {}, "'query' is a required property", "query"),
        ("SearchMemory", {"query": "茶", "limit": 0}, "0 is less than the minimum of 1", "limit"),
        ("SearchMemory", {"query": "茶", "limit": 101}, "101 is greater than the maximum of 100", "limit"),
        ("SearchMemory", {"query": 3}, "3 is not of type 'string'", "query"),
        (
            "SearchMemory",
            {"query": "茶", "detail": "brief"},
            "'brief' is not one of ['compact', 'summary', 'graph', 'full']",
            "detail",
        ),
        (
            "SearchMemory",
            {"query": "茶", "scope": "x"},
            "Additional properties are not allowed ('scope' was unexpected)",
            "arguments",
        ),
        (
            "SearchMemory",
            {"query": "茶", "filters": [{"field": "tool", "operator": "is"}]},
            "'value' is a required property",
            "filters.0",
        ),
        (
            "SearchMemory",
            {"query": "茶", "filters": [{"field": "tool", "operator": "is", "value": True}]},
            "True is not of type 'string', 'number', 'array', 'object'",
            "filters.0.value",
        ),
        (
            "SearchMemory",
            {"query": "茶", "filters": [{"field": "timestamp", "operator": "between", "value": {"to": "今天"}}]},
            "'from' is a required property",
            "filters.0.value",
        ),
        ("NoteTaker", {**NOTE, "key_points": "京都"}, "'京都' is not of type 'array'", "key_points"),
        (
            "NoteTaker",
            {name: value for name, value in NOTE.items() if name != "Priority"},
            "'Priority' is a required property",
            "Priority",
        ),
    ],
)
async def test_arguments_that_do_not_fit_are_refused_in_the_validators_words(
    server: Server[Any], mode: str, tool: str, arguments: dict[str, Any], said: str, where: str
) -> None:
    async with Client(server, mode=mode) as client:
        answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    published, *translated = [block.text for block in answer.content]
    first, step = published.split("\n")
    assert bool(translated) is (arguments not in ({}, {"query": 3}))  # arguments in Chinese
    assert first == f"Input validation error: {said}"
    assert step == f"{where}: compare with the tool's input schema, then call again. [invalid_argument]"


@pytest.mark.requirement("fegis.search.errors", "fegis.filter.errors")
@pytest.mark.parametrize("mode", ERAS)
async def test_what_the_door_refuses_is_json_with_a_code_and_the_next_step(server: Server[Any], mode: str) -> None:
    asked = {"query": "", "search_type": "filtered", "filters": [{"field": "tool", "operator": "after", "value": 1}]}
    async with Client(server, mode=mode) as client:
        answer = await client.call_tool("SearchMemory", asked)
    assert answer.is_error
    assert json.loads(text_of(answer)) == {
        "error": "'after' does not apply to 'tool'.",
        "type": "ValueError",
        "code": "invalid_argument",
        "hint": "filters[0] (tool after): use one of is, is_not, contains, any_of with tool.",
    }


@pytest.mark.requirement("fegis.archetype.chain")
async def test_over_http_each_connection_has_a_chain_of_its_own(http: Callable[..., str], file: Path) -> None:
    url = http("--archetype", str(file))
    async with Client(url, mode="legacy") as one, Client(url, mode="legacy") as other, Client(url) as stateless:
        for client in (one, other, one, stateless, one):
            assert not (await client.call_tool("NoteTaker", NOTE)).is_error
        chain = await found(other, query="", search_type="filtered", detail="graph", limit=10)
    sessions: dict[str, list[int]] = {}
    for each in chain:
        sessions.setdefault(each["session_id"], []).append(each["sequence_order"])
    assert sorted(sorted(orders) for orders in sessions.values()) == [[1], [1], [1, 2, 3]]


@pytest.mark.requirement("fegis.archetype.file", "fegis.search.basic")
@pytest.mark.parametrize("mode", ERAS)
async def test_over_stdio_the_file_may_be_named_by_the_environment(tmp_path: Path, file: Path, mode: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "omoide.cli", "serve", "--data", str(tmp_path / "store")],
        env=environment(ARCHETYPE_PATH=str(file), AGENT_ID="助手"),
    )
    async with Client(parameters, mode=mode) as client:
        assert not (await client.call_tool("NoteTaker", NOTE)).is_error
        [shown] = await found(client, query="抹茶の店はいつ休み", detail="graph")
    assert (shown["title"], shown["meta.agent_id"], shown["meta.archetype_title"]) == ("抹茶の店", "助手", "simple")
