"""Which words mean the same? By the groups of `spellings.txt`, `names.txt` and `everyday_words.txt`, folded.

Useful for: index terms, which all words of a group share. Not useful for: words that mean about the same; those are the user's
to choose (synonyms.txt).
Invariant: a word is in one group at most of those that count in texts of its language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from omoide.text.normalise import fold
from omoide.text.tables import everyday_words, spellings

#: Katakana alone, and what begins with hiragana.
_AS_WRITTEN = re.compile("[ァ-ヺー]+|[ぁ-ゖ].*")


class Meaning(NamedTuple):
    """Words of one meaning. `first`: the one whose term all of them have; then those in Latin letters, those that count in Japanese
    texts, and those that count in Chinese ones, each with or without the first."""

    first: str
    latin: Sequence[str]
    japanese: Sequence[str]
    chinese: Sequence[str]


@lru_cache(maxsize=1)
def meanings() -> Sequence[Meaning]:
    """All groups. A word of `spellings.txt` or `names.txt` that has no Latin letters counts in both languages."""
    return [*map(_of_any_language, spellings()), *(_of_each_language(*group) for group in everyday_words())]


def _of_any_language(words: Sequence[str]) -> Meaning:
    others = [word for word in words if not word.isascii()]
    return Meaning(words[0], [as_one_word(word) for word in words if word.isascii()], others, others)


def _of_each_language(english: Sequence[str], japanese: Sequence[str], chinese: Sequence[str]) -> Meaning:
    japanese, chinese = list(map(key, japanese)), list(map(key, chinese))
    latin = list(map(as_one_word, english))
    return Meaning((latin or japanese or chinese)[0], latin, japanese, chinese)


def as_one_word(english: str) -> str:
    """An English term without what divides its words, as which some write it, and questions look for it."""
    return re.sub("[ ']", "", english)


def key(word: str) -> str:
    """A word as texts are searched for it: katakana, and what begins with hiragana (さつま芋), as written, everything else folded."""
    return word if _AS_WRITTEN.fullmatch(word) else fold(word)


def translated() -> Sequence[str]:
    """The first words of the groups of everyday words that have English ones."""
    return [as_one_word(english[0]) for english, _, _ in everyday_words() if english]


def of_several_words() -> Sequence[tuple[Sequence[str], str]]:
    """The words of each English term that has several, with an empty one where an object may stand, and the first word of its group."""
    groups = [*spellings(), *(english for english, _, _ in everyday_words())]
    return [(term.split(" "), as_one_word(group[0])) for group in groups for term in group if " " in term]


@lru_cache(maxsize=1)
def in_latin_letters() -> Mapping[str, str]:
    """The first word of the group of each other word in Latin letters."""
    return {word: group.first for group in meanings() for word in group.latin if word != group.first}


@lru_cache(maxsize=1)
def in_japanese() -> Mapping[str, str]:
    """The first word of the group of each word that counts in Japanese texts."""
    return {word: group.first for group in meanings() for word in group.japanese}


@lru_cache(maxsize=1)
def in_chinese() -> Mapping[str, str]:
    """The first word of the group of each word that counts in Chinese texts."""
    return {word: group.first for group in meanings() for word in group.chinese}
