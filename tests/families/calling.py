"""How the doors' tests call a tool: arguments and answers are held against its schemas, as a server does."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from omoide.families.tool import Caller, Result, Tool
from omoide.memory import Memories
from omoide.server.calls import call

Call = Callable[..., Result]
CALLER = Caller(session_id="会話-1")


def as_served(tools: Sequence[Tool]) -> Call:
    """A function that calls a tool by its name as a server does: what does not fit a schema is answered, too."""
    offered = {tool.name: call.Call(tool) for tool in tools}
    return lambda name, **arguments: offered[name](CALLER, arguments)


def by_name(tools: Sequence[Tool]) -> Call:
    """A function that calls a tool by its name; `caller` tells who asks."""
    offered = {tool.name: tool for tool in tools}

    def call(name: str, caller: Caller = CALLER, **arguments: Any) -> Result:
        tool = offered[name]
        Draft202012Validator(tool.input_schema).validate(arguments)
        result = tool.run(caller, arguments)
        if not result.is_error or result.structured is not None:
            Draft202012Validator(tool.output_schema or {}).validate(result.structured)
        return result

    return call


def meanwhile(monkeypatch: pytest.MonkeyPatch, use_case: str, do: Callable[[], object]) -> None:
    """What another process does just after the next call of a use case of Memories."""
    real = getattr(Memories, use_case)

    def called(*arguments: Any, **named: Any) -> Any:
        answer = real(*arguments, **named)
        monkeypatch.setattr(Memories, use_case, real)
        do()
        return answer

    monkeypatch.setattr(Memories, use_case, called)
