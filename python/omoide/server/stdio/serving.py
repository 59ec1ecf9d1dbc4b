"""Serve one client on stdin and stdout. Only protocol goes to stdout; the end of stdin ends the process.

    with stdio.Conversation(version, *pipes()) as conversation:   # a handshake is answered from here on
        ...                                                       # open the store
        conversation.serve(dispatcher)                            # until stdin ends, or `end` is called

Ordinary requests are answered here (fastlane.py); the SDK is loaded when something else is asked (bridge.py).
Useful for: answering the handshake at once. Not useful for: many clients.
Invariant: requests that had arrived when stdin ended, or `end` was called, are answered before `serve` returns, for up to
DRAIN_SECONDS after that or after the last answer that the client has taken. stdin is read by a daemon thread, which may wait
there without holding up the end of the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO

from omoide.server.access.visitor import LOCAL
from omoide.server.calls.toolcall import ToolCall
from omoide.server.protocol import wire
from omoide.server.stdio.fastlane import HANDSHAKE, StdioFastLane
from omoide.server.stdio.lines import CAN_POLL, Lines, Reader
from omoide.server.stdio.pending import PendingRequests

if TYPE_CHECKING:  # these take longer to import than a handshake may
    from omoide.families.tool import Result
    from omoide.server.calls.dispatcher import Dispatcher
    from omoide.server.stdio.bridge import Bridge
    from omoide.server.stdio.inline import InlineCalls

DRAIN_SECONDS = 10.0
#: How often the main thread looks whether to end: a signal that the system delivers to another thread does not wake it.
POLL_SECONDS = 0.2
#: How often it looks, at the end, whether all that had arrived has been read.
DRAIN_POLL_SECONDS = 0.05
#: Calls that are under way or wait, at most; further lines are not read.
MOST_CALLS = 80
#: Bytes of answers that are written at once: as much as a pipe holds.
WRITE_BYTES = 1 << 16


class Conversation:
    """One client's two pipes. `version`: the server's. Without `fast_lane`, the SDK answers everything."""

    _dispatcher: Dispatcher  #: set by `serve`, before `_store_open`

    def __init__(
        self,
        version: str,
        stdin: BinaryIO,
        stdout: BinaryIO,
        *,
        fast_lane: bool = True,
        drain_seconds: float = DRAIN_SECONDS,
    ) -> None:
        self._version = version
        self._drain_seconds = drain_seconds
        self._lines = Lines(stdin)
        self._stdout = stdout
        self._reader = Reader(stdout)
        self._writing = threading.RLock()
        self._writing_since: float | None = None
        self._batch: list[wire.Id] | None = None
        self._lane = StdioFastLane(version) if fast_lane else None
        self._dealt_with: list[bytes] = []
        self._first_waiting_message: Any = None
        self._bridge: Bridge | None = None
        self._pending = PendingRequests()
        self._slots = threading.BoundedSemaphore(MOST_CALLS)
        self._inline: InlineCalls | None = None
        self._store_open = threading.Event()
        self._has_ended = False
        # Not an Event: a signal may come while the main thread holds its lock, which `end` would then wait for.
        self._endings: SimpleQueue[None] = SimpleQueue()
        self._all_read = threading.Event()

    def __enter__(self) -> Conversation:
        threading.Thread(target=self._read, name="omoide-stdin", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def serve(self, dispatcher: Dispatcher) -> None:
        """Take calls until stdin ends or `end` is called; what has arrived by then is answered first."""
        self._dispatcher = dispatcher
        self._store_open.set()
        last = self._wait_for_end() + self._drain_seconds
        while not self._all_read.wait(DRAIN_POLL_SECONDS) and not self._lines.is_waiting() and monotonic() < last:
            pass
        if self._bridge is not None:
            self._bridge.end_questions()
        self._pending.wait_until_empty(max(0, last - monotonic()))
        if self._bridge is not None:
            self._bridge.close()

    def _wait_for_end(self) -> float:
        """Wait until the conversation ends; returns when that was. While the client takes no answers, its lines are not read, so
        that it has hung up must be found out here."""
        last_seen = monotonic()
        while not self._has_ended:
            with suppress(Empty):
                self._endings.get(timeout=POLL_SECONDS)
            since = self._writing_since
            if since is None or not self._lines.hung_up():
                last_seen = monotonic()
            elif monotonic() > max(since, last_seen) + self._drain_seconds:
                return last_seen
        return monotonic()

    def first_waiting(self) -> str:
        """The first message that waits for the store, as text, so that its language can be prepared for; "" where none does yet."""
        return "" if self._first_waiting_message is None else str(self._first_waiting_message)

    def end(self) -> None:
        """Answer what has arrived, and read no further. From any thread, or a signal."""
        self._has_ended = True
        self._endings.put(None)

    # --- in the reader's thread

    def _read(self) -> None:
        try:
            while line := self._line():
                if line.strip():
                    self._take(line.removeprefix(BOM_UTF8))  # .NET and PowerShell begin with one
        finally:
            self._all_read.set()
            self.end()
            if self._inline is not None:
                self._inline.end()

    def _line(self) -> bytes:
        if self._inline is not None:
            return self._inline.line()
        if self._has_ended:
            self._lines.end()
        return self._lines.line()

    def _take(self, line: bytes) -> None:
        message = wire.read(line)
        request = None if self._lane is None else self._ordinary(self._lane, message)
        if self._lane is not None and request is not None and request.method in HANDSHAKE:
            self._write_line(self._lane.handshake(request))
            return
        if request is None and self._handles_notification(message, line):
            return
        if self._first_waiting_message is None:
            self._first_waiting_message = message
        self._store_open.wait()
        if request is None or not self._answers_itself(request):
            self._forward(line, message)

    def _ordinary(self, lane: StdioFastLane, message: Any) -> wire.Request | None:
        is_first = lane.era is None
        request = lane.request(message)
        if is_first and request is not None:
            self._replay(lane.opening(request))
        return request

    def _answers_itself(self, request: wire.Request) -> bool:
        """Answer an ordinary request; False if it is for the SDK after all."""
        assert self._lane is not None
        if request.method == "tools/list":
            self._write_line(self._lane.listed(request, self._dispatcher.tools))
            return True
        if not self._dispatcher.asks_nobody(request.params["name"]) or self._pending.holds(request.id):
            return False
        self._call(self._lane, request)
        return True

    def _call(self, lane: StdioFastLane, request: wire.Request) -> None:
        self._slots.acquire()
        name, arguments = request.params["name"], request.params.get("arguments", {})
        call = ToolCall(LOCAL, name, arguments, client=lane.client(request), arrived=self._lines.arrived)
        reply = partial(self._answer, lane, request)
        inline = self._inline_calls() if self._dispatcher.is_quick(call) and self._reader.is_ready() else None
        if inline is None:
            self._pending.add(request.id)
            self._pending.started(request.id, self._dispatcher.begin(call, reply))
        else:
            self._pending.add(request.id, inline.add(partial(self._dispatcher.take_inline, call, reply)))

    def _inline_calls(self) -> InlineCalls | None:
        """What lets this thread answer calls itself; None where workers do better."""
        if self._inline is None and CAN_POLL and (interleaver := self._dispatcher.interleaver()) is not None:
            from omoide.server.stdio.inline import InlineCalls  # imported late: the first call is answered without it

            self._inline = InlineCalls(self._lines, interleaver, self._has_slot, lambda: self._has_ended, self._batched)
        return self._inline

    def _has_slot(self) -> bool:
        """Whether a call that is read now could begin at once. Stays true until this thread takes the room: no other does."""
        if not self._slots.acquire(blocking=False):
            return False
        self._slots.release()
        return True

    def _handles_notification(self, message: Any, line: bytes) -> bool:
        """Deal with a notification for which the SDK need not be loaded; False if the message is none."""
        if self._bridge is not None or self._lane is None or self._lane.era is None:
            return False
        if not wire.is_notification(message):
            return False
        if message["method"] == "notifications/initialized":
            self._replay(line)
            return True
        if message["method"] == wire.CANCELLED:
            if (id := wire.cancels(message.get("params"))) is not None:
                self._pending.cancel(id)
            return True
        return False

    def _replay(self, line: bytes) -> None:
        """Tell the SDK, now or when it is loaded, of a line that has been dealt with."""
        if self._bridge is None:
            self._dealt_with.append(line)
        else:
            self._bridge.replay(line)

    def _forward(self, line: bytes, message: Any) -> None:
        if self._bridge is None:
            from omoide.server.protocol import server as protocol
            from omoide.server.protocol.elicitation import Elicitations
            from omoide.server.stdio.bridge import Bridge

            elicitations = Elicitations()
            server = protocol.build(self._dispatcher, version=self._version, elicitations=elicitations)
            self._bridge = Bridge(server, elicitations, self._pending, self._write_line)
            for each in self._dealt_with:
                self._bridge.replay(each)
        if self._lane is not None and self._lane.era is None and _may_be_request(message):
            self._lane = None  # a conversation that does not begin in the ordinary way is left to the SDK
        self._bridge.forward(line)

    # --- in the thread that answers

    def _answer(self, lane: StdioFastLane, request: wire.Request, result: Result) -> None:
        self._slots.release()
        if self._pending.holds(request.id):
            line = lane.called(request, result)
            with self._writing:
                self._write_line(line)
                if self._batch is None:
                    self._pending.settle(request.id)
                else:
                    self._batch.append(request.id)

    @contextmanager
    def _batched(self) -> Iterator[None]:
        """Answers that this thread gives in the block are written together, if they fit: the client is then woken only once."""
        with self._writing:
            batch: list[wire.Id] = []
            self._batch = batch
            try:
                yield
            finally:
                self._batch = None
                self._write_line(b"")
                for each in batch:
                    self._pending.settle(each)

    def _write_line(self, line: bytes) -> None:
        try:
            with self._writing:
                self._writing_since = monotonic()
                self._stdout.write(line)
                if self._batch is None:
                    self._stdout.flush()
                self._writing_since = None
        except (OSError, ValueError):
            self.end()  # nobody reads any more


def _may_be_request(message: Any) -> bool:
    """Whether a message may decide the era of the conversation: not one that cannot be read, nor a notification."""
    return isinstance(message, dict) and "id" in message


def pipes() -> tuple[BinaryIO, BinaryIO]:
    """stdin and stdout, for the client alone: whatever else the process prints goes to stderr from now on."""
    sys.stdout.flush()
    if sys.platform != "win32":
        # A parent may have left them non-blocking; reading would then fail while nothing has arrived.
        for file in (0, 1):
            os.set_blocking(file, True)
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=WRITE_BYTES)
    os.dup2(2, 1)
    return stdin, stdout


def end_by_signals(conversation: Conversation) -> None:
    """SIGTERM and SIGINT end the conversation in good order from now on. For the main thread."""
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: conversation.end())
