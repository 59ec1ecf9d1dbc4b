"""The tools of the textrawl family; each is in a file of its own."""

from __future__ import annotations

from dataclasses import replace

from omoide.families.textrawl import fact, forget, knowledge, query, refusals, relation
from omoide.families.textrawl.context import Context
from omoide.families.textrawl.options import Options
from omoide.families.tool import Tool
from omoide.memory.memories import Memories


def tools(memories: Memories, options: Options) -> list[Tool]:
    """All tools. With memory switched off, they are still listed, but answer with an error."""
    context = Context(memories, options)
    offered = [module.tool(context) for module in (query, fact, relation, knowledge, forget)]
    return offered if options.enable_memory else [_switched_off(tool, options) for tool in offered]


def _switched_off(tool: Tool, options: Options) -> Tool:
    answer = refusals.switched_off(tool.name, options)
    return replace(tool, run=lambda _caller, _arguments: answer, refuse=lambda _misfit: answer, asks=None)
