"""The graph is pruned in portions, while others write."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from omoide import Memories, NodeDraft, Ref, Relation
from omoide.app import open_memories
from omoide.memory.prune import PORTION, Pruned

LABELS = ["認証の流れ", "认证流程", "Auth Flow"]


@pytest.fixture
def memories(tmp_path: Path, clock: Any) -> Iterator[Memories]:
    with open_memories(tmp_path / "store", clock=clock) as memories:
        yield memories


@pytest.fixture
def others(tmp_path: Path, clock: Any, memories: Memories) -> Iterator[Memories]:
    """What another process has open."""
    with open_memories(tmp_path / "store", clock=clock) as others:
        yield others


def linked(memories: Memories, count: int = 2) -> list[Ref]:
    nodes = memories.upsert_nodes(NodeDraft("note", f"{LABELS[each % 3]} {each}", "内容") for each in range(count))
    ends = [Ref("entity", node.id) for node in nodes]
    memories.relate_existing("contains", [(source, target, 0.1) for source, target in pairwise(ends)])
    return ends


def is_weak(edge: Relation) -> bool:
    return edge.weight < 0.5


def test_more_edges_and_nodes_than_a_portion_has_are_pruned(memories: Memories, clock: Any) -> None:
    ends = linked(memories, 2 * PORTION + 2)
    memories.relate(ends[0], ends[-1], "references", weight=1)
    clock.advance(days=8)
    pruned = memories.prune(faded=is_weak, idle_since=clock() - timedelta(days=7))
    assert pruned == Pruned(edges=len(ends) - 1, nodes=len(ends) - 2, remaining_edges=1)
    assert (memories.counts().relations, memories.counts().entities) == (1, 2)


@pytest.mark.parametrize("label", LABELS)
def test_others_write_while_it_is_looked_for_edges_that_have_faded(
    memories: Memories, others: Memories, clock: Any, label: str
) -> None:
    linked(memories)
    looked: list[str] = []

    def faded(edge: Relation) -> bool:
        if not looked:
            with others.store.write(patience=0) as writer:
                writer.put_thread(id=label, name=label, type="normal", now=clock())
        looked.append(edge.id)
        return is_weak(edge)

    assert memories.prune(faded=faded, idle_since=clock()).edges == 1
    assert [thread.id for thread in memories.threads()] == [label]
    assert looked == looked[:1] * 2, "once more in the transaction that removes it"


def test_an_edge_that_another_has_just_strengthened_stays(memories: Memories, others: Memories, clock: Any) -> None:
    source, target = linked(memories)
    clock.advance(days=8)

    def faded(edge: Relation) -> bool:
        weak = is_weak(edge)
        if weak and others.relations_of(source)[0].weight != 1:
            others.relate(source, target, "contains", weight=1)
        return weak

    pruned = memories.prune(faded=faded, idle_since=clock() - timedelta(days=7))
    assert pruned == Pruned(edges=0, nodes=0, remaining_edges=1)


@pytest.mark.parametrize("by_its_content", [False, True])
def test_a_node_that_another_has_just_linked_stays(
    memories: Memories, others: Memories, clock: Any, by_its_content: bool
) -> None:
    nodes = memories.upsert_nodes(NodeDraft("note", each, "内容") for each in LABELS)
    lonely, source, target = (Ref("entity", node.id) for node in nodes)
    if by_its_content:
        lonely = Ref("memory", str(nodes[0].memory_id))
    memories.relate(source, target, "contains", weight=1)
    clock.advance(days=8)

    def faded(edge: Relation) -> bool:
        others.relate(lonely, target, "contains", weight=1)
        return is_weak(edge)

    assert memories.prune(faded=faded, idle_since=clock() - timedelta(days=7)).nodes == 0
    assert memories.counts().entities == len(LABELS)


@pytest.mark.parametrize("forward", [True, False])
def test_a_node_whose_content_has_an_edge_stays_with_the_edge(memories: Memories, clock: Any, forward: bool) -> None:
    node = memories.upsert_node("concept", "京都", "千年的古都")
    assert node.memory_id is not None
    ends = [Ref("memory", node.memory_id), Ref("memory", memories.remember("抹茶").memory.id)]
    edge = memories.relate(*(ends if forward else reversed(ends)), "has")
    clock.advance(days=8)
    assert memories.prune(faded=is_weak, idle_since=clock()) == Pruned(edges=0, nodes=0, remaining_edges=1)
    assert (memories.relations_of(ends[1]), memories.nodes_of([node.memory_id])) == ([edge], {node.memory_id: node})


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("is_of_another", [False, True])
def test_the_content_of_a_node_goes_with_it_unless_it_is_about_another_thing_too(
    memories: Memories, clock: Any, label: str, is_of_another: bool
) -> None:
    node = memories.upsert_node("concept", label, "内容")
    assert node.memory_id is not None
    if is_of_another:
        friend, _ = memories.observe("小明", "person", "住在京都")
        memories.revise(node.memory_id, entities=(friend.id,))
    clock.advance(days=8)
    assert memories.prune(faded=is_weak, idle_since=clock()).nodes == 1
    assert [each.id for each in memories.get([node.memory_id])] == ([node.memory_id] if is_of_another else [])


@pytest.mark.parametrize("label", LABELS)
def test_a_node_whose_content_was_forgotten_is_pruned_when_its_edges_have_faded(
    memories: Memories, clock: Any, label: str
) -> None:
    node, other = memories.upsert_nodes([NodeDraft("note", label, "内容"), NodeDraft("note", "抹茶", "内容")])
    memories.relate(Ref("entity", node.id), Ref("entity", other.id), "has", weight=0.1)
    assert node.memory_id is not None
    memories.forget(node.memory_id)
    clock.advance(days=8)
    assert memories.prune(faded=is_weak, idle_since=clock()) == Pruned(edges=1, nodes=2, remaining_edges=0)
    assert memories.counts().entities == 0


@pytest.mark.parametrize(
    ("label", "fact"), [("大阪", "たこ焼きがおいしい"), ("京都", "抹茶很好喝"), ("Kyoto", "Good matcha")]
)
def test_a_node_of_which_something_was_observed_stays_with_it(
    memories: Memories, clock: Any, label: str, fact: str
) -> None:
    node = memories.upsert_node("concept", label, "内容")
    memories.upsert_node("concept", f"{label} 2", "内容")
    _, told = memories.observe(label, "concept", fact, entity_class="node")
    clock.advance(days=8)
    assert memories.prune(faded=is_weak, idle_since=clock()).nodes == 1
    assert [each.id for each in memories.entities_named(label)] == [node.id]
    assert told.memory.id in [each.id for each in memories.observations(node.id)[1]]
