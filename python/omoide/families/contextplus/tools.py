"""The tools of the contextplus door: thin, one function a command."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.options import Options
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories
from omoide.model.query import Query
from omoide.model.relation import Ref

FAMILY = "contextplus"


def tools(memories: Memories, options: Options) -> list[Tool]:
    """Every tool of this door."""
    return [_search_tool(memories), _upsert_tool(memories), _relate_tool(memories)]


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
        refuse=_refuse("search_memory_graph"),
        family=FAMILY,
    )


def _search(memories: Memories, arguments: Arguments) -> Result:
    now = memories.clock()
    query = translate.graph_query(arguments, now)
    recalled = memories.recall(query)
    nodes = memories.nodes_of(translate.memory_ids(recalled))
    size = _size(memories, recalled.considered)
    answer = translate.searched(query, recalled, size, lambda thing: translate.place_of(thing, nodes), now)
    return Result(wire.searched(answer), answer)


def _size(memories: Memories, shown_memories: int) -> wire.Json:
    """The whole graph: memories that a search can show (a node's content is its node), entities, and asserted edges."""
    entities, _ = memories.list_entities(limit=1)
    return translate.totals(shown_memories + entities, memories.counts().relations)


def _size_now(memories: Memories) -> wire.Json:
    shown = memories.recall(Query(where=translate.shown(memories.clock()), limit=1))
    return _size(memories, shown.considered)


# --- upsert_memory_node -----------------------------------------------------------------------------------------------


def _upsert_tool(memories: Memories) -> Tool:
    return Tool(
        name="upsert_memory_node",
        title="Upsert Memory Node",
        description=wire.UPSERT_DESCRIPTION,
        input_schema=wire.UPSERT_INPUT,
        output_schema=wire.UPSERT_OUTPUT,
        run=lambda _, arguments: _upsert(memories, arguments),
        refuse=_refuse("upsert_memory_node"),
        family=FAMILY,
    )


def _upsert(memories: Memories, arguments: Arguments) -> Result:
    label, content = translate.node_content(arguments)
    node = memories.upsert_node(arguments["type"], label, content, arguments.get("metadata"))
    answer = translate.upserted(node, _size_now(memories))
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
        refuse=_refuse("create_relation"),
        family=FAMILY,
    )


def _relate(memories: Memories, arguments: Arguments) -> Result:
    ids = [arguments["source_id"], arguments["target_id"]]
    ends = _ends(memories, ids)
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
    return translate.related(arguments, relation, _size_now(memories))


def _ends(memories: Memories, ids: list[str]) -> dict[str, Ref]:
    """What each id names: a node or entity, or a memory; the content of a node is an end as its node."""
    ends = {memory.id: Ref("memory", memory.id) for memory in memories.get(ids)}
    ends |= {id: Ref("entity", node.id) for id, node in memories.nodes_of(ids).items()}
    return ends | {entity.id: Ref("entity", entity.id) for entity in memories.entities_by_id(ids)}


# --- errors -----------------------------------------------------------------------------------------------------------


def _refuse(tool: str) -> Callable[[str, str], Result]:
    """Arguments that do not fit, in the envelope this door's clients know: a list of issues."""

    def refuse(argument: str, message: str) -> Result:
        issues: list[dict[str, Any]] = [{"path": [argument] if argument else [], "message": message}]
        details = json.dumps(issues, ensure_ascii=False, indent=2)
        return Result(
            f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {details}", is_error=True
        )

    return refuse
