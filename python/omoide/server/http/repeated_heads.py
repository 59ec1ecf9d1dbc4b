"""Requests that repeat the head of an earlier one: it is parsed once, and so is all that follows from it alone.

A client sends the same head with every call of a tool, except for the length of the body and ids of traces. Parsing it, making
a request of it, passing that through layer after layer and running a task for it takes longer than the protocol inside. A request
that has nothing to wait for but its call goes from the received bytes straight to the dispatcher, and its answer straight to the
connection.
Useful for: connections (connection.py), the guards and the fast lane, each of which has an `at_once`. Not useful for: what may
change between two requests with one head, such as whose a token is.
Invariant: every byte of the head is the same, but for the digits of Content-Length and headers that nobody here reads, and the
body has arrived whole, with nothing behind it; whatever is in doubt goes the ordinary way.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from omoide.server.access.languages import language_of_client
from omoide.server.access.refusal import ENDING

if TYPE_CHECKING:
    from omoide.server.calls.dispatcher import CallHandle
    from omoide.server.http.connection import HttpConnection

logger = logging.getLogger(__name__)

#: Bytes of all heads that a connection keeps: there may be thousands of connections.
MOST_BYTES = 8 * 1024
#: A client that calls several tools in turn has a head for each, and so has one with several sessions.
MOST_HEADS = 8
#: Heads that a server keeps for all its connections: a client with many sessions sends each request over any connection of its
#: pool, and so does a proxy.
MOST_KNOWN_HEADS = 1_000
#: The rest of a longer body is not waited for here.
MOST_BODY_BYTES = 64 * 1024

_LENGTH = b"content-length"
#: Headers that instrumented clients and proxies send with another value each time, for whoever follows a request through several
#: systems.
_TRACES = frozenset(
    b"traceparent tracestate baggage b3 x-b3-traceid x-b3-spanid x-b3-parentspanid x-b3-sampled x-request-id request-id "
    b"x-correlation-id correlation-id correlation-context x-trace-id sentry-trace uber-trace-id newrelic cf-ray x-amzn-trace-id "
    b"x-cloud-trace-context x-datadog-trace-id x-datadog-parent-id x-datadog-sampling-priority x-datadog-origin x-datadog-tags "
    b"elastic-apm-traceparent".split()
)
#: What the parser takes for a value, whatever comes before and after it.
_PLAIN = re.compile(rb"[\t -~]*")
#: More digits than the length of any body that arrives at once.
_DIGITS = 10
#: A head with one of these is not kept: the parser has to handle them each time.
_SPECIAL = frozenset((b"transfer-encoding", b"upgrade", b"expect"))
#: The key of the ASGI state for the call of a request that has a task; it is dropped if the client hangs up. See
#: dispatcher.CallHandle.
CALL = "omoide.call"
#: The default in HTTP/1.1, which many clients send all the same.
_KEPT = b"keep-alive"
_CLOSE = (b"connection", b"close")

T = TypeVar("T")


def lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Headers in the bytes that are sent."""
    return b"".join([b"%s: %s\r\n" % each for each in headers])


class Head:
    """A head that has been parsed, and what was derived from it."""

    __slots__ = ("_after", "_before", "_notes", "_of_all", "_scope")

    def __init__(self, before: bytes, after: bytes, scope: Scope) -> None:
        self._before = before
        self._after = after
        self._scope = scope
        self._notes: dict[Callable[[Scope], Any], Any] = {}
        self._of_all: tuple[object, bytes] = (None, b"")

    @classmethod
    def of(cls, data: bytes, scope: Mapping[str, Any]) -> Head | None:
        """The head of a request that begins with `data` and whose head uvicorn has parsed; None if requests that repeat it have
        to be parsed all the same."""
        parts = _Parts.of(data)
        names = [name for name, _ in scope["headers"]]
        if parts is None or names.count(_LENGTH) != 1 or not _SPECIAL.isdisjoint(names):
            return None
        if scope["method"] != "POST" or scope["http_version"] != "1.1":
            return None
        if any(name == b"connection" and value.strip().lower() != _KEPT for name, value in scope["headers"]):
            return None
        headers = [each for each in scope["headers"] if each[0] not in _TRACES]
        # The state of the request refers to its call.
        return cls(parts.before, parts.after, {**scope, "headers": headers, "state": {}})

    def match(self, data: bytes) -> tuple[bytes, int] | None:
        """If `data` begins with this head: the body behind it, and how many bytes of that are still to come. Else None."""
        if not data.startswith(self._before):
            return None
        begin, after = len(self._before), self._after
        end = data.find(b"\r", begin, begin + _DIGITS)
        length = data[begin:end]
        if end < 0 or not length.isdigit() or not data.startswith(after, end):
            return None
        body = data[end + len(after) :]
        missing = int(length) - len(body)
        if missing < 0 or (missing and int(length) > MOST_BODY_BYTES):
            return None
        return body, missing

    def __len__(self) -> int:
        """The bytes of the head without the digits of Content-Length."""
        return len(self._before) + len(self._after)

    @property
    def key(self) -> tuple[bytes, bytes]:
        """Heads with the same key match the same requests."""
        return self._before, self._after

    def derived(self, make: Callable[[Scope], T]) -> T:
        """What `make` returns for this head; called once, so it must not use Content-Length. Raises what `make` raises."""
        if make not in self._notes:
            self._notes[make] = make(self._scope)
        note: T = self._notes[make]
        return note

    def with_all(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        """The lines of the headers that every answer has; uvicorn makes a new list of them once a second."""
        if self._of_all[0] is not headers:
            self._of_all = headers, lines(headers)
        return self._of_all[1]


class _Parts(NamedTuple):
    """A head, without the lines of _TRACES: what stands before and behind the digits of Content-Length; and where the body
    begins in the received bytes."""

    before: bytes
    digits: bytes
    after: bytes
    end: int

    @classmethod
    def of(cls, data: bytes) -> _Parts | None:
        """The parts of the head that `data` begins with; None if it has not come whole, is too long or has no length."""
        end = data.find(b"\r\n\r\n", 0, MOST_BYTES)
        kept, at, digits = list[bytes](), 0, b""
        for line in data[: max(0, end)].split(b"\r\n"):
            name, colon, value = line.partition(b":")
            lower = name.lower()
            if lower.startswith((b" ", b"\t")):  # goes on with the line before
                return None
            # The first line is that of the request, whatever it looks like.
            if kept and colon and lower in _TRACES and _PLAIN.fullmatch(value):
                continue
            kept.append(line)
            if lower == _LENGTH:
                at, digits = len(kept), value.lstrip(b" ")
                kept[-1] = line.removesuffix(digits)
        if not digits.isdigit():
            return None
        return cls(b"\r\n".join(kept[:at]), digits, b"\r\n".join((b"", *kept[at:], b"", b"")), end + 4)


class KnownHeads:
    """The heads that the connections of a server have kept lately."""

    def __init__(self) -> None:
        #: By what stands before and behind the digits; the latest last.
        self._kept: dict[tuple[bytes, bytes], Head] = {}

    def match(self, data: bytes) -> tuple[Head, bytes, int] | None:
        """See Heads.match."""
        parts = _Parts.of(data)
        head = None if parts is None else self._kept.get((parts.before, parts.after))
        if parts is None or head is None:
            return None
        came = head.match(b"".join((parts.before, parts.digits, parts.after, data[parts.end :])))
        return None if came is None else (head, *came)

    def keep(self, head: Head) -> None:
        """Keep a head, and drop the oldest beyond the limit."""
        self._kept.pop(head.key, None)
        self._kept[head.key] = head
        if len(self._kept) > MOST_KNOWN_HEADS:
            del self._kept[next(iter(self._kept))]


class Heads:
    """The heads that one connection has kept, before those `known` to its server, in which they are kept, too."""

    __slots__ = ("_kept", "_known")

    def __init__(self, known: KnownHeads) -> None:
        self._known = known
        #: The latest first.
        self._kept: Sequence[Head] = ()

    def match(self, data: bytes) -> tuple[Head, bytes, int] | None:
        """The head that `data` begins with, the body behind it, and how many bytes of that are still to come; else None."""
        for head in self._kept:
            if (came := head.match(data)) is not None:
                return head, *came
        known = self._known.match(data)
        if known is not None:
            self._keep_here(known[0])
        return known

    def keep(self, head: Head) -> None:
        """Keep a head for later requests, and drop the oldest beyond the limits."""
        self._known.keep(head)
        self._keep_here(head)

    def _keep_here(self, head: Head) -> None:
        heads = (head, *(each for each in self._kept if each.key != head.key))[:MOST_HEADS]
        self._kept = [
            each for each, until in zip(heads, accumulate(map(len, heads)), strict=True) if until <= MOST_BYTES
        ]


class _Nobody:
    """An event for uvicorn to set when more of the request has come. Nobody waits: it has come whole."""

    def set(self) -> None:
        """Do nothing."""


class RepeatedRequest:
    """A request with a known head, until it is answered. For uvicorn it stands in for both the cycle and the task of a
    request."""

    __slots__ = ("_protocol", "body", "call", "disconnected", "head", "keep_alive", "response_complete")

    more_body = False
    message_event = _Nobody()

    def __init__(self, protocol: HttpConnection, head: Head, body: bytes) -> None:
        self._protocol = protocol
        self.head = head
        self.body = body
        #: The call to drop if the client hangs up.
        self.call: CallHandle | None = None
        self.keep_alive = True
        self.disconnected = False
        self.response_complete = False

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop in whose thread it has to be answered."""
        return self._protocol.loop

    @property
    def response_started(self) -> bool:
        """Whether it has been answered: an answer is one write."""
        return self.response_complete

    def answer(self, status: int, headers: bytes, body: bytes) -> None:
        """Send the answer, in one write; uvicorn writes head and body separately, and wakes the client for both. `headers` are
        `lines`. A second answer is not sent."""
        protocol = self._protocol
        protocol.tasks.discard(self)
        self.call = None  # it refers to this request
        if self.disconnected or self.response_complete:
            return
        self.response_complete = True
        self.body = b""
        of_all = self.head.with_all(protocol.server_state.default_headers)
        if not self.keep_alive:
            headers += b"connection: close\r\n"
        protocol.transport.write(b"".join((STATUS_LINE[status], of_all, headers, b"\r\n", body)))
        if not self.keep_alive:
            protocol.transport.close()
        protocol.on_response_complete()

    def fail(self) -> None:
        """Log the exception that is being handled, and answer 500, as uvicorn does."""
        logger.exception("a request could not be answered")
        self.keep_alive = False
        said = b"Internal Server Error"
        headers = (b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(said))
        self.answer(500, lines(headers), said)

    def cancel(self, msg: object = None) -> None:
        """Answer 503: the server ends and no longer waits for the request."""
        self.keep_alive = False
        self._protocol.refused(ENDING.status)
        ending = ENDING.response(self.head.derived(language_of_client))
        headers = lines(each for each in ending.raw_headers if each != _CLOSE)
        self.loop.call_soon(self.answer, ENDING.status, headers, bytes(ending.body))
