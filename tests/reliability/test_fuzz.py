"""Messages that no client sends: after each a server answers as it should, and still serves the next.

Half of them are calls of real tools with arguments made after their schemas and then bent; the others are bytes.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client

from omoide import nesting
from omoide.app import tools_offered
from omoide.config import load
from tests.reliability.nasty import STRINGS, anything, arguments, nested
from tests.server.conftest import OMOIDE, environment

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
METHODS = (
    "tools/call",
    "tools/list",
    "initialize",
    "ping",
    "server/discover",
    "resources/read",
    "no/such",
    "",
    "tools/call\0",
)
HANDSHAKE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
WORDS = ("抹茶", "龙井茶", "tea")


class Messages:
    """Bent messages, the same ones at every run."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._tools = tools_offered(load({"data": "/nowhere", "tools": "all"}, {}))

    def __iter__(self) -> Iterator[bytes]:
        kinds = (self._call, self._call, self._bent, self._text, self._bytes, self._deep, self._batch)
        while True:
            yield self._dice.choice(kinds)()

    def call(self) -> dict[str, Any]:
        """A call of a real tool, its arguments more or less after the schema."""
        tool = self._dice.choice(self._tools)
        given = arguments(self._dice, tool.input_schema, WORDS, wrong=0.15)
        params = {"name": tool.name, "arguments": given, "_meta": META}
        return {"jsonrpc": "2.0", "id": self._dice.randrange(10**9), "method": "tools/call", "params": params}

    def _call(self) -> bytes:
        return json.dumps(self.call(), ensure_ascii=self._dice.random() < 0.5).encode("utf-8", "surrogatepass")

    def _bent(self) -> bytes:
        message = self.call()
        place: Any = message if self._dice.random() < 0.5 else message["params"]
        key = self._dice.choice([*place, "id", "extra"])
        if self._dice.random() < 0.3:
            place.pop(key, None)
        else:
            place[key] = self._dice.choice([anything(self._dice), self._dice.choice(METHODS), HANDSHAKE])
        return json.dumps(message).encode("utf-8", "surrogatepass")

    def _text(self) -> bytes:
        return self._dice.choice([*STRINGS.values()]).encode("utf-8", "surrogatepass")

    def _bytes(self) -> bytes:
        whole = bytearray(self._call())
        for _ in range(self._dice.randint(1, 8)):
            whole[self._dice.randrange(len(whole))] = self._dice.randrange(256)
        return bytes(whole[: self._dice.randrange(len(whole))] if self._dice.random() < 0.3 else whole)

    def _deep(self) -> bytes:
        depth = self._dice.choice((100, 2_000, 100_000))
        opening, closing = self._dice.choice((("[", "]"), ('{"a":', "}")))
        if depth == 100:
            return json.dumps({**self.call(), "params": nested(depth)}).encode()
        return f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{opening * depth}0{closing * depth}}}'.encode()

    def _batch(self) -> bytes:
        return json.dumps([self.call() for _ in range(self._dice.randint(0, 3))]).encode("utf-8", "surrogatepass")


def faults(answer: str) -> bool:
    return "fault of the server" in answer or "Traceback" in answer or '"code":-32603' in answer.replace(" ", "")


@pytest.mark.parametrize("era", ["2026-07-28", "2025-06-18"])
async def test_over_http_every_message_is_answered_and_none_is_our_fault(
    http: Callable[..., str], dice: random.Random, attacks: Callable[[int, int], int], era: str
) -> None:
    url = http("--tools", "all")
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers["Mcp-Protocol-Version"] = era
    blamed = []
    async with httpx2.AsyncClient(timeout=30) as client:
        if era == "2025-06-18":
            start = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE}
            headers["Mcp-Session-Id"] = (await client.post(url, json=start, headers=headers)).headers["mcp-session-id"]
        for _, message in zip(range(attacks(150, 5_000)), Messages(dice), strict=False):
            answer = await client.post(url, content=message, headers=headers | named(message))
            if answer.status_code >= 500 or faults(answer.text):
                blamed.append((answer.status_code, answer.text[:300], message[:300]))
    assert blamed == []
    await serves(url)


def asked(line: bytes) -> Iterator[str | int]:
    """The ids under which an answer to the line is awaited, as far as it can be read: none in what is nested too deeply."""
    try:
        told = nesting.loads(line)
    except ValueError:
        return
    for each in told if isinstance(told, list) else [told]:
        if isinstance(each, dict) and type(each.get("id")) in (str, int) and isinstance(each.get("method"), str):
            yield each["id"]


def named(message: bytes) -> dict[str, str]:
    """The headers that a stateless client repeats its message in, as far as there is one."""
    try:
        told = json.loads(message)
        wanted = {"Mcp-Method": told["method"], "Mcp-Name": told["params"]["name"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        wanted = {"Mcp-Method": "tools/call"}
    return {
        name: value
        for name, value in wanted.items()
        if isinstance(value, str) and value.isascii() and value.isprintable()
    }


async def serves(url: str) -> None:
    async with Client(url) as client:
        await client.call_tool("store_memory", {"text": "まだ動いている"})
        found = await client.call_tool("search_memory", {"query": "動いている"})
        assert "まだ動いている" in str(found.structured_content)


def test_over_stdio_every_request_is_answered_and_none_is_our_fault(
    tmp_path: Path, dice: random.Random, attacks: Callable[[int, int], int]
) -> None:
    sent = [message for _, message in zip(range(attacks(150, 10_000)), Messages(dice), strict=False)]
    last = {"jsonrpc": "2.0", "id": "last", "method": "tools/call"}
    last["params"] = {"name": "search_memory", "arguments": {"query": "抹茶"}, "_meta": META}
    lines = [message.replace(b"\n", b" ") for message in [*sent, json.dumps(last).encode()]]
    done = subprocess.run(
        [*OMOIDE, "serve", "--data", str(tmp_path), "--tools", "all"],
        input=b"".join(line + b"\n" for line in lines),
        capture_output=True,
        env=environment(),
        timeout=900,
    )
    assert done.returncode == 0
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {id for line in lines for id in asked(line)} <= {answer.get("id") for answer in answers}
    assert any(answer.get("id") == "last" and "result" in answer for answer in answers)
    assert not [line for line in done.stdout.decode().splitlines() if faults(line)]
    assert b"Traceback" not in done.stderr
