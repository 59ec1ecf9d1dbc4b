"""Makes a new database from what can still be read of a damaged one.

Useful for: `omoide doctor --repair`, when SQLite finds damaged pages. Not useful for: rows that contradict each other
(orphans.py, which runs afterwards). Invariant: the damaged file is only read.

The file header, with the size of the file, and the pointers to the list of tables are rebuilt in a copy: if one of them is
wrong, SQLite reads nothing.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from omoide.store.migrations import Migration, migrate, shipped
from omoide.store.sqlite import damaged_values
from omoide.store.sqlite.first_page import HEAD_BYTES, relist

Row = Sequence[Any]

#: After this many unreadable rows in succession, the rest of a table is given up.
MOST_UNREADABLE = 20_000
#: How many numbers to try if the highest number is unknown.
LOOKED_AHEAD = 1_000


def salvage(damaged: Path, target: Path, *, now: datetime) -> Mapping[str, int]:
    """Make the store `target`, which must not exist; returns the number of rows saved by table. Its folder needs room for a
    copy of the damaged file, too. Raises sqlite3.DatabaseError if not even the list of tables can be read."""
    _make(target, shipped(), now)
    with _legible_copy(damaged, sound=target) as copy, closing(_opened(copy)) as old:
        # A store of an older omoide is saved with its own schema, then upgraded: a table may have had other columns.
        migrations = _migrations(old, now)
        if len(migrations) < len(shipped()):
            target.unlink()
            _make(target, migrations, now)
        saved = _saved(old, target)
    _make(target, shipped(), now)
    return saved


def _make(target: Path, migrations: tuple[Migration, ...], now: datetime) -> None:
    with closing(_connect(target)) as new:
        migrate(new, str(target), migrations, now=now)


def _opened(copy: Path) -> sqlite3.Connection:
    old = _connect(copy)
    old.text_factory = damaged_values.legible
    old.execute("PRAGMA writable_schema = ON")  # else one damaged row of the schema would hide all tables
    return old


def _connect(path: Path | str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _version(old: sqlite3.Connection) -> int:
    return int(old.execute("PRAGMA user_version").fetchone()[0])


def _migrations(old: sqlite3.Connection, now: datetime) -> tuple[Migration, ...]:
    """The migrations that have run on the store: as many as its header says, or fewer if its tables lack columns. The header
    may be damaged."""
    claimed = shipped()[: _version(old)]
    fewer = (claimed[:count] for count in range(len(claimed), 0, -1))
    return next((each for each in fewer if _fits_tables(each, old, now)), claimed)


def _fits_tables(migrations: tuple[Migration, ...], old: sqlite3.Connection, now: datetime) -> bool:
    """Whether each of their tables that the store has has all their columns."""
    with closing(_connect(":memory:")) as made:
        migrate(made, "", migrations, now=now)
        return all(
            {*_columns(made, table)} <= {*existing} for table in _tables(made) if (existing := _columns(old, table))
        )


def _saved(old: sqlite3.Connection, target: Path) -> Mapping[str, int]:
    with closing(_connect(target)) as new:
        new.execute("BEGIN")
        saved = {table: _save(old, new, table) for table in _tables(new)}
        new.execute("COMMIT")
    return saved


@contextmanager
def _legible_copy(damaged: Path, *, sound: Path) -> Iterator[Path]:
    """A copy of the damaged file with the header of a sound one, and its log beside it; removed when the block ends.

    If only the log is left, it is put beside a copy of the sound file, for the pages that it lacks.
    """
    with tempfile.TemporaryDirectory(dir=sound.parent) as folder:
        copy = Path(folder) / damaged.name
        is_there = damaged.exists() and damaged.stat().st_size
        shutil.copyfile(damaged if is_there else sound, copy)
        if (log := Path(f"{damaged}-wal")).exists():
            shutil.copyfile(log, f"{copy}-wal")
        with copy.open("r+b") as file:
            former = file.read(HEAD_BYTES)
            file.seek(0)
            head = _header_for(sound.read_bytes()[:HEAD_BYTES], former, copy.stat().st_size)
            file.write(head)
        if not _lists_tables(copy):
            relist(copy, _page_bytes(head))
        yield copy


def _lists_tables(copy: Path) -> bool:
    """Whether the first page, from the file or its log, still leads to the list of tables."""
    with closing(_opened(copy)) as old, suppress(sqlite3.DatabaseError):
        return bool(_columns(old, "memories"))
    return False


def _header_for(head: bytes, former: bytes, size: int) -> bytes:
    """The header `head` changed for a file of `size` bytes in WAL mode without free pages; the schema version is that of the
    `former` header, if there is such a version. https://www.sqlite.org/fileformat2.html, 1.3."""
    header = bytearray(head)
    if 1 <= int.from_bytes(former[60:64], "big") <= len(shipped()):
        header[60:64] = former[60:64]
    header[18:20] = b"\x02\x02"
    header[28:32] = (size // _page_bytes(head)).to_bytes(4, "big")
    header[32:40] = bytes(8)
    header[92:96] = header[24:28]
    return bytes(header)


def _page_bytes(head: bytes) -> int:
    return int.from_bytes(head[16:18], "big")


def _tables(new: sqlite3.Connection) -> list[str]:
    """The tables to save. Without `meta` and `histories`: the new file is a store of its own, so that no index takes it for the
    one it has followed, not even in a server that kept running."""
    names = new.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rootpage")
    return [name for (name,) in names if name not in ("meta", "histories") and not name.startswith("sqlite_")]


def _save(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> int:
    names = _columns(new, table)
    insert = f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for row in _rows(old, table, ", ".join(names), numbered=_is_numbered(new, table)):
        with suppress(sqlite3.IntegrityError):  # a torn row
            new.execute(insert, row)
    # Counted at the end: a page referenced twice has its rows twice.
    return int(new.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _columns(store: sqlite3.Connection, table: str) -> list[str]:
    return [column for (column,) in store.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _is_numbered(new: sqlite3.Connection, table: str) -> bool:
    """Whether the table has a rowid."""
    try:
        new.execute(f"SELECT rowid FROM {table} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    return True


def _rows(old: sqlite3.Connection, table: str, names: str, *, numbered: bool) -> Iterator[Row]:
    """The rows in the order of the table up to the first error, then one number at a time, skipping what cannot be read."""
    number = 0
    try:
        for key, *row in old.execute(f"SELECT {'rowid' if numbered else '0'}, {names} FROM {table}"):
            number = key
            yield row
    except sqlite3.DatabaseError:
        if numbered:
            yield from _rows_after(old, table, names, number)


def _rows_after(old: sqlite3.Connection, table: str, names: str, number: int) -> Iterator[Row]:
    unreadable, last = 0, _last(old, table) or number + LOOKED_AHEAD
    while unreadable < MOST_UNREADABLE and number < last:
        number += 1
        row = None
        with suppress(sqlite3.DatabaseError):
            row = old.execute(f"SELECT {names} FROM {table} WHERE rowid = ?", (number,)).fetchone()
        unreadable = 0 if row else unreadable + 1
        if row:
            yield row


def _last(old: sqlite3.Connection, table: str) -> int | None:
    """The highest number ever given to a row of the table, if it is known."""
    with suppress(sqlite3.DatabaseError):
        for (last,) in old.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)):
            return last if isinstance(last, int) else None
    return None
