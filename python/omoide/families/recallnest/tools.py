"""The tools of the recallnest family, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Callable

from omoide.families.recallnest.commands import (
    batch_store,
    explain_memory,
    forget_memory,
    list_tools,
    memory_drill_down,
    memory_stats,
    search_memory,
    set_reminder,
    store_case,
    store_memory,
    store_workflow_pattern,
)
from omoide.families.recallnest.context import Context
from omoide.families.recallnest.options import Options
from omoide.families.tool import Tool
from omoide.memory import Memories
from omoide.text import Analyzer

_COMMANDS: tuple[Callable[[Context], Tool], ...] = (
    search_memory.tool,
    store_memory.tool,
    set_reminder.tool,
    batch_store.tool,
    store_case.tool,
    store_workflow_pattern.tool,
    memory_drill_down.tool,
    explain_memory.tool,
    forget_memory.tool,
    memory_stats.tool,
)


def tools(memories: Memories, options: Options) -> list[Tool]:
    """All tools, for these memories."""
    context = Context(memories, options, Analyzer())
    offered = [make(context) for make in _COMMANDS]
    return [*offered, list_tools.tool(context, offered)]
