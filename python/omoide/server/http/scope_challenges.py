"""Calls of tools that need another scope than a token has are refused with 403, naming it: the client can ask its user for it (RFC
6750, 3.1), and repeat the call.

Useful for: tokens of an authorization server. Not useful for: other tokens, whose bearers cannot get a better one on the spot. Their
calls are answered by the dispatcher, `not_allowed`, which a model can read. Invariant: nobody is let in here; the dispatcher checks
the rights of every call.
"""

from __future__ import annotations

from typing import Any

from mcp_types import INVALID_REQUEST
from starlette.types import ASGIApp, Receive, Scope, Send

from omoide.server.access.tokens import insufficient_scope
from omoide.server.access.visitor import WRITING, Visitor, visitor_of
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.toolcall import ToolCall
from omoide.server.http.guards import BODY
from omoide.server.protocol import wire


def challenge_for_scope(app: ASGIApp, dispatcher: Dispatcher) -> ASGIApp:
    """The application, behind these refusals."""

    async def challenged(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            visitor = visitor_of(scope)
            if visitor.metadata_url is not None and not visitor.may_write:
                _check(dispatcher, visitor, wire.read(scope[BODY]))
        await app(scope, receive, send)

    return challenged


def _check(dispatcher: Dispatcher, visitor: Visitor, message: Any) -> None:
    """Raises Refusal if the message is a call that needs another scope."""
    params = message.get("params") if isinstance(message, dict) and message.get("method") == "tools/call" else None
    if not isinstance(params, dict) or not isinstance(name := params.get("name"), str) or not dispatcher.knows(name):
        return
    if (denied := dispatcher.denied(visitor, name)) is None:
        return
    arguments = params.get("arguments")
    told = dispatcher.refused(ToolCall(visitor, name, arguments if isinstance(arguments, dict) else {}), denied)
    error = {"code": INVALID_REQUEST, "message": "\n".join(filter(None, (told.text, told.note)))}
    answer = {"jsonrpc": "2.0", "id": message.get("id"), "error": error}
    raise insufficient_scope(visitor, WRITING, str(denied), answer)
