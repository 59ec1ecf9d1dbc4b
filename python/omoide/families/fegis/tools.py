"""The tools of the fegis family: one per entry of the archetype file, then `SearchMemory`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from omoide.families.fegis import schemas, translate, wire
from omoide.families.fegis.archetype import ArchetypeFile, ArchetypeTool, built_in
from omoide.families.fegis.options import Options
from omoide.families.tool import Arguments, Caller, Result, Tool, answering_errors
from omoide.memory.memories import Memories
from omoide.memory.notes import on_folded_duplicates, on_missing_arms
from omoide.model.query import Hit, Query


def tools(memories: Memories, options: Options) -> list[Tool]:
    """The archetype's tools in the order of its file, `SearchMemory` last."""
    archetype = options.archetype or built_in()
    stores = [_store_tool(memories, options, archetype, each) for each in archetype.tools]
    return [*(stores if options.archetype else _first_alone(stores)), _search_tool(memories)]


def _first_alone(stores: list[Tool]) -> list[Tool]:
    """The built-in tools: the first, which stores anything, is always listed, the others on request. Not for those of a file,
    which are all listed."""
    return [*stores[:1], *(replace(each, on_request=True) for each in stores[1:])]


def _search_tool(memories: Memories) -> Tool:
    def search(_: Caller, arguments: Arguments) -> Result:
        moment = memories.moment
        query = translate.query(arguments, moment)
        detail = arguments.get("detail", schemas.DEFAULTS["detail"])
        recalled = memories.recall(query)
        shown = _shown(memories, query, recalled.hits, moment.now)
        missing = on_missing_arms(recalled.missing, recalled.language)
        repeated = on_folded_duplicates(recalled.hits, recalled.language)
        return wire.found([wire.view(each, detail) for each in shown], [*missing, *repeated])

    return Tool(
        name=schemas.SEARCH_TOOL,
        title="Search memories",
        description=schemas.SEARCH_DESCRIPTION,
        input_schema=schemas.SEARCH_SCHEMA,
        output_schema=schemas.SEARCH_OUTPUT_SCHEMA,
        run=answering_errors(search, wire.refused),
        refuse=wire.unfit,
        read_only=True,
        idempotent=True,
        family="fegis",
    )


def _shown(memories: Memories, query: Query, hits: Sequence[Hit], now: datetime) -> list[wire.Shown]:
    if not query.text:
        # Nothing was ranked: what passes the filters is exactly what was asked for.
        return [wire.Shown(hit.memory, 1.0, now) for hit in hits]
    if not hits and (named := memories.recall(translate.named(query)).hits):
        # `query` may be an id: few callers set search_type for it.
        return [wire.Shown(hit.memory, 1.0, now) for hit in named]
    shown = [wire.Shown(hit.memory, wire.score(hit.relevance, query.min_relevance), now) for hit in hits]
    if query.min_relevance == 0.0 and len(hits) < query.limit:
        shown += [wire.Shown(hit.memory, 0.0, now) for hit in memories.recall(translate.unlike(query, hits)).hits]
    return shown


def _store_tool(memories: Memories, options: Options, archetype: ArchetypeFile, tool: ArchetypeTool) -> Tool:
    def store(caller: Caller, arguments: Arguments) -> Result:
        draft = translate.draft(tool, archetype.archetype, arguments, caller, options)
        return wire.stored(tool.name, memories.remember(draft, scope=memories.home, chain=True).memory.id)

    return Tool(
        name=tool.name,
        title=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=schemas.STORED_OUTPUT_SCHEMA,
        run=answering_errors(store, wire.refused),
        refuse=wire.unfit,
        family="fegis",
    )
