"""Accept the connections that wait while the event loop is busy. The loop itself accepts one in each of its rounds, which is too few
where a flood of requests makes rounds long: a newcomer would wait one round for each connection before it.

Useful for: the server, which calls `catch_up` ten times a second. Not useful for: accepting a connection as soon as it comes, which the
loop does. Invariant: what is accepted here is told of the end of the server as any other connection is.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from omoide.server.http.places import most_connections

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

#: Connections that may wait to be accepted.
BACKLOG = 2048
#: Connections that are accepted in a row: at most so many, and at most this share of those that the process can hold. Where there is
#: no room, each takes the place of another, which is closed a few rounds later: until then there are files for both.
MOST_IN_A_ROW = 64
SHARE_IN_A_ROW = 1 / 16


class Acceptor:
    """Accepts connections from a socket. Has the `close` of an asyncio server."""

    def __init__(self, listening: socket.socket, protocol: Callable[[], HttpToolsProtocol]) -> None:
        self._loop = asyncio.get_running_loop()
        self._listening = listening
        self._protocol = protocol
        self._connecting: set[asyncio.Task[None]] = set()
        self._closed = False
        self._most = max(1, int(min(MOST_IN_A_ROW, SHARE_IN_A_ROW * most_connections())))
        listening.setblocking(False)

    def close(self) -> None:
        """Accept no more connections."""
        self._closed = True

    async def wait_closed(self) -> None:
        """Nothing is left to wait for."""

    def catch_up(self) -> None:
        """Accept some of those that wait."""
        self._take_while(lambda: True)

    def accept_all(self) -> None:
        """Accept all that wait: the server is about to end."""
        for _ in range(BACKLOG):
            if not self._accept():
                return

    def _take_while(self, is_next: Callable[[], bool]) -> None:
        """Accept some of those that wait, as long as the next one is for this process."""
        for _ in range(self._most):
            if not (is_next() and self._accept()):
                return

    def _accept(self) -> bool:
        """Accept a connection; whether there was one."""
        try:
            connection, _ = self._listening.accept()
        except (BlockingIOError, ConnectionAbortedError):  # another process has accepted it, or its client is gone
            return False
        except OSError as error:  # too many files are open
            self._failed(error)
            return False
        task = self._loop.create_task(self._connect(connection))
        self._connecting.add(task)
        task.add_done_callback(self._connecting.discard)
        return True

    def _failed(self, error: OSError) -> None:
        """A connection could not be accepted. The loop, which tries it too, says so."""

    async def _connect(self, connection: socket.socket) -> None:
        try:
            _, protocol = await self._loop.connect_accepted_socket(self._protocol, connection)
        except OSError:
            connection.close()
            self._lost()
        else:
            if self._closed:  # `close` came first, so this connection has not been told that the server ends
                protocol.shutdown()

    def _lost(self) -> None:
        """An accepted connection could not be used."""
