"""The store in one SQLite file: `SqliteStore`; the file itself, of any version: `StoreFile`.

connections   opening, pooling, waiting for locks      memories, entities, relations, threads, reminders
faults        what SQLite's errors mean                    the protocol's reads and writes, a noun a file
session       one transaction from inside              transactions   those put together
values        columns and values of the model          store          the store itself
"""

from omoide.store.sqlite.file import StoreFile
from omoide.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "StoreFile"]
