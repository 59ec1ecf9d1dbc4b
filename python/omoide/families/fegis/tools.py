"""Which tools does the fegis door offer? One per entry of the archetype file, then `SearchMemory`."""

from __future__ import annotations

from collections.abc import Callable

from omoide.errors import OmoideError
from omoide.families.fegis import translate, wire
from omoide.families.fegis.archetype import ArchetypeFile, ArchetypeTool, load_archetype
from omoide.families.fegis.options import Options
from omoide.families.tool import Arguments, Caller, Result, Tool
from omoide.memory.memories import Memories


def tools(memories: Memories, options: Options) -> list[Tool]:
    """The archetype's tools in the order of its file, `SearchMemory` last. Raises InvalidArgument (a bad file)."""
    archetype = load_archetype(options.archetype_path)
    stores = [_store_tool(memories, options, archetype, each) for each in archetype.tools]
    return [*stores, _search_tool(memories, options)]


def _search_tool(memories: Memories, options: Options) -> Tool:
    def search(_: Caller, arguments: Arguments) -> Result:
        moment = memories.moment
        query = translate.query(arguments, moment, options)
        detail = arguments.get("detail", wire.DEFAULTS["detail"])
        hits = memories.recall(query).hits
        # Without a text nothing was ranked: what passes the filters is entirely what was asked for.
        shown = (wire.Shown(hit.memory, round(hit.relevance, 4) if query.text else 1.0, moment.now) for hit in hits)
        return wire.found([wire.view(each, detail) for each in shown])

    return Tool(
        name=wire.SEARCH_TOOL,
        title="Search memories",
        description=wire.SEARCH_DESCRIPTION,
        input_schema=wire.SEARCH_SCHEMA,
        output_schema=wire.SEARCH_OUTPUT_SCHEMA,
        run=_told(search),
        read_only=True,
        idempotent=True,
        family="fegis",
    )


def _store_tool(memories: Memories, options: Options, archetype: ArchetypeFile, tool: ArchetypeTool) -> Tool:
    def store(caller: Caller, arguments: Arguments) -> Result:
        draft = translate.draft(tool, archetype.archetype, arguments, caller, options)
        return wire.stored(tool.name, memories.remember(draft, chain=True).memory.id)

    return Tool(
        name=tool.name,
        title=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=wire.STORED_OUTPUT_SCHEMA,
        run=_told(store),
        family="fegis",
    )


def _told(run: Callable[[Caller, Arguments], Result]) -> Callable[[Caller, Arguments], Result]:
    """The same tool, its errors in the door's own shape."""

    def told(caller: Caller, arguments: Arguments) -> Result:
        try:
            return run(caller, arguments)
        except OmoideError as error:
            return wire.refused(error)

    return told
