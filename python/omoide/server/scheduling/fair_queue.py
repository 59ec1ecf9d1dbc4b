"""Round-robin among lines, such as one for each visitor: they take turns, however many calls wait in each of them.

Useful for: calls of many visitors, of whom one may have a hundred under way. Not useful for: how much one may ask; see
limits.py.
Invariant: the calls in one line keep their order; between two turns of one, every other with calls has had one.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:  # stdio has no loop, and its handshake must not wait for this import
    import asyncio

T = TypeVar("T")

#: A round of an event loop that takes longer than this is long: some hundred requests were read in it.
LONG_ROUND_SECONDS = 0.02


class FairQueue(Generic[T]):
    """A queue for each line. For one thread at a time."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[Hashable, deque[T]] = OrderedDict()

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self._waiting)

    def add(self, line: Hashable, item: T) -> None:
        """Put `item` behind all that `line` has waiting."""
        waiting = self._waiting.get(line)
        if waiting is None:
            self._waiting[line] = deque((item,))
        else:
            waiting.append(item)

    def take(self) -> T:
        """Remove and return the first item of the line whose last turn is longest ago. Raises StopIteration (nothing
        waits)."""
        line = next(iter(self._waiting))
        waiting = self._waiting[line]
        item = waiting.popleft()
        if waiting:
            self._waiting.move_to_end(line)
        else:
            del self._waiting[line]
        return item

    def remove(self, line: Hashable, item: T) -> bool:
        """Take `item` of `line` out of it; False if it does not wait there any more."""
        waiting = self._waiting.get(line)
        if waiting is None or item not in waiting:
            return False
        waiting.remove(item)
        if not waiting:
            del self._waiting[line]
        return True


class Rounds:
    """One turn in each round of an event loop, so that before each turn the loop reads what else has arrived. The first call also
    waits for the next round: those that arrived with it are then known, and its look at the store counts for them all
    (`omoide.coalescing`). After a long round, in which the loop has read and refused a great many requests, `most_running` turns begin, or
    calls would be answered ever more slowly, the more are refused.

    Up to `most_running` turns last at once, each until `leave`. `search_now` is called when a turn has begun and no other follows for now.
    For the loop's thread alone. `clock` counts seconds.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        most_running: int = 1,
        search_now: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._loop = loop
        self._queue: FairQueue[Callable[[], None]] = FairQueue()
        self._most_running = self._free_turns = most_running
        self._search_now = search_now
        self._clock = clock
        self._is_scheduled = False
        self._since = 0.0

    @property
    def is_scheduled(self) -> bool:
        """Whether the turn of the next round is taken."""
        return self._is_scheduled

    def take(self, visitor: str, begin: Callable[[], None]) -> None:
        """Have `begin` called in a turn; `leave` is to be called when that is over."""
        self._queue.add(visitor, begin)
        self._schedule()

    def leave(self) -> None:
        """End a turn."""
        self._free_turns += 1
        self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled and self._queue and self._free_turns:
            self._is_scheduled = True
            self._since = self._clock()
            self._loop.call_soon(self._begin)

    def _begin(self) -> None:
        is_long = self._clock() - self._since > LONG_ROUND_SECONDS
        self._begin_one()
        for _ in range(self._most_running - 1 if is_long else 0):
            if self._queue and self._free_turns:
                self._begin_one()
        self._is_scheduled = False
        self._schedule()
        if not self._is_scheduled:
            self._search_now()

    def _begin_one(self) -> None:
        self._free_turns -= 1
        self._queue.take()()
