"""Which session a caller belongs to: that of its connection where the protocol has one, else one that all others share.

The shared one ends by an idle gap: the next call after it begins another, whichever process of the server answers it.
Invariant: the name of a session is stored and shown, so it does not reveal the connection's id, with which anyone could join.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from time import time

from omoide.server.shared_table import Row, SharedTable

#: Where an HTTP request names its connection.
SESSION_HEADER = "mcp-session-id"

_CONNECTIONS = uuid.UUID("6f5a0c1e-3f0b-4b7e-9d1c-2a8e5d7b4c90")
#: Names whose present session is known. Beyond that, the least recently used ones begin another.
KEPT = 65_536
#: How long a process may go without asking the register, which thus knows the time of the last call this precisely.
_CACHE_SECONDS = 1.0


class Register:
    """The present sessions of up to `names` names. Made before the `processes` that share it are forked."""

    def __init__(self, processes: int = 1, names: int = KEPT) -> None:
        self._table = SharedTable("16sd", rows=names, processes=processes)

    def present(self, name: str, now: datetime, idle: timedelta | None) -> str:
        """The session of a call at `now`, which becomes the last call of it. `idle` None: it does not end."""

        def renewed(row: Row) -> Row:
            session, last_call = row
            has_ended = idle is not None and now.timestamp() - last_call > idle.total_seconds()
            return uuid.uuid4().bytes if has_ended or not any(session) else session, now.timestamp()

        return str(uuid.UUID(bytes=self._table.change(name, renewed)[0]))


class Sessions:
    """Names for sessions. `idle` None: the shared one does not end. `register` holds the present one under `name`. `seconds` is
    the same clock as a number, which every call reads: making a datetime takes several times as long.

    Safe from any thread.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        idle: timedelta | None = None,
        register: Register | None = None,
        name: str = "",
        seconds: Callable[[], float] = time,
    ) -> None:
        self._clock = clock
        self._idle = idle
        self._register = register or Register(names=1)
        self._name = name
        self._seconds = seconds
        #: When the register was asked last, and what it answered.
        self._last: tuple[float, str] = (-math.inf, "")

    def of(self, connection: str | None) -> str:
        """The session of a call over `connection` (None: the protocol knows none)."""
        return _of_connection(connection) if connection else self._present()

    def _present(self) -> str:
        now, (asked_at, session) = self._seconds(), self._last
        if not 0 <= now - asked_at < _CACHE_SECONDS:
            session = self._register.present(self._name, self._clock(), self._idle)
            self._last = now, session
        return session


@lru_cache(maxsize=1_000)
def _of_connection(connection: str) -> str:
    return str(uuid.uuid5(_CONNECTIONS, connection))
