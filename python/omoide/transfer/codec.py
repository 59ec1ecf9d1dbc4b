"""Encodes each noun as a JSON object, and decodes it.

Useful for: the fields of our export and of foreign rows. Not useful for: storing them (`load`).
Invariant: `decode(encode(value))` has every field of `value`; absent values are left out. Times are ISO 8601; a time
without an offset is in the zone of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime, timezone, tzinfo
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any, TypeVar, get_args

from omoide.errors import InvalidArgument, shown
from omoide.memory import written_times
from omoide.model.entity import EntityClass
from omoide.model.memory import Archetype, EventTime, Status
from omoide.model.relation import Ref
from omoide.model.reminder import ReminderStatus

N = TypeVar("N")

Row = Mapping[str, Any]
Decode = Callable[[Any, tzinfo], Any]

#: Types that are plain JSON values already.
_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})

#: One more than the largest whole number that can be stored.
_TOO_LARGE = 2**63


def encode(value: Any) -> Any:
    """The value as plain JSON. Fields of a noun that are None are left out, and so is its row number."""
    kind: Any = type(value)
    if kind in _AS_THEY_ARE:  # the usual case
        return value
    if (names := _names(kind)) is not None:
        return {name: encode(part) for name in names if (part := getattr(value, name)) is not None}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


@cache
def _names(noun: type[Any]) -> tuple[str, ...] | None:
    """The names of a noun's fields; None if the type is not a noun."""
    return tuple(each.name for each in fields(noun) if each.name != "number") if is_dataclass(noun) else None


def decode(row: Row, known: Mapping[str, Decode], zone: tzinfo) -> dict[str, Any]:
    """The known fields of `row` as values of the model; null counts as absent. Raises InvalidArgument naming the field."""
    return {
        name: _decoded(name, row[name], known[name], zone) for name in row if name in known and row[name] is not None
    }


def _decoded(name: str, value: Any, as_model: Decode, zone: tzinfo) -> Any:
    try:
        return as_model(value, zone)
    except ValueError as error:
        raise InvalidArgument(name, f"{name} is {shown(value)}: {error}.") from None


def _text(value: Any, _: tzinfo) -> str:
    if not isinstance(value, str):
        raise ValueError("a string is expected")
    return value


def _id(value: Any, zone: tzinfo) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value, zone)


def _texts(value: Any, zone: tzinfo) -> tuple[str, ...]:
    return tuple(_text(part, zone) for part in _values(value, zone))


def _values(value: Any, _: tzinfo) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError("a list is expected")
    return tuple(value)


def _object(value: Any, _: tzinfo) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("an object is expected")
    return value


def _number(value: Any, _: tzinfo) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise ValueError("a number is expected")
    if not isfinite(value):
        raise ValueError("it is no number that is kept there")
    return float(value)


def _whole(value: Any, _: tzinfo) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("a whole number is expected")
    if not -_TOO_LARGE <= value < _TOO_LARGE:
        raise ValueError("it does not fit 64 bits")
    return value


def _count(value: Any, zone: tzinfo) -> int:
    if _whole(value, zone) < 0:
        raise ValueError("it is less than 0")
    return int(value)


def _instant(value: Any, zone: tzinfo) -> datetime:
    if not isinstance(value, str):
        raise ValueError("an ISO 8601 time is expected")
    try:
        found = written_times.read(value)
    except ValueError:
        raise ValueError("an ISO 8601 time is expected, such as 2024-03-21 or 2024-03-21T09:30:00+09:00") from None
    aware = found if found.tzinfo else found.replace(tzinfo=zone)
    try:
        aware.astimezone(timezone.utc)
    except OverflowError:
        raise ValueError("it is outside the years 1 to 9999 of UTC") from None
    return aware


def _archetype(value: Any, zone: tzinfo) -> Archetype:
    return _made(Archetype, value, _ARCHETYPE, zone)


def _event_time(value: Any, zone: tzinfo) -> EventTime:
    return _made(EventTime, value, _EVENT_TIME, zone)


def _made(noun: Callable[..., N], value: Any, known: Mapping[str, Decode], zone: tzinfo) -> N:
    """A part of a noun with fields of its own."""
    given = _object(value, zone)
    if unknown := [name for name in given if name not in known]:
        raise ValueError(f"it has no field {shown(unknown[0])}; its fields are {', '.join(known)}")
    found = decode(given, known, zone)
    needed = [each.name for each in fields(noun) if each.default is MISSING]  # type: ignore[arg-type]
    if missing := [name for name in needed if name not in found]:
        raise ValueError(f"it has no {', '.join(missing)}")
    return noun(**found)


def _one_of(words: tuple[str, ...]) -> Decode:
    def word(value: Any, _: tzinfo) -> str:
        if value not in words:
            raise ValueError(f"one of {', '.join(words)} is expected")
        return str(value)

    return word


def _status(value: Any, zone: tzinfo) -> Status:
    return Status(_one_of(tuple(status.value for status in Status))(value, zone))


def _ref(value: Any, zone: tzinfo) -> Ref:
    given = _object(value, zone)
    if given.get("kind") not in ("memory", "entity"):
        raise ValueError("its kind is memory or entity")
    if given.get("id") is None:
        raise ValueError("it has no id")
    return Ref(given["kind"], _id(given["id"], zone))


def _table(**kinds: tuple[Decode, str]) -> dict[str, Decode]:
    return {name: decoder for decoder, names in kinds.values() for name in names.split()}


_ARCHETYPE = _table(text=(_text, "title version schema_version"))
_EVENT_TIME = _table(text=(_text, "raw"), times=(_instant, "start end"), numbers=(_number, "confidence"))

MEMORY = _table(
    ids=(_id, "id session_id preceding_id"),
    text=(
        _text,
        "text title context kind category topic scope thread thread_type thread_name project agent_id tool source "
        "superseded_by canonical_key links_source lang",
    ),
    texts=(_texts, "tags entities"),
    values=(_values, "links_refs"),
    place=(_whole, "sequence_order"),
    counts=(_count, "access_count"),
    numbers=(_number, "importance confidence"),
    objects=(_object, "parameters frames extra"),
    times=(_instant, "stored_at updated_at valid_from valid_until last_accessed_at"),
    archetype=(_archetype, "archetype"),
    event_time=(_event_time, "event_time"),
    status=(_status, "status"),
)
ENTITY = _table(
    text=(_text, "id name type description memory_id home"),
    entity_class=(_one_of(get_args(EntityClass)), "entity_class"),
    texts=(_texts, "aliases"),
    objects=(_object, "metadata"),
    counts=(_count, "access_count"),
    times=(_instant, "created_at updated_at"),
)
RELATION = _table(
    text=(_text, "id type memory_id home"),
    refs=(_ref, "source target"),
    numbers=(_number, "weight"),
    objects=(_object, "metadata"),
    times=(_instant, "created_at"),
)
THREAD = _table(text=(_text, "id name type home"), times=(_instant, "created_at updated_at"))
REMINDER = _table(
    text=(_text, "id trigger action scope"),
    status=(_one_of(get_args(ReminderStatus)), "status"),
    times=(_instant, "created_at expires_at fired_at"),
)
