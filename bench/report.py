"""Writes a run as a page: report.md, its plots (PNG) and raw.json, in a folder named by the caller.

Useful for: reading and keeping a run. Not useful for: running; see bench.workloads.retrieval.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from statistics import fmean
from typing import Any

import matplotlib

from bench.metrics import METRICS, recall_at
from bench.outcome import Outcome, budget_measures, cost, label, raw, relevance_measures, spread
from bench.statistics import bins
from bench.variants import EVERYTHING

matplotlib.use("Agg")
from matplotlib import pyplot

THRESHOLDS = [step / 20 for step in range(21)]
DEPTHS = range(1, 11)
SIZE = (8, 5)

Outcomes = Sequence[Outcome]


def write(outcomes: Outcomes, folder: Path) -> Path:
    """Write the page; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "raw.json").write_text(json.dumps(raw(outcomes), ensure_ascii=False), encoding="utf-8")
    plots = [name for name, draw in PLOTS.items() if _plotted(folder / f"{name}.png", draw, outcomes)]
    page = folder / "report.md"
    page.write_text("\n\n".join([*_head(), *_tables(outcomes), *map(_figure, plots)]) + "\n", encoding="utf-8")
    return page


def _head() -> list[str]:
    now = datetime.now(timezone.utc)
    return [
        "# Retrieval",
        f"{now:%Y-%m-%d %H:%M} UTC, Python {platform.python_version()}, {platform.machine()}. A fresh store a set, default "
        "settings, public API only. Labels are incomplete: a hit nobody labelled counts as wrong.",
    ]


def _tables(outcomes: Outcomes) -> list[str]:
    found = [
        [
            label(each),
            len(each.answers),
            *(f"{each.metrics[metric.name]:.3f}" for metric in METRICS),
            spread(each.judged),
        ]
        for each in outcomes
    ]
    costs = [[label(each), *cost(each)] for each in outcomes]
    measured = [each for each in outcomes if each.strangers]
    relevance = [[label(each), *(f"{value:.3f}" for value in _promised(each).values())] for each in measured]
    return [
        _table(["set", "questions", *(metric.name for metric in METRICS), "recall@10, 95 %"], found),
        _table(["set", "ms p50", "ms p95", "tokens an answer"], costs),
        *([_table(["set", *_promised(measured[0])], relevance)] if measured else []),
    ]


def _promised(outcome: Outcome) -> Mapping[str, float]:
    return {**relevance_measures(outcome), **budget_measures(outcome)}


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _figure(name: str) -> str:
    return f"![{name}]({name}.png)"


def _plotted(path: Path, draw: Callable[[Any, Outcomes], bool], outcomes: Outcomes) -> bool:
    figure, axes = pyplot.subplots(figsize=SIZE)
    drawn = draw(axes, outcomes)
    if drawn:
        figure.tight_layout()
        figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return drawn


def _whole(outcomes: Outcomes) -> list[Outcome]:
    return [each for each in outcomes if each.variant is EVERYTHING]


def _recall(axes: Any, outcomes: Outcomes) -> bool:
    for each in _whole(outcomes):
        judged = [pair for pair in each.judged if pair[1]]
        axes.plot(DEPTHS, [fmean(recall_at(k, *pair) for pair in judged) for k in DEPTHS], label=each.dataset.name)
    axes.set(xlabel="results", ylabel="share of the relevant found", title="recall by k", ylim=(0, 1))
    axes.legend(fontsize="small")
    return bool(_whole(outcomes))


def _reliability(axes: Any, outcomes: Outcomes) -> bool:
    for each in _whole(outcomes):
        points = bins(each.promises)
        axes.plot([one.promised for one in points], [one.came for one in points], "o-", label=each.dataset.name)
    axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
    axes.set(xlabel="relevance shown", ylabel="share labelled relevant", title="reliability", xlim=(0, 1), ylim=(0, 1))
    axes.legend(fontsize="small")
    return bool(_whole(outcomes))


def _no_answer(axes: Any, outcomes: Outcomes) -> bool:
    measured = [each for each in _whole(outcomes) if each.unanswerable and each.best]
    for each in measured:
        kept = [fmean(share >= at for share in each.best) for at in THRESHOLDS]
        let_in = [fmean(share >= at for share in each.unanswerable) for at in THRESHOLDS]
        axes.plot(let_in, kept, "o-", label=each.dataset.name)
    axes.set(xlabel="without an answer, answered", ylabel="with an answer, answered", title="thresholds 0 to 1")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    if measured:
        axes.legend(fontsize="small")
    return bool(measured)


def _ablation(axes: Any, outcomes: Outcomes) -> bool:
    off = [each for each in outcomes if each.variant is not EVERYTHING]
    whole = {each.dataset.name: each.metrics["recall@10"] for each in _whole(outcomes)}
    names = [f"{each.dataset.name} {each.variant.name}" for each in off]
    axes.barh(names, [each.metrics["recall@10"] - whole[each.dataset.name] for each in off])
    axes.set(xlabel="change of recall@10", title="ablation")
    axes.tick_params(labelsize="x-small")
    return bool(off)


PLOTS: dict[str, Callable[[Any, Outcomes], bool]] = {
    "recall": _recall,
    "reliability": _reliability,
    "no_answer": _no_answer,
    "ablation": _ablation,
}
