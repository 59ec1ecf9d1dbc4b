"""One found memory as recallnest shows it: in a line of text or as a structured value.

Useful for: every derived cell (short id, tier, path, provenance, age) and its default for memories of other doors.
Not useful for: layout (layouts.py) and order (translate.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache, cached_property
from typing import Any

from omoide.families.recallnest import keys
from omoide.model.entity import Entity
from omoide.model.memory import Memory, Status
from omoide.model.query import Hit, Step
from omoide.text import Excerpt
from omoide.text.highlight import ELLIPSIS, cut

#: A memory of this door needs no word about the tool that stored it.
OWN_TOOLS = frozenset({"store_memory", "batch_store", "store_case", "store_workflow_pattern"})
#: A snippet that was cut ends with three dots: 120 characters in all.
SNIPPET_CHARS = 117
EXCERPT_CHARS = 80
#: The excerpt of a text is in here, however many blanks it has.
BEGINNING_CHARS = 1_000
MAX_TERMS = 8
SHORT_ID_CHARS = 8
_SENTENCE_ENDS = tuple("。！？!?.")
_CLOSERS = "」』）)\"'”’"

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


@dataclass(frozen=True)
class Row:
    """A hit and how it looks `now`. `expired`: its window had ended; its relevance is lowered already.

    `excerpt_of` gives what to show of a hit: a slice of its text as it was written.
    """

    hit: Hit
    now: datetime
    zone: tzinfo
    excerpt_of: Callable[[Hit], Excerpt]
    expired: bool = False
    searched_scope: str | None = None

    @property
    def memory(self) -> Memory:
        """What was found."""
        return self.hit.memory

    @property
    def score(self) -> float:
        """Relevance to three decimals."""
        return round(self.hit.relevance, 3)

    @property
    def short_id(self) -> str:
        """The first 8 characters of a UUID; an id of another kind whole, as its first characters may not tell it."""
        return short_id(self.hit.memory.id)

    @property
    def tier(self) -> str:
        """The tier an importer gave, else the lowest."""
        given = self.hit.memory.extra.get("tier")
        return one_line(given) if given else "peripheral"

    @property
    def day(self) -> str:
        """The calendar day of storage in the caller's zone, the one `after` and `before` go by."""
        return day(self.hit.memory.stored_at, self.zone)

    @property
    def age_days(self) -> int:
        """Whole days since storage, never negative."""
        return max(0, (self.now - self.hit.memory.stored_at).days)

    @property
    def path(self) -> str:
        """The arms that found it: vector, bm25, graph."""
        return self._found_by[0]

    @property
    def why(self) -> str:
        """Path in words, matched terms, and the way through the graph."""
        reasons, why = self._found_by[1], self.hit.why
        terms = f" | terms:{one_line(','.join(why.words[:MAX_TERMS]))}" if why.words else ""
        steps = f" | via:{' '.join(map(_step, why.path))}" if why.path else ""
        return reasons + terms + steps

    @property
    def file(self) -> str:
        """Where the text came from: file, heading or title."""
        memory = self.hit.memory
        source = memory.extra.get("file") or memory.extra.get("heading") or memory.title
        return one_line(source) if source else "-"

    @cached_property
    def found(self) -> Excerpt:
        """Where the sentence stands that holds most of what matched, and the matches in it."""
        return self.excerpt_of(self.hit)

    @property
    def snippet(self) -> str:
        """That sentence, as it was written but for white space, with dots where it was cut."""
        text, found = self.hit.memory.text, self.found
        end = found.end
        shown = text[found.start : end]
        ended = text[end : end + 1] in ("", "\n") or shown.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)
        return one_line(shown if ended else shown + ELLIPSIS)

    @cached_property
    def excerpt(self) -> str:
        """The memory in a few words: an importer's abstract, else its beginning."""
        abstract = self.memory.extra.get("l0_abstract")
        text = abstract if isinstance(abstract, str) and abstract.strip() else self.memory.text
        return cut(one_line(text.lstrip()[:BEGINNING_CHARS]), EXCERPT_CHARS)

    @property
    def provenance(self) -> str:
        """Layer/authority, where an import had it from, the key, and what sets it apart from this door and this scope."""
        memory = self.hit.memory
        tool, scope = memory.tool, memory.scope
        parts = [*_origin(memory.extra, scope), *_key(memory.canonical_key)]
        if tool and tool not in OWN_TOOLS:
            parts.append(f"tool:{tool}")
        if scope != self.searched_scope:
            parts.append(f"scope:{scope}")
        return one_line(" | ".join(parts))

    @property
    def status(self) -> str:
        """The stored status, or `expired` for an active memory whose window has ended."""
        stored = self.hit.memory.status
        return "expired" if self.expired and stored is Status.ACTIVE else stored.value

    @property
    def stands(self) -> bool:
        """Whether the status is `active`."""
        return not self.expired and self.hit.memory.status is Status.ACTIVE

    @property
    def state(self) -> str:
        """The status with what ended it."""
        memory = self.memory
        by = f" by {short_id(memory.superseded_by)}" if memory.superseded_by else ""
        until = f" | valid until {last_day(memory.valid_until, self.zone)}" if memory.valid_until else ""
        return f"{self.status}{by}{until}"

    @property
    def window(self) -> str:
        """The validity window, `..` between its ends, empty where neither is known."""
        start, end = self.memory.valid_from, self.memory.valid_until
        if start is None and end is None:
            return ""
        return f"{day(start, self.zone) if start else ''}..{last_day(end, self.zone) if end else ''}"

    @property
    def alike(self) -> Sequence[str]:
        """Ids of found memories that say the same, as they are shown."""
        return [short_id(id) for id in self.hit.alike]

    @property
    def reliability(self) -> str:
        """`(direct)`, `(inferred)`, `(hearsay)` or nothing."""
        given = self.memory.extra.get("reliability")
        return f"({one_line(given)})" if isinstance(given, str) else ""

    @property
    def _found_by(self) -> tuple[str, str]:
        return _named(tuple([arm for arm, _, _ in self.hit.why.arms]))

    def brief(self) -> dict[str, Any]:
        """The structured value of `detail_level: brief`."""
        return {"id": self.memory.id, "score": self.score, "text": self.excerpt, **self._again()}

    def normal(self) -> dict[str, Any]:
        """The structured value of `detail_level: normal`."""
        memory = self.hit.memory
        return {
            "id": memory.id,
            "score": self.score,
            "text": memory.text,
            "category": memory.category,
            "scope": memory.scope,
            "storedAt": iso(memory.stored_at),
            "why": self.why,
            "status": self.status,
            **self._again(),
        }

    def _again(self) -> dict[str, Any]:
        return {"alike": list(self.hit.alike)} if self.hit.alike else {}

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
        return {"brief": self.brief, "normal": self.normal, "full": self.full}[detail]()


def one_line(value: object) -> str:
    """White space of every kind collapsed, so that stored text stays on its line."""
    return " ".join(str(value).split())


def short_id(id: str) -> str:
    """See Row.short_id."""
    return id[:SHORT_ID_CHARS] if _UUID.fullmatch(id) else one_line(id)


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
    return moment.astimezone(timezone.utc).isoformat("T", "milliseconds").removesuffix("+00:00") + "Z"


@cache
def _named(arms: tuple[str, ...]) -> tuple[str, str]:
    """(path, reasons) of what these arms found."""
    names = [named for arm, named in _ARMS.items() if arm in arms] or [("direct", "direct")]
    return "+".join(path for path, _ in names), "+".join(reason for _, reason in names)


def _origin(extra: Mapping[str, Any], scope: str) -> list[str]:
    """Layer/authority, and what an imported memory says of its past: the category it had, and the memory it was promoted
    from."""
    boundary, source = extra.get("boundary"), extra.get("promotedFrom")
    if not isinstance(boundary, dict):
        boundary = {}
    layer = boundary.get("layer")
    told = [f"{layer}/{boundary.get('authority', '?')}" if layer else _LAYERS.get(scope.partition(":")[0], "-")]
    if boundary.get("downgradedFrom"):
        told.append(f"downgraded:{boundary['downgradedFrom']}")
    if isinstance(source, dict) and source.get("id"):
        told.append(
            f"promoted:{short_id(str(source['id']))}<-{source.get('layer', '?')}/{source.get('authority') or '-'}"
        )
    return told


def _key(key: str | None) -> Sequence[str]:
    """A key that a caller gave or that stands for a preference; one made of a text tells nobody anything."""
    slot = keys.slot(key) if key else None
    if slot is not None:
        return f"key:{key}", f"slot:{slot}"
    return (f"key:{key}",) if key and keys.is_given(key) else ()


def _event(memory: Memory) -> str | None:
    event = memory.event_time
    return None if event is None else iso(event.start) or event.raw


def _step(step: Step) -> str:
    name = one_line(step.to.name) if isinstance(step.to, Entity) else short_id(step.to.id)
    relation = one_line(step.relation)
    return f"-{relation}-> {name}" if step.forward else f"<-{relation}- {name}"
