"""Several processes accept from one socket: whose is the next connection? The process's that has fewest.

One that has more leaves a newcomer to the others for a moment. It takes him after all when none of them comes: they may be
busy, or gone.

Useful for: `--workers`; by itself the system would give one process nearly all. Not useful for: one process.
Invariant: a newcomer is taken by one of them, at once or after PATIENCE_SECONDS.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from omoide.server.board import counts

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

logger = logging.getLogger(__name__)

#: So often it is looked whether another has come for a newcomer; and for how long he is left to others.
LOOK_SECONDS = 0.002
PATIENCE_SECONDS = 0.02
#: After a newcomer could not be taken.
REST_SECONDS = 1.0

#: What stands for a process that takes nobody.
_ABSENT = 2**32 - 1


class Tally:
    """How many connections each of so many processes has: seen by all that are forked from the one that makes it."""

    def __init__(self, processes: int) -> None:
        self._counts = counts(processes)
        for number in range(processes):
            self._counts[number] = _ABSENT

    def of(self, number: int) -> Share:
        """What the process of that number writes, it alone."""
        return Share(self._counts, number)


class Share:
    """One process's part of a tally."""

    def __init__(self, counts: memoryview, number: int) -> None:
        self._counts = counts
        self._number = number

    def open(self) -> None:
        """It takes connections from now on, and has none."""
        self._counts[self._number] = 0

    def close(self) -> None:
        """It takes no more."""
        self._counts[self._number] = _ABSENT

    def change(self, by: int) -> None:
        """It has so many more."""
        if self.is_open:
            self._counts[self._number] += by

    @property
    def is_open(self) -> bool:
        """Whether it takes any."""
        return self._counts[self._number] != _ABSENT

    @property
    def is_least(self) -> bool:
        """Whether no other has fewer, give or take a quarter: where there are many, waiting costs more than it evens out."""
        least = min(self._counts)
        return self._counts[self._number] <= least + least // 4


class Counted(set[Any]):
    """The connections that a process has; `share` is told when one goes."""

    def __init__(self, share: Share) -> None:
        super().__init__()
        self._share = share

    def discard(self, connection: Any) -> None:
        """It is gone."""
        if connection in self:
            self._share.change(-1)
        super().discard(connection)


class Door:
    """Takes connections from a socket, in turn with other processes; closed as a server of asyncio is."""

    def __init__(self, listening: socket.socket, share: Share, protocol: Callable[[], HttpToolsProtocol]) -> None:
        self._loop = asyncio.get_running_loop()
        self._listening = listening
        self._share = share
        self._protocol = protocol
        self._coming: set[asyncio.Task[None]] = set()
        self._closed = False
        self._look: asyncio.TimerHandle | None = None
        listening.setblocking(False)
        share.open()
        self._watch()

    def close(self) -> None:
        """Take nobody more in."""
        self._closed = True
        self._share.close()
        self._unwatch()
        if self._look is not None:
            self._look.cancel()

    async def wait_closed(self) -> None:
        """Nothing is left to be done."""

    def _watch(self) -> None:
        self._loop.add_reader(self._listening, self._newcomer)

    def _unwatch(self) -> None:
        self._loop.remove_reader(self._listening)

    def _newcomer(self) -> None:
        if self._share.is_least:
            self._take()
        else:
            self._unwatch()
            self._leave(self._loop.time() + PATIENCE_SECONDS)

    def _leave(self, until: float) -> None:
        """To the others, as long as they have fewer."""
        self._look = self._loop.call_later(LOOK_SECONDS, self._again, until)

    def _again(self, until: float) -> None:
        if self._share.is_least:
            self._watch()
        elif self._loop.time() < until:
            self._leave(until)
        else:
            self._watch()
            self._take()

    def _take(self) -> None:
        try:
            connection, _ = self._listening.accept()
        except (BlockingIOError, ConnectionAbortedError):  # another has taken him, or he has gone away
            return
        except OSError as error:  # too many files are open
            logger.warning("a connection could not be accepted: %s", error)
            self._unwatch()
            self._look = self._loop.call_later(REST_SECONDS, self._watch)
            return
        self._share.change(1)
        task = self._loop.create_task(self._let_in(connection))
        self._coming.add(task)
        task.add_done_callback(self._coming.discard)

    async def _let_in(self, connection: socket.socket) -> None:
        try:
            _, protocol = await self._loop.connect_accepted_socket(self._protocol, connection)
        except OSError:
            connection.close()
            self._share.change(-1)
        else:
            if self._closed:  # those who were in by then have been told
                protocol.shutdown()
