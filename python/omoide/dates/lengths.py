"""Lengths of time in words: three days, 1か月と21日, 两年半, half an hour, a fortnight.

Useful for: the grammar's "ago", "last" and "within". Not useful for: dates.
Invariant: at most six parts make one length.
"""

from __future__ import annotations

import math

from omoide.dates import numbers
from omoide.dates.frame import Length
from omoide.dates.lexer import Tokens
from omoide.dates.rules import is_counted

_MOST_PARTS = 6
#: Units that make a date, unless a word like 前 or 間 follows.
DATE_LIKE = {"月", "月份", "日", "年", "年度", "周年"}
#: Numerals that only say how many: 两月 and 仨月 are no months of the year, which are written with 二 and 三.
HOW_MANY = frozenset("两俩仨")


def length(tokens: Tokens, at: int, *, plain_month: bool = False) -> tuple[Length, int] | None:
    """The length that begins at `at`, and where it ends; `plain_month` reads 3月 and 3季度 as three months or quarters, not which."""
    parts: list[tuple[str, float]] = []
    place = at
    for _ in range(_MOST_PARTS):
        joined = place + (bool(parts) and tokens.has(place, "and", "link"))
        begins = not parts or tokens.word(joined - 1) == "and"  # a year and a day
        part = part_of(tokens, joined, first=begins, plain_month=plain_month)
        if part is None or any(part[0][0] == unit for unit, _ in parts):
            break
        parts.append(part[0])
        place = part[1]
    return (tuple(parts), place) if parts else None


@numbers.once
def amount(tokens: Tokens, at: int) -> tuple[float, int] | None:
    """How many: 3, three, 三, a few, 数, half a, two and a half."""
    if tokens.has(at, "half"):
        stop = at + 1 + tokens.has(at + 1, "one")
        return 0.5, stop
    few = tokens.get(at, "few")
    if few is not None:
        tens = tokens.get(at + 1, "han") if tokens.word(at + 1) in _ROUND else None
        return float(few * (tens or 1)), at + 1 + (tens is not None)
    number = numbers.cardinal(tokens, at)
    if number is None:
        return None
    two = _two(tokens, at, number)
    count, stop = two[1:] if two else number
    if _is_decimal(tokens, at):
        return float(f"{tokens.all[at].text}.{tokens.all[at + 2].text}"), at + 3
    if tokens.has(at, "num") and tokens.word(stop) in _OVER:
        return float(count), stop + 1
    if tokens.word(stop) in OR_MORE and tokens.has(stop + 1, "unit"):
        return float(count), stop + 1
    if tokens.has(stop, "and") and tokens.has(stop + 1 + tokens.has(stop + 1, "one"), "half"):
        return count + 0.5, stop + 2 + tokens.has(stop + 1, "one")
    if tokens.word(stop) == "个" and tokens.has(stop + 1, "half"):
        return count + 0.5, stop + 2  # 一个半月
    return float(count), stop


#: What makes a number approximate: 数十年, 几百年; 十几天, 二十多年, 十数年.
_ROUND, _OVER = {"十", "百", "千"}, {"几", "多", "余", "数", "来"}
#: Between a number and its unit, "at least": 30+ days ago.
OR_MORE = ("or more", "+")


def lesser(tokens: Tokens, at: int) -> int | None:
    """The lesser of two numbers, as in 两三天, 三五天, 2、3日, "two or three days", 2-4 weeks; None if there are not two."""
    first = numbers.cardinal(tokens, at)
    if first is None or tokens.has(at, "half", "few"):
        return None
    two = _two(tokens, at, first)
    return two[0] if two else None


def joins_ends(tokens: Tokens, joint: int, at: int) -> bool:
    """Whether the word at `joint` stands between the ends of a span that begins at `at`: 3〜5日, 三到五天, between 3 and 5 days."""
    word = tokens.word(joint)
    return word in _SPANS or (word == "and" and tokens.word(at - 1) in {"between", "in between"})


#: Between two lengths: 2日か3日前, 两天或三天前.
EITHER = {"か", "或", "or"}
_SAID_SPANS = {"to", "到", "至", "から"}
_SPANS = _SAID_SPANS | {"-", "~"}


def _two(tokens: Tokens, at: int, first: tuple[int, int]) -> tuple[int, int, int] | None:
    """(lesser, greater, where they end) of 两三天, 三五天, 十三四天, 2、3日, "two or three days", 2-4 weeks, 三到五天."""
    text = tokens.all[at].text
    if text == "三五":  # three to five, the only such idiom whose numbers are not consecutive
        return 3, 5, first[1]
    if tokens.has(at, "han") and (two := numbers.neighbours(text)) is not None:
        return *two, first[1]
    joint = tokens.word(first[1])
    spans = joins_ends(tokens, first[1], at)
    second = numbers.cardinal(tokens, first[1] + 1) if spans or joint in {",", "or"} else None
    if second is None or not tokens.has(second[1], "unit"):
        return None
    lesser, greater = sorted((first[0], second[0])) if joint in _SAID_SPANS else (first[0], second[0])
    # 2、4週間前; but not "chapter 1, 4 days ago"
    any_two = spans or joint == "or" or not tokens.all[second[1]].text.isascii()
    ends = lesser < greater if any_two else lesser + 1 == greater
    return (lesser, greater, second[1]) if ends else None


def _is_decimal(tokens: Tokens, at: int) -> bool:
    """Whether there is a decimal, as in "1.5 years"."""
    point = tokens.word(at + 1) == "." and tokens.glued(at + 1) and tokens.glued(at + 2)
    if not point or not tokens.has(at + 2, "num") or not tokens.has(at + 3, "unit"):
        return False
    return not tokens.has(at, "han", "cardinal") and not tokens.has(at + 2, "han")  # 三.5年 is none


def part_of(
    tokens: Tokens, at: int, *, first: bool = True, plain_month: bool = False
) -> tuple[tuple[str, float], int] | None:
    """One number with its unit, and where it ends; the `first` part of a length may be "a day"."""
    count = amount(tokens, at)
    token = tokens.at(at)
    if count is None and first and tokens.has(at, "one") and token is not None and token.text != "the":
        count = 1.0, at + 1
    padded = "0〇" if first else "0"  # 一年零两个月
    if count is None or (token is not None and token.text[0] in padded and len(token.text) > 1):
        return None
    if (minutes := tokens.get(count[1], "quarter_hour")) is not None:
        return ("minute", count[0] * minutes), count[1] + 1
    unit, weekday = tokens.get(count[1], "unit"), tokens.get(count[1], "weekday")
    if weekday is not None and unit is None:
        return ((f"weekday{weekday}", count[0]), count[1] + 1)
    if unit is None or not is_counted(tokens, count[1], count[0]) or _is_letter(tokens, count[1]):
        return None
    if tokens.all[count[1]].text == "年代":
        return None  # 90年代后期; counted are 个年代
    if tokens.all[count[1]].text == "分" and tokens.word(count[1] + 1) in {"之", "の"}:
        return None  # 近四分之三
    if not plain_month and _is_rank(tokens, at, count):
        return None
    if tokens.all[count[1]].text == "分" and tokens.has(at, "half"):
        return None  # この半分
    half = half_behind(tokens, count[1])
    return ((unit, count[0] + (0.5 if half else 0)), count[1] + 1 + half)


def _is_rank(tokens: Tokens, at: int, count: tuple[float, int]) -> bool:
    """Whether the number there is which one, not how many: 三月 is March, 二季度 the second quarter; not 几月, 俩月, 两季度."""
    unit = tokens.all[count[1]].text
    if unit not in _RANKED or count[0] % 1 or count[0] > _RANKED[unit]:
        return False
    return not (tokens.has(at, "few", "one") or tokens.all[at].text in HOW_MANY)


#: Units that a number in front of them may rank, and the highest rank.
_RANKED = {"月": math.inf, "季度": 4}


def _is_letter(tokens: Tokens, at: int) -> bool:
    """Whether a unit of one letter is only a letter: 3d ago and "last 7d" mean days, 3 D and "3d models" do not."""
    text = tokens.all[at].text
    if text == "m":
        return not _are_minutes(tokens, at)
    if not (len(text) == 1 and text in "dwy"):
        return False
    after = tokens.at(at + 1)
    return not tokens.glued(at) or (after is not None and after.text[0].isalnum() and "ago" not in after.senses)


def _are_minutes(tokens: Tokens, at: int) -> bool:
    """Whether m means minutes: 30m ago, the last 45m, 90m alone; the last 100m and 500m先 are metres."""
    after, ago = tokens.word(at + 1), tokens.has(at + 1, "ago")
    if not tokens.glued(at) or (tokens.get(at - 1, "num") or 0) > _MOST_AS_MINUTES or not after.isascii():
        return False
    return ago or (not after.isalnum() and (at == 1 or tokens.word(at - 2) in {"last", "past", "previous"}))


_MOST_AS_MINUTES = 90


def half_behind(tokens: Tokens, unit: int) -> int:
    """How many tokens say "and a half" after a unit: 两年半, "a year and a half"."""
    if not tokens.text[tokens.all[unit].start].isascii():
        return int(tokens.has(unit + 1, "half"))
    return 3 if tokens.has(unit + 1, "and") and tokens.has(unit + 2, "one") and tokens.has(unit + 3, "half") else 0
