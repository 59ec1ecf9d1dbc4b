"""The tools of the contextplus door: the search and its two writers here, each of the others in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping

from omoide.families.contextplus import delete, interlink, prune, translate, traverse, wire
from omoide.families.contextplus.shared import FAMILY, ends_of, refuse, size, size_now
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories
from omoide.model.relation import Ref


def tools(memories: Memories) -> list[Tool]:
    """Every tool of this door."""
    first = [_search_tool(memories), _upsert_tool(memories), _relate_tool(memories)]
    return [*first, *(module.tool(memories) for module in (interlink, traverse, prune, delete))]


# --- search_memory_graph ----------------------------------------------------------------------------------------------


def _search_tool(memories: Memories) -> Tool:
    return Tool(
        name="search_memory_graph",
        title="Search Memory Graph",
        description=wire.SEARCH_DESCRIPTION,
        input_schema=wire.SEARCH_INPUT,
        output_schema=wire.SEARCH_OUTPUT,
        run=lambda _, arguments: _search(memories, arguments),
        read_only=True,
        idempotent=True,
        sources_apart=True,
        refuse=refuse("search_memory_graph"),
        family=FAMILY,
    )


def _search(memories: Memories, arguments: Arguments) -> Result:
    now = memories.clock()
    query = translate.graph_query(arguments, now)
    recalled = memories.recall(query)
    nodes = memories.nodes_of(translate.memory_ids(*(hit.memory for hit in recalled.hits), walked=recalled.neighbours))
    whole = size(memories, recalled.considered)
    answer = translate.searched(query, recalled, whole, lambda thing: translate.place_of(thing, nodes), now)
    placed = [hit.memory for hit in recalled.hits] + [each.node for each in recalled.neighbours]
    return Result(
        wire.searched(answer), answer, shown=translate.sources([*answer["direct"], *answer["neighbors"]], placed, nodes)
    )


# --- upsert_memory_node -----------------------------------------------------------------------------------------------


def _upsert_tool(memories: Memories) -> Tool:
    return Tool(
        name="upsert_memory_node",
        title="Upsert Memory Node",
        description=wire.UPSERT_DESCRIPTION,
        input_schema=wire.UPSERT_INPUT,
        output_schema=wire.UPSERT_OUTPUT,
        run=lambda _, arguments: _upsert(memories, arguments),
        refuse=refuse("upsert_memory_node"),
        family=FAMILY,
    )


def _upsert(memories: Memories, arguments: Arguments) -> Result:
    label, content = translate.node_content(arguments)
    node = memories.upsert_node(arguments["type"], label, content, arguments.get("metadata"))
    answer = translate.upserted(node, size_now(memories))
    return Result(wire.upserted(answer), answer)


# --- create_relation --------------------------------------------------------------------------------------------------


def _relate_tool(memories: Memories) -> Tool:
    return Tool(
        name="create_relation",
        title="Create Relation",
        description=wire.RELATE_DESCRIPTION,
        input_schema=wire.RELATE_INPUT,
        output_schema=wire.RELATE_OUTPUT,
        run=lambda _, arguments: _relate(memories, arguments),
        idempotent=True,
        refuse=refuse("create_relation"),
        family=FAMILY,
    )


def _relate(memories: Memories, arguments: Arguments) -> Result:
    ids = [arguments["source_id"], arguments["target_id"]]
    ends = ends_of(memories, ids)
    unknown = [id for id in dict.fromkeys(ids) if id not in ends]
    answer = translate.not_related(arguments, unknown) if unknown else _related(memories, arguments, ends)
    return Result(wire.related(answer), answer)


def _related(memories: Memories, arguments: Arguments, ends: Mapping[str, Ref]) -> wire.Json:
    relation = memories.relate(
        ends[arguments["source_id"]],
        ends[arguments["target_id"]],
        arguments["relation"],
        weight=translate.edge_weight(arguments),
        metadata=arguments.get("metadata"),
    )
    return translate.related(arguments, relation, size_now(memories))
