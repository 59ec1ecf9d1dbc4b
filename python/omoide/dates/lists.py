"""Completes dates that share a part said once: last Monday and Tuesday, 去年の3月と4月, 上周一或周二, 上周一三五, 先週の月水金, March and April of last year.

Useful for: `mentions`, where one date follows another. Not useful for: ranges; see grammar.py.
Invariant: a date with a week, month or year of its own keeps it; two that are not in order (去年の12月と1月) stay unchanged.
"""

from __future__ import annotations

from dataclasses import replace

from omoide.dates.fold import is_han
from omoide.dates.frame import Ahead, Frame, Node
from omoide.dates.joining import Term, fits
from omoide.dates.lexer import Tokens
from omoide.dates.parts.days import DAYS_OF_WEEK, chinese_weekday, ends_with_weekday
from omoide.dates.parts.lunar import counts

#: (the index of its first token, the date).
Placed = tuple[int, Term]

#: Words between two dates of a list; words that may follow these; and those of them across which the second date may complete
#: the first.
_JOINTS = frozenset(", / ・ と や か 和 跟 与 及 或 and or &".split())
_BEHIND_JOINTS = frozenset("者 , and or on in the".split())
_BACK = frozenset("and or &".split())
_YEARS = frozenset({"year", "year_shift", "fiscal"})
#: Parts of a date, the longest first, and the parts that the date beside it may have given for both.
_OWNERS = {
    "quarter": _YEARS | {"shift"},
    "half": _YEARS | {"shift"},
    "month": _YEARS,
    "day": _YEARS | {"month", "month_shift"},
    "weekday": frozenset({"shift", "nearest"}),
}
#: A date with one of these parts needs no other date to complete it.
_OWN = _YEARS | {"shift", "month_shift", "nearest", "lunar", "holiday", "decade", "century"}


def completed(tokens: Tokens, dates: list[Placed]) -> list[Placed]:
    """The dates of a text in order, each completed by the parts that it shares with its neighbour."""
    found = dates[:1]
    for place, term in dates[1:]:
        start, before = found[-1]
        joint = [token.text for token in tokens.all[before.stop : place]]
        joined = bool(joint) and joint[0] in _JOINTS and _BEHIND_JOINTS.issuperset(joint[1:])
        if joined and joint[0] in _BACK and not tokens.has(place, "shift", "period"):
            found[-1] = start, _with_more(before, before, term, term)
        found.append((place, _with_more(term, before, term, before) if joined else term))
    return found


def weekdays_behind(tokens: Tokens, term: Term) -> list[Placed]:
    """The days that follow a Chinese weekday without a word for the week: 上周一三五, 上周一、三、五, 周六日."""
    if not isinstance(term.node, Frame) or not term.node.said <= _OF_A_WEEK:
        return []
    first = chinese_weekday(tokens, term.stop - 1)
    if first is None:
        return []
    days, place = [first], term.stop
    found: list[Placed] = []
    while (listed := _listed_days(tokens, place, days[-1])) is not None:
        more, place = listed
        days += more
        found += [(place - 1, term._replace(node=replace(term.node, weekday=day), stop=place)) for day in more]
    surely = len(found) > 1 or days == _WEEKEND
    return found if found and (surely or ends_with_weekday(tokens, place)) else []


#: What may be said of a day in such a list.
_OF_A_WEEK = {"weekday", "shift", "nearest"}
_WEEKEND = [5, 6]


def _listed_days(tokens: Tokens, at: int, last: int) -> tuple[list[int], int] | None:
    """The days of 三五 or of ",三", after `last`, and where they end."""
    joined = tokens.word(at) in _JOINTS
    token = tokens.at(at + joined)
    if token is None or not token.glued or counts(tokens, at + joined + 1):
        return None
    days = [DAYS_OF_WEEK.get(one, -1) for one in token.text]
    if not last < days[0] or days != sorted(set(days)) or (len(days) > 1) is joined:
        return None if not (days == [6] and last == 5 and _is_sunday(tokens, at)) else (days, at + 1)
    return days, at + joined + 1


def _is_sunday(tokens: Tokens, at: int) -> bool:
    """Whether 日 after 周六 is Sunday; not in 周六日程."""
    return tokens.word(at) == "日" and tokens.word(at + 1)[:1] not in set("程本记記语語元期常报報历曆均")


def days_of_week(tokens: Tokens, place: int, term: Term) -> list[Placed]:
    """The days that follow a Japanese week, each by one character: 先週の月水金, 今週の火・木. Not 今週の土木工事, 来週の水道."""
    node = term.node
    if not isinstance(node, Frame) or node.said != {"shift"} or node.shift is None or node.shift[0] != "week":
        return []
    days: list[int] = []
    found: list[Placed] = []
    at = term.stop + (tokens.word(term.stop) == "の")
    while tokens.glued(at) and set(tokens.word(at)) <= _JAPANESE_DAYS.keys():
        begins = at if found else place
        more = [_JAPANESE_DAYS[day] for day in tokens.word(at)]
        found += [(begins, term._replace(node=replace(node, weekday=day), stop=at + 1)) for day in more]
        days += more
        at += 1 + (tokens.word(at + 1) == "・")
    if len(days) < 2 or days != sorted(set(days)) or days == _MONTHS_AND_DAYS or is_han(tokens.word(at)[:1]):
        return []
    return found


_JAPANESE_DAYS = {written: day for day, written in enumerate("月火水木金土日")}
#: 月日, which also means time.
_MONTHS_AND_DAYS = [0, 6]


def _with_more(term: Term, first: Term, last: Term, other: Term) -> Term:
    """`term`, one of `first` and `last`, with the parts that `other` gives for both."""
    back = term is first
    first, other = _of_its_own(first), _of_its_own(other)
    if not (isinstance(term.node, Frame) and isinstance(other.node, Frame)) or term.node.said & _OWN:
        return term
    part = next((part for part in _OWNERS if part in term.node.said), None)
    if part is None or not _are_in_order(part, first.node, last.node):
        return term
    said = {owner: getattr(other.node, owner) for owner in _OWNERS[part] & other.node.said}
    joined = term.node.join(Frame(**said)) if said else None
    if joined is None or not fits(joined):
        return term
    # 21日 of 5月20日と21日 is of the same year, even if it is tomorrow.
    node = Ahead(joined, first.node) if "month" in said and not (back or joined.said & _YEARS) else joined
    return Term(node, term.stop, term.sure or other.sure, term.relative or other.relative)


def _of_its_own(term: Term) -> Term:
    """The date as if nothing preceded it."""
    return term._replace(node=term.node.node) if isinstance(term.node, Ahead) else term


def _are_in_order(part: str, first: Node, last: Node) -> bool:
    ends = [getattr(node, part) for node in (first, last) if isinstance(node, Frame) and part in node.said]
    return len(ends) > 1 and ends[0] < ends[1]
