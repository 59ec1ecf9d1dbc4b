"""Rows of many columns, had from SQLite at once.

Python's sqlite3 lets go of the interpreter for every column of a row that it fetches, and SQLite locks the connection three
times for it: with its forty columns, that was a good half of what reading a memory took. A function that SQL calls is
given all of its columns together.

Useful for: reading memories by the dozen. Not useful for: rows in an order; SQLite may call a function before it sorts.
Invariant: a row is what fetching it would give.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from typing import Any

Row = tuple[Any, ...]


class _Own(threading.local):
    """What a thread's statement has taken so far."""

    rows: list[Row]


_own = _Own()


def taking(columns: Iterable[str]) -> str:
    """What `rows` must SELECT to have these columns of every row."""
    return f"count(take({', '.join(columns)}))"


def rows(connection: sqlite3.Connection, sql: str, values: Sequence[Any]) -> list[Row]:
    """The rows of a statement that selects what `taking` says, in any order."""
    taken: list[Row] = []
    _own.rows = taken
    connection.execute(sql, values).fetchone()
    return taken


def _take(*row: Any) -> None:
    _own.rows.append(row)


#: What SQL must be able to call on the connection: name -> (how many arguments, function).
FUNCTIONS = {"take": (-1, _take)}
