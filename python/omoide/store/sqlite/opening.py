"""Opens a connection to a database (the first one brings the file to today's schema), and tells whether the path still leads to
the same file.

Useful for: the pool (connections.py). Not useful for: transactions. Invariant: a file that is not the expected store is refused
before anything in it is changed. A commit is on the disk: the log is synced at every commit (WAL with synchronous=FULL).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from omoide.errors import StoreBusy, StoreError, StoreReadOnly
from omoide.store.folding import fold_case, folded_checksum
from omoide.store.layout import ABSENT
from omoide.store.migrations import Migration, is_current, migrate
from omoide.store.sqlite import checksum, damaged_values, pinned, wide_rows
from omoide.store.sqlite.faults import fault
from omoide.store.sqlite.lock_wait import patiently

#: Called with a connection and the path for messages. Raises StoreError if the file is not the expected store.
SchemaCheck = Callable[[sqlite3.Connection, str], None]

#: SQLite's own busy timeout. It polls ever more rarely, down to ten times a second: too rarely if several processes write for
#: milliseconds each. So it waits only briefly, and lock_wait.py repeats.
_STRETCH_SECONDS = 0.005
_LOG_KEPT_BYTES = 64 * 1024 * 1024
#: Pages in the log at which a writer checkpoints it into the store, and syncs that, too. The more pages, the more of them are
#: rewrites of one page, which is copied once. Up to this many are found in one block of the log's index; with more, every
#: read of a page would search a second block.
_LOG_PAGES = 4_000
#: The head of a log, which has two random salts, new each time it is restarted. https://www.sqlite.org/fileformat2.html, 4.1.
_LOG_HEAD_BYTES = 32

#: The state of a file when it was opened as immutable: (inode, size, modification time in ns).
_Stamp = tuple[int, int, int]


class Place(NamedTuple):
    """Where a database is (absolute path), and how to open it: `busy_seconds` to wait for locks, `max_bytes` of the file."""

    path: Path
    read_only: bool
    busy_seconds: float
    max_bytes: int | None


class Opened(NamedTuple):
    """A connection, its path (a str, as every search calls `stat` on it), the file that was there, and the file's stamp if it
    was opened as immutable."""

    connection: sqlite3.Connection
    path: str
    file: object
    stamp: _Stamp | None

    def is_current(self) -> bool:
        """Whether the path still leads to the same file. A connection to a file that was replaced by hand would read and write
        what nobody else sees."""
        return self.file == file_at(self.path) and (self.stamp is None or self.stamp == _stamp(Path(self.path)))


def file_at(path: Path | str) -> object:
    """The identity of the file at the path; None: there is no file."""
    try:
        found = os.stat(path)  # done by every search
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Log:
    """The log beside a file that was opened. While it is open, its inode is not reused; once it has been found beside another
    file, its first bytes tell it from a log made later."""

    def __init__(self, file: object) -> None:
        self._file = file
        self._head = b""

    @classmethod
    def of(cls, path: Path) -> Log:
        """The log of the store at `path`, if there is one."""
        return cls(file_at(log_of(path)))

    def is_still_at(self, path: Path) -> bool:
        """Whether this log still lies beside the file that is at `path` now."""
        log = log_of(path)
        if self._file is None or self._file != file_at(log):
            return False
        try:
            with log.open("rb") as opened:
                head = opened.read(_LOG_HEAD_BYTES)
        except OSError:
            return False
        self._head = self._head or head
        return bool(head) and head == self._head


def log_of(path: Path) -> Path:
    """The path of the log; SQLite puts it beside the real file if `path` is a link."""
    return Path(f"{os.path.realpath(path)}-wal")


def workshop_path(path: Path) -> Path:
    """The folder with the unfinished work of a repair; it exists during a repair, and after one that was killed."""
    return Path(f"{os.path.realpath(path)}.repairing")


def can_write(path: Path) -> bool:
    """Whether a store at `path` may be written, as far as permissions tell; a missing one may be."""
    return _is_missing(path) or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _is_missing(path: Path) -> bool:
    """Whether there certainly is no file; False if this user may not look."""
    try:
        os.stat(path)
    except ABSENT:
        return True
    except OSError:
        return False
    return False


def refuse_no_file(path: Path) -> None:
    """Raises StoreError if `path` is a folder, or its store is gone but its log or an unfinished repair is there."""
    if os.path.isdir(path):
        raise StoreError(f"{path} is a folder, not a store.", hint="Name a file, for example one in that folder.")
    _refuse_lone_log(path)


def _refuse_lone_log(path: Path) -> None:
    """Raises StoreError before a new store would replace one that was emptied or removed: SQLite would delete the log, and the
    writes in it."""
    if not _size(path) and os.path.exists(workshop_path(path)):
        raise StoreError(
            f"The store {path} is being repaired, or its repair was ended in the middle.",
            hint="Wait for it, or run `omoide doctor --repair`.",
        )
    log = log_of(path)
    if _size(log) and not _size(path):
        raise StoreError(
            f"The store {path} is empty or gone, but there is a log of its last writes ({log.name}): something else cut "
            "it off.",
            hint="Keep a copy of its folder, then run `omoide doctor --repair` to save what the log holds; or move the log "
            "away and restore the last backup.",
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def created(place: Place, migrations: tuple[Migration, ...], now: datetime) -> Opened:
    """A connection to a file with today's schema; folder and file are created if missing. Raises StoreReadOnly, StoreTooNew,
    StoreBusy, StoreError."""
    where = str(place.path)
    try:
        place.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise _in_the_way(place, Path(error.filename)) from error
    except OSError as error:
        raise _unwritable(place, error.strerror) from error
    if not os.access(place.path.parent, os.W_OK):
        raise _unwritable(place, "the folder cannot be written")

    def once() -> Opened:
        file = file_at(place.path)
        with closed_on_error(_connect(place, "mode=rwc")) as connection:
            is_current(connection, where, migrations)  # refuses before anything is changed
            connection.execute("PRAGMA journal_mode = WAL")
            migrate(connection, where, migrations, now=now)
            # If there was no file before, it was created here.
            return Opened(connection, str(place.path), file or file_at(place.path), None)

    return patiently(once, place.busy_seconds, where)


def checked(place: Place, check: SchemaCheck) -> Opened:
    """A connection to an existing file that passes the check. Raises what `check` does, StoreBusy, StoreError."""
    if _is_missing(place.path):
        raise StoreError(
            f"There is no store at {place.path}.", hint="Check the path, or open it for writing to make a store there."
        )

    def once() -> Opened:
        opened = open_again(place)
        with closed_on_error(opened.connection) as connection:
            check(connection, str(place.path))
        return opened

    return patiently(once, place.busy_seconds, str(place.path))


def _unwritable(place: Place, reason: str | None) -> StoreReadOnly:
    return StoreReadOnly(
        f"There is no store at {place.path}, and none can be made: {reason}.",
        hint="Name a folder that this user may write.",
        also={
            "ja": "ここには記憶の保存先がなく、書き込めないので新しく作れません。このユーザーが書き込めるフォルダーを指定してください。",
            "zh": "此处没有记忆的存储，且不可写入，无法新建。请指定此用户可以写入的文件夹。",
        },
    )


def _in_the_way(place: Place, found: Path) -> StoreReadOnly:
    """`found` is no folder, though the store's lies in it; a link is found where the disk that it leads to is not mounted."""
    if not found.is_symlink():
        return _unwritable(place, f"{found} is no folder")
    return StoreReadOnly(
        f"There is no store at {place.path}, and none can be made: {found} is a link to {os.readlink(found)}, which is no folder.",
        hint="Connect the disk or make the folder that the link leads to, or name another folder.",
        also={
            "ja": "保存先のフォルダーはリンクですが、リンク先のフォルダーがありません。リンク先のディスクを接続するか、別のフォルダーを指定してください。",
            "zh": "存储的文件夹指向另一个文件夹，但那个文件夹不存在。请检查那个文件夹所在的磁盘，或指定另一个文件夹。",
        },
    )


def in_memory(max_bytes: int | None, migrations: tuple[Migration, ...], now: datetime) -> sqlite3.Connection:
    """A connection to a new database in memory, which lives as long as the connection."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _configure(connection, max_bytes)
    migrate(connection, ":memory:", migrations, now=now)
    return connection


def open_again(place: Place) -> Opened:
    """Another connection to a file that was opened before. Raises sqlite3.Error, StoreReadOnly."""
    file = file_at(place.path)
    if not place.read_only:
        return Opened(_connect_for_real(place, "mode=rw"), str(place.path), file, None)
    try:
        return Opened(_connect_for_real(place, "mode=ro"), str(place.path), file, None)
    except sqlite3.OperationalError as error:
        if file is None or isinstance(fault(error, ""), StoreBusy):  # None: gone, or this user may not look
            raise
    return _opened_immutable(place)


def open_to_watch(place: Place) -> Opened:
    """A connection that is only asked whether anybody has committed. It does not read the schema, as transactions must: that
    would take six times as long, and memory for as long as the store is open. Raises as `open_again`."""
    if place.read_only:
        return open_again(place)
    file = file_at(place.path)
    return Opened(_bare(place, "mode=rw"), str(place.path), file, None)


def _opened_immutable(place: Place) -> Opened:
    """Reading a database in WAL mode needs the files of its log; on read-only media without them, SQLite must be told that
    nobody writes (immutable). The stamp shows when that is no longer true."""
    stamp = _stamp(place.path)
    if stamp is None:
        raise StoreReadOnly(
            f"The store {place.path} has a log of recent writes that cannot be read without write access.",
            hint="Open it once where it can be written, or copy it together with its -wal and -shm files.",
            also={
                "ja": "記憶の保存先には最近の書き込みの記録（-wal）があり、書き込めないと読めません。書き込める場所で一度開くか、"
                "-wal と -shm のファイルも一緒にコピーしてください。",
                "zh": "记忆的存储有最近写入的日志（-wal），没有写入权限就无法读取。请在可写入的位置打开一次，或连同 -wal 和 -shm 文件一起复制。",
            },
        )
    return Opened(_connect_for_real(place, "mode=ro&immutable=1"), str(place.path), file_at(place.path), stamp)


def _stamp(path: Path) -> _Stamp | None:
    log = log_of(path)
    if log.exists() and log.stat().st_size:
        return None
    seen = path.stat()
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def _connect_for_real(place: Place, mode: str) -> sqlite3.Connection:
    with closed_on_error(_connect(place, mode)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the first read opens file and log
        return connection


@contextmanager
def closed_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Close the connection if the block raises."""
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def _connect(place: Place, mode: str) -> sqlite3.Connection:
    with closed_on_error(_bare(place, mode)) as connection:
        _configure(connection, place.max_bytes)
        return connection


def _bare(place: Place, mode: str) -> sqlite3.Connection:
    uri = f"{place.path.as_uri()}?{mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=_STRETCH_SECONDS)


def _configure(connection: sqlite3.Connection, max_bytes: int | None) -> None:
    for name, (arguments, function) in _FUNCTIONS.items():
        connection.create_function(name, arguments, function, deterministic=True)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")  # overwrites what is forgotten; the default of some builds only
    connection.execute("PRAGMA temp_store = MEMORY")  # for the page copies of savepoints, see group_commit.py
    connection.execute(f"PRAGMA journal_size_limit = {_LOG_KEPT_BYTES}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    if max_bytes is not None:
        page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {max(1, max_bytes // page_bytes)}")


def _fold_case(text: str | None) -> str | None:
    return None if text is None else fold_case(text)


#: The functions that SQL may call: name -> (number of arguments, function).
_FUNCTIONS: Mapping[str, tuple[int, Callable[..., str | int | None]]] = {
    "fold_case": (1, _fold_case),
    "folded_checksum": (1, lambda text: folded_checksum(text) if isinstance(text, str) else None),
    **pinned.FUNCTIONS,
    **damaged_values.FUNCTIONS,
    **checksum.FUNCTIONS,
    **wide_rows.FUNCTIONS,
}
