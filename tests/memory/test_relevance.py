"""Relevance is one number in 0..1 that never rises down the list."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.memory.relevance import Evidence, monotone, relevance

share = st.floats(0, 1)


@pytest.mark.parametrize(
    ("values", "pooled"),
    [
        ([], []),
        ([0.9, 0.5, 0.1], [0.9, 0.5, 0.1]),
        ([0.1, 0.5], [0.3, 0.3]),
        ([0.9, 0.2, 0.4, 0.1], [0.9, 0.3, 0.3, 0.1]),
    ],
)
def test_violators_are_pooled(values: list[float], pooled: list[float]) -> None:
    assert monotone(values) == pytest.approx(pooled)


@given(st.lists(st.builds(Evidence, share, st.floats(-1, 1), st.booleans(), share)))
def test_relevance_lies_in_bounds_and_never_rises(ranked: list[Evidence]) -> None:
    values = relevance(ranked)
    assert len(values) == len(ranked)
    assert all(0.0 <= value <= 1.0 for value in values)
    assert all(above >= below - 1e-12 for above, below in pairwise(values))


def test_a_memory_with_every_word_of_the_query_is_surely_relevant() -> None:
    assert relevance([Evidence(coverage=1.0, cosine=0.5)])[0] > 0.9


def test_a_memory_that_shares_nothing_is_not_relevant() -> None:
    assert relevance([Evidence(coverage=0.0, cosine=0.0)]) == [0.0]


@pytest.mark.parametrize(("words", "coverage"), [(1, 0.4), (4, 0.4), (8, 0.233), (20, 0.0813)])
def test_of_a_longer_query_a_smaller_share_is_as_sure(words: int, coverage: float) -> None:
    assert relevance([Evidence(coverage, cosine=0.0)], words)[0] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("coverage", "kept"), [(1.0, 1.0), (0.5, 0.93), (0.4, 0.75), (0.3, 0.55)])
def test_what_is_behind_the_best_is_less_sure_the_weaker_its_evidence(coverage: float, kept: float) -> None:
    (first,) = relevance([Evidence(coverage, 0.0)], 1)
    (behind,) = relevance([Evidence(coverage, 0.0, standing=0.6)], 1)
    assert behind / first == pytest.approx(kept, abs=0.05)
