"""Which language is a line? Only Japanese and Chinese need telling apart: they share their characters.

Kana make a line Japanese, characters that no Japanese standard has make it Chinese. A line of shared Han characters
follows the caller's hint, then the text around it; on its own it is Chinese, and a query is read both ways.

Useful for: choosing the dictionary. Not useful for: naming the language of Latin text.
"""

from __future__ import annotations

import re

#: Classes of so many characters take milliseconds to compile: the first text that is not ASCII does it.
_HAN = "[々〆〇\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_CJK = f"{_HAN[:-1]}\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff]"
#: A kana letter: the middle dot and the long vowel mark also stand in Chinese names.
_KANA_LETTER = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
#: Rare characters beyond the first plane tell nothing: Japanese names have them too.
_COMMON_HAN = "[\u3400-\u9fff]"
#: A Chinese line may quote this share of kana, a Japanese line never has so little.
_QUOTED_KANA = 0.1


def has_cjk(text: str) -> bool:
    """Whether a Han character or kana is there."""
    return not text.isascii() and re.search(_CJK, text) is not None


def has_han(text: str) -> bool:
    """Whether a Han character is there."""
    return not text.isascii() and re.search(_HAN, text) is not None


def has_kana(text: str) -> bool:
    """Whether a kana letter is there."""
    return _KANA_LETTER.search(text) is not None


def surely_chinese(text: str) -> bool:
    """Whether Han characters are there that Japanese does not have (outside JIS), and hardly any kana."""
    try:
        text.encode("cp932")
    except UnicodeEncodeError:
        pass
    else:
        return False  # the common case, asked quickly
    han = "".join(re.findall(_COMMON_HAN, text))
    return b"?" in han.encode("cp932", "replace") and not _mostly_kana(text, han)


def language_of(line: str, near: str | None) -> str | None:
    """`ja`, `zh`, or None for a line without Han and kana.

    `near` is the language tag the caller gave or the text around suggests, such as `ja`, `zh-Hant`, `en`.
    """
    if not has_cjk(line):
        return None
    japanese = has_kana(line) or is_japanese(near)
    return "ja" if japanese and not surely_chinese(line) else "zh"


def is_japanese(tag: str | None) -> bool:
    """Whether a language tag says Japanese."""
    return tag is not None and tag.lower().split("-")[0] in ("ja", "jpn")


def _mostly_kana(line: str, han: str) -> bool:
    """Whether kana stand beside the Han characters as in Japanese text."""
    kana = len(_KANA_LETTER.findall(line))
    return kana > _QUOTED_KANA * (kana + len(han))
