"""The guards that every HTTP request passes, whichever lane serves it.

In this order: the Host and Origin of another site are refused; anyone may ask for health; the bearer token identifies the visitor;
limits are applied; the body is read whole. Only then does a lane see the request, with `scope["omoide.visitor"]`.

Useful for: the one place where requests are let in. Not useful for: what a visitor may do with a tool; see dispatcher.py.
Invariant: no lane is reached without a visitor, or with a body that is too large or too slow. A stream that a client listens to ends
when its token expires, and a call that it waits for when the token is withdrawn.
"""

from __future__ import annotations

import asyncio
import re
from codecs import BOM_UTF8
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from http import HTTPStatus
from typing import NamedTuple, Protocol

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omoide.errors import filled
from omoide.server.access.languages import language_of_client
from omoide.server.access.limits import MAX_BODY_BYTES, BodyRoom, Limits
from omoide.server.access.refusal import ENDING, Refusal, TooLarge
from omoide.server.access.tokens import insufficient_scope
from omoide.server.access.visitor import LOCAL, MEASURING, TOOLS, VISITOR, Visitor
from omoide.server.http.listening import canonical
from omoide.server.http.repeated_heads import RepeatedRequest, lines
from omoide.server.http.replay import replayed
from omoide.turns import WouldWait

#: How long the body of a request may take to arrive.
BODY_SECONDS = 30.0
#: How often the token of a client that listens, or waits for an answer, is checked again.
LISTENER_SECONDS = 10.0

#: The lanes refuse requests that violate the protocol, with these statuses; all other refusals are made here.
REFUSED_BY_LANES = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_ACCEPTABLE, HTTPStatus.REQUEST_ENTITY_TOO_LARGE})

#: Clients that look here for a document, such as that of an authorization server, have no token yet: they go on looking elsewhere
#: when there is none, and some of them at no other status.
_PUBLIC = "/.well-known/"

#: Headers that tell how a body is coded -> the codings in which it comes as it is. The parser undoes the chunks and no other.
_UNCOMPRESSED = {"content-encoding": {"", "identity"}, "transfer-encoding": {"", "chunked"}}

#: The key of the ASGI scope where the guards leave the body, for lanes that would rather not call `receive`.
BODY = "omoide.body"

#: Path -> the application that answers there.
Paths = Mapping[str, ASGIApp]
#: Answers a request of a visitor who has been let in, and then calls the function; False: the request must go the ordinary way.
AtOnce = Callable[[RepeatedRequest, Visitor, Callable[[], None]], bool]


class Authentication(Protocol):
    """Tells who the bearer of a token is."""

    def at_once(self, token: str | None) -> Visitor:
        """The bearer of the token. Raises Refusal, or WouldWait if that takes a request to another server."""
        ...

    async def visitor(self, token: str | None, scope: str = TOOLS) -> Visitor:
        """The same, but waits. Raises Refusal, which names the `scope` to ask for."""
        ...


class NoAuthentication:
    """For a server that asks for no token."""

    def at_once(self, token: str | None) -> Visitor:
        """The local visitor, with any token."""
        return LOCAL

    async def visitor(self, token: str | None, scope: str = TOOLS) -> Visitor:
        """The local visitor, with any token."""
        return LOCAL


@dataclass(frozen=True, slots=True)
class Hosts:
    """The names a server is known by; None: any. `any_host`: they are looked for in Origin alone, which browsers send.

    A page of another site can make a browser send requests to a server on this machine, under a name of its own that resolves
    to it (DNS rebinding). Host and Origin then contain that name.
    """

    names: frozenset[str] | None
    any_host: bool = False

    def check(self, scope: Scope) -> None:
        """Raise Refusal if Host is not as HTTP demands (RFC 9112, 3.2), or Host or Origin contains another name."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        # Health checks in HTTP/1.0 often send none. Of several, a proxy may have gone by another than we do.
        if len(hosts) != 1 and (hosts or scope["http_version"] == "1.1"):
            raise _malformed_host(f"there are {len(hosts) or 'none'}")
        if not all(_HOST.fullmatch(host) for host in hosts):
            raise _malformed_host("this is none")
        if self.names is None:
            return
        if not (self.any_host or all(name_of(host) in self.names for host in hosts)):
            message = "This server is not known by that Host; --public-url gives it another."
            raise Refusal(421, "invalid_host", message, also=_INVALID_HOST_ALSO)
        if not all(name_of(origin.partition("://")[2]) in self.names for origin in headers.getlist("origin")):
            raise Refusal(403, "invalid_origin", "Pages of that Origin are not served.", also=_INVALID_ORIGIN_ALSO)


#: A name or an address in brackets, and perhaps a port (RFC 3986, 3.2.2).
_HOST = re.compile(r"(\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]+)(:\d*)?", re.ASCII)


def _malformed_host(why: str) -> Refusal:
    message = f"A request has one Host, a name or an address and perhaps a port; {why}."
    return Refusal(400, "malformed_host", message, also=_MALFORMED_HOST_ALSO)


_INVALID_HOST_ALSO = {
    "ja": "この Host は、このサーバーの名前ではありません。--public-url で別の名前を付けられます。",
    "zh": "该 Host 不是此服务器的名称。可以用 --public-url 指定其他名称。",
}
_INVALID_ORIGIN_ALSO = {"ja": "この Origin のページからは利用できません。", "zh": "不向该 Origin 的页面提供服务。"}
_MALFORMED_HOST_ALSO = {
    "ja": "リクエストの Host は一つで、名前かアドレスです（ポートも付けられます）。",
    "zh": "请求只能有一个 Host，为名称或地址，可带端口。",
}


def name_of(host_and_port: str) -> str:
    """`localhost` of `localhost:8765` and `localhost.`, `[::1]` of `[0:0:0:0:0:0:0:1]:8765`, `127.0.0.1` of `[::ffff:127.0.0.1]`; a
    port is only digits, or nothing at all."""
    name, colon, port = host_and_port.lower().rpartition(":")
    if not colon or (port and not port.isdecimal()) or (":" in name and not name.endswith("]")):
        name = host_and_port.lower()
    if not (name.startswith("[") and name.endswith("]")):
        return name.removesuffix(".")
    address = canonical(name[1:-1])
    return f"[{address}]" if ":" in address else address


@dataclass(frozen=True, slots=True)
class Guards:
    """Which guards a server has. `refused` is called with the status of every refusal."""

    hosts: Hosts
    keys: Authentication = field(default_factory=NoAuthentication)
    limits: Limits = field(default_factory=Limits)
    refused: Callable[[int], None] = lambda status: None
    body_seconds: float = BODY_SECONDS
    listener_seconds: float = LISTENER_SECONDS


class Guarded:
    """The application behind the guards. `open_to_all` are paths answered without a token, `measured` those for visitors that
    may measure. All other requests go to `app`, if the visitor may read; `at_once` answers some of them directly."""

    def __init__(
        self, app: ASGIApp, guards: Guards, open_to_all: Paths, measured: Paths, at_once: AtOnce | None = None
    ) -> None:
        self._app = app
        self._answered_at_once = at_once
        self._guards = guards
        self._open_to_all = open_to_all
        self._measured = measured
        #: Also called for requests refused before they get here; see connection.py.
        self.refused = guards.refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request in, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        tracked_send = _TrackedSend(send, self.refused)
        try:
            await self._admit(scope, receive, tracked_send)
        except Refusal as refusal:
            self.refused(refusal.status)
            await refusal.answer(scope, receive, send)  # it has been counted
        except asyncio.CancelledError:  # the server ends without waiting any longer
            if tracked_send.has_begun:
                raise
            self.refused(ENDING.status)
            await ENDING.answer(scope, receive, send)

    def at_once(self, request: RepeatedRequest) -> bool:
        """Let in or refuse a request with a known head and a complete body. Returns False, with the request unchanged, if it
        has to go the ordinary way."""
        try:
            return self._admit_at_once(request)
        except WouldWait:
            return False
        except Refusal as refusal:
            self.refused(refusal.status)
            response = refusal.response(request.head.derived(language_of_client))
            request.answer(refusal.status, lines(response.raw_headers), bytes(response.body))
        except Exception:
            request.fail()
        return True

    def _admit_at_once(self, request: RepeatedRequest) -> bool:
        head = request.head.derived(self._checked_head)
        if self._answered_at_once is None or head.is_for_others or head.is_compressed:
            return False
        visitor = self._guards.keys.at_once(head.token)
        if not visitor.may_read:
            return False
        limits, account = self._guards.limits, visitor.account
        limits.enter(account, "ask")
        is_answered = False
        try:
            is_answered = self._answered_at_once(request, visitor, partial(limits.leave, account, "ask"))
        finally:
            if not is_answered:
                limits.undo(account, "ask")
        return is_answered

    async def _admit(self, scope: Scope, receive: Receive, send: _TrackedSend) -> None:
        head = self._checked_head(scope)
        if (answer := self._open_to_all.get(scope["path"])) is not None:
            await answer(scope, receive, send)
            return
        if _PUBLIC in scope["path"]:  # OpenID puts it behind the path of an issuer
            raise Refusal(404, "not_found", "Nothing is published at that path.", also=_NOTHING_ALSO)
        visitor = await self._guards.keys.visitor(head.token, head.scope)
        lane = self._lane(visitor, scope["path"], head.scope)
        limits, account = self._guards.limits, visitor.account
        with limits.request(account, scope["method"]) as request, limits.body(account) as room:
            if head.is_compressed:
                raise _compressed()
            body = await self._body(scope, receive, room)
            if body is None:
                return
            scope[BODY] = body
            receive = replayed({"type": "http.request", "body": body, "more_body": False}, receive)
            if scope["method"] == "GET" or not visitor.expires:
                receive = self._while_admitted(receive, head.token, visitor)
            introduce(scope, visitor)
            send.leave = request.leave
            await lane(scope, receive, send)

    def _checked_head(self, scope: Scope) -> _Head:
        self._guards.hosts.check(scope)
        headers = Headers(scope=scope)
        is_compressed = any(
            coding not in _UNCOMPRESSED[name] for name in _UNCOMPRESSED for coding in _list_header(headers, name)
        )
        is_measured = scope["path"] in self._measured
        is_for_others = is_measured or scope["path"] in self._open_to_all
        return _Head(_bearer(headers), MEASURING if is_measured else TOOLS, is_compressed, is_for_others)

    def _lane(self, visitor: Visitor, path: str, scope: str) -> ASGIApp:
        measured = self._measured.get(path)
        allowed = visitor.may_read if measured is None else visitor.may_measure
        if not allowed:
            also = filled(_NOT_FOR_TOKEN_ALSO, path=path)
            raise insufficient_scope(visitor, scope, f"This token may not ask for {path}.", also=also)
        return measured or self._app

    def _while_admitted(self, receive: Receive, token: str | None, visitor: Visitor) -> Receive:
        """A `receive` that reports a disconnect once the client, which listens or waits, would no longer be let in."""

        async def received() -> Message:
            while True:
                with anyio.move_on_after(self._guards.listener_seconds):
                    return await receive()
                if not await self._is_admitted(token, visitor):
                    return {"type": "http.disconnect"}

        return received

    async def _is_admitted(self, token: str | None, visitor: Visitor) -> bool:
        try:
            return await self._guards.keys.visitor(token) == visitor
        except Refusal as refusal:
            return refusal.status == HTTPStatus.SERVICE_UNAVAILABLE  # the token cannot be checked at present

    async def _body(self, scope: Scope, receive: Receive, room: BodyRoom) -> bytes | None:
        """The whole body; None if the client has gone away. Raises Refusal (too large, too slow, no room)."""
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > MAX_BODY_BYTES:
            raise _too_large()
        with anyio.move_on_after(self._guards.body_seconds):
            return await _read_body(receive, room)
        message = "The body of the request did not arrive in time."
        raise Refusal(408, "timeout", message, {"Connection": "close"}, also=_TOO_SLOW_ALSO)


class _Head(NamedTuple):
    """What the guards need of the head of a request whose Host and Origin are right. `scope`: of the tokens that it is for;
    `is_for_others`: not for the lanes."""

    token: str | None
    scope: str
    is_compressed: bool
    is_for_others: bool


class _TrackedSend:
    """A `send` that knows whether an answer has begun, calls `refused` when a lane refuses, and `leave` when the last of an answer is
    about to be sent: its client may ask again as soon as it has that, and the lane goes on for a while."""

    __slots__ = ("_refused", "_send", "has_begun", "leave")

    def __init__(self, send: Send, refused: Callable[[int], None]) -> None:
        self._send = send
        self._refused = refused
        self.has_begun = False
        self.leave: Callable[[], None] = _nothing

    def __call__(self, message: Message) -> Awaitable[None]:
        self.has_begun = True
        if message.get("status") in REFUSED_BY_LANES:
            self._refused(message["status"])
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.leave()
        return self._send(message)


def _nothing() -> None:
    """For an answer with which nobody leaves."""


def introduce(scope: Scope, visitor: Visitor) -> None:
    """Put the visitor into the scope, for our lanes and for the SDK, which binds a session to the user who began it."""
    scope[VISITOR] = visitor
    scope["user"] = _as_sdk_knows(visitor)


@lru_cache(maxsize=1_000)
def _as_sdk_knows(visitor: Visitor) -> AuthenticatedUser:
    return AuthenticatedUser(AccessToken(token="", client_id=visitor.name, scopes=[], subject=visitor.tenant))


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    return token.strip().encode("latin-1").decode("utf-8", "replace")


async def _read_body(receive: Receive, room: BodyRoom) -> bytes | None:
    """The body, without the byte order mark that a file written on Windows may begin with; None if the client goes away meanwhile.
    Raises Refusal (too large, no room)."""
    parts, size = [], 0
    while (message := await receive())["type"] == "http.request":
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY_BYTES:
            raise _too_large()
        room.take(len(parts[-1]))
        if not message.get("more_body", False):
            return b"".join(parts).removeprefix(BOM_UTF8)
    return None


def _list_header(headers: Headers, name: str) -> list[str]:
    """The members of a list header, of all its lines, in lower case."""
    return [member.strip().lower() for line in headers.getlist(name) for member in line.split(",")]


def _compressed() -> Refusal:
    message = "Compressed bodies are not taken: send it as it is, without Content-Encoding, and Transfer-Encoding chunked alone."
    headers = {"Accept-Encoding": "identity"}  # RFC 9110, 15.5.16
    return Refusal(415, "unsupported_encoding", message, headers, also=_COMPRESSED_ALSO)


def _too_large() -> TooLarge:
    most = MAX_BODY_BYTES // 1024**2
    also = filled(_TOO_LARGE_ALSO, most=most)
    return TooLarge(413, "too_large", f"A request has at most {most} MiB.", {"Connection": "close"}, also=also)


_NOTHING_ALSO = {"ja": "このパスには何も公開されていません。", "zh": "此路径没有公开任何内容。"}
_NOT_FOR_TOKEN_ALSO = {"ja": "このトークンでは {path} を利用できません。", "zh": "此令牌不能访问“{path}”。"}
_TOO_SLOW_ALSO = {"ja": "リクエストの本文が時間内に届きませんでした。", "zh": "请求的正文没有及时到达。"}
_COMPRESSED_ALSO = {
    "ja": "圧縮された本文は受け付けません。Content-Encoding を付けず、Transfer-Encoding は chunked だけにして、そのまま送ってください。",
    "zh": "不接受压缩的正文。请原样发送，不带 Content-Encoding，Transfer-Encoding 只能是 chunked。",
}
_TOO_LARGE_ALSO = {"ja": "リクエストは {most} MiB までです。", "zh": "请求最多 {most} MiB。"}
