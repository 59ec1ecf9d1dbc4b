"""Lengths of time in words: three days, 1か月と21日, 两年半, half an hour, a fortnight.

Useful for: the grammar's "ago", "last" and "within". Not useful for: dates.
Invariant: at most six parts make one length.
"""

from __future__ import annotations

from omoide.dates import numbers
from omoide.dates.frame import Length
from omoide.dates.lexer import Tokens

_MOST_PARTS = 6
#: Units written as one Han character that name a date unless something like 前 or 間 follows.
DATE_LIKE = {"月", "日", "年", "年度", "周年"}


def length(tokens: Tokens, at: int, *, plain_month: bool = False) -> tuple[Length, int] | None:
    """The length from `at`, and where it ends; `plain_month` lets 3月 be three months rather than March."""
    parts: list[tuple[str, float]] = []
    place = at
    for _ in range(_MOST_PARTS):
        joined = place + (bool(parts) and tokens.has(place, "and", "link"))
        part = _part(tokens, joined, first=not parts, plain_month=plain_month)
        if part is None or any(part[0][0] == unit for unit, _ in parts):
            break
        parts.append(part[0])
        place = part[1]
    return (tuple(parts), place) if parts else None


def amount(tokens: Tokens, at: int) -> tuple[float, int] | None:
    """How many: 3, three, 三, a few, 数, half a, two and a half."""
    if tokens.has(at, "half"):
        stop = at + 1 + tokens.has(at + 1, "one")
        return 0.5, stop
    few = tokens.get(at, "few")
    if few is not None:
        return float(few), at + 1
    number = numbers.cardinal(tokens, at)
    if number is None:
        return None
    count, stop = number
    if tokens.has(stop, "and") and tokens.has(stop + 1 + tokens.has(stop + 1, "one"), "half"):
        return count + 0.5, stop + 2 + tokens.has(stop + 1, "one")
    if getattr(tokens.at(stop), "text", "") == "个" and tokens.has(stop + 1, "half"):
        return count + 0.5, stop + 2  # 一个半月
    return float(count), stop


def _part(tokens: Tokens, at: int, *, first: bool, plain_month: bool) -> tuple[tuple[str, float], int] | None:
    count = amount(tokens, at)
    token = tokens.at(at)
    if count is None and first and tokens.has(at, "one") and token is not None and token.text != "the":
        count = 1.0, at + 1
    if count is None or (token is not None and token.text[0] in "0〇" and len(token.text) > 1):
        return None
    unit, weekday = tokens.get(count[1], "unit"), tokens.get(count[1], "weekday")
    if weekday is not None and unit is None:
        return ((f"weekday{weekday}", count[0]), count[1] + 1)
    if unit is None or (unit == "year" and count[0] >= 1000):
        return None
    if tokens.all[count[1]].text == "月" and not (plain_month or tokens.has(at, "few", "one") or count[0] % 1):
        return None
    half = _half_behind(tokens, count[1])
    return ((unit, count[0] + (0.5 if half else 0)), count[1] + 1 + half)


def _half_behind(tokens: Tokens, unit: int) -> int:
    """Tokens of the half said behind a unit: 两年半, "a year and a half"."""
    if not tokens.text[tokens.all[unit].start].isascii():
        return int(tokens.has(unit + 1, "half"))
    return 3 if tokens.has(unit + 1, "and") and tokens.has(unit + 2, "one") and tokens.has(unit + 3, "half") else 0
