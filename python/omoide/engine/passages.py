"""Which texts of a memory are embedded, and which part of it is each?

A memory that is short enough is embedded whole, as one text. The text of a longer one is cut into passages, each preceded by
the title; the context follows in passages of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from omoide.embed.passages import passages, tokens
from omoide.engine.documents import searchable_text
from omoide.model.memory import Memory

#: Characters of the title that precede every passage.
TITLE_CHARS = 100


class Part(NamedTuple):
    """A text to embed, and [start, end) of its part of the memory's own text; None for the context."""

    text: str
    span: tuple[int, int] | None


def parts(memory: Memory, most: int | None) -> list[Part]:
    """The texts of a memory to embed, in the order of their vectors; at most `most` tokens each (None: unlimited)."""
    whole = searchable_text(memory)
    if most is None or tokens(whole) <= most:
        return [Part(whole, (0, len(memory.text)))]
    title = (memory.title or "")[:TITLE_CHARS]
    passage_tokens = max(most - int(tokens(title)), most // 2)
    of_text = [
        Part(_with_title(title, memory.text[start:end]), (start, end))
        for start, end in passages(memory.text, passage_tokens)
    ]
    context = memory.context or ""
    return of_text + [
        Part(_with_title(title, context[start:end]), None) for start, end in passages(context, passage_tokens)
    ]


def span_of(memory: Memory, number: int, most: int) -> tuple[int, int] | None:
    """[start, end) of part `number` of a memory's own text; None if the memory was embedded whole, and for the context. Cached on the
    memory, as cutting a long text takes longer than a search."""
    try:
        cut_for, spans = memory.passages
    except AttributeError:
        cut_for, spans = None, ()
    if cut_for != most:
        spans = tuple(part.span for part in parts(memory, most))
        object.__setattr__(memory, "passages", (most, spans))
    return spans[number] if 1 < len(spans) > number else None


def _with_title(title: str, text: str) -> str:
    return f"{title}\n{text}" if title else text
