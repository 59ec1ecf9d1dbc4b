"""How answers are laid out as text: brief, normal, full, and the lines of a stored memory.

Useful for: people and models that see only the text block. Not useful for: programs (structuredContent).
Invariant: everything printed comes from rows and is one line long, except the whole text in `full`, which is indented:
a stored text cannot imitate a line of the layout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType

from omoide.families.recallnest.row import Row, one_line, short_id, snippets
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
#: Relevance has three decimals.
_SCORES = 1_001
_TEXT_INDENT = "\n          "


def body(query: str, profile: str, rows: Sequence[Row], detail: str) -> str:
    """The results in the layout of a detail level."""
    return _BODIES[detail](one_line(query), profile, rows) if rows else NO_RESULTS


def document(sections: Sequence[str], notes: Sequence[str], reminders: Sequence[str]) -> str:
    """The whole text block: results and what belongs to them, remarks, fired reminders."""
    return BLANK_LINE.join([*sections, *[f"ℹ️ {note}" for note in notes]]) + _reminders(reminders)


def related(scope: str, body: str) -> str:
    """The results of a related scope."""
    return f"### {one_line(scope)}\n{body}"


def fields(head: str, cells: Sequence[tuple[str, str]]) -> str:
    """A head and one `Name: value` a line."""
    return "\n".join((head, *(f"{name}: {one_line(value)}" for name, value in cells)))


def conflict(memory: Memory) -> str:
    """Which memory has the key, and the two ways on."""
    return (
        f"{short_id(memory.id)} (it has this key in the category {memory.category}: "
        f"pass another canonicalKey, or category {memory.category} to meet it)"
    )


def percent(share: float) -> str:
    """84.2%"""
    return f"{share:.1%}"


def _reminders(actions: Sequence[str]) -> str:
    if not actions:
        return ""
    return "\n\n--- Triggered Reminders ---\n" + "\n".join(f"- {one_line(action)}" for action in actions)


def _brief(query: str, profile: str, rows: Sequence[Row]) -> str:
    lines = (
        f"#{place} {row.card.short_id} {percent(row.score)} — {row.excerpt}{_mark(row)}{_again(row)}"
        for place, row in enumerate(rows, 1)
    )
    return "\n".join((f"Query: {query}", f"Hits: {len(rows)}", "", *lines))


def _mark(row: Row) -> str:
    return "" if row.stands else f" [{row.status}]"


def _again(row: Row) -> str:
    return f" (+{len(row.alike)} alike)" if row.alike else ""


def _normal(query: str, profile: str, rows: Sequence[Row]) -> str:
    return _table(query, profile, rows, _provenance)


def _full(query: str, profile: str, rows: Sequence[Row]) -> str:
    return _table(query, profile, rows, lambda row: (*_provenance(row), *_meta(row)))


def _table(query: str, profile: str, rows: Sequence[Row], below: Callable[[Row], Sequence[str]]) -> str:
    lines = [f"Query   : {query}", f"Profile : {profile}", f"Hits    : {len(rows)}", "", *_heads()]
    for place, (row, snippet) in enumerate(zip(rows, snippets(rows), strict=True), 1):
        lines.append(_cells(place, row, snippet))
        lines += below(row)
    return "\n".join(lines)


@cache
def _heads() -> tuple[str, str]:
    names = " ".join(name.ljust(width) for name, width in _COLUMNS)
    return names.rstrip(), " ".join("-" * width for _, width in _COLUMNS)


def _cells(place: int, row: Row, snippet: str) -> str:
    """As wide as the columns, but that the score is wider than its head."""
    card, age = row.card, f"{row.age_days}d"
    cells = f"{place:<2} {card.short_id:<8} {_score(row.score)} {card.columns} {age:<5} {row.way.column}"
    return f"{cells} {card.file} | {snippet}"


# To fill in what a column wants takes longer than to look it up.
@lru_cache(_SCORES)
def _score(share: float) -> str:
    return f"{percent(share):<6}"


def _provenance(row: Row) -> Sequence[str]:
    lines = [f"   prov : {row.provenance}"]
    if not row.stands:
        lines.append(f"   state: {row.state}")
    if row.hit.alike:
        lines.append(f"   alike: {', '.join(row.alike)}")
    return lines


def _meta(row: Row) -> Sequence[str]:
    memory = row.memory
    parts = (
        f"evolution={memory.status.value}",
        f"accessCount={memory.access_count}",
        f"importance={memory.importance:.2f}",
        f"tags=[{', '.join(map(one_line, memory.tags))}]",
        *([f"topic={one_line(memory.topic)}"] if memory.topic else []),
        f"confidence={memory.confidence:.2f}{row.reliability}",
        *([f"valid={row.window}"] if row.window else []),
    )
    return (
        f"   meta : {' '.join(parts)}",
        f"   why  : {row.why}",
        f"   text : {_TEXT_INDENT.join(memory.text.splitlines())}",
    )


_BODIES: Mapping[str, Callable[[str, str, Sequence[Row]], str]] = MappingProxyType(
    {"brief": _brief, "normal": _normal, "full": _full}
)
