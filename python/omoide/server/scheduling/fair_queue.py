"""Round-robin among visitors: those who wait take turns, however many calls each of them has.

Useful for: calls of many visitors, of whom one may have a hundred under way. Not useful for: how much one may ask; see
limits.py.
Invariant: the calls of one visitor keep their order; between two turns of one, every other who waits has had one.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:  # stdio has no loop, and its handshake must not wait for this import
    import asyncio

T = TypeVar("T")

#: A round of an event loop that takes longer than this is long: some hundred requests were read in it.
LONG_ROUND_SECONDS = 0.02


class FairQueue(Generic[T]):
    """A queue for each visitor. For one thread at a time."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[T]] = OrderedDict()

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self._waiting)

    def add(self, whose: str, what: T) -> None:
        """Put `what` behind all that `whose` has waiting."""
        waiting = self._waiting.get(whose)
        if waiting is None:
            self._waiting[whose] = deque((what,))
        else:
            waiting.append(what)

    def take(self) -> T:
        """Remove and return the first item of the visitor whose last turn is longest ago. Raises StopIteration (nothing
        waits)."""
        whose = next(iter(self._waiting))
        waiting = self._waiting[whose]
        what = waiting.popleft()
        if waiting:
            self._waiting.move_to_end(whose)
        else:
            del self._waiting[whose]
        return what

    def remove(self, whose: str, what: T) -> bool:
        """Take `what` of `whose` out of its queue; False if it does not wait there any more."""
        waiting = self._waiting.get(whose)
        if waiting is None or what not in waiting:
            return False
        waiting.remove(what)
        if not waiting:
            del self._waiting[whose]
        return True


class Rounds:
    """One turn in each round of an event loop, so that before each turn the loop reads what else has arrived. The first call also
    waits for the next round: those that arrived with it are then known, and its look at the store counts for them all
    (`omoide.coalescing`). After a long round, in which the loop has read and refused a great many requests, `most` turns begin, or
    calls would be answered ever more slowly, the more are refused.

    Up to `most` turns last at once, each until `leave`. `search_now` is called when a turn has begun and no other follows for now.
    For the loop's thread alone. `clock` counts seconds.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        most: int = 1,
        search_now: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._loop = loop
        self._line: FairQueue[Callable[[], None]] = FairQueue()
        self._most = self._free = most
        self._search_now = search_now
        self._clock = clock
        self._taken = False
        self._since = 0.0

    @property
    def is_taken(self) -> bool:
        """Whether the turn of the next round is taken."""
        return self._taken

    def take(self, whose: str, begin: Callable[[], None]) -> None:
        """Have `begin` called in a turn; `leave` is to be called when that is over."""
        self._line.add(whose, begin)
        self._take_round()

    def leave(self) -> None:
        """End a turn."""
        self._free += 1
        self._take_round()

    def _take_round(self) -> None:
        if not self._taken and self._line and self._free:
            self._taken = True
            self._since = self._clock()
            self._loop.call_soon(self._begin)

    def _begin(self) -> None:
        is_long = self._clock() - self._since > LONG_ROUND_SECONDS
        self._begin_one()
        for _ in range(self._most - 1 if is_long else 0):
            if self._line and self._free:
                self._begin_one()
        self._taken = False
        self._take_round()
        if not self._taken:
            self._search_now()

    def _begin_one(self) -> None:
        self._free -= 1
        self._line.take()()
