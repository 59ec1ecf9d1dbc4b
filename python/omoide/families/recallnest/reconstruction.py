"""`reconstruct: true`: a section with what the found memories say together, beside the results.

Useful for: the section, its structured value and the remark on how it went. Not useful for: making and checking it
(memory/reconstruct.py).
Invariant: the results are never changed; if a reconstruction was asked for and cannot be shown, a remark says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from omoide.errors import Unavailable
from omoide.families.recallnest import notes, wire
from omoide.families.recallnest.card import one_line
from omoide.families.recallnest.context import Context
from omoide.families.recallnest.optional_sections import NOTHING, Extras
from omoide.families.recallnest.page import Page
from omoide.families.recallnest.translate import Question
from omoide.model.memory import Memory
from omoide.text import Excerpt
from omoide.traditional import told_in

if TYPE_CHECKING:
    from omoide.memory.reconstruct import Contradiction, Reconstruction

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


#: Tiers of memories that are not sent to a model: their writer wanted them to stay in the store.
_KEPT_HERE = ("private", "ephemeral")


def extras(context: Context, asked: Question, page: Page) -> Extras:
    """The reconstruction of what was found, or a remark on why there is none; nothing unless asked for."""
    if not asked.reconstruct:
        return NOTHING
    lang = context.memories.language_of(asked.text)
    ask = context.options.ask
    if not context.options.reconstruct or ask is None:
        return _without(notes.reconstruct("off", lang))
    from omoide.memory import reconstruct as together  # seldom needed

    told = [
        _told(memory, found, together.MOST_CHARS)
        for memory, found in zip(page.memories, page.found, strict=True)
        if memory.extra.get("privacyTier") not in _KEPT_HERE
    ]
    if not told:
        return _without(notes.reconstruct("empty", lang))
    try:
        return _shown(together.reconstruct(asked.text, told, ask, context.analyzer), lang)
    except Unavailable as error:
        return _without(notes.reconstruct("failed", lang, why=told_in(error.also, lang) or str(error)))


def _told(memory: Memory, found: Excerpt, most: int) -> Memory:
    """The memory with at most `most` characters of its text, around what was found."""
    text = memory.text
    start = max(0, min(found.start - most // 3, len(text) - most))
    return replace(memory, text=text[start : start + most])


def _without(note: str) -> Extras:
    return Extras(notes=(note,))


def _shown(made: Reconstruction, lang: str) -> Extras:
    count, dropped = len(made.claims) + len(made.dropped), len(made.dropped)
    if not count:
        return _without(notes.reconstruct("empty", lang))
    if not made.holds:
        return _without(notes.reconstruct("ungrounded", lang, kept=len(made.claims), count=count))
    remarks = (notes.reconstruct("dropped", lang, dropped=dropped, count=count),) if dropped else ()
    sections = (_text(made), *_contradictions(made.contradictions))
    return Extras(sections, {"reconstruction": _value(made)}, remarks)


def _text(made: Reconstruction) -> str:
    head = f"## Reconstructed Context (confidence: {made.confidence:.2f}, coverage: {made.coverage:.2f})"
    return f"{head}\n{_prose(made)}\n\nSources (direct): {', '.join(map(one_line, made.ids))}"


def _prose(made: Reconstruction) -> str:
    """The sentences, each with the ids of the memories that support it."""
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
