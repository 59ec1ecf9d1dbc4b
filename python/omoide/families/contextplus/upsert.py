"""`upsert_memory_node`: creates or rewrites a node."""

from __future__ import annotations

from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.shared import FAMILY, refuse, size_now
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories

NAME = "upsert_memory_node"


def tool(memories: Memories) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Upsert Memory Node",
        description=wire.UPSERT_DESCRIPTION,
        input_schema=wire.UPSERT_INPUT,
        output_schema=wire.UPSERT_OUTPUT,
        run=lambda _, arguments: _upsert(memories, arguments),
        refuse=refuse(NAME),
        family=FAMILY,
    )


def _upsert(memories: Memories, arguments: Arguments) -> Result:
    label, content = translate.node_content(arguments)
    node = memories.upsert_node(arguments["type"], label, content, arguments.get("metadata"), tool=NAME)
    answer = translate.upserted(node, size_now(memories))
    return Result(wire.upserted(answer), answer)
