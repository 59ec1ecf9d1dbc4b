"""The hits of an answer as recallnest shows them, column by column, and their structured values.

Columns are computed for all hits at once, as a Python call for each cell would be the slowest part of a search after the
search itself.

Useful for: every cell that depends on the query (score, path, reasons, age, what to show of the text).
Not useful for: cells that depend on the memory only (card.py), layout (layouts.py) and order (translate.py).
Invariant: a column has a cell for each hit, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from datetime import datetime, tzinfo
from functools import cache, cached_property
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple

from omoide.families.recallnest.card import UPCOMING, Card, cards_of, iso, one_line, short_id
from omoide.memory.remember import is_upcoming
from omoide.model.entity import Entity
from omoide.model.memory import Memory
from omoide.model.query import Hit, Step, Why
from omoide.text import Excerpt, glimpse, line_of, snippets
from omoide.text.highlight import cut

#: A snippet that is cut ends with three dots: 120 characters in all.
SNIPPET_CHARS = 117
EXCERPT_CHARS = 80
#: The excerpt of a text is taken from this many characters, however many blanks they have.
BEGINNING_CHARS = 1_000
MAX_TERMS = 8
ACTIVE = "active"

_STATUS = attrgetter("status")
_TEXT = attrgetter("text")
_VALID_FROM = attrgetter("valid_from")
#: Arm -> its name as a path, and as a reason.
_ARM_NAMES = {"vectors": ("vector", "semantic"), "words": ("bm25", "keyword"), "graph": ("graph", "graph")}


class View(NamedTuple):
    """What the cells of an answer depend on: `now`; `zone`: the caller's; `scope`: the one searched, None for every scope;
    `highlight`: returns the excerpt of a hit with its matches marked, if the caller wants them; `expired`: ids of memories whose
    window had ended; `of_now`: whether the answer is about `now`, so that a window which begins later is worth a word."""

    now: datetime
    zone: tzinfo
    scope: str | None = None
    highlight: Callable[[Hit], Excerpt] | None = None
    expired: Set[str] = frozenset()
    of_now: bool = True


class RetrievalPath(NamedTuple):
    """The arms that found a memory: as a path (vector+bm25), as the cell of a table, and as reasons (semantic+keyword)."""

    path: str
    cell: str
    reasons: str


class Row(NamedTuple):
    """One hit of a page with its cells, for layouts that show much of each hit."""

    hit: Hit
    memory: Memory
    card: Card
    #: Relevance to three decimals.
    score: float
    status: str
    retrieval_path: RetrievalPath
    why: str
    provenance: str
    #: Since the memory was stored.
    days: int


#: The columns of no hits, and of their reasons.
_NO_HITS = ((),) * len(Hit._fields)
_NO_EXPLANATIONS = ((),) * len(Why._fields)


class Page:
    """Hits in a view. Expired memories must have their relevance lowered already.

    Columns that most layouts show are computed at once, the others when they are asked for.
    """

    memories: Sequence[Memory]
    #: Ids of found memories that say the same as each.
    alike: Sequence[Sequence[str]]
    _terms: Sequence[Sequence[str]]
    _words: Sequence[Sequence[str]]
    _paths: Sequence[Sequence[Step]]

    def __init__(self, hits: Sequence[Hit], view: View) -> None:
        self.hits = hits
        self.view = view
        self.memories, relevances, _, whys, self.alike, _ = zip(*hits, strict=True) if hits else _NO_HITS
        ranked_by, self._terms, self._words, self._paths, *_ = zip(*whys, strict=True) if hits else _NO_EXPLANATIONS
        self.cards = cards_of(self.memories, view.zone)
        #: Relevance to three decimals.
        self.scores: list[float] = list(map(round, relevances, repeat(3)))
        self.retrieval_paths = list(map(_retrieval_path, ranked_by))
        self.statuses = self._statuses()
        #: Whether every memory is active, and no others were folded into one.
        self.is_plain = self.statuses.count(ACTIVE) == len(hits) and not any(self.alike)

    def _statuses(self) -> list[str]:
        """The stored status, or for an active memory `expired` if its window has ended, `upcoming` if it has not begun."""
        stored: list[str] = list(map(_STATUS, self.cards))
        if not self.view.expired and not any(map(_VALID_FROM, self.memories)):  # the usual case
            return stored
        columns = zip(stored, self.memories, strict=True)
        return [self._window_status(memory) if status == ACTIVE else status for status, memory in columns]

    def _window_status(self, memory: Memory) -> str:
        if memory.id in self.view.expired:
            return "expired"
        return UPCOMING if self.view.of_now and is_upcoming(memory, self.view.now) else ACTIVE

    @cached_property
    def rows(self) -> list[Row]:
        """All columns, hit by hit."""
        return list(
            map(
                Row,
                self.hits,
                self.memories,
                self.cards,
                self.scores,
                self.statuses,
                self.retrieval_paths,
                self.whys(),
                self.provenances(),
                self.days(),
            )
        )

    @cached_property
    def best_sentences(self) -> list[Excerpt]:
        """For each hit the sentence with most of the matches, as a slice of its text, and the matches in it."""
        if (highlight := self.view.highlight) is not None:
            return list(map(highlight, self.hits))
        columns = zip(self.memories, self._terms, strict=True)
        return [Excerpt(*glimpse(memory.text, terms, SNIPPET_CHARS), marks=()) for memory, terms in columns]

    @cached_property
    def excerpts(self) -> list[str]:
        """Each memory in a few words: an importer's abstract, else its beginning."""
        return list(map(_excerpt, self.memories))

    def days(self) -> list[int]:
        """Days since storage; negative if the clock was set back since."""
        now = self.view.now
        return [(now - card.stored).days for card in self.cards]

    def whys(self) -> list[str]:
        """The reasons for each hit: path in words, matched terms, path through the graph."""
        reasons: list[str] = []
        previous_words, previous_path, why = None, None, ""
        for retrieval_path, words in zip(self.retrieval_paths, self._words, strict=True):
            # Hits with the same words share them, and this text.
            if words is not previous_words or retrieval_path is not previous_path:
                previous_words, previous_path, why = words, retrieval_path, f"{retrieval_path.reasons}{_terms(words)}"
            reasons.append(why)
        if any(self._paths):
            return [f"{why}{_via(path)}" for why, path in zip(reasons, self._paths, strict=True)]
        return reasons

    def snippets(self) -> list[str]:
        """The sentence of `best_sentences` on one line, with dots where it was cut."""
        texts = map(_TEXT, self.cards)
        if self.view.highlight is not None:
            return [
                line_of(text, sentence.start, sentence.end)
                for text, sentence in zip(texts, self.best_sentences, strict=True)
            ]
        return snippets(list(texts), self._terms, SNIPPET_CHARS)

    def provenances(self) -> list[str]:
        """The provenance of each memory, with its scope if that is not the one searched."""
        scope = self.view.scope
        return [card.provenance if card.scope == scope else card.provenance_with_scope for card in self.cards]


def values(page: Page, detail: str) -> list[dict[str, Any]]:
    """The structured values of a detail level."""
    return _VALUES[detail](page)


def _brief(page: Page) -> list[dict[str, Any]]:
    columns = zip(page.memories, page.scores, page.excerpts, strict=True)
    results = [{"id": memory.id, "score": score, "text": excerpt} for memory, score, excerpt in columns]
    return _with_alike(page, _with_states(page, results))


def _with_states(page: Page, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results with the status of those that are not active."""
    if not page.is_plain:
        for result, status in zip(results, page.statuses, strict=True):
            if status != ACTIVE:
                result["status"] = status
    return results


def _normal(page: Page) -> list[dict[str, Any]]:
    columns = zip(page.cards, page.scores, page.whys(), page.statuses, strict=True)
    results = [
        {
            "id": card.id,
            "score": score,
            "text": card.text,
            "category": card.category,
            "scope": card.scope,
            "storedAt": card.stored_at,
            "why": why,
            "status": status,
        }
        for card, score, why, status in columns
    ]
    return _with_alike(page, results)


def _with_alike(page: Page, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not page.is_plain:
        for result, alike in zip(results, page.alike, strict=True):
            if alike:
                result["alike"] = list(alike)
    return results


def _full(page: Page) -> list[dict[str, Any]]:
    return [value | _metadata(row) for row, value in zip(page.rows, _normal(page), strict=True)]


def _metadata(row: Row) -> dict[str, Any]:
    """The metadata of a memory; absent values are left out."""
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


_VALUES: Mapping[str, Callable[[Page], list[dict[str, Any]]]] = {
    "brief": _brief,
    "normal": _normal,
    "full": _full,
}


@cache
def _retrieval_path(arms: tuple[str, ...]) -> RetrievalPath:
    """The retrieval path of a memory that these arms found."""
    names = [named for arm, named in _ARM_NAMES.items() if arm in arms] or [("direct", "direct")]
    path = "+".join(path for path, _ in names)
    return RetrievalPath(path, f"{path:<20} ", "+".join(reason for _, reason in names))


def _excerpt(memory: Memory) -> str:
    abstract = memory.extra.get("l0_abstract")
    text = abstract if isinstance(abstract, str) and abstract.strip() else memory.text
    return cut(one_line(text.lstrip()[:BEGINNING_CHARS]), EXCERPT_CHARS)


def _terms(words: Sequence[str]) -> str:
    return f" | terms:{one_line(','.join(words[:MAX_TERMS]))}" if words else ""


def _via(path: Sequence[Step]) -> str:
    return f" | via:{' '.join(map(_step, path))}" if path else ""


def _step(step: Step) -> str:
    name = one_line(step.to.name) if isinstance(step.to, Entity) else short_id(step.to.id)
    relation = one_line(step.relation)
    return f"-{relation}-> {name}" if step.forward else f"<-{relation}- {name}"


def _event(memory: Memory) -> str | None:
    event = memory.event_time
    return None if event is None else iso(event.start) or event.raw
