"""Joins consecutive parts to one date: 2024年3月5日の午後3時, the first Monday of May at noon.

Useful for: `terms` and `grammar`. Not useful for: reading a part (see parts), lengths and ranges.
Invariant: a date has at most twelve parts, each kind at most once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from omoide.dates.frame import SATURDAY, Frame, Node, names_day, without_hours
from omoide.dates.lexer import Tokens
from omoide.dates.parts import next_part
from omoide.dates.parts.chunk import DOUBTFUL, LIKELY, SURE, WEAK, Chunk, Reading

_MOST_PARTS, _MOST_LINKS = 12, 2


class Term(NamedTuple):
    """A node, where the next token is, whether it certainly is a date, and whether it depends on the reference."""

    node: Node
    stop: int
    sure: bool
    relative: bool


def frame_at(tokens: Tokens, at: int, reading: Reading, said: Frame) -> Term | None:
    """Read consecutive parts and join them to `said`, until a kind of part occurs again. None without parts."""
    chunks: list[Chunk] = []
    place = stop = at
    links = 0
    while len(chunks) < _MOST_PARTS and links <= _MOST_LINKS:
        found = next_part(tokens, place, said, reading)
        joined = said.join(found.frame) if found and not _are_apart(tokens, place, said, found.frame) else None
        if found is not None and joined is not None and fits(joined):
            said, place, stop, links = joined, found.stop, found.stop, 0
            chunks.append(found)
        elif chunks and (_is_link(tokens, place) or _opens_days(tokens, place, said)):
            place, links = place + 1, links + 1
        else:
            break
    if said.month is not None and said.said & TIMES and not names_day(replace(said, clock=None)):
        # One evening in September is on any of its days.
        said = without_hours(said)
    return Term(said, stop, _certain(chunks), any(one.relative for one in chunks)) if chunks else None


#: Parts that say hours.
TIMES = frozenset({"clock", "clock_end", "meridiem", "part"})
#: Between two dates, months or seasons that are both meant.
JOINTS = frozenset(", / ・ と や か 和 跟 与 及 或 and or &".split())


def _is_range(tokens: Tokens, at: int, said: Frame, behind: Frame) -> bool:
    """今日-25日, March 3-today: a hyphen between two days does not join them to one, as it does yesterday-evening."""
    if tokens.word(at - 1) != "-":
        return False
    return (_is_near_now(said) and bool(behind.said & _DAYS)) or (_is_near_now(behind) and bool(said.said & _DAYS))


def _are_apart(tokens: Tokens, at: int, said: Frame, behind: Frame) -> bool:
    """Whether what stands behind is not of the same date."""
    return _is_range(tokens, at, said, behind) or _is_told(tokens, at, said, behind)


def _is_told(tokens: Tokens, at: int, said: Frame, behind: Frame) -> bool:
    """The meeting with June on Friday, a talk with April about Q2: not a Friday of that month, nor a month of that quarter."""
    if said.said != {"month"}:
        return False
    joint = tokens.word(at - 1)
    return (joint == "on" and behind.weekday is not None) or (joint == "about" and behind.day is None)


def _is_near_now(said: Frame) -> bool:
    return said.shift is not None and said.shift[0] == "day"


_DAYS = frozenset({"day", "month", "weekday", "holiday"})


def _opens_days(tokens: Tokens, at: int, said: Frame) -> bool:
    """Whether days follow, as in "November between 19 and 20"."""
    return (
        tokens.has(at, "between")
        and said.said <= {"month", "year"}
        and said.month is not None
        and tokens.has(at + 1, "num")
    )


def fits(said: Frame) -> bool:
    """Whether the parts make sense together: a clock time needs a day, and a month cannot be of last week."""
    timed = said.said & {"clock", "part", "meridiem"}
    period = said.said & {"month_shift", "year_shift", "week", "quarter", "half", "season"}
    period |= said.said & {"year"} if said.month is None else frozenset()  # 早在1911年
    unit = said.shift[0] if said.shift is not None else None
    if timed and not names_day(replace(said, clock=None)) and (period or unit not in {None, "day"}):
        return bool(said.said & {"month", "month_shift"} and said.day is not None)
    if (said.season is not None and said.month is not None) or (said.holiday is not None and unit == "weekend"):
        return False
    if said.half is not None and unit == "day":
        return False  # 昨日前半
    if said.month_shift is not None and unit == "day" and said.shift != ("day", 0):
        return False  # the last night of last month is not last night
    if said.week_of == "weekend" and said.weekday is not None and said.weekday < SATURDAY:
        return False  # 来週の土日月曜
    if unit == "semester" and said.said != {"shift"} and not said.said & {"edge", "third", "nth", "half"}:
        return False  # 去年下学期
    if said.year is not None and said.month is None and unit in {"day", "week", "weekend"}:
        return False  # watched 1917 yesterday
    return not (said.month is not None and unit in {"week", "weekend", "workweek"} and said.weekday is None)


def _is_link(tokens: Tokens, at: int) -> bool:
    token = tokens.at(at)
    if token is None:
        return False
    if token.text == "." and tokens.has(at + 1, "month"):
        return True
    if token.text in {"-", "/", "."}:
        follows = tokens.at(at + 1)
        return token.glued and follows is not None and follows.glued
    if not token.senses:
        return False
    return tokens.has(at, "link", "skip", "here") and not tokens.has(at, "unit")


def _certain(chunks: list[Chunk]) -> bool:
    sure = [one.sure for one in chunks]
    if DOUBTFUL in sure:
        return False
    return SURE in sure or (LIKELY in sure and any(one > WEAK for one in sure[1:]))
