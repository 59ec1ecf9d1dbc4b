"""The answer to an HTTP request that is not let in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

#: Most clients read the answer only after they have sent everything; if the connection closes before that, they never see it.
#: So the rest of a body is read and dropped, up to this size and time.
REST_BYTES = 64 * 1024 * 1024
REST_SECONDS = 5.0


class Refusal(Exception):
    """Raised to refuse a request. `code` is stable snake_case; `message` says what to do. `content`: JSON to answer in place of
    both."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        content: object = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self._answer = JSONResponse(content or {"error": code, "error_description": message}, status, headers)

    @property
    def raw_headers(self) -> Sequence[tuple[bytes, bytes]]:
        """The headers of the answer, as they are sent."""
        return self._answer.raw_headers

    @property
    def body(self) -> bytes:
        """The body of the answer."""
        return bytes(self._answer.body)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer; a body that has not been read stays unread."""
        await self._answer(scope, receive, send)


ENDING = Refusal(
    503,
    "ending",
    "The server is ending and waits for this no longer. Whether a write was carried out is not known: look before you repeat it.",
    {"Connection": "close"},
)


class TooLarge(Refusal):
    """Refuses a body that is too large: the answer is sent at once, and the connection closed when the rest has come, or too
    much of it."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer, then read and drop the rest of the body."""

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
