"""A local server that speaks the embeddings API, and misbehaves as told."""

from __future__ import annotations

import base64
import json
import socket
import threading
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from omoide._engine import LexicalEmbedder

DIMENSIONS = 16
_LEXICAL = LexicalEmbedder(DIMENSIONS)


def vector_of(text: str) -> bytes:
    """What the endpoint answers for a text."""
    return _LEXICAL.embed([text])[0]


class FakeEndpoint:
    """`faults` are used up one a request; then it behaves. `asked` are the texts of each request, in order. A request that
    is answered slowly sets `held` and waits for `let_go`."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.asked: list[list[str]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.most_texts = 1_000
        self.poison: str | None = "毒"  #: a text with it is refused; "" refuses all
        self.curse: str | None = None  #: the fault of each request that has a text with 呪
        self.retry_after = "7"
        self.down = False
        self.dimensions = DIMENSIONS
        self.held = threading.Event()
        self.let_go = threading.Event()
        handler = type("Handler", (_Handler,), {"fake": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
        """(status, JSON) of one request that is not cut off."""
        texts = body["input"]
        self.asked.append(texts)
        self.bodies.append(body)
        fault = "500" if self.down else self.faults.pop(0) if self.faults else ""
        if self.curse is not None and any("呪" in text for text in texts):
            fault = self.curse
        if fault.isdigit():
            return int(fault), {"error": {"message": "told to fail"}}
        if len(texts) > self.most_texts:
            return 413, {"error": {"message": f"at most {self.most_texts} inputs"}}
        if self.poison is not None and any(self.poison in text for text in texts):
            return 400, {"error": {"message": "this input is not acceptable"}}
        rows = [{"index": at, "embedding": self._numbers(text)} for at, text in enumerate(texts)]
        return 200, {"data": _spoilt(rows, fault), "model": body.get("model")}

    def _numbers(self, text: str) -> list[float]:
        return array("f", vector_of(text)).tolist()[: self.dimensions]


#: What may stand where a vector should.
NO_VECTORS: Mapping[str, Any] = {
    "null": None,
    "an object": {"0": 1.0},
    "words": ["1.0"],
    "beyond all numbers": [10**400],
    "nested": [[1.0]],
    "no numbers": [],
    "no bytes": "",
}


def _spoilt(rows: list[dict[str, Any]], fault: str) -> Any:
    if fault in NO_VECTORS:
        return [{**row, "embedding": NO_VECTORS[fault]} for row in rows]
    if fault == "places without end":
        return [{**row, "index": float("inf")} for row in rows]
    if fault == "partial":
        return rows[: (len(rows) + 1) // 2]
    if fault == "shuffled":
        return rows[::-1]
    if fault == "not numbered":
        return [{**row, "index": 0} for row in rows]
    if fault == "wrong dimension":
        return [{**row, "embedding": row["embedding"] + [0.5]} for row in rows]
    if fault == "not finite":
        return [{**row, "embedding": [float("inf"), *row["embedding"][1:]]} for row in rows]
    if fault == "base64":
        return [{**row, "embedding": base64.b64encode(array("f", row["embedding"])).decode()} for row in rows]
    if fault == "garbage":
        return "no list"
    if fault == "empty":
        return []
    return rows


#: Answers that are no JSON of ours, and their encoding.
BODIES: Mapping[str, tuple[bytes, str]] = {
    "nested without end": (b'{"data":' + b"[" * 200_000, "identity"),
    "not compressed": (b'{"data": []}', "gzip"),
    "far too long": (b" " * (2 << 20), "identity"),
}


class _Handler(BaseHTTPRequestHandler):
    fake: FakeEndpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.fake.headers.append(dict(self.headers))
        if self.fake.faults and self.fake.faults[0] in {"slow", "dropped"}:
            fault = self.fake.faults.pop(0)
            self.fake.asked.append(body["input"])
            if fault == "slow":
                self.fake.held.set()
                self.fake.let_go.wait(30)
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        raw = BODIES.get(self.fake.faults[0]) if self.fake.faults else None
        status, answer = self.fake.answer(body)
        content, encoding = raw or (json.dumps(answer).encode(), "identity")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(content)))
        if status == 429:
            self.send_header("Retry-After", self.fake.retry_after)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Tests are quiet."""


@contextmanager
def running() -> Iterator[FakeEndpoint]:
    endpoint = FakeEndpoint()
    try:
        yield endpoint
    finally:
        endpoint.close()
