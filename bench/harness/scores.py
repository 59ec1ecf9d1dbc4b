"""The measures of conversation benchmarks: shares of the evidence found, over turns and over sessions.

By the published definitions (LongMemEval, Wu and others 2025): recall_any@k, recall_all@k, and nDCG@k with the discount
1/log2(rank) from the second rank on; recall@k is the share of a question's evidence (LoCoMo, Maharana and others 2024).
Averages are taken over the questions that have evidence.
Useful for: comparing with published figures. Not useful for: the usual nDCG (bench.metrics discounts the second rank too).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Literal

from rich.table import Table

from bench.metrics import Ranking, Relevant, all_at, any_at, recall_at

Level = Literal["turn", "session"]
LEVELS: tuple[Level, ...] = ("turn", "session")
DEPTHS = (5, 10)
ALL = "all"


@dataclass(frozen=True, slots=True)
class Judged:
    """One ranking at one level."""

    question: str
    level: Level
    category: str
    ranking: Ranking
    relevant: Relevant


def published_ndcg(k: int, ranking: Ranking, relevant: Relevant) -> float:
    """See the module; 0 if nothing is relevant."""
    gained = sum(_discount(rank) for rank, id in enumerate(ranking[:k], 1) if id in relevant)
    ideal = sum(_discount(rank) for rank in range(1, min(k, len(relevant)) + 1))
    return gained / ideal if ideal else 0.0


def _discount(rank: int) -> float:
    return 1.0 if rank == 1 else 1.0 / log2(rank)


MEASURES = {"recall": recall_at, "recall_any": any_at, "recall_all": all_at, "nDCG": published_ndcg}


def scores(judged: Sequence[Judged]) -> Mapping[str, float]:
    """Every measure at every depth, averaged."""
    return {
        f"{name}@{k}": fmean(measure(k, each.ranking, each.relevant) for each in judged)
        for k in DEPTHS
        for name, measure in MEASURES.items()
    }


def table(title: str, judged: Sequence[Judged]) -> Table:
    """One row per level and category, all categories together first."""
    shown = Table("level", "category", "questions", *(f"{name}@{k}" for k in DEPTHS for name in MEASURES), title=title)
    for (level, category), rows in _groups(judged).items():
        shown.add_row(level, category, str(len(rows)), *(f"{value:.3f}" for value in scores(rows).values()))
    return shown


def save(judged: Sequence[Judged], path: Path) -> None:
    """Write the table's numbers, and what was found for each question, as JSON."""
    rows = [
        {"level": level, "category": category, "questions": len(rows), **scores(rows)}
        for (level, category), rows in _groups(judged).items()
    ]
    questions = [
        {
            "id": each.question,
            "level": each.level,
            "category": each.category,
            "relevant": sorted(each.relevant),
            "ranking": list(each.ranking),
        }
        for each in judged
    ]
    path.write_text(
        json.dumps({"scores": rows, "questions": questions}, ensure_ascii=False, indent=1), encoding="utf-8"
    )


def _groups(judged: Sequence[Judged]) -> Mapping[tuple[Level, str], Sequence[Judged]]:
    """Groups by level and category, in the order of the table."""
    groups: dict[tuple[Level, str], list[Judged]] = {}
    for level in LEVELS:
        of_level = [each for each in judged if each.level == level]
        for category in (ALL, *sorted({each.category for each in of_level})):
            groups[level, category] = [each for each in of_level if category in {ALL, each.category}]
    return {key: rows for key, rows in groups.items() if rows}
