"""The fast lane answers as the SDK does: the same requests go through both, and the answers are equal."""

import asyncio
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import anyio.from_thread
import httpx2
import pytest
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from omoide import app
from omoide.config import load
from omoide.families.tool import Caller, Result, Tool
from omoide.memory import Memories
from omoide.server.access.limits import Limits
from omoide.server.access.visitor import Visitor
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from omoide.server.http import serving as http
from omoide.server.http.connection import HttpConnection
from omoide.server.http.fastlane import LEASE_SECONDS, FastLane, Leases, RunningCalls
from omoide.server.http.guards import Guarded, Guards
from omoide.server.protocol import server as protocol
from omoide.server.protocol import wire

URL = "http://127.0.0.1:8765"
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
CLIENT = {"name": "客", "version": "1"}
META = {wire.VERSION_KEY: wire.STATELESS, wire.CAPABILITIES_KEY: {"elicitation": {}}, wire.CLIENT_KEY: CLIENT}
TEXTS = ("昨日、京都で抹茶を飲んだ。", "我们在北京喝了龙井茶。", "We drank Earl Grey in London.")


class Request(NamedTuple):
    """One POST: a JSON value, or bytes as they are."""

    headers: dict[str, str]
    message: Any
    path: str = http.PATH

    @property
    def body(self) -> bytes:
        if isinstance(self.message, bytes):
            return self.message
        return json.dumps(self.message, ensure_ascii=False).encode("utf-8", "surrogatepass")


class Counted:
    """How many requests came as far as the SDK."""

    def __init__(self, sdk: ASGIApp) -> None:
        self.sdk = sdk
        self.count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.count += 1
        await self.sdk(scope, receive, send)


class Connection(asyncio.Transport):
    """A client's, without a network between it and the server."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__()
        self._told = b""
        config = uvicorn.Config(app, proxy_headers=False, server_header=False, date_header=False, log_config=None)
        self._served = HttpConnection(config, uvicorn.server.ServerState(), {}, asyncio.get_running_loop())
        self._served.connection_made(self)

    def write(self, data: Any) -> None:
        self._told += data

    def close(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def end(self) -> None:
        self._served.connection_lost(None)

    async def ask(self, request: Request) -> httpx2.Response:
        self._told, before = b"", frozenset(self._served.tasks)  # one may be about to end
        given = {"host": URL.removeprefix("http://"), "accept": "*/*", **request.headers}
        headers = {**given, "content-length": f"{len(request.body)}"}
        lines = [
            f"POST {request.path} HTTP/1.1".encode(),
            *(f"{name}: {value}".encode() for name, value in headers.items()),
        ]
        self._served.data_received(b"\r\n".join([*lines, b"", request.body]))
        tasks = sum(isinstance(each, asyncio.Task) for each in self._served.tasks - before)
        while not self._served.cycle.response_complete:
            await asyncio.sleep(0.001)
        head, _, body = self._told.partition(b"\r\n\r\n")
        status, *told = head.decode("latin-1").split("\r\n")
        names = dict(line.lower().split(": ", 1) for line in told)
        if "transfer-encoding" in names:
            body = b"".join(chunks(body))
        return httpx2.Response(int(status.split()[1]), headers=names, content=body, extensions={"tasks": tasks})


def chunks(body: bytes) -> Iterator[bytes]:
    while body:
        size, _, rest = body.partition(b"\r\n")
        yield rest[: int(size, 16)]
        body = rest[int(size, 16) + 2 :]


class Lanes:
    """One server, with and without the lane in front of it."""

    def __init__(
        self, dispatcher: Dispatcher, portal: anyio.from_thread.BlockingPortal, *, keeps_sessions: bool = True
    ) -> None:
        server = protocol.build(dispatcher, version="0")
        self.inner: Any = server.streamable_http_app(
            stateless_http=not keeps_sessions,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        self.behind = Counted(self.inner)
        # One at a time: each has to be counted out before the next.
        guards = Guards(http.hosts(["127.0.0.1"], None), limits=Limits(at_once=1))
        stamp, self.seconds = server.server_info_stamp, 0.0
        leases = Leases(lambda: self.seconds)
        lane = FastLane(
            self.behind, dispatcher, path=http.PATH, stamp=stamp, keeps_sessions=keeps_sessions, leases=leases
        )
        self.sdk, self.lane = Guarded(self.inner, guards, {}, {}), Guarded(lane, guards, {}, {}, lane.at_once)
        self._portal = portal
        self.session = ""

    def open_session(
        self, version: str = "2025-11-25", capabilities: Mapping[str, Any] | None = None, client: Any = CLIENT
    ) -> str:
        """Shake hands through the lane."""
        params = {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": client}
        answer = self.post(self.lane, Request(JSON, message("initialize", params)))
        self.session = answer.headers["mcp-session-id"]
        return self.session

    def post(self, to: ASGIApp, request: Request) -> httpx2.Response:
        return self._portal.call(self._post, to, request)

    def delete(self, session: str, headers: Sequence[tuple[str, str]] = ()) -> None:
        """Its client takes leave."""
        self._portal.call(self._delete, session, headers)

    async def _delete(self, session: str, headers: Sequence[tuple[str, str]]) -> None:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(self.lane), base_url=URL) as client:
            await client.delete(http.PATH, headers=[*JSON.items(), ("mcp-session-id", session), *headers])

    async def _post(self, to: ASGIApp, request: Request) -> httpx2.Response:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(to), base_url=URL) as client:
            headers = {name: value.encode("utf-8") for name, value in request.headers.items()}
            return await client.post(request.path, headers=headers, content=request.body)

    def both(self, request: Request) -> tuple[Any, Any]:
        """What the SDK answers, and what comes out of the lane: the same where the head of the request is known."""
        from_sdk, from_lane = said(self.post(self.sdk, request)), said(self.post(self.lane, request))
        for answer in self.again(request):
            assert said(answer) == from_lane
        return from_sdk, from_lane

    def again(self, request: Request) -> list[httpx2.Response]:
        """What comes out of the lane when the request comes twice over one connection."""
        return self._portal.call(self._again, request)

    async def _again(self, request: Request) -> list[httpx2.Response]:
        connection = Connection(self.lane)
        try:
            return [await connection.ask(request) for _ in range(2)]
        finally:
            connection.end()


def said(response: httpx2.Response) -> tuple[int, str, str | None]:
    """Status and message, its members in their order, however it was framed and escaped; and the session
    of an answer that is no refusal."""
    text, session = response.text, response.headers.get("mcp-session-id") if response.is_success else None
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        text = next(line.removeprefix("data: ") for line in text.split("\r\n") if line.startswith("data: "))
    try:
        return response.status_code, json.dumps(json.loads(text)), session
    except ValueError:
        return response.status_code, text, session


def message(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": dict(params)}


def stateless(name: str, **arguments: Any) -> Request:
    routing = {"mcp-protocol-version": wire.STATELESS, "mcp-method": "tools/call", "mcp-name": name}
    params = {"name": name, "arguments": arguments, "_meta": META}
    return Request({**JSON, **routing}, message("tools/call", params))


def in_session(session: str, name: str, **arguments: Any) -> Request:
    return Request({**JSON, "mcp-session-id": session}, message("tools/call", {"name": name, "arguments": arguments}))


def probe(caller: Caller, arguments: Mapping[str, Any]) -> Result:
    """Answers in every shape that a tool may."""
    match arguments.get("shape"):
        case "text alone":
            return Result("茶")
        case "error":
            return Result("没有", {"error": "nothing"}, is_error=True)
        case "fault":
            raise RuntimeError("broken")
        case "no numbers":
            return Result("数", {"抹茶": math.nan, "茶": [math.inf, -math.inf], "tea": 10**30})
    who = {"caller": caller.client, "session": caller.session_id}
    return Result("お茶", {**who, "null": None, "number": 1.0, "given": dict(arguments), "か": []})


SCHEMA = {
    "type": "object",
    "properties": {
        "shape": {"type": "string", "maxLength": 20},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
PROBE = Tool(name="probe", title="探", description="?", input_schema=SCHEMA, output_schema=None, run=probe)


@pytest.fixture(scope="module")
def dispatcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dispatcher]:
    folder: Path = tmp_path_factory.mktemp("lanes")
    chosen = load({"data": str(folder)}, {})
    with app.opened(chosen) as opened:
        store(opened.memories)
        tools = [PROBE, *app.tools(opened.memories, chosen)]
        yield Dispatcher(
            tools, OneWorkspace(workspace_of(tools, Sessions(app.utc_now))), interleaver=partial(app.interleaver, 2)
        )


@pytest.fixture(scope="module")
def lanes(dispatcher: Dispatcher) -> Iterator[Lanes]:
    with anyio.from_thread.start_blocking_portal() as portal:
        made = Lanes(dispatcher, portal)
        with portal.wrap_async_context_manager(made.inner.router.lifespan_context(made.inner)):
            made.open_session()
            yield made


def store(memories: Memories) -> None:
    for text in TEXTS:
        memories.remember(text, tags=("茶",))


SEARCHES = [
    ("search_memory", {"query": "抹茶"}),
    ("search_memory", {"query": "龙井茶", "limit": 1, "category": None}),
    ("query_memory", {"mode": "search", "query": "Earl Grey"}),
    ("SearchMemory", {"query": "京都"}),
    ("search_memory_graph", {"query": "London"}),
    ("chronica_search", {"query": "北京"}),
    ("search_memory", {"query": "抹茶", "category": "everything"}),
    ("search_memory", {}),
    ("probe", {}),
    ("probe", {"shape": "text alone"}),
    ("probe", {"shape": "error"}),
    ("probe", {"shape": "fault"}),
    ("probe", {"shape": "no numbers"}),
    ("probe", {"limit": 0}),
    ("probe", {"limit": 1.0, "tags": ["茶", "\u0000", "\u202e"]}),
]


@pytest.mark.parametrize(("name", "arguments"), SEARCHES)
def test_ordinary_calls_are_answered_here_as_the_sdk_answers_them(
    lanes: Lanes, name: str, arguments: dict[str, Any]
) -> None:
    for request in (stateless(name, **arguments), in_session(lanes.session, name, **arguments)):
        before = lanes.behind.count
        from_sdk, from_lane = lanes.both(request)
        assert from_lane == from_sdk
        assert lanes.behind.count == before, "the SDK was not asked"


def test_after_a_second_handshake_calls_are_of_the_client_that_it_names(lanes: Lanes) -> None:
    session = lanes.open_session()
    other = {"capabilities": {}, "clientInfo": {"name": "別のクライアント", "version": "2"}}
    again = message("initialize", {"protocolVersion": "2025-11-25", **other})
    lanes.both(Request({**JSON, "mcp-session-id": session}, again))
    from_sdk, from_lane = lanes.both(in_session(session, "probe"))
    assert from_lane == from_sdk
    assert json.loads(from_lane[1])["result"]["structuredContent"]["caller"] == "別のクライアント 2"


def test_the_sdk_sees_now_and_then_that_a_session_is_in_use(lanes: Lanes) -> None:
    call, behind = in_session(lanes.open_session(), "probe"), list[int]()
    for passed in (0.0, 0.0, LEASE_SECONDS, 0.0, LEASE_SECONDS - 1, 1.0, 0.0):
        lanes.seconds += passed
        before = lanes.behind.count
        assert '"caller": "\\u5ba2 1"' in said(lanes.post(lanes.lane, call))[1]
        behind.append(lanes.behind.count - before)
    assert behind == [0, 0, 1, 0, 0, 1, 0]


def test_what_comes_with_a_known_head_is_answered_without_a_task(lanes: Lanes) -> None:
    for request in (stateless("probe"), in_session(lanes.session, "probe")):
        ordinary, at_once = lanes.again(request)
        assert ordinary.status_code == 200
        assert said(ordinary) == said(at_once)
        assert [*ordinary.headers.items()] == [*at_once.headers.items()]
        assert (ordinary.extensions["tasks"], at_once.extensions["tasks"]) == (1, 0)


#: What clients declare of themselves in the handshake or in every request: (capabilities, further members of clientInfo).
TASKS = {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}}
PICTURE = {"src": "https://絵.example/i.png", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "dark"}
DECLARED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "an editor": (
        {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}, "tasks": TASKS},
        {},
    ),
    "sampling with tools": ({"sampling": {"tools": {}, "context": {}}}, {}),
    "an extension": ({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}, {}),
    "capabilities of its own": (
        {"chat": {"記憶": True}, "tools": True, "tasks": {"more": {}, "requests": {"更多": {}}}},
        {},
    ),
    "icons": ({}, {"title": "工具", "websiteUrl": "https://絵.example", "icons": [PICTURE, {"src": "data:,"}]}),
    "more of itself": ({}, {"vendor": "会社", "build": 7}),
}


@pytest.mark.parametrize("declared", DECLARED)
def test_whatever_a_client_declares_its_calls_are_answered_here(lanes: Lanes, declared: str) -> None:
    capabilities, described = DECLARED[declared]
    client = {"name": "客", "version": "1", **described}
    meta = {**META, wire.CAPABILITIES_KEY: capabilities, wire.CLIENT_KEY: client}
    session = lanes.open_session(capabilities=capabilities, client=client)
    enveloped = changed(stateless("probe", tags=["茶"]), setting("params", "_meta", to=meta))
    for request in (enveloped, in_session(session, "probe", tags=["茶"])):
        before = lanes.behind.count
        from_sdk, from_lane = lanes.both(request)
        assert from_lane == from_sdk
        assert '"caller": "客 1"' in json.dumps(json.loads(from_lane[1]), ensure_ascii=False)
        assert lanes.behind.count == before, "the SDK was not asked"


@pytest.mark.parametrize(
    "meta",
    [
        {wire.CAPABILITIES_KEY: {"tasks": 1}},
        {wire.CAPABILITIES_KEY: {"tasks": {"list": True}}},
        {wire.CAPABILITIES_KEY: {"tasks": {"requests": {"sampling": {"createMessage": "はい"}}}}},
        {wire.CAPABILITIES_KEY: {"roots": {"list_changed": "变"}}},
        {wire.CLIENT_KEY: {"name": "客", "version": "1", "icons": [{}]}},
        {wire.CLIENT_KEY: {"name": "客", "version": "1", "icons": [{**PICTURE, "theme": "暗"}]}},
        {wire.CLIENT_KEY: {"name": "客", "version": "1", "icons": [{"src": "data:,", "mime_type": 1}]}},
        {wire.CLIENT_KEY: {"name": "客", "version": "1", "website_url": 1}},
    ],
)
def test_what_no_client_may_declare_is_refused_as_by_the_sdk(lanes: Lanes, meta: dict[str, Any]) -> None:
    from_sdk, from_lane = lanes.both(changed(stateless("probe"), setting("params", "_meta", to={**META, **meta})))
    assert from_lane == from_sdk


def listing(era: str, session: str, **params: Any) -> Request:
    if era == "session":
        return Request({**JSON, "mcp-session-id": session}, message("tools/list", params))
    routing = {"mcp-protocol-version": wire.STATELESS, "mcp-method": "tools/list"}
    return Request({**JSON, **routing}, message("tools/list", {**params, "_meta": META}))


@pytest.mark.parametrize("era", ["stateless", "session"])
def test_the_list_of_tools_is_told_here_as_the_sdk_tells_it(lanes: Lanes, era: str) -> None:
    before = lanes.behind.count
    from_sdk, from_lane = lanes.both(listing(era, lanes.session))
    assert values(from_lane) == values(from_sdk)
    assert '"name": "search_memory"' in from_lane[1]
    assert lanes.behind.count == before


LISTINGS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "a cursor": ({}, {"cursor": "第二頁"}),
    "no cursor": ({}, {"cursor": None}),
    "more params": ({}, {"思い出": 1}),
    "a name": ({"mcp-name": "search_memory"}, {}),
    "another method": ({"mcp-method": "tools/call"}, {}),
    "an unknown revision": ({"mcp-protocol-version": "2099-01-01"}, {}),
    "an unknown session": ({"mcp-session-id": "0" * 32}, {}),
    "JSON alone": ({"accept": "application/json"}, {}),
}


@pytest.mark.parametrize("odd", LISTINGS)
@pytest.mark.parametrize("era", ["stateless", "session"])
def test_other_questions_for_a_list_are_answered_by_the_sdk_or_as_by_it(lanes: Lanes, era: str, odd: str) -> None:
    headers, params = LISTINGS[odd]
    ordinary = listing(era, lanes.session, **params)
    from_sdk, from_lane = lanes.both(Request({**ordinary.headers, **headers}, ordinary.message))
    assert values(from_lane) == values(from_sdk)


def values(answer: tuple[int, str, str | None]) -> tuple[int, Any, str | None]:
    """The same, whatever the order of members: the SDK puts those of a schema into another."""
    return answer[0], json.loads(answer[1] or "null"), answer[2]


def changed(request: Request, change: Callable[[dict[str, Any]], Any]) -> Request:
    """The request with a change to its message."""
    message = deepcopy(request.message)
    answer = change(message)
    return Request(request.headers, message if answer is None else answer)


def setting(*path: str, to: Any) -> Callable[[dict[str, Any]], Any]:
    def change(message: dict[str, Any]) -> None:
        target = message
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = to

    return change


def without(*path: str) -> Callable[[dict[str, Any]], Any]:
    def change(message: dict[str, Any]) -> None:
        target = message
        for step in path[:-1]:
            target = target[step]
        del target[path[-1]]

    return change


def nested(message: dict[str, Any], levels: int) -> bytes:
    """The request with an argument that makes it so many levels deep."""
    around = levels - 3  # the message, its params, their arguments
    setting("params", "arguments", "茶", to="@")(message)
    return json.dumps(message).replace('"@"', "[" * around + "1" + "]" * around).encode()


ODD = {
    "a batch": lambda message: [message, message],
    "not an object": lambda _: "茶",
    "no JSON": lambda _: b"{\xe6\x80",
    "nothing": lambda _: b"",
    "a byte order mark": lambda message: b"\xef\xbb\xbf" + json.dumps(message).encode(),
    "half a character": setting("params", "arguments", "shape", to="\ud83d"),
    "deeply nested": lambda _: b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
    "nested as deeply as may be": lambda message: nested(message, 200),
    "nested more deeply": lambda message: nested(message, 201),
    "nested as deeply as nobody reads": lambda message: nested(message, 1_025),
    "many brackets side by side": setting("params", "arguments", "tags", to=[["茶["]] * 300),
    "brackets in a text": setting("params", "arguments", "shape", to="[{" * 300),
    "a member twice": lambda message: json.dumps(message).replace('"id": 7', '"id": 7, "id": 8').encode(),
    "a huge id": setting("id", to=2**70),
    "a huge argument": setting("params", "arguments", "limit", to=2**70),
    "NaN": setting("params", "arguments", "limit", to=float("nan")),
    "an id in words": setting("id", to="七"),
    "an id of zero": setting("id", to=0),
    "a fractional id": setting("id", to=7.5),
    "a float id": setting("id", to=7.0),
    "a null id": setting("id", to=None),
    "a true id": setting("id", to=True),
    "no id": without("id"),
    "no version": without("jsonrpc"),
    "another version": setting("jsonrpc", to="1.0"),
    "more than is known": setting("思い出", to=1),
    "no params": without("params"),
    "params in a list": setting("params", to=[]),
    "more params": setting("params", "思い出", to=1),
    "a task": setting("params", "task", to={"ttl": 1}),
    "an answer to nothing asked": setting("params", "inputResponses", to={}),
    "a state of no request": setting("params", "requestState", to="x"),
    "no name": without("params", "name"),
    "a name in numbers": setting("params", "name", to=3),
    "a tool that is not there": setting("params", "name", to="忘れた"),
    "no arguments": without("params", "arguments"),
    "null for arguments": setting("params", "arguments", to=None),
    "arguments in a list": setting("params", "arguments", to=[]),
    "another method": setting("method", to="tools/forget"),
    "ping": setting("method", to="ping"),
    "the list of tools": setting("method", to="tools/list"),
    "a progress token": setting("params", "_meta", to={**META, "progressToken": "進"}),
    "a progress token that is none": setting("params", "_meta", to={**META, "progressToken": {}}),
    "a progress token beyond all integers": setting("params", "_meta", to={**META, "progressToken": 2.0**63}),
    "a trace": setting("params", "_meta", to={**META, "traceparent": "00-1-1-01"}),
    "a log level": setting("params", "_meta", to={**META, "io.modelcontextprotocol/logLevel": "debug"}),
    "an unknown log level": setting("params", "_meta", to={**META, "io.modelcontextprotocol/logLevel": "吵"}),
    "no envelope": setting("params", "_meta", to={}),
    "null for the envelope": setting("params", "_meta", to=None),
    "an unknown revision": setting("params", "_meta", to={**META, wire.VERSION_KEY: "2099-01-01"}),
    "no capabilities": setting("params", "_meta", to={wire.VERSION_KEY: wire.STATELESS}),
    "capabilities in a list": setting("params", "_meta", to={**META, wire.CAPABILITIES_KEY: []}),
    "odd capabilities": setting("params", "_meta", to={**META, wire.CAPABILITIES_KEY: {"roots": 1}}),
    "an unnamed client": setting("params", "_meta", to={**META, wire.CLIENT_KEY: {}}),
    "no client": setting("params", "_meta", to={name: META[name] for name in list(META)[:2]}),
    "null for the client": setting("params", "_meta", to={**META, wire.CLIENT_KEY: None}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("era", ["stateless", "session"])
def test_whatever_is_out_of_the_ordinary_is_answered_by_the_sdk_or_as_by_it(lanes: Lanes, era: str, odd: str) -> None:
    ordinary = stateless("probe", tags=["茶"]) if era == "stateless" else in_session(lanes.session, "probe", limit=3)
    from_sdk, from_lane = lanes.both(changed(ordinary, ODD[odd]))
    assert from_lane == from_sdk


HEADERS: dict[str, dict[str, str | None]] = {
    "another host": {"host": "evil.example"},
    "another origin": {"origin": "https://evil.example"},
    "our origin": {"origin": "http://127.0.0.1:8765"},
    "plain text": {"content-type": "text/plain"},
    "no type": {"content-type": None},
    "a charset": {"content-type": "application/json; charset=utf-8"},
    "a charset without a gap": {"content-type": "application/json;charset=UTF-8"},
    "another charset": {"content-type": "application/json;charset=utf-16"},
    "capitals": {"content-type": "Application/JSON"},
    "JSON alone": {"accept": "application/json"},
    "events alone": {"accept": "text/event-stream"},
    "anything": {"accept": "*/*"},
    "pictures": {"accept": "image/png"},
    "no accept": {"accept": None},
    "an unknown revision": {"mcp-protocol-version": "2099-01-01"},
    "an older revision": {"mcp-protocol-version": "2025-06-18"},
    "the other era": {"mcp-protocol-version": "2026-07-28"},
    "another name": {"mcp-name": "search_memory"},
    "the name in Base64": {"mcp-name": "=?base64?cHJvYmU=?="},
    "a broken name in Base64": {"mcp-name": "=?base64?cHJvYmU?="},
    "no name": {"mcp-name": None},
    "another method": {"mcp-method": "tools/list"},
    "no method": {"mcp-method": None},
    "a parameter": {"mcp-param-query": "茶"},
    "ids of traces": {"traceparent": "00-1-1-01", "X-Request-Id": "7", "baggage": "user=%E5%AE%A2"},
    "an id that is none": {"x-request-id": "客"},
    "an unknown session": {"mcp-session-id": "0" * 32},
    "no session": {"mcp-session-id": None},
}


@pytest.mark.parametrize("odd", HEADERS)
@pytest.mark.parametrize("era", ["stateless", "session"])
def test_headers_open_and_close_both_lanes_alike(lanes: Lanes, era: str, odd: str) -> None:
    ordinary = stateless("probe") if era == "stateless" else in_session(lanes.session, "probe")
    headers = {name: value for name, value in {**ordinary.headers, **HEADERS[odd]}.items() if value is not None}
    from_sdk, from_lane = lanes.both(Request(headers, ordinary.message))
    assert from_lane == from_sdk


@pytest.mark.parametrize("path", ["/", "/nix", "/mcp2", "/mcp/x", "/%E8%A8%98%E6%86%B6"])
def test_calls_are_answered_at_one_path_alone(lanes: Lanes, path: str) -> None:
    for ordinary in (stateless("probe"), in_session(lanes.session, "probe")):
        from_sdk, from_lane = lanes.both(ordinary._replace(path=path))
        assert from_lane == from_sdk
        assert from_lane[0] == 404


@pytest.mark.parametrize("charset", ["", "; charset=utf-8", ";charset=utf-8", "; charset=UTF-8", ";charset=UTF-8"])
def test_a_charset_that_says_nothing_new_is_no_reason_to_ask_the_sdk(lanes: Lanes, charset: str) -> None:
    ordinary = in_session(lanes.session, "probe")
    before = lanes.behind.count
    answer = lanes.post(
        lanes.lane, Request({**ordinary.headers, "content-type": JSON["content-type"] + charset}, ordinary.message)
    )
    assert (answer.status_code, lanes.behind.count) == (200, before)


def test_neither_is_the_level_from_which_a_client_would_like_log_messages(lanes: Lanes) -> None:
    before = lanes.behind.count
    leveled = changed(stateless("probe"), setting("params", "_meta", to={**META, wire.LOG_LEVEL_KEY: "info"}))
    from_sdk, from_lane = lanes.both(leveled)
    assert (from_lane, lanes.behind.count) == (from_sdk, before)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
PLACES = [
    ("id",),
    ("jsonrpc",),
    ("method",),
    ("params",),
    ("params", "name"),
    ("params", "arguments"),
    ("params", "arguments", "shape"),
    ("params", "arguments", "tags"),
    ("params", "arguments", "茶"),
    ("params", "_meta"),
    ("params", "_meta", "progressToken"),
    ("params", "_meta", "茶"),
    ("params", "_meta", wire.VERSION_KEY),
    ("params", "_meta", wire.CAPABILITIES_KEY),
    ("params", "_meta", wire.CAPABILITIES_KEY, "elicitation"),
    ("params", "_meta", wire.CAPABILITIES_KEY, "roots"),
    ("params", "_meta", wire.CAPABILITIES_KEY, "tasks"),
    ("params", "_meta", wire.CAPABILITIES_KEY, "道具"),
    ("params", "_meta", wire.CLIENT_KEY),
    ("params", "_meta", wire.CLIENT_KEY, "name"),
    ("params", "_meta", wire.CLIENT_KEY, "title"),
    ("params", "_meta", wire.CLIENT_KEY, "icons"),
    ("params", "_meta", wire.CLIENT_KEY, "vendor"),
    ("params", "_meta", wire.LOG_LEVEL_KEY),
]


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), value=JSON_VALUES, era=st.sampled_from(["stateless", "session"]))
def test_any_value_in_any_place_is_answered_alike(lanes: Lanes, place: tuple[str, ...], value: Any, era: str) -> None:
    ordinary = stateless("probe") if era == "stateless" else in_session(lanes.session, "probe")
    if era == "session":
        ordinary.message["params"]["_meta"] = {}
    try:
        request = changed(ordinary, setting(*place, to=value))
    except KeyError:  # that place is of the other era
        return
    from_sdk, from_lane = lanes.both(request)
    assert from_lane == from_sdk


@pytest.fixture(scope="module")
def sessionless(dispatcher: Dispatcher) -> Iterator[Lanes]:
    """As one of several workers serves."""
    with anyio.from_thread.start_blocking_portal() as portal:
        made = Lanes(dispatcher, portal, keeps_sessions=False)
        with portal.wrap_async_context_manager(made.inner.router.lifespan_context(made.inner)):
            yield made


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("headers", [{}, {"mcp-protocol-version": "2025-06-18"}, {"mcp-session-id": "0" * 32}])
def test_where_no_sessions_are_kept_clients_of_2025_are_served_without(
    sessionless: Lanes, headers: dict[str, str]
) -> None:
    ordinary = Request({**JSON, **headers}, in_session("", "probe", limit=3).message)
    before = sessionless.behind.count
    from_sdk, from_lane = sessionless.both(ordinary)
    assert from_lane == from_sdk
    assert from_lane[0] == 200
    assert sessionless.behind.count == before
    for odd in ODD.values():
        from_sdk, from_lane = sessionless.both(changed(ordinary, odd))
        assert from_lane == from_sdk


FAREWELLS: dict[str, list[tuple[str, str]]] = {
    "plain": [],
    "with a header twice": [("x-forwarded-for", "10.0.0.1"), ("x-forwarded-for", "10.0.0.2")],
    "with a header for an argument": [("mcp-param-query", "=?base64?5a+/5Y+4?=")],
    "with the session twice": [("mcp-session-id", "0" * 32)],
    "of another revision": [("mcp-protocol-version", "2025-06-18")],
}


@pytest.mark.parametrize("farewell", FAREWELLS)
def test_a_session_that_has_ended_is_not_served_any_more(lanes: Lanes, farewell: str) -> None:
    session = lanes.open_session()
    call = in_session(session, "probe")
    assert lanes.post(lanes.lane, call).status_code == 200
    lanes.delete(session, FAREWELLS[farewell])
    assert lanes.post(lanes.lane, call).status_code == 404
    lanes.open_session()


@pytest.mark.parametrize("version", sorted(wire.SESSION_VERSIONS))
def test_every_revision_of_the_2025_era_is_served_here(lanes: Lanes, version: str) -> None:
    call = in_session(lanes.open_session(version), "probe")
    before = lanes.behind.count
    from_sdk, from_lane = lanes.both(call)
    assert from_lane == from_sdk
    assert '"caller": "\\u5ba2 1"' in from_lane[1]
    assert lanes.behind.count == before


@pytest.mark.parametrize("name", ["編集機", "编辑器", "editor"])
def test_of_a_client_s_long_name_the_beginning_is_kept(lanes: Lanes, name: str) -> None:
    call = changed(stateless("probe"), setting("params", "_meta", wire.CLIENT_KEY, "name", to=name * 1_000))
    from_sdk, from_lane = lanes.both(call)
    assert values(from_lane) == values(from_sdk)
    told = values(from_lane)[1]["result"]["structuredContent"]["caller"]
    assert told == (name * 1_000)[: wire.MOST_CLIENT_CHARS]


@pytest.mark.parametrize("slash", ["/", r"\/"], ids=["as it is", "escaped, as PHP writes it"])
@pytest.mark.parametrize("id", [7, "七"])
def test_a_call_is_cancelled_however_the_slash_of_the_notification_is_written(id: wire.Id, slash: str) -> None:
    dropped = list[wire.Id]()

    class Running:
        def drop(self) -> None:
            dropped.append(id)

    calls, lease = RunningCalls(), (Visitor("爱丽丝"), b"s")
    calls.register((lease, type(id), id), Running())
    said = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
    calls.cancel(lease, json.dumps(said).replace("/", slash).encode())
    assert dropped == [id]
    assert calls.end((lease, type(id), id))
