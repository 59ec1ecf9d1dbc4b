"""English words: Snowball stems, numbers, and stop words."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from omoide import _engine
from omoide.text.tables import spellings

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

_UNITS = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
#: Numbers in words, without `one`, which seldom counts anything. Words with a hyphen between them are also one: twenty-five is
#: twentyfive.
NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        [*_UNITS[1:], *_TEENS, *(ten + unit for ten in _TENS for unit in ("", *_UNITS))], start=2
    )
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
    says, British spellings as American ones; that of any other word is the word itself."""
    typed = _APOSTROPHES.sub("'", word)
    if (number := NUMBERS.get(typed)) is not None:
        return number, False
    if not (typed.isascii() and typed[:1].isalpha()):
        return typed, typed in STOP_WORDS
    stemmed = stem(typed)
    return _american().get(stemmed, stemmed), typed in STOP_WORDS


def stem(word: str) -> str:
    """The stem of a folded word, without a possessive ending."""
    bare = word.removesuffix("'s")
    with _STEMMING:
        return str(_stemmer().stemWord(bare))


@lru_cache(maxsize=1)
def _american() -> Mapping[str, str]:
    """The American stem of each British one that is another."""
    return {stem(word): stem(group[0]) for group in spellings() for word in group[1:] if word.isascii()}


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english", 0)  # without its cache: `vocabulary` is one
