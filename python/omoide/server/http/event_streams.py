"""Streams on which a client of the session era listens (GET) or waits for an answer: the SDK's, with five corrections.

1. No events are kept, so a client that names the last one it has seen (Last-Event-ID) gets those from now on; the SDK would not
answer at all. 2. When the server ends, listening streams end, but answers are waited for; the SDK would end all at once. 3. A
stream that ends with the server, or because its client may no longer listen, ends as a complete answer, not as one that broke off.
4. A client that hangs up cancels nothing, also where the SDK keeps no sessions and would cancel the call. 5. No stream says that its
connection is kept: it is closed where the server ends or the client asks for that, and of two headers that contradict each other
some clients (Python's http.client) read the first.
Useful for: the SDK's application. Not useful for: answers of one piece, which pass untouched.
"""

from __future__ import annotations

import asyncio

import anyio
from sse_starlette.sse import AppStatus
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omoide.server.protocol import wire

#: What the SDK's streams say of the connection, which is not theirs.
_KEPT = (b"connection", b"keep-alive")
#: What a request carries whose client cancels it by hanging up.
_VERSION = (b"mcp-protocol-version", wire.STATELESS.encode())


def end_streams_in_good_order() -> None:
    """Have the SDK's streams ignore signals, in the whole process. `EventStreams.end` ends them instead."""
    AppStatus.enable_automatic_graceful_drain = False


class EventStreams:
    """The application with these corrections. `keeps_sessions`: whether the SDK does."""

    def __init__(self, app: ASGIApp, *, keeps_sessions: bool = True) -> None:
        self._app = app
        self._keeps_sessions = keeps_sessions
        self._ending = asyncio.Event()

    def end(self) -> None:
        """End the listening streams, as the server shuts down."""
        self._ending.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with these corrections."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        open_now = False

        async def note(message: Message) -> None:
            nonlocal open_now
            open_now = message["type"] == "http.response.start" or message.get("more_body", False)
            if message["type"] == "http.response.start":
                message = {**message, "headers": [each for each in message["headers"] if each != _KEPT]}
            await send(message)

        if scope["method"] == "GET":
            headers = [(name, value) for name, value in scope["headers"] if name != b"last-event-id"]
            scope, receive = {**scope, "headers": headers}, self._until_the_end(receive)
        elif not self._keeps_sessions and _VERSION not in scope["headers"]:
            receive = _to_the_end(receive)
        await self._app(scope, receive, note)
        if open_now:
            await send({"type": "http.response.body", "body": b""})

    def _until_the_end(self, receive: Receive) -> Receive:
        async def received() -> Message:
            message: Message = {"type": "http.disconnect"}
            async with anyio.create_task_group() as tasks:

                async def hear() -> None:
                    nonlocal message
                    message = await receive()
                    tasks.cancel_scope.cancel()

                tasks.start_soon(hear)
                await self._ending.wait()
                tasks.cancel_scope.cancel()
            return message

        return received


def _to_the_end(receive: Receive) -> Receive:
    """A `receive` that never reports a disconnect: the request is dealt with to its end."""

    async def received() -> Message:
        message = await receive()
        if message["type"] == "http.disconnect":
            await asyncio.Event().wait()
        return message

    return received
