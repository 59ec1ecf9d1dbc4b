"""The fegis door over real memories: call a tool as a server does, its answer held against its schema."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from omoide.families.fegis import Options, tools
from omoide.families.tool import Caller, Result
from omoide.memory import Memories

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
