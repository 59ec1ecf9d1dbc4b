"""Words of every script but Han and kana: what stands between spaces, and what is found inside it.

Useful for: English, Korean, Russian, Arabic, Thai, numbers, names, emoji. Not useful for: Chinese and Japanese.
Invariant: a word never begins with a combining mark, and never ends before one.
"""

from __future__ import annotations

import re

from omoide import _engine
from omoide.text import english
from omoide.text.analysis import Token

#: A name written camelCase or PascalCase, and a part of one.
_NAME = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]+[a-z0-9][A-Z][A-Za-z0-9]*")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def tokens(spelled: str) -> list[Token]:
    """Each word and what is found inside it; a mere part counts as a function word."""
    found = []
    for word, start, end, part in _engine.words(spelled):
        term, function = english.term(word)
        found.append((term, start, end, part or function))
    return found


def humps(text: str) -> list[Token]:
    """The parts of names like getUserProfile, which `text` shows only as it was written; they count as function words."""
    return [
        (english.term(part[0].lower())[0], name.start() + part.start(), name.start() + part.end(), True)
        for name in _NAME.finditer(text)
        for part in _HUMP.finditer(name[0])
        if len(part[0]) > 1
    ]
