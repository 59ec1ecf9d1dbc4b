"""Does a memory's row still say what was written?

A flipped bit may turn one letter into another: nothing about the file or the row is wrong then, but what it says. So each
row keeps a checksum of itself, which takes a twentieth of the time of a write.

Useful for: `omoide doctor`. Not useful for: mending; only a backup has what was written. Invariant: whatever this program
writes, and SQLite makes of it, agrees with its checksum.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

import orjson

from omoide.store.sqlite.check import Check, note
from omoide.store.sqlite.spoilt import spoilt_texts
from omoide.store.sqlite.values import MEMORY_COLUMNS

#: Reading counts accesses and writes nothing else; SQLite's own index tells when an id is another. A migration that adds
#: a column to the others sets every checksum to NULL: it was not made of that column.
_APART = ("number", "id", "access_count", "last_accessed_at")
CHECKED = tuple(name for name in MEMORY_COLUMNS if name not in _APART)
_values = itemgetter(*CHECKED)


def checksum(row: Mapping[str, Any]) -> int | None:
    """Of a row that is to be written; None for one that cannot be, as SQLite will say."""
    try:
        return _checksum(*_values(row))
    except orjson.JSONEncodeError:
        return None


def _checksum(*values: object) -> int:
    return zlib.crc32(orjson.dumps(values, default=repr))  # bytes, which SQL may find, are not what was written


_FOUND = f"row_checksum({', '.join(CHECKED)})"
# SQLite gives a function no text that is none; such a row is found by another check.
_WHERE = f"CASE WHEN {spoilt_texts('memories')} THEN 0 ELSE checksum <> {_FOUND} END"
#: What the check needs in SQL: name -> (how many arguments, function).
FUNCTIONS: Mapping[str, tuple[int, Callable[..., int]]] = {"row_checksum": (len(CHECKED), _checksum)}
CHECKS = (
    Check(
        "memories that do not say what was written",
        "memories",
        _WHERE,
        (note("memory", "memories", _WHERE), f"UPDATE memories SET checksum = {_FOUND} WHERE {_WHERE}"),
        names="id",
    ),
)
