"""`query_memory`: a search, one entity, or a list of entities; one function per mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from omoide.errors import NotFound, nothing_has
from omoide.families.textrawl import refusals, translate, wire
from omoide.families.textrawl.context import FAMILY, Context, refuse, with_own_errors
from omoide.families.tool import Arguments, Result, Tool
from omoide.memory.memories import Memories
from omoide.memory.notes import on_missing_arms
from omoide.memory.observe import is_called
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.query import Hit
from omoide.model.relation import Ref
from omoide.text import is_blank

NAME = "query_memory"


def tool(context: Context) -> Tool:
    """The tool."""
    modes = {"search": _search, "entity": _entity, "list": _list}
    return Tool(
        name=NAME,
        title="Query Memory",
        description=wire.QUERY_MEMORY_DESCRIPTION,
        input_schema=wire.QUERY_MEMORY_INPUT,
        output_schema=wire.QUERY_MEMORY_OUTPUT,
        run=with_own_errors(NAME, context, lambda _, arguments: modes[arguments["mode"]](context, arguments)),
        read_only=True,
        idempotent=True,
        sources_apart=True,
        refuse=refuse(NAME, context),
        family=FAMILY,
    )


def _search(context: Context, arguments: Arguments) -> Result:
    if is_blank(arguments.get("query", "")):
        return refusals.missing(NAME, context.options, "query", "search")
    query = translate.search_query(arguments, context.memories.clock())
    recalled = context.memories.recall(query)
    if recalled.missing and "words" not in query.arms:
        return refusals.no_vectors(NAME, context.options, recalled.missing[0])
    hits = recalled.hits
    answer = translate.searched(
        hits,
        _owners(context.memories, hits, arguments.get("entityTypes", ())),
        on_missing_arms(recalled.missing, recalled.language),
    )
    return context.respond(answer, wire.compact(answer), {"query": query.text, **answer})


def _owners(memories: Memories, hits: Sequence[Hit], types: Sequence[str]) -> Callable[[Memory], translate.Owner]:
    found = [hit.memory for hit in hits]
    nodes = memories.nodes_of(memory.id for memory in found)
    ids = dict.fromkeys(id for memory in found for id in memory.entities)
    entities = {entity.id: entity for entity in memories.entities_by_id(ids)}
    unnamed = {memory.thread for memory in found if memory.thread and not memory.thread_name}
    threads = memories.thread_names(unnamed) if unnamed else {}
    return lambda memory: translate.owner_of(memory, entities, nodes.get(memory.id), types, threads)


def _entity(context: Context, arguments: Arguments) -> Result:
    name = arguments.get("entityName", "")
    if is_blank(name):
        return refusals.missing(NAME, context.options, "entityName", "entity")
    limit = translate.whole_number(arguments, "maxObs", 20)
    entity = _named(context.memories, name, arguments.get("entityTypes") or (None,))
    if entity is None:
        answer = wire.not_found(name)
        missing = NotFound(answer["message"], also=nothing_has(name))
        return context.respond(answer, wire.compact(answer))._replace(error=missing)
    answer, ends = _described(context.memories, entity, limit, related=arguments.get("includeRelated", True))
    return context.respond(answer, wire.compact(answer))._replace(shown={memory.id: memory for memory in ends})


def _named(memories: Memories, name: str, types: Sequence[str | None]) -> Entity | None:
    """The entity or node of that name: the most recently updated of several, else one whose name has other accents."""
    found = [entity for type in types if (entity := memories.entity(name, type, entity_class=None))]
    return max(found, key=lambda entity: (is_called(entity, name), entity.updated_at), default=None)


def _described(memories: Memories, entity: Entity, limit: int, *, related: bool) -> tuple[wire.Json, list[Memory]]:
    """The answer about an entity, and the memories that its relations lead to."""
    one = [entity, *_twins(memories, entity)]
    recalled = memories.recall(translate.observations_query(one, limit, memories.clock()))
    relations, ends = _relations(memories, one) if related else (translate.NO_RELATIONS, [])
    return translate.described(entity, [hit.memory for hit in recalled.hits], recalled.considered, relations), ends


def _twins(memories: Memories, entity: Entity) -> list[Entity]:
    """The node of an entity's name and type, or the entity of a node's: an import may bring both, and they are one thing."""
    named = memories.entities_named(entity.name, entity.type)
    return [each for each in named if each.entity_class != entity.entity_class and each.home == entity.home]


def _relations(memories: Memories, one: Sequence[Entity]) -> tuple[wire.Json, list[Memory]]:
    both_ways = [memories.related(Ref("entity", each.id)) for each in one]
    outgoing, incoming = ([each for ways in both_ways for each in ways[way]] for way in (0, 1))
    memory_ids = dict.fromkeys(each.end.id for each in (*outgoing, *incoming) if each.end.kind == "memory")
    now = memories.clock()
    ends = {memory.id: memory for memory in memories.get(memory_ids) if translate.is_shown(memory, now)}
    return translate.related(outgoing, incoming, ends), list(ends.values())


def _list(context: Context, arguments: Arguments) -> Result:
    limit, offset = translate.whole_number(arguments, "limit", 10), translate.whole_number(arguments, "offset", 0)
    total, page = context.memories.list_entities(
        types=arguments.get("entityTypes"), limit=limit, offset=offset, entity_class=None
    )
    answer = translate.listed(total, offset, page)
    return context.respond(answer, wire.compact(answer))
