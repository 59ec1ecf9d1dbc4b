"""`delete_memory_node`: one node, entity or memory, with its edges and the older texts that it replaced, for good."""

from __future__ import annotations

from omoide.errors import NotFound, nothing_has
from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.shared import FAMILY, ends_of, refuse, size_now
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories
from omoide.model.relation import Ref

NAME = "delete_memory_node"


def tool(memories: Memories) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Delete Memory Node",
        description=wire.DELETE_DESCRIPTION,
        input_schema=wire.DELETE_INPUT,
        output_schema=wire.DELETE_OUTPUT,
        run=lambda _, arguments: _delete(memories, arguments),
        destructive=True,
        refuse=refuse(NAME),
        on_request=True,
        family=FAMILY,
    )


def _delete(memories: Memories, arguments: Arguments) -> Result:
    id = arguments["node_id"]
    ref = ends_of(memories, [id]).get(id)
    answer = (_deleted(memories, ref) if ref else None) or {"deleted": False, "id": id}
    return Result(wire.deleted(answer), answer, error=None if answer["deleted"] else NotFound(id, also=nothing_has(id)))


def _deleted(memories: Memories, ref: Ref) -> wire.Json | None:
    """Delete it and return the answer. None: it was deleted meanwhile."""
    edges = len(memories.relations_of(ref))
    try:
        if ref.kind == "memory":
            memory, *versions = memories.forget_with_versions(ref.id)
            place, count = translate.place_of(memory, {}), 1 + len(versions)
        elif entities := memories.entities_by_id([ref.id]):
            place, count = translate.place_of(entities[0], {}), memories.forget_entity(ref.id)
        else:
            return None
    except NotFound:
        return None
    return translate.deleted(place, edges, count, size_now(memories))
