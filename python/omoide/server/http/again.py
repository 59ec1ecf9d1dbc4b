"""Requests that repeat the head of an earlier one on their connection: it is parsed once, and so is all that follows from it alone.

A client sends the same head with every call of a tool, except for the length of the body. Parsing it, making a request of it,
passing that through layer after layer and running a task for it takes longer than the protocol inside. A request that has nothing
to wait for but its call goes from the received bytes straight to the desk, and its answer straight to the connection.
Useful for: connections (patience.py), the guards and the fast lane, each of which has an `at_once`. Not useful for: what may change
between two requests with one head, such as whose a token is.
Invariant: every byte of the head but the digits of Content-Length is the same, and the body has arrived whole, with nothing behind
it; whatever is in doubt goes the ordinary way.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from omoide.server.access.refusal import ENDING

if TYPE_CHECKING:
    from omoide.server.calls.desk import Begun
    from omoide.server.http.patience import Patient

logger = logging.getLogger(__name__)

#: Of all heads that a connection keeps: there may be thousands of connections.
MOST_BYTES = 8 * 1024
#: A client that calls several tools in turn has a head for each, and so has one with several sessions.
MOST_HEADS = 8
#: The rest of a longer body is not waited for here.
MOST_BODY_BYTES = 64 * 1024

_LENGTH = re.compile(rb"\r\ncontent-length: ?(\d+)\r\n", re.IGNORECASE)
#: More digits than any body has that comes at once.
_DIGITS = 10
#: Of a head with one of these more is to be heeded than what is in it.
_SPECIAL = frozenset((b"transfer-encoding", b"upgrade", b"expect"))
#: Where the call of a request that has a task is left in its ASGI state, to be dropped if the client hangs up; see desk.Begun.
CALL = "omoide.call"
#: What connections do unless they say otherwise; many clients say it all the same.
_KEPT = b"keep-alive"
_CLOSE = (b"connection", b"close")

T = TypeVar("T")


def lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Headers as they are sent."""
    return b"".join([b"%s: %s\r\n" % each for each in headers])


class Head:
    """One that has been read, and what was made of it."""

    __slots__ = ("_after", "_before", "_notes", "_of_all", "_scope")

    def __init__(self, before: bytes, after: bytes, scope: Scope) -> None:
        self._before = before
        self._after = after
        self._scope = scope
        self._notes: dict[Callable[[Scope], Any], Any] = {}
        self._of_all: tuple[object, bytes] = (None, b"")

    @classmethod
    def of(cls, data: bytes, scope: Mapping[str, Any]) -> Head | None:
        """That of a request of which `data` is the beginning, and which uvicorn has read to the end of its head at least; None:
        another that looks the same may not be the same."""
        end = data.find(b"\r\n\r\n") + 4
        names = [name for name, _ in scope["headers"]]
        length = _LENGTH.search(data, 0, end)
        if length is None or end > MOST_BYTES or names.count(b"content-length") != 1 or not _SPECIAL.isdisjoint(names):
            return None
        if scope["method"] != "POST" or scope["http_version"] != "1.1":
            return None
        if any(name == b"connection" and value.strip().lower() != _KEPT for name, value in scope["headers"]):
            return None
        kept = {**scope, "headers": scope["headers"].copy()}
        return cls(data[: length.start(1)], data[length.end(1) : end], kept)

    def again(self, data: bytes) -> tuple[bytes, int] | None:
        """The body of the request that has come, if its head is this one, and how many bytes of it have not come yet."""
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
        """Its bytes, but for the digits."""
        return len(self._before) + len(self._after)

    def is_as(self, other: Head) -> bool:
        """Whether what has the one has the other."""
        return self._before == other._before and self._after == other._after

    def noted(self, make: Callable[[Scope], T]) -> T:
        """What `make` makes of it, apart from its length: once. Raises what that does."""
        if make not in self._notes:
            self._notes[make] = make(self._scope)
        note: T = self._notes[make]
        return note

    def with_all(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        """The lines of headers that every answer has: uvicorn makes them anew once a second."""
        if self._of_all[0] is not headers:
            self._of_all = headers, lines(headers)
        return self._of_all[1]


class Heads:
    """Those that one connection has had last."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        #: The last first.
        self._kept: Sequence[Head] = ()

    def again(self, data: bytes) -> tuple[Head, bytes, int] | None:
        """The one of the request that has come, its body, and how many bytes of it have not come yet; see Head."""
        for head in self._kept:
            if (came := head.again(data)) is not None:
                return head, *came
        return None

    def keep(self, head: Head) -> None:
        """For requests to come; those of long ago are let go of."""
        heads = (head, *(each for each in self._kept if not each.is_as(head)))[:MOST_HEADS]
        self._kept = [
            each for each, until in zip(heads, accumulate(map(len, heads)), strict=True) if until <= MOST_BYTES
        ]


class _Nobody:
    """Waits for what uvicorn tells of a request: it is there as a whole."""

    def set(self) -> None:
        """Nobody hears it."""


class Again:
    """Such a request until it has its answer. To uvicorn and to a server that ends, it is what others have a cycle and a task
    for."""

    __slots__ = ("_protocol", "body", "call", "disconnected", "head", "keep_alive", "response_complete")

    more_body = False
    message_event = _Nobody()

    def __init__(self, protocol: Patient, head: Head, body: bytes) -> None:
        self._protocol = protocol
        self.head = head
        self.body = body
        #: What is to be dropped if the client hangs up.
        self.call: Begun | None = None
        self.keep_alive = True
        self.disconnected = False
        self.response_complete = False

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """In whose thread it is to be answered."""
        return self._protocol.loop

    @property
    def response_started(self) -> bool:
        """An answer is one write."""
        return self.response_complete

    def answer(self, status: int, headers: bytes, body: bytes) -> None:
        """As uvicorn does, which would write the head of an answer and its body one after the other, and have the client woken
        for both. `headers` are `lines`. What comes second is not sent."""
        protocol = self._protocol
        protocol.tasks.discard(self)
        self.call = None  # it holds on to this
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
        """For whoever handles an exception: as uvicorn does."""
        logger.exception("a request could not be answered")
        self.keep_alive = False
        said = b"Internal Server Error"
        headers = (b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(said))
        self.answer(500, lines(headers), said)

    def cancel(self, msg: object = None) -> None:
        """The server ends, and waits for it no longer."""
        self.keep_alive = False
        self._protocol.refused(ENDING.status)
        headers = lines(each for each in ENDING.raw_headers if each != _CLOSE)
        self.loop.call_soon(self.answer, ENDING.status, headers, ENDING.body)
