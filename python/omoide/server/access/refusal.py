"""An HTTP request that is not let in, and what it is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

#: Most clients look for an answer when they have sent all: one who is hung up on before never sees it. So much more is
#: taken, and thrown away, for so long.
REST_BYTES = 64 * 1024 * 1024
REST_SECONDS = 5.0


class Refusal(Exception):
    """`code` is stable snake_case; `message` says what to do."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self._answer = JSONResponse({"error": code, "error_description": message}, status, headers)

    @property
    def raw_headers(self) -> Sequence[tuple[bytes, bytes]]:
        """Of the answer, as they are sent."""
        return self._answer.raw_headers

    @property
    def body(self) -> bytes:
        """Of the answer."""
        return bytes(self._answer.body)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; a body that has not been read stays unread."""
        await self._answer(scope, receive, send)


ENDING = Refusal(
    503,
    "ending",
    "The server is ending and waits for this no longer. Whether a write was carried out is not known: look before you repeat it.",
    {"Connection": "close"},
)


class TooLarge(Refusal):
    """Of a body that is not kept: the answer is sent at once, and the connection closed when the rest has come, or too much
    of it."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, then let the body run out."""

        async def send_and_wait(message: Message) -> None:
            if message["type"] != "http.response.body":
                await send(message)
                return
            await send({**message, "more_body": True})
            with anyio.move_on_after(REST_SECONDS):
                await _run_out(receive)
            await send({"type": "http.response.body", "body": b""})

        await super().answer(scope, receive, send_and_wait)


async def _run_out(receive: Receive) -> None:
    size = 0
    while size <= REST_BYTES and (message := await receive())["type"] == "http.request" and message.get("more_body"):
        size += len(message["body"])
