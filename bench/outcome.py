"""The results of one set in one variant: answers, seconds and relevances, with the measures over them.

Useful for: tables, reports and gates alike. Not useful for: asking; see bench.workloads.retrieval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.dataset import Dataset
from bench.metrics import Ranking, Relevant, recall_at, summary
from bench.statistics import Promise, expected_calibration_error, interval, percentile, separation
from bench.systems.omoide import Answer
from bench.variants import EVERYTHING, Variant


@dataclass(slots=True)
class Outcome:
    """The results of one set: answers by question id, seconds by stage; with `--report` also relevances;
    with `--by-session` (sessions found, sessions that answer)."""

    dataset: Dataset
    variant: Variant
    answers: dict[str, Answer] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    strangers: list[float] = field(default_factory=list)
    unanswerable: list[float] = field(default_factory=list)
    within: dict[int, float] = field(default_factory=dict)
    by_session: list[tuple[Ranking, Relevant]] = field(default_factory=list)

    @property
    def judged(self) -> list[tuple[Sequence[str], Relevant]]:
        """(ranking, relevant) of every question."""
        return [(self.answers[each.id].ids, each.relevant) for each in self.dataset.questions]

    @property
    def metrics(self) -> Mapping[str, float]:
        """Every metric over all questions."""
        return summary(self.judged)

    @property
    def promises(self) -> list[Promise]:
        """The relevance of every hit, and whether it is labelled relevant."""
        return [
            (share, id in each.relevant)
            for each in self.dataset.questions
            for id, share in zip(self.answers[each.id].ids, self.answers[each.id].relevances, strict=True)
        ]

    @property
    def best(self) -> list[float]:
        """The relevance of the first hit of every question that has an answer, 0 without one."""
        answers = (self.answers[each.id] for each in self.dataset.questions if each.relevant)
        return [answer.relevances[0] if answer.ids else 0.0 for answer in answers]


def label(outcome: Outcome) -> str:
    """The set's name, and the variant's."""
    return (
        outcome.dataset.name
        if outcome.variant.name == EVERYTHING.name
        else f"{outcome.dataset.name} {outcome.variant.name}"
    )


def spread(judged: Sequence[tuple[Sequence[str], Relevant]]) -> str:
    """The bootstrap interval of recall@10."""
    shares = [recall_at(10, ranking, relevant) for ranking, relevant in judged if relevant]
    low, high = interval(shares) if shares else (float("nan"), float("nan"))
    return f"{low:.3f} to {high:.3f}"


def relevance_measures(outcome: Outcome) -> Mapping[str, float]:
    """In the order of the table's columns; NaN if the set has nothing to measure it with."""
    relevant = [share for share, came in outcome.promises if came]
    best, nothing = outcome.best, float("nan")
    return {
        "median_relevant": percentile(relevant, 0.5) if relevant else nothing,
        "p95_strangers": percentile(outcome.strangers, 0.95),
        "calibration_error": expected_calibration_error(outcome.promises) if outcome.promises else nothing,
        "auc_unanswerable": separation(best, outcome.unanswerable) if best and outcome.unanswerable else nothing,
    }


def budget_measures(outcome: Outcome) -> Mapping[str, float]:
    """The share of the evidence in answers of so many tokens."""
    return {f"recall_in_{budget}_tokens": share for budget, share in outcome.within.items()}


def cost(outcome: Outcome) -> tuple[str, str, str]:
    """Milliseconds a question (p50, p95) and the mean tokens of an answer."""
    took = [answer.seconds * 1e3 for answer in outcome.answers.values()]
    read = [sum(answer.tokens) for answer in outcome.answers.values()]
    return f"{percentile(took, 0.5):.2f}", f"{percentile(took, 0.95):.2f}", f"{sum(read) / len(read):.0f}"


def raw(outcomes: Sequence[Outcome]) -> list[Mapping[str, object]]:
    """Everything a later metric needs: rankings, relevances, labels, seconds."""
    return [
        {
            "set": label(outcome),
            "metrics": outcome.metrics,
            "relevance": relevance_measures(outcome) if outcome.strangers else {},
            "budgets": budget_measures(outcome),
            "by_session": summary(outcome.by_session) if outcome.by_session else {},
            "seconds": outcome.seconds,
            "questions": [
                {
                    "id": each.id,
                    "category": each.category,
                    "relevant": sorted(each.relevant),
                    "ranking": outcome.answers[each.id].ids,
                    "relevance": [round(share, 4) for share in outcome.answers[each.id].relevances],
                }
                for each in outcome.dataset.questions
            ],
        }
        for outcome in outcomes
    ]
