"""The fast lane over stdio: answers to ordinary requests, equal to the SDK's but without the SDK.

Useful for: stdio, where the first answer should not wait for any import. Not useful for: HTTP, where the SDK keeps the
sessions; deciding what is ordinary (wire.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from omoide.families.tool import Result, Tool
from omoide.server.protocol import identity, wire

#: Requests that are answered before the store is open: method -> result, from (the server's version, the request).
HANDSHAKE: Final[Mapping[str, Callable[[str, wire.Request], Mapping[str, Any]]]] = {
    "initialize": lambda version, request: identity.initialized(version, request.params["protocolVersion"]),
    "ping": lambda version, request: {},
    "server/discover": lambda version, request: identity.discovered(wire.STATELESS),
}


class StdioFastLane:
    """`version`: the server's. The first request decides the era of the conversation."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._client: str | None = None
        self.era: wire.Era | None = None

    def request(self, message: Any) -> wire.Request | None:
        """The message as a request, if it is an ordinary one at this point of the conversation."""
        if self.era is None:
            return self._first(message)
        request = wire.request(message, self.era)
        if request is not None and request.method == "initialize":
            self._client = request.client  # who greets once more is answered by the SDK, and named here, too
            return None
        return request

    def client(self, request: wire.Request) -> str | None:
        """The client's name, where it has given one."""
        return request.client if self.era == "stateless" else self._client

    def opening(self, request: wire.Request) -> bytes:
        """A line that tells the SDK, when it is loaded later, how the conversation began. Where that was a call, one without its
        effects."""
        method = request.method if request.method == "initialize" else "server/discover"
        params = request.params if request.method == "initialize" else {"_meta": request.params["_meta"]}
        return wire.request_line(request.id, method, params)

    def handshake(self, request: wire.Request) -> bytes:
        """The answer to a request of HANDSHAKE."""
        return self._response(request, HANDSHAKE[request.method](self._version, request))

    def listed(self, request: wire.Request, tools: tuple[Tool, ...]) -> bytes:
        """The answer to `tools/list`."""
        return self._response(request, identity.list_result(tools, self.era or "session"))

    def called(self, request: wire.Request, result: Result) -> bytes:
        """The answer to `tools/call`."""
        return self._response(request, wire.call_result(result))

    def _first(self, message: Any) -> wire.Request | None:
        begun = wire.request(message, "session")
        if begun is not None and begun.method == "initialize":
            self.era, self._client = "session", begun.client
            return begun
        request = wire.request(message, "stateless")
        self.era = None if request is None else "stateless"
        return request

    def _response(self, request: wire.Request, result: Mapping[str, Any]) -> bytes:
        era = self.era or "session"
        return wire.response(request.id, wire.enveloped(result, era, identity.stamp(self._version))) + b"\n"
