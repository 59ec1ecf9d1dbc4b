"""So many threads at a time, in the order of their coming; one that waits for something else lets another go on.

A thread that must not wait at all (one that has others to serve) gives up what it is about to wait for, and says so. One that
nobody waits for gives way to those that somebody does.

Useful for: writers of one file; calls of a server, of which more than a few at once only take the interpreter from each
other. Not useful for: what takes no longer than a lock is held.
Invariant: a turn is handed on, never left lying. Who has had to wait for something else comes back without waiting in
line, even if there is one more then: whatever locks it holds, others may be waiting for.
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
    """`places` is how many threads may have one at a time."""

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
        with waiting():
            came = mine.wait(seconds)
        if came:
            return True
        with self._lock:
            if mine.is_set():  # it came in this very instant
                return True
            self._waiting.remove(mine)
        return False

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @property
    def crowded(self) -> bool:
        """Whether more have a turn than there are places."""
        return self._free < 0

    def hand_on(self) -> bool:
        """Give the turn to the next who waits; False, keeping it, when nobody does."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
                return True
        return False

    def leave(self) -> None:
        """Give the turn to the next, or back."""
        with self._lock:
            if self._waiting and self._free >= 0:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def come_back(self) -> None:
        """Have a turn again without waiting for it."""
        with self._lock:
            self._free -= 1


class Turn:
    """A thread's own turn, for as long as it works: begun and renewed by the thread, ended by any."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._lock = threading.Lock()
        self._has = False
        self._over = True

    def begin(self) -> None:
        """Wait for it; from then on `waiting` in this thread gives it up for a while."""
        self._turns.take()
        with self._lock:
            self._has, self._over = True, False
        _own.set(self)

    def renew(self) -> None:
        """Between two pieces of work: wait in line again if it has ended, or if there are more than should be."""
        if self._has and not self._turns.crowded:
            return
        self.end()
        self.begin()

    def end(self) -> None:
        """Give it up for good: the thread goes on without one."""
        with self._lock:
            self._over = True
            self._give_up()

    @contextmanager
    def interrupted(self) -> Iterator[None]:
        """See `waiting`; a wait inside another is part of it."""
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
    """What was begun cannot go on without waiting, in a thread that must not. No Exception: nothing has failed."""


class _Never:
    """Stands where a turn does, in a thread that must not wait."""

    def interrupted(self) -> NoReturn:
        raise WouldWait


_NEVER = _Never()
#: Of the call that goes on here: of a thread's own, or of one of several that a thread has begun.
_own: ContextVar[Turn | _Never | None] = ContextVar("turn", default=None)


def waiting() -> AbstractContextManager[None]:
    """While the block waits (for the network, the disk, another thread), the turn that this thread may have is another's.

    Raises WouldWait in a thread that must not wait.
    """
    turn = _own.get()
    return nullcontext() if turn is None else turn.interrupted()


def about_to_wait() -> None:
    """Said before something that must not be given up half way, or takes long: `waiting` comes too late there.

    Raises WouldWait in a thread that must not wait.
    """
    if must_not_wait():
        raise WouldWait


def must_not_wait() -> bool:
    """Whether this is in a block of `never_waiting`, for what may be left to another thread."""
    return _own.get() is _NEVER


class never_waiting:  # noqa: N801 (one of several blocks; the others are functions)
    """In the block this thread must not wait: WouldWait ends the block where it would, before it has changed anything."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = _own.set(_NEVER)

    def __exit__(self, *_: object) -> None:
        _own.reset(self._before)


@contextmanager
def held(lock: threading.Lock) -> Iterator[None]:
    """A lock that others may hold for long, while the block runs."""
    if not lock.acquire(blocking=False):
        with waiting():
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


#: One for each thread that somebody waits for.
_hurried: deque[None] = deque()
#: How a thread that gives way rests.
_rest: ContextVar[Callable[[float], object] | None] = ContextVar("rest", default=None)
#: How long a thread that gives way looks the other way, and how often in a row at most.
GLANCE_SECONDS, GLANCES = 0.0005, 2


class hurried:  # noqa: N801 (one of several blocks; the others are functions)
    """In the block this thread does what somebody waits for."""

    __slots__ = ()

    def __enter__(self) -> None:
        _hurried.append(None)

    def __exit__(self, *_: object) -> None:
        _hurried.pop()


@contextmanager
def giving_way(rest: Callable[[float], object] = sleep) -> Iterator[None]:
    """In the block this thread does what nobody waits for: see `give_way`."""
    before = _rest.set(rest)
    try:
        yield
    finally:
        _rest.reset(before)


def gives_way() -> bool:
    """Whether this is in a block of `giving_way`."""
    return _rest.get() is not None


def give_way() -> None:
    """Said between two pieces of work: who gives way rests while others hurry, though never for long. A search lets go of the
    interpreter several times, and a thread at work would each time keep it for five milliseconds."""
    if (rest := _rest.get()) is not None:
        for _ in range(GLANCES):
            if not _hurried:
                return
            rest(GLANCE_SECONDS)
