"""The chronica door on real memories; its texts are the structured answers as JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from omoide.families.chronica import Options, tools
from omoide.families.tool import Result
from omoide.memory import Memories
from tests.families.calling import Call, by_name

PLAIN_TEXT = "chronica_compose_opening"


@pytest.fixture
def door(memories: Memories) -> Callable[..., Call]:
    """A door with the options given; it calls a tool by name."""

    def opened(**options: Any) -> Call:
        checked = by_name(tools(memories, Options(**options)))

        def call(name: str, **arguments: Any) -> Result:
            result = checked(name, **arguments)
            if not result.is_error:
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
