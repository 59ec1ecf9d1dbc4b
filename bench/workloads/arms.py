"""Is the fusion ever worse than the better of its arms? Words alone, vectors alone and both, for every model that a set has
vectors or rankings of, stronger than words, weaker or equal.

Useful for: a change of the fusion. Not useful for: what each arm adds to the default; see `retrieval --ablate`.
Invariant: all three search one store, otherwise with the defaults.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from bench.dataset import DATA_VARIABLE, BadSet, Dataset, find, load, read_lines
from bench.metrics import summary
from bench.systems.omoide import Omoide
from bench.systems.precomputed import embedder_of
from omoide.model.query import EVERY_ARM, ArmName, Query

#: How far the fusion may be below the better arm.
TOLERATED = 0.01
ARMS: Mapping[str, frozenset[ArmName]] = {
    "words": frozenset({"words"}),
    "vectors": frozenset({"vectors"}),
    "fused": frozenset({"words", "vectors"}),
    "with the graph": EVERY_ARM,
}
DEPTHS = (5, 10)

Shares = Mapping[str, Sequence[float]]


def main(argv: Sequence[str]) -> int:
    """Run over the given folders; exit code 2 if a set is missing or cannot be judged, 1 if a fusion is worse than the better arm."""
    options = _parser().parse_args(argv)
    try:
        datasets = [load(find(name)) for name in options.sets]
    except (FileNotFoundError, BadSet) as error:
        print(error, file=sys.stderr)
        return 2
    if not any(any(models(each)) for each in datasets):
        print("no set has vectors (*_corpus.npy) or rankings (dense_runs.jsonl) of a model", file=sys.stderr)
        return 2
    found = [(each.name, model, recall(each, model)) for each in datasets for model in models(each)]
    Console(width=max(140, Console().width)).print(_table(found))
    return int(any(loss(shares) > TOLERATED for _, _, shares in found))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench arms", description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="DIR", help=f"folders, or names under ${DATA_VARIABLE}")
    return parser


def models(dataset: Dataset) -> Iterator[str]:
    """The models of a set, as `--embedder` takes them: those with vectors, then those with rankings."""
    for path in sorted(dataset.folder.glob("*_corpus.npy")):
        yield f"precomputed:{path.name.removesuffix('_corpus.npy')}"
    rankings = dataset.folder / "dense_runs.jsonl"
    if rankings.exists():
        yield from sorted({f"ranking:{line['model']}" for line in read_lines(rankings)})


def recall(dataset: Dataset, model: str) -> Shares:
    """Recall at each depth, by name of the arms."""
    with (
        TemporaryDirectory(prefix="omoide-bench-") as folder,
        Omoide(Path(folder), embedder_of(model, [dataset])) as system,
    ):
        system.load(dataset, triples=True)
        return {name: _recall(system, dataset, arms) for name, arms in ARMS.items()}


def _recall(system: Omoide, dataset: Dataset, arms: frozenset[ArmName]) -> list[float]:
    def change(query: Query) -> Query:
        return replace(query, arms=arms)

    judged = [(system.ask(each, change).ids, each.relevant) for each in dataset.questions]
    measured = summary(judged)
    return [measured[f"recall@{depth}"] for depth in DEPTHS]


def loss(shares: Shares) -> float:
    """The most that the fusion is below the better arm."""
    arms = zip(shares["words"], shares["vectors"], shares["fused"], strict=True)
    return max(max(words, vectors) - fused for words, vectors, fused in arms)


def _table(found: Sequence[tuple[str, str, Shares]]) -> Table:
    title = " and ".join(f"recall@{depth}" for depth in DEPTHS)
    table = Table("set", "model", *ARMS, "fused beside the better arm", title=title)
    for name, model, shares in found:
        cells = (" ".join(f"{share:.3f}" for share in shares[arm]) for arm in ARMS)
        below = loss(shares)
        table.add_row(name, model, *cells, f"{-below:+.3f}{' FAILED' if below > TOLERATED else ''}")
    return table
