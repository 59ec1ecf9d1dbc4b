"""Shared by several tools of this family: the size of the graph, what an id refers to, errors for wrong arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from omoide.errors import NotFound
from omoide.families.contextplus import translate, wire
from omoide.families.tool import Misfit, Result
from omoide.memory.memories import Memories
from omoide.model.query import Query
from omoide.model.relation import Ref

FAMILY = "contextplus"


def size(memories: Memories, shown_memories: int) -> wire.Json:
    """The size of the whole graph: memories that a search can show (the content of a node counts as its node), entities, and
    edges that were created."""
    graph = memories.graph_size()
    return translate.totals(shown_memories + graph.entities, graph.relations)


def size_now(memories: Memories) -> wire.Json:
    """The same, counting the memories now."""
    shown = memories.recall(Query(where=translate.shown(memories.clock()), limit=1))
    return size(memories, shown.considered)


def ends_of(memories: Memories, ids: Iterable[str]) -> dict[str, Ref]:
    """What each id, without blanks around it, refers to: a node or entity, or a memory; the content of a node refers to the node.
    The beginning of a memory's id, of at least 8 characters, will do, as other families show no more in their text. Raises
    InvalidArgument (ambiguous)."""
    bare = {id: id.strip() for id in ids}
    ends = _ends_of(memories, bare.values())
    begun = {id: whole for id in bare.values() if id not in ends and (whole := _whole(memories, id)) is not None}
    found = _ends_of(memories, begun.values())
    ends |= {id: found[whole] for id, whole in begun.items() if whole in found}
    return {id: ends[meant] for id, meant in bare.items() if meant in ends}


def _ends_of(memories: Memories, ids: Iterable[str]) -> dict[str, Ref]:
    ids = list(ids)
    ends = {memory.id: Ref("memory", memory.id) for memory in memories.get(ids)}
    ends |= {id: Ref("entity", node.id) for id, node in memories.nodes_of(ids).items()}
    return ends | {entity.id: Ref("entity", entity.id) for entity in memories.entities_by_id(ids)}


def _whole(memories: Memories, beginning: str) -> str | None:
    try:
        return memories.find(beginning).id
    except NotFound:
        return None


def refuse(tool: str) -> Callable[[Misfit], Result]:
    """The error for arguments that do not fit the schema, as this family's clients expect it: a list of issues."""

    def answer(misfit: Misfit) -> Result:
        path = [misfit.argument] if misfit.argument else []
        issues: list[dict[str, Any]] = [{"path": path, "message": misfit.message}]
        details = json.dumps(issues, ensure_ascii=False, indent=2)
        return Result(
            f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {details}", is_error=True
        )

    return answer
