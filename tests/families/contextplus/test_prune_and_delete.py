"""prune_stale_links and delete_memory_node over a real store."""

from typing import Any

import pytest

from omoide.families.contextplus import tools
from omoide.memory import Memories
from tests.families.calling import as_served, meanwhile


def node(call: Any, label: str, content: str = "番号のみ") -> str:
    return str(call("upsert_memory_node", type="note", label=label, content=content).structured["id"])


def link(call: Any, source: str, target: str, weight: float) -> str:
    edge = {"source_id": source, "target_id": target, "relation": "contains", "weight": weight}
    return str(call("create_relation", **edge).structured["id"])


# --- prune


@pytest.mark.requirement("contextplus.prune.edges")
@pytest.mark.parametrize(
    ("arguments", "remaining"),
    [
        ({"threshold": 0.4}, 2),
        ({"threshold": 0.74}, 1),
        ({"threshold": 1}, 1),
        ({"threshold": 1.01}, 0),
        ({"threshold": 0}, 3),
        ({}, 3),
    ],
)
def test_edges_whose_weight_has_faded_below_the_threshold_are_removed(
    call: Any, clock: Any, arguments: dict[str, float], remaining: int
) -> None:
    """What is left of the weights is 1, 0.3033 and 0.7239."""
    ids = [node(call, label) for label in ("Auth Flow", "ログイン", "会话", "Rate limits")]
    link(call, ids[2], ids[0], 0.5)
    clock.advance(days=8)
    for each in ids:
        call("retrieve_with_traversal", start_node_id=each)
    link(call, ids[1], ids[3], 0.8)
    clock.advance(days=2)
    link(call, ids[0], ids[1], 1)
    result = call("prune_stale_links", **arguments)
    gone = 3 - remaining
    assert result.text == (
        f"🧹 Pruning complete\n  Removed: {gone} stale links/orphan nodes\n  Remaining edges: {remaining}"
    )
    assert result.structured == {
        "removed": gone,
        "removed_edges": gone,
        "removed_nodes": 0,
        "remaining_edges": remaining,
    }


@pytest.mark.requirement("contextplus.prune.default")
@pytest.mark.parametrize(("days", "removed"), [(37, 0), (38, 1)])
def test_an_edge_of_weight_one_is_stale_after_38_days(call: Any, clock: Any, days: int, removed: int) -> None:
    link(call, node(call, "甲"), node(call, "乙"), 1)
    clock.advance(days=days)
    assert call("prune_stale_links").structured["removed_edges"] == removed


@pytest.mark.requirement("contextplus.prune.edges")
@pytest.mark.parametrize(
    ("person", "relation", "place"),
    [("健太", "勤務先", "任天堂"), ("小红", "住在", "北京"), ("Jeff", "works_at", "Acme Corp")],
)
def test_what_another_door_states_does_not_fade_away(
    call: Any, memories: Memories, clock: Any, person: str, relation: str, place: str
) -> None:
    stated = memories.relate((person, "person"), (place, "organization"), relation)
    link(call, stated.source.id, stated.target.id, 1)
    clock.advance(days=400)
    answer = call("prune_stale_links").structured
    assert (answer["removed_edges"], answer["remaining_edges"]) == (1, 1)
    assert memories.relations_of(stated.source) == [stated]


@pytest.mark.requirement("contextplus.prune.orphans")
@pytest.mark.parametrize(
    ("days", "kept"), [(7, ["没人来", "linked", "書き直した", "見に来た"]), (8, ["linked", "書き直した", "見に来た"])]
)
def test_a_node_goes_when_nothing_leads_to_it_and_nobody_came_back(
    call: Any, memories: Memories, clock: Any, days: int, kept: list[str]
) -> None:
    node(call, "没人来")
    link(call, node(call, "linked"), node(call, "書き直した"), 1)
    node(call, "書き直した", "新しい内容")
    call("retrieve_with_traversal", start_node_id=node(call, "見に来た"))
    memories.remember("ほかの扉から来た記憶")
    memories.observe("健太", "person", "登山が趣味")
    clock.advance(days=days)
    answer = call("prune_stale_links").structured
    _, nodes = memories.list_entities(limit=10, entity_class="node")
    assert sorted(each.name for each in nodes) == sorted(kept)
    assert (answer["removed_nodes"], answer["remaining_edges"]) == (4 - len(kept), 1)
    assert memories.counts().memories == len(kept) + 2


# --- delete


@pytest.mark.requirement("contextplus.delete.layout")
@pytest.mark.parametrize("label", ["Auth Flow", "認証の流れ", "认证流程"])
def test_a_node_goes_with_its_edges_and_its_content(call: Any, memories: Memories, label: str) -> None:
    gone, other = node(call, label, "消える内容"), node(call, "残る", "残る内容")
    link(call, gone, other, 1)
    link(call, other, gone, 0.5)
    result = call("delete_memory_node", node_id=gone)
    assert result.text == (
        f"Deleted: '{label}' (type: note, id: {gone})\n  Edges removed: 2\n\nGraph: 1 nodes, 0 edges"
    )
    assert result.structured["totals"] == {"nodes": 1, "edges": 0}
    assert [hit.memory.text for hit in memories.recall("内容").hits] == ["残る内容"]


@pytest.mark.requirement("contextplus.delete.unknown")
def test_an_unknown_id_deletes_nothing(call: Any, memories: Memories) -> None:
    node(call, "残る")
    result = call("delete_memory_node", node_id="どこにもない")
    assert (result.text, result.is_error) == ("Not found: 'どこにもない' — nothing deleted.", False)
    assert result.structured == {"deleted": False, "id": "どこにもない"}
    assert memories.counts().memories == 1


@pytest.mark.requirement("contextplus.delete.unknown")
@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("どこにもない", "どこにもない は見つかりません。"),
        ("沒有這個筆記", "沒有找到「沒有這個筆記」。"),
        ("没有这个笔记", "没有找到“没有这个笔记”。"),
        ("nowhere", ""),
    ],
)
def test_an_unknown_id_is_told_in_its_language_too(memories: Memories, id: str, said: str) -> None:
    note = as_served(tools(memories))("delete_memory_node", node_id=id).note
    assert (note.startswith(said), bool(note)) == (True, bool(said))


@pytest.mark.requirement("contextplus.delete.any")
def test_memories_and_entities_of_other_doors_can_be_deleted(call: Any, memories: Memories) -> None:
    turn = memories.remember("和小红一起喝了茶", id="turn-3").memory.id
    person, _ = memories.observe("健太", "person", "登山が趣味")
    assert call("delete_memory_node", node_id=turn).structured["label"] == "和小红一起喝了茶"
    deleted = call("delete_memory_node", node_id=person.id).structured
    assert (deleted["label"], deleted["type"], deleted["memories_removed"]) == ("健太", "person", 1)
    assert (memories.counts().memories, memories.counts().entities) == (0, 0)


@pytest.mark.requirement("contextplus.delete.any")
def test_the_content_of_a_node_stands_for_the_node(call: Any, memories: Memories) -> None:
    id = node(call, "Auth Flow", "ログインを扱う")
    (content,) = [hit.memory.id for hit in memories.recall("ログイン").hits]
    assert call("delete_memory_node", node_id=content).structured["id"] == id
    assert memories.counts().entities == 0


@pytest.mark.requirement("contextplus.delete.any")
@pytest.mark.parametrize(
    ("old", "new"), [("京都に住む", "大阪に住む"), ("住在京都", "住在大阪"), ("Lives in Kyoto", "Lives in Osaka")]
)
def test_the_older_texts_of_a_memory_are_deleted_with_it(call: Any, memories: Memories, old: str, new: str) -> None:
    told = {"category": "profile", "canonical_key": "home"}
    id = memories.remember(old, **told).memory.id
    memories.remember(new, **told)
    assert call("delete_memory_node", node_id=id).structured["memories_removed"] == 2
    assert memories.counts().memories == 0


@pytest.mark.requirement("contextplus.delete.meanwhile")
@pytest.mark.parametrize("looked", ["relations_of", "entities_by_id"])
def test_what_another_has_just_deleted_is_not_deleted_again(
    call: Any, memories: Memories, monkeypatch: pytest.MonkeyPatch, looked: str
) -> None:
    person, _ = memories.observe("健太", "person", "登山が趣味")
    meanwhile(monkeypatch, looked, lambda: memories.forget_entity(person.id))
    assert call("delete_memory_node", node_id=person.id).structured == {"deleted": False, "id": person.id}


@pytest.mark.requirement("contextplus.delete.meanwhile")
def test_a_memory_that_another_has_just_deleted_is_not_deleted_again(
    call: Any, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = memories.remember("和小红一起喝了茶").memory.id
    meanwhile(monkeypatch, "relations_of", lambda: memories.forget(turn))
    assert call("delete_memory_node", node_id=turn).structured == {"deleted": False, "id": turn}
