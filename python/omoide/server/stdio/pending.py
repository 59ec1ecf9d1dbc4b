"""Which requests of a client still wait for their answers.

Useful for: ending when all are answered, and keeping back answers to cancelled ones. Not useful for: the answers themselves.
Invariant: several requests under one id are counted: a client that reuses an id as soon as it has the answer may be quicker
than the thread which gave that answer and is about to settle it here.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from omoide.server.protocol.wire import Id

if TYPE_CHECKING:  # takes longer to import than a handshake may
    from omoide.server.calls.dispatcher import CallHandle


class PendingRequests:
    """Safe from any thread; one thread alone adds requests."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ids: dict[tuple[type, Id], int] = {}
        self._started: dict[tuple[type, Id], CallHandle] = {}

    def add(self, id: Id, call: CallHandle | None = None) -> None:
        """Note a new request, and the call that it is for, if that is known already."""
        key = type(id), id
        with self._changed:
            self._ids[key] = self._ids.get(key, 0) + 1
            if call is not None:
                self._started[key] = call

    def started(self, id: Id, call: CallHandle) -> None:
        """Note the call that a request is for, unless it has been answered already."""
        with self._changed:
            if (type(id), id) in self._ids:
                self._started[type(id), id] = call

    def holds(self, id: Id) -> bool:
        """Whether a request with that id still waits."""
        with self._changed:
            return (type(id), id) in self._ids

    def settle(self, id: Id) -> None:
        """Note that one with that id has been answered."""
        with self._changed:
            left = self._ids.pop((type(id), id), 0) - 1
            self._started.pop((type(id), id), None)
            if left > 0:
                self._ids[type(id), id] = left
            self._changed.notify_all()

    def cancel(self, id: Id) -> None:
        """Note that the client has cancelled: no request with that id is to be answered any more, nor its call begun."""
        with self._changed:
            self._ids.pop((type(id), id), None)
            started = self._started.pop((type(id), id), None)
            self._changed.notify_all()
        if started is not None:
            started.drop()

    def wait_until_empty(self, seconds: float) -> bool:
        """Wait for up to `seconds` until all are settled; whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._ids, seconds)
