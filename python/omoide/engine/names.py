"""By what names may a text mention a memory or an entity, and what words does such a text have?

Useful for: linking mentions while writing; see mentions.rs. Not useful for: resemblances of names.
Invariant: names are folded as texts are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from omoide.text import Analyzer, fold_name
from omoide.text.detect import has_cjk

#: What a title adds to a name of several things: "Red (album)", 「赤（映画）」.
_ADDED = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
#: Names of up to so many Han characters and kana may stand inside other words; longer ones hardly do.
SHORT = 3


def titles(title: str | None) -> tuple[str, ...]:
    """A title or the name of a thread, and the same without what is added in brackets at its end."""
    if not title:
        return ()
    bare = _ADDED.sub("", title)
    return (title, bare) if bare and bare != title else (title,)


def named(names: Iterable[str], analyzer: Analyzer) -> list[tuple[str, list[str]]]:
    """Each folded, with its words, which tell it from parts of others; none where its characters are enough."""
    folded = dict.fromkeys(fold_name(name) for name in names)
    return [(name, _words(name, analyzer)) for name in folded]


def _words(name: str, analyzer: Analyzer) -> list[str]:
    if len(name) > SHORT and has_cjk(name):
        return []
    return list(dict.fromkeys(analyzer.document(name).terms))
