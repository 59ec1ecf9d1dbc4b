"""Several nodes and several edges at once, over a real store."""

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from omoide import All, Memories, NodeDraft, Ref
from omoide.app import open_memories
from omoide.model.condition import live, valid_at
from omoide.model.memory import Draft, Status
from tests.families.calling import meanwhile

NODES = [
    NodeDraft("concept", "京都", "古い都"),
    NodeDraft("note", "部署流程", "先测试，再发布", {"owner": "李明"}),
    NodeDraft("symbol", "loginUser", "checks the password"),
]


def test_several_nodes_are_written_in_the_order_given_and_once_more_rewritten(memories: Memories) -> None:
    first = memories.upsert_nodes(NODES)
    assert [(node.type, node.name, node.metadata) for node in first] == [
        ("concept", "京都", {}),
        ("note", "部署流程", {"owner": "李明"}),
        ("symbol", "loginUser", {}),
    ]
    again = memories.upsert_nodes([NODES[0]._replace(content="千年の都"), NODES[0]._replace(label="　京都")])
    assert [(node.id, node.access_count) for node in again] == [(first[0].id, 2), (first[0].id, 3)]
    assert [memory.text for memory in memories.get([first[0].memory_id or ""])] == ["古い都"]


def test_what_a_program_stores_is_not_said_to_come_from_a_tool(memories: Memories) -> None:
    nodes = [memories.upsert_node(*NODES[0][:3]), *memories.upsert_nodes(NODES[1:])]
    assert [memory.tool for memory in memories.get(node.memory_id or "" for node in nodes)] == [None] * len(NODES)


@pytest.mark.parametrize(
    "hidden",
    [
        {"status": Status.ARCHIVED},
        {"status": Status.SUPERSEDED, "superseded_by": "another"},
        {"valid_until": datetime(2025, 1, 1, tzinfo=timezone.utc)},
    ],
    ids=["archived", "superseded", "no longer valid"],
)
@pytest.mark.parametrize("node", NODES)
def test_a_node_that_is_rewritten_is_found_though_its_content_was_hidden(
    memories: Memories, node: NodeDraft, hidden: dict[str, Any]
) -> None:
    (made,) = memories.upsert_nodes([node])
    memories.revise(made.memory_id or "", **hidden)
    memories.upsert_nodes([node._replace(content=f"{node.content} 2")])
    (found,) = memories.recall(node.content, where=All((live(), valid_at(memories.clock())))).hits
    assert (found.memory.id, found.memory.text) == (made.memory_id, f"{node.content} 2")


@pytest.mark.parametrize(
    ("name", "label", "fact"),
    [
        ("認証", "認証", "担当は健太"),
        ("认证流程", " 认证流程", "由小红负责"),
        ("Auth Flow", "ａｕｔｈ flow", "owned by Jeff"),
    ],
)
def test_an_entity_becomes_the_node_of_its_name_and_type_with_what_is_known_of_it(
    memories: Memories, tmp_path: Path, name: str, label: str, fact: str
) -> None:
    entity, told = memories.observe(name, "concept", fact)
    edge = memories.relate(Ref("entity", entity.id), ("Redis", None), "uses")
    memories.observe(name, "person", fact)
    node = memories.upsert_node("concept", label, "内容")
    assert (node.id, node.entity_class, node.name, node.access_count) == (entity.id, "node", name, 1)
    assert memories.upsert_node("concept", label, "新しい内容").access_count == 2
    for opened in (memories, open_memories(tmp_path / "store", clock=memories.clock)):
        assert {each.type for each in opened.entities_named(name)} == {"concept", "person"}
        assert {each.id for each in opened.get([told.memory.id])} <= {
            each.id for each in opened.observations(node.id)[1]
        }
        assert opened.relations_of(Ref("entity", node.id)) == [edge]
        found = opened.neighbours(Ref("entity", node.id), depth=1)
        assert {"about", "uses"} <= {each.path[0].relation for each in found}
    opened.close()


@pytest.mark.parametrize(
    ("name", "fact"), [("認証", "担当は健太"), ("认证流程", "由小红负责"), ("Auth Flow", "owned by Jeff")]
)
def test_a_fact_is_of_the_node_that_others_make_of_its_entity_meanwhile(
    memories: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, fact: str
) -> None:
    with open_memories(tmp_path / "store", clock=memories.clock) as others:
        meanwhile(monkeypatch, "_known_spelling", lambda: others.upsert_node("concept", name, "内容"))
        node, _ = memories.observe(name, "concept", fact)
    relation = memories.relate((name, "concept"), ("Redis", None), "uses")
    assert [each.id for each in memories.entities_named(name)] == [node.id] == [relation.source.id]


def test_an_entity_that_other_scopes_know_does_not_become_the_node_of_one(memories: Memories, tmp_path: Path) -> None:
    common, _ = memories.observe("認証", "concept", Draft(text="担当は健太", scope="team:a"))
    with open_memories(tmp_path / "store", clock=memories.clock, scope="team:a") as pinned:
        assert pinned.upsert_node("concept", "認証", "内容").id != common.id
        own, _ = pinned.observe("部署", "concept", "由小红负责")
        assert memories.upsert_node("concept", "部署", "内容").id != own.id
        assert pinned.upsert_node("concept", "部署", "内容").id == own.id
    assert [each.entity_class for each in memories.entities_by_id([common.id])] == ["entity"]


@pytest.mark.parametrize("label", ["部署", "认证", "Auth"])
@pytest.mark.parametrize("was_node", [True, False])
def test_a_node_written_outside_a_scope_is_its_own_one_not_that_of_a_scope(
    memories: Memories, tmp_path: Path, label: str, was_node: bool
) -> None:
    if was_node:
        common = memories.upsert_node("concept", label, "古い内容")
    else:
        common, _ = memories.observe(label, "concept", "事実")
    with open_memories(tmp_path / "store", clock=memories.clock, scope="team:b") as pinned:
        theirs = pinned.upsert_node("concept", label, "他们的内容")
        assert memories.upsert_node("concept", label, "our content").id == common.id
        assert theirs.memory_id is not None
        assert [each.text for each in pinned.get([theirs.memory_id])] == ["他们的内容"]


@pytest.mark.parametrize("gone", [Ref("memory", "なし"), Ref("entity", "没有"), Ref("entity", "none")])
def test_of_several_edges_those_with_an_end_that_does_not_exist_are_left_out(memories: Memories, gone: Ref) -> None:
    ends = [Ref("entity", node.id) for node in memories.upsert_nodes(NODES)]
    edges = [(ends[0], gone, 0.9), (ends[0], ends[1], 0.8), (gone, ends[1], 0.7), (ends[2], ends[1], 0.6)]
    made = memories.relate_existing("similar_to", edges)
    assert [(each.source, each.target, each.weight) for each in made] == [edges[1], edges[3]]
    assert memories.counts().relations == 2


#: One name in two writings, and what is known of it.
WRITINGS = [("台北", "臺北", "夜市が有名"), ("タナカ", "たなか", "住在京都"), ("O’Brien", "O'Brien", "likes tea")]


@pytest.mark.parametrize(("name", "other", "text"), WRITINGS)
def test_an_entity_that_others_store_in_other_characters_meanwhile_is_used(
    memories: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, other: str, text: str
) -> None:
    with open_memories(tmp_path / "store", clock=memories.clock) as others:
        meanwhile(monkeypatch, "_known_spelling", lambda: others.observe(other, "person", text))
        entity, _ = memories.observe(name, "person", f"{text}。")
    assert (entity.name, memories.list_entities()[0]) == (other, 1)


@pytest.mark.parametrize(("name", "other", "text"), WRITINGS)
@pytest.mark.parametrize("type", ["person", None])
def test_a_relation_goes_to_an_entity_that_others_store_in_other_characters_meanwhile(
    memories: Memories,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    other: str,
    text: str,
    type: str | None,
) -> None:
    with open_memories(tmp_path / "store", clock=memories.clock) as others:
        meanwhile(monkeypatch, "_known_spelling", lambda: others.observe(other, "person", text))
        relation = memories.relate((name, type), ("公園", "location"), "knows")
    assert memories.entities_by_id([relation.source.id])[0].name == other


@pytest.mark.parametrize(("name", "other", "text"), WRITINGS)
def test_a_node_is_used_whose_name_is_the_same_in_other_characters(
    memories: Memories, tmp_path: Path, name: str, other: str, text: str
) -> None:
    assert memories.entity(name, entity_class=None) is None  # what it knows of names has to follow
    with open_memories(tmp_path / "store", clock=memories.clock) as others:
        node = others.upsert_node("concept", other, "内容")
    assert memories.entity(name, entity_class=None) == node
    assert memories.entity(name) is None  # asks for entities alone
    entity, _ = memories.observe(name, "concept", text)
    relation = memories.relate((name, "concept"), ("海", "concept"), "near")
    assert (entity.id, relation.source.id) == (node.id, node.id)


@pytest.mark.parametrize(("name", "other", "text"), WRITINGS)
def test_a_node_that_others_store_in_other_characters_meanwhile_is_used(
    memories: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, other: str, text: str
) -> None:
    with open_memories(tmp_path / "store", clock=memories.clock) as others:
        meanwhile(monkeypatch, "_known_spelling", lambda: others.upsert_node("concept", other, "内容"))
        entity, _ = memories.observe(name, "concept", text)
    assert (entity.name, entity.entity_class) == (other, "node")


@pytest.mark.parametrize(("name", "other", "text"), WRITINGS)
def test_a_node_of_the_name_itself_comes_before_an_entity_in_other_characters(
    memories: Memories, name: str, other: str, text: str
) -> None:
    memories.observe(other, "concept", text)
    node = memories.upsert_node("concept", name, "内容")
    assert memories.observe(name, "concept", f"{text}。")[0].id == node.id
