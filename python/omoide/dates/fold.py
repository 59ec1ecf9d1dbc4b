"""Folds the spellings of date words to one: widths, case, dashes and Han variants.

Useful for: looking up Simplified, Traditional and Japanese words in one table. Not useful for: indexing text.
Invariant: every code point becomes one, so offsets into the folded text are offsets into the original.
"""

from __future__ import annotations

_HAN = "週個後號禮拝點鐘鍾兩両這从從來時間過内內農曆暦国國聖誕節當幾数數歲晩現結終勞動慶陽親師婦兒児萬愛樹學紀與為頃開對歴壹弐貳參叁餘複復啟產臘從約華歷剛纔雙舊陣隨統緒馬龍該陰還裡裏軍黃爲長連葉財會計憲頭營業臺灣東於遲碼黨戰蘭網絡購際"
_HAN_TO = "周个后号礼拜点钟钟两两这从从来时间过内内农历历国国圣诞节当几数数岁晚现结终劳动庆阳亲师妇儿儿万爱树学纪与为顷开对历一二二三三余复复启产腊从约华历刚才双旧阵随统绪马龙该阴还里里军黄为长连叶财会计宪头营业台湾东于迟码党战兰网络购际"
_SIGNS = "ヵ○零　’‘＇–—−‐‑〜～、"
_SIGNS_TO = "ヶ〇〇 '''-----~~,"
_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
_UPPER = {upper + wide: upper + 32 for upper in range(65, 91) for wide in (0, 0xFEE0)}
_TABLE = {**_WIDE, **_UPPER, **str.maketrans(_HAN + _SIGNS, _HAN_TO + _SIGNS_TO)}
#: The characters that are folded, and at the same places what each becomes.
WRITTEN, FOLDED = "".join(map(chr, _TABLE)), "".join(map(chr, _TABLE.values()))


def fold(text: str) -> str:
    """The text in lower case, half width and the tables' Han forms; it has as many code points as before."""
    return text.translate(_TABLE)


def is_han(character: str) -> bool:
    """Whether it is a Han character, folded or not."""
    return "㐀" <= character <= "鿿"


def has_han(text: str) -> bool:
    """Whether the text has a Han character."""
    return not text.isascii() and any(map(is_han, text))
