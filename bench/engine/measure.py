"""How long does each system take, on a machine that is never quite idle?

Each question is put to all systems before the next one, so that other load slows them alike; the order of the
systems changes from question to question. Each round asks every question once; the first round only warms up.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np

ROUNDS = 5
Ask = Callable[[int], object]


@dataclass(slots=True)
class Timing:
    """Seconds of each question, by round."""

    rounds: list[list[float]] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        """A quantile over all questions of all rounds, in microseconds."""
        return float(np.quantile([each for one in self.rounds for each in one], share)) * 1e6

    @property
    def spread(self) -> float:
        """How far the medians of the rounds lie apart, as a share of their median."""
        medians = [median(one) for one in self.rounds]
        return (max(medians) - min(medians)) / median(medians)


def in_turn(asks: Mapping[str, Ask], questions: int, rounds: int = ROUNDS) -> dict[str, Timing]:
    """Time every system over `questions` numbered questions. See the module."""
    timings = {name: Timing() for name in asks}
    names = list(asks)
    gc.disable()
    try:
        for round_number in range(-1, rounds):
            taken: dict[str, list[float]] = {name: [] for name in names}
            for question in range(questions):
                turn = question % len(names)
                for name in names[turn:] + names[:turn]:
                    started = perf_counter()
                    asks[name](question)
                    taken[name].append(perf_counter() - started)
            if round_number >= 0:
                for name in names:
                    timings[name].rounds.append(taken[name])
    finally:
        gc.enable()
    return timings


def seconds(work: Callable[[], object]) -> float:
    """Of one call."""
    started = perf_counter()
    work()
    return perf_counter() - started


@dataclass(slots=True)
class Spent:
    """Wall-clock seconds and CPU seconds of this process, for rates per core."""

    clock: float = 0.0
    cores: float = 0.0

    def on(self, work: Callable[[], object]) -> None:
        """Run `work` and add the seconds it takes."""
        clock, cores = perf_counter(), process_time()
        work()
        self.clock += perf_counter() - clock
        self.cores += process_time() - cores


def tell(what: str) -> None:
    """Report progress on stderr: a full run takes a while."""
    print(f"{process_time():6.0f} s of CPU  {what}", file=sys.stderr, flush=True)


def resident_bytes() -> int:
    """Resident bytes of this process now (Linux; 0 elsewhere)."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * 4096 if status.exists() else 0


def folder_bytes(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def recall(found: list[list[int]], wanted: list[list[int]]) -> float:
    """Share of the wanted ids that were found, over all questions with an answer."""
    shares = [len(set(f) & set(w)) / len(w) for f, w in zip(found, wanted, strict=True) if w]
    return sum(shares) / max(len(shares), 1)


@dataclass(slots=True)
class Row:
    """One system in one workload; what was not measured is None."""

    work: str
    case: str
    system: str
    n: int
    recall: float | None = None
    timing: Timing | None = None
    per_second: float | None = None
    disk: int | None = None
    resident: int | None = None
    note: str = ""
