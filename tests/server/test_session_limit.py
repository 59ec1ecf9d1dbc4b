"""Sessions that nobody ends: they keep nobody else out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from omoide.app import utc_now
from omoide.server.access.visitor import Visitor
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.http.fastlane import FastLane, Leases
from omoide.server.http.guards import BODY, introduce
from omoide.server.http.replay import replayed
from omoide.server.http.session_limit import HANDSHAKE_BYTES, MOST_HANDSHAKE_BYTES, SessionLimit
from omoide.server.protocol import server as protocol
from omoide.server.protocol import wire

HEADERS = {"Accept": "application/json, text/event-stream"}
CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "客", "version": "1"}}
HANDSHAKE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
LEAVE, LISTEN = "DELETE", "GET"
MOST = 4

Ask = Callable[..., Any]


@asynccontextmanager
async def seated(*, fast_lane: bool = False) -> AsyncIterator[tuple[SessionLimit, Ask]]:
    """The SDK behind so many seats; `ask` says something as a tenant, in a session or none."""
    dispatcher = Dispatcher([], OneWorkspace(workspace_of([], Sessions(utc_now))))
    sdk = protocol.build(dispatcher, version="0").streamable_http_app(streamable_http_path="/mcp")
    leases = Leases()
    limit = SessionLimit(sdk, most=MOST, on_eviction=leases.end)
    app = FastLane(limit, dispatcher, path="/mcp", stamp={}, leases=leases) if fast_lane else limit

    async def as_visitor(scope: Scope, receive: Receive, send: Send) -> None:
        name = dict(scope["headers"])[b"x-tenant"].decode()
        introduce(scope, Visitor(name, name))
        scope[BODY] = (first := await receive())["body"]
        await app(scope, replayed(first, receive), send)

    async with (
        sdk.router.lifespan_context(sdk),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(as_visitor), base_url="http://127.0.0.1:8765") as client,
    ):

        async def ask(
            tenant: str, session: str | None = None, message: Any = LIST, twice: str | None = None, **more: str
        ) -> Any:
            headers = {**HEADERS, "X-Tenant": tenant, **more} | ({} if session is None else {"Mcp-Session-Id": session})
            if twice is not None:
                return await client.post("/mcp", json=message, headers=[*headers.items(), ("Mcp-Session-Id", twice)])
            if message in (LEAVE, LISTEN):
                return await client.request(message, "/mcp", headers=headers)
            return await client.post("/mcp", json=message, headers=headers)

        yield limit, ask


async def begun(ask: Ask, tenant: str) -> str:
    answer = await ask(tenant, message=HANDSHAKE)
    assert answer.status_code == 200
    session: str = answer.headers["mcp-session-id"]
    return session


async def test_of_two_sessions_that_a_request_names_the_first_is_used() -> None:
    async with seated() as (_, ask):
        alice = [await begun(ask, "alice") for _ in range(MOST)]
        assert (await ask("alice", alice[0], twice=alice[1])).status_code == 200
        await begun(ask, "alice")
        assert [(await ask("alice", each)).status_code for each in alice[:3]] == [200, 404, 200]


async def test_whoever_has_most_sessions_gives_one_up_the_one_not_used_for_longest() -> None:
    async with seated() as (limit, ask):
        bob = await begun(ask, "bob")
        alice = [await begun(ask, "alice") for _ in range(3)]
        assert (await ask("alice", alice[0])).status_code == 200
        carol = await begun(ask, "carol")
        assert [(await ask("alice", each)).status_code for each in alice] == [200, 404, 200]
        assert [(await ask("bob", bob)).status_code, (await ask("carol", carol)).status_code] == [200, 200]
        for _ in range(20):
            await begun(ask, "alice")
        assert len(limit) == MOST
        assert [(await ask("bob", bob)).status_code, (await ask("carol", carol)).status_code] == [200, 200]


async def test_a_session_that_has_made_room_is_not_served_by_the_fast_lane_either() -> None:
    async with seated(fast_lane=True) as (_, ask):
        sessions = [await begun(ask, "alice") for _ in range(MOST)]
        assert [(await ask("alice", each)).status_code for each in sessions] == [200] * MOST
        await begun(ask, "alice")
        assert [(await ask("alice", each)).status_code for each in sessions] == [404, *[200] * (MOST - 1)]


def handshake(name: str, size: int) -> Any:
    """One of so many bytes, nearly."""
    own = {"name": name, "version": "1" * (size - 300)}
    return {**HANDSHAKE, "params": {**CLIENT, "clientInfo": own}}


async def test_a_session_that_keeps_much_counts_as_several() -> None:
    async with seated() as (limit, ask):
        bob = await begun(ask, "bob")
        first, second = [
            (await ask("alice", message=handshake("端末", 2 * HANDSHAKE_BYTES))).headers["mcp-session-id"]
            for _ in range(2)
        ]
        assert len(limit) == 3
        answers = [await ask(*each) for each in (("bob", bob), ("alice", first), ("alice", second))]
        assert [each.status_code for each in answers] == [200, 404, 200]
        assert (await ask("alice", second, LEAVE)).status_code == 200
        assert len(limit) == 1


@pytest.mark.parametrize("name", ["端末", "终端", "editor"])
async def test_who_says_too_much_of_itself_begins_no_session(name: str) -> None:
    async with seated() as (limit, ask):
        refused = await ask("alice", message=handshake(name, 2 * MOST_HANDSHAKE_BYTES))
        assert (refused.status_code, len(limit)) == (413, 0)
        assert "at most 64 KiB" in refused.json()["error"]["message"]
        alice = await begun(ask, "alice")
        assert (await ask("alice", alice, handshake(name, 2 * HANDSHAKE_BYTES))).status_code == 413
        long = {**LIST, "params": {"_meta": {"text": name * MOST_HANDSHAKE_BYTES}}}
        assert (await ask("alice", alice, long)).status_code == 200


async def test_a_session_that_ends_leaves_its_seat() -> None:
    async with seated() as (limit, ask):
        first = await begun(ask, "alice")
        assert (await ask("bob", first)).status_code == 404, "another's session"
        assert len(limit) == 1
        assert (await ask("alice", first, LEAVE)).status_code == 200
        assert (await ask("alice", first)).status_code == 404
        assert (await ask("alice", message=LIST)).status_code == 400
        assert len(limit) == 0


@pytest.mark.parametrize("message", [LISTEN, LEAVE, LIST], ids=str)
async def test_who_comes_in_a_session_that_is_over_is_told_to_connect_again(message: Any) -> None:
    async with seated() as (_, ask):
        session = await begun(ask, "alice")
        await ask("alice", session, LEAVE)
        for gone in (session, "0" * 32):
            told = await ask("alice", gone, message)
            assert (told.status_code, told.headers["content-type"]) == (404, "application/json")
            assert told.json()["error"]["message"].startswith("Session not found: it has ended")
            assert "Connect again" in told.json()["error"]["message"]


async def test_a_stateless_client_that_names_a_session_is_not_told_of_it() -> None:
    async with seated() as (limit, ask):
        meta = {wire.VERSION_KEY: wire.STATELESS, wire.CAPABILITIES_KEY: {}}
        asked = {"jsonrpc": "2.0", "id": 5, "method": "resources/list", "params": {"_meta": meta}}
        stateless = {"Mcp-Protocol-Version": wire.STATELESS, "Mcp-Method": "resources/list"}
        session = await begun(ask, "alice")
        for named in ("0" * 32, session):
            told = await ask("alice", named, asked, **stateless)
            assert (told.status_code, told.json()["error"]["message"]) == (404, "Method not found")
        assert ((await ask("alice", session)).status_code, len(limit)) == (200, 1), "the session keeps its seat"


async def test_a_session_that_could_not_be_ended_keeps_its_seat() -> None:
    async with seated() as (limit, ask):
        session = await begun(ask, "alice")
        assert (await ask("alice", session, LEAVE, **{"Mcp-Protocol-Version": "1999-01-01"})).status_code == 405
        assert ((await ask("alice", session)).status_code, len(limit)) == (200, 1)


@pytest.mark.parametrize("message", [LISTEN, LEAVE, LIST, {}], ids=str)
async def test_a_refusal_that_begins_no_session_names_none(message: Any) -> None:
    """A client that listens before its handshake takes the id for its own, also where the answer to that was there first."""
    async with seated() as (limit, ask):
        refused = await ask("alice", message=message)
        assert (refused.status_code, refused.headers.get("mcp-session-id")) == (400, None)
        assert len(limit) == 0
        assert (await ask("alice", await begun(ask, "alice"), LIST)).status_code == 200


async def test_a_session_with_a_request_under_way_stays() -> None:
    arrived, released = anyio.Event(), anyio.Event()
    ended: list[bytes] = []

    async def sdk(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        session = headers.get(b"mcp-session-id")
        if scope["method"] == "DELETE" and session is not None:
            ended.append(session)
        elif session is not None:
            arrived.set()
            await released.wait()
        begins = [] if session is not None else [(b"mcp-session-id", headers[b"x-id"])]
        await send({"type": "http.response.start", "status": 200, "headers": begins})
        await send({"type": "http.response.body", "body": b""})

    limit = SessionLimit(sdk, most=2)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(limit), base_url="http://127.0.0.1") as client:
        await client.post("/mcp", headers={"X-Id": "listening"})
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: client.get("/mcp", headers={"Mcp-Session-Id": "listening"}))
            await arrived.wait()
            for each in ("second", "third"):
                await client.post("/mcp", headers={"X-Id": each})
            released.set()
    assert ended == [b"second"]


async def test_a_session_that_the_sdk_has_ended_counts_no_longer() -> None:
    async def sdk(scope: Scope, receive: Receive, send: Send) -> None:
        begins = b"mcp-session-id" not in dict(scope["headers"])
        status, headers = (200, [(b"mcp-session-id", "会話".encode().hex().encode())]) if begins else (404, [])
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    limit = SessionLimit(sdk)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(limit), base_url="http://127.0.0.1") as client:
        session = (await client.post("/mcp")).headers["mcp-session-id"]
        assert len(limit) == 1
        assert (await client.post("/mcp", headers={"Mcp-Session-Id": session})).status_code == 404
        assert len(limit) == 0
