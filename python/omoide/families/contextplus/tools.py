"""Which tools does the contextplus door offer? Each is in a file of its own."""

from __future__ import annotations

from omoide.families.contextplus import delete, interlink, prune, relate, search, traverse, upsert
from omoide.families.tool import Tool
from omoide.memory.memories import Memories


def tools(memories: Memories) -> list[Tool]:
    """Every tool of this door."""
    return [module.tool(memories) for module in (search, upsert, relate, interlink, traverse, prune, delete)]
