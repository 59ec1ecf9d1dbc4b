"""Does a search find the labelled memories? A fresh store a set, every question within its scope, public API only."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.dataset import DATA_VARIABLE, Dataset, find, load, namespaced
from bench.metrics import METRICS, summary
from bench.systems.omoide import Omoide


@dataclass(slots=True)
class Outcome:
    """What came of one set: raw rankings by question id, and seconds by stage."""

    dataset: Dataset
    rankings: dict[str, list[str]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def metrics(self) -> Mapping[str, float]:
        """Every metric over all questions."""
        return summary([(self.rankings[each.id], each.relevant) for each in self.dataset.questions])


def main(argv: Sequence[str]) -> int:
    """Run over the folders given; exit code 2 when a set is not there."""
    options = _parser().parse_args(argv)
    try:
        datasets = [load(find(name), options.limit) for name in options.sets]
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    outcomes = run_in_one_store(datasets, options) if options.together else [run(each, options) for each in datasets]
    report(outcomes)
    if options.json is not None:
        options.json.write_text(json.dumps(raw(outcomes), ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench retrieval", description=__doc__)
    parser.add_argument(
        "sets",
        nargs="+",
        metavar="DIR",
        help=f"folders with corpus.jsonl and queries.jsonl, or names under ${DATA_VARIABLE}",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the raw rankings and seconds")
    parser.add_argument("--no-triples", action="store_true", help="leave triples.jsonl out")
    parser.add_argument("--graph", action="store_true", help="ask with the graph walk (personalised PageRank)")
    parser.add_argument(
        "--together", action="store_true", help="all sets in one store, as if one user spoke every language"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N questions of a set")
    return parser


def run(dataset: Dataset, options: argparse.Namespace) -> Outcome:
    """One set in a store of its own."""
    return _run([dataset], options)[0]


def run_in_one_store(datasets: Sequence[Dataset], options: argparse.Namespace) -> list[Outcome]:
    """The sets in one store. The seconds are the store's, so every outcome shows the same."""
    with TemporaryDirectory(prefix="omoide-bench-") as folder:
        return _run([namespaced(each, Path(folder)) for each in datasets], options)


def _run(datasets: Sequence[Dataset], options: argparse.Namespace) -> list[Outcome]:
    with TemporaryDirectory(prefix="omoide-bench-") as folder, Omoide(Path(folder)) as system:
        for dataset in datasets:
            system.load(dataset, triples=not options.no_triples)
        outcomes = [_ask_all(system, dataset, graph=options.graph) for dataset in datasets]
        for outcome in outcomes:
            outcome.seconds = dict(system.seconds)
    return outcomes


def _ask_all(system: Omoide, dataset: Dataset, *, graph: bool) -> Outcome:
    outcome = Outcome(dataset)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for question in progress.track(dataset.questions, description=dataset.name):
            outcome.rankings[question.id] = system.ask(question, graph=graph)
    return outcome


def report(outcomes: Sequence[Outcome]) -> None:
    """Two tables: what was found, and where the time went."""
    console = Console(width=max(120, Console().width))
    console.print(quality_table(outcomes))
    console.print(time_table(outcomes))


def quality_table(outcomes: Sequence[Outcome]) -> Table:
    """A row a set, a column a metric."""
    table = Table("set", "questions", *(metric.name for metric in METRICS), title="retrieval")
    for outcome in outcomes:
        values = (f"{outcome.metrics[metric.name]:.3f}" for metric in METRICS)
        table.add_row(outcome.dataset.name, str(len(outcome.dataset.questions)), *values)
    return table


def time_table(outcomes: Sequence[Outcome]) -> Table:
    """A row a set: seconds, and the share of each stage."""
    stages = list(dict.fromkeys(stage for outcome in outcomes for stage in outcome.seconds))
    table = Table("set", "seconds", *stages, title="share of time by stage")
    for outcome in outcomes:
        total = sum(outcome.seconds.values())
        shares = (f"{outcome.seconds.get(stage, 0.0) / total:.1%}" for stage in stages)
        table.add_row(outcome.dataset.name, f"{total:.2f}", *shares)
    return table


def raw(outcomes: Sequence[Outcome]) -> list[Mapping[str, object]]:
    """Everything a later metric needs: rankings, labels, seconds."""
    return [
        {
            "set": outcome.dataset.name,
            "metrics": outcome.metrics,
            "seconds": outcome.seconds,
            "questions": [
                {
                    "id": each.id,
                    "category": each.category,
                    "relevant": sorted(each.relevant),
                    "ranking": outcome.rankings[each.id],
                }
                for each in outcome.dataset.questions
            ],
        }
        for outcome in outcomes
    ]
