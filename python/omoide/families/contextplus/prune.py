"""`prune_stale_links`: removes edges that have faded, and nodes left without an edge.

Only edges of the types of this family fade away: what other families state (works_at) holds until it is forgotten.
"""

from __future__ import annotations

from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.scoring import decayed
from omoide.families.contextplus.shared import FAMILY, refuse
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories
from omoide.model.relation import Relation

NAME = "prune_stale_links"


def tool(memories: Memories) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Prune Stale Links",
        description=wire.PRUNE_DESCRIPTION,
        input_schema=wire.PRUNE_INPUT,
        output_schema=wire.PRUNE_OUTPUT,
        run=lambda _, arguments: _prune(memories, arguments),
        destructive=True,
        idempotent=True,
        refuse=refuse(NAME),
        on_request=True,
        family=FAMILY,
    )


def _prune(memories: Memories, arguments: Arguments) -> Result:
    now = memories.clock()
    threshold = arguments.get("threshold", translate.STALE_BELOW)

    def is_stale(edge: Relation) -> bool:
        return edge.type in wire.RELATIONS and decayed(edge.weight, (now - edge.created_at) / translate.DAY) < threshold

    pruned = memories.prune(faded=is_stale, idle_since=now - translate.ORPHAN_AGE)
    answer = translate.pruned(pruned.edges, pruned.nodes, pruned.remaining_edges)
    return Result(wire.pruned(answer), answer)
