"""Requests of one session that have the same id, from two programs that share it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest
from mcp.server.lowlevel import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from omoide.server.access.visitor import Visitor
from omoide.server.http.guards import BODY, introduce
from omoide.server.http.repeated_ids import take_turns_by_id
from omoide.server.protocol import wire
from tests.server.test_session_limit import HANDSHAKE, HEADERS
from tests.server.test_stdio import call

QUERIES = ["駐車場はどこ", "会议在哪天", "where the car is", "合言葉"]
PATIENCE = 10.0

Pairs = Sequence[tuple[str, str]]


async def post(
    app: ASGIApp, message: Any, session: str | None = None, visitor: str = "愛", also: Pairs = (), **more: str
) -> Any:
    """Post a message to an application that is behind the guards. `also`: headers that follow the others."""
    body = json.dumps(message).encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        introduce(scope, Visitor(visitor, visitor))
        scope[BODY] = body
        await app(scope, receive, send)

    headers = {**HEADERS, "Content-Type": "application/json", **more}
    if session is not None:
        headers["Mcp-Session-Id"] = session
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(guarded), base_url="http://127.0.0.1:8765", timeout=PATIENCE
    ) as client:
        return await client.post("/mcp", content=body, headers=[*headers.items(), *also])


async def test_each_is_answered_and_with_its_own_answer(server: Server[Any]) -> None:
    sdk = server.streamable_http_app(streamable_http_path="/mcp")
    app = take_turns_by_id(sdk)
    async with sdk.router.lifespan_context(sdk):
        session = (await post(app, HANDSHAKE)).headers["mcp-session-id"]
        asked = [post(app, call(5, "search_memory", query=query), session) for query in QUERIES]
        answers = await asyncio.wait_for(asyncio.gather(*asked), PATIENCE)
        for query, answer in zip(QUERIES, answers, strict=True):
            assert (answer.status_code, query in answer.text) == (200, True), answer.text


ASKED = call(5, "search_memory", query="茶")
FIRST = {"message": ASKED, "session": "甲".encode().hex()}
OTHERS: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"message": {**ASKED, "id": "5"}}, True),
    ({"message": {**ASKED, "id": 6}}, False),
    ({"message": {"jsonrpc": "2.0", "id": 5, "result": {"action": "accept"}}}, False),
    ({"message": {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}}, False),
    ({"session": "乙".encode().hex()}, False),
    ({"session": None}, False),
    ({"visitor": "小明"}, False),
    ({"Mcp-Protocol-Version": wire.STATELESS}, False),
    # Of several headers with one name, the first counts for the SDK.
    ({"also": [("Mcp-Session-Id", "乙".encode().hex())]}, True),
    ({"Mcp-Protocol-Version": "2025-11-25", "also": [("Mcp-Protocol-Version", wire.STATELESS)]}, True),
    ({"Mcp-Protocol-Version": wire.STATELESS, "also": [("Mcp-Protocol-Version", "2025-11-25")]}, False),
]
#: As handshakes of many clients are.
WITHOUT_SESSION = {"message": ASKED, "session": None}
PAIRS = [(FIRST, {**FIRST, **other}, waits) for other, waits in OTHERS] + [(WITHOUT_SESSION, WITHOUT_SESSION, False)]


@pytest.mark.parametrize(("one", "other", "waits"), PAIRS)
async def test_only_those_of_one_id_of_one_session_wait_for_each_other(
    one: dict[str, Any], other: dict[str, Any], waits: bool
) -> None:
    begun, go_on = list[Scope](), asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        begun.append(scope)
        await go_on.wait()
        await send({"type": "http.response.start", "status": 202, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    app = take_turns_by_id(slow)
    asked = [asyncio.create_task(post(app, **each)) for each in (one, other)]
    for _ in range(100):
        await asyncio.sleep(0)
    assert len(begun) == (1 if waits else 2)
    go_on.set()
    answers = await asyncio.wait_for(asyncio.gather(*asked), PATIENCE)
    assert [each.status_code for each in answers] == [202, 202]
    assert len(begun) == 2
