"""Opening a store: new ones, older and later ones, files of others, damaged and read-only ones."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from ast import literal_eval
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import datetime, timezone
from pathlib import Path

import pytest

from omoide.errors import OmoideError, StoreBusy, StoreError, StoreReadOnly, StoreTooNew
from omoide.model.memory import Draft
from omoide.store.layout import STORE_FILE
from omoide.store.migrations import Migration, is_current, migrate, shipped
from omoide.store.sqlite import SqliteStore

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)
Worker = Callable[..., "subprocess.Popen[str]"]


def made(path: Path, id: str = "京都") -> Path:
    with SqliteStore(path, clock=lambda: NOW) as store, store.write() as writer:
        writer.put_memory(Draft(id=id, text="京都で抹茶を飲んだ"), now=NOW)
    return path


def run_sql(path: Path, *statements: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return [connection.execute(statement).fetchall() for statement in statements][-1]


# --- new stores and migrations ----------------------------------------------------------------------------------------


def test_a_store_is_made_with_its_folder_and_keeps_identity_and_content(tmp_path: Path) -> None:
    path = tmp_path / "新しい folder" / "50% ?#" / "omoide.db"
    with SqliteStore(path) as store:
        first = store.id
    assert path.parent.stat().st_mode & 0o077 == 0  # memories are private
    made(path)
    with SqliteStore(path) as store, store.read() as reader:
        assert store.id == first
        assert reader.memory("京都") is not None
    assert run_sql(path, "SELECT key FROM meta ORDER BY key") == [("created",), ("id",), ("written_by",)]


def test_acknowledged_writes_are_synced_and_readers_do_not_wait(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "omoide.db") as store, store.write() as writer:
        settings = [writer.value(f"PRAGMA {name}") for name in ("journal_mode", "synchronous", "foreign_keys")]
    assert settings == ["wal", 2, 1]


def test_the_shipped_migrations_are_numbered_without_a_gap() -> None:
    assert [migration.number for migration in shipped()] == list(range(1, len(shipped()) + 1))


@pytest.mark.parametrize("statement", range(1, 6))
def test_a_store_that_another_process_makes_meanwhile_is_no_database_of_another_program(
    tmp_path: Path, statement: int
) -> None:
    path, traced = tmp_path / "omoide.db", []

    def look(sql: str) -> None:
        traced.append(sql)
        if len(traced) == statement:
            with suppress(StoreBusy):  # it comes before or after a statement, never into one
                SqliteStore(path, busy_seconds=0).close()

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.set_trace_callback(look)
        migrate(connection, str(path), shipped(), now=NOW)
        assert is_current(connection, str(path), shipped())


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        yield connection


SECOND = Migration(
    len(shipped()) + 1, "ALTER TABLE memories ADD COLUMN mood TEXT; -- 気分\nCREATE INDEX moods ON memories (mood);"
)
BROKEN = Migration(SECOND.number + 1, "CREATE TABLE half (x);\nCREATE TABLE memories (x);")


def test_a_later_migration_runs_once_and_keeps_what_is_there(database: sqlite3.Connection) -> None:
    migrate(database, "here", shipped(), now=NOW)
    birth = database.execute("SELECT value FROM meta WHERE key IN ('id', 'created') ORDER BY key").fetchall()
    migrate(database, "here", (*shipped(), SECOND), now=NOW)
    migrate(database, "here", (*shipped(), SECOND), now=NOW)
    assert database.execute("SELECT mood FROM memories").fetchall() == []
    assert database.execute("PRAGMA user_version").fetchone() == (SECOND.number,)
    assert database.execute("SELECT value FROM meta WHERE key IN ('id', 'created') ORDER BY key").fetchall() == birth


def test_a_migration_that_fails_leaves_the_store_as_it_was(database: sqlite3.Connection) -> None:
    migrate(database, "here", shipped(), now=NOW)
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate(database, "here", (*shipped(), SECOND, BROKEN), now=NOW)
    assert database.execute("PRAGMA user_version").fetchone() == (len(shipped()),)
    assert database.execute("SELECT name FROM sqlite_master WHERE name IN ('half', 'moods')").fetchall() == []


MARKED = [
    ('{"omoide:scopes":["team:a"],"x":1}', ("team:a", "健太 IN team:a", '{"x":1}')),
    ('{"omoide:scopes":["team:a","team:b"]}', ("", "健太", '{"omoide:scopes":["team:a","team:b"]}')),
    ('{"x":', ("", "健太", '{"x":')),
]


@pytest.mark.parametrize(("metadata", "then"), MARKED)
def test_an_entity_that_one_scope_made_gets_its_home_there(
    database: sqlite3.Connection, metadata: str, then: tuple[str, str, str]
) -> None:
    migrate(database, "here", shipped()[:3], now=NOW)
    columns = "id, entity_class, name, name_folded, type, aliases, metadata, access_count, created_at, updated_at"
    entity = ("1", "entity", "健太", "健太", "person", "[]", metadata, 1, 0, 0)
    database.execute(f"INSERT INTO entities ({columns}) VALUES ({', '.join('?' * len(entity))})", entity)
    migrate(database, "here", shipped(), now=NOW)
    assert database.execute("SELECT home, name_folded, metadata FROM entities").fetchall() == [then]


#: What was marked -> (id where it was known before, home, metadata, what it was read from), a row each.
SAID = [
    ('{"x":1}', [("r", "", '{"x":1}', "m")]),
    ('{"omoide:scopes":["旅"],"x":1}', [("r", "旅", '{"x":1}', None)]),
    (
        '{"omoide:scopes":["team:a","旅","team","team",7]}',
        [("r", "team:a", "{}", "m"), (None, "旅", "{}", None), (None, "team", "{}", "m")],
    ),
    ('{"omoide:scopes":[]}', [("r", "", '{"omoide:scopes":[]}', "m")]),
    ('{"omoide:scopes":"旅"}', [("r", "", '{"omoide:scopes":"旅"}', "m")]),
    ('{"x":', [("r", "", '{"x":', "m")]),
]


@pytest.mark.parametrize(("metadata", "then"), SAID)
def test_each_scope_that_said_a_relation_gets_it_as_its_own(
    database: sqlite3.Connection, metadata: str, then: list[tuple[object, ...]]
) -> None:
    migrate(database, "here", shipped()[:9], now=NOW)
    memory = {
        "id": "m",
        "text": "茶",
        "category": "fact",
        "tags": "[]",
        "scope": "team:a",
        "source": "",
        "importance": 1,
    }
    memory |= {"confidence": 1, "stored_at": 0, "updated_at": 0, "status": "active", "links_refs": "[]"}
    memory |= dict.fromkeys(("parameters", "frames", "extra"), "{}")
    ends = {"source_kind": "memory", "source_id": "m", "target_kind": "memory", "target_id": "m"}
    relation = {**ends, "weight": 0.5, "metadata": metadata, "memory_id": "m", "created_at": 7, "checksum": 1}
    for table, row in (
        ("memories", memory),
        ("relations", {**relation, "number": 4, "id": "r", "type": "言う"}),
        ("relations", {**relation, "number": 9, "id": "gone", "type": "说"}),
    ):
        database.execute(
            f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values())
        )
    database.execute("DELETE FROM relations WHERE id = 'gone'")
    migrate(database, "here", shipped(), now=NOW)
    found = database.execute("SELECT number, id, home, metadata, memory_id FROM relations ORDER BY number").fetchall()
    assert [(None if number > 4 else id, *row) for number, id, *row in found] == then
    assert [number for number, *_ in found if 4 < number < 10] == []
    assert database.execute("SELECT DISTINCT weight, type, created_at, checksum FROM relations").fetchall() == [
        (0.5, "言う", 7, None)
    ]
    changed = database.execute("SELECT number FROM changes WHERE kind = 'relation' ORDER BY seq").fetchall()
    assert changed == [(number,) for number, _, home, *_ in found if home]
    columns = [name for (name,) in database.execute("SELECT name FROM pragma_table_info('relations')")]
    assert set(columns) == {*relation, "number", "id", "type", "home"}
    assert database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'relations'").fetchone()[0] >= 9
    assert database.execute("SELECT name FROM sqlite_master WHERE name = 'homed'").fetchall() == []


# --- stores that cannot be opened -------------------------------------------------------------------------------------


def from_the_future(path: Path) -> None:
    made(path)
    run_sql(path, "UPDATE meta SET value = '9.1' WHERE key = 'written_by'", "PRAGMA user_version = 99")


def of_another_program(path: Path) -> None:
    run_sql(path, "CREATE TABLE bookmarks (url)", "PRAGMA user_version = 1")


def damaged(path: Path) -> None:
    made(path)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 8000)


def torn(path: Path) -> None:
    """Found when the first row is read."""
    made(path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))


UNUSABLE = [
    (from_the_future, StoreTooNew, "was written by omoide 9.1 (schema 99); this is omoide", "Upgrade omoide"),
    (of_another_program, StoreError, "is a database of another program", "left as it"),
    (lambda path: path.write_text("思い出" * 1000, "utf-8"), StoreError, "is not an omoide store", "left as it"),
    (damaged, StoreError, "is damaged", "restore the last backup"),
    (torn, StoreError, "記憶.db is damaged", "restore the last backup"),
    (Path.mkdir, StoreError, "is a folder, not a store", "Name a file"),
]


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(("make", "kind", "message", "hint"), UNUSABLE, ids=[row[2] for row in UNUSABLE])
def test_what_cannot_be_opened_is_named_and_left_alone(
    tmp_path: Path,
    held_open: Callable[[Path], list[Path]],
    make: object,
    kind: type[OmoideError],
    message: str,
    hint: str,
    read_only: bool,
) -> None:
    path = tmp_path / "記憶.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(kind) as caught:
        SqliteStore(path, read_only=read_only)
    assert type(caught.value) is kind
    assert message in caught.value.message
    assert str(path) in caught.value.message
    assert hint in caught.value.hint
    assert (path.read_bytes() if path.is_file() else None) == before
    assert held_open(tmp_path) == []


def test_a_file_with_nothing_in_it_is_not_taken_for_an_older_store(tmp_path: Path) -> None:
    path = tmp_path / "記憶.db"
    path.touch()
    with pytest.raises(StoreError, match="is empty, not an omoide store") as caught:
        SqliteStore(path, read_only=True)
    assert "Remove it if nothing was stored there" in caught.value.hint
    assert path.read_bytes() == b""


def test_who_has_a_store_open_while_a_newer_omoide_upgrades_it_reads_on_and_writes_nothing_more(tmp_path: Path) -> None:
    path = made(tmp_path / "記憶.db")
    with SqliteStore(path, clock=lambda: NOW) as store:
        for _ in range(2):  # the first write of a process also begins its history
            from_the_future(path)
            with pytest.raises(StoreTooNew) as caught, store.write() as writer:
                writer.put_memory(Draft(id="北京", text="在北京喝茶"), now=NOW)
            assert "omoide 9.1 has upgraded the store" in caught.value.message
            assert "schema 99" in caught.value.message
            assert caught.value.hint == "Start this process again, with the newer omoide."
            with store.read() as reader:
                assert [memory.id for memory in reader.memories(["京都", "北京"])] == ["京都"]
            run_sql(path, f"PRAGMA user_version = {len(shipped())}")
            with store.write() as writer:
                writer.put_memory(Draft(id="東京", text="東京で紅茶"), now=NOW)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("cut_off", [Path.unlink, lambda path: path.write_bytes(b"")], ids=["gone", "empty"])
def test_a_log_that_is_left_of_a_store_is_not_thrown_away(
    tmp_path: Path, cut_off: Callable[[Path], object], read_only: bool
) -> None:
    path = left_alone_by_a_crash(tmp_path)
    cut_off(path)
    log = Path(f"{path}-wal").read_bytes()
    with pytest.raises(StoreError, match=r"empty or gone, but there is a log of its last writes \(left\.db-wal\)"):
        SqliteStore(path, read_only=read_only)
    assert Path(f"{path}-wal").read_bytes() == log


def left_alone_by_a_crash(folder: Path) -> Path:
    """A store as it lies on the disk while another has it open."""
    with SqliteStore(folder / "live.db") as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="京都", text="京都"), now=NOW)
        for end in ("", "-wal"):
            shutil.copy(f"{folder}/live.db{end}", f"{folder}/left.db{end}")
    return folder / "left.db"


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "omoide.db"
    path.touch()
    made(path)
    with SqliteStore(path) as store, store.read() as reader:
        assert reader.memory("京都") is not None


IMPOSSIBLE = [
    ("/proc/omoide/omoide.db", {}, StoreReadOnly, "none can be made: No such file or directory."),
    ("{}/file/omoide.db", {}, StoreReadOnly, "/file is no folder."),
    ("{}/記憶/omoide.db", {}, StoreReadOnly, "/記憶 is a link to /mnt/外付け, which is no folder."),
    ("{}/記憶/仕事/omoide.db", {}, StoreReadOnly, "/記憶 is a link to /mnt/外付け, which is no folder."),
    ("{}/absent.db", {"read_only": True}, StoreError, "There is no store at"),
]


@pytest.mark.parametrize(("place", "more", "kind", "message"), IMPOSSIBLE)
def test_a_store_that_cannot_be_made_says_where_and_why(
    tmp_path: Path, place: str, more: dict, kind: type[OmoideError], message: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "記憶").symlink_to("/mnt/外付け")
    path = place.format(tmp_path)
    with pytest.raises(kind) as caught:
        SqliteStore(path, **more)
    assert message in caught.value.message
    assert path in caught.value.message
    assert not (tmp_path / "absent.db").exists()


# --- reading only -----------------------------------------------------------------------------------------------------


def test_a_store_opened_for_reading_reads_what_others_write_and_refuses_to_write(tmp_path: Path) -> None:
    path = made(tmp_path / "omoide.db")
    with SqliteStore(path, read_only=True) as store:
        before = store.state()
        assert store.state() == before
        made(path, "北京")
        assert store.state() != before
        with store.read() as reader:
            assert [memory.id for memory in reader.memories(["京都", "北京"])] == ["京都", "北京"]
        with pytest.raises(StoreReadOnly, match=r"omoide\.db is open for reading only") as refused, store.write():
            pass
    assert refused.value.hint == "Make the file and its folder writable for this user, then open it again."


READ = """
say(store.read_only)
with store.read() as reader:
    say(len(reader.memories(["京都"])))
try:
    with store.write() as writer:
        put(writer, "m")
except Exception as error:
    say(type(error).__name__)
sys.stdin.readline()
with store.read() as reader:
    say(len(reader.memories(["京都", "北京"])))
"""


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that other users can reach."""
    folder = Path("/var/tmp" if os.path.isdir("/var/tmp") else "/tmp") / f"omoide-test-{os.getpid()}"
    folder.mkdir(mode=0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def protect(folder: Path, mode: int) -> None:
    for file in folder.iterdir():
        file.chmod(mode & 0o666)
    folder.chmod(mode)


def test_a_folder_without_write_access_is_searched_and_not_written(shelf: Path, worker: Worker) -> None:
    path = made(shelf / "omoide.db")
    assert [file.name for file in shelf.iterdir()] == ["omoide.db"]
    protect(shelf, 0o555)
    process = worker(READ, path, without_rights=True)
    assert [process.stdout.readline() for _ in range(3)] == ["True\n", "1\n", "StoreReadOnly\n"]
    protect(shelf, 0o755)
    made(path, "北京")  # the owner goes on writing; the reader notices
    protect(shelf, 0o555)
    process.stdin.write("again\n")
    process.stdin.flush()
    assert process.stdout.readline() == "2\n"


def test_recent_writes_that_cannot_be_read_are_not_left_out_silently(shelf: Path, worker: Worker) -> None:
    path = shelf / "omoide.db"
    with SqliteStore(shelf / "live.db") as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="京都", text="京都"), now=NOW)
        for end in ("", "-wal"):  # as a backup tool might copy a live store
            shutil.copy(f"{shelf}/live.db{end}", f"{path}{end}")
    protect(shelf, 0o555)
    complaint = worker(READ, path, without_rights=True).communicate()[1]
    assert "StoreReadOnly" in complaint
    assert "has a log of recent writes that cannot be read without write access" in complaint


def test_a_folder_without_write_access_gets_no_store(shelf: Path, worker: Worker) -> None:
    protect(shelf, 0o555)
    complaint = worker(READ, shelf / "omoide.db", without_rights=True).communicate()[1]
    assert "none can be made: the folder cannot be written." in complaint


def test_an_older_store_that_may_not_be_upgraded_says_so(tmp_path: Path) -> None:
    path = tmp_path / "omoide.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, "here", shipped()[:1], now=NOW)
    with pytest.raises(StoreReadOnly, match="must be upgraded") as refused:
        SqliteStore(path, read_only=True)
    for language, upgraded, searched in (("ja", "更新が必要", "検索"), ("zh", "需要先更新", "搜索")):
        assert upgraded in refused.value.also[language]
        assert searched not in refused.value.also[language]  # which an older store cannot be


#: Prints what is said in other languages of the store at sys.argv[2], which a user without rights cannot open.
SAID = """
try:
    SqliteStore(sys.argv[2])
except Exception as error:
    say(ascii(dict(error.also)))
"""


def test_a_store_that_cannot_be_made_is_not_said_to_be_searchable(shelf: Path, worker: Worker) -> None:
    made(shelf / "other.db")
    protect(shelf, 0o555)
    said = worker(SAID, shelf / "other.db", str(shelf / "new.db"), without_rights=True).communicate()[0]
    also = literal_eval(said)
    assert "新しく作れません" in also["ja"]
    assert "无法新建" in also["zh"]


def test_a_store_whose_log_cannot_be_read_is_not_said_to_be_searchable(shelf: Path, worker: Worker) -> None:
    made(shelf / "other.db")
    with SqliteStore(shelf / "live.db", clock=lambda: NOW) as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="tea", text="we drank tea"), now=NOW)
        for end in ("", "-wal"):
            shutil.copy(f"{shelf}/live.db{end}", shelf / f"{STORE_FILE}{end}")
    protect(shelf, 0o555)
    said = worker(SAID, shelf / "other.db", str(shelf / STORE_FILE), without_rights=True).communicate()[0]
    also = literal_eval(said)
    assert "書き込めないと読めません" in also["ja"]
    assert "就无法读取" in also["zh"]
