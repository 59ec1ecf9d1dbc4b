"""Checks for values that their column cannot hold, as flipped bits leave them, and how each is mended.

SQLite checks the structure of a file, not the values: a text may be invalid UTF-8, a time outside every calendar, JSON cut
off. One such value would keep the whole row from being read.

Useful for: `omoide doctor`. Not useful for: damaged pages (salvage.py). Invariant: mending keeps every row, and of a damaged
text all but the invalid bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, TypeVar, get_args

from omoide.errors import half_in
from omoide.model.entity import EntityClass
from omoide.model.memory import Status
from omoide.model.reminder import ReminderStatus
from omoide.store.sqlite.check import Check, note
from omoide.store.sqlite.session import TABLES
from omoide.store.sqlite.values import LARGEST, micros

V = TypeVar("V")

TEXTS = {
    "memories": "id text title context kind category tags topic scope thread thread_type thread_name project session_id "
    "preceding_id agent_id tool archetype_title archetype_version schema_version source event_raw status superseded_by "
    "canonical_key links_source links_refs parameters frames extra lang",
    "entities": "id entity_class name name_folded type aliases description memory_id metadata home",
    "entity_names": "name_folded",
    "relations": "id source_kind source_id target_kind target_id type metadata memory_id home",
    "threads": "id name type home",
    "reminders": "id trigger action scope status",
    "histories": "id",
}
#: Column -> (kind of JSON, see `reads_as`; the empty value).
JSON = {
    "memories": {"tags": ("texts", "[]"), "links_refs": ("list", "[]")}
    | dict.fromkeys(("parameters", "frames", "extra"), ("dict", "{}")),
    "entities": {"aliases": ("texts", "[]"), "metadata": ("dict", "{}")},
    "relations": {"metadata": ("dict", "{}")},
}
#: Column -> the replacement for an invalid time: NULL, or if the column needs one, the start of 1970.
TIMES = {
    "memories": {"stored_at": "0", "updated_at": "0"}
    | dict.fromkeys(("event_start", "event_end", "valid_from", "valid_until", "last_accessed_at"), "NULL"),
    "entities": {"created_at": "0", "updated_at": "0"},
    "relations": {"created_at": "0"},
    "threads": {"created_at": "0", "updated_at": "0"},
    "reminders": {"created_at": "0", "expires_at": "NULL", "fired_at": "NULL"},
}
#: (description, SQL condition): the index accepts no other values.
_NUMBER = ("number", "typeof({0}) IN ('real', 'integer') AND abs({0}) < 9e999")
_SHARE = ("number from 0 to 1", "typeof({0}) IN ('real', 'integer') AND {0} BETWEEN 0 AND 1")
_WHOLE = ("whole number", "typeof({0}) = 'integer'")
_COUNT = ("whole number", f"typeof({{0}}) = 'integer' AND {{0}} BETWEEN 0 AND {LARGEST}")
#: Column -> (one of these, the replacement for other values).
NUMBERS = {
    "memories": {"importance": (_SHARE, "0.5"), "confidence": (_SHARE, "0.5"), "event_confidence": (_NUMBER, "0.5")}
    | {"access_count": (_COUNT, "0"), "sequence_order": (_WHOLE, "NULL")},
    "entities": {"access_count": (_COUNT, "1")},
    "relations": {"weight": (_NUMBER, "1.0")},
}
#: Column -> (allowed values, the replacement for others).
WORDS = {
    "memories": {"status": (tuple(each.value for each in Status), "active")},
    "entities": {"entity_class": (get_args(EntityClass), "entity")},
    # Better fired twice than never.
    "reminders": {"status": (get_args(ReminderStatus), "pending")},
}

#: Higher numbers of rows and changes count as damaged: new ones need room after them.
_MOST = LARGEST // 2
#: The last number that SQLite has given, if damaged. With 0, it looks at the rows; with the largest, it could insert no more.
_NO_LAST = f"typeof(seq) <> 'integer' OR seq NOT BETWEEN 0 AND {_MOST}"

_FIRST = micros("time", datetime.min.replace(tzinfo=timezone.utc))
_LAST = micros("time", datetime.max.replace(tzinfo=timezone.utc))
#: Table -> the `kind` of its rows in `changes`.
KINDS = {table: kind for kind, table in TABLES.items()}


def legible(raw: bytes | None) -> str | None:
    """The text, with U+FFFD for invalid UTF-8."""
    return None if raw is None else raw.decode("utf-8", "replace")


def is_legible(raw: bytes) -> bool:
    """Whether it is valid UTF-8."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def reads_as(raw: bytes | None, kind: str) -> bool:
    """Whether it is JSON of a `list`, a `dict`, or `texts` (a list of strings only), without lone surrogates."""
    try:
        value = _read(raw)
        found = _of_kind(value, kind)
    except (ValueError, RecursionError):
        return False
    return found is not None and found == value and half_in(value) is None


def read_as(raw: bytes | None, kind: str) -> str | None:
    """JSON of what can be read as that kind; None if nothing can."""
    try:
        value = _of_kind(_read(raw), kind)
    except (ValueError, RecursionError):
        return None
    return None if value is None else json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _read(raw: bytes | None) -> Any:
    return json.loads((raw or b"").decode("utf-8", "replace"))


def _of_kind(value: Any, kind: str) -> Any:
    if kind == "texts":
        return [each for each in value if isinstance(each, str)] if isinstance(value, list) else None
    return value if type(value).__name__ == kind else None


#: SQL functions that the checks need: name -> (number of arguments, function).
FUNCTIONS: Mapping[str, tuple[int, Callable[..., str | bool | None]]] = {
    "legible": (1, legible),
    "is_legible": (1, is_legible),
    "reads_as": (2, reads_as),
    "read_as": (2, read_as),
}


def spoilt_texts(table: str) -> str:
    """An SQL condition: the row has a text that is invalid UTF-8, or no text."""
    columns = TEXTS[table].split()
    # The bar keeps the end of one text and the beginning of the next from forming a character.
    together = " || '|' || ".join(f"coalesce({column}, '')" for column in columns)
    where = f"NOT is_legible(CAST({together} AS BLOB))"
    return where + "".join(f" OR typeof({column}) NOT IN ('text', 'null')" for column in columns)


def _texts(table: str) -> Check:
    mended = ", ".join(f"{column} = legible(CAST({column} AS BLOB))" for column in TEXTS[table].split())
    return _check(f"{table} with a text that is none", table, spoilt_texts(table), mended)


def _check(says: str, table: str, where: str, mended: str) -> Check:
    noted = (note(KINDS[table], table, where),) if table in KINDS else ()
    return Check(says, table, where, (*noted, f"UPDATE OR IGNORE {table} SET {mended} WHERE {where}"))


def _json() -> Iterator[Check]:
    for table, column, (kind, empty) in _each(JSON):
        where = f"{column} <> '{empty}' AND NOT reads_as(CAST({column} AS BLOB), '{kind}')"
        mended = f"{column} = coalesce(read_as(CAST({column} AS BLOB), '{kind}'), '{empty}')"
        yield _check(f"{table} whose {column} cannot be read", table, where, mended)


def _times() -> Iterator[Check]:
    for table, column, instead in _each(TIMES):
        where = f"{column} IS NOT NULL AND (typeof({column}) <> 'integer' OR {column} NOT BETWEEN {_FIRST} AND {_LAST})"
        yield _check(f"{table} whose {column} is no time", table, where, f"{column} = {instead}")


def _numbers() -> Iterator[Check]:
    for table, column, ((called, is_one), instead) in _each(NUMBERS):
        where = f"{column} IS NOT NULL AND NOT ({is_one.format(column)})"
        yield _check(f"{table} whose {column} is no {called}", table, where, f"{column} = {instead}")


def _words() -> Iterator[Check]:
    for table, column, (known, instead) in _each(WORDS):
        where = f"{column} NOT IN {known}"
        yield _check(f"{table} of an unknown {column}", table, where, f"{column} = '{instead}'")


def _useless(says: str, table: str, where: str) -> Check:
    return Check(f"{table} {says}", table, where, (f"DELETE FROM {table} WHERE {where}",))


def _each(tables: Mapping[str, Mapping[str, V]]) -> Iterator[tuple[str, str, V]]:
    for table, columns in tables.items():
        for column, about in columns.items():
            yield table, column, about


def _numbered(table: str) -> Check:
    """Rows whose number is out of range get new numbers after the others. References to them are checked afterwards."""
    where = f"number NOT BETWEEN 1 AND {_MOST}"
    mend = (
        "PRAGMA defer_foreign_keys = ON",
        "CREATE TEMP TABLE renumbered (number INTEGER PRIMARY KEY, former INTEGER UNIQUE)",
        f"INSERT INTO renumbered SELECT coalesce(max(number), 0), NULL FROM {table} WHERE NOT ({where})",
        f"INSERT INTO renumbered (former) SELECT number FROM {table} WHERE {where}",
        f"UPDATE {table} SET number = (SELECT r.number FROM renumbered AS r WHERE former = {table}.number) WHERE {where}",
        "DROP TABLE renumbered",
    )
    return Check(f"{table} without a number", table, where, mend)


CHECKS = (
    # `changes` comes first: the other checks note in it what they mend.
    _useless("of unknown kinds", "changes", "kind NOT IN ('memory', 'entity', 'relation')"),
    _useless(
        "of no row",
        "changes",
        f"typeof(number) <> 'integer' OR number NOT BETWEEN 1 AND {_MOST} OR seq NOT BETWEEN 1 AND {_MOST}",
    ),
    Check(
        "tables whose last number is none",
        "sqlite_sequence",
        _NO_LAST,
        (f"UPDATE sqlite_sequence SET seq = 0 WHERE {_NO_LAST}",),
    ),
    *map(_numbered, KINDS),
    *map(_texts, TEXTS),
    *_json(),
    *_times(),
    *_numbers(),
    *_words(),
    _useless(
        "of unknown kinds",
        "relations",
        "source_kind NOT IN ('memory', 'entity') OR target_kind NOT IN ('memory', 'entity')",
    ),
)
