"""Quick calls that are answered by the thread which reads stdin, between two lines.

Useful for: stdio. Not useful for: an event loop, for which scheduling/inline.py does the same.
Invariant: a line is read as soon as it arrives, also while calls are under way.
"""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from omoide.server.scheduling.inline import Batch, Interleaver
from omoide.server.stdio.lines import Lines

if TYPE_CHECKING:
    from omoide.server.calls.dispatcher import InlineCall

#: Takes a call: given what answers it in turn with others, and what to call when this thread is done with it.
Take = Callable[[Interleaver, Callable[[], None]], "InlineCall"]


class InlineCalls:
    """Takes `lines` until `is_over` (those that have arrived by then are the last), but none while calls are under way or wait here and
    not `has_slot` for another. Calls that are resumed in a row are answered in a `batched` block. For the reading thread alone."""

    def __init__(
        self,
        lines: Lines,
        interleaver: Interleaver,
        has_slot: Callable[[], bool],
        is_over: Callable[[], bool],
        batched: Batch = nullcontext,
    ) -> None:
        self._lines = lines
        self._interleaver = interleaver
        self._has_slot = has_slot
        self._is_over = is_over
        self._batched = batched
        self._waiting: deque[InlineCall] = deque()
        self._under_way = 0
        self._calls, self._both = select.poll(), select.poll()
        self._calls_file = interleaver.fileno()
        self._both.register(lines.fileno(), select.POLLIN)
        if self._calls_file is not None:
            for poll in (self._calls, self._both):
                poll.register(self._calls_file, select.POLLIN)

    def add(self, take: Take) -> InlineCall:
        """Add a call, to be begun after those before it, when there is room; returns it."""
        call = take(self._interleaver, self._leave)
        self._waiting.append(call)
        return call

    def line(self) -> bytes:
        """The next line; b"" when there are no more."""
        while True:
            if self._is_over():
                self._lines.end()
            self._begin()
            takes_lines = not (self._under_way or self._waiting) or self._has_slot()
            if takes_lines and (line := self._lines.ready()) is not None:
                return line
            if takes_lines and self._lines.ended:
                return b""
            if self._under_way or self._waiting:
                self._poll(for_lines=takes_lines)
            else:
                self._lines.read()

    def end(self) -> None:
        """Bring all calls that have been added to their end."""
        while self._under_way or self._waiting:
            self._begin()
            if self._under_way:
                self._poll(for_lines=False)

    def _begin(self) -> None:
        if self._waiting and self._under_way < self._interleaver.most:
            self._under_way += 1
            self._waiting.popleft().begin()

    def _leave(self) -> None:
        self._under_way -= 1

    def _poll(self, *, for_lines: bool) -> None:
        """Deal with what has arrived; waits for something, unless there is another call to begin."""
        may_begin = bool(self._waiting) and self._under_way < self._interleaver.most
        if not may_begin:
            self._interleaver.search_now()
        poll = self._both if for_lines else self._calls
        ready = [file for file, _ in poll.poll(0 if may_begin else None)]
        if self._calls_file in ready:
            self._interleaver.resume(self._batched)
        if self._lines.fileno() in ready:
            self._lines.read()
