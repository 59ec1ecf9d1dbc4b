"""Has any process committed since the last time?

Useful for: caches of what was read. Not useful for: what has changed; `changes` says that.
Invariant: the same answer twice means that no process committed in between.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import Protocol

from omoide.errors import StoreError


class Watched(Protocol):
    """A connection, and whether it is still to the store's file."""

    @property
    def connection(self) -> sqlite3.Connection:
        """Never used for writes: SQLite reports to a connection only the commits of others."""
        ...

    def is_current(self) -> bool:
        """False once the file has been replaced by another."""
        ...


class CommitWatch:
    """Has a connection of its own, opened by `open` when first needed."""

    def __init__(self, open: Callable[[], Watched]) -> None:
        self._open = open
        self._lock = threading.Lock()
        self._watched: Watched | None = None
        self._opened = 0
        self._closed = False

    def state(self) -> object:
        """A value that equals an earlier one only if nothing was committed in between. Raises sqlite3.Error, StoreError."""
        with self._lock:
            watched = self._watched
            if watched is None or not watched.is_current():
                watched = self._renewed()
            return self._opened, watched.connection.execute("PRAGMA data_version").fetchone()[0]

    def rest(self) -> None:
        """Close the connection until it is needed again."""
        with self._lock:
            self._let_go()

    def close(self) -> None:
        """Close the connection for good."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _renewed(self) -> Watched:
        if self._closed:
            raise StoreError("The store has been closed.")
        self._let_go()
        self._watched = watched = self._open()
        # A new connection's data_version starts anew, so it alone does not tell states apart.
        self._opened += 1
        return watched

    def _let_go(self) -> None:
        if self._watched is not None:
            self._watched.connection.close()
            self._watched = None
