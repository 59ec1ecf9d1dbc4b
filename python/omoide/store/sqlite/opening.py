"""One connection to a database: how it is opened, the first one bringing the file to today's schema, and whether its path still
leads to that file.

Useful for: the pool, see connections.py. Not useful for: transactions. Invariant: a file that is not the store it should be
is refused before anything of it is changed. What was committed is on the disk: the log is synced at every commit (WAL
with synchronous=FULL).
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
from omoide.store.folding import fold_case, said
from omoide.store.migrations import Migration, is_current, migrate
from omoide.store.sqlite import checksum, known, spoilt, wide
from omoide.store.sqlite.faults import fault
from omoide.store.sqlite.patience import patiently

#: Refuses a connection, of a file so named, to what is not the store it should be. Raises StoreError.
Check = Callable[[sqlite3.Connection, str], None]

#: SQLite waits for a lock this long at a stretch. It looks ever more rarely, up to ten times a second: too rarely where
#: several processes write for milliseconds each.
_STRETCH_SECONDS = 0.005
_LOG_KEPT_BYTES = 64 * 1024 * 1024
#: Pages in the log before the writer who meets them carries them over to the store, and syncs that too. The more there are,
#: the more of them are one page written again, which is carried over once. So many are found by one look into the log's
#: index; with more, every read of a page would take a second look.
_LOG_PAGES = 4_000
#: Of a log: what kind it is, and two numbers that are drawn anew when it is begun anew. https://www.sqlite.org/fileformat2.html, 4.1.
_LOG_HEAD_BYTES = 32

#: What a file looked like when it was opened as one that nobody writes: (inode, size, modified); None with a log.
_Stamp = tuple[int, int, int]


class Place(NamedTuple):
    """Where a database is (absolute), and how patiently and how far it may be written."""

    path: Path
    read_only: bool
    busy_seconds: float
    max_bytes: int | None


class Opened(NamedTuple):
    """A connection, the path (as the system takes it: every search asks) and the file it leads to, and the file's stamp where it
    was opened as immutable."""

    connection: sqlite3.Connection
    path: str
    file: object
    stamp: _Stamp | None

    def is_current(self) -> bool:
        """Whether the path still leads to the same file, as it was: a connection to one that was replaced by hand reads
        and writes what nobody else sees."""
        return self.file == file_at(self.path) and (self.stamp is None or self.stamp == _stamp(Path(self.path)))


def file_at(path: Path | str) -> object:
    """Which file that is: another value for another one, None for none."""
    try:
        found = os.stat(path)  # every search asks
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Log:
    """The log beside a file that was opened. While that is open its inode is not given to another; once the log has been met
    beside another file, its first bytes tell it from one that is made later."""

    def __init__(self, file: object) -> None:
        self._file = file
        self._head = b""

    @classmethod
    def of(cls, path: Path) -> Log:
        """That of the store at `path`, if there is one."""
        return cls(file_at(log_of(path)))

    def is_still_at(self, path: Path) -> bool:
        """Whether it lies beside whatever is at `path` now."""
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
    """SQLite keeps it beside the file itself, where `path` is a link to it."""
    return Path(f"{os.path.realpath(path)}-wal")


def workshop_of(path: Path) -> Path:
    """The folder where a repair of the store has what is not finished; there is one while it is at work, and when it was killed."""
    return Path(f"{os.path.realpath(path)}.repairing")


def can_write(path: Path) -> bool:
    """Whether a store at `path` may be written as far as one can tell beforehand: an absent one may be."""
    return not os.path.exists(path) or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def refuse_no_file(path: Path) -> None:
    """What is no file, or was one. Raises StoreError."""
    if os.path.isdir(path):
        raise StoreError(f"{path} is a folder, not a store.", hint="Name a file, for example one in that folder.")
    _refuse_lone_log(path)


def _refuse_lone_log(path: Path) -> None:
    """A new store in place of one that was emptied or removed: SQLite would delete the log, and the writes in it."""
    if not _size(path) and workshop_of(path).exists():
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
    """With today's schema; folder and file are made if absent. Raises StoreReadOnly, StoreTooNew, StoreBusy, StoreError."""
    where = str(place.path)
    try:
        place.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
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
            # A file that was not there before was made here.
            return Opened(connection, str(place.path), file or file_at(place.path), None)

    return patiently(once, place.busy_seconds, where)


def checked(place: Place, check: Check) -> Opened:
    """To what is there and passes. Raises what `check` does, StoreBusy, StoreError."""
    if not os.path.exists(place.path):
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
    )


def in_memory(max_bytes: int | None, migrations: tuple[Migration, ...], now: datetime) -> sqlite3.Connection:
    """To a new database that ends with its connection."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _configure(connection, max_bytes)
    migrate(connection, ":memory:", migrations, now=now)
    return connection


def open_again(place: Place) -> Opened:
    """Another one to a file that was opened before. Raises sqlite3.Error, StoreReadOnly."""
    file = file_at(place.path)
    if not place.read_only:
        return Opened(_connect_for_real(place, "mode=rw"), str(place.path), file, None)
    try:
        return Opened(_connect_for_real(place, "mode=ro"), str(place.path), file, None)
    except sqlite3.OperationalError as error:
        if isinstance(fault(error, ""), StoreBusy):
            raise
    return _opened_immutable(place)


def open_to_watch(place: Place) -> Opened:
    """One that is only asked whether anybody has committed: reading the schema, as every transaction must, would take six
    times as long, and memory for as long as the store is open. Raises as `open_again`."""
    if place.read_only:
        return open_again(place)
    file = file_at(place.path)
    return Opened(_bare(place, "mode=rw"), str(place.path), file, None)


def _opened_immutable(place: Place) -> Opened:
    """Reading a WAL database needs its log's files; on read-only media without them, SQLite must be told that nobody
    writes. The stamp then tells when that has stopped being true."""
    stamp = _stamp(place.path)
    if stamp is None:
        raise StoreReadOnly(
            f"The store {place.path} has a log of recent writes that cannot be read without write access.",
            hint="Open it once where it can be written, or copy it together with its -wal and -shm files.",
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
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # opens the file and its log for real
        return connection


@contextmanager
def closed_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """For what has to be asked before it may be used."""
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
    connection.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten; a default of some builds alone
    connection.execute("PRAGMA temp_store = MEMORY")  # where pages are kept that a block of a group may take back
    connection.execute(f"PRAGMA journal_size_limit = {_LOG_KEPT_BYTES}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    if max_bytes is not None:
        page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {max(1, max_bytes // page_bytes)}")


def _fold_case(text: str | None) -> str | None:
    return None if text is None else fold_case(text)


#: What SQL may call: name -> (how many arguments, function).
_FUNCTIONS: Mapping[str, tuple[int, Callable[..., str | int | None]]] = {
    "fold_case": (1, _fold_case),
    "said": (1, lambda text: said(text) if isinstance(text, str) else None),
    **known.FUNCTIONS,
    **spoilt.FUNCTIONS,
    **checksum.FUNCTIONS,
    **wide.FUNCTIONS,
}
