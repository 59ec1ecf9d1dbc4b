"""Calls that one thread answers in turn: while the engine searches for one, the thread goes on with another.

Threads would do that too, but take the interpreter from each other in the middle of their work, each time for another core and
for cold caches. Here Python stays in one thread, and the engine searches in one of its own that needs no interpreter: woken for
several calls where several are begun in a row, as to wake it takes longer than most steps of a call. Where it has no core of its
own, the thread searches for several calls in a row: what went before and what follows a search finds the caches as the same of
another call has left them.

    calls = Beside()  # or Together()
    calls.begin(one)          # returns when it is done, or when it has the engine search
    calls.begin(another)
    calls.no_more()
    ...                       # when calls.fileno() can be read:
    calls.go_on()             # with those whose searches have ended

Useful for: an event loop, or a loop of one's own. Not useful for: what waits for the network or the disk; all would wait.
Invariant: a call is left and gone on with in one thread, the one that began it, and nowhere but at its searches. What is left
when nobody has the calls any more ends there.
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
except ImportError:  # where pipes are no files to be looked at, the engine has no threads of its own either
    can_be_had = False
else:
    can_be_had = hasattr(_engine, "Searches")

    class _Strand(greenlet):
        """Where one call after the other is answered. `held`: for how long the present one had had the thread when it was last
        left."""

        def __init__(self, work: Callable[[Callable[[], None]], None], number: int) -> None:
            super().__init__(work)
            self.number = number
            self.held = 0.0


Row = Callable[[], AbstractContextManager[object]]

#: Searches that a thread of the engine is woken for, though more may come: it would have too little time for them.
SEVERAL = 3
#: What is done afterwards waits for so long at most, and for what is left of the call that goes on then.
AFTERWARDS_SECONDS = 0.002


class Alone:
    """One call after the other, each to its end: where the engine has no core of its own and no call can be left, nothing can go
    on beside it."""

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
        """See InTurns."""
        return self._clock() - self._since

    def no_more(self) -> None:
        """See InTurns."""

    def afterwards(self, do: Callable[[Any], None], what: Any) -> None:
        """See InTurns: there are no others."""
        do(what)

    def go_on(self, around: Row = nullcontext) -> None:
        """With nothing."""


class InTurns(ABC):
    """Calls that are left at their searches, and gone on with; for one thread. `clock` counts seconds."""

    #: Calls at once, all but one of which have the engine search: more than it can be busy with only wait.
    most = 8

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        #: By number, also of those that are done with their calls: a new one would be given a stack by the system, and one that
        #: ends would give it back.
        self._strands: list[_Strand] = []
        self._idle: list[_Strand] = []
        #: The one that goes on, and since when it has the thread.
        self._present: _Strand
        self._since = 0.0
        #: What is to be done behind those that are gone on with, while any are.
        self._afterwards: list[tuple[Callable[[Any], None], Any]] | None = None
        # The stack of a greenlet is hidden from the garbage collector: nothing there may keep this, which keeps the greenlet.
        self._work, self._search = partial(_work, ref(self)), partial(_search, ref(self))

    @abstractmethod
    def fileno(self) -> int:
        """Can be read while there is a call to go on with."""

    def begin(self, do: Callable[[], None]) -> None:
        """Do it until it is done or has the engine search. It must not raise. Others may be begun right behind it; `no_more` is
        said when none is."""
        self._present = strand = self._idle.pop() if self._idle else self._another()
        strand.held, self._since = 0.0, self._clock()
        strand.switch(do)
        if strand in self._idle[-1:]:  # it is done: such as need no search may come without end
            self.no_more()

    @abstractmethod
    def no_more(self) -> None:
        """What has been begun is not waited with for others."""

    def go_on(self, around: Row = nullcontext) -> None:
        """With each call whose search has ended. `around` what is done afterwards, several in a row."""
        ended, self._afterwards, began = self._ended(), [], self._clock()
        try:
            for strand, found in ended:
                if (now := self._clock()) - began > AFTERWARDS_SECONDS:
                    left, self._afterwards, began = self._afterwards, [], now
                    _do_all(left, around)
                self._go_on_with(strand, found)
            self.no_more()
        finally:
            left, self._afterwards = self._afterwards, None
            _do_all(left, around)

    def afterwards(self, do: Callable[[Any], None], what: Any) -> None:
        """Do it, with `what`, when the calls that are gone on with in a row have been, unless that takes long: whoever is told
        something is woken, and takes the core and the caches from the next of them. It must not raise: what others are told
        stands behind it."""
        if self._afterwards is None:
            do(what)
        else:
            self._afterwards.append((do, what))

    def held(self) -> float:
        """Seconds for which the call that asks has had the thread."""
        return self._present.held + self._clock() - self._since

    @abstractmethod
    def _ended(self) -> Iterable[tuple[_Strand, Any]]:
        """Calls whose searches have ended, with what was found for each, or what that came to."""

    @abstractmethod
    def _leave(self, engine: _engine.Engine, query: _engine.Query) -> None:
        """Have it searched; the present call is gone on with when that has ended."""

    def _left(self) -> _Strand:
        """The present one, which has had the thread until now."""
        strand = self._present
        strand.held += self._clock() - self._since
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
        # Made once for all its calls, which leave it as it was.
        strand.gr_context = context = Context()
        context.run(searching.set, self._search)
        self._strands.append(strand)
        return strand


class Beside(InTurns):
    """The engine searches in threads of its own. `threads`: how many searches go on at once, of as many as there are calls.
    Raises OSError (the system gives no thread or pipe)."""

    def __init__(self, threads: int = 1, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(clock)
        self._searches = _engine.Searches(min(threads, self.most))
        #: Searches that no thread has been woken for.
        self._unheard = 0

    def fileno(self) -> int:
        """See InTurns."""
        return self._searches.fileno()

    def no_more(self) -> None:
        """See InTurns."""
        if self._unheard:
            self._unheard = 0
            self._searches.wake()

    def _ended(self) -> Iterable[tuple[_Strand, Any]]:
        return [(self._strands[number], found) for number, found in self._searches.take()]

    def _leave(self, engine: _engine.Engine, query: _engine.Query) -> None:
        self._searches.begin(self._left().number, engine, query)
        self._unheard += 1
        if self._unheard == SEVERAL:
            self.no_more()


class Together(InTurns):
    """The thread searches itself, for all calls that were left since it did last. Raises OSError (the system gives no pipe)."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(clock)
        self._bell = _Bell()
        #: And what is to be searched for each.
        self._waiting: list[tuple[_Strand, _engine.Engine, _engine.Query]] = []

    def fileno(self) -> int:
        """See InTurns."""
        return self._bell.fileno()

    def no_more(self) -> None:
        """See InTurns: others are waited for anyway."""

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
        strand.held += self._clock() - began
        return strand, found


class _Bell:
    """A file that can be read from when it is rung until it is heard."""

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


def _do_all(afterwards: Sequence[tuple[Callable[[Any], None], Any]], around: Row) -> None:
    if not afterwards:
        return  # what is around may have to be waited for
    with around():
        for do, what in afterwards:
            do(what)


def _found(engine: _engine.Engine, query: _engine.Query) -> Any:
    """What was found, or the exception that tells why nothing was."""
    try:
        return engine.search(query)
    except Exception as error:
        return error


def _work(beside: ref[InTurns], do: Callable[[], None]) -> None:
    while True:
        do()
        del do  # and with it whatever the call was about
        if (calls := beside()) is None:
            return
        calls._is_done()
        del calls
        do = _switched()


def _search(beside: ref[InTurns], engine: _engine.Engine, query: _engine.Query) -> _engine.Hits:
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
