"""Shares one check of a file among all calls that arrived before it, as a check takes longer than many steps of a call.

    shared = SharedCheck()
    with arrived_at(moment):        # answers a call that arrived at `moment` and has waited since
        ...
        shared.latest(read_state)   # calls it, unless another call has done so since this one arrived

Useful for: state that other processes change and every call needs. Not useful for: changes during a call.
Invariant: what a call sees is no older than its arrival, so it includes whatever was acknowledged before the call was sent.
After a call has changed something, it checks again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Generic, TypeVar

T = TypeVar("T")

#: When the present call arrived, in seconds of `perf_counter`; None: unknown, so it always checks itself.
_arrival: ContextVar[float | None] = ContextVar("arrival", default=None)


class arrived_at:  # noqa: N801 (a block, as those of `turns`)
    """For a block that answers a call which arrived at `seconds` (of `perf_counter`) or earlier; None: unknown."""

    __slots__ = ("_seconds", "_token")

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._token = _arrival.set(self._seconds)

    def __exit__(self, *_: object) -> None:
        _arrival.reset(self._token)


def changed() -> None:
    """To be called when the present call has changed something: from now on it checks itself."""
    _arrival.set(None)


class SharedCheck(Generic[T]):
    """The latest result of one check. Safe from any thread."""

    def __init__(self) -> None:
        self._last: tuple[float, T] | None = None

    def latest(self, check: Callable[[], T]) -> T:
        """What `check` returned at some moment since the present call arrived; calls it if it has not been called since. Raises
        what `check` raises."""
        arrival, last = _arrival.get(), self._last
        if arrival is not None and last is not None and arrival < last[0]:
            return last[1]
        started = perf_counter()
        latest = check()
        self._last = started, latest
        return latest
