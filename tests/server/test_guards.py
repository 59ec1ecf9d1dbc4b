"""Who and what is let in over HTTP, before any tool is reached."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from http import HTTPStatus
from itertools import product
from typing import Any

import anyio
import httpx2
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omoide.config import Secret
from omoide.server.access.limits import MAX_BODY_BYTES, MOST_AT_ONCE, Account, Limits, RequestCounts
from omoide.server.access.refusal import REST_BYTES, Refusal
from omoide.server.access.tokens import Authenticator, OneToken
from omoide.server.access.visitor import VISITOR, Visitor
from omoide.server.http.guards import Authentication, Guarded, Guards, Hosts
from omoide.server.http.serving import hosts
from omoide.server.monitoring.metrics import Metrics

HERE = Hosts(frozenset({"127.0.0.1", "localhost", "[::1]"}))
URL = "http://127.0.0.1:8765"
#: Seconds until a test gives up: what it waits for should have come long before.
PATIENCE = 20.0


async def tells_the_visitor(scope: Scope, receive: Receive, send: Send) -> None:
    body = (await receive())["body"]
    await PlainTextResponse(f"{scope[VISITOR].name} {len(body)}")(scope, receive, send)


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("hello")(scope, receive, send)


def client(guards: Guards, app: ASGIApp = tells_the_visitor) -> httpx2.AsyncClient:
    guarded = Guarded(app, guards, open_to_all={"/health/live": hello}, measured={"/metrics": hello})
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(guarded), base_url=URL)


class Changing:
    """Keys that say, each time, the next of what they are given, then the last again and again."""

    def __init__(self, *says: Visitor | Refusal) -> None:
        self._says = list(says)

    async def visitor(self, token: str | None, scope: str = "") -> Visitor:
        says = self._says.pop(0) if len(self._says) > 1 else self._says[0]
        if isinstance(says, Refusal):
            raise says
        return says


ALICE = Visitor("手机", "爱丽丝")
#: With a token of an issuer.
BOB = Visitor("携帯", "ボブ", expires=True)


@pytest.mark.parametrize(
    "now",
    [Refusal(401, "invalid_token", ""), Refusal(403, "insufficient_scope", ""), ALICE._replace(rights="read")],
    ids=["withdrawn", "not for this any more", "for reading alone"],
)
@pytest.mark.parametrize(("method", "who"), [("GET", ALICE), ("POST", ALICE), ("GET", BOB)])
async def test_a_client_whose_token_is_not_what_it_was_listens_and_waits_no_longer(
    method: str, who: Visitor, now: Visitor | Refusal
) -> None:
    async def listen(scope: Scope, receive: Receive, send: Send) -> None:
        heard = [(await receive())["type"], (await receive())["type"]]
        await PlainTextResponse(" ".join(heard))(scope, receive, send)

    unknown = Refusal(503, "keys_unavailable", "")  # tells nothing of a token
    keys = Changing(who, who, unknown, who, now)
    async with client(Guards(HERE, keys, listener_seconds=0.001), listen) as asking:
        told = await asyncio.wait_for(asking.request(method, "/mcp"), PATIENCE)
    assert told.text == "http.request http.disconnect"
    assert keys._says == [now]


async def test_what_was_asked_before_a_token_of_an_issuer_expired_is_answered_after_it() -> None:
    over = asyncio.Event()

    async def wait(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        with suppress(TimeoutError, asyncio.TimeoutError):
            await asyncio.wait_for(receive(), 0.1)
            over.set()
        await PlainTextResponse("答え")(scope, receive, send)

    keys = Changing(BOB, Refusal(401, "invalid_token", ""))
    async with client(Guards(HERE, keys, listener_seconds=0.001), wait) as asking:
        assert (await asyncio.wait_for(asking.post("/mcp"), PATIENCE)).text == "答え"
    assert not over.is_set()


CODINGS: list[tuple[str, list[str], int]] = [
    ("Content-Encoding", ["identity"], 200),
    ("Content-Encoding", ["Identity, "], 200),
    ("Content-Encoding", ["gzip"], 415),
    ("Content-Encoding", ["GZIP"], 415),
    ("Content-Encoding", ["identity", "br"], 415),
    ("Content-Encoding", ["deflate, identity"], 415),
    ("Transfer-Encoding", ["Chunked"], 200),
    ("Transfer-Encoding", ["gzip, chunked"], 415),
    ("Transfer-Encoding", ["deflate", "chunked"], 415),
]


@pytest.mark.parametrize(("name", "codings", "status"), CODINGS)
async def test_a_compressed_body_is_refused_as_that(name: str, codings: list[str], status: int) -> None:
    headers = [(name, coding) for coding in codings]
    async with client(Guards(HERE)) as asking:
        answer = await asking.post("/mcp", content="お茶".encode(), headers=headers)
    assert answer.status_code == status
    if status == 415:
        assert answer.headers["accept-encoding"] == "identity"
        assert answer.json()["error"] == "unsupported_encoding"


HEADERS: list[tuple[dict[str, str], int]] = [
    ({}, 200),
    ({"Host": "LOCALHOST"}, 200),
    ({"Host": "localhost:1"}, 200),
    ({"Host": "localhost:"}, 200),
    ({"Host": "evil.example:"}, 421),
    ({"Host": "[::1]:"}, 200),
    ({"Host": "[::1]:8765"}, 200),
    ({"Host": "[0:0:0:0:0:0:0:1]:8765"}, 200),
    ({"Host": "[0000::0001]"}, 200),
    ({"Host": "[::ffff:127.0.0.1]:8765"}, 200),
    ({"Host": "[::ffff:7f00:1]"}, 200),
    ({"Host": "[::ffff:8.8.8.8]"}, 421),
    ({"Host": "localhost.:8765"}, 200),
    ({"Host": "127.0.0.1."}, 200),
    ({"Host": "evil.example.:8765"}, 421),
    ({"Host": "[::2]:8765"}, 421),
    ({"Origin": "http://localhost:3000"}, 200),
    ({"Origin": "http://[0:0:0:0:0:0:0:1]:3000"}, 200),
    ({"Host": "evil.example"}, 421),
    ({"Host": "localhost.evil.example:8765"}, 421),
    ({"Host": "xn--r8jwklh769h.example"}, 421),
    ({"Host": "127.0.0.1@evil.example"}, 400),
    ({"Host": "localhost:evil"}, 400),
    ({"Host": "localhost/mcp"}, 400),
    ({"Host": "::1"}, 400),
    ({"Host": "[::1"}, 400),
    ({"Host": ""}, 400),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://localhost.evil.example"}, 403),
    ({"Origin": ""}, 403),
]


@pytest.mark.parametrize(("headers", "status"), HEADERS)
async def test_a_page_of_another_site_cannot_ask_by_any_name_of_its_own(headers: dict[str, str], status: int) -> None:
    async with client(Guards(HERE)) as asking:
        assert (await asking.post("/mcp", headers=headers)).status_code == status
        assert (await asking.get("/health/live", headers=headers)).status_code == status


async def test_who_comes_by_a_name_that_the_server_does_not_have_is_told_what_gives_it_one() -> None:
    headers = {"Host": "host.docker.internal:8765"}
    async with client(Guards(HERE)) as asking:
        refused = (await asking.post("/mcp", headers=headers)).json()
    assert (refused["error"], "--public-url" in refused["error_description"]) == ("invalid_host", True)
    known = hosts(["127.0.0.1"], "http://host.docker.internal:8765/mcp")
    async with client(Guards(known)) as asking:
        assert (await asking.post("/mcp", headers=headers)).status_code == 200


async def status_of(guards: Guards, headers: list[tuple[bytes, bytes]], http_version: str = "1.1") -> int:
    """How a request for health with these headers is answered."""
    sent = list[Message]()

    async def send(message: Message) -> None:
        sent.append(message)

    guarded = Guarded(hello, guards, open_to_all={"/health/live": hello}, measured={})
    scope = {"type": "http", "http_version": http_version, "method": "GET", "path": "/health/live", "headers": headers}
    await guarded(scope, whole_body, send)
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    ("origins", "status"),
    [
        ([b"https://evil.example"], 403),
        ([b"http://localhost", b"https://evil.example"], 403),
        ([b"http://localhost"], 200),
    ],
)
async def test_of_several_origins_none_may_be_another_site(origins: list[bytes], status: int) -> None:
    headers = [(b"host", b"localhost"), *((b"origin", each) for each in origins)]
    assert await status_of(Guards(HERE), headers) == status


@pytest.mark.parametrize("names", [HERE, Hosts(None)], ids=["this machine", "every address"])
@pytest.mark.parametrize(
    ("hosts", "http_version", "status"),
    [
        ([], "1.1", 400),
        ([], "1.0", 200),
        ([], "2", 200),
        ([b"localhost"], "1.1", 200),
        ([b"localhost", b"localhost"], "1.1", 400),
        ([b"localhost", b"evil.example"], "1.1", 400),
        ([b"localhost", b"evil.example"], "1.0", 400),
        ([b""], "1.1", 400),
        ([b"a b"], "1.1", 400),
        ([b"localhost:80:80"], "1.1", 400),
        (["思い出.example".encode()], "1.1", 400),
        (["记忆.example".encode()], "1.1", 400),
        ([b"memory.example, localhost"], "1.1", 400),
    ],
)
async def test_a_request_has_one_host(names: Hosts, hosts: list[bytes], http_version: str, status: int) -> None:
    counted = list[int]()
    guards = Guards(names, refused=counted.append)
    assert await status_of(guards, [(b"host", each) for each in hosts], http_version) == status
    assert counted == [status] * (status != 200)


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (None, 401),
        ("Bearer 開けごま", 200),
        ("bearer 開けごま", 200),
        ("Bearer 開けごま ", 200),
        ("Bearer 芝麻开门", 401),
        ("Bearer ", 401),
        ("Basic 開けごま", 401),
        ("開けごま", 401),
        ("Bearer 開けごまx", 401),
        ("Bearer \udcff".encode("utf-8", "surrogateescape"), 401),
    ],
)
async def test_with_a_token_only_its_bearers_are_let_in(authorization: Any, status: int) -> None:
    value = authorization.encode() if isinstance(authorization, str) else authorization
    headers = {} if value is None else {"Authorization": value}
    async with client(Guards(HERE, Authenticator([OneToken(Secret("開けごま"))]))) as asking:
        answer = await asking.post("/mcp", headers=headers)
        assert answer.status_code == status
        assert ("www-authenticate" in answer.headers) is (status == 401)
        assert (await asking.get("/metrics", headers=headers)).status_code == status
        assert (await asking.get("/health/live")).status_code == 200


class Bearer(Authentication):
    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor

    async def visitor(self, token: str | None, scope: str = "") -> Visitor:
        return self._visitor


@pytest.mark.parametrize(
    ("rights", "tools", "metrics"), [("all", 200, 200), ("write", 200, 403), ("read", 200, 403), ("metrics", 403, 200)]
)
async def test_metrics_are_for_those_who_may_measure(rights: Any, tools: int, metrics: int) -> None:
    async with client(Guards(HERE, Bearer(Visitor("x", "y", rights)))) as asking:
        answers = [await asking.get("/metrics"), await asking.post("/mcp")]
    assert [each.status_code for each in answers] == [metrics, tools]
    for each in answers:
        told = each.headers.get("WWW-Authenticate")
        assert told == ('Bearer error="insufficient_scope"' if each.status_code == 403 else None)


async def parts(*sizes: int) -> Any:
    for size in sizes:
        yield b"x" * size


@pytest.mark.parametrize(("sizes", "status"), [((10,), 200), ((MAX_BODY_BYTES,), 200), ((MAX_BODY_BYTES, 1), 413)])
async def test_a_body_arrives_whole_or_not_at_all(sizes: tuple[int, ...], status: int) -> None:
    async with client(Guards(HERE)) as asking:
        answer = await asking.post("/mcp", content=parts(*sizes))
    assert answer.status_code == status
    assert status != 200 or answer.text == f"local {sum(sizes)}"


@pytest.mark.parametrize("rest", [0, REST_BYTES, 3 * REST_BYTES])
async def test_a_body_that_is_declared_too_large_is_refused_at_once_and_the_rest_thrown_away(rest: int) -> None:
    heard: list[str] = []
    left = iter([b"x" * (REST_BYTES // 4)] * (4 * rest // REST_BYTES))

    async def receive() -> Any:
        heard.append("read")
        body = next(left, None)
        return {"type": "http.request", "body": body or b"", "more_body": body is not None}

    async def send(message: Any) -> None:
        heard.append(str(message.get("status", message.get("more_body", "end"))))

    length = (b"content-length", str(MAX_BODY_BYTES + 1).encode())
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/mcp",
        "headers": [(b"host", b"localhost"), length],
    }
    await Guarded(tells_the_visitor, Guards(HERE), {}, {})(scope, receive, send)
    assert heard[:2] == ["413", "True"]
    assert heard[2:] == ["read"] * min(4 * rest // REST_BYTES + 1, 5) + ["end"]


async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    statuses: list[int] = []
    sent: list[Any] = []

    async def never() -> Any:
        await anyio.sleep_forever()

    async def send(message: Any) -> None:
        sent.append(message)

    guards = Guards(HERE, refused=statuses.append, body_seconds=0.01)
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/mcp",
        "headers": [(b"host", b"localhost")],
    }
    await Guarded(tells_the_visitor, guards, {}, {})(scope, never, send)
    assert statuses == [408]
    assert sent[0]["status"] == 408


# --- limits


def status(limits: Limits, name: str, method: str = "POST") -> int:
    try:
        with limits.request(name, method):
            return 200
    except Refusal as refusal:
        return refusal.status


def statuses(limits: Limits, names: Iterable[str]) -> list[int]:
    return [status(limits, name) for name in names]


def test_a_visitor_who_is_too_fast_waits_and_nobody_else_does() -> None:
    now = [100.0]
    limits = Limits(rate=2, clock=lambda: now[0])
    assert statuses(limits, "aaaaab") == [200, 200, 200, 200, 429, 200]
    now[0] += 0.5
    assert statuses(limits, "aa") == [200, 429]
    now[0] += 1_000
    assert statuses(limits, "aaaaa") == [200, 200, 200, 200, 429]


def test_a_clock_that_goes_back_locks_nobody_out() -> None:
    now = [100.0]
    limits = Limits(rate=2, clock=lambda: now[0])
    statuses(limits, "aaaaa")
    now[0] = 1.0
    statuses(limits, "a")
    now[0] = 2.0
    assert statuses(limits, "a") == [200]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (Limits(rate=0.1, clock=lambda: 0.0), "At most 0.1 requests a second. Try again in 10 s."),
        (Limits(rate=1, clock=lambda: 0.0), "At most 1 request a second. Try again in 2 s."),
        (Limits(at_once=1), "At most 1 request at a time. Try again in 2 s."),
        (Limits(at_once=2), "At most 2 requests at a time. Try again in 2 s."),
    ],
)
def test_who_has_to_wait_is_told_how_many_requests_there_may_be_and_for_how_long(limits: Limits, told: str) -> None:
    requests = (limits.request("山田", "POST") for _ in range(3))
    with ExitStack() as running, pytest.raises(Refusal, match=f"^{re.escape(told)}$"):
        list(map(running.enter_context, requests))


@pytest.mark.parametrize(("rate", "at_once"), [(9.0, None), (None, 9), (9.0, 9)])
def test_a_request_that_has_been_answered_is_present_no_longer(rate: float | None, at_once: int | None) -> None:
    request_counts, accounts = RequestCounts(), list[Account]()
    limits = Limits(rate, at_once, request_counts=request_counts)
    assert statuses(limits, ["山田"] * 3) == [200] * 3
    request_counts.change("ask\n山田", 0, lambda account: accounts.append(account) or account)
    assert [each.present for each in accounts] == [0]


def test_a_request_that_enters_once_more_counts_once() -> None:
    limits = Limits(rate=1, clock=lambda: 0.0)
    for _ in range(5):
        limits.enter("小明", "ask")
        limits.undo("小明", "ask")
    assert statuses(limits, ["小明"] * 3) == [200, 200, 429]


def test_so_many_at_once_and_what_listens_counts_apart() -> None:
    limits = Limits(at_once=2)
    with limits.request("a", "POST"), limits.request("a", "POST"):
        assert statuses(limits, "ab") == [429, 200]
        assert [status(limits, "a", method) for method in ("GET", "DELETE")] == [200, 429]
    assert statuses(limits, "a") == [200]


@pytest.mark.parametrize(
    ("parts", "is_answered"),
    [(["お茶"], True), (["喝", "茶", ""], True), ([], False), (["tea", None], False)],
    ids=["at once", "as a stream", "not yet", "half of it"],
)
async def test_who_has_the_whole_answer_may_ask_again_though_the_lane_goes_on(
    parts: list[str | None], is_answered: bool
) -> None:
    limits, sent, go_on = Limits(at_once=1), asyncio.Event(), asyncio.Event()

    async def lane(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number, part in enumerate(parts, 1):
            if part is not None:
                body = {"type": "http.response.body", "body": part.encode(), "more_body": number < len(parts)}
                await send(body)
        sent.set()
        await go_on.wait()

    async with client(Guards(HERE, limits=limits), lane) as asking:
        asked = asyncio.create_task(asking.post("/mcp"))
        await asyncio.wait_for(sent.wait(), PATIENCE)
        assert status(limits, Visitor().account) == (200 if is_answered else 429)
        go_on.set()
        with suppress(AssertionError):  # the client's, of an answer without an end
            await asyncio.wait_for(asked, PATIENCE)
    assert status(limits, Visitor().account) == 200


def test_beyond_what_a_server_can_bear_everybody_is_let_in_once_and_told_to_wait() -> None:
    limits = Limits()
    with ExitStack() as present:
        for number in range(MOST_AT_ONCE["ask"]):
            present.enter_context(limits.request(f"訪問者 {number}", "POST"))
        present.enter_context(limits.request("新来的人", "POST"))
        assert status(limits, "新来的人") == status(limits, "訪問者 0") == 503
        assert status(limits, "新来的人", "GET") == 200
    assert status(limits, "新来的人") == 200


@pytest.mark.parametrize("connections", [192, 768, 15_000])
def test_some_connections_are_left_for_those_who_have_not_asked_yet(connections: int) -> None:
    limits, count = Limits(connections=connections), 0
    with ExitStack() as present:
        for method, name in product(("POST", "GET"), ("愛", "小明", "Ada", *map(str, range(9)))):
            while status(limits, name, method) == 200:
                present.enter_context(limits.request(name, method))
                count += 1
    assert 0.5 * connections < count < 0.95 * connections


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_nobody_has_more_room_than_is_left_for_others(method: str) -> None:
    limits, kind = Limits(), "listen" if method == "GET" else "ask"
    most = MOST_AT_ONCE[kind]
    with ExitStack() as present:

        def entered(name: str) -> int:
            """How many of his requests are let in, one after the other."""
            count = 0
            while status(limits, name, method) == 200:
                present.enter_context(limits.request(name, method))
                count += 1
            return count

        assert [entered(name) for name in ("愛", "小明", "Ada")] == [most // 2, most // 4, most // 8]
        assert status(limits, "誰か", method) == 200
        with pytest.raises(Refusal, match=rf"{most // 2:,} are yours") as refused:
            limits.enter("愛", kind)
        assert refused.value.status == 503
    assert [status(limits, name, method) for name in ("愛", "小明", "Ada")] == [200, 200, 200]


def test_who_is_refused_for_his_own_limit_takes_no_room() -> None:
    limits = Limits(at_once=1)
    with limits.request("愛", "POST"):
        for _ in range(MOST_AT_ONCE["ask"]):
            assert status(limits, "愛") == 429
        assert status(limits, "小明") == 200


def test_processes_that_share_a_ledger_hold_a_visitor_to_one_limit() -> None:
    now = [100.0]
    request_counts = RequestCounts(2)
    one, other = (Limits(2, 3, lambda: now[0], request_counts, process) for process in range(2))
    assert statuses(one, "aa") + statuses(other, "aaa") == [200, 200, 200, 200, 429]
    now[0] += 1_000
    with one.request("a", "POST"), other.request("a", "POST"), other.request("a", "POST"):
        assert statuses(one, "ab") == [429, 200]
    assert statuses(other, "a") == [200]


def test_who_was_present_in_a_process_that_died_is_no_longer() -> None:
    request_counts = RequestCounts(2)
    one, other = (Limits(at_once=1, request_counts=request_counts, process=process) for process in range(2))
    died = other.request("東京", "POST")
    died.__enter__()
    assert statuses(one, ["東京"]) == [429]
    Limits(at_once=1, request_counts=request_counts, process=1)  # takes its place
    assert statuses(one, ["東京"]) == [200]
    died.__exit__(None, None, None)  # it lives after all
    assert statuses(one, ["東京"]) == [200]


def test_a_body_gives_back_the_room_of_all_its_parts() -> None:
    limits = Limits(body_bytes=4 * MAX_BODY_BYTES)
    for _ in range(10):
        with limits.body("小明") as room:
            for _ in range(4):
                room.take(MAX_BODY_BYTES // 4)


@pytest.mark.parametrize("parts", [[], [b"{"], [b"{", b'"jsonrpc"']])
async def test_a_client_that_goes_away_before_its_body_has_come_costs_nothing_more(parts: list[bytes]) -> None:
    messages: list[Message] = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    messages.append({"type": "http.disconnect"})

    async def never(*_: Any) -> None:
        raise AssertionError("it must not be reached")

    async def receive() -> Message:
        return messages.pop(0)

    guarded = Guarded(never, Guards(HERE), open_to_all={}, measured={})
    await guarded(mcp_request(), receive, never)
    assert not messages


# --- what is counted


@pytest.mark.parametrize(
    ("answered", "counted"),
    [(200, []), (202, []), (400, ["400"]), (HTTPStatus.NOT_ACCEPTABLE, ["406"]), (413, ["413"]), (404, []), (500, [])],
)
async def test_what_a_lane_refuses_counts_as_what_is_refused_before(answered: int, counted: list[str]) -> None:
    async def lane(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("?", answered)(scope, receive, send)

    metrics = Metrics()
    async with client(Guards(HERE, refused=metrics.refused), lane) as asking:
        assert (await asking.post("/mcp")).status_code == answered
    assert re.findall(r'omoide_requests_refused_total\{status="(.*)"\} 1.0', metrics.read().decode()) == counted


async def test_a_server_that_is_not_ready_has_refused_nobody() -> None:
    async def not_ready(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("not ready", 503)(scope, receive, send)

    statuses = list[int]()
    guards = Guards(HERE, refused=statuses.append)
    guarded = Guarded(hello, guards, open_to_all={"/health/ready": not_ready}, measured={})
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(guarded), base_url=URL) as asking:
        assert (await asking.get("/health/ready")).status_code == 503
    assert statuses == []


# --- the end of the server


def mcp_request() -> Scope:
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/mcp",
        "headers": [(b"host", b"localhost")],
    }


async def whole_body() -> Message:
    return {"type": "http.request", "body": b"{}", "more_body": False}


@pytest.mark.parametrize("has_begun", [False, True])
async def test_who_is_not_waited_for_when_the_server_ends_is_told_so_or_sees_the_answer_break_off(
    has_begun: bool,
) -> None:
    reached, sent = asyncio.Event(), list[Message]()

    async def send(message: Message) -> None:
        sent.append(message)

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        if has_begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        reached.set()
        await asyncio.Event().wait()

    statuses = list[int]()
    guarded = Guarded(endless, Guards(HERE, refused=statuses.append), open_to_all={}, measured={})
    call = asyncio.ensure_future(guarded(mcp_request(), whole_body, send))
    await reached.wait()
    call.cancel()
    await asyncio.wait([call])
    assert call.cancelled() is has_begun
    assert [message.get("status") for message in sent] == ([200] if has_begun else [503, None])
    assert has_begun or b"look before you repeat it" in sent[-1]["body"]
    assert statuses == ([] if has_begun else [503])


class Sesame:
    """Knows one token, of one tenant."""

    def at_once(self, token: str) -> Visitor | None:
        return ALICE._replace(rights="write") if token == "芝麻开门" else None

    async def visitor(self, token: str) -> Visitor | None:
        return self.at_once(token)


@pytest.mark.parametrize("texts", ["記憶", "记忆", "memory"])
async def test_nobody_fills_the_memory_with_bodies_and_another_finds_room(texts: str) -> None:
    body = (texts * 6_000_000).encode()[: 9 * 1024 * 1024]
    go_on = asyncio.Event()

    async def wait(scope: Scope, receive: Receive, send: Send) -> None:
        await go_on.wait()
        await PlainTextResponse("")(scope, receive, send)

    tokens = Authenticator([Sesame(), OneToken(Secret("開けごま"))])
    limits = Limits(body_bytes=20 * 1024 * 1024)
    async with client(Guards(HERE, tokens, limits), wait) as asking:

        async def status(token: str, content: bytes) -> int:
            headers = {"Authorization": f"Bearer {token}".encode()}
            return (await asking.post("/mcp", content=content, headers=headers)).status_code

        waiting = [asyncio.create_task(status("芝麻开门", body)) for _ in range(2)]
        for _ in range(50):
            await asyncio.sleep(0)
        assert await status("芝麻开门", b"x") == 503
        waiting.append(asyncio.create_task(status("開けごま", body)))
        for _ in range(50):
            await asyncio.sleep(0)
        go_on.set()
        assert await asyncio.gather(*waiting) == [200] * 3
        assert await status("芝麻开门", body) == 200, "there is room again"
