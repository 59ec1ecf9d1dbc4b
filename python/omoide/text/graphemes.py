"""Where may a text be cut without splitting what a reader sees as one character?

Useful for: cutting and marking. Not useful for: counting what fits a line.
Invariant: no mark, joiner, modifier or flag is separated from its base.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_JOINERS = frozenset("\u200d")
_MARKS = frozenset({"Mn", "Me", "Mc"})
#: Characters that belong to the one before them, although Unicode does not class them as marks: half-width voicing marks, Thai
#: and Lao am, the zero-width non-joiner, skin tones, variation selectors, tag letters, Hangul vowels and finals.
_FOLLOWERS = re.compile(
    "[\uff9e\uff9f\u0e33\u0eb3\u200c\U0001f3fb-\U0001f3ff\ufe00-\ufe0f\U000e0020-\U000e007f\u1160-\u11ff]"
)


def border(text: str, at: int) -> int:
    """The last place at or before `at` where the text may be cut."""
    while 0 < at < len(text) and _belongs(text, at, _flags_before(text, at)):
        at -= 1
    return at


def beginning(text: str, most: int) -> str:
    """At most `most` code points of a text, cut at a border, unless the first grapheme alone is longer."""
    return text if len(text) <= most else text[: border(text, most) or most]


def clusters(text: str) -> Iterator[tuple[int, int]]:
    """[start, end) of each grapheme: a character with its marks and joiners; each can be folded alone."""
    start = flags = 0
    for at in range(1, len(text) + 1):
        flags = flags + 1 if _is_flag(text[at - 1]) else 0
        if at == len(text) or not _belongs(text, at, flags):
            yield start, at
            start = at


def _belongs(text: str, at: int, flags: int) -> bool:
    """Whether the character belongs to the one before it; `flags`: the letters of flags right before it, two of which are one."""
    char, previous = text[at], text[at - 1]
    if char in _JOINERS or previous in _JOINERS or unicodedata.category(char) in _MARKS:
        return True
    if _FOLLOWERS.match(char):
        return True
    return _is_flag(char) and flags % 2 == 1


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    count = 0
    while count < at and _is_flag(text[at - 1 - count]):
        count += 1
    return count
