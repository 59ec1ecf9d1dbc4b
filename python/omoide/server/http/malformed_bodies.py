"""Answers POSTed bodies that are no messages, and requests with an id of a wrong type, in the words of malformed.py.

The SDK would answer the first with its validator's report and, in the stateless era, process bodies that are nested too deeply. It
would accept the second as notifications and do nothing, so that a client of the session era would think them done.
Useful for: the SDK's application, behind the guards, which give it a whole body. Not useful for: proper messages, which pass
untouched.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus

import mcp_types as types
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omoide.nesting import is_too_deep
from omoide.server.http.replaced_response import replace_response
from omoide.server.http.replay import replayed
from omoide.server.protocol import malformed


def explain_malformed_bodies(app: ASGIApp) -> ASGIApp:
    """The application with these corrections."""

    async def corrected(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await app(scope, receive, send)
            return
        received = await receive()
        body = received.get("body", b"")
        if is_too_deep(body):
            refusal = Response(malformed.answer(body), HTTPStatus.BAD_REQUEST, media_type="application/json")
            await refusal(scope, receive, send)
            return
        await app(scope, replayed(received, receive), replace_response(partial(_explained, body), scope, receive, send))

    return corrected


def _explained(body: bytes, start: Message) -> Response | None:
    """Our answer, if the SDK's is due to what is wrong with the body."""
    content = _misfit(body, start["status"])
    return None if content is None else Response(content, HTTPStatus.BAD_REQUEST, _kept_headers(start))


def _misfit(body: bytes, status: int) -> bytes | None:
    if status not in (HTTPStatus.ACCEPTED, HTTPStatus.BAD_REQUEST):
        return None
    try:
        message = types.jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValueError:
        return malformed.answer(body) if status == HTTPStatus.BAD_REQUEST else None
    return next(iter(malformed.invalid_id(body)), None) if isinstance(message, types.JSONRPCNotification) else None


def _kept_headers(message: Message) -> Mapping[str, str]:
    """The headers of an answer that stay valid with a JSON body of ours."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
    return {name: value for name, value in headers.items() if name != "content-length"} | {
        "content-type": "application/json"
    }
