"""English words: Snowball stems, irregular forms, numbers, and stop words."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from omoide import _engine
from omoide.text import meanings
from omoide.text.tables import distinct_words, irregular_forms

STOP_WORDS = frozenset(
    "a about above after again against all am an and any are as at be because been before being below between both but "
    "by can could did do does doing down during each few for from further had has have having he her here hers herself "
    "him himself his how i if in into is it its itself just me more most my myself no nor not now of off on once only or "
    "other our ours ourselves out over own same she should so some such than that the their theirs them themselves then "
    "there these they this those through to too under until up very was we were what when where which while who whom why "
    "will with would you your yours yourself yourselves whose won't whats wheres whos hows whens whys".split()
)

#: Function words that end a verb which is also written as one: "log in", "set up".
_PARTICLES = frozenset("in off on out over through up down".split())

_UNITS = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NTH_UNITS = "first second third fourth fifth sixth seventh eighth ninth".split()
_NTH_TEENS = (
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
)
_NTH_TENS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth".split()


def _cardinals() -> dict[str, str]:
    """Without `one`, which seldom counts anything."""
    words = [*_UNITS[1:], *_TEENS, *(ten + unit for ten in _TENS for unit in ("", *_UNITS))]
    return {word: str(value) for value, word in enumerate(words, start=2)}


def _ordinals() -> dict[str, str]:
    """`second` is mostly a time and remains, so 2nd is second."""
    tens = zip(_TENS, _NTH_TENS, strict=True)
    words = [*_NTH_UNITS, *_NTH_TEENS, *(word for ten, nth in tens for word in (nth, *(ten + n for n in _NTH_UNITS)))]
    ordinals = {word: f"{value}{_ending(value)}" for value, word in enumerate(words, start=1)}
    second = ordinals.pop("second")
    return {**ordinals, second: "second"}


def _ending(value: int) -> str:
    return "th" if value // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")


#: Numbers in words: twenty is 20, fifth is 5th. Words with a hyphen between them are also one: twenty-five is twentyfive.
NUMBERS = {**_cardinals(), **_ordinals()}

#: Several of what has an abbreviation without vowels (PDFs, TVs, LLMs): the stemmer takes the s for a part of it.
_SEVERAL = re.compile("[b-df-hj-np-tv-xz]+[b-df-hj-np-rtv-xz]s")
_ENDING_IN_S = frozenset(
    "bps cms dms dns fps gbps gds gps hms hrs https kms lms mbps mrs nfs nhs rds rps sms tls tts vps wms xls xps".split()
)

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
    return _shared_stems().get(stemmed, stemmed), _is_function(typed)


def _is_function(word: str) -> bool:
    """Whether it is a stop word, or one with another drawn together: where's, isn't, they're."""
    return not STOP_WORDS.isdisjoint((word, word.removesuffix("n't"), word.partition("'")[0]))


def stem(word: str) -> str:
    """The stem of a folded word, without a possessive ending; of an irregular form the stem of its word."""
    bare = word.removesuffix("'s")
    if (distinct := _distinct().get(bare)) is not None:
        return distinct
    if _SEVERAL.fullmatch(bare) and bare not in _ENDING_IN_S:
        return bare[:-1]
    with _STEMMING:
        return str(_stemmer().stemWord(_regular().get(bare, bare)))


@lru_cache(maxsize=1)
def _regular() -> Mapping[str, str]:
    """The word of each irregular form."""
    return {form: group[0] for group in irregular_forms() for form in group[1:]}


@lru_cache(maxsize=1)
def _distinct() -> Mapping[str, str]:
    """The term of each word that the stemmer takes for a form of another."""
    return {form: group[0] for group in distinct_words() for form in group}


@lru_cache(maxsize=1)
def _shared_stems() -> Mapping[str, str]:
    """The stem of the first word of its group, for the stem of each other word of a group: the American one of a British one."""
    return {stem(word): stem(first) for word, first in meanings.in_latin_letters().items()}


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english", 0)  # without its cache: `vocabulary` is one
