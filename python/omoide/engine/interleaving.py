"""Several calls in one thread: each runs in a greenlet, which is suspended while the engine searches for it.

Several threads would do, but they take the interpreter from each other in the middle of their work, each time on another core
with cold caches. Here Python stays in one thread. With a core to spare (`ThreadedInterleaver`), the engine searches in threads of
its own that need no interpreter; they are woken once for several calls, as waking a thread takes longer than most steps of a call.
Without (`SingleThreadInterleaver`), the thread itself searches for several calls in a row, which keeps the processor's caches warm
for each step.

    calls = ThreadedInterleaver()  # or SingleThreadInterleaver()
    calls.begin(one)          # returns when the call has ended, or is suspended at its search
    calls.begin(another)
    calls.search_now()
    ...                       # when calls.fileno() is readable:
    calls.resume()            # resume those whose searches have ended

Useful for: an event loop, or a loop of one's own. Not useful for: calls that wait for the network or the disk; all would wait.
Invariant: a call runs in the thread that began it, and is suspended at its searches only. When the object is collected, calls
that are still suspended end there.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context
from functools import partial
from time import perf_counter
from typing import Any
from weakref import ref

from omoide import _engine
from omoide.engine.searching import searching

try:
    from greenlet import getcurrent, greenlet
except ImportError:  # not installed on Windows, where pipes cannot be polled and the engine has no threads of its own
    can_be_had = False
else:
    can_be_had = hasattr(_engine, "Searches")

    class _Strand(greenlet):
        """A greenlet in which one call after the other runs. `thread_seconds`: for how long the present call had run when it was
        last suspended."""

        def __init__(self, work: Callable[[Callable[[], None]], None], number: int) -> None:
            super().__init__(work)
            self.number = number
            self.thread_seconds = 0.0


Row = Callable[[], AbstractContextManager[object]]

#: With this many searches waiting, a thread of the engine is woken even if more calls follow.
SEVERAL = 3
#: After calls were resumed for this long, whatever `defer` has put off is done before the next is resumed.
DEFERRED_SECONDS = 0.002


class Sequential:
    """One call after the other, each to its end: for a single core where greenlets are not available."""

    most = 1

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._since = 0.0

    def fileno(self) -> None:
        """None: no call is ever suspended."""

    def begin(self, do: Callable[[], None]) -> None:
        """Run the call to its end."""
        self._since = self._clock()
        do()

    def thread_seconds(self) -> float:
        """See Interleaver."""
        return self._clock() - self._since

    def search_now(self) -> None:
        """See Interleaver."""

    def defer(self, do: Callable[[Any], None], what: Any) -> None:
        """See Interleaver: at once, as no others are being resumed."""
        do(what)

    def resume(self, around: Row = nullcontext) -> None:
        """See Interleaver: there is nothing to resume."""


class Interleaver(ABC):
    """Calls that are suspended at their searches and resumed; for one thread. `clock` counts seconds."""

    #: Calls under way at once, all but one of them suspended: more would only wait for the engine.
    most = 8

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        #: All strands by number; idle ones are reused, as making and ending a greenlet costs a stack each time.
        self._strands: list[_Strand] = []
        self._idle: list[_Strand] = []
        #: The strand that runs, and since when.
        self._present: _Strand
        self._since = 0.0
        #: In `resume`, what `defer` has put off; else None.
        self._deferred: list[tuple[Callable[[Any], None], Any]] | None = None
        # Weak references, since the garbage collector cannot see a cycle that leads through the stack of a greenlet.
        self._work, self._search = partial(_work, ref(self)), partial(_search, ref(self))

    @abstractmethod
    def fileno(self) -> int:
        """A file that is readable while a call can be resumed."""

    def begin(self, do: Callable[[], None]) -> None:
        """Run a call until it ends or is suspended at its search. It must not raise. Further calls may be begun right after it;
        `search_now` is to be called after the last."""
        self._present = strand = self._idle.pop() if self._idle else self._another()
        strand.thread_seconds, self._since = 0.0, self._clock()
        strand.switch(do)
        if strand in self._idle[-1:]:  # ended without a search: such calls may come without end while searches wait
            self.search_now()

    @abstractmethod
    def search_now(self) -> None:
        """No further call is begun for now: the searches of those that have been begun need not wait for more."""

    def resume(self, around: Row = nullcontext) -> None:
        """Resume each call whose search has ended, then do what `defer` has put off, in an `around()` block."""
        ended, self._deferred, began = self._ended(), [], self._clock()
        try:
            for strand, found in ended:
                if (now := self._clock()) - began > DEFERRED_SECONDS:
                    left, self._deferred, began = self._deferred, [], now
                    _do_all(left, around)
                self._go_on_with(strand, found)
            self.search_now()
        finally:
            left, self._deferred = self._deferred, None
            _do_all(left, around)

    def defer(self, do: Callable[[Any], None], what: Any) -> None:
        """Call `do(what)` after all calls that are being resumed in a row, or after DEFERRED_SECONDS. Sending an answer wakes its
        client, which would take the core and its caches from the next call. `do` must not raise: other answers come after it."""
        if self._deferred is None:
            do(what)
        else:
            self._deferred.append((do, what))

    def thread_seconds(self) -> float:
        """Seconds for which the present call has run, without the time it was suspended."""
        return self._present.thread_seconds + self._clock() - self._since

    @abstractmethod
    def _ended(self) -> Iterable[tuple[_Strand, Any]]:
        """The calls whose searches have ended, each with its hits, or with the exception that the search raised."""

    @abstractmethod
    def _leave(self, engine: _engine.Engine, query: _engine.Query) -> None:
        """Have the query searched for the present call, which is about to be suspended."""

    def _left(self) -> _Strand:
        """The present strand, with the time it has run added up."""
        strand = self._present
        strand.thread_seconds += self._clock() - self._since
        return strand

    def _go_on_with(self, strand: _Strand, found: Any) -> None:
        self._present, self._since = strand, self._clock()
        if isinstance(found, BaseException):
            strand.throw(found)
        else:
            strand.switch(found)

    def _is_done(self) -> None:
        self._idle.append(self._present)

    def _another(self) -> _Strand:
        strand = _Strand(self._work, len(self._strands))
        # One context for all its calls: each resets the variables that it sets.
        strand.gr_context = context = Context()
        context.run(searching.set, self._search)
        self._strands.append(strand)
        return strand


class ThreadedInterleaver(Interleaver):
    """The engine searches in threads of its own. `threads`: how many searches run at once, at most. Raises OSError (the system
    gives no thread or pipe)."""

    def __init__(self, threads: int = 1, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(clock)
        self._searches = _engine.Searches(min(threads, self.most))
        #: Searches for which no thread has been woken yet.
        self._unheard = 0

    def fileno(self) -> int:
        """See Interleaver."""
        return self._searches.fileno()

    def search_now(self) -> None:
        """See Interleaver."""
        if self._unheard:
            self._unheard = 0
            self._searches.wake()

    def _ended(self) -> Iterable[tuple[_Strand, Any]]:
        return [(self._strands[number], found) for number, found in self._searches.take()]

    def _leave(self, engine: _engine.Engine, query: _engine.Query) -> None:
        self._searches.begin(self._left().number, engine, query)
        self._unheard += 1
        if self._unheard == SEVERAL:
            self.search_now()


class SingleThreadInterleaver(Interleaver):
    """The thread searches itself, for all calls that were suspended since it last did. Raises OSError (the system gives no
    pipe)."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(clock)
        self._bell = _Bell()
        #: Suspended calls, and what is to be searched for each.
        self._waiting: list[tuple[_Strand, _engine.Engine, _engine.Query]] = []

    def fileno(self) -> int:
        """See Interleaver."""
        return self._bell.fileno()

    def search_now(self) -> None:
        """See Interleaver: searches begin in `resume` anyway."""

    def _ended(self) -> Iterable[tuple[_Strand, Any]]:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._bell.hear()
        return [self._searched(*each) for each in waiting]

    def _leave(self, engine: _engine.Engine, query: _engine.Query) -> None:
        if not self._waiting:
            self._bell.ring()
        self._waiting.append((self._left(), engine, query))

    def _searched(self, strand: _Strand, engine: _engine.Engine, query: _engine.Query) -> tuple[_Strand, Any]:
        began, found = self._clock(), _found(engine, query)
        strand.thread_seconds += self._clock() - began
        return strand, found


class _Bell:
    """A file that is readable from `ring` until `hear`."""

    def __init__(self) -> None:
        self._heard, self._rung = os.pipe()

    def __del__(self) -> None:
        for file in (getattr(self, "_heard", None), getattr(self, "_rung", None)):
            if file is not None:
                os.close(file)

    def fileno(self) -> int:
        return self._heard

    def ring(self) -> None:
        os.write(self._rung, b"\0")

    def hear(self) -> None:
        os.read(self._heard, 1)


def _do_all(defer: Sequence[tuple[Callable[[Any], None], Any]], around: Row) -> None:
    if not defer:
        return  # entering `around` may have to wait for a lock
    with around():
        for do, what in defer:
            do(what)


def _found(engine: _engine.Engine, query: _engine.Query) -> Any:
    """The hits, or the exception that the search raised."""
    try:
        return engine.search(query)
    except Exception as error:
        return error


def _work(beside: ref[Interleaver], do: Callable[[], None]) -> None:
    while True:
        do()
        del do  # or an idle strand would keep the arguments of its last call alive
        if (calls := beside()) is None:
            return
        calls._is_done()
        del calls
        do = _switched()


def _search(beside: ref[Interleaver], engine: _engine.Engine, query: _engine.Query) -> _engine.Hits:
    if (calls := beside()) is None:  # the object is gone, and this call is being ended
        return engine.search(query)
    calls._leave(engine, query)
    del calls
    found: _engine.Hits = _switched()
    return found


def _switched() -> Any:
    """Switch to the thread's main greenlet; returns what this one is resumed with."""
    parent: Any = getcurrent().parent
    return parent.switch()
