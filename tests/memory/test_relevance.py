"""Relevance is one number in 0..1 that never rises down the list."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.memory import Memories
from omoide.memory.relevance import enough, monotone, relevance
from omoide.model.query import Evidence

share = st.floats(0, 1)
usual = st.tuples(share, share)
evidence = st.builds(
    Evidence,
    coverage=share,
    usual_coverage=usual,
    cosine=st.floats(-1, 1),
    usual_cosine=st.none() | usual,
    standing=share,
    graph=st.booleans(),
    words=st.integers(0, 50),
    sentences=st.integers(1, 9),
)


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


@given(st.lists(evidence))
def test_relevance_lies_in_bounds_and_never_rises(ranked: list[Evidence]) -> None:
    values = relevance(ranked)
    assert len(values) == len(ranked)
    assert all(0.0 <= value <= 1.0 for value in values)
    assert all(above >= below - 1e-12 for above, below in pairwise(values))


@given(evidence, share)
def test_more_of_the_query_is_never_less_relevant(known: Evidence, more: float) -> None:
    fuller = known._replace(coverage=max(known.coverage, more))
    assert relevance([fuller])[0] >= relevance([known])[0] - 1e-12


def test_a_memory_with_every_word_of_the_query_is_surely_relevant() -> None:
    assert relevance([Evidence(coverage=1.0, cosine=0.5)])[0] > 0.9


def test_a_memory_that_shares_nothing_is_not_relevant() -> None:
    assert relevance([Evidence(coverage=0.0, cosine=0.0)]) == [0.0]


@pytest.mark.parametrize(
    ("words", "sentences", "half"), [(1, 1, 0.4), (4, 1, 0.4), (8, 1, 0.246), (20, 1, 0.118), (20, 4, 0.068)]
)
def test_of_a_longer_query_a_smaller_share_is_as_sure(words: int, sentences: int, half: float) -> None:
    known = Evidence(half, words=words, sentences=sentences)
    assert enough(known) == pytest.approx(half, rel=0.01)
    assert relevance([known])[0] == pytest.approx(0.5, abs=0.03)


def test_what_texts_of_the_store_match_by_chance_is_not_enough() -> None:
    known = Evidence(0.2, words=20)
    (rare,), (common,) = relevance([known]), relevance([known._replace(usual_coverage=(0.1, 0.05))])
    assert (rare > 0.9, common < 0.4) == (True, True)


@pytest.mark.parametrize("cosines", [(0.05, 0.1), (0.4, 0.04)])
def test_meaning_is_told_by_how_far_it_is_beyond_what_is_usual(cosines: tuple[float, float]) -> None:
    mean, spread = cosines
    near, usual = (Evidence(0.0, cosine=mean + far * spread, usual_cosine=cosines) for far in (5.0, 0.0))
    assert relevance([near])[0] > 0.7
    assert relevance([usual])[0] < 0.05


def test_words_and_meaning_together_are_surer_than_either() -> None:
    words = Evidence(0.4, usual_cosine=(0.0, 0.1))
    both, meaning = words._replace(cosine=0.25), words._replace(coverage=0.0, cosine=0.25)
    assert relevance([both])[0] > max(relevance([words])[0], relevance([meaning])[0])


@pytest.mark.parametrize(("coverage", "kept"), [(1.0, 1.0), (0.5, 0.99), (0.4, 0.93), (0.3, 0.85)])
def test_what_is_behind_the_best_is_less_sure_the_weaker_its_evidence(coverage: float, kept: float) -> None:
    (first,) = relevance([Evidence(coverage)])
    (behind,) = relevance([Evidence(coverage, standing=0.6)])
    assert behind / first == pytest.approx(kept, abs=0.05)


@pytest.mark.parametrize(
    ("texts", "question", "right"),
    [
        (("昨日、京都で抹茶を飲んだ。", "駅前で傘を買った。"), "京都で何を飲んだ？", 0),
        (("我们决定用SQLite保存记忆。", "明天去爬山。"), "记忆保存在哪里", 0),
        (("The tea house opens at nine.", "We parked on level two."), "where did we park", 1),
    ],
)
def test_a_hit_tells_what_its_relevance_is_made_of(
    memories: Memories, texts: tuple[str, ...], question: str, right: int
) -> None:
    for text in texts:
        memories.remember(text)
    (first, *rest) = memories.recall(question).hits
    assert first.memory.text == texts[right]
    known = first.why.evidence
    assert known is not None
    assert known.coverage > known.usual_coverage[0]
    assert all(hit.relevance < 0.4 for hit in rest)


def test_a_list_has_no_evidence(memories: Memories) -> None:
    memories.remember("京都で抹茶を飲んだ。")
    assert memories.recall("").hits[0].why.evidence is None
