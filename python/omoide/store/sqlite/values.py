"""Converts values of the model to columns of SQLite, and back: times, JSON, rows of `memories`.

Times are INTEGER microseconds since 1970-01-01 UTC, whatever zone they had. JSON is text with non-ASCII characters as they
are. Invariant: `memory_from(memory_row(draft, ...))` equals what a later read returns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from operator import attrgetter
from typing import Any

import orjson

from omoide.errors import InvalidArgument, damaged, needed, too_long
from omoide.model.frozen import writable
from omoide.model.memory import MAX_ID_CHARS, Archetype, Draft, EventTime, Memory, Status
from omoide.store.sqlite.faults import UNREADABLE

#: The largest row number that fits into a key of the index.
LARGEST = 2**62

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=timezone.utc)
_LAST = datetime.max.replace(tzinfo=timezone.utc)

# --- times ------------------------------------------------------------------------------------------------------------


def micros(argument: str, moment: datetime) -> int:
    """An aware datetime as microseconds. Raises InvalidArgument (no zone, outside the years 1 to 9999 in UTC)."""
    if moment.utcoffset() is None:
        raise InvalidArgument(
            argument, f"{argument}: {moment.isoformat()} has no time zone.", hint="Add one, as in +09:00."
        )
    if not _FIRST <= moment <= _LAST:
        raise InvalidArgument(argument, f"{argument}: {moment.isoformat()} is outside the years 1 to 9999 of UTC.")
    return (moment - _EPOCH) // _MICROSECOND


def micros_maybe(argument: str, moment: datetime | None) -> int | None:
    """Like `micros`; None stays None."""
    return None if moment is None else micros(argument, moment)


def moment(micros: int) -> datetime:
    """Microseconds as an aware UTC datetime."""
    return _EPOCH + micros * _MICROSECOND


def moment_maybe(micros: int | None) -> datetime | None:
    """Like `moment`; None stays None."""
    return None if micros is None else _EPOCH + micros * _MICROSECOND


# --- JSON -------------------------------------------------------------------------------------------------------------


def json_text(argument: str, value: Mapping[str, Any] | Iterable[Any]) -> str:
    """JSON for a mapping or a sequence. Raises InvalidArgument for what JSON cannot hold."""
    plain = dict(value) if isinstance(value, Mapping) else list(value)
    if not plain:
        return "{}" if isinstance(plain, dict) else "[]"
    try:
        quick = orjson.dumps(plain, default=_plain, option=_AS_JSON_DOES)
        return _JSON.encode(plain) if _NO_NUMBER in quick else quick.decode()
    except (TypeError, ValueError, RecursionError):
        return _by_the_book(argument, plain)


def _by_the_book(argument: str, plain: object) -> str:
    """The standard library encodes what orjson refuses: keys that are numbers, long integers."""
    try:
        return _JSON.encode(plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(argument, f"{argument} cannot be written as JSON: {error}.") from error


def _plain(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)
_AS_JSON_DOES = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
#: orjson writes null for infinity, too, which the standard library preserves.
_NO_NUMBER = b"null"
#: orjson reads longer integers as floats. Written with the first digit apart: ten times as fast as \d{19}.
_LONG_NUMBER = re.compile(r"[0-9][0-9]{18}")


def mapping(text: str) -> dict[str, Any]:
    """The mapping that a JSON object holds."""
    return {} if text == "{}" else dict(_read(text))


def sequence(text: str) -> tuple[Any, ...]:
    """The values of a JSON array."""
    return () if text == "[]" else tuple(_read(text))


def texts(text: str) -> tuple[str, ...]:
    """The texts of a JSON array. Raises TypeError if a value is not a text."""
    found = sequence(text)
    "".join(found)  # the quickest check that each is a str
    return found


def _read(text: str) -> Any:
    try:
        return json.loads(text) if _LONG_NUMBER.search(text) else orjson.loads(text)
    except orjson.JSONDecodeError:  # the standard library reads its own Infinity
        return json.loads(text)


# --- memories ---------------------------------------------------------------------------------------------------------

_TIMES = ("stored_at", "updated_at", "valid_from", "valid_until", "last_accessed_at")
_SEQUENCES = ("tags", "links_refs")
_MAPPINGS = ("parameters", "frames", "extra")
_ARCHETYPE = ("archetype_title", "archetype_version", "schema_version")
_EVENT = ("event_raw", "event_start", "event_end", "event_confidence")
#: Fields of a draft that are stored as they are, in a column of the same name.
_PLAIN = tuple(
    name
    for name in (field.name for field in fields(Draft))
    if name not in {"id", *_TIMES, *_SEQUENCES, *_MAPPINGS, "status", "archetype", "event_time", "entities"}
)
_plain_of = attrgetter(*_PLAIN)
_STATUSES = {status.value: status for status in Status}

#: The columns, in this order, that `memory_from` expects.
MEMORY_COLUMNS = (
    "number", "id", *_PLAIN, "access_count", *_TIMES, *_SEQUENCES, *_MAPPINGS, "status", *_ARCHETYPE, *_EVENT
)  # fmt: skip
#: Size of the cache of scopes, categories, tools and sources that memories share.
SHARED = 1_024
#: The class of a memory while its fields are being set.
_UNFINISHED = writable(Memory)
_REALS = (MEMORY_COLUMNS.index("importance"), MEMORY_COLUMNS.index("confidence"))


def memory_row(
    draft: Draft, *, number: int, id: str, stored_at: int, updated_at: int, counters: Sequence[int | None] = (0, None)
) -> list[Any]:
    """The row of a draft, in the order of MEMORY_COLUMNS. Raises InvalidArgument."""
    count, last_accessed_at = counters
    window = micros_maybe("valid_from", draft.valid_from), micros_maybe("valid_until", draft.valid_until)
    row = [number, id, *_plain_of(draft), count, stored_at, updated_at, *window, last_accessed_at]
    # In the order of _SEQUENCES and _MAPPINGS. Written out, as most are empty, and this is done for every memory of a batch.
    row.append(json_text("tags", draft.tags) if draft.tags else "[]")
    row.append(json_text("links_refs", draft.links_refs) if draft.links_refs else "[]")
    row.append(json_text("parameters", draft.parameters) if draft.parameters else "{}")
    row.append(json_text("frames", draft.frames) if draft.frames else "{}")
    row.append(json_text("extra", draft.extra) if draft.extra else "{}")
    row += [Status(draft.status).value, *_archetype_values(draft.archetype), *_event_values(draft.event_time)]
    for at in _REALS:
        row[at] = _real(row[at])
    return row


def memory_from(row: Sequence[Any], entities: tuple[str, ...]) -> Memory:
    """A memory from its columns (in the order of MEMORY_COLUMNS) and the ids of its entities. Raises StoreError."""
    try:
        return _memory_from(row, entities)
    except UNREADABLE as error:
        raise damaged(f"memory number {row[0]}", error) from error


def _memory_from(row: Sequence[Any], entities: tuple[str, ...]) -> Memory:
    made: Any = object.__new__(_UNFINISHED)
    (
        made.number, made.id, made.text, made.title, made.context, made.kind, made.category, made.topic, made.scope,
        made.thread, made.thread_type, made.thread_name, made.project, made.session_id, made.sequence_order,
        made.preceding_id, made.agent_id, made.tool, made.source, made.importance, made.confidence, made.superseded_by,
        made.canonical_key, made.links_source, made.lang, made.access_count,
        stored_at, updated_at, valid_from, valid_until, last_accessed_at,
        tags, links_refs, parameters, frames, extra,
        status, archetype_title, archetype_version, schema_version, event_raw, event_start, event_end, event_confidence,
    ) = row  # fmt: skip
    made.category, made.scope = _shared(made.category), _shared(made.scope)
    made.tool, made.source = _shared(made.tool), _shared(made.source)
    made.stored_at = moment(stored_at)
    made.updated_at = made.stored_at if updated_at == stored_at else moment(updated_at)
    made.valid_from = moment_maybe(valid_from)
    made.valid_until = moment_maybe(valid_until)
    made.last_accessed_at = moment_maybe(last_accessed_at)
    made.tags = texts(tags)
    made.links_refs = sequence(links_refs)
    made.parameters = mapping(parameters)
    made.frames = mapping(frames)
    made.extra = mapping(extra)
    made.status = _STATUSES[status]
    made.archetype = None if archetype_title is None else Archetype(archetype_title, archetype_version, schema_version)
    made.event_time = _event_from(event_raw, event_start, event_end, event_confidence)
    made.entities = entities
    made.__class__ = Memory
    memory: Memory = made
    return memory


# Equal values of memories share one str: this saves memory and is kinder to the processor's caches.
@lru_cache(SHARED)
def _shared(text: str | None) -> str | None:
    return text


def _real(value: float) -> float:
    """The value as a REAL column returns it."""
    return float(value) if isinstance(value, int) else value


def identifier(id: str | None) -> str:
    """An id that can be stored. Raises InvalidArgument."""
    if not id:
        raise InvalidArgument("id", "id is empty.", hint="Give the row an id before it is stored.", also=needed("id"))
    if len(id) > MAX_ID_CHARS:
        raise InvalidArgument(
            "id",
            f"id has {len(id)} characters.",
            hint=f"Ids have at most {MAX_ID_CHARS} characters.",
            also=too_long("id", len(id), MAX_ID_CHARS),
        )
    return id


def _archetype_values(archetype: Archetype | None) -> Sequence[Any]:
    return (None,) * 3 if archetype is None else (archetype.title, archetype.version, archetype.schema_version)


def _event_values(event: EventTime | None) -> Sequence[Any]:
    if event is None:
        return (None,) * 4
    start, end = micros_maybe("event_time", event.start), micros_maybe("event_time", event.end)
    return event.raw, start, end, _real(event.confidence)


def _event_from(raw: str | None, start: int | None, end: int | None, confidence: float) -> EventTime | None:
    return None if raw is None else EventTime(raw, moment_maybe(start), moment_maybe(end), confidence)
