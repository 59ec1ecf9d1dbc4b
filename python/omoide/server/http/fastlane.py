"""The fast lane over HTTP: ordinary tool calls and lists of tools are answered here, everything else by the SDK behind it.

Useful for: calls by the thousand; the SDK takes more time than a search. Not useful for: deciding who may come in; the
guards in front have done that, and have read the body.
Invariant: its answers equal the SDK's. It refuses nothing: a request that is not ordinary in every respect goes on to the SDK
untouched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from http import HTTPStatus
from time import monotonic, perf_counter
from typing import Any, NamedTuple, get_args

from mcp.server.streamable_http import check_accept_headers
from mcp.shared.inbound import decode_header_value
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omoide.families.tool import Result
from omoide.server.access.visitor import Visitor, visitor_of
from omoide.server.calls.dispatcher import CallHandle, Dispatcher
from omoide.server.calls.sessions import SESSION_HEADER
from omoide.server.calls.toolcall import ToolCall
from omoide.server.http.guards import BODY
from omoide.server.http.repeated_heads import CALL, RepeatedRequest, lines
from omoide.server.protocol import identity, wire

#: Longer requests go to the SDK.
MOST_BYTES = 1024 * 1024
#: How long a session is served here before the SDK serves it again, and so sees that it is in use.
LEASE_SECONDS = 60.0
#: Leases kept before all are dropped.
MOST_LEASES = 10_000

_SESSION = SESSION_HEADER.encode()
#: Some clients name a charset, the one that JSON has anyway.
_CHARSETS = (b"", b"; charset=utf-8", b";charset=utf-8", b"; charset=UTF-8", b";charset=UTF-8")
_JSON_TYPES = frozenset(b"application/json" + each for each in _CHARSETS)
_ERAS: Mapping[bytes | None, wire.Era] = {
    wire.STATELESS.encode(): "stateless",
    None: "session",
    **{each.encode(): "session" for each in wire.SESSION_VERSIONS},
}

#: Headers of an answer: the length of its body, then further headers.
_RESPONSE_HEADERS = b"content-type: application/json\r\ncontent-length: %d\r\n%b"

Headers = Mapping[bytes, bytes]


class FastLane:
    """In front of the SDK's application. `stamp`: the server's identity, as the SDK words it. `keeps_sessions`: whether the SDK
    does; if not, it serves clients of the session era without a session. `leases`: where whatever else ends sessions says so."""

    def __init__(
        self,
        app: ASGIApp,
        dispatcher: Dispatcher,
        *,
        path: str,
        stamp: Mapping[str, Any],
        keeps_sessions: bool = True,
        leases: Leases | None = None,
    ) -> None:
        self._app = app
        self._dispatcher = dispatcher
        self._path = path
        self._stamp = stamp
        self._keeps_sessions = keeps_sessions
        self._leases = leases or Leases()
        self._running = RunningCalls()
        self._lists: Mapping[wire.Era, Mapping[str, Any]] = {
            era: identity.list_result(dispatcher.tools, era) for era in get_args(wire.Era)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or pass it on to the SDK."""
        head = self._parse_head(scope)
        if head is not None:
            await self._handle_post(scope, head, receive, send)
        elif scope["type"] == "http" and scope["method"] == "DELETE":
            await self._end_session(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _end_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the SDK end a session, whatever other headers the request has, and serve it no more."""
        try:
            await self._app(scope, receive, send)
        finally:  # not before: an answer of the SDK that begins meanwhile renews the lease
            for session in (value for name, value in scope["headers"] if name == _SESSION):
                self._leases.end((visitor_of(scope), session))

    def _parse_head(self, scope: Scope) -> _Head | None:
        """What this lane needs of the head of a request; None if the request is not for this lane."""
        headers = _headers(scope)
        if scope["type"] != "http" or scope["path"] != self._path or headers is None:
            return None
        if scope["method"] != "POST" or headers.get(b"content-type") not in _JSON_TYPES:
            return None
        era = _ERAS.get(headers.get(b"mcp-protocol-version"))
        takes_both = _takes_json_and_events(headers.get(b"accept", b""))
        session = headers.get(_SESSION)
        session_headers = (
            [(_SESSION, session)] if era == "session" and session is not None and self._keeps_sessions else []
        )
        connection = None if session is None else session.decode("latin-1")
        return _Head(headers, session, connection, era, takes_both, session_headers, lines(session_headers))

    def at_once(self, request: RepeatedRequest, visitor: Visitor, done: Callable[[], None]) -> bool:
        """See guards.AtOnce. Only calls of tools are answered."""
        head = request.head.derived(self._parse_head)
        if head is None:
            return False
        call_request, lease = _parse_request(request.body, head), _lease_of(visitor, head.session)
        if (
            call_request is None
            or call_request.method != "tools/call"
            or not self._may_answer(call_request, head, lease, visitor)
        ):
            return False
        key = _call_key(lease, call_request.id)
        reply = partial(self._reply, request, done, call_request, head, key)
        handle = self._dispatcher.start(self._tool_call(call_request, head, lease, visitor), reply, request.loop)
        if _ends_with_its_client(head):
            request.call = handle
        self._running.register(key, handle)
        return True

    def _reply(
        self,
        request: RepeatedRequest,
        done: Callable[[], None],
        call_request: wire.Request,
        head: _Head,
        key: CallKey,
        result: Result,
    ) -> None:
        try:
            body = self._response_body(call_request, head, key, result)
            request.answer(200, _RESPONSE_HEADERS % (len(body), head.session_header_lines), body)
        except Exception:
            request.fail()
        finally:
            done()

    async def _handle_post(self, scope: Scope, head: _Head, receive: Receive, send: Send) -> None:
        request, visitor = _parse_request(scope[BODY], head), visitor_of(scope)
        lease = _lease_of(visitor, head.session)
        if request is not None and self._may_answer(request, head, lease, visitor):
            body = await self._answer(request, head, lease, scope)
            headers = [
                (b"content-type", b"application/json"),
                (b"content-length", b"%d" % len(body)),
                *head.session_headers,
            ]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            return
        if lease is not None and request is None:
            self._running.cancel(lease, scope[BODY])
        # A handshake within a session names the client of what follows, as the first one did.
        greets = request is not None and request.method == "initialize"
        client = request.client if request is not None and greets else self._leases.client(lease)
        await self._app(scope, receive, self._leases.observing(scope, lease, client, send))

    def _may_answer(self, request: wire.Request, head: _Head, lease: Lease | None, visitor: Visitor) -> bool:
        if request.method == "tools/call":
            name = request.params["name"]
            if not self._dispatcher.asks_nobody(name):
                return False
            if visitor.metadata_url is not None and self._dispatcher.denied(visitor, name) is not None:
                return False  # see scope_challenges.py
        elif request.method != "tools/list":
            return False
        if not head.takes_both:
            return False
        if head.era == "stateless":
            return _headers_match(head.headers, request)
        return not self._keeps_sessions or self._leases.holds(lease)

    async def _answer(self, request: wire.Request, head: _Head, lease: Lease | None, scope: Scope) -> bytes:
        if request.method == "tools/list":
            return self._encode(request, head, self._lists[head.era or "session"])
        call, key = self._tool_call(request, head, lease, visitor_of(scope)), _call_key(lease, request.id)

        def on_start(handle: CallHandle) -> None:
            if _ends_with_its_client(head):
                scope.setdefault("state", {})[CALL] = handle
            self._running.register(key, handle)

        return self._response_body(request, head, key, await self._dispatcher.take(call, on_start))

    def _response_body(self, request: wire.Request, head: _Head, key: CallKey, result: Result) -> bytes:
        if self._running.end(key):
            return wire.cancelled(request.id)
        return self._encode(request, head, wire.call_result(result))

    def _tool_call(self, request: wire.Request, head: _Head, lease: Lease | None, visitor: Visitor) -> ToolCall:
        return ToolCall(
            visitor,
            request.params["name"],
            request.params.get("arguments", {}),
            connection=head.connection,
            client=request.client if head.era == "stateless" else self._leases.client(lease),
            arrived=perf_counter(),
        )

    def _encode(self, request: wire.Request, head: _Head, result: Mapping[str, Any]) -> bytes:
        return wire.response(request.id, wire.enveloped(result, head.era or "session", self._stamp))


class _Head(NamedTuple):
    """What this lane needs of the head of a request. `takes_both`: whether the client accepts JSON and event streams;
    `session_headers`: headers of the answer that name the session; `session_header_lines`: the same as bytes."""

    headers: Headers
    session: bytes | None
    connection: str | None
    era: wire.Era | None
    takes_both: bool
    session_headers: Sequence[tuple[bytes, bytes]]
    session_header_lines: bytes


#: A session belongs to the visitor who began it; nobody else is served by its id.
Lease = tuple[Visitor, bytes]


#: Names a request of a session; None: it has no session, so that no other request can cancel it.
CallKey = tuple[Lease, type, wire.Id] | None


class RunningCalls:
    """The calls of sessions that may be cancelled."""

    def __init__(self) -> None:
        self._calls: dict[CallKey, CallHandle | None] = {}

    def register(self, key: CallKey, call: CallHandle) -> None:
        """Add a call that has begun."""
        if key is not None:
            self._calls[key] = call

    def end(self, key: CallKey) -> bool:
        """Forget a call that is about to be answered; whether it has been cancelled."""
        return key in self._calls and self._calls.pop(key) is None

    def cancel(self, lease: Lease, body: bytes) -> None:
        """Drop the call that a notification in the body cancels, if there is one."""
        if len(body) > MOST_BYTES or b"cancelled" not in body:  # some clients escape the slash before it
            return
        message = wire.read(body)
        if not wire.is_notification(message) or message["method"] != wire.CANCELLED:
            return
        key = _call_key(lease, wire.cancels(message.get("params")))
        if (call := self._calls.get(key)) is not None:
            self._calls[key] = None
            call.drop()


class Leases:
    """The SDK's sessions, as seen from its answers: which are open, and whose they are. `clock` counts seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._leases: dict[Lease | None, tuple[float, str]] = {}

    def holds(self, lease: Lease | None) -> bool:
        """Whether the SDK has served the session in the last LEASE_SECONDS."""
        held = self._leases.get(lease)
        return held is not None and self._clock() < held[0]

    def client(self, lease: Lease | None) -> str | None:
        """The name its client gave at the handshake."""
        held = self._leases.get(lease)
        return None if held is None else held[1]

    def end(self, lease: Lease | None) -> None:
        """Forget a session, as its client ends it or the SDK does not know it any more."""
        if lease is not None:
            self._leases.pop(lease, None)

    def observing(self, scope: Scope, lease: Lease | None, client: str | None, send: Send) -> Send:
        """Wraps `send`, to read from the SDK's answer whether the session of the request goes on, or which one it begins."""
        if client is None:
            return send

        async def observe(message: Message) -> None:
            if message["type"] == "http.response.start":
                session = dict(message["headers"]).get(_SESSION)
                self._update(lease or _lease_of(visitor_of(scope), session), client, message["status"])
            await send(message)

        return observe

    def _update(self, lease: Lease | None, client: str, status: int) -> None:
        if status == HTTPStatus.NOT_FOUND:
            self.end(lease)
        elif lease is not None and status in (HTTPStatus.OK, HTTPStatus.ACCEPTED):
            if len(self._leases) >= MOST_LEASES:
                self._leases.clear()
            self._leases[lease] = (self._clock() + LEASE_SECONDS, client)


def _headers(scope: Scope) -> Headers | None:
    """Headers by name; None if one is repeated, or is one that the SDK compares with an argument."""
    pairs = scope.get("headers", ())
    headers = dict(pairs)
    if len(headers) != len(pairs) or any(name.startswith(b"mcp-param-") for name in headers):
        return None
    return headers


def _lease_of(visitor: Visitor, session: bytes | None) -> Lease | None:
    return None if session is None else (visitor, session)


def _call_key(lease: Lease | None, id: wire.Id | None) -> CallKey:
    return None if lease is None or id is None else (lease, type(id), id)


def _parse_request(body: bytes, head: _Head) -> wire.Request | None:
    """The request in the body; None unless it is an ordinary one."""
    if head.era is None or len(body) > MOST_BYTES:
        return None
    return wire.request(wire.read(body), head.era)


@lru_cache(maxsize=256)
def _takes_json_and_events(accept: bytes) -> bool:
    return all(check_accept_headers(Request({"type": "http", "headers": [(b"accept", accept)]})))


def _ends_with_its_client(head: _Head) -> bool:
    """Whether a client that hangs up cancels its request: since revision 2026-07-28 it does, before it did not."""
    return head.era == "stateless"


def _headers_match(headers: Headers, request: wire.Request) -> bool:
    """Whether the routing headers name the method and the tool of the body."""
    if headers.get(b"mcp-method") != request.method.encode():
        return False
    if request.method == "tools/list":
        return b"mcp-name" not in headers
    name: str = request.params["name"]
    return decode_header_value(headers.get(b"mcp-name", b"").decode("latin-1")) == name
