"""Which session a caller belongs to: the connection's where the protocol has one, else one of all who have none.

That one ends by an idle gap: the next call after it begins another, in whichever process of the server it is answered.
Invariant: a session's name is stored and shown, so it does not tell the connection's id, by which one could join it.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from time import time

from omoide.server.board import Board, Row

#: Where an HTTP request names its connection.
SESSION_HEADER = "mcp-session-id"

_CONNECTIONS = uuid.UUID("6f5a0c1e-3f0b-4b7e-9d1c-2a8e5d7b4c90")
#: Names whose present session is known; of more, those not asked for longest begin another.
KEPT = 65_536
#: For so long a process relies on what it was told; the last call of a session is known that closely.
_SURE_SECONDS = 1.0


class Register:
    """The present sessions of so many names. Made before `processes` are forked that share it."""

    def __init__(self, processes: int = 1, names: int = KEPT) -> None:
        self._board = Board("16sd", rows=names, processes=processes)

    def present(self, name: str, now: datetime, idle: timedelta | None) -> str:
        """The session at this instant, which is the last call of it from now on. `idle` None: it does not end."""

        def called(row: Row) -> Row:
            session, seen = row
            over = idle is not None and now.timestamp() - seen > idle.total_seconds()
            return uuid.uuid4().bytes if over or not any(session) else session, now.timestamp()

        return str(uuid.UUID(bytes=self._board.change(name, called)[0]))


class Sessions:
    """Names for sessions. `idle` None: the shared one does not end. `register` knows which it is now, under `name`. `seconds`
    is the clock as a number, which is asked for at every call: a date takes several times as long.

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
        #: When it was asked last which it is, and what it was.
        self._last: tuple[float, str] = (-math.inf, "")

    def of(self, connection: str | None) -> str:
        """The session of a call over `connection` (None: the protocol knows none)."""
        return _of_connection(connection) if connection else self._present()

    def _present(self) -> str:
        now, (asked, session) = self._seconds(), self._last
        if not 0 <= now - asked < _SURE_SECONDS:
            session = self._register.present(self._name, self._clock(), self._idle)
            self._last = now, session
        return session


@lru_cache(maxsize=1_000)
def _of_connection(connection: str) -> str:
    return str(uuid.uuid5(_CONNECTIONS, connection))
