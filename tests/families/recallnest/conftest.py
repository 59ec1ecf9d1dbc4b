"""How these tests call the door: arguments and answers are checked against the published schemas on the way."""

from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from omoide.families.recallnest import Options, tools
from omoide.families.tool import Caller, Result
from omoide.memory import Memories

Call = Callable[..., Result]


def _caller_of(memories: Memories, options: Options) -> Call:
    """A function that calls a tool by name, as a server would."""
    offered = {tool.name: tool for tool in tools(memories, options)}

    def call(name: str, **arguments: Any) -> Result:
        tool = offered[name]
        jsonschema.validate(arguments, tool.input_schema)
        result = tool.run(Caller(session_id="s-1"), arguments)
        if not result.is_error:
            jsonschema.validate(result.structured, tool.output_schema or {})
        return result

    return call


@pytest.fixture
def caller_of() -> Callable[[Memories, Options], Call]:
    """For tests that choose options."""
    return _caller_of


@pytest.fixture
def call(memories: Memories) -> Call:
    """Any tool, by name, with everything left to its default."""
    return _caller_of(memories, Options())


@pytest.fixture
def store(memories: Memories) -> Call:
    """`store_memory`."""
    call = _caller_of(memories, Options())
    return lambda text, **arguments: call("store_memory", text=text, **arguments)


@pytest.fixture
def search(memories: Memories) -> Call:
    """`search_memory`."""
    call = _caller_of(memories, Options())
    return lambda query, **arguments: call("search_memory", query=query, **arguments)
