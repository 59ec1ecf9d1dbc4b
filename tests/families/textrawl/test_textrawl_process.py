"""The two variables that textrawl's operators set, through a server process of its own."""

import json
import sys
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.families.test_cross_family import text_of
from tests.server.conftest import environment

FACT = {"entityName": "健太", "entityType": "person", "observation": "毎朝、抹茶を飲む"}
FOUND = {"mode": "search", "query": "抹茶"}


def served(folder: Path, **variables: str) -> StdioServerParameters:
    command = ["-m", "omoide.cli", "serve", "--data", str(folder), "--tools", "textrawl"]
    return StdioServerParameters(command=sys.executable, args=command, env=environment(**variables))


@pytest.mark.requirement("textrawl.error.disabled")
@pytest.mark.parametrize("off", ["false", "False", "0", "no", "off"])
async def test_with_memory_switched_off_every_tool_is_listed_and_says_so(tmp_path: Path, off: str) -> None:
    async with Client(served(tmp_path, ENABLE_MEMORY=off)) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        answers = [await client.call_tool(name, {"entityName": "健太", "confirm": True}) for name in listed]
    assert len(listed) == 5
    for answer in answers:
        payload = json.loads(text_of(answer))
        assert (answer.is_error, payload["error"], payload["code"]) == (True, "Memory not enabled", "CONFIG_ERROR")


@pytest.mark.requirement("textrawl.search.compact")
@pytest.mark.requirement("textrawl.search.verbose")
@pytest.mark.parametrize(
    ("variables", "compact"),
    [
        ({}, True),
        ({"COMPACT_RESPONSES": "true"}, True),
        ({"COMPACT_RESPONSES": "1", "ENABLE_MEMORY": "yes"}, True),
        ({"COMPACT_RESPONSES": "false"}, False),
        ({"OMOIDE_COMPACT_RESPONSES": "off"}, False),
    ],
)
async def test_the_text_is_short_or_whole_and_the_structured_value_always_whole(
    tmp_path: Path, variables: dict[str, str], compact: bool
) -> None:
    async with Client(served(tmp_path, **variables)) as client:
        stored = await client.call_tool("remember_fact", FACT)
        found = await client.call_tool("query_memory", FOUND)
    assert found.structured_content is not None
    assert ("ok" in json.loads(text_of(stored))) is compact
    text = json.loads(text_of(found))
    if compact:
        assert text == {"n": 1, "e": [{"n": "健太", "t": "person", "m": [{"c": "毎朝、抹茶を飲む", "s": 1}]}]}
    else:
        assert text == {"query": "抹茶", **found.structured_content}
        assert "\n  " in text_of(found)
