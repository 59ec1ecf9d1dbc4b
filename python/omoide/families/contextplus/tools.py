"""The tools of the contextplus family; each is in a file of its own."""

from __future__ import annotations

from omoide.families.contextplus import delete, interlink, prune, relate, search, traverse, upsert
from omoide.families.tool import Tool
from omoide.memory.memories import Memories


def tools(memories: Memories) -> list[Tool]:
    """All tools, in the order in which they are listed."""
    return [module.tool(memories) for module in (search, upsert, relate, interlink, traverse, prune, delete)]
