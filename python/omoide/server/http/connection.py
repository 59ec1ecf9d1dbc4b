"""Connections: how long a client may take to send the head of a request and to take an answer. Also works around input that
uvicorn's parser stumbles over.

Useful for: uvicorn, as its protocol class. Not useful for: bodies (guards.py), too many connections (places.py). Invariant: a slow
client occupies a socket for a bounded time and never a worker; heads and trailers take a bounded amount of memory.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from http import HTTPStatus

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from omoide.server.http.places import GRACE_SECONDS, MOST_UNTAKEN_BYTES, Places, most_connections
from omoide.server.http.repeated_heads import CALL, Head, Heads, KnownHeads, RepeatedRequest

#: From the connection, or the first byte of a further request, to the end of its head.
HEAD_SECONDS = 20.0
HEAD_BYTES = 64 * 1024
#: Clients and proxies send about thirty. A header of five bytes takes twenty times its size in memory.
HEAD_LINES = 500
#: How long the rest of a body behind a known head is waited for. After that the parser takes over, and the guards limit slow
#: bodies.
REST_SECONDS = 1.0
#: Bytes parsed at a time. Clients may pipeline thousands of requests; those that wait for earlier answers stay unparsed.
PIECE_BYTES = 8 * 1024
#: The longest beginning of a line that names the header Upgrade.
UPGRADE_BYTES = len(b"\r\nupgrade")
#: A client that does not take its answer within this time is disconnected.
TAKE_SECONDS = 60.0
#: When a client has closed its sending side and has no answer yet, we probe whether it is still there: at this interval, this
#: many times.
PROBE_SECONDS = 1.0
PROBES = 2
#: How long an idle connection stays open when the server shuts down: a request may be on its way. Clients that are never idle
#: are told with an answer that it is the last.
LAST_SECONDS = 0.5


class HttpConnection(HttpToolsProtocol):
    """uvicorn's protocol, with limits of time and memory."""

    head_seconds = HEAD_SECONDS
    take_seconds = TAKE_SECONDS
    probe_seconds = PROBE_SECONDS
    last_seconds = LAST_SECONDS
    grace_seconds = GRACE_SECONDS
    most_untaken_bytes = MOST_UNTAKEN_BYTES
    most_connections = staticmethod(most_connections)
    _head_bytes: int | None = None
    _head_timeout: asyncio.TimerHandle | None = None
    _take_timeout: asyncio.TimerHandle | None = None
    _idle_until = 0.0
    _unanswered: Sequence[RequestResponseCycle | RepeatedRequest] = ()
    #: Why the last input was refused, if it was.
    _fault: str | None = None
    #: Whether the server shuts down: the next answer is the last.
    _is_last = False
    #: Whether the parser is between two requests.
    _is_between_requests = True
    #: The heads of earlier requests, of those that were not pipelined.
    _heads: Heads
    #: A request with one of those heads whose body has not all arrived: many clients send head and body separately.
    _partial = b""
    _partial_timeout: asyncio.TimerHandle | None = None
    #: Whether the parser is in a head, and how many bytes have come since the last of a head or body (trailers, say).
    _is_in_head = True
    _other_bytes = 0
    #: The last bytes that were parsed: where a head comes in parts, the name of a header may be split.
    _last_parsed = b""
    #: Received bytes that are parsed when the requests before them have been answered.
    _later = b""
    flow: _Flow
    #: Has the application answer a request with a known head; False if it does not.
    _at_once: Callable[[RepeatedRequest], bool]
    #: Called with the status of each request refused here.
    refused: Callable[[int], None]
    #: Those of this server.
    _places: Places

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect the first head of a new client, and make room for it."""
        super().connection_made(transport)
        self.flow = _Flow(transport)
        self._heads = Heads(vars(self.server_state).setdefault("known_heads", KnownHeads()))
        self._at_once = getattr(self.app, "at_once", _answers_nothing)
        self.refused = getattr(self.app, "refused", _ignore_status)
        limits = self.most_connections, self.grace_seconds, self.most_untaken_bytes
        self._places = vars(self.server_state).setdefault("places", Places(self.connections, self.loop, *limits))
        self._expect_head()
        self._places.come(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers of the connection and the calls that its client waited for."""
        self._places.leave(self)
        self._cancel_head_timeout()
        self._cancel_take_timeout()
        self._partial = b""
        if self._partial_timeout is not None:
            self._partial_timeout.cancel()
        self._later = b""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # uvicorn does not when the client hangs up
        for each in self._unanswered:  # uvicorn tells only the last of several requests
            each.disconnected = True
            each.message_event.set()
            if (call := each.call if isinstance(each, RepeatedRequest) else each.scope["state"].get(CALL)) is not None:
                call.drop()
        self._unanswered, self.cycle = (), None  # type: ignore[assignment]  # they refer to the connection

    def data_received(self, data: bytes) -> None:
        """Answer a request with a known head directly; leave everything else to the parser."""
        if self._fault is not None:
            return
        if self._later:
            self._later += data
            return
        partial, self._partial = self._partial, b""
        data = partial + data
        is_start = self._is_between_requests and self._is_idle()
        if is_start and (match := self._heads.match(data)) is not None:
            self._places.begin(self)
            self._cancel_head_timeout()
            head, body, missing = match
            if missing and not partial:
                self._wait_for_rest(data)
                return
            if not missing and self._answer_directly(RepeatedRequest(self, head, body)):
                return
        self._parse(data, is_start=is_start)

    def _parse(self, data: bytes, *, is_start: bool) -> None:
        """Parse the ordinary way. `is_start`: a request begins with `data`, and all before it have been answered."""
        if self._head_bytes is not None or self._is_idle():
            # What came before this head may have ended as a head does.
            data = _without_upgrade(data, self._last_parsed[-self._head_bytes :] if self._head_bytes else b"")
        self._later = self._read(data)
        if self._later:
            self.flow.hold()
        is_single = is_start and not self._is_in_head and len(self._unanswered) == 1
        if is_single and (head := Head.of(data, self.scope)) is not None:
            self._heads.keep(head)

    def _read(self, data: bytes) -> bytes:
        """Parse piece by piece until a request has to wait for an earlier answer; returns the rest. uvicorn would parse
        everything at once, and block the event loop meanwhile."""
        at = 0
        while at < len(data) and self._fault is None and not self.pipeline:
            self._read_piece(data[at : at + PIECE_BYTES])
            at += PIECE_BYTES
        return data[at:] if self._fault is None else b""

    def _read_piece(self, piece: bytes) -> None:
        self._other_bytes += len(piece)
        self._last_parsed = (self._last_parsed + piece[-UPGRADE_BYTES:])[-UPGRADE_BYTES:]
        super().data_received(piece)
        if self._other_bytes > HEAD_BYTES and not (self._is_between_requests or self._is_in_head or self._fault):
            self.send_400_response("The trailers of the request are too large.")
        if self._head_bytes is not None:
            self._head_bytes += len(piece)
            if self._head_bytes > HEAD_BYTES:
                self._cancel_head_timeout()
                self.send_400_response("The head of the request is too large.")
        elif self._head_timeout is None and self._is_idle():
            # Line ends between requests, or the rest of a body that was answered unread: at the first byte uvicorn cancels its
            # timeout for idle connections.
            self._start_head_timeout()

    def _wait_for_rest(self, data: bytes) -> None:
        """Wait for the rest of a body. The timer of an earlier request goes on and may end the wait sooner, which does no
        harm."""
        self._partial = data
        if self._partial_timeout is None:
            self._partial_timeout = self.loop.call_later(REST_SECONDS, self._on_partial_timeout)

    def _on_partial_timeout(self) -> None:
        self._partial_timeout = None
        self._parse_partial()

    def _parse_partial(self) -> None:
        partial, self._partial = self._partial, b""
        if partial:
            self._parse(partial, is_start=True)

    def _parse_later(self) -> None:
        """Handle the bytes that had to wait for earlier answers."""
        data, self._later = self._later, b""
        if data and not self.transport.is_closing():
            self.flow.release()
            self.data_received(data)
            self._note_idle()

    def _answer_directly(self, request: RepeatedRequest) -> bool:
        """Pass the request to the application, in the state that the parser would leave; returns whether it answers
        directly."""
        request.keep_alive = not self._is_last
        before, self.cycle = self.cycle, request  # type: ignore[assignment]
        self._unanswered = (request,)
        self.tasks.add(request)  # type: ignore[arg-type]
        if not self.flow.write_paused and self._at_once(request):
            return True
        self.tasks.discard(request)
        self.cycle, self._unanswered = before, ()
        return False

    def on_message_begin(self) -> None:
        """Begin the time limit of a head."""
        super().on_message_begin()
        self._is_between_requests, self._is_in_head = False, True
        self._expect_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header of the head, up to HEAD_LINES of them, without the blanks that the parser leaves at its end (RFC 9112, 5.1).
        Ignore trailers: uvicorn would add them to the head's headers, without a limit."""
        if not self._is_in_head:
            return
        if len(self.headers) >= HEAD_LINES:
            raise ValueError("more lines than any head has")  # the parser stops, and uvicorn refuses the request
        super().on_header(name, value.rstrip(b" \t"))

    def on_body(self, body: bytes) -> None:
        """Pass on a part of the body."""
        self._other_bytes = 0
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """End the time limit of the head, and begin to answer."""
        self._is_in_head, self._other_bytes = False, 0
        self._places.begin(self)
        self._cancel_head_timeout()
        super().on_headers_complete()
        if self.scope["http_version"] == "1.0":
            # uvicorn would send bodies of unknown length in chunks, which HTTP/1.0 does not know (RFC 9112, 6.1).
            self.cycle.chunked_encoding, self.cycle.expected_content_length = False, _UntilTheEnd()
        if self._is_last:
            self.cycle.keep_alive = False
        self._unanswered = [each for each in (*self._unanswered, self.cycle) if not each.response_complete]

    def on_message_complete(self) -> None:
        """Note that the parser is between two requests."""
        super().on_message_complete()
        self._is_between_requests = True

    def on_response_complete(self) -> None:
        """Go on with what has been received meanwhile, or wait for the next request."""
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
        else:
            self.server_state.total_requests += 1
            self.flow.resume_reading()
            self._start_idle_timeout()
            if self._is_last:
                self.loop.call_later(self.last_seconds, self._end)
        if self._fault is not None and not self.transport.is_closing():
            self.send_400_response(self._fault)
        if self._later and not self.pipeline:
            self.loop.call_soon(self._parse_later)
        self._note_idle()

    def _note_idle(self) -> None:
        if self._is_idle() and not (self._later or self.transport.is_closing()):
            self._places.rest(self)

    def _start_idle_timeout(self) -> None:
        """Set how long to wait for the next request. A timer that runs already is kept: making and cancelling one takes longer
        than all else that uvicorn does after an answer."""
        self._idle_until = self.loop.time() + self.timeout_keep_alive
        if self.timeout_keep_alive_task is None:
            self._schedule_idle_check(self.timeout_keep_alive)

    def _schedule_idle_check(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection if it has been idle for long enough; else wait for the time left."""
        self.timeout_keep_alive_task = None
        if self._is_idle():
            left = self._idle_until - self.loop.time()
            if left > 0:
                self._schedule_idle_check(left)
            else:
                super().timeout_keep_alive_handler()

    def shutdown(self) -> None:
        """Close a connection that is idle, or whose client has been told with the head of a stream that it stays open, after
        `last_seconds`. uvicorn would close it at once, or with the end of the stream, and lose a request on its way."""
        self._is_last = True
        self._parse_partial()
        if self._is_idle():
            self.loop.call_later(self.last_seconds, self._end)
        elif not self.cycle.response_started:
            super().shutdown()

    def _end(self) -> None:
        if self._is_idle():
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Read no more, and answer 400 once the complete requests before the invalid input are answered. uvicorn would answer
        400 at once, in place of those answers."""
        self._fault = msg
        self._cancel_head_timeout()
        if all(each.more_body or each.response_complete for each in self._unanswered):
            self.refused(HTTPStatus.BAD_REQUEST)
            super().send_400_response(msg)

    def _unsupported_upgrade_warning(self) -> None:
        """Refuse what comes behind an offer of another protocol, as the parser has dropped it: the offer came behind a request that
        is not answered yet, where `_parse` does not look for one."""
        message = (
            "What comes behind an offer of another protocol (Upgrade) was not read: offer it when all else is answered."
        )
        self.send_400_response(message)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Handle a client that sends no more; returns whether the connection stays open. `nc -N` and others close their sending
        side after a request and wait; other clients are gone. Only sending tells which, so an answer may still begin for a
        while, and a stream that ends with the answer, which sends signs of life, may go on for as long."""
        cycle = self.cycle
        if cycle is None or cycle.more_body or cycle.response_complete:
            return False
        if cycle.response_started and cycle.scope["method"] != "POST":  # the client only listens
            return False
        cycle.keep_alive = False
        self._cancel_take_timeout()
        if cycle.response_started:
            self._take_timeout = self.loop.call_later(self.take_seconds, self.transport.abort)
        else:
            self._take_timeout = self.loop.call_later(self.probe_seconds, self._probe_client, PROBES)
        return True

    def _probe_client(self, probes: int) -> None:
        """Send an interim response (RFC 9110, 15.2). A client that waits skips it; one that is gone resets the connection, and
        the next write fails."""
        has_begun = any(each.response_started and not each.response_complete for each in self._unanswered)
        # A known head is of HTTP/1.1; where the connection has had no other, nothing has been parsed.
        is_known = isinstance(self.cycle, RepeatedRequest)
        if (is_known or self.scope["http_version"] == "1.1") and not has_begun:
            self.transport.write(_CONTINUE)
        if probes > 1:
            self._take_timeout = self.loop.call_later(self.probe_seconds, self._probe_client, probes - 1)
        else:
            self._take_timeout = self.loop.call_later(self.take_seconds, self.transport.abort)

    def pause_writing(self) -> None:
        """Begin the time limit of a client that reads too slowly."""
        super().pause_writing()
        self._cancel_take_timeout()
        self._take_timeout = self.loop.call_later(self.take_seconds, self.transport.abort)
        self._places.take(self)

    def resume_writing(self) -> None:
        """End that limit: the client has read enough."""
        self._cancel_take_timeout()
        self._places.taken(self)
        super().resume_writing()

    def _is_idle(self) -> bool:
        return (self.cycle is None or self.cycle.response_complete) and not self._partial

    def _expect_head(self) -> None:
        self._cancel_head_timeout()
        self._head_bytes = 0
        self._start_head_timeout()

    def _start_head_timeout(self) -> None:
        self._head_timeout = self.loop.call_later(self.head_seconds, self._on_head_timeout)

    def _on_head_timeout(self) -> None:
        if self.flow.read_paused:  # we do not read, as earlier requests are being answered
            self._start_head_timeout()
        else:
            self.transport.abort()

    def _cancel_head_timeout(self) -> None:
        self._head_bytes = None
        if self._head_timeout is not None:
            self._head_timeout.cancel()
            self._head_timeout = None

    def _cancel_take_timeout(self) -> None:
        if self._take_timeout is not None:
            self._take_timeout.cancel()
            self._take_timeout = None


class _Flow(FlowControl):
    """The flow control of a connection, which reads nothing while received bytes wait to be parsed."""

    _is_held = False

    def hold(self) -> None:
        """Stop reading until `release`, even if uvicorn would resume."""
        self._is_held = True
        self.pause_reading()

    def release(self) -> None:
        """Resume reading."""
        self._is_held = False
        self.resume_reading()

    def resume_reading(self) -> None:
        """Resume reading, unless it is on hold."""
        if not self._is_held:
            super().resume_reading()


class _UntilTheEnd(int):
    """The length of a body that ends with the connection, which uvicorn compares with what it sends, and reduces by that."""

    def __lt__(self, sent: int) -> bool:
        return False

    def __sub__(self, sent: int) -> _UntilTheEnd:
        return self

    def __ne__(self, left: object) -> bool:
        return False

    __hash__ = int.__hash__


def _answers_nothing(request: RepeatedRequest) -> bool:
    return False


def _ignore_status(status: int) -> None:
    """For an application that does not count refusals."""


_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_UPGRADE = re.compile(rb"\r\nupgrade(?=:)", re.IGNORECASE)


def _without_upgrade(data: bytes, before: bytes) -> bytes:
    """Data that begins with a head, or goes on with one that had `before` at its end, its Upgrade header renamed: the parser would
    take the body for that of the protocol offered, and none is supported here. Java's client offers HTTP/2 with every first
    request."""
    if not before and b"pgrade" not in data and b"PGRADE" not in data:
        return data
    head, end, body = (before + data).partition(b"\r\n\r\n")
    # The name is made longer at its end: its beginning may have been parsed.
    return b"".join((_UPGRADE.sub(rb"\g<0>-ignored", head), end, body))[len(before) :]
