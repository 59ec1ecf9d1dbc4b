"""The fegis door over real memories; its texts are the structured answers as JSON."""

import json
from typing import Any

import pytest

from omoide.families.fegis import Options, tools
from omoide.families.tool import Caller, Result
from omoide.memory import Memories
from tests.families.calling import CALLER, Call, by_name


@pytest.fixture
def call(memories: Memories) -> Call:
    """Any tool, by name."""
    return door(memories)


def door(memories: Memories, **options: Any) -> Call:
    checked = by_name(tools(memories, Options(**options)))

    def call(name: str, caller: Caller = CALLER, **arguments: Any) -> Result:
        result = checked(name, caller, **arguments)
        if not result.is_error:
            assert json.loads(result.text) == result.structured
        return result

    return call


def search(call: Call, query: str = "", **arguments: Any) -> list[dict[str, Any]]:
    result = call("SearchMemory", query=query, **arguments)
    assert not result.is_error, result.text
    assert result.structured is not None
    found: list[dict[str, Any]] = result.structured["search_results"]
    return found
