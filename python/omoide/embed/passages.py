"""How is a text too long for a model cut into passages? At the borders of sentences, in every script.

Passages follow each other without a gap and are about equally long. A sentence that is too long by itself is cut at a
clause, a space, or in the last resort between two characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]

#: Tokens a character, at most, of common multilingual vocabularies: scripts without spaces, and all others.
DENSE_TOKENS = 1.0
LOOSE_TOKENS = 0.34

#: Not compiled before a text is counted: that takes milliseconds.
_DENSE = (
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_CLOSERS = "[」』）)\\]】》〉\"'”’]*"
#: From the hardest border to the softest: ends of sentences, of clauses, of words, of characters.
_BORDERS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        f".+?(?:[。！？!?…｡؟۔।॥።။៕።։]+{_CLOSERS}\\s*|\\.{_CLOSERS}\\s+|\n+|$)",
        ".+?(?:[、，,;；:：،]+\\s*|$)",
        ".+?(?:\\s+|$)",
        ".[\u0300-\u036f\u3099\u309a\u200d\ufe0f]*",
    )
)


def tokens(text: str) -> float:
    """About how many tokens a text has; seldom fewer than it really has."""
    dense = len(re.findall(_DENSE, text))
    return dense * DENSE_TOKENS + (len(text) - dense) * LOOSE_TOKENS


def passages(text: str, most: int) -> list[Span]:
    """[start, end) of each passage of about `most` tokens or fewer, covering the text; none for an empty one."""
    whole = tokens(text)
    if whole <= most:
        return [(0, len(text))] if text else []
    return list(_joined(text, list(_pieces(text, 0, len(text), most)), most, whole))


def _pieces(text: str, start: int, end: int, most: int, hardness: int = 0) -> Iterator[Span]:
    """Stretches of at most `most` tokens, cut at the hardest borders that will do."""
    for found in _BORDERS[hardness].finditer(text, start, end):
        if hardness + 1 == len(_BORDERS) or tokens(found[0]) <= most:
            yield found.span()
        else:
            yield from _pieces(text, *found.span(), most, hardness + 1)


def _joined(text: str, pieces: Sequence[Span], most: int, whole: float) -> Iterator[Span]:
    """Neighbouring pieces together: as few passages as will do, none much shorter than the others."""
    start, size, left = 0, 0.0, whole
    for first, last in pieces:
        added = tokens(text[first:last])
        # What is left goes into as few passages as will do, all alike.
        aim = left / -(-left // most)
        if size and (size + added > most or size + added / 2 > aim):
            yield start, first
            start, size, left = first, 0.0, left - size
        size += added
    yield start, len(text)
