"""One look at a file for all calls that arrived before it: looking takes longer than many a step of a call.

    state = Look()
    with came_by(moment):           # answers a call that arrived at `moment` and has waited since
        ...
        state.seen(ask_the_file)    # asks, unless somebody has asked since the call arrived

Useful for: what other processes change and every call has to know. Not useful for: whether something changed during a call.
Invariant: what a call sees is no older than its arrival, so it includes whatever had been acknowledged when it was sent. A call
that changes something looks again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Generic, TypeVar

T = TypeVar("T")

#: When the present call had arrived, in seconds of `perf_counter`; None: unknown, so it always looks for itself.
_came: ContextVar[float | None] = ContextVar("came", default=None)


class came_by:  # noqa: N801 (a block, as those of `turns`)
    """The block answers a call that had arrived by `seconds` (of `perf_counter`; None: unknown)."""

    __slots__ = ("_before", "_seconds")

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._before = _came.set(self._seconds)

    def __exit__(self, *_: object) -> None:
        _came.reset(self._before)


def changed() -> None:
    """To be called by a call that has changed something: it looks for itself from now on."""
    _came.set(None)


class Look(Generic[T]):
    """The latest look at one thing. Safe from any thread."""

    def __init__(self) -> None:
        self._last: tuple[float, T] | None = None

    def seen(self, look: Callable[[], T]) -> T:
        """What `look` returned at some moment since the present call arrived; calls it if it has not been called since. Raises
        what `look` raises."""
        came, last = _came.get(), self._last
        if came is not None and last is not None and came < last[0]:
            return last[1]
        began = perf_counter()
        seen = look()
        self._last = began, seen
        return seen
