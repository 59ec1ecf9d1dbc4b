"""What is each arm and feature worth? The same search with one of them off: a row each.

Invariant: the first variant is what everybody gets by default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench.dataset import Dataset, without
from omoide.model.query import ArmName, Query, RankWalk


def _same_query(query: Query) -> Query:
    return query


def _same_data(dataset: Dataset, folder: Path) -> Dataset:
    return dataset


@dataclass(frozen=True, slots=True)
class Variant:
    """A name, what becomes of a query, and what of a set (its copy may use the folder)."""

    name: str
    change_query: Callable[[Query], Query] = _same_query
    change_data: Callable[[Dataset, Path], Dataset] = _same_data


def _less(arm: ArmName) -> Callable[[Query], Query]:
    return lambda query: replace(query, arms=query.arms - {arm})


def _no_dates(query: Query) -> Query:
    return replace(query, weights=replace(query.weights, dates=0.0))


def _no_conversations(dataset: Dataset, folder: Path) -> Dataset:
    return without(dataset, folder, "session", "session_id", "thread")


EVERYTHING = Variant("everything")
VARIANTS = (
    EVERYTHING,
    Variant("without words", _less("words")),
    Variant("without vectors", _less("vectors")),
    Variant("without graph", _less("graph")),
    Variant("without dates", _no_dates),
    Variant("without turns around", change_data=_no_conversations),
)


def with_graph(variant: Variant) -> Variant:
    """The same, always walking the graph."""
    return replace(variant, change_query=lambda query: replace(variant.change_query(query), walk=RankWalk()))
