"""Finds words for the near past that name no date: 最近, 先日, 刚才, the other day.

Useful for: telling the words of a question that say when from those that say what. Not useful for: arguments, where such a word is a
length of time; see mentions.py.
"""

from __future__ import annotations

from functools import cache

from omoide import _engine
from omoide.dates.fold import fold
from omoide.dates.lexer import lexicon


def vague_places(text: str) -> list[tuple[int, int]]:
    """[start, end) of such words, in code points, without those for several years (近年); they may overlap."""
    return [(start, end) for _, start, end in _phrases().find(fold(text))]


@cache
def _phrases() -> _engine.Phrases:
    return _engine.Phrases([word for word, senses in lexicon().items() if senses.get("vague", ("year",))[0] != "year"])
