"""Requests with a head that their server has had before, told by every byte that it reads; answered as any other is."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from weakref import ref

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from omoide.server.access.limits import Limits
from omoide.server.access.refusal import Refusal
from omoide.server.access.visitor import Visitor
from omoide.server.http.connection import (
    HEAD_SECONDS,
    LAST_SECONDS,
    PIECE_BYTES,
    PROBE_SECONDS,
    REST_SECONDS,
    TAKE_SECONDS,
    HttpConnection,
)
from omoide.server.http.guards import BODY, Guarded, Guards, Hosts
from omoide.server.http.repeated_heads import (
    MOST_BODY_BYTES,
    MOST_BYTES,
    MOST_HEADS,
    MOST_KNOWN_HEADS,
    Head,
    Heads,
    KnownHeads,
    RepeatedRequest,
    lines,
)
from omoide.turns import WouldWait

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
    assert head.match(request("川がある")) == ("川がある".encode(), 0)


def test_of_a_body_that_has_not_come_whole_it_is_told_how_much_is_missing() -> None:
    head, came = Head.of(HEAD % 3, SCOPE), request("川がある")
    assert head is not None
    assert head.match(came[:-4]) == ("川がある".encode()[:-4], 4)
    assert head.match(HEAD % 12) == (b"", 12)
    assert head.match(HEAD % MOST_BODY_BYTES) == (b"", MOST_BODY_BYTES)
    assert head.match(HEAD % (MOST_BODY_BYTES + 1)) is None
    assert head.match(request("山" * MOST_BODY_BYTES)) == ("山".encode() * MOST_BODY_BYTES, 0)


def test_what_follows_from_a_head_is_worked_out_once_unless_it_is_refused() -> None:
    head, asked = Head.of(request("山"), SCOPE), []
    assert head is not None

    def hosts(scope: Scope) -> list[bytes]:
        asked.append(scope)
        if len(asked) == 1:
            raise Refusal(421, "invalid_host", "?")
        return [value for name, value in scope["headers"] if name == b"host"]

    with pytest.raises(Refusal):
        head.derived(hosts)
    assert head.derived(hosts) is head.derived(hosts)
    assert len(asked) == 2


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
        ("more than it", request("山") + b"P"),
        ("two requests", request("山") * 2),
        ("a part of a head", request("山")[:30]),
        ("nothing", b""),
    ],
)
def test_whatever_else_is_another_is_read_anew(why: str, data: bytes) -> None:
    head = Head.of(request("山"), SCOPE)
    assert head is not None
    assert head.match(data) is None, why


@pytest.mark.parametrize(
    "change",
    [
        {"method": "PUT"},
        {"http_version": "1.0"},
        {"headers": [*SCOPE["headers"], (b"connection", b"close")]},
        {"headers": [*SCOPE["headers"], (b"connection", b"keep-alive, TE")]},
        {"headers": [*SCOPE["headers"], (b"connection", b"keep-alive"), (b"connection", b"close")]},
        {"headers": [*SCOPE["headers"], (b"transfer-encoding", b"chunked")]},
        {"headers": [*SCOPE["headers"], (b"expect", b"100-continue")]},
        {"headers": [*SCOPE["headers"], (b"upgrade", b"h2c")]},
        {"headers": [*SCOPE["headers"], (b"content-length", b"3")]},
        {"headers": [(b"host", b"localhost")]},
    ],
)
def test_heads_that_say_more_than_what_is_in_them_are_read_each_time(change: dict[str, Any]) -> None:
    assert Head.of(request("山"), {**SCOPE, **change}) is None


@pytest.mark.parametrize("said", [b"keep-alive", b"Keep-Alive "])
def test_that_a_connection_stays_is_what_connections_do(said: bytes) -> None:
    assert Head.of(request("山"), {**SCOPE, "headers": [*SCOPE["headers"], (b"connection", said)]}) is not None


class Forgetful(KnownHeads):
    """Of a server that keeps no heads itself."""

    def keep(self, head: Head) -> None:
        pass


def kept_of(asked: list[bytes], known: KnownHeads) -> list[bool]:
    """Which of these are known, when all have come in turn over one connection."""
    heads = Heads(known)
    for each in asked:
        head = Head.of(each, SCOPE)
        assert head is not None
        heads.keep(head)
    return [heads.match(each) is not None for each in asked]


def of_tool(name: str) -> bytes:
    return request("山", HEAD.replace(b"localhost", name.encode()))


def test_of_several_heads_the_last_are_kept() -> None:
    asked = [of_tool(f"tool{number}") for number in range(MOST_HEADS + 2)]
    assert kept_of(asked, Forgetful()) == [False] * 2 + [True] * MOST_HEADS
    match = [asked[0], *asked[1:MOST_HEADS], asked[0], asked[0], asked[-1]]
    assert kept_of(match, Forgetful()) == [True] + [False] + [True] * (MOST_HEADS + 1)


def test_a_long_head_is_not_kept_and_of_rather_long_ones_fewer() -> None:
    assert Head.of(of_tool("l" * MOST_BYTES), SCOPE) is None
    assert kept_of([of_tool(letter * (MOST_BYTES // 2 - 100)) for letter in "abc"], Forgetful()) == [False, True, True]


def test_a_server_knows_the_last_heads_of_all_its_connections() -> None:
    known = KnownHeads()
    asked = [of_tool(f"道具{number}") for number in range(MOST_KNOWN_HEADS + 2)]
    assert kept_of(asked, known) == [False] * 2 + [True] * MOST_KNOWN_HEADS
    match = Heads(known).match(asked[-1][:-1])
    assert match is not None
    assert match[1:] == ("山".encode()[:-1], 1)


TRACE = b"traceparent: 00-%032x-%016x-01\r\nX-Request-ID:%d\r\nBaggage: user=%%E5%%B1%%B1\r\n"


def traced(body: str, number: int, *, line: bytes = b"X-Who: ", trace: bytes = TRACE) -> bytes:
    """A request with the ids of a trace before a line of its head."""
    return request(body).replace(line, trace % (number, number, number) + line)


def known_with(data: bytes) -> KnownHeads:
    known = KnownHeads()
    headers = [*SCOPE["headers"], (b"traceparent", b"1"), (b"x-request-id", b"1"), (b"baggage", b"user=%E5%B1%B1")]
    head = Head.of(data, {**SCOPE, "headers": headers})
    assert head is not None
    assert head.derived(lambda scope: scope["headers"]) == SCOPE["headers"], "nothing follows from the ids"
    known.keep(head)
    return known


@pytest.mark.parametrize("line", [b"Host: ", b"Content-Length: ", b"X-Who: "])
def test_ids_of_traces_may_be_others_each_time_or_none(line: bytes) -> None:
    known = known_with(traced("山", 1))
    for body, came in [("川がある", traced("川がある", 2, line=line)), ("河", request("河"))]:
        match = known.match(came)
        assert match is not None
        assert match[1:] == (body.encode(), 0)


@pytest.mark.parametrize(
    ("why", "trace"),
    [
        ("a line that goes on", b"traceparent: %d%d%d\r\n goes on\r\n"),
        ("one with other characters", b"traceparent: \xe5\xb1\xb1%d%d%d\r\n"),
        ("one with a line end alone", b"traceparent: %d%d%d\nHost: other\r\n"),
        ("a gap before the colon", b"traceparent : %d%d%d\r\n"),
        ("no colon", b"traceparent\r\nBaggage: %d%d%d\r\n"),
        ("a name that only begins so", b"traceparents: %d%d%d\r\n"),
        ("one that only ends so", b"my-request-id: %d%d%d\r\n"),
    ],
)
def test_whatever_only_looks_like_the_id_of_a_trace_is_read(why: str, trace: bytes) -> None:
    assert known_with(traced("山", 1)).match(traced("山", 2, trace=trace)) is None, why


def test_a_request_does_not_begin_with_the_id_of_a_trace() -> None:
    assert known_with(traced("山", 1)).match(traced("山", 2, line=b"POST ")) is None


class Authentication:
    """The bearer of a token, told at once unless the issuer has to be asked; None: let in no longer. That of "metrics" may measure
    alone."""

    asked = 0
    withdrawn = False
    waits = False

    def at_once(self, token: str | None) -> Visitor:
        if self.waits:
            raise WouldWait
        self.asked += 1
        if self.withdrawn:
            raise Refusal(401, "invalid_token", "?", {"WWW-Authenticate": "Bearer"})
        return Visitor(token or "nobody", rights="metrics" if token == "metrics" else "all")

    async def visitor(self, token: str | None, scope: str = "") -> Visitor:
        self.waits = False
        return self.at_once(token)


async def passing() -> None:
    """Time enough for whatever is there to be read."""
    for _ in range(50):
        await asyncio.sleep(0)


def said(visitor: Visitor, body: bytes, *, at_once: bool) -> bytes:
    return f"{visitor.name} {body.decode()} {at_once}".encode()


async def tells(scope: Scope, receive: Receive, send: Send) -> None:
    """Who it was that asked what, and whether that was answered at once."""
    received = await receive()
    assert received["body"] == scope[BODY]
    await PlainTextResponse(said(scope["omoide.visitor"], received["body"], at_once=False))(scope, receive, send)


def at_once(request: RepeatedRequest, visitor: Visitor, over: Callable[[], None]) -> bool:
    """The same, but for what is to come the ordinary way."""
    if request.body == b"ordinary":
        return False
    if request.body == b"broken":
        raise RuntimeError(request.body)
    told = said(visitor, request.body, at_once=True)

    def answer() -> None:
        headers = [(b"content-length", b"%d" % len(told)), (b"content-type", b"text/plain; charset=utf-8")]
        for _ in range(2):  # the second is not sent
            request.answer(200, lines(headers), told)
        over()

    if request.body.startswith(b"slow"):
        request.loop.call_later(0.05, answer)
    elif request.body != b"never":
        answer()
    return True


def telling_after(go_on: asyncio.Event) -> ASGIApp:
    async def takes_its_time(scope: Scope, receive: Receive, send: Send) -> None:
        await go_on.wait()
        await tells(scope, receive, send)

    return takes_its_time


async def tells_anyone(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("fine")(scope, receive, send)


@asynccontextmanager
async def connected(
    keys: Authentication, limits: Limits | None = None, refused: Callable[[int], None] = lambda status: None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    guards = Guards(Hosts(frozenset({"localhost"})), keys, limits or Limits(), refused)
    app = Guarded(tells, guards, {"/health": tells_anyone}, {}, at_once)
    more: Any = {"timeout_graceful_shutdown": 1, "proxy_headers": False}
    config = uvicorn.Config(app, port=0, http=HttpConnection, ws="none", lifespan="off", log_config=None, **more)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    streams = await asyncio.open_connection(*server.servers[0].sockets[0].getsockname())
    yield streams
    server.should_exit = True
    if not server.server_state.tasks:
        streams[1].close()
    await running


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def answer(reader: asyncio.StreamReader) -> tuple[bytes, str]:
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    length = next(line for line in head.split(b"\r\n") if line.startswith(b"content-length"))
    return head, (await reader.readexactly(int(length.partition(b":")[2]))).decode()


BEARER = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %%d\r\n\r\n"


async def asked(streams: Streams, body: str, head: bytes = BEARER % b"Ada") -> str:
    """What is answered."""
    streams[1].write(request(body, head))
    return (await answer(streams[0]))[1]


async def test_who_asks_is_found_out_for_each_request() -> None:
    keys, statuses = Authentication(), list[int]()
    async with connected(keys, refused=statuses.append) as streams:
        told = [
            await asked(streams, body, BEARER % token)
            for token, body in [(b"Ada", "1"), (b"Ada", "22"), (b"Bob", "3"), (b"Bob", "4"), (b"Bob", "ordinary")]
        ]
        assert keys.asked == 6, "twice of whom it was found out at once that another has to answer"
        keys.waits = True
        told.append(await asked(streams, "5", BEARER % b"Bob"))
        keys.withdrawn = True
        streams[1].write(request("6", BEARER % b"Bob"))
        head, refused = await answer(streams[0])
    assert told == ["Ada 1 False", "Ada 22 True", "Bob 3 False", "Bob 4 True", "Bob ordinary False", "Bob 5 False"]
    assert head.startswith(b"HTTP/1.1 401 Unauthorized\r\n")
    assert b"www-authenticate: Bearer\r\n" in head
    assert "invalid_token" in refused
    assert statuses == [401]


@pytest.mark.parametrize("hosts", [[], ["localhost"] * 2, ["思い出"], ["记忆"], ["a b"]])
async def test_a_head_without_one_proper_host_is_refused_each_time(hosts: list[str]) -> None:
    statuses = list[int]()
    head = (BEARER % b"Ada").replace(b"Host: localhost\r\n", "".join(f"Host: {each}\r\n" for each in hosts).encode())
    async with connected(Authentication(), refused=statuses.append) as streams:
        told = [await asked(streams, body, head) for body in "123"]
        assert await asked(streams, "4") == "Ada 4 False"
        assert await asked(streams, "5") == "Ada 5 True"
    assert ["malformed_host" in each for each in told] == [True] * 3
    assert statuses == [400] * 3


async def test_a_head_that_says_the_body_is_compressed_is_refused_each_time() -> None:
    head = (BEARER % b"Ada").replace(b"Host", b"Content-Encoding: gzip\r\nHost")
    async with connected(Authentication()) as streams:
        told = [await asked(streams, body, head) for body in ("記憶", "记忆", "memory")]
    assert ["unsupported_encoding" in each for each in told] == [True] * 3


async def test_who_may_not_read_is_refused_each_time() -> None:
    statuses = list[int]()
    async with connected(Authentication(), refused=statuses.append) as streams:
        told = [await asked(streams, body, BEARER % b"metrics") for body in ("記憶", "记忆", "memory")]
    assert ["insufficient_scope" in each for each in told] == [True] * 3
    assert statuses == [403] * 3


async def test_what_one_connection_has_had_is_known_on_all_and_whose_it_is_is_found_out_for_each() -> None:
    keys, more = Authentication(), list[str]()
    trace = b"traceparent: 00-%032x-%016x-01\r\nHost:"
    async with connected(keys) as first:
        told = [await asked(first, "一", BEARER % token) for token in (b"Ada", b"Bob")]
        second = await asyncio.open_connection(*first[1].get_extra_info("peername"))
        for number, token in enumerate((b"Bob", b"Ada", b"Cai")):
            more.append(await asked(second, f"{number}", (BEARER % token).replace(b"Host:", trace % (number, number))))
        keys.withdrawn = True
        assert "invalid_token" in await asked(second, "三", BEARER % b"Ada")
        second[1].close()
    assert told == ["Ada 一 False", "Bob 一 False"]
    assert more == ["Bob 0 True", "Ada 1 True", "Cai 2 False"]


async def test_answers_have_the_same_heads_either_way() -> None:
    async with connected(Authentication()) as (reader, writer):
        heads = []
        for body in ["1", "2"]:
            writer.write(request(body, BEARER % b"Ada"))
            heads.append((await answer(reader))[0].replace(b"length: 11", b"length: 10").split(b"\r\n"))
    assert heads[0] == heads[1]
    assert heads[0][0] == b"HTTP/1.1 200 OK"


async def test_limits_count_each_request_once_and_are_told_as_ever() -> None:
    limits, statuses = Limits(rate=0.001, at_once=1, clock=lambda: 0.0), list[int]()
    async with connected(Authentication(), limits, statuses.append) as streams:
        assert await asked(streams, "1") == "Ada 1 False"
        assert "requests a second" in await asked(streams, "2")
    limits = Limits(rate=1.5, at_once=1, clock=lambda: 0.0)
    async with connected(Authentication(), limits, statuses.append) as streams:
        told = [await asked(streams, body) for body in ["1", "ordinary", "3", "4"]]
    assert told[:3] == ["Ada 1 False", "Ada ordinary False", "Ada 3 True"]
    assert "requests a second" in told[3]
    async with connected(Authentication(), Limits(at_once=1), statuses.append) as streams:
        told = [await asked(streams, body) for body in ["1", "slow", "3", "ordinary", "5"]]
    assert told == ["Ada 1 False", "Ada slow True", "Ada 3 True", "Ada ordinary False", "Ada 5 True"]
    assert statuses == [429, 429]


async def test_what_fails_is_answered_and_counts_no_longer(caplog: pytest.LogCaptureFixture) -> None:
    limits = Limits(at_once=1)
    async with connected(Authentication(), limits) as streams:
        assert await asked(streams, "1") == "Ada 1 False"
        streams[1].write(request("broken", BEARER % b"Ada"))
        head, told = await answer(streams[0])
        assert head.startswith(b"HTTP/1.1 500 ")
        assert b"connection: close" in head
        assert told == "Internal Server Error"
    async with connected(Authentication(), limits) as streams:
        assert await asked(streams, "1") == "Ada 1 False"
    assert "RuntimeError" in caplog.text


class Clock:
    """An event loop whose timers go off when it is told how late it is."""

    def __init__(self) -> None:
        self._now = 0.0
        self._due: list[tuple[float, asyncio.TimerHandle]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio.get_running_loop(), name)

    def time(self) -> float:
        return self._now

    def call_later(self, seconds: float, do: Callable[..., None], *given: Any) -> asyncio.TimerHandle:
        at = self._now + seconds
        timer = asyncio.TimerHandle(at, do, given, asyncio.get_running_loop())
        self._due.append((at, timer))
        return timer

    @property
    def goes_off(self) -> list[asyncio.TimerHandle]:
        return [timer for _, timer in self._due if not timer.cancelled()]

    def become(self, now: float) -> None:
        for at in sorted(at for at, _ in self._due if at <= now):
            self._now = at
            timer = next(each for each in self._due if each[0] == at)
            self._due.remove(timer)
            if not timer[1].cancelled():
                timer[1]._run()
        self._now = now


class Client(asyncio.Transport):
    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.closed_at: float | None = None
        self.told: list[bytes] = []

    def write(self, data: Any) -> None:
        self.told.append(bytes(data))

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        self.closed_at = self.clock.time()

    def abort(self) -> None:
        self.close()

    def is_closing(self) -> bool:
        return self.closed_at is not None


def connection_of(client: Client, app: ASGIApp = tells) -> HttpConnection:
    app = Guarded(app, Guards(Hosts(None), Authentication()), {}, {}, at_once)
    config = uvicorn.Config(app, proxy_headers=False, log_config=None, timeout_keep_alive=75)
    served = HttpConnection(config, uvicorn.server.ServerState(), {}, client.clock)  # type: ignore[arg-type]
    served.connection_made(client)
    return served


async def test_a_connection_rests_for_as_long_as_it_may_after_each_answer_and_is_closed_then() -> None:
    clock = Clock()
    client = Client(clock)
    served = connection_of(client)
    for now, body in [(1, "1"), (60, "2"), (100, "ordinary"), (130, "3"), (204, "4"), (205, "5")]:
        clock.become(now)
        served.data_received(request(body, BEARER % b"Ada"))
        await passing()
        assert client.told[-1].endswith(body.encode() + b" True") or body in ("1", "ordinary")
    clock.become(279.9)
    assert client.closed_at is None
    clock.become(1_000)
    assert client.closed_at == 280.0
    served.connection_lost(None)


async def test_a_connection_is_not_closed_while_its_client_waits_for_an_answer_but_when_it_rests_after_that() -> None:
    clock = Clock()
    client = Client(clock)
    served = connection_of(client)
    served.data_received(request("1", BEARER % b"Ada"))
    await passing()
    clock.become(74.99)
    served.data_received(request("slow 茶", BEARER % b"Ada"))
    clock.become(75.03)
    assert client.closed_at is None
    clock.become(75.04)
    assert client.told[-1].endswith("slow 茶 True".encode())
    clock.become(1_000)
    assert client.closed_at == pytest.approx(150.04)
    served.connection_lost(None)


@pytest.mark.parametrize("behind", [b"no request\r\n\r\n", b"POST / HTTP/1.1\r\nno header\r\n"])
async def test_what_is_no_request_is_answered_behind_the_request_before_it_however_long_that_takes(
    behind: bytes,
) -> None:
    clock, go_on = Clock(), asyncio.Event()
    client = Client(clock)
    served = connection_of(client, telling_after(go_on))
    served.data_received(request("ordinary", BEARER % b"Ada") + behind)
    await passing()
    clock.become(10 * HEAD_SECONDS)
    assert client.told == []
    assert client.closed_at is None
    go_on.set()
    await passing()
    assert re.findall(rb"HTTP/1.1 (\d+)", b"".join(client.told)) == [b"200", b"400"]
    assert client.closed_at == 10 * HEAD_SECONDS
    served.connection_lost(None)


@pytest.mark.parametrize("why", [None, ConnectionResetError()], ids=["closed", "hung up"])
async def test_a_connection_that_is_gone_is_let_go_of(why: Exception | None) -> None:
    clock = Clock()
    client = Client(clock)
    served = connection_of(client)
    for body in ("1", "2", "never"):
        served.data_received(request(body, BEARER % b"Ada"))
        await passing()
    served.connection_lost(why)
    assert clock.goes_off == []
    gone = ref(served)
    under_way = served.tasks.pop()
    gc.disable()
    try:
        del served, under_way
        assert gone() is None
    finally:
        gc.enable()


def says_nothing(served: HttpConnection) -> None:
    """Nor has it ever."""


def takes_no_answer(served: HttpConnection) -> None:
    served.data_received(request("never", BEARER % b"Ada"))
    served.pause_writing()


def sends_no_more(served: HttpConnection) -> None:
    for body in ("1", "never"):
        served.data_received(request(body, BEARER % b"Ada"))
    assert served.eof_received()


def takes_no_answer_and_sends_no_more(served: HttpConnection) -> None:
    takes_no_answer(served)
    assert served.eof_received()


def sends_no_more_and_takes_no_answer(served: HttpConnection) -> None:
    sends_no_more(served)
    served.pause_writing()


LAST_SEEN = [
    says_nothing,
    takes_no_answer,
    sends_no_more,
    takes_no_answer_and_sends_no_more,
    sends_no_more_and_takes_no_answer,
]


@pytest.mark.parametrize("last_seen", LAST_SEEN)
async def test_no_timer_of_a_connection_that_is_gone_goes_off(last_seen: Callable[[HttpConnection], None]) -> None:
    clock = Clock()
    served = connection_of(Paused(clock))
    last_seen(served)
    await passing()
    assert clock.goes_off
    served.connection_lost(ConnectionResetError())
    await passing()
    assert clock.goes_off == []


async def test_whoever_asks_for_health_needs_no_token() -> None:
    head = b"POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
    keys = Authentication()
    keys.withdrawn = True
    async with connected(keys) as streams:
        assert [await asked(streams, "", head) for _ in range(3)] == ["fine"] * 3


async def test_what_is_not_waited_for_when_the_server_ends_is_told_so_and_counted() -> None:
    statuses = list[int]()
    async with connected(Authentication(), refused=statuses.append) as (reader, writer):
        writer.write(request("1", BEARER % b"Ada"))
        await answer(reader)
        writer.write(request("slow", BEARER % b"Ada"))
        await answer(reader)
        writer.write(request("never", BEARER % b"Ada"))
        await passing()
        ends = asyncio.ensure_future(reader.read())
    told = await ends
    assert told.startswith(b"HTTP/1.1 503 ")
    assert told.count(b"connection: close\r\n") == 1
    assert b"look before you repeat it" in told
    assert statuses == [503]


@pytest.mark.parametrize("before", ["", "茶", "slow 会議"], ids=["alone", "behind a request", "behind one that waits"])
async def test_what_is_no_request_is_counted_once(before: str) -> None:
    statuses = list[int]()
    async with connected(Authentication(), refused=statuses.append) as (reader, writer):
        if before:  # so that the next comes with a known head
            await asked((reader, writer), "1")
            writer.write(request(before, BEARER % b"Ada"))
            await passing()
        writer.write(b"no request\r\n\r\n")
        told = await reader.read()
    assert told.count(b"HTTP/1.1 400 ") == 1
    assert statuses == [400]


@pytest.mark.parametrize(
    "before", [[], ["山"], ["山", "川"]], ids=["a new connection", "a head that came once", "a known head"]
)
@pytest.mark.parametrize("last", ["3", "ordinary"])
async def test_what_was_on_its_way_when_the_server_ends_is_answered_as_the_last(before: list[str], last: str) -> None:
    clock = Clock()
    client = Client(clock)
    served = connection_of(client)
    for body in before:
        served.data_received(request(body, BEARER % b"Ada"))
        await passing()
    told = len(client.told)
    served.shutdown()
    clock.become(LAST_SECONDS / 2)
    assert client.closed_at is None
    served.data_received(request(last, BEARER % b"Ada"))
    await passing()
    answered = b"".join(client.told[told:])
    assert answered.startswith(b"HTTP/1.1 200 ")
    assert answered.count(b"connection: close\r\n") == 1
    assert client.closed_at == LAST_SECONDS / 2
    clock.become(LAST_SECONDS)
    served.connection_lost(None)


@pytest.mark.parametrize("what", [HttpConnection.shutdown, HttpConnection.eof_received], ids=["server", "client"])
async def test_where_either_ends_the_answer_that_is_waited_for_is_the_last_and_says_so(
    what: Callable[[HttpConnection], object],
) -> None:
    clock, go_on = Clock(), asyncio.Event()
    client = Client(clock)
    served = connection_of(client, telling_after(go_on))
    served.data_received(request("ordinary", BEARER % b"Ada"))
    await passing()
    what(served)
    go_on.set()
    await passing()
    assert b"".join(client.told).count(b"connection: close\r\n") == 1
    assert client.closed_at == 0
    served.connection_lost(None)


async def test_who_has_taken_an_answer_late_may_take_as_long_for_another() -> None:
    clock = Clock()
    client = Paused(clock)
    served = connection_of(client)
    for body in ("1", "never"):
        served.data_received(request(body, BEARER % b"Ada"))
        await passing()
    for late in range(3):
        clock.become((late + 1) * TAKE_SECONDS - 2)
        served.pause_writing()
        clock.become((late + 1) * TAKE_SECONDS - 1)
        served.resume_writing()
    clock.become(10 * TAKE_SECONDS)
    assert client.closed_at is None
    served.pause_writing()
    clock.become(20 * TAKE_SECONDS)
    assert client.closed_at == 11 * TAKE_SECONDS
    served.connection_lost(None)


async def test_who_sends_no_more_behind_two_requests_is_probed_while_he_waits_for_the_second_answer() -> None:
    clock, go_on = Clock(), asyncio.Event()

    async def takes_its_time(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/slow":
            await go_on.wait()
        await tells(scope, receive, send)

    client = Paused(clock)
    served = connection_of(client, takes_its_time)
    first = request("ordinary", BEARER % b"Ada")
    served.data_received(first + re.sub(rb"POST \S+", b"POST /slow", first))
    await passing()
    assert served.eof_received()
    told = len(client.told)
    clock.become(PROBE_SECONDS)
    assert client.told[told:] == [b"HTTP/1.1 100 Continue\r\n\r\n"]
    go_on.set()
    await passing()
    assert client.closed_at == PROBE_SECONDS
    served.connection_lost(None)


async def test_no_probe_gets_into_an_answer_that_has_begun() -> None:
    clock, go_on = Clock(), [asyncio.Event(), asyncio.Event()]

    async def streams(scope: Scope, receive: Receive, send: Send) -> None:
        await go_on[0].wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"transfer-encoding", b"chunked")]})
        await send({"type": "http.response.body", "body": "記憶\n".encode(), "more_body": True})
        await go_on[1].wait()
        await send({"type": "http.response.body", "body": "记忆\n".encode()})

    client = Client(clock)
    served = connection_of(client, streams)
    served.data_received(request("ordinary", BEARER % b"Ada"))
    await passing()
    assert served.eof_received()
    go_on[0].set()
    await passing()
    clock.become(10 * PROBE_SECONDS)
    go_on[1].set()
    await passing()
    assert b"100 Continue" not in b"".join(client.told)
    assert client.closed_at == 10 * PROBE_SECONDS
    served.connection_lost(None)


@pytest.mark.parametrize("is_whole", [True, False])
async def test_no_head_is_late_because_the_requests_before_it_take_long(is_whole: bool) -> None:
    clock, go_on = Clock(), asyncio.Event()
    client = Paused(clock)
    served = connection_of(client, telling_after(go_on))
    whole = request("ordinary", BEARER % b"Ada")
    long = whole.replace(b"\r\n", b"\r\nX-Long: %s\r\n" % (b"x" * PIECE_BYTES), 1)
    served.data_received(2 * whole + (long if is_whole else long.partition(b"\r\n\r\n")[0]))
    await passing()
    clock.become(1.5 * HEAD_SECONDS)
    assert client.closed_at is None
    go_on.set()
    await passing()
    assert re.findall(rb"HTTP/1.1 (\d+)", b"".join(client.told)) == [b"200"] * (3 if is_whole else 2)
    clock.become(2 * HEAD_SECONDS)
    assert client.closed_at == (None if is_whole else 2 * HEAD_SECONDS)
    served.connection_lost(None)


@pytest.mark.parametrize("asks", [True, False])
async def test_who_was_told_with_a_stream_that_the_connection_stays_is_heard_once_more_when_the_server_ends(
    asks: bool,
) -> None:
    clock, go_on = Clock(), asyncio.Event()

    async def streams(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"transfer-encoding", b"chunked")]})
        await go_on.wait()
        await send({"type": "http.response.body", "body": "記憶 记忆\n".encode()})

    client = Client(clock)
    served = connection_of(client, streams)
    served.data_received(request("山", BEARER % b"Ada"))
    await passing()
    served.shutdown()
    go_on.set()
    await passing()
    assert client.told[-1].endswith(b"0\r\n\r\n")
    assert client.closed_at is None
    told = len(client.told)
    if asks:  # before the client could see that the connection is to be closed
        served.data_received(request("ordinary", BEARER % b"Ada"))
        await passing()
        assert b"connection: close\r\n" in b"".join(client.told[told:])
        assert client.closed_at == 0
    clock.become(LAST_SECONDS)
    assert client.closed_at == LAST_SECONDS
    served.connection_lost(None)


@pytest.mark.parametrize("begun", [b"", b"POST /mcp HTTP/1.1\r\n"], ids=["nothing", "half a head"])
async def test_who_has_asked_for_nothing_is_not_waited_for_when_the_server_ends(begun: bytes) -> None:
    clock = Clock()
    client = Client(clock)
    served = connection_of(client)
    served.data_received(request("山", BEARER % b"Ada"))
    await passing()
    served.shutdown()
    if begun:
        served.data_received(begun)
    clock.become(10)
    assert client.closed_at == LAST_SECONDS
    served.connection_lost(None)


KEPT = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Length: %d\r\n\r\n"


async def test_who_sends_a_body_behind_its_head_is_answered_as_soon_as_who_sends_both_at_once() -> None:
    async with connected(Authentication()) as (reader, writer):
        told = []
        for body in ["京都のお茶", "昨天", "the tea", "ordinary", "山"]:
            head, body_behind = KEPT % len(body.encode()), body.encode()
            for part in (head, body_behind):
                writer.write(part)
                await passing()
            told.append((await answer(reader))[1])
    assert told == [
        "nobody 京都のお茶 False",
        "nobody 昨天 True",
        "nobody the tea True",
        "nobody ordinary False",
        "nobody 山 True",
    ]


async def test_who_sends_one_head_after_another_is_answered_as_soon_as_who_sends_one() -> None:
    heads = [KEPT.replace(b"POST /mcp", b"POST /mcp?tool=%d" % tool) for tool in range(3)]
    async with connected(Authentication()) as streams:
        told = [await asked(streams, body, head) for body in ("京都", "茶", "tea") for head in heads]
    assert told == [
        f"nobody {body} {at_once}" for body, at_once in [("京都", False), ("茶", True), ("tea", True)] for _ in heads
    ]


async def test_a_body_that_does_not_come_soon_goes_the_ordinary_way() -> None:
    clock = Clock()
    client = Client(clock)
    served = connection_of(client)
    whole = request("京都", BEARER % b"Ada")
    for parts, seconds, at_once in [
        ([whole], 0, False),
        ([whole[:-4], whole[-4:]], 0, True),
        ([whole[:-4], whole[-4:-2], whole[-2:]], 0, False),
        ([whole[:-4], whole[-4:]], REST_SECONDS / 2, True),
        ([whole[:-4], whole[-4:]], REST_SECONDS, False),
        ([whole], 0, True),
    ]:
        for part in parts:
            served.data_received(part)
            clock.become(clock.time() + seconds)
            await passing()
        assert client.told.pop().endswith(f"Ada 京都 {at_once}".encode())
    served.data_received(whole[:-1])
    assert served.eof_received() is False, "half a request has no answer"
    served.connection_lost(None)
    assert clock.goes_off == []


@pytest.mark.parametrize("when", ["before the end", "after it"])
@pytest.mark.parametrize("rest", ["soon", "late", "never"])
async def test_half_of_a_request_is_waited_for_when_the_server_ends(when: str, rest: str) -> None:
    clock = Clock()
    client = Client(clock)
    served = connection_of(client)
    whole = request("茶", BEARER % b"Ada")
    served.data_received(whole)
    await passing()
    steps = [served.shutdown, lambda: served.data_received(whole[:-1])]
    for step in steps if when == "after it" else reversed(steps):
        step()
    told = len(client.told)
    clock.become(2 * REST_SECONDS if rest != "soon" else LAST_SECONDS / 2)
    await passing()
    assert client.closed_at is None
    if rest == "never":
        for under_way in list(served.tasks):
            under_way.cancel()
    else:
        served.data_received(whole[-1:])
    await passing()
    answered = b"".join(client.told[told:])
    assert answered.startswith(b"HTTP/1.1 503 " if rest == "never" else b"HTTP/1.1 200 ")
    assert answered.count(b"connection: close\r\n") == 1
    assert client.closed_at is not None
    served.connection_lost(None)


async def test_half_of_the_first_request_of_a_connection_is_waited_for_when_the_server_ends() -> None:
    clock, whole = Clock(), request("一", BEARER % b"Ada")
    known = connection_of(Client(clock))
    known.data_received(whole)
    await passing()
    client = Client(clock)
    served = HttpConnection(known.config, known.server_state, {}, clock)  # type: ignore[arg-type]
    served.connection_made(client)
    served.data_received(whole[:-1])
    served.shutdown()
    served.data_received(whole[-1:])
    await passing()
    answered = b"".join(client.told)
    assert answered.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close\r\n" in answered
    assert client.closed_at is not None
    for each in (known, served):
        each.connection_lost(None)


class Paused(Client):
    """A client that knows whether it is read from."""

    is_read = True

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True


async def test_while_answers_are_not_taken_no_other_is_written() -> None:
    client, whole = Paused(Clock()), request("一", BEARER % b"Ada")
    served = connection_of(client)
    served.data_received(whole)
    await passing()
    taken = len(client.told)
    served.pause_writing()
    served.data_received(whole)
    await passing()
    assert len(client.told) == taken
    served.resume_writing()
    await passing()
    assert client.told[-1] == "Ada 一 False".encode()
    served.connection_lost(None)


@pytest.mark.parametrize("before", [[], ["一"]], ids=["unknown", "known"])
async def test_who_sends_no_more_in_the_middle_of_a_request_is_hung_up_on(before: list[str]) -> None:
    served = connection_of(Paused(Clock()))
    for body in before:
        served.data_received(request(body, BEARER % b"Ada"))
        await passing()
    served.data_received(request("半分", BEARER % b"Ada")[:-1])
    await passing()
    assert not served.eof_received()
    served.connection_lost(None)


async def test_of_thousands_of_requests_in_one_packet_a_few_are_read_at_a_time_and_all_answered() -> None:
    client = Paused(Clock())
    served = connection_of(client)
    packet = b"".join(request(f"{number} 茶", BEARER % b"Ada") for number in range(2_000))
    served.data_received(packet)
    most = 0
    while not b"".join(client.told[-2:]).endswith("1999 茶 False".encode()):
        assert client.is_read <= (not served._later)
        most = max(most, len(served.pipeline))
        await asyncio.sleep(0)
    assert most <= PIECE_BYTES // 80
    assert re.findall(rb"Ada (\d+) ", b"".join(client.told)) == [b"%d" % number for number in range(2_000)]
    assert client.is_read
    served.connection_lost(None)


@pytest.mark.parametrize("ends", [True, False], ids=["and no more", "and more"])
async def test_a_long_row_of_requests_is_answered_in_its_order(ends: bool) -> None:
    bodies = [f"{number} 会議" + "る" * (number % 7 * 3_000) for number in range(300)]
    packet = b"".join(request(body, BEARER % b"Ada") for body in bodies)
    async with connected(Authentication()) as (reader, writer):
        for at in range(0, len(packet), 70_001):
            writer.write(packet[at : at + 70_001])
            await passing()
        if ends:
            writer.write_eof()
        told = [(await answer(reader))[1] for _ in bodies]
    assert [each.removeprefix("Ada ").rpartition(" ")[0] for each in told] == bodies


async def test_the_head_of_one_is_not_taken_for_that_of_another_that_came_with_it() -> None:
    async with connected(Authentication()) as (reader, writer):
        writer.write(request("一緒に", BEARER % "山田".encode()) + request("一起", BEARER % "王".encode()))
        assert [(await answer(reader))[1] for _ in range(2)] == ["山田 一緒に False", "王 一起 False"]
        for name in ("山田", "王"):
            told = [await asked((reader, writer), "again", BEARER % name.encode()) for _ in range(2)]
            assert told == [f"{name} again False", f"{name} again True"]


async def test_a_request_with_the_beginning_of_the_next_is_answered_and_so_is_the_next() -> None:
    head = (BEARER % b"Ada").removesuffix(b"\r\n")
    async with connected(Authentication()) as (reader, writer):
        for at in range(1, len(head + b"X-100: 1")):
            one, other = (request(body, head + b"X-%d: 1\r\n\r\n" % at) for body in ("一", "二"))
            writer.write(one + other[:at])
            await passing()
            writer.write(other[at:])
            assert [(await answer(reader))[1].rpartition(" ")[0] for _ in range(2)] == ["Ada 一", "Ada 二"]


async def test_what_comes_in_parts_or_in_a_row_is_answered_in_its_order() -> None:
    whole, slow, other = (request(body, BEARER % b"Ada") for body in ("1", "slow", "2"))
    async with connected(Authentication()) as (reader, writer):
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
        ["1 True"],
        ["1 False", "1 False", "2 False"],
        ["1 False", "2 False"],
        ["1 True"],
        ["slow True", "2 False", "2 True"],
        ["1 True"],
        ["1 True"],
    ]
