"""Serve any number of clients over streamable HTTP, at /mcp.

Invariant: without `insecure` only this machine can connect, and a request whose Host or Origin is another site's (a
page that rebinds DNS) is refused.
"""

from __future__ import annotations

import hmac
import ipaddress
import signal
import socket
import sys
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from omoide.config import Secret
from omoide.errors import InvalidArgument, Unavailable

PATH = "/mcp"
#: A memory of the greatest length, every character escaped, fits.
MAX_BODY_BYTES = 16 * 1024 * 1024
DRAIN_SECONDS = 5

_EVERYWHERE = frozenset({"0.0.0.0", "::"})


def listen(host: str, port: int, *, insecure: bool) -> socket.socket:
    """A socket that clients can already connect to; port 0 takes any free one.

    Raises InvalidArgument (another machine could reach it, and `insecure` was not said), Unavailable (taken).
    """
    if not insecure and not is_loopback(host):
        raise InvalidArgument(
            "host",
            f"{host} can be reached from other machines; anyone there could read and write every memory.",
            hint="Use 127.0.0.1, or say --insecure and set OMOIDE_TOKEN.",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise Unavailable(
            f"Cannot listen on {host} port {port}: {error.strerror or error}.", hint="Choose another with --port."
        ) from error


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


def serve(server: Server[Any], listening: socket.socket, *, host: str, token: Secret | None) -> None:
    """Until SIGTERM or SIGINT; requests under way are finished first."""
    config = uvicorn.Config(
        application(server, host=host, token=token),
        loop="auto" if sys.platform == "win32" else "uvloop",
        http="httptools",
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


def application(server: Server[Any], *, host: str, token: Secret | None = None) -> ASGIApp:
    """The ASGI application, for `serve` and for any other ASGI server."""
    app: Starlette = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=_hosts(host),
    )
    return app if token is None else RequireToken(app, token)


def _hosts(host: str) -> TransportSecuritySettings:
    if host in _EVERYWHERE:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = ["127.0.0.1", "localhost", "[::1]"] if is_loopback(host) else []
    names.append(f"[{host}]" if ":" in host else host)
    return TransportSecuritySettings(
        allowed_hosts=[f"{name}:*" for name in names], allowed_origins=[f"http://{name}:*" for name in names]
    )


class RequireToken:
    """Answers 401 unless the request carries the token."""

    def __init__(self, app: ASGIApp, token: Secret) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] == "http" and not self._may(Headers(scope=scope)):
            answer = PlainTextResponse("A bearer token is required.\n", 401, {"WWW-Authenticate": "Bearer"})
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _may(self, headers: Headers) -> bool:
        return hmac.compare_digest(headers.get("authorization", "").encode("latin-1"), self._expected)
