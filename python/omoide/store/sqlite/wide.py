"""Rows of many columns, had from SQLite at once.

Python's sqlite3 lets go of the interpreter for every column of a row that it fetches, and SQLite locks the connection three
times for it: with its forty columns, that was a good half of what reading a memory took. A function that SQL calls is
given all of its columns together.

Useful for: reading memories by the dozen. Not useful for: rows in an order; SQLite may call a function before it sorts.
Invariant: a row is what fetching it would give, and so is what is raised: sqlite3 tells nothing of what a function did.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from typing import Any

from omoide.store.sqlite.faults import IN_A_FUNCTION

Row = tuple[Any, ...]


class _Own(threading.local):
    """What a thread's statement has taken so far."""

    rows: list[Row]


_own = _Own()


def rows(connection: sqlite3.Connection, columns: str, rest: str, values: Sequence[Any]) -> list[Row]:
    """The rows of `SELECT {columns} {rest}`, in any order. Raises what sqlite3 does."""
    taken: list[Row] = []
    _own.rows = taken
    try:
        connection.execute(f"SELECT count(take({columns})) {rest}", values).fetchone()
    except sqlite3.OperationalError as error:
        if IN_A_FUNCTION in str(error):
            fetched = connection.execute(f"SELECT {columns} {rest}", values).fetchall()  # raises, if a text is none
            if threading.current_thread() is threading.main_thread():
                raise KeyboardInterrupt from error  # a function that only takes raises nothing by itself
            return fetched
        raise
    return taken


def _take(*row: Any) -> None:
    _own.rows.append(row)


#: What SQL must be able to call on the connection: name -> (how many arguments, function).
FUNCTIONS = {"take": (-1, _take)}
