"""Requests with the head of the one before on their connection: it is read once, and so is whatever follows from it alone.

A client sends the same head with every call, but for the length of its body. To parse it, to make a request of it and to look
through it in layer after layer takes longer than all that the protocol in it needs.
Useful for: connections (patience.py), the guards and the fast lane. Not useful for: what may change between two requests of one
head, such as who the bearer of a token is.
Invariant: every byte of the head but the digits of Content-Length is the same, and its whole body came with it and nothing
else; whatever is in doubt goes the ordinary way.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from starlette.types import Message, Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

#: Where such a request is in its ASGI scope; who finds it there may send a message of the type ANSWER: status, headers and body.
AGAIN = "omoide.again"
ANSWER = "omoide.answer"

#: Longer heads are not kept: each connection has one.
MOST_BYTES = 8 * 1024

_LENGTH = re.compile(rb"\r\ncontent-length: ?(\d+)\r\n", re.IGNORECASE)
#: More digits than any body has that comes at once.
_DIGITS = 10
#: Of a head with one of these more is to be heeded than what is in it.
_SPECIAL = frozenset((b"transfer-encoding", b"connection", b"upgrade", b"expect"))

T = TypeVar("T")


class Head:
    """One that has been read, and what was made of it."""

    __slots__ = ("_after", "_at", "_before", "_scope", "notes")

    def __init__(self, before: bytes, after: bytes, scope: Scope, at: int) -> None:
        self._before = before
        self._after = after
        self._scope = scope
        self._at = at
        #: By whoever made them; see `noted`.
        self.notes: dict[Callable[[Scope], Any], Any] = {}

    @classmethod
    def of(cls, data: bytes, scope: Mapping[str, Any]) -> Head | None:
        """That of a request which uvicorn has read to its end; None: another that looks the same may not be the same."""
        end = data.find(b"\r\n\r\n") + 4
        names = [name for name, _ in scope["headers"]]
        length = _LENGTH.search(data, 0, end)
        if length is None or end > MOST_BYTES or names.count(b"content-length") != 1 or not _SPECIAL.isdisjoint(names):
            return None
        if scope["method"] != "POST" or scope["http_version"] != "1.1":
            return None
        kept = {**scope, "headers": scope["headers"].copy(), "state": scope["state"].copy()}
        return cls(data[: length.start(1)], data[length.end(1) : end], kept, names.index(b"content-length"))

    def again(self, data: bytes) -> tuple[Scope, bytes] | None:
        """The request that has come, and its body, if its head is this one."""
        if not data.startswith(self._before):
            return None
        begin = len(self._before)
        end = data.find(b"\r", begin, begin + _DIGITS)
        length = data[begin:end]
        if end < 0 or not length.isdigit() or not data.startswith(self._after, end):
            return None
        body = data[end + len(self._after) :]
        if len(body) != int(length):
            return None
        headers = self._scope["headers"].copy()
        headers[self._at] = (b"content-length", length)
        return {**self._scope, "headers": headers, "state": self._scope["state"].copy()}, body


class Again(RequestResponseCycle):
    """Such a request and its answer."""

    def __init__(self, protocol: HttpToolsProtocol, head: Head, scope: Scope, body: bytes) -> None:
        super().__init__(
            scope=scope,  # type: ignore[arg-type]
            transport=protocol.transport,
            flow=protocol.flow,
            logger=protocol.logger,
            access_logger=protocol.access_logger,
            access_log=protocol.access_log,
            default_headers=protocol.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=True,
            on_response=protocol.on_response_complete,
        )
        self.notes = head.notes
        self.body = bytearray(body)
        self.more_body = False
        self.message_event.set()
        scope[AGAIN] = self

    def taken(self) -> bytes:
        """Its body, instead of receiving it."""
        body, self.body = bytes(self.body), bytearray()
        self.message_event.clear()
        return body

    async def send(self, message: Message) -> None:  # type: ignore[override]
        """As uvicorn does, which would write the head of an answer and its body one after the other, and have the client woken
        for both."""
        if message["type"] != ANSWER:
            await super().send(message)  # type: ignore[arg-type]
            return
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if not self.disconnected:
            self._answer(message["status"], message["headers"], message["body"])

    def _answer(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        told = [STATUS_LINE[status]]
        for name, value in (*self.default_headers, *headers):
            told += (name, b": ", value, b"\r\n")
        if not self.keep_alive:
            told.append(b"connection: close\r\n")
        self.response_started = self.response_complete = True
        self.transport.write(b"".join((*told, b"\r\n", body)))
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()


def noted(scope: Scope, make: Callable[[Scope], T]) -> T:
    """What `make` makes of the head of a request, apart from its length: of the same head once."""
    again = scope.get(AGAIN)
    if again is None:
        return make(scope)
    notes = again.notes
    if make not in notes:
        notes[make] = make(scope)
    note: T = notes[make]
    return note
