"""Calls that one thread answers in turn: while the engine searches for one, the thread goes on with another.

Threads would do that too, but take the interpreter from each other in the middle of their work, each time for another core and
for cold caches. Here Python stays in one thread, and the engine searches in one of its own that needs no interpreter.

    calls = Beside()
    calls.begin(one)          # returns when it is done, or when it has the engine search
    calls.begin(another)
    ...                       # when calls.fileno() can be read:
    calls.go_on()             # with those whose searches have ended

Useful for: an event loop, or a loop of one's own. Not useful for: what waits for the network or the disk; all would wait.
Invariant: a call is left and gone on with in one thread, the one that began it, and nowhere but at its searches. What is left
when nobody has the calls any more ends there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from itertools import count
from time import perf_counter
from typing import Any
from weakref import ref

from omoide import _engine
from omoide.engine.searching import searching

try:
    from greenlet import getcurrent, greenlet
except ImportError:  # where pipes are no files to be looked at, the engine has no threads of its own either
    can_be_had = False
else:
    can_be_had = hasattr(_engine, "Searches")


class Alone:
    """One call after the other, each to its end: where the engine has no core of its own, nothing can go on beside it."""

    most = 1

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._since = 0.0

    def fileno(self) -> None:
        """There is never a call to go on with."""

    def begin(self, do: Callable[[], None]) -> None:
        """Do it."""
        self._since = self._clock()
        do()

    def held(self) -> float:
        """See Beside."""
        return self._clock() - self._since

    def go_on(self) -> None:
        """With nothing."""


class Beside:
    """See the module; for one thread. `threads`: how many searches go on at once, of as many as there are calls; `clock` counts
    seconds. Raises OSError (the system gives no thread or pipe)."""

    #: Calls at once, all but one of which have the engine search: more than it can be busy with only wait.
    most = 8

    def __init__(self, threads: int = 1, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._searches = _engine.Searches(min(threads, self.most))
        #: By search: the call that is left, and for how long it has had the thread.
        self._left: dict[int, tuple[greenlet, float]] = {}
        self._numbers = count()
        #: Done with their calls: a new one would be given a stack by the system, and one that ends would give it back.
        self._idle: list[greenlet] = []
        #: Of the call that goes on: how long it had had the thread before, and since when it has it now.
        self._before, self._since = 0.0, 0.0
        # The stack of a greenlet is hidden from the garbage collector: nothing there may keep this, which keeps the greenlet.
        self._work, self._search = partial(_work, ref(self)), partial(_search, ref(self))

    def fileno(self) -> int:
        """Can be read while there is a call to go on with."""
        return self._searches.fileno()

    def begin(self, do: Callable[[], None]) -> None:
        """Do it until it is done or has the engine search. It must not raise."""
        call = self._idle.pop() if self._idle else greenlet(self._work)
        call.gr_context = context = copy_context()
        context.run(searching.set, self._search)
        self._before, self._since = 0.0, self._clock()
        call.switch(do)

    def go_on(self) -> None:
        """With each call whose search has ended."""
        for number, found in self._searches.take():
            call, self._before = self._left.pop(number)
            self._since = self._clock()
            if isinstance(found, BaseException):
                call.throw(found)
            else:
                call.switch(found)

    def held(self) -> float:
        """Seconds for which the call that asks has had the thread."""
        return self._before + self._clock() - self._since

    def _leave(self, engine: _engine.Engine, query: _engine.Query) -> None:
        """Have it searched; the present call is gone on with when that has ended."""
        number = next(self._numbers)
        self._left[number] = getcurrent(), self.held()
        self._searches.begin(number, engine, query)

    def _is_done(self) -> None:
        self._idle.append(getcurrent())


def _work(beside: ref[Beside], do: Callable[[], None]) -> None:
    while True:
        do()
        del do  # and with it whatever the call was about
        if (calls := beside()) is None:
            return
        calls._is_done()
        del calls
        do = _switched()


def _search(beside: ref[Beside], engine: _engine.Engine, query: _engine.Query) -> _engine.Hits:
    if (calls := beside()) is None:  # this call is being ended
        return engine.search(query)
    calls._leave(engine, query)
    del calls
    found: _engine.Hits = _switched()
    return found


def _switched() -> Any:
    """What the thread comes back to this greenlet with, after it has gone on with its own."""
    parent: Any = getcurrent().parent
    return parent.switch()
