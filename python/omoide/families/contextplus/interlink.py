"""`add_interlinked_context`: creates several nodes, each linked to what it resembles.

Invariant: all items are written or none; two similar nodes are linked once, in either direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.shared import FAMILY, refuse, size_now
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories
from omoide.model.entity import NodeDraft
from omoide.model.memory import Memory
from omoide.model.query import MissingArm
from omoide.model.relation import Ref, Relation

NAME = "add_interlinked_context"
TYPE = "similar_to"
#: Characters of each text that tell the language of the answer.
READ_CHARS = 200


def tool(memories: Memories) -> Tool:
    """The tool."""
    return Tool(
        name=NAME,
        title="Add Interlinked Context",
        description=wire.INTERLINK_DESCRIPTION,
        input_schema=wire.INTERLINK_INPUT,
        output_schema=wire.INTERLINK_OUTPUT,
        run=lambda _, arguments: _interlink(memories, arguments),
        refuse=refuse(NAME),
        on_request=True,
        family=FAMILY,
    )


def _interlink(memories: Memories, arguments: Arguments) -> Result:
    checked = [(item, *translate.node_content(item, f"items.{at}")) for at, item in enumerate(arguments["items"])]
    nodes = memories.upsert_nodes(
        (NodeDraft(item["type"], label, content, item.get("metadata")) for item, label, content in checked), tool=NAME
    )
    contents = {node.id: f"{label} {content}" for node, (_, label, content) in zip(nodes, checked, strict=True)}
    links, missing = _links(memories, contents) if arguments.get("auto_link", True) else ([], None)
    notes = [] if missing is None else [translate.on_missing_links(missing, _language(memories, contents))]
    answer = translate.interlinked(nodes, links, size_now(memories), notes)
    return Result(wire.interlinked(answer), answer)


def _language(memories: Memories, contents: Mapping[str, str]) -> str:
    """The language to answer in, by the beginnings of the texts."""
    return memories.language_of("\n".join(text[:READ_CHARS] for text in contents.values()))


def _links(memories: Memories, contents: Mapping[str, str]) -> tuple[list[Relation], MissingArm | None]:
    """An edge from each new node to everything its text resembles, strongest first; what is forgotten meanwhile is left out. Beside
    them, why vectors were missing for comparing all of it."""
    alike = partial(
        memories.similar,
        where=translate.shown(memories.clock()),
        limit=translate.MAX_LINK_CANDIDATES,
        at_least=translate.LINK_THRESHOLD,
    )
    similar_by_node: dict[str, list[tuple[Memory, float]]] = {}
    missing = None
    for id, text in contents.items():
        similar_by_node[id], missing, is_answered = alike(text)
        if not is_answered:  # nor would it answer soon, and each question may take seconds
            break
    nodes = memories.nodes_of(memory.id for similar in similar_by_node.values() for memory, _ in similar)
    edges: dict[tuple[Ref, Ref], float] = {}
    for id, similar in similar_by_node.items():
        node = Ref("entity", id)
        pointing_here = {each.source for each in memories.relations_of(node) if each.type == TYPE}
        for memory, similarity in similar:
            other = Ref("entity", nodes[memory.id].id) if memory.id in nodes else Ref("memory", memory.id)
            # Similarity has no direction: an edge that points to `node` keeps its direction.
            edge = (other, node) if other in pointing_here or (other, node) in edges else (node, other)
            if other != node:
                edges[edge] = min(similarity, 1.0)
    return memories.relate_existing(TYPE, [(*ends, weight) for ends, weight in edges.items()]), missing
