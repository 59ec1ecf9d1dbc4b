"""Lines of a pipe as they arrive, for a thread that does something else meanwhile; and whether a pipe can be written to.

Useful for: stdin and stdout. Not useful for: ordinary files.
Invariant: each line is given with its line end; what follows the last line end is given when the pipe has ended.
"""

from __future__ import annotations

import os
import select
from collections import deque
from contextlib import suppress
from time import perf_counter
from typing import BinaryIO

READ_BYTES = 1 << 16
#: So many reads take all that a pipe can hold.
MOST_READS = 16
#: Whether the system can tell, without waiting, that something has arrived.
CAN_POLL = hasattr(select, "poll")


class Lines:
    """Reads the file of `pipe` directly, past the buffer of the object. For one thread."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe  # kept: the file is closed when the object is collected
        self._complete: deque[bytes] = deque()
        self._partial: list[bytes] = []
        self.ended = False
        self._is_reading = False
        # Two threads may not poll one object at the same time: the reading thread has one, the others the other.
        self._poll, self._others_poll = _poll_for(pipe, "POLLIN"), _poll_for(pipe, "POLLIN")
        # The end of a pipe shows whatever is polled for; that of one side of a socket pair, only as this event.
        self._end_poll = _poll_for(pipe, "POLLRDHUP")
        #: When all that has been read had arrived, in seconds of `perf_counter`.
        self.arrived = 0.0

    def line(self) -> bytes:
        """The next line; waits for it. b"" when there are no more."""
        while not self._complete and not self.ended:
            self.read()
        return self._complete.popleft() if self._complete else b""

    def ready(self) -> bytes | None:
        """The next line that has been read; None where none has."""
        return self._complete.popleft() if self._complete else None

    def read(self) -> None:
        """Read what has arrived; waits until something has."""
        self._is_reading = True
        try:
            received = os.read(self.fileno(), READ_BYTES)
        except OSError:  # the pipe is gone
            received = b""
        self._is_reading = False
        self.arrived = perf_counter()
        self.ended = not received
        *complete, partial = received.split(b"\n")
        for each in complete:
            self._complete.append(b"".join((*self._partial, each, b"\n")))
            self._partial = []
        if partial:
            self._partial.append(partial)
        if self.ended and self._partial:
            self._complete.append(b"".join(self._partial))
            self._partial = []

    def end(self) -> None:
        """Read all that has arrived by now, and nothing that arrives later."""
        for _ in range(MOST_READS):
            if self.ended or not _is_ready(self._poll):
                break
            self.read()
        self.ended = True

    def is_waiting(self) -> bool:
        """For other threads: whether the reading thread waits for something to arrive. Polls too, as a thread that has just been
        given something may not have noted it yet."""
        return self._is_reading and not _is_ready(self._others_poll)

    def hung_up(self) -> bool:
        """For other threads: whether the other side has closed the pipe, where the system can tell."""
        return _is_ready(self._end_poll)

    def fileno(self) -> int:
        """The file to poll for arrivals."""
        return self._pipe.fileno()


class Reader:
    """The other side of a pipe that is written to."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._poll = _poll_for(pipe, "POLLOUT")  # None for one in memory, which takes everything

    def is_ready(self) -> bool:
        """Whether a line that is not too long can be written without waiting."""
        return self._poll is None or bool(self._poll.poll(0))


def _is_ready(poll: select.poll | None) -> bool:
    return poll is not None and bool(poll.poll(0))


def _poll_for(pipe: BinaryIO, event: str) -> select.poll | None:
    """A poll for the event; None where the system has none, or the pipe is in memory."""
    if not CAN_POLL:
        return None
    with suppress(OSError):
        poll = select.poll()
        poll.register(pipe.fileno(), getattr(select, event, 0))
        return poll
    return None
