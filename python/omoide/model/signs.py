"""Which signs do keyboards, phones and word processors write for one another?

Useful for: names and statements that are the same whoever typed them. Not useful for: texts that are shown, or index terms.
Invariant: one character for one.
"""

from __future__ import annotations

#: The first of each is that of a keyboard.
APOSTROPHES, HYPHENS, QUOTES = "'’‘ʼ′", "-‐‒–—―−", '"“”„‟″'


def typed(text: str, kinds: tuple[str, ...] = (APOSTROPHES, HYPHENS)) -> str:
    """With the signs of a keyboard, of those kinds."""
    if not text.isascii():
        for signs in kinds:
            for other in signs[1:]:  # most are not there: a translation takes ten times as long
                text = text.replace(other, signs[0])
    return text
