"""`search_memory_graph`: finds what matches a query, and what the graph links to it."""

from __future__ import annotations

from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.shared import FAMILY, refuse, size
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories

NAME = "search_memory_graph"


def tool(memories: Memories) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Search Memory Graph",
        description=wire.SEARCH_DESCRIPTION,
        input_schema=wire.SEARCH_INPUT,
        output_schema=wire.SEARCH_OUTPUT,
        run=lambda _, arguments: _search(memories, arguments),
        read_only=True,
        idempotent=True,
        sources_apart=True,
        refuse=refuse(NAME),
        family=FAMILY,
    )


def _search(memories: Memories, arguments: Arguments) -> Result:
    now = memories.clock()
    query = translate.graph_query(arguments, now)
    recalled = memories.recall(query)
    found = [hit.memory for hit in recalled.hits]
    nodes = memories.nodes_of(translate.memory_ids(*found, walked=recalled.neighbours))
    whole = size(memories, recalled.considered)
    answer = translate.searched(query, recalled, whole, lambda thing: translate.place_of(thing, nodes), now)
    placed = [*found, *(each.node for each in recalled.neighbours)]
    shown = translate.sources([*answer["direct"], *answer["neighbors"]], placed, nodes)
    return Result(wire.searched(answer), answer, shown=shown)
