"""Remarks beside an answer: in English, followed by the language of what was sent.

Useful for: warnings on what was not used, or not as sent. Not useful for: errors, which the server translates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice

from omoide.errors import shortened
from omoide.traditional import told_in

#: Gives the language to answer a text in: ja, zh, zh-Hant, else en.
LanguageOf = Callable[[str], str]

#: How many characters of a text are read to detect its language.
READ_CHARS = 2_000
#: Unknown names in one place that are warned of, at most.
WARNED_NAMES = 10


def in_both(words: Mapping[str, str], sent: str, language_of: LanguageOf) -> str:
    """The words in English and in the language of the text that was sent; in English only, if it is English."""
    both = words["en"], told_in(words, language_of(sent[:READ_CHARS]))
    return " ".join(dict.fromkeys(filter(None, both)))


def unknown_in(sent: Iterable[str], known: Collection[str]) -> list[str]:
    """The names that were sent but are not known, as a warning shows them."""
    return [shortened(name) for name in islice((each for each in sent if each not in known), WARNED_NAMES)]
