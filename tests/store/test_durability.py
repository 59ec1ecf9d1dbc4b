"""A committed memory is never lost, and never there twice: processes that write together, and that are killed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest

from omoide.errors import StoreBusy, StoreError, StoreFull, StoreReadOnly
from omoide.model.memory import Draft
from omoide.store.layout import STORE_FILE
from omoide.store.protocol import Writer
from omoide.store.sqlite import SqliteStore
from omoide.store.sqlite.transactions import SqliteWriter

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)
Worker = Callable[..., "subprocess.Popen[str]"]

STREAM = """
for count in range(100_000):
    with store.write() as writer:
        put(writer, f"{count}-前")
        put(writer, f"{count}-後")
    say(count)
"""
HOLD = """
with store.write() as writer:
    put(writer, "half done")
    say("inside")
    sys.stdin.readline()
say("done")
"""
MANY = """
say("ready")
sys.stdin.readline()
for count in range(40):
    with store.write() as writer:
        writer.put_memory(Draft(id="shared", text=f"{sys.argv[2]} {count}"), now=NOW)
        put(writer, f"{sys.argv[2]}-{count}")
say("done")
"""


def ids(store: SqliteStore) -> list[str]:
    with store.read() as reader:
        return [memory.id for memory in reader.memories_by_number(range(1, reader.last_seq() + 1)).values()]


def go_on(process: subprocess.Popen[str]) -> None:
    process.stdin.write("go on\n")
    process.stdin.flush()


def complaints(path: Path) -> list[tuple[str]]:
    connection = sqlite3.connect(path)
    try:
        return [*connection.execute("PRAGMA integrity_check"), *connection.execute("PRAGMA foreign_key_check")]
    finally:
        connection.close()


@pytest.mark.parametrize("acknowledged", [1, 7, 30])
def test_a_writer_killed_mid_stream_leaves_every_acknowledged_write_once(
    tmp_path: Path, worker: Worker, acknowledged: int
) -> None:
    path = tmp_path / "omoide.db"
    process = worker(STREAM, path)
    said = [process.stdout.readline() for _ in range(acknowledged)]
    process.kill()
    said += [line for line in process.stdout if line.endswith("\n")]
    with SqliteStore(path) as store:
        found = ids(store)
        whole = {f"{count}-{half}" for count in range(len(found) // 2) for half in "前後"}
        assert set(found) == whole  # transactions are whole, and none is missing in between
        assert len(found) == len(set(found))
        assert len(said) <= len(found) // 2 <= len(said) + 1  # at most the one that was being acknowledged
        assert store.last_seq() == len(found)
    assert complaints(path) == [("ok",)]


def test_a_writer_killed_inside_a_transaction_leaves_nothing_of_it_and_no_lock(tmp_path: Path, worker: Worker) -> None:
    path = tmp_path / "omoide.db"
    with SqliteStore(path) as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="before", text="京都"), now=NOW)
        process = worker(HOLD, path)
        assert process.stdout.readline() == "inside\n"
        process.kill()
        process.wait()
        with store.write() as writer:
            writer.put_memory(Draft(id="after", text="北京"), now=NOW)
        assert ids(store) == ["before", "after"]
    assert complaints(path) == [("ok",)]


def test_processes_write_at_once_and_every_write_is_there_in_one_order(tmp_path: Path, worker: Worker) -> None:
    path = tmp_path / "new folder" / "omoide.db"
    processes = [worker(MANY, path, name) for name in ("一", "two", "三")]  # each of them may be the one to make it
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 3
    for process in processes:
        go_on(process)
    assert [process.stdout.readline() for process in processes] == ["done\n"] * 3
    with SqliteStore(path) as store:
        expected = {f"{name}-{count}" for name in ("一", "two", "三") for count in range(40)} | {"shared"}
        assert sorted(ids(store)) == sorted(expected)
        assert store.last_seq() == 3 * 40 * 2
    assert complaints(path) == [("ok",)]


def test_a_store_that_another_process_keeps_is_busy_for_writing_and_open_for_reading(
    tmp_path: Path, worker: Worker
) -> None:
    path = tmp_path / "omoide.db"
    with SqliteStore(path, busy_seconds=0.1) as store:
        process = worker(HOLD, path)
        assert process.stdout.readline() == "inside\n"
        with pytest.raises(StoreBusy, match=r"Another process is writing .*omoide\.db"), store.write():
            pass
        assert ids(store) == []
        go_on(process)
        assert process.stdout.readline() == "done\n"
        assert ids(store) == ["half done"]


def test_a_writer_may_be_less_patient_than_the_store(tmp_path: Path) -> None:
    path = tmp_path / "omoide.db"
    with SqliteStore(path, busy_seconds=60) as store, closing(sqlite3.connect(path, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(3.0, other.rollback)  # who is as patient as the store would write then
        release.start()
        with pytest.raises(StoreBusy, match="Another process is writing"), store.write(0.05):
            pass
        release.join()
        with store.write(0.05) as writer:
            writer.put_memory(Draft(id="later", text="抹茶"), now=NOW)


def test_a_full_disk_keeps_nothing_of_the_transaction_and_the_store_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "omoide.db"
    with SqliteStore(path, max_bytes=400_000) as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="small", text="記憶"), now=NOW)
        with pytest.raises(StoreFull, match="nothing of this write was kept"), store.write() as writer:
            fill(writer, 1000)
        assert ids(store) == ["small"]
        assert store.last_seq() == 1
        with store.write() as writer:
            writer.put_memory(Draft(id="next", text="记忆"), now=NOW)
        assert ids(store) == ["small", "next"]
    assert complaints(path) == [("ok",)]


def test_a_disk_that_turns_read_only_keeps_nothing_of_the_transaction_and_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "omoide.db"
    with SqliteStore(path) as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="before", text="記憶"), now=NOW)
        with pytest.raises(StoreReadOnly, match=r"omoide\.db cannot be written"), store.write() as writer:
            put_halves(writer)
        assert ids(store) == ["before"]
    with SqliteStore(path) as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="after", text="思い出"), now=NOW)
        assert ids(store) == ["before", "after"]
    assert complaints(path) == [("ok",)]


def test_a_caller_that_swallows_the_error_cannot_commit_half_a_transaction(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "omoide.db", max_bytes=400_000) as store:
        with pytest.raises(StoreError, match="rolled back"), store.write() as writer:
            fill_and_go_on(writer)
        assert ids(store) == []


def test_a_store_in_memory_can_be_full_too() -> None:
    store = SqliteStore(":memory:", max_bytes=400_000)
    with pytest.raises(StoreFull), store.write() as writer:
        fill(writer, 1000)
    assert ids(store) == []


def put_halves(writer: SqliteWriter) -> None:
    writer.put_memory(Draft(id="half", text="记忆"), now=NOW)
    writer.rows("PRAGMA query_only = ON")  # from here on SQLite says what it says of a disk that turned read-only
    writer.put_memory(Draft(id="other half", text="memory"), now=NOW)


def fill(writer: Writer, count: int) -> None:
    for number in range(count):
        writer.put_memory(Draft(id=f"big-{number}", text="満" * 1000), now=NOW)


def fill_and_go_on(writer: Writer) -> None:
    with pytest.raises(StoreFull):
        fill(writer, 1000)
    writer.put_memory(Draft(id="small", text="つづき"), now=NOW)


FORKED = """
import os, sys
from pathlib import Path
from omoide.app import open_memories

memories = open_memories(Path(sys.argv[1]))
memories.remember("親の思い出")
memories.recall("思い出")
closed = os.pipe()
child = os.fork()
if not child:
    os.read(closed[0], 1)
    for text in ("子の思い出", "孩子的记忆", "a memory of the child"):
        memories.remember(text)
    os._exit(len(memories.recall("", limit=10).hits))
memories.close()
os.write(closed[1], b".")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_what_a_forked_process_writes_stays_when_its_parent_closes_the_store(tmp_path: Path) -> None:
    forked = subprocess.run([sys.executable, "-c", FORKED, str(tmp_path)], timeout=60, check=False)
    assert forked.returncode == 4
    with SqliteStore(tmp_path / STORE_FILE) as store, store.read() as reader:
        assert reader.count_memories() == 4
