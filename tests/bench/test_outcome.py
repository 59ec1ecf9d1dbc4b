"""What is measured over the answers of a set, worked out by hand."""

from pathlib import Path

import pytest

from bench.dataset import Dataset, Question
from bench.outcome import Outcome, relevance_measures
from bench.systems.omoide import Answer
from bench.variants import EVERYTHING

QUESTIONS = {"京都で飲んだお茶": "茶", "会议在哪天": "会", "where did we park": "車", "誰も答えを知らない": ""}


def outcome(**relevances: tuple[float, ...]) -> Outcome:
    questions = tuple(
        Question(id, text, frozenset(relevant), None, None)
        for id, (text, relevant) in zip("abcd", QUESTIONS.items(), strict=True)
    )
    answers = {
        id: Answer(tuple("茶会車"[: len(found)]), found, (), (), 3, 0.0)
        for id in "abcd"
        for found in [relevances.get(id, ())]
    }
    return Outcome(Dataset("会話", Path(), questions), EVERYTHING, answers, strangers=[0.0], unanswerable=[0.5, 0.1])


def test_an_answer_that_is_not_found_counts_among_the_best_and_a_question_without_one_does_not() -> None:
    found = outcome(a=(0.9, 0.2), b=(0.3,), d=(0.8,))
    assert found.best == [0.9, 0.3, 0.0]
    assert relevance_measures(found)["auc_unanswerable"] == pytest.approx((2 + 1 + 0) / 6)
