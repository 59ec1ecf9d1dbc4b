"""Accept and Content-Type, read as HTTP defines them; and an explanation for clients that are refused because of them.

Several lines of one header are one list (RFC 9110, 5.3), of which the SDK reads the first alone, and then answers 406 with an empty
body. Types are compared without case (8.3.1); for messages in a session, the SDK takes `Application/JSON` for another type.
Useful for: the SDK's application; the fast lane takes only headers in the usual form. Not useful for: deciding what is accepted.
"""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omoide.server.http.replaced_response import replace_response

_ACCEPT = b"accept"
_TYPE = b"content-type"
_NOT_ACCEPTABLE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {
        "code": -32600,
        "message": "Not Acceptable: Client must accept both application/json and text/event-stream",
    },
}


def negotiate_content(app: ASGIApp) -> ASGIApp:
    """The application with these corrections."""

    async def mended(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await app(
                _with_a_plain_type(_with_one_list(scope)), receive, replace_response(_explained, scope, receive, send)
            )
        else:
            await app(scope, receive, send)

    return mended


def _with_one_list(scope: Scope) -> Scope:
    lines = [value for name, value in scope["headers"] if name == _ACCEPT]
    if len(lines) < 2:
        return scope
    others = [header for header in scope["headers"] if header[0] != _ACCEPT]
    return {**scope, "headers": [*others, (_ACCEPT, b", ".join(lines))]}


def _with_a_plain_type(scope: Scope) -> Scope:
    if all(name != _TYPE or value.islower() for name, value in scope["headers"]):
        return scope
    headers = [(name, value.lower() if name == _TYPE else value) for name, value in scope["headers"]]
    return {**scope, "headers": headers}


def _explained(start: Message) -> Response | None:
    """An explanation for a 406 that has none."""
    is_bare = start["status"] == HTTPStatus.NOT_ACCEPTABLE and (b"content-length", b"0") in start["headers"]
    return JSONResponse(_NOT_ACCEPTABLE, HTTPStatus.NOT_ACCEPTABLE) if is_bare else None
