"""Title, preview and age of a memory, each on one line.

Invariant: clients rely on the exact forms; the limits count code points.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from omoide.model.memory import Memory
from omoide.text import first_sentence

MAX_PREVIEW_CHARS = 150
MAX_DERIVED_TITLE_CHARS = 80


def title_of(memory: Memory) -> str:
    """The title, or the first sentence of an untitled memory, at most 80 characters."""
    return memory.title or first_sentence(memory.text, MAX_DERIVED_TITLE_CHARS)


def content_preview(content: str) -> str:
    """At most 150 characters on one line: all of it, else the first two sentences, else the beginning and "...".

    Sentences end at ".", "!" and "?" only, and are joined by ". ": clients rely on that form.
    """
    flat = " ".join(content.split())
    if len(flat) <= MAX_PREVIEW_CHARS:
        return flat
    sentences = [each.strip() for each in re.split(r"[.!?]+", flat) if each.strip()]
    if not sentences:
        return flat[:97] + "..."
    first_two = ". ".join(sentences[:2]) + "."
    return first_two if len(first_two) <= MAX_PREVIEW_CHARS else flat[:147] + "..."


_AGES = (
    (timedelta(days=30), "month"),
    (timedelta(days=7), "week"),
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
)


def relative_time(then: datetime, now: datetime) -> str:
    """How long ago, in the largest whole unit up to months of 30 days; "just now" for less than a minute and for the future."""
    elapsed = max(now - then, timedelta())
    for unit, name in _AGES:
        count = elapsed // unit
        if count:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
