"""How long do searches take while another thread writes as fast as it can, and writes while another saves?

Idle and busy rounds alternate, so that other load on the machine slows both alike.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.engine import data
from bench.engine.measure import ROUNDS, Ask, Row, Timing, in_turn
from bench.engine.texts import zipfian
from bench.systems.native import Native, document
from omoide._engine import Document

COUNT, DEPTH = 10, 50
#: Documents a batch: as many of the store's changes as the index applies at a time.
BATCH = 500


def busy(held: data.Floats, queries: data.Floats) -> Iterator[Row]:
    """Hybrid searches of half of `held`, idle and while the rest is added and everything is replaced; then single writes,
    idle and while snapshots are written."""
    texts = zipfian(len(held), len(queries))
    engine = Native(held.shape[1])
    made = [document(key, held[key].tobytes(), texts.texts[key]) for key in range(len(held))]
    engine.load(made[: len(made) // 2])
    raw = [query.tobytes() for query in queries]
    ask: Ask = lambda at: engine.both(raw[at], texts.questions[at], COUNT, DEPTH, None)  # noqa: E731
    writer = Meanwhile(partial(_write_next, engine, _batches(made)))
    yield from _beside(Row("busy", "idle", Native.name, len(made) // 2), "while writing", ask, len(queries), writer)
    singles = cycle(made)
    write: Ask = lambda _: engine.load([next(singles)])  # noqa: E731
    with TemporaryDirectory(prefix="omoide-bench-") as folder:
        saver = Meanwhile(partial(engine.save, Path(folder)))
        row = Row("busy", "one write", Native.name, len(engine))
        yield from _beside(row, "one write while saving", write, len(queries), saver)


def _beside(row: Row, case: str, ask: Ask, questions: int, meanwhile: Meanwhile) -> Iterator[Row]:
    """The row, timed while idle, and another named `case`, timed beside `meanwhile`."""
    idle, under_way = Timing(), Timing()
    for _ in range(ROUNDS):
        idle.rounds += _round(ask, questions)
        with meanwhile:
            under_way.rounds += _round(ask, questions)
    ratios = [
        under.quantile(0.95) / before.quantile(0.95)
        for before, under in zip(_each(idle), _each(under_way), strict=True)
    ]
    yield replace(row, timing=idle)
    by_round = f"by round {min(ratios):.2f} to {max(ratios):.2f}"
    yield replace(
        row,
        case=case,
        timing=under_way,
        note=f"p95 {under_way.quantile(0.95) / idle.quantile(0.95):.2f} x idle, {by_round}; {meanwhile.pace}",
    )


def _round(ask: Ask, questions: int) -> list[list[float]]:
    return in_turn({Native.name: ask}, questions, rounds=1)[Native.name].rounds


def _each(timing: Timing) -> list[Timing]:
    return [Timing([one]) for one in timing.rounds]


def _batches(made: Sequence[Document]) -> Iterator[Sequence[Document]]:
    """Batches of what is not there yet, then of everything, again and again."""
    starts = range(0, len(made), BATCH)
    return cycle([made[start : start + BATCH] for start in (*starts[len(starts) // 2 :], *starts)])


def _write_next(engine: Native, batches: Iterator[Sequence[Document]]) -> None:
    engine.load(next(batches))


class Meanwhile:
    """A thread that repeats a step for as long as the block lasts."""

    def __init__(self, step: Callable[[], object]) -> None:
        self._step = step
        self._taken, self._seconds = 0, 0.0

    def __enter__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go_on)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _go_on(self) -> None:
        started = perf_counter()
        while not self._stop.is_set():
            self._step()
            self._taken += 1
        self._seconds += perf_counter() - started

    @property
    def pace(self) -> str:
        """How often the step ran, for a note."""
        return f"{self._taken} times in {self._seconds:.1f} s meanwhile"
