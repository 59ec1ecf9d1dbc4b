"""retrieve_with_traversal over a real store, on the published example graph."""

from typing import Any

import pytest

from omoide.memory import Memories
from omoide.model.memory import Status

NODES = {
    "auth": ("concept", "Auth Flow", "Handles user login and session management"),
    "login": ("symbol", "loginUser", "Login function"),
    "session": ("file", "session.ts", "Session store"),
    "limits": ("note", "Rate limits", "Five attempts per minute"),
}


@pytest.fixture
def graph(call: Any, clock: Any) -> dict[str, str]:
    """auth --contains--> login (new), session --depends_on 0.5--> auth (10 days), login --references 0.8--> limits (2)."""
    ids = {
        name: call("upsert_memory_node", type=type, label=label, content=content).structured["id"]
        for name, (type, label, content) in NODES.items()
    }
    for days, source, relation, target, weight in (
        (8, "session", "depends_on", "auth", 0.5),
        (2, "login", "references", "limits", 0.8),
        (0, "auth", "contains", "login", 1),
    ):
        call("create_relation", source_id=ids[source], target_id=ids[target], relation=relation, weight=weight)
        clock.advance(days=days)
    return ids


def met(result: Any) -> list[tuple[str, int, float]]:
    return [(node["label"], node["depth"], node["score"]) for node in result.structured["nodes"]]


SESSION, LOGIN, LIMITS = ("session.ts", 1, 23.3), ("loginUser", 1, 76.9), ("Rate limits", 2, 45.2)


@pytest.mark.requirement("contextplus.traverse.score")
@pytest.mark.requirement("contextplus.traverse.order")
@pytest.mark.parametrize(
    ("arguments", "around"),
    [
        ({}, [SESSION, LOGIN, LIMITS]),
        ({"max_depth": 2}, [SESSION, LOGIN, LIMITS]),
        ({"max_depth": 1}, [SESSION, LOGIN]),
        ({"max_depth": 1.9}, [SESSION, LOGIN]),
        ({"max_depth": 0}, []),
        ({"max_depth": -1}, []),
        ({"edge_filter": ["contains", "references"]}, [LOGIN, LIMITS]),
        ({"edge_filter": ["references"]}, []),
        ({"edge_filter": []}, []),
    ],
)
def test_what_lies_around_a_node_is_met_nearest_first_with_the_published_scores(
    call: Any, graph: dict[str, str], arguments: dict[str, Any], around: list[tuple[str, int, float]]
) -> None:
    result = call("retrieve_with_traversal", start_node_id=graph["auth"], **arguments)
    assert met(result) == [("Auth Flow", 0, 100), *around]


@pytest.mark.requirement("contextplus.traverse.layout")
def test_the_text_of_a_traversal_is_the_published_layout(call: Any, graph: dict[str, str]) -> None:
    result = call("retrieve_with_traversal", start_node_id=graph["auth"], edge_filter=["contains", "references"])
    assert result.text == "\n".join(
        [
            "Traversal from: Auth Flow (depth limit: 2)",
            "",
            "  [concept] Auth Flow (depth: 0, score: 100)",
            "    Content: Handles user login and session management",
            f"    ID: {graph['auth']} | Accessed: 2x",
            "  [symbol] loginUser (depth: 1, score: 76.9)",
            "    Content: Login function",
            "    Path: Auth Flow --[contains]--> loginUser",
            f"    ID: {graph['login']} | Accessed: 1x",
            "  [note] Rate limits (depth: 2, score: 45.2)",
            "    Content: Five attempts per minute",
            "    Path: Auth Flow --[contains]--> loginUser --[references]--> Rate limits",
            f"    ID: {graph['limits']} | Accessed: 1x",
        ]
    )


@pytest.mark.requirement("contextplus.traverse.visit")
def test_only_the_start_counts_an_access(call: Any, graph: dict[str, str]) -> None:
    for times in (2, 3):
        nodes = call("retrieve_with_traversal", start_node_id=graph["auth"]).structured["nodes"]
        assert [node["access_count"] for node in nodes] == [times, 1, 1, 1]


@pytest.mark.requirement("contextplus.traverse.unknown")
@pytest.mark.parametrize("id", ["mn-nowhere", "どこにもない", ""])
def test_an_unknown_start_is_a_normal_answer(call: Any, id: str) -> None:
    result = call("retrieve_with_traversal", start_node_id=id)
    assert (result.text, result.is_error) == (f"❌ Node not found: {id}", False)
    assert result.structured == {"found": False, "start_node_id": id}


@pytest.mark.requirement("contextplus.traverse.any")
@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("小红", "喜欢爬山", "养了一只猫"), ("健太", "抹茶が好き", "京都に住む"), ("Jeff", "likes tea", "lives in Kyoto")],
)
def test_a_walk_starts_at_anything_a_search_shows(
    call: Any, memories: Memories, name: str, first: str, second: str
) -> None:
    person, remembered = memories.observe(name, "person", first)
    memories.observe(name, "person", second)
    from_memory = call("retrieve_with_traversal", start_node_id=remembered.memory.id)
    assert [label for label, _, _ in met(from_memory)] == [first, name, second]
    from_person = call("retrieve_with_traversal", start_node_id=person.id, max_depth=1)
    assert [label for label, _, _ in met(from_person)] == [name, first, second]


@pytest.mark.requirement("contextplus.traverse.any")
def test_the_content_of_a_node_leads_to_the_node(call: Any, memories: Memories, graph: dict[str, str]) -> None:
    (content,) = [hit.memory.id for hit in memories.recall("Login function", limit=1).hits]
    assert met(call("retrieve_with_traversal", start_node_id=content, max_depth=0)) == [("loginUser", 0, 100)]


@pytest.mark.requirement("contextplus.traverse.gone")
def test_what_no_longer_holds_is_not_walked_through(call: Any, memories: Memories) -> None:
    first, bridge, last = (
        memories.remember(text).memory.id for text in ("始発の電車", "中转站在上海", "the last stop")
    )
    for source, target in ((first, bridge), (bridge, last)):
        call("create_relation", source_id=source, target_id=target, relation="relates_to")
    assert len(met(call("retrieve_with_traversal", start_node_id=first))) == 3
    memories.revise(bridge, status=Status.ARCHIVED)
    assert len(met(call("retrieve_with_traversal", start_node_id=first))) == 1


@pytest.mark.requirement("contextplus.traverse.order", "contextplus.traverse.score")
@pytest.mark.parametrize(
    ("label", "text"),
    [("認証", "認証は毎週見直す"), ("认证", "每周检查一次认证"), ("Auth Flow", "The Auth Flow is reviewed every week")],
)
def test_a_stated_edge_comes_before_the_mention_that_its_ends_have_anyway(
    call: Any, memories: Memories, label: str, text: str
) -> None:
    node = call("upsert_memory_node", type="concept", label=label, content="OAuth").structured["id"]
    note = memories.remember(text).memory.id
    mentioned = call("retrieve_with_traversal", start_node_id=node).structured["nodes"][1]
    assert (mentioned["path"][0]["relation"], mentioned["weight"]) == ("mentions", 0.5)
    call("create_relation", source_id=note, target_id=node, relation="references", weight=0.9)
    walked = call("retrieve_with_traversal", start_node_id=node).structured["nodes"][1]
    linked = call("search_memory_graph", query="OAuth", top_k=1).structured["neighbors"][0]
    for each in (walked, linked):
        assert (each["path"], each["weight"]) == (
            [{"relation": "references", "forward": False, "id": note, "label": text}],
            0.9,
        )


@pytest.mark.requirement("contextplus.traverse.order")
def test_what_is_stated_is_met_before_what_is_mentioned(call: Any, memories: Memories, clock: Any) -> None:
    node = call("upsert_memory_node", type="concept", label="決済", content="支払いの流れ").structured["id"]
    note = memories.remember("決済の会議は水曜日").memory.id
    clock.advance(days=30)
    other = call("upsert_memory_node", type="file", label="pay.py", content="実装").structured["id"]
    call("create_relation", source_id=node, target_id=other, relation="implements")
    nodes = call("retrieve_with_traversal", start_node_id=node).structured["nodes"]
    assert [each["id"] for each in nodes] == [node, other, note]
