"""A new database out of what can still be read of a damaged one.

Useful for: `omoide doctor --repair`, when SQLite finds pages that are not what they should be. Not useful for: rows that
contradict each other; see orphans.py, which is run afterwards. Invariant: the damaged file is only read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from omoide.store.migrations import migrate, shipped

Row = Sequence[Any]

#: Rows of one table in a row that cannot be read before the rest of it is given up.
MOST_UNREADABLE = 100_000


def salvage(damaged: Path, target: Path, *, now: datetime) -> Mapping[str, int]:
    """Make the store `target`, which must not exist; rows saved by table. Raises sqlite3.DatabaseError when not even the
    list of tables can be read."""
    with closing(sqlite3.connect(damaged, isolation_level=None)) as old, closing(sqlite3.connect(target)) as new:
        new.isolation_level = None
        migrate(new, str(target), shipped(), now=now)
        new.execute("BEGIN")
        saved = {table: _save(old, new, table) for table in _tables(new)}
        new.execute("COMMIT")
    return saved


def _tables(new: sqlite3.Connection) -> list[str]:
    """Without `meta`: what is saved is a store of its own, which no index has followed before."""
    names = new.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rootpage")
    return [name for (name,) in names if name != "meta" and not name.startswith("sqlite_")]


def _save(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> int:
    names = [column for (column,) in new.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    insert = f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    saved = 0
    for row in _rows(old, table, ", ".join(names), numbered=_is_numbered(new, table)):
        with suppress(sqlite3.IntegrityError):  # a torn row
            new.execute(insert, row)
            saved += 1
    return saved


def _is_numbered(new: sqlite3.Connection, table: str) -> bool:
    """Whether rows can be asked for by number."""
    try:
        new.execute(f"SELECT rowid FROM {table} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    return True


def _rows(old: sqlite3.Connection, table: str, names: str, *, numbered: bool) -> Iterator[Row]:
    """In the order of the table as far as that goes, then number by number past what cannot be read."""
    number = 0
    try:
        for key, *row in old.execute(f"SELECT {'rowid' if numbered else '0'}, {names} FROM {table}"):
            number = key
            yield row
    except sqlite3.DatabaseError:
        if numbered:
            yield from _rows_after(old, table, names, number)


def _rows_after(old: sqlite3.Connection, table: str, names: str, number: int) -> Iterator[Row]:
    unreadable = 0
    while unreadable < MOST_UNREADABLE:
        number += 1
        row = None
        with suppress(sqlite3.DatabaseError):
            row = old.execute(f"SELECT {names} FROM {table} WHERE rowid = ?", (number,)).fetchone()
        unreadable = 0 if row else unreadable + 1
        if row:
            yield row
