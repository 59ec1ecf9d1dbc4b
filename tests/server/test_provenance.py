"""Every hit says where it comes from: when it was stored, by which tool, by whom."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client

from omoide import app
from omoide.config import load
from omoide.families.tool import Result
from omoide.model.memory import Memory
from omoide.server.access.visitor import LOCAL
from omoide.server.calls import provenance
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.provenance import KEY, text_of
from omoide.server.calls.sessions import Sessions
from omoide.server.calls.toolcall import ToolCall
from omoide.server.calls.workspaces import OneWorkspace, workspace_of
from tests.reliability.test_slow_clients import CALL, HEADERS

Start = Callable[..., str]
Ask = Callable[..., Result]

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


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Ask]:
    """The dispatcher of a server of every tool: a tool by its name, and arguments."""
    settings = load({"data": str(tmp_path / "store"), "tools": "all"}, {})
    with app.opened(settings, watch=provenance.note) as found:
        offered = app.tools(found.memories, settings)
        dispatcher = Dispatcher(offered, OneWorkspace(workspace_of(offered, Sessions(app.utc_now))))
        yield lambda name, **arguments: dispatcher.answer(ToolCall(LOCAL, name, arguments))


def stored(result: Result, name: str = "id") -> str:
    assert not result.is_error, result.text
    return str((result.structured or {})[name])


def told(result: Result) -> list[tuple[str, str | None]]:
    """(id, tool) of each thing that an answer says the origin of, in _meta as in the text where it stands there."""
    things = (result.meta or {}).get(KEY, [])
    assert [line.split()[1] for line in result.sources.splitlines()[1:]] in ([], [each["id"] for each in things])
    return [(each["id"], each.get("tool")) for each in things]


def test_one_memory_shown_whole_says_where_it_comes_from(call: Ask) -> None:
    id = stored(call("store_memory", text=TEXT))
    shown = call("memory_drill_down", id=id[:8])
    assert told(shown) == [(id, "store_memory")]
    assert shown.sources.startswith(f"Sources:\n- {id} | storedAt: ")


def test_what_a_walk_meets_says_where_it_comes_from_under_the_id_it_is_shown_by(call: Ask) -> None:
    node = stored(call("upsert_memory_node", type="note", label="京都", content="抹茶を飲んだ"))
    tea = stored(call("upsert_memory_node", type="concept", label="茶", content="喝的东西"))
    memory = stored(call("store_memory", text="We bought a whisk in Uji."))
    for other in (tea, memory):
        call("create_relation", source_id=node, target_id=other, relation="relates_to")
    upserted = "upsert_memory_node"
    expected = {(node, upserted), (tea, upserted), (memory, "store_memory")}
    searched = call("search_memory_graph", query="抹茶", top_k=1)
    walked = call("retrieve_with_traversal", start_node_id=node)
    for result in (searched, walked):
        assert result.sources
        assert told(result)[0] == (node, upserted)
        assert set(told(result)) == expected
    assert (memory, "store_memory") in told(call("query_memory", mode="entity", entityName="京都"))


def test_a_walk_from_a_memory_says_where_it_comes_from(call: Ask) -> None:
    id = stored(call("chronica_save_entry", entry={"kind": "note", "text": "周末去爬山"}), "entry_id")
    assert told(call("retrieve_with_traversal", start_node_id=id)) == [(id, "chronica_save_entry")]


def test_a_reminder_that_is_said_says_when_it_was_set_and_where(call: Ask) -> None:
    id = stored(call("store_memory", text=TEXT, scope="旅"))
    reminder = stored(call("set_reminder", trigger="抹茶", action="茶筅を買う", scope="旅"))
    searched = call("search_memory", query="抹茶", scope="旅")
    assert told(searched) == [(id, "store_memory"), (reminder, None)]
    (said,) = [each for each in (searched.meta or {})[KEY] if each["id"] == reminder]
    assert (said["source"], said["scope"], said["storedAt"][:2]) == ("reminder", "旅", "20")
    assert told(call("search_memory", query="抹茶", scope="旅")) == [(id, "store_memory")]


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_what_is_found_beyond_the_limit_is_not_named(call: Ask, limit: int) -> None:
    for number in range(2):
        call("store_memory", text=f"今の割引 {number}番")
        call("store_memory", text=f"終わった割引 {number}番", validUntil="2026-01-31")
    searched = call("search_memory", query="割引", includeExpired=True, limit=limit)
    shown = [hit["id"] for hit in (searched.structured or {})["results"]]
    assert len(shown) == limit
    assert {id for id, _ in told(searched)} == set(shown)


def test_what_the_budget_leaves_out_is_not_named(call: Ask) -> None:
    for number in range(20):
        long = "".join(chr(0x4E00 + (number * 977 + place * 31) % 8000) for place in range(700))
        call("store_memory", text=f"割引 {long}")
    searched = call("search_memory", query="割引", detail_level="adaptive", limit=20)
    answer = searched.structured or {}
    assert answer["omitted"] > 0
    assert [id for id, _ in told(searched)] == [hit["id"] for hit in answer["results"]]


@pytest.mark.parametrize("name", ["store_memory", "create_relation"])
def test_what_writes_shows_nothing_of_others(call: Ask, name: str) -> None:
    ids = [stored(call("store_memory", text=text)) for text in (TEXT, "喝茶")]
    ends = {"source_id": ids[0], "target_id": ids[1], "relation": "similar_to"}
    assert call(name, **(ends if name == "create_relation" else {"text": TEXT})).meta is None


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
    with provenance.Collected() as found:
        provenance.add({memory.id: memory})
    assert text_of(found).splitlines() == [
        "Sources:",
        "- 記憶1 | storedAt: 2026-11-21T00:00:00+00:00 | tool: a - 記憶2 | tool: b | source: manual | scope: global",
    ]
