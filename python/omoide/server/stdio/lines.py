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
#: Whether it can be seen that something has come, without waiting for it.
CAN_BE_SEEN = hasattr(select, "poll")


class Lines:
    """`pipe` is read from its file, beside whatever it has buffered. For one thread."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe  # which would be closed, were it let go of
        self._whole: deque[bytes] = deque()
        self._begun: list[bytes] = []
        self.ended = False
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
        try:
            came = os.read(self.fileno(), READ_BYTES)
        except OSError:  # the pipe is gone
            came = b""
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

    def fileno(self) -> int:
        """What to look at, to know whether anything has come."""
        return self._pipe.fileno()


class Reader:
    """Whoever reads what is written to `pipe`."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._poll = None
        with suppress(OSError):  # kept in memory, it takes everything
            file = pipe.fileno()
            if CAN_BE_SEEN:
                self._poll = select.poll()
                self._poll.register(file, select.POLLOUT)

    def is_ready(self) -> bool:
        """Whether a line can be written without waiting, unless it is a long one."""
        return self._poll is None or bool(self._poll.poll(0))
