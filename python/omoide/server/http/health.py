"""The paths for supervisors: /health/live (the process answers), /health/ready (it can serve), /metrics.

Useful for: a load balancer, a container's probes, Prometheus. Invariant: they reveal how much is stored, and nothing else of it. A
server of several processes is ready when all of them are, whichever is asked, as clients cannot choose one.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from time import monotonic

import anyio.to_thread
import orjson
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from omoide.server.monitoring.metrics import Metrics
from omoide.server.processes.shared_state import Intercom

#: Says in a sentence what the server still lacks, "" if nothing. It may raise: then the server is not ready either.
Missing = Callable[[], str]

#: How old the answer to another request may be that is given to who asks while a check is under way.
LAST_SECONDS = 2.0

#: What another process of the same server lacks.
NO_ANSWER = "it has not begun yet, or does not answer"


def health(missing: Missing) -> Mapping[str, ASGIApp]:
    """The paths open to anyone."""
    check = _Check(missing)

    async def live(scope: Scope, receive: Receive, send: Send) -> None:
        await JSONResponse({"status": "live"})(scope, receive, send)

    async def ready(scope: Scope, receive: Receive, send: Send) -> None:
        reason = await check.reason()
        answer = {"status": "not ready", "reason": reason} if reason else {"status": "ready"}
        await JSONResponse(answer, 503 if reason else 200)(scope, receive, send)

    return {"/health/live": live, "/health/ready": ready}


class _Check:
    """Finds out what is missing, once for all who ask at the same time: anyone may ask, on as many connections as there are, and a
    check takes a second where another process hangs. For one event loop."""

    def __init__(self, missing: Missing) -> None:
        self._missing = missing
        self._under_way: asyncio.Task[str] | None = None
        self._last = ""
        self._ended = -math.inf

    async def reason(self) -> str:
        """What is missing, "" if nothing."""
        if self._under_way is None:
            self._under_way = asyncio.create_task(self._look())
        elif monotonic() - self._ended < LAST_SECONDS:
            return self._last
        return await asyncio.shield(self._under_way)

    async def _look(self) -> str:
        try:
            self._last = await anyio.to_thread.run_sync(_reason, self._missing)
        finally:
            self._under_way = None
        self._ended = monotonic()
        return self._last


def missing_of_all(own: Missing, number: int, intercom: Intercom) -> Missing:
    """What the processes of a server lack, all together; `own` is for this process, which has that `number`."""
    intercom.answer(number, "missing", lambda: orjson.dumps(_reason(own)))

    def missing() -> str:
        reasons = {number: _reason(own)}
        for other, answer in intercom.ask_others(number, "missing").items():
            reasons[other] = NO_ANSWER if answer is None else orjson.loads(answer)
        return "; ".join(f"worker {each}: {reason}" for each, reason in sorted(reasons.items()) if reason)

    return missing


def measures(metrics: Metrics) -> Mapping[str, ASGIApp]:
    """The paths for visitors that may measure."""

    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        text = await anyio.to_thread.run_sync(metrics.read)
        await Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")(scope, receive, send)

    return {"/metrics": read}


def _reason(missing: Missing) -> str:
    try:
        return missing()
    except Exception as error:  # whatever it is, the store cannot be asked
        return f"{type(error).__name__}"
