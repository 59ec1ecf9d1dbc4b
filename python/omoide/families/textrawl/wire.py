"""Exactly what textrawl's clients see: schemas, keys, compact texts. (Errors: refusals.py.)

Useful for: the format of answers. Not useful for: deciding what is in them (translate.py).
Invariant: structured values have the long keys; a compact text is always made from the structured value.
Whole numbers are printed without a fraction, as JavaScript does.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from omoide.families.tool import indented, number
from omoide.memory.ids import MIN_PREFIX_CHARS
from omoide.model.entity import ENTITY_TYPES, NODE_TYPES, Entity
from omoide.model.memory import Memory
from omoide.model.relation import Relation

Json = dict[str, Any]

SOURCES = ("conversation", "note", "document", "manual")
MAX_QUERY_CHARS = 1_000
MAX_NAME_CHARS = 200
MAX_OBSERVATION_CHARS = 2_000
MAX_RELATION_CHARS = 100
#: Most observations or entities that are listed, and most that a search returns.
MAX_LISTED, MAX_FOUND = 100, 50
#: Most facts, and most relations, in one call.
MAX_ITEMS = 50

# --- what goes in -----------------------------------------------------------------------------------------------------

_NAME: Json = {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARS}
_TYPE: Json = {"type": "string", "enum": list(ENTITY_TYPES)}

QUERY_MEMORY_DESCRIPTION = """\
Query stored memories. Modes:
search: memories that match `query`, grouped by entity. Score: 0.9+ highly relevant, 0.7+ good, 0.5+ moderate, below weak.
entity: one entity's observations (newest first) and relations.
list: known entities, last updated first.
Compact keys: n=count/name, e=entities, t=type, m=memories, c=content, s=score, o=observations, r=relations, more=observations beyond maxObs."""

QUERY_MEMORY_INPUT: Json = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["search", "entity", "list"], "description": "Query mode"},
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_QUERY_CHARS,
            "description": "Any language (required for mode=search)",
        },
        "entityTypes": {"type": "array", "items": _TYPE, "description": "Only these entity types (default: all)"},
        "searchMode": {
            "type": "string",
            "enum": ["hybrid", "semantic"],
            "default": "hybrid",
            "description": "hybrid: keywords and vectors (recommended); semantic: vectors only (mode=search)",
        },
        "entityName": {**_NAME, "description": "Whole name (required for mode=entity)"},
        "includeRelated": {"type": "boolean", "default": True, "description": "Include relations (mode=entity)"},
        "maxObs": {
            "type": "number",
            "minimum": 1,
            "maximum": MAX_LISTED,
            "default": 20,
            "description": "Max observations (mode=entity)",
        },
        "limit": {
            "type": "number",
            "minimum": 1,
            "maximum": MAX_LISTED,
            "default": 10,
            "description": f"Max results (1-{MAX_FOUND} for search, 1-{MAX_LISTED} for list)",
        },
        "offset": {"type": "number", "minimum": 0, "default": 0, "description": "Pagination offset (mode=list)"},
    },
    "required": ["mode"],
}

REMEMBER_FACT_DESCRIPTION = (
    "Store one fact about an entity (made if new) for query_memory to find. The same fact is kept once."
)

REMEMBER_FACT_INPUT: Json = {
    "type": "object",
    "properties": {
        "entityName": {**_NAME, "description": "Who or what the fact is about"},
        "entityType": _TYPE,
        "observation": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_OBSERVATION_CHARS,
            "description": "The fact, one self-contained statement",
        },
        "source": {"type": "string", "enum": list(SOURCES), "default": "conversation"},
        "validUntil": {"type": "string", "description": "Last day or moment the fact holds, e.g. 2026-12-31"},
    },
    "required": ["entityName", "entityType", "observation"],
}

RELATE_ENTITIES_DESCRIPTION = (
    "Relate two entities, made if missing: fromEntity --relation--> toEntity. Common relations: works_at, knows, manages, "
    "works_on, created, owns, prefers, expert_in, part_of, depends_on, located_in."
)

RELATE_ENTITIES_INPUT: Json = {
    "type": "object",
    "properties": {
        "fromEntity": _NAME,
        "relation": {"type": "string", "minLength": 1, "maxLength": MAX_RELATION_CHARS},
        "toEntity": _NAME,
        "fromEntityType": {**_TYPE, "description": "Omit if unsure"},
        "toEntityType": _TYPE,
    },
    "required": ["fromEntity", "relation", "toEntity"],
}

BUILD_KNOWLEDGE_DESCRIPTION = (
    f"Store up to {MAX_ITEMS} facts and {MAX_ITEMS} relations in one call, facts first. What is there already is kept once; what cannot be "
    "stored is listed, the rest is stored."
)

BUILD_KNOWLEDGE_INPUT: Json = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": MAX_ITEMS,
            "items": {
                "type": "object",
                "properties": {
                    name: REMEMBER_FACT_INPUT["properties"][name]
                    for name in ("entityName", "entityType", "observation", "source")
                },
                "required": ["entityName", "entityType", "observation"],
            },
        },
        "relations": {"type": "array", "maxItems": MAX_ITEMS, "items": RELATE_ENTITIES_INPUT},
    },
}

FORGET_ENTITY_DESCRIPTION = (
    "Delete an entity with its relations and all memories of it alone, for good. Try dryRun first. Needs confirm=true, or "
    "a yes to the confirmation prompt where the client shows one."
)

FORGET_ENTITY_INPUT: Json = {
    "type": "object",
    "properties": {
        "entityName": {**_NAME, "description": "Whole name"},
        "dryRun": {"type": "boolean", "default": False, "description": "Only tell what would be deleted"},
        "confirm": {"type": "boolean", "default": False, "description": "Really delete"},
        "entityType": {
            "type": "string",
            "enum": list(dict.fromkeys((*ENTITY_TYPES, *NODE_TYPES))),
            "description": "Needed when several entities have the name",
        },
    },
    "required": ["entityName"],
}

# --- what comes out ---------------------------------------------------------------------------------------------------


def _shape(required: Sequence[str] = (), /, **properties: Json) -> Json:
    shape: Json = {"type": "object", "properties": properties}
    return {**shape, "required": list(required)} if required else shape


def _many(shape: Json) -> Json:
    return {"type": "array", "items": shape}


_STRING: Json = {"type": "string"}
_NUMBER: Json = {"type": "number"}
_COUNT: Json = {"type": "integer"}
_FLAG: Json = {"type": "boolean"}
_STRING_OR_NULL: Json = {"type": ["string", "null"]}
_ENTITY: Json = {"id": _STRING, "name": _STRING, "type": _STRING}

QUERY_MEMORY_OUTPUT = _shape(
    ["mode"],
    mode={"type": "string", "enum": ["search", "entity", "list"]},
    totalMemories=_COUNT,
    entities=_many(
        _shape(
            entityName=_STRING,
            entityType=_STRING,
            memories=_many(_shape(content=_STRING, source=_STRING, score=_NUMBER, alike=_many(_STRING))),
        )
    ),
    found=_FLAG,
    entity=_shape(**_ENTITY, description=_STRING_OR_NULL),
    observations=_many(
        _shape(id=_STRING, content=_STRING, source=_STRING, confidence=_NUMBER, created_at=_STRING),
    ),
    relations=_shape(
        outgoing=_many(_shape(relation_type=_STRING, to_entity=_STRING, to_entity_type=_STRING, strength=_NUMBER)),
        incoming=_many(_shape(relation_type=_STRING, from_entity=_STRING, from_entity_type=_STRING, strength=_NUMBER)),
    ),
    hasMore=_FLAG,
    totalObservations=_COUNT,
    message=_STRING,
    total=_COUNT,
    returned=_COUNT,
    offset=_COUNT,
    entityList=_many(_shape(**_ENTITY, description=_STRING_OR_NULL, updatedAt=_STRING)),
)

REMEMBER_FACT_OUTPUT = _shape(
    ["success", "entityId", "observationId"],
    success=_FLAG,
    duplicate=_FLAG,
    message=_STRING,
    entityId=_STRING,
    entityName=_STRING,
    entityType=_STRING,
    observationId=_STRING,
)

RELATE_ENTITIES_OUTPUT = _shape(
    ["success", "relationId"],
    success=_FLAG,
    message=_STRING,
    relationId=_STRING,
    fromEntity=_shape(**_ENTITY),
    toEntity=_shape(**_ENTITY),
)

BUILD_KNOWLEDGE_OUTPUT = _shape(
    ["success", "factsCreated", "factsDuplicate", "relationsCreated"],
    success=_FLAG,
    factsCreated=_COUNT,
    factsDuplicate=_COUNT,
    relationsCreated=_COUNT,
    partialSuccess=_FLAG,
    errors=_many(_STRING),
)

FORGET_ENTITY_OUTPUT = _shape(
    success=_FLAG,
    message=_STRING,
    deletedEntityId=_STRING,
    memories=_COUNT,
    dryRun=_FLAG,
    wouldDelete=_shape(["entityId", "entityName"], entityId=_STRING, entityName=_STRING),
)

# --- values -----------------------------------------------------------------------------------------------------------


def score(relevance: float) -> float | int:
    """Relevance (0..1) rounded to two decimals, halves up."""
    return number(math.floor(relevance * 100 + 0.5) / 100)


def instant(moment: datetime) -> str:
    """The instant as 2026-01-05T10:00:00+00:00, the format of `created_at`."""
    return moment.astimezone(timezone.utc).isoformat(timespec="seconds")


def instant_with_milliseconds(moment: datetime) -> str:
    """The instant as 2026-01-05T10:00:00.000Z, the format of `updatedAt`."""
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def not_found(name: str) -> Json:
    """The answer for an entity that does not exist; not an error."""
    return {
        "mode": "entity",
        "found": False,
        "message": f'No entity found with name "{name}". Use query_memory with mode="list" to see available entities, '
        "or remember_fact to create one.",
    }


def new_fact(entity: Entity, observation: Memory) -> Json:
    """The answer for a fact that was stored."""
    return {
        "success": True,
        "message": f'Remembered: "{observation.text}" about {entity.name}',
        "entityId": entity.id,
        "entityName": entity.name,
        "entityType": entity.type,
        "observationId": observation.id,
    }


def known_fact(entity: Entity, observation: Memory) -> Json:
    """The answer for a fact that was stored before."""
    return {
        "success": True,
        "duplicate": True,
        "message": "This fact was already remembered.",
        "entityId": entity.id,
        "observationId": observation.id,
    }


def new_relation(relation: Relation, said: str, source: Entity, target: Entity) -> Json:
    """The answer for a relation that was created or updated; `said` is its type as the caller wrote it."""
    return {
        "success": True,
        "message": f"Created relation: {source.name} {said} {target.name}",
        "relationId": relation.id,
        "fromEntity": {"id": source.id, "name": source.name, "type": source.type},
        "toEntity": {"id": target.id, "name": target.name, "type": target.type},
    }


def describe_fact(fact: Mapping[str, Any]) -> str:
    """The name of a batch's fact in an error."""
    return f'fact "{fact["entityName"]}"'


def describe_relation(relation: Mapping[str, Any]) -> str:
    """The name of a batch's relation in an error."""
    return f'relation "{relation["fromEntity"]} {relation["relation"]} {relation["toEntity"]}"'


def built(new: int, known: int, relations: int, errors: Sequence[str]) -> Json:
    """The answer for a batch that was stored, completely or in part."""
    answer: Json = {
        "success": not errors,
        "factsCreated": new,
        "factsDuplicate": known,
        "relationsCreated": relations,
    }
    return {**answer, "partialSuccess": new + known + relations > 0, "errors": list(errors)} if errors else answer


def would_forget(entity: Entity, memories: int) -> Json:
    """The answer of a dry run; `memories` is how many would be removed with the entity."""
    return {
        "dryRun": True,
        "wouldDelete": {"entityId": entity.id, "entityName": entity.name},
        "message": "Dry run — nothing deleted. Set dryRun=false and confirm to permanently delete this entity and all its "
        "memories.",
        "memories": memories,
    }


def forgotten(entity: Entity, memories: int) -> Json:
    """The answer for an entity that was removed; `memories` is how many were removed with it."""
    return {
        "success": True,
        "message": f"Forgotten: {entity.name} and all associated memories",
        "deletedEntityId": entity.id,
        "memories": memories,
    }


def forget_question(entity: Entity, memories: int) -> str:
    """The question to the user, in Japanese, Chinese and English, as the user's language is unknown."""
    name = f"{entity.name} ({entity.type})"
    return (
        f"Forget {name} with its memories ({memories}) for good?\n"
        f"{name} とその記憶（{memories} 件）を完全に削除しますか？\n"
        f"要永久删除 {name} 及其记忆（{memories} 条）吗？"
    )


# --- compact texts ----------------------------------------------------------------------------------------------------


def compact(answer: Mapping[str, Any]) -> Json:
    """The short form of any answer of `query_memory`."""
    return {"search": _compact_search, "entity": _compact_entity, "list": _compact_list}[answer["mode"]](answer)


def _compact_search(answer: Mapping[str, Any]) -> Json:
    message = {"message": answer["message"]} if "message" in answer else {}
    return message | {
        "n": answer["totalMemories"],
        "e": [
            {
                "n": group["entityName"],
                "t": group["entityType"],
                "m": [_compact_memory(memory) for memory in group["memories"]],
            }
            for group in answer["entities"]
        ],
    }


def _compact_memory(memory: Mapping[str, Any]) -> Json:
    again = {"a": len(memory["alike"])} if "alike" in memory else {}
    return {"c": memory["content"], "s": memory["score"], **again}


def _compact_entity(answer: Mapping[str, Any]) -> Json:
    if not answer["found"]:
        return {"found": False}
    short: Json = {"t": answer["entity"]["type"], "o": [each["content"] for each in answer["observations"]]}
    outgoing, incoming = answer["relations"]["outgoing"], answer["relations"]["incoming"]
    if outgoing or incoming:
        short["r"] = {
            "out": [f"{each['relation_type']}→{each['to_entity']}" for each in outgoing],
            "in": [f"{each['from_entity']}→{each['relation_type']}" for each in incoming],
        }
    if answer["hasMore"]:
        short["more"] = answer["totalObservations"] - len(answer["observations"])
    return short


def _compact_list(answer: Mapping[str, Any]) -> Json:
    return {
        "n": answer["total"],
        "e": [{"n": entity["name"], "t": entity["type"]} for entity in answer["entityList"]],
    }


def compact_fact(answer: Mapping[str, Any]) -> Json:
    """The short form of an answer of `remember_fact`."""
    if answer.get("duplicate"):
        return {"ok": True, "dup": True, "id": answer["observationId"][:MIN_PREFIX_CHARS]}
    return {
        "ok": True,
        "entity": answer["entityId"][:MIN_PREFIX_CHARS],
        "obs": answer["observationId"][:MIN_PREFIX_CHARS],
    }


def compact_relation(answer: Mapping[str, Any]) -> Json:
    """The short form of an answer of `relate_entities`."""
    return {"ok": True, "id": answer["relationId"][:MIN_PREFIX_CHARS]}


def compact_built(answer: Mapping[str, Any]) -> Json:
    """The short form of an answer of `build_knowledge`."""
    stored = {
        "facts": {"new": answer["factsCreated"], "dup": answer["factsDuplicate"]},
        "rel": answer["relationsCreated"],
    }
    if answer["success"]:
        return {"ok": True, **stored}
    return {"ok": False, "partial": answer["partialSuccess"], **stored, "err": answer["errors"]}


def to_text(value: Mapping[str, Any], *, compact: bool) -> str:
    """JSON without spaces, or indented by two; characters of every script as they are."""
    if compact:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return indented(value)
