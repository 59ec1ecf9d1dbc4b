"""Reads what marks a month or day as one of the old calendar: 农历八月十五, 旧暦1月1日, 闰六月, 大年初三.

Useful for: the rules of this package. Not useful for: when these days are; see lunar_months.py.
Invariant: a month or day without a word that makes it one is of the civil calendar.
"""

from __future__ import annotations

from omoide.dates import numbers
from omoide.dates.frame import Frame
from omoide.dates.lexer import Tokens
from omoide.dates.parts.chunk import LIKELY, WEAK, Chunk, Reading


def read_lunar(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """农历, 旧暦の or 闰 before a month; (农历) after it."""
    if tokens.has(at, "leap_month"):
        number = numbers.cardinal(tokens, at + 1)
        follows = number is not None and tokens.word(number[1]).startswith("月")
        lunar = said.lunar or whose(tokens, at, reading)
        return Chunk(Frame(leap=True, lunar=None if said.lunar else lunar), at + 1, WEAK) if follows else None
    bracketed = tokens.word(at - 1) == "(" and tokens.word(at + 1) == ")"
    if not tokens.has(at, "lunar") or (said.said - _YEARS and not bracketed):
        return None
    return Chunk(Frame(lunar=whose(tokens, at, reading)), at + 1, WEAK)


#: Parts that may come before 农历.
_YEARS = {"year", "year_shift"}


def whose(tokens: Tokens, at: int, reading: Reading) -> str:
    """Whose calendar it is; that of 旧历, which both write, is decided by the caller's zone."""
    return "japan" if reading.japanese else "here" if tokens.all[at].text.startswith("旧") else "china"


def first_month(tokens: Tokens, at: int, reading: Reading) -> str | None:
    """Whose calendar 正月 is of: January in Japanese (None), in Chinese the first month of the old year; "perhaps" leaves it to
    the caller's zone."""
    day = tokens.has(at, "han") and not tokens.has(at + 1, "unit", "clock_mark")
    if day or tokens.has(at, "first_ten"):
        return "china"  # 正月十五; 正月三日 is either
    return None if reading.japanese else "perhaps"


def read_first_ten(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """初三 after a month, which is then of the old calendar; as a whole argument also after a year, of its first month."""
    number = tokens.get(at + 1, "num" if said.lunar else "han")  # 正月初8
    if number is None or not 1 <= number <= 10 or counts(tokens, at + 2):
        return None
    if reading.whole and said.said and said.said <= _YEARS:
        return Chunk(Frame(lunar="china", month=1, day=number), at + 2)
    if said.month is None:
        return None
    lunar = None if said.lunar else whose(tokens, at, reading)
    return Chunk(Frame(day=number, lunar=lunar), at + 2 + (tokens.word(at + 2) == "日"))


def is_old_day_or_grade(tokens: Tokens, at: int) -> bool:
    """Whether 初三 in 今年初三毕业 and 去年初二去拜年 is a school grade or a day of the old year; not in 今年初三次会议, 去年初一直."""
    number, behind = tokens.at(at + 1), tokens.word(at + 2)[:1]
    if tokens.word(at) != "初" or number is None or number.text not in _FIRST_TEN or counts(tokens, at + 2):
        return False
    return not behind.isalnum() or behind in _AFTER_GRADE or behind in _AFTER_DAY or tokens.has(at + 2, "part")


_FIRST_TEN = set("一二三四五六七八九十")
#: Characters that may follow a grade.
_AFTER_GRADE = "的上下学毕考开升班生时"
#: Counters: 一月一次, 一月一度, 三月一个.
_COUNTERS = frozenset("次度回趟遍个個场場篇份本件名位位家款集")


def counts(tokens: Tokens, at: int) -> bool:
    """Whether a number that ends there counts what follows: 五月 of 三月初五月底 is May, 三个月 are months, 一月一次 is monthly."""
    behind = tokens.word(at)
    return (tokens.has(at, "unit", "clock_mark") and behind != "日") or behind.startswith("月") or behind in _COUNTERS


def read_old_day(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """大年初一, 年初三, 腊八, 十五夜: days of the old year that need no month."""
    if (named := tokens.get(at, "old_day")) is not None:
        month, day, calendar = named
        return Chunk(Frame(lunar=calendar, month=month, day=day), at + 1, LIKELY, relative=True)
    day = tokens.get(at, "new_year_day")
    stop = at + 1 + (day == 0)
    day = tokens.get(at + 1, "num") if day == 0 else day
    if day is None or not 1 <= day <= 15 or (tokens.all[at].text == "年初" and not _is_new_year(tokens, at, said)):
        return None
    return Chunk(Frame(lunar="china", month=1, day=day), stop, relative=True)


def _is_new_year(tokens: Tokens, at: int, said: Frame) -> bool:
    """Whether 年初三 is the third day of the year, as said in the south, also after the year: 今年年初三; it is not in
    2025年初三次, 年初三个月."""
    number, start = tokens.all[at + 1], tokens.all[at].start
    before = "" if said.said and said.said <= _YEARS and tokens.text[start - 1] == "年" else tokens.text[:start][-1:]
    behind = tokens.text[number.end : number.end + 1]
    return (
        "han" in number.senses
        and not before.isalnum()
        and (not behind.isalnum() or behind in _AFTER_DAY or tokens.has(at + 2, "part"))
    )


#: Characters that may follow 年初三.
_AFTER_DAY = "到至的晚早去回在我和与跟及"
