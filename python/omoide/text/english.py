"""English words: Snowball stems, numbers, and stop words."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

from omoide import _engine

STOP_WORDS = frozenset(
    "a about above after again against all am an and any are as at be because been before being below between both but "
    "by can could did do does doing down during each few for from further had has have having he her here hers herself "
    "him himself his how i if in into is it its itself just me more most my myself no nor not now of off on once only or "
    "other our ours ourselves out over own same she should so some such than that the their theirs them themselves then "
    "there these they this those through to too under until up very was we were what when where which while who whom why "
    "will with would you your yours yourself yourselves it's i'm don't that's what's didn't".split()
)

#: Function words that end a verb which is also written as one: "log in", "set up".
_PARTICLES = frozenset("in off on out over through up down".split())

#: Numbers in words, without `one`, which seldom counts anything.
NUMBERS = {
    word: str(value)
    for words, values in [
        ("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen", range(2, 16)),
        ("sixteen seventeen eighteen nineteen", range(16, 20)),
        ("twenty thirty forty fifty sixty seventy eighty ninety", range(20, 100, 10)),
    ]
    for word, value in zip(words.split(), values, strict=True)
}

#: What phones and word processors write for an apostrophe.
_APOSTROPHES = re.compile("[’ʼ]")
#: A stemmer has state: two threads at once would get stems of a mixture of their words.
_STEMMING = threading.Lock()


@lru_cache(maxsize=1)
def vocabulary() -> _engine.Vocabulary:
    """The cache of terms, as a stemmer takes some microseconds for each word."""
    return _engine.Vocabulary(sorted(STOP_WORDS), sorted(_PARTICLES))


def term(word: str) -> tuple[str, bool]:
    """(index term, whether a function word). The term of a Latin word is its English stem, in whatever text, or the number it
    says; that of any other word is the word itself."""
    typed = _APOSTROPHES.sub("'", word)
    if (number := NUMBERS.get(typed)) is not None:
        return number, False
    return (stem(typed) if typed.isascii() and typed[:1].isalpha() else typed), typed in STOP_WORDS


def stem(word: str) -> str:
    """The stem of a folded word, without a possessive ending."""
    bare = word.removesuffix("'s")
    with _STEMMING:
        return str(_stemmer().stemWord(bare))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english", 0)  # without its cache: `vocabulary` is one
