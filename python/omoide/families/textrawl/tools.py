"""The tools of the textrawl door: thin, one function a mode or command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from omoide.errors import OmoideError
from omoide.families.textrawl import refusals, translate, wire
from omoide.families.textrawl.options import Options
from omoide.families.tool import Arguments, Caller, Result, Run, Tool
from omoide.memory.memories import Memories
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.query import Hit
from omoide.model.relation import Ref
from omoide.text import fold_name

FAMILY = "textrawl"
QUERY_MEMORY = "query_memory"
REMEMBER_FACT = "remember_fact"
RELATE_ENTITIES = "relate_entities"


def tools(memories: Memories, options: Options) -> list[Tool]:
    """Every tool of this door. With memory switched off they stay listed and say so."""
    door = _Door(memories, options)
    offered = [_query_memory(door), _remember_fact(door), _relate_entities(door)]
    return offered if options.enable_memory else [_switched_off(tool, options) for tool in offered]


@dataclass(frozen=True, slots=True)
class _Door:
    memories: Memories
    options: Options

    def say(self, structured: wire.Json, short: wire.Json, long: wire.Json | None = None) -> Result:
        """The answer: `structured` for programs, `short` or `long` (else `structured`) as its text."""
        compact = self.options.compact_responses
        return Result(wire.to_text(short if compact else long or structured, compact=compact), structured)


def _worded(tool: str, door: _Door, run: Run) -> Run:
    """`run`, with refusals of the use cases in this door's words."""

    def answer(caller: Caller, arguments: Arguments) -> Result:
        try:
            return run(caller, arguments)
        except OmoideError as error:
            return refusals.explained(tool, door.options, error, arguments.get("mode", tool))

    return answer


def _refuse(tool: str, door: _Door) -> Callable[[str, str], Result]:
    return lambda argument, message: refusals.unfit(tool, door.options, argument, message)


def _switched_off(tool: Tool, options: Options) -> Tool:
    answer = refusals.switched_off(tool.name, options)
    return replace(tool, run=lambda _caller, _arguments: answer, refuse=lambda _argument, _message: answer)


# --- query_memory -----------------------------------------------------------------------------------------------------


def _query_memory(door: _Door) -> Tool:
    modes = {"search": _search, "entity": _entity, "list": _list}
    return Tool(
        name=QUERY_MEMORY,
        title="Query Memory",
        description=wire.QUERY_MEMORY_DESCRIPTION,
        input_schema=wire.QUERY_MEMORY_INPUT,
        output_schema=wire.QUERY_MEMORY_OUTPUT,
        run=_worded(QUERY_MEMORY, door, lambda _, arguments: modes[arguments["mode"]](door, arguments)),
        read_only=True,
        idempotent=True,
        refuse=_refuse(QUERY_MEMORY, door),
        family=FAMILY,
    )


def _search(door: _Door, arguments: Arguments) -> Result:
    if not arguments.get("query", "").strip():
        return refusals.missing(QUERY_MEMORY, door.options, "query", "search")
    query = translate.search_query(arguments, door.memories.clock())
    hits = door.memories.recall(query).hits
    answer = translate.searched(hits, _owners(door.memories, hits, arguments.get("entityTypes", ())))
    return door.say(answer, wire.compact(answer), {"query": query.text, **answer})


def _owners(memories: Memories, hits: Sequence[Hit], wanted: Sequence[str]) -> Callable[[Memory], translate.Owner]:
    found = [hit.memory for hit in hits]
    nodes = memories.nodes_of(memory.id for memory in found)
    ids = dict.fromkeys(id for memory in found for id in memory.entities)
    entities = {entity.id: entity for entity in memories.entities_by_id(ids)}
    return lambda memory: translate.owner_of(memory, entities, nodes.get(memory.id), wanted)


def _entity(door: _Door, arguments: Arguments) -> Result:
    name = arguments.get("entityName", "")
    if not name.strip():
        return refusals.missing(QUERY_MEMORY, door.options, "entityName", "entity")
    limit = translate.whole(arguments, "maxObs", 20)
    entity = _named(door.memories, name, arguments.get("entityTypes") or (None,))
    if entity is None:
        answer = wire.not_found(name)
    else:
        answer = _described(door.memories, entity, limit, related=arguments.get("includeRelated", True))
    return door.say(answer, wire.compact(answer))


def _named(memories: Memories, name: str, types: Sequence[str | None]) -> Entity | None:
    """The entity or node of that name; of several, the most recently updated."""
    found = (memories.entity(name, type, entity_class=None) for type in types)
    return max((entity for entity in found if entity), key=lambda entity: entity.updated_at, default=None)


def _described(memories: Memories, entity: Entity, limit: int, *, related: bool) -> wire.Json:
    found = memories.recall(translate.observations_query(entity, limit, memories.clock()))
    relations = _relations(memories, Ref("entity", entity.id)) if related else translate.NO_RELATIONS
    return translate.described(entity, [hit.memory for hit in found.hits], found.considered, relations)


def _relations(memories: Memories, here: Ref) -> wire.Json:
    relations = memories.relations_of(here)
    refs = dict.fromkeys(end for each in relations for end in (each.source, each.target))
    entities = memories.entities_by_id(ref.id for ref in refs if ref.kind == "entity")
    others = memories.get(ref.id for ref in refs if ref.kind == "memory")
    ends = {Ref("entity", entity.id): translate.end_of(entity) for entity in entities}
    ends |= {Ref("memory", memory.id): translate.end_of(memory) for memory in others}
    return translate.related(here, relations, ends)


def _list(door: _Door, arguments: Arguments) -> Result:
    limit, offset = translate.whole(arguments, "limit", 10), translate.whole(arguments, "offset", 0)
    types = arguments.get("entityTypes") or None
    total, page = door.memories.list_entities(types=types, limit=limit, offset=offset, entity_class=None)
    answer = translate.listed(total, offset, page)
    return door.say(answer, wire.compact(answer))


# --- remember_fact ----------------------------------------------------------------------------------------------------


def _remember_fact(door: _Door) -> Tool:
    return Tool(
        name=REMEMBER_FACT,
        title="Remember Fact",
        description=wire.REMEMBER_FACT_DESCRIPTION,
        input_schema=wire.REMEMBER_FACT_INPUT,
        output_schema=wire.REMEMBER_FACT_OUTPUT,
        run=_worded(REMEMBER_FACT, door, lambda caller, arguments: _remember(door, caller, arguments)),
        idempotent=True,
        refuse=_refuse(REMEMBER_FACT, door),
        family=FAMILY,
    )


def _remember(door: _Door, caller: Caller, arguments: Arguments) -> Result:
    memories = door.memories
    name, type = arguments["entityName"], arguments["entityType"]
    draft = translate.fact(arguments, caller.session_id, memories.moment)
    known_as = memories.entity(name, type, entity_class=None)
    entity_class = "entity" if known_as is None else known_as.entity_class
    entity, remembered = memories.observe(name, type, draft, entity_class=entity_class)
    known = remembered.disposition == "deduplicated"
    answer = (wire.known_fact if known else wire.new_fact)(entity, remembered.memory)
    return door.say(answer, wire.compact_fact(answer))


# --- relate_entities --------------------------------------------------------------------------------------------------


def _relate_entities(door: _Door) -> Tool:
    return Tool(
        name=RELATE_ENTITIES,
        title="Relate Entities",
        description=wire.RELATE_ENTITIES_DESCRIPTION,
        input_schema=wire.RELATE_ENTITIES_INPUT,
        output_schema=wire.RELATE_ENTITIES_OUTPUT,
        run=_worded(RELATE_ENTITIES, door, lambda _, arguments: _relate(door, arguments)),
        idempotent=True,
        refuse=_refuse(RELATE_ENTITIES, door),
        family=FAMILY,
    )


def _relate(door: _Door, arguments: Arguments) -> Result:
    said = arguments["relation"]
    type = translate.relation_type(said)
    source = _end(door.memories, arguments["fromEntity"], arguments.get("fromEntityType"))
    target = _end(door.memories, arguments["toEntity"], arguments.get("toEntityType"))
    if _identity(source) == _identity(target):
        return refusals.self_referential(RELATE_ENTITIES, door.options, arguments["fromEntity"])
    relation = door.memories.relate(source, target, type)
    ends = door.memories.entities_by_id([relation.source.id, relation.target.id])
    answer = wire.new_relation(relation, said, *ends)
    return door.say(answer, wire.compact_relation(answer))


def _end(memories: Memories, name: str, type: str | None) -> Ref | tuple[str, str | None]:
    """The entity or node of that name, else what is to be made."""
    known = memories.entity(name, type, entity_class=None)
    return (name, type) if known is None else Ref("entity", known.id)


def _identity(end: Ref | tuple[str, str | None]) -> object:
    """Two ends with the same one are, or would become, one entity."""
    return end if isinstance(end, Ref) else (fold_name(end[0]), end[1] or "concept")
