"""An answer of our own in the place of one that an application begins to send.

Useful for: what mends the SDK's application, which answers some requests without a word. Not useful for: changing an answer
in part. Invariant: of the answer that was begun nothing is sent.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send


def instead(ours: Callable[[Message], Response | None], scope: Scope, receive: Receive, send: Send) -> Send:
    """A `send` that shows `ours` how an answer begins, which says what to send in its place; None: it is sent as it is."""
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
