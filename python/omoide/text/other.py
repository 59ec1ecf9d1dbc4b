"""Words of every script but Han and kana: what stands between spaces, and what is found inside it.

Useful for: English, Korean, Russian, Arabic, Thai, numbers, names, emoji. Not useful for: Chinese and Japanese.
Invariant: a word never begins with a combining mark, and never ends before one.
"""

from __future__ import annotations

from omoide import _engine
from omoide.text import english
from omoide.text.analysis import Token

#: Each takes a stemmer some microseconds, the first time.
MOST_NEIGHBOURS = 64


def tokens(spelled: str, written: str) -> list[Token]:
    """Each word and what is found inside it; a mere part counts as a function word. `written` is the text as it was, whose
    capitals part names."""
    found = []
    for word, start, end, part in _engine.words(spelled, written):
        term, function = english.term(word)
        found.append((term, start, end, part or function))
    return found


def joined(spelled: str) -> list[Token]:
    """Neighbours of a question as one word each: `pick up` and `pick-up` may be what a text calls `pickup`. Of a long message,
    which has words enough, only what hyphens tie."""
    neighbours = _engine.joined(spelled)
    is_short = len(neighbours) <= MOST_NEIGHBOURS
    found = []
    for word, start, end in neighbours:
        first, space, second = spelled[start:end].partition(" ")
        if space and not (is_short and english.may_be_one(first, second)):
            continue
        term, function = english.term(word)
        if len(term) > len(first) or not space:  # of "prefer eating" the stem is "prefer"
            found.append((term, start, end, function))
    return found
