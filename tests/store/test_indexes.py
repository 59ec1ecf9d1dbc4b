"""Every index of the schema serves a read: one that serves none would cost each write a page for nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest

from omoide.model.entity import EntityDraft
from omoide.model.memory import Draft
from omoide.model.relation import Ref
from omoide.store.folding import fold_case
from omoide.store.migrations import shipped
from omoide.store.sqlite import SqliteStore
from omoide.store.sqlite.connections import open_memory
from omoide.store.sqlite.transactions import SqliteWriter
from tests.counting import plan

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)
MATCHA = Ref("entity", "抹茶")

#: index -> a read that goes by it; those that SQLite makes for UNIQUE and PRIMARY KEY keep rows apart besides.
READS: dict[str, Callable[[SqliteWriter], object]] = {
    "memories_key": lambda writer: writer.summaries_under_key("global", "趣味"),
    "memories_preceding": lambda writer: writer.put_memory(Draft(id="新", text="刚刚"), now=NOW),
    "memories_session": lambda writer: writer.last_in_session("会議"),
    "memories_thread": lambda writer: writer.thread("旅行"),
    "entities_memory": lambda writer: writer.entity_of_memory(["1"]),
    "entities_updated": lambda writer: writer.list_entities(entity_class=None, limit=3),
    "entity_names_entity": lambda writer: writer.remove_entity("抹茶", with_observations=False),
    "memory_entities_entity": lambda writer: writer.observation_of("抹茶", "昨天", at=NOW),
    "relations_memory": lambda writer: writer.remove_memory("1"),
    "relations_target": lambda writer: writer.relations_of(MATCHA),
    "reminders_pending": lambda writer: writer.pending_reminders(None),
}


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with open_memory(1.0, None, shipped(), now=NOW).lend() as connection:
        connection.execute("BEGIN")
        writer = SqliteWriter(connection, ":memory:", lambda: NOW)
        writer.put_entity(EntityDraft(id="抹茶", entity_class="entity", name="抹茶", type="drink"), now=NOW)
        writer.put_memory(Draft(id="1", text="昨天喝了抹茶", entities=("抹茶",), canonical_key="趣味"), now=NOW)
        yield connection


def plans(connection: sqlite3.Connection, read: Callable[[SqliteWriter], object]) -> list[str]:
    """How SQLite goes about what a read asks it."""
    said: list[str] = []
    connection.set_trace_callback(said.append)
    read(SqliteWriter(connection, ":memory:", lambda: NOW))
    connection.set_trace_callback(None)
    asked = [sql for sql in said if sql.lstrip().startswith(("SELECT", "UPDATE", "DELETE"))]
    return [step for sql in asked for step in plan(connection, sql)]


def test_every_index_is_in_the_table(connection: sqlite3.Connection) -> None:
    made = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    assert {name for (name,) in made} == set(READS)


@pytest.mark.parametrize("index", READS)
def test_an_index_serves_its_read(connection: sqlite3.Connection, index: str) -> None:
    assert any(f"INDEX {index}" in step for step in plans(connection, READS[index]))


@pytest.mark.parametrize("before", ["", "UPDATE memory_entities SET said = NULL"])
def test_of_the_observations_of_an_entity_only_those_that_may_say_the_same_are_read(
    connection: sqlite3.Connection, before: str
) -> None:
    writer = SqliteWriter(connection, ":memory:", lambda: NOW)
    for number in range(100):
        writer.put_memory(Draft(id=f"茶 {number}", text=f"お茶がＳＵＫＩ {number}", entities=("抹茶",)), now=NOW)
    connection.execute(before)
    folded: list[str] = []
    connection.create_function("fold_case", 1, lambda text: folded.append(text) or fold_case(text), deterministic=True)
    for text, ids in (("お茶がsuki 7", {"茶 7"}), ("何も", set()), ("お茶がSuki 99", {"茶 99"})):
        found = writer.observation_of("抹茶", text, at=NOW)
        assert ({found.id} if found else set()) == ids
    assert folded == ["お茶がＳＵＫＩ 7", "お茶がＳＵＫＩ 99"]


def test_the_entries_that_a_scope_has_in_threads_are_counted_by_an_index_alone(connection: sqlite3.Connection) -> None:
    counted = [step for step in plans(connection, lambda writer: writer.threads(scope="日記")) if " m " in f"{step} "]
    assert counted
    assert all("COVERING INDEX memories_thread" in step for step in counted)


@pytest.mark.parametrize("name", ["抹茶", "O'Brien-三"])
@pytest.mark.parametrize("type", [None, "drink"])
def test_entities_of_a_name_are_found_by_it_however_many_there_are(
    connection: sqlite3.Connection, name: str, type: str | None
) -> None:
    steps = plans(connection, lambda writer: writer.entities_named(name, type=type))
    read = [step for step in steps if step.startswith(("SEARCH", "SCAN"))]
    assert set(read) == {"SEARCH n USING PRIMARY KEY (name_folded=?)", "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"}


def test_memories_are_counted_by_an_index_alone(connection: sqlite3.Connection) -> None:
    counted = [step for step in plans(connection, lambda writer: writer.counts()) if "memories" in step]
    assert counted
    assert all("COVERING INDEX" in step for step in counted)


def test_what_was_mended_is_found_by_what_it_says_now(tmp_path: Path) -> None:
    path = tmp_path / "記憶.db"
    with SqliteStore(path, clock=lambda: NOW) as store, store.write() as writer:
        writer.put_entity(EntityDraft(id="健太", entity_class="entity", name="健太", type="person"), now=NOW)
        writer.put_memory(Draft(id="1", text="抹茶が好き", entities=("健太",)), now=NOW)
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("UPDATE memories SET text = CAST(x'E88CB6FF' AS TEXT)")
    with SqliteStore(path, clock=lambda: NOW) as store:
        assert store.mend()
        with store.write() as writer:
            mended = writer.memory("1")
            assert mended is not None
            assert mended.text.startswith("茶")
            assert writer.observation_of("健太", mended.text, at=NOW) == mended
