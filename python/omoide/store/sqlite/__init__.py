"""The store in one SQLite file: `SqliteStore`; the file itself, of any version: `StoreFile`.

store         the store itself
opening       one connection, and its file             connections    lent to one transaction at a time
patience      waiting for locks                        group          writers of one process that commit together
watch         whether anybody has committed            kept           memories read lately, until then
session       one transaction from inside              transactions   the reads and writes put together:
memories, entities, relations, threads, reminders      the protocol's, a noun a file
values        columns and values of the model          wide           rows of many columns, had at once
known         what a scope knows of the graph
faults        what SQLite's errors mean                file           the file as it stands, of any version
check         what a check of rows is: of their bits (checksum, spoilt), of what refers to what (orphans)
repair        a store made sound again                 salvage        out of what can be read of a damaged one,
                                                       once its first_page is there
"""

from omoide.store.sqlite.file import StoreFile
from omoide.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "StoreFile"]
