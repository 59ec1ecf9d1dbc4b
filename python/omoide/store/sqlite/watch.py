"""Has anything been committed since?

Useful for: keeping what was read for as long as it is still so. Not useful for: telling what has changed; `changes` does.
Invariant: the same answer twice means that no process committed in between.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import Protocol

from omoide.errors import StoreError


class Watched(Protocol):
    """A connection, and whether it still leads to the store's file."""

    @property
    def connection(self) -> sqlite3.Connection:
        """Never written through: SQLite tells a connection of what others commit."""
        ...

    def is_current(self) -> bool:
        """False once another file has been put in its place."""
        ...


class Watch:
    """Asks through a connection of its own, which `open` makes when it is first needed."""

    def __init__(self, open: Callable[[], Watched]) -> None:
        self._open = open
        self._lock = threading.Lock()
        self._watched: Watched | None = None
        self._opened = 0
        self._closed = False

    def state(self) -> object:
        """Equal to an earlier answer only if nothing was committed in between. Raises sqlite3.Error, StoreError."""
        with self._lock:
            watched = self._watched
            if watched is None or not watched.is_current():
                watched = self._renewed()
            return self._opened, watched.connection.execute("PRAGMA data_version").fetchone()[0]

    def rest(self) -> None:
        """Let go of the file until it is asked again."""
        with self._lock:
            self._let_go()

    def close(self) -> None:
        """Let go of the file for good."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _renewed(self) -> Watched:
        if self._closed:
            raise StoreError("The store has been closed.")
        self._let_go()
        self._watched = watched = self._open()
        # A new connection counts from one again.
        self._opened += 1
        return watched

    def _let_go(self) -> None:
        if self._watched is not None:
            self._watched.connection.close()
            self._watched = None
