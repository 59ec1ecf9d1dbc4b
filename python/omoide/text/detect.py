"""Which language is a line in? Only Japanese and Chinese need to be told apart; see languages.rs of omoide-text.

Useful for: choosing the dictionary. Not useful for: naming the language of Latin text.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from omoide import _engine
from omoide._engine import has_cjk, has_han, has_kana

__all__ = ["has_cjk", "has_han", "has_kana", "is_everyday_japanese", "language_of", "languages"]

_COMMON_HAN = range(0x3400, 0xA000)
#: The first code in Shift JIS of the second level, and so of what systems have added.
_SECOND_LEVEL = b"\x98\x9f"
#: Forms that are usual there and missing in Big5.
_OF_HONG_KONG = "綫踪邨"


def language_of(line: str, context_language: str | None) -> Literal["ja", "zh"] | None:
    """`ja`, `zh`, or None for a line without Han and kana.

    `context_language`: the language tag of the caller or of the text around, such as `ja`, `zh-Hant`, `en`.
    """
    return languages().of(line, context_language)


def is_everyday_japanese(text: str) -> bool:
    """Whether all Han characters are of the first level of JIS, which has those that Japanese uses today: 学 is, 學 is not."""
    try:
        coded = "".join(each for each in text if ord(each) in _COMMON_HAN).encode("cp932")
    except UnicodeEncodeError:
        return False
    return all(coded[at : at + 2] < _SECOND_LEVEL for at in range(0, len(coded), 2))


@lru_cache(maxsize=1)
def languages() -> _engine.Languages:
    """The detector, which knows the Han characters of JIS, GB 2312 and Big5; of JIS and Big5 with those that systems have added."""
    japanese = _within("".join(map(chr, _COMMON_HAN)), "cp932")
    # Only the Japanese ones are looked up, and the others would take five milliseconds.
    return _engine.Languages(japanese, _within(japanese, "gb2312"), _within(japanese, "cp950") + _OF_HONG_KONG)


def _within(text: str, encoding: str) -> str:
    return text.encode(encoding, "ignore").decode(encoding)
