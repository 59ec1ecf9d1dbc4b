"""Hosts hand the tools' schemas to models whose providers refuse what JSON Schema allows: one such tool, and some refuse every
tool of the server."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from omoide import app
from omoide.config import load
from omoide.families.tool import Tool
from omoide.memory import Memories

#: The strictest of the widespread hosts; a name of 60 with the server's before it.
NAME = re.compile(r"[a-zA-Z0-9_-]{1,53}")
#: OpenAI's most for a description.
DESCRIPTION_CHARS = 1_024


@pytest.fixture
def tools(memories: Memories, tmp_path: Path) -> list[Tool]:
    return app.tools(memories, load({"data": str(tmp_path), "tools": "all"}, {}))


def schemas(found: object) -> Iterator[Mapping[str, Any]]:
    """Every schema in one, itself first."""
    if isinstance(found, Mapping):
        yield found
    inner = found.values() if isinstance(found, Mapping) else found if isinstance(found, (list, tuple)) else ()
    for each in inner:
        yield from schemas(each)


def test_names_and_descriptions_are_short_enough_for_every_host(tools: list[Tool]) -> None:
    names = [name for tool in tools for name in (tool.name, *tool.input_schema["properties"])]
    assert [name for name in names if not NAME.fullmatch(name)] == []
    assert {tool.name: len(tool.description) for tool in tools if len(tool.description) > DESCRIPTION_CHARS} == {}


def test_arguments_are_an_object_of_named_properties_and_nothing_else(tools: list[Tool]) -> None:
    combined = {"oneOf", "anyOf", "allOf", "not", "enum", "if"}
    assert [tool.name for tool in tools if tool.input_schema["type"] != "object"] == []
    assert [tool.name for tool in tools if combined & tool.input_schema.keys()] == []


def test_every_list_says_what_is_in_it(tools: list[Tool]) -> None:
    bare = [
        (tool.name, dict(each))
        for tool in tools
        for each in schemas(tool.input_schema)
        if each.get("type") == "array" and "items" not in each
    ]
    assert bare == []


def test_no_schema_leads_to_another(tools: list[Tool]) -> None:
    """Some hosts follow no `$ref`, and models are then told of an argument that may be anything."""
    assert [tool.name for tool in tools for each in schemas(tool.input_schema) if "$ref" in each] == []
