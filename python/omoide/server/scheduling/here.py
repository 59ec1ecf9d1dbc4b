"""Calls that the thread which brings them answers itself, several at once.

Useful for: what takes no longer than to hand it to another thread and back; that means quick reads. Not useful for: what
waits for the network or the disk; whoever else has the thread bring something would wait, too.
Invariant: of an event loop's rounds each begins one call at most.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from omoide.families.tool import Result
from omoide.server.scheduling.line import Rounds

if TYPE_CHECKING:
    import asyncio

Tell = Callable[[Result], None]
Row = Callable[[], AbstractContextManager[object]]


class Beside(Protocol):
    """Calls that one thread answers in turn; see omoide.engine.beside."""

    @property
    def most(self) -> int:
        """How many are begun at once."""
        ...

    def fileno(self) -> int | None:
        """Can be read while there is a call to go on with; None where there never is."""
        ...

    def begin(self, do: Callable[[], None]) -> None:
        """Do it until it is done, or left to go on with another. It must not raise. Others may be begun right behind it;
        `no_more` is said when none is."""
        ...

    def no_more(self) -> None:
        """What has been begun is not waited with for others."""
        ...

    def held(self) -> float:
        """Seconds for which the call that asks has had the thread."""
        ...

    def afterwards(self, do: Callable[[Any], None], what: Any) -> None:
        """Do it, with `what`, when the calls that are gone on with in a row have been; at once, where none are."""
        ...

    def go_on(self, around: Row = nullcontext) -> None:
        """With each call that can be gone on with. `around` what is done afterwards, several in a row."""
        ...


class Loop:
    """An event loop, and the calls that it answers itself; for its thread. What is there to be begun is begun before any is gone
    on with: what a call does first and what it does last are each done for several in a row, while the caches have it. But of
    calls that are done as soon as they are begun there may always be more: those that are left wait for as many as can be."""

    def __init__(self, loop: asyncio.AbstractEventLoop, beside: Beside) -> None:
        self.loop = loop
        self.beside = beside
        self.rounds = Rounds(loop, beside.most, beside.no_more)
        self._put_off = 0
        if (file := beside.fileno()) is not None:
            # Later in the round: what has come with it is heard of first.
            loop.add_reader(file, loop.call_soon, self._go_on)

    def _go_on(self) -> None:
        if self.rounds.is_taken and self._put_off < self.beside.most:
            self._put_off += 1
        else:
            self._put_off = 0
            self.beside.go_on()
