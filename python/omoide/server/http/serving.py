"""Serve any number of clients over streamable HTTP, at /mcp.

Invariant: every request comes in through the guards.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from omoide.exchange import is_here
from omoide.server.access.limits import MAX_BODY_BYTES
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.http.accepting import Acceptor
from omoide.server.http.connection import HttpConnection
from omoide.server.http.content_negotiation import negotiate_content
from omoide.server.http.event_streams import EventStreams, end_streams_in_good_order
from omoide.server.http.fastlane import FastLane, Leases
from omoide.server.http.guards import Guarded, Guards, Hosts, name_of
from omoide.server.http.health import Missing, health, measures
from omoide.server.http.listening import EVERYWHERE, PATH, canonical
from omoide.server.http.malformed_bodies import explain_malformed_bodies
from omoide.server.http.repeated_ids import take_turns_by_id
from omoide.server.http.scope_challenges import challenge_for_scope
from omoide.server.http.session_limit import SessionLimit
from omoide.server.http.unknown_paths import explain_unknown_paths
from omoide.server.monitoring.metrics import Metrics
from omoide.server.processes.load_balancing import CountedConnections, Share, SharedAcceptor
from omoide.server.protocol.elicitation import Elicitations

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 10
#: How long before requests are cancelled clients that do not take their answers are hung up on: their requests end, where
#: uvicorn would log a stack for each.
HANG_UP_SECONDS = 0.3
#: How long an idle connection is kept: longer than clients (most: 5 s) and proxies (60 s) go on using it. A request that
#: arrives while the server closes the connection is lost, and clients do not repeat tool calls. When there are too many, idle
#: ones go.
REST_SECONDS = 75


def serve(app: ASGIApp, listening: socket.socket, share: Share | None, greet: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; requests under way are finished first, unless another SIGINT comes. `share`: this
    process's share of the connections, if other processes accept from the socket too. `greet` tells others where to connect: from
    then on whoever does is answered."""
    config = uvicorn.Config(
        app,
        loop="auto" if sys.platform == "win32" else "uvloop",
        http=HttpConnection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nothing here uses the client's address
        timeout_keep_alive=REST_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    end_streams_in_good_order()
    served = _Server(config) if share is None else _SharingServer(config, share)

    def end(*_: object) -> None:
        served.should_exit = True

    # For signals that come before uvicorn handles them; then for those that uvicorn raises again when it has drained.
    _on_signals(end)
    greet()
    served.run(sockets=[listening])
    _on_signals(lambda *_: sys.exit(0))


def _on_signals(do: Callable[..., object]) -> None:
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, do)


class _Server(uvicorn.Server):
    """A server that also ends in good order when it does not wait for requests, and lets newcomers in however busy it is."""

    _acceptors: Sequence[Acceptor] = ()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does; beside it, an Acceptor for each socket."""
        await super().startup(sockets)
        if sys.platform != "win32":  # there the loop accepts in other ways
            self._accept_by([Acceptor(each, self._connection) for each in sockets or ()])

    def _accept_by(self, acceptors: Sequence[Acceptor]) -> None:
        self._acceptors = acceptors
        self.servers += acceptors  # type: ignore[arg-type]  # uvicorn closes them

    def _connection(self) -> HttpConnection:
        return HttpConnection(self.config, self.server_state, self.lifespan.state)

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second, or in each round of the loop if they take longer."""
        for each in self._acceptors:
            each.catch_up()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let in those who have connected, who would be hung up on; end the streams that clients listen on, then shut down as
        uvicorn does. After another SIGINT also cancel the requests under way and shut down the application, which uvicorn does
        not."""
        getattr(self.config.app, "end", _nothing)()
        for each in self._acceptors:
            each.accept_all()
        if self.config.timeout_graceful_shutdown is not None:
            patience = self.config.timeout_graceful_shutdown - HANG_UP_SECONDS
            asyncio.get_running_loop().call_later(patience, self._hang_up_on_the_slow)
        await super().shutdown(sockets)
        if self.force_exit:
            if self._hang_up_on_the_slow():
                await asyncio.sleep(HANG_UP_SECONDS)
            for task in self.server_state.tasks:
                task.cancel()
            await self.lifespan.shutdown()

    def _hang_up_on_the_slow(self) -> bool:
        """Hang up on clients that do not take their answers; returns whether there are any."""
        slow = [each for each in self.server_state.connections if each.transport.get_write_buffer_size()]
        if slow:
            logger.warning("the server ends and hangs up on clients that do not take their answers: %d", len(slow))
        for each in slow:
            each.transport.abort()
        return bool(slow)


class _SharingServer(_Server):
    """A server that accepts from the same sockets as other processes."""

    def __init__(self, config: uvicorn.Config, share: Share) -> None:
        super().__init__(config)
        self._share = share
        self.server_state.connections = CountedConnections(share)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does, but accept through SharedAcceptors alone: uvicorn would ignore how many connections the others have."""
        await super().startup(sockets=[])
        self._accept_by([SharedAcceptor(each, self._share, self._connection) for each in sockets or ()])


def application(
    server: Server[Any],
    guards: Guards,
    metrics: Metrics,
    missing: Missing,
    *,
    dispatcher: Dispatcher | None = None,
    fast_lane: bool = True,
    published: Mapping[str, ASGIApp] | None = None,
    keeps_sessions: bool = True,
    elicitations: Elicitations | None = None,
) -> ASGIApp:
    """The ASGI application behind its guards, for `serve` and for any other ASGI server.

    `dispatcher` must be the one that `server` was built for: it tells which calls a visitor's token allows. With `fast_lane`,
    ordinary calls go to it without the SDK.
    `published` are more paths open to anyone; `elicitations` is that of `server`. Where several processes serve one address, none
    may keep sessions: the next request may reach another process.
    """
    sdk = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=not keeps_sessions,
        max_request_body_size=MAX_BODY_BYTES,
        # The guards have checked Host and Origin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    explained = explain_malformed_bodies(explain_unknown_paths(sdk, PATH))
    behind = take_turns_by_id(explained) if keeps_sessions else explained
    streams = EventStreams(behind, keeps_sessions=keeps_sessions)
    lanes = negotiate_content(streams)
    leases = Leases()
    at_once = None
    if keeps_sessions:
        lanes = SessionLimit(lanes, on_eviction=leases.end)
    if dispatcher is not None:
        lanes = challenge_for_scope(lanes, dispatcher)
    if dispatcher is not None and fast_lane:
        stamp = server.server_info_stamp
        lanes = FastLane(lanes, dispatcher, path=PATH, stamp=stamp, keeps_sessions=keeps_sessions, leases=leases)
        at_once = lanes.at_once
    shown = {**health(missing), **(published or {})}
    guarded = Guarded(lanes, guards, open_to_all=shown, measured=measures(metrics), at_once=at_once)

    def end() -> None:
        streams.end()
        if elicitations is not None:
            elicitations.end()

    return _Application(guarded, end)


def _nothing() -> None:
    """For an application without `end`."""


class _Application:
    """Accepts the path with or without a slash at its end: the SDK would redirect clients from `/mcp/` to `/mcp` at its own
    address, which is not theirs behind a TLS proxy."""

    def __init__(self, guarded: Guarded, end: Callable[[], None]) -> None:
        self._guarded = guarded
        #: To be called when the server begins to shut down.
        self.end = end
        #: See connection.py.
        self.at_once = guarded.at_once
        self.refused = guarded.refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") == f"{PATH}/":
            scope = {**scope, "path": PATH, "raw_path": PATH.encode()}
        await self._guarded(scope, receive, send)


def hosts(listens_on: Collection[str], public_url: str | None, *, needs_token: bool = False) -> Hosts:
    """The names by which requests may address a server. `listens_on`: the host that it was told to listen on, and the address
    that this turned out to be; `public_url`: what it is known as elsewhere.

    Nobody can list the names of a server on all addresses, and no page knows a token, whatever name it has given itself: in both
    cases, Host may be any.
    """
    everywhere = any(canonical(each) in EVERYWHERE for each in listens_on)
    if everywhere and needs_token:
        return Hosts(None)
    names = {*map(_name, listens_on)}
    if everywhere or any(map(is_here, listens_on)):
        names |= {"127.0.0.1", "localhost", "[::1]"}
    if public_url is not None:
        names.add(_host_of(public_url))
    return Hosts(frozenset(names), any_host=everywhere or needs_token)


def _host_of(url: str) -> str:
    """The host as clients send it: names in other scripts are encoded in ASCII (IDNA)."""
    host = (urlsplit(url).hostname or "").lower()
    try:
        name = host.encode("idna").decode()
    except UnicodeError:  # not a valid name
        name = host
    return _name(name)


def _name(host: str) -> str:
    """A host as `name_of` returns it; the interface behind an address of IPv6 (`%eth0`) is known to nobody else."""
    bare = host.partition("%")[0]
    return name_of(f"[{bare}]" if ":" in bare else bare)
