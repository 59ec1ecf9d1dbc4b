"""Lines of a pipe, as they come, for a thread that has something else to do meanwhile; and whether another pipe takes any.

Useful for: stdin and stdout. Not useful for: lines that nobody waits for.
Invariant: what comes is given line by line, each with its end; what comes after the last end, when the pipe has ended.
"""

from __future__ import annotations

import os
import select
from collections import deque
from contextlib import suppress
from time import perf_counter
from typing import BinaryIO

READ_BYTES = 1 << 16
#: Of these as many as a pipe can hold.
MOST_READS = 16
#: Whether it can be seen that something has come, without waiting for it.
CAN_BE_SEEN = hasattr(select, "poll")


class Lines:
    """`pipe` is read from its file, beside whatever it has buffered. For one thread."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe  # which would be closed, were it let go of
        self._whole: deque[bytes] = deque()
        self._begun: list[bytes] = []
        self.ended = False
        self._is_asking = False
        # No two threads may ask one at the same moment: each of these is one thread's.
        self._poll, self._others_poll = _polled(pipe, "POLLIN"), _polled(pipe, "POLLIN")
        # The end of a pipe is seen by whoever looks for anything, that of one side of a pair of sockets by this name.
        self._end_poll = _polled(pipe, "POLLRDHUP")
        #: By when all that has been read had come, in seconds of `perf_counter`.
        self.came = 0.0

    def line(self) -> bytes:
        """The next; waits for it. b"" when there are no more."""
        while not self._whole and not self.ended:
            self.read()
        return self._whole.popleft() if self._whole else b""

    def ready(self) -> bytes | None:
        """The next line that has been read; None: none has."""
        return self._whole.popleft() if self._whole else None

    def read(self) -> None:
        """What has come; waits where nothing has."""
        self._is_asking = True
        try:
            came = os.read(self.fileno(), READ_BYTES)
        except OSError:  # the pipe is gone
            came = b""
        self._is_asking = False
        self.came = perf_counter()
        self.ended = not came
        *whole, begun = came.split(b"\n")
        for each in whole:
            self._whole.append(b"".join((*self._begun, each, b"\n")))
            self._begun = []
        if begun:
            self._begun.append(begun)
        if self.ended and self._begun:
            self._whole.append(b"".join(self._begun))
            self._begun = []

    def end(self) -> None:
        """Of what has come by now, give all; of what comes later, nothing."""
        for _ in range(MOST_READS):
            if self.ended or not _sees(self._poll):
                break
            self.read()
        self.ended = True

    def is_waiting(self) -> bool:
        """For another thread: whether the one that reads waits for something to come. One that has just got it may not have said
        so."""
        return self._is_asking and not _sees(self._others_poll)

    def hung_up(self) -> bool:
        """For another thread: whether nothing more will come than what has, where that can be seen."""
        return _sees(self._end_poll)

    def fileno(self) -> int:
        """What to look at, to know whether anything has come."""
        return self._pipe.fileno()


class Reader:
    """Whoever reads what is written to `pipe`."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._poll = _polled(pipe, "POLLOUT")  # kept in memory, it takes everything

    def is_ready(self) -> bool:
        """Whether a line can be written without waiting, unless it is a long one."""
        return self._poll is None or bool(self._poll.poll(0))


def _sees(poll: select.poll | None) -> bool:
    return poll is not None and bool(poll.poll(0))


def _polled(pipe: BinaryIO, event: str) -> select.poll | None:
    """What sees the event; None where it cannot be seen, or the pipe is kept in memory."""
    if not CAN_BE_SEEN:
        return None
    with suppress(OSError):
        poll = select.poll()
        poll.register(pipe.fileno(), getattr(select, event, 0))
        return poll
    return None
