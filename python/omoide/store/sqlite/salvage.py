"""A new database out of what can still be read of a damaged one.

Useful for: `omoide doctor --repair`, when SQLite finds pages that are not what they should be. Not useful for: rows that
contradict each other; see orphans.py, which is run afterwards. Invariant: the damaged file is only read.

The file's head, how long it says the file is, and where its list of tables is are made anew in a copy: with one of them wrong
SQLite would read nothing.
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
from omoide.store.sqlite import spoilt
from omoide.store.sqlite.first_page import HEAD_BYTES, relist

Row = Sequence[Any]

#: Rows of one table in a row that cannot be read before the rest of it is given up.
MOST_UNREADABLE = 20_000
#: How far to look where nothing tells how many rows there were.
LOOKED_AHEAD = 1_000


def salvage(damaged: Path, target: Path, *, now: datetime) -> Mapping[str, int]:
    """Make the store `target`, which must not exist, in a folder that takes a copy of the damaged file, too; rows saved by table.
    Raises sqlite3.DatabaseError when not even the list of tables can be read."""
    _make(target, shipped(), now)
    with _legible_copy(damaged, sound=target) as copy, closing(_opened(copy)) as old:
        # What an older omoide wrote is saved as that wrote it, and upgraded then: a table may have had other columns.
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
    old.text_factory = spoilt.legible
    old.execute("PRAGMA writable_schema = ON")  # else a table that is described wrongly would hide all others
    return old


def _connect(path: Path | str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _version(old: sqlite3.Connection) -> int:
    return int(old.execute("PRAGMA user_version").fetchone()[0])


def _migrations(old: sqlite3.Connection, now: datetime) -> tuple[Migration, ...]:
    """Those that the store has behind it: as many as its head says, unless its tables say otherwise. The head may be lost."""
    said = shipped()[: _version(old)]
    fewer = (said[:count] for count in range(len(said), 0, -1))
    return next((each for each in fewer if _may_have_made(each, old, now)), said)


def _may_have_made(migrations: tuple[Migration, ...], old: sqlite3.Connection, now: datetime) -> bool:
    """Whether what is there of their tables has all columns that they make."""
    with closing(_connect(":memory:")) as made:
        migrate(made, "", migrations, now=now)
        return all({*_columns(made, table)} <= {*there} for table in _tables(made) if (there := _columns(old, table)))


def _saved(old: sqlite3.Connection, target: Path) -> Mapping[str, int]:
    with closing(_connect(target)) as new:
        new.execute("BEGIN")
        saved = {table: _save(old, new, table) for table in _tables(new)}
        new.execute("COMMIT")
    return saved


@contextmanager
def _legible_copy(damaged: Path, *, sound: Path) -> Iterator[Path]:
    """The damaged file with the head of a sound one, and its log beside it; gone afterwards.

    Where only the log is left, it is read as that of a sound one: it lacks the pages that did not change.
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
            head = _head_for(sound.read_bytes()[:HEAD_BYTES], former, copy.stat().st_size)
            file.write(head)
        if not _lists_tables(copy):
            relist(copy, _page_bytes(head))
        yield copy


def _lists_tables(copy: Path) -> bool:
    """Whether the first page, or the log's, still leads to the list of tables."""
    with closing(_opened(copy)) as old, suppress(sqlite3.DatabaseError):
        return bool(_columns(old, "memories"))
    return False


def _head_for(head: bytes, former: bytes, size: int) -> bytes:
    """Of a file of that many bytes in WAL mode, without free pages; of the former head, the schema it names, if there is such
    a one. https://www.sqlite.org/fileformat2.html, 1.3."""
    made = bytearray(head)
    if 1 <= int.from_bytes(former[60:64], "big") <= len(shipped()):
        made[60:64] = former[60:64]
    made[18:20] = b"\x02\x02"
    made[28:32] = (size // _page_bytes(head)).to_bytes(4, "big")
    made[32:40] = bytes(8)
    made[92:96] = made[24:28]
    return bytes(made)


def _page_bytes(head: bytes) -> int:
    return int.from_bytes(head[16:18], "big")


def _tables(new: sqlite3.Connection) -> list[str]:
    """Without `meta` and `histories`: what is saved is a store of its own, which no index has followed before, not even that of
    a server that has gone on meanwhile."""
    names = new.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rootpage")
    return [name for (name,) in names if name not in ("meta", "histories") and not name.startswith("sqlite_")]


def _save(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> int:
    names = _columns(new, table)
    insert = f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for row in _rows(old, table, ", ".join(names), numbered=_is_numbered(new, table)):
        with suppress(sqlite3.IntegrityError):  # a torn row
            new.execute(insert, row)
    # Counted at the end: a page that stands in two places has its rows twice.
    return int(new.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _columns(store: sqlite3.Connection, table: str) -> list[str]:
    return [column for (column,) in store.execute("SELECT name FROM pragma_table_info(?)", (table,))]


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
    """The highest number that was ever given to a row of the table, where that is known."""
    with suppress(sqlite3.DatabaseError):
        for (last,) in old.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)):
            return last if isinstance(last, int) else None
    return None
