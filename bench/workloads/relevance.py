"""How reliable is relevance, the number in 0..1 that callers compare with a threshold, and where do its constants come from?

For every set it shows the relevance of labelled memories that were found; of random memories, each searched for alone,
and in a list of everything; and of the best hits of questions whose answer is not there (the set's own,
and those of other sets in its language). `--fit` fits the curve to one half of the questions and shows the other half, then
to all sets but one and shows that one.

Useful for: choosing the constants of omoide.memory.relevance. Not useful for: judging a ranking; see retrieval.
Invariant: a set is never judged by a curve that was fitted to the questions shown.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import log
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from bench.dataset import DATA_VARIABLE, BadSet, Dataset, Question, find, load, read_lines
from bench.options import at_least
from bench.statistics import Promise, expected_calibration_error, percentile, separation
from bench.systems.omoide import DEPTH, Omoide
from bench.systems.precomputed import embedder_of
from bench.variants import EVERYTHING
from omoide.embed import Embedder
from omoide.memory.relevance import CURVE, Curve, relevance
from omoide.model.query import Evidence

#: Random memories for each question; questions from every other set in the language.
DRAWN = 10
ELSEWHERE = 60
#: Questions for which everything is listed, and the limit of that; strangers in a draw, and the number of draws.
LISTED, EVERYTHING_FOUND = 40, 1_000
A_DRAW, DRAWS = 300, 40
#: The doors' threshold.
THRESHOLD = 0.4
#: Required of every set: half of the relevant above, all but one in twenty strangers below. The fit aims higher by a margin.
MEDIAN, STRANGERS = 0.7, 0.3
MARGIN = 0.1
#: The weight of missing these, relative to a unit of log loss.
MISS = 10.0
#: Questions without an answer weigh half: the store may have something on their subject.
ELSEWHERE_WEIGHT = 0.5
#: Predictions are clamped to be no closer to 0 or 1 than this.
LEAST = 0.01
#: The constants that the fit may change, by kind of embedder, and the factors it tries.
BY_WORDS = ("by_chance", "one_in", "company", "beside", "beside_best", "enough")
BY_MEANING = ("with_meaning",)
FACTORS = (0.7, 0.85, 0.93, 0.97, 1.03, 1.07, 1.15, 1.4)
ROUNDS = 5

Sets = Mapping[str, "Known"]


@dataclass(frozen=True, slots=True)
class Told:
    """The measurements of one answer: the evidence of its hits, which of them are labelled, how many memories were searched."""

    evidence: Sequence[Evidence]
    labelled: Sequence[bool]
    searched: int

    def relevance(self, curve: Curve) -> list[float]:
        """The relevance of its hits."""
        return relevance(self.evidence, self.searched, curve)

    def best(self, curve: Curve) -> float:
        """The relevance of its first hit, 0 without one."""
        return next(iter(self.relevance(curve)), 0.0)

    def strangers(self, curve: Curve) -> list[float]:
        """The relevance of all memories searched that are not labelled; 0 for those that were not found."""
        shares = [share for share, came in zip(self.relevance(curve), self.labelled, strict=True) if not came]
        return shares + [0.0] * (self.searched - len(self.evidence))


@dataclass(slots=True)
class Known:
    """The measurements of one set: answers; strangers searched for alone; lists of everything; answers to questions of
    other sets, and to questions without an answer."""

    answers: list[Told] = field(default_factory=list)
    strangers: list[Told] = field(default_factory=list)
    lists: list[Told] = field(default_factory=list)
    elsewhere: list[Told] = field(default_factory=list)
    unanswerable: list[Told] = field(default_factory=list)

    def half(self, which: int) -> Known:
        """Every second one of each kind."""
        every = (self.answers, self.strangers, self.lists, self.elsewhere, self.unanswerable)
        return Known(*(each[which::2] for each in every))


@dataclass(frozen=True, slots=True)
class Judged:
    """Relevances by a curve: of all hits with their outcome, of strangers alone and in lists, and of the best hits of three kinds
    of questions."""

    promises: list[Promise]
    strangers: list[float]
    listed: list[float]
    best: list[float]
    elsewhere: list[float]
    unanswerable: list[float]

    @staticmethod
    def of(known: Known, curve: Curve) -> Judged:
        """The relevances of a set by the curve."""
        promises = (zip(each.relevance(curve), each.labelled, strict=True) for each in known.answers)
        return Judged(
            promises=list(chain.from_iterable(promises)),
            strangers=[each.best(curve) for each in known.strangers],
            listed=[share for each in known.lists for share in each.strangers(curve)],
            best=[each.best(curve) for each in known.answers],
            elsewhere=[each.best(curve) for each in known.elsewhere],
            unanswerable=[each.best(curve) for each in known.unanswerable],
        )

    @property
    def relevant(self) -> list[float]:
        """The relevances of labelled memories."""
        return [share for share, came in self.promises if came]

    @property
    def worst_draw(self) -> float:
        """The value that 95 in 100 strangers are below, in the worst of many draws."""
        dice = Random(0)
        draws = (dice.sample(self.strangers, min(A_DRAW, len(self.strangers))) for _ in range(DRAWS))
        return max(percentile(draw, 0.95) for draw in draws)

    @property
    def even(self) -> list[Promise]:
        """As many labelled memories as strangers."""
        pairs = list(zip(self.relevant, self.strangers, strict=False))
        return [(share, True) for share, _ in pairs] + [(share, False) for _, share in pairs]


MEASURES: Mapping[str, Callable[[Judged], float]] = {
    "relevant: median": lambda judged: percentile(judged.relevant, 0.5),
    "strangers: 95 in 100 below": lambda judged: percentile(judged.strangers, 0.95),
    f"in the worst of {DRAWS} draws": lambda judged: judged.worst_draw,
    "in lists": lambda judged: percentile(judged.listed, 0.95),
    f"relevant below {THRESHOLD}": lambda judged: fmean(share < THRESHOLD for share in judged.relevant),
    f"best below {THRESHOLD}": lambda judged: fmean(share < THRESHOLD for share in judged.best),
    f"other sets' best from {THRESHOLD}": lambda judged: _or_nothing(judged.elsewhere),
    f"no answer, best from {THRESHOLD}": lambda judged: _or_nothing(judged.unanswerable),
    "no answer: AUC": lambda judged: (
        separation(judged.best, judged.unanswerable) if judged.unanswerable else float("nan")
    ),
    "calibration error, all hits": lambda judged: expected_calibration_error(judged.promises),
    "even odds": lambda judged: expected_calibration_error(judged.even),
}


def _or_nothing(shares: Sequence[float]) -> float:
    return fmean(share >= THRESHOLD for share in shares) if shares else float("nan")


def main(argv: Sequence[str]) -> int:
    """Measure, and fit if wanted; exit code 2 if a set is missing or cannot be judged."""
    options = _parser().parse_args(argv)
    try:
        datasets = [load(find(name)) for name in options.sets]
        embedder = embedder_of(options.embedder, datasets)
    except (FileNotFoundError, BadSet) as error:
        print(error, file=sys.stderr)
        return 2
    sets = {each.name: known(each, datasets, embedder, options.questions) for each in datasets}
    console = Console(width=max(180, Console().width))
    console.print(_table("as it is", {name: Judged.of(each, CURVE) for name, each in sets.items()}))
    if options.fit:
        free = BY_WORDS if isinstance(embedder, str) and embedder == "lexical" else BY_MEANING
        console.print(f"fitted to all: {fitted(list(sets.values()), free)}")
        console.print(_table("fitted to the other half", dict(halves(sets, free))))
        console.print(_table("fitted to all other sets", dict(left_out(sets, free))))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench relevance", description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="DIR", help=f"folders, or names under ${DATA_VARIABLE}")
    parser.add_argument(
        "--questions", type=at_least(1), default=300, metavar="N", help="at most N questions a set, by lot"
    )
    parser.add_argument("--embedder", default="lexical", help="as `bench retrieval` takes it")
    parser.add_argument("--fit", action="store_true", help="fit the curve too, and show what was left out of the fit")
    return parser


def known(dataset: Dataset, all_sets: Sequence[Dataset], embedder: str | Embedder, questions: int) -> Known:
    """Take all measurements of a set in a new store."""
    dice = Random(0)
    asked = dice.sample(dataset.questions, min(questions, len(dataset.questions)))
    with TemporaryDirectory(prefix="omoide-bench-") as folder, Omoide(Path(folder), embedder) as system:
        system.load(dataset, triples=True)
        drawn = _strangers(dataset, asked, dice)
        unanswerable = dice.sample(dataset.unanswerable, min(questions, len(dataset.unanswerable)))
        # A precomputed model has vectors only for the set's own questions.
        unanswerable = unanswerable if isinstance(embedder, str) else []
        return Known(
            answers=[_told(system, each) for each in asked],
            strangers=[_alone(system, question, id) for question, id in drawn],
            lists=[_told(system, each, depth=EVERYTHING_FOUND) for each in asked[:LISTED]],
            elsewhere=[_told(system, each) for each in _of_others(dataset, all_sets, dice)],
            unanswerable=[_told(system, each) for each in unanswerable],
        )


def _told(system: Omoide, question: Question, depth: int = DEPTH) -> Told:
    answer = system.ask(question, EVERYTHING.change_query, depth=depth)
    return Told(answer.evidence, [id in question.relevant for id in answer.ids], answer.searched)


def _alone(system: Omoide, question: Question, id: str) -> Told:
    answer = system.alone(question, id, EVERYTHING.change_query)
    return Told(answer.evidence, [False] * len(answer.ids), answer.searched)


def _strangers(dataset: Dataset, asked: Sequence[Question], dice: Random) -> Iterator[tuple[Question, str]]:
    rows = list(read_lines(dataset.corpus))
    for question in asked:
        inside = [row["id"] for row in rows if question.scope in {None, row.get("scope")}]
        yield from ((question, id) for id in dice.choices(inside, k=DRAWN) if id not in question.relevant)


def _of_others(dataset: Dataset, all_sets: Sequence[Dataset], dice: Random) -> Iterator[Question]:
    scopes = sorted({each.scope for each in dataset.questions}, key=str)
    for other in all_sets:
        if other is not dataset and _language(other) == _language(dataset):
            for question in dice.sample(other.questions, min(ELSEWHERE, len(other.questions))):
                yield replace(question, scope=dice.choice(scopes), relevant=frozenset())


def _language(dataset: Dataset) -> object:
    return next(read_lines(dataset.corpus)).get("lang")


def halves(sets: Sets, free: Sequence[str]) -> Iterator[tuple[str, Judged]]:
    """Each set's second half by the curve fitted to all first halves."""
    curve = fitted([each.half(0) for each in sets.values()], free)
    yield from ((name, Judged.of(each.half(1), curve)) for name, each in sets.items())


def left_out(sets: Sets, free: Sequence[str]) -> Iterator[tuple[str, Judged]]:
    """Each set by the curve fitted to the others."""
    for name, each in sets.items():
        curve = fitted([other for others, other in sets.items() if others != name], free)
        yield name, Judged.of(each, curve)


def fitted(sets: Sequence[Known], free: Sequence[str]) -> Curve:
    """The curve of least loss near the present one, by coordinate descent in a few rounds."""
    best, least = CURVE, _loss(sets, CURVE)
    for name in list(free) * ROUNDS:
        tried = [best._replace(**{name: getattr(best, name) * factor}) for factor in FACTORS]
        loss, curve = min(((_loss(sets, each), each) for each in tried), key=lambda pair: pair[0])
        if loss < least:
            best, least = curve, loss
    return best


def _loss(sets: Sequence[Known], curve: Curve) -> float:
    return fmean(_loss_of(each, curve) for each in sets)


def _loss_of(known: Known, curve: Curve) -> float:
    judged = Judged.of(known, curve)
    relevant, strangers = judged.relevant, judged.strangers
    missed = max(0.0, MEDIAN + MARGIN - percentile(relevant, 0.5))
    missed += max(0.0, judged.worst_draw - STRANGERS + MARGIN)
    missed += max(0.0, percentile(judged.listed, 0.95) - STRANGERS + MARGIN)
    elsewhere = ELSEWHERE_WEIGHT * _surprise(1.0 - share for share in judged.elsewhere) if judged.elsewhere else 0.0
    return _surprise(relevant) + _surprise(1.0 - share for share in strangers) + elsewhere + MISS * missed


def _surprise(shares: Iterator[float] | Sequence[float]) -> float:
    return fmean(-log(min(max(share, LEAST), 1.0 - LEAST)) for share in shares)


def _table(title: str, sets: Mapping[str, Judged]) -> Table:
    table = Table("set", *MEASURES, title=title)
    for name, judged in sets.items():
        table.add_row(name, *(f"{measure(judged):.2f}" for measure in MEASURES.values()))
    return table
