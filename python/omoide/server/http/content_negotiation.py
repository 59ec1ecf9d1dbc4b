"""Accept and Content-Type, read as HTTP defines them; and an explanation for clients that are refused because of them.

Several lines of one header are one list (RFC 9110, 5.3), of which the SDK reads the first alone, and then answers 406 with an empty
body. Types are compared without case (8.3.1); for messages in a session, the SDK takes `Application/JSON` for another type. What
it says of another type is no error of JSON-RPC, and does not name the right one.
Useful for: the SDK's application; the fast lane takes only headers in the usual form. Not useful for: deciding what is accepted.
"""

from __future__ import annotations

from http import HTTPStatus

from mcp_types import INVALID_REQUEST
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omoide.server.http.replaced_response import replace_response

_ACCEPT = b"accept"
_TYPE = b"content-type"
_NOT_ACCEPTABLE = "Not Acceptable: Client must accept both application/json and text/event-stream"
_OTHER_TYPE = "Invalid Content-Type: send the message as application/json"


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
    """An explanation for a 406 that has none, and for the 400 without a type, which is due to that of the message."""
    status, headers = start["status"], start["headers"]
    if status == HTTPStatus.NOT_ACCEPTABLE and (b"content-length", b"0") in headers:
        return _refusal(status, _NOT_ACCEPTABLE)
    if status == HTTPStatus.BAD_REQUEST and all(name != _TYPE for name, _ in headers):
        return _refusal(status, _OTHER_TYPE)
    return None


def _refusal(status: int, message: str) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": INVALID_REQUEST, "message": message}}, status)
