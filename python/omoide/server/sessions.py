"""Which session a caller belongs to: the connection's where the protocol has one, else one of the whole process.

The shared one ends by an idle gap: the next call after it begins another.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta


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
        return connection or self._present()

    def _present(self) -> str:
        now = self._clock()
        with self._lock:
            if self._idle is not None and now - self._seen > self._idle:
                self._shared = _new()
            self._seen = now
            return self._shared


def _new() -> str:
    return str(uuid.uuid4())
