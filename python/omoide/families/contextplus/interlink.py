"""`add_interlinked_context`: creates several nodes, each linked to what it resembles.

Invariant: every item is checked before the first is written; two similar nodes are linked once, in either direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from omoide.errors import NotFound
from omoide.families.contextplus import translate, wire
from omoide.families.contextplus.shared import FAMILY, ends_of, refuse, size_now
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories
from omoide.model.relation import Ref, Relation

NAME = "add_interlinked_context"


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
    checked = [(item, *translate.node_content(item)) for item in arguments["items"]]
    nodes = [
        memories.upsert_node(item["type"], label, content, item.get("metadata"), tool=NAME)
        for item, label, content in checked
    ]
    contents = {node.id: f"{label} {content}" for node, (_, label, content) in zip(nodes, checked, strict=True)}
    links = _links(memories, contents) if arguments.get("auto_link", True) else []
    answer = translate.interlinked(nodes, links, size_now(memories))
    return Result(wire.interlinked(answer), answer)


def _links(memories: Memories, contents: Mapping[str, str]) -> list[Relation]:
    """An edge from each new node to everything its text resembles, strongest first."""
    made: dict[str, Relation] = {}
    for id, text in contents.items():
        made |= {each.id: each for each in _linked(memories, Ref("entity", id), text)}
    return list(made.values())


def _linked(memories: Memories, here: Ref, text: str) -> list[Relation]:
    """The edges of one new node; none if the node itself was deleted meanwhile."""
    for _ in range(2):
        # Something that was found may have been deleted meanwhile: the second search does not find it.
        with suppress(NotFound):
            return memories.relate_many("similar_to", _edges(memories, here, text))
    return []


def _edges(memories: Memories, here: Ref, text: str) -> list[tuple[Ref, Ref, float]]:
    """The edges to make. Similarity has no direction: an existing edge that points to `here` keeps its direction."""
    shown = translate.shown(memories.clock())
    alike = memories.alike(text, where=shown, limit=translate.MAX_LINK_CANDIDATES, at_least=translate.LINK_THRESHOLD)
    ends = ends_of(memories, (memory.id for memory, _ in alike))
    pointing = {each.source for each in memories.relations_of(here) if each.type == "similar_to"} - {here}
    found = [(ends.get(memory.id), min(likeness, 1.0)) for memory, likeness in alike]
    near = [(there, likeness) for there, likeness in found if there is not None and there != here]
    return [(there, here, each) if there in pointing else (here, there, each) for there, each in near]
