"""Whose turn it is: each of those who wait has one after the other, however much any of them wants.

Useful for: calls of many visitors, of whom one may have a hundred under way. Not useful for: how much one may ask; see
limits.py.
Invariant: what is one's own keeps its order; between two turns of one, everybody else who waits has had one.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:  # over stdio there is no loop, and a handshake does not wait for this
    import asyncio

T = TypeVar("T")


class Line(Generic[T]):
    """What waits, by whose it is. For one thread at a time."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[T]] = OrderedDict()

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self._waiting)

    def add(self, whose: str, what: T) -> None:
        """Behind all that is his."""
        waiting = self._waiting.get(whose)
        if waiting is None:
            self._waiting[whose] = deque((what,))
        else:
            waiting.append(what)

    def take(self) -> T:
        """The first thing of whoever has not had a turn for longest. Raises StopIteration (nothing waits)."""
        whose = next(iter(self._waiting))
        waiting = self._waiting[whose]
        what = waiting.popleft()
        if waiting:
            self._waiting.move_to_end(whose)
        else:
            del self._waiting[whose]
        return what


class Rounds:
    """An event loop's rounds: in each one turn, so that before each it is heard who else has come. Whoever comes first waits for
    the next round, too: those who have come with him are then known before he begins, and what he looks at is seen for all
    of them (`omoide.looks`).

    `most` turns last at once, each until it is left. `no_more` is called when for the present nobody begins behind who has.
    For the loop's thread alone.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, most: int = 1, no_more: Callable[[], None] = lambda: None
    ) -> None:
        self._loop = loop
        self._line: Line[Callable[[], None]] = Line()
        self._free = most
        self._no_more = no_more
        self._taken = False

    @property
    def is_taken(self) -> bool:
        """Whether the next round's turn is."""
        return self._taken

    def take(self, whose: str, begin: Callable[[], None]) -> None:
        """Have it begun in a turn, to be left when that is over."""
        self._line.add(whose, begin)
        self._take_round()

    def leave(self) -> None:
        """A turn is over."""
        self._free += 1
        self._take_round()

    def _take_round(self) -> None:
        if not self._taken and self._line and self._free:
            self._taken = True
            self._loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._taken = False
        self._free -= 1
        self._line.take()()
        self._take_round()
        if not self._taken:
            self._no_more()
