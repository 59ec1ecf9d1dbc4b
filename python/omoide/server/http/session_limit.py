"""Bounds the number of open sessions of the handshake era: when there are too many, one is closed for each that begins.

Many clients begin a session for each call and never end it; the SDK keeps it for half an hour, and refuses everybody when it has
too many. Here the tenant with the most sessions loses its least recently used one, whose client is answered 404 and is to begin
another, as the protocol says. For clients that do not, the answer tells their users what to do. Also, the id of a session is
removed from an answer that refuses to begin one: it is of a session already gone, which some clients (the AI SDK) would go on
using.
Useful for: the SDK's application, where it keeps sessions. Not useful for: what a session remembers; see sessions.py.
Invariant: a session with a request under way stays open, and no tenant loses one because another has too many.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus

from mcp_types import INVALID_REQUEST
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omoide import nesting
from omoide.server.access.visitor import VISITOR, Visitor, visitor_of
from omoide.server.calls.sessions import SESSION_HEADER
from omoide.server.http.guards import BODY
from omoide.server.http.replaced_response import replace_response
from omoide.server.protocol import wire

logger = logging.getLogger(__name__)

#: Each takes 40 KB; the SDK refuses more than 10,000.
MOST_SESSIONS = 5_000
#: A session keeps what its client says of itself when it begins, which takes up to twenty times as much as memory. One that says more
#: than this counts as several.
HANDSHAKE_BYTES = 2 * 1024
#: Nobody says so much of itself, even with icons.
MOST_HANDSHAKE_BYTES = 64 * 1024

_SESSION = SESSION_HEADER.encode()
_VERSION = b"mcp-protocol-version"
_WITH_SESSIONS = frozenset({None, *(each.encode() for each in wire.SESSION_VERSIONS)})
_JSON = (b"content-type", b"application/json")
_NOT_FOUND = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {
        "code": INVALID_REQUEST,
        "message": "Session not found: it has ended, or the server has been started again. Connect again (initialize without "
        "Mcp-Session-Id).",
    },
}
_TOO_LARGE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {
        "code": INVALID_REQUEST,
        "message": f"Invalid request: `initialize` has at most {MOST_HANDSHAKE_BYTES // 1024} KiB, and less in a session.",
    },
}


class _Session:
    """A session: the request that would end it, as how many it counts, and how many requests are under way in it."""

    __slots__ = ("end", "size", "under_way")

    def __init__(self, end: Scope, size: int) -> None:
        self.end = end
        self.size = size
        self.under_way = 0


class SessionLimit:
    """In front of the SDK's application, behind the guards. `on_eviction` is told whose session has made room for another. To be used
    in the event loop's thread only."""

    def __init__(
        self,
        app: ASGIApp,
        most: int = MOST_SESSIONS,
        on_eviction: Callable[[tuple[Visitor, bytes]], None] = lambda lease: None,
    ) -> None:
        self._app = app
        self._most = most
        self._on_eviction = on_eviction
        self._count = 0
        #: By tenant and id, the least recently used first.
        self._sessions: dict[str, OrderedDict[bytes, _Session]] = {}

    def __len__(self) -> int:
        """How many sessions are open, those that keep much counted as several."""
        return self._count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and note what becomes of its session."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visitor = visitor_of(scope)
        headers = dict(reversed(scope["headers"]))  # of several with one name, the SDK reads the first
        session = headers.get(_SESSION) if headers.get(_VERSION) in _WITH_SESSIONS else None
        if session is not None:
            send = replace_response(_not_found, scope, receive, send)
        if _says_too_much(scope, HANDSHAKE_BYTES if session else MOST_HANDSHAKE_BYTES):
            await JSONResponse(_TOO_LARGE, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)(scope, receive, send)
            return
        state = None if session is None else self._sessions.get(visitor.tenant, {}).get(session)
        if session is None or state is None:
            await self._app(scope, receive, self._watching(scope, visitor, send))
            await self._evict()
            return
        self._sessions[visitor.tenant].move_to_end(session)
        state.under_way += 1
        try:
            await self._app(scope, receive, self._following(scope, session, send))
        finally:
            state.under_way -= 1

    def _watching(self, scope: Scope, visitor: Visitor, send: Send) -> Send:
        """A `send` that notes a session that begins, and removes the id of one that is refused."""

        async def watch(message: Message) -> None:
            begun = dict(message["headers"]).get(_SESSION) if message["type"] == "http.response.start" else None
            if begun is None:
                await send(message)
            elif message["status"] == HTTPStatus.OK:
                self._add(visitor, begun, scope)
                await send(message)
            else:
                await send({**message, "headers": [each for each in message["headers"] if each[0] != _SESSION]})

        return watch

    def _following(self, scope: Scope, session: bytes, send: Send) -> Send:
        """A `send` that notes that the session ends, or has ended."""

        async def follow(message: Message) -> None:
            if message["type"] == "http.response.start" and (
                message["status"] == HTTPStatus.NOT_FOUND
                or (scope["method"] == "DELETE" and message["status"] == HTTPStatus.OK)
            ):
                self._remove(visitor_of(scope).tenant, session)
            await send(message)

        return follow

    def _add(self, visitor: Visitor, session: bytes, scope: Scope) -> None:
        sessions = self._sessions.setdefault(visitor.tenant, OrderedDict())
        sessions[session] = begun = _Session(_end(scope, session), 1 + len(scope.get(BODY, b"")) // HANDSHAKE_BYTES)
        self._count += begun.size

    def _remove(self, tenant: str, session: bytes) -> None:
        sessions = self._sessions.get(tenant, OrderedDict())
        if (ended := sessions.pop(session, None)) is not None:
            self._count -= ended.size
            if not sessions:
                del self._sessions[tenant]

    async def _evict(self) -> None:
        while self._count > self._most:
            tenant = max(self._sessions, key=lambda each: sum(state.size for state in self._sessions[each].values()))
            idle = next((each for each, state in self._sessions[tenant].items() if not state.under_way), None)
            if idle is None:
                return
            end = self._sessions[tenant][idle].end
            self._remove(tenant, idle)
            logger.info("a session makes room for another")
            await self._app(end, _nothing, _unheard)
            self._on_eviction((visitor_of(end), idle))


def _not_found(start: Message) -> Response | None:
    """Our explanation, in place of the SDK's, for a session that does not exist; a 404 of another path stays as it is."""
    is_ours = start["status"] == HTTPStatus.NOT_FOUND and _JSON in start["headers"]
    return JSONResponse(_NOT_FOUND, HTTPStatus.NOT_FOUND) if is_ours else None


def _says_too_much(scope: Scope, most_bytes: int) -> bool:
    """Whether a request is a handshake of more than so many bytes."""
    body = scope.get(BODY, b"")
    if len(body) <= most_bytes:
        return False
    try:
        message = nesting.loads(body)
    except ValueError:
        return False  # the SDK says what it is
    return isinstance(message, dict) and message.get("method") == "initialize"


def _end(scope: Scope, session: bytes) -> Scope:
    """The request that ends the session which this one began; of the same user, as the SDK accepts no other."""
    kept = {*"type asgi http_version scheme server client root_path path raw_path user".split(), VISITOR}
    made = {name: value for name, value in scope.items() if name in kept}
    host = [each for each in scope["headers"] if each[0] == b"host"]
    return {**made, "method": "DELETE", "query_string": b"", "headers": [*host, (_SESSION, session)]}


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(message: Message) -> None:
    """Drop the answer."""
