"""Many clients at the same moment: what is one thing stays one thing, and nothing that was acknowledged is lost."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from omoide import app
from omoide.config import load
from omoide.families.tool import Caller, Result
from omoide.memory import Memories

CLIENTS = 8


@pytest.fixture
def call(memories: Memories, tmp_path: Any) -> Any:
    offered = {tool.name: tool for tool in app.tools(memories, load({"data": str(tmp_path), "tools": "all"}, {}))}

    def call(name: str, client: int = 0, **arguments: Any) -> Result:
        return offered[name].run(Caller(session_id=f"s-{client}"), arguments)

    return call


def at_once(*calls: Any) -> list[Result]:
    """Every call on a thread of its own."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [each.result() for each in [pool.submit(each) for each in calls]]


@pytest.mark.parametrize("fact", ["毎朝、抹茶を飲む", "每天早上喝抹茶", "drinks matcha every morning"])
def test_a_fact_learnt_by_many_at_once_is_kept_once(call: Any, memories: Memories, fact: str) -> None:
    learn = partial(call, "remember_fact", entityName="健太", entityType="person", observation=fact)
    answers = at_once(*[learn] * CLIENTS)
    assert len({each.structured["observationId"] for each in answers}) == 1
    assert sum("duplicate" not in each.structured for each in answers) == 1
    assert (memories.counts().memories, memories.counts().entities) == (1, 1)


@pytest.mark.parametrize("label", ["認証フロー", "认证流程", "Auth Flow"])
def test_a_node_made_by_many_at_once_is_one_node(call: Any, memories: Memories, label: str) -> None:
    make = partial(call, "upsert_memory_node", type="concept", label=label, content="同じ内容")
    answers = at_once(*[make] * CLIENTS)
    assert len({each.structured["id"] for each in answers}) == 1
    assert sorted(each.structured["access_count"] for each in answers) == list(range(1, CLIENTS + 1))
    assert (memories.counts().memories, memories.counts().entities) == (1, 1)


def test_a_relation_stated_by_many_at_once_is_one_relation(call: Any, memories: Memories) -> None:
    relate = partial(call, "relate_entities", fromEntity="健太", relation="knows", toEntity="小红")
    answers = at_once(*[relate] * CLIENTS)
    assert len({each.structured["relationId"] for each in answers}) == 1
    assert (memories.counts().entities, memories.counts().relations) == (2, 1)


def test_what_many_store_through_different_doors_is_all_found(call: Any) -> None:
    texts = [f"{number}番目の茶会に出た" for number in range(CLIENTS)]
    writers = [
        lambda text: call("store_memory", text=text),
        lambda text: call("remember_fact", entityName="茶会", entityType="concept", observation=text),
        lambda text: call("chronica_save_entry", entry={"kind": "log", "text": text}),
        lambda text: call("upsert_memory_node", type="note", label=text, content=text),
    ]
    at_once(*[partial(writers[number % len(writers)], text) for number, text in enumerate(texts)])
    found = call("query_memory", mode="search", query="茶会", limit=50).structured
    assert {memory["content"] for group in found["entities"] for memory in group["memories"]} == set(texts)
