"""The store in one SQLite file: `SqliteStore`; the file itself, of any version: `StoreFile`.

opening       one connection, and its file             memories, entities, relations, threads, reminders
connections   lent to one transaction at a time            the protocol's reads and writes, a noun a file
patience      waiting for locks                        faults         what SQLite's errors mean
session       one transaction from inside              transactions   those put together
values        columns and values of the model          store          the store itself
"""

from omoide.store.sqlite.file import StoreFile
from omoide.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "StoreFile"]
