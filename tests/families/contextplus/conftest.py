"""How these tests call the door: arguments and answers are checked against the published schemas on the way."""

from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from omoide.families.contextplus import Options, tools
from omoide.families.tool import Caller, Result
from omoide.memory import Memories


@pytest.fixture
def call(memories: Memories) -> Callable[..., Result]:
    """A function that calls a tool by name, as a server would."""
    offered = {tool.name: tool for tool in tools(memories, Options())}

    def call(name: str, **arguments: Any) -> Result:
        tool = offered[name]
        jsonschema.validate(arguments, tool.input_schema)
        result = tool.run(Caller(session_id="s-1"), arguments)
        jsonschema.validate(result.structured, tool.output_schema or {})
        return result

    return call
