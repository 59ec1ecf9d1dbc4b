"""A published benchmark as cases: a haystack of turns, and questions whose evidence is in it.

Useful for: LoCoMo and LongMemEval. Not useful for: sets with a corpus of their own form; see bench.workloads.retrieval.
Invariant: one store per case, the public API, one default configuration.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress

from bench.dataset import BadSet, Dataset, Question
from bench.harness.scores import Judged, Level, save, table
from bench.options import at_least, new_file
from bench.sessions import TURNS, by_session
from bench.systems.omoide import Omoide
from bench.variants import EVERYTHING

WIDTH = 160


@dataclass(frozen=True, slots=True)
class Case:
    """A haystack (rows as `omoide import` reads them, `session` in each) and its questions.

    `asked_at` is when they are asked, if known: `last week` is relative to it. `levels` are those judged.
    """

    haystack: Sequence[Mapping[str, object]]
    questions: Sequence[Question]
    asked_at: datetime | None = None
    levels: tuple[Level, ...] = ("turn", "session")


def parser_of(name: str, description: str | None) -> argparse.ArgumentParser:
    """The parser with the arguments that all harnesses of conversations share."""
    parser = argparse.ArgumentParser(prog=f"python -m bench {name}", description=description)
    parser.add_argument("file", type=Path, metavar="FILE", help="as published")
    parser.add_argument("--limit", type=at_least(1), metavar="N", help="only the first N entries of the file")
    parser.add_argument("--json", type=new_file, metavar="OUT", help="keep the scores and each question's ranking")
    return parser


def run(title: str, cases: Sequence[Case], keep: Path | None) -> int:
    """Judge every case, print the scores, and write them if wanted. Raises BadSet: there is nothing to judge."""
    with Progress(console=Console(stderr=True), transient=True) as progress:
        judged = [one for case in progress.track(cases, description=title) for one in judge(case)]
    if not judged:
        raise BadSet(f"{title}: no question with evidence in its haystack")
    Console(width=WIDTH).print(table(title, judged))
    if keep is not None:
        save(judged, keep)
    return 0


def judge(case: Case) -> list[Judged]:
    """Ask every question of a case, in a store of its own; questions without evidence in the haystack are left out."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="omoide-bench-")))
        system = stack.enter_context(Omoide(folder / "store", asked_at=case.asked_at))
        system.load(_dataset(case, folder), triples=False)
        return [judged for question in case.questions for judged in _asked(system, case, question)]


def _asked(system: Omoide, case: Case, question: Question) -> list[Judged]:
    sessions = {str(row["id"]): str(row["session"]) for row in case.haystack}
    relevant = question.relevant & sessions.keys()
    if not relevant:
        return []
    turns = system.ask(question, EVERYTHING.change_query, depth=TURNS).ids
    found = {"turn": (turns, relevant), "session": by_session(turns, relevant, sessions)}
    return [Judged(question.id, level, question.category or "", *found[level]) for level in case.levels]


def _dataset(case: Case, folder: Path) -> Dataset:
    lines = (json.dumps(row, ensure_ascii=False) for row in case.haystack)
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return Dataset("case", folder, tuple(case.questions))
