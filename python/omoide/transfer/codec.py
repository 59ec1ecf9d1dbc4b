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

from omoide.errors import filled, shown
from omoide.memory import written_times
from omoide.model.entity import EntityClass
from omoide.model.memory import Archetype, EventTime, Status
from omoide.model.relation import Ref
from omoide.model.reminder import ReminderStatus
from omoide.transfer.reasons import row_error

N = TypeVar("N")

Row = Mapping[str, Any]
Decode = Callable[[Any, tzinfo], Any]

#: Types that are plain JSON values already.
_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})

#: One more than the largest whole number that can be stored.
_TOO_LARGE = 2**63

#: What is wrong with a value, after its field and itself.
_UNFIT: Mapping[str, Mapping[str, str]] = {
    "string": {"en": "a string is expected", "ja": "文字列にしてください", "zh": "应为字符串"},
    "list": {"en": "a list is expected", "ja": "配列にしてください", "zh": "应为数组"},
    "object": {"en": "an object is expected", "ja": "オブジェクトにしてください", "zh": "应为对象"},
    "number": {"en": "a number is expected", "ja": "数値にしてください", "zh": "应为数字"},
    "whole": {"en": "a whole number is expected", "ja": "整数にしてください", "zh": "应为整数"},
    "not_kept": {"en": "it is no number that is kept there", "ja": "保存できない数です", "zh": "这个数字无法保存"},
    "too_large": {"en": "it does not fit 64 bits", "ja": "64 ビットに収まりません", "zh": "超过 64 位"},
    "negative": {"en": "it is less than 0", "ja": "0 以上にしてください", "zh": "不能小于 0"},
    "time": {
        "en": "an ISO 8601 time is expected, such as 2024-03-21 or 2024-03-21T09:30:00+09:00",
        "ja": "ISO 8601 の時刻（2024-03-21、2024-03-21T09:30:00+09:00 など）にしてください",
        "zh": "应为 ISO 8601 时间，例如 2024-03-21 或 2024-03-21T09:30:00+09:00",
    },
    "year": {
        "en": "it is outside the years 1 to 9999 of UTC",
        "ja": "UTC で 1 年から 9999 年までの時刻にしてください",
        "zh": "应在 UTC 1 年至 9999 年之间",
    },
    "field": {
        "en": "it has no field {field}; its fields are {known}",
        "ja": "{field} は使えません。使えるもの：{known}",
        "zh": "没有字段“{field}”，可用的有：{known}",
    },
    "lacking": {"en": "it has no {names}", "ja": "{names} が必要です", "zh": "缺少 {names}"},
    "one_of": {
        "en": "one of {known} is expected",
        "ja": "次のどれかにしてください：{known}",
        "zh": "只能是以下之一：{known}",
    },
    "kind": {
        "en": "its kind is memory or entity",
        "ja": "kind は memory か entity にしてください",
        "zh": "其 kind 只能是 memory 或 entity",
    },
}


class _Unfit(Exception):
    """A value that its field cannot have: one of _UNFIT, with its values."""

    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(reason)
        self.why = filled(_UNFIT[reason], **values)


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
    except _Unfit as error:
        raise row_error(name, "value", name=name, value=shown(value), why=error.why) from None


def _text(value: Any, _: tzinfo) -> str:
    if not isinstance(value, str):
        raise _Unfit("string")
    return value


def _id(value: Any, zone: tzinfo) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value, zone)


def _texts(value: Any, zone: tzinfo) -> tuple[str, ...]:
    return tuple(_text(part, zone) for part in _values(value, zone))


def _values(value: Any, _: tzinfo) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _Unfit("list")
    return tuple(value)


def _object(value: Any, _: tzinfo) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Unfit("object")
    return value


def _number(value: Any, _: tzinfo) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _Unfit("number")
    try:
        number = float(value)
    except OverflowError:  # of more than 308 digits
        raise _Unfit("not_kept") from None
    if not isfinite(number):
        raise _Unfit("not_kept")
    return number


def _whole(value: Any, _: tzinfo) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Unfit("whole")
    if not -_TOO_LARGE <= value < _TOO_LARGE:
        raise _Unfit("too_large")
    return value


def _count(value: Any, zone: tzinfo) -> int:
    if _whole(value, zone) < 0:
        raise _Unfit("negative")
    return int(value)


def _instant(value: Any, zone: tzinfo) -> datetime:
    try:
        found = written_times.read(_text(value, zone))
    except (ValueError, _Unfit):
        raise _Unfit("time") from None
    try:
        # In UTC, as it is read from the store: a time in the hour when clocks are put back equals no time of another zone.
        return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(timezone.utc)
    except OverflowError:
        raise _Unfit("year") from None


def _archetype(value: Any, zone: tzinfo) -> Archetype:
    return _made(Archetype, value, _ARCHETYPE, zone)


def _event_time(value: Any, zone: tzinfo) -> EventTime:
    return _made(EventTime, value, _EVENT_TIME, zone)


def _made(noun: Callable[..., N], value: Any, known: Mapping[str, Decode], zone: tzinfo) -> N:
    """A part of a noun with fields of its own."""
    given = _object(value, zone)
    if unknown := [name for name in given if name not in known]:
        raise _Unfit("field", field=shown(unknown[0]), known=", ".join(known))
    found = decode(given, known, zone)
    needed = [each.name for each in fields(noun) if each.default is MISSING]  # type: ignore[arg-type]
    if missing := [name for name in needed if name not in found]:
        raise _Unfit("lacking", names=", ".join(missing))
    return noun(**found)


def _one_of(words: tuple[str, ...]) -> Decode:
    def word(value: Any, _: tzinfo) -> str:
        if value not in words:
            raise _Unfit("one_of", known=", ".join(words))
        return str(value)

    return word


def _status(value: Any, zone: tzinfo) -> Status:
    return Status(_one_of(tuple(status.value for status in Status))(value, zone))


def _ref(value: Any, zone: tzinfo) -> Ref:
    given = _object(value, zone)
    if given.get("kind") not in ("memory", "entity"):
        raise _Unfit("kind")
    if given.get("id") is None:
        raise _Unfit("lacking", names="id")
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
