"""Which requests of a client still wait for their answers.

Useful for: ending when all are answered, and keeping back answers to cancelled ones. Not useful for: the answers themselves.
Invariant: several requests under one id are counted: a client that reuses an id as soon as it has the answer may be quicker
than the thread which gave that answer and is about to settle it here.
"""

from __future__ import annotations

import threading
from typing import Any

from omoide.server.protocol.wire import Id


class Waiting:
    """Safe from any thread; one thread alone adds requests."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ids: dict[tuple[type, Id], int] = {}

    def add(self, id: Id) -> None:
        """Note a new request."""
        with self._changed:
            self._ids[type(id), id] = self._ids.get((type(id), id), 0) + 1

    def holds(self, id: Id) -> bool:
        """Whether a request with that id still waits."""
        with self._changed:
            return (type(id), id) in self._ids

    def settle(self, id: Id) -> None:
        """Note that one with that id has been answered."""
        with self._changed:
            left = self._ids.pop((type(id), id), 0) - 1
            if left > 0:
                self._ids[type(id), id] = left
            self._changed.notify_all()

    def call_off(self, id: Any) -> None:
        """Note that the client has cancelled: no request with that id is to be answered any more."""
        if isinstance(id, (int, str)):
            with self._changed:
                self._ids.pop((type(id), id), None)
                self._changed.notify_all()

    def until_none(self, seconds: float) -> bool:
        """Wait for up to `seconds` until all are settled; whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._ids, seconds)
