"""Connections to one SQLite database: how they are opened, lent to one transaction at a time, and closed.

A file's connections are pooled, so their number follows the work under way, not the number of threads that ever
asked. A database in memory has one connection, and whoever asks waits for it.

Invariant: a connection is in one thread's hands at a time and comes back outside any transaction. What was committed
is on the disk: the log is synced at every commit (WAL with synchronous=FULL).
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar
from weakref import WeakSet

from omoide.errors import StoreBusy, StoreError, StoreReadOnly
from omoide.store.folding import fold
from omoide.store.migrations import Migration, is_current, migrate, require_current, version
from omoide.store.sqlite import checksum, spoilt
from omoide.store.sqlite.faults import RAISED, fault
from omoide.store.sqlite.watch import Watch
from omoide.turns import waiting

T = TypeVar("T")
#: Refuses a connection, of a file so named, to what is not the store it should be. Raises StoreError.
Check = Callable[[sqlite3.Connection, str], None]

#: Connections kept open for the next transaction; more than that are closed after use.
_IDLE_KEPT = 8
#: SQLite waits for a lock this long at a stretch. It looks ever more rarely, up to ten times a second: too rarely where
#: several processes write for milliseconds each.
_STRETCH_SECONDS = 0.005
_LOG_KEPT_BYTES = 64 * 1024 * 1024
#: Pages in the log before the writer who meets them carries them over to the store, and syncs that too. The more there are,
#: the more of them are one page written again, which is carried over once. So many are found by one look into the log's
#: index; with more, every read of a page would take a second look.
_LOG_PAGES = 4_000


class Place(NamedTuple):
    """Where a database is (absolute), and how patiently and how far it may be written."""

    path: Path
    read_only: bool
    busy_seconds: float
    max_bytes: int | None


class Connections(Protocol):
    """What a store needs of its connections."""

    def lend(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection for one thread and one transaction."""
        ...

    def file(self) -> object:
        """What the connections lead to: another value when another file has been put in its place."""
        ...

    def state(self) -> object:
        """Equal to an earlier answer only if nothing was committed in between. Raises sqlite3.Error."""
        ...

    def close(self) -> None:
        """Close them; one that is lent, when it comes back."""
        ...


class PooledConnections:
    """Connections to a file; `first` is open already. `check` is asked of another file that is put in its place."""

    def __init__(self, place: Place, first: _Pooled, check: Check) -> None:
        self._place = place
        self._check = check
        self._checked = first.file
        self._log = _Log.of(place.path)
        self._lock = threading.Lock()
        self._idle = [first]
        self._closed = False
        self._watch = Watch(self._opened_to_watch)
        _pools.add(self)

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """One that lay idle, else a new one."""
        opened = self._take()
        try:
            yield opened.connection
        finally:
            self._give_back(opened)

    def file(self) -> object:
        """See Connections."""
        return _file(self._place.path)

    def state(self) -> object:
        """See Connections."""
        return self._watch.state()

    def rest(self) -> None:
        """Close what lies idle; what is needed again is opened again."""
        self._watch.rest()
        with self._lock:
            idle, self._idle = self._idle, []
        for opened in idle:
            opened.connection.close()

    def close(self) -> None:
        """Close all; one that is lent is closed when it comes back."""
        self._watch.close()
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for opened in idle:
            opened.connection.close()

    def _take(self) -> _Pooled:
        with self._lock:
            if self._closed:
                raise StoreError(f"The store {self._place.path} has been closed.")
            idle = self._idle.pop() if self._idle else None
        if idle is not None:
            if idle.is_current():
                return idle
            idle.connection.close()
        return patiently(self._opened, self._place.busy_seconds, str(self._place.path))

    def _opened(self) -> _Pooled:
        self._refuse_old_log()
        opened = _open(self._place)
        if opened.file != self._checked:
            with _closed_on_error(opened.connection) as connection:
                self._check(connection, str(self._place.path))
            self._checked, self._log = opened.file, _Log.of(self._place.path)
        return opened

    def _opened_to_watch(self) -> _Pooled:
        self._refuse_old_log()
        return _open_to_watch(self._place)

    def _refuse_old_log(self) -> None:
        """SQLite takes any log beside a file for its own, and would mix the pages of two stores."""
        path = self._place.path
        if _file(path) not in (None, self._checked) and self._log.is_still_at(path):
            raise StoreError(
                f"Another file was put in the place of the store {path}, but the log of the one before is beside it.",
                hint=f"Stop what has the store open, remove {path.name}-wal and {path.name}-shm, and put the file there again.",
            )

    def _give_back(self, opened: _Pooled) -> None:
        with self._lock:
            if not (self._closed or opened.connection.in_transaction or len(self._idle) >= _IDLE_KEPT):
                self._idle.append(opened)
                return
        opened.connection.close()


class OneConnection:
    """The connection to a database in memory."""

    def __init__(self, connection: sqlite3.Connection, busy_seconds: float) -> None:
        self._connection = connection
        self._busy_seconds = busy_seconds
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """Wait for the connection. Raises StoreBusy."""
        if not self._lock.acquire(timeout=self._busy_seconds):
            raise StoreBusy("Another thread kept the store in memory for too long.", hint="Try again.")
        try:
            if self._closed:
                raise StoreError("The store in memory has been closed.")
            yield self._connection
        finally:
            self._lock.release()

    def file(self) -> object:
        """See Connections."""
        return ":memory:"

    def state(self) -> object:
        """See Connections. Nobody else writes to it."""
        with self.lend() as connection:
            return connection.total_changes

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._closed = True
            self._connection.close()


def open_file(place: Place, migrations: tuple[Migration, ...], *, now: datetime) -> Connections:
    """Connections to a file with today's schema; unless it is only to be read, folder and file are made if absent.

    Raises StoreReadOnly, StoreTooNew, StoreBusy, StoreError.
    """
    _refuse_no_file(place.path)
    if not place.read_only:
        first = _created(place, migrations, now)
        return PooledConnections(place, first, lambda connection, where: _require_today(connection, where, migrations))

    def check(connection: sqlite3.Connection, where: str) -> None:
        require_current(connection, where, migrations)

    return PooledConnections(place, _checked(place, check), check)


def open_as_it_is(place: Place, migrations: tuple[Migration, ...]) -> Connections:
    """Connections to read a store of this version or an older one. Raises StoreTooNew, StoreBusy, StoreError."""
    _refuse_no_file(place.path)

    def check(connection: sqlite3.Connection, where: str) -> None:
        if not version(connection, where, migrations):
            raise StoreError(f"{where} is empty, not an omoide store.", hint="Restore the last backup.")

    return PooledConnections(place, _checked(place, check), check)


def open_memory(
    busy_seconds: float, max_bytes: int | None, migrations: tuple[Migration, ...], *, now: datetime
) -> Connections:
    """The connection to a new database in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _configure(connection, max_bytes)
    migrate(connection, ":memory:", migrations, now=now)
    return OneConnection(connection, busy_seconds)


def can_write(path: Path) -> bool:
    """Whether a store at `path` may be written as far as one can tell beforehand: an absent one may be."""
    return not os.path.exists(path) or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def patiently(action: Callable[[], T], seconds: float, where: str) -> T:
    """Run `action` until it no longer meets a lock, for `seconds`; other errors of SQLite are mapped at once.

    SQLite waits by itself for most locks, but not for all (a change to WAL, a log under recovery), and without
    regard to others who wait: a pause of random length lets everyone have a turn.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            return action()
        except RAISED as error:
            meaning = fault(error, where)
            if not isinstance(meaning, StoreBusy) or time.monotonic() >= deadline:
                raise meaning from error
        with waiting():
            time.sleep(random.uniform(0.0005, 0.005))


# --- opening ----------------------------------------------------------------------------------------------------------

#: Of a log: what kind it is, and two numbers that are drawn anew when it is begun anew. https://www.sqlite.org/fileformat2.html, 4.1.
_LOG_HEAD_BYTES = 32

#: What a file looked like when it was opened as one that nobody writes: (inode, size, modified); None with a log.
_Stamp = tuple[int, int, int]


class _Pooled(NamedTuple):
    """A connection, the path and the file it leads to, and the file's stamp where it was opened as immutable."""

    connection: sqlite3.Connection
    path: Path
    file: object
    stamp: _Stamp | None

    def is_current(self) -> bool:
        """Whether the path still leads to the same file, as it was: a connection to one that was replaced by hand reads
        and writes what nobody else sees."""
        return self.file == _file(self.path) and (self.stamp is None or self.stamp == _stamp(self.path))


def _file(path: Path) -> object:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class _Log:
    """The log beside a file that was opened. While that is open its inode is not given to another; once the log has been met
    beside another file, its first bytes tell it from one that is made later."""

    def __init__(self, file: object) -> None:
        self._file = file
        self._head = b""

    @classmethod
    def of(cls, path: Path) -> _Log:
        return cls(_file(_log_of(path)))

    def is_still_at(self, path: Path) -> bool:
        log = _log_of(path)
        if self._file is None or self._file != _file(log):
            return False
        try:
            with log.open("rb") as opened:
                head = opened.read(_LOG_HEAD_BYTES)
        except OSError:
            return False
        self._head = self._head or head
        return bool(head) and head == self._head


def _log_of(path: Path) -> Path:
    """SQLite keeps it beside the file itself, where `path` is a link to it."""
    return Path(f"{os.path.realpath(path)}-wal")


#: Every pool of this process. A connection must not be open while the process is forked: the child would believe that it holds
#: the locks of its parent, who would then take away the log the child writes to.
_pools: WeakSet[PooledConnections] = WeakSet()


def _rest_all() -> None:
    for pool in tuple(_pools):
        pool.rest()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_rest_all)


def _refuse_no_file(path: Path) -> None:
    if os.path.isdir(path):
        raise StoreError(f"{path} is a folder, not a store.", hint="Name a file, for example one in that folder.")
    _refuse_lone_log(path)


def _require_today(connection: sqlite3.Connection, where: str, migrations: tuple[Migration, ...]) -> None:
    """Of a file that was put in the place of an open one. Raises StoreError."""
    if not is_current(connection, where, migrations):
        raise StoreError(
            f"Another file was put in the place of the store {where}: it is empty, or an older omoide wrote it.",
            hint="Start this process again: what is older is upgraded when it is opened.",
        )


def _refuse_lone_log(path: Path) -> None:
    """A new store in place of one that was emptied or removed: SQLite would delete the log, and the writes in it."""
    log = _log_of(path)
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


def _created(place: Place, migrations: tuple[Migration, ...], now: datetime) -> _Pooled:
    where = str(place.path)
    try:
        place.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(place, error.strerror) from error
    if not os.access(place.path.parent, os.W_OK):
        raise _unwritable(place, "the folder cannot be written")

    def once() -> _Pooled:
        file = _file(place.path)
        with _closed_on_error(_connect(place, "mode=rwc")) as connection:
            is_current(connection, where, migrations)  # refuses before anything is changed
            connection.execute("PRAGMA journal_mode = WAL")
            migrate(connection, where, migrations, now=now)
            # A file that was not there before was made here.
            return _Pooled(connection, place.path, file or _file(place.path), None)

    return patiently(once, place.busy_seconds, where)


def _checked(place: Place, check: Check) -> _Pooled:
    if not os.path.exists(place.path):
        raise StoreError(
            f"There is no store at {place.path}.", hint="Check the path, or open it for writing to make a store there."
        )

    def once() -> _Pooled:
        opened = _open(place)
        with _closed_on_error(opened.connection) as connection:
            check(connection, str(place.path))
        return opened

    return patiently(once, place.busy_seconds, str(place.path))


def _unwritable(place: Place, reason: str | None) -> StoreReadOnly:
    return StoreReadOnly(
        f"There is no store at {place.path}, and none can be made: {reason}.",
        hint="Name a folder that this user may write.",
    )


def _open(place: Place) -> _Pooled:
    """Raises sqlite3.Error, StoreReadOnly."""
    file = _file(place.path)
    if not place.read_only:
        return _Pooled(_opened(place, "mode=rw"), place.path, file, None)
    try:
        return _Pooled(_opened(place, "mode=ro"), place.path, file, None)
    except sqlite3.OperationalError as error:
        if isinstance(fault(error, ""), StoreBusy):
            raise
    return _opened_immutable(place)


def _open_to_watch(place: Place) -> _Pooled:
    """One that is only asked whether anybody has committed: reading the schema, as every transaction must, would take six
    times as long, and memory for as long as the store is open. Raises as `_open`."""
    if place.read_only:
        return _open(place)
    file = _file(place.path)
    return _Pooled(_bare(place, "mode=rw"), place.path, file, None)


def _opened_immutable(place: Place) -> _Pooled:
    """Reading a WAL database needs its log's files; on read-only media without them, SQLite must be told that nobody
    writes. The stamp then tells when that has stopped being true."""
    stamp = _stamp(place.path)
    if stamp is None:
        raise StoreReadOnly(
            f"The store {place.path} has a log of recent writes that cannot be read without write access.",
            hint="Open it once where it can be written, or copy it together with its -wal and -shm files.",
        )
    return _Pooled(_opened(place, "mode=ro&immutable=1"), place.path, _file(place.path), stamp)


def _stamp(path: Path) -> _Stamp | None:
    log = _log_of(path)
    if log.exists() and log.stat().st_size:
        return None
    seen = path.stat()
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def _opened(place: Place, mode: str) -> sqlite3.Connection:
    with _closed_on_error(_connect(place, mode)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # opens the file and its log for real
        return connection


@contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def _connect(place: Place, mode: str) -> sqlite3.Connection:
    connection = _bare(place, mode)
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


def _fold(text: str | None) -> str | None:
    return None if text is None else fold(text)


#: What SQL may call: name -> (how many arguments, function).
_FUNCTIONS: Mapping[str, tuple[int, Callable[..., str | int | None]]] = {
    "fold": (1, _fold),
    **spoilt.FUNCTIONS,
    **checksum.FUNCTIONS,
}
