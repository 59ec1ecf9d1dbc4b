"""A fair semaphore: a few threads at a time, first come, first served; one that waits for something else lends out its turn.

A thread that must not wait at all, because it has others to serve, gives up with WouldWait. A background thread, which nobody
waits for, gives way to those that somebody waits for.

Useful for: writers of one file; calls of a server, of which more than a few at once only take the interpreter from each
other. Not useful for: short critical sections, for which a lock will do.
Invariant: a turn is never lost. A thread that comes back from waiting for something else does not queue again, even if one too
many then run: it may hold locks that the others wait for.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from time import sleep
from typing import NoReturn


class Turns:
    """`places`: how many threads may have a turn at a time."""

    def __init__(self, places: int = 1) -> None:
        self._lock = threading.Lock()
        self._free = places  # below 0 while more have come back than there are places
        self._waiting: deque[threading.Event] = deque()

    def take(self, seconds: float | None = None) -> bool:
        """Wait for a turn; False when it takes longer than `seconds`. Raises WouldWait (see `never_waiting`)."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return True
            about_to_wait()
            mine = threading.Event()
            self._waiting.append(mine)
        try:
            with waiting():
                came = mine.wait(seconds)
        except BaseException:  # KeyboardInterrupt: nobody would end the turn
            if not self._stopped_waiting(mine):
                self.leave()
            raise
        return came or not self._stopped_waiting(mine)

    def _stopped_waiting(self, mine: threading.Event) -> bool:
        """Take a thread from the line; False if its turn has come meanwhile."""
        with self._lock:
            if mine.is_set():
                return False
            self._waiting.remove(mine)
            return True

    @property
    def waiting(self) -> int:
        """How many threads wait for a turn."""
        return len(self._waiting)

    @property
    def crowded(self) -> bool:
        """Whether more threads have a turn than there are places."""
        return self._free < 0

    def hand_on(self) -> bool:
        """Give the turn to the next thread in line; False, keeping it, when none waits."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
                return True
        return False

    def leave(self) -> None:
        """End a turn: the next in line has it, or its place is free."""
        with self._lock:
            if self._waiting and self._free >= 0:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def come_back(self) -> None:
        """Take a turn at once, even if there is one too many then."""
        with self._lock:
            self._free -= 1


class Turn:
    """A worker thread's turn: begun and renewed by that thread, ended by any."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._lock = threading.Lock()
        self._has = False
        self._over = True

    def begin(self) -> None:
        """Wait for the turn; from then on, a `waiting` block in this thread lends it out."""
        self._turns.take()
        with self._lock:
            self._has, self._over = True, False
        _own.set(self)

    def renew(self) -> None:
        """Between two pieces of work: queue again if the turn was ended, or if there are more turns than places."""
        if self._has and not self._turns.crowded:
            return
        self.end()
        self.begin()

    def end(self) -> None:
        """Take the turn from the thread, which works on without one."""
        with self._lock:
            self._over = True
            self._give_up()

    @contextmanager
    def interrupted(self) -> Iterator[None]:
        """See `waiting`; a nested block changes nothing."""
        with self._lock:
            had = self._has
            self._give_up()
        try:
            yield
        finally:
            with self._lock:
                if had and not self._over:
                    self._has = True
                    self._turns.come_back()

    def _give_up(self) -> None:
        if self._has:
            self._has = False
            self._turns.leave()


class WouldWait(BaseException):
    """Work in a thread that must not wait would have to. Not an Exception, as nothing has failed and no handler should catch it."""


class _Never:
    """Takes the place of a Turn in a thread that must not wait."""

    def interrupted(self) -> NoReturn:
        raise WouldWait


_NEVER = _Never()
#: The turn of the present call. A context variable, since one thread may have several calls under way.
_own: ContextVar[Turn | _Never | None] = ContextVar("turn", default=None)


def waiting() -> AbstractContextManager[None]:
    """While the block waits (for the network, the disk, another thread), another thread may have this one's turn.

    Raises WouldWait in a thread that must not wait.
    """
    turn = _own.get()
    return nullcontext() if turn is None else turn.interrupted()


def about_to_wait() -> None:
    """To be called before work that takes long or must not be interrupted, when a later `waiting` would be too late.

    Raises WouldWait in a thread that must not wait.
    """
    if must_not_wait():
        raise WouldWait


def must_not_wait() -> bool:
    """Whether this is in a block of `never_waiting`: for work that another thread could do instead."""
    return _own.get() is _NEVER


class never_waiting:  # noqa: N801 (one of several blocks; the others are functions)
    """In the block, this thread must not wait: WouldWait is raised where it would, before anything has been changed."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = _own.set(_NEVER)

    def __exit__(self, *_: object) -> None:
        _own.reset(self._before)


@contextmanager
def held(lock: threading.Lock, seconds: float | None = None) -> Iterator[None]:
    """Hold a lock in the block; waiting for it, which may take long, is a `waiting` block. Raises TimeoutError (it was not to be had
    within so many seconds)."""
    if not lock.acquire(blocking=False):
        with waiting():
            came = lock.acquire(timeout=-1 if seconds is None else seconds)
        if not came:
            raise TimeoutError
    try:
        yield
    finally:
        lock.release()


#: One entry for each thread in a `hurried` block; its length is a counter that needs no lock.
_hurried: deque[None] = deque()
#: In a `giving_way` block, what to sleep with.
_rest: ContextVar[Callable[[float], object] | None] = ContextVar("rest", default=None)
#: How long a thread that gives way sleeps at a time, and how often in a row at most.
GLANCE_SECONDS, GLANCES = 0.0005, 2


class hurried:  # noqa: N801 (one of several blocks; the others are functions)
    """In the block, this thread does something that somebody waits for."""

    __slots__ = ()

    def __enter__(self) -> None:
        _hurried.append(None)

    def __exit__(self, *_: object) -> None:
        _hurried.pop()


def is_hurried() -> bool:
    """Whether some thread is in a `hurried` block."""
    return bool(_hurried)


@contextmanager
def giving_way(rest: Callable[[float], object] = sleep) -> Iterator[None]:
    """In the block, this thread does something that nobody waits for: see `give_way`."""
    before = _rest.set(rest)
    try:
        yield
    finally:
        _rest.reset(before)


def give_way() -> None:
    """To be called between two pieces of work: in a `giving_way` block, sleeps briefly while other threads are `hurried`. A search
    releases the interpreter several times, and a busy thread would keep it for five milliseconds each time."""
    if (rest := _rest.get()) is not None:
        for _ in range(GLANCES):
            if not _hurried:
                return
            rest(GLANCE_SECONDS)
