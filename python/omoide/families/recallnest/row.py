"""One found memory as recallnest shows it: in a line of text or as a structured value.

Useful for: every derived cell (short id, tier, path, provenance, age) and its default for memories of other doors.
Not useful for: layout (layouts.py) and order (translate.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from typing import Any, NamedTuple

import orjson

from omoide.families.recallnest import keys
from omoide.memory.ids import MIN_PREFIX_CHARS
from omoide.model.entity import Entity
from omoide.model.memory import Memory, Status
from omoide.model.query import Hit, Step
from omoide.text import Excerpt, glimpse, line_of
from omoide.text import snippets as snippets_of
from omoide.text.highlight import cut

#: A memory of this door needs no word about the tool that stored it.
OWN_TOOLS = frozenset({"store_memory", "batch_store", "store_case", "store_workflow_pattern"})
#: A snippet that was cut ends with three dots: 120 characters in all.
SNIPPET_CHARS = 117
EXCERPT_CHARS = 80
#: The excerpt of a text is in here, however many blanks it has.
BEGINNING_CHARS = 1_000
MAX_TERMS = 8
#: So many different ones of what is said of one memory after the other are kept; few, as what an import has given may be long.
WORDINGS = 64
#: Python looks for a member of an enumeration in three steps.
_ACTIVE = Status.ACTIVE

#: Written out: a group that repeats and a case that is ignored would make it thrice as slow.
_UUID = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}")
#: Arm -> what it is called as a path, and as a reason.
_ARMS = {"vectors": ("vector", "semantic"), "words": ("bm25", "keyword"), "graph": ("graph", "graph")}
#: Layer of memories that say nothing about it, by the first part of their scope.
_LAYERS = {
    "memory": "durable/?",
    "asset": "durable/?",
    "cc": "evidence/?",
    "codex": "evidence/?",
    "gemini": "evidence/?",
}


class View(NamedTuple):
    """What an answer looks at hits with: `now`, the caller's time zone, the scope that was searched (None for every scope),
    `marked` for what to show of a hit (a slice of its text as it was written) where the matches in it are asked for, and the
    ids of memories whose window had ended."""

    now: datetime
    zone: tzinfo
    scope: str | None = None
    marked: Callable[[Hit], Excerpt] | None = None
    expired: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Card:
    """What is told of a memory whatever is asked, in a time zone."""

    zone: tzinfo
    #: The shortest beginning of a UUID that names it; an id of another kind whole, as its first characters may not tell it.
    short_id: str
    stored_at: str
    #: The tier an importer gave, else the lowest.
    tier: str
    #: Category, tier, source, and the day in that zone, the one `after` and `before` go by: as wide as the columns of a table.
    columns: str
    #: Where the text came from: file, heading or title.
    file: str
    #: Layer/authority, where an import had it from, the key, and what sets it apart from this door.
    provenance: str


class Way(NamedTuple):
    """How a memory was found: the arms as a path (vector, bm25, graph), that as wide as its column, and as reasons."""

    path: str
    column: str
    reasons: str


def _card(memory: Memory, zone: tzinfo) -> Card:
    """Of the memory, which keeps it."""
    card = getattr(memory, "note", None)
    if isinstance(card, Card) and card.zone is zone:
        return card
    extra, stored_at = memory.extra, memory.stored_at
    given, source = extra.get("tier"), extra.get("file") or extra.get("heading") or memory.title
    tier = one_line(given) if given else "peripheral"
    card = Card(
        zone=zone,
        short_id=short_id(memory.id),
        stored_at=_iso(stored_at),
        tier=tier,
        columns=f"{memory.category:<12} {tier:<10} {one_line(memory.source):<7} {day(stored_at, zone)}",
        file=one_line(source) if source else "-",
        provenance=_provenance((*_origin(extra, memory.scope), *_key(memory.canonical_key)), memory.tool),
    )
    object.__setattr__(memory, "note", card)
    return card


class Row:
    """A hit and how it looks in a view. That of an expired memory has its relevance lowered already.

    What most layouts show stands ready; what only some of them do is made when it is asked for.
    """

    __slots__ = ("_excerpt", "_found", "card", "hit", "memory", "score", "stands", "view", "way")

    def __init__(self, hit: Hit, view: View) -> None:
        memory = hit.memory
        self.hit = hit
        self.memory = memory
        #: Relevance to three decimals.
        self.score = round(hit.relevance, 3)
        #: Whether the status is `active`.
        self.stands = memory.status is _ACTIVE and memory.id not in view.expired
        self.way = _way(hit.why.ranked_by)
        self.card = _card(memory, view.zone)
        self.view = view
        self._found: Excerpt | None = None
        self._excerpt: str | None = None

    @property
    def age_days(self) -> int:
        """Whole days since storage, never negative."""
        days = (self.view.now - self.memory.stored_at).days
        return days if days > 0 else 0

    @property
    def why(self) -> str:
        """Path in words, matched terms, and the way through the graph."""
        why, told = self.hit.why, self.way.reasons
        if words := why.words[:MAX_TERMS]:
            told = f"{told} | terms:{one_line(','.join(words))}"
        if path := why.path:
            told = f"{told} | via:{' '.join(map(_step, path))}"
        return told

    @property
    def found(self) -> Excerpt:
        """Where the sentence stands that holds most of what matched, and the matches in it."""
        if self._found is None:
            marked = self.view.marked
            self._found = _glimpse(self.hit) if marked is None else marked(self.hit)
        return self._found

    @property
    def snippet(self) -> str:
        """That sentence in one line, with dots where it was cut."""
        return snippets([self])[0]

    @property
    def excerpt(self) -> str:
        """The memory in a few words: an importer's abstract, else its beginning."""
        if self._excerpt is None:
            abstract = self.memory.extra.get("l0_abstract")
            text = abstract if isinstance(abstract, str) and abstract.strip() else self.memory.text
            self._excerpt = cut(one_line(text.lstrip()[:BEGINNING_CHARS]), EXCERPT_CHARS)
        return self._excerpt

    @property
    def provenance(self) -> str:
        """That of the memory, and the scope if it is not the one that was searched."""
        told, scope = self.card.provenance, self.memory.scope
        return told if scope == self.view.scope else f"{told} | {one_line(f'scope:{scope}')}"

    @property
    def status(self) -> str:
        """The stored status, or `expired` for an active memory whose window has ended."""
        if self.stands:
            return "active"
        stored = self.memory.status
        return "expired" if stored is _ACTIVE else stored.value

    @property
    def state(self) -> str:
        """The status with what ended it."""
        memory = self.memory
        by = f" by {short_id(memory.superseded_by)}" if memory.superseded_by else ""
        until = f" | valid until {last_day(memory.valid_until, self.view.zone)}" if memory.valid_until else ""
        return f"{self.status}{by}{until}"

    @property
    def window(self) -> str:
        """The validity window, `..` between its ends, empty where neither is known."""
        start, end = self.memory.valid_from, self.memory.valid_until
        if start is None and end is None:
            return ""
        return f"{day(start, self.view.zone) if start else ''}..{last_day(end, self.view.zone) if end else ''}"

    @property
    def alike(self) -> Sequence[str]:
        """Ids of found memories that say the same, as they are shown."""
        return [short_id(id) for id in self.hit.alike]

    @property
    def reliability(self) -> str:
        """`(direct)`, `(inferred)`, `(hearsay)` or nothing."""
        given = self.memory.extra.get("reliability")
        return f"({one_line(given)})" if isinstance(given, str) else ""


def snippets(rows: Sequence[Row]) -> list[str]:
    """`Row.snippet` of each row of a view."""
    if rows and rows[0].view.marked is not None:
        return [line_of(row.memory.text, row.found.start, row.found.end) for row in rows]
    return snippets_of([(row.memory.text, row.hit.why.terms) for row in rows], SNIPPET_CHARS)


def values(rows: Sequence[Row], detail: str) -> list[dict[str, Any]]:
    """The structured values of a detail level."""
    return _VALUES[detail](rows)


def _brief(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return _with_alike(rows, [{"id": row.memory.id, "score": row.score, "text": row.excerpt} for row in rows])


def _normal(rows: Sequence[Row]) -> list[dict[str, Any]]:
    told = [
        {
            "id": (memory := row.memory).id,
            "score": row.score,
            "text": memory.text,
            "category": memory.category,
            "scope": memory.scope,
            "storedAt": row.card.stored_at,
            "why": row.why,
            "status": "active" if row.stands else row.status,
        }
        for row in rows
    ]
    return _with_alike(rows, told)


def _with_alike(rows: Sequence[Row], told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for row, value in zip(rows, told, strict=True):
        if row.hit.alike:
            value["alike"] = list(row.hit.alike)
    return told


def _full(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [value | _metadata(row) for row, value in zip(rows, _normal(rows), strict=True)]


def _metadata(row: Row) -> dict[str, Any]:
    """What the memory does not have is left out."""
    memory = row.memory
    metadata = {
        "title": memory.title,
        "tier": row.card.tier,
        "source": memory.source,
        "tool": memory.tool,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "tags": list(memory.tags),
        "topicTag": memory.topic,
        "canonicalKey": memory.canonical_key,
        "provenance": row.provenance,
        "accessCount": memory.access_count,
        "eventTime": _event(memory),
        "validFrom": iso(memory.valid_from),
        "validUntil": iso(memory.valid_until),
        "supersededBy": memory.superseded_by,
    }
    return {name: value for name, value in metadata.items() if value is not None}


_VALUES: Mapping[str, Callable[[Sequence[Row]], list[dict[str, Any]]]] = {
    "brief": _brief,
    "normal": _normal,
    "full": _full,
}


def _glimpse(hit: Hit) -> Excerpt:
    """What to show where nobody asked for the matches in it."""
    return Excerpt(*glimpse(hit.memory.text, hit.why.terms, SNIPPET_CHARS), marks=())


def one_line(value: object) -> str:
    """White space of every kind collapsed, so that stored text stays on its line."""
    return " ".join(str(value).split())


def short_id(id: str) -> str:
    """The shortest beginning of a UUID that names it, an id of another kind whole."""
    return id[:MIN_PREFIX_CHARS] if _UUID.fullmatch(id) else one_line(id)


def day(moment: datetime, zone: tzinfo) -> str:
    """YYYY-MM-DD in the zone; the calendar's last hours, which are beyond it in some zones, by UTC."""
    try:
        return moment.astimezone(zone).date().isoformat()
    except OverflowError:
        return moment.date().isoformat()


def last_day(end: datetime, zone: tzinfo) -> str:
    """The last day before an exclusive end."""
    return day(end - timedelta(microseconds=1), zone)


def iso(moment: datetime | None) -> str | None:
    """2026-03-01T09:30:00.000Z"""
    return None if moment is None else _iso(moment)


def _iso(moment: datetime) -> str:
    # As `isoformat` writes it, in a third of its time, and between quotes.
    written = orjson.dumps(moment.astimezone(timezone.utc)).decode()
    return f"{written[1:24]}Z" if moment.microsecond else f"{written[1:20]}.000Z"


@cache
def _way(arms: tuple[str, ...]) -> Way:
    """That of what these arms found."""
    names = [named for arm, named in _ARMS.items() if arm in arms] or [("direct", "direct")]
    path = "+".join(path for path, _ in names)
    return Way(path, f"{path:<20}", "+".join(reason for _, reason in names))


# What one memory after the other has is one text for all of them.
@lru_cache(WORDINGS)
def _provenance(told: tuple[str, ...], tool: str | None) -> str:
    stored_by = [f"tool:{tool}"] if tool and tool not in OWN_TOOLS else []
    return one_line(" | ".join((*told, *stored_by)))


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
    return _LAYERS.get(scope.partition(":")[0], "-")


def _key(key: str | None) -> Sequence[str]:
    """A key that a caller gave or that stands for a preference; one made of a text tells nobody anything."""
    if not key:
        return ()
    slot = keys.slot(key)
    if slot is not None:
        return f"key:{key}", f"slot:{slot}"
    return (f"key:{key}",) if keys.is_given(key) else ()


def _event(memory: Memory) -> str | None:
    event = memory.event_time
    return None if event is None else iso(event.start) or event.raw


def _step(step: Step) -> str:
    name = one_line(step.to.name) if isinstance(step.to, Entity) else short_id(step.to.id)
    relation = one_line(step.relation)
    return f"-{relation}-> {name}" if step.forward else f"<-{relation}- {name}"
