"""Deals with requests of a session that have the same id one after the other.

The SDK finds the stream of an answer by the session and the id, so of two requests that were under way at once, one would get the
other's answer and one would wait for ever. The protocol asks for an id of its own for each request; still, two programs that share
a session both count from 1, and a client may repeat a request whose connection broke off before the SDK has noticed.
Useful for: the SDK's application, where it keeps sessions. Not useful for: calls of the fast lane, which answers on the connection
that asked.
Invariant: only requests of one visitor, in one session, wait for each other; replies and notifications never do.
"""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from omoide.server.access.visitor import Visitor, visitor_of
from omoide.server.calls.sessions import SESSION_HEADER
from omoide.server.http.guards import BODY
from omoide.server.protocol import wire

#: Whose request, in which session, with which id. For the SDK, 5 and "5" are the same id.
Key = tuple[Visitor, str, str]


def take_turns_by_id(app: ASGIApp) -> ASGIApp:
    """The application, given one request of an id at a time."""
    turns = WeakValueDictionary[Key, asyncio.Lock]()  # each is kept by the requests that have or await it

    async def in_turn(scope: Scope, receive: Receive, send: Send) -> None:
        key = _key(scope)
        if key is None:
            await app(scope, receive, send)
            return
        async with turns.setdefault(key, asyncio.Lock()):
            await app(scope, receive, send)

    return in_turn


def _key(scope: Scope) -> Key | None:
    """None: what is no request of a session."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None
    headers = Headers(scope=scope)
    if headers.get("mcp-protocol-version") == wire.STATELESS:
        return None
    session = headers.get(SESSION_HEADER)
    message = None if session is None else wire.read(scope[BODY])
    if session is None or not isinstance(message, dict) or "method" not in message or message.get("id") is None:
        return None
    return visitor_of(scope), session, str(message["id"])
