"""omoide under test, through its public Python API, as a user of the wheel would call it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from time import perf_counter
from types import TracebackType

import omoide
from bench.dataset import Dataset, Question
from omoide.model.condition import All, Under, live
from omoide.model.query import Query, RankWalk
from omoide.transfer import import_files

#: How many results are asked for: enough for every metric.
DEPTH = 10


class Omoide:
    """One store in `folder`. `seconds` collects where the time went, stage by stage."""

    name = "omoide"

    def __init__(self, folder: Path) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._memories = omoide.open(folder)

    def __enter__(self) -> Omoide:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._memories.close()

    def load(self, dataset: Dataset, *, triples: bool) -> None:
        """Import the corpus (and its triples), then index it."""
        started = perf_counter()
        import_files(self._memories, [dataset.corpus])
        if triples and dataset.triples is not None:
            import_files(self._memories, [dataset.triples])
        self.seconds["load: write"] += perf_counter() - started
        started = perf_counter()
        self._memories.stats()
        self.seconds["load: index"] += perf_counter() - started

    def ask(self, question: Question, *, graph: bool) -> list[str]:
        """Ids of the memories found, best first."""
        where = live() if question.scope is None else All((live(), Under(question.scope)))
        walk = RankWalk() if graph else None
        started = perf_counter()
        found = self._memories.recall(Query(text=question.text, where=where, limit=DEPTH, walk=walk))
        elapsed = perf_counter() - started
        for stage, seconds in found.stages:
            self.seconds[f"ask: {stage}"] += seconds
        self.seconds["ask: rest"] += elapsed - sum(seconds for _, seconds in found.stages)
        return [hit.memory.id for hit in found.hits]
