"""Parses a row of a file: a memory, an entity, a relation, a thread, a reminder, or triples extracted from a memory.

Rows of our own export have `"omoide": "<noun>"`. A row without it is triples if it has a `doc`, else a memory if it has a
`text`; with both, it is triples only if it has a list of them, as other programs keep a file's name in `doc`. Null counts as
absent. A foreign memory may have `timestamp` for `stored_at` and `session` for `session_id`; unknown fields are kept in `extra`, and so is the
alias where a row has both names. Unknown fields of triples and of our own rows are problems: nothing keeps them.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from omoide.errors import InvalidArgument, shown
from omoide.model.entity import MAX_NAME_CHARS
from omoide.model.memory import DEFAULT_SCOPE
from omoide.transfer.codec import ENTITY, MEMORY, RELATION, REMINDER, THREAD, Decode, Row, decode
from omoide.transfer.reasons import row_error

FORMAT = 1
#: The key that marks a row of our own export.
MARK = "omoide"
_NAMESPACE = uuid.UUID("5f0c5f0e-6f6d-4f69-8d65-6d6f72696573")
_ALIASES = {"timestamp": "stored_at", "session": "session_id"}
_TRIPLES = ("doc", "entities", "triples")
_IMPORTED = {**MEMORY, **{alias: MEMORY[name] for alias, name in _ALIASES.items()}}


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """Fields of a memory, including `id`. `is_complete`: these are all fields; else a stored memory keeps its others.
    `names_scope`: the scope is the row's own, not that of the import; `names_id`: likewise, the id was not made for the row.
    `problems`: what was left out."""

    given: Mapping[str, Any]
    is_complete: bool = False
    names_scope: bool = True
    names_id: bool = True
    problems: tuple[InvalidArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class Triples:
    """Names and (subject, predicate, object) extracted from the memory `doc`; `problems`: what was left out."""

    doc: str
    names: tuple[str, ...]
    relations: tuple[tuple[str, str, str], ...]
    problems: tuple[InvalidArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """Every field of an entity, relation, thread or reminder of our own export; `problems`: what was left out."""

    noun: str
    given: Mapping[str, Any]
    problems: tuple[InvalidArgument, ...] = ()


#: Names that other programs have for the text.
_TEXT_ALIASES = ("content", "memory", "message", "body", "document")

Item = MemoryRow | Triples | Record

#: (all fields, required fields) by noun.
_RECORDS: Mapping[str, tuple[Mapping[str, Decode], str]] = {
    "entity": (ENTITY, "id entity_class name type created_at updated_at"),
    "relation": (RELATION, "id source target type created_at"),
    "thread": (THREAD, "id name type created_at updated_at"),
    "reminder": (REMINDER, "id trigger action scope created_at"),
}


def stable_id(*parts: str) -> str:
    """The same id for the same parts, on every machine."""
    return str(uuid.uuid5(_NAMESPACE, "\0".join(parts)))


def parse(row: Row, *, zone: tzinfo, scope: str = DEFAULT_SCOPE) -> Item | None:
    """The item in `row`; None for the header of an export. `scope` is for memories that name none.

    Raises InvalidArgument.
    """
    if row.get(MARK) is not None:
        return _exported(row, zone)
    if row.get("doc") is not None and (row.get("text") is None or any(row.get(name) for name in _TRIPLES[1:])):
        return _triples(row)
    alias = next((name for name in _TEXT_ALIASES if isinstance(row.get(name), str)), None)
    if row.get("text") is not None or ("text" in row and alias is None):
        return _imported(row, zone, scope)
    raise row_error("row", "text_elsewhere" if alias else "neither", name=alias)


def _exported(row: Row, zone: tzinfo) -> Item | None:
    noun = row[MARK]
    if noun == "export":
        _check_header(row)
        return None
    if noun == "memory":
        given = decode(row, MEMORY, zone)
        _require(given, ("id", "text"))
        return MemoryRow(given, is_complete=True, problems=_unknown(row, MEMORY, noun))
    if not isinstance(noun, str) or noun not in _RECORDS:
        raise row_error(MARK, "noun", value=shown(noun))
    known, required = _RECORDS[noun]
    given = decode(row, known, zone)
    _require(given, required.split())
    return Record(noun, given, _unknown(row, known, noun))


def _check_header(row: Row) -> None:
    if row.get("format") != FORMAT:
        raise row_error("format", "format", found=shown(row.get("format")), known=FORMAT)


def _imported(row: Row, zone: tzinfo, scope: str) -> MemoryRow:
    decoded = decode(row, _IMPORTED, zone)
    doubled = {alias for alias, name in _ALIASES.items() if alias in decoded and name in decoded}
    given = {_ALIASES.get(name, name): value for name, value in decoded.items() if name not in doubled}
    unknown = {name: value for name, value in row.items() if name not in _IMPORTED or name in doubled}
    if unknown:
        given["extra"] = {**given.get("extra", {}), **unknown}
    if not (names_scope := bool(given.get("scope", "").strip())):  # nobody could ask for a blank scope
        given["scope"] = scope
    if not (names_id := "id" in given):
        # Without an id, scope, time and text identify the row.
        time = row.get("timestamp", "")
        if not time and row.get("stored_at") is not None:
            time = row["stored_at"]
        given["id"] = stable_id(given["scope"], str(time), given.get("text", ""))
    return MemoryRow(given, names_scope=names_scope, names_id=names_id)


def _triples(row: Row) -> Triples:
    listed, triples = _list(row, "entities"), _list(row, "triples")
    names = [name for name in listed if _is_name(name)]
    relations = [tuple(triple) for triple in triples if _is_triple(triple)]
    ends = [end for subject, _, object_ in relations for end in (subject, object_)]
    problems = [_left_out("entities", "no_name", name) for name in listed if not _is_name(name)]
    problems += [_left_out("triples", "no_triple", each) for each in triples if not _is_triple(each)]
    problems += _unknown(row, _TRIPLES, "triples")
    return Triples(str(row["doc"]), tuple(dict.fromkeys([*names, *ends])), tuple(relations), tuple(problems))


def _unknown(row: Row, known: Collection[str], noun: str) -> tuple[InvalidArgument, ...]:
    """An error for each field of the row that its noun does not have."""
    names = [name for name, value in row.items() if name not in known and name != MARK and value is not None]
    return tuple(
        row_error(name, "unknown_field", noun=noun, name=shown(name), known=", ".join(known)) for name in names
    )


def _left_out(field: str, reason: str, value: object) -> InvalidArgument:
    return row_error(field, reason, value=shown(value), most=MAX_NAME_CHARS)


def _list(row: Row, name: str) -> list[Any]:
    value = row.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise row_error(name, "not_list", name=name)
    return value


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= MAX_NAME_CHARS


def _is_triple(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_is_name, value))


def _require(given: Mapping[str, Any], names: tuple[str, ...] | list[str]) -> None:
    missing = [name for name in names if name not in given]
    if missing:
        raise row_error(missing[0], "lacking", where=", ".join(missing))
