"""What the annotations of a tool promise to hosts, which ask nobody before they call one that only reads, and may repeat one that is
idempotent."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from omoide import app
from omoide.config import load
from omoide.errors import NotFound
from omoide.families.tool import Tool
from omoide.memory import Memories
from tests.families.calling import CALLER
from tests.families.test_unnamed_arguments import GIVEN, example


@pytest.fixture
def tools(memories: Memories, tmp_path: Path) -> list[Tool]:
    """All of them, over memories that each finds."""
    memories.upsert_node("concept", "日記", "毎日書く")
    memories.remember_many(["日記を書いた", "写了日记", "wrote a diary"])
    memories.remember("日記は夜に書くのが好き", category="preferences")
    return app.tools(memories, load({"data": str(tmp_path), "tools": "all"}, {}))


def run(tool: Tool) -> None:
    given: dict[str, Any] = GIVEN.get(tool.name) or example(dict(tool.input_schema))
    with suppress(NotFound):
        tool.run(CALLER, given)


def test_a_tool_that_only_reads_writes_nothing(memories: Memories, tools: list[Tool]) -> None:
    readers = [tool for tool in tools if tool.read_only]
    before = memories.store.last_seq(), memories.counts()
    for tool in readers:
        run(tool)
        assert (tool.name, memories.store.last_seq(), memories.counts()) == (tool.name, *before)
    assert {"search_memory", "SearchMemory", "chronica_search", "query_memory", "search_memory_graph"} <= {
        tool.name for tool in readers
    }


def test_a_tool_that_may_be_repeated_stores_nothing_twice(memories: Memories, tools: list[Tool], clock: Any) -> None:
    repeatable = [tool for tool in tools if tool.idempotent and not tool.read_only]
    for tool in repeatable:
        run(tool)
        once = memories.counts()
        clock.advance(hours=1)
        run(tool)
        assert (tool.name, memories.counts()) == (tool.name, once)
    assert {"store_memory", "remember_fact", "create_relation"} <= {tool.name for tool in repeatable}
