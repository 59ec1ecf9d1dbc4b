"""Schemas, hints for hosts, scores, previews and layouts, line for line. Nothing is stored."""

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import jsonschema
import pytest

from omoide.families.contextplus import tools, translate, wire
from omoide.families.contextplus.scoring import direct_score, neighbour_score
from omoide.memory import Memories
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.query import Hit, MissingArm, Neighbour, Query, Recalled, Step, Why

#: A Hangul syllable in three code points.
JAMO = "\u1100\u1161\u11a8"
NOW = datetime(2026, 1, 11, tzinfo=timezone.utc)
SCHEMAS = [value for name, value in vars(wire).items() if name.endswith(("_INPUT", "_OUTPUT"))]
ARGUMENTS = {
    "SEARCH": {"query": "string", "max_depth": "number", "top_k": "number", "edge_filter": "array"},
    "UPSERT": {"type": "string", "label": "string", "content": "string", "metadata": "object"},
    "RELATE": {
        "source_id": "string",
        "target_id": "string",
        "relation": "string",
        "weight": "number",
        "metadata": "object",
    },
    "INTERLINK": {"items": "array", "auto_link": "boolean"},
    "TRAVERSE": {"start_node_id": "string", "max_depth": "number", "edge_filter": "array"},
    "PRUNE": {"threshold": "number"},
    "DELETE": {"node_id": "string"},
}
REQUIRED = {
    "SEARCH": {"query"},
    "UPSERT": {"type", "label", "content"},
    "RELATE": {"source_id", "target_id", "relation"},
    "INTERLINK": {"items"},
    "TRAVERSE": {"start_node_id"},
    "DELETE": {"node_id"},
}


@pytest.mark.requirement("contextplus.schema")
@pytest.mark.parametrize("schema", SCHEMAS)
def test_schemas_are_flat_and_well_formed(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert not {"$ref", "anyOf", "oneOf", "$defs"} & set(json.dumps(schema).split('"'))


@pytest.mark.requirement("contextplus.schema")
def test_hosts_are_told_what_reads_what_destroys_and_what_may_be_repeated(memories: Memories) -> None:
    offered = tools(memories)
    destroys = {"prune_stale_links", "delete_memory_node"}
    assert [tool.name for tool in offered if tool.read_only] == ["search_memory_graph"]
    assert {tool.name for tool in offered if tool.destructive} == destroys
    repeatable = {"search_memory_graph", "create_relation", "prune_stale_links"}
    assert {tool.name for tool in offered if tool.idempotent} == repeatable
    on_request = destroys | {"add_interlinked_context", "retrieve_with_traversal"}
    assert {tool.name for tool in offered if tool.on_request} == on_request
    assert all(tool.title and tool.output_schema for tool in offered)


@pytest.mark.requirement("contextplus.schema")
@pytest.mark.parametrize("tool", ARGUMENTS)
def test_the_arguments_are_the_published_ones(tool: str) -> None:
    schema = vars(wire)[f"{tool}_INPUT"]
    assert {name: each["type"] for name, each in schema["properties"].items()} == ARGUMENTS[tool]
    assert set(schema.get("required", ())) == REQUIRED.get(tool, set())


@pytest.mark.requirement("contextplus.schema")
def test_the_enums_are_the_published_ones() -> None:
    relations = ["relates_to", "depends_on", "implements", "references", "similar_to", "contains"]
    types = ["concept", "file", "symbol", "note"]
    assert wire.UPSERT_INPUT["properties"]["type"]["enum"] == types
    assert wire.INTERLINK_INPUT["properties"]["items"]["items"]["properties"]["type"]["enum"] == types
    assert wire.RELATE_INPUT["properties"]["relation"]["enum"] == relations
    for schema in (wire.SEARCH_INPUT, wire.TRAVERSE_INPUT):
        assert schema["properties"]["edge_filter"]["items"]["enum"] == relations


@pytest.mark.requirement("contextplus.search.score")
@pytest.mark.parametrize(
    ("similarity", "weight", "age_days", "depth", "score"),
    [
        # A fresh link of weight 1: the published numbers.
        (0.6, 1.0, 0, 1, 76.0),
        (0.5, 1.0, 3, 1, 64.4),
        (0.0, 1.0, 0, 1, 40.0),
        # Age: the published decay.
        (0.0, 1.0, 1, 1, 38.0),
        (0.0, 1.0, 14, 1, 19.9),
        (0.0, 1.0, 60, 1, 2.0),
        (0.5, 1.0, -1, 1, 70.0),
        # Weight and depth count.
        (0.5, 0.5, 3, 1, 47.2),
        (0.5, 0.0, 3, 1, 30.0),
        (0.5, 0.8, 2, 1, 59.0),
        (0.5, 0.8, 2, 2, 52.3),
        (0.2, 0.5, 10, 1, 24.1),
        (-0.5, 1.0, 0, 1, 40.0),
    ],
)
def test_a_neighbours_score_falls_with_age_distance_and_weakness(
    similarity: float, weight: float, age_days: float, depth: int, score: float
) -> None:
    assert neighbour_score(similarity, weight, age_days, depth) == score


@pytest.mark.requirement("contextplus.search.score")
@pytest.mark.parametrize(
    ("relevance", "score"), [(0.9, 90.0), (0.9004, 90.0), (0.9005, 90.1), (1.0, 100.0), (0.0, 0.0)]
)
def test_a_direct_match_scores_its_relevance_in_percent(relevance: float, score: float) -> None:
    assert direct_score(relevance) == score


@pytest.mark.requirement("contextplus.relate.layout")
@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (1.0, "1"),
        (90.0, "90"),
        (-0.0, "0"),
        (66.2, "66.2"),
        (0.9, "0.9"),
        (1 / 3, "0.3333333333333333"),
        (0.00001, "0.00001"),
        (1.2345678901234567e-05, "0.000012345678901234568"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (2.5e-10, "2.5e-10"),
    ],
)
def test_numbers_are_printed_as_javascript_prints_them(value: float, printed: str) -> None:
    assert wire.js_number(value) == printed


@pytest.mark.requirement("contextplus.search.preview")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a" * 10, "a" * 10),
        ("a" * 11, "a" * 10 + "..."),
        ("記憶" * 5, "記憶" * 5),
        ("記憶" * 6, "記憶" * 5 + "..."),
        ("叱" * 9 + "𠮟る", "叱" * 9 + "𠮟..."),
        ("か" * 9 + "か\u3099ぎ", "か" * 9 + "..."),
        ("カ" * 9 + "ｶﾞ", "カ" * 9 + "..."),
        ("x" * 9 + "👩‍🔬", "x" * 9 + "..."),
        ("x" * 8 + "👍🏽ok", "x" * 8 + "👍🏽..."),
        ("x" * 9 + "👍🏽ok", "x" * 9 + "..."),
        ("x" * 9 + "🇯🇵🇨🇳", "x" * 9 + "..."),
        ("x" * 8 + "🇯🇵🇨🇳", "x" * 8 + "🇯🇵..."),
        ("x" * 9 + JAMO * 2, "x" * 9 + "..."),
        ("x" * 6 + JAMO * 2, "x" * 6 + JAMO + "..."),
        ("e" + "\u0301" * 20, "e" + "\u0301" * 9 + "..."),
    ],
)
def test_a_preview_cuts_between_characters(text: str, shown: str) -> None:
    assert wire.preview(text, 10) == shown


@pytest.mark.requirement("contextplus.search.preview")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("一行  だけ", "一行  だけ"),
        ("第一行\n第二行", "第一行 第二行"),
        ("one  \r\n\r\n\ttwo\u2028three\n", "one two three"),
        ("", ""),
        ("\n", ""),
    ],
)
def test_line_breaks_become_a_space(text: str, line: str) -> None:
    assert wire.on_one_line(text) == line


# --- a whole answer


def _memory(number: int, text: str, **fields: Any) -> Memory:
    return Memory(id=f"m-{number}", number=number, text=text, stored_at=NOW, updated_at=NOW, **fields)


def _node(number: int, type: str, label: str) -> Entity:
    return Entity(
        id=f"mn-{number}",
        number=number,
        entity_class="node",
        name=label,
        type=type,
        memory_id=f"m-{number}",
        created_at=NOW,
        updated_at=NOW,
    )


AUTH = _memory(1, "Handles user login and session management")
LOGIN = _memory(2, "Login function")
STORE = _memory(3, "Session store")
LIMITS = _memory(4, "Five attempts per minute")
NODES = {
    "m-1": _node(1, "concept", "Auth Flow"),
    "m-2": _node(2, "symbol", "loginUser"),
    "m-3": _node(3, "file", "session.ts"),
    "m-4": _node(4, "note", "Rate limits"),
}


def _hit(memory: Memory, relevance: float) -> Hit:
    return Hit(memory=memory, relevance=relevance, score=relevance, why=Why())


def _neighbour(origin: Memory, path: tuple[Step, ...], similarity: float, weight: float, days: int) -> Neighbour:
    return Neighbour(
        node=path[-1].to,
        origin=origin,
        depth=len(path),
        path=path,
        similarity=similarity,
        weight=weight,
        created_at=NOW - timedelta(days=days),
    )


def _answer(query: Query, recalled: Recalled, nodes: dict[str, Entity] = NODES) -> dict[str, Any]:
    size = translate.totals(4, 3)
    return translate.searched(query, recalled, size, lambda thing: translate.place_of(thing, nodes), NOW)


TO_LOGIN = Step("contains", LOGIN)
ONE_MATCH = Recalled(
    hits=(_hit(AUTH, 0.9),),
    neighbours=(
        _neighbour(AUTH, (Step("depends_on", STORE, forward=False),), 0.2, 0.5, 10),
        _neighbour(AUTH, (TO_LOGIN,), 0.6, 1.0, 0),
        _neighbour(AUTH, (TO_LOGIN, Step("references", LIMITS)), 0.5, 0.8, 2),
    ),
)
TWO_MATCHES = Recalled(
    hits=(_hit(AUTH, 0.9), _hit(LOGIN, 0.6)),
    neighbours=(
        _neighbour(AUTH, (Step("depends_on", STORE, forward=False),), 0.2, 0.5, 10),
        _neighbour(LOGIN, (Step("references", LIMITS),), 0.5, 0.8, 2),
    ),
)


@pytest.mark.requirement("contextplus.search.layout")
@pytest.mark.requirement("contextplus.search.top_k")
def test_the_text_of_a_search_is_the_published_layout() -> None:
    answer = _answer(Query(text="how does login work", limit=1), ONE_MATCH)
    assert wire.searched(answer) == "\n".join(
        [
            'Memory Graph Search: "how does login work"',
            "Graph: 4 nodes, 3 edges",
            "",
            "Direct Matches:",
            "  [concept] Auth Flow (depth: 0, score: 90)",
            "    Content: Handles user login and session management",
            "    ID: mn-1 | Accessed: 1x",
            "",
            "Linked Neighbors:",
            "  [symbol] loginUser (depth: 1, score: 76)",
            "    Content: Login function",
            "    Path: Auth Flow --[contains]--> loginUser",
            "    ID: mn-2 | Accessed: 1x",
            "  [note] Rate limits (depth: 2, score: 52.3)",
            "    Content: Five attempts per minute",
            "    Path: Auth Flow --[contains]--> loginUser --[references]--> Rate limits",
            "    ID: mn-4 | Accessed: 1x",
        ]
    )


@pytest.mark.requirement("contextplus.search.layout")
def test_a_path_is_printed_along_the_walk_and_its_direction_is_in_the_structured_value() -> None:
    answer = _answer(Query(text="how does login work", limit=2), TWO_MATCHES)
    assert [(each["label"], each["score"]) for each in answer["neighbors"]] == [
        ("Rate limits", 59),
        ("session.ts", 24.1),
    ]
    assert "    Path: Auth Flow --[depends_on]--> session.ts\n" in wire.searched(answer)
    assert answer["neighbors"][1]["path"] == [
        {"relation": "depends_on", "forward": False, "id": "mn-3", "label": "session.ts"}
    ]


@pytest.mark.requirement("contextplus.search.nothing")
def test_nothing_found_is_two_lines_with_the_totals() -> None:
    answer = _answer(Query(text="何もない", limit=0), Recalled(hits=()))
    assert wire.searched(answer) == 'No memory nodes found for: "何もない"\nGraph has 4 nodes, 3 edges.'


@pytest.mark.requirement("contextplus.search.missing")
@pytest.mark.parametrize("found", [ONE_MATCH, Recalled(hits=())])
def test_a_ranking_that_could_not_take_part_is_told_below_the_answer(found: Recalled) -> None:
    query = Query(text="how does login work", limit=1)
    whole = wire.searched(_answer(query, found))
    lacking = _answer(query, found._replace(missing=(MissingArm("vectors", "The embedder is down."),)))
    assert lacking["notes"] == ["This answer is without the ranking by vectors. The embedder is down."]
    assert wire.searched(lacking) == f"{whole}\n\nThis answer is without the ranking by vectors. The embedder is down."


@pytest.mark.requirement("contextplus.search.memories")
@pytest.mark.parametrize(
    ("memory", "label"),
    [
        (_memory(9, "京都で抹茶を飲んだ。美味しかった。", title="京都旅行"), "京都旅行"),
        (_memory(9, "京都で抹茶を飲んだ。美味しかった。"), "京都で抹茶を飲んだ。"),
        (_memory(9, "我们去了京都。很好玩。"), "我们去了京都。"),
        (_memory(9, "We went to Kyoto. It rained."), "We went to Kyoto."),
    ],
)
def test_a_memory_that_is_no_nodes_content_is_a_note(memory: Memory, label: str) -> None:
    place = translate.place_of(memory, {})
    assert (place.id, place.type, place.label, place.content) == ("m-9", "note", label, memory.text)


@pytest.mark.parametrize(
    ("arguments", "top_k", "depth", "relations"),
    [
        pytest.param({}, 5, 1, None, marks=pytest.mark.requirement("contextplus.search.top_k")),
        pytest.param({"top_k": 3.9}, 3, 1, None, marks=pytest.mark.requirement("contextplus.search.top_k")),
        pytest.param({"top_k": -2}, 0, 1, None, marks=pytest.mark.requirement("contextplus.search.top_k")),
        pytest.param({"top_k": 1e9}, 100, 1, None, marks=pytest.mark.requirement("contextplus.search.top_k")),
        pytest.param({"max_depth": 1.5}, 5, 1, None, marks=pytest.mark.requirement("contextplus.search.depth")),
        pytest.param({"max_depth": 99}, 5, 5, None, marks=pytest.mark.requirement("contextplus.search.depth")),
        pytest.param({"max_depth": 0}, 5, None, None, marks=pytest.mark.requirement("contextplus.search.depth")),
        pytest.param({"max_depth": -3}, 5, None, None, marks=pytest.mark.requirement("contextplus.search.depth")),
        pytest.param(
            {"edge_filter": []}, 5, 1, frozenset(), marks=pytest.mark.requirement("contextplus.search.edge_filter")
        ),
        pytest.param(
            {"edge_filter": ["contains", "contains"]},
            5,
            1,
            frozenset({"contains"}),
            marks=pytest.mark.requirement("contextplus.search.edge_filter"),
        ),
    ],
)
def test_numbers_are_clamped_and_filters_kept(
    arguments: dict[str, Any], top_k: int, depth: int | None, relations: Any
) -> None:
    query = translate.graph_query({"query": "抹茶", **arguments}, NOW)
    assert query.limit == top_k
    assert (query.walk is None) is (depth is None)
    assert query.walk is None or (query.walk.depth, query.walk.relations) == (depth, relations)  # type: ignore[union-attr]
