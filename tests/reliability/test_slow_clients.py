"""Clients that dawdle or send too much: they cost a socket for a while, and nobody else anything."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.http.connection import HEAD_BYTES, HEAD_LINES, TAKE_SECONDS, HttpConnection
from omoide.server.http.guards import Guards, Hosts
from omoide.server.http.repeated_heads import RepeatedRequest
from omoide.server.http.serving import _Server, application
from omoide.server.monitoring.metrics import Metrics
from omoide.server.protocol import server as protocol

SLOW = 120
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "store_memory",
        "arguments": {"text": "遅い人がいても覚える"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "store_memory",
}


class Hasty(HttpConnection):
    """Less patient than people would like."""

    head_seconds = 0.3
    take_seconds = 0.3


@asynccontextmanager
async def serving(app: Any, lifespan: Any = "on", http: type[HttpConnection] = Hasty) -> AsyncIterator[tuple[str, int]]:
    """The application behind uvicorn, on a port of its own."""
    more: Any = {"log_config": None, "proxy_headers": False}
    config = uvicorn.Config(app, port=0, http=http, ws="none", lifespan=lifespan, **more)
    server = uvicorn.Server(config)
    config.load()
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    try:
        yield server.servers[0].sockets[0].getsockname()
    finally:
        server.should_exit = True
        await running


def guarded(dispatcher: Dispatcher) -> Any:
    guards = Guards(Hosts(None), body_seconds=0.3)
    return application(protocol.build(dispatcher, version="0"), guards, Metrics(), lambda: "", dispatcher=dispatcher)


async def store(place: tuple[str, int]) -> int:
    async with httpx2.AsyncClient(timeout=20) as client:
        answer = await client.post(f"http://{place[0]}:{place[1]}/mcp", json=CALL, headers=HEADERS)
    return answer.status_code


HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BEGINNINGS = {
    "says nothing": b"",
    "a head that does not end": HEAD,
    "a method that does not end": b"P",
    "a body that does not come": HEAD + b"Content-Length: 100\r\n\r\n",
    "a body that does not end": HEAD + b"Content-Length: 100\r\n\r\n{",
    "chunks that do not end": HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
}


async def all_that_comes(reader: asyncio.StreamReader) -> bytes:
    """Until the server hangs up, which is a reset where it does so before it has read everything."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("beginning", BEGINNINGS.values(), ids=BEGINNINGS.keys())
async def test_many_who_dawdle_are_hung_up_on_while_others_are_served(dispatcher: Dispatcher, beginning: bytes) -> None:
    async with serving(guarded(dispatcher)) as place:
        slow = [await asyncio.open_connection(*place) for _ in range(SLOW)]
        for _, writer in slow:
            writer.write(beginning)
        assert await store(place) == 200
        answers = await asyncio.wait_for(asyncio.gather(*(all_that_comes(reader) for reader, _ in slow)), 20)
        assert all(answer == b"" or b"408" in answer for answer in answers)
        for _, writer in slow:
            writer.close()


async def lines_until_hung_up_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    """How many lines of a head a client could drip."""
    gone = asyncio.create_task(all_that_comes(reader))
    for number in range(1_000):
        writer.write(f"X-{number}: y\r\n".encode())
        if (await asyncio.wait([gone], timeout=0.02))[0]:
            return number
    raise AssertionError("it can go on for ever")


@pytest.mark.parametrize(("lines", "status"), [(HEAD_LINES, b"200"), (HEAD_LINES + 1, b"400"), (10_000, b"400")])
async def test_a_head_has_no_more_lines_than_any_has(dispatcher: Dispatcher, lines: int, status: bytes) -> None:
    async with serving(guarded(dispatcher), http=HttpConnection) as place:
        reader, writer = await asyncio.open_connection(*place)
        already = whole_request().partition(b"\r\n\r\n")[0].count(b"\r\n")
        writer.write(whole_request().replace(b"\r\n", b"\r\n" + b"x:\r\n" * (lines - already), 1))
        assert status in await asyncio.wait_for(reader.readline(), 20)
        writer.close()


async def test_one_who_drips_a_head_is_hung_up_on_all_the_same(dispatcher: Dispatcher) -> None:
    async with serving(guarded(dispatcher)) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(HEAD)
        assert await lines_until_hung_up_on(reader, writer) < 500


async def test_a_head_without_end_does_not_fill_the_memory(dispatcher: Dispatcher) -> None:
    async with serving(guarded(dispatcher)) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(HEAD + b"X-Long: " + b"y" * (2 * HEAD_BYTES))
        assert b"400" in await reader.readline()
        writer.close()


def in_parts(size: int, trailers: str = "") -> bytes:
    """The whole request, its body in parts of so many bytes."""
    head, _, body = whole_request().partition(b"\r\n\r\n")
    head = re.sub(rb"Content-Length: \d+", b"Transfer-Encoding: chunked", head)
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    framed = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
    return b"%b\r\n\r\n%b0\r\n%b\r\n" % (head, framed, trailers.encode())


@pytest.mark.parametrize("line", ["x: y\r\n", "x" * 60], ids=["of many lines", "of one line"])
@pytest.mark.parametrize("path", ["/mcp", "/health/live"], ids=["before an answer", "behind an answer"])
async def test_trailers_without_end_do_not_fill_the_memory(dispatcher: Dispatcher, path: str, line: str) -> None:
    async with serving(guarded(dispatcher), http=HttpConnection) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(HEAD.replace(b"/mcp", path.encode()) + b"Transfer-Encoding: chunked\r\n\r\n0\r\n")
        if path != "/mcp":
            assert b"200" in await reader.readline()
        part = line.encode() * (HEAD_BYTES // len(line) // 4)
        for _ in range(5):  # each is read before the next comes
            for _ in range(50):
                await asyncio.sleep(0)
            writer.write(part)
        assert b"400 Bad Request" in await asyncio.wait_for(all_that_comes(reader), 20)
        assert await store(place) == 200
        writer.close()


@pytest.mark.parametrize(
    "trailers",
    ["", "Mcp-Name: 茶\r\n", "Host: evil.example\r\nContent-Type: text/plain\r\n", "Expect: 100-continue\r\n"],
)
async def test_what_trailers_say_is_no_head(dispatcher: Dispatcher, trailers: str) -> None:
    async with serving(guarded(dispatcher)) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(in_parts(50, trailers) + whole_request().replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        answers = await asyncio.wait_for(reader.read(), 20)
        assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200", b"200"]
        assert answers.count(b"serverInfo") == 2
        writer.close()


async def test_a_body_in_very_small_parts_is_a_body(dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("omoide.server.http.connection.HEAD_BYTES", 1_000)  # the frames alone are more
    async with serving(guarded(dispatcher), http=HttpConnection) as place:
        reader, writer = await asyncio.open_connection(*place)
        request = in_parts(1)
        for at in range(0, len(request), 900):
            writer.write(request[at : at + 900])
            await asyncio.sleep(0)
        assert b"200" in await asyncio.wait_for(reader.readline(), 20)
        writer.close()


async def test_one_who_does_not_take_an_answer_is_hung_up_on() -> None:
    given_up = asyncio.Event()

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(1_000):  # a gigabyte, of which a socket holds a few million bytes
            await send({"type": "http.response.body", "body": bytes(1_000_000), "more_body": True})
        given_up.set()

    async with serving(endless, lifespan="off") as place:
        # A reader with so small a limit takes nothing until it is asked to.
        _, writer = await asyncio.open_connection(*place, limit=1024)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.wait_for(given_up.wait(), 20)
        writer.close()


ANSWERED = {
    "line ends": (b"", b"\r\n"),
    "the rest of a body that was not asked for": (b"Content-Length: 1000\r\n", b"x"),
    "the rest of chunks that were not asked for": (b"Transfer-Encoding: chunked\r\n", b"5\r\nx"),
}


@pytest.mark.parametrize(("head", "afterwards"), ANSWERED.values(), ids=ANSWERED.keys())
async def test_one_who_has_an_answer_and_goes_on_with_nothing_is_hung_up_on(
    dispatcher: Dispatcher, head: bytes, afterwards: bytes
) -> None:
    async with serving(guarded(dispatcher)) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(b"POST /health/live HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n")
        assert b"live" in await reader.readuntil(b"}")
        writer.write(afterwards)
        assert await asyncio.wait_for(reader.read(), 20) == b""
        writer.close()


class Lavish:
    """More for everybody than a socket holds."""

    body = bytes(16_000_000)

    def __init__(self) -> None:
        self.ended: asyncio.Queue[None] = asyncio.Queue()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        length = (b"content-length", str(len(self.body)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": self.body})
        self.ended.put_nowait(None)


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def test_one_who_asks_again_instead_of_taking_an_answer_is_hung_up_on() -> None:
    lavish = Lavish()
    async with serving(lavish, lifespan="off") as place:
        _, writer = await asyncio.open_connection(*place, limit=1024)
        try:
            for _ in range(2):
                writer.write(GET)
                await asyncio.wait_for(lavish.ended.get(), 20)
        finally:
            writer.transport.abort()


class Bounded(HttpConnection):
    """Keeps little more than one of those answers."""

    take_seconds = 20.0
    most_untaken_bytes = 20_000_000


async def test_where_too_much_is_not_taken_the_one_who_has_been_taking_for_longest_is_hung_up_on() -> None:
    lavish = Lavish()
    async with serving(lavish, lifespan="off", http=Bounded) as place:
        slow = []
        for _ in range(2):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(place)
            slow.append(await asyncio.open_connection(sock=connection, limit=1024))
            slow[-1][1].write(GET)
            await asyncio.wait_for(lavish.ended.get(), 20)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(whole_answer(slow[0][0]), 20)
        assert await asyncio.wait_for(whole_answer(slow[1][0]), 20) == Lavish.body, "the other has its answer"
        for _, writer in slow:
            writer.close()


@pytest.mark.parametrize("is_impatient", [False, True])
@pytest.mark.parametrize("requests", [1, 2])
async def test_clients_that_take_no_answer_when_the_server_ends_are_one_line_of_the_log(
    requests: int, is_impatient: bool, caplog: pytest.LogCaptureFixture
) -> None:
    lavish, more = Lavish(), {"log_config": None, "proxy_headers": False, "timeout_graceful_shutdown": 1}
    server = _Server(uvicorn.Config(lavish, http=HttpConnection, ws="none", lifespan="off", **more))  # type: ignore[arg-type]
    with ExitStack() as stack, caplog.at_level(logging.WARNING):
        listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        running = asyncio.create_task(server._serve([listening]))
        slow = [stack.enter_context(socket.create_connection(listening.getsockname())) for _ in range(2)]
        for each in slow:
            each.sendall(requests * GET)
        for _ in slow:
            await asyncio.wait_for(lavish.ended.get(), 20)
        server.should_exit, server.force_exit = True, is_impatient
        await running
    assert [(each.name, each.getMessage()) for each in caplog.records] == [
        ("omoide.server.http.serving", "the server ends and hangs up on clients that do not take their answers: 2")
    ]


async def whole_answer(reader: asyncio.StreamReader) -> bytes:
    await reader.readuntil(b"\r\n\r\n")
    return await reader.readexactly(len(Lavish.body))


async def test_one_who_drips_the_next_head_while_taking_an_answer_is_hung_up_on() -> None:
    class Unhurried(HttpConnection):
        """Patient enough for all of an answer to be taken on a busy machine."""

        head_seconds = take_seconds = 2.0

    async with serving(Lavish(), lifespan="off", http=Unhurried) as place:
        reader, writer = await asyncio.open_connection(*place, limit=1024)
        writer.write(GET + b"GET / HTTP/1.1\r\n")
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(len(Lavish.body))
        await lines_until_hung_up_on(reader, writer)
        writer.close()


def whole_request() -> bytes:
    body = json.dumps(CALL).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    return f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


#: What comes after whole requests.
NO_REQUESTS = {
    "a byte too many": b"\0",
    "what is no request": "茶をください\r\n\r\n".encode(),
    "a head that is wrong": HEAD + b"Content-Length: many\r\n\r\n",
    "a body that is wrong": HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nmany\r\n",
}


@pytest.mark.parametrize("requests", [0, 1, 3])
@pytest.mark.parametrize("wrong", NO_REQUESTS.values(), ids=NO_REQUESTS)
async def test_what_is_no_request_is_refused_after_the_answers_to_those_before(
    dispatcher: Dispatcher, requests: int, wrong: bytes
) -> None:
    async with serving(guarded(dispatcher), http=HttpConnection) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(whole_request() * requests + wrong)
        answers = await asyncio.wait_for(reader.read(), 20)
        assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200"] * requests + [b"400"]
        assert answers.count(b"serverInfo") == requests
        writer.close()


async def test_what_comes_after_a_last_request_does_not_take_the_place_of_its_answer(dispatcher: Dispatcher) -> None:
    async with serving(guarded(dispatcher), http=HttpConnection) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(whole_request().replace(b"\r\n", b"\r\nConnection: close\r\n", 1) + b"\0")
        answers = await asyncio.wait_for(reader.read(), 20)
        assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200"]
        writer.close()


@pytest.mark.parametrize("requests", [1, 2])
async def test_one_who_says_that_nothing_more_will_come_has_all_answers(dispatcher: Dispatcher, requests: int) -> None:
    async with serving(guarded(dispatcher), http=HttpConnection) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(whole_request() * requests)
        writer.write_eof()
        answers = await asyncio.wait_for(reader.read(), 20)
        assert answers.count(b"HTTP/1.1 200 OK") == requests
        assert answers.count(b"serverInfo") == requests
        writer.close()


@pytest.mark.parametrize("requests", [1, 2])
async def test_one_who_has_gone_is_not_answered_for_ever(requests: int) -> None:
    gone = asyncio.Event()

    async def listens(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    async with serving(listens, lifespan="off") as place:
        _, writer = await asyncio.open_connection(*place)
        writer.write(GET * requests)
        writer.close()
        await asyncio.wait_for(gone.wait(), 20)


class Curious(HttpConnection):
    """Soon asks whether a client is still there."""

    probe_seconds = 0.05


@pytest.mark.parametrize("requests", [1, 2])
async def test_one_who_has_gone_before_his_answer_is_found_out_soon(requests: int) -> None:
    gone = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    async with serving(slow, lifespan="off", http=Curious) as place:
        _, writer = await asyncio.open_connection(*place)
        writer.write(GET * requests)
        writer.close()
        await asyncio.wait_for(gone.wait(), TAKE_SECONDS / 3)


@pytest.mark.parametrize(("version", "interim"), [("1.1", 2), ("1.0", 0)])
async def test_one_who_waits_and_sends_no_more_has_his_answer_behind_interim_ones(version: str, interim: int) -> None:
    go_on = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await go_on.wait()
        await PlainTextResponse("お待たせしました")(scope, receive, send)

    async with serving(slow, lifespan="off", http=Curious) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(GET.replace(b"1.1", version.encode()))
        writer.write_eof()
        for _ in range(interim):
            assert await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20) == b"HTTP/1.1 100 Continue\r\n\r\n"
        await asyncio.sleep(3 * Curious.probe_seconds)
        go_on.set()
        answer = await asyncio.wait_for(reader.read(), 20)
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert "お待たせしました".encode() in answer
        writer.close()


@pytest.mark.parametrize(("method", "ending"), [(b"POST", "お待たせしました"), (b"GET", "")])
async def test_one_who_sends_no_more_has_the_answer_on_a_stream_that_has_begun_unless_he_only_listens(
    method: bytes, ending: str
) -> None:
    go_on = asyncio.Event()

    async def streams(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await go_on.wait()
        await send({"type": "http.response.body", "body": "お待たせしました".encode()})

    async with serving(streams, lifespan="off", http=Curious) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(GET.replace(b"GET", method))
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
        writer.write_eof()
        await asyncio.sleep(3 * Curious.probe_seconds)
        go_on.set()
        answer = await asyncio.wait_for(reader.read(), 20)
        assert ending.encode() in answer
        assert bool(answer) is bool(ending)
        writer.close()


class Knowing:
    """Answers the first request, and leaves those that repeat its head to the test."""

    def __init__(self) -> None:
        self.repeated = asyncio.get_running_loop().create_future()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await PlainTextResponse("はじめまして")(scope, receive, send)

    def at_once(self, request: RepeatedRequest) -> bool:
        self.repeated.set_result(request)
        return True


@asynccontextmanager
async def repeating() -> AsyncIterator[tuple[RepeatedRequest, asyncio.StreamReader, asyncio.StreamWriter]]:
    """A request with the head of an earlier one, as the first of its connection."""
    app, request = Knowing(), b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n" + "茶".encode()
    async with serving(app, lifespan="off", http=Curious) as place:
        first_reader, first_writer = await asyncio.open_connection(*place)
        first_writer.write(request)
        await asyncio.wait_for(first_reader.readuntil("はじめまして".encode()), 20)
        reader, writer = await asyncio.open_connection(*place)
        writer.write(request)
        repeated = await asyncio.wait_for(app.repeated, 20)
        try:
            yield repeated, reader, writer
        finally:
            repeated.answer(200, b"content-length: 0\r\n", b"")  # the server waits for that
            writer.close()
            first_writer.close()


async def test_one_who_waits_on_a_connection_that_begins_with_a_known_head_has_his_answer_behind_interim_ones() -> None:
    async with repeating() as (request, reader, writer):
        writer.write_eof()
        for _ in range(2):
            assert await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20) == b"HTTP/1.1 100 Continue\r\n\r\n"
        request.answer(200, b"content-length: 0\r\n", b"")
        assert (await asyncio.wait_for(reader.read(), 20)).startswith(b"HTTP/1.1 200 OK")


async def test_one_who_has_gone_from_a_connection_that_begins_with_a_known_head_is_found_out_soon() -> None:
    async with repeating() as (request, _, writer):
        request.call = Dropped()
        dropped = request.call.dropped
        writer.close()
        await asyncio.wait_for(dropped.wait(), TAKE_SECONDS / 3)


class Dropped:
    """A call that notes when nobody waits for it any longer."""

    def __init__(self) -> None:
        self.dropped = asyncio.Event()

    def drop(self) -> None:
        self.dropped.set()


class Narrow(HttpConnection):
    """Room for a few."""

    most_connections = staticmethod(lambda: 3)
    grace_seconds = 0.0


class NarrowAndPolite(Narrow):
    """Room for a few, of whom the last come is spared."""

    grace_seconds = 20.0


async def test_where_there_is_no_room_those_who_say_nothing_make_some(dispatcher: Dispatcher) -> None:
    async with serving(guarded(dispatcher), http=Narrow) as place:
        silent = [await asyncio.open_connection(*place) for _ in range(3)]
        assert await store(place) == 200
        assert await asyncio.wait_for(silent[0][0].read(), 20) == b"", "the one that has been silent for longest"
        reader, writer = silent[2]
        writer.write(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200" in await asyncio.wait_for(reader.readline(), 20), "the others keep their places"
        for _, each in silent:
            each.close()


async def test_each_server_of_a_process_makes_room_among_its_own(dispatcher: Dispatcher) -> None:
    async with serving(guarded(dispatcher), http=Narrow) as one, serving(guarded(dispatcher), http=Narrow) as other:
        reader, writer = await asyncio.open_connection(*one)
        idle = [await asyncio.open_connection(*other) for _ in range(4)]
        assert await asyncio.wait_for(idle[0][0].read(), 20) == b""
        writer.write(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200" in await asyncio.wait_for(reader.readline(), 20), "the other has room of its own"
        for each in (writer, *(each for _, each in idle)):
            each.close()


async def test_where_there_is_no_room_those_who_have_had_their_answers_make_some(dispatcher: Dispatcher) -> None:
    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return await asyncio.wait_for(reader.readuntil(b"}"), 20)

    async with serving(guarded(dispatcher), http=Narrow) as place:
        idle = [await asyncio.open_connection(*place) for _ in range(3)]
        for each in (*idle, idle[0]):
            assert b"200" in await ask(*each)
        assert await store(place) == 200
        assert await asyncio.wait_for(idle[1][0].read(), 20) == b"", "the one that has been silent for longest"
        for kept in (idle[0], idle[2]):
            assert b"200" in await ask(*kept)
        for _, writer in idle:
            writer.close()


async def test_where_all_are_asking_a_newcomer_has_the_place_of_the_first_who_is_answered() -> None:
    answers, asked = asyncio.Event(), 0

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        nonlocal asked
        asked += 1
        await answers.wait()
        await PlainTextResponse("はい 是 yes")(scope, receive, send)

    async def until_asked(count: int) -> None:
        with anyio.fail_after(20):
            while asked < count:
                await asyncio.sleep(0)

    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    async with serving(slow, "off", http=NarrowAndPolite) as place:
        asking = [await asyncio.open_connection(*place) for _ in range(3)]
        for _, writer in asking:
            writer.write(request)
        await until_asked(3)
        reader, writer = await asyncio.open_connection(*place)
        writer.write(request)
        try:
            await until_asked(4)
        finally:
            answers.set()
        assert b"200" in await asyncio.wait_for(reader.readline(), 20)
        first, *others = asking
        assert (await asyncio.wait_for(first[0].read(), 20)).endswith(b"yes"), "answered, then closed"
        for each in others:
            each[1].write(request)
            for _ in range(2):
                await asyncio.wait_for(each[0].readuntil(b"yes"), 20)
        for _, each_writer in (*asking, (reader, writer)):
            each_writer.close()


async def test_newcomers_who_say_nothing_are_not_spared_for_more_than_there_is_room_for() -> None:
    async with serving(PlainTextResponse("いいえ 不 no"), "off", http=NarrowAndPolite) as place:
        silent = [await asyncio.open_connection(*place) for _ in range(5)]
        assert await asyncio.wait_for(silent[0][0].read(), 20) == b"", "the one that has been silent for longest"
        for _, writer in silent:
            writer.close()


async def test_where_all_others_take_no_answers_newcomers_have_their_places() -> None:
    begun: asyncio.Queue[None] = asyncio.Queue()

    async def lavish(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/little":
            await PlainTextResponse("少し 少 little")(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": Lavish.body, "more_body": True})
        begun.put_nowait(None)
        await send({"type": "http.response.body", "body": b"waits until that is taken"})

    async with serving(lavish, "off", http=NarrowAndPolite) as place:
        with ExitStack() as stack:
            for _ in range(3):
                slow = stack.enter_context(socket.socket())
                slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                slow.connect(place)
                slow.sendall(GET)
                await asyncio.wait_for(begun.get(), 20)
            newcomers = [await asyncio.open_connection(*place) for _ in range(3)]
            for reader, writer in newcomers:
                stack.callback(writer.close)
                writer.write(GET.replace(b"/ ", b"/little ", 1))
                assert await asyncio.wait_for(reader.readuntil(b"little"), 20)


OFFERS = ["Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n", "UPGRADE: websocket\r\n", "upgrade:TLS/1.0, h2c\r\n", ""]


@pytest.mark.parametrize("offer", OFFERS)
async def test_a_client_that_offers_another_protocol_is_answered_in_this_one(
    dispatcher: Dispatcher, offer: str
) -> None:
    body = json.dumps(CALL).encode()
    head = {**HEADERS, "Host": "localhost", "Connection": "Upgrade, HTTP2-Settings", "Content-Length": len(body)}
    request = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    async with serving(guarded(dispatcher)) as place:
        reader, writer = await asyncio.open_connection(*place)
        for _ in range(2):
            writer.write(f"POST /mcp HTTP/1.1\r\n{request}{offer}\r\n".encode() + body)
            told = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
            assert told.startswith(b"HTTP/1.1 200")
            length = re.search(rb"content-length: (\d+)", told)
            assert length is not None
            assert b"Stored memory" in await reader.readexactly(int(length[1]))
        writer.close()


class InParts(HttpConnection):
    """Receives so many bytes at a time, as over a network that splits what is sent."""

    size = 1

    def data_received(self, data: bytes) -> None:
        for at in range(0, len(data), self.size):
            super().data_received(data[at : at + self.size])


@pytest.mark.parametrize("offer", OFFERS)
async def test_an_offer_that_comes_in_parts_is_answered_in_this_protocol_too(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch, offer: str
) -> None:
    body = json.dumps(CALL).encode()
    head = {**HEADERS, "Host": "localhost", "Connection": "Upgrade", "Content-Length": len(body)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    async with serving(guarded(dispatcher), http=InParts) as place:
        reader, writer = await asyncio.open_connection(*place)
        for size in range(1, 2 * len("\r\nUpgrade:")):
            monkeypatch.setattr(InParts, "size", size)
            writer.write(f"POST /mcp HTTP/1.1\r\n{lines}{offer}\r\n".encode() + body)
            told = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
            assert told.startswith(b"HTTP/1.1 200"), size
            length = re.search(rb"content-length: (\d+)", told)
            assert length is not None
            assert b"Stored memory" in await reader.readexactly(int(length[1]))
        writer.close()


class BegunBefore(HttpConnection):
    """Receives the first bytes by themselves, and then all others."""

    first = 1

    def data_received(self, data: bytes) -> None:
        super().data_received(data[: self.first])
        super().data_received(data[self.first :])


@pytest.mark.parametrize("offer", OFFERS)
async def test_an_offer_shortly_after_a_request_without_a_body_is_answered_in_this_protocol_too(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch, offer: str
) -> None:
    body = json.dumps(CALL).encode()
    head = {**HEADERS, "Host": "localhost", "Connection": "Upgrade", "Content-Length": len(body)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    async with serving(guarded(dispatcher), http=BegunBefore) as place:
        reader, writer = await asyncio.open_connection(*place)
        for first in range(1, len("\r\nUpgrade:")):
            writer.write(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await asyncio.wait_for(reader.readuntil(b"}"), 20)
            monkeypatch.setattr(BegunBefore, "first", first)
            writer.write(f"POST /mcp HTTP/1.1\r\n{offer}{lines}\r\n".encode() + body)
            told = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
            assert told.startswith(b"HTTP/1.1 200"), first
            length = re.search(rb"content-length: (\d+)", told)
            assert length is not None
            assert b"Stored memory" in await reader.readexactly(int(length[1]))
        writer.close()


@pytest.mark.parametrize("offer", OFFERS[:3])
async def test_who_offers_another_protocol_behind_another_request_is_not_left_waiting(
    dispatcher: Dispatcher, caplog: pytest.LogCaptureFixture, offer: str
) -> None:
    asked = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n"
    offered = f"{asked}Connection: Upgrade\r\n{offer}\r\n"
    async with serving(guarded(dispatcher), http=HttpConnection) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(f"{asked}\r\n{offered}{asked}\r\n".encode())
        answers = await asyncio.wait_for(reader.read(), 20)
        assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200", b"200", b"400"]
        writer.close()
    assert "WebSocket" not in caplog.text, "nobody can use one, nor should anyone fill the log"


SIZES = [(4, 200), (15, 200), (17, 413), (60, 413)]


async def test_a_large_body_is_answered_and_one_too_large_refused(shared_http: Callable[..., str]) -> None:
    url = shared_http()
    async with httpx2.AsyncClient(timeout=60) as client:
        for megabytes, status in SIZES:
            text = "大" * (megabytes * 1024**2 // 3)
            body = json.dumps({**CALL, "params": {**CALL["params"], "arguments": {"text": text}}}, ensure_ascii=False)
            answer = await client.post(url, content=body.encode(), headers=HEADERS)
            assert answer.status_code == status
            assert status != 200 or len(answer.text) < 2_000, "what is too long is not sent back"
            assert (await client.post(url, json=CALL, headers=HEADERS)).status_code == 200


async def test_one_who_sends_all_before_reading_sees_why_a_body_is_refused(shared_http: Callable[..., str]) -> None:
    place = urlsplit(shared_http())
    asking = HTTPConnection(place.netloc, timeout=20)
    try:
        await anyio.to_thread.run_sync(lambda: asking.request("POST", place.path, b"x" * 17 * 1024**2, HEADERS))
        assert asking.getresponse().status == 413
    finally:
        asking.close()
