"""Does a search find the labelled memories? A new store for each set, every question within its scope, public API only.

Useful for: judging a change of ranking or relevance. Not useful for: speed at scale, as the stores are small.
Invariant: one default configuration for every set.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.dataset import DATA_VARIABLE, BadSet, Dataset, Question, find, load, namespaced, read_lines
from bench.gate import compare, stored
from bench.metrics import METRICS, recall_at, summary
from bench.options import at_least
from bench.outcome import Outcome, cost, label, raw, relevance_measures, spread
from bench.published import as_published
from bench.sessions import TURNS, by_session, sessions_of
from bench.systems.omoide import Omoide
from bench.systems.precomputed import embedder_of
from bench.variants import AS_KEYWORDS, AS_REQUESTS, EVERYTHING, IN_KANA, VARIANTS, Variant, with_graph
from omoide.model.query import Query

#: Random pairs of question and memory for each set, which a threshold must exclude.
STRANGERS = 300
#: The tables' least width in columns, even on a narrower terminal.
WIDTH = 160
#: Context budgets, in tokens, and how many results are requested to fill them.
BUDGETS = (1000, 2000, 4000)
BUDGET_DEPTH = 100


def main(argv: Sequence[str]) -> int:
    """Run over the given folders; exit code 2 if a set is missing or cannot be judged, 1 if the gate finds a loss."""
    options = _parser().parse_args(argv)
    try:
        _find_files(options)
        datasets = [load(find(name), options.limit) for name in options.sets]
        options.embedder = embedder_of(options.embedder, datasets)
    except (FileNotFoundError, BadSet) as error:
        print(error, file=sys.stderr)
        return 2
    outcomes = _outcomes(datasets, options)
    report(outcomes, by_category=options.by_category)
    if options.json is not None:
        options.json.write_text(json.dumps(raw(outcomes), ensure_ascii=False, indent=1), encoding="utf-8")
    if options.report is not None:
        from bench.report import write  # needs matplotlib

        print(write(outcomes, options.report))
    return compare(raw(outcomes), options.gate) if options.gate is not None else 0


def _find_files(options: argparse.Namespace) -> None:
    """Check files before anything is measured: hours later the results would be lost. Raises FileNotFoundError, BadSet."""
    if options.gate is not None:
        if not options.gate.is_file():
            raise FileNotFoundError(f"no earlier run to compare with: there is no file {options.gate}")
        stored(options.gate)
    if options.report is not None:
        if find_spec("matplotlib") is None:
            raise FileNotFoundError("no report without plots: matplotlib is not installed (the extra `bench` has it)")
        with as_published(str(options.report)):
            options.report.mkdir(parents=True, exist_ok=True)
    if options.json is not None and not options.json.absolute().parent.is_dir():
        raise FileNotFoundError(f"the rankings cannot be kept: there is no folder for {options.json}")


def _outcomes(datasets: Sequence[Dataset], options: argparse.Namespace) -> list[Outcome]:
    return [outcome for variant in _variants(options) for outcome in run(datasets, variant, options)]


def _variants(options: argparse.Namespace) -> Sequence[Variant]:
    if options.ablate:
        return VARIANTS
    if options.kana:
        return IN_KANA
    if options.requests:
        return AS_REQUESTS
    if options.keywords:
        return AS_KEYWORDS
    return (with_graph(EVERYTHING) if options.graph else EVERYTHING,)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench retrieval", description=__doc__)
    parser.add_argument(
        "sets",
        nargs="+",
        metavar="DIR",
        help=f"folders with corpus.jsonl and queries.jsonl, or names under ${DATA_VARIABLE}",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the raw rankings, relevances and seconds")
    parser.add_argument("--report", type=Path, metavar="DIR", help="also measure relevance; Markdown and plots here")
    variants = parser.add_mutually_exclusive_group()
    variants.add_argument("--ablate", action="store_true", help="again with each arm and feature off in turn")
    variants.add_argument("--kana", action="store_true", help="again with the questions, in Japanese, in kana")
    variants.add_argument(
        "--requests", action="store_true", help="again with the questions as requests: please tell me …"
    )
    variants.add_argument(
        "--keywords", action="store_true", help="again with three words of the questions, as agents ask"
    )
    parser.add_argument("--by-category", action="store_true", help="a row a category of questions too")
    parser.add_argument(
        "--by-session", action="store_true", help="also the conversations that the turns found are from"
    )
    parser.add_argument(
        "--budgets", action="store_true", help="also what answers of so many tokens hold of the evidence"
    )
    parser.add_argument("--gate", type=Path, metavar="FILE", help="fail when questions fell behind this earlier --json")
    parser.add_argument(
        "--embedder",
        default="lexical",
        help="as `omoide serve` takes it; precomputed:MODEL for vectors beside a set, ranking:MODEL for its dense_runs.jsonl",
    )
    parser.add_argument("--no-triples", action="store_true", help="leave triples.jsonl out")
    parser.add_argument("--graph", action="store_true", help="ask with the graph walk (personalised PageRank)")
    parser.add_argument(
        "--together", action="store_true", help="all sets in one store, as if one user spoke every language"
    )
    parser.add_argument("--limit", type=at_least(1), metavar="N", help="only the first N questions of a set")
    return parser


def run(datasets: Sequence[Dataset], variant: Variant, options: argparse.Namespace) -> list[Outcome]:
    """Run each set in a store of its own, or all in one (then every outcome has the same seconds, those of the store)."""
    if not options.together:
        return [outcome for each in datasets for outcome in _run([each], variant, options)]
    with TemporaryDirectory(prefix="omoide-bench-") as folder:
        return _run([namespaced(each, Path(folder)) for each in datasets], variant, options)


def _run(datasets: Sequence[Dataset], variant: Variant, options: argparse.Namespace) -> list[Outcome]:
    with ExitStack() as stack:
        folders = (stack.enter_context(TemporaryDirectory(prefix="omoide-bench-")) for _ in range(2))
        store, copies = map(Path, folders)
        system = stack.enter_context(Omoide(store, options.embedder))
        changed = [variant.change_data(each, copies) for each in datasets]
        for dataset in changed:
            system.load(dataset, triples=not options.no_triples)
        outcomes = [_ask_all(system, dataset, variant) for dataset in changed]
        for outcome in outcomes:
            outcome.seconds = dict(system.seconds)
            if options.report is not None and variant is EVERYTHING:
                _measure_relevance(system, outcome)
            if (options.report is not None or options.budgets) and variant is EVERYTHING:
                _measure_budgets(system, outcome)
            if options.by_session:
                _measure_sessions(system, outcome)
    return outcomes


def _ask_all(system: Omoide, dataset: Dataset, variant: Variant) -> Outcome:
    outcome = Outcome(dataset, variant)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for question in progress.track(dataset.questions, description=f"{dataset.name}, {variant.name}"):
            outcome.answers[question.id] = system.ask(question, variant.change_query)
    return outcome


def _measure_relevance(system: Omoide, outcome: Outcome) -> None:
    """Relevance of random memories to questions they do not answer, and of the best hit of questions without an answer."""
    dice = Random(0)
    rows = list(read_lines(outcome.dataset.corpus))
    for question in dice.choices(outcome.dataset.questions, k=STRANGERS):
        if strangers := [row["id"] for row in rows if _is_stranger(row, question)]:
            alone = system.alone(question, dice.choice(strangers), outcome.variant.change_query)
            outcome.strangers.append(max(alone.relevances, default=0.0))
    for question in outcome.dataset.unanswerable:
        answer = system.ask(question, outcome.variant.change_query, depth=1)
        outcome.unanswerable.append(answer.relevances[0] if answer.ids else 0.0)


def _is_stranger(row: Mapping[str, object], question: Question) -> bool:
    return row["id"] not in question.relevant and question.scope in {None, row.get("scope")}


def _measure_budgets(system: Omoide, outcome: Outcome) -> None:
    """The share of the relevant memories in answers of so many tokens, whole or in part."""
    questions = [each for each in outcome.dataset.questions if each.relevant]
    for budget in BUDGETS:
        change = _within_budget(outcome.variant, budget)
        answers = (system.ask(each, change, depth=BUDGET_DEPTH).ids for each in questions)
        shares = [recall_at(BUDGET_DEPTH, ids, each.relevant) for each, ids in zip(questions, answers, strict=True)]
        outcome.within[budget] = sum(shares) / max(len(shares), 1)


def _within_budget(variant: Variant, budget: int) -> Callable[[Query], Query]:
    return lambda query: replace(variant.change_query(query), token_budget=budget)


def _measure_sessions(system: Omoide, outcome: Outcome) -> None:
    sessions = sessions_of(outcome.dataset)
    for question in outcome.dataset.questions if sessions else ():
        turns = system.ask(question, outcome.variant.change_query, depth=TURNS).ids
        outcome.by_session.append(by_session(turns, question.relevant, sessions))


def report(outcomes: Sequence[Outcome], *, by_category: bool) -> None:
    """Print tables: recall, by category if wanted, the quality of relevance, and the times."""
    console = Console(width=max(WIDTH, Console().width))
    console.print(quality_table(outcomes))
    if by_category:
        console.print(category_table(outcomes))
    if any(outcome.by_session for outcome in outcomes):
        console.print(session_table(outcomes))
    if any(outcome.strangers for outcome in outcomes):
        console.print(relevance_table(outcomes))
    if any(outcome.within for outcome in outcomes):
        console.print(budget_table(outcomes))
    console.print(time_table(outcomes))


def quality_table(outcomes: Sequence[Outcome]) -> Table:
    """One row per set, one column per metric; the 95 % interval of recall@10 by bootstrap."""
    table = Table("set", "questions", *(metric.name for metric in METRICS), "recall@10, 95 %", title="retrieval")
    for outcome in outcomes:
        values = (f"{outcome.metrics[metric.name]:.3f}" for metric in METRICS)
        table.add_row(label(outcome), str(len(outcome.dataset.questions)), *values, spread(outcome.judged))
    return table


def category_table(outcomes: Sequence[Outcome]) -> Table:
    """One row per category of questions."""
    table = Table("set", "category", "questions", *(metric.name for metric in METRICS), title="by category")
    for outcome in outcomes:
        categories = sorted({each.category or "" for each in outcome.dataset.questions})
        for category in categories if len(categories) > 1 else []:
            of = [each for each in outcome.dataset.questions if (each.category or "") == category]
            metrics = summary([(outcome.answers[each.id].ids, each.relevant) for each in of])
            values = (f"{metrics[metric.name]:.3f}" for metric in METRICS)
            table.add_row(label(outcome), category, str(len(of)), *values)
    return table


def session_table(outcomes: Sequence[Outcome]) -> Table:
    """One row per set that has sessions: the metrics over sessions instead of turns."""
    table = Table("set", "questions", *(metric.name for metric in METRICS), title="by session")
    for outcome in [each for each in outcomes if each.by_session]:
        values = (f"{value:.3f}" for value in summary(outcome.by_session).values())
        table.add_row(label(outcome), str(len(outcome.by_session)), *values)
    return table


def budget_table(outcomes: Sequence[Outcome]) -> Table:
    """One row per set: the share of the evidence in answers of so many tokens."""
    table = Table("set", *(f"found in {budget} tokens" for budget in BUDGETS), title="within a budget")
    for outcome in [each for each in outcomes if each.within]:
        table.add_row(label(outcome), *(f"{share:.3f}" for share in outcome.within.values()))
    return table


def relevance_table(outcomes: Sequence[Outcome]) -> Table:
    """How reliable relevance is (see docs/benchmarks.md)."""
    head = ("set", "median of relevant", "95 % of strangers", "calibration error", "no answer: AUC")
    table = Table(*head, title="relevance")
    for outcome in [each for each in outcomes if each.strangers]:
        values = (f"{value:.3f}" for value in relevance_measures(outcome).values())
        table.add_row(label(outcome), *values)
    return table


def time_table(outcomes: Sequence[Outcome]) -> Table:
    """One row per set: cost of a question in milliseconds and tokens, seconds in all, and the share of each stage."""
    stages = list(dict.fromkeys(stage for outcome in outcomes for stage in outcome.seconds))
    table = Table("set", "ms p50", "ms p95", "tokens", "seconds", *stages, title="cost, and share of time by stage")
    for outcome in outcomes:
        total = sum(outcome.seconds.values())
        shares = (f"{outcome.seconds.get(stage, 0.0) / total:.1%}" for stage in stages)
        table.add_row(label(outcome), *cost(outcome), f"{total:.2f}", *shares)
    return table
