"""How is a system built, asked and timed beside others? What all workloads share.

Useful for: workloads that compare several systems. Not useful for: the data and the questions (data.py, texts.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Generic, TypeVar

from bench.engine.measure import ROUNDS, Ask, Row, in_turn, resident_bytes, tell

Question = TypeVar("Question")


@dataclass(frozen=True, slots=True)
class Built(Generic[Question]):
    """One system, ready to be asked, and what building it took."""

    name: str
    ask: Callable[[Question], list[int]]
    seconds: float
    resident: int


def build(
    work: str, makers: Mapping[str, Callable[[], Callable[[Question], list[int]]]], rows: list[Row]
) -> Iterator[Built[Question]]:
    """Build every system that is installed; a row says which are not."""
    for name, make in makers.items():
        tell(f"{work}: building {name}")
        before, started = resident_bytes(), process_time()
        try:
            ask = make()
        except ImportError as error:
            rows.append(Row(work, "left out", name, 0, note=f"not installed: {error.name}"))
            continue
        yield Built(name, ask, process_time() - started, resident_bytes() - before)


def row_of(work: str, case: str, built: Built[Question], n: int, found: float) -> Row:
    """The row of a system before it is timed."""
    return Row(work, case, built.name, n, found, None, n / built.seconds, None, built.resident)


def numbered(ask: Callable[[Question], object], questions: Sequence[Question]) -> Ask:
    """The same function, called with the number of a question."""
    return lambda at: ask(questions[at])


def timed(rows: Sequence[Row], asks: Mapping[str, Ask], questions: int, rounds: int = ROUNDS) -> Iterator[Row]:
    """The rows, each with its system's timing."""
    timings = in_turn(asks, questions, rounds)
    for row in rows:
        row.timing = timings.get(row.system)
        yield row
