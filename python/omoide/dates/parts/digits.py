"""Reads a date written in digits.

Useful for: 2024-01-15, 3/15 and the like. Not useful for: digits beside words.
Invariant: two numbers that are more likely hours, or days of a named month, are left to the other rules.
"""

from __future__ import annotations

from omoide.dates import literals
from omoide.dates.calendar import day_of, year_of_republic
from omoide.dates.frame import Frame
from omoide.dates.lexer import Tokens
from omoide.dates.parts.chunk import SURE, WEAK, Chunk, Reading
from omoide.dates.patterns import pattern


def read_literal(tokens: Tokens, at: int, said: Frame, reading: Reading) -> Chunk | None:
    """A date in digits alone."""
    token = tokens.at(at)
    if token is None or not token.text[0].isdigit() or "num" not in token.senses:
        return None
    if reading.whole and (ordinal := pattern(_DAY_OF_YEAR).fullmatch(tokens.text.strip())):
        return Chunk(Frame(year=int(ordinal[1]), nth=(int(ordinal[2]), 1, "day")), len(tokens))
    if reading.whole and (republic := pattern(_OF_THE_REPUBLIC).fullmatch(tokens.text.strip())):
        year, month, day = year_of_republic(int(republic[1])), int(republic[3]), int(republic[4])
        return Chunk(Frame(year=year, month=month, day=day), len(tokens)) if year and day_of(year, month, day) else None
    found = literals.read(tokens.text, token.start, reading.order)
    if found is None:
        return None
    frame, end, certain = found
    stop = tokens.index_at(end, at)
    if not certain and _is_other(tokens, at, stop, said, tokens.text[token.start : end]):
        return None
    between, mark = tokens.word(at + 1), tokens.word(stop)
    dotted_day = between == "." and mark == "日" and len(tokens.word(at + 2)) == 2 and not reading.japanese
    marked = (mark == "号" and between in {".", "/"}) or (mark == "日" and between == "/") or dotted_day
    if marked and tokens.word(stop + 1) not in NUMBERED:  # 3.5号, 3/5号, 3/5日, 8.15日; 1.5日 is a length
        return Chunk(frame, stop + 1)
    if stop == at or (tokens.has(stop, "unit", "scale") and not tokens.has(stop, "part")):
        return None
    padded = pattern(_YEAR_MONTH).fullmatch(tokens.text, token.start, end) is not None
    sure = certain or padded or _is_when(tokens, at, end, frame)
    return Chunk(frame, stop, SURE if sure else WEAK)


def _is_when(tokens: Tokens, at: int, end: int, frame: Frame) -> bool:
    """Whether something happens on a day with a slash, as in 11/20に, 在11/20 and "on 11/20"; not 3/4に切る."""
    if frame.said != {"month", "day"} or frame.month is None or frame.day is None or tokens.word(at + 1) != "/":
        return False
    happens = tokens.word(at - 1) in {"on", "在"} or tokens.text[end : end + 1] == "に"
    return happens and not is_fraction(frame.month, frame.day) and tokens.text[tokens.all[at].start : end] != _ALWAYS


def is_fraction(numerator: int, denominator: int) -> bool:
    """Whether two numbers with a slash may be a fraction: 3/4 inch; not 9/1 or 8/30."""
    return numerator <= denominator <= _LARGEST_DENOMINATOR


_LARGEST_DENOMINATOR, _ALWAYS = 16, "24/7"


#: 2025-123, a day of the year in ISO 8601; only as a whole argument, as in a text it is the number of something.
_DAY_OF_YEAR = r"((?:19|20)\d\d)-([0-3]\d\d)"
#: 114/3/10, as dates are written in Taiwan; only as a whole argument.
_OF_THE_REPUBLIC = r"(1[0-4]\d)([/.-])(\d\d?)\2(\d\d?)"
#: What has a number: 3.5号线.
NUMBERED = set("线線楼樓门門馆館店机機车車")
_YEAR_MONTH = r"(?:19|20)\d\d[-/]\d\d"


def _is_other(tokens: Tokens, at: int, stop: int, said: Frame, written: str) -> bool:
    """Whether two numbers are days of a month ("4-22 January"), the years of a winter ("winter 2011/12") or hours ("Monday 12-4",
    "at 2.30", 2-4点)."""
    if tokens.has(stop, "month", "clock_mark") or tokens.has(at - 1, "month") or said.said & {"year", "season"}:
        return True
    if "/" in written or len(written) > 5:
        return False
    if "-" in written and tokens.word(stop) == "号":
        return True
    before = tokens.word(at - 1)
    hours = said.weekday is not None or said.shift is not None or before in {"at", "from", "between"}
    hours = hours or points_to_hour(tokens, at)
    return hours or ("-" in written and tokens.has(stop + tokens.has(stop, "link"), "shift", "weekday", "day"))


def points_to_hour(tokens: Tokens, at: int) -> bool:
    """Whether a part of the day, or a day counted from now, makes a time of 9.30: 9.30 this morning, 9.30 yesterday."""
    if tokens.word(at + 1) != "." or len(tokens.word(at + 2)) != 2 or not tokens.word(at + 3).isascii():
        return False
    return tokens.has(at + 3, "day") or (tokens.has(at + 3, "shift", "here") and tokens.has(at + 4, "part"))
