"""Connections: how long a client may take to send the head of a request and to take an answer, and how many connections there may
be. Also works around input that uvicorn's parser stumbles over.

Useful for: uvicorn, as its protocol class. Not useful for: bodies; see guards.py. Invariant: a slow client occupies a socket for a
bounded time and never a worker; heads and trailers take a bounded amount of memory.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import cache
from http import HTTPStatus

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from omoide.server import files
from omoide.server.http.again import CALL, Again, Head, Heads

#: From the connection, or the first byte of a further request, to the end of its head.
HEAD_SECONDS = 20.0
HEAD_BYTES = 64 * 1024
#: Clients and what is in front of them send some thirty. A line of five bytes takes twenty times as many to keep.
HEAD_LINES = 500
#: What comes of a body behind a known head is waited for so long at most before it goes the ordinary way, where slow bodies have
#: their limits.
REST_SECONDS = 1.0
#: So much is read at a time; thousands of requests may come in a row. What is left of them waits for the answers.
PIECE_BYTES = 8 * 1024
#: An answer that is not taken within so long is given up.
TAKE_SECONDS = 60.0
#: Whether a client is still there that sends no more, and has no answer yet, is looked for after so long, and so often.
LOOK_SECONDS = 1.0
LOOKS = 2
#: When the server ends, a connection that rests is kept for so long: its client may have asked again, on the way. One that asks all
#: the time is told with its answer that it was the last.
LAST_SECONDS = 0.5


@cache
def most_connections() -> int:
    """How many this process can hold."""
    return files.for_connections(files.allowed())


class Patient(HttpToolsProtocol):
    """uvicorn's protocol, with its patience bounded."""

    head_seconds = HEAD_SECONDS
    take_seconds = TAKE_SECONDS
    look_seconds = LOOK_SECONDS
    last_seconds = LAST_SECONDS
    most_connections = staticmethod(most_connections)
    _head_bytes: int | None = None
    _head_limit: asyncio.TimerHandle | None = None
    _take_limit: asyncio.TimerHandle | None = None
    _rests_until = 0.0
    _unanswered: Sequence[RequestResponseCycle | Again] = ()
    #: What is wrong with what came last, where that is.
    _fault: str | None = None
    #: Whether the server ends: what is asked now is the last.
    _is_last = False
    #: Whether the parser has come to the end of a request.
    _is_between = True
    #: Of requests that came alone.
    _heads: Heads
    #: A request with one of those, of whose body the rest is to come: many clients send the two one after the other.
    _begun = b""
    _begun_limit: asyncio.TimerHandle | None = None
    #: Whether it is in a head, and how many bytes of a request have come since the last that were of its head or body.
    _is_in_head = True
    _beside_bytes = 0
    #: What has come, and is read when the requests before it have their answers.
    _later = b""
    flow: _Flow
    #: How the application answers what comes with a known head, where it does; else False.
    _at_once: Callable[[Again], bool]
    #: Is told the status of what is refused here.
    refused: Callable[[int], None]
    #: Those of its server that have not asked for anything, or have had their answer, the one that has been silent for longest
    #: first.
    _silent: dict[Patient, None]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected: its first head is expected. Where there is no room, one that says nothing makes some."""
        super().connection_made(transport)
        self.flow = _Flow(transport)
        self._heads = Heads()
        self._at_once = getattr(self.app, "at_once", _never)
        self.refused = getattr(self.app, "refused", _uncounted)
        self._silent = vars(self.server_state).setdefault("silent", {})
        self._silent[self] = None
        self._expect_head()
        if len(self.connections) > self.most_connections():
            longest = next(iter(self._silent))
            del self._silent[longest]
            longest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._silent.pop(self, None)
        self._head_is_there()
        self._is_taken()
        self._begun = b""
        if self._begun_limit is not None:
            self._begun_limit.cancel()
        self._later = b""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # uvicorn leaves it, where the client has hung up
        for each in self._unanswered:  # of several requests in a row uvicorn tells the last alone
            each.disconnected = True
            each.message_event.set()
            if (call := each.call if isinstance(each, Again) else each.scope["state"].get(CALL)) is not None:
                call.drop()
        self._unanswered, self.cycle = (), None  # type: ignore[assignment]  # they hold on to the connection

    def data_received(self, data: bytes) -> None:
        """More of a head or a body, or what belongs to neither."""
        if self._fault is not None:
            return
        if self._later:
            self._later += data
            return
        begun, self._begun = self._begun, b""
        data = begun + data
        begins = self._is_between and self._is_idle()
        if begins and (came := self._heads.again(data)) is not None:
            self._silent.pop(self, None)
            self._head_is_there()
            head, body, missing = came
            if missing and not begun:
                self._wait_for_the_rest(data)
                return
            if not missing and self._answers(Again(self, head, body)):
                return
        self._parse(data, begins=begins)

    def _parse(self, data: bytes, *, begins: bool) -> None:
        """The ordinary way. `begins`: what came before had its answer."""
        if self._head_bytes is not None or self._is_idle():
            data = _without_offer(data)
        self._later = self._read(data)
        if self._later:
            self.flow.hold()
        is_one = begins and not (self._later or self._is_in_head) and len(self._unanswered) == 1
        if is_one and (head := Head.of(data, self.scope)) is not None:
            self._heads.keep(head)

    def _read(self, data: bytes) -> bytes:
        """Piece by piece, until requests wait for an answer before theirs; gives what is left. uvicorn would make all of them at
        once, and keep everybody else waiting."""
        at = 0
        while at < len(data) and self._fault is None and not self.pipeline:
            self._read_piece(data[at : at + PIECE_BYTES])
            at += PIECE_BYTES
        return data[at:] if self._fault is None else b""

    def _read_piece(self, piece: bytes) -> None:
        self._beside_bytes += len(piece)
        super().data_received(piece)
        if self._beside_bytes > HEAD_BYTES and not (self._is_between or self._is_in_head or self._fault):
            self.send_400_response("The trailers of the request are too large.")
        if self._head_bytes is not None:
            self._head_bytes += len(piece)
            if self._head_bytes > HEAD_BYTES:
                self._head_is_there()
                self.send_400_response("The head of the request is too large.")
        elif self._head_limit is None and self._is_idle():
            # Line ends between requests, or the rest of a body that was answered unread: uvicorn's patience with an idle
            # connection ends with the first byte.
            self._limit_head()

    def _wait_for_the_rest(self, data: bytes) -> None:
        """Of a body, for a while. A timer of a request before goes on, and may be sooner: then this one goes the ordinary way."""
        self._begun = data
        if self._begun_limit is None:
            self._begun_limit = self.loop.call_later(REST_SECONDS, self._no_rest)

    def _no_rest(self) -> None:
        self._begun_limit = None
        self._parse_begun()

    def _parse_begun(self) -> None:
        begun, self._begun = self._begun, b""
        if begun:
            self._parse(begun, begins=True)

    def _go_on(self) -> None:
        """With what had to wait, now that nothing before it does."""
        data, self._later = self._later, b""
        if data and not self.transport.is_closing():
            self.flow.go_on()
            self.data_received(data)
            self._note_silence()

    def _answers(self, request: Again) -> bool:
        """Whether the application answers it at once; what the parser would have done of it is done."""
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
        """The first byte of a head."""
        super().on_message_begin()
        self._is_between, self._is_in_head = False, True
        self._expect_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of the head, of which there are not too many. Of what comes behind a body in parts (trailers) nothing is heeded:
        uvicorn would take it for the head's, and keep it however much it is."""
        if not self._is_in_head:
            return
        if len(self.headers) >= HEAD_LINES:
            raise ValueError("more lines than any head has")  # the parser stops, and has it refused
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._beside_bytes = 0
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._is_in_head, self._beside_bytes = False, 0
        self._silent.pop(self, None)
        self._head_is_there()
        super().on_headers_complete()
        if self._is_last:
            self.cycle.keep_alive = False
        self._unanswered = [each for each in (*self._unanswered, self.cycle) if not each.response_complete]

    def on_message_complete(self) -> None:
        """And its body."""
        super().on_message_complete()
        self._is_between = True

    def on_response_complete(self) -> None:
        """The client has its answer, and may ask again."""
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
        else:
            self.server_state.total_requests += 1
            self.flow.resume_reading()
            self._rest()
        if self._fault is not None and not self.transport.is_closing():
            self.send_400_response(self._fault)
        if self._later and not self.pipeline:
            self.loop.call_soon(self._go_on)
        self._note_silence()

    def _note_silence(self) -> None:
        if self._is_idle() and not (self._later or self.transport.is_closing()):
            self._silent[self] = None

    def _rest(self) -> None:
        """Until more comes, or for so long. A timer of an answer before goes on: to make one and end it takes longer than all else
        that uvicorn does after an answer."""
        self._rests_until = self.loop.time() + self.timeout_keep_alive
        if self.timeout_keep_alive_task is None:
            self._look_whether_it_rests(self.timeout_keep_alive)

    def _look_whether_it_rests(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection, if it has been resting for so long."""
        self.timeout_keep_alive_task = None
        if self._is_idle():
            left = self._rests_until - self.loop.time()
            if left > 0:
                self._look_whether_it_rests(left)
            else:
                super().timeout_keep_alive_handler()

    def shutdown(self) -> None:
        """The server ends. uvicorn would close a connection that rests, and lose what its client has asked meanwhile."""
        self._is_last = True
        self._parse_begun()
        if self._is_idle():
            self.loop.call_later(self.last_seconds, self._end)
        else:
            super().shutdown()

    def _end(self) -> None:
        if self._is_idle():
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """What came last is no request: nothing more is read, and the client is told so when the whole requests before it have
        their answers. uvicorn would tell it at once, in place of those answers."""
        self._fault = msg
        self._head_is_there()
        if all(each.more_body or each.response_complete for each in self._unanswered):
            self.refused(HTTPStatus.BAD_REQUEST)
            super().send_400_response(msg)

    def eof_received(self) -> bool:  # type: ignore[override]
        """The client sends no more: `nc -N` and others say so after a request, and wait. Others have gone away; which it is
        only sending would tell, so an answer that has not begun yet may still, for a while. Whether the connection stays."""
        cycle = self.cycle
        if cycle is None or cycle.more_body or cycle.response_started:
            return False
        cycle.keep_alive = False
        self._is_taken()
        self._take_limit = self.loop.call_later(self.look_seconds, self._look_whether_it_is_there, LOOKS)
        return True

    def _look_whether_it_is_there(self, looks: int) -> None:
        """A client that sends no more and waits passes over an interim answer (RFC 9110, 15.2). One that is gone refuses it, which the
        next one meets."""
        has_begun = any(each.response_started and not each.response_complete for each in self._unanswered)
        if self.scope["http_version"] == "1.1" and not has_begun:
            self.transport.write(_CONTINUE)
        if looks > 1:
            self._take_limit = self.loop.call_later(self.look_seconds, self._look_whether_it_is_there, looks - 1)
        else:
            self._take_limit = self.loop.call_later(self.take_seconds, self.transport.abort)

    def pause_writing(self) -> None:
        """The client takes less than it is sent."""
        super().pause_writing()
        self._is_taken()
        self._take_limit = self.loop.call_later(self.take_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It has taken enough for more to be sent."""
        self._is_taken()
        super().resume_writing()

    def _is_idle(self) -> bool:
        return (self.cycle is None or self.cycle.response_complete) and not self._begun

    def _expect_head(self) -> None:
        self._head_is_there()
        self._head_bytes = 0
        self._limit_head()

    def _limit_head(self) -> None:
        self._head_limit = self.loop.call_later(self.head_seconds, self._no_head)

    def _no_head(self) -> None:
        if self.flow.read_paused:  # it is we who do not read: requests before this one are being answered
            self._limit_head()
        else:
            self.transport.abort()

    def _head_is_there(self) -> None:
        self._head_bytes = None
        if self._head_limit is not None:
            self._head_limit.cancel()
            self._head_limit = None

    def _is_taken(self) -> None:
        if self._take_limit is not None:
            self._take_limit.cancel()
            self._take_limit = None


class _Flow(FlowControl):
    """That of one connection, which is not read from while something that has come waits."""

    _is_held = False

    def hold(self) -> None:
        """Read no more, whoever would."""
        self._is_held = True
        self.pause_reading()

    def go_on(self) -> None:
        """Read again."""
        self._is_held = False
        self.resume_reading()

    def resume_reading(self) -> None:
        """Unless something waits."""
        if not self._is_held:
            super().resume_reading()


def _never(request: Again) -> bool:
    return False


def _uncounted(status: int) -> None:
    """Nobody counts."""


_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_OFFER = re.compile(rb"\r\nupgrade(?=:)", re.IGNORECASE)


def _without_offer(data: bytes) -> bytes:
    """What begins with a head, without an offer of another protocol: none is spoken here, but the parser takes the body that
    follows for that protocol's. Java's client offers HTTP/2 with every first request."""
    if b"pgrade" not in data and b"PGRADE" not in data:
        return data
    head, end, body = data.partition(b"\r\n\r\n")
    return b"".join((_OFFER.sub(b"\r\nignored", head), end, body))
