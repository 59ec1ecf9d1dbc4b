"""The answer to an HTTP request that is not let in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import anyio
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from omoide.server.access.languages import language_of_client
from omoide.traditional import told_in

#: Most clients read the answer only after they have sent everything; if the connection closes before that, they never see it.
#: So the rest of a body is read and dropped, up to this size and time.
REST_BYTES = 64 * 1024 * 1024
REST_SECONDS = 5.0


class Refusal(Exception):
    """Raised to refuse a request. `code` is stable snake_case; `message` says what to do, and `also` the same in other languages, by
    `ja` and `zh`. `content`: JSON to answer in place of all of them."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        content: object = None,
        also: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self._told = {"error": code, "error_description": message}
        self._content = content
        self._also = also

    def response(self, language: str | None) -> JSONResponse:
        """The answer to a client whose user reads that language (ja, zh, zh-Hant), or None."""
        if self._content is not None:
            return JSONResponse(self._content, self.status, self.headers)
        translated = told_in(self._also, language)
        # The name of a member in another language, as RFC 9728 (2.1) writes it.
        more = {} if translated is None else {f"error_description#{language}": translated}
        varies = {"Vary": "Accept-Language"} if self._also else {}
        return JSONResponse({**self._told, **more}, self.status, {**self.headers, **varies})

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer; a body that has not been read stays unread."""
        await self.response(language_of_client(scope))(scope, receive, send)


ENDING = Refusal(
    503,
    "ending",
    "The server is ending and waits for this no longer. Whether a write was carried out is not known: look before you repeat it.",
    {"Connection": "close"},
    also={
        "ja": "サーバーが終了するため、これ以上は待てません。書き込みが行われたかどうかは分かりません。やり直す前に確かめてください。",
        "zh": "服务器即将关闭，不再等待。不确定写入是否已经执行，重试之前请先确认。",
    },
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
