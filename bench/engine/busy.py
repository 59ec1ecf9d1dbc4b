"""How long do searches take while another thread writes as fast as it can?

Idle and busy rounds take turns, so that whatever else the machine does slows both alike.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import cycle
from time import perf_counter

from bench.engine import data
from bench.engine.measure import ROUNDS, Ask, Row, Timing, in_turn
from bench.engine.texts import zipfian
from bench.systems.native import Native, document
from omoide._engine import Document

COUNT, DEPTH = 10, 50
#: Documents a batch: what the index takes of the store's changes at once.
BATCH = 500


def busy(held: data.Floats, queries: data.Floats) -> Iterator[Row]:
    """Hybrid searches of half of `held`, idle and while the rest comes and everything is replaced."""
    texts = zipfian(len(held), len(queries))
    engine = Native(held.shape[1])
    made = [document(key, held[key].tobytes(), texts.texts[key]) for key in range(len(held))]
    engine.load(made[: len(made) // 2])
    raw = [query.tobytes() for query in queries]
    ask: Ask = lambda at: engine.both(raw[at], texts.questions[at], COUNT, DEPTH, None)  # noqa: E731
    idle, under_way = Timing(), Timing()
    writer = Writer(engine, made)
    for _ in range(ROUNDS):
        idle.rounds += _round(ask, len(queries))
        with writer:
            under_way.rounds += _round(ask, len(queries))
    yield Row("busy", "idle", Native.name, len(made) // 2, timing=idle)
    ratios = [
        under.quantile(0.95) / before.quantile(0.95)
        for before, under in zip(_each(idle), _each(under_way), strict=True)
    ]
    yield Row(
        "busy",
        "while writing",
        Native.name,
        len(made) // 2,
        timing=under_way,
        per_second=writer.written / writer.seconds,
        note=f"p95 {under_way.quantile(0.95) / idle.quantile(0.95):.2f} x idle, by round {min(ratios):.2f} to {max(ratios):.2f}",
    )


def _round(ask: Ask, questions: int) -> list[list[float]]:
    return in_turn({Native.name: ask}, questions, rounds=1)[Native.name].rounds


def _each(timing: Timing) -> list[Timing]:
    return [Timing([one]) for one in timing.rounds]


class Writer:
    """A thread that writes for as long as the block lasts: what is not there yet, then everything again."""

    def __init__(self, engine: Native, made: Sequence[Document]) -> None:
        self._engine = engine
        starts = range(0, len(made), BATCH)
        self._batches = cycle([made[start : start + BATCH] for start in (*starts[len(starts) // 2 :], *starts)])
        self.written, self.seconds = 0, 0.0

    def __enter__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _write(self) -> None:
        started = perf_counter()
        while not self._stop.is_set():
            batch = next(self._batches)
            self._engine.load(batch)
            self.written += len(batch)
        self.seconds += perf_counter() - started
