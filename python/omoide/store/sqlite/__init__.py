"""The store in one SQLite file: `SqliteStore`; the file itself, of any version: `StoreFile`.

store         the store itself
opening       opens the file, for one connection       connections    lends them, each to one transaction at a time
patience      waiting for locks                        group          lets writers of one process commit together
watch         has another process committed?           kept           caches memories until one does
session       one transaction, from inside             transactions   its reads and writes, put together of
memories, entities, relations, threads, reminders      one file for each noun
values        between columns and the model            wide           fetches rows of many columns at once
known         what a scope knows of the graph
faults        what SQLite's errors mean                file           the file as it stands, of any version
check         checks rows: their bits (checksum, spoilt), and what refers to what (orphans)
repair        repairs a store                          salvage        makes a new one of what can be read of a damaged
                                                       one, once its first_page has been mended
"""

from omoide.store.sqlite.file import StoreFile
from omoide.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "StoreFile"]
