"""Several processes accept from one socket: which takes the next connection? The one that has fewest.

A process that has more leaves a new connection to the others for a moment, and takes it after all if none of them does: they
may be busy, or gone.

Useful for: `--workers`; left to the system, one process would get nearly all. Not useful for: one process.
Invariant: every new connection is accepted by one of them, at once or after PATIENCE_SECONDS.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from omoide.server.http.accepting import Acceptor
from omoide.server.shared_table import shared_counts

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

logger = logging.getLogger(__name__)

#: How often a process looks whether another has accepted a connection, and how long it leaves one to them.
LOOK_SECONDS = 0.002
PATIENCE_SECONDS = 0.02
#: How long no connection is accepted after one could not be.
REST_SECONDS = 1.0

#: In place of the count of a process that accepts no connections.
_ABSENT = 2**32 - 1


class ConnectionCounts:
    """How many connections each of `processes` has; shared by all processes that are forked later."""

    def __init__(self, processes: int) -> None:
        self._counts = shared_counts(processes)
        for number in range(processes):
            self._counts[number] = _ABSENT

    def of(self, number: int) -> Share:
        """The part that the process with that number writes, and no other."""
        return Share(self._counts, number)


class Share:
    """One process's part of the connection counts."""

    def __init__(self, counts: memoryview, number: int) -> None:
        self._counts = counts
        self._number = number

    def open(self) -> None:
        """Begin to accept connections, with none yet."""
        self._counts[self._number] = 0

    def close(self) -> None:
        """Accept no more."""
        self._counts[self._number] = _ABSENT

    def change(self, by: int) -> None:
        """Add to the number of connections."""
        if self.is_open:
            self._counts[self._number] += by

    @property
    def is_open(self) -> bool:
        """Whether the process accepts connections."""
        return self._counts[self._number] != _ABSENT

    @property
    def is_least(self) -> bool:
        """Whether no other has fewer, give or take a quarter: among many connections, waiting costs more than it evens out."""
        least = min(self._counts)
        return self._counts[self._number] <= least + least // 4


class CountedConnections(set[Any]):
    """The connections that a process has; `share` counts those that go."""

    def __init__(self, share: Share) -> None:
        super().__init__()
        self._share = share

    def discard(self, connection: Any) -> None:
        """Remove a connection that has ended."""
        if connection in self:
            self._share.change(-1)
        super().discard(connection)


class SharedAcceptor(Acceptor):
    """Accepts connections from a socket that other processes accept from too."""

    def __init__(self, listening: socket.socket, share: Share, protocol: Callable[[], HttpToolsProtocol]) -> None:
        super().__init__(listening, protocol)
        self._share = share
        self._timer: asyncio.TimerHandle | None = None
        self._watches = False
        share.open()
        self._watch()

    def close(self) -> None:
        """Accept no more connections."""
        super().close()
        self._share.close()
        self._unwatch()
        if self._timer is not None:
            self._timer.cancel()

    def catch_up(self) -> None:
        """Accept some of those that wait, as long as no other process has fewer."""
        self._take_while(lambda: self._watches and self._share.is_least)

    def _watch(self) -> None:
        self._watches = True
        self._loop.add_reader(self._listening, self._on_connection)

    def _unwatch(self) -> None:
        self._watches = False
        self._loop.remove_reader(self._listening)

    def _on_connection(self) -> None:
        if self._share.is_least:
            self._accept()
        else:
            self._unwatch()
            self._defer(self._loop.time() + PATIENCE_SECONDS)

    def _defer(self, deadline: float) -> None:
        """Leave the new connection to the others, as long as they have fewer."""
        self._timer = self._loop.call_later(LOOK_SECONDS, self._retry, deadline)

    def _retry(self, deadline: float) -> None:
        if self._share.is_least:
            self._watch()
        elif self._loop.time() < deadline:
            self._defer(deadline)
        else:
            self._watch()
            super().catch_up()

    def _accept(self) -> bool:
        accepted = super()._accept()
        if accepted:
            self._share.change(1)
        return accepted

    def _failed(self, error: OSError) -> None:
        logger.warning("a connection could not be accepted: %s", error)
        self._unwatch()
        self._timer = self._loop.call_later(REST_SECONDS, self._watch)

    def _lost(self) -> None:
        self._share.change(-1)
