"""Reads numbers in words: 三十, 二〇一八, 廿, "twenty first", "nineteen ninety six", "two thousand and five".

Useful for: the grammar's counts, days and years. Not useful for: fractions and amounts of money.
Invariant: at most five words make one number, so reading one takes bounded time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from omoide.dates.words import Senses

if TYPE_CHECKING:
    from omoide.dates.lexer import Tokens

#: A function that returns the number at a place and where it ends, or None.
Number = TypeVar("Number", int, float)
Read = Callable[["Tokens", int], "tuple[Number, int] | None"]

_UNREAD: Any = object()
_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"两": 2, "俩": 2, "仨": 3}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_TENS = {"廿": 20, "卅": 30}
CHARACTERS = "".join((*_DIGITS, *_UNITS, *_TENS))


def once(read: Read[Number]) -> Read[Number]:
    """Cache the result for each place, as many rules ask for the number there."""

    @wraps(read)
    def remembered(tokens: Tokens, at: int) -> tuple[Number, int] | None:
        key = read, at
        found: tuple[Number, int] | None = tokens.memo.get(key, _UNREAD)
        if found is _UNREAD:
            found = tokens.memo[key] = read(tokens, at)
        return found

    return remembered


def senses(numerals: str) -> Senses:
    """The meanings of a run of Han numerals; none if it is not a number."""
    value = han(numerals)
    return {} if value is None else {"num": value, "han": value}


def han(numerals: str) -> int | None:
    """The value of a number written digit by digit (二〇一八) or with units (二千十八, 廿一); None if malformed or over 9999."""
    if all(one in _DIGITS for one in numerals):
        return int("".join(str(_DIGITS[one]) for one in numerals)) if len(numerals) <= 4 else None
    total, pending = 0, 0
    for one in numerals[:12]:
        if one in _DIGITS:
            pending = _DIGITS[one]
        elif one in _TENS:
            total, pending = total + _TENS[one], 0
        else:
            total, pending = total + (pending or 1) * _UNITS[one], 0
    return total + pending if total + pending <= 9999 else None


def neighbours(written: str) -> tuple[int, int] | None:
    """The first and last of numbers that follow each other, written as one: 四五, 两三, 十三四, 二十七八, 四五六; None if they do not."""
    tens = max(written.rfind(ten) for ten in ("十", *_TENS)) + 1
    digits = written[tens:].replace("两", "二")
    base = han(written[:tens]) if tens else 0
    if len(digits) < 2 or digits not in _IN_ORDER or base is None:
        return None
    first = base + _DIGITS[digits[0]]
    return first, first + len(digits) - 1


_IN_ORDER = "一二三四五六七八九"


def is_round(written: str) -> bool:
    """Whether Han numerals are hundreds or thousands, which count years: 一千年, 三百年; 千九百八十年 is a year."""
    return written[-1:] in _HUNDREDS


_HUNDREDS = {"百", "千"}


@once
def cardinal(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """The count in digits or words at `at`, and where it ends."""
    if (value := tokens.get(at, "num")) is not None:
        return _in_groups(tokens, at, value)
    if tokens.word(at) == "a" and tokens.has(at + 1, "scale"):
        return _scaled(tokens, (1, at + 1))
    return _thousands(tokens, at)


def _in_groups(tokens: Tokens, at: int, value: int) -> tuple[int, int]:
    """1,000 and 1,250,000: digits in groups of three."""
    stop = at + 1
    if 0 < value < 1000 and tokens.text[tokens.all[at].start] in "123456789":
        while value < _MOST_IN_GROUPS and tokens.word(stop) == "," and tokens.glued(stop) and _is_group(tokens, stop):
            value, stop = value * 1000 + tokens.get(stop + 1, "num"), stop + 2
    return value, stop


_MOST_IN_GROUPS = 1_000_000


def _is_group(tokens: Tokens, comma: int) -> bool:
    """Whether three digits follow the comma; 、 separates two numbers: 民國112、113年."""
    at = comma + 1
    is_comma = tokens.written[tokens.all[comma].start] != "、"
    return is_comma and tokens.glued(at) and len(tokens.word(at)) == 3 and tokens.word(at).isdecimal()


@once
def ordinal(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """The rank at `at`, and where it ends: 21st, "twenty first", 第三."""
    if tokens.has(at, "nth_mark"):
        return cardinal(tokens, at + 1)
    if tokens.has(at, "num") and tokens.has(at + 1, "ordinal_sign") and tokens.glued(at + 1):
        return tokens.get(at, "num"), at + 2
    tens = tokens.get(at, "cardinal")
    if tens is not None and tens >= 20 and tokens.has(_dash(tokens, at + 1), "ordinal"):
        unit = tokens.get(_dash(tokens, at + 1), "ordinal")
        return (tens + unit, _dash(tokens, at + 1) + 1) if unit < 10 else None
    value = tokens.get(at, "ordinal")
    return None if value is None else (value, at + 1)


def year(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """A year in words: nineteen ninety six, nineteen hundred ninety three, two thousand and fifteen, twenty ten."""
    head = _small(tokens, at)
    if head and 10 <= head[0] <= 21:
        tail = _hundreds_tail(tokens, head[1])
        if tail:
            return head[0] * 100 + tail[0], tail[1]
    whole = _thousands(tokens, at)
    return whole if whole and whole[0] >= 1000 else None


def _hundreds_tail(tokens: Tokens, at: int) -> tuple[int, int] | None:
    if tokens.get(at, "scale") == 100:
        joined = at + 1 + tokens.has(at + 1, "and")
        return _small(tokens, joined) or (0, at + 1)
    if tokens.get(at, "cardinal") == 0:
        return _small(tokens, at + 1)
    tail = _small(tokens, _dash(tokens, at))
    return tail if tail and tail[0] >= 10 else None


def _thousands(tokens: Tokens, at: int) -> tuple[int, int] | None:
    head = _small(tokens, at)
    return head if head is None or not tokens.has(head[1], "scale") else _scaled(tokens, head)


def _scaled(tokens: Tokens, head: tuple[int, int]) -> tuple[int, int]:
    """The number that begins with so many hundreds or thousands: two hundred, a hundred and twenty."""
    total, place = head[0] * tokens.get(head[1], "scale"), head[1] + 1
    for _ in range(2):
        rest = _small(tokens, place + tokens.has(place, "and"))
        if rest is None:
            break
        scale = tokens.get(rest[1], "scale")
        scaled = scale is not None and rest[0] * scale < total
        total, place = total + rest[0] * (scale if scaled else 1), rest[1] + scaled
        if not scaled:
            break
    return total, place


def _small(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """0 to 99: "seven", "twenty", "twenty-one"."""
    tens = tokens.get(at, "cardinal")
    if tens is None:
        return None
    unit = tokens.get(_dash(tokens, at + 1), "cardinal") if tens >= 20 else None
    if unit is None or not 1 <= unit <= 9:
        return tens, at + 1
    return tens + unit, _dash(tokens, at + 1) + 1


def _dash(tokens: Tokens, at: int) -> int:
    token = tokens.at(at)
    return at + 1 if token and token.text == "-" and token.glued and tokens.glued(at + 1) else at
