"""`reconstruct: true`: what the found memories say together, beside them.

Useful for: the section, its structured value and the line that says how it went. Not useful for: making and checking
it (memory/reconstruct.py).
Invariant: the raw results are never touched; whatever happens, a line says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from omoide.errors import Unavailable
from omoide.families.recallnest import notes, wire
from omoide.families.recallnest.door import Door
from omoide.families.recallnest.row import Row, one_line
from omoide.memory.reconstruct import Contradiction, Reconstruction, reconstruct

_CLAIM = wire.answer({"text": wire.STRING, "ids": wire.STRINGS}, "text", "ids")
_DROPPED = wire.answer({"text": wire.STRING, "reason": wire.STRING}, "text", "reason")
_PAIR = wire.answer({"description": wire.STRING, "ids": wire.STRINGS}, "description", "ids")
OUTPUT = wire.answer(
    {
        "text": {**wire.STRING, "description": "Sentences of a language model, each covered by the memories it cites"},
        "confidence": wire.SHARE,
        "coverage": wire.SHARE,
        "sources": {**wire.STRINGS, "description": "Ids of the memories it rests on"},
        "claims": {"type": "array", "items": _CLAIM},
        "dropped": {"type": "array", "items": _DROPPED, "description": "What the model said without cover"},
        "contradictions": {"type": "array", "items": _PAIR},
    },
    "text",
    "confidence",
    "coverage",
    "sources",
    "claims",
    "dropped",
    "contradictions",
)
_SAID_AND_DENIED = "one says what the other denies"


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside the results: sections in front of them, a structured value, a remark."""

    sections: tuple[str, ...] = ()
    value: dict[str, Any] | None = None
    note: str | None = None


def beside(door: Door, question: str, rows: Sequence[Row]) -> Beside:
    """The reconstruction of some rows, or why there is none."""
    lang = notes.language(question)
    ask = door.options.ask
    if not door.options.reconstruct or ask is None:
        return Beside(note=notes.reconstruct("off", lang))
    if not rows:
        return Beside(note=notes.reconstruct("empty", lang))
    try:
        made = reconstruct(question, [row.memory for row in rows], ask, door.analyzer)
    except Unavailable as error:
        return Beside(note=notes.reconstruct("failed", lang, why=error))
    return _shown(made, lang)


def _shown(made: Reconstruction, lang: str) -> Beside:
    count = len(made.claims) + len(made.dropped)
    if not count:
        return Beside(note=notes.reconstruct("empty", lang))
    if not made.holds:
        return Beside(note=notes.reconstruct("ungrounded", lang, kept=len(made.claims), count=count))
    dropped = len(made.dropped)
    note = notes.reconstruct("dropped", lang, dropped=dropped, count=count) if dropped else None
    return Beside((_text(made), *_contradictions(made.contradictions)), _value(made), note)


def _text(made: Reconstruction) -> str:
    head = f"## Reconstructed Context (confidence: {made.confidence:.2f}, coverage: {made.coverage:.2f})"
    return f"{head}\n{_prose(made)}\n\nSources (direct): {', '.join(map(one_line, made.ids))}"


def _prose(made: Reconstruction) -> str:
    """Each sentence with the ids it rests on."""
    return " ".join(f"{claim.text} [src:{', '.join(map(one_line, claim.ids))}]" for claim in made.claims)


def _contradictions(pairs: Sequence[Contradiction]) -> list[str]:
    if not pairs:
        return []
    lines = (f"- ⚠️ {_SAID_AND_DENIED} [{one_line(pair.first.id)} vs {one_line(pair.second.id)}]" for pair in pairs)
    return ["\n".join(("### Contradictions Detected", *lines))]


def _value(made: Reconstruction) -> dict[str, Any]:
    return {
        "text": _prose(made),
        "confidence": round(made.confidence, 2),
        "coverage": round(made.coverage, 2),
        "sources": list(made.ids),
        "claims": [{"text": claim.text, "ids": list(claim.ids)} for claim in made.claims],
        "dropped": [{"text": each.text, "reason": each.reason} for each in made.dropped],
        "contradictions": [
            {"description": _SAID_AND_DENIED, "ids": [pair.first.id, pair.second.id]} for pair in made.contradictions
        ],
    }
