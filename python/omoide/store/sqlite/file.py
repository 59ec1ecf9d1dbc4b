"""The file of a store as it is, whichever version of omoide wrote it.

Useful for: backups, which are taken before an upgrade and restored after one. Not useful for: reading memories; SqliteStore
brings a store to today's schema first. Invariant: nothing is written to the file.
"""

from __future__ import annotations

from pathlib import Path

from omoide.errors import StoreFull
from omoide.store.migrations import shipped
from omoide.store.sqlite.connections import open_as_it_is
from omoide.store.sqlite.lock_wait import patiently
from omoide.store.sqlite.opening import Place


class StoreFile:
    """See the module. `busy_seconds` is how long it waits for others. Raises StoreTooNew, StoreBusy, StoreError."""

    def __init__(self, path: Path, *, busy_seconds: float = 30.0) -> None:
        self._where = str(path)
        self._busy_seconds = busy_seconds
        self._connections = open_as_it_is(Place(path.absolute(), True, busy_seconds, None), shipped())

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file; reads all of it."""
        return [str(found) for (found,) in self._rows("PRAGMA integrity_check") if found != "ok"]

    def copy_to(self, path: Path) -> None:
        """Write a compact copy of one committed state to a new file; others may write to the store meanwhile.

        Raises StoreFull, StoreBusy, StoreError.
        """
        try:
            self._rows("VACUUM INTO ?", str(path))
        except StoreFull as error:
            raise StoreFull(
                f"There is no room for a copy of the store {self._where} in {path.parent}.",
                hint="Free some space there, or name a file on another disk.",
            ) from error

    def close(self) -> None:
        """Close the file. Safe to repeat."""
        self._connections.close()

    def __enter__(self) -> StoreFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, sql: str, *values: str) -> list[tuple[object, ...]]:
        with self._connections.lend() as connection:
            return patiently(lambda: connection.execute(sql, values).fetchall(), self._busy_seconds, self._where)
