"""By which names may a text mention a memory or an entity, and which words must the text then have?

Useful for: linking mentions while indexing; see mentions.rs. Not useful for: similar names.
Invariant: names are folded as texts are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias
from unicodedata import normalize

from omoide.text import Analyzer, fold_name, without_blanks
from omoide.text.detect import has_cjk, has_han

#: An addition in brackets, which titles have when several things share a name: "Red (album)", 「赤（映画）」.
_ADDITION = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
#: A Latin letter and its accents, after decomposition.
_ACCENTED = re.compile("([a-z])[\u0300-\u036f]+")
#: Names of up to this many Han characters and kana may occur inside other words; longer ones hardly do.
SHORT = 3
#: Particles follow a Korean name without a blank: it is no word of the text.
_HANGUL = re.compile("[\u1100-\u11ff\uac00-\ud7af]")
#: Thai, Lao, Burmese and Khmer, whose words are not separated: the analyser gives what stands between blanks, and every two
#: neighbouring characters of it.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")

#: A folded name, and its words once for each language that it may be read in.
NameWithWords: TypeAlias = tuple[str, list[list[str]]]


def titles(title: str | None) -> tuple[str, ...]:
    """A title or the name of a thread, and the same without an addition in brackets at its end."""
    if not title:
        return ()
    without_addition = _ADDITION.sub("", title)
    return (title, without_addition) if without_addition and without_addition != title else (title,)


def names_with_words(names: Iterable[str], analyzer: Analyzer) -> list[NameWithWords]:
    """(name, words) of each name, folded and in its other spellings; the words once for each language that it may be read in. A
    text must have those of one, so that the name is not found inside others; there are none if its characters are enough."""
    written_by_name: dict[str, str] = {}
    for name in names:
        for folded, written in zip(spellings(fold_name(name)), spellings(name), strict=True):
            written_by_name.setdefault(folded, written)
    return [(name, _words(name, written, analyzer)) for name, written in written_by_name.items()]


def unaccented(names: Iterable[str]) -> Iterator[str]:
    """The names, and also without accents those that have some: José, jose. Not for titles, whose meaning may change."""
    for name in names:
        yield name
        if not name.isascii():
            yield without_accents(name)


def without_accents(name: str) -> str:
    """The folded name, its Latin letters without accents."""
    return normalize("NFC", _ACCENTED.sub(r"\1", normalize("NFD", fold_name(name))))


def spellings(folded: str) -> tuple[str, ...]:
    """A folded name, and the same without blanks beside Han characters and kana: 山田 太郎, 山田太郎."""
    return folded, without_blanks(folded)


def _words(name: str, written: str, analyzer: Analyzer) -> list[list[str]]:
    if _HANGUL.search(name) or (len(name) > SHORT and has_cjk(name)):
        return []
    read = [_words_in(None, name, analyzer)]
    if has_han(name):
        # The term of 春 is that of spring in a Japanese text, and 春 in a Chinese one. Folded, 手紙 is no Japanese word.
        read += [_words_in(language, written, analyzer) for language in ("ja", "zh")]
        # A question asks for 図書館 by the term of library alone, without those of its parts.
        asked = [analyzer.query(written, language).words for language in ("ja", "zh")]
        read += [list(dict.fromkeys(word.term for word in words)) for words in asked if words]
    return [words for at, words in enumerate(read) if words not in read[:at]]


def _words_in(language: str | None, name: str, analyzer: Analyzer) -> list[str]:
    words = list(dict.fromkeys(analyzer.document(name, language).terms))
    # A name inside a sentence is no word of it there, but its pairs of characters are.
    return [word for word in words if not (_UNSPACED.search(word) and _contains_another(word, words))]


def _contains_another(word: str, words: list[str]) -> bool:
    return any(other != word and other in word for other in words)
