"""`detail_level: adaptive`: whole texts of the best hits, snippets of the others, within a budget of tokens.

Useful for: callers that pay for every token. Not useful for: choosing hits; the order stays, only the end may be cut, and the
answer says how many hits are left out.
Invariant: a stored text cannot imitate a line of this layout: a line that begins like one is indented by a space.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from omoide.families.recallnest.card import one_line
from omoide.families.recallnest.page import ACTIVE, Page, Row, values
from omoide.text import Excerpt
from omoide.text.graphemes import border

#: From this relevance on a hit is shown whole.
FULL_FROM = 0.85
BUDGET_TOKENS = 8000
#: Characters that a snippet shows before and after the start of the first match.
BEFORE, AFTER = 60, 180
#: Tokens per Han or kana character, and per any other.
WIDE_TOKENS, NARROW_TOKENS = 1.5, 0.25
DOTS = "…"

#: Compiled when the first text is counted, as that takes milliseconds.
_WIDE = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
#: Includes line breaks that only some readers treat as such.
_OWN_LINES = re.compile(
    "(?:^|(?<=[\r\v\f\x1c-\x1e\x85\u2028\u2029]))"
    r"(?=\[(?:FULL|SNIP)\]|#{2,3} |--- |ℹ️|⚠️|(?:Query|Profile|Mode|Shown) *:)",
    re.MULTILINE,
)


class Shown(NamedTuple):
    """A hit with the part of its text that is shown."""

    row: Row
    form: Literal["full", "snippet"]
    text: str


def fitted(page: Page, budget: int = BUDGET_TOKENS) -> list[Shown]:
    """As many of the hits as fit, in their order; a whole text that does not fit becomes a snippet first."""
    shown: list[Shown] = []
    for row, sentence in zip(page.rows, page.best_sentences, strict=True):
        fits = next((each for each in _forms(row, sentence) if tokens(each.text) <= budget), None)
        if fits is None:
            break
        shown.append(fits)
        budget -= tokens(fits.text)
    return shown


def structured(page: Page, shown: Sequence[Shown]) -> list[dict[str, Any]]:
    """The structured values of the hits shown; `text` is the part shown."""
    whole = values(page, "normal")[: len(shown)]
    return [value | {"text": each.text, "form": each.form} for value, each in zip(whole, shown, strict=True)]


def tokens(text: str) -> int:
    """The estimated number of tokens of a text."""
    wide = len(re.findall(_WIDE, text))
    return math.ceil(wide * WIDE_TOKENS + (len(text) - wide) * NARROW_TOKENS)


def body(query: str, profile: str, shown: Sequence[Shown], of: int) -> str:
    """The text block: a head, then each hit on a line of its own with its text below."""
    left = of - len(shown)
    omitted = f" ({left} omitted: token budget)" if left else ""
    head = (
        f"Query   : {one_line(query)}",
        f"Profile : {profile}",
        f"Mode    : adaptive — full text for score ≥ {FULL_FROM}, query-aware snippet otherwise, "
        f"{BUDGET_TOKENS}-token budget",
        f"Shown   : {len(shown)} of {of}{omitted}",
    )
    return "\n\n".join(("\n".join(head), *map(_block, shown)))


def _forms(row: Row, found: Excerpt) -> Sequence[Shown]:
    snippet = Shown(row, "snippet", _snippet(row.memory.text, found))
    return (Shown(row, "full", row.memory.text), snippet) if row.score >= FULL_FROM else (snippet,)


def _snippet(text: str, found: Excerpt) -> str:
    first = found.marks[0][0] if found.marks else found.start
    start, end = border(text, max(0, first - BEFORE)), border(text, first + AFTER)
    return f"{DOTS if start else ''}{text[start:end]}{DOTS if end < len(text) else ''}"


def _block(shown: Shown) -> str:
    row = shown.row
    label = {"full": "[FULL]", "snippet": "[SNIP]"}[shown.form]
    state = [] if row.status == ACTIVE else [f"[{row.status}]"]
    again = [f"(+{len(row.hit.alike)} alike)"] if row.hit.alike else []
    cells = (
        f"{label} {row.card.short_id}",
        f"{row.score:.0%}",
        row.memory.category,
        one_line(row.memory.source),
        *state,
        *again,
    )
    return f"{'  '.join(cells)}\n{_OWN_LINES.sub(' ', shown.text)}"
