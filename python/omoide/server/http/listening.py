"""Streams on which a client of the session era listens (GET) or waits for an answer, as the SDK serves them, with two things set
right.

No events are kept, so a client that names the last one it has seen (Last-Event-ID) gets what comes from now on; the SDK
would answer nothing at all. And a stream that ends with the server, or because its client is not let in any more, ends as a whole
answer, not as one that broke off.
Useful for: the SDK's application. Not useful for: answers of one piece, which pass untouched.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send


def listening(app: ASGIApp) -> ASGIApp:
    """The application, so mended."""

    async def mended(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await _listen(app, scope, receive, send)
        else:
            await app(scope, receive, send)

    return mended


async def _listen(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    open_now = False

    async def note(message: Message) -> None:
        nonlocal open_now
        open_now = message["type"] == "http.response.start" or message.get("more_body", False)
        await send(message)

    headers = [(name, value) for name, value in scope["headers"] if name != b"last-event-id"]
    await app({**scope, "headers": headers}, receive, note)
    if open_now:
        await send({"type": "http.response.body", "body": b""})
