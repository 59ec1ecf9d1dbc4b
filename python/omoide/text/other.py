"""Words of every script but Han and kana: what stands between spaces, and what is found inside it.

Useful for: English, Korean, Russian, Arabic, Thai, numbers, names. Not useful for: Chinese and Japanese.
Invariant: a word never begins with a combining mark, and never ends before one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from omoide.text import english
from omoide.text.analysis import Word
from omoide.text.detect import HAN, KANA

#: Combining marks that regular expressions do not count as letters: accents, Hebrew and Arabic points, vowel signs of
#: India and South-East Asia (whole blocks but for their punctuation).
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u0859-\u085b\u08ca-\u0963"
    "\u0971-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18\u0f19\u0f35\u0f37\u0f39"
    "\u0f3e-\u0f84\u0f86-\u0fbc\u102b-\u103e\u1056-\u109d\u17b4-\u17d3\u17dd"
)
_LETTER = rf"[^\W_{HAN}{KANA}]"
#: Letters, digits and marks; an apostrophe inside holds a word together.
_WORD = re.compile(rf"{_LETTER}+(?:(?:[{_MARKS}]+|['’](?={_LETTER})){_LETTER}*)*")
_LETTERS_OR_DIGITS = re.compile(r"[^\W\d_]+|\d+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
#: Thai, Lao, Burmese, Khmer: no spaces between words.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_CLUSTER = re.compile(rf"[^\W_][{_MARKS}]*")


def words(spelled: str) -> Iterator[tuple[Word, bool]]:
    """Each word and what is found inside it, and whether it is a function word or a mere part."""
    for found in _WORD.finditer(spelled):
        word = found[0]
        yield Word(english.term(word), found.start(), found.end()), word in english.STOP_WORDS
        if not word.isascii():
            yield from _unaccented(found)
            yield from _neighbours(found)
        elif not word.isalpha() and not word.isdigit():
            yield from _parts(found)
    yield from _numbers(spelled)


def _parts(found: re.Match[str]) -> Iterator[tuple[Word, bool]]:
    """`iphone15` is also `iphone` and `15`."""
    for part in _LETTERS_OR_DIGITS.finditer(found.string, found.start(), found.end()):
        if part[0] != found[0]:
            yield Word(english.term(part[0]), part.start(), part.end()), True


def _unaccented(found: re.Match[str]) -> Iterator[tuple[Word, bool]]:
    """`café` is also `cafe`: many people type it so."""
    bare = "".join(char for char in unicodedata.normalize("NFD", found[0]) if not unicodedata.combining(char))
    if bare.isascii():
        yield Word(english.term(bare), found.start(), found.end()), False


def _neighbours(found: re.Match[str]) -> Iterator[tuple[Word, bool]]:
    """Every two neighbouring characters of a script without spaces, each with its marks."""
    if _UNSPACED.match(found[0]):
        for left, right in pairwise(_CLUSTER.finditer(found.string, found.start(), found.end())):
            yield Word(found.string[left.start() : right.end()], left.start(), right.end()), False


def _numbers(spelled: str) -> Iterator[tuple[Word, bool]]:
    """`5,000` is 5000; `3.5` and `2.3.1` are themselves, beside their parts."""
    for found in _NUMBER.finditer(spelled):
        number = found[0].replace(",", "") if _THOUSANDS.fullmatch(found[0]) else found[0]
        yield Word(number, found.start(), found.end()), False
