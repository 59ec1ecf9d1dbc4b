"""An HTTP request that is not let in, and what it is answered."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send


class Refusal(Exception):
    """`code` is stable snake_case; `message` says what to do."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self._answer = JSONResponse({"error": code, "error_description": message}, status, headers)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; a body that has not been read stays unread."""
        await self._answer(scope, receive, send)
