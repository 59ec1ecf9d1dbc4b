"""The measures of retrieval, against values worked out by hand."""

from math import log2

import pytest

from bench.metrics import METRICS, graded_ndcg_at, summary

RELEVANT = frozenset({"抹茶", "お茶"})
BY_NAME = {metric.name: metric for metric in METRICS}


@pytest.mark.parametrize(
    ("name", "ranking", "expected"),
    [
        ("recall@1", ["抹茶", "咖啡", "tea"], 0.5),
        ("recall@5", ["咖啡", "抹茶", "お茶"], 1.0),
        ("recall@10", ["咖啡", "tea"], 0.0),
        ("recall_any@5", ["咖啡", "お茶"], 1.0),
        ("recall_all@5", ["咖啡", "お茶"], 0.0),
        ("recall_all@5", ["お茶", "抹茶"], 1.0),
        ("MRR@10", ["咖啡", "tea", "抹茶"], 1 / 3),
        ("MRR@10", [], 0.0),
        ("nDCG@10", ["抹茶", "お茶"], 1.0),
        ("nDCG@10", ["咖啡", "抹茶"], (1 / log2(3)) / (1 + 1 / log2(3))),
    ],
)
def test_a_ranking_scores_as_worked_out_by_hand(name: str, ranking: list[str], expected: float) -> None:
    assert BY_NAME[name](ranking, RELEVANT) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        (["抹茶", "お茶", "咖啡"], 1.0),
        (["お茶", "抹茶"], (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
        (["咖啡"], 0.0),
    ],
)
def test_a_more_relevant_item_gains_more(ranking: list[str], expected: float) -> None:
    assert graded_ndcg_at(10, ranking, {"抹茶": 3, "お茶": 1}) == pytest.approx(expected)


def test_questions_without_an_answer_do_not_count() -> None:
    assert summary([(["抹茶", "お茶"], RELEVANT), (["咖啡"], frozenset())])["recall@10"] == 1.0
