"""`retrieve_with_traversal`: everything within a few hops of one node, nearest first."""

from __future__ import annotations

from omoide.errors import NotFound, nothing_has
from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.shared import FAMILY, ends_of, refuse
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories
from omoide.model.entity import Entity
from omoide.model.memory import Memory

NAME = "retrieve_with_traversal"


def tool(memories: Memories) -> Tool:
    """The tool. It counts an access of the start node, so it is not read-only."""
    return Tool(
        name=NAME,
        title="Retrieve With Traversal",
        description=wire.TRAVERSE_DESCRIPTION,
        input_schema=wire.TRAVERSE_INPUT,
        output_schema=wire.TRAVERSE_OUTPUT,
        run=lambda _, arguments: _traverse(memories, arguments),
        refuse=refuse(NAME),
        on_request=True,
        sources_apart=True,
        family=FAMILY,
    )


def _traverse(memories: Memories, arguments: Arguments) -> Result:
    id = arguments["start_node_id"]
    start = ends_of(memories, [id]).get(id)
    if start is None:
        answer = translate.not_traversed(id)
        return Result(wire.traversed(answer), answer, error=NotFound(id, also=nothing_has(id)))
    now = memories.clock()
    depth, relations = translate.traversal(arguments)
    neighbours = memories.neighbours(
        start, depth=depth, relations=relations, limit=translate.MAX_VISITED, where=translate.shown(now)
    )
    visited = memories.visit(start)
    nodes = memories.nodes_of(translate.memory_ids(visited, walked=neighbours))
    content = _content(memories, visited)
    if content is not None and isinstance(visited, Entity):
        nodes[content.id] = visited
    place = translate.place_of(content or visited, nodes)
    answer = translate.traversed(place, neighbours, depth, lambda thing: translate.place_of(thing, nodes), now)
    placed = [content or visited, *(each.node for each in neighbours)]
    return Result(wire.traversed(answer), answer, shown=translate.sources(answer["nodes"], placed, nodes))


def _content(memories: Memories, start: Memory | Entity) -> Memory | None:
    """The memory with the content of a node; None for anything else."""
    if isinstance(start, Memory) or not start.memory_id:
        return None
    return next(iter(memories.get([start.memory_id])), None)
