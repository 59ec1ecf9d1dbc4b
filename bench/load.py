"""Puts load on a server from a separate process: several connections, each sending one request after the other, as the protocol's
own clients do: first the head, then the body in another packet.

    python -m bench.load PORT ERA CONNECTIONS SECONDS < request.json     prints what it measured, as JSON

Useful for: `bench serve`, which measures the server's CPU meanwhile. Not useful for: anything but loopback.
Invariant: every answer is checked; an error ends the run.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import threading
from itertools import cycle
from time import perf_counter
from typing import Any, TypeAlias

STATELESS = "2026-07-28"
SESSION = "2025-11-25"
#: Replaced by something else in each request, so that no text is stored twice.
FRESH = "0123456789abcdef"
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


def call(era: str, id: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The bytes of a tools/call."""
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    if era == "stateless":
        params["_meta"] = META
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def hello() -> dict[str, Any]:
    """The bytes of an initialize."""
    params = {"protocolVersion": SESSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    return {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params}


def freshened(request: bytes) -> bytes:
    """The request as it is sent, of the same length."""
    return request.replace(FRESH.encode(), os.urandom(len(FRESH) // 2).hex().encode())


#: In the head of a response.
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
SESSION_ID = re.compile(rb"\r\nmcp-session-id: *(\S+)", re.IGNORECASE)
#: A response usually arrives whole in one read.
READ_BYTES = 1 << 16
#: A request's head and body.
Request: TypeAlias = tuple[bytes, bytes]


class Connection:
    """One connection, kept open. Its CPU time is lost to a server with a worker per core, so it parses no more of an
    answer than is needed to find its end."""

    def __init__(self, port: int, era: str, name: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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
            head, _ = self.ask(*self.request(hello()))
            session = SESSION_ID.search(head)
            self._headers |= {"Mcp-Session-Id": session[1].decode() if session else "", "MCP-Protocol-Version": SESSION}
            self.ask(*self.request({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def request(self, message: dict[str, Any]) -> Request:
        """As it is sent."""
        body = json.dumps(message, ensure_ascii=False).encode()
        lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in self._headers.items())]
        return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode(), body

    def ask(self, head: bytes, body: bytes) -> tuple[bytes, bytes]:
        """(head, body) of the answer; a chunked body includes the chunk headers. Raises ConnectionError (it was closed)."""
        self._socket.sendall(head)
        self._socket.sendall(body)
        heard = self._more()
        while (end := heard.find(b"\r\n\r\n")) < 0:
            heard += self._more()
        told, begin = heard[:end], end + 4
        if length := LENGTH.search(told):
            missing = begin + int(length[1]) - len(heard)
            while missing > 0:
                more = self._more()
                heard, missing = heard + more, missing - len(more)
        elif CHUNKED.search(told):
            while not heard.endswith(b"\r\n0\r\n\r\n"):
                heard += self._more()
        return told, heard[begin:]

    def _more(self) -> bytes:
        if more := self._socket.recv(READ_BYTES):
            return more
        raise ConnectionError("the server hung up")


def _load(port: int, era: str, seconds: float, asked: dict[str, Any], taken: list[float]) -> None:
    connection = Connection(port, era, asked["name"])
    requests = cycle([connection.request(call(era, 1, asked["name"], each)) for each in asked["arguments"]])
    until = perf_counter() + seconds
    while (began := perf_counter()) < until:
        head, body = next(requests)
        told, answer = connection.ask(head, freshened(body))
        taken.append(perf_counter() - began)
        if b" 200 " not in told[:16] or b'"isError":true' in answer or b'"error"' in answer[:80]:
            raise RuntimeError(f"{told!r}{answer[:300]!r}")


def _shares(asked: dict[str, Any], among: int) -> list[dict[str, Any]]:
    """The calls for each connection: the same order, from different starting points."""
    every = asked["arguments"]
    starts = [len(every) * number // among for number in range(among)]
    return [{**asked, "arguments": every[start:] + every[:start]} for start in starts]


def main(port: str, era: str, connections: str, seconds: str) -> None:
    """Load the server; print the seconds of each answer, and of the whole load, without the start of this process."""
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
