"""Load on a server from a process of its own: one request after the other, over several connections, each as the protocol's own
clients send it: a head, and its body behind it in another packet.

    python -m bench.load PORT ERA CONNECTIONS SECONDS < request.json     prints what it met, as JSON

Useful for: `bench serve`, which measures the server's CPU meanwhile. Not useful for: anything but loopback.
Invariant: every answer is looked into; one that is an error ends the run.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from itertools import cycle
from time import perf_counter
from typing import Any, TypeAlias

STATELESS = "2026-07-28"
SESSION = "2025-11-25"
#: Where it stands in a request, each that is sent has something else: what was stored before is not stored again.
FRESH = "0123456789abcdef"
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


def call(era: str, id: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A tools/call."""
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    if era == "stateless":
        params["_meta"] = META
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def hello() -> dict[str, Any]:
    """An initialize."""
    params = {"protocolVersion": SESSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    return {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params}


def freshened(request: bytes) -> bytes:
    """As it is sent; of the same length."""
    return request.replace(FRESH.encode(), os.urandom(len(FRESH) // 2).hex().encode())


#: The head and the body of a request.
Request: TypeAlias = tuple[bytes, bytes]


class Connection:
    """One, kept open."""

    def __init__(self, port: int, era: str, name: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._heard = self._socket.makefile("rb")
        self._headers = {
            "Host": f"127.0.0.1:{port}",
            "Accept-Encoding": "gzip, deflate",
            "Connection": "keep-alive",
            "User-Agent": "bench",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if era == "stateless":
            self._headers |= {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "tools/call", "Mcp-Name": name}
        else:
            headers, _ = self.ask(*self.request(hello()))
            self._headers |= {"Mcp-Session-Id": headers.get("mcp-session-id", ""), "MCP-Protocol-Version": SESSION}
            self.ask(*self.request({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def request(self, message: dict[str, Any]) -> Request:
        """As it is sent."""
        body = json.dumps(message, ensure_ascii=False).encode()
        lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in self._headers.items())]
        return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode(), body

    def ask(self, head: bytes, body: bytes) -> tuple[dict[str, str], bytes]:
        """(headers, body) of the answer."""
        self._socket.sendall(head)
        self._socket.sendall(body)
        headers = {"status": self._heard.readline().decode()}
        while line := self._heard.readline().strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        if "content-length" in headers:
            return headers, self._heard.read(int(headers["content-length"]))
        return headers, self._chunks() if "transfer-encoding" in headers else b""

    def _chunks(self) -> bytes:
        body = b""
        while size := int(self._heard.readline(), 16):
            body += self._heard.read(size)
            self._heard.readline()
        self._heard.readline()
        return body


def _load(port: int, era: str, seconds: float, asked: dict[str, Any], taken: list[float]) -> None:
    connection = Connection(port, era, asked["name"])
    requests = cycle([connection.request(call(era, 1, asked["name"], each)) for each in asked["arguments"]])
    until = perf_counter() + seconds
    while (began := perf_counter()) < until:
        head, body = next(requests)
        headers, body = connection.ask(head, freshened(body))
        taken.append(perf_counter() - began)
        if " 200 " not in headers["status"] or b'"isError":true' in body or b'"error"' in body[:60]:
            raise RuntimeError(f"{headers['status']}{body[:300]!r}")


def _shares(asked: dict[str, Any], among: int) -> list[dict[str, Any]]:
    """The calls in the same order for each connection, but begun at another place."""
    every = asked["arguments"]
    starts = [len(every) * number // among for number in range(among)]
    return [{**asked, "arguments": every[start:] + every[:start]} for start in starts]


def main(port: str, era: str, connections: str, seconds: str) -> None:
    """Load the server; print the seconds of each answer, and of all together: to begin this process took some, too."""
    asked = json.load(sys.stdin)
    taken: list[float] = []
    threads = [
        threading.Thread(target=_load, args=(int(port), era, float(seconds), share, taken))
        for share in _shares(asked, int(connections))
    ]
    began = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    json.dump({"taken": taken, "seconds": perf_counter() - began}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
