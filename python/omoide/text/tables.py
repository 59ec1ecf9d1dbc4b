"""Loads the shipped tables: `spellings.txt`, `everyday_words.txt`, `irregular_forms.txt` and `distinct_words.txt`, written by hand,
and those that `make_tables` has written.

Useful for: folding spellings, and words that mean the same in several languages, without loading large libraries. Not useful
for: translating texts.
Invariant: folding a character twice changes nothing more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

VARIANTS_FILE = "han_variants.txt"
LOANWORDS_FILE = "loanwords.txt"
SPELLINGS_FILE = "spellings.txt"
NAMES_FILE = "names.txt"
EVERYDAY_WORDS_FILE = "everyday_words.txt"
IRREGULAR_FORMS_FILE = "irregular_forms.txt"
DISTINCT_WORDS_FILE = "distinct_words.txt"


@lru_cache(maxsize=1)
def han_variants() -> tuple[str, str]:
    """(characters, what each folds to): every Han character that folds to another, as two strings of equal length."""
    variants, folded = _read(VARIANTS_FILE)
    return variants, folded


def latin_of(japanese: str) -> Sequence[str]:
    """The words in lower-case Latin letters that a Japanese word (as Sudachi normalises it) comes from or is written in."""
    lines = loanwords()
    at = bisect_left(lines, f"{japanese}\t")
    word, _, latin = lines[at].partition("\t") if at < len(lines) else ("", "", "")
    return latin.split() if word == japanese else ()


@lru_cache(maxsize=1)
def loanwords() -> Sequence[str]:
    """The lines of the table, in order: a Japanese word, a tab, its words in Latin letters. A list, searched by bisection:
    few words are ever looked up, and making a dict would delay the first query in Japanese more than all else."""
    return _read(LOANWORDS_FILE)


@lru_cache(maxsize=1)
def spellings() -> Sequence[Sequence[str]]:
    """Groups of words that mean the same; the first of each group is what all of them are found by."""
    return [*handwritten_spellings(), *_groups(NAMES_FILE)]


def handwritten_spellings() -> list[list[str]]:
    """Those of `spellings.txt`, which was written by hand. English terms of several words have spaces."""
    return [_with_spaces(group) for group in _groups(SPELLINGS_FILE)]


@lru_cache(maxsize=1)
def everyday_words() -> Sequence[Sequence[Sequence[str]]]:
    """Groups of words that mean the same, as people write them: the English ones, of which some are several words with spaces (two
    where an object may stand), the Japanese and the Chinese ones."""
    groups = [[part.split() for part in line.split("|")] for line in _lines(EVERYDAY_WORDS_FILE)]
    return [[_with_spaces(english), *others] for english, *others in groups]


@lru_cache(maxsize=1)
def distinct_words() -> Sequence[Sequence[str]]:
    """Groups of an English word that is its own term, and its forms."""
    return _groups(DISTINCT_WORDS_FILE)


@lru_cache(maxsize=1)
def irregular_forms() -> Sequence[Sequence[str]]:
    """Groups of an English word and its irregular forms."""
    return _groups(IRREGULAR_FORMS_FILE)


def _with_spaces(words: Sequence[str]) -> list[str]:
    """The words, with the spaces that the tables write as low lines."""
    return [word.replace("_", " ") for word in words]


def _groups(name: str) -> list[list[str]]:
    return [line.split() for line in _lines(name)]


def _lines(name: str) -> Iterator[str]:
    return (line for line in _read(name) if line and not line.startswith("#"))


def _read(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
