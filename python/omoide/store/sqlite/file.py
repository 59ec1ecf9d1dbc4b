"""The file of a store as it is, whichever version of omoide wrote it.

Useful for: backups, which are taken before an upgrade and restored after one. Not useful for: reading memories; SqliteStore
brings a store to today's schema first. Invariant: nothing is written to the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from omoide.errors import StoreFull, StoreUnreachable
from omoide.store.migrations import shipped
from omoide.store.sqlite.check import CHECK_FILE, damage_in
from omoide.store.sqlite.connections import open_as_it_is
from omoide.store.sqlite.lock_wait import patiently
from omoide.store.sqlite.opening import Place

T = TypeVar("T")

_CHUNK = bytes(1024 * 1024)


def vacuumed(connection: sqlite3.Connection, path: Path) -> None:
    """Write a compact copy of a database to a new file. The connection takes URIs."""
    # As a text it could not have the name of a folder that is not UTF-8.
    connection.execute("VACUUM INTO ?", (path.absolute().as_uri(),))


def copied(connection: sqlite3.Connection, path: Path) -> None:
    """The same before SQLite 3.27 (RHEL 8 has 3.26), which is when VACUUM INTO came: everything is written twice."""
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # so that no log is left beside the copy
        copy.execute("VACUUM")


_copy: Callable[[sqlite3.Connection, Path], None] = vacuumed if sqlite3.sqlite_version_info >= (3, 27) else copied


class StoreFile:
    """See the module. `busy_seconds` is how long it waits for others. Raises StoreTooNew, StoreBusy, StoreError."""

    def __init__(self, path: Path, *, busy_seconds: float = 30.0) -> None:
        self._where = str(path)
        self._busy_seconds = busy_seconds
        self._connections = open_as_it_is(Place(path.absolute(), True, busy_seconds, None), shipped())

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file; reads all of it."""
        with self._connections.lend() as connection:
            return damage_in(self._patiently(lambda: connection.execute(CHECK_FILE).fetchall()))

    def copy_to(self, path: Path) -> None:
        """Write a compact copy of one committed state to a new file; others may write to the store meanwhile.

        Raises StoreFull, StoreBusy, StoreError, OSError (the copy cannot be written; it names no file).
        """
        try:
            with self._connections.lend() as connection:
                self._patiently(lambda: _copy(connection, path))
        except StoreFull as error:
            raise StoreFull(
                f"There is no room for a copy of the store {self._where}.",
                hint="Free some space on the disk of the file to write, or name one on another disk.",
            ) from error
        except StoreUnreachable:
            self._require_writable(path)
            raise

    def _require_writable(self, copy: Path) -> None:
        """Raises OSError if as much as a copy takes cannot be written there: SQLite's "disk I/O error" may be of either file."""
        files = (Path(self._where), Path(f"{self._where}-wal"))
        most_bytes = sum(file.stat().st_size for file in files if file.exists())
        with copy.open("wb") as written:
            for _ in range(0, most_bytes, len(_CHUNK)):
                written.write(_CHUNK)

    def close(self) -> None:
        """Close the file. Safe to repeat."""
        self._connections.close()

    def __enter__(self) -> StoreFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _patiently(self, action: Callable[[], T]) -> T:
        return patiently(action, self._busy_seconds, self._where)
