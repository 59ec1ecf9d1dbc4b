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
_NEVER_SENT = ("private", "ephemeral")


def extras(context: Context, question: Question, page: Page) -> Extras:
    """The reconstruction of what was found, or a remark on why there is none; nothing unless asked for."""
    if not question.reconstruct:
        return NOTHING
    lang = context.memories.language_of(question.text)
    ask = context.options.ask
    if not context.options.reconstruct or ask is None:
        return _remark(notes.reconstruct("off", lang))
    from omoide.memory import reconstruct as module  # seldom needed

    sources = [
        _excerpted(memory, excerpt, module.MOST_CHARS)
        for memory, excerpt in zip(page.memories, page.best_sentences, strict=True)
        if memory.extra.get("privacyTier") not in _NEVER_SENT
    ]
    if not sources:
        return _remark(notes.reconstruct("empty", lang))
    try:
        return _section(module.reconstruct(question.text, sources, ask, context.analyzer), lang)
    except Unavailable as error:
        return _remark(notes.reconstruct("failed", lang, why=told_in(error.also, lang) or str(error)))


def _excerpted(memory: Memory, excerpt: Excerpt, most: int) -> Memory:
    """The memory with at most `most` characters of its text, around what was found."""
    text = memory.text
    start = max(0, min(excerpt.start - most // 3, len(text) - most))
    return replace(memory, text=text[start : start + most])


def _remark(remark: str) -> Extras:
    return Extras(notes=(remark,))


def _section(reconstruction: Reconstruction, lang: str) -> Extras:
    count, dropped = len(reconstruction.claims) + len(reconstruction.dropped), len(reconstruction.dropped)
    if not count:
        return _remark(notes.reconstruct("empty", lang))
    if not reconstruction.holds:
        return _remark(notes.reconstruct("ungrounded", lang, kept=len(reconstruction.claims), count=count))
    remarks = (notes.reconstruct("dropped", lang, dropped=dropped, count=count),) if dropped else ()
    sections = (_text(reconstruction), *_contradictions(reconstruction.contradictions))
    told_apart = (memory.id for pair in reconstruction.contradictions for memory in (pair.first, pair.second))
    ids = frozenset((*reconstruction.ids, *told_apart))
    return Extras(sections, {"reconstruction": _value(reconstruction)}, remarks, ids)


def _text(reconstruction: Reconstruction) -> str:
    head = f"## Reconstructed Context (confidence: {reconstruction.confidence:.2f}, coverage: {reconstruction.coverage:.2f})"
    return f"{head}\n{_prose(reconstruction)}\n\nSources (direct): {', '.join(map(one_line, reconstruction.ids))}"


def _prose(reconstruction: Reconstruction) -> str:
    """The sentences, each with the ids of the memories that support it."""
    return " ".join(f"{claim.text} [src:{', '.join(map(one_line, claim.ids))}]" for claim in reconstruction.claims)


def _contradictions(pairs: Sequence[Contradiction]) -> list[str]:
    if not pairs:
        return []
    lines = (f"- ⚠️ {_SAID_AND_DENIED} [{one_line(pair.first.id)} vs {one_line(pair.second.id)}]" for pair in pairs)
    return ["\n".join(("### Contradictions Detected", *lines))]


def _value(reconstruction: Reconstruction) -> dict[str, Any]:
    return {
        "text": _prose(reconstruction),
        "confidence": round(reconstruction.confidence, 2),
        "coverage": round(reconstruction.coverage, 2),
        "sources": list(reconstruction.ids),
        "claims": [{"text": claim.text, "ids": list(claim.ids)} for claim in reconstruction.claims],
        "dropped": [{"text": each.text, "reason": each.reason} for each in reconstruction.dropped],
        "contradictions": [
            {"description": _SAID_AND_DENIED, "ids": [pair.first.id, pair.second.id]}
            for pair in reconstruction.contradictions
        ],
    }
