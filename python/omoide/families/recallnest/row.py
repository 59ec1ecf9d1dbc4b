"""One found memory as recallnest shows it: in a line of text or as a structured value.

Useful for: every derived cell (short id, tier, path, provenance, age) and its default for memories of other doors.
Not useful for: layout (layouts.py) and order (translate.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from omoide.families.recallnest import keys
from omoide.memory.ids import MIN_PREFIX_CHARS
from omoide.model.entity import Entity
from omoide.model.memory import Memory, Status
from omoide.model.query import Hit, Step
from omoide.text import Excerpt, glimpse, line_of, snippet
from omoide.text.highlight import cut

#: A memory of this door needs no word about the tool that stored it.
OWN_TOOLS = frozenset({"store_memory", "batch_store", "store_case", "store_workflow_pattern"})
#: A snippet that was cut ends with three dots: 120 characters in all.
SNIPPET_CHARS = 117
EXCERPT_CHARS = 80
#: The excerpt of a text is in here, however many blanks it has.
BEGINNING_CHARS = 1_000
MAX_TERMS = 8
#: Python looks for a member of an enumeration in three steps.
_ACTIVE = Status.ACTIVE

#: Written out: a group that repeats and a case that is ignored would make it thrice as slow.
_UUID = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}")
#: The arm of a score.
_ARM = itemgetter(0)
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
    """What an answer looks at hits with: `now`, the caller's time zone, the scope that was searched (None for every scope), and
    `marked` for what to show of a hit (a slice of its text as it was written) where the matches in it are asked for."""

    now: datetime
    zone: tzinfo
    scope: str | None = None
    marked: Callable[[Hit], Excerpt] | None = None


class Row:
    """A hit and how it looks in a view. `expired`: its window had ended; its relevance is lowered already.

    What every layout shows stands ready; what only some of them do is made when it is asked for.
    """

    def __init__(self, hit: Hit, view: View, *, expired: bool = False) -> None:
        memory = hit.memory
        self.hit = hit
        self.memory = memory
        #: Relevance to three decimals.
        self.score = round(hit.relevance, 3)
        #: Whether the status is `active`.
        self.stands = memory.status is _ACTIVE and not expired
        #: The arms that found it, as a path (vector, bm25, graph) and as reasons.
        self.path, self._reasons = _named(tuple(map(_ARM, hit.why.arms)))
        self._view = view
        self._found: Excerpt | None = None
        self._excerpt: str | None = None

    @property
    def short_id(self) -> str:
        """The shortest beginning of a UUID that names it; an id of another kind whole, as its first characters may not tell it."""
        return short_id(self.memory.id)

    @property
    def tier(self) -> str:
        """The tier an importer gave, else the lowest."""
        given = self.memory.extra.get("tier")
        return one_line(given) if given else "peripheral"

    @property
    def day(self) -> str:
        """The calendar day of storage in the caller's zone, the one `after` and `before` go by."""
        return day(self.memory.stored_at, self._view.zone)

    @property
    def age_days(self) -> int:
        """Whole days since storage, never negative."""
        days = (self._view.now - self.memory.stored_at).days
        return days if days > 0 else 0

    @property
    def why(self) -> str:
        """Path in words, matched terms, and the way through the graph."""
        why = self.hit.why
        words, path = why.words, why.path
        terms = f" | terms:{one_line(','.join(words[:MAX_TERMS]))}" if words else ""
        steps = f" | via:{' '.join(map(_step, path))}" if path else ""
        return self._reasons + terms + steps

    @property
    def file(self) -> str:
        """Where the text came from: file, heading or title."""
        memory = self.memory
        source = memory.extra.get("file") or memory.extra.get("heading") or memory.title
        return one_line(source) if source else "-"

    @property
    def found(self) -> Excerpt:
        """Where the sentence stands that holds most of what matched, and the matches in it."""
        if self._found is None:
            marked = self._view.marked
            self._found = _glimpse(self.hit) if marked is None else marked(self.hit)
        return self._found

    @property
    def snippet(self) -> str:
        """That sentence in one line, with dots where it was cut."""
        text = self.memory.text
        if self._view.marked is None:
            return snippet(text, self.hit.why.terms, SNIPPET_CHARS)
        return line_of(text, self.found.start, self.found.end)

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
        """Layer/authority, where an import had it from, the key, and what sets it apart from this door and this scope."""
        memory = self.memory
        tool, scope, key = memory.tool, memory.scope, memory.canonical_key
        parts = _origin(memory.extra, scope)
        if key:
            parts += _key(key)
        if tool and tool not in OWN_TOOLS:
            parts.append(f"tool:{tool}")
        if scope != self._view.scope:
            parts.append(f"scope:{scope}")
        return one_line(" | ".join(parts))

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
        until = f" | valid until {last_day(memory.valid_until, self._view.zone)}" if memory.valid_until else ""
        return f"{self.status}{by}{until}"

    @property
    def window(self) -> str:
        """The validity window, `..` between its ends, empty where neither is known."""
        start, end = self.memory.valid_from, self.memory.valid_until
        if start is None and end is None:
            return ""
        return f"{day(start, self._view.zone) if start else ''}..{last_day(end, self._view.zone) if end else ''}"

    @property
    def alike(self) -> Sequence[str]:
        """Ids of found memories that say the same, as they are shown."""
        return [short_id(id) for id in self.hit.alike]

    @property
    def reliability(self) -> str:
        """`(direct)`, `(inferred)`, `(hearsay)` or nothing."""
        given = self.memory.extra.get("reliability")
        return f"({one_line(given)})" if isinstance(given, str) else ""

    def brief(self) -> dict[str, Any]:
        """The structured value of `detail_level: brief`."""
        return self._with_alike({"id": self.memory.id, "score": self.score, "text": self.excerpt})

    def normal(self) -> dict[str, Any]:
        """The structured value of `detail_level: normal`."""
        memory = self.memory
        value = {
            "id": memory.id,
            "score": self.score,
            "text": memory.text,
            "category": memory.category,
            "scope": memory.scope,
            "storedAt": iso(memory.stored_at),
            "why": self.why,
            "status": self.status,
        }
        return self._with_alike(value)

    def _with_alike(self, value: dict[str, Any]) -> dict[str, Any]:
        if self.hit.alike:
            value["alike"] = list(self.hit.alike)
        return value

    def full(self) -> dict[str, Any]:
        """The structured value of `detail_level: full`; what the memory does not have is left out."""
        memory = self.memory
        metadata = {
            "title": memory.title,
            "tier": self.tier,
            "source": memory.source,
            "tool": memory.tool,
            "importance": memory.importance,
            "confidence": memory.confidence,
            "tags": list(memory.tags),
            "topicTag": memory.topic,
            "canonicalKey": memory.canonical_key,
            "provenance": self.provenance,
            "accessCount": memory.access_count,
            "eventTime": _event(memory),
            "validFrom": iso(memory.valid_from),
            "validUntil": iso(memory.valid_until),
            "supersededBy": memory.superseded_by,
        }
        return self.normal() | {name: value for name, value in metadata.items() if value is not None}

    def structured(self, detail: str) -> dict[str, Any]:
        """The structured value of a detail level."""
        return _VALUES[detail](self)


_VALUES: Mapping[str, Callable[[Row], dict[str, Any]]] = {"brief": Row.brief, "normal": Row.normal, "full": Row.full}


def _glimpse(hit: Hit) -> Excerpt:
    """What to show where nobody asked for the matches in it."""
    return Excerpt(*glimpse(hit.memory.text, hit.why.terms, SNIPPET_CHARS), marks=())


def one_line(value: object) -> str:
    """White space of every kind collapsed, so that stored text stays on its line."""
    return " ".join(str(value).split())


def short_id(id: str) -> str:
    """See Row.short_id."""
    return id[:MIN_PREFIX_CHARS] if _UUID.fullmatch(id) else one_line(id)


def day(moment: datetime, zone: tzinfo) -> str:
    """YYYY-MM-DD in the zone."""
    return moment.astimezone(zone).date().isoformat()


def last_day(end: datetime, zone: tzinfo) -> str:
    """The last day before an exclusive end."""
    return day(end - timedelta(microseconds=1), zone)


def iso(moment: datetime | None) -> str | None:
    """2026-03-01T09:30:00.000Z"""
    if moment is None:
        return None
    # As `isoformat` writes it, in a third of its time, and between quotes.
    written = orjson.dumps(moment.astimezone(timezone.utc)).decode()
    return f"{written[1:20]}.{written[21:24] if moment.microsecond else '000'}Z"


@cache
def _named(arms: tuple[str, ...]) -> tuple[str, str]:
    """(path, reasons) of what these arms found."""
    names = [named for arm, named in _ARMS.items() if arm in arms] or [("direct", "direct")]
    return "+".join(path for path, _ in names), "+".join(reason for _, reason in names)


def _origin(extra: Mapping[str, Any], scope: str) -> list[str]:
    """Layer/authority, and what an imported memory says of its past: the category it had, and the memory it was promoted
    from."""
    if not extra:
        return [_layer_of(scope)]
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
    return told


def _layer_of(scope: str) -> str:
    return _LAYERS.get(scope.partition(":")[0], "-")


def _key(key: str) -> Sequence[str]:
    """A key that a caller gave or that stands for a preference; one made of a text tells nobody anything."""
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
