"""How much of a text fits into a line of a listing, without tearing a character apart.

Useful for: cutting at a number of code points. Not useful for: counting what a reader sees as characters.
Invariant: never longer than the limit and its mark; a cluster (a letter with its marks, a flag, an emoji family, a
Hangul syllable of jamo) is shown whole or not at all, unless it alone is longer than the limit.
"""

from __future__ import annotations

import unicodedata

MORE = "..."
_JOINER = "\u200d"
#: Joined to what stands before them, though Unicode does not class them as marks: the zero-width (non-)joiner,
#: half-width voicing marks, Thai and Lao am, skin tones, tag letters.
_EXTENDERS = frozenset(
    ["\u200c", _JOINER, "\uff9e", "\uff9f", "\u0e33", "\u0eb3"]
    + [chr(code) for code in range(0x1F3FB, 0x1F400)]
    + [chr(code) for code in range(0xE0020, 0xE0080)]
)


def preview(text: str, limit: int) -> str:
    """At most `limit` code points of `text`, and "..." where some are left out."""
    return text if len(text) <= limit else text[: _last_boundary(text, limit)] + MORE


def _last_boundary(text: str, limit: int) -> int:
    """The end of the last whole cluster at or before `limit`; `limit` itself where there is none."""
    return next((at for at in range(limit, 0, -1) if not _joined(text, at)), limit)


def _joined(text: str, at: int) -> bool:
    """Whether the code points on both sides of `at` are one cluster (the rules of UAX #29 that matter here)."""
    before, after = text[at - 1], text[at]
    return (
        after in _EXTENDERS
        or unicodedata.category(after).startswith("M")
        or before == _JOINER
        or (before, after) == ("\r", "\n")
        or "\u1160" <= after <= "\u11ff"  # a Hangul vowel or final completes the syllable before it
        or (_is_flag_half(after) and _flag_halves_before(text, at) % 2 == 1)
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, at: int) -> int:
    """How many regional indicators stand right before `at`: flags are pairs counted from the first."""
    head = text[:at]
    return len(head) - len(head.rstrip("".join(map(chr, range(0x1F1E6, 0x1F200)))))
