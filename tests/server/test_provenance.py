"""Every hit says where it comes from: when it was stored, by which tool, by whom."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone
from itertools import product
from typing import Any

import httpx2
import pytest
from mcp.client import Client

from omoide.model.memory import Memory
from omoide.server.provenance import KEY, text_of
from tests.reliability.test_slow_clients import CALL, HEADERS

Start = Callable[..., str]

#: The text of these has no place for it.
APART = ("query_memory", "search_memory_graph")
TEXT = "京都で抹茶を飲んだ"
SEARCHES: dict[str, dict[str, Any]] = {
    "search_memory": {},
    "query_memory": {"mode": "search"},
    "SearchMemory": {},
    "search_memory_graph": {},
    "chronica_search": {},
}


@pytest.mark.parametrize("lane", ["--fast-lane", "--no-fast-lane"])
async def test_every_door_tells_where_its_hits_come_from(http: Start, lane: str) -> None:
    url = http(lane)
    async with Client(url, mode="auto") as new, Client(url, mode="legacy") as old:
        stored = await old.call_tool("store_memory", {"text": TEXT})
        assert KEY not in (stored.meta or {})
        for client, (name, more) in product((new, old), SEARCHES.items()):
            answer = await client.call_tool(name, {"query": "抹茶", **more})
            (told,) = (answer.meta or {})[KEY]
            assert told["tool"] == "store_memory", name
            assert told["source"] == "manual", name
            assert told["storedAt"].startswith("20"), name
            assert told["id"] == stored.structured_content["id"], name
            apart = [block.text for block in answer.content[1:]]
            expected = f"Sources:\n- {told['id']} | storedAt: {told['storedAt']} | tool: store_memory | source: manual"
            assert apart[0].startswith(expected) if name in APART else not apart, name


def test_both_lanes_write_it_in_the_same_place(http: Start) -> None:
    urls = [http("--fast-lane"), http("--no-fast-lane")]
    httpx2.post(urls[0], json=CALL, headers=HEADERS)
    params = {**CALL["params"], "name": "search_memory", "arguments": {"query": "覚える"}}
    headers = {**HEADERS, "Mcp-Name": "search_memory"}
    answers = [httpx2.post(url, json={**CALL, "params": params}, headers=headers).text for url in urls]
    orders = [list(json.loads(answer)["result"]) for answer in answers]
    metas = [list(json.loads(answer)["result"]["_meta"]) for answer in answers]
    assert KEY in metas[0]
    assert orders[0] == orders[1]
    assert metas[0] == metas[1]


def test_what_was_stored_cannot_look_like_another_line() -> None:
    now = datetime(2026, 11, 21, tzinfo=timezone.utc)
    memory = Memory(id="記憶1", number=1, text="茶", tool="a\n- 記憶2 | tool: b", stored_at=now, updated_at=now)
    assert text_of({"記憶1": memory}).splitlines() == [
        "Sources:",
        "- 記憶1 | storedAt: 2026-11-21T00:00:00+00:00 | tool: a - 記憶2 | tool: b | source: manual | scope: global",
    ]
