"""Does the row of a memory, an entity or a relation still say what was written?

A flipped bit may turn one letter into another: nothing about the file or the row is wrong then, but what it says. So each
row keeps a checksum of itself, which takes a twentieth of the time of a write.

Useful for: `omoide doctor`. Not useful for: mending; only a backup has what was written. Invariant: whatever this program
writes, and SQLite makes of it, agrees with its checksum.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import orjson

from omoide.store.sqlite.check import Check, note
from omoide.store.sqlite.spoilt import KINDS, spoilt_texts
from omoide.store.sqlite.values import MEMORY_COLUMNS

#: Written by what only reads a memory.
_COUNTERS = ("access_count", "last_accessed_at")
#: Table -> what is checked of its rows. SQLite's own index tells when an id is another, and a reference to a memory that is
#: not there is found by another check; when an entity was last named is written alone. A migration that adds a column to
#: these sets every checksum of the table to NULL: it was not made of that column.
CHECKED: Mapping[str, tuple[str, ...]] = {
    "memories": tuple(name for name in MEMORY_COLUMNS if name not in ("number", "id", *_COUNTERS)),
    "entities": tuple(
        "entity_class name name_folded type aliases description metadata access_count home created_at".split()
    ),
    "relations": tuple("source_kind source_id target_kind target_id type weight metadata home created_at".split()),
}
_VALUES = {table: itemgetter(*columns) for table, columns in CHECKED.items()}
_MEMORY_VALUES = itemgetter(*map(MEMORY_COLUMNS.index, CHECKED["memories"]))


def checksum(table: str, row: Mapping[str, Any]) -> int | None:
    """Of a row that is to be written; None for one that cannot be, as SQLite will say."""
    return _written(_VALUES[table](row))


def checksum_of_memory(row: Sequence[Any]) -> int | None:
    """Of one whose values stand in the order of MEMORY_COLUMNS."""
    return _written(_MEMORY_VALUES(row))


def _written(values: Iterable[Any]) -> int | None:
    try:
        return _checksum(*values)
    except orjson.JSONEncodeError:
        return None


def _checksum(*values: object) -> int:
    return zlib.crc32(orjson.dumps(values, default=repr))  # bytes, which SQL may find, are not what was written


def _check(table: str, columns: Iterable[str]) -> Check:
    found = f"row_checksum({', '.join(columns)})"
    # SQLite gives a function no text that is none; such a row is found by another check.
    where = f"CASE WHEN {spoilt_texts(table)} THEN 0 ELSE checksum <> {found} END"
    mended = note(KINDS[table], table, where), f"UPDATE {table} SET checksum = {found} WHERE {where}"
    return Check(f"{table} that do not say what was written", table, where, mended, names="id")


#: What the checks need in SQL: name -> (how many arguments, function); -1: any.
FUNCTIONS: Mapping[str, tuple[int, Callable[..., int]]] = {"row_checksum": (-1, _checksum)}
CHECKS = tuple(_check(table, columns) for table, columns in CHECKED.items())
