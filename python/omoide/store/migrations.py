"""Brings a database to today's schema: runs the numbered files of `schema/`, each once.

Useful for: opening a new, an older or a too new SQLite store. Not useful for: rewriting data that SQL cannot reach.
Invariant: `PRAGMA user_version` is the number of the last file run; a file and its number are committed together. Table
`meta` never changes its columns, so that even an older omoide can read which version wrote a store.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from omoide.errors import StoreError, StoreReadOnly, StoreTooNew
from omoide.installed import version_of

#: Marks a database file as an omoide store ("omoi").
APPLICATION_ID = 0x6F6D6F69
#: One statement, so that it sees one state: another process may be creating the store at this moment.
_WHOSE = """
    SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)
    FROM pragma_application_id, pragma_user_version
"""


class Migration(NamedTuple):
    """One file of the schema: `number` from 1, and its SQL."""

    number: int
    sql: str


@cache
def shipped() -> tuple[Migration, ...]:
    """The migrations of this version, in order; read once per process."""
    files = (Path(__file__).parent / "schema").glob("*.sql")
    found = (Migration(int(file.name[:4]), file.read_text("utf-8")) for file in files)
    return tuple(sorted(found, key=lambda migration: migration.number))


def migrate(connection: sqlite3.Connection, where: str, migrations: tuple[Migration, ...], *, now: datetime) -> None:
    """Run the missing migrations in one transaction; `where` names the database in errors.

    A new store gets its id. The connection must be in autocommit mode. Raises StoreTooNew, StoreError (a database of another
    program).
    """
    if is_current(connection, where, migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have been quicker.
        for migration in migrations[version(connection, where, migrations) :]:
            _run(connection, migration)
        _write_birth(connection, now)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def is_current(connection: sqlite3.Connection, where: str, migrations: tuple[Migration, ...]) -> bool:
    """Whether all migrations have run. Raises as `migrate` does."""
    return version(connection, where, migrations) == len(migrations)


def require_current(connection: sqlite3.Connection, where: str, migrations: tuple[Migration, ...]) -> None:
    """For a store that must not be written. Raises StoreReadOnly if it has to be upgraded, else as `begun` does."""
    if begun(connection, where, migrations) < len(migrations):
        raise StoreReadOnly(
            f"The store {where} was written by an older omoide and must be upgraded, but it is open for reading only.",
            hint="Open it once where it can be written, for example `omoide serve` on a writable copy.",
            also={
                "ja": "記憶の保存先は古い版の omoide が書いたもので、更新が必要ですが、書き込めません。"
                "書き込める場所にコピーして、一度開いてください（`omoide serve` など）。",
                "zh": "记忆的存储由较早版本的 omoide 写入，需要先更新，但不可写入。请复制到可写入的位置，打开一次（例如执行 `omoide serve`）。",
            },
        )


def require_not_outgrown(connection: sqlite3.Connection, where: str, migrations: tuple[Migration, ...]) -> None:
    """For a write of a process that has had the store open: a newer omoide may have upgraded it meanwhile and expects more of a
    row than this one writes. Raises StoreTooNew."""
    stands_at = connection.execute("PRAGMA user_version").fetchone()[0]
    if stands_at > len(migrations):
        raise StoreTooNew(
            f"{_writer(connection)} has upgraded the store {where} (to schema {stands_at}) while this process, omoide "
            f"{_this_version()} (schema {len(migrations)}), had it open; nothing was written.",
            hint="Start this process again, with the newer omoide.",
        )


def begun(connection: sqlite3.Connection, where: str, migrations: tuple[Migration, ...]) -> int:
    """The version of the database, which is more than 0. Raises StoreError if it is empty, else as `migrate` does."""
    if not (found := version(connection, where, migrations)):
        raise StoreError(
            f"{where} is empty, not an omoide store.",
            hint="Remove it if nothing was stored there (a disk that was full when it was made leaves it so), else restore the "
            "last backup.",
        )
    return found


def version(connection: sqlite3.Connection, where: str, migrations: tuple[Migration, ...]) -> int:
    """The number of the last migration that ran on the database. Raises as `migrate` does."""
    application, stands_at, objects = connection.execute(_WHOSE).fetchone()
    if application == APPLICATION_ID:
        if stands_at > len(migrations):
            raise _too_new(connection, where, stands_at, len(migrations))
        return int(stands_at)
    if objects:
        raise StoreError(
            f"{where} is a database of another program, not an omoide store.",
            hint="Name another place; that file was left as it is.",
        )
    return 0


def _run(connection: sqlite3.Connection, migration: Migration) -> None:
    for statement in _statements(migration.sql):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {migration.number}")
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('written_by', ?)", (_this_version(),))


def _write_birth(connection: sqlite3.Connection, now: datetime) -> None:
    birth = (("id", str(uuid4())), ("created", now.isoformat()))
    connection.executemany("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", birth)


def _statements(sql: str) -> Iterator[str]:
    """One statement at a time: sqlite3's executescript would commit the transaction it is called in."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _too_new(connection: sqlite3.Connection, where: str, stands_at: int, known: int) -> StoreTooNew:
    return StoreTooNew(
        f"The store {where} was written by {_writer(connection)} (schema {stands_at}); this is omoide {_this_version()} "
        f"(schema {known}).",
        hint="Upgrade omoide, or name another place for the store; this one was left as it is.",
    )


def _writer(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = 'written_by'").fetchone()
    return f"omoide {row[0]}" if row else "a later omoide"


def _this_version() -> str:
    return version_of("omoide") or "(unknown version)"
