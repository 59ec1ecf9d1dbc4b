"""Several calls in one thread: each runs in a greenlet, which is suspended while the engine searches for it.

Several threads would do, but they take the interpreter from each other in the middle of their work, each time on another core
with cold caches. Here Python stays in one thread. With a core to spare (`ThreadedInterleaver`), the engine searches in threads of
its own that need no interpreter; they are woken once for several calls, as waking a thread takes longer than most steps of a call.
Without (`SingleThreadInterleaver`), the thread itself searches for several calls in a row, which keeps the processor's caches warm
for each step.

    interleaver = ThreadedInterleaver()  # or SingleThreadInterleaver()
    interleaver.begin(one)          # returns when the call has ended, or is suspended at its search
    interleaver.begin(another)
    interleaver.search_now()
    ...                             # when interleaver.fileno() is readable:
    interleaver.resume()            # resume the calls whose searches have ended

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
    is_available = False
else:
    is_available = hasattr(_engine, "Searches")

    class _Strand(greenlet):
        """A greenlet in which one call after the other runs. `thread_seconds`: for how long its call had run when it was
        last suspended."""

        def __init__(self, work: Callable[[Callable[[], None]], None], number: int) -> None:
            super().__init__(work)
            self.number = number
            self.thread_seconds = 0.0


Batch = Callable[[], AbstractContextManager[object]]

#: With this many searches waiting, a thread of the engine is woken even if more calls follow.
WAKE_AT = 3
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

    def begin(self, run: Callable[[], None]) -> None:
        """Run the call to its end."""
        self._since = self._clock()
        run()

    def thread_seconds(self) -> float:
        """See Interleaver."""
        return self._clock() - self._since

    def search_now(self) -> None:
        """See Interleaver."""

    def defer(self, callback: Callable[[Any], None], value: Any) -> None:
        """See Interleaver: at once, as no others are being resumed."""
        callback(value)

    def resume(self, around: Batch = nullcontext) -> None:
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
        self._running: _Strand
        self._since = 0.0
        #: In `resume`, what `defer` has put off; else None.
        self._deferred: list[tuple[Callable[[Any], None], Any]] | None = None
        # Weak references, since the garbage collector cannot see a cycle that leads through the stack of a greenlet.
        self._run_calls, self._suspending_search = (
            partial(_run_calls, ref(self)),
            partial(_suspending_search, ref(self)),
        )

    @abstractmethod
    def fileno(self) -> int:
        """A file that is readable while a call can be resumed."""

    def begin(self, run: Callable[[], None]) -> None:
        """Run a call until it ends or is suspended at its search. It must not raise. Further calls may be begun right after it;
        `search_now` is to be called after the last."""
        self._running = strand = self._idle.pop() if self._idle else self._new_strand()
        strand.thread_seconds, self._since = 0.0, self._clock()
        strand.switch(run)
        if strand in self._idle[-1:]:  # ended without a search: such calls may come without end while searches wait
            self.search_now()

    @abstractmethod
    def search_now(self) -> None:
        """No further call is begun for now: searches that wait for more of them may begin."""

    def resume(self, around: Batch = nullcontext) -> None:
        """Resume each call whose search has ended, then do what `defer` has put off, in an `around()` block."""
        results, self._deferred, began = self._take_results(), [], self._clock()
        try:
            for strand, result in results:
                if (now := self._clock()) - began > DEFERRED_SECONDS:
                    deferred, self._deferred, began = self._deferred, [], now
                    _run_deferred(deferred, around)
                self._resume_strand(strand, result)
            self.search_now()
        finally:
            deferred, self._deferred = self._deferred, None
            _run_deferred(deferred, around)

    def defer(self, callback: Callable[[Any], None], value: Any) -> None:
        """Call `callback(value)` after all calls that are being resumed in a row, or after DEFERRED_SECONDS. Sending an answer
        wakes its client, which would take the core and its caches from the next call. `callback` must not raise: others follow
        it."""
        if self._deferred is None:
            callback(value)
        else:
            self._deferred.append((callback, value))

    def thread_seconds(self) -> float:
        """Seconds for which the running call has run, without the time it was suspended."""
        return self._running.thread_seconds + self._clock() - self._since

    @abstractmethod
    def _take_results(self) -> Iterable[tuple[_Strand, Any]]:
        """The strands whose searches have ended, each with its hits, or with the exception that the search raised."""

    @abstractmethod
    def _submit(self, engine: _engine.Engine, query: _engine.Query) -> None:
        """Queue the search of the running call, which is about to be suspended."""

    def _pause_running(self) -> _Strand:
        """Stop the clock of the running strand, and return it."""
        strand = self._running
        strand.thread_seconds += self._clock() - self._since
        return strand

    def _resume_strand(self, strand: _Strand, result: Any) -> None:
        self._running, self._since = strand, self._clock()
        if isinstance(result, BaseException):
            strand.throw(result)
        else:
            strand.switch(result)

    def _mark_idle(self) -> None:
        self._idle.append(self._running)

    def _new_strand(self) -> _Strand:
        strand = _Strand(self._run_calls, len(self._strands))
        # One context for all its calls: each resets the variables that it sets.
        strand.gr_context = context = Context()
        context.run(searching.set, self._suspending_search)
        self._strands.append(strand)
        return strand


class ThreadedInterleaver(Interleaver):
    """The engine searches in threads of its own. `threads`: how many searches run at once, at most. Raises OSError (the system
    gives no thread or pipe)."""

    def __init__(self, threads: int = 1, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(clock)
        self._searches = _engine.Searches(min(threads, self.most))
        #: Searches for which no thread has been woken yet.
        self._unsignalled = 0

    def fileno(self) -> int:
        """See Interleaver."""
        return self._searches.fileno()

    def search_now(self) -> None:
        """See Interleaver."""
        if self._unsignalled:
            self._unsignalled = 0
            self._searches.wake()

    def _take_results(self) -> Iterable[tuple[_Strand, Any]]:
        return [(self._strands[number], result) for number, result in self._searches.take()]

    def _submit(self, engine: _engine.Engine, query: _engine.Query) -> None:
        self._searches.begin(self._pause_running().number, engine, query)
        self._unsignalled += 1
        if self._unsignalled == WAKE_AT:
            self.search_now()


class SingleThreadInterleaver(Interleaver):
    """The thread searches itself, for all calls that were suspended since it last did. Raises OSError (the system gives no
    pipe)."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(clock)
        self._searches_waiting = _PipeEvent()
        #: Suspended calls, and what is to be searched for each.
        self._waiting: list[tuple[_Strand, _engine.Engine, _engine.Query]] = []

    def fileno(self) -> int:
        """See Interleaver."""
        return self._searches_waiting.fileno()

    def search_now(self) -> None:
        """See Interleaver: searches begin in `resume` anyway."""

    def _take_results(self) -> Iterable[tuple[_Strand, Any]]:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._searches_waiting.clear()
        return [self._run_search(*each) for each in waiting]

    def _submit(self, engine: _engine.Engine, query: _engine.Query) -> None:
        if not self._waiting:
            self._searches_waiting.set()
        self._waiting.append((self._pause_running(), engine, query))

    def _run_search(self, strand: _Strand, engine: _engine.Engine, query: _engine.Query) -> tuple[_Strand, Any]:
        began, result = self._clock(), _search_or_error(engine, query)
        strand.thread_seconds += self._clock() - began
        return strand, result


class _PipeEvent:
    """An event as a pipe, for event loops: readable from `set` until `clear`."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()

    def __del__(self) -> None:
        if hasattr(self, "_read_end"):  # else the system gave no pipe
            os.close(self._read_end)
            os.close(self._write_end)

    def fileno(self) -> int:
        return self._read_end

    def set(self) -> None:
        os.write(self._write_end, b"\0")

    def clear(self) -> None:
        os.read(self._read_end, 1)


def _run_deferred(deferred: Sequence[tuple[Callable[[Any], None], Any]], around: Batch) -> None:
    if not deferred:
        return  # entering `around` may have to wait for a lock
    with around():
        for callback, value in deferred:
            callback(value)


def _search_or_error(engine: _engine.Engine, query: _engine.Query) -> Any:
    """The hits, or the exception that the search raised."""
    try:
        return engine.search(query)
    except Exception as error:
        return error


def _run_calls(interleaver_ref: ref[Interleaver], run: Callable[[], None]) -> None:
    """What a strand does: run one call after the other."""
    while True:
        run()
        del run  # or an idle strand would keep the arguments of its last call alive
        if (interleaver := interleaver_ref()) is None:
            return
        interleaver._mark_idle()
        del interleaver
        run = _suspend()


def _suspending_search(interleaver_ref: ref[Interleaver], engine: _engine.Engine, query: _engine.Query) -> _engine.Hits:
    if (interleaver := interleaver_ref()) is None:  # the object is gone, and this call is being ended
        return engine.search(query)
    interleaver._submit(engine, query)
    del interleaver
    hits: _engine.Hits = _suspend()
    return hits


def _suspend() -> Any:
    """Switch to the thread's main greenlet; returns what this one is resumed with."""
    parent: Any = getcurrent().parent
    return parent.switch()
