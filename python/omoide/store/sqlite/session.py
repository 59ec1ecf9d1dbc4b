"""One transaction from the inside: runs SQL, reads rows, writes rows, notes changes.

Invariant: a session can be used only inside its own transaction. After the block, or after SQLite has rolled back by itself
(a full disk), every use raises, so that no statement can commit on its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain, compress, islice
from typing import Any, TypeVar

from omoide.errors import StoreError
from omoide.store.protocol import ChangeKind
from omoide.store.sqlite import wide_rows
from omoide.store.sqlite.faults import RAISED, fault, value_fault
from omoide.store.sqlite.values import micros

T = TypeVar("T")
Clock = Callable[[], datetime]
Row = tuple[Any, ...]
#: What the placeholders of a statement stand for: in order where they are `?`, by name where they are `:name`.
Values = Sequence[Any] | Mapping[str, Any]

#: The table of each kind of rows that `changes` notes.
TABLES: Mapping[ChangeKind, str] = {"memory": "memories", "entity": "entities", "relation": "relations"}
#: SQLite before 3.32 takes at most 999 values in one statement.
_VALUES_AT_ONCE = 900
#: Statements whose SQL is cached; sqlite3 keeps as many prepared.
_STATEMENTS = 128


class Session:
    """See the module. `where` is the store's path, for errors; `clock` gives the time of removals."""

    def __init__(self, connection: sqlite3.Connection, where: str, clock: Clock) -> None:
        self._connection = connection
        self._where = where
        self._clock = clock
        self._over = False

    def end(self) -> None:
        """Refuse further use. Does not end the transaction: whoever began it does."""
        self._over = True

    def require_open(self) -> None:
        """Raises StoreError when the transaction is over or was rolled back."""
        if self._over:
            raise StoreError("This transaction is over.", hint="Open another with read() or write().")
        if not self._connection.in_transaction:
            raise StoreError(
                f"The transaction on {self._where} was rolled back after an error; nothing of it was kept.",
                hint="Let the error leave the block, then write again.",
            )

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """Run one statement; returns all rows of its result."""
        return self._run(lambda: self._connection.execute(sql, values).fetchall())

    def rows_where(self, sql: str, holds: Callable[[Row], bool]) -> list[Row]:
        """Run one statement; returns the rows of its result for which `holds` is true, without keeping the others in memory."""
        return self._run(lambda: list(filter(holds, self._connection.execute(sql))))

    def row(self, sql: str, values: Values = ()) -> Row | None:
        """The first row, if any."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def value(self, sql: str, values: Values = ()) -> Any:
        """The first column of the first row; None without a row."""
        found = self.row(sql, values)
        return found[0] if found else None

    def rows_in(self, sql: str, keys: Iterable[Any], *values: Any) -> list[Row]:
        """Run a statement that ends in `IN ({})` for any number of keys, in batches; `values` are bound before the keys."""
        return [row for part in _parts(keys) for row in self.rows(_in(sql, part), (*values, *part))]

    def wide_rows_in(self, columns: str, rest: str, keys: Iterable[Any]) -> list[Row]:
        """Like `rows_in` with `SELECT {columns} {rest}`, faster for many columns; in any order."""

        def taken(part: list[Any]) -> list[Row]:
            return self._run(lambda: wide_rows.rows(self._connection, columns, _in(rest, part), part))

        return [row for part in _parts(keys) for row in taken(part)]

    def _run(self, read: Callable[[], list[Row]]) -> list[Row]:
        self.require_open()
        try:
            return read()
        except (*RAISED, UnicodeEncodeError, OverflowError) as error:
            raise fault(error, self._where) from error

    # --- writing

    def insert(self, table: str, values: Mapping[str, Any]) -> int:
        """Insert one row; returns its number."""
        return int(self._write(_insert_sql(table, tuple(values)), values, ()).lastrowid or 0)

    def insert_many(self, table: str, names: tuple[str, ...], rows: Iterable[Row]) -> None:
        """Insert rows of these columns; of the rows in one statement all or none.

        Several rows go to one statement: for each row of `executemany`, sqlite3 hands the interpreter over to whoever waits for it.
        Columns without a value in any row are left out: for each None, Python's sqlite3 looks for an adapter, which took a
        tenth of the time of a write.
        """
        self.require_open()
        held = list(rows)
        used = [column.count(None) < len(held) for column in zip(*held, strict=True)]
        filled = tuple(compress(names, used))
        written = [tuple(compress(row, used)) for row in held]
        try:
            for part in _pieces(written):
                self._connection.execute(_insert_sql(table, filled, len(part)), _flat(part))
        except (*RAISED, UnicodeEncodeError, OverflowError) as error:
            named = chain.from_iterable(zip(filled, row, strict=True) for row in written)
            raise value_fault(error, self._where, named) from error

    def update(self, table: str, number: int, values: Mapping[str, Any]) -> None:
        """Update these columns of one row."""
        self._write(_update_sql(table, tuple(values)), values, (number,))

    def now(self) -> int:
        """The time of the clock, in microseconds since 1970-01-01 UTC."""
        return micros("clock", self._clock())

    def changed(self, kind: ChangeKind, *numbers: int, at: int) -> None:
        """Note that rows of `kind` were put or removed, in that order; every write path calls this.

        Replaces the older entry of a row, so `changes` has one entry per row.
        """
        self.require_open()
        lines = [(kind, number, at) for number in numbers]
        try:
            for part in _pieces(lines):
                self._connection.execute(_changed_sql(len(part)), _flat(part))
        except sqlite3.Error as error:
            raise fault(error, self._where) from error

    def _write(self, sql: str, values: Mapping[str, Any], more: Row) -> sqlite3.Cursor:
        self.require_open()
        try:
            return self._connection.execute(sql, (*values.values(), *more))
        except (*RAISED, UnicodeEncodeError, OverflowError) as error:
            raise value_fault(error, self._where, values.items()) from error


def _in(sql: str, keys: Sequence[Any]) -> str:
    return sql.format(",".join("?" * len(keys)))


def _pieces(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """The rows in order, 1, 2, 4, 8 or more together, so that a few prepared statements do for any number."""
    start = 0
    while left := len(rows) - start:
        most = min(left, _VALUES_AT_ONCE // len(rows[start]))
        size = 1 << most.bit_length() - 1
        yield rows[start : start + size]
        start += size


def _flat(rows: Sequence[Row]) -> Row:
    return tuple(chain.from_iterable(rows))


def in_order(keys: Iterable[str], found: Mapping[str, T]) -> list[T]:
    """The values of `found` in the order of `keys`; unknown keys are left out."""
    return [found[key] for key in keys if key in found]


@lru_cache(_STATEMENTS)
def _insert_sql(table: str, names: tuple[str, ...], rows: int = 1) -> str:
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {_marks(len(names), rows)}"


@lru_cache(_STATEMENTS)
def _changed_sql(rows: int) -> str:
    return f"INSERT OR REPLACE INTO changes (kind, number, at) VALUES {_marks(3, rows)}"


def _marks(values: int, rows: int) -> str:
    row = f"({', '.join('?' * values)})"
    return ", ".join([row] * rows)


@lru_cache(_STATEMENTS)
def _update_sql(table: str, names: tuple[str, ...]) -> str:
    return f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in names)} WHERE number = ?"


def _parts(keys: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(keys)
    while part := list(islice(rest, _VALUES_AT_ONCE)):
        yield part
