"""What was looked at since a call came in is not looked at again for it: a look at a file takes longer than many a step of a
call, and of several calls that have come together one look tells them all.

    state = Look()
    with came_by(moment):           # of a call that has waited for its turn since
        ...
        state.seen(ask_the_file)    # does, unless somebody has since the call came

Useful for: what others change, and every call has to know. Not useful for: whether something has changed while one was at work.
Invariant: what is seen is no older than the coming of the call, so that whatever had been acknowledged when it was sent is in
it. Who changes something looks again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Generic, TypeVar

T = TypeVar("T")

#: By when the present call had come, in seconds of `perf_counter`; None: it looks for itself.
_came: ContextVar[float | None] = ContextVar("came", default=None)


class came_by:  # noqa: N801 (a block, as those of `turns`)
    """In the block a call is answered that had come by then (seconds of `perf_counter`; None: nobody knows)."""

    __slots__ = ("_before", "_seconds")

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        self._before = _came.set(self._seconds)

    def __exit__(self, *_: object) -> None:
        _came.reset(self._before)


def changed() -> None:
    """Said by a call that has changed something: for what is left of it, it looks for itself."""
    _came.set(None)


class Look(Generic[T]):
    """The last one at something. Safe from any thread."""

    def __init__(self) -> None:
        self._last: tuple[float, T] | None = None

    def seen(self, look: Callable[[], T]) -> T:
        """What `look` told at some moment since the present call came; now, where there is none. Raises what it does."""
        came, last = _came.get(), self._last
        if came is not None and last is not None and came < last[0]:
            return last[1]
        began = perf_counter()
        seen = look()
        self._last = began, seen
        return seen
