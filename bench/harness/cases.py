"""A published benchmark as cases: a haystack of turns, and questions whose evidence lies in it.

Measures by the published definitions (LongMemEval, Wu and others 2025): recall_any@k, recall_all@k, and nDCG@k with the
discount 1/log2(rank) from the second rank on; over turns, and over sessions (a session stands where its first turn does).
Useful for: LoCoMo and LongMemEval. Not useful for: sets with a corpus of their own form; see bench.workloads.retrieval.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from bench.dataset import Dataset, Question
from bench.metrics import Ranking, Relevant, all_at, any_at
from bench.systems.omoide import Omoide
from bench.variants import EVERYTHING

DEPTHS = (5, 10)
#: Turns asked for, so that enough sessions are among them.
TURNS = 50


@dataclass(frozen=True, slots=True)
class Case:
    """A haystack (rows as `omoide import` reads them, `session` in each) and its questions."""

    haystack: Sequence[Mapping[str, object]]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Judged:
    """One ranking at one level."""

    level: str
    category: str
    ranking: Ranking
    relevant: Relevant


def published_ndcg(k: int, ranking: Ranking, relevant: Relevant) -> float:
    """See the module; 0 where nothing is relevant."""
    gained = sum(_discount(rank) for rank, id in enumerate(ranking[:k], 1) if id in relevant)
    ideal = sum(_discount(rank) for rank in range(1, min(k, len(relevant)) + 1))
    return gained / ideal if ideal else 0.0


def _discount(rank: int) -> float:
    return 1.0 if rank == 1 else 1.0 / log2(rank)


MEASURES = {"recall_any": any_at, "recall_all": all_at, "nDCG": published_ndcg}


def judge(case: Case) -> list[Judged]:
    """Ask every question of a case in a store of its own; those without evidence in the haystack are left out."""
    sessions = {str(row["id"]): str(row["session"]) for row in case.haystack}
    judged: list[Judged] = []
    with TemporaryDirectory(prefix="omoide-bench-") as folder, Omoide(Path(folder) / "store") as system:
        system.load(_dataset(case, Path(folder)), triples=False)
        for question in case.questions:
            relevant = question.relevant & sessions.keys()
            if relevant:
                turns = system.ask(question, EVERYTHING.change_query, depth=TURNS).ids
                judged += _at_both_levels(question.category or "", turns, relevant, sessions)
    return judged


def _at_both_levels(
    category: str, turns: Ranking, relevant: Relevant, sessions: Mapping[str, str]
) -> tuple[Judged, Judged]:
    ranked = tuple(dict.fromkeys(sessions[id] for id in turns))
    wanted = frozenset(sessions[id] for id in relevant)
    return Judged("turn", category, turns, relevant), Judged("session", category, ranked, wanted)


def _dataset(case: Case, folder: Path) -> Dataset:
    lines = (json.dumps(row, ensure_ascii=False) for row in case.haystack)
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return Dataset("case", folder, tuple(case.questions))


def report(title: str, judged: Iterable[Judged]) -> None:
    """A row a level and category, all categories first."""
    judged = list(judged)
    names = [f"{name}@{k}" for k in DEPTHS for name in MEASURES]
    table = Table("level", "category", "questions", *names, title=title)
    for level in ("turn", "session"):
        of_level = [each for each in judged if each.level == level]
        for category in (None, *sorted({each.category for each in of_level})):
            rows = [each for each in of_level if category in {None, each.category}]
            if rows:
                table.add_row(level, category or "all", str(len(rows)), *_values(rows))
    Console(width=140).print(table)


def _values(rows: Sequence[Judged]) -> list[str]:
    return [
        f"{fmean(measure(k, each.ranking, each.relevant) for each in rows):.3f}"
        for k in DEPTHS
        for measure in MEASURES.values()
    ]
