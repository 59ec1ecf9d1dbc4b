"""Cuts a text that is too long for a model into passages, at the ends of sentences, in every script.

Passages follow one another without gaps and are about equally long. A sentence that is too long by itself is cut at a clause, a
space, or as a last resort between two characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]

#: Tokens per character, at most, in common multilingual vocabularies: for scripts without spaces, and for all others.
DENSE_TOKENS = 1.0
LOOSE_TOKENS = 0.34

#: Compiled when the first text is counted, as that takes milliseconds.
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
    """An estimate of the tokens of a text, seldom too low."""
    dense = len(re.findall(_DENSE, text))
    return dense * DENSE_TOKENS + (len(text) - dense) * LOOSE_TOKENS


def passages(text: str, most: int) -> list[Span]:
    """[start, end) of each passage of about `most` tokens or fewer, covering the text; none for an empty one."""
    whole = tokens(text)
    if whole <= most:
        return [(0, len(text))] if text else []
    return list(_joined(text, list(_pieces(text, 0, len(text), most)), most, whole))


def _pieces(text: str, start: int, end: int, most: int, hardness: int = 0) -> Iterator[Span]:
    """Pieces of at most `most` tokens, cut at the hardest borders possible."""
    for found in _BORDERS[hardness].finditer(text, start, end):
        if hardness + 1 == len(_BORDERS) or tokens(found[0]) <= most:
            yield found.span()
        else:
            yield from _pieces(text, *found.span(), most, hardness + 1)


def _joined(text: str, pieces: Sequence[Span], most: int, whole: float) -> Iterator[Span]:
    """Join neighbouring pieces to as few passages as possible, none much shorter than the others."""
    start, size, left = 0, 0.0, whole
    for first, last in pieces:
        added = tokens(text[first:last])
        # The rest is divided evenly among as few passages as possible.
        aim = left / -(-left // most)
        if size and (size + added > most or size + added / 2 > aim):
            yield start, first
            start, size, left = first, 0.0, left - size
        size += added
    yield start, len(text)
