"""Does a sentence deny something? Not, never; ない, ません; 不, 没.

Useful for: not taking "does not like coffee" for "likes coffee". Not useful for: what exactly is denied, or irony.
Invariant: pure; words that merely contain such a character (不错, 非常, 少ない, まず), and phrases with a negation that
affirm (not only, かもしれない, なければならない, 不得不), deny nothing.
"""

from __future__ import annotations

import re

from omoide.text.detect import has_kana

_ENGLISH = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|unable|dislikes?|disliked)\b|n['’]t\b", re.I
)
_JAPANESE = re.compile(r"(?<![少危切拙幼])な(?:い|かった|くて|く[、。])|ません|ず[にだ、。]|嫌い|きらい|苦手")
_CHINESE = re.compile("[不没沒未勿]|[无無][法须須]|讨厌|討厭")
#: Words and phrases of each language that look like one of these and deny nothing.
_HARMLESS_ENGLISH = re.compile(r"\bnot\s+(?:only|just|merely)\b|\bno\s+doubt\b", re.I)
_HARMLESS_JAPANESE = re.compile(
    r"(?:だけ|のみ|ばかり)[でじ](?:は|ゃ)?なく|(?:なければ|なくては|なくちゃ|ないと|ねば)(?:なら|いけ|なり)(?:ない|なかった|ません)"
    r"|ざるを[得え](?:ない|なかった|ません)|かも[し知]れ(?:ない|なかった|ません)|(?:に|間)違い(?:ない|ありません)"
    r"|す[みい]ません|申し訳(?:ない|ありません|ございません)|もったいない|つまらない|くだらない|とんでもない"
    r"|(?:^|(?<=[、。！？!?\s]))まず|必ず|はず"
)
_HARMLESS_CHINESE = re.compile(
    "不[错錯]|不[过過]|不[仅僅但断斷光只止单單少久同管妨愧禁]|不由得|不得不|差不多|[无無不][论論]|未来|未來|[没沒][错錯]"
    r"|对不起|對不起|(.)[不没沒]\1"
)


def denies(text: str) -> bool:
    """Whether the text holds a word of denial."""
    if _ENGLISH.search(_HARMLESS_ENGLISH.sub("", text)):
        return True
    if has_kana(text):
        return _JAPANESE.search(_HARMLESS_JAPANESE.sub("", text)) is not None
    return _CHINESE.search(_HARMLESS_CHINESE.sub("", text)) is not None
