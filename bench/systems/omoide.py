"""omoide under test, through its public Python API, as a user of the wheel would call it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from types import TracebackType

import omoide
from bench.dataset import Dataset, Question
from omoide.embed import Embedder
from omoide.model.condition import All, Condition, Equals, Under, live
from omoide.model.query import Evidence, Hit, Query, Recalled
from omoide.text import tokens_of
from omoide.transfer import import_files

#: How many results are requested: enough for every metric.
DEPTH = 10

Change = Callable[[Query], Query]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question, best first: ids, relevances, their evidence and the tokens of each; how many memories were
    searched, and the seconds it took."""

    ids: tuple[str, ...]
    relevances: tuple[float, ...]
    evidence: tuple[Evidence, ...]
    tokens: tuple[int, ...]
    searched: int
    seconds: float


class Omoide:
    """One store in `folder`. `seconds` adds up the time of each stage.

    `asked_at` is when its questions are asked (default: now).
    """

    name = "omoide"

    def __init__(self, folder: Path, embedder: str | Embedder = "lexical", *, asked_at: datetime | None = None) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        clock = None if asked_at is None else lambda: asked_at
        self._memories = omoide.open(folder, embedder=embedder, clock=clock)

    def __enter__(self) -> Omoide:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._memories.close()

    def load(self, dataset: Dataset, *, triples: bool) -> None:
        """Import the corpus (and its triples), then index it."""
        started = perf_counter()
        with TemporaryDirectory(prefix="omoide-bench-") as alone:
            # The importer would also read the triples beside the corpus.
            corpus = copyfile(dataset.corpus, Path(alone) / dataset.corpus.name)
            import_files(self._memories, [corpus])
        if triples and dataset.triples is not None:
            import_files(self._memories, [dataset.triples])
        self.seconds["load: write"] += perf_counter() - started
        started = perf_counter()
        self._memories.stats()
        while self._memories.stats()["index"]["to_be_read_again"]:
            sleep(0.05)
        self.seconds["load: index"] += perf_counter() - started

    def ask(self, question: Question, change: Change, *, depth: int = DEPTH) -> Answer:
        """Ask within the question's scope, with the query changed by `change`."""
        query = change(Query(text=question.text, where=_within(question), limit=depth))
        started = perf_counter()
        found = self._memories.recall(query)
        elapsed = perf_counter() - started
        for stage, seconds in found.stages:
            self.seconds[f"ask: {stage}"] += seconds
        self.seconds["ask: rest"] += elapsed - sum(seconds for _, seconds in found.stages)
        return _answer(found, elapsed)

    def alone(self, question: Question, id: str, change: Change) -> Answer:
        """The answer if only one memory can be found."""
        where = All((_within(question), Equals("id", id)))
        return _answer(self._memories.recall(change(Query(text=question.text, where=where, limit=1))), 0.0)


def _within(question: Question) -> Condition:
    return live() if question.scope is None else All((live(), Under(question.scope)))


def _answer(found: Recalled, seconds: float) -> Answer:
    hits = found.hits
    return Answer(
        tuple(hit.memory.id for hit in hits),
        tuple(hit.relevance for hit in hits),
        tuple(hit.why.evidence for hit in hits if hit.why.evidence is not None),
        tuple(map(_tokens, hits)),
        found.considered,
        seconds,
    )


def _tokens(hit: Hit) -> int:
    """The tokens that a model reads of a hit."""
    return tokens_of(hit.memory.text if hit.part is None else hit.memory.text[slice(*hit.part)])
