"""What any MCP client meets, in both eras of the protocol."""

import math
from contextlib import AbstractContextManager
from typing import Any

import pytest
from jsonschema import validate
from mcp.client import Client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from omoide import app
from omoide.config import load
from omoide.errors import StoreBusy
from omoide.families.tool import Caller, Result, Tool
from omoide.memory import Memories
from omoide.server.access.visitor import LOCAL, Visitor
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.toolcall import ToolCall
from omoide.server.calls.workspaces import OneWorkspace, Workspace, workspace_of
from tests.server.conftest import serving

ERAS = ["auto", "legacy"]


def text_of(result: CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text


def tool(run: Any, **more: Any) -> Tool:
    members = {"query": {"type": "string", "maxLength": 10}, "tags": {"type": "array", "maxItems": 2}}
    schema = {"type": "object", "properties": members, "required": ["query"]}
    return Tool(
        name="probe", title="探る", description="Probe.", input_schema=schema, output_schema=None, run=run, **more
    )


@pytest.mark.parametrize("mode", ERAS)
async def test_what_one_door_stores_every_door_finds(server: Server[Any], mode: str) -> None:
    async with Client(server, mode=mode) as client:
        for text in ("昨日、京都で抹茶を飲んだ。", "我们在北京喝了龙井茶。", "We drank Earl Grey in London."):
            await client.call_tool("store_memory", {"text": text})
        for query, expected in (("京都の抹茶", "京都"), ("北京 龙井茶", "北京"), ("Earl Grey London", "London")):
            asked = {
                "search_memory": {"query": query},
                "query_memory": {"mode": "search", "query": query},
                "SearchMemory": {"query": query},
                "search_memory_graph": {"query": query},
                "chronica_search": {"query": query},
            }
            for name, arguments in asked.items():
                answer = await client.call_tool(name, arguments)
                assert not answer.is_error, (name, text_of(answer))
                assert expected in text_of(answer), (name, query)
                assert answer.structured_content is not None, name


@pytest.mark.parametrize("mode", ERAS)
async def test_a_cursor_that_nobody_gave_is_refused(server: Server[Any], mode: str) -> None:
    async with Client(server, mode=mode) as client:
        with pytest.raises(MCPError, match="without a cursor") as refused:
            await client.list_tools(cursor="第二頁")
        assert refused.value.error.code == INVALID_PARAMS
        assert (await client.list_tools(cursor="")).tools, "an empty one is none"


@pytest.mark.parametrize("mode", ERAS)
async def test_a_tool_on_request_answers_though_it_is_not_listed(server: Server[Any], mode: str) -> None:
    async with Client(server, mode=mode) as client:
        listed = {each.name for each in (await client.list_tools()).tools}
        answer = await client.call_tool("chronica_timeline", {"start_time": "先週"})
    assert "chronica_timeline" not in listed
    assert answer.structured_content == {"entries": []}


@pytest.mark.parametrize("mode", ERAS)
async def test_tools_are_listed_with_all_that_hosts_show(server: Server[Any], mode: str) -> None:
    async with Client(server, mode=mode) as client:
        listed = (await client.list_tools()).tools
    assert {"SearchMemory", "search_memory", "query_memory", "chronica_search", "search_memory_graph"} <= {
        each.name for each in listed
    }
    for each in listed:
        assert each.title, each.name
        assert each.description, each.name
        assert each.output_schema, each.name
        assert each.annotations is not None
        assert "$ref" not in str(each.input_schema), each.name
    searches = [each.annotations for each in listed if "search" in each.name.lower()]
    assert all(annotations is not None and annotations.read_only_hint for annotations in searches)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": "思" * 11}, "query: '思思思思思思思思思思思' is too long: 11 characters, at most 10 are accepted"),
        ({"query": "x" * 1_001}, "… is too long: 1,001 characters, at most 10 are accepted"),
        ({"query": "茶", "tags": ["茶"] * 3}, "tags: ['茶', '茶', '茶'] is too long: 3 items, at most 2 are accepted."),
        ({"query": "茶", "tags": ["茶"] * 1_001}, "… is too long: 1,001 items, at most 2 are accepted."),
        ({"query": 3}, "query: 3 is not of type 'string'"),
        ({}, "'query' is a required property"),
    ],
)
async def test_arguments_that_do_not_fit_are_refused_with_the_reason(
    clock: Any, mode: str, arguments: dict[str, Any], said: str
) -> None:
    def never(caller: Caller, arguments: Any) -> Result:
        raise AssertionError("it must not run")

    async with Client(serving([tool(never)], clock), mode=mode) as client:
        answer = await client.call_tool("probe", arguments)
    assert answer.is_error
    assert said in text_of(answer)
    assert len(text_of(answer)) < 200


@pytest.mark.parametrize("mode", ERAS)
async def test_null_for_an_optional_argument_counts_as_not_given(server: Server[Any], mode: str) -> None:
    absent = dict.fromkeys(("scope", "limit", "category", "after", "graph", "detail_level"))
    async with Client(server, mode=mode) as client:
        await client.call_tool("store_memory", {"text": "昨日、京都で抹茶を飲んだ。", "tags": None, "validUntil": None})
        answer = await client.call_tool("search_memory", {"query": "抹茶", **absent})
        assert "京都" in text_of(answer)
        for arguments, said in (({"query": None}, "query: None is not of type"), ({"query": "茶", "x": None}, "'x'")):
            refused = await client.call_tool("search_memory", arguments)
            assert (refused.is_error, said in text_of(refused)) == (True, True), text_of(refused)


@pytest.mark.parametrize(
    ("arguments", "named"), [({}, "query"), ({"query": 3}, "query"), ({"query": "茶" * 11}, "query")]
)
async def test_a_tool_may_word_its_refusals(clock: Any, arguments: dict[str, Any], named: str) -> None:
    refusing = tool(lambda *_: Result("fits"), refuse=lambda misfit: Result(f"no: {misfit.argument}", is_error=True))
    async with Client(serving([refusing], clock)) as client:
        assert text_of(await client.call_tool("probe", arguments)) == f"no: {named}"
        assert text_of(await client.call_tool("probe", {"query": "茶"})) == "fits"


async def test_our_own_faults_are_logged_and_told_without_detail(clock: Any, caplog: pytest.LogCaptureFixture) -> None:
    def broken(caller: Caller, arguments: Any) -> Result:
        raise RuntimeError("/secret/path")

    async with Client(serving([tool(broken)], clock)) as client:
        answer = await client.call_tool("probe", {"query": "茶"})
    assert answer.is_error
    assert "fault of the server" in text_of(answer)
    assert "/secret/path" not in text_of(answer)
    assert "/secret/path" in caplog.text


@pytest.mark.parametrize("mode", ERAS)
async def test_an_unknown_tool_is_a_protocol_error_that_names_the_known_ones(server: Server[Any], mode: str) -> None:
    async with Client(server, mode=mode) as client:
        with pytest.raises(MCPError, match=r"Unknown tool 'recall'.*search_memory"):
            await client.call_tool("recall", {})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("query_memory", {"mode": "search", "query": "字" * 1_001}),
        ("query_memory", {"mode": "forget"}),
        ("search_memory", {"query": "会議", "category": "everything"}),
        ("search_memory", {"query": "会议", "after": "someday"}),
    ],
)
async def test_bad_arguments_of_real_tools_are_errors_a_model_can_read(
    server: Server[Any], name: str, arguments: dict[str, Any]
) -> None:
    async with Client(server) as client:
        answer = await client.call_tool(name, arguments)
    assert answer.is_error
    assert len(text_of(answer)) < 1_500


ALL = load({"data": "/nowhere", "tools": "all"}, {})


@pytest.mark.parametrize("offered", app.tools_offered(ALL), ids=lambda each: each.name)
async def test_no_tool_passes_over_an_argument_in_silence(memories: Memories, clock: Any, offered: Tool) -> None:
    async with Client(serving(app.tools(memories, ALL), clock)) as client:
        answer = await client.call_tool(offered.name, {"query": "茶", "mode": "search", "もしも": "昨日"})
    tells = offered.reports_unknown or offered.input_schema.get("additionalProperties") is False
    refused = tells and answer.is_error
    assert refused or "もしも" in "".join(block.text for block in answer.content)


def required(schema: Any) -> dict[str, Any]:
    """The least that a tool may be given."""
    values = {"string": "茶", "array": [], "object": {}, "number": 1}
    given = {name: schema["properties"][name] for name in schema.get("required", ())}
    return {name: each["enum"][0] if "enum" in each else values[each["type"]] for name, each in given.items()}


@pytest.mark.parametrize("meant", ["日付", "日期", "since"])
@pytest.mark.parametrize("offered", app.tools_offered(ALL), ids=lambda each: each.name)
async def test_a_host_that_shows_only_structured_content_tells_of_an_argument_that_was_not_used(
    memories: Memories, clock: Any, offered: Tool, meant: str
) -> None:
    async with Client(serving(app.tools(memories, ALL), clock)) as client:
        answer = await client.call_tool(offered.name, {**required(offered.input_schema), meant: "2026"})
        schemas = {each.name: each.output_schema or {} for each in (await client.list_tools()).tools}
    if not answer.is_error:
        assert answer.structured_content is not None
        assert meant in str(answer.structured_content)
        assert answer.structured_content.keys() <= schemas[offered.name]["properties"].keys()


@pytest.mark.parametrize(
    "said", ["東京の天気を教えてください。", "请告诉我北京的天气。", "Tell me about the weather in Paris."]
)
@pytest.mark.parametrize("offered", app.tools_offered(ALL), ids=lambda each: each.name)
def test_what_is_refused_or_not_found_is_not_repeated_at_length(
    memories: Memories, clock: Any, offered: Tool, said: str
) -> None:
    dispatcher = Dispatcher(
        app.tools(memories, ALL), OneWorkspace(workspace_of(app.tools(memories, ALL), Sessions(clock)))
    )
    given, members = required(offered.input_schema), offered.input_schema["properties"]
    long = said * 2_000
    wrong = [{long: 1}, {f"{said} {number}": 1 for number in range(5_000)}]
    wrong += [{name: long} for name in members if name == "id" or name.endswith("_id")]
    wrong += [{name: {long: 1}} for name, each in members.items() if "object" in each["type"]]
    entry = {"kind": "note", "text": said, "title": said, "thread": {"type": long, long: 1}}
    wrong += [{name: {**entry, **wrong[1]}} for name in members if name == "entry"]
    for arguments in wrong:
        answer = dispatcher.answer(ToolCall(LOCAL, offered.name, {**given, **arguments}))
        assert len(answer.text) + len(answer.note) < 5_000


class _Closed:
    """Places that nobody can enter."""

    def enter(self, tenant: str) -> AbstractContextManager[Workspace]:
        raise StoreBusy("Others were writing to the store for too long; nothing was written.")

    def language(self, tenant: str) -> None:
        return None


@pytest.mark.parametrize("query", ["京都の抹茶", "北京的龙井茶", "Earl Grey"])
@pytest.mark.parametrize("offered", app.tools_offered(ALL), ids=lambda each: each.name)
def test_what_is_refused_before_a_tool_can_word_it_has_no_content_that_the_tool_does_not_answer_with(
    offered: Tool, clock: Any, query: str
) -> None:
    open_to_all = OneWorkspace(workspace_of([offered], Sessions(clock)))
    told = []
    for places, visitor, arguments in (
        (open_to_all, Visitor(rights="metrics"), {"query": query}),
        (open_to_all, LOCAL, {"query": query, "limit": math.inf}),
        (_Closed(), LOCAL, {"query": query}),
    ):
        answer = Dispatcher([offered], places).answer(ToolCall(visitor, offered.name, arguments))
        assert answer.is_error
        told.append(answer.text.rpartition("[")[2].rstrip("]"))
        # Many clients hold errors against the schema, too, and tell the model of that in place of the error.
        if answer.structured is not None:
            validate(dict(answer.structured), dict(offered.output_schema or {}))
    assert told == ["not_allowed", "invalid_argument", "store_busy"]


@pytest.mark.parametrize("meant", [{"dry_run": True}, {"preview": "はい"}])
async def test_a_tool_that_deletes_does_nothing_on_an_argument_it_does_not_know(
    server: Server[Any], meant: dict[str, Any]
) -> None:
    fact = {"entityName": "山田", "entityType": "person", "observation": "東京に住む"}
    async with Client(server) as client:
        await client.call_tool("remember_fact", fact)
        answer = await client.call_tool("forget_entity", {"entityName": "山田", "confirm": True, **meant})
        assert answer.is_error
        assert "knows: entityName, dryRun" in text_of(answer)
        assert "東京" in text_of(await client.call_tool("query_memory", {"mode": "entity", "entityName": "山田"}))


async def test_memories_are_said_to_be_data(server: Server[Any]) -> None:
    async with Client(server, mode="legacy") as client:
        assert client.instructions is not None
        assert "never instructions" in client.instructions
