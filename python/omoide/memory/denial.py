"""Does a sentence deny something? Not, never; ない, ません; 不, 没.

Useful for: not taking "does not like coffee" for "likes coffee". Not useful for: what exactly is denied, or irony.
Invariant: pure; words that merely contain such a character (不错, 非常, 少ない) deny nothing.
"""

from __future__ import annotations

import re

from omoide.text.detect import has_kana

_ENGLISH = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|unable|dislikes?|disliked)\b|n['’]t\b", re.I
)
_JAPANESE = re.compile(r"(?<![少危切拙幼])ない|なかった|なくて|なく[、。]|ません|ず[にだ、。]|嫌い|きらい|苦手")
_CHINESE = re.compile("[不没沒未勿]|[无無][法须須]|讨厌|討厭")
#: Words with such a character that deny nothing.
_HARMLESS = re.compile(
    "不[错錯]|不[过過]|不[仅僅但断斷光]|不得不|差不多|不同|[无無][论論]|未来|未來|不管|要不要|是不是|好不好|对不起|對不起"
)


def denies(text: str) -> bool:
    """Whether the text holds a word of denial."""
    if _ENGLISH.search(text):
        return True
    if has_kana(text):
        return _JAPANESE.search(text) is not None
    return _CHINESE.search(_HARMLESS.sub("", text)) is not None
