"""The layouts of answers as text: brief, normal, full, and the lines of a stored memory.

Useful for: people and models that see only the text block. Not useful for: programs (structuredContent).
Invariant: everything printed comes from a page and is one line long, except the whole text in `full`, which is indented, so
that a stored text cannot imitate a line of the layout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from functools import cache, lru_cache
from types import MappingProxyType

from omoide.families.recallnest.card import age, one_line, reliability, short_id, state, window
from omoide.families.recallnest.page import ACTIVE, Page, Row
from omoide.families.recallnest.wire import MAX_LIMIT
from omoide.model.memory import Memory

NO_RESULTS = "No results found."
RELATED = "## Related scope results"
BLANK_LINE = "\n\n"

_COLUMNS = (
    ("#", 2),
    ("ID", 8),
    ("Score", 5),
    ("Category", 12),
    ("Tier", 10),
    ("Source", 7),
    ("Date", 10),
    ("Age", 5),
    ("Retrieval Path", 20),
    ("File / Snippet", 14),
)
#: Size of the cache of scores: relevance has three decimals.
_SCORES = 1_001
#: Size of the cache of ages in days.
_AGES = 1_024
_TEXT_INDENT = "\n          "


def body(query: str, profile: str, page: Page, detail: str) -> str:
    """The results in the layout of a detail level."""
    return _BODIES[detail](one_line(query), profile, page) if page.hits else NO_RESULTS


def document(sections: Sequence[str], notes: Sequence[str], reminders: Sequence[str]) -> str:
    """The whole text block: results with their optional parts, remarks, fired reminders."""
    return BLANK_LINE.join([*sections, *[f"ℹ️ {note}" for note in notes]]) + _reminder_section(reminders)


def related(scope: str, body: str) -> str:
    """The section of a related scope."""
    return f"### {scope}\n{body}"


def fields(head: str, cells: Sequence[tuple[str, str]]) -> str:
    """A head, then `Name: value` on a line each."""
    return "\n".join((head, *(f"{name}: {one_line(value)}" for name, value in cells)))


def conflict(memory: Memory, *, other_category: bool) -> str:
    """The id of the memory that has the key already, and what a caller can do; `other_category`: it may choose the category."""
    meet = f", or category {memory.category} to meet it" if other_category else ""
    return f"{short_id(memory.id)} (it has this key in the category {memory.category}: pass another canonicalKey{meet})"


def percent(share: float) -> str:
    """The share as 84.2%."""
    return f"{share:.1%}"


def _reminder_section(actions: Sequence[str]) -> str:
    if not actions:
        return ""
    return "\n\n--- Triggered Reminders ---\n" + "\n".join(f"- {one_line(action)}" for action in actions)


def _brief(query: str, profile: str, page: Page) -> str:
    columns = zip(page.cards, page.scores, page.excerpts, page.statuses, page.alike, strict=True)
    lines = (
        f"#{place} {card.short_id} {percent(score)} — {excerpt}{_status_suffix(status)}{_alike_suffix(alike)}"
        for place, (card, score, excerpt, status, alike) in enumerate(columns, 1)
    )
    return "\n".join((f"Query: {query}", f"Hits: {len(page.hits)}", "", *lines))


def _status_suffix(status: str) -> str:
    return "" if status == ACTIVE else f" [{status}]"


def _alike_suffix(alike: Sequence[str]) -> str:
    return f" (+{len(alike)} alike)" if alike else ""


def _normal(query: str, profile: str, page: Page) -> str:
    return _table(query, profile, page, _extra_lines(page))


def _full(query: str, profile: str, page: Page) -> str:
    extra_lines = zip(page.rows, _extra_lines(page), strict=True)
    return _table(
        query, profile, page, [f"{extra}\n{_metadata_lines(row, page.view.zone)}" for row, extra in extra_lines]
    )


def _table(query: str, profile: str, page: Page, extra_lines: Sequence[str]) -> str:
    """The table of hits. `extra_lines`: further lines under the provenance of each hit, each beginning with a newline."""
    places, scores, ages = _place_cells(len(extra_lines)), map(_score_cell, page.scores), map(_age_cell, page.days())
    columns = zip(
        places,
        page.cards,
        scores,
        ages,
        page.retrieval_paths,
        page.snippets(),
        page.provenances(),
        extra_lines,
        strict=True,
    )
    lines = [
        f"{place}{card.short_id_cell}{score_cell}{card.cells}{age_cell}{retrieval_path.cell}{card.file} | {snippet}\n   prov : {provenance}{extra}"
        for place, card, score_cell, age_cell, retrieval_path, snippet, provenance, extra in columns
    ]
    header = (f"Query   : {query}", f"Profile : {profile}", f"Hits    : {len(page.hits)}", "", *_column_headers())
    return "\n".join([*header, *lines])


@cache
def _column_headers() -> tuple[str, str]:
    names = " ".join(name.ljust(width) for name, width in _COLUMNS)
    return names.rstrip(), " ".join("-" * width for _, width in _COLUMNS)


# Cells are padded to their columns, with a blank after them; that of the score is wider than its head. Cached, as padding takes
# longer than a look-up.
@lru_cache(MAX_LIMIT)
def _place_cells(hits: int) -> Sequence[str]:
    return tuple(f"{place:<2} " for place in range(1, hits + 1))


@lru_cache(_SCORES)
def _score_cell(share: float) -> str:
    return f"{percent(share):<6} "


@lru_cache(_AGES)
def _age_cell(days: int) -> str:
    return f"{age(days):<5} "


def _extra_lines(page: Page) -> Sequence[str]:
    """For each hit the lines with its state, if it is not active, and with the memories that say the same."""
    if page.is_plain:
        return [""] * len(page.hits)
    columns = zip(page.memories, page.statuses, page.alike, strict=True)
    return [f"{_state_line(memory, status, page.view.zone)}{_alike_line(alike)}" for memory, status, alike in columns]


def _state_line(memory: Memory, status: str, zone: tzinfo) -> str:
    return "" if status == ACTIVE else f"\n   state: {state(memory, status, zone)}"


def _alike_line(alike: Sequence[str]) -> str:
    return f"\n   alike: {', '.join(map(short_id, alike))}" if alike else ""


def _metadata_lines(row: Row, zone: tzinfo) -> str:
    memory = row.memory
    validity = window(memory, zone)
    parts = (
        f"evolution={memory.status.value}",
        f"accessCount={memory.access_count}",
        f"importance={memory.importance:.2f}",
        f"tags=[{', '.join(map(one_line, memory.tags))}]",
        *([f"topic={one_line(memory.topic)}"] if memory.topic else []),
        f"confidence={memory.confidence:.2f}{reliability(memory)}",
        *([f"valid={validity}"] if validity else []),
    )
    lines = (
        f"   meta : {' '.join(parts)}",
        f"   why  : {row.why}",
        f"   text : {_TEXT_INDENT.join(memory.text.splitlines())}",
    )
    return "\n".join(lines)


_BODIES: Mapping[str, Callable[[str, str, Page], str]] = MappingProxyType(
    {"brief": _brief, "normal": _normal, "full": _full}
)
