"""The recallnest door through real clients: in memory in both eras of the protocol, over HTTP, and over stdio."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, TextContent

from omoide import app
from omoide.config import load
from omoide.memory import Memories
from tests.server.conftest import environment, http, serving

__all__ = ["http"]
ERAS = ["auto", "legacy"]
MAIN = ["search_memory", "store_memory"]


@pytest.fixture
def server(memories: Memories, clock: Any, tmp_path: Path) -> Server[Any]:
    return serving(app.tools(memories, load({"data": str(tmp_path), "tools": "recallnest"}, {})), clock)


def text_of(answer: CallToolResult) -> str:
    (block,) = answer.content
    assert isinstance(block, TextContent)
    return block.text


async def told(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(name, arguments)
    assert not answer.is_error, text_of(answer)
    assert answer.structured_content is not None
    return answer.structured_content


async def a_day_of_work(client: Client) -> None:
    """Every tool once, each seeing what the ones before it did."""
    await told(client, "store_memory", text="ユーザーは京都に住んでいる。", category="profile", canonicalKey="home")
    moved = await told(client, "store_memory", text="用户搬到了东京。", category="profile", canonicalKey="home")
    assert moved["disposition"] == "updated"
    batch = await told(client, "batch_store", memories=[{"text": "抹茶が好き"}, {"text": "Uses Bun at work"}])
    assert batch["new"] == 2
    case = await told(client, "store_case", title="遅い", problem="検索が遅い", solutionSteps=["索引を作る"])
    await told(client, "store_workflow_pattern", title="发布", trigger="上线之前", steps=["跑测试"])
    await told(client, "set_reminder", trigger="Bun", action="版を確かめる")
    found = await told(client, "search_memory", query="Bun at work", detail_level="adaptive")
    assert (found["results"][0]["text"], found["reminders"]) == ("Uses Bun at work", ["版を確かめる"])
    assert (await told(client, "explain_memory", query="抹茶"))["results"][0]["terms"] == ["抹茶"]
    assert "索引を作る" in (await told(client, "memory_drill_down", id=case["id"][:8]))["text"]
    assert (await told(client, "memory_stats"))["total"] == 6
    assert len((await told(client, "list_tools"))["tools"]) == 10
    gone = await told(client, "forget_memory", memoryId=moved["id"], confirm=True)
    assert gone["versions"] == [moved["previous"]]
    assert (await told(client, "memory_stats"))["total"] == 4


@pytest.mark.requirement("recallnest.clients.memory")
@pytest.mark.parametrize("mode", ERAS)
async def test_every_tool_answers_in_both_eras(server: Server[Any], mode: str) -> None:
    async with Client(server, mode=mode) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(listed)[:2] == MAIN
        assert len(listed) == 11
        for tool in listed.values():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        await a_day_of_work(client)
        refused = await client.call_tool("search_memory", {"query": "茶", "after": "いつか"})
    assert refused.is_error
    assert text_of(refused).startswith('❌ Tool "search_memory" failed\nreason_code: invalid_input\n')


@pytest.mark.requirement("recallnest.clients.listed")
async def test_by_default_the_main_tools_are_listed_and_all_answer(
    memories: Memories, clock: Any, tmp_path: Path
) -> None:
    offered = app.tools(memories, load({"data": str(tmp_path)}, {}))
    async with Client(serving(offered, clock)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert [
            name for name in names if name in {*MAIN, "set_reminder", "forget_memory", "list_tools", "batch_store"}
        ] == MAIN
        await a_day_of_work(client)


@pytest.mark.requirement("recallnest.clients.http")
@pytest.mark.parametrize("mode", ERAS)
async def test_every_tool_answers_over_http(http: Callable[..., str], mode: str) -> None:
    async with Client(http("--tools", "recallnest"), mode=mode) as client:
        await a_day_of_work(client)


@pytest.mark.requirement("recallnest.clients.stdio")
async def test_every_tool_answers_over_stdio(tmp_path: Path) -> None:
    command = ["-m", "omoide.cli", "serve", "--data", str(tmp_path), "--tools", "recallnest"]
    async with Client(StdioServerParameters(command=sys.executable, args=command, env=environment())) as client:
        await a_day_of_work(client)


@pytest.mark.requirement("recallnest.clients.environment")
async def test_the_scope_may_come_from_the_environment_users_know(tmp_path: Path) -> None:
    variables = environment(
        RECALLNEST_SESSION_ID="s-9",
        OMOIDE_RELATED_SCOPES='{"session:s-9": ["project:茶"]}',
        OMOIDE_REQUIRE_SCOPE="true",
    )
    command = ["-m", "omoide.cli", "serve", "--data", str(tmp_path)]
    async with Client(StdioServerParameters(command=sys.executable, args=command, env=variables)) as client:
        assert (await told(client, "store_memory", text="抹茶"))["scope"] == "session:s-9"
        await told(client, "store_memory", text="抹茶の店", scope="project:茶")
        found = await told(client, "search_memory", query="抹茶", includeRelatedScopes=True)
    assert [hit["text"] for hit in found["results"]] == ["抹茶"]
    assert [each["scope"] for each in found["related"]] == ["project:茶"]
