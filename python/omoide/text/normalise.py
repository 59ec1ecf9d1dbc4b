"""Which spellings are the same? Folding, in two steps of equal length in code points.

`plain`  NFKC (width, composed forms) and case: what the dictionaries see.
`folded` plain with each character's variants made one: Traditional, Simplified, and old and new Japanese Han characters;
         hiragana and katakana. What terms, grams and vectors are made of. Same length as `plain`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from omoide.text.tables import han_variants

HIRAGANA = range(0x3041, 0x3097)
HIRAGANA_TO_KATAKANA = 0x60
_VARIANT = re.compile("[\u3041-\u3096\u3400-\u9fff\uf900-\ufaff]")
#: Characters without a form of their own: joiners and marks of width zero, soft hyphens, variation selectors.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufe00-\ufe0f\ufeff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def plain(text: str) -> str:
    """NFKC and case folding, invisible characters left out; a lone surrogate becomes U+FFFD."""
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFKC", _LONE_SURROGATE.sub("\ufffd", text))
    folded = unicodedata.normalize("NFKC", composed.casefold())
    return _INVISIBLE.sub("", folded)


def fold_variants(plain_text: str) -> str:
    """One form for the variants of each Han character and kana; keeps the length."""
    if plain_text.isascii() or not _VARIANT.search(plain_text):
        return plain_text
    return plain_text.translate(_variants())


def fold(text: str) -> str:
    """Both steps."""
    return fold_variants(plain(text))


def fold_name(name: str) -> str:
    """A name as names are compared: folded, white space collapsed."""
    return " ".join(fold(name).split())


@lru_cache(maxsize=1)
def _variants() -> dict[int, int]:
    """Code point -> code point."""
    return {kana: kana + HIRAGANA_TO_KATAKANA for kana in HIRAGANA} | dict(han_variants())
