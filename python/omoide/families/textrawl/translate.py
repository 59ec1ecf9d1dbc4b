"""Translates between textrawl and our model: arguments -> Query and Draft, what was found -> structured values. Pure functions.

Useful for: what arguments and answers mean. Not useful for: running calls (query.py, fact.py, …) or compact texts (wire.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from omoide.dates import Moment
from omoide.errors import InvalidArgument, filled, needed
from omoide.families.textrawl.wire import MAX_FOUND, Json, instant, instant_with_milliseconds, score
from omoide.families.tool import Arguments, number
from omoide.memory.remember import has_ended, is_upcoming
from omoide.model.condition import All, Condition, Either, Equals, OneOf, live, valid_at
from omoide.model.entity import Entity
from omoide.model.memory import LIVE, Draft, Memory
from omoide.model.query import EVERY_ARM, ArmName, Hit, Query
from omoide.model.relation import Related
from omoide.model.scope import plain
from omoide.text import first_sentence, is_blank

#: No list can be longer.
MAX_OFFSET = 2**31 - 1
#: Below this, a score would be printed as 0.
MIN_RELEVANCE = 0.005
ARMS: dict[str, frozenset[ArmName]] = {"hybrid": EVERY_ARM, "semantic": frozenset({"vectors"})}
#: The category of memories by type of entity; `entities` for all other types.
CATEGORY_OF_TYPE = {"preference": "preferences"}

# --- questions --------------------------------------------------------------------------------------------------------


def whole_number(arguments: Arguments, name: str, default: int) -> int:
    """A whole number (the schema says `number`, as published). Raises InvalidArgument for a fraction."""
    value = arguments.get(name, default)
    if value != int(value):
        words = {
            "ja": "{name} には整数を渡してください（{value} でした）。たとえば {whole} です。",
            "zh": "{name} 应为整数（现为 {value}），例如 {whole}。",
        }
        also = filled(words, name=name, value=value, whole=int(value))
        hint = f"Pass {int(value)}, for example."
        raise InvalidArgument(name, f"{name} is {value}, not a whole number.", hint=hint, also=also)
    if value > MAX_OFFSET:
        words = {
            "ja": "{name} が大きすぎます（{value} でした）。",
            "zh": "{name} 过大（现为 {value}）。",
        }
        also = filled(words, name=name, value=f"{value:g}")
        raise InvalidArgument(name, f"{name} is {value:g}, more than there can be.", also=also)
    return int(value)


def currently_valid(now: datetime) -> tuple[Condition, ...]:
    """The conditions of every tool that reads: live memories that have not expired."""
    return live(), valid_at(now)


def is_shown(memory: Memory, now: datetime) -> bool:
    """Whether a memory that was not searched for meets these conditions."""
    return memory.status in LIVE and not has_ended(memory, now) and not is_upcoming(memory, now)


def search_query(arguments: Arguments, now: datetime) -> Query:
    """The query of mode=search; `limit` is capped at MAX_FOUND. An empty `entityTypes` matches nothing, as published."""
    where = currently_valid(now)
    if "entityTypes" in arguments:
        where += (OneOf("entity_type", tuple(arguments["entityTypes"])),)
    return Query(
        text=arguments["query"],
        where=All(where),
        limit=min(whole_number(arguments, "limit", 10), MAX_FOUND),
        arms=ARMS[arguments.get("searchMode", "hybrid")],
        min_relevance=MIN_RELEVANCE,
    )


def observations_query(entities: Iterable[Entity], limit: int, now: datetime) -> Query:
    """The newest memories about entities that are one thing; for a node including the memory with its content."""
    about: list[Condition] = []
    for entity in entities:
        about.append(Equals("entity", entity.id))
        if entity.memory_id is not None:
            about.append(Equals("id", entity.memory_id))
    return Query(where=All((Either(tuple(about)), *currently_valid(now))), limit=limit)


# --- answers: search --------------------------------------------------------------------------------------------------


class Owner(NamedTuple):
    """The group of a found memory; `key` tells owners with the same name apart."""

    key: tuple[str, str]
    name: str
    type: str


def owner_of(
    memory: Memory,
    entities: Mapping[str, Entity],
    node: Entity | None,
    types: Sequence[str],
    threads: Mapping[str, str],
) -> Owner:
    """The entity that a memory is about (one of these `types`, if any were asked for), else its thread, project or scope.

    `entities` are by id; `node` is the one that owns the memory, if any; `threads`: the names of threads by id, for memories that
    do not say it.
    """
    about = [entities[id] for id in memory.entities if id in entities]
    about += [] if node is None else [node]
    candidates = [entity for entity in about if entity.type in types] or about
    if candidates:
        return Owner(("entity", candidates[0].id), candidates[0].name, candidates[0].type)
    if memory.thread is not None:
        name = memory.thread_name or threads.get(memory.thread, memory.thread)
        return Owner(("thread", memory.thread), name, "thread")
    if memory.project is not None:
        return Owner(("project", memory.project), memory.project, "project")
    return Owner(("scope", memory.scope), memory.scope, "scope")


def searched(hits: Sequence[Hit], owner: Callable[[Memory], Owner], notes: Sequence[str]) -> Json:
    """The answer of mode=search: groups in the order of their best hits, hits within a group in rank order.

    `notes`: the notes on arms that could not take part.
    """
    groups: dict[tuple[str, str], Json] = {}
    for hit in hits:
        group_owner = owner(hit.memory)
        group = groups.setdefault(
            group_owner.key, {"entityName": group_owner.name, "entityType": group_owner.type, "memories": []}
        )
        memory = {"content": hit.memory.text, "source": hit.memory.source, "score": score(hit.relevance)}
        group["memories"].append({**memory, "alike": list(hit.alike)} if hit.alike else memory)
    answer: Json = {"mode": "search", "totalMemories": len(hits), "entities": list(groups.values())}
    return {**answer, "message": " ".join(notes)} if notes else answer


# --- answers: entity and list -----------------------------------------------------------------------------------------


def described(entity: Entity, memories: Sequence[Memory], total: int, relations: Json) -> Json:
    """The answer of mode=entity; `total` counts all memories about it that are shown at all, `memories` are the newest."""
    return {
        "mode": "entity",
        "found": True,
        "entity": {"id": entity.id, "name": entity.name, "type": entity.type, "description": entity.description},
        "observations": [_observation(memory) for memory in memories],
        "relations": relations,
        "hasMore": total > len(memories),
        "totalObservations": total,
    }


def _observation(memory: Memory) -> Json:
    return {
        "id": memory.id,
        "content": memory.text,
        "source": memory.source,
        "confidence": number(memory.confidence),
        "created_at": instant(memory.stored_at),
    }


NO_RELATIONS: Json = {"outgoing": [], "incoming": []}


def related(outgoing: Iterable[Related], incoming: Iterable[Related], memories: Mapping[str, Memory]) -> Json:
    """The relations of an entity, oldest first; one that begins and ends there is in both lists. `memories` are by id."""
    return {
        "outgoing": [_relation(each, *end, "to") for each in outgoing if (end := _end_of(each, memories))],
        "incoming": [_relation(each, *end, "from") for each in incoming if (end := _end_of(each, memories))],
    }


def _relation(related: Related, name: str, type: str, way: str) -> Json:
    return {
        "relation_type": related.type,
        f"{way}_entity": name,
        f"{way}_entity_type": type,
        "strength": number(related.weight),
    }


def _end_of(related: Related, memories: Mapping[str, Memory]) -> tuple[str, str] | None:
    """(name, type) of the other end: for a memory its title or first sentence and `memory`; None if that is not shown."""
    if related.name is not None and related.end_type is not None:
        return related.name, related.end_type
    memory = memories.get(related.end.id)
    return None if memory is None else (memory.title or first_sentence(memory.text), "memory")


def listed(total: int, offset: int, entities: Sequence[Entity]) -> Json:
    """The answer of mode=list; `total` counts all entities, not only those of the page."""
    return {
        "mode": "list",
        "total": total,
        "returned": len(entities),
        "offset": offset,
        "entityList": [
            {
                "id": entity.id,
                "name": entity.name,
                "type": entity.type,
                "description": entity.description,
                "updatedAt": instant_with_milliseconds(entity.updated_at),
            }
            for entity in entities
        ],
    }


# --- writing ----------------------------------------------------------------------------------------------------------


def name_in(arguments: Arguments, argument: str) -> str:
    """The name of an entity, without outer blanks. Raises InvalidArgument for a blank name, which the schema accepts."""
    name: str = arguments[argument].strip()
    if is_blank(name):
        raise InvalidArgument(argument, f"{argument} is blank.", also=needed(argument))
    return name


def fact(arguments: Arguments, tool: str, session_id: str, moment: Moment) -> Draft:
    """The draft of a fact, given to `tool`. Raises InvalidArgument: blank, or a `validUntil` that is not a date."""
    if is_blank(arguments["observation"]):
        raise InvalidArgument("observation", "observation is blank.", also=needed("observation"))
    valid_until = arguments.get("validUntil")
    return Draft(
        text=arguments["observation"],
        # Facts seldom name whom they are about; as context, the name is searched with them.
        context=arguments["entityName"],
        category=CATEGORY_OF_TYPE.get(arguments["entityType"], "entities"),
        session_id=session_id,
        tool=tool,
        source=arguments.get("source", "conversation"),
        confidence=1.0,
        valid_until=None if valid_until is None else end_of_validity(valid_until, moment),
    )


def end_of_validity(text: str, moment: Moment) -> datetime:
    """The instant from which the fact is no longer valid: for a day, the end of the day. Raises InvalidArgument."""
    interval = moment.argument(text, "validUntil", about="future")
    if interval.end is None:
        hint = "Name the last day, for example 2026-12-31."
        also = {
            "ja": f"validUntil の「{text}」には終わりがありません。2026-12-31 のように最後の日を書いてください。",
            "zh": f"validUntil“{text}”没有终点，请写出最后一天，例如 2026-12-31。",
        }
        raise InvalidArgument("validUntil", f"{text!r} has no end.", hint=hint, also=also)
    return interval.end


def relation_type(text: str) -> str:
    """`Works At` and `Ｗｏｒｋｓ　Ａｔ` -> `works_at`. Raises InvalidArgument for a blank one."""
    if is_blank(text):
        raise InvalidArgument(
            "relation", "The relation is blank.", hint="Name it, for example works_at.", also=needed("relation")
        )
    return re.sub(r"\s+", "_", plain(text).strip()).lower()
