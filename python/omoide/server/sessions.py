"""Which session a caller belongs to: the connection's where the protocol has one, else one of the whole process.

The shared one ends by an idle gap: the next call after it begins another.
Invariant: a session's name is stored and shown, so it does not tell the connection's id, by which one could join it.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

#: Where an HTTP request names its connection.
SESSION_HEADER = "mcp-session-id"

_CONNECTIONS = uuid.UUID("6f5a0c1e-3f0b-4b7e-9d1c-2a8e5d7b4c90")


class Sessions:
    """Names for sessions. `idle` None: the shared session lasts as long as the process."""

    def __init__(self, clock: Callable[[], datetime], idle: timedelta | None = None) -> None:
        self._clock = clock
        self._idle = idle
        self._lock = threading.Lock()
        self._shared = _new()
        self._seen = clock()

    def of(self, connection: str | None) -> str:
        """The session of a call over `connection` (None: the protocol knows none)."""
        return _of_connection(connection) if connection else self._present()

    def _present(self) -> str:
        now = self._clock()
        with self._lock:
            if self._idle is not None and now - self._seen > self._idle:
                self._shared = _new()
            self._seen = now
            return self._shared


@lru_cache(maxsize=1_000)
def _of_connection(connection: str) -> str:
    return str(uuid.uuid5(_CONNECTIONS, connection))


def _new() -> str:
    return str(uuid.uuid4())
