"""Apostrophes, hyphens and quotes that keyboards, phones and word processors write in place of each other.

Useful for: comparing names and statements, whoever typed them. Not useful for: texts that are shown, or index terms.
Invariant: replaces one character by one.
"""

from __future__ import annotations

import re
from functools import cache

#: The first of each is the ASCII one.
APOSTROPHES, HYPHENS, QUOTES = "'’‘ʼ′", "-‐‒–—―−", '"“”„‟″'


def typed(text: str, kinds: tuple[str, ...] = (APOSTROPHES, HYPHENS)) -> str:
    """The text with the signs of those kinds replaced by the ASCII ones."""
    if text.isascii() or not _others(kinds).search(text):
        return text  # the usual case
    for signs in kinds:
        for other in signs[1:]:  # most are not there, so that `str.translate` would take ten times as long
            text = text.replace(other, signs[0])
    return text


@cache
def _others(kinds: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(signs[1:] for signs in kinds)}]")
