"""What is told of a memory whatever is asked, and how its parts are written.

Useful for: every cell that the memory alone decides (short id, tier, provenance, days), and its default for memories of other
doors. Not useful for: what a question makes of a memory (page.py) and layout (layouts.py).
Invariant: what is written here is one line long, whatever was stored.
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

#: A memory of this door needs no word about the tool that stored it.
OWN_TOOLS = frozenset({"store_memory", "batch_store", "store_case", "store_workflow_pattern"})
#: So many different ones of what is said of one memory after the other are kept; few, as what an import has given may be long.
WORDINGS = 64

#: Written out: a group that repeats and a case that is ignored would make it thrice as slow.
_UUID = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}")
#: Layer of memories that say nothing about it, by the first part of their scope.
_LAYERS = {
    "memory": "durable/?",
    "asset": "durable/?",
    "cc": "evidence/?",
    "codex": "evidence/?",
    "gemini": "evidence/?",
}


class Card:
    """What is told of a memory whatever is asked, in a time zone. The memory keeps it."""

    __slots__ = (
        "category",
        "cells",
        "elsewhere",
        "file",
        "head",
        "id",
        "provenance",
        "scope",
        "short_id",
        "status",
        "stored",
        "stored_at",
        "text",
        "tier",
        "zone",
    )

    def __init__(self, memory: Memory, zone: tzinfo) -> None:
        extra, stored = memory.extra, memory.stored_at
        given, source = extra.get("tier"), extra.get("file") or extra.get("heading") or memory.title
        self.zone = zone
        #: As the memory has them, so that a page need look at no more of each hit than this.
        self.id, self.text, self.stored = memory.id, memory.text, stored
        self.category, self.scope = memory.category, memory.scope
        #: The shortest beginning of a UUID that names it; an id of another kind whole, as its first characters may not tell it.
        self.short_id = short_id(memory.id)
        #: That as a cell of a table: as wide as its column, with the blank behind it.
        self.head = f"{self.short_id:<8} "
        self.stored_at = _iso(stored)
        #: The tier an importer gave, else the lowest.
        self.tier = one_line(given) if given else "peripheral"
        #: As it was stored.
        self.status: str = memory.status.value
        #: Category, tier, source, and the day in that zone, the one `after` and `before` go by, as cells.
        self.cells = _cells(self.category, self.tier, memory.source, day(stored, zone))
        #: Where the text came from: file, heading or title.
        self.file = one_line(source) if source else "-"
        #: Layer/authority, where an import had it from, the key, and what sets it apart from this door; the same with the
        #: scope, for a search of another one.
        self.provenance, self.elsewhere = _provenance(
            (*_origin(extra, self.scope), *_key(memory.canonical_key)), memory.tool, self.scope
        )


_NOTE = attrgetter("note")
_ZONE = attrgetter("zone")


def cards_of(memories: Sequence[Memory], zone: tzinfo) -> list[Card]:
    """That of each memory."""
    try:
        cards: list[Card] = list(map(_NOTE, memories))
        if list(map(_ZONE, cards)).count(zone) == len(cards):
            return cards
    except AttributeError:  # of some it has not been told yet
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
    """The status with what ended it."""
    by = f" by {short_id(memory.superseded_by)}" if memory.superseded_by else ""
    until = f" | valid until {last_day(memory.valid_until, zone)}" if memory.valid_until else ""
    return f"{status}{by}{until}"


def window(memory: Memory, zone: tzinfo) -> str:
    """The validity window, `..` between its ends, empty where neither is known."""
    start, end = memory.valid_from, memory.valid_until
    if start is None and end is None:
        return ""
    return f"{day(start, zone) if start else ''}..{last_day(end, zone) if end else ''}"


def reliability(memory: Memory) -> str:
    """`(direct)`, `(inferred)`, `(hearsay)` or nothing."""
    given = memory.extra.get("reliability")
    return f"({one_line(given)})" if isinstance(given, str) else ""


def one_line(value: object) -> str:
    """White space of every kind collapsed, so that stored text stays on its line."""
    return " ".join(str(value).split())


def short_id(id: str) -> str:
    """The shortest beginning of a UUID that names it, an id of another kind whole."""
    return id[:MIN_PREFIX_CHARS] if _UUID.fullmatch(id) else one_line(id)


def day(moment: datetime, zone: tzinfo) -> str:
    """YYYY-MM-DD in the zone."""
    return local(moment, zone).date().isoformat()


def last_day(end: datetime, zone: tzinfo) -> str:
    """The last day before an exclusive end."""
    return day(end - timedelta(microseconds=1), zone)


def age(days: int) -> str:
    """14d; never fewer than none."""
    return f"{max(days, 0)}d"


def iso(moment: datetime | None) -> str | None:
    """2026-03-01T09:30:00.000Z"""
    return None if moment is None else _iso(moment)


def _iso(moment: datetime) -> str:
    # As `isoformat` writes it, in a third of its time, and between quotes.
    written = orjson.dumps(moment.astimezone(timezone.utc)).decode()
    return f"{written[1:24]}Z" if moment.microsecond else f"{written[1:20]}.000Z"


# What one memory after the other has is one text for all of them.
@lru_cache(WORDINGS)
def _cells(category: str, tier: str, source: str, day: str) -> str:
    return f"{category:<12} {tier:<10} {one_line(source):<7} {day} "


@lru_cache(WORDINGS)
def _provenance(told: tuple[str, ...], tool: str | None, scope: str) -> tuple[str, str]:
    stored_by = [f"tool:{tool}"] if tool and tool not in OWN_TOOLS else []
    provenance = one_line(" | ".join((*told, *stored_by)))
    return provenance, f"{provenance} | {one_line(f'scope:{scope}')}"


def _origin(extra: Mapping[str, Any], scope: str) -> tuple[str, ...]:
    """Layer/authority, and what an imported memory says of its past: the category it had, and the memory it was promoted
    from."""
    boundary, source = extra.get("boundary"), extra.get("promotedFrom")
    if not isinstance(boundary, dict):
        boundary = {}
    layer = boundary.get("layer")
    told = [f"{layer}/{boundary.get('authority', '?')}" if layer else _layer_of(scope)]
    if boundary.get("downgradedFrom"):
        told.append(f"downgraded:{boundary['downgradedFrom']}")
    if isinstance(source, dict) and source.get("id"):
        told.append(
            f"promoted:{short_id(str(source['id']))}<-{source.get('layer', '?')}/{source.get('authority') or '-'}"
        )
    return tuple(told)


def _layer_of(scope: str) -> str:
    return _LAYERS.get(plain(scope).partition(":")[0], "-")


def _key(key: str | None) -> Sequence[str]:
    """A key that a caller gave or that stands for a preference; one made of a text tells nobody anything."""
    if not key:
        return ()
    slot = keys.slot(key)
    if slot is not None:
        return f"key:{key}", f"slot:{slot}"
    return (f"key:{key}",) if keys.is_given(key) else ()
