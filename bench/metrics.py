"""How well does a ranking find what is relevant? Pure functions of ids; averages are taken over queries.

`recall_at`: share of the relevant items in the first k. `any_at` / `all_at`: whether one / all of them are.
`reciprocal_rank`: 1/rank of the first relevant item within k, else 0.
`ndcg_at`: binary gains, discount 1/log2(1 + rank), ideal = all relevant first (Järvelin and Kekäläinen 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean

Ranking = Sequence[str]
Relevant = frozenset[str]


def recall_at(k: int, ranking: Ranking, relevant: Relevant) -> float:
    """Share of the relevant items among the first k."""
    return len(relevant.intersection(ranking[:k])) / len(relevant)


def any_at(k: int, ranking: Ranking, relevant: Relevant) -> float:
    """1 if a relevant item is among the first k."""
    return float(not relevant.isdisjoint(ranking[:k]))


def all_at(k: int, ranking: Ranking, relevant: Relevant) -> float:
    """1 if every relevant item is among the first k."""
    return float(relevant.issubset(ranking[:k]))


def reciprocal_rank(k: int, ranking: Ranking, relevant: Relevant) -> float:
    """1/rank of the first relevant item among the first k, else 0."""
    return next((1.0 / rank for rank, id in enumerate(ranking[:k], 1) if id in relevant), 0.0)


def ndcg_at(k: int, ranking: Ranking, relevant: Relevant) -> float:
    """Normalised discounted cumulative gain with binary gains."""
    return graded_ndcg_at(k, ranking, dict.fromkeys(relevant, 1.0))


def graded_ndcg_at(k: int, ranking: Ranking, gains: Mapping[str, float]) -> float:
    """The same if each relevant item has a gain of its own (trec_eval's ndcg_cut)."""
    ideal = sorted(gains.values(), reverse=True)[:k]
    return _discounted([gains.get(id, 0.0) for id in ranking[:k]]) / _discounted(ideal)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(1 + rank) for rank, gain in enumerate(gains, 1))


@dataclass(frozen=True, slots=True)
class Metric:
    """A named measure of one ranking."""

    name: str
    k: int
    measure: Callable[[int, Ranking, Relevant], float]

    def __call__(self, ranking: Ranking, relevant: Relevant) -> float:
        """The measure of one ranking."""
        return self.measure(self.k, ranking, relevant)


METRICS = (
    Metric("recall@1", 1, recall_at),
    Metric("recall@5", 5, recall_at),
    Metric("recall@10", 10, recall_at),
    Metric("recall_any@5", 5, any_at),
    Metric("recall_all@5", 5, all_at),
    Metric("MRR@10", 10, reciprocal_rank),
    Metric("nDCG@10", 10, ndcg_at),
)


def summary(judged: Sequence[tuple[Ranking, Relevant]]) -> Mapping[str, float]:
    """Every metric, averaged over (ranking, relevant) pairs; queries without relevant items are left out."""
    answerable = [(ranking, relevant) for ranking, relevant in judged if relevant]
    if not answerable:
        return {metric.name: float("nan") for metric in METRICS}
    return {metric.name: fmean(metric(*each) for each in answerable) for metric in METRICS}
