"""Shares one look at a file among all calls that arrived before it, as looking takes longer than many steps of a call.

    state = SharedCheck()
    with arrived_at(moment):        # answers a call that arrived at `moment` and has waited since
        ...
        state.seen(ask_the_file)    # calls it, unless another call has done so since this one arrived

Useful for: state that other processes change and every call needs. Not useful for: changes during a call.
Invariant: what a call sees is no older than its arrival, so it includes whatever was acknowledged before the call was sent.
After a call has changed something, it looks again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Generic, TypeVar

T = TypeVar("T")

#: When the present call arrived, in seconds of `perf_counter`; None: unknown, so it always looks itself.
_came: ContextVar[float | None] = ContextVar("came", default=None)


class arrived_at:  # noqa: N801 (a block, as those of `turns`)
    """In the block, a call is answered that arrived at `seconds` (of `perf_counter`) or earlier; None: unknown."""

    __slots__ = ("_before", "_seconds")

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._before = _came.set(self._seconds)

    def __exit__(self, *_: object) -> None:
        _came.reset(self._before)


def changed() -> None:
    """To be called when the present call has changed something: it looks itself from now on."""
    _came.set(None)


class SharedCheck(Generic[T]):
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
