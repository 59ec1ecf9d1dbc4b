"""Replaces an answer that an application begins to send by one of ours.

Useful for: the SDK's application, which refuses some requests without an explanation. Not useful for: changing parts of an answer.
Invariant: nothing of the replaced answer is sent.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send


def replace_response(ours: Callable[[Message], Response | None], scope: Scope, receive: Receive, send: Send) -> Send:
    """A `send` that shows `ours` the start of an answer, and sends what that returns instead; None: the answer stays as it is."""
    is_replaced = False

    async def sent(message: Message) -> None:
        nonlocal is_replaced
        if is_replaced:
            return
        answer = ours(message) if message["type"] == "http.response.start" else None
        if answer is None:
            await send(message)
        else:
            is_replaced = True
            await answer(scope, receive, send)

    return sent
