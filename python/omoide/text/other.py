"""Words of every script but Han and kana: what stands between spaces, and what is found inside it.

Useful for: English, Korean, Russian, Arabic, Thai, numbers, names, emoji. Not useful for: Chinese and Japanese.
Invariant: a word never begins with a combining mark, and never ends before one.
"""

from __future__ import annotations

from omoide import _engine
from omoide.text import english
from omoide.text.analysis import Token


def tokens(spelled: str) -> list[Token]:
    """Each word and what is found inside it; a mere part counts as a function word."""
    found = []
    for word, start, end, part in _engine.words(spelled):
        term, function = english.term(word)
        found.append((term, start, end, part or function))
    return found
