"""`create_relation`: creates a typed edge between two nodes, given by their ids."""

from __future__ import annotations

from omoide.errors import NotFound, nothing_has
from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.shared import FAMILY, ends_of, refuse, size_now
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories

NAME = "create_relation"


def tool(memories: Memories) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Create Relation",
        description=wire.RELATE_DESCRIPTION,
        input_schema=wire.RELATE_INPUT,
        output_schema=wire.RELATE_OUTPUT,
        run=lambda _, arguments: _relate(memories, arguments),
        idempotent=True,
        refuse=refuse(NAME),
        family=FAMILY,
    )


def _relate(memories: Memories, arguments: Arguments) -> Result:
    ids = [arguments["source_id"], arguments["target_id"]]
    ends = ends_of(memories, ids)
    unknown = [id for id in dict.fromkeys(ids) if id not in ends]
    if unknown:
        missing = ", ".join(unknown)
        answer = translate.not_related(arguments, unknown)
        return Result(wire.related(answer), answer, error=NotFound(missing, also=nothing_has(missing)))
    relation = memories.relate(
        ends[arguments["source_id"]],
        ends[arguments["target_id"]],
        arguments["relation"],
        weight=translate.edge_weight(arguments),
        metadata=arguments.get("metadata"),
    )
    answer = translate.related(arguments, relation, size_now(memories))
    return Result(wire.related(answer), answer)
