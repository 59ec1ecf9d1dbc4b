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


def shown(question: Question, page: Page) -> tuple[str, list[dict[str, Any]]]:
    """(text, structured values); with `adaptive` the values may be fewer than the hits."""
    if question.detail == "adaptive" and page.hits:
        fitted = adaptive.fitted(page)
        return adaptive.body(question.text, question.profile, fitted, len(page.hits)), adaptive.structured(page, fitted)
    results = values(page, question.detail) if page.hits else []
    if question.highlight and question.detail != "brief":
        columns = zip(results, page.memories, page.best_sentences, strict=True)
        results = [{**value, **_marked(memory, sentence)} for value, memory, sentence in columns]
    return layouts.body(question.text, question.profile, page, question.detail), results


def _marked(memory: Memory, sentence: Excerpt) -> dict[str, Any]:
    """The best sentence as it was written, and the offsets of the matches in the text."""
    return {"snippet": memory.text[sentence.start : sentence.end], "marks": [list(mark) for mark in sentence.marks]}
