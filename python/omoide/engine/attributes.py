"""Which fields of a memory the engine can filter by, and in what form: the same for indexing and for queries.

Keyword values are normalised to NFKC. In `topic` and `tag`, case, surplus blanks and variants of characters (會議, 会议) make no
difference either, as nobody remembers them. Whoever changes this must change `FOLDING`, so that old builds of the index are
replaced. Numbers become integers: times are microseconds since the epoch (UTC), shares (importance, confidence) millionths.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone

from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.scope import plain
from omoide.text.normalise import fold_variants

FOLDED_FIELDS = frozenset({"topic", "tag"})
FOLDING = "tags and topics as texts"
SHARE_FIELDS = frozenset({"importance", "confidence"})
SHARE_SCALE = 1_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)

_SINGLE: dict[str, Callable[[Memory], str | None]] = {
    "id": lambda memory: memory.id,
    "scope": lambda memory: memory.scope,
    "category": lambda memory: memory.category,
    "kind": lambda memory: memory.kind,
    "topic": lambda memory: memory.topic,
    "thread": lambda memory: memory.thread,
    "thread_type": lambda memory: memory.thread_type,
    "project": lambda memory: memory.project,
    "session_id": lambda memory: memory.session_id,
    "agent_id": lambda memory: memory.agent_id,
    "tool": lambda memory: memory.tool,
    "status": lambda memory: memory.status.value,
    "source": lambda memory: memory.source,
    "lang": lambda memory: memory.lang,
    "archetype_title": lambda memory: memory.archetype.title if memory.archetype else None,
    "archetype_version": lambda memory: memory.archetype.version if memory.archetype else None,
    "schema_version": lambda memory: memory.archetype.schema_version if memory.archetype else None,
    "preceding_id": lambda memory: memory.preceding_id,
    "superseded_by": lambda memory: memory.superseded_by,
}

_NUMBERS: dict[str, Callable[[Memory], int | float | datetime | None]] = {
    "sequence_order": lambda memory: memory.sequence_order,
    "importance": lambda memory: memory.importance,
    "confidence": lambda memory: memory.confidence,
    "stored_at": lambda memory: memory.stored_at,
    "updated_at": lambda memory: memory.updated_at,
    "event_start": lambda memory: memory.event_time.start if memory.event_time else None,
    "event_end": lambda memory: memory.event_time.end if memory.event_time else None,
    "valid_from": lambda memory: memory.valid_from,
    "valid_until": lambda memory: memory.valid_until,
}


def keyword(field: str, value: object) -> str:
    """A keyword value in the form the engine compares."""
    text = str(value)
    if not text.isascii():  # most values are ASCII, which is NFKC already
        text = unicodedata.normalize("NFKC", text)
    return fold_variants(" ".join(text.split()).casefold()) if field in FOLDED_FIELDS else text


def microseconds(moment: datetime) -> int:
    """Microseconds since the epoch of an aware datetime."""
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds  # three times as fast as dividing


def number(field: str, value: float | datetime) -> int:
    """A number or time in the form the engine compares."""
    if isinstance(value, datetime):
        return microseconds(value)
    return round(value * SHARE_SCALE) if field in SHARE_FIELDS else int(value)


def scope_family(scope: str) -> Iterator[str]:
    """The scope and every scope above it, in the form that is compared: `cc:a:b` gives `cc`, `cc:a`, `cc:a:b`."""
    whole = plain(scope)
    yield from (whole[:at] for at, char in enumerate(whole) if char == ":" and at)
    yield whole


def attributes_of(memory: Memory, entities: list[Entity]) -> list[tuple[str, str]]:
    """The (field, value) pairs of a memory; `entities` are those it is an observation of."""
    pairs = [(field, keyword(field, value)) for field, read in _SINGLE.items() if (value := read(memory)) is not None]
    pairs += [("tag", keyword("tag", tag)) for tag in memory.tags]
    pairs += [("scope_family", scope) for scope in scope_family(memory.scope)]
    for entity in entities:
        pairs += [("entity", keyword("entity", entity.id)), ("entity_type", keyword("entity_type", entity.type))]
    return pairs


def numbers_of(memory: Memory) -> list[tuple[str, int]]:
    """The (column, value) pairs of a memory; absent values are left out."""
    return [(field, number(field, value)) for field, read in _NUMBERS.items() if (value := read(memory)) is not None]
