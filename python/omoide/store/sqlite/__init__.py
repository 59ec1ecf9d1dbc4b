"""The store in one SQLite file: `SqliteStore`; the file itself, of any version: `StoreFile`.

store         the store itself
opening       opens one connection to the file         connections    the pool, which lends each to one transaction
lock_wait     waits for locks                          group_commit   lets writers of one process commit together
commit_watch  has anything been committed?             cache          caches memories until something is
session       runs SQL inside one transaction          transactions   the reads and writes of the protocol, from
memories, entities, relations, threads, reminders      one file for each noun
values        converts columns and model values        wide_rows      fetches rows of many columns at once
pinned        what a scope knows of the graph
faults        what SQLite's errors mean                file           the file as it stands, of any version
check         checks rows: their bits (checksum), their values (damaged_values), their references (orphans)
repair        repairs a store                          salvage        makes a new one from what can be read of a damaged
                                                       one, once its first_page has been rebuilt
"""

from omoide.store.sqlite.file import StoreFile
from omoide.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "StoreFile"]
