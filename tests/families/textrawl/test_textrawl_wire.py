"""The shapes on the wire: schemas, hints for hosts, compact keys, numbers. Nothing is stored."""

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import jsonschema
import pytest

from omoide.families.textrawl import Options, tools, wire
from omoide.memory import Memories

#: (type, default) by tool and argument; what is ours is marked so.
PUBLISHED_ARGUMENTS: dict[str, dict[str, tuple[str, Any]]] = {
    "QUERY_MEMORY": {
        "mode": ("string", None),
        "query": ("string", None),
        "entityTypes": ("array", None),
        "searchMode": ("string", "hybrid"),
        "entityName": ("string", None),
        "includeRelated": ("boolean", True),
        "maxObs": ("number", 20),
        "limit": ("number", 10),
        "offset": ("number", 0),
    },
    "REMEMBER_FACT": {
        "entityName": ("string", None),
        "entityType": ("string", None),
        "observation": ("string", None),
        "source": ("string", "conversation"),
        "validUntil": ("string", None),
    },
    "RELATE_ENTITIES": {
        "fromEntity": ("string", None),
        "relation": ("string", None),
        "toEntity": ("string", None),
        "fromEntityType": ("string", None),
        "toEntityType": ("string", None),
    },
    "BUILD_KNOWLEDGE": {"facts": ("array", None), "relations": ("array", None)},
    "FORGET_ENTITY": {
        "entityName": ("string", None),
        "dryRun": ("boolean", False),
        "confirm": ("boolean", False),
        "entityType": ("string", None),  # ours
    },
}
REQUIRED = {
    "QUERY_MEMORY": {"mode"},
    "REMEMBER_FACT": {"entityName", "entityType", "observation"},
    "RELATE_ENTITIES": {"fromEntity", "relation", "toEntity"},
    "FORGET_ENTITY": {"entityName"},
}


@pytest.mark.requirement("textrawl.schema")
def test_hosts_are_told_what_reads_what_destroys_and_what_may_be_repeated(memories: Memories) -> None:
    offered = tools(memories, Options())
    assert [tool.name for tool in offered if tool.read_only] == ["query_memory"]
    assert [tool.name for tool in offered if tool.destructive] == ["forget_entity"]
    assert {tool.name for tool in offered if not tool.idempotent} == {"forget_entity"}
    assert {tool.name for tool in offered if tool.on_request} == {"build_knowledge", "forget_entity"}
    assert all(tool.title and tool.output_schema for tool in offered)


@pytest.mark.requirement("textrawl.schema")
@pytest.mark.parametrize("tool", PUBLISHED_ARGUMENTS)
def test_the_arguments_are_the_published_ones(tool: str) -> None:
    schema = vars(wire)[f"{tool}_INPUT"]
    found = {name: (each["type"], each.get("default")) for name, each in schema["properties"].items()}
    assert found == PUBLISHED_ARGUMENTS[tool]
    assert set(schema.get("required", ())) == REQUIRED.get(tool, set())


@pytest.mark.requirement("textrawl.schema")
@pytest.mark.parametrize(
    ("facts", "relations", "fits"),
    [
        (50, 50, True),
        (51, 0, False),
        (0, 51, False),
    ],
)
def test_a_batch_has_fifty_of_each_at_most(facts: int, relations: int, fits: bool) -> None:
    fact = {"entityName": "健太", "entityType": "person", "observation": "事実"}
    relation = {"fromEntity": "健太", "relation": "knows", "toEntity": "小红"}
    batch = {"facts": [fact] * facts, "relations": [relation] * relations}
    assert jsonschema.Draft202012Validator(wire.BUILD_KNOWLEDGE_INPUT).is_valid(batch) is fits


@pytest.mark.requirement("textrawl.schema")
@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        ({"mode": "search", "query": "京都"}, True),
        ({"mode": "search", "query": "語" * 1000}, True),
        ({"mode": "search", "query": "語" * 1001}, False),
        ({"mode": "search", "query": ""}, False),
        ({"query": "京都"}, False),
        ({"mode": "recall"}, False),
        ({"mode": "list", "entityTypes": ["person", "location"]}, True),
        ({"mode": "list", "entityTypes": ["人物"]}, False),
        ({"mode": "entity", "entityName": "名" * 200}, True),
        ({"mode": "entity", "entityName": "名" * 201}, False),
        ({"mode": "list", "limit": 100, "offset": 0}, True),
        ({"mode": "list", "limit": 101}, False),
        ({"mode": "list", "limit": 0}, False),
        ({"mode": "list", "offset": -1}, False),
        ({"mode": "entity", "entityName": "Jeff", "maxObs": 101}, False),
        ({"mode": "search", "query": "京都", "searchMode": "fuzzy"}, False),
    ],
)
def test_bounds_and_enums_hold(arguments: dict[str, Any], fits: bool) -> None:
    assert jsonschema.Draft202012Validator(wire.QUERY_MEMORY_INPUT).is_valid(arguments) is fits


@pytest.mark.requirement("textrawl.schema")
@pytest.mark.parametrize(
    "schema", [value for name, value in vars(wire).items() if name.endswith(("_INPUT", "_OUTPUT"))]
)
def test_schemas_are_flat_and_well_formed(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert not {"$ref", "anyOf", "oneOf", "$defs"} & set(json.dumps(schema).split('"'))


@pytest.mark.requirement("textrawl.json.integral")
@pytest.mark.parametrize(
    ("relevance", "printed"),
    [(1.0, "1"), (0.0, "0"), (0.925, "0.93"), (0.9, "0.9"), (0.004, "0"), (0.005, "0.01"), (0.3333, "0.33")],
)
def test_scores_have_two_decimals_at_most_and_none_when_whole(relevance: float, printed: str) -> None:
    assert json.dumps(wire.score(relevance)) == printed


@pytest.mark.requirement("textrawl.entity.structured")
@pytest.mark.requirement("textrawl.list.page")
def test_times_are_written_in_utc_as_the_two_fields_are_known() -> None:
    moment = datetime(2026, 1, 5, 19, 0, tzinfo=timezone(timedelta(hours=9)))
    assert wire.instant(moment) == "2026-01-05T10:00:00+00:00"
    assert wire.instant_with_milliseconds(moment) == "2026-01-05T10:00:00.000Z"


SEARCHED = {
    "mode": "search",
    "totalMemories": 3,
    "entities": [
        {
            "entityName": "健太",
            "entityType": "person",
            "memories": [
                {"content": "抹茶が好き", "source": "conversation", "score": 0.92},
                {"content": "住在京都", "source": "note", "score": 1},
            ],
        },
        {
            "entityName": "Development Setup",
            "entityType": "preference",
            "memories": [{"content": "dark mode", "source": "manual", "score": 0.78}],
        },
    ],
}
SEARCHED_COMPACT = (
    '{"n":3,"e":[{"n":"健太","t":"person","m":[{"c":"抹茶が好き","s":0.92},{"c":"住在京都","s":1}]},'
    '{"n":"Development Setup","t":"preference","m":[{"c":"dark mode","s":0.78}]}]}'
)


def _entity(observations: int, total: int, outgoing: list[Any], incoming: list[Any]) -> dict[str, Any]:
    return {
        "mode": "entity",
        "found": True,
        "entity": {"id": "e", "name": "健太", "type": "person", "description": None},
        "observations": [{"content": f"事実{number}"} for number in range(observations)],
        "relations": {"outgoing": outgoing, "incoming": incoming},
        "hasMore": total > observations,
        "totalObservations": total,
    }


WORKS_AT = {"relation_type": "works_at", "to_entity": "任天堂", "to_entity_type": "organization", "strength": 1}
MANAGES = {"relation_type": "manages", "from_entity": "小红", "from_entity_type": "person", "strength": 1}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (SEARCHED, SEARCHED_COMPACT),
        ({"mode": "search", "totalMemories": 0, "entities": []}, '{"n":0,"e":[]}'),
        (_entity(1, 1, [], []), '{"t":"person","o":["事実0"]}'),
        (
            _entity(1, 6, [WORKS_AT], [MANAGES]),
            '{"t":"person","o":["事実0"],"r":{"out":["works_at→任天堂"],"in":["小红→manages"]},"more":5}',
        ),
        (_entity(0, 0, [WORKS_AT], []), '{"t":"person","o":[],"r":{"out":["works_at→任天堂"],"in":[]}}'),
        (wire.not_found("誰か"), '{"found":false}'),
        (
            {"mode": "list", "total": 45, "entityList": [{"name": "京都", "type": "location", "id": "e"}]},
            '{"n":45,"e":[{"n":"京都","t":"location"}]}',
        ),
    ],
)
@pytest.mark.requirement("textrawl.search.compact")
@pytest.mark.requirement("textrawl.entity.compact")
def test_compact_texts_use_the_published_keys(answer: dict[str, Any], text: str) -> None:
    assert wire.to_text(wire.compact(answer), compact=True) == text
