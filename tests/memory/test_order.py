"""What an order rests on besides the question: age between equals, and nothing that a search leaves behind."""

import pytest

from omoide.memory import Memories
from omoide.model.query import Weights
from omoide.model.relation import Ref
from tests.conftest import Clock

TEXTS = [
    ("抹茶の店", "京都の抹茶の店は南にある。"),
    ("茶馆在哪里", "上海的茶馆在南边。"),
    ("the tea house", "The tea house is in the south."),
]
#: Projects keep one text several memories.
PROJECTS = ("一", "二", "三")


@pytest.fixture
def told(memories: Memories, clock: Clock) -> Memories:
    """Each text in every project, ten days between two of them; the second matters most."""
    for project in PROJECTS:
        for _, text in TEXTS:
            memories.remember(text, project=project, importance=1.0 if project == "二" else 0.1)
        clock.advance(days=10)
    return memories


def projects(memories: Memories, query: str, **fields: object) -> list[str | None]:
    (text,) = (text for asked, text in TEXTS if asked == query)
    return [hit.memory.project for hit in memories.recall(query, **fields).hits if hit.memory.text == text]


@pytest.mark.parametrize("query", [query for query, _ in TEXTS])
def test_the_newer_of_equals_comes_first_whatever_its_importance(told: Memories, query: str) -> None:
    assert projects(told, query) == ["三", "二", "一"]


@pytest.mark.parametrize("query", [query for query, _ in TEXTS])
def test_searching_changes_neither_ranking_nor_counters(told: Memories, query: str) -> None:
    first = told.recall(query)
    for _ in range(5):
        told.recall(query, limit=1)
    again = told.recall(query)
    assert [(hit.memory.id, hit.score) for hit in again.hits] == [(hit.memory.id, hit.score) for hit in first.hits]
    assert {(hit.memory.access_count, hit.memory.last_accessed_at) for hit in again.hits} == {(0, None)}
    assert again.as_of == first.as_of


@pytest.mark.parametrize("query", [query for query, _ in TEXTS])
def test_a_visit_is_counted_and_changes_no_ranking(told: Memories, query: str) -> None:
    oldest = told.recall(query, limit=3).hits[-1].memory
    for _ in range(12):
        seen = told.visit(Ref("memory", oldest.id))
        assert [seen] == told.get([oldest.id])
    assert projects(told, query) == ["三", "二", "一"]
    assert told.get([oldest.id])[0].access_count == 12


@pytest.mark.parametrize(
    ("query", "better", "newer"),
    [
        ("京都の抹茶の店はどこ", "京都の抹茶の店は南にある。", "京都の駅は新しい。"),
        ("上海的茶馆在哪里", "上海的茶馆在南边。", "上海的车站是新的。"),
        ("where is the tea house", "The tea house is in the south.", "The bath house is new."),
    ],
)
def test_age_counts_between_near_equals_alone_unless_a_profile_asks_for_more(
    memories: Memories, clock: Clock, query: str, better: str, newer: str
) -> None:
    memories.remember(better, id="better")
    clock.advance(days=365)
    memories.remember(newer, id="newer")
    assert memories.recall(query).hits[0].memory.id == "better"
    assert memories.recall(query, weights=Weights(recency=10.0)).hits[0].memory.id == "newer"
