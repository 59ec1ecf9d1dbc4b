"""Hits in the requested layout: the text, and the structured values that say the same.

Useful for: the results of a scope, including related ones. Not useful for: a particular layout (layouts.py, adaptive.py).
"""

from __future__ import annotations

from typing import Any

from omoide.families.recallnest import adaptive, layouts
from omoide.families.recallnest.page import Page, values
from omoide.families.recallnest.translate import Question
from omoide.model.memory import Memory
from omoide.text import Excerpt


def shown(asked: Question, page: Page) -> tuple[str, list[dict[str, Any]]]:
    """(text, structured values); with `adaptive` the values may be fewer than the hits."""
    if asked.detail == "adaptive" and page.hits:
        fitted = adaptive.fitted(page)
        return adaptive.body(asked.text, asked.profile, fitted, len(page.hits)), adaptive.structured(page, fitted)
    told = values(page, asked.detail) if page.hits else []
    if asked.highlight and asked.detail != "brief":
        marked = zip(told, page.memories, page.found, strict=True)
        told = [{**value, **_marked(memory, found)} for value, memory, found in marked]
    return layouts.body(asked.text, asked.profile, page, asked.detail), told


def _marked(memory: Memory, found: Excerpt) -> dict[str, Any]:
    """The best sentence as it was written, and the offsets of the matches in the text."""
    return {"snippet": memory.text[found.start : found.end], "marks": [list(mark) for mark in found.marks]}
