"""The chronica door on real memories, its arguments and answers checked against its schemas as a server does."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from omoide.families.chronica import Options, tools
from omoide.families.tool import Caller, Result
from omoide.memory import Memories

Call = Callable[..., Result]
PLAIN_TEXT = "chronica_compose_opening"


@pytest.fixture
def door(memories: Memories) -> Callable[..., Call]:
    """A door with the options given; it calls a tool by name."""

    def opened(**options: Any) -> Call:
        offered = {tool.name: tool for tool in tools(memories, Options(**options))}

        def call(name: str, **arguments: Any) -> Result:
            Draft202012Validator(offered[name].input_schema).validate(arguments)
            result = offered[name].run(Caller("s-1"), arguments)
            if not result.is_error:
                Draft202012Validator(offered[name].output_schema or {}).validate(result.structured)
                said = (
                    {**(result.structured or {}), "text": result.text}
                    if name == PLAIN_TEXT
                    else json.loads(result.text)
                )
                assert said == result.structured
            return result

        return call

    return opened


@pytest.fixture
def call(door: Callable[..., Call]) -> Call:
    """The door as it is without settings."""
    return door()
