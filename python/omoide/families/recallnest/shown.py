"""Rows in the layout that was asked for: the text, and the structured values that say the same.

Useful for: the results of a scope, also of a related one. Not useful for: one layout (layouts.py, adaptive.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omoide.families.recallnest import adaptive, layouts
from omoide.families.recallnest.row import Row, values
from omoide.families.recallnest.translate import Question


def shown(asked: Question, rows: Sequence[Row]) -> tuple[str, list[dict[str, Any]]]:
    """(text, structured values); with `adaptive` the values may be fewer than the rows."""
    if asked.detail == "adaptive" and rows:
        fitted = adaptive.fitted(rows)
        return adaptive.body(asked.text, asked.profile, fitted, len(rows)), adaptive.structured(fitted)
    told = values(rows, asked.detail) if rows else []
    if asked.highlight and asked.detail != "brief":
        told = [{**value, **_marked(row)} for value, row in zip(told, rows, strict=True)]
    return layouts.body(asked.text, asked.profile, rows, asked.detail), told


def _marked(row: Row) -> dict[str, Any]:
    """The best sentence as it was written, and where in the text the matches stand."""
    found = row.found
    return {"snippet": row.memory.text[found.start : found.end], "marks": [list(mark) for mark in found.marks]}
