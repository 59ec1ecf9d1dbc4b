"""Which requests of a client still wait for their answers.

Useful for: ending when all is answered, and keeping back what was called off. Not useful for: the answers themselves.
Invariant: requests under one id are counted apart. A client that uses an id again the moment it has the answer may be
ahead of whoever has given that answer and is about to say so here.
"""

from __future__ import annotations

import threading
from typing import Any

from omoide.server.protocol.wire import Id


class Waiting:
    """Safe from any thread; requests are noted by one alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ids: dict[tuple[type, Id], int] = {}

    def add(self, id: Id) -> None:
        """Note a request."""
        with self._changed:
            self._ids[type(id), id] = self._ids.get((type(id), id), 0) + 1

    def holds(self, id: Id) -> bool:
        """Whether a request with that id still waits."""
        with self._changed:
            return (type(id), id) in self._ids

    def settle(self, id: Id) -> None:
        """One has been answered."""
        with self._changed:
            left = self._ids.pop((type(id), id), 0) - 1
            if left > 0:
                self._ids[type(id), id] = left
            self._changed.notify_all()

    def call_off(self, id: Any) -> None:
        """The client wants no answer any more: neither that, nor another under the same id."""
        if isinstance(id, (int, str)):
            with self._changed:
                self._ids.pop((type(id), id), None)
                self._changed.notify_all()

    def until_none(self, seconds: float) -> bool:
        """Whether all are settled, waiting for that as long as `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._ids, seconds)
