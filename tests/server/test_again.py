"""Requests with the head of the one before on their connection, told by every byte; answered as any other is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from omoide.server.access.visitor import Visitor
from omoide.server.http.again import AGAIN, ANSWER, MOST_BYTES, Head
from omoide.server.http.guards import BODY, Guarded, Guards, Hosts
from omoide.server.http.patience import Patient

HEAD = b"POST /mcp?a=b HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nX-Who: \xe5\xb1\xb1\r\n\r\n"
SCOPE = {
    "method": "POST",
    "http_version": "1.1",
    "headers": [(b"host", b"localhost"), (b"content-length", b"3"), (b"x-who", b"\xe5\xb1\xb1")],
    "state": {},
}


def request(body: str, head: bytes = HEAD) -> bytes:
    said = body.encode()
    return (head % len(said)) + said


def test_of_a_head_only_the_digits_of_the_length_may_be_others() -> None:
    head = Head.of(request("山"), SCOPE)
    assert head is not None
    found = head.again(request("川がある"))
    assert found is not None
    scope, body = found
    assert body.decode() == "川がある"
    assert scope["headers"] == [(b"host", b"localhost"), (b"content-length", b"12"), (b"x-who", b"\xe5\xb1\xb1")]
    assert SCOPE["headers"] == [(b"host", b"localhost"), (b"content-length", b"3"), (b"x-who", b"\xe5\xb1\xb1")]


@pytest.mark.parametrize(
    ("why", "data"),
    [
        ("another name", request("山").replace(b"X-Who", b"X-Whom")),
        ("another way of writing it", request("山").replace(b"Host", b"host")),
        ("another value", request("山").replace(b"localhost", b"localhos2")),
        ("another path", request("山").replace(b"a=b", b"a=c")),
        ("a header more", request("山").replace(b"\r\n\r\n", b"\r\nA: b\r\n\r\n")),
        ("a length that is none", request("山").replace(b": 3", b": x")),
        ("one with a sign", request("山").replace(b": 3", b": +3")),
        ("none", request("山").replace(b": 3", b": ")),
        ("one beyond all bounds", request("山").replace(b": 3", b": " + b"0" * 20 + b"3")),
        ("less than the whole body", request("山")[:-1]),
        ("more than it", request("山") + b"P"),
        ("two requests", request("山") * 2),
        ("a part of a head", request("山")[:30]),
        ("nothing", b""),
    ],
)
def test_whatever_else_is_another_is_read_anew(why: str, data: bytes) -> None:
    head = Head.of(request("山"), SCOPE)
    assert head is not None
    assert head.again(data) is None, why


@pytest.mark.parametrize(
    "change",
    [
        {"method": "PUT"},
        {"http_version": "1.0"},
        {"headers": [*SCOPE["headers"], (b"connection", b"close")]},
        {"headers": [*SCOPE["headers"], (b"transfer-encoding", b"chunked")]},
        {"headers": [*SCOPE["headers"], (b"expect", b"100-continue")]},
        {"headers": [*SCOPE["headers"], (b"upgrade", b"h2c")]},
        {"headers": [*SCOPE["headers"], (b"content-length", b"3")]},
        {"headers": [(b"host", b"localhost")]},
    ],
)
def test_heads_that_say_more_than_what_is_in_them_are_read_each_time(change: dict[str, Any]) -> None:
    assert Head.of(request("山"), {**SCOPE, **change}) is None


def test_a_long_head_is_not_kept() -> None:
    assert Head.of(request("山", HEAD.replace(b"localhost", b"l" * MOST_BYTES)), SCOPE) is None


class Keys:
    """The bearer of a token; None: let in no longer."""

    asked = 0

    async def visitor(self, token: str | None) -> Visitor:
        self.asked += 1
        return Visitor(token or "nobody")


async def passing() -> None:
    """Time enough for whatever is there to be read."""
    for _ in range(50):
        await asyncio.sleep(0)


async def tells(scope: Scope, receive: Receive, send: Send) -> None:
    """Who it was that asked what, and whether the head had been read before."""
    received = await receive()
    assert received["body"] == scope[BODY]
    if received["body"] == b"slow":
        for _ in range(10):
            await passing()
    told = f"{scope['omoide.visitor'].name} {received['body'].decode()} {AGAIN in scope}".encode()
    if AGAIN in scope and b"at once" in told:
        headers = [(b"content-length", b"%d" % len(told))]
        await send({"type": ANSWER, "status": 200, "headers": headers, "body": told})
    else:
        await PlainTextResponse(told)(scope, receive, send)


@asynccontextmanager
async def connected(keys: Keys) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    app = Guarded(tells, Guards(Hosts(frozenset({"localhost"})), keys), {}, {})
    config = uvicorn.Config(app, port=0, http=Patient, ws="none", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    streams = await asyncio.open_connection(*server.servers[0].sockets[0].getsockname())
    yield streams
    streams[1].close()
    server.should_exit = True
    await running


async def answer(reader: asyncio.StreamReader) -> tuple[bytes, str]:
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    length = next(line for line in head.split(b"\r\n") if line.startswith(b"content-length"))
    return head, (await reader.readexactly(int(length.partition(b":")[2]))).decode()


BEARER = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %%d\r\n\r\n"


async def test_who_asks_is_found_out_for_each_request() -> None:
    keys = Keys()
    async with connected(keys) as (reader, writer):
        told = []
        for token, body in [(b"Ada", "1"), (b"Ada", "22"), (b"Bob", "3"), (b"Bob", "at once"), (b"Bob", "at once")]:
            writer.write(request(body, BEARER % token))
            told.append((await answer(reader))[1])
    assert told == ["Ada 1 False", "Ada 22 True", "Bob 3 False", "Bob at once True", "Bob at once True"]
    assert keys.asked == len(told)


async def test_answers_have_the_same_heads_either_way() -> None:
    async with connected(Keys()) as (reader, writer):
        heads = []
        for body in ["1 at once", "2 at once"]:
            writer.write(request(body, BEARER % b"Ada"))
            heads.append((await answer(reader))[0].split(b"\r\n"))
    named = [[line.partition(b":")[0] for line in head if not line.startswith(b"content-type")] for head in heads]
    assert named[0] == named[1]
    assert named[0][0] == b"HTTP/1.1 200 OK"


async def test_what_comes_in_parts_or_in_a_row_is_answered_in_its_order() -> None:
    whole, slow, other = (request(body, BEARER % b"Ada") for body in ("1", "slow", "2"))
    async with connected(Keys()) as (reader, writer):
        told = []
        for parts in (
            [whole],
            [whole],
            [whole[:30], whole[30:]],
            [whole],
            [whole * 2 + other],
            [whole[:-1], whole[-1:] + other],
            [whole],
            [slow, other, other[:50], other[50:]],
            [b"\r\n", whole],
            [whole],
        ):
            for part in parts:
                writer.write(part)
                await passing()
            told.append([(await answer(reader))[1].removeprefix("Ada ") for _ in range(b"".join(parts).count(b"POST"))])
    assert told == [
        ["1 False"],
        ["1 True"],
        ["1 False"],
        ["1 False"],
        ["1 False", "1 False", "2 False"],
        ["1 False", "2 False"],
        ["1 False"],
        ["slow True", "2 False", "2 False"],
        ["1 False"],
        ["1 True"],
    ]
