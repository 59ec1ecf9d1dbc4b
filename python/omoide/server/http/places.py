"""The places of a server: how many connections it holds, and which of them make room when there are more.

Useful for: connections, which tell what they are doing. Not useful for: how long one may do it; see connection.py.
Invariant: a newcomer finds a place, unless all others are asking at this moment; untaken answers take a bounded amount of memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from itertools import chain, islice
from typing import Any, Protocol

from omoide.server import file_limits

#: How long a newcomer is not closed for one who came later: while a flood is answered, it takes a while until its request is read.
GRACE_SECONDS = 1.0
#: Newcomers for whom there is no place until another connection falls silent, as a share of the places.
EXCESS_SHARE = 1 / 16
#: Connections among which one is looked for whose place a newcomer may have.
LOOKED_AT = 1_000
#: Bytes of answers that clients have not taken, of all connections together. Beyond that, the client that has been taking its
#: answer for longest is disconnected: anyone may ask for a large answer on each of thousands of connections.
MOST_UNTAKEN_BYTES = 256 * 1024 * 1024


@cache
def most_connections() -> int:
    """How many connections this process can hold."""
    return file_limits.for_connections(file_limits.allowed())


class Connected(Protocol):
    """A connection."""

    transport: asyncio.Transport


class Places:
    """The places of one server.

    `connections`: those that it has, which uvicorn keeps. `most`: how many there may be. `grace_seconds` and `most_untaken_bytes`: see
    GRACE_SECONDS and MOST_UNTAKEN_BYTES."""

    def __init__(
        self,
        connections: set[Any],
        loop: asyncio.AbstractEventLoop,
        most: Callable[[], int],
        grace_seconds: float,
        most_untaken_bytes: int,
    ) -> None:
        self._connections = connections
        self._loop = loop
        self._most = most
        self._grace_seconds = grace_seconds
        self._most_untaken_bytes = most_untaken_bytes
        #: The connections without a request under way, the one that has been silent for longest first; until when each is spared
        #: as a newcomer, in the loop's time.
        self._idle: dict[Connected, float] = {}
        #: The connections whose clients are taking their answers, and how many bytes were left when that began.
        self._taking: dict[Connected, int] = {}

    def come(self, newcomer: Connected) -> None:
        """Find a place for a connection that has just been made."""
        self._idle[newcomer] = self._loop.time() + self._grace_seconds
        if self._is_too_full():
            self._make_room()
            self._loop.call_later(self._grace_seconds, self._make_room)

    def leave(self, connection: Connected) -> None:
        """Forget a connection."""
        self._idle.pop(connection, None)
        self._taking.pop(connection, None)

    def begin(self, connection: Connected) -> None:
        """Keep the place of a connection, which has a request."""
        self._idle.pop(connection, None)

    def rest(self, connection: Connected) -> None:
        """Let a connection whose request is answered wait for another, in its place or for one who needs it."""
        self._idle[connection] = 0.0
        if self._is_too_full():
            self._make_room()

    def take(self, connection: Connected) -> None:
        """Bound what waits for clients that are taking their answers, as one begins to: abort those that have been at it for
        longest."""
        self._taking[connection] = connection.transport.get_write_buffer_size()
        while sum(self._taking.values()) > self._most_untaken_bytes:
            longest = next(iter(self._taking))
            del self._taking[longest]
            longest.transport.abort()

    def taken(self, connection: Connected) -> None:
        """Note that the client has taken enough of its answer."""
        self._taking.pop(connection, None)

    def _is_too_full(self) -> bool:
        return len(self._connections) > self._most()

    def _make_room(self) -> None:
        """If there are too many connections, abort the one that has been silent for longest. A newcomer is spared for a while, as
        long as there are few too many: in a flood all others may be asking at this moment. If they go on, abort one whose client
        does not take its answer."""
        most = self._most()
        excess = len(self._connections) - most
        if excess <= 0:
            return
        now = self._loop.time()
        longest = next((each for each, spared in islice(self._idle.items(), LOOKED_AT) if spared <= now), None)
        if longest is None and excess > max(1, EXCESS_SHARE * most):
            longest = next(chain(self._taking, self._idle), None)
        if longest is not None:
            self.leave(longest)
            self._connections.discard(longest)  # at once, not when it is lost: it makes room once
            longest.transport.abort()
