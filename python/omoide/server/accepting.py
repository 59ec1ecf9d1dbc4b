"""Accept: what a client says it takes, as HTTP has it, and a word to those who are refused for it.

Lines of one name are one list (RFC 9110, 5.3); the SDK reads the first alone, and answers 406 with nothing.
Useful for: the SDK's application; what the fast lane answers has said enough. Not useful for: deciding what is taken.
"""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ACCEPT = b"accept"
_NOT_ACCEPTABLE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {
        "code": -32600,
        "message": "Not Acceptable: Client must accept both application/json and text/event-stream",
    },
}


def accepting(app: ASGIApp) -> ASGIApp:
    """The application, so mended."""

    async def mended(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await app(_with_one_list(scope), receive, _explaining(scope, receive, send))
        else:
            await app(scope, receive, send)

    return mended


def _with_one_list(scope: Scope) -> Scope:
    lines = [value for name, value in scope["headers"] if name == _ACCEPT]
    if len(lines) < 2:
        return scope
    others = [header for header in scope["headers"] if header[0] != _ACCEPT]
    return {**scope, "headers": [*others, (_ACCEPT, b", ".join(lines))]}


def _explaining(scope: Scope, receive: Receive, send: Send) -> Send:
    """A `send` that gives a refusal without a word one."""
    is_explained = False

    async def explain(message: Message) -> None:
        nonlocal is_explained
        if is_explained:
            return
        if message["type"] == "http.response.start" and _is_bare_refusal(message):
            is_explained = True
            await JSONResponse(_NOT_ACCEPTABLE, HTTPStatus.NOT_ACCEPTABLE)(scope, receive, send)
        else:
            await send(message)

    return explain


def _is_bare_refusal(message: Message) -> bool:
    return message["status"] == HTTPStatus.NOT_ACCEPTABLE and (b"content-length", b"0") in message["headers"]
