"""By what names may a text mention a memory or an entity, and what words does such a text have?

Useful for: linking mentions while writing; see mentions.rs. Not useful for: resemblances of names.
Invariant: names are folded as texts are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import normalize

from omoide.text import Analyzer, fold_name, without_blanks
from omoide.text.detect import has_cjk

#: What a title adds to a name of several things: "Red (album)", 「赤（映画）」.
_ADDED = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
#: A Latin letter with its accents, taken apart.
_ACCENTED = re.compile("([a-z])[\u0300-\u036f]+")
#: Names of up to so many Han characters and kana may stand inside other words; longer ones hardly do.
SHORT = 3


def titles(title: str | None) -> tuple[str, ...]:
    """A title or the name of a thread, and the same without what is added in brackets at its end."""
    if not title:
        return ()
    bare = _ADDED.sub("", title)
    return (title, bare) if bare and bare != title else (title,)


def named(names: Iterable[str], analyzer: Analyzer) -> list[tuple[str, list[str]]]:
    """Each folded, as others write it, too, with its words, which tell it from parts of others; none where its characters are
    enough."""
    folded = dict.fromkeys(each for name in names for each in spellings(fold_name(name)))
    return [(name, _words(name, analyzer)) for name in folded]


def unaccented(names: Iterable[str]) -> Iterator[str]:
    """The names, and those of them that have accents also without: of José also jose. Titles are words, which mean others then."""
    for name in names:
        yield name
        if not name.isascii():
            yield without_accents(name)


def without_accents(name: str) -> str:
    """A name folded, its Latin letters without accents."""
    return normalize("NFC", _ACCENTED.sub(r"\1", normalize("NFD", fold_name(name))))


def spellings(folded: str) -> tuple[str, ...]:
    """A folded name, and the same without blanks beside Han characters and kana: of 山田 太郎 also 山田太郎."""
    return folded, without_blanks(folded)


def _words(name: str, analyzer: Analyzer) -> list[str]:
    if len(name) > SHORT and has_cjk(name):
        return []
    return list(dict.fromkeys(analyzer.document(name).terms))
