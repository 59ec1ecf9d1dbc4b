"""The cells of a hit that depend on the memory only, not on the query, and how they are written.

Useful for: short id, tier, provenance, days, and their defaults for memories of other families. Not useful for: cells that
depend on the query (page.py) and layout (layouts.py).
Invariant: everything written here is one line long, whatever was stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from operator import attrgetter
from typing import Any

import orjson

from omoide.families.recallnest import keys
from omoide.memory.ids import MIN_PREFIX_CHARS
from omoide.model.local_time import local
from omoide.model.memory import Memory
from omoide.model.scope import plain

#: The tools of this family, which provenance does not mention.
OWN_TOOLS = frozenset({"store_memory", "batch_store", "store_case", "store_workflow_pattern"})
#: Size of the caches of cells that many memories share; small, as an import may have given long ones.
WORDINGS = 64
#: The status of an active memory whose validity is yet to begin.
UPCOMING = "upcoming"

#: Written out: a repeated group and ignored case would make it three times as slow.
_UUID = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}")
#: The layer of memories that have none, by the first part of their scope.
_LAYERS = {
    "memory": "durable/?",
    "asset": "durable/?",
    "cc": "evidence/?",
    "codex": "evidence/?",
    "gemini": "evidence/?",
}


class Card:
    """The cells of one memory in a time zone. Cached on the memory."""

    __slots__ = (
        "category",
        "cells",
        "file",
        "id",
        "provenance",
        "provenance_with_scope",
        "scope",
        "short_id",
        "short_id_cell",
        "status",
        "stored",
        "stored_at",
        "text",
        "tier",
        "zone",
    )

    def __init__(self, memory: Memory, zone: tzinfo) -> None:
        extra, stored = memory.extra, memory.stored_at
        tier, origin = extra.get("tier"), extra.get("file") or extra.get("heading") or memory.title
        self.zone = zone
        #: Copied from the memory, so that a page needs only the card of each hit.
        self.id, self.text, self.stored = memory.id, memory.text, stored
        self.category, self.scope = memory.category, memory.scope
        #: See `short_id`.
        self.short_id = short_id(memory.id)
        #: The short id as a cell of a table: padded to its column, with a blank after it.
        self.short_id_cell = f"{self.short_id:<8} "
        self.stored_at = _iso(stored)
        #: The tier that an importer gave, else the lowest.
        self.tier = one_line(tier) if tier else "peripheral"
        #: The stored status.
        self.status: str = memory.status.value
        #: The cells of category, tier, source, and the day stored in that zone, to which `after` and `before` apply.
        self.cells = _shared_cells(self.category, self.tier, memory.source, day(stored, zone))
        #: Where the text came from: file, heading or title.
        self.file = one_line(origin) if origin else "-"
        #: Layer/authority, an import's origin, the key, and the tool of another family; and the same with the scope, for a
        #: search of another scope.
        self.provenance, self.provenance_with_scope = _provenance(
            (*_origin_cells(extra, self.scope), *_key_cells(memory.canonical_key)), memory.tool, self.scope
        )


_CACHED_CARD = attrgetter("note")
_ZONE = attrgetter("zone")


def cards_of(memories: Sequence[Memory], zone: tzinfo) -> list[Card]:
    """The cards of the memories, in their order."""
    try:
        cards: list[Card] = list(map(_CACHED_CARD, memories))
        if list(map(_ZONE, cards)).count(zone) == len(cards):
            return cards
    except AttributeError:  # some have none yet
        pass
    return [_card(memory, zone) for memory in memories]


def _card(memory: Memory, zone: tzinfo) -> Card:
    card = getattr(memory, "note", None)
    if isinstance(card, Card) and card.zone is zone:
        return card
    card = Card(memory, zone)
    object.__setattr__(memory, "note", card)
    return card


def state(memory: Memory, status: str, zone: tzinfo) -> str:
    """The status, with what superseded the memory, from when it is valid if that is to come, and until when."""
    superseded_by = f" by {short_id(memory.superseded_by)}" if memory.superseded_by else ""
    valid_from = f" | valid from {day(memory.valid_from, zone)}" if status == UPCOMING and memory.valid_from else ""
    valid_until = f" | valid until {last_day(memory.valid_until, zone)}" if memory.valid_until else ""
    return f"{status}{superseded_by}{valid_from}{valid_until}"


def window(memory: Memory, zone: tzinfo) -> str:
    """The validity window as `start..end`; "" if neither end is known."""
    start, end = memory.valid_from, memory.valid_until
    if start is None and end is None:
        return ""
    return f"{day(start, zone) if start else ''}..{last_day(end, zone) if end else ''}"


def reliability(memory: Memory) -> str:
    """`(direct)`, `(inferred)`, `(hearsay)` or nothing."""
    value = memory.extra.get("reliability")
    return f"({one_line(value)})" if isinstance(value, str) else ""


def one_line(value: object) -> str:
    """The text with all white space collapsed, so that it stays on its line."""
    return " ".join(str(value).split())


def short_id(id: str) -> str:
    """The shortest prefix of a UUID that can name it; other ids whole, as their first characters may not be unique."""
    return id[:MIN_PREFIX_CHARS] if _UUID.fullmatch(id) else one_line(id)


def day(moment: datetime, zone: tzinfo) -> str:
    """The day in the zone, as YYYY-MM-DD."""
    return local(moment, zone).date().isoformat()


def last_day(end: datetime, zone: tzinfo) -> str:
    """The last day before an exclusive end."""
    return day(end - timedelta(microseconds=1), zone)


def age(days: int) -> str:
    """The age as 14d; at least 0d."""
    return f"{max(days, 0)}d"


def iso(moment: datetime | None) -> str | None:
    """The instant as 2026-03-01T09:30:00.000Z; None stays None."""
    return None if moment is None else _iso(moment)


def _iso(moment: datetime) -> str:
    # The same as `isoformat`, with quotes, in a third of the time.
    quoted = orjson.dumps(moment.astimezone(timezone.utc)).decode()
    return f"{quoted[1:24]}Z" if moment.microsecond else f"{quoted[1:20]}.000Z"


# Cached, as many memories have the same.
@lru_cache(WORDINGS)
def _shared_cells(category: str, tier: str, source: str, day: str) -> str:
    return f"{category:<12} {tier:<10} {one_line(source):<7} {day} "


@lru_cache(WORDINGS)
def _provenance(cells: tuple[str, ...], tool: str | None, scope: str) -> tuple[str, str]:
    stored_by = [f"tool:{tool}"] if tool and tool not in OWN_TOOLS else []
    provenance = one_line(" | ".join((*cells, *stored_by)))
    return provenance, f"{provenance} | {one_line(f'scope:{scope}')}"


def _origin_cells(extra: Mapping[str, Any], scope: str) -> tuple[str, ...]:
    """The cells of layer/authority, and of an imported memory's history: what it was downgraded from, and promoted from."""
    boundary, promoted_from = extra.get("boundary"), extra.get("promotedFrom")
    if not isinstance(boundary, dict):
        boundary = {}
    layer = boundary.get("layer")
    cells = [f"{layer}/{boundary.get('authority', '?')}" if layer else _layer_of(scope)]
    if boundary.get("downgradedFrom"):
        cells.append(f"downgraded:{boundary['downgradedFrom']}")
    if isinstance(promoted_from, dict) and promoted_from.get("id"):
        cells.append(
            f"promoted:{short_id(str(promoted_from['id']))}<-{promoted_from.get('layer', '?')}/{promoted_from.get('authority') or '-'}"
        )
    return tuple(cells)


def _layer_of(scope: str) -> str:
    return _LAYERS.get(plain(scope).partition(":")[0], "-")


def _key_cells(key: str | None) -> Sequence[str]:
    """The cells of a key that was given or that stands for a preference; none for a key made from a text."""
    if not key:
        return ()
    slot = keys.slot(key)
    if slot is not None:
        return f"key:{key}", f"slot:{slot}"
    return (f"key:{key}",) if keys.is_given(key) else ()
