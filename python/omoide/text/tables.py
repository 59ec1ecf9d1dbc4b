"""Which spellings does a shipped table know to be one? Loads what `make_tables` wrote.

Useful for: one spelling for many, without loading the libraries that know them all. Not useful for: translation.
Invariant: folding a character twice changes nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

VARIANTS_FILE = "han_variants.txt"
LOANWORDS_FILE = "loanwords.txt"


@lru_cache(maxsize=1)
def han_variants() -> tuple[str, str]:
    """(characters, what each folds to): every Han character that folds to another, in two strings of equal length."""
    variants, folded = _read(VARIANTS_FILE)
    return variants, folded


@lru_cache(maxsize=1)
def loanwords() -> Mapping[str, str]:
    """Japanese word (as Sudachi normalises it) -> its words in Latin letters, lower case, joined by spaces."""
    return {word: latin for word, _, latin in (line.partition("\t") for line in _read(LOANWORDS_FILE))}


def _read(name: str) -> list[str]:
    return files("omoide.text").joinpath(name).read_text(encoding="utf-8").splitlines()
