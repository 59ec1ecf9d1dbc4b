"""What has been counted is counted on, and says what counting anew would, whoever has written meanwhile."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.memory import Memories
from omoide.memory.counts import CountCache
from omoide.model.entity import EntityDraft
from omoide.model.memory import Draft
from omoide.store.migrations import shipped
from omoide.store.sqlite.connections import open_memory
from omoide.store.sqlite.transactions import SqliteWriter
from tests.counting import plan

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)

WRITES: dict[str, Callable[[Memories], object]] = {
    "one more": lambda memories: memories.remember("京都で抹茶を飲んだ", scope="旅"),
    "several": lambda memories: memories.remember_many([Draft(text="喜欢茶"), Draft(text="tea", category="cases")]),
    "nothing": lambda memories: memories.entities_named("無"),
    "an entity": lambda memories: memories.observe("健太", "person", "likes tea"),
    "another text": lambda memories: memories.remember("書き直した", id="1", scope="旅"),
    "elsewhere": lambda memories: memories.revise("kept in mind", scope="日記：旅", category="profile"),
    "came and went": lambda memories: memories.forget(memories.remember("一時").memory.id),
    "gone": lambda memories: memories.forget("1"),
    "the newest": lambda memories: memories.remember("最後", id="newest", scope="旅"),
    "the newest elsewhere": lambda memories: memories.remember("最後に", id="newest", scope="夢"),
    "once more": lambda memories: memories.remember("again", scope="旅", category="patterns"),
}


@pytest.fixture
def opened(tmp_path: Path, clock: Any) -> Iterator[Callable[[], Memories]]:
    with ExitStack() as stack:
        yield lambda: stack.enter_context(open_memories(tmp_path / "store", clock=clock))


def test_what_was_counted_follows_every_write_of_another_process(opened: Callable[[], Memories]) -> None:
    one, other = opened(), opened()
    for id in ("1", "2", "kept in mind"):
        other.remember("前から", id=id, scope="仕事")
    for said, write in WRITES.items():
        write(other)
        with one.store.read() as reader:
            anew = reader.counts()
        assert (one.counts(), one.count_by_scope()) == (anew, anew.by_scope), said
        assert list(one.counts().by_scope) == list(anew.by_scope)
        assert list(one.counts().by_category) == list(anew.by_category)


@pytest.mark.parametrize("written_since", [0, 1, 2, 3])
def test_what_was_counted_of_a_store_that_was_put_back_is_counted_anew(
    tmp_path: Path, clock: Any, written_since: int
) -> None:
    store, earlier = tmp_path / "store", tmp_path / "earlier"
    with open_memories(store, clock=clock) as memories:
        memories.remember("古い", scope="昔")
    shutil.copytree(store, earlier)
    counts = CountCache()
    with open_memories(store, clock=clock) as memories:
        memories.remember("新しい", scope="今")
        memories.remember("更新", scope="今")
        with memories.store.read() as reader:
            assert counts.memories_by(reader, "scope") == {"今": 2, "昔": 1}
    with open_memories(earlier, clock=clock) as memories:
        for number in range(written_since):
            memories.remember(f"別の歴史 {number}", scope="別")
        with memories.store.read() as reader:
            assert counts.memories_by(reader, "scope") == reader.count_memories_by("scope")


def test_of_many_memories_only_those_that_came_are_read() -> None:
    with open_memory(1.0, None, shipped(), now=NOW).lend() as connection:
        connection.execute("BEGIN")
        writer, counts = SqliteWriter(connection, ":memory:", lambda: NOW), CountCache()
        for number in range(300):
            writer.put_memory(Draft(text="抹茶", id=f"m{number}", scope=f"旅:{number}"), now=NOW)
        assert sum(counts.memories_by(writer, "scope").values()) == 300
        assert steps(connection, lambda: counts.memories_by(writer, "scope")) == []
        writer.put_memory(Draft(text="抹茶", id="新", scope="旅:7"), now=NOW)
        writer.put_entity(EntityDraft(id="e", entity_class="entity", name="京都", type="location"), now=NOW)
        assert steps(connection, lambda: counts.memories_by(writer, "scope")) == [
            "SEARCH memories USING INTEGER PRIMARY KEY (rowid>?)"
        ]
        assert counts.memories_by(writer, "scope") == writer.count_memories_by("scope")


def steps(connection: sqlite3.Connection, ask: Callable[[], object]) -> list[str]:
    """How SQLite goes through the memories to count them."""
    said: list[str] = []
    connection.set_trace_callback(said.append)
    ask()
    connection.set_trace_callback(None)
    return [step for sql in said if "GROUP BY" in sql for step in plan(connection, sql) if "memories" in step]
