"""Calls that are answered by the thread which received them, several in turn.

Useful for: quick reads, which take no longer than handing them to another thread and back. Not useful for: what waits for the
network or the disk, as everything else that comes to the thread would wait too.
Invariant: an event loop begins at most one call in each of its rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from omoide.families.tool import Result
from omoide.server.scheduling.fair_queue import Rounds

if TYPE_CHECKING:
    import asyncio

Reply = Callable[[Result], None]
Batch = Callable[[], AbstractContextManager[object]]


class Interleaver(Protocol):
    """Lets one thread answer several calls in turn; see omoide.engine.interleaving."""

    @property
    def most(self) -> int:
        """How many calls may be under way at once."""
        ...

    def fileno(self) -> int | None:
        """A file that is readable while a call can be resumed; None where none ever can."""
        ...

    def begin(self, run: Callable[[], None]) -> None:
        """Run a call until it ends, or is suspended at its search. It must not raise. Further calls may be begun right after it;
        `search_now` is to be called after the last."""
        ...

    def search_now(self) -> None:
        """No further call is begun for now: searches that wait for more of them may begin."""
        ...

    def thread_seconds(self) -> float:
        """Seconds for which the running call has had the thread."""
        ...

    def defer(self, callback: Callable[[Any], None], value: Any) -> None:
        """Call `callback(value)` after all calls that are being resumed in a row; at once if none are."""
        ...

    def resume(self, around: Batch = nullcontext) -> None:
        """Resume each call whose search has ended, then do what `defer` has put off, in an `around()` block."""
        ...


class InlineLoop:
    """An event loop, and the calls that it answers itself; for the loop's thread. New calls are begun before suspended ones are
    resumed: doing the same step for several calls in a row keeps the processor's caches warm. As new calls may come without end,
    resuming is put off for at most `interleaver.most` of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, interleaver: Interleaver) -> None:
        self.loop = loop
        self.interleaver = interleaver
        self.rounds = Rounds(loop, interleaver.most, interleaver.search_now)
        self._postponed = 0
        if (file := interleaver.fileno()) is not None:
            # Resumed later in the round, so that what arrived at the same time is read first.
            loop.add_reader(file, loop.call_soon, self._resume)

    def _resume(self) -> None:
        if self.rounds.is_scheduled and self._postponed < self.interleaver.most:
            self._postponed += 1
        else:
            self._postponed = 0
            self.interleaver.resume()
