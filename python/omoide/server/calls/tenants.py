"""Many tenants on one server: a place is opened by the first call that enters it, and the least recently entered are closed.

Useful for: HTTP with tokens that belong to tenants. Not useful for: one store; see places.py. Invariant: at most `most`
places stay open, beyond those with a call inside, so memory grows with the tenants at work, not with all there are.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import islice

from omoide.server.calls.places import Place
from omoide.turns import about_to_wait, held, must_not_wait

logger = logging.getLogger(__name__)

#: Closing a place writes the snapshot of its index, which threads of its own do. When MOST_CLOSING places wait for them, a call
#: that may wait closes its place itself.
CLOSERS = 2
MOST_CLOSING = 16

Open = Callable[[str], AbstractContextManager[Place]]


class Tenants:
    """Places by tenant. `open` gives a context manager that opens the place of a tenant and closes it."""

    def __init__(self, open: Open, *, most: int) -> None:
        self._open = open
        self._most = most
        self._lock = threading.Lock()
        self._doors: OrderedDict[str, _Door] = OrderedDict()
        self._closers = ThreadPoolExecutor(CLOSERS, thread_name_prefix="omoide-closing")
        self._closing = threading.Semaphore(MOST_CLOSING)

    def __len__(self) -> int:
        """How many places are open."""
        return len(self._doors)

    @contextmanager
    def enter(self, tenant: str) -> Iterator[Place]:
        """See places.Places."""
        door = self._door(tenant)
        try:
            yield door.place(self._open)
        finally:
            for idle in self._left(door):
                self._let_go(idle)

    def close(self) -> None:
        """Close all; nobody is inside."""
        with self._lock:
            doors, self._doors = [*self._doors.values()], OrderedDict()
        for door in doors:
            door.close()
        self._closers.shutdown()

    def _door(self, tenant: str) -> _Door:
        with self._lock:
            door = self._doors.setdefault(tenant, _Door(tenant))
            door.inside += 1
            self._doors.move_to_end(tenant)
            return door

    def _left(self, door: _Door) -> list[_Door]:
        """The least recently entered doors with nobody inside that are to be closed now."""
        with self._lock:
            door.inside -= 1
            if not (door.is_open or door.inside):  # it could not be opened, so it must not count
                self._doors.pop(door.tenant, None)
            too_many = max(0, len(self._doors) - self._most)
            idle = list(islice((each for each in self._doors.values() if not each.inside), too_many))
            for each in idle:
                # A call that comes from now on opens the store a second time, while this one is being closed.
                del self._doors[each.tenant]
            return idle

    def _let_go(self, door: _Door) -> None:
        if self._closing.acquire(blocking=False):
            self._closers.submit(door.close).add_done_callback(lambda _: self._closing.release())
        elif must_not_wait():
            self._closers.submit(door.close)
        else:
            door.close()


class _Door:
    """The way into a tenant's place: the first call opens it while others wait."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        self.inside = 0
        self._opening = threading.Lock()
        self._place: Place | None = None
        self._open = ExitStack()

    @property
    def is_open(self) -> bool:
        """Whether the place has been opened."""
        return self._place is not None

    def place(self, open: Open) -> Place:
        """The place, opened if it is not yet."""
        with held(self._opening):
            if self._place is None:
                about_to_wait()  # to read files, and perhaps to build an index
                self._place = self._open.enter_context(open(self.tenant))
            return self._place

    def close(self) -> None:
        """Close the place for good."""
        try:
            self._open.close()
        except Exception:
            logger.exception("a tenant's store could not be closed in good order")
