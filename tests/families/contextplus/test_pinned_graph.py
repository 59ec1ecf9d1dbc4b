"""A process pinned to a scope: nobody else's nodes, edges or memories are seen, counted, linked, pruned or deleted."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.families.contextplus import tools
from omoide.families.tool import Caller
from omoide.memory import Memories

TEXT = "利用者のログインの流れを説明する文書"


class Pinned:
    """One process on the store."""

    def __init__(self, memories: Memories) -> None:
        self.memories = memories
        self._tools = {tool.name: tool for tool in tools(memories)}

    def __call__(self, name: str, **arguments: Any) -> Any:
        return self._tools[name].run(Caller(session_id="s-1"), arguments).structured


@pytest.fixture
def both(tmp_path: Path, clock: Any) -> Iterator[tuple[Pinned, Pinned]]:
    with ExitStack() as stack:
        opened = [stack.enter_context(open_memories(tmp_path, clock=clock, scope=scope)) for scope in ("cc", "ccx")]
        yield Pinned(opened[0]), Pinned(opened[1])


@pytest.mark.requirement("contextplus.scope")
def test_a_pinned_process_works_on_its_own_graph_alone(both: tuple[Pinned, Pinned], clock: Any) -> None:
    mine, theirs = both
    note = theirs("upsert_memory_node", type="note", label="彼らの", content=TEXT)["id"]
    other = theirs("upsert_memory_node", type="note", label="他人的", content="别人的笔记")["id"]
    theirs("create_relation", source_id=note, target_id=other, relation="contains", weight=0.01)

    added = mine("add_interlinked_context", items=[{"type": "note", "label": "私の", "content": TEXT}])
    assert (added["edges"], added["totals"]) == ([], {"nodes": 1, "edges": 0})
    assert [place["label"] for place in mine("search_memory_graph", query=TEXT)["direct"]] == ["私の"]
    assert mine("retrieve_with_traversal", start_node_id=note) == {"found": False, "start_node_id": note}
    assert mine("delete_memory_node", node_id=note) == {"deleted": False, "id": note}
    mine_id = added["nodes"][0]["id"]
    assert mine("create_relation", source_id=mine_id, target_id=note, relation="contains")["unknown_ids"] == [note]

    clock.advance(days=30)
    assert mine("prune_stale_links")["removed"] == 1
    assert theirs("search_memory_graph", query=TEXT)["totals"] == {"nodes": 2, "edges": 1}
