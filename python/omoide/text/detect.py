"""Which language is a line? Only Japanese and Chinese need telling apart: they share their characters.

Kana on a line make it Japanese; Han alone is Chinese, unless the caller knows better.
"""

from __future__ import annotations

import re

HAN = "々〆〇\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff"
#: A kana letter: the middle dot and the long vowel mark also stand in Chinese names.
_KANA_LETTER = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
CJK = re.compile(f"[{HAN}{KANA}]")


def has_kana(line: str) -> bool:
    """Whether a kana letter is there."""
    return _KANA_LETTER.search(line) is not None


#: Function words of Chinese that no Japanese text writes in Han characters alone.
_CHINESE = re.compile("[的了吗嗎呢吧这這那么麼们們很没沒她你您是在我和]")


def surely_chinese(line: str) -> bool:
    """Whether a line without kana has a word that only Chinese has."""
    return _CHINESE.search(line) is not None and not has_kana(line)


def language_of(line: str, hint: str | None) -> str | None:
    """`ja`, `zh`, or None for a line without Han and kana. `hint` is a language tag such as `ja`, `zh-Hant`, `en`."""
    if has_kana(line):
        return "ja"
    if CJK.search(line) is None:
        return None
    return "ja" if hint is not None and hint.lower().startswith("ja") else "zh"
