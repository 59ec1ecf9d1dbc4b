"""Checksums of the rows of memories, entities and relations: does a row still hold what was written?

A flipped bit may turn one letter into another; neither SQLite nor the other checks of a row can see that. So each row has a
checksum of itself, which costs a twentieth of the time of a write.

Useful for: `omoide doctor`. Not useful for: restoring the values; only a backup has them. Invariant: a row as SQLite returns it
agrees with the checksum that was written with it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import orjson

from omoide.store.sqlite.check import Check, note
from omoide.store.sqlite.damaged_values import KINDS, spoilt_texts
from omoide.store.sqlite.values import MEMORY_COLUMNS

#: Written when a memory is only read.
_COUNTERS = ("access_count", "last_accessed_at")
#: Table -> the columns that are checked. Left out: ids, which SQLite's own index checks; `memory_id`, as another check finds
#: references to missing memories; `updated_at` of entities, which `touch_entity` writes alone. A migration that adds a column
#: here must set every checksum of the table to NULL, as none includes that column.
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
    """The checksum of a row to be written; None if it cannot be encoded: SQLite will refuse it, too."""
    return _checksum_maybe(_VALUES[table](row))


def checksum_of_memory(row: Sequence[Any]) -> int | None:
    """The checksum of a row in the order of MEMORY_COLUMNS."""
    return _checksum_maybe(_MEMORY_VALUES(row))


def _checksum_maybe(values: Iterable[Any]) -> int | None:
    try:
        return _checksum(*values)
    except orjson.JSONEncodeError:
        return None


def _checksum(*values: object) -> int:
    return zlib.crc32(orjson.dumps(values, default=repr))  # `repr` for bytes, which SQL may find but are never written


def _check(table: str, columns: Iterable[str]) -> Check:
    found = f"row_checksum({', '.join(columns)})"
    # SQLite cannot pass invalid UTF-8 to a function; another check finds such rows.
    where = f"CASE WHEN {spoilt_texts(table)} THEN 0 ELSE checksum <> {found} END"
    mended = note(KINDS[table], table, where), f"UPDATE {table} SET checksum = {found} WHERE {where}"
    return Check(f"{table} that do not say what was written", table, where, mended, names="id")


#: SQL functions that the checks need: name -> (number of arguments, function); -1: any number.
FUNCTIONS: Mapping[str, tuple[int, Callable[..., int]]] = {"row_checksum": (-1, _checksum)}
CHECKS = tuple(_check(table, columns) for table, columns in CHECKED.items())
