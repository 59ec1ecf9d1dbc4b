"""Serve any number of clients over streamable HTTP, at /mcp.

Invariant: without `insecure` only this machine can connect, or bearers of a token; every request comes in through
the guards.
"""

from __future__ import annotations

import ipaddress
import signal
import socket
import sys
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from omoide.errors import InvalidArgument, Unavailable
from omoide.server.accepting import accepting
from omoide.server.desk import Desk
from omoide.server.fastlane import FastLane
from omoide.server.guards import MAX_BODY_BYTES, Guarded, Guards, Hosts
from omoide.server.health import Missing, health, measures
from omoide.server.listening import listening
from omoide.server.metrics import Metrics
from omoide.server.patience import Patient
from omoide.server.seats import Seats

PATH = "/mcp"
DRAIN_SECONDS = 10

_EVERYWHERE = frozenset({"0.0.0.0", "::"})


def listen(host: str, port: int, *, guarded: bool, insecure: bool, workers: int = 1) -> list[socket.socket]:
    """A socket for each worker, all of one address, that clients can already connect to; port 0 takes any free one.

    Raises InvalidArgument (another machine could reach it, no token is asked for, and `insecure` was not said),
    Unavailable (taken).
    """
    if not (guarded or insecure or is_loopback(host)):
        raise InvalidArgument(
            "host",
            f"{host} can be reached from other machines; anyone there could read and write every memory.",
            hint="Use 127.0.0.1, or ask for tokens (OMOIDE_TOKEN), or say --insecure.",
        )
    try:
        alone = _bound(host, port, shared=False)
        if workers == 1 or not sys.platform.startswith("linux"):
            return [alone] * workers
        # Of processes that accept from one socket the same one would come first again and again. Linux deals connections
        # out among sockets that share an address; that nobody else had it is known by now.
        port = alone.getsockname()[1]
        alone.close()
        return [_bound(host, port, shared=True) for _ in range(workers)]
    except OSError as error:
        raise Unavailable(
            f"Cannot listen on {host} port {port}: {error.strerror or error}.", hint="Choose another with --port."
        ) from error


def _bound(host: str, port: int, *, shared: bool) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=2048, reuse_port=shared)


def close(listening: Iterable[socket.socket]) -> None:
    """Take nobody more in from this process; others that have the sockets open go on."""
    for each in listening:
        each.close()


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def url_of(listening: socket.socket) -> str:
    """Where clients find the server."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Until SIGTERM or SIGINT; requests under way are finished first."""
    config = uvicorn.Config(
        app,
        loop="auto" if sys.platform == "win32" else "uvloop",
        http=Patient,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    for each in (signal.SIGTERM, signal.SIGINT):
        # uvicorn drains, then raises the signal again: this makes that an orderly end.
        signal.signal(each, lambda *_: sys.exit(0))
    uvicorn.Server(config).run(sockets=[listening])


def application(
    server: Server[Any],
    guards: Guards,
    metrics: Metrics,
    missing: Missing,
    *,
    fast_lane: Desk | None = None,
    published: Mapping[str, ASGIApp] | None = None,
    keeps_sessions: bool = True,
) -> ASGIApp:
    """The ASGI application behind its guards, for `serve` and for any other ASGI server.

    With `fast_lane`, ordinary calls go to that desk without the SDK; it is the one that `server` was built for.
    `published` are more paths for anyone. Where several processes serve one address none may keep a session: the next
    request may come to another.
    """
    sdk = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=not keeps_sessions,
        max_request_body_size=MAX_BODY_BYTES,
        # The guards have held Host and Origin against the names of this server.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    lanes = accepting(listening(sdk))
    if keeps_sessions:
        lanes = Seats(lanes)
    if fast_lane is not None:
        lanes = FastLane(lanes, fast_lane, path=PATH, stamp=server.server_info_stamp, keeps_sessions=keeps_sessions)
    return Guarded(lanes, guards, open_to_all={**health(missing), **(published or {})}, measured=measures(metrics))


def hosts(host: str, public_url: str | None) -> Hosts:
    """The names that requests may give a server that listens on `host` and is known as `public_url`."""
    if host in _EVERYWHERE:
        return Hosts(None)
    names = {"127.0.0.1", "localhost", "[::1]"} if is_loopback(host) else set()
    if public_url is not None:
        names.add((urlsplit(public_url).hostname or "").lower())
    return Hosts(frozenset({*names, f"[{host}]" if ":" in host else host.lower()}))
