"""The connection pool of one SQLite database: lends each connection to one transaction at a time, and closes them.

A file's connections are pooled, so there are as many as there are transactions at once, not one per thread. A database in
memory has one connection, and callers wait for it. opening.py opens them.

Invariant: one thread at a time uses a connection; a connection in the pool is outside any transaction.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Protocol
from weakref import WeakSet

from omoide.errors import StoreBusy, StoreError
from omoide.store.migrations import Migration, begun, is_current, require_current
from omoide.store.sqlite.commit_watch import CommitWatch
from omoide.store.sqlite.lock_wait import patiently
from omoide.store.sqlite.opening import (
    Log,
    Opened,
    Place,
    SchemaCheck,
    checked,
    closed_on_error,
    created,
    file_at,
    in_memory,
    open_again,
    open_to_watch,
    refuse_no_file,
)

#: Connections kept open for the next transaction; more than that are closed after use.
_IDLE_KEPT = 8


class Connections(Protocol):
    """What a store needs of its connections."""

    def lend(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection for one thread and one transaction."""
        ...

    def file(self) -> object:
        """The identity of the file at the path: changes when the file is replaced by another."""
        ...

    def state(self) -> object:
        """A value that equals an earlier one only if nothing was committed in between. Raises sqlite3.Error."""
        ...

    def close(self) -> None:
        """Close all connections; one that is lent is closed when it comes back."""
        ...


class PooledConnections:
    """Connections to a file; `first` is open already. If the file is replaced by another, `check` must accept that one."""

    def __init__(self, place: Place, first: Opened, check: SchemaCheck) -> None:
        self._place = place
        self._check = check
        self._checked = first.file
        self._log = Log.of(place.path)
        self._lock = threading.Lock()
        self._idle = [first]
        self._closed = False
        self._watch = CommitWatch(self._opened_to_watch)
        _pools.add(self)

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """An idle connection, else a new one."""
        opened = self._take()
        try:
            yield opened.connection
        finally:
            self._give_back(opened)

    def file(self) -> object:
        """See Connections."""
        return file_at(self._place.path)

    def state(self) -> object:
        """See Connections."""
        return self._watch.state()

    def rest(self) -> None:
        """Close idle connections; new ones are opened when needed."""
        self._watch.rest()
        with self._lock:
            idle, self._idle = self._idle, []
        for opened in idle:
            opened.connection.close()

    def close(self) -> None:
        """See Connections."""
        self._watch.close()
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for opened in idle:
            opened.connection.close()

    def _take(self) -> Opened:
        with self._lock:
            if self._closed:
                raise StoreError(f"The store {self._place.path} has been closed.")
            idle = self._idle.pop() if self._idle else None
        if idle is not None:
            if idle.is_current():
                return idle
            idle.connection.close()
        return patiently(self._opened, self._place.busy_seconds, str(self._place.path))

    def _opened(self) -> Opened:
        self._refuse_old_log()
        opened = open_again(self._place)
        if opened.file != self._checked:
            with closed_on_error(opened.connection) as connection:
                self._check(connection, str(self._place.path))
            self._checked, self._log = opened.file, Log.of(self._place.path)
        return opened

    def _opened_to_watch(self) -> Opened:
        self._refuse_old_log()
        return open_to_watch(self._place)

    def _refuse_old_log(self) -> None:
        """Raises StoreError if another file lies beside the old log: SQLite would take that log for the new file's, and mix the
        pages of two stores."""
        path = self._place.path
        if file_at(path) not in (None, self._checked) and self._log.is_still_at(path):
            raise StoreError(
                f"Another file was put in the place of the store {path}, but the log of the one before is beside it.",
                hint=f"Stop what has the store open, remove {path.name}-wal and {path.name}-shm, and put the file there again.",
            )

    def _give_back(self, opened: Opened) -> None:
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
        """See Connections. Only this connection can write."""
        with self.lend() as connection:
            return connection.total_changes

    def close(self) -> None:
        """Close the connection, and with it delete the database."""
        with self._lock:
            self._closed = True
            self._connection.close()


def open_file(place: Place, migrations: tuple[Migration, ...], *, now: datetime) -> Connections:
    """Connections to a file with today's schema; unless read-only, folder and file are created if missing.

    Raises StoreReadOnly, StoreTooNew, StoreBusy, StoreError.
    """
    refuse_no_file(place.path)
    if not place.read_only:
        first = created(place, migrations, now)
        return PooledConnections(place, first, lambda connection, where: _require_today(connection, where, migrations))

    def check(connection: sqlite3.Connection, where: str) -> None:
        require_current(connection, where, migrations)

    return PooledConnections(place, checked(place, check), check)


def open_as_it_is(place: Place, migrations: tuple[Migration, ...]) -> Connections:
    """Connections to read a store of this version or an older one. Raises StoreTooNew, StoreBusy, StoreError."""
    refuse_no_file(place.path)

    def check(connection: sqlite3.Connection, where: str) -> None:
        begun(connection, where, migrations)

    return PooledConnections(place, checked(place, check), check)


def open_memory(
    busy_seconds: float, max_bytes: int | None, migrations: tuple[Migration, ...], *, now: datetime
) -> Connections:
    """The connection to a new database in memory."""
    return OneConnection(in_memory(max_bytes, migrations, now), busy_seconds)


def _require_today(connection: sqlite3.Connection, where: str, migrations: tuple[Migration, ...]) -> None:
    """Check a file that has replaced an open one. Raises StoreError if it has not today's schema."""
    if not is_current(connection, where, migrations):
        raise StoreError(
            f"Another file was put in the place of the store {where}: it is empty, or an older omoide wrote it.",
            hint="Start this process again: what is older is upgraded when it is opened.",
        )


#: Every pool of this process. No idle connection may be open when the process forks: the child would believe that it holds its
#: parent's locks, and the parent could then delete the log that the child writes to.
_pools: WeakSet[PooledConnections] = WeakSet()


def _rest_all() -> None:
    for pool in tuple(_pools):
        pool.rest()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_rest_all)
