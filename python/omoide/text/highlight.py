"""Which part of a text to show? Cuts never split what a reader sees as one character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from omoide.text.normalise import fold

ELLIPSIS = "..."
_SENTENCE = re.compile(r"[^。！？!?\n]*?(?:[。！？!?]+[」』）)\"'”’]*|\.(?=\s)|\n|$)")
_JOINERS = frozenset("\u200d")
_MARKS = frozenset({"Mn", "Me", "Mc"})
#: Joined to what stands before them though Unicode does not class them as marks: half-width voicing marks, Thai and
#: Lao am, the zero-width non-joiner, skin tones, variation selectors, tag letters, Hangul vowels and finals.
_FOLLOWERS = re.compile(
    "[\uff9e\uff9f\u0e33\u0eb3\u200c\U0001f3fb-\U0001f3ff\ufe00-\ufe0f\U000e0020-\U000e007f\u1160-\u11ff]"
)


def sentences(text: str) -> list[str]:
    """The sentences, white space collapsed, empty ones left out. Japanese, Chinese and English ends are known."""
    found = (" ".join(part[0].split()) for part in _SENTENCE.finditer(text))
    return [sentence for sentence in found if sentence]


def first_sentence(text: str, limit: int = 80) -> str:
    """The first sentence in at most `limit` code points; "" for a blank text."""
    return cut(next(iter(sentences(text)), ""), limit)


def snippet(text: str, terms: Iterable[str], width: int = 120) -> str:
    """The sentence that holds most of the folded `terms` (the first of equals), cut to `width` around them."""
    wanted = [term for term in dict.fromkeys(terms) if term]
    found = sentences(text)
    if not found:
        return ""
    best = max(found, key=lambda sentence: sum(term in fold(sentence) for term in wanted))
    return cut(best[_start(best, wanted, width) :], width)


def cut(text: str, limit: int) -> str:
    """The text in at most `limit` code points, the last three dots where it was cut."""
    if len(text) <= limit:
        return text
    return text[: border(text, max(limit - len(ELLIPSIS), 0))] + ELLIPSIS


def border(text: str, at: int) -> int:
    """The last place at or before `at` where no mark, joiner, modifier or flag is parted from its base."""
    while 0 < at < len(text) and _belongs(text, at):
        at -= 1
    return at


def _start(sentence: str, wanted: list[str], width: int) -> int:
    """Where to begin so that the first wanted term is in view."""
    folded = fold(sentence)
    first = min((at for term in wanted if (at := folded.find(term)) >= 0), default=0)
    if len(folded) != len(sentence) or first < width * 2 // 3:
        return 0
    return border(sentence, first - width // 3)


def _belongs(text: str, at: int) -> bool:
    char, before = text[at], text[at - 1]
    if char in _JOINERS or before in _JOINERS or unicodedata.category(char) in _MARKS:
        return True
    if _FOLLOWERS.match(char):
        return True
    return _is_flag(char) and _is_flag(before) and _flags_before(text, at) % 2 == 1


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    count = 0
    while count < at and _is_flag(text[at - 1 - count]):
        count += 1
    return count
